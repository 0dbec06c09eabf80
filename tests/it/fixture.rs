//! Made-up, signed results for the pages: no drive is measured for them.

use ed25519_dalek::SigningKey;
use model::{ResultDocument, fixtures, labels::LabelKey};

/// The key that signs the made-up results.
pub(crate) fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// A bundle of a made-up result of a drive called `name`, every rate `scale` times the plain one's.
pub(crate) fn sealed(name: &str, scale: f64) -> Vec<u8> {
    sealed_with(name, scale, |_| ())
}

/// The same, changed before it is signed.
pub(crate) fn sealed_with(name: &str, scale: f64, change: impl FnOnce(&mut ResultDocument)) -> Vec<u8> {
    let mut document = fixtures::document(name, scale, bundle::public_key(&key()));
    change(&mut document);
    bundle::seal(&document, &key()).unwrap()
}

/// A bundle whose texts try to become markup, script and layout.
pub(crate) fn hostile() -> Vec<u8> {
    let name = "</script><img src=x onerror=alert(1)>#*#*#*#alert(1)#*#*#*#{b}";
    sealed_with(name, 1.3, |document| {
        document
            .labels
            .insert(LabelKey::Note, "\"><svg onload=alert(2)> ${alert(3)} {{x}} 日本語".to_owned());
        document.labels.insert(LabelKey::Reviewer, "a'b\"c<d>&amp;".to_owned());
    })
}
