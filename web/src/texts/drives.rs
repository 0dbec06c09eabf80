//! Texts of the catalogue of drives and of a drive's page.

/// Catalogue and page.
pub(crate) struct Drives {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) search: &'static str,
    pub(crate) placeholder: &'static str,
    pub(crate) makes: &'static str,
    pub(crate) all_makes: &'static str,
    pub(crate) other_makes: &'static str,
    pub(crate) measured: &'static str,
    pub(crate) simulated: &'static str,
    pub(crate) simulated_note: &'static str,
    /// Headings: drive, capacity, results, keys, last result.
    pub(crate) columns: [&'static str; 5],
    pub(crate) more: &'static str,
    pub(crate) nothing_found: [&'static str; 3],
    pub(crate) nothing_yet: &'static str,
    pub(crate) kicker: &'static str,
    pub(crate) simulated_kicker: &'static str,
    /// Results and keys, as text, of a drive.
    pub(crate) summary: fn(&str, &str) -> String,
    /// Description of a drive's page: name, results and keys.
    pub(crate) about: fn(&str, &str) -> String,
    pub(crate) care: &'static str,
    pub(crate) to_measured: &'static str,
    pub(crate) to_simulated: &'static str,
    pub(crate) figures: &'static str,
    pub(crate) figures_note: &'static str,
    pub(crate) single_note: &'static str,
    pub(crate) no_figures: &'static str,
    /// Headings: test, median, between results, between loops, results.
    pub(crate) figure_columns: [&'static str; 5],
    pub(crate) one_result: &'static str,
    pub(crate) one_loop: &'static str,
    pub(crate) other_metrics: &'static str,
    pub(crate) by_reviewer: &'static str,
    pub(crate) by_firmware: &'static str,
    pub(crate) by_note: &'static str,
    pub(crate) reviewer: &'static str,
    pub(crate) firmware: &'static str,
    pub(crate) firmware_unknown: &'static str,
    pub(crate) results: &'static str,
    pub(crate) compare_newest: &'static str,
    pub(crate) rank: &'static str,
    pub(crate) cut: &'static str,
    pub(crate) all_of_drive: &'static str,
    pub(crate) all_of_key: &'static str,
    /// Of a drive that reports no name.
    pub(crate) unnamed: &'static str,
}
