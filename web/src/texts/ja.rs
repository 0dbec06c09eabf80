//! Japanese.

mod about;
mod drives;
mod error;
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
    measures: measures::MEASURES,
    home: home::HOME,
    drives: drives::DRIVES,
    rankings: rankings::RANKINGS,
    keys: keys::KEYS,
    methods: methods::METHODS,
    news: news::NEWS,
};
