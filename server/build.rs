//! Embeds the files that browsers load: those that `cargo xtask web` made, or else the style sheet and
//! the icon from `static/` alone, so that pages without scripts look right.
//!
//! Knows the manifest's form. Does not know what the files are for.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

/// One file of the manifest; its sizes are of no interest here.
#[derive(Deserialize)]
struct Entry {
    file: String,
    content_type: String,
}

/// What is served without a web build, by the names that the manifest would give.
const PLAIN: [(&str, &str); 2] =
    [("css/site.css", "text/css; charset=utf-8"), ("icons/favicon.svg", "image/svg+xml")];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let site = root.join("target/site");
    // A watched path that is missing would run this script, and compile the server, at every build.
    fs::create_dir_all(&site).expect("target/ can be written");
    println!("cargo::rerun-if-changed={}", site.display());
    for (name, _) in PLAIN {
        println!("cargo::rerun-if-changed={}", root.join("static").join(name).display());
    }

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // Embedded from copies: a web build may replace its folder at any time, and what is embedded must be
    // what was hashed.
    let copies = out.join("site");
    if copies.exists() {
        fs::remove_dir_all(&copies).expect("OUT_DIR can be written");
    }
    fs::create_dir(&copies).expect("OUT_DIR can be written");
    let manifest = site.join("manifest.json");
    let assets = if manifest.exists() {
        built(&site, &manifest, &copies)
    } else {
        plain(&root.join("static"), &copies)
    };
    fs::write(out.join("assets.rs"), format!("&[\n{assets}]\n")).expect("OUT_DIR can be written");
}

fn built(site: &Path, manifest: &Path, copies: &Path) -> String {
    let text = fs::read(manifest).expect("the manifest can be read");
    let entries: BTreeMap<String, Entry> =
        serde_json::from_slice(&text).expect("target/site/manifest.json is what `cargo xtask web` writes");
    entries
        .iter()
        .map(|(logical, entry)| {
            let twin = format!("{}.br", entry.file);
            let brotli = site.join(&twin).exists().then(|| copy(site, &twin, copies));
            let path = copy(site, &entry.file, copies);
            asset(logical, &entry.file, &entry.content_type, &path, brotli.as_ref())
        })
        .collect()
}

fn copy(from: &Path, file: &str, to: &Path) -> PathBuf {
    let copy = to.join(file);
    fs::copy(from.join(file), &copy).unwrap_or_else(|error| {
        panic!("{file} of target/site cannot be copied: {error}; run `cargo xtask web`")
    });
    copy
}

fn plain(folder: &Path, copies: &Path) -> String {
    PLAIN
        .iter()
        .map(|(logical, content_type)| {
            let bytes = fs::read(folder.join(logical)).expect("static/ holds the style sheet and the icon");
            let hash = hex::encode(&Sha256::digest(&bytes)[..8]);
            let (stem, extension) = logical.rsplit_once('.').expect("the names have extensions");
            let file = format!("{}.{hash}.{extension}", stem.rsplit('/').next().unwrap_or(stem));
            let copy = copies.join(&file);
            fs::write(&copy, bytes).expect("OUT_DIR can be written");
            asset(logical, &file, content_type, &copy, None)
        })
        .collect()
}

/// One element of the table, as Rust source.
fn asset(logical: &str, file: &str, content_type: &str, path: &Path, brotli: Option<&PathBuf>) -> String {
    let brotli = brotli.map_or_else(|| "None".to_owned(), |path| format!("Some(include_bytes!({path:?}))"));
    format!(
        "Asset {{ logical: {logical:?}, file: {file:?}, content_type: {content_type:?}, \
         bytes: include_bytes!({path:?}), brotli: {brotli} }},\n"
    )
}
