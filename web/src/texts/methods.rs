//! Texts of the list of methods and of a method's page.

use model::Method;

/// List and page.
pub(crate) struct Methods {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) in_use: &'static str,
    pub(crate) nothing_yet: &'static str,
    /// Headings: method, in words, results.
    pub(crate) columns: [&'static str; 3],
    pub(crate) how: &'static str,
    pub(crate) steps: [&'static str; 5],
    pub(crate) versions: &'static str,
    /// The version in use, and what a version is.
    pub(crate) version: fn(u32) -> String,
    pub(crate) not_claimed: &'static str,
    /// What no method here claims.
    pub(crate) limits: [&'static str; 5],
    pub(crate) kicker: &'static str,
    pub(crate) why: &'static str,
    /// What the test shows, and what it stands for in use.
    pub(crate) reasons: fn(&Method) -> Vec<&'static str>,
    /// What a figure of it does not say.
    pub(crate) caveats: fn(&Method) -> Vec<&'static str>,
    pub(crate) parameters: &'static str,
    /// Names and values of the parameters, one by one.
    pub(crate) facts: fn(&Method) -> Vec<(&'static str, String)>,
    pub(crate) public_results: &'static str,
    pub(crate) name: &'static str,
    pub(crate) name_note: &'static str,
    pub(crate) rankings: &'static str,
    pub(crate) results: &'static str,
    pub(crate) no_results: &'static str,
    pub(crate) more: &'static str,
    pub(crate) all: &'static str,
}
