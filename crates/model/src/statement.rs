//! What the signer of a result says of it later: that it becomes public, or that it is withdrawn.
//!
//! WIRE FORMAT, as [`crate::document`]: unknown fields are refused, an added one needs a new minor version. Each
//! statement has a nonce, so that it counts once however often it is sent.

use crate::{
    document::{DocumentError, SchemaVersion, check_version, from_signed},
    ids::{PublicKey, ResultId},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// The DSSE payload type of a statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.cliffmark.statement.v1+json";
/// The version this program writes and the newest it reads.
pub const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };
/// The end of the year 9999, milliseconds since 1970 UTC: later times have no date.
const LAST_MS: u64 = 253_402_300_799_999;

/// One statement about one result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Version of this schema.
    pub schema: SchemaVersion,
    /// The key that signs it, which must be the one that signed the result.
    pub public_key: PublicKey,
    /// What is stated.
    pub action: Action,
    /// The result it is about.
    pub result: ResultId,
    /// When it was made by the signer's clock, milliseconds since 1970 UTC: of two that contradict each other the later
    /// one counts.
    pub made_unix_ms: u64,
    /// Of a release the time from which the result is public, milliseconds since 1970 UTC; `None` for at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_unix_ms: Option<u64>,
    /// Never used twice by one key.
    pub nonce: Nonce,
}

/// What can be stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The result is taken back for good: its bytes are purged.
    Withdraw,
    /// An unlisted result becomes public, at the same address.
    Release,
}

impl Action {
    /// The word that stands in a statement.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Withdraw => "withdraw",
            Self::Release => "release",
        }
    }
}

/// 128 random bits, as 32 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce(pub [u8; 16]);

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Nonce {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "expected 32 lower-case hexadecimal digits";
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| FORM)?;
        if hex::encode(bytes) == text { Ok(Self(bytes)) } else { Err(FORM) }
    }
}

impl Serialize for Nonce {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Nonce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Nonce {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .pattern(Some("^[0-9a-f]{32}$"))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Nonce {}

impl Statement {
    /// Reads a statement from its signed bytes.
    ///
    /// # Errors
    /// Names the version that is needed, or the first field that is wrong.
    pub fn from_json(bytes: &[u8]) -> Result<Self, DocumentError> {
        check_version(bytes, SCHEMA)?;
        let statement: Self = from_signed(bytes)?;
        statement.check()?;
        Ok(statement)
    }

    /// The bytes that are signed.
    ///
    /// # Panics
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a statement has only JSON-able fields")
    }

    /// Checks what the types do not already keep.
    ///
    /// # Errors
    /// Names the first field out of its range.
    pub fn check(&self) -> Result<(), DocumentError> {
        let need = |holds: bool, path: &str, message: &'static str| {
            if holds { Ok(()) } else { Err(DocumentError::OutOfRange { path: path.to_owned(), message }) }
        };
        need(self.made_unix_ms <= LAST_MS, "made_unix_ms", "before the year 10000")?;
        need(
            self.from_unix_ms.is_none() || self.action == Action::Release,
            "from_unix_ms",
            "a time only for a release",
        )?;
        need(self.from_unix_ms.is_none_or(|ms| ms <= LAST_MS), "from_unix_ms", "before the year 10000")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Statement {
        Statement {
            schema: SCHEMA,
            public_key: PublicKey([1; 32]),
            action: Action::Release,
            result: ResultId([2; 32]),
            made_unix_ms: 5,
            from_unix_ms: Some(7),
            nonce: Nonce([3; 16]),
        }
    }

    #[test]
    fn a_statement_reads_back() {
        assert_eq!(Statement::from_json(&release().to_json()), Ok(release()));
        let text = String::from_utf8(release().to_json()).unwrap();
        assert!(text.contains("\"action\":\"release\"") && text.contains(&"03".repeat(16)), "{text}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let read = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut json: serde_json::Value = serde_json::from_slice(&release().to_json()).unwrap();
            change(&mut json);
            Statement::from_json(json.to_string().as_bytes()).unwrap_err()
        };
        let path = |error: &DocumentError| match error {
            DocumentError::Malformed { path, .. } | DocumentError::OutOfRange { path, .. } => path.clone(),
            DocumentError::NewerSchema { found } => found.to_string(),
        };
        assert_eq!(path(&read(&|json| json["schema"] = "1.1".into())), "1.1");
        assert_eq!(path(&read(&|json| json["action"] = "praise".into())), "action");
        assert_eq!(path(&read(&|json| json["action"] = "withdraw".into())), "from_unix_ms");
        assert_eq!(path(&read(&|json| json["from_unix_ms"] = (LAST_MS + 1).into())), "from_unix_ms");
        assert_eq!(path(&read(&|json| json["nonce"] = "AB".repeat(16).into())), "nonce");
        assert!(read(&|json| json["mail"] = "x".into()).to_string().contains("unknown field `mail`"));
    }
}
