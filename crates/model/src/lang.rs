//! The languages that pages and pictures speak, and which of them a reader gets.
//!
//! Knows their names. Does not know any text: each crate that tells keeps its own, one module per language.

use std::{fmt, str::FromStr};

/// A language that pages and pictures are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

impl Lang {
    /// All of them; the first one stands where nothing else is asked for.
    pub const ALL: [Self; 2] = [Self::En, Self::Ja];

    /// Its tag, as in `lang=` of addresses and of documents. Source: BCP 47.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// Its name in itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ja => "日本語",
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// The text names no language of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("pages are written in `en` and `ja`")]
pub struct UnknownLang;

impl FromStr for Lang {
    type Err = UnknownLang;

    fn from_str(text: &str) -> Result<Self, UnknownLang> {
        Self::ALL.into_iter().find(|lang| lang.token() == text).ok_or(UnknownLang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_again() {
        for lang in Lang::ALL {
            assert_eq!(lang.token().parse(), Ok(lang));
        }
        assert_eq!("jp".parse::<Lang>(), Err(UnknownLang));
    }
}
