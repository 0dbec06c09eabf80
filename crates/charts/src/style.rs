//! How a chart looks: theme, size, colours, dashes, symbols and hatchings that tell series apart.
//!
//! Knows nothing of results. Colours are chosen after Okabe and Ito's set, darkened or lightened until
//! each has a contrast of at least 3:1 to its background; no series is told by colour alone.

use crate::view::View;
use serde_json::{Value, json};

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark text on white.
    Light,
    /// Light text on near-black.
    Dark,
}

/// What a chart is drawn for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Light or dark.
    pub theme: Theme,
    /// Width in px; readable from 320.
    pub width: u32,
    /// Height in px; a chart that needs more takes more and says so in [`crate::Chart::height`].
    pub height: u32,
    /// Font families in the order of preference, as in CSS; decided by the site, never by an uploader.
    pub font_family: String,
    /// How the figures are set out.
    pub view: View,
}

/// The colours of a theme.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) background: &'static str,
    pub(crate) text: &'static str,
    /// Subtitles, axis labels and the words in place of a figure: 4.5:1.
    pub(crate) muted: &'static str,
    pub(crate) grid_line: &'static str,
    series: [&'static str; 8],
    hatching: &'static str,
}

const LIGHT: Palette = Palette {
    background: "#ffffff",
    text: "#1b1f23",
    muted: "#57606a",
    grid_line: "#d8dee4",
    series: ["#0072b2", "#d55e00", "#00805f", "#a8478f", "#8a6a00", "#3f454c", "#3a8fc4", "#a3273a"],
    hatching: "rgba(255,255,255,0.55)",
};

const DARK: Palette = Palette {
    background: "#14181d",
    text: "#e8ebee",
    muted: "#a3acb6",
    grid_line: "#333b44",
    series: ["#56b4e9", "#e69f00", "#2bc49a", "#e08cbf", "#f0e442", "#c9ced4", "#8fa2ff", "#ff8266"],
    hatching: "rgba(0,0,0,0.45)",
};

/// Symbols on lines. Those without a name in `ECharts` are drawn as paths.
const SYMBOLS: [&str; 8] = [
    "circle",
    "rect",
    "triangle",
    "diamond",
    "path://M0,0L10,0L5,9Z",
    "roundRect",
    "path://M0,0L10,0L0,10L10,10Z",
    "path://M3,0L6,0L6,3L9,3L9,6L6,6L6,9L3,9L3,6L0,6L0,3L3,3Z",
];

/// Dashes in px, drawn and left out in turn.
const DASHES: [&[u32]; 8] =
    [&[], &[7, 3], &[2, 3], &[8, 3, 2, 3], &[], &[12, 4], &[4, 2], &[8, 3, 2, 3, 2, 3]];

impl Style {
    pub(crate) fn palette(&self) -> &'static Palette {
        match self.theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

impl Palette {
    /// The colour of the series at `index`; repeats after eight.
    pub(crate) fn series(&self, index: usize) -> &'static str {
        self.series[index % self.series.len()]
    }

    /// The hatching of a bar; the first series is plain.
    pub(crate) fn decal(&self, index: usize) -> Value {
        let turn = std::f64::consts::FRAC_PI_4;
        let lines = |dash: Value, rotation: f64| json!({"color": self.hatching, "symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": dash, "rotation": rotation});
        let spots = |symbol: &str, size: f64| {
            json!({"color": self.hatching, "symbol": symbol, "symbolSize": size,
                   "dashArrayX": [[6, 6], [0, 6, 6, 0]], "dashArrayY": [6, 0], "rotation": 0})
        };
        match index % 8 {
            0 => Value::Null,
            1 => lines(json!([2, 5]), -turn),
            2 => spots("circle", 0.6),
            3 => lines(json!([2, 5]), turn),
            4 => lines(json!([2, 4]), 2.0 * turn),
            5 => spots("triangle", 0.7),
            6 => lines(json!([2, 4]), 0.0),
            _ => spots("rect", 0.6),
        }
    }
}

/// The symbol of a line's points.
pub(crate) fn symbol(index: usize) -> &'static str {
    SYMBOLS[index % SYMBOLS.len()]
}

/// The dashes of a line: `"solid"`, or lengths in px.
pub(crate) fn dash(index: usize) -> Value {
    match DASHES[index % DASHES.len()] {
        [] => json!("solid"),
        lengths => json!(lengths),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: WCAG 2.2, "relative luminance" and "contrast ratio".
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn marks_have_three_to_one_and_texts_four_and_a_half() {
        for palette in [LIGHT, DARK] {
            for colour in palette.series {
                let ratio = contrast(colour, palette.background);
                assert!(ratio >= 3.0, "{colour} on {}: {ratio:.2}", palette.background);
            }
            for colour in [palette.text, palette.muted] {
                assert!(contrast(colour, palette.background) >= 4.5, "{colour}");
            }
        }
    }

    #[test]
    fn eight_series_differ_without_colour() {
        let marks: std::collections::HashSet<_> = (0..8).map(|i| (symbol(i), dash(i).to_string())).collect();
        let decals: std::collections::HashSet<_> = (0..8).map(|i| LIGHT.decal(i).to_string()).collect();
        assert_eq!((marks.len(), decals.len()), (8, 8));
    }
}
