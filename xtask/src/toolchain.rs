//! Which compiler makes WebAssembly on this machine.
//!
//! Knows: the three ways to a standard library for wasm32, and how cargo is called for each.
//! Does not know: what is compiled.
//!
//! Native code always comes from the compiler that runs this task. Where that one has no wasm32
//! standard library and none may be fetched, Debian's compiler builds one from its own sources: std and
//! rustc have to match, so its sources are no use to another compiler.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::prepare::{self, Need};
use crate::process::{self, Exit};
use crate::workspace;

/// The target triple of the browser's part.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Environment of an outer cargo or rustup that would lead Debian's cargo to another compiler.
const FOREIGN: [&str; 14] = [
    "CARGO",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "LD_LIBRARY_PATH",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTUP_TOOLCHAIN",
];

/// A way to compile for wasm32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WasmToolchain {
    /// The running toolchain has the standard library.
    Installed,
    /// Debian's packages build it; the name is that of the linker.
    Debian(&'static str),
}

impl WasmToolchain {
    /// `cargo build` into `target/wasm` with the profile `wasm`.
    pub(crate) fn build(&self) -> Command {
        self.build_into("target/wasm", "")
    }

    /// The same into another folder, with flags for the compiler of every crate.
    pub(crate) fn build_into(&self, folder: &str, flags: &str) -> Command {
        let mut command = match self {
            Self::Installed => {
                let mut command = workspace::cargo();
                if !flags.is_empty() {
                    command.env("RUSTFLAGS", flags);
                }
                command.arg("build");
                command
            }
            Self::Debian(linker) => {
                let mut command = Command::new("/usr/bin/cargo");
                for name in FOREIGN {
                    command.env_remove(name);
                }
                let path = std::env::var("PATH").unwrap_or_default();
                command
                    .current_dir(workspace::root())
                    .env("PATH", format!("/usr/bin:{path}"))
                    .env("RUSTC", "/usr/bin/rustc")
                    // Building std is an unstable feature of a stable compiler.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("RUSTFLAGS", format!("-Clinker={linker} {flags}").trim_end())
                    .args(["build", "-Zbuild-std=std,panic_abort"]);
                command
            }
        };
        command.args(["--locked", "--profile", "wasm", "--target", TARGET, "--target-dir", folder]);
        command
    }

    /// The compiler's own description: with it a change of compiler counts as changed input.
    ///
    /// # Errors
    /// The compiler does not run.
    pub(crate) fn identity(&self) -> Result<String> {
        let mut command = match self {
            Self::Installed => Command::new(rustc()),
            Self::Debian(_) => {
                let mut command = Command::new("/usr/bin/rustc");
                command.env_remove("LD_LIBRARY_PATH");
                command
            }
        };
        process::output_of(command.arg("-vV"))
    }
}

/// Finds a way to compile for wasm32, installing what is missing where that is possible.
///
/// # Errors
/// There is none; the error tells the commands that make one. Exit code 3.
pub(crate) fn wasm() -> Result<WasmToolchain> {
    if has_wasm_std()? {
        return Ok(WasmToolchain::Installed);
    }
    let may_fetch = std::env::var("RUSTUP_AUTO_INSTALL").map_or(true, |value| value != "0");
    if may_fetch && process::on_path("rustup") {
        eprintln!("the compiler has no standard library for {TARGET} yet: rustup adds it");
        process::run(Command::new("rustup").args(["target", "add", TARGET]))?;
        if has_wasm_std()? {
            return Ok(WasmToolchain::Installed);
        }
        bail!("rustup added {TARGET}, but {} still has no standard library for it", rustc());
    }
    if process::on_path("apt-get") {
        return debian();
    }
    Err(Exit::error(
        3,
        format!(
            "there is no standard library for {TARGET}, which the browser's part needs.\n\
             With rustup:          rustup target add {TARGET}\n\
             With distribution packages: install the one that carries the wasm32 standard library of your rustc"
        ),
    ))
}

fn debian() -> Result<WasmToolchain> {
    prepare::ensure(&[Need {
        present: || linker().is_some() && debian_rustc_is_new_enough() && debian_sources().is_some(),
        packages: &["rustc-web", "cargo-web", "rust-web-src", "lld-19"],
        why: "compile the browser's part to WebAssembly (the running compiler has no library for it)",
    }])?;
    let linker = linker().context("lld-19 is installed but there is no wasm-ld-19 on the PATH")?;
    Ok(WasmToolchain::Debian(linker))
}

fn linker() -> Option<&'static str> {
    ["wasm-ld-19", "wasm-ld"].into_iter().find(|name| process::on_path(name))
}

/// Whether Debian's compiler is there, with its cargo, and not older than this workspace wants.
fn debian_rustc_is_new_enough() -> bool {
    let mut command = Command::new("/usr/bin/rustc");
    command.env_remove("LD_LIBRARY_PATH").arg("--version");
    let printed = command.output().map(|output| output.stdout).unwrap_or_default();
    let found = version(&String::from_utf8_lossy(&printed));
    Path::new("/usr/bin/cargo").is_file() && found.is_some() && found >= version(WANTED)
}

/// The oldest compiler that the workspace supports.
const WANTED: &str = env!("CARGO_PKG_RUST_VERSION");

/// Major and minor number of the first version in a text: `(1, 96)` of `rustc 1.96.0 (built ...)`.
fn version(text: &str) -> Option<(u32, u32)> {
    text.split_whitespace().find_map(|word| {
        let mut numbers = word.split('.').map(|number| number.parse().ok());
        Some((numbers.next()??, numbers.next()??))
    })
}

/// The folder of the sources from which `-Zbuild-std` makes a standard library.
fn debian_sources() -> Option<std::path::PathBuf> {
    let mut command = Command::new("/usr/bin/rustc");
    command.env_remove("LD_LIBRARY_PATH").args(["--print", "sysroot"]);
    let output = command.output().ok().filter(|output| output.status.success())?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std");
    sources.is_dir().then_some(sources)
}

fn has_wasm_std() -> Result<bool> {
    let sysroot = process::output_of(Command::new(rustc()).args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib");
    Ok(library.is_dir())
}

fn rustc() -> String {
    std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version("rustc 1.96.0 (built from a source tarball)"), Some((1, 96)));
        assert!(version("rustc 1.100.2") > version("1.94"));
        assert_eq!(version("command not found"), None);
        assert!(version(WANTED).is_some(), "{WANTED}");
    }
}
