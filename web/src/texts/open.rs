//! Texts of the pages that open files: what stands in them, and what is said of a file.

/// The page that opens files, and what every check of a file may say.
#[cfg_attr(
    not(feature = "open"),
    expect(dead_code, reason = "only what opens files says what is wrong with one")
)]
pub(crate) struct Open {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: &'static str,
    /// What is checked, and where it happens.
    pub(crate) points: [&'static str; 3],
    /// Label of the field that chooses files.
    pub(crate) choose: &'static str,
    /// Beside that field.
    pub(crate) or_drop: &'static str,
    /// Heading of the list of open files.
    pub(crate) files: &'static str,
    pub(crate) remove: &'static str,
    pub(crate) make_first: &'static str,
    /// In place of that button for the first file.
    pub(crate) baseline: &'static str,
    pub(crate) checking: &'static str,
    /// The program of the page did not come.
    pub(crate) not_loaded: &'static str,
    /// The browser could not read the file.
    pub(crate) not_read: &'static str,
    pub(crate) chart_failed: &'static str,
    /// What the page needs, where there are no scripts.
    pub(crate) needs_scripts: &'static str,
    /// Before the commands that do the same.
    pub(crate) on_the_command_line: &'static str,

    /// A file that is not shown, and why: name, reason.
    pub(crate) refused: fn(&str, &str) -> String,
    pub(crate) too_many: &'static str,
    pub(crate) open_already: &'static str,
    /// The greatest size.
    pub(crate) too_large: fn(&str) -> String,
    pub(crate) bomb: &'static str,
    pub(crate) foreign: &'static str,
    pub(crate) cut_off: &'static str,
    pub(crate) damaged: &'static str,
    pub(crate) other_content: &'static str,
    pub(crate) bad_signature: &'static str,
    /// The version of the document.
    pub(crate) newer: fn(&str) -> String,
    /// What is wrong.
    pub(crate) malformed: fn(&str) -> String,
    /// What contradicts itself.
    pub(crate) implausible: fn(&str) -> String,

    pub(crate) nothing_open: &'static str,
    /// The drive.
    pub(crate) one_open: fn(&str) -> String,
    /// The drive of a result that is not to be listed.
    pub(crate) one_open_unlisted: fn(&str) -> String,
    /// How many.
    pub(crate) several_open: fn(usize) -> String,

    /// Of the signature on the page of an opened file.
    pub(crate) signature: &'static str,
}

/// The page that publishes a file.
pub(crate) struct Upload {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: &'static str,
    /// What happens in which order.
    pub(crate) steps: [&'static str; 3],
    /// That it can be taken back, and how.
    pub(crate) take_back: &'static str,
    /// Label of the field that chooses one file, and what stands beside it.
    pub(crate) choose: [&'static str; 2],
    /// The button.
    pub(crate) publish: &'static str,
    pub(crate) publishing: &'static str,
    /// Published; a link to the page follows.
    pub(crate) published: &'static str,
    /// It had been published before; a link to the page follows.
    pub(crate) published_before: &'static str,
    /// The link.
    pub(crate) to_page: &'static str,
    /// The server's own words follow.
    pub(crate) server_refused: &'static str,
    pub(crate) not_sent: &'static str,
    pub(crate) needs_scripts: &'static str,
    pub(crate) on_the_command_line: &'static str,
}
