//! The error page in English.

use crate::texts::Error;

pub(super) const ERROR: Error = Error {
    search_or_go_to: "Search for a drive, a suite or a label, or go to ",
    list_of_results: "the list of results",
    full_stop: ".",
    status: |status| format!("Status {status}"),
};
