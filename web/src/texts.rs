//! Every text of the pages' frame, one struct per page; `en` and `ja` hold the words, one module per language.
//!
//! A language that lacks a text does not compile. A text with values in it is a function of them.

mod about;
mod en;
mod error;
mod ja;
mod open;
mod shell;

pub(crate) use self::{
    about::About,
    error::Error,
    open::{Open, Upload},
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
    /// The page that opens files, and what is said of a file.
    pub(crate) open: Open,
    /// The page that publishes a file.
    pub(crate) upload: Upload,
}

/// The texts of a language.
pub(crate) fn of(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &en::TEXTS,
        Lang::Ja => &ja::TEXTS,
    }
}
