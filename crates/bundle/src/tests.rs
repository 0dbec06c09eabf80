//! Sealing, opening and every way in which a bundle can be wrong.

use crate::*;
use ed25519_dalek::SigningKey;
use model::{
    ResultDocument,
    document::{DocumentError, PAYLOAD_TYPE},
    fixtures::document,
};
use proptest::prelude::*;
use std::sync::LazyLock;

fn key() -> SigningKey {
    SigningKey::from_bytes(&[42; 32])
}

fn result() -> ResultDocument {
    document("Example", 1.0, public_key(&key()))
}

static SEALED: LazyLock<Vec<u8>> = LazyLock::new(|| seal(&result(), &key()).unwrap());

fn compress(open: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(open, 3).unwrap()
}

/// The envelope as JSON, changed and compressed again.
fn with_envelope(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let open = zstd::bulk::decompress(&SEALED, MAX_OPEN_BYTES).unwrap();
    let mut envelope = serde_json::from_slice(&open).unwrap();
    change(&mut envelope);
    compress(envelope.to_string().as_bytes())
}

#[test]
fn what_is_sealed_opens_with_its_exact_bytes() {
    let verified = open(&SEALED).unwrap();
    assert_eq!(verified.payload(), result().to_json());
    assert_eq!(*verified.document(), result());
    assert_eq!(verified.key(), key_id(&public_key(&key())));
}

#[test]
fn another_key_cannot_sign_in_anothers_name() {
    let other = SigningKey::from_bytes(&[1; 32]);
    assert!(matches!(seal(&result(), &other), Err(SealError::OtherKey)));
    let forged = seal_payload(PAYLOAD_TYPE, &result().to_json(), &other).unwrap();
    assert_eq!(open(&forged).unwrap_err(), OpenError::BadSignature);
}

#[test]
fn a_changed_payload_or_signature_is_refused() {
    let mut other = result();
    other.suite = "quick".to_owned();
    let payload = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, other.to_json());
    let changed = with_envelope(|envelope| envelope["payload"] = payload.into());
    assert_eq!(open(&changed).unwrap_err(), OpenError::BadSignature);
    let unsigned = with_envelope(|envelope| envelope["signatures"][0]["sig"] = "AAAA".into());
    assert_eq!(open(&unsigned).unwrap_err(), OpenError::BadSignature);
}

#[test]
fn weak_keys_are_refused() {
    // The point of order 1, for which a signature over any message is easily made.
    let mut weak = result();
    weak.public_key.0 = [0; 32];
    weak.public_key.0[0] = 1;
    let bundle = seal_payload(PAYLOAD_TYPE, &weak.to_json(), &key()).unwrap();
    let mut signature = [0; 64];
    signature[0] = 1;
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, signature);
    let open_bytes = zstd::bulk::decompress(&bundle, MAX_OPEN_BYTES).unwrap();
    let mut envelope: serde_json::Value = serde_json::from_slice(&open_bytes).unwrap();
    envelope["signatures"][0]["sig"] = text.into();
    assert_eq!(open(&compress(envelope.to_string().as_bytes())).unwrap_err(), OpenError::BadSignature);
}

#[test]
fn none_and_two_signatures_are_refused() {
    let none = with_envelope(|envelope| envelope["signatures"] = serde_json::json!([]));
    assert_eq!(open(&none).unwrap_err(), OpenError::SignatureCount(0));
    let two = with_envelope(|envelope| {
        let first = envelope["signatures"][0].clone();
        envelope["signatures"].as_array_mut().unwrap().push(first);
    });
    assert_eq!(open(&two).unwrap_err(), OpenError::SignatureCount(2));
}

#[test]
fn another_payload_type_is_named() {
    let bundle = seal_payload("text/plain", b"hello", &key()).unwrap();
    assert_eq!(open(&bundle).unwrap_err(), OpenError::PayloadType { found: "text/plain".to_owned() });
}

#[test]
fn a_newer_version_is_told_as_such() {
    let mut value: serde_json::Value = serde_json::from_slice(&result().to_json()).unwrap();
    value["schema"] = "1.7".into();
    value["more"] = true.into();
    let bundle = seal_payload(PAYLOAD_TYPE, value.to_string().as_bytes(), &key()).unwrap();
    assert!(matches!(open(&bundle), Err(OpenError::Document(DocumentError::NewerSchema { .. }))));
}

#[test]
fn frames_that_are_cut_trailed_or_foreign_are_told_apart() {
    for cut in [5, 20, SEALED.len() / 2, SEALED.len() - 1] {
        assert_eq!(open(&SEALED[..cut]).unwrap_err(), OpenError::Frame(FrameError::Truncated), "{cut}");
    }
    let trailing = [&SEALED[..], b"more"].concat();
    assert_eq!(open(&trailing).unwrap_err(), OpenError::Frame(FrameError::Trailing(4)));
    for foreign in [&b"{\"payload\":1}"[..], b"PK\x03\x04", b"no"] {
        assert_eq!(open(foreign).unwrap_err(), OpenError::Frame(FrameError::Foreign));
    }
    // A block of a type that does not exist, behind an intact head.
    let damaged = [&[0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x01, 0x07, 0, 0][..], &[0; 8]].concat();
    let text = open(&damaged).unwrap_err().to_string();
    assert_eq!(text, "the bundle is damaged: its compressed content cannot be read");
    let Err(OpenError::Envelope(text)) = open(&compress(b"[]")) else { panic!("no envelope is found") };
    assert!(!text.contains("column"), "{text}");
}

#[test]
fn bombs_are_refused() {
    assert_eq!(open(&compress(&vec![0; 32 << 20])).unwrap_err(), OpenError::Frame(FrameError::Ratio));
    assert_eq!(open(&compress(&vec![0; 65 << 20])).unwrap_err(), OpenError::Frame(FrameError::OpensTooLarge));
    assert_eq!(
        open(&vec![0; MAX_COMPRESSED_BYTES + 1]).unwrap_err(),
        OpenError::Frame(FrameError::TooLarge(MAX_COMPRESSED_BYTES + 1))
    );
    // The same without a declared size: the streaming writer does not know it.
    let mut stream = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 32 << 20), &mut stream).unwrap();
    assert_eq!(open(&stream.finish().unwrap()).unwrap_err(), OpenError::Frame(FrameError::Ratio));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_changed_byte_is_refused(at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let mut bytes = SEALED.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        // A bit of the frame's header may be meaningless; what opens must be what was signed.
        if let Ok(verified) = open(&bytes) {
            prop_assert_eq!(verified.payload(), result().to_json());
        }
    }

    #[test]
    fn garbage_never_opens(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(open(&bytes).is_err());
    }

    #[test]
    fn any_name_survives_sealing(name in "\\PC{1,40}") {
        let mut document = result();
        document.cells.truncate(1);
        document.drive.model = model::Reading::Known(name);
        let sealed = seal(&document, &key()).unwrap();
        match open(&sealed) {
            Ok(verified) => prop_assert_eq!(verified.into_document(), document),
            Err(error) => prop_assert!(document.check().is_err(), "{}", error),
        }
    }
}

mod statements {
    use super::*;
    use model::{
        ResultId,
        statement::{Action, Nonce, SCHEMA, Statement},
    };

    fn statement() -> Statement {
        Statement {
            schema: SCHEMA,
            public_key: public_key(&key()),
            action: Action::Withdraw,
            result: ResultId([5; 32]),
            made_unix_ms: 1,
            from_unix_ms: None,
            nonce: Nonce([9; 16]),
        }
    }

    fn changed(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
        let mut envelope = serde_json::from_slice(&seal_statement(&statement(), &key()).unwrap()).unwrap();
        change(&mut envelope);
        envelope.to_string().into_bytes()
    }

    #[test]
    fn what_is_sealed_opens() {
        let bytes = seal_statement(&statement(), &key()).unwrap();
        let verified = open_statement(&bytes).unwrap();
        assert_eq!(*verified.statement(), statement());
        assert_eq!((verified.key(), verified.envelope()), (key_id(&public_key(&key())), &bytes[..]));
    }

    #[test]
    fn only_the_key_that_is_named_signs() {
        let other = SigningKey::from_bytes(&[1; 32]);
        assert!(matches!(seal_statement(&statement(), &other), Err(SealError::OtherKey)));
        let mut theirs = statement();
        theirs.public_key = public_key(&other);
        let payload = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, theirs.to_json());
        let forged = changed(|envelope| envelope["payload"] = payload.into());
        assert_eq!(open_statement(&forged), Err(StatementError::BadSignature));
    }

    #[test]
    fn what_is_no_statement_is_told() {
        assert!(matches!(open_statement(b"[]"), Err(StatementError::Envelope(_))));
        assert_eq!(open_statement(&[b' '; MAX_STATEMENT_BYTES + 1]), Err(StatementError::TooLarge));
        let none = changed(|envelope| envelope["signatures"] = serde_json::json!([]));
        assert_eq!(open_statement(&none), Err(StatementError::SignatureCount(0)));
        let other = changed(|envelope| envelope["payloadType"] = PAYLOAD_TYPE.into());
        assert_eq!(
            open_statement(&other),
            Err(StatementError::PayloadType { found: PAYLOAD_TYPE.to_owned() })
        );
        let foreign = changed(|envelope| envelope["payload"] = "e30=".into());
        assert!(matches!(open_statement(&foreign), Err(StatementError::Document(_))));
    }

    /// A signed result is no statement, and a signed statement no result.
    #[test]
    fn a_signature_serves_one_type_only() {
        let bundle = seal_payload(model::statement::PAYLOAD_TYPE, &result().to_json(), &key()).unwrap();
        assert!(matches!(open(&bundle), Err(OpenError::PayloadType { .. })));
        let relabelled =
            with_envelope(|envelope| envelope["payloadType"] = model::statement::PAYLOAD_TYPE.into());
        let envelope = zstd::bulk::decompress(&relabelled, MAX_OPEN_BYTES).unwrap();
        assert!(open_statement(&envelope).is_err());
    }
}
