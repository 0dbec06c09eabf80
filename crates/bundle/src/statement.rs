//! Statements about results: a DSSE envelope as JSON, small, and read in the same order as a bundle.

use crate::{
    dsse::Envelope,
    open::{Unsigned, key_id, read_signed},
};
use model::{KeyId, document::DocumentError, ids::PublicKey, statement::Statement, units::format_size};

/// Largest envelope of a statement in bytes.
pub const MAX_STATEMENT_BYTES: usize = 16 << 10;
/// Media type of an envelope on the wire. Source: DSSE protocol 1.0.2.
pub const ENVELOPE_MEDIA_TYPE: &str = "application/vnd.dsse.envelope.v1+json";

/// Why bytes are no valid statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// More bytes than allowed.
    #[error("a statement has at most {}", format_size(MAX_STATEMENT_BYTES as u64))]
    TooLarge,
    /// The bytes are no DSSE envelope.
    #[error("this is no DSSE envelope: {0}")]
    Envelope(String),
    /// Another payload type.
    #[error("the payload type is `{found}`, expected `{}`", model::statement::PAYLOAD_TYPE)]
    PayloadType {
        /// The type it has, shortened.
        found: String,
    },
    /// None, or more than one signature.
    #[error("the statement has {0} signatures, expected exactly one")]
    SignatureCount(usize),
    /// The key is no Ed25519 key, or a weak one.
    #[error("the statement's public key is not a valid Ed25519 key")]
    BadKey,
    /// The signature does not match.
    #[error("the signature does not match the statement")]
    BadSignature,
    /// What was signed is no statement.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// A statement whose signature was checked. Only [`open_statement`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedStatement {
    statement: Statement,
    key: KeyId,
    envelope: Vec<u8>,
}

impl VerifiedStatement {
    /// What is stated.
    #[must_use]
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The SHA-256 of the public key.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.key
    }

    /// The exact bytes that were opened.
    #[must_use]
    pub fn envelope(&self) -> &[u8] {
        &self.envelope
    }
}

/// Opens a statement. Whether its key is the one that signed the result is for those who have the result.
///
/// # Errors
/// Names the first thing that is wrong.
pub fn open_statement(bytes: &[u8]) -> Result<VerifiedStatement, StatementError> {
    if bytes.len() > MAX_STATEMENT_BYTES {
        return Err(StatementError::TooLarge);
    }
    let envelope: Envelope = serde_json::from_slice(bytes)
        .map_err(|error| StatementError::Envelope(model::document::json_words(&error)))?;
    let payload = read_signed(envelope, model::statement::PAYLOAD_TYPE, signer)?;
    let statement = Statement::from_json(&payload)?;
    Ok(VerifiedStatement { key: key_id(&statement.public_key), statement, envelope: bytes.to_vec() })
}

/// A statement that is malformed is told as such and not as a bad signature.
fn signer(payload: &[u8]) -> Result<PublicKey, StatementError> {
    Ok(Statement::from_json(payload)?.public_key)
}

impl From<Unsigned> for StatementError {
    fn from(error: Unsigned) -> Self {
        match error {
            Unsigned::PayloadType { found } => Self::PayloadType { found },
            Unsigned::SignatureCount(count) => Self::SignatureCount(count),
            Unsigned::BadKey => Self::BadKey,
            Unsigned::BadSignature => Self::BadSignature,
        }
    }
}

#[cfg(feature = "seal")]
mod sealing {
    use super::Statement;
    use crate::{SealError, public_key, seal::signed_envelope};
    use ed25519_dalek::SigningKey;

    /// Signs a statement.
    ///
    /// # Errors
    /// When it names another key than the one that signs.
    pub fn seal_statement(statement: &Statement, key: &SigningKey) -> Result<Vec<u8>, SealError> {
        if statement.public_key != public_key(key) {
            return Err(SealError::OtherKey);
        }
        signed_envelope(model::statement::PAYLOAD_TYPE, &statement.to_json(), key)
    }
}
#[cfg(feature = "seal")]
pub use sealing::seal_statement;
