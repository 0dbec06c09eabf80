//! Who may depend on whom, and what the crates without I/O may not mention.
//!
//! Knows: the tables of allowed arrows and forbidden packages.
//! Does not know: how the graph is read from cargo (see `graph`) or sources are searched (see `sources`).

mod graph;
mod sources;

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::workspace::{PURE, WEB};
use graph::Graph;

/// One package of the workspace and what it may depend on inside of it.
struct Arrows {
    package: &'static str,
    /// Through `[dependencies]` and `[build-dependencies]`.
    normal: &'static [&'static str],
    /// Through `[dev-dependencies]`, besides the former.
    tests: &'static [&'static str],
}

const fn arrows(
    package: &'static str,
    normal: &'static [&'static str],
    tests: &'static [&'static str],
) -> Arrows {
    Arrows { package, normal, tests }
}

const MODEL: &str = "cliffmark-model";
const BUNDLE: &str = "cliffmark-bundle";
const ANALYSIS: &str = "cliffmark-analysis";
const IMPORT: &str = "cliffmark-import";
const CHARTS: &str = "cliffmark-charts";
const RENDER: &str = "cliffmark-render";
const SIM: &str = "cliffmark-sim";
const WORKLOADS: &str = "cliffmark-workloads";
const STORE: &str = "cliffmark-store";
const RUNNER: &str = "cliffmark-runner";

/// The layers, as ARCHITECTURE.md draws them: arrows point to lower layers only.
const ARROWS: [Arrows; 14] = [
    arrows(MODEL, &[], &[]),
    arrows(BUNDLE, &[MODEL], &[]),
    arrows(ANALYSIS, &[MODEL], &[]),
    arrows(IMPORT, &[ANALYSIS, MODEL], &[]),
    arrows(CHARTS, &[ANALYSIS, MODEL], &[]),
    arrows(SIM, &[MODEL], &[ANALYSIS]),
    arrows(WORKLOADS, &[MODEL], &[]),
    arrows(RENDER, &[], &[]),
    arrows(STORE, &[BUNDLE, MODEL, ANALYSIS], &[]),
    arrows(WEB, &[MODEL, BUNDLE, ANALYSIS, CHARTS], &[]),
    arrows(RUNNER, &[MODEL, ANALYSIS, BUNDLE, IMPORT, SIM, WORKLOADS], &[]),
    arrows("cliffmark-server", &[MODEL, BUNDLE, ANALYSIS, CHARTS, RENDER, STORE, WEB], &[]),
    arrows("cliffmark-tests", &[MODEL], &[BUNDLE]),
    arrows("xtask", &[], &[]),
];

/// Packages that must not be anywhere below another, and why.
struct Absent {
    below: &'static [&'static str],
    packages: &'static [&'static str],
    why: &'static str,
}

const ABSENT: [Absent; 2] = [
    Absent {
        below: &[RUNNER],
        packages: &["tokio", "sqlx", "leptos", "axum"],
        why: "the runner has no async runtime, no database and no pages",
    },
    Absent {
        below: &PURE,
        packages: &["tokio", "sqlx", "axum", "leptos", "ureq", "io-uring", "rustix", "rquickjs", "resvg"],
        why: "this crate does no I/O",
    },
];

/// What must not be compiled for the browser.
const ABSENT_IN_BROWSER: [&str; 5] = ["tokio", "sqlx", "zstd-sys", "charming", "rquickjs"];
/// What must not be compiled for the pages that open files: they draw charts by the same options.
const ABSENT_ON_DESK: [&str; 4] = ["tokio", "sqlx", "zstd-sys", "rquickjs"];

/// Packages that only one of ours may name in its manifest.
const ONLY_IN: [(&str, &str); 2] = [("sqlx", STORE), ("charming", CHARTS)];
/// Besides [`ONLY_IN`]: the renderer takes ECharts out of the builder's source at build time.
const ALSO_NAMES: [(&str, &str); 1] = [("charming", RENDER)];

/// Packages that a crate without I/O must not name in its manifest.
const NOT_NAMED_BY_PURE: [&str; 1] = ["libc"];

/// Checks the graph and the sources.
///
/// # Errors
/// A rule is broken; all broken ones are named.
pub(crate) fn check() -> Result<()> {
    let graph = Graph::of_workspace()?;
    let mut broken = broken(&graph);
    broken.extend(sources::mentions_of_io()?);
    if broken.is_empty() {
        println!("{} packages keep to the dependency rules", ARROWS.len());
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn broken(graph: &Graph) -> Vec<String> {
    let mut broken = misspelt(graph);
    for name in graph.packages.keys() {
        if !ARROWS.iter().any(|arrows| arrows.package == name) {
            broken.push(format!("{name} has no line in xtask/src/rules.rs: say what it may depend on"));
        }
    }
    for Arrows { package, normal, tests } in &ARROWS {
        let Some(own) = graph.packages.get(*package) else { continue };
        let ours = |name: &&String| graph.packages.contains_key(*name);
        for to in own.named.iter().filter(ours).filter(|to| !normal.contains(&to.as_str())) {
            broken.push(format!("{package} must not depend on {to}"));
        }
        let allowed_in_tests = |to: &str| to == *package || normal.contains(&to) || tests.contains(&to);
        for to in own.named_for_tests.iter().filter(ours).filter(|to| !allowed_in_tests(to)) {
            broken.push(format!("the tests of {package} must not depend on {to}"));
        }
        for (foreign, home) in ONLY_IN {
            let may = *package == home || ALSO_NAMES.contains(&(foreign, package));
            if own.named.contains(foreign) && !may {
                broken.push(format!("{package} must not name {foreign}: only {home} does"));
            }
        }
    }
    for Absent { below, packages, why } in &ABSENT {
        for (top, foreign) in below.iter().flat_map(|top| packages.iter().map(move |foreign| (top, foreign)))
        {
            if graph.packages.get(*top).is_some_and(|own| own.below.contains(*foreign)) {
                broken.push(format!(
                    "{foreign} is below {top}, but {why}: `cargo tree -p {top} -e normal -i {foreign}` tells how"
                ));
            }
        }
    }
    for foreign in ABSENT_IN_BROWSER {
        if graph.below_browser.contains(foreign) {
            broken.push(format!("{foreign} would be compiled for the browser, below {WEB} with `hydrate`"));
        }
    }
    for foreign in ABSENT_ON_DESK {
        if graph.below_desk.contains(foreign) {
            broken.push(format!("{foreign} would be compiled for the browser, below {WEB} with `open`"));
        }
    }
    for pure in PURE {
        for foreign in NOT_NAMED_BY_PURE {
            if graph.packages.get(pure).is_some_and(|own| own.named.contains(foreign)) {
                broken.push(format!("{pure} must not name {foreign}: it does no I/O"));
            }
        }
    }
    broken
}

/// A rule about a package that does not exist would hold for ever.
fn misspelt(graph: &Graph) -> Vec<String> {
    let foreign = ABSENT.iter().flat_map(|absent| absent.packages).copied();
    let named = foreign
        .chain(ABSENT_IN_BROWSER)
        .chain(NOT_NAMED_BY_PURE)
        .chain(ONLY_IN.map(|(foreign, _)| foreign))
        .chain(ARROWS.iter().map(|arrows| arrows.package));
    let unknown: BTreeSet<&str> = named.filter(|name| !graph.locked.contains(*name)).collect();
    unknown
        .into_iter()
        .map(|name| format!("xtask/src/rules.rs names {name}, which is not in Cargo.lock"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::Package;

    /// A workspace that keeps all rules.
    fn good() -> Graph {
        let mut graph = Graph::default();
        for Arrows { package, normal, tests } in &ARROWS {
            let own = graph.packages.entry((*package).to_owned()).or_default();
            own.named.extend(normal.iter().map(|name| (*name).to_owned()));
            own.named_for_tests.extend(tests.iter().map(|name| (*name).to_owned()));
            graph.locked.insert((*package).to_owned());
        }
        let foreign = ABSENT.iter().flat_map(|absent| absent.packages).copied();
        graph.locked.extend(foreign.chain(ABSENT_IN_BROWSER).chain(NOT_NAMED_BY_PURE).map(str::to_owned));
        package(&mut graph, STORE).named.insert("sqlx".to_owned());
        package(&mut graph, CHARTS).named.insert("charming".to_owned());
        package(&mut graph, RENDER).named.insert("charming".to_owned());
        graph
    }

    fn package<'a>(graph: &'a mut Graph, name: &str) -> &'a mut Package {
        graph.packages.get_mut(name).unwrap()
    }

    /// What is told after a change, whose own answer is whether it changed anything.
    fn broken_by(change: impl FnOnce(&mut Graph) -> bool) -> String {
        let mut graph = good();
        assert!(change(&mut graph));
        let broken = broken(&graph);
        assert_eq!(broken.len(), 1, "{broken:?}");
        broken.into_iter().next().unwrap()
    }

    #[test]
    fn a_good_workspace_breaks_nothing() {
        assert_eq!(broken(&good()), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_that_is_not_in_the_table_is_told() {
        let told = broken_by(|graph| package(graph, MODEL).named.insert(BUNDLE.to_owned()));
        assert_eq!(told, "cliffmark-model must not depend on cliffmark-bundle");
        let told = broken_by(|graph| package(graph, RENDER).named_for_tests.insert(STORE.to_owned()));
        assert!(told.starts_with("the tests of cliffmark-render"), "{told}");
        let told = broken_by(|graph| {
            graph.packages.insert("cliffmark-new".to_owned(), Package::default()).is_none()
        });
        assert!(told.contains("cliffmark-new has no line"), "{told}");
    }

    #[test]
    fn a_forbidden_package_is_found_however_deep() {
        let told = broken_by(|graph| package(graph, RUNNER).below.insert("tokio".to_owned()));
        assert!(told.contains("cargo tree -p cliffmark-runner -e normal -i tokio"), "{told}");
        let told = broken_by(|graph| package(graph, ANALYSIS).below.insert("rustix".to_owned()));
        assert!(told.contains("does no I/O"), "{told}");
        let told = broken_by(|graph| graph.below_browser.insert("zstd-sys".to_owned()));
        assert!(told.contains("browser"), "{told}");
    }

    #[test]
    fn only_the_store_names_the_database() {
        let told = broken_by(|graph| package(graph, "cliffmark-server").named.insert("sqlx".to_owned()));
        assert_eq!(told, "cliffmark-server must not name sqlx: only cliffmark-store does");
        let told = broken_by(|graph| package(graph, BUNDLE).named.insert("libc".to_owned()));
        assert!(told.contains("libc"), "{told}");
    }

    #[test]
    fn a_rule_about_nothing_is_told() {
        let told = broken_by(|graph| graph.locked.remove("axum"));
        assert!(told.contains("axum, which is not in Cargo.lock"), "{told}");
    }
}
