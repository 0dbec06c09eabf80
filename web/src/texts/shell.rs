//! Texts of the frame around every page.

/// Head, header, navigation and footer.
pub(crate) struct Shell {
    /// Title of the home page in a browser's tab.
    pub(crate) site_title: &'static str,
    pub(crate) skip: &'static str,
    /// What the navigation is, for those who do not see it.
    pub(crate) site: &'static str,
    pub(crate) results: &'static str,
    pub(crate) drives: &'static str,
    pub(crate) rankings: &'static str,
    /// What the feed of new results is called.
    pub(crate) feed: &'static str,
    pub(crate) compare: &'static str,
    pub(crate) methods: &'static str,
    pub(crate) about: &'static str,
    /// What the site shows, and what a megabyte is, up to the exponent and behind it.
    pub(crate) promise: [&'static str; 2],
    /// What the list of languages is.
    pub(crate) language: &'static str,
    pub(crate) on_this_page: &'static str,
}
