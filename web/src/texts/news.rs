//! Texts of the feed of new results.

/// The feed.
pub(crate) struct News {
    pub(crate) title: &'static str,
    /// A result's title: drive, and the suite.
    pub(crate) entry: fn(&str, &str) -> String,
    /// A chart's picture, for those who do not see it: the drive.
    pub(crate) picture: fn(&str) -> String,
    pub(crate) simulated: &'static str,
}
