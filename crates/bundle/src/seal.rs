//! From a result to signed, compressed bytes.

use crate::{
    MAX_COMPRESSED_BYTES, MAX_OPEN_BYTES, MAX_RATIO,
    dsse::{Envelope, Signature, pre_authentication_encoding},
    open::key_id,
};
use ed25519_dalek::{Signer as _, SigningKey};
use model::{ResultDocument, document::PAYLOAD_TYPE, ids::PublicKey, units::format_size};

/// Why a result cannot be sealed.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The document names another key than the one that signs.
    #[error("the document names another public key than the one that signs")]
    OtherKey,
    /// A bundle that nobody would accept.
    #[error("the result is too large for a bundle: {}", format_size(*.0 as u64))]
    TooLarge(usize),
    /// A bundle that readers would take for a decompression bomb.
    #[error("the result compresses to less than 1/{MAX_RATIO} of its size, which readers refuse")]
    Ratio,
    /// The compressor failed.
    #[error("the result could not be compressed")]
    Compress(#[source] std::io::Error),
}

/// The public half of a secret key, as it stands in documents.
#[must_use]
pub fn public_key(key: &SigningKey) -> PublicKey {
    PublicKey(key.verifying_key().to_bytes())
}

/// Signs and compresses a document.
///
/// # Errors
/// When the document names another key, or the bundle would be larger than any reader accepts.
pub fn seal(document: &ResultDocument, key: &SigningKey) -> Result<Vec<u8>, SealError> {
    if document.public_key != public_key(key) {
        return Err(SealError::OtherKey);
    }
    seal_payload(PAYLOAD_TYPE, &document.to_json(), key)
}

/// Signs and compresses any payload: what [`seal`] does after writing the document.
///
/// # Errors
/// When the bundle would be larger than any reader accepts.
pub fn seal_payload(payload_type: &str, payload: &[u8], key: &SigningKey) -> Result<Vec<u8>, SealError> {
    let open = signed_envelope(payload_type, payload, key)?;
    if open.len() > MAX_OPEN_BYTES {
        return Err(SealError::TooLarge(open.len()));
    }
    let compressed = zstd::bulk::compress(&open, 12).map_err(SealError::Compress)?;
    if compressed.len() > MAX_COMPRESSED_BYTES {
        return Err(SealError::TooLarge(compressed.len()));
    }
    if open.len() > compressed.len().saturating_mul(MAX_RATIO) {
        return Err(SealError::Ratio);
    }
    Ok(compressed)
}

/// The signed envelope as JSON.
pub(crate) fn signed_envelope(
    payload_type: &str,
    payload: &[u8],
    key: &SigningKey,
) -> Result<Vec<u8>, SealError> {
    let signature = key.sign(&pre_authentication_encoding(payload_type, payload));
    let envelope = Envelope {
        payload_type: payload_type.to_owned(),
        payload: payload.to_vec(),
        signatures: vec![Signature {
            keyid: key_id(&public_key(key)).to_string(),
            sig: signature.to_bytes().to_vec(),
        }],
    };
    serde_json::to_vec(&envelope).map_err(|error| SealError::Compress(error.into()))
}
