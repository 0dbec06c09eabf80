//! Texts of the page of a key.

/// What a key is, when it was seen, what its holder says.
pub(crate) struct Keys {
    pub(crate) title: fn(&str) -> String,
    pub(crate) about: fn(&str, &str) -> String,
    pub(crate) kicker: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) revoked: &'static str,
    pub(crate) facts: &'static str,
    pub(crate) id: &'static str,
    pub(crate) first: &'static str,
    pub(crate) last: &'static str,
    pub(crate) results: &'static str,
    pub(crate) drives: &'static str,
    pub(crate) names: &'static str,
    pub(crate) names_note: &'static str,
    pub(crate) no_name: &'static str,
    /// A name and the number of results, as text, that have it.
    pub(crate) name: fn(&str, &str) -> String,
    pub(crate) list: &'static str,
}
