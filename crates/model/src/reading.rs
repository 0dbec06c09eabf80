//! A value that was read, or the reason why it was not: 0 is a measurement, absence has a cause.

use serde::{Deserialize, Serialize};

/// Why a value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// The hardware or kernel does not say.
    NotReported,
    /// This user may not read it.
    NotPermitted,
    /// The kernel or file system has no such notion.
    NotSupported,
    /// Cliffmark did not look.
    NotMeasured,
    /// It was read and held back to protect the owner.
    Withheld,
}

impl Absent {
    /// The reason in words, as shown beside a missing value.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::NotReported => "not reported",
            Self::NotPermitted => "not permitted",
            Self::NotSupported => "not supported",
            Self::NotMeasured => "not measured",
            Self::Withheld => "withheld",
        }
    }
}

/// A known value or the reason of its absence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reading<T> {
    /// The value as it was read.
    Known(T),
    /// Why there is none.
    Absent(Absent),
}

impl<T> Reading<T> {
    /// The value, `None` when it is absent.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent(_) => None,
        }
    }

    /// A reading from an option, with the reason to give when it is `None`.
    pub fn from_option(value: Option<T>, otherwise: Absent) -> Self {
        value.map_or(Self::Absent(otherwise), Self::Known)
    }

    /// The value as text, or the reason of its absence in words.
    pub fn text_with(&self, show: impl FnOnce(&T) -> String) -> String {
        match self {
            Self::Known(value) => show(value),
            Self::Absent(reason) => reason.text().to_owned(),
        }
    }
}
