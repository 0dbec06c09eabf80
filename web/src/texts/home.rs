//! Texts of the home page: the list of results and how to add one.

/// Hero, search, list and the three commands.
pub(crate) struct Home {
    /// Title while something is searched for.
    pub(crate) search_title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: &'static str,
    /// Links to the catalogue, the rankings and the methods.
    pub(crate) ways: [&'static str; 3],
    pub(crate) search: &'static str,
    pub(crate) placeholder: &'static str,
    pub(crate) found: &'static str,
    pub(crate) latest: &'static str,
    pub(crate) more: &'static str,
    /// What stands before and behind the link to all results, and the link.
    pub(crate) nothing_found: [&'static str; 3],
    /// What stands before and behind the link to the commands, and the link.
    pub(crate) nothing_yet: [&'static str; 3],
    /// Headings of the columns: drive, suite, four figures, date.
    pub(crate) columns: [&'static str; 7],
    pub(crate) measure_heading: &'static str,
    pub(crate) measure_note: &'static str,
    /// Of the table with its ticks.
    pub(crate) table: Table,
}

/// The table of results; `{n}` stands for the number of chosen ones, `{drive}`, `{suite}` and `{date}` for a row's.
pub(crate) struct Table {
    pub(crate) label: &'static str,
    pub(crate) choose: &'static str,
    pub(crate) compare: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) chosen: &'static str,
    pub(crate) too_many: &'static str,
    pub(crate) tick: &'static str,
}
