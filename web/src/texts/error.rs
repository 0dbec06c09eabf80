//! Texts of the page in place of one that cannot be shown.

/// What stands around an error's own words.
pub(crate) struct Error {
    pub(crate) search_or_go_to: &'static str,
    pub(crate) list_of_results: &'static str,
    pub(crate) full_stop: &'static str,
    /// Of the HTTP status.
    pub(crate) status: fn(u16) -> String,
}
