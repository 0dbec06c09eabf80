//! The secret key: made once, kept from others, moved on purpose only.

use crate::program::Place;
use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
};

#[test]
fn a_key_is_made_shown_exported_and_imported() {
    let place = Place::new();
    let none = place.run(&["key", "show"]);
    assert_eq!(none.code, 1);
    assert!(none.err.contains("no secret key yet") && none.err.contains("hint: "), "{}", none.err);

    assert_eq!(place.run(&["key", "new"]).code, 0);
    let file = place.path("config/cliffmark/key");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    let shown = place.run(&["key", "show"]).out;
    let text = fs::read_to_string(&file).unwrap();
    assert!(!shown.contains(text.trim().rsplit(' ').next().unwrap()), "the secret is not shown");

    assert_eq!(place.run(&["key", "new"]).code, 1, "a key is never overwritten");
    assert_eq!(place.run(&["key", "export", "backup"]).code, 0);
    assert_eq!(fs::metadata(place.path("backup")).unwrap().mode() & 0o777, 0o600);
    assert_eq!(place.run(&["key", "export", "backup"]).code, 1, "nor is another file");

    assert_eq!(place.run(&["key", "new", "--replace"]).code, 0);
    assert_ne!(place.run(&["key", "show"]).out, shown);
    assert_eq!(place.run(&["key", "import", "backup", "--replace"]).code, 0);
    assert_eq!(place.run(&["key", "show"]).out, shown);
    assert_eq!(place.names("config/cliffmark").len(), 3, "former keys are kept");
    assert_eq!(place.run(&["key", "import", "tiny.toml", "--replace"]).code, 1);
}

#[test]
fn a_key_open_to_others_is_not_used() {
    let place = Place::new();
    place.run(&["key", "new"]);
    fs::set_permissions(place.path("config/cliffmark/key"), fs::Permissions::from_mode(0o644)).unwrap();
    let ended = place.run(&["run", "disk", "--suite", "tiny.toml", "--yes"]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("chmod 600"), "{}", ended.err);
    assert_eq!(place.names("disk"), [""; 0]);
}
