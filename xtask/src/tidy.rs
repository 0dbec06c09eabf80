//! `tidy`: habits of the sources that no other tool looks at.
//!
//! Knows: every module says what it knows, no stray white space, no large files.
//! Does not know: formatting (rustfmt) and lints (clippy).

use anyhow::{Result, bail, ensure};

use crate::files;
use crate::workspace;

/// Folders that are not ours.
const SKIP: [&str; 2] = ["target", "node_modules"];
/// Endings of texts that people write here.
const TEXTS: [&str; 9] = ["css", "html", "js", "json", "md", "rs", "sql", "svg", "toml"];
/// Largest file outside of `static/`, whose fonts and pictures may be larger.
const LARGEST: usize = 1 << 20;

/// Looks at every file of the repository.
///
/// # Errors
/// A habit is broken; every place is named.
pub(crate) fn check() -> Result<()> {
    let root = workspace::root();
    let mut broken = Vec::new();
    let mut seen = 0;
    for path in files::walk(&root, &SKIP)? {
        seen += 1;
        let bytes = files::read(&path)?;
        broken.extend(broken_in(&workspace::relative(&path), &bytes));
    }
    ensure!(seen > 0, "there are no files under {}", root.display());
    if broken.is_empty() {
        println!("{seen} files are tidy");
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn broken_in(name: &str, bytes: &[u8]) -> Vec<String> {
    let mut broken = Vec::new();
    if bytes.len() > LARGEST && !name.starts_with("static/") {
        broken.push(format!("{name}: {} bytes; large files belong in static/ or nowhere", bytes.len()));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_own_text = TEXTS.contains(&ending) || ["justfile", ".ci/run"].contains(&name);
    if !is_own_text {
        return broken;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        broken.push(format!("{name}: not UTF-8"));
        return broken;
    };
    if ending == "rs" && !text.starts_with("//!") {
        broken.push(format!("{name}: begins without `//!`: say what it knows and does not know"));
    }
    for (index, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            broken.push(format!("{name}:{}: white space at the end of the line", index + 1));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        broken.push(format!("{name}: its last line has no end"));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tidy_file_breaks_nothing() {
        assert!(broken_in("a/src/lib.rs", b"//! Knows.\nfn a() {}\n").is_empty());
        assert!(broken_in("static/fonts/a.ttf", &vec![0; LARGEST + 1]).is_empty());
    }

    #[test]
    fn each_habit_is_told_with_its_place() {
        assert!(broken_in("a/src/lib.rs", b"fn a() {}\n")[0].contains("begins without"));
        assert_eq!(broken_in("a.md", b"one\ntwo \n"), ["a.md:2: white space at the end of the line"]);
        assert!(broken_in("a.toml", b"a = 1")[0].contains("last line"));
        assert!(broken_in("docs/a.bin", &vec![0; LARGEST + 1])[0].contains("1048577 bytes"));
        assert_eq!(broken_in("a.css", b"\xff\n"), ["a.css: not UTF-8"]);
    }
}
