//! Texts of the comparison page around its figures, and of the page that lets results be chosen.

/// Headings, sentences and links.
pub(crate) struct ComparePage {
    pub(crate) kicker: &'static str,
    /// The heading of two results, and of one and a number of others.
    pub(crate) against: fn(&str, &str) -> String,
    pub(crate) against_others: fn(&str, usize) -> String,
    pub(crate) all_simulated: &'static str,
    pub(crate) one_simulated: &'static str,
    pub(crate) some_simulated: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) cell: &'static str,
    pub(crate) every_figure: &'static str,
    /// How the large table is read, with and without percentages.
    pub(crate) legend: &'static str,
    pub(crate) legend_side_by_side: &'static str,
    /// Kinds of figures with the direction that is better.
    pub(crate) more_is_better: fn(&str) -> String,
    pub(crate) less_is_better: fn(&str) -> String,
    /// A difference between runs of one configuration.
    pub(crate) between_runs: fn(&str) -> String,
    pub(crate) table: CompareTable,
    pub(crate) change: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) choose_first: &'static str,
    pub(crate) choose_second: &'static str,
    pub(crate) to_list: &'static str,
    pub(crate) tells: &'static str,
    pub(crate) told: [&'static str; 3],
    pub(crate) join: &'static str,
    pub(crate) separate: &'static str,
    pub(crate) remove: &'static str,
    /// Details, conditions (empty or with a mark in front), suite and time of a result.
    pub(crate) line: fn(&str, &str, &str, &str) -> String,
}

/// Words of the large table.
pub(crate) struct CompareTable {
    pub(crate) figure: &'static str,
    pub(crate) show: &'static str,
    pub(crate) all: &'static str,
    pub(crate) throughput: &'static str,
    pub(crate) latency: &'static str,
    pub(crate) processor: &'static str,
    pub(crate) order: &'static str,
    pub(crate) sort: &'static str,
    pub(crate) make_baseline: &'static str,
}
