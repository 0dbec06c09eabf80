//! How a test says that it was not run: past the test harness's capture, so that it is seen and counted.

use std::io::Write as _;

/// Prints that `story` is skipped and why. `cargo xtask test` repeats these lines after its summary.
pub(crate) fn skip(story: &str, reason: &str) {
    // Written to the stream itself: what `println!` prints in a passing test is kept back.
    let mut out = std::io::stdout().lock();
    writeln!(out, "SKIPPED: {story}: {}", reason.replace('\n', " ")).expect("standard output is open");
}
