//! The two fonts that pictures are measured and drawn with. It knows glyph widths, and no layout.
//!
//! Widths are sums of advances, without kerning: for the labels of a chart the difference is under a pixel.

use resvg::usvg::fontdb;
use skrifa::{
    FontRef, MetadataProvider,
    instance::{LocationRef, Size},
};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

/// The family to name first in a chart's `fontFamily`; it is also the default of a chart that names none.
pub const FONT_FAMILY: &str = "Noto Sans JP";

static REGULAR: &[u8] = include_bytes!("../../../static/fonts/NotoSansJP-Regular.subset.ttf");
static BOLD: &[u8] = include_bytes!("../../../static/fonts/NotoSansJP-Bold.subset.ttf");

static REGULAR_WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::read(REGULAR));
static BOLD_WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::read(BOLD));

/// What resvg may draw text with: our two fonts, for every family a picture can name.
static DATABASE: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut database = fontdb::Database::new();
    for font in [REGULAR, BOLD] {
        database.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    }
    database.set_sans_serif_family(FONT_FAMILY);
    // The last resort of resvg, without which text of an unknown family silently disappears.
    database.set_serif_family(FONT_FAMILY);
    database.set_monospace_family(FONT_FAMILY);
    Arc::new(database)
});

/// The fonts of every PNG.
pub(crate) fn database() -> Arc<fontdb::Database> {
    Arc::clone(&DATABASE)
}

/// Width in CSS pixels of `text` in the CSS font `font`, such as `bold 12px Noto Sans JP, sans-serif`.
///
/// The family is not looked at, since pictures are drawn with ours; a font without a size is 12 px, as in ECharts.
pub(crate) fn text_width(text: &str, font: &str) -> f64 {
    let words = || font.split_ascii_whitespace();
    let size_px = words()
        .find_map(|word| word.strip_suffix("px")?.parse::<f64>().ok())
        .filter(|size| size.is_finite())
        .unwrap_or(12.0);
    // From 501 on CSS prefers the heavier of our two weights.
    let bold = words().any(|word| {
        matches!(word, "bold" | "bolder") || word.parse::<u16>().is_ok_and(|weight| weight > 500)
    });
    let widths = if bold { &BOLD_WIDTHS } else { &REGULAR_WIDTHS };
    text.chars().map(|char| widths.em(char)).sum::<f64>() * size_px
}

/// Advances of one font in units of the font size.
struct Widths {
    by_char: HashMap<char, f64>,
    missing: f64,
}

impl Widths {
    fn read(font: &[u8]) -> Self {
        let font = FontRef::new(font).expect("the compiled-in fonts are whole");
        let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
        let width = |glyph| metrics.advance_width(glyph).map_or(0.0, f64::from);
        let by_char = font
            .charmap()
            .mappings()
            .filter_map(|(code, glyph)| Some((char::from_u32(code)?, width(glyph))))
            .collect();
        Self { by_char, missing: width(skrifa::GlyphId::NOTDEF) }
    }

    fn em(&self, char: char) -> f64 {
        match char {
            // Joiners, direction marks, variation selectors: shaping draws nothing for them.
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => 0.0,
            '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{AD}' => 0.0,
            _ => self.by_char.get(&char).copied().unwrap_or(self.missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_come_from_the_font_and_scale_with_its_size() {
        // A zero of Noto Sans JP is 555 units of 1000, in bold 590.
        assert!((text_width("00", "12px sans-serif") - 2.0 * 0.555 * 12.0).abs() < 1e-3);
        assert!((text_width("0", "normal bold 20px Noto Sans JP, sans-serif") - 0.590 * 20.0).abs() < 1e-3);
        assert!((text_width("0", "700 10px x") - 5.90).abs() < 1e-3);
        assert!((text_width("0", "500 10px x") - 5.55).abs() < 1e-3);
        assert!(text_width("iiii", "12px x") < text_width("WWWW", "12px x"));
    }

    #[test]
    fn kana_and_units_are_in_both_fonts_and_unknown_text_has_a_width_too() {
        for widths in [&REGULAR_WIDTHS, &BOLD_WIDTHS] {
            for char in "MB/s µμ−×÷≤≥°±Ωσ→←…–—“”①カなー、。éß".chars() {
                assert!(widths.by_char.contains_key(&char), "{char} is missing");
            }
        }
        assert!((text_width("\u{1F4BE}", "10px x") - 10.0).abs() < 1e-3);
        assert_eq!(text_width("\u{202E}\u{200F}", "10px x"), 0.0);
    }
}
