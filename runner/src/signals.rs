//! Ctrl-C: once asks everything to stop and drain, twice ends the program at once.
//!
//! Test files have no name, so they go away whichever way the program ends.

use crate::{
    hint::{Exit, Failure, note},
    progress,
    stop::StopFlag,
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
    low_level,
};
use std::sync::{Arc, atomic::AtomicBool};

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop, from now on until the program ends. `last_words` are said
/// when a second one ends it at once.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn watch(stop: StopFlag, last_words: Option<String>) -> Result<(), Failure> {
    let cannot = |error| Failure::failed("cannot listen for Ctrl-C").because(error);
    // A file-size limit then shows as an error of the write, which can be explained, and not as a killed program.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map_err(cannot)?;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(cannot)?;
    let wait = move || {
        for _ in signals.forever() {
            if stop.requested() {
                if let Some(words) = &last_words {
                    // Below the progress view, which is not tidied up any more.
                    note(&format!("{}{words}", if progress::has_view() { "\n" } else { "" }));
                }
                low_level::exit(i32::from(Exit::Interrupted.code()));
            }
            stop.request();
            // On a terminal the progress view says it; a line of ours would tear it.
            if !progress::has_view() {
                note(
                    "stopping: waiting for the I/Os in flight, then writing what there is (again to end at once)",
                );
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
    Ok(())
}
