//! What the reviewer says about a run: self-declared, shown as such, limited in kind and length.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The labels there are; anything else is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LabelKey {
    /// Who measured.
    Reviewer,
    /// The article the result belongs to.
    Article,
    /// The drive's name when it does not report one itself.
    Drive,
    /// Heatsink, fan, none.
    Cooling,
    /// Where the drive is plugged in.
    Slot,
    /// How full the drive was.
    Fill,
    /// Room temperature.
    Ambient,
    /// Anything else.
    Note,
}

impl LabelKey {
    /// All keys, in the order pages list them.
    pub const ALL: [Self; 8] = [
        Self::Reviewer,
        Self::Article,
        Self::Drive,
        Self::Cooling,
        Self::Slot,
        Self::Fill,
        Self::Ambient,
        Self::Note,
    ];

    /// The word used on the command line and in the document.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Article => "article",
            Self::Drive => "drive",
            Self::Cooling => "cooling",
            Self::Slot => "slot",
            Self::Fill => "fill",
            Self::Ambient => "ambient",
            Self::Note => "note",
        }
    }

    /// The longest text in characters.
    #[must_use]
    pub fn max_chars(self) -> usize {
        if self == Self::Note { 1_000 } else { 120 }
    }
}

/// Why a label is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// The key is not in the list.
    #[error("unknown label `{0}`; known are reviewer, article, drive, cooling, slot, fill, ambient, note")]
    UnknownKey(String),
    /// Nothing but spaces, longer than allowed, or with control characters.
    #[error("label `{key}` needs 1 to {max} printable characters")]
    BadText {
        /// The label.
        key: &'static str,
        /// Its longest text in characters.
        max: usize,
    },
}

impl FromStr for LabelKey {
    type Err = LabelError;

    fn from_str(text: &str) -> Result<Self, LabelError> {
        Self::ALL
            .into_iter()
            .find(|key| key.token() == text)
            .ok_or_else(|| LabelError::UnknownKey(text.to_owned()))
    }
}

/// Whether a text may stand in a document: printable, not blank, at most `max_chars` long.
#[must_use]
pub fn is_plain_text(text: &str, max_chars: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= max_chars && !text.chars().any(is_unprintable)
}

/// Control characters, and the marks that reverse or hide text.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Checks a label's text.
///
/// # Errors
/// When it is blank, too long or holds unprintable characters.
pub fn check_label(key: LabelKey, text: &str) -> Result<(), LabelError> {
    if is_plain_text(text, key.max_chars()) {
        Ok(())
    } else {
        Err(LabelError::BadText { key: key.token(), max: key.max_chars() })
    }
}
