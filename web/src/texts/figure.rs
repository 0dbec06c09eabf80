//! Texts at charts and tables: what can be done with them.

/// Tools beside a chart, and the copying of Markdown.
pub(crate) struct Figure {
    /// Opens the table of a chart.
    pub(crate) figures: &'static str,
    /// What that table holds, of the chart with this title.
    pub(crate) figures_of: fn(&str) -> String,
    pub(crate) interactive: &'static str,
    pub(crate) picture: &'static str,
    pub(crate) loading: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) copy: Copy,
    /// Above what results have for each application, copy or loading.
    pub(crate) one_by_one: &'static str,
    /// Its first column.
    pub(crate) of_what: &'static str,
    /// The row of counts: better, no difference, worse.
    pub(crate) tally: &'static str,
    /// A count of each: better, no difference beyond the spread, worse, spread not known.
    pub(crate) counts: fn([usize; 4]) -> String,
    pub(crate) baseline: &'static str,
    /// A difference (a text with its sign) that is better or worse.
    pub(crate) better: fn(&str) -> String,
    pub(crate) worse: fn(&str) -> String,
    pub(crate) tie: &'static str,
    /// A difference that has no spread to be held against.
    pub(crate) spread_unknown: fn(&str) -> String,
    pub(crate) not_comparable: &'static str,
}

/// The copying of Markdown.
pub(crate) struct Copy {
    pub(crate) markdown: &'static str,
    pub(crate) button: &'static str,
    pub(crate) done: &'static str,
    pub(crate) failed: &'static str,
}
