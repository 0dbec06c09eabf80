//! Every text of the pages' frame, one struct per page; `en` and `ja` hold the words, one module per language.
//!
//! A language that lacks a text does not compile. A text with values in it is a function of them.

mod about;
mod chapters;
mod compare;
mod compare_page;
mod drives;
mod en;
mod error;
mod figure;
mod home;
mod ja;
mod keys;
mod measures;
mod methods;
mod news;
mod rankings;
mod shell;

pub(crate) use self::{
    about::About,
    chapters::Chapters,
    compare::{Compare, Environment, Find, View as CompareView},
    compare_page::{ComparePage, CompareTable},
    drives::Drives,
    error::Error,
    figure::{Copy, Figure},
    home::{Home, Table},
    keys::Keys,
    measures::Measures,
    methods::Methods,
    news::News,
    rankings::Rankings,
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
    /// What is measured and how, for every page.
    pub(crate) measures: Measures,
    /// The home page.
    pub(crate) home: Home,
    /// The catalogue, and a drive's page.
    pub(crate) drives: Drives,
    /// The list of rankings, and a ranking.
    pub(crate) rankings: Rankings,
    /// The page of a key.
    pub(crate) keys: Keys,
    /// The list of methods, and a method's page.
    pub(crate) methods: Methods,
    /// The feed of new results.
    pub(crate) news: News,
}

/// The texts of a language.
pub(crate) fn of(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &en::TEXTS,
        Lang::Ja => &ja::TEXTS,
    }
}
