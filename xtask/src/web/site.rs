//! The files of `target/site/` and their manifest.
//!
//! Knows: naming by content, brotli, content types, replacing the folder as a whole.
//! Does not know: where the files come from or which page wants them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::files;

/// The name of the list of all files.
pub(super) const MANIFEST: &str = "manifest.json";
/// Hexadecimal digits of the content's digest that go into a name: 64 bits.
const DIGITS: usize = 16;

/// One file of the site, as the manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Its name in the folder; its brotli twin has `.br` behind it.
    pub(crate) file: String,
    /// SHA-256 of the uncompressed bytes, lower-case hexadecimal.
    pub(crate) sha256: String,
    /// Uncompressed size.
    pub(crate) bytes: usize,
    /// Size of the brotli twin.
    pub(crate) br_bytes: usize,
    /// Value of the `Content-Type` header.
    pub(crate) content_type: String,
}

struct Asset {
    entry: Entry,
    bytes: Vec<u8>,
    compressed: Vec<u8>,
}

/// All files of a site under their logical names (`app.wasm`, `css/site.css`).
#[derive(Default)]
pub(super) struct Site {
    assets: BTreeMap<String, Asset>,
}

impl Site {
    /// Adds a file under its logical name.
    ///
    /// # Errors
    /// Its ending has no known content type, or the name is taken.
    pub(super) fn add(&mut self, logical: &str, bytes: Vec<u8>) -> Result<()> {
        let content_type = content_type(logical)?.to_owned();
        let sha256 = files::sha256_hex(&bytes);
        let file = hashed_name(logical, &sha256);
        let compressed = brotli_best(&bytes)?;
        let entry = Entry { file, sha256, bytes: bytes.len(), br_bytes: compressed.len(), content_type };
        if self.assets.insert(logical.to_owned(), Asset { entry, bytes, compressed }).is_some() {
            bail!("two files of the site are called {logical}");
        }
        Ok(())
    }

    /// Logical names and what the manifest says of them.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.assets.iter().map(|(logical, asset)| (logical.as_str(), &asset.entry))
    }

    /// Writes all files beside `folder` and then puts them in its place.
    ///
    /// # Errors
    /// A file cannot be written or the folder cannot be replaced.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let parent = folder.parent().context("the site lies in a folder")?;
        files::make_folder(parent)?;
        let fresh = tempfile::Builder::new().prefix("site-").tempdir_in(parent)?;
        for asset in self.assets.values() {
            files::write(&fresh.path().join(&asset.entry.file), &asset.bytes)?;
            files::write(&fresh.path().join(format!("{}.br", asset.entry.file)), &asset.compressed)?;
        }
        let manifest: BTreeMap<_, _> = self.entries().collect();
        let manifest = serde_json::to_string_pretty(&manifest).context("cannot write the manifest")?;
        files::write(&fresh.path().join(MANIFEST), manifest + "\n")?;
        files::remove_folder(folder)?;
        let fresh = fresh.keep();
        fs::rename(&fresh, folder).with_context(|| format!("cannot put the site at {}", folder.display()))
    }
}

/// `css/site.css` with its digest becomes `site.0123456789abcdef.css`: one flat folder, and a name that
/// can be kept for ever.
fn hashed_name(logical: &str, sha256: &str) -> String {
    let name = logical.rsplit('/').next().unwrap_or(logical);
    let hash = &sha256[..DIGITS];
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}.{hash}.{ending}"),
        None => format!("{name}.{hash}"),
    }
}

fn content_type(logical: &str) -> Result<&'static str> {
    Ok(match logical.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("webmanifest") => "application/manifest+json",
        Some("woff2") => "font/woff2",
        _ => bail!(
            "static/{logical}: no content type is known for this ending; add it in xtask/src/web/site.rs"
        ),
    })
}

fn brotli_best(bytes: &[u8]) -> Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &parameters).context("cannot compress")?;
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_content() {
        let digest = files::sha256_hex(b"abc");
        assert_eq!(hashed_name("css/site.css", &digest), "site.ba7816bf8f01cfea.css");
        assert_eq!(hashed_name("app.wasm", &digest), "app.ba7816bf8f01cfea.wasm");
    }

    #[test]
    fn the_manifest_describes_what_lies_in_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("site");
        let text = "body { margin: 0 }\n".repeat(200);
        let mut site = Site::default();
        site.add("css/site.css", text.clone().into_bytes()).unwrap();
        site.write(&folder).unwrap();
        // A second writing replaces the first.
        site.write(&folder).unwrap();

        let manifest: BTreeMap<String, Entry> =
            serde_json::from_slice(&files::read(&folder.join(MANIFEST)).unwrap()).unwrap();
        let entry = &manifest["css/site.css"];
        let plain = files::read(&folder.join(&entry.file)).unwrap();
        assert_eq!(plain, text.as_bytes());
        assert_eq!((entry.bytes, &entry.sha256), (plain.len(), &files::sha256_hex(&plain)));
        let twin = files::read(&folder.join(format!("{}.br", entry.file))).unwrap();
        assert_eq!(entry.br_bytes, twin.len());
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &twin[..], &mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "no temporary folder is left");
    }

    #[test]
    fn an_unknown_ending_and_a_taken_name_are_refused() {
        let mut site = Site::default();
        assert!(site.add("js/readme.txt", vec![]).unwrap_err().to_string().contains("content type"));
        site.add("js/a.js", vec![1]).unwrap();
        assert!(site.add("js/a.js", vec![2]).is_err());
    }
}
