//! Texts of the page about the site.

/// Title, lead and sections.
pub(crate) struct About {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: &'static str,
    /// Heading and paragraph of each section, in their order.
    pub(crate) sections: [(&'static str, &'static str); 5],
}
