//! The workspace's dependencies, reduced to what the rules ask.
//!
//! Knows: reading manifests through `cargo metadata` and resolved trees through `cargo tree`.
//! Does not know: the rules.
//!
//! Trees come from `cargo tree -p`, because `cargo metadata` resolves features for the whole workspace at
//! once and would show a package what only another one asks for.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cargo_metadata::DependencyKind;

use crate::process;
use crate::toolchain;
use crate::workspace::{self, WEB};

/// What the rules look at.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The packages of the workspace.
    pub(super) packages: BTreeMap<String, Package>,
    /// Every package below the web crate as it is compiled for the browser.
    pub(super) below_browser: BTreeSet<String>,
    /// The same for the pages that open files.
    pub(super) below_desk: BTreeSet<String>,
    /// Every package in Cargo.lock.
    pub(super) locked: BTreeSet<String>,
}

/// One package of the workspace.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// Names in its `[dependencies]` and `[build-dependencies]`, optional ones included.
    pub(super) named: BTreeSet<String>,
    /// Names in its `[dev-dependencies]`.
    pub(super) named_for_tests: BTreeSet<String>,
    /// Every package that is compiled into it, with its default features.
    pub(super) below: BTreeSet<String>,
}

impl Graph {
    /// Reads the workspace.
    ///
    /// # Errors
    /// Cargo cannot resolve it.
    pub(super) fn of_workspace() -> Result<Self> {
        let metadata = workspace::metadata()?;
        let locked = metadata.packages.iter().map(|package| package.name.to_string()).collect();
        let mut packages = BTreeMap::new();
        for package in metadata.workspace_packages() {
            let mut own = Package { below: tree(&["-p", package.name.as_str()])?, ..Package::default() };
            for dependency in &package.dependencies {
                let names = match dependency.kind {
                    DependencyKind::Development => &mut own.named_for_tests,
                    _ => &mut own.named,
                };
                names.insert(dependency.name.clone());
            }
            packages.insert(package.name.to_string(), own);
        }
        let browser = |feature| {
            tree(&["-p", WEB, "--no-default-features", "--features", feature, "--target", toolchain::TARGET])
        };
        let (below_browser, below_desk) = (browser("hydrate")?, browser("open")?);
        Ok(Self { packages, below_browser, below_desk, locked })
    }
}

/// The names of all packages in a tree of normal dependencies, its root left out.
fn tree(selection: &[&str]) -> Result<BTreeSet<String>> {
    let mut command = workspace::cargo();
    command.args(["tree", "--locked", "-e", "normal", "--prefix", "none", "-f", "{p}"]).args(selection);
    Ok(names(&process::output_of(&mut command)?))
}

fn names(tree: &str) -> BTreeSet<String> {
    let lines = tree.lines().skip(1);
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_a_tree() {
        let tree =
            "top v0.1.0 (/x/top)\nserde v1.0.229\nserde_derive v1.0.229 (proc-macro)\nserde v1.0.229 (*)\n";
        let names: Vec<_> = names(tree).into_iter().collect();
        assert_eq!(names, ["serde", "serde_derive"]);
    }

    #[test]
    fn this_workspace_is_read() {
        let graph = Graph::of_workspace().unwrap();
        let xtask = &graph.packages["xtask"];
        assert!(xtask.named.contains("anyhow") && xtask.below.contains("anyhow"));
        assert!(graph.packages["cliffmark-store"].below.contains("sqlx"));
        assert!(graph.below_browser.contains("wasm-bindgen"));
        assert!(graph.locked.contains("axum"));
    }
}
