//! The journal of a run: what was planned, and every phase that is over, on the drive before the next begins.
//!
//! It stays when the program is killed or the power fails, and `cliffmark resume` goes on from it. Knows how a
//! run is written down and read back; what is measured is decided in `measure`.

pub use crate::records::Unusable;
use crate::{
    hint::{Failure, note, shown},
    plan::Plan,
    records::{self, End, RecordWriter, Records},
    state::{StateDir, new_id},
    telemetry::PowerInput,
};
use model::{
    document::{Cell, Engine, Preparation, Resumption, Target},
    drive::Drive,
    host::Host,
    ids::PublicKey,
    pass::Pass,
    telemetry::Telemetry,
};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

const PREFIX: &str = "cliffmark-";
const SUFFIX: &str = ".journal";

/// What is known before anything starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Version of the program.
    pub runner_version: String,
    /// The whole plan.
    pub plan: Plan,
    /// The key that was to sign the result.
    pub public_key: PublicKey,
    /// The drive as it described itself.
    pub drive: Drive,
    /// Each drive of drives apart as it described itself; empty for one target.
    pub apart: Vec<Drive>,
    /// The machine around it.
    pub host: Host,
}

/// The target is written full and cells can be measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filled {
    /// The target.
    pub target: Target,
    /// Those on the second drive of drives apart and further ones.
    pub other_targets: Vec<Target>,
    /// The fill; `None` when the first cell writes the span itself.
    pub preparation: Option<Preparation>,
    /// Present when the run had gone on after its program had died.
    pub resumption: Option<Resumption>,
    /// Time on the run's clock, nanoseconds.
    pub at_ns: u64,
}

/// A cell is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellOver {
    /// The cell.
    pub cell: Cell,
    /// The engine, as far as all cells up to this one share it.
    pub engine: Option<Engine>,
    /// What was watched since the record before.
    pub telemetry: Telemetry,
    /// Time on the run's clock, nanoseconds.
    pub at_ns: u64,
}

/// A pass is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassOver {
    /// The pass.
    pub pass: Pass,
    /// The engine, as far as everything up to this one shares it.
    pub engine: Option<Engine>,
    /// What was watched since the record before.
    pub telemetry: Telemetry,
    /// Time on the run's clock, nanoseconds.
    pub at_ns: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Record {
    Start(Box<Start>),
    Filled(Box<Filled>),
    Cell(Box<CellOver>),
    Pass(Box<PassOver>),
}

/// What was measured before the program died; nothing for a run that begins.
#[derive(Debug, Default)]
pub struct Past {
    /// The target.
    pub target: Option<Target>,
    /// Those on the second drive of drives apart and further ones.
    pub other_targets: Vec<Target>,
    /// The first fill that was finished.
    pub preparation: Option<Preparation>,
    /// The engine of the cells and passes.
    pub engine: Option<Engine>,
    /// What was watched, in pieces.
    pub telemetry: Vec<Telemetry>,
    /// Each time the run went on before.
    pub resumptions: Vec<Resumption>,
    /// The cells that are over.
    pub cells: Vec<Cell>,
    /// The passes that are over.
    pub passes: Vec<Pass>,
    /// Time on the run's clock up to the last phase that was over, nanoseconds.
    pub clock_ns: u64,
    /// Wall-clock label of the moment the run goes on, milliseconds since 1970 UTC; `None` for a run that
    /// begins.
    pub resumed_unix_ms: Option<u64>,
}

impl Past {
    /// Cells and passes that are over.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.cells.len() + self.passes.len()
    }
}

/// The journal of the run that is going on. What cannot be written is said once: the run itself goes on.
#[derive(Debug)]
pub struct Journal {
    id: String,
    path: PathBuf,
    writer: Option<RecordWriter>,
    /// Cells and passes that it holds.
    steps: usize,
}

impl Journal {
    /// No journal, for what need not be resumed.
    #[must_use]
    pub fn none() -> Self {
        Self { id: String::new(), path: PathBuf::new(), writer: None, steps: 0 }
    }

    /// Begins a journal with what is known before the start.
    #[must_use]
    pub fn begin(state: &StateDir, start: &Start) -> Self {
        let mut journal = Self { id: String::new(), path: PathBuf::new(), writer: None, steps: 0 };
        let mut start = start.clone();
        // The run may be resumed from another directory.
        if let Ok(out) = std::path::absolute(&start.plan.out) {
            start.plan.out = out;
        }
        if let Some(PowerInput::File(path)) = &mut start.plan.power
            && let Ok(absolute) = std::path::absolute(&*path)
        {
            *path = absolute;
        }
        match journal.create(state) {
            Ok(()) => journal.append(&Record::Start(Box::new(start))),
            Err(error) => lost(&error),
        }
        journal
    }

    fn create(&mut self, state: &StateDir) -> io::Result<()> {
        state.make()?;
        let id = new_id()?;
        let path = state.path().join(format!("{PREFIX}{id}{SUFFIX}"));
        let writer = RecordWriter::create(&path)?;
        // While the lock is held nobody takes this run for an interrupted one.
        flock(writer.file(), FlockOperation::NonBlockingLockExclusive)?;
        *self = Self { id, path, writer: Some(writer), steps: 0 };
        Ok(())
    }

    /// Under which id the run can be resumed; `None` when no journal is kept.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.writer.as_ref().map(|_| self.id.as_str())
    }

    /// The target is written full.
    pub fn filled(&mut self, filled: Filled) {
        self.append(&Record::Filled(Box::new(filled)));
    }

    /// A cell is over.
    pub fn cell(&mut self, over: CellOver) {
        self.steps += 1;
        self.append(&Record::Cell(Box::new(over)));
    }

    /// A pass is over.
    pub fn pass(&mut self, over: PassOver) {
        self.steps += 1;
        self.append(&Record::Pass(Box::new(over)));
    }

    fn append(&mut self, record: &Record) {
        let Some(writer) = &mut self.writer else { return };
        let payload = serde_json::to_vec(record).expect("a record has only JSON-able fields");
        if let Err(error) = writer.append(&payload) {
            lost(&error);
            // What is in the file stays: it can still be resumed up to there, once this program is gone.
            self.writer = None;
        }
    }

    /// Keeps the journal; yields the id under which the run can be resumed, `None` when no journal is kept.
    #[must_use]
    pub fn keep(self) -> Option<String> {
        self.id().map(str::to_owned)
    }

    /// Removes the journal when it holds no cell and no pass: what fails at its beginning fails again. Yields the id of
    /// one that stays.
    pub fn remove_when_empty(self) -> Option<String> {
        if self.steps == 0 {
            self.remove();
            return None;
        }
        self.keep()
    }

    /// Removes the journal of a run that needs none any more.
    pub fn remove(mut self) {
        if self.writer.take().is_some()
            && let Err(error) = fs::remove_file(&self.path)
        {
            note(&format!("the journal {} cannot be removed: {error}", shown(&self.path)));
        }
    }
}

fn lost(error: &io::Error) {
    note(&format!("no journal can be kept ({error}): if the power fails, this run cannot be resumed"));
}

/// A run whose program died.
#[derive(Debug)]
pub struct Interrupted {
    /// Its id.
    pub id: String,
    /// What was planned.
    pub start: Start,
    /// What was measured.
    pub past: Past,
    /// Whether a record in the middle of the journal is damaged, so that what followed it is lost.
    pub damaged: bool,
    path: PathBuf,
    file: File,
    records: Records,
}

impl Interrupted {
    /// Takes the journal over, cut behind its last whole record, to go on with the run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take_over(self) -> Result<(Start, Past, Journal), Failure> {
        let Self { id, start, past, path, file, records, .. } = self;
        let writer = RecordWriter::resume(file, &records)
            .map_err(|error| Failure::failed(format!("cannot write {}", path.display())).because(error))?;
        let steps = past.steps();
        Ok((start, past, Journal { id, path, writer: Some(writer), steps }))
    }

    /// Forgets the run.
    ///
    /// # Errors
    /// When the journal cannot be removed.
    pub fn forget(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    /// The journal.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command that goes on with the run: `cliffmark resume 3f2a91c0`.
    #[must_use]
    pub fn resume_command(&self) -> String {
        let drop = if self.damaged { " --drop-damaged" } else { "" };
        format!("cliffmark resume {}{drop}", self.id)
    }

    /// The run in one line: `3f2a91c0  quick in /mnt/drive, 5 of 8 cells, 2026-11-30 21:40 UTC`.
    #[must_use]
    pub fn line(&self) -> String {
        let plan = &self.start.plan;
        format!(
            "{}  {} on {}, {} of {} {}, {}",
            self.id,
            plan.suite.name,
            plan.place.names(),
            self.past.steps(),
            plan.step_count(),
            plan.step_words(),
            model::units::format_utc(plan.started_unix_ms)
        )
    }
}

/// The journals of runs, those that are interrupted in the order of their start.
#[derive(Debug, Default)]
pub struct Journals {
    /// Those from which a run can be resumed.
    pub interrupted: Vec<Interrupted>,
    /// Those that hold no run.
    pub unusable: Vec<Unusable>,
    /// Ids of runs whose program holds its journal: they are going on, or were killed a moment ago.
    pub going_on: Vec<String>,
}

/// Finds the journals that runs left behind; of runs that are going on, only the ids.
///
/// # Errors
/// When the state directory cannot be read.
pub fn find(state: &StateDir) -> Result<Journals, Failure> {
    let cannot = |error| {
        Failure::failed(format!("cannot read the journals in {}", state.path().display())).because(error)
    };
    let mut journals = Journals::default();
    for (id, path) in state.files(PREFIX, SUFFIX).map_err(cannot)? {
        match read(&id, &path) {
            Ok(Some(run)) => journals.interrupted.push(run),
            Ok(None) => journals.going_on.push(id),
            Err(unusable) => journals.unusable.push(unusable),
        }
    }
    journals.interrupted.sort_by_key(|run| run.start.plan.started_unix_ms);
    Ok(journals)
}

/// Reads one journal; `None` while its run is going on.
fn read(id: &str, path: &Path) -> Result<Option<Interrupted>, Unusable> {
    let Some(mut file) = records::take(path).map_err(|error| Unusable::unopened(path, &error))? else {
        return Ok(None);
    };
    match parse(&mut file) {
        Ok((start, past, records)) => Ok(Some(Interrupted {
            id: id.to_owned(),
            start,
            past,
            damaged: records.end == End::Damaged,
            path: path.to_owned(),
            file,
            records,
        })),
        Err(error) => Err(Unusable::taken(path, file, &error)),
    }
}

fn parse(file: &mut File) -> io::Result<(Start, Past, Records)> {
    let records = Records::read(file)?;
    let mut parsed = Vec::with_capacity(records.payloads.len());
    for payload in &records.payloads {
        parsed.push(serde_json::from_slice::<Record>(payload)?);
    }
    let mut parsed = parsed.into_iter();
    let Some(Record::Start(start)) = parsed.next() else {
        return Err(io::Error::other("it ends before the run had begun"));
    };
    let mut past = Past::default();
    for record in parsed {
        match record {
            Record::Start(_) => return Err(io::Error::other("it holds two runs")),
            Record::Filled(filled) => {
                let Filled { target, other_targets, preparation, resumption, at_ns } = *filled;
                past.target = Some(target);
                past.other_targets = other_targets;
                past.preparation = past.preparation.or(preparation);
                past.resumptions.extend(resumption);
                past.clock_ns = at_ns;
            }
            Record::Cell(over) => {
                let CellOver { cell, engine, telemetry, at_ns } = *over;
                past.cells.push(cell);
                past.engine = engine;
                past.telemetry.push(telemetry);
                past.clock_ns = at_ns;
            }
            Record::Pass(over) => {
                let PassOver { pass, engine, telemetry, at_ns } = *over;
                past.passes.push(pass);
                past.engine = engine;
                past.telemetry.push(telemetry);
                past.clock_ns = at_ns;
            }
        }
    }
    Ok((*start, past, records))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan::Place, suite};
    use model::{
        document::{DEFAULT_LICENSE, Visibility, Wait},
        drive::Transport,
        fixtures,
        telemetry::{PausePolicy, SamplingPolicy},
    };
    use std::{collections::BTreeMap, io::Write as _};

    fn start(started_unix_ms: u64) -> (Start, model::ResultDocument) {
        let document = fixtures::document("Example", 1.0, PublicKey([7; 32]));
        let plan = Plan {
            place: Place::Directory(PathBuf::from("/mnt/drive")),
            suite: suite::find("quick", &[], crate::suite::Room::UNKNOWN).unwrap(),
            runs: 1,
            labels: BTreeMap::new(),
            out: PathBuf::from("/tmp/out.cliffmark"),
            out_named: true,
            visibility: Visibility::Public,
            license: DEFAULT_LICENSE.to_owned(),
            publish_serial: false,
            allow_void: false,
            wait: Wait::Block,
            upload: None,
            filler_bytes: 0,
            untrimmed: None,
            left_out: Vec::new(),
            sampling: SamplingPolicy { period_ns: 1, pauses: PausePolicy::Sampled },
            power: None,
            ground: None,
            apart: Vec::new(),
            transport: Transport::Unknown,
            model: None,
            tbw_bytes: None,
            started_unix_ms,
        };
        let start = Start {
            runner_version: "0.1.0".to_owned(),
            plan,
            public_key: document.public_key,
            drive: document.drive.clone(),
            apart: Vec::new(),
            host: document.host.clone(),
        };
        (start, document)
    }

    fn filled(document: &model::ResultDocument, resumption: Option<Resumption>, at_ns: u64) -> Filled {
        let preparation = document.preparation.clone().unwrap();
        let target = document.target.clone();
        Filled { target, other_targets: Vec::new(), preparation: Some(preparation), resumption, at_ns }
    }

    fn over(document: &model::ResultDocument, index: usize) -> CellOver {
        CellOver {
            cell: document.cells[index].clone(),
            engine: Some(document.engine.clone()),
            telemetry: document.telemetry.clone(),
            at_ns: 100 + index as u64,
        }
    }

    #[test]
    fn a_run_reads_back_and_goes_on_only_when_its_program_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::at(directory.path().join("state"));
        let (start, document) = start(1);
        let mut journal = Journal::begin(&state, &start);
        journal.filled(filled(&document, None, 10));
        journal.cell(over(&document, 0));
        journal.cell(over(&document, 1));
        let going_on = find(&state).unwrap();
        assert!(going_on.interrupted.is_empty(), "the run is going on");
        assert_eq!(going_on.going_on, [journal.id().unwrap()]);
        drop(journal);

        let run = find(&state).unwrap().interrupted.pop().unwrap();
        assert!(run.line().contains("quick on /mnt/drive, 2 of 8 cells"), "{}", run.line());
        assert_eq!(run.past.cells, document.cells[..2]);
        assert_eq!(run.past.clock_ns, 101);
        assert_eq!(run.past.engine.as_ref(), Some(&document.engine));
        assert_eq!(run.past.preparation, document.preparation);
        assert_eq!(run.start.plan.suite, start.plan.suite);
        assert!(find(&state).unwrap().interrupted.is_empty(), "someone looks at it already");

        let (_, _, mut journal) = run.take_over().unwrap();
        let resumption = Resumption { cells_before: 2, at_ns: 101, resumed_unix_ms: 5, preparation: None };
        journal.filled(filled(&document, Some(resumption.clone()), 150));
        journal.cell(over(&document, 2));
        drop(journal);
        let run = find(&state).unwrap().interrupted.pop().unwrap();
        assert_eq!((run.past.cells.len(), run.past.clock_ns), (3, 102));
        assert_eq!(run.past.resumptions, [resumption]);
        let (_, _, journal) = run.take_over().unwrap();
        journal.remove();
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_torn_record_is_dropped_and_a_damaged_one_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::at(directory.path().to_owned());
        let (start, document) = start(1);
        let mut journal = Journal::begin(&state, &start);
        journal.filled(filled(&document, None, 10));
        journal.cell(over(&document, 0));
        let path = journal.path.clone();
        let before = fs::metadata(&path).unwrap().len();
        journal.cell(over(&document, 1));
        drop(journal);
        let whole = fs::read(&path).unwrap();

        fs::write(&path, &whole[..whole.len() - 10]).unwrap();
        let run = find(&state).unwrap().interrupted.pop().unwrap();
        assert_eq!((run.past.cells.len(), run.damaged), (1, false));
        drop(run);

        let mut damaged = whole;
        damaged[before as usize - 10] ^= 1;
        fs::write(&path, damaged).unwrap();
        let run = find(&state).unwrap().interrupted.pop().unwrap();
        assert_eq!((run.past.cells.len(), run.damaged), (0, true));
        assert!(run.resume_command().ends_with(&format!("resume {} --drop-damaged", run.id)));
        assert!(run.past.target.is_some(), "what lies before the damage stays");
    }

    #[test]
    fn a_journal_without_cells_leaves_nothing_and_others_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::at(directory.path().to_owned());
        let (start, _) = start(1);
        assert_eq!(Journal::begin(&state, &start).remove_when_empty(), None);
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
        let path = state.path().join("cliffmark-00000000.journal");
        File::create(&path).unwrap().write_all(b"something else, long enough to be read").unwrap();
        let journals = find(&state).unwrap();
        assert_eq!((journals.interrupted.len(), journals.unusable.len()), (0, 1));
    }

    #[test]
    fn paths_that_are_no_text_read_back_too() {
        use std::os::unix::ffi::OsStringExt as _;
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::at(directory.path().to_owned());
        let odd = |name: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()));
        let (mut start, _) = start(1);
        start.plan.place = Place::Directory(odd(b"/mnt/\xff"));
        start.plan.out = odd(b"/tmp/\xfe.cliffmark");
        start.plan.power = Some(PowerInput::File(odd(b"/tmp/\xfd.csv")));
        drop(Journal::begin(&state, &start));
        let run = find(&state).unwrap().interrupted.pop().unwrap();
        assert_eq!(run.start.plan.place.path(), start.plan.place.path());
        assert_eq!((&run.start.plan.out, &run.start.plan.power), (&start.plan.out, &start.plan.power));
        assert!(run.line().contains("on /mnt/\u{fffd},"), "{}", run.line());
    }

    #[test]
    fn a_run_goes_on_without_a_journal_when_none_can_be_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let (start, document) = start(1);
        let mut journal = Journal::begin(&StateDir::at(file.join("below")), &start);
        journal.cell(over(&document, 0));
        assert_eq!(journal.id(), None);
        assert_eq!(journal.remove_when_empty(), None);
    }
}
