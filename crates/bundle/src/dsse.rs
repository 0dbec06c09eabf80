//! The envelope: Dead Simple Signing Envelope v1, and the bytes that its signature covers.
//!
//! Source: DSSE protocol 1.0.2 (secure-systems-lab/dsse). Knows nothing of what is inside.

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A signed envelope. Unknown fields are ignored, as the protocol asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// Type of the payload.
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// The signed bytes.
    #[serde(serialize_with = "write_base64", deserialize_with = "read_base64")]
    pub payload: Vec<u8>,
    /// The signatures.
    pub signatures: Vec<Signature>,
}

/// A signature over the pre-authentication encoding of type and payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// A hint at the key, never a security decision.
    #[serde(default)]
    pub keyid: String,
    /// The signature's bytes.
    #[serde(serialize_with = "write_base64", deserialize_with = "read_base64")]
    pub sig: Vec<u8>,
}

/// The bytes that are signed: `DSSEv1 LEN(type) type LEN(payload) payload`, lengths in decimal bytes.
#[must_use]
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

const ANY_PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, ANY_PADDING);
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, ANY_PADDING);

fn write_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&PLAIN.encode(bytes))
}

/// Both alphabets are accepted, as the protocol asks of verifiers.
fn read_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    let engine = if text.bytes().any(|b| b == b'-' || b == b'_') { &URL } else { &PLAIN };
    engine.decode(text.as_bytes()).map_err(|error| de::Error::custom(format_args!("not base64: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: the test vector of DSSE's protocol page.
    #[test]
    fn published_vector() {
        assert_eq!(
            pre_authentication_encoding("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn lengths_are_bytes_not_characters() {
        assert_eq!(pre_authentication_encoding("µ", "é".as_bytes()), "DSSEv1 2 µ 2 é".as_bytes());
    }

    #[test]
    fn both_alphabets_and_unknown_fields_are_read() {
        for payload in ["+/+/", "-_-_"] {
            let text = format!(
                r#"{{"payload":"{payload}","payloadType":"t","signatures":[{{"sig":"AA"}}],"more":1}}"#
            );
            let envelope: Envelope = serde_json::from_str(&text).unwrap();
            assert_eq!(envelope.payload, [0xfb, 0xff, 0xbf]);
            assert_eq!(envelope.signatures[0].keyid, "");
        }
        assert!(
            serde_json::from_str::<Envelope>(r#"{"payload":"+_","payloadType":"t","signatures":[]}"#)
                .is_err()
        );
    }
}
