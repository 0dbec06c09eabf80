//! The page of a key in English.

use crate::texts::Keys;

pub(super) const KEYS: Keys = Keys {
    title: |short| format!("Key {short}"),
    about: |short, summary| format!("Measurements signed by the key {short}: {summary}."),
    kicker: "Signing key",
    lead: "Whoever holds this key signed every result below on the machine that measured, and nobody has changed them since. The signature says that they come from one hand. It does not say whose, nor that a figure is true.",
    revoked: "The operator of this site has withdrawn confidence in this key: its results are not ranked.",
    facts: "What is known of it",
    id: "Key",
    first: "First public result received",
    last: "Last public result received",
    results: "Public results",
    drives: "Drives",
    names: "What its holder says",
    names_note: "Labels of results, in their reviewer's own words. Nobody has checked them.",
    no_name: "No result of this key names a reviewer.",
    name: |name, results| format!("“{name}” in {results}"),
    list: "Its results",
};
