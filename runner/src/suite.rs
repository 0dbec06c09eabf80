//! Suites: named lists of cells with their size, times and counts, as TOML.
//!
//! Shipped ones lie in `suites/`; a user's file has the same form. Nothing here looks at a drive.

use model::{
    document::is_suite_name,
    labels::is_plain_text,
    method::{DataKind, Method, Pattern},
    telemetry::PausePolicy,
    units::{SizeError, parse_size},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::PathBuf};

const SHIPPED: [(&str, &str); 11] = [
    ("quick", include_str!("suites/quick.toml")),
    ("cdm", include_str!("suites/cdm.toml")),
    ("cdm-nvme", include_str!("suites/cdm-nvme.toml")),
    ("cdm-5.1", include_str!("suites/cdm-5.1.toml")),
    ("cdm-6.0", include_str!("suites/cdm-6.0.toml")),
    ("cdm-9", include_str!("suites/cdm-9.toml")),
    ("depth", include_str!("suites/depth.toml")),
    ("article-a-cdm", include_str!("suites/article-a-cdm.toml")),
    ("article-b-cdm", include_str!("suites/article-b-cdm.toml")),
    ("article-b-cdm-32gib", include_str!("suites/article-b-cdm-32gib.toml")),
    ("article-d-cdm", include_str!("suites/article-d-cdm.toml")),
];
/// Longest suite file in bytes; a real one has a few thousand.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Smallest test file in bytes.
const MIN_SIZE_BYTES: u64 = 1 << 20;

/// A suite as it is run: every value settled and in its range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name: 1 to 40 of a-z, 0-9, `-` and `.`.
    pub name: String,
    /// What it is for, in a few words.
    pub summary: String,
    /// Size of the test file in bytes.
    pub size_bytes: u64,
    /// Times the whole suite is run, one after the other, unless `--runs` says otherwise; 1 to 100.
    pub runs: u32,
    /// Whether sensors are read in pauses.
    pub pauses: PausePolicy,
    /// What is written, and what the test file is filled with.
    pub data: DataKind,
    /// Its cells in the order they are run.
    pub methods: Vec<Method>,
}

/// Why a suite cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Neither a shipped suite nor a file.
    #[error(
        "there is no suite `{0}`; `cliffmark suites` lists the shipped ones, anything else is a file NAME.toml"
    )]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read the suite file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is no suite.
    #[error("the suite is malformed: {0}")]
    Malformed(#[from] toml::de::Error),
    /// The name is empty, too long or has other characters.
    #[error("the suite's name must be 1 to 40 of a-z, 0-9, `-` and `.`")]
    Name,
    /// The name belongs to a shipped suite.
    #[error("`{0}` is the name of a shipped suite; give yours another name")]
    NameTaken(String),
    /// The summary is blank, too long or unprintable.
    #[error("the suite's summary must be 1 to 200 printable characters")]
    Summary,
    /// A size that cannot be read.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The test file is too small.
    #[error("the size must be a multiple of 1 MiB, at least 1 MiB")]
    SizeRange,
    /// No cells, or too many.
    #[error("a suite needs 1 to 1,000 cells")]
    CellCount,
    /// A cell twice.
    #[error("cell {number} ({cell}) is there twice; use --runs to repeat a suite")]
    CellTwice {
        /// Its place, from 1.
        number: usize,
        /// Its name.
        cell: String,
    },
    /// A parameter outside its range.
    #[error("cell {number} is out of range: {problem}")]
    CellRange {
        /// Its place, from 1.
        number: usize,
        /// Which parameter, and its range.
        problem: &'static str,
    },
    /// The number of runs is out of range.
    #[error("runs are 1 to 100")]
    Runs,
    /// A setting that does not exist.
    #[error("there is no setting `{0}`; there are size, data, seconds, loops, discarded, interval")]
    UnknownSetting(String),
    /// A kind of data that cannot be written.
    #[error("the suite cannot write `{0}` data; data is random, zero or repeat")]
    Data(String),
    /// A setting that is no number.
    #[error("`{value}` is no value for {key}; write a whole number")]
    BadSetting {
        /// The setting.
        key: String,
        /// What was given.
        value: String,
    },
}

/// A suite as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    summary: String,
    size: String,
    #[serde(default = "random")]
    data: String,
    seconds: u32,
    loops: u32,
    discarded: u32,
    interval: u32,
    /// 1 unless said otherwise.
    runs: Option<u32>,
    /// `sampled` unless said otherwise; `silent` where looking would keep the drive from resting.
    pauses: Option<PausePolicy>,
    #[serde(rename = "cell")]
    cells: Vec<WrittenCell>,
}

fn random() -> String {
    DataKind::Random.token().to_owned()
}

/// One cell, or, where lists are given, one for each combination: the last list goes through first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCell {
    pattern: OneOrMore<Pattern>,
    block: OneOrMore<String>,
    queue_depth: OneOrMore<u32>,
    threads: OneOrMore<u32>,
}

impl WrittenCell {
    fn combinations(&self) -> impl Iterator<Item = (Pattern, &str, u32, u32)> {
        let Self { pattern, block, queue_depth, threads } = self;
        pattern.all().iter().flat_map(move |pattern| {
            block.all().iter().flat_map(move |block| {
                queue_depth.all().iter().flat_map(move |depth| {
                    threads.all().iter().map(move |threads| (*pattern, block.as_str(), *depth, *threads))
                })
            })
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }
}

/// The shipped suites in the order they are listed.
#[must_use]
pub fn shipped() -> Vec<Suite> {
    let parse = |(_, text): &(&str, &str)| parse(text, &[]).expect("shipped suites are valid, a test checks");
    SHIPPED.iter().map(parse).collect()
}

/// The TOML text of a shipped suite, `None` when there is none of that name.
#[must_use]
pub fn shipped_text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
}

/// In which settings methods differ from the shipped suite of a name, as `--set` calls them, and `cells` when other
/// cells are among them; empty when they are as shipped, or no suite of that name is.
#[must_use]
pub fn changes<'a>(name: &str, methods: impl IntoIterator<Item = &'a Method>) -> Vec<&'static str> {
    let Some(shipped) = shipped().into_iter().find(|suite| suite.name == name) else { return Vec::new() };
    let mut changed = [false; 7];
    for method in methods {
        let Some(usual) = shipped.methods.iter().find(|usual| usual.cell() == method.cell()) else {
            changed[6] = true;
            continue;
        };
        let differs = [
            usual.span_bytes != method.span_bytes,
            usual.data != method.data,
            usual.seconds != method.seconds,
            usual.loops != method.loops,
            usual.discarded_loops != method.discarded_loops,
            usual.interval_seconds != method.interval_seconds,
        ];
        changed.iter_mut().zip(differs).for_each(|(known, differs)| *known |= differs);
    }
    let names = ["size", "data", "seconds", "loops", "discarded", "interval", "cells"];
    names.into_iter().zip(changed).filter_map(|(name, changed)| changed.then_some(name)).collect()
}

/// The same in words that follow the name: `, changed: size, loops`; nothing for a suite that is as shipped.
#[must_use]
pub fn changed<'a>(name: &str, methods: impl IntoIterator<Item = &'a Method>) -> String {
    match changes(name, methods).as_slice() {
        [] => String::new(),
        changes => format!(", changed: {}", changes.join(", ")),
    }
}

/// Finds a suite by name or file and applies settings to it.
///
/// # Errors
/// When there is none, or a value is out of range.
pub fn find(name_or_file: &str, settings: &[(String, String)]) -> Result<Suite, SuiteError> {
    if let Some(text) = shipped_text(name_or_file) {
        return parse(text, settings);
    }
    let path = PathBuf::from(name_or_file);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(SuiteError::Unknown(name_or_file.to_owned()));
    }
    let suite = parse(&read_limited(&path).map_err(|source| SuiteError::Read { path, source })?, settings)?;
    if shipped_text(&suite.name).is_some() {
        return Err(SuiteError::NameTaken(suite.name));
    }
    Ok(suite)
}

fn read_limited(path: &std::path::Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let read = std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_FILE_BYTES {
        return Err(std::io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}

fn parse(text: &str, settings: &[(String, String)]) -> Result<Suite, SuiteError> {
    let mut written: Written = toml::from_str(text)?;
    for (key, value) in settings {
        set(&mut written, key, value)?;
    }
    settle(written)
}

fn set(suite: &mut Written, key: &str, value: &str) -> Result<(), SuiteError> {
    let number =
        || value.parse().map_err(|_| SuiteError::BadSetting { key: key.to_owned(), value: value.to_owned() });
    match key {
        "size" => value.clone_into(&mut suite.size),
        "data" => value.clone_into(&mut suite.data),
        "seconds" => suite.seconds = number()?,
        "loops" => suite.loops = number()?,
        "discarded" => suite.discarded = number()?,
        "interval" => suite.interval = number()?,
        other => return Err(SuiteError::UnknownSetting(other.to_owned())),
    }
    Ok(())
}

fn settle(written: Written) -> Result<Suite, SuiteError> {
    let Written { name, summary, size, data, seconds, loops, discarded, interval, runs, pauses, cells } =
        written;
    if !is_suite_name(&name) {
        return Err(SuiteError::Name);
    }
    if !is_plain_text(&summary, 200) {
        return Err(SuiteError::Summary);
    }
    let size_bytes = parse_size(&size)?;
    if size_bytes < MIN_SIZE_BYTES || !size_bytes.is_multiple_of(MIN_SIZE_BYTES) {
        return Err(SuiteError::SizeRange);
    }
    let writable = [DataKind::Random, DataKind::Zero, DataKind::Repeat];
    let data = writable.into_iter().find(|kind| kind.token() == data).ok_or(SuiteError::Data(data))?;
    let runs = runs.unwrap_or(1);
    if !(1..=100).contains(&runs) {
        return Err(SuiteError::Runs);
    }
    let count: usize = cells.iter().map(|cell| cell.combinations().count()).sum();
    if count == 0 || count > model::document::MAX_CELLS {
        return Err(SuiteError::CellCount);
    }
    let mut seen = BTreeSet::new();
    let mut methods = Vec::with_capacity(count);
    for (number, cell) in (1..).zip(cells.iter().flat_map(WrittenCell::combinations)) {
        let out_of_range = |problem| SuiteError::CellRange { number, problem };
        let (pattern, block, queue_depth, threads) = cell;
        let method = Method {
            pattern,
            block_bytes: u32::try_from(parse_size(block)?).map_err(|_| out_of_range(BLOCK))?,
            queue_depth,
            threads,
            span_bytes: size_bytes,
            data,
            seconds,
            loops,
            discarded_loops: discarded,
            interval_seconds: interval,
        };
        if !method.in_range() {
            return Err(out_of_range(problem_of(&method)));
        }
        if !seen.insert(method.cell()) {
            return Err(SuiteError::CellTwice { number, cell: method.label() });
        }
        methods.push(method);
    }
    let pauses = pauses.unwrap_or(PausePolicy::Sampled);
    Ok(Suite { name, summary, size_bytes, runs, pauses, data, methods })
}

const BLOCK: &str = "block is a multiple of 512 bytes from 512 bytes to 64 MiB";

/// Which parameter of a method lies outside its range.
#[must_use]
pub fn problem_of(method: &Method) -> &'static str {
    type Change = fn(&mut Method);
    let in_range_with = |change: Change| {
        let mut changed = method.clone();
        change(&mut changed);
        changed.in_range()
    };
    // Each parameter is set to a value that is surely right: the one that mends the method is at fault.
    let trials: [(Change, &'static str); 7] = [
        (|m| m.block_bytes = 4096, BLOCK),
        (|m| m.queue_depth = 1, "queue depth is 1 to 4096"),
        (|m| m.threads = 1, "threads are 1 to 64, and each needs at least one block of the size"),
        (|m| m.seconds = 1, "seconds are 1 to 86,400"),
        (|m| m.loops = 1, "loops are 1 to 1,000"),
        (|m| m.discarded_loops = 0, "discarded loops are 0 to 100"),
        (|m| m.interval_seconds = 0, "the interval is 0 to 3,600 seconds"),
    ];
    trials
        .into_iter()
        .find(|(change, _)| in_range_with(*change))
        .map_or("several parameters lie outside their range", |(_, problem)| problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn shipped_suites_have_the_parameters_they_promise() {
        let labels = |suite: &Suite| suite.methods.iter().map(Method::label).collect::<Vec<_>>();
        let all = shipped();
        let [quick, cdm, nvme, ..] = all.as_slice() else { panic!() };
        assert_eq!(
            labels(cdm),
            [
                "SEQ1M Q8T1 read",
                "SEQ1M Q1T1 read",
                "RND4K Q32T1 read",
                "RND4K Q1T1 read",
                "SEQ1M Q8T1 write",
                "SEQ1M Q1T1 write",
                "RND4K Q32T1 write",
                "RND4K Q1T1 write",
            ]
        );
        assert_eq!(labels(quick), labels(cdm));
        assert_eq!(
            labels(nvme)[..4],
            ["SEQ1M Q8T1 read", "SEQ128K Q32T1 read", "RND4K Q32T16 read", "RND4K Q1T1 read"]
        );
        for suite in [cdm, nvme] {
            assert!(suite.methods[0].id().to_string().ends_with("span1GiB.random.5x5s.warm1.gap5s.v1"));
        }
        for (suite, (name, _)) in all.iter().zip(SHIPPED) {
            assert_eq!(suite.name, name);
        }
    }

    /// Source: the table of versions in docs/METHODOLOGY.md.
    #[test]
    fn other_versions_of_the_same_tool_have_their_own_cells() {
        let reads = |name: &str| -> Vec<String> {
            let suite = find(name, &[]).unwrap();
            let half = suite.methods.len() / 2;
            assert!(
                suite.methods.iter().skip(half).all(|method| method.pattern.writes()),
                "reads come first"
            );
            suite.methods.iter().take(half).map(Method::short_label).collect()
        };
        assert_eq!(reads("cdm-5.1"), ["SEQ128K Q32T1", "RND4K Q32T1", "SEQ1M Q1T1", "RND4K Q1T1"]);
        assert_eq!(reads("cdm-6.0"), ["SEQ128K Q32T1", "RND4K Q8T8", "RND4K Q32T1", "RND4K Q1T1"]);
        assert_eq!(reads("cdm-9"), reads("cdm"));
        assert_eq!(reads("article-b-cdm"), reads("cdm-6.0"));
        assert_eq!(reads("article-d-cdm"), reads("cdm"));
        let nine = find("cdm-9", &[]).unwrap();
        assert_eq!((nine.methods[0].loops, nine.runs), (3, 1));
        let a = find("article-a-cdm", &[]).unwrap();
        assert_eq!((a.methods[0].loops, a.size_bytes, a.runs), (9, 5 << 30, 5));
        assert!(reads("article-a-cdm").contains(&"RND4K Q128T1".to_owned()));
        assert_eq!(find("article-b-cdm-32gib", &[]).unwrap().size_bytes, 32 << 30);
    }

    #[test]
    fn lists_make_a_cell_of_each_combination() {
        let suite = find("depth", &[]).unwrap();
        let depths: Vec<u32> = suite.methods.iter().take(9).map(|method| method.queue_depth).collect();
        assert_eq!(depths, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
        let threads: BTreeSet<u32> = suite.methods.iter().map(|method| method.threads).collect();
        assert_eq!(threads, [1, 2, 4, 8].into());
    }

    #[test]
    fn settings_change_every_cell() {
        let changed = settings(&[
            ("size", "16MiB"),
            ("seconds", "2"),
            ("loops", "4"),
            ("discarded", "0"),
            ("interval", "0"),
        ]);
        let suite = find("quick", &changed).unwrap();
        assert!(
            suite
                .methods
                .iter()
                .all(|m| m.id().to_string().ends_with("span16MiB.random.4x2s.warm0.gap0s.v1"))
        );
        let zeros = find("quick", &settings(&[("data", "zero")])).unwrap();
        assert!(zeros.methods.iter().all(|m| m.id().to_string().contains(".zero.")));
        for (bad, message) in [
            (("colour", "red"), "no setting `colour`"),
            (("data", "existing"), "data is random, zero or repeat"),
            (("loops", "many"), "no value for loops"),
            (("loops", "0"), "loops are 1 to 1,000"),
            (("size", "100"), "multiple of 1 MiB"),
            (("seconds", "86401"), "seconds are 1"),
        ] {
            let error = find("quick", &settings(&[bad])).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_changed_suite_says_what_is_changed() {
        let told = |suite: &Suite| changed(&suite.name, &suite.methods);
        assert!(shipped().iter().all(|suite| told(suite).is_empty()));
        let set = settings(&[("size", "16MiB"), ("data", "zero"), ("loops", "4"), ("interval", "0")]);
        let mut suite = find("cdm", &set).unwrap();
        assert_eq!(told(&suite), ", changed: size, data, loops, interval");
        assert_eq!(suite.methods[0].times(), "4 loops of 5 s and 1 discarded");
        suite.methods[0].queue_depth = 7;
        assert_eq!(changes("cdm", &suite.methods[..1]), ["cells"]);
        assert_eq!(told(&Suite { name: "mine".to_owned(), ..suite }), "");
    }

    #[test]
    fn a_suite_may_leave_the_drive_alone_in_its_pauses() {
        let quick = shipped_text("quick").unwrap();
        assert_eq!(parse(quick, &[]).unwrap().pauses, PausePolicy::Sampled);
        let silent = format!("pauses = \"silent\"\n{quick}");
        assert_eq!(parse(&silent, &[]).unwrap().pauses, PausePolicy::Silent);
    }

    #[test]
    fn bad_suites_are_refused_with_the_reason() {
        let good = shipped_text("quick").unwrap();
        for (from, to, message) in [
            ("name = \"quick\"", "name = \"My Suite\"", "name must be"),
            ("queue_depth = 32", "queue_depth = 5000", "queue depth is 1 to 4096"),
            ("queue_depth = 32", "queue_depth = 1", "there twice"),
            ("block = \"4KiB\"", "block = \"1000\"", "block is a multiple"),
            ("loops = 3", "lops = 3", "unknown field `lops`"),
            ("loops = 3", "loops = 3\nruns = 0", "runs are 1 to 100"),
            ("threads = 1", "threads = []", "1 to 1,000 cells"),
        ] {
            let error = parse(&good.replace(from, to), &[]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(matches!(find("nosuch", &[]), Err(SuiteError::Unknown(_))));
        assert!(matches!(find("nosuch.toml", &[]), Err(SuiteError::Read { .. })));
    }
}
