//! Suites: named lists of cells and other workloads with their size, times and counts, as TOML.
//!
//! Shipped ones lie in `suites/`; a user's file has the same form. Nothing here looks at a drive.

mod cells;
mod error;
pub(crate) mod files;
mod malformed;
mod workloads;

pub use cells::problem_of;
pub use error::SuiteError;
pub use files::Folder;
pub use malformed::Malformed;

use crate::target::{LEAST_PART, Reserve};
use cells::{Fixed, WrittenCell, WrittenFill, levels, methods};
use model::{
    document::is_suite_name,
    labels::is_plain_text,
    method::{Before, DataKind, Ends, Fill, Method},
    pass::{PassMethod, SequentialWrites, Workload},
    telemetry::PausePolicy,
    units::{format_size, parse_size},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

const SHIPPED: [(&str, &str); 34] = [
    ("quick", include_str!("suites/quick.toml")),
    ("cdm", include_str!("suites/cdm.toml")),
    ("cdm-nvme", include_str!("suites/cdm-nvme.toml")),
    ("cdm-5.1", include_str!("suites/cdm-5.1.toml")),
    ("cdm-6.0", include_str!("suites/cdm-6.0.toml")),
    ("cdm-9", include_str!("suites/cdm-9.toml")),
    ("depth", include_str!("suites/depth.toml")),
    ("mixed", include_str!("suites/mixed.toml")),
    ("mixed-5", include_str!("suites/mixed-5.toml")),
    ("mixed-120", include_str!("suites/mixed-120.toml")),
    ("matrix", include_str!("suites/matrix.toml")),
    ("matrix-simple", include_str!("suites/matrix-simple.toml")),
    ("matrix-oltp", include_str!("suites/matrix-oltp.toml")),
    ("matrix-dss", include_str!("suites/matrix-dss.toml")),
    ("cliff", include_str!("suites/cliff.toml")),
    ("cliff-full", include_str!("suites/cliff-full.toml")),
    ("bursts", include_str!("suites/bursts.toml")),
    ("bursts-auto", include_str!("suites/bursts-auto.toml")),
    ("fill", include_str!("suites/fill.toml")),
    ("surface", include_str!("suites/surface.toml")),
    ("thermal", include_str!("suites/thermal.toml")),
    ("steady", include_str!("suites/steady.toml")),
    ("array", include_str!("suites/array.toml")),
    ("review", include_str!("suites/review.toml")),
    ("applications", include_str!("suites/applications.toml")),
    ("consistency", include_str!("suites/consistency.toml")),
    ("consistency-short", include_str!("suites/consistency-short.toml")),
    ("copies", include_str!("suites/copies.toml")),
    ("loading", include_str!("suites/loading.toml")),
    ("article-a-cdm", include_str!("suites/article-a-cdm.toml")),
    ("article-a-adaptivity", include_str!("suites/article-a-adaptivity.toml")),
    ("article-b-cdm", include_str!("suites/article-b-cdm.toml")),
    ("article-b-cdm-32gib", include_str!("suites/article-b-cdm-32gib.toml")),
    ("article-d-cdm", include_str!("suites/article-d-cdm.toml")),
];
/// Longest suite file in bytes; a real one has a few thousand.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Longest recording in bytes.
const MAX_RECORDING_BYTES: u64 = 1 << 30;
/// Name of the suite that a recording makes.
const REPLAY: &str = "replay";
/// Size of the test file of passes that work on many files, bytes: it only shows what the place can do. No whole MiB, so
/// that it is never taken for another pass's span.
const WITNESS_BYTES: u64 = (1 << 20) + 4096;
/// Rest between two parts of a suite.
const COOL_DOWN_SECONDS: u64 = 300;
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
    /// Times the whole suite is run, one after the other, unless `--runs` says otherwise; 1 to 100.
    pub runs: u32,
    /// Whether sensors are read in pauses.
    pub pauses: PausePolicy,
    /// Its cells in the order they are run.
    pub methods: Vec<Method>,
    /// Passes of other workloads, which are run after the cells.
    pub passes: Vec<PassMethod>,
    /// Places of the steps with which another part begins, but the first.
    #[serde(default)]
    pub part_begins: BTreeSet<usize>,
    /// Recordings of the user's own that passes play.
    pub recordings: Vec<Recording>,
    /// Folders of the user's own whose sizes passes copy, or whose files they read.
    pub folders: Vec<Folder>,
}

/// A recording of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Where it lies.
    #[serde(with = "crate::path_bytes")]
    pub path: PathBuf,
    /// What its operations are called: their fingerprint.
    pub name: String,
    /// Bytes that it reads.
    pub read_bytes: u64,
    /// Bytes that it writes.
    pub written_bytes: u64,
    /// Its last deadline, nanoseconds.
    pub duration_ns: u64,
}

/// A step of a suite.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A cell.
    Cell(&'a Method),
    /// A pass.
    Pass(&'a PassMethod),
}

impl Step<'_> {
    /// Its name for people.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Cell(method) => method.label(),
            Self::Pass(method) => method.label(),
        }
    }

    /// Seconds of pause before it.
    #[must_use]
    pub fn pause_seconds(&self) -> u64 {
        match self {
            Self::Cell(method) => method.interval_seconds.into(),
            // What rests, rests in a pass of its own.
            Self::Pass(_) => 0,
        }
    }
}

/// Cells or passes, one after the other, that are measured on the same span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Places of its cells or passes in the suite, where passes follow the cells.
    pub cells: Range<usize>,
    /// Size of the span in bytes.
    pub span_bytes: u64,
    /// What it is filled with.
    pub data: DataKind,
    /// Whether its first cell or pass writes it itself: then it is not filled.
    pub fresh: bool,
    /// The state that the drive is brought into for it.
    pub before: Before,
}

impl Section {
    /// How much stays free on a file system beside it.
    #[must_use]
    pub fn reserve(&self) -> Reserve {
        if self.before.fill.is_some() { Reserve::Least } else { Reserve::Usual }
    }
}

impl Suite {
    /// The largest span of its cells, bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        let passes = self.passes.iter().map(test_file_bytes);
        self.methods.iter().map(|method| method.span_bytes).chain(passes).max().unwrap_or(0)
    }

    /// Seconds in which the drive is left alone before the step at a place: its own pause, and between two parts at
    /// least so long that the heat of one is not measured in the next.
    #[must_use]
    pub fn pause_before(&self, index: usize) -> u64 {
        let own = if index == 0 { 0 } else { self.step(index).pause_seconds() };
        if self.part_begins.contains(&index) { own.max(COOL_DOWN_SECONDS) } else { own }
    }

    /// Number of its cells and passes.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.methods.len() + self.passes.len()
    }

    /// The step at a place, from 0, below [`Suite::step_count`].
    #[must_use]
    pub fn step(&self, index: usize) -> Step<'_> {
        match index.checked_sub(self.methods.len()) {
            None => Step::Cell(&self.methods[index]),
            Some(pass) => Step::Pass(&self.passes[pass]),
        }
    }

    /// Its cells and passes in the order they are run.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.methods.iter().map(Step::Cell).chain(self.passes.iter().map(Step::Pass))
    }

    /// Its cells by what they are measured on. A cell that writes its span itself always begins a section.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        for (index, method) in self.methods.iter().enumerate() {
            let Method { span_bytes, data, before, .. } = *method;
            let fresh = method.writes_fresh();
            match sections.last_mut() {
                Some(last)
                    if !fresh && (last.span_bytes, last.data, last.before) == (span_bytes, data, before) =>
                {
                    last.cells.end = index + 1;
                }
                _ => sections.push(Section { cells: index..index + 1, span_bytes, data, fresh, before }),
            }
        }
        let cells = sections.len();
        for (index, pass) in (self.methods.len()..).zip(&self.passes) {
            // A test that writes everything first begins with a span of its own; later ones are part of it.
            let span_bytes = test_file_bytes(pass);
            let on_files = span_bytes == WITNESS_BYTES;
            let fresh = pass.before.fills == 0
                && matches!(
                    pass.workload,
                    Workload::SequentialWrites(SequentialWrites { bytes, .. }) if bytes == pass.span_bytes
                )
                || on_files;
            let before = Before { fill: pass.before.fill, ..Before::default() };
            match sections[cells..].last_mut() {
                Some(last)
                    if (!fresh || on_files) && (last.span_bytes, last.before) == (span_bytes, before) =>
                {
                    last.cells.end = index + 1;
                }
                _ => sections.push(Section {
                    cells: index..index + 1,
                    span_bytes,
                    data: DataKind::Random,
                    fresh,
                    before,
                }),
            }
        }
        sections
    }
}

/// Bytes of the test file or device that a pass is measured on.
fn test_file_bytes(pass: &PassMethod) -> u64 {
    if pass.files().is_some() { WITNESS_BYTES } else { pass.span_bytes }
}

/// How much a place holds, for sizes that are asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that can hold data, those included that do.
    pub total: u64,
    /// Bytes of it that can be written.
    pub free: u64,
    /// Whether it is a drive as a whole.
    pub device: bool,
    /// Whether it is a simulated drive's, whose time costs nothing.
    pub in_virtual_time: bool,
}

/// The most that `max` stands for, bytes.
const MAX_BYTES: u64 = 1_000_000_000_000;

/// What `device` stands for in a directory, bytes.
const WITHOUT_DEVICE_BYTES: u64 = 32 << 30;

impl Room {
    /// Where nothing is known of the place: as much as `max` may ever be.
    pub const UNKNOWN: Self =
        Self { total: MAX_BYTES / 6 * 10, free: MAX_BYTES / 6 * 10, device: false, in_virtual_time: false };

    /// The bytes of a size as it is written, whole MiB, when a share of the place holds data: `all` that can be
    /// written, `max`, the least of 60 % of that and 1 TB, or `device`, a drive as a whole and elsewhere 32 GiB.
    fn size(self, text: &str, fill: Option<Fill>) -> Result<u64, SuiteError> {
        let free = match fill {
            None => self.free,
            Some(fill) => {
                let left = self.total.saturating_sub(fill.of(self.total));
                self.free.min(left.saturating_sub(self.total / LEAST_PART))
            }
        };
        let bytes = match text {
            "max" => (free / 10 * 6).min(MAX_BYTES),
            "all" => free,
            "device" if self.device => self.total,
            "device" => WITHOUT_DEVICE_BYTES,
            size => parse_size(size)?,
        };
        let whole = bytes / MIN_SIZE_BYTES * MIN_SIZE_BYTES;
        let named = matches!(text, "max" | "all" | "device");
        if named && whole == 0 {
            return Err(SuiteError::NoRoom(free));
        }
        // A decimal size is meant about; one of other bytes is a mistake.
        if whole == 0 || !(named || bytes == whole || bytes.is_multiple_of(1_000_000)) {
            return Err(SuiteError::SizeRange);
        }
        Ok(whole)
    }
}

/// The names that `--set` takes.
const SETTINGS: [&str; 34] = [
    "size",
    "data",
    "seconds",
    "loops",
    "discarded",
    "interval",
    "read",
    "amount",
    "rest",
    "fill",
    "without",
    "passes",
    "pause",
    "only",
    "longest-idle",
    "speed",
    "fills",
    "degradation",
    "first",
    "more",
    "steady",
    "steady-seconds",
    "recovery",
    "idle",
    "least",
    "most",
    "unit",
    "depth",
    "folder",
    "scale",
    "steps",
    "order",
    "parallel",
    "block",
];

/// A suite as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    summary: String,
    /// 1 unless said otherwise.
    runs: Option<u32>,
    /// `sampled` unless said otherwise; `silent` where looking would keep the drive from resting.
    pauses: Option<PausePolicy>,
    // What all cells have that do not say it themselves.
    size: Option<String>,
    data: Option<String>,
    seconds: Option<u32>,
    loops: Option<u32>,
    discarded: Option<u32>,
    interval: Option<u32>,
    /// How much of the drive holds data before cells that do not say it themselves, and before all passes.
    #[serde(default)]
    fill: Vec<WrittenFill>,
    #[serde(rename = "cell", default)]
    cells: Vec<WrittenCell>,
    /// Workloads that are no uniform load.
    #[serde(rename = "workload", default)]
    workloads: Vec<workloads::Written>,
    /// Shipped suites that it is made of, instead of cells.
    #[serde(rename = "part", default)]
    parts: Vec<WrittenPart>,
}

/// A shipped suite as a part of another, with what differs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPart {
    suite: String,
    /// The suite that stands in for it on a simulated drive, where time costs nothing.
    simulated: Option<String>,
    #[serde(default)]
    set: BTreeMap<String, String>,
}

/// The shipped suites in the order they are listed, where nothing is known of the place.
#[must_use]
pub fn shipped() -> Vec<Suite> {
    let parse = |(_, text): &(&str, &str)| {
        parse(text, &[], Room::UNKNOWN, Path::new("")).expect("shipped suites are valid, a test checks")
    };
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
    let mut changed = [false; 8];
    for method in methods {
        // Whether drives are an array or apart is the place's.
        let method = &Method { apart: false, ..method.clone() };
        let Some(usual) = shipped.methods.iter().find(|usual| usual.cell() == method.cell()) else {
            changed[7] = true;
            continue;
        };
        // How much of a drive is gone through depends on the drive, how long it may take does not.
        let seconds = usual.seconds != method.seconds;
        let (mut usual, mut method) = (usual.compared(), method.compared());
        for one in [&mut usual, &mut method] {
            // So large are bursts as what a write before took fast.
            if let Ends::Bytes(stretches) = &mut one.ends
                && stretches.until_slow
            {
                (one.span_bytes, one.loops, stretches.loop_bytes) = (0, 0, 0);
            }
        }
        let differs = [
            usual.span_bytes != method.span_bytes,
            usual.data != method.data,
            seconds,
            usual.loops != method.loops,
            usual.discarded_loops != method.discarded_loops,
            usual.interval_seconds != method.interval_seconds,
            usual.ends != method.ends,
        ];
        changed.iter_mut().zip(differs).for_each(|(known, differs)| *known |= differs);
    }
    let names = ["size", "data", "seconds", "loops", "discarded", "interval", "amount", "cells"];
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

/// [`changed`] for a document, its passes included.
#[must_use]
pub fn changed_document(document: &model::ResultDocument) -> String {
    let mut changes = changes(&document.suite, document.cells.iter().map(|cell| &cell.method));
    changes.extend(changed_passes(&document.suite, document.passes.iter().map(|pass| &pass.method)));
    if changes.is_empty() { String::new() } else { format!(", changed: {}", changes.join(", ")) }
}

/// [`changed`] for a suite, its passes included.
#[must_use]
pub fn changed_suite(suite: &Suite) -> String {
    let mut changes = changes(&suite.name, &suite.methods);
    changes.extend(changed_passes(&suite.name, &suite.passes));
    if changes.is_empty() { String::new() } else { format!(", changed: {}", changes.join(", ")) }
}

/// `passes` when passes are not those of the shipped suite of a name on a span of any size; `None` when they are.
#[must_use]
pub fn changed_passes<'a>(
    name: &str,
    passes: impl IntoIterator<Item = &'a PassMethod>,
) -> Option<&'static str> {
    // A suite may have other parts where time costs nothing.
    let rooms = [Room::UNKNOWN, Room { in_virtual_time: true, ..Room::UNKNOWN }];
    let text = shipped_text(name)?;
    let shipped = rooms.into_iter().filter_map(|room| parse(text, &[], room, Path::new("")).ok());
    // How large a drive is changes nothing in what is done to it.
    let compared = |pass: &PassMethod| {
        let mut pass = PassMethod { span_bytes: 0, ..pass.clone() };
        if let Workload::SequentialWrites(writes) = &mut pass.workload {
            writes.bytes = 0;
        }
        pass
    };
    let usual: BTreeSet<String> =
        shipped.flat_map(|suite| suite.passes).map(|pass| compared(&pass).id().to_string()).collect();
    let differs = passes.into_iter().any(|pass| !usual.contains(&compared(pass).id().to_string()));
    differs.then_some("passes")
}

/// Finds a suite by name or file and applies settings to it, for a place that has so much room.
///
/// # Errors
/// When there is none, or a value is out of range.
pub fn find(name_or_file: &str, settings: &[(String, String)], room: Room) -> Result<Suite, SuiteError> {
    if let Some(text) = shipped_text(name_or_file) {
        return parse(text, settings, room, Path::new(""));
    }
    let path = PathBuf::from(name_or_file);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(SuiteError::Unknown(name_or_file.to_owned()));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let text = read_limited(&path, MAX_FILE_BYTES).map_err(|source| SuiteError::Read { path, source })?;
    let suite = parse(&text, settings, room, &folder)?;
    if shipped_text(&suite.name).is_some() {
        return Err(SuiteError::NameTaken(suite.name));
    }
    Ok(suite)
}

/// The suite that plays a recording once.
///
/// # Errors
/// When it cannot be read, or a value is out of range.
pub fn replay(recording: &Path, settings: &[(String, String)], room: Room) -> Result<Suite, SuiteError> {
    let mut written = written(&format!("name = \"{REPLAY}\"\nsummary = \"A recording\"\n"))?;
    written.workloads.push(workloads::Written::Traces(workloads::Traces {
        trace: Some(recording.to_owned()),
        ..workloads::Traces::default()
    }));
    settled(written, settings, room, Path::new(""))
}

fn read_limited(path: &Path, most: u64) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let read = std::fs::File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if read as u64 > most {
        return Err(std::io::Error::other(format!("it is larger than {}", format_size(most))));
    }
    Ok(text)
}

fn parse(text: &str, settings: &[(String, String)], room: Room, folder: &Path) -> Result<Suite, SuiteError> {
    settled(written(text)?, settings, room, folder)
}

/// A suite as it is written down.
fn written(text: &str) -> Result<Written, SuiteError> {
    toml::from_str(text).map_err(|error| SuiteError::Malformed(Malformed::new(&error, text)))
}

fn settled(
    mut written: Written,
    settings: &[(String, String)],
    room: Room,
    folder: &Path,
) -> Result<Suite, SuiteError> {
    let mut begins = Vec::new();
    let (methods, made) = if written.parts.is_empty() {
        for (key, value) in settings {
            set(&mut written, key, value)?;
        }
        let mut seen = BTreeSet::new();
        let methods = methods(&written, room)?;
        for (number, method) in (1..).zip(&methods) {
            if !seen.insert(method.cell()) {
                return Err(SuiteError::CellTwice { number, cell: method.label() });
            }
        }
        (methods, workloads::passes(&written, room, folder)?)
    } else {
        of_parts(&written.parts, settings, room, &mut begins)?
    };
    // Passes stand behind all cells.
    let place = |begin: &Begin| match *begin {
        Begin::Cell(index) => index,
        Begin::Pass(index) => methods.len() + index,
    };
    let part_begins = begins.iter().map(place).filter(|index| *index > 0).collect();
    let workloads::Made { passes, recordings, folders } = made;
    let Written { name, summary, runs, pauses, .. } = written;
    if !is_suite_name(&name) {
        return Err(SuiteError::Name);
    }
    if !is_plain_text(&summary, 200) {
        return Err(SuiteError::Summary);
    }
    let runs = runs.unwrap_or(1);
    if !(1..=100).contains(&runs) {
        return Err(SuiteError::Runs);
    }
    if methods.len() + passes.len() == 0 || methods.len() > model::document::MAX_CELLS {
        return Err(SuiteError::CellCount);
    }
    Ok(Suite {
        name,
        summary,
        runs,
        pauses: pauses.unwrap_or(PausePolicy::Sampled),
        methods,
        passes,
        part_begins,
        recordings,
        folders,
    })
}

/// The first cell or pass of a part, by its place among the cells or the passes.
#[derive(Debug, Clone, Copy)]
enum Begin {
    Cell(usize),
    Pass(usize),
}

/// The cells and passes of all parts. A cell that an earlier part has is not measured again.
fn of_parts(
    parts: &[WrittenPart],
    settings: &[(String, String)],
    room: Room,
    begins: &mut Vec<Begin>,
) -> Result<(Vec<Method>, workloads::Made), SuiteError> {
    let names: Vec<&str> = parts.iter().map(|part| part.suite.as_str()).collect();
    let without: Vec<&str> =
        settings.iter().filter(|(key, _)| key == "without").flat_map(|(_, names)| names.split(',')).collect();
    let addressed = settings.iter().filter_map(|(key, _)| key.rsplit_once('.')).map(|(part, _)| part);
    if let Some(unknown) = addressed.chain(without.iter().copied()).find(|name| !names.contains(name)) {
        return Err(SuiteError::NoPart { part: unknown.to_owned(), there: names.join(", ") });
    }
    let mut seen = BTreeSet::new();
    let (mut all, mut made) = (Vec::new(), workloads::Made::default());
    for part in parts.iter().filter(|part| !without.contains(&part.suite.as_str())) {
        let name = part.simulated.as_ref().filter(|_| room.in_virtual_time).unwrap_or(&part.suite);
        let text = shipped_text(name).ok_or_else(|| SuiteError::Part(name.clone()))?;
        let mut written = written(text)?;
        if !written.parts.is_empty() {
            return Err(SuiteError::Part(part.suite.clone()));
        }
        for (key, value) in &part.set {
            set(&mut written, key, value)?;
        }
        for (key, value) in settings.iter().filter(|(key, _)| key != "without") {
            match key.rsplit_once('.') {
                Some((name, key)) if name == part.suite => set(&mut written, key, value)?,
                Some(_) => {}
                // For all parts that have it.
                None => match set(&mut written, key, value) {
                    Err(SuiteError::NoEffect(_)) => {}
                    other => other?,
                },
            }
        }
        begins.extend((!written.cells.is_empty()).then_some(Begin::Cell(all.len())));
        begins.extend((!written.workloads.is_empty()).then_some(Begin::Pass(made.passes.len())));
        all.extend(methods(&written, room)?.into_iter().filter(|method| seen.insert(method.cell())));
        made.extend(workloads::passes(&written, room, Path::new(""))?);
    }
    Ok((all, made))
}

/// Changes the cells that a setting is for.
///
/// # Errors
/// When there is none: a setting without effect is a mistake.
fn change(
    key: &str,
    cells: &mut [WrittenCell],
    concerns: impl Fn(&WrittenCell) -> bool,
    mut change: impl FnMut(&mut WrittenCell),
) -> Result<(), SuiteError> {
    let mut concerned = cells.iter_mut().filter(|cell| concerns(cell)).peekable();
    if concerned.peek().is_none() {
        return Err(SuiteError::NoEffect(key.to_owned()));
    }
    concerned.for_each(&mut change);
    Ok(())
}

/// Changes a value for all cells, those included that have one of their own.
fn set(suite: &mut Written, key: &str, value: &str) -> Result<(), SuiteError> {
    fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, SuiteError> {
        value.parse().map_err(|_| SuiteError::BadSetting { key: key.to_owned(), value: value.to_owned() })
    }
    macro_rules! for_all {
        ($field:ident, $value:expr) => {{
            suite.$field = $value;
            suite.cells.iter_mut().for_each(|cell| cell.$field = Default::default());
        }};
    }
    // Likewise, but for cells that keep theirs.
    macro_rules! for_all_free {
        ($field:ident, $fixed:expr) => {{
            suite.$field = Some(number(key, value)?);
            let free = |cell: &WrittenCell| !cell.fixed.contains(&$fixed);
            change(key, &mut suite.cells, free, |cell| cell.$field = None)?;
        }};
    }
    match key {
        "size" => {
            for_all!(size, Some(value.to_owned()));
            suite.workloads.iter_mut().for_each(workloads::Written::take_common_size);
        }
        "data" => for_all!(data, Some(value.to_owned())),
        "seconds" => for_all_free!(seconds, Fixed::Seconds),
        "loops" => for_all_free!(loops, Fixed::Loops),
        "discarded" => for_all!(discarded, Some(number(key, value)?)),
        "interval" => for_all!(interval, Some(number(key, value)?)),
        // These change what is there, and make nothing of a cell that it was not.
        "read" => {
            let percent = number(key, value)?;
            change(key, &mut suite.cells, |cell| cell.read.is_some(), |cell| cell.read = Some(percent))?;
        }
        "amount" => set_amount(&mut suite.cells, value)?,
        "rest" => {
            let seconds = number(key, value)?;
            change(key, &mut suite.cells, |cell| cell.rest.is_some(), |cell| cell.rest = Some(seconds))?;
        }
        "fill" => {
            let text = |level: &str| WrittenFill::Text(level.to_owned());
            for_all!(fill, value.split(',').map(text).collect());
        }
        "without" => return Err(SuiteError::NoEffect(key.to_owned())),
        other if SETTINGS.contains(&other) => {
            let mut has_it = false;
            for workload in &mut suite.workloads {
                has_it |= workload.set(other, value)?;
            }
            if !has_it {
                return Err(SuiteError::NoEffect(key.to_owned()));
            }
        }
        other => return Err(SuiteError::UnknownSetting(other.to_owned())),
    }
    Ok(())
}

/// Changes how much loops move that end by it. Where that follows from another write (`auto`), only there; where it is
/// all of the span, the span: what is written once through is not written before.
fn set_amount(cells: &mut [WrittenCell], value: &str) -> Result<(), SuiteError> {
    let is = |cell: &WrittenCell, word| {
        cell.amount.as_deref() == Some(word) && !cell.fixed.contains(&Fixed::Amount)
    };
    if cells.iter().any(|cell| is(cell, "auto")) {
        return change(
            "amount",
            cells,
            |cell| is(cell, "auto"),
            |cell| {
                cell.amount = Some(value.to_owned());
                cell.spans_what_it_moves = true;
            },
        );
    }
    let concerns = |cell: &WrittenCell| cell.amount.is_some() && !cell.fixed.contains(&Fixed::Amount);
    change("amount", cells, concerns, |cell| {
        if cell.amount.as_deref() == Some("all") {
            cell.size = Some(value.to_owned());
        } else {
            cell.amount = Some(value.to_owned());
        }
    })
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
            let suite = find(name, &[], Room::UNKNOWN).unwrap();
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
        let nine = find("cdm-9", &[], Room::UNKNOWN).unwrap();
        assert_eq!((nine.methods[0].loops, nine.runs), (3, 1));
        let a = find("article-a-cdm", &[], Room::UNKNOWN).unwrap();
        assert_eq!((a.methods[0].loops, a.size_bytes(), a.runs), (9, 5 << 30, 5));
        assert!(reads("article-a-cdm").contains(&"RND4K Q128T1".to_owned()));
        assert_eq!(find("article-b-cdm-32gib", &[], Room::UNKNOWN).unwrap().size_bytes(), 32 << 30);
    }

    #[test]
    fn lists_make_a_cell_of_each_combination() {
        let suite = find("depth", &[], Room::UNKNOWN).unwrap();
        let depths: Vec<u32> = suite.methods.iter().take(9).map(|method| method.queue_depth).collect();
        assert_eq!(depths, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
        let threads: BTreeSet<u32> = suite.methods.iter().map(|method| method.threads).collect();
        assert_eq!(threads, [1, 2, 4, 8].into());
    }

    #[test]
    fn sizes_may_be_what_there_is_room_for() {
        let room =
            Room { total: 100_000_000_000, free: 50_000_000_000, device: false, in_virtual_time: false };
        let span = |name: &str| find(name, &[], room).unwrap().methods[0].span_bytes;
        assert_eq!(span("cliff"), 30_000_000_000 / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
        assert_eq!(span("cliff-full"), 50_000_000_000 / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
        // At 90 % only 10 GB of the place are left, and one percent of it stays free.
        let fill = find("fill", &[], room).unwrap();
        let full = fill.methods.iter().find(|method| method.before.fill == Some(Fill::Percent(90))).unwrap();
        assert_eq!(full.span_bytes, 5_400_000_000 / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
        let large =
            Room { total: 9_000_000_000_000, free: 9_000_000_000_000, device: false, in_virtual_time: false };
        let most = find("cliff", &[], large).unwrap().size_bytes();
        assert_eq!(most, MAX_BYTES / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
    }

    #[test]
    fn sections_are_made_by_what_is_measured_on() {
        let sections = |name: &str| find(name, &[], Room::UNKNOWN).unwrap().sections();
        let told = |name: &str| -> Vec<(usize, bool)> {
            sections(name).into_iter().map(|section| (section.cells.len(), section.fresh)).collect()
        };
        assert_eq!(told("cdm"), [(8, false)]);
        assert_eq!(told("cliff"), [(2, true)], "what was written is read back");
        assert_eq!(told("surface"), [(3, false)], "places with gaps between them need a full span");
        assert_eq!(told("fill").len(), 10, "every write begins anew");
        let review = find("review", &[], Room::UNKNOWN).unwrap();
        assert!(review.sections().iter().any(|section| section.fresh && section.cells.len() == 2));
    }

    #[test]
    fn a_suite_of_parts_has_their_cells_once_and_takes_settings_for_each() {
        let review = |pairs: &[(&str, &str)]| find("review", &settings(pairs), Room::UNKNOWN);
        let whole = review(&[]).unwrap().methods;
        let cells: BTreeSet<String> = whole.iter().map(Method::cell).collect();
        assert_eq!(cells.len(), whole.len(), "no cell twice");
        let less = review(&[("without", "depth,mixed-5")]).unwrap().methods;
        assert!(less.len() < whole.len() && less.iter().all(|method| method.read_percent.is_none()));
        let small = review(&[("cliff.size", "10GB"), ("cdm.loops", "2")]).unwrap().methods;
        assert_eq!(small[0].loops, 2);
        let cliff = small.iter().find(|method| method.cell().ends_with(".once")).unwrap();
        assert_eq!(cliff.span_bytes, 10_000_000_000 / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
        for (bad, message) in [
            (("nosuch.size", "1GiB"), "no part `nosuch`"),
            (("without", "nosuch"), "no part `nosuch`"),
            (("cdm.colour", "red"), "no setting `colour`"),
        ] {
            let error = review(&[bad]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn loops_by_bytes_mixes_and_levels_are_written_in_toml() {
        let bursts = find("bursts", &settings(&[("amount", "1GB"), ("rest", "3")]), Room::UNKNOWN).unwrap();
        let method = &bursts.methods[0];
        let stretches = method.stretches().unwrap();
        assert_eq!((stretches.rest_seconds, stretches.settles), (3, None));
        assert_eq!(stretches.loop_bytes, 1_000_000_000 / MIN_SIZE_BYTES * MIN_SIZE_BYTES);
        assert!(method.writes_fresh() && method.before.trimmed, "there is room for all four, and no more");
        let mixed = find("mixed", &settings(&[("read", "70")]), Room::UNKNOWN).unwrap();
        assert_eq!(mixed.methods[0].read_percent, Some(70));
        let levels = find("cdm", &settings(&[("fill", "0,50")]), Room::UNKNOWN).unwrap().methods;
        assert_eq!(levels.len(), 16);
        assert_eq!(
            [&levels[7], &levels[8]].map(|method| method.before.fill),
            [0, 50].map(|percent| Some(Fill::Percent(percent)))
        );
        let bytes = find("cliff", &settings(&[("fill", "200GB")]), Room::UNKNOWN).unwrap();
        assert_eq!(bytes.methods[0].before.fill, Some(Fill::Bytes(200_000_000_000)));
        for bad in ["96", "half", "1KiB", ""] {
            let error = find("cdm", &settings(&[("fill", bad)]), Room::UNKNOWN).unwrap_err().to_string();
            assert!(error.contains("is no fill"), "{error}");
        }
        let copies =
            find("copies", &settings(&[("fill", "0,50"), ("only", "jpeg-2.37")]), Room::UNKNOWN).unwrap();
        let state = |section: &Section| (section.cells.len(), section.before.fill);
        let at = |percent| (3, Some(Fill::Percent(percent)));
        assert_eq!(copies.sections().iter().map(state).collect::<Vec<_>>(), [at(0), at(50)]);
        let matrix = find("matrix", &[], Room::UNKNOWN).unwrap().methods;
        assert_eq!(matrix.iter().filter(|method| method.beside.is_some()).count(), 45);
    }

    #[test]
    fn a_setting_leaves_alone_what_a_cell_keeps_for_itself() {
        let changed = |name: &str| {
            find(name, &settings(&[("seconds", "5"), ("loops", "20")]), Room::UNKNOWN).unwrap().methods
        };
        let [written, rounds] = &changed("steady")[..] else { panic!("two cells") };
        assert_eq!((written.seconds, written.loops), (86_400, 1), "the preconditioning stays whole");
        assert_eq!((rounds.seconds, rounds.loops), (5, 20));
        let [read, write, access] = &changed("surface")[..] else { panic!("three cells") };
        assert_eq!((read.seconds, read.loops, write.loops), (60, 20, 20));
        assert_eq!((access.seconds, access.loops), (5, 1));
    }

    #[test]
    fn a_setting_that_no_workload_has_is_refused() {
        let why = find("consistency", &settings(&[("passes", "3")]), Room::UNKNOWN).unwrap_err().to_string();
        assert!(why.contains("nothing in this suite has `passes`"), "{why}");
        assert!(find("applications", &settings(&[("passes", "2")]), Room::UNKNOWN).is_ok());
    }

    #[test]
    fn amounts_that_cannot_be_are_refused_with_what_to_do() {
        let why =
            |set: &[(&str, &str)]| find("bursts", &settings(set), Room::UNKNOWN).unwrap_err().to_string();
        let large = why(&[("size", "512MiB")]);
        assert!(large.starts_with("cell 1: 4 times 100 GB are more than the size of 537 MB;"), "{large}");
        let auto = why(&[("amount", "auto")]);
        assert!(auto.contains("there is none; the suite `bursts-auto` has one"), "{auto}");
    }

    #[test]
    fn a_set_amount_is_written_to_blocks_that_nothing_wrote_before() {
        let set = settings(&[("amount", "50GB")]);
        let methods = |name| find(name, &set, Room::UNKNOWN).unwrap().methods;
        for method in methods("cliff").iter().chain(&methods("fill")) {
            let loop_bytes = method.stretches().unwrap().loop_bytes;
            assert!(method.span_bytes == loop_bytes && loop_bytes.abs_diff(50_000_000_000) < 1 << 20);
        }
        let [once, bursts] = &methods("bursts-auto")[..] else { panic!("two cells") };
        assert!(once.writes_fresh() && once.span_bytes > 500_000_000_000, "as it was: {once:?}");
        assert!(bursts.is_bursts() && bursts.loops == 8, "{bursts:?}");
        let none = find("steady", &set, Room::UNKNOWN).unwrap_err().to_string();
        assert!(none.contains("nothing in this suite has `amount`"), "{none}");
    }

    #[test]
    fn places_that_touch_each_other_are_no_bursts() {
        let set = settings(&[("size", "32GiB"), ("amount", "160MiB")]);
        let methods = find("surface", &set, Room::UNKNOWN).unwrap().methods;
        let labels: Vec<String> = methods.iter().map(model::Method::label).collect();
        assert_eq!(labels[1], "SEQ1M Q8T1 write, 200 places");
        assert!(methods[..2].iter().all(model::Method::is_surface));
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
        let suite = find("quick", &changed, Room::UNKNOWN).unwrap();
        assert!(
            suite
                .methods
                .iter()
                .all(|m| m.id().to_string().ends_with("span16MiB.random.4x2s.warm0.gap0s.v1"))
        );
        let zeros = find("quick", &settings(&[("data", "zero")]), Room::UNKNOWN).unwrap();
        assert!(zeros.methods.iter().all(|m| m.id().to_string().contains(".zero.")));
        for (bad, message) in [
            (("colour", "red"), "no setting `colour`"),
            (("data", "existing"), "data is random, zero or repeat"),
            (("loops", "many"), "no value for loops"),
            (("loops", "0"), "loops are 1 to 1,000"),
            (("size", "100"), "multiple of 1 MiB"),
            (("seconds", "86401"), "seconds are 1"),
        ] {
            let error = find("quick", &settings(&[bad]), Room::UNKNOWN).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_changed_suite_says_what_is_changed() {
        let told = |suite: &Suite| changed(&suite.name, &suite.methods);
        assert!(shipped().iter().all(|suite| told(suite).is_empty()));
        let set = settings(&[("size", "16MiB"), ("data", "zero"), ("loops", "4"), ("interval", "0")]);
        let mut suite = find("cdm", &set, Room::UNKNOWN).unwrap();
        assert_eq!(told(&suite), ", changed: size, data, loops, interval");
        assert_eq!(suite.methods[0].times(), "4 loops of 5 s and 1 discarded");
        suite.methods[0].queue_depth = 7;
        assert_eq!(changes("cdm", &suite.methods[..1]), ["cells"]);
        assert_eq!(told(&Suite { name: "mine".to_owned(), ..suite }), "");
    }

    #[test]
    fn a_suite_may_leave_the_drive_alone_in_its_pauses() {
        let quick = shipped_text("quick").unwrap();
        assert_eq!(parse(quick, &[], Room::UNKNOWN, Path::new("")).unwrap().pauses, PausePolicy::Sampled);
        let silent = format!("pauses = \"silent\"\n{quick}");
        assert_eq!(parse(&silent, &[], Room::UNKNOWN, Path::new("")).unwrap().pauses, PausePolicy::Silent);
    }

    #[test]
    fn bad_suites_are_refused_with_the_reason() {
        let good = shipped_text("quick").unwrap();
        for (from, to, message) in [
            ("name = \"quick\"", "name = \"My Suite\"", "name must be"),
            ("queue_depth = 32", "queue_depth = 5000", "queue depth is 1 to 4096"),
            ("queue_depth = 32", "queue_depth = 1", "there twice"),
            ("block = \"4KiB\"", "block = \"1000\"", "block is a multiple"),
            ("loops = 3", "lops = 3", "there is no `lops` here, only `name`"),
            ("loops = 3", "loops = 3\nruns = 0", "runs are 1 to 100"),
            ("threads = 1", "threads = []", "1 to 1,000 cells or passes"),
        ] {
            let error =
                parse(&good.replace(from, to), &[], Room::UNKNOWN, Path::new("")).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let none = find("bursts", &settings(&[("loops", "0")]), Room::UNKNOWN).unwrap_err().to_string();
        assert!(none.ends_with("loops are 1 to 1,000"), "{none}");
        assert!(matches!(find("nosuch", &[], Room::UNKNOWN), Err(SuiteError::Unknown(_))));
        assert!(matches!(find("nosuch.toml", &[], Room::UNKNOWN), Err(SuiteError::Read { .. })));
    }
}
