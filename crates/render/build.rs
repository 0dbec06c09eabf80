//! Takes the copy of ECharts that the crate `charming` carries, so that no copy is committed here.
//!
//! It asks cargo where charming's source lies (a registry, a vendored folder or a path, all alike) and
//! copies the one `echarts-VERSION.min.js` in it to `OUT_DIR`. It never downloads ECharts itself.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let metadata = metadata()?;
    let root = metadata["workspace_root"].as_str().ok_or("cargo metadata names no workspace root")?;
    // A new version of charming shows here first.
    println!("cargo::rerun-if-changed={}", Path::new(root).join("Cargo.lock").display());

    let (source, version) = find_echarts(&charming_folder(&metadata)?)?;
    println!("cargo::rerun-if-changed={}", source.display());
    let script = fs::read_to_string(&source)?;
    if !script.contains(&format!("version=\"{version}\"")) {
        return Err(format!("{} does not say that it is ECharts {version}", source.display()).into());
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("echarts.min.js"), script)?;
    println!("cargo::rustc-env=ECHARTS_VERSION={version}");
    Ok(())
}

/// What cargo knows about the resolved packages for this target.
///
/// Asked without the network first. A clone that has downloaded no more than this build needs may lack
/// another member's packages, and then cargo may fetch them as it would for any build.
fn metadata() -> Result<serde_json::Value, Box<dyn Error>> {
    let ask = |offline: &[&str]| -> Result<_, Box<dyn Error>> {
        Ok(Command::new(env::var("CARGO")?)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform"])
            .arg(env::var("TARGET")?)
            .args(offline)
            .current_dir(env::var("CARGO_MANIFEST_DIR")?)
            .output()?)
    };
    let mut answer = ask(&["--offline"])?;
    if !answer.status.success() {
        answer = ask(&[])?;
    }
    if !answer.status.success() {
        let reason = String::from_utf8_lossy(&answer.stderr).into_owned();
        return Err(format!("`cargo metadata` failed, so ECharts cannot be found: {reason}").into());
    }
    Ok(serde_json::from_slice(&answer.stdout)?)
}

fn charming_folder(metadata: &serde_json::Value) -> Result<PathBuf, Box<dyn Error>> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let charming: Vec<_> = packages.iter().filter(|package| package["name"] == "charming").collect();
    let [only] = charming[..] else {
        return Err(format!("expected one package `charming`, cargo knows {}", charming.len()).into());
    };
    let manifest = only["manifest_path"].as_str().ok_or("charming has no manifest path")?;
    Ok(Path::new(manifest).parent().ok_or("charming's manifest lies in no folder")?.to_owned())
}

/// The script and the version in its name.
fn find_echarts(charming: &Path) -> Result<(PathBuf, String), Box<dyn Error>> {
    let assets = charming.join("src/asset");
    for entry in fs::read_dir(&assets)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let version = name.strip_prefix("echarts-").and_then(|rest| rest.strip_suffix(".min.js"));
        if let Some(version) = version.map(str::to_owned) {
            return Ok((path, version));
        }
    }
    Err(format!(
        "no echarts-VERSION.min.js in {}; charming's layout has changed, look there",
        assets.display()
    )
    .into())
}
