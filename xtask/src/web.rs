//! `cargo xtask web`: the browser's part, compiled, named by content and compressed, in `target/site/`.
//!
//! Knows: how the WebAssembly module is built and bound, where style sheets, scripts and ECharts come from.
//! Does not know: how a page refers to them. The server looks names up in `manifest.json`.

mod site;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::Metadata;
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;

pub(crate) use site::Entry;

use crate::files;
use crate::process;
use crate::toolchain::{self, WasmToolchain};
use crate::workspace;

/// Where ECharts lies in the source of the chart builder.
const ECHARTS: &str = "src/asset/echarts-5.5.1.min.js";
/// One WebAssembly module.
struct Module {
    /// What its files are called.
    name: &'static str,
    /// The feature of the web crate that makes it.
    feature: &'static str,
    /// Where it is built.
    folder: &'static str,
    /// Flags for the compiler.
    flags: &'static str,
    /// So many bytes as brotli should be the most.
    most_br_bytes: usize,
}

/// The islands of all pages, and what the pages that open files need.
const MODULES: [Module; 2] = [
    Module { name: "app", feature: "hydrate", folder: "target/wasm", flags: "", most_br_bytes: 150_000 },
    Module {
        name: "desk",
        feature: "open",
        folder: "target/wasm-desk",
        // Every element of a view by one type instead of a type of its own: slower, and far smaller.
        flags: "--cfg erase_components",
        most_br_bytes: 400_000,
    },
];
/// Folders of `static/` and the ending their files must have; `None` takes every file.
const STATIC: [(&str, Option<&str>); 3] = [("css", Some("css")), ("icons", None), ("js", Some("js"))];

/// Builds `target/site/` unless nothing it is made of has changed; returns the folder.
///
/// # Errors
/// The toolchain is missing, the crate does not compile, or a file cannot be written.
pub(crate) fn build() -> Result<PathBuf> {
    let metadata = workspace::metadata()?;
    check_bindgen_versions(&metadata)?;
    let wasm = toolchain::wasm()?;
    let folder = workspace::target().join("site");
    let stamp = workspace::target().join("site.inputs");
    let inputs = hash_of_inputs(&metadata, &wasm)?;
    let unchanged = fs::read_to_string(&stamp).is_ok_and(|text| text == inputs);
    if unchanged && folder.join(site::MANIFEST).is_file() {
        eprintln!("web: {} is up to date", workspace::relative(&folder));
        return Ok(folder);
    }

    let mut site = site::Site::default();
    for Module { name, feature, folder, flags, .. } in MODULES {
        process::run(wasm.build_into(folder, flags).args([
            "-p",
            workspace::WEB,
            "--lib",
            "--no-default-features",
            "--features",
            feature,
        ]))?;
        let (glue, module) =
            bind(&workspace::root().join(folder).join(toolchain::TARGET).join("wasm"), name)?;
        site.add(&format!("{name}.js"), glue.into_bytes())?;
        site.add(&format!("{name}.wasm"), module)?;
    }
    site.add("echarts.js", files::read(&echarts(&metadata)?)?)?;
    for (folder, ending) in STATIC {
        let folder = workspace::root().join("static").join(folder);
        for path in files::walk(&folder, &[])? {
            if ending.is_none_or(|ending| path.extension().is_some_and(|own| own == ending)) {
                let logical = path.strip_prefix(workspace::root().join("static"))?;
                site.add(&logical.display().to_string(), files::read(&path)?)?;
            }
        }
    }
    site.write(&folder)?;
    files::write(&stamp, inputs)?;
    for (logical, entry) in site.entries() {
        eprintln!("web: {logical:<24} {:>9} bytes, {:>9} as brotli", entry.bytes, entry.br_bytes);
    }
    tell_weights(&site);
    Ok(folder)
}

/// What `manifest.json` of the built site says.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn manifest() -> Result<std::collections::BTreeMap<String, Entry>> {
    let path = workspace::target().join("site").join(site::MANIFEST);
    serde_json::from_slice(&files::read(&path)?).with_context(|| format!("cannot read {}", path.display()))
}

/// The JavaScript glue and the module that the browser loads.
fn bind(folder: &Path, name: &str) -> Result<(String, Vec<u8>)> {
    let input = folder.join("cliffmark_web.wasm");
    let mut output = Bindgen::new()
        .input_path(&input)
        .out_name(name)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        // Names carry hashes: the boot script hands in the module's address.
        .omit_default_module_path(true)
        .generate_output()
        .with_context(|| format!("cannot bind {}", input.display()))?;
    // Crates that bring no script of their own are listed too, with nothing.
    let scripts: Vec<_> = output.snippets().iter().filter(|(_, scripts)| !scripts.is_empty()).collect();
    ensure!(
        scripts.is_empty() && output.local_modules().is_empty(),
        "crates of the browser's part bring JavaScript files, which the site does not serve: {scripts:?} {:?}",
        output.local_modules().keys(),
    );
    let glue = output.js().to_owned();
    Ok((glue, output.wasm_mut().emit_wasm()))
}

/// Readers on slow lines wait for every byte of a module.
fn tell_weights(site: &site::Site) {
    for Module { name, most_br_bytes, .. } in MODULES {
        let logical = format!("{name}.wasm");
        let bytes = site.entries().find(|(own, _)| *own == logical).map_or(0, |(_, entry)| entry.br_bytes);
        if bytes > most_br_bytes {
            eprintln!("web: {logical} is heavier than it should be: at most {most_br_bytes} bytes as brotli");
        }
    }
}

/// The glue is only right when the library that was compiled in and the one that binds are one version.
fn check_bindgen_versions(metadata: &Metadata) -> Result<()> {
    let version = |name: &str| {
        let found: BTreeSet<_> = metadata
            .packages
            .iter()
            .filter(|package| package.name.as_str() == name)
            .map(|package| package.version.to_string())
            .collect();
        found.into_iter().collect::<Vec<_>>().join(", ")
    };
    let (library, binder) = (version("wasm-bindgen"), version("wasm-bindgen-cli-support"));
    ensure!(
        library == binder,
        "wasm-bindgen is {library} and wasm-bindgen-cli-support is {binder}: give both the same `=` version \
         under [workspace.dependencies] in Cargo.toml"
    );
    Ok(())
}

fn echarts(metadata: &Metadata) -> Result<PathBuf> {
    let Some(charming) = metadata.packages.iter().find(|package| package.name.as_str() == "charming") else {
        bail!("the workspace does not depend on charming any more, whose source carries ECharts");
    };
    let folder = charming.manifest_path.parent().context("a manifest lies in a folder")?;
    let path = folder.join(ECHARTS).into_std_path_buf();
    ensure!(path.is_file(), "charming {} has no {ECHARTS}", charming.version);
    Ok(path)
}

/// A digest over everything the site is made of.
fn hash_of_inputs(metadata: &Metadata, wasm: &WasmToolchain) -> Result<String> {
    let root = workspace::root();
    let mut paths = vec![root.join("Cargo.toml"), root.join("Cargo.lock"), echarts(metadata)?];
    for (folder, _) in STATIC {
        paths.extend(files::walk(&root.join("static").join(folder), &[])?);
    }
    for folder in web_crates(metadata)? {
        paths.extend(files::walk(&folder, &["target"])?);
    }
    for own in ["xtask/src/web.rs", "xtask/src/web", "xtask/src/toolchain.rs"] {
        let own = root.join(own);
        if own.is_dir() { paths.extend(files::walk(&own, &[])?) } else { paths.push(own) }
    }
    let mut hash = Sha256::new();
    hash.update(wasm.identity()?);
    for path in paths {
        hash.update(workspace::relative(&path));
        hash.update(Sha256::digest(files::read(&path)?));
    }
    Ok(hex::encode(hash.finalize()))
}

/// The folders of the web crate and of the crates of ours below it.
fn web_crates(metadata: &Metadata) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![workspace::WEB.to_owned()];
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let package = metadata
            .workspace_packages()
            .into_iter()
            .find(|package| package.name.as_str() == name)
            .with_context(|| format!("the workspace has no package {name}"))?;
        folders.push(package.manifest_path.parent().context("a manifest lies in a folder")?.into());
        open.extend(package.dependencies.iter().filter(|dep| dep.path.is_some()).map(|dep| dep.name.clone()));
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_web_crate_rests_on_the_model_and_not_on_the_store() {
        let folders = web_crates(&workspace::metadata().unwrap()).unwrap();
        let ends_with = |end: &str| folders.iter().any(|folder| folder.ends_with(end));
        assert!(ends_with("web") && ends_with("crates/model"), "{folders:?}");
        assert!(!ends_with("crates/store"), "{folders:?}");
    }
}
