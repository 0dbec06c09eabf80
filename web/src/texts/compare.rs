//! Texts of the comparison page.

use model::labels::LabelKey;

/// How the figures are shown, the environments, and the search for another result.
pub(crate) struct Compare {
    pub(crate) view: View,
    pub(crate) environment: Environment,
    pub(crate) find: Find,
    /// On a result's page: what to set beside it, and the way to the page that compares.
    pub(crate) compare_with: &'static str,
    pub(crate) compare_another: &'static str,
    /// What the copying of the whole page is about.
    pub(crate) whole_page: &'static str,
}

/// The switches above the figures.
pub(crate) struct View {
    pub(crate) heading: &'static str,
    pub(crate) baseline: &'static str,
    pub(crate) figures: &'static str,
    pub(crate) absolute: &'static str,
    pub(crate) relative: &'static str,
    /// In place of the switch to shares, where none may be given.
    pub(crate) no_shares: &'static str,
    pub(crate) axes: &'static str,
    pub(crate) own_axes: &'static str,
    pub(crate) linear: &'static str,
    pub(crate) log: &'static str,
    /// What the switches leave alone.
    pub(crate) note: &'static str,
}

/// Where each result was measured.
pub(crate) struct Environment {
    pub(crate) title: &'static str,
    /// Headings of groups of rows.
    pub(crate) differing: &'static str,
    pub(crate) drive: &'static str,
    pub(crate) place: &'static str,
    pub(crate) machine: &'static str,
    pub(crate) run: &'static str,
    /// The same for what only the reviewer says.
    pub(crate) declared: &'static str,
    pub(crate) model: &'static str,
    pub(crate) firmware: &'static str,
    pub(crate) capacity: &'static str,
    pub(crate) attachment: &'static str,
    pub(crate) path: &'static str,
    pub(crate) slot: &'static str,
    pub(crate) file_system: &'static str,
    pub(crate) allocation_unit: &'static str,
    pub(crate) in_use: &'static str,
    pub(crate) processor: &'static str,
    pub(crate) memory: &'static str,
    pub(crate) governor: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) platform: &'static str,
    pub(crate) virtual_machine: &'static str,
    pub(crate) bare_metal: &'static str,
    pub(crate) platform_unknown: &'static str,
    pub(crate) engine: &'static str,
    pub(crate) suite: &'static str,
    pub(crate) measured: &'static str,
    pub(crate) program: &'static str,
    pub(crate) signed_by: &'static str,
    pub(crate) label: fn(LabelKey) -> &'static str,
    pub(crate) not_stated: &'static str,
    pub(crate) none: &'static str,
    pub(crate) used_of: fn(&str, &str) -> String,
    pub(crate) not_known: &'static str,
    /// A name of a row whose values differ, and of one where a result does not state it.
    pub(crate) differs: fn(&str) -> String,
    pub(crate) not_stated_by_all: fn(&str) -> String,
}

/// The search for a result to add.
pub(crate) struct Find {
    pub(crate) label: &'static str,
    pub(crate) placeholder: &'static str,
    pub(crate) button: &'static str,
    /// What the list of suggestions is, for those who do not see it.
    pub(crate) suggestions: &'static str,
    pub(crate) nothing_else: &'static str,
    pub(crate) no_answer: &'static str,
    /// Heading over what has these words.
    pub(crate) found: fn(&str) -> String,
    pub(crate) nothing: &'static str,
    pub(crate) add: &'static str,
    pub(crate) compared: &'static str,
    /// How many more there are than the list shows.
    pub(crate) more: fn(u64) -> String,
    pub(crate) full: &'static str,
}
