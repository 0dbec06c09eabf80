//! `cargo xtask prepare`: installs what building, testing and benchmarks need.
//!
//! Knows: which Debian packages give which ability, and how they are installed.
//! Does not know: the wasm compilers (see `toolchain`, which asks here for packages).

use std::process::Command;

use anyhow::Result;

use crate::arguments::Arguments;
use crate::guest;
use crate::process::{self, Exit};
use crate::toolchain;

/// Something this machine must have.
pub(crate) struct Need {
    /// Whether it is there already.
    pub(crate) present: fn() -> bool,
    /// Debian packages that bring it.
    pub(crate) packages: &'static [&'static str],
    /// What it is for, to follow "to".
    pub(crate) why: &'static str,
}

/// A C compiler: `SQLite`, zstd and QuickJS are compiled from the sources in their crates.
pub(crate) const C_COMPILER: Need = Need {
    present: || process::on_path("cc") && std::path::Path::new("/usr/include/stdlib.h").exists(),
    packages: &["gcc", "libc6-dev"],
    why: "compile the C parts of SQLite, zstd and QuickJS",
};

/// A browser and its driver.
pub(crate) const BROWSER: Need = Need {
    present: || process::on_path("chromium") && process::on_path("chromedriver"),
    packages: &["chromium", "chromium-driver"],
    why: "run the browser tests",
};

/// The benchmark's other side.
pub(crate) const FIO: Need =
    Need { present: || process::on_path("fio"), packages: &["fio"], why: "compare the runner with fio" };

/// `prepare [--browser] [--fio] [--drives]`.
///
/// # Errors
/// Something cannot be installed; exit code 3 when this user may not install packages.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let mut needs = vec![C_COMPILER];
    if arguments.switch("--browser") {
        needs.push(BROWSER);
    }
    if arguments.switch("--fio") {
        needs.push(FIO);
    }
    let drives = arguments.switch("--drives");
    arguments.finish()?;
    ensure(&needs)?;
    if drives {
        guest::prepare();
    }
    toolchain::wasm()?;
    eprintln!("everything that is needed is there");
    Ok(())
}

/// Installs what is missing of `needs` and tells what for.
///
/// # Errors
/// As for [`run`].
pub(crate) fn ensure(needs: &[Need]) -> Result<()> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        eprintln!("missing: {}, to {}", need.packages.join(" "), need.why);
    }
    let packages: Vec<&str> = missing.iter().flat_map(|need| need.packages).copied().collect();
    if !process::on_path("apt-get") {
        return Err(Exit::error(
            3,
            format!(
                "this system has no apt-get: install what Debian calls {} by its own means and try again",
                packages.join(" ")
            ),
        ));
    }
    if !is_root() {
        return Err(Exit::error(3, as_root_message(&packages)));
    }
    renew_lists();
    if process::interrupted() {
        return Err(Exit::error(130, "interrupted while installing packages"));
    }
    install(&packages)?;
    match missing.iter().find(|need| !(need.present)()) {
        None => Ok(()),
        Some(need) => Err(Exit::error(
            1,
            format!(
                "{} is installed, but what is needed to {} is not found, or too old",
                need.packages.join(" "),
                need.why
            ),
        )),
    }
}

/// Old lists offer old versions, or versions that the mirror has no more: they are renewed first. Where that fails
/// (a mirror that is away, a plain user), what the lists know may still be enough.
pub(crate) fn renew_lists() {
    if process::run(apt_get().arg("update")).is_err() {
        eprintln!("apt-get update failed: trying with the lists that are there");
    }
}

fn install(packages: &[&str]) -> Result<()> {
    process::run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn as_root_message(packages: &[&str]) -> String {
    format!(
        "packages must be installed and this user may not do it. Run these two commands and try again:\n\n    \
         sudo apt-get update\n    sudo apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    )
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_installed() {
        ensure(&[Need { present: || true, packages: &["no-such-package"], why: "fail" }]).unwrap();
    }

    #[test]
    fn a_plain_user_is_told_the_commands() {
        let message = as_root_message(&["gcc", "fio"]);
        assert!(message.contains("\n    sudo apt-get update\n"), "{message}");
        assert!(message.ends_with("--no-install-recommends gcc fio"), "{message}");
    }
}
