//! From bytes to a verified result: limits, envelope, type, signature, document, in this order.

use crate::{
    FrameError,
    dsse::{Envelope, pre_authentication_encoding},
    frame::decompress,
};
use ed25519_dalek::{Signature, VerifyingKey};
use model::{
    KeyId, ResultDocument, ResultId,
    document::{DocumentError, PAYLOAD_TYPE},
    ids::PublicKey,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Why bytes are no valid bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The compressed frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The envelope is no DSSE envelope.
    #[error("the bundle holds no DSSE envelope: {0}")]
    Envelope(String),
    /// Another payload type.
    #[error("the bundle's payload type is `{found}`, expected `{PAYLOAD_TYPE}`")]
    PayloadType {
        /// The type it has, shortened.
        found: String,
    },
    /// None, or more than one signature.
    #[error("the bundle has {0} signatures, expected exactly one")]
    SignatureCount(usize),
    /// The document's key is no Ed25519 key, or a weak one.
    #[error("the document's public key is not a valid Ed25519 key")]
    BadKey,
    /// The signature does not match.
    #[error(
        "the signature does not match the document: the bundle was changed after signing, or signed by another key"
    )]
    BadSignature,
    /// The signed document.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// A result whose signature was checked. Only [`open`] makes one.
#[derive(Debug, Clone)]
pub struct Verified {
    document: ResultDocument,
    id: ResultId,
    key: KeyId,
    payload: Vec<u8>,
}

impl Verified {
    /// The document.
    #[must_use]
    pub fn document(&self) -> &ResultDocument {
        &self.document
    }

    /// The document, leaving the rest.
    #[must_use]
    pub fn into_document(self) -> ResultDocument {
        self.document
    }

    /// The SHA-256 of the payload.
    #[must_use]
    pub fn id(&self) -> ResultId {
        self.id
    }

    /// The SHA-256 of the public key.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.key
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.document.public_key
    }

    /// The exact bytes that were signed.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }
}

/// The id of a public key.
#[must_use]
pub fn key_id(key: &PublicKey) -> KeyId {
    KeyId(Sha256::digest(key.0).into())
}

/// Opens a bundle: everything that can be checked without asking anyone is checked.
///
/// The key travels in the document, so the signature proves that the document's bytes are those that
/// the holder of that key signed; it does not prove who that is, nor that the figures are true.
///
/// # Errors
/// Names the first thing that is wrong.
pub fn open(bytes: &[u8]) -> Result<Verified, OpenError> {
    let open = decompress(bytes)?;
    let envelope: Envelope = serde_json::from_slice(&open)
        .map_err(|error| OpenError::Envelope(model::document::json_words(&error)))?;
    drop(open);
    let payload = read_signed(envelope, PAYLOAD_TYPE, signer)?;
    let document = ResultDocument::from_json(&payload)?;
    let id = ResultId(Sha256::digest(&payload).into());
    Ok(Verified { key: key_id(&document.public_key), document, id, payload })
}

/// What keeps an envelope from being one signed payload of a type.
pub(crate) enum Unsigned {
    PayloadType { found: String },
    SignatureCount(usize),
    BadKey,
    BadSignature,
}

impl From<Unsigned> for OpenError {
    fn from(error: Unsigned) -> Self {
        match error {
            Unsigned::PayloadType { found } => Self::PayloadType { found },
            Unsigned::SignatureCount(count) => Self::SignatureCount(count),
            Unsigned::BadKey => Self::BadKey,
            Unsigned::BadSignature => Self::BadSignature,
        }
    }
}

/// The payload of an envelope whose type and one signature are right; `signer` reads the key out of the payload.
pub(crate) fn read_signed<E: From<Unsigned>>(
    envelope: Envelope,
    payload_type: &str,
    signer: impl FnOnce(&[u8]) -> Result<PublicKey, E>,
) -> Result<Vec<u8>, E> {
    if envelope.payload_type != payload_type {
        return Err(Unsigned::PayloadType { found: envelope.payload_type.chars().take(100).collect() }.into());
    }
    let [signature] = envelope.signatures.as_slice() else {
        return Err(Unsigned::SignatureCount(envelope.signatures.len()).into());
    };
    let signature = Signature::from_slice(&signature.sig).map_err(|_| Unsigned::BadSignature)?;
    let payload = envelope.payload;
    let key = signer(&payload)?;
    VerifyingKey::from_bytes(&key.0)
        .map_err(|_| Unsigned::BadKey)?
        .verify_strict(&pre_authentication_encoding(payload_type, &payload), &signature)
        .map_err(|_| Unsigned::BadSignature)?;
    Ok(payload)
}

/// The one field that must be read before the signature can be checked. A payload whose version is
/// newer, or which is no document at all, is told as such and not as a bad signature.
fn signer(payload: &[u8]) -> Result<PublicKey, OpenError> {
    #[derive(Deserialize)]
    struct Signer {
        public_key: PublicKey,
    }
    match serde_json::from_slice::<Signer>(payload) {
        Ok(Signer { public_key }) => Ok(public_key),
        Err(error) => {
            let malformed =
                DocumentError::Malformed { path: "public_key".to_owned(), message: error.to_string() };
            Err(ResultDocument::from_json(payload).err().unwrap_or(malformed).into())
        }
    }
}
