//! Licences of everything that is compiled in, against the list in `deny.toml`.
//!
//! Knows: which packages there are and which licences are allowed, in general and for one package.
//! Does not know: how an SPDX expression is read (see `expression`).
//!
//! `cargo deny` reads the same file and does the same; this needs nothing to be installed.

mod expression;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::files;
use crate::workspace;
use expression::Expression;

#[derive(Deserialize)]
struct DenyFile {
    licenses: Rules,
}

#[derive(Deserialize)]
struct Rules {
    allow: BTreeSet<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: BTreeSet<String>,
}

/// Checks every package that is not ours.
///
/// # Errors
/// A package has no licence, an unreadable one, or one that is not allowed; all of them are named.
pub(crate) fn check() -> Result<()> {
    let path = workspace::root().join("deny.toml");
    let deny: DenyFile = toml::from_str(&files::read_text(&path)?).context("cannot read deny.toml")?;
    let metadata = workspace::metadata()?;
    let foreign: BTreeMap<String, Option<String>> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some())
        .map(|package| (format!("{} {}", package.name, package.version), package.license.clone()))
        .collect();
    ensure!(!foreign.is_empty(), "cargo names no package of others, which cannot be");
    let refusals = refusals(&deny.licenses, &foreign);
    if refusals.is_empty() {
        println!("{} packages have an allowed licence", foreign.len());
        return Ok(());
    }
    bail!("{}\nallow a licence in deny.toml only after reading it", refusals.join("\n"))
}

fn refusals(rules: &Rules, packages: &BTreeMap<String, Option<String>>) -> Vec<String> {
    let mut refusals = Vec::new();
    for (package, licence) in packages {
        let name = package.split(' ').next().unwrap_or(package);
        let Some(licence) = licence else {
            refusals.push(format!("{package}: it names no licence"));
            continue;
        };
        let special = rules.exceptions.iter().filter(|exception| exception.package == name);
        let special: BTreeSet<&String> = special.flat_map(|exception| &exception.allow).collect();
        let allowed = |licence: &str| rules.allow.contains(licence) || special.contains(&licence.to_owned());
        match Expression::parse(licence) {
            Ok(expression) if expression.is_satisfied_by(&allowed) => {}
            Ok(_) => refusals.push(format!("{package}: `{licence}` is not allowed")),
            Err(error) => refusals.push(format!("{package}: `{licence}` cannot be read: {error:#}")),
        }
    }
    for exception in &rules.exceptions {
        if !packages.keys().any(|package| package.split(' ').next() == Some(exception.package.as_str())) {
            refusals.push(format!("{}: has an exception in deny.toml and is not used", exception.package));
        }
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(licence: Option<&str>) -> Vec<String> {
        let rules: Rules = toml::from_str(
            r#"
            allow = ["MIT"]
            exceptions = [{ crate = "font", allow = ["OFL-1.1"] }]
            "#,
        )
        .unwrap();
        let packages = [
            ("font 1.0.0".to_owned(), Some("OFL-1.1".to_owned())),
            ("other 2.0.0".to_owned(), licence.map(str::to_owned)),
        ];
        refusals(&rules, &packages.into())
    }

    #[test]
    fn an_exception_holds_for_its_package_only() {
        assert!(refused(Some("MIT OR GPL-3.0")).is_empty());
        assert_eq!(refused(Some("OFL-1.1")), ["other 2.0.0: `OFL-1.1` is not allowed"]);
    }

    #[test]
    fn no_licence_is_refused() {
        assert_eq!(refused(None), ["other 2.0.0: it names no licence"]);
        assert!(refused(Some("MIT AND (")).len() == 1);
    }

    #[test]
    fn a_forgotten_exception_is_told() {
        let rules = Rules {
            allow: BTreeSet::new(),
            exceptions: vec![Exception { package: "gone".to_owned(), allow: BTreeSet::new() }],
        };
        assert!(refusals(&rules, &BTreeMap::new())[0].starts_with("gone:"));
    }
}
