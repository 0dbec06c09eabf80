//! Texts of the list of rankings and of a ranking.

/// List and page.
pub(crate) struct Rankings {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) nothing_yet: &'static str,
    /// Headings of the list: test, metrics, drives, results.
    pub(crate) columns: [&'static str; 4],
    pub(crate) kicker: &'static str,
    /// Title of a ranking: test and metric.
    pub(crate) of: fn(&str, &str) -> String,
    /// Description of a ranking: test, metric and number of drives.
    pub(crate) about: fn(&str, &str) -> String,
    pub(crate) rule: &'static str,
    pub(crate) filter: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) any: &'static str,
    pub(crate) capacity_from: &'static str,
    pub(crate) capacity_to: &'static str,
    pub(crate) apply: &'static str,
    pub(crate) other_metrics: &'static str,
    /// Headings: rank, drive, median, least to greatest loop, results.
    pub(crate) row_columns: [&'static str; 5],
    /// A rank that several rows share, for those who do not see the sign.
    pub(crate) shared: &'static str,
    pub(crate) spread_unknown: &'static str,
    pub(crate) measured_by: &'static str,
    pub(crate) polled: &'static str,
    pub(crate) threads: &'static str,
    pub(crate) hosts: fn(usize) -> String,
    pub(crate) host: &'static str,
    pub(crate) no_drive: &'static str,
    pub(crate) other_filter: &'static str,
    pub(crate) groups_note: &'static str,
    pub(crate) cut: &'static str,
    pub(crate) all: &'static str,
}
