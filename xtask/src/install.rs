//! `cargo xtask install`: a `cliffmark` without shared libraries, on the PATH.
//!
//! Knows: how a static program is built and recognised.
//! Does not know: packages of distributions.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::files;
use crate::prepare;
use crate::process;
use crate::workspace;

/// ELF program header type of the dynamic loader's name.
const PT_INTERP: u32 = 3;

/// Builds the runner and copies it to `$PREFIX/bin`, `~/.local/bin` without PREFIX.
///
/// # Errors
/// It does not compile, is not static, or cannot be copied.
pub(crate) fn run() -> Result<()> {
    prepare::ensure(&[prepare::C_COMPILER])?;
    let version = process::output_of(Command::new("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not tell its host")?;
    // With --target the flag reaches the program only, not the build scripts, which must stay dynamic.
    process::run(workspace::cargo().env("RUSTFLAGS", "-C target-feature=+crt-static").args([
        "build",
        "--release",
        "--locked",
        "-p",
        "cliffmark-runner",
        "--target",
        host,
    ]))?;
    let built = workspace::program(&format!("{host}/release"), "cliffmark");
    let program = files::read(&built)?;
    ensure!(
        is_static(&program)?,
        "{} needs shared libraries, so it would not run on every system",
        built.display()
    );
    let folder = bin_folder()?;
    files::make_folder(&folder)?;
    let installed = folder.join("cliffmark");
    // A rename replaces a program that is running at the moment, writing into it is refused.
    let fresh = folder.join(".cliffmark.new");
    fs::copy(&built, &fresh).with_context(|| format!("cannot write into {}", folder.display()))?;
    // Names for debuggers are half of it; whoever debugs has the program that was built.
    let strip = Command::new("strip").arg(&fresh).status();
    if !strip.is_ok_and(|status| status.success()) {
        println!("`strip` (package binutils) did not run: the program keeps its names for debuggers");
    }
    let size = fs::metadata(&fresh).context("the copy cannot be looked at")?.len();
    fs::rename(&fresh, &installed).with_context(|| format!("cannot replace {}", installed.display()))?;
    println!("installed {} ({size} bytes, static)", installed.display());
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|own| own == folder) {
        println!("{} is not on your PATH: add it there", folder.display());
    }
    Ok(())
}

fn bin_folder() -> Result<PathBuf> {
    if let Some(prefix) = std::env::var_os("PREFIX") {
        return Ok(PathBuf::from(prefix).join("bin"));
    }
    let home = std::env::var_os("HOME").context("HOME is not set: say where with PREFIX=DIR")?;
    Ok(PathBuf::from(home).join(".local/bin"))
}

/// Whether a 64-bit little-endian ELF program asks for no dynamic loader.
///
/// # Errors
/// The bytes are no such program.
fn is_static(program: &[u8]) -> Result<bool> {
    // Source: System V ABI, "ELF Header" and "Program Header" for ELFCLASS64.
    ensure!(program.starts_with(b"\x7fELF\x02\x01"), "not a 64-bit little-endian ELF program");
    let number = |at: usize, bytes: usize| -> Result<usize> {
        let field = program.get(at..at + bytes).context("the ELF program is cut")?;
        Ok(field.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
    };
    let (table, size, count) = (number(0x20, 8)?, number(0x36, 2)?, number(0x38, 2)?);
    ensure!(count > 0, "the ELF program has no program headers");
    for index in 0..count {
        if number(table + index * size, 4)? == PT_INTERP as usize {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(kinds: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 0x40 + 56 * kinds.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x20] = 0x40;
        bytes[0x36] = 56;
        bytes[0x38] = u8::try_from(kinds.len()).unwrap();
        for (index, kind) in kinds.iter().enumerate() {
            bytes[0x40 + 56 * index] = *kind;
        }
        bytes
    }

    #[test]
    fn a_program_with_a_loader_is_not_static() {
        assert!(is_static(&program(&[6, 1, 2])).unwrap());
        assert!(!is_static(&program(&[6, 3, 1])).unwrap());
    }

    #[test]
    fn what_is_no_program_is_an_error() {
        assert!(is_static(b"#!/bin/sh").is_err());
        assert!(is_static(&program(&[1])[..0x41]).is_err());
        assert!(is_static(&program(&[])).is_err());
    }
}
