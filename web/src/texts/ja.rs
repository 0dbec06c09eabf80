//! Japanese.

mod about;
mod chapters;
mod compare;
mod compare_page;
mod error;
mod figure;
mod shell;

use super::Texts;

pub(super) static TEXTS: Texts = Texts {
    shell: shell::SHELL,
    about: about::ABOUT,
    error: error::ERROR,
    chapters: chapters::CHAPTERS,
    figure: figure::FIGURE,
    compare: compare::COMPARE,
    compare_page: compare_page::COMPARE_PAGE,
};
