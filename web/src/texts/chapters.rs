//! Headings of a review's chapters.

use crate::pages::Chapter;

/// What each chapter is called.
pub(crate) struct Chapters {
    pub(crate) title: fn(Chapter) -> &'static str,
}
