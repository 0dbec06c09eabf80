//! Every text of the pages' frame, one struct per page; `en` and `ja` hold the words, one module per language.
//!
//! A language that lacks a text does not compile. A text with values in it is a function of them.

mod about;
mod drives;
mod en;
mod error;
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
    drives::Drives,
    error::Error,
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
