//! Every text of the pages' frame, one struct per page; `en` and `ja` hold the words, one module per language.
//!
//! A language that lacks a text does not compile. A text with values in it is a function of them.

mod about;
mod chapters;
mod compare;
mod compare_page;
mod en;
mod error;
mod figure;
mod ja;
mod shell;

pub(crate) use self::{
    about::About,
    chapters::Chapters,
    compare::{Compare, Environment, Find, View as CompareView},
    compare_page::{ComparePage, CompareTable},
    error::Error,
    figure::{Copy, Figure},
    shell::Shell,
};
use model::lang::Lang;

/// All texts of one language.
pub(crate) struct Texts {
    /// The frame around every page.
    pub(crate) shell: Shell,
    /// The page about the site.
    pub(crate) about: About,
    /// The page in place of one that cannot be shown.
    pub(crate) error: Error,
    /// The chapters of a review.
    pub(crate) chapters: Chapters,
    /// The tools at charts and tables.
    pub(crate) figure: Figure,
    /// What stands beside and around the figures of a comparison.
    pub(crate) compare: Compare,
    /// The comparison page itself.
    pub(crate) compare_page: ComparePage,
}

/// The texts of a language.
pub(crate) fn of(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &en::TEXTS,
        Lang::Ja => &ja::TEXTS,
    }
}
