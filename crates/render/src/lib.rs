//! Turns chart options into pictures: SVG by ECharts inside QuickJS, PNG by resvg, text by our own fonts.
//!
//! It knows how to run ECharts without a browser and how to make its SVG safe to publish. It does not know
//! what a chart means: options come ready from the crate `charts`. It reads no file and no network; the
//! script and the fonts are compiled in.

#![warn(missing_docs)]

mod engine;
mod error;
mod font;
mod png;
mod renderer;
mod svg;

pub use error::RenderError;
pub use font::FONT_FAMILY;
pub use png::png;
pub use renderer::{MAX_SIDE, Renderer, SvgRequest};

/// ECharts, minified, as browsers load it too: a classic script that defines `echarts`.
pub const ECHARTS_JS: &str = include_str!(concat!(env!("OUT_DIR"), "/echarts.min.js"));

/// The version of [`ECHARTS_JS`], `5.5.1`.
pub const ECHARTS_VERSION: &str = env!("ECHARTS_VERSION");

/// Stands for everything that shapes the bytes of a picture besides its request.
///
/// Raise it when a change here, in the fonts, in ECharts or in resvg makes other bytes: caches and ETags
/// are built from it.
pub const RENDERER_VERSION: &str = "1";
