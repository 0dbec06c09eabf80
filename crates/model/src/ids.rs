//! Identifiers made of digests: a result's id is the SHA-256 of its signed payload, a key's that of
//! its public key. This module writes and reads them, it computes nothing.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// Why a text is no identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Something else than 64 lower-case hexadecimal digits.
    #[error("expected 64 lower-case hexadecimal digits")]
    NotHex64,
    /// A prefix outside 16 to 64 lower-case hexadecimal digits.
    #[error("expected 16 to 64 lower-case hexadecimal digits")]
    NotPrefix,
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

macro_rules! digest_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// The first sixteen digits, as shown to people.
            #[must_use]
            pub fn short(&self) -> String {
                hex::encode(&self.0[..8])
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                if text.len() != 64 || !is_lower_hex(text) {
                    return Err(IdError::NotHex64);
                }
                let mut bytes = [0; 32];
                hex::decode_to_slice(text, &mut bytes).map_err(|_| IdError::NotHex64)?;
                Ok(Self(bytes))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some("^[0-9a-f]{64}$"))
                    .into()
            }
        }

        #[cfg(feature = "schema")]
        impl utoipa::ToSchema for $name {}
    };
}

digest_id! {
    /// The SHA-256 of a result's signed payload bytes, 64 lower-case hexadecimal digits.
    ResultId
}
digest_id! {
    /// The SHA-256 of a raw 32-byte Ed25519 public key, 64 lower-case hexadecimal digits.
    KeyId
}
digest_id! {
    /// A raw 32-byte Ed25519 public key, 64 lower-case hexadecimal digits.
    PublicKey
}
digest_id! {
    /// An HMAC-SHA-256 of a drive's serial number under a key derived from the signer's secret key:
    /// the same drive and key give the same value, and nothing else can be learnt from it.
    SerialHmac
}

/// The first 16 to 64 digits of a result id, as they may stand in an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResultIdPrefix(String);

impl ResultIdPrefix {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole id when all 64 digits are given.
    #[must_use]
    pub fn whole(&self) -> Option<ResultId> {
        self.0.parse().ok()
    }
}

impl From<ResultId> for ResultIdPrefix {
    fn from(id: ResultId) -> Self {
        Self(id.to_string())
    }
}

impl FromStr for ResultIdPrefix {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if !(16..=64).contains(&text.len()) || !is_lower_hex(text) {
            return Err(IdError::NotPrefix);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ResultIdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_hex_of_the_right_length_is_an_id() {
        let good = "ab".repeat(32);
        assert_eq!(good.parse::<ResultId>().unwrap().to_string(), good);
        for bad in ["", "ab", &"AB".repeat(32), &"zz".repeat(32), &"ab".repeat(33)] {
            assert!(bad.parse::<ResultId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn prefixes_have_16_to_64_digits() {
        assert!("0123456789abcdef".parse::<ResultIdPrefix>().is_ok());
        assert!("0123456789abcde".parse::<ResultIdPrefix>().is_err());
        assert!("0123456789abcdeg".parse::<ResultIdPrefix>().is_err());
        assert!("ab".repeat(32).parse::<ResultIdPrefix>().unwrap().whole().is_some());
    }
}
