//! Suites as small as a test needs them.

use std::fmt::Write as _;

/// A suite of one-second loops on a file of `size`, with a cell for each of `(pattern, block, queue depth)`.
pub(crate) fn suite(size: &str, cells: &[(&str, &str, u32)]) -> String {
    suite_of(size, 1, cells)
}

/// The same with loops of some seconds.
pub(crate) fn suite_of(size: &str, seconds: u32, cells: &[(&str, &str, u32)]) -> String {
    let mut text = format!(
        "name = \"tiny\"\nsummary = \"for a test\"\nsize = \"{size}\"\nseconds = {seconds}\nloops = 1\ndiscarded = 0\ninterval = 0\n"
    );
    for (pattern, block, depth) in cells {
        write!(
            text,
            "\n[[cell]]\npattern = \"{pattern}\"\nblock = \"{block}\"\nqueue_depth = {depth}\nthreads = 1\n"
        )
        .expect("a string takes text");
    }
    text
}
