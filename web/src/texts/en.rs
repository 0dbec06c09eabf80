//! English.

mod about;
mod chapters;
mod compare;
mod compare_page;
mod drives;
mod error;
mod figure;
mod home;
mod keys;
mod measures;
mod methods;
mod news;
mod rankings;
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
    measures: measures::MEASURES,
    home: home::HOME,
    drives: drives::DRIVES,
    rankings: rankings::RANKINGS,
    keys: keys::KEYS,
    methods: methods::METHODS,
    news: news::NEWS,
};
