//! The sources of the crates without I/O.
//!
//! Knows: the words by which the standard library reaches files, network, clock and environment.
//! Does not know: macros or re-exports that hide them; the dependency rules keep those out.

use anyhow::{Result, ensure};

use crate::files;
use crate::workspace::{self, PURE};

const MODULES: [&str; 4] = ["fs", "net", "env", "process"];
const CLOCKS: [&str; 3] = ["SystemTime::now", "Instant::now", "Timestamp::now"];

/// One sentence for each mention of I/O in a crate that does none.
///
/// # Errors
/// A source file cannot be read, or there are none.
pub(super) fn mentions_of_io() -> Result<Vec<String>> {
    let mut mentions = Vec::new();
    for package in PURE {
        let folder = package.strip_prefix("cliffmark-").unwrap_or(package);
        let sources = files::walk(&workspace::root().join("crates").join(folder).join("src"), &[])?;
        ensure!(!sources.is_empty(), "{package} has no sources under crates/{folder}/src");
        for path in sources {
            for (line, word) in io_in(&files::read_text(&path)?) {
                let path = workspace::relative(&path);
                mentions.push(format!("{path}:{line}: {word} in a crate that does no I/O"));
            }
        }
    }
    Ok(mentions)
}

/// Line numbers and words of I/O in a source text; its comments and the tests at its end may mention them.
fn io_in(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_std_group = false;
    let mut lines = source.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let code = line.split("//").next().unwrap_or_default();
        let tests_follow = lines.peek().is_some_and(|(_, next)| next.starts_with("mod tests"));
        if code.trim() == "#[cfg(test)]" && tests_follow {
            break;
        }
        for module in MODULES {
            let path = format!("std::{module}");
            if code.match_indices(&path).any(|(at, _)| ends_word(&code[at + path.len()..])) {
                found.push((index + 1, path));
            }
        }
        found.extend(
            CLOCKS.iter().filter(|clock| code.contains(*clock)).map(|clock| (index + 1, (*clock).into())),
        );
        // `use std::{fs, net}` over one line or several.
        let opened = code.split_once("use std::{").map(|(_, group)| group);
        if let Some(group) = opened.or(in_std_group.then_some(code)) {
            let words = group.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let words = words.filter(|word| MODULES.contains(word));
            found.extend(words.map(|word| (index + 1, format!("std::{word}"))));
            in_std_group = !group.contains("};");
        }
    }
    found
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<(usize, String)> {
        io_in(source)
    }

    #[test]
    fn io_is_found_in_every_form() {
        assert_eq!(words("let x = std::fs::read(p);"), [(1, "std::fs".into())]);
        assert_eq!(words("use std::net;"), [(1, "std::net".into())]);
        assert_eq!(words("use std::{fmt, env};\nfn net() {}"), [(1, "std::env".into())]);
        assert_eq!(
            words("use std::{\n    fmt,\n    process,\n};\nlet fs = 1;"),
            [(3, "std::process".into())]
        );
        assert_eq!(words("let t = Instant::now();"), [(1, "Instant::now".into())]);
    }

    #[test]
    fn comments_tests_and_longer_words_are_no_io() {
        assert!(words("// std::fs\n//! std::env\nuse std::fmt; // std::net").is_empty());
        assert!(words("use std::fsx; use std::fmt::Write;").is_empty());
        assert!(words("fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}").is_empty());
    }
}
