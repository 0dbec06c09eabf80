//! Japanese.

mod about;
mod error;
mod open;
mod shell;

use super::Texts;

pub(super) static TEXTS: Texts = Texts {
    shell: shell::SHELL,
    about: about::ABOUT,
    error: error::ERROR,
    open: open::OPEN,
    upload: open::UPLOAD,
};
