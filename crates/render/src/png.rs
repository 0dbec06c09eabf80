//! Turns a finished SVG into PNG with our own fonts. It reads no file and follows no reference.

use crate::{FONT_FAMILY, RenderError, font};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{ImageHrefResolver, Options, Tree},
};

/// The most pixels of one PNG, 64 MiB before it is encoded.
const MAX_PIXELS: u64 = 1 << 24;

/// Draws an SVG at `scale` times its size; `scale` is 1 to 3.
///
/// # Errors
/// [`RenderError::Scale`] and [`RenderError::Pixels`] when the picture is out of range,
/// [`RenderError::Malformed`] when `svg` is no SVG, [`RenderError::Encode`] when encoding fails.
pub fn png(svg: &str, scale: u8) -> Result<Vec<u8>, RenderError> {
    if !(1..=3).contains(&scale) {
        return Err(RenderError::Scale(scale));
    }
    let options = Options {
        font_family: FONT_FAMILY.to_owned(),
        fontdb: font::database(),
        // The default would open files that a picture names.
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options)
        .map_err(|error| RenderError::Malformed { reason: error.to_string() })?;

    let factor = f32::from(scale);
    let pixels = |side: f32| (side * factor).ceil() as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut picture = (u64::from(width) * u64::from(height) <= MAX_PIXELS)
        .then(|| Pixmap::new(width, height))
        .flatten()
        .ok_or(RenderError::Pixels { width, height, max: MAX_PIXELS })?;
    resvg::render(&tree, Transform::from_scale(factor, factor), &mut picture.as_mut());
    picture.encode_png().map_err(|error| RenderError::Encode { reason: error.to_string() })
}
