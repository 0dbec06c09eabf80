//! Where things lie in this repository, and what cargo knows about it.
//!
//! Knows: the root, the target folders, the programs, `cargo metadata`.
//! Does not know: what is done with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use cargo_metadata::{Metadata, MetadataCommand};

/// The package that is compiled for the browser.
pub(crate) const WEB: &str = "cliffmark-web";
/// The crates that do no I/O and compile for wasm32 too.
pub(crate) const PURE: [&str; 7] = [
    "cliffmark-model",
    "cliffmark-bundle",
    "cliffmark-analysis",
    "cliffmark-import",
    "cliffmark-charts",
    "cliffmark-sim",
    "cliffmark-workloads",
];

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    // Set by `cargo run`; the value of the time of compiling serves when the program is started directly.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().expect("xtask lies in a folder of the root").to_owned()
}

/// `target/` of the root: sites, demos and benchmarks go there wherever cargo puts its own files.
pub(crate) fn target() -> PathBuf {
    root().join("target")
}

/// Where a profile's folder (`debug`, `release`) has `program` after a build.
pub(crate) fn program(profile_folder: &str, program: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(target, |folder| root().join(folder));
    target.join(profile_folder).join(program)
}

/// The cargo that started this task, run in the root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What `cargo run` says about xtask itself: build scripts watch such variables (ring's does), and a
    // plain `cargo build` would not find their work done here.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command.current_dir(root());
    command
}

/// What cargo resolved for the workspace.
///
/// # Errors
/// Cargo cannot resolve it.
pub(crate) fn metadata() -> Result<Metadata> {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .exec()
        .context("cannot read the workspace through `cargo metadata`")
}

/// A path as it is shown: relative to the root where it lies in it.
pub(crate) fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
