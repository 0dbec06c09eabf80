//! Why a picture could not be made, in words for a log and for the one who asked.

use std::time::Duration;

/// Why a picture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// As many pictures wait already as the queue holds.
    #[error("too many pictures are waiting to be drawn; try again in a moment")]
    Busy,
    /// The chart did not finish in time.
    #[error("the chart took more than {} s to draw; give it fewer points", .limit.as_secs())]
    TooSlow {
        /// How long one picture may take.
        limit: Duration,
    },
    /// The chart needs more memory than one picture may have.
    #[error("the chart needs more than {} MiB to draw; give it fewer points", .limit_bytes >> 20)]
    TooLarge {
        /// How much memory one picture may have.
        limit_bytes: usize,
    },
    /// A side of the picture is out of range.
    #[error("a chart of {width} x {height} pixels cannot be drawn; each side is 1 to {max}")]
    Size {
        /// The width asked for.
        width: u32,
        /// The height asked for.
        height: u32,
        /// The longest side allowed.
        max: u32,
    },
    /// The PNG would have too many pixels.
    #[error("a PNG of {width} x {height} has more than {max} pixels; ask for a smaller chart or scale")]
    Pixels {
        /// Width in pixels of the PNG.
        width: u32,
        /// Height in pixels of the PNG.
        height: u32,
        /// How many pixels a PNG may have.
        max: u64,
    },
    /// A scale of a PNG outside its range.
    #[error("a picture cannot be scaled {0} times; the scale is 1, 2 or 3")]
    Scale(u8),
    /// ECharts does not accept the option.
    #[error("ECharts refused the chart's option: {reason}")]
    Option {
        /// What ECharts or the JSON parser said.
        reason: String,
    },
    /// The SVG holds something that our pictures never hold, so it is not published.
    #[error("the drawn chart holds {what}, which a published picture must not; change the chart's option")]
    Foreign {
        /// The element, attribute or value.
        what: String,
    },
    /// The SVG cannot be read back.
    #[error("the chart's SVG is not well formed: {reason}")]
    Malformed {
        /// What the parser said, with the place.
        reason: String,
    },
    /// The PNG encoder failed.
    #[error("the picture could not be encoded as PNG: {reason}")]
    Encode {
        /// What the encoder said.
        reason: String,
    },
    /// The JavaScript engine could not be set up, or gave up in the middle of this picture.
    #[error("the chart engine failed: {reason}; try again, and report it when it stays")]
    Engine {
        /// What it said.
        reason: String,
    },
}
