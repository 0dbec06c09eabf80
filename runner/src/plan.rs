//! What a run will do, settled before anything starts: where, how long, how many bytes.
//!
//! Looks at the machine through [`System`] and changes nothing. `--dry-run` prints exactly this.

pub(crate) mod apart;
pub(crate) mod files;

use crate::{
    bundle_file,
    cli::RunArgs,
    drive::{self, ground::Ground},
    hint::{Failure, shown},
    mounts,
    rails::WholeDevice,
    recorder::bin_count,
    simulate,
    suite::{self, Room, Section, Step, Suite},
    sysfs::{SysRoot, words},
    target,
    telemetry::{self, PowerInput},
    trim,
    upload::Server,
    wrap::wrapped,
};
use model::{
    document::{FITTED, MAX_CELLS, Visibility, Wait},
    drive::Transport,
    labels::LabelKey,
    method::{DataKind, Method},
    pass::{Idle, MAX_PASSES, PassMethod, RandomWrites, SequentialWrites, TracePlay, Workload},
    telemetry::{PausePolicy, SamplingPolicy},
    units::{
        NS_PER_S, Nanos, format_capacity, format_clock, format_count, format_rate, format_share, format_size,
        grouped,
    },
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::FileTypeExt as _,
    path::{Path, PathBuf},
};

/// What a plan needs to know of the machine.
#[derive(Debug, Clone)]
pub struct System {
    /// Where `/sys` and `/proc` lie.
    pub root: SysRoot,
    /// Wall-clock label, milliseconds since 1970 UTC.
    pub now_unix_ms: u64,
}

impl System {
    /// This machine, now.
    #[must_use]
    pub fn real() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self { root: SysRoot::default(), now_unix_ms: u64::try_from(now.as_millis()).unwrap_or(0) }
    }
}

/// What is measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A new file in this directory, which has no links in it.
    Directory(#[serde(with = "crate::path_bytes")] PathBuf),
    /// A whole device.
    Device(WholeDevice),
    /// A drive in virtual time.
    Simulated(SimulatedDrive),
    /// Several directories or devices, each on a drive of its own.
    Apart(Vec<Self>),
}

/// A simulated drive by its name and conditions, `980-pro-2tb?cooling=heatsink`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SimulatedDrive(String);

impl SimulatedDrive {
    /// The drive, rested.
    #[must_use]
    pub fn drive(&self) -> sim::Drive {
        sim::parse(&self.0).expect("it was read when it was made")
    }
}

impl TryFrom<String> for SimulatedDrive {
    type Error = sim::NameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        sim::parse(&name).map(|_| Self(name))
    }
}

impl From<SimulatedDrive> for String {
    fn from(drive: SimulatedDrive) -> Self {
        drive.0
    }
}

impl Place {
    /// The directory or the device's file, of several the first one's; the name of a simulated drive, which lies nowhere.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Directory(path) => path,
            Self::Device(device) => &device.path,
            Self::Simulated(drive) => Path::new(&drive.0),
            Self::Apart(places) => places.first().map_or(Path::new(""), Self::path),
        }
    }

    /// Each directory, device or simulated drive: itself, when it is one.
    #[must_use]
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Apart(places) => places,
            one => std::slice::from_ref(one),
        }
    }

    /// The same, to be changed.
    pub fn each_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Apart(places) => places,
            one => std::slice::from_mut(one),
        }
    }

    /// The paths of all of them: `/mnt/a, /mnt/b`.
    #[must_use]
    pub fn names(&self) -> String {
        self.each().iter().map(|place| shown(place.path())).collect::<Vec<_>>().join(", ")
    }

    /// The whole devices among them.
    #[must_use]
    pub fn devices(&self) -> Vec<&WholeDevice> {
        self.each().iter().filter_map(Self::device).collect()
    }

    /// The simulated drive, when it is one.
    #[must_use]
    pub fn simulated(&self) -> Option<&SimulatedDrive> {
        match self {
            Self::Simulated(drive) => Some(drive),
            Self::Directory(_) | Self::Device(_) | Self::Apart(_) => None,
        }
    }

    /// The device, when it is a whole one, and only one.
    #[must_use]
    pub fn device(&self) -> Option<&WholeDevice> {
        match self {
            Self::Directory(_) | Self::Simulated(_) | Self::Apart(_) => None,
            Self::Device(device) => Some(device),
        }
    }

    /// What carries its bytes; `None` when it cannot be told, and for several.
    #[must_use]
    pub fn ground(&self, root: &SysRoot) -> Option<Ground> {
        let number = match self {
            Self::Directory(directory) => mounts::device_below(root, directory)?,
            Self::Device(device) => device.number,
            Self::Simulated(_) | Self::Apart(_) => return None,
        };
        Ground::of(root, number)
    }

    /// The same for each of several drives apart; empty for one target.
    fn grounds(&self, root: &SysRoot) -> Vec<Option<Ground>> {
        match self {
            Self::Apart(places) => places.iter().map(|place| place.ground(root)).collect(),
            _ => Vec::new(),
        }
    }
}

/// In which state a cell needs its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanFor {
    /// As the cell before it left it.
    AsItIs,
    /// Written full.
    Filled(Section),
    /// New and not written: the cell does that.
    Unwritten(Section),
}

impl SpanFor {
    /// What is to be made; `None` when nothing is.
    #[must_use]
    pub fn section(&self) -> Option<&Section> {
        match self {
            Self::AsItIs => None,
            Self::Filled(section) | Self::Unwritten(section) => Some(section),
        }
    }

    /// Whether it is to be written full.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        matches!(self, Self::Filled(_))
    }
}

/// A run, settled. It is also what a journal keeps of it, so that it can be resumed as it was planned.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Where it is measured.
    pub place: Place,
    /// The suite, settings applied.
    pub suite: Suite,
    /// How often the suite is run.
    pub runs: u32,
    /// What the reviewer says.
    pub labels: BTreeMap<LabelKey, String>,
    /// Where the bundle goes.
    #[serde(with = "crate::path_bytes")]
    pub out: PathBuf,
    /// Whether the user named that place. A name of ours gives way to a file that has it by then.
    pub out_named: bool,
    /// Public or unlisted.
    pub visibility: Visibility,
    /// Licence of the data.
    pub license: String,
    /// Whether the drive's serial number is published.
    pub publish_serial: bool,
    /// Whether what cannot be proven is measured all the same.
    pub allow_void: bool,
    /// When sensors are read.
    pub sampling: SamplingPolicy,
    /// An external power meter.
    pub power: Option<PowerInput>,
    /// How completions are awaited.
    pub wait: Wait,
    /// Where the bundle is published at the end.
    pub upload: Option<Server>,
    /// Most bytes that one run of the suite writes only to take room on the drive.
    pub filler_bytes: u64,
    /// Why unused blocks cannot be handed back to the drive, where the suite wants it; `None` when they can.
    pub untrimmed: Option<String>,
    /// Numbers of drives for which the suite has cells that are left out, because there are not as many.
    pub left_out: Vec<u8>,
    /// What carries the directory's bytes; `None` when it cannot be told, and for drives apart.
    #[serde(skip)]
    pub ground: Option<Ground>,
    /// What carries the bytes of each of several drives apart; empty for one target.
    #[serde(skip)]
    pub apart: Vec<Option<Ground>>,
    /// How the drive is attached, for the upper bound of written bytes.
    pub transport: Transport,
    /// The drive's model; `None` when it has none or cannot be told.
    pub model: Option<String>,
    /// Bytes that the drive's maker warrants to be written, as the user says; `None` when nothing was said.
    pub tbw_bytes: Option<u64>,
    /// Wall-clock label of the start, milliseconds since 1970 UTC.
    pub started_unix_ms: u64,
}

/// Throughput that the fill is assumed to have when its time is estimated, bytes per second.
const ASSUMED_FILL_RATE: u64 = 500_000_000;
/// Largest document in bytes that surely fits a bundle.
const MAX_DOCUMENT_BYTES: u64 = 40 << 20;

impl Plan {
    /// Settles every default and conflict.
    ///
    /// # Errors
    /// When the target, the suite, the file to write or the server makes no sense.
    pub fn from_args(args: &RunArgs, system: &System) -> Result<Self, Failure> {
        let place = place_of_all(&args.targets, &system.root)?;
        let mut labels = labels(&args.label)?;
        if let Some(drive) = place.simulated() {
            if let Some(key) = [LabelKey::Cooling, LabelKey::Slot, LabelKey::Fill]
                .into_iter()
                .find(|key| labels.contains_key(key))
            {
                return Err(simulated_label(key));
            }
            for (key, text) in simulate::conditions(&drive.drive()) {
                let own = labels.remove(&key).map_or_else(String::new, |own| format!("; {own}"));
                labels.insert(key, text + &own);
            }
        }
        let settings = settings(&args.set)?;
        let room = room(&place);
        let found = match &args.trace {
            Some(recording) => suite::replay(recording, settings, room),
            None => suite::find(&args.suite, settings, room),
        };
        let suite = found.map_err(|error| {
            let what = if args.trace.is_some() {
                "the recording cannot be played"
            } else {
                "the suite cannot be run"
            };
            let hint = error.hint();
            Failure::usage(what).because(error).hint(hint)
        })?;
        let runs = args.runs.unwrap_or(suite.runs);
        let upload = match (args.upload, &args.server) {
            (false, _) => None,
            (true, Some(address)) => Some(Server::parse(address)?),
            (true, None) => return Err(Server::missing()),
        };
        let out = match &args.out {
            Some(out) => out.clone(),
            None => bundle_file::first_free(&default_name(&suite.name, system.now_unix_ms), ""),
        };
        bundle_file::check_new(&out)?;
        let power = args.power.as_deref().map(PowerInput::parse).transpose()?;
        let (ground, grounds) = (place.ground(&system.root), place.grounds(&system.root));
        let below: Vec<&Ground> = ground.iter().chain(grounds.iter().flatten()).collect();
        let (transport, model) = drive_of(&place, &below);
        let sampling = telemetry::policy(&below, args.sample_every, suite.pauses);
        let untrimmed = trim::possible(&place, ground.as_ref()).err();
        let untrimmed = untrimmed.filter(|_| suite.methods.iter().any(|method| method.before.trimmed));
        let mut suite = suite;
        let left_out = keep_members(&mut suite, &place, ground.as_ref())?;
        check_size_of_document(&suite, runs)?;
        apart::check_drives(&place, &grounds)?;
        let filler_bytes = filler_bytes(&suite, room);
        if untrimmed.is_some() {
            // What was not trimmed is measured by another method.
            suite.methods.iter_mut().for_each(|method| method.before.trimmed = false);
            let mut seen = BTreeSet::new();
            suite.methods.retain(|method| seen.insert(method.cell()));
        }
        if let Place::Device(device) = &place {
            widen_writes(&mut suite, device.block_bytes);
        }
        Ok(Self {
            place,
            suite,
            runs,
            labels,
            out,
            out_named: args.out.is_some(),
            visibility: if args.unlisted { Visibility::Unlisted } else { Visibility::Public },
            license: args.license.clone(),
            publish_serial: args.publish_serial,
            allow_void: args.allow_void,
            sampling,
            power,
            wait: args.wait.into(),
            upload,
            filler_bytes,
            untrimmed,
            left_out,
            ground,
            apart: grounds,
            transport,
            model,
            tbw_bytes: args.tbw,
            started_unix_ms: system.now_unix_ms,
        })
    }

    /// Looks anew what carries the place: numbers of devices change with every boot.
    pub fn find_ground(&mut self, root: &SysRoot) {
        self.ground = self.place.ground(root);
        self.apart = self.place.grounds(root);
        (self.transport, self.model) = drive_of(&self.place, &self.grounds());
    }

    /// What carries the bytes of each target, as far as that can be told.
    #[must_use]
    pub fn grounds(&self) -> Vec<&Ground> {
        self.ground.iter().chain(self.apart.iter().flatten()).collect()
    }

    /// Number of all cells and passes, those of every run of the suite.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.suite.step_count() * self.runs as usize
    }

    /// What all of them are called: `cells`, `passes`, or `cells and passes`.
    #[must_use]
    pub fn step_words(&self) -> &'static str {
        match (self.suite.methods.is_empty(), self.suite.passes.is_empty()) {
            (_, true) => "cells",
            (true, false) => "passes",
            (false, false) => "cells and passes",
        }
    }

    /// The run, the place in the suite and the step at `number` of all, from 0.
    #[must_use]
    pub fn step(&self, number: usize) -> (u32, usize, Step<'_>) {
        let count = self.suite.step_count();
        let run = u32::try_from(number / count).unwrap_or(u32::MAX);
        (run, number % count, self.suite.step(number % count))
    }

    /// The steps that are left when `over` are measured, in order, with their places in the suite.
    fn left(&self, over: usize) -> impl Iterator<Item = (usize, Step<'_>)> {
        (over..self.step_count()).map(|number| {
            let (_, index, step) = self.step(number);
            (index, step)
        })
    }

    /// In which state the span is needed for the step at `number` of all, after the one at `before` was measured
    /// on it; `None` when there is no span yet.
    #[must_use]
    pub fn span_for(&self, before: Option<usize>, number: usize) -> SpanFor {
        let sections = self.suite.sections();
        let count = self.suite.step_count();
        let place = |number: usize| sections.iter().position(|one| one.cells.contains(&(number % count)));
        // What all cells share serves for every run.
        let shared = matches!(&sections[..], [only] if !only.fresh);
        let key = |number: usize| (if shared { 0 } else { number / count }, place(number));
        let Some(section) = place(number).map(|place| sections[place].clone()) else {
            unreachable!("every step is in a section")
        };
        match before {
            Some(before) if key(before) == key(number) => SpanFor::AsItIs,
            // What passes did to a device stays on it when the program dies; a new fill would undo it.
            None if self.place.device().is_some()
                && number % count > section.cells.start.max(self.suite.methods.len()) =>
            {
                SpanFor::Unwritten(section)
            }
            _ if section.fresh && section.cells.start == number % count => SpanFor::Unwritten(section),
            _ => SpanFor::Filled(section),
        }
    }

    /// Bytes with which spans are filled for the cells that are left when `over` are measured.
    fn fill_bytes(&self, over: usize) -> u64 {
        let before = |number: usize| (number > over).then(|| number - 1);
        let fills = (over..self.step_count()).map(|number| match self.span_for(before(number), number) {
            SpanFor::Filled(section) => section.span_bytes,
            SpanFor::AsItIs | SpanFor::Unwritten(_) => 0,
        });
        let unmeasured = files::unmeasured_bytes(self.left(over).map(|(_, step)| step));
        fills.fold(unmeasured, u64::saturating_add)
    }

    /// Most bytes that are written only to take room when `over` steps are measured.
    fn fillers(&self, over: usize) -> u64 {
        let runs = self.step_count().saturating_sub(over).div_ceil(self.suite.step_count().max(1));
        self.filler_bytes.saturating_mul(runs as u64)
    }

    /// Estimated time of everything that is left when `over` steps are measured.
    #[must_use]
    pub fn time(&self, over: usize) -> Nanos {
        let bytes = self.fill_bytes(over) + self.fillers(over);
        let fill = Nanos::from_secs((bytes / ASSUMED_FILL_RATE).max(1));
        Nanos(self.measuring_time(over).0 + fill.0)
    }

    /// Time of all loops, passes and pauses that are left when `over` steps are measured, without the fill.
    #[must_use]
    pub fn measuring_time(&self, over: usize) -> Nanos {
        let seconds = self
            .left(over)
            .map(|(index, step)| step_seconds(&self.suite, step) + self.suite.pause_before(index));
        Nanos::from_secs(seconds.sum())
    }

    /// Seconds during which the drive is written to as fast as it can when `over` steps are measured, without the
    /// fill and without writes that end by bytes.
    #[must_use]
    pub fn writing_seconds(&self, over: usize) -> u64 {
        self.left(over).map(|(_, step)| writing_seconds_of(step)).sum()
    }

    /// Bytes of the writes that end by them, at most.
    fn stretch_bytes(&self, over: usize) -> u64 {
        let bytes = self.left(over).map(|(_, step)| stretch_bytes_of(&self.suite, step));
        bytes.fold(0, u64::saturating_add)
    }

    /// What `stretch_bytes` are, in words.
    fn stretch_words(&self) -> &'static str {
        match (self.suite.methods.is_empty(), self.suite.passes.is_empty()) {
            (_, true) => "once through it",
            (true, false) if self.suite.passes.iter().any(|pass| pass.files().is_some()) => "by copies",
            (true, false) => "by traces and in order",
            (false, false) => "once through it, by traces and in order",
        }
    }

    /// The plan for people. Time, writes and wear are those of what is left when `over` cells are measured.
    #[must_use]
    pub fn text(&self, over: usize) -> String {
        let Self { suite, runs, model, transport, out, .. } = self;
        let changed = suite::changed_suite(suite);
        let mut text = lines("Suite", &format!("{}{changed}: {}", suite.name, shape(suite, *runs)));
        let drive: Vec<&str> = model.as_deref().into_iter().chain([transport.text()]).collect();
        let stack = self.ground.as_ref().map_or(&[][..], |ground| &ground.stack);
        let asked = |key| self.labels.get(&key).filter(|_| self.place.simulated().is_some());
        let asked: Vec<String> = [LabelKey::Cooling, LabelKey::Slot, LabelKey::Fill]
            .into_iter()
            .filter_map(|key| Some(format!("{} {}", key.token(), asked(key)?)))
            .collect();
        let drive: Vec<&str> = drive.into_iter().chain(asked.iter().map(String::as_str)).collect();
        let through =
            if stack.is_empty() { String::new() } else { format!(", through {}", stack.join(" on ")) };
        if self.apart.is_empty() {
            text.push_str(&format!("Drive   {}{through}\n", drive.join(", ")));
        }
        text.push_str(&match &self.place {
            Place::Apart(places) => apart::text(suite, places, &self.apart),
            Place::Directory(directory) => files::target_text(suite, directory).unwrap_or_else(|| {
                format!(
                    "Target  a new file of {} in {}\n        it goes away at the end; nothing else is touched\n",
                    format_size(suite.size_bytes()),
                    shown(directory)
                )
            }),
            Place::Device(device) => format!(
                "Target  {} ({}), {}\n        its first {} are overwritten: WHAT IS THERE IS LOST\n",
                shown(&device.path),
                format_capacity(device.capacity_bytes),
                device.id,
                format_size(suite.size_bytes())
            ),
            Place::Simulated(_) => {
                let none = format!("none: SIMULATED in virtual time, {FITTED}; nothing is read or written");
                lines("Target", &none)
            }
        });
        if !self.left_out.is_empty() {
            text.push_str(&format!(
                "Left    out are the cells of {} drives: there {} {}\n",
                apart::numbers(&self.left_out),
                if drives_there(&self.place, self.ground.as_ref()) == 1 { "is" } else { "are" },
                drives_there(&self.place, self.ground.as_ref())
            ));
        }
        // What makes the figures another method or class than usual is said before they are made.
        let mut kinds: Vec<&str> = suite
            .methods
            .iter()
            .map(|method| method.data)
            .filter(|data| *data != DataKind::Random)
            .map(DataKind::token)
            .collect();
        kinds.dedup();
        if !kinds.is_empty() {
            text.push_str(&format!("Data    {}: another method than random data\n", kinds.join(", ")));
        }
        if let Some(why) = &self.untrimmed {
            text.push_str(&format!("Trim    not possible here: {why}; another method than with it\n"));
        }
        match self.wait {
            Wait::Block => {}
            wait => text.push_str(&format!("Waits   {}: compared with polled results only\n", wait.text())),
        }
        if self.place.simulated().is_some() {
            let total = self.time(over);
            text.push_str(&format!(
                "Time    about {} of virtual time, which pass in a moment\n",
                format_clock(total)
            ));
        } else {
            text.push_str(&format!("Sensors {}\n", self.looks()));
        }
        if over < self.step_count() && self.place.simulated().is_none() {
            text.push_str(&format!("Time    about {}\n", format_clock(self.time(over))));
            text.push_str(&lines("Writes", &self.writes(over)));
            if let Some(tbw) = self.tbw_bytes {
                text.push_str(&format!("Wear    {}\n", self.wear(tbw, over)));
            }
        }
        match &self.power {
            Some(PowerInput::File(path)) => text.push_str(&format!("Power   read from {}\n", shown(path))),
            Some(PowerInput::Stdin) => text.push_str("Power   read from standard input\n"),
            None => {}
        }
        text.push_str(&format!("Bundle  {}\n", shown(out)));
        if let Some(server) = &self.upload {
            let listed = if self.visibility == Visibility::Unlisted { ", unlisted" } else { "" };
            text.push_str(&format!("Upload  to {server}{listed}, licence {}\n", self.license));
        }
        text
    }

    /// How often the drive's sensors are read.
    fn looks(&self) -> String {
        let sampling = self.sampling;
        let platters = self.grounds().iter().any(|ground| ground.has_platters());
        let why = if platters { " (hard disk)" } else { "" };
        let pauses = match sampling.pauses {
            PausePolicy::Sampled => "",
            PausePolicy::Silent => ", not in the pauses",
        };
        let period = match sampling.period_ns % NS_PER_S {
            0 => format_clock(Nanos(sampling.period_ns)),
            _ => format!("{} ms", sampling.period_ns / 1_000_000),
        };
        format!("read every {period}{why}{pauses}")
    }

    fn writes(&self, over: usize) -> String {
        let all = self.writes_each(over);
        let drives = self.place.each().len();
        if drives == 1 { all } else { format!("{all}\n        on each of the {drives} drives at most") }
    }

    /// The same for each of several drives.
    fn writes_each(&self, over: usize) -> String {
        let files = self.suite.passes.iter().any(|pass| pass.files().is_some());
        let what = match (self.place.device(), files) {
            (Some(_), _) => "span",
            (None, true) => "files",
            (None, false) => "file",
        };
        let (fill, once) = (self.fill_bytes(over), self.stretch_bytes(over));
        let seconds = self.writing_seconds(over);
        if seconds == 0 && once == 0 && self.fillers(over) == 0 {
            return match fill {
                0 => "nothing".to_owned(),
                fill => format!("{} once, to fill the {what}", format_size(fill)),
            };
        }
        let mut parts = Vec::new();
        let fillers = self.fillers(over);
        if fillers > 0 {
            parts.push(format!("at most {} to take room on the drive", format_capacity(fillers)));
        }
        if fill > 0 {
            parts.push(format!("{} to fill the {what}", format_size(fill)));
        }
        if once > 0 {
            parts.push(format!("at most {} {}", format_capacity(once), self.stretch_words()));
        }
        if seconds > 0 {
            parts.push(format!("{} s of writing into it", grouped(seconds as f64, 0)));
        }
        let parts = parts.join(", then ");
        if seconds == 0 {
            return parts;
        }
        let most = match ceiling(self.transport) {
            Some((limit, name)) => format!(
                "at most {} ({name}, {})",
                format_capacity(self.bytes_at(limit, over)),
                format_rate(limit as f64)
            ),
            None => "more if the drive is faster".to_owned(),
        };
        format!(
            "{parts}:\n        {} at 1,000 MB/s; {most}",
            format_capacity(self.bytes_at(1_000_000_000, over))
        )
    }

    /// Bytes written when the drive takes so many bytes per second.
    fn bytes_at(&self, rate: u64, over: usize) -> u64 {
        let timed = rate.saturating_mul(self.writing_seconds(over));
        [self.fill_bytes(over), self.fillers(over), self.stretch_bytes(over), timed]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// What the run takes of the bytes that the maker warrants.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    fn wear(&self, tbw: u64, over: usize) -> String {
        let share = |rate| match self.bytes_at(rate, over) {
            bytes if bytes >= tbw => "ALL".to_owned(),
            bytes => format_share(bytes as f64 / tbw as f64),
        };
        let of = format!("of {} of rated endurance", format_capacity(tbw));
        if self.writing_seconds(over) == 0 {
            return format!("{} {of}", share(0));
        }
        let most = ceiling(self.transport).map(|(limit, _)| format!("; at most {}", share(limit)));
        format!("{} {of}, if the drive takes 1,000 MB/s{}", share(1_000_000_000), most.unwrap_or_default())
    }
}

/// Highest throughput in bytes per second of the fastest link of a kind, before protocol loss, and its name; `None`
/// for kinds that have no such limit.
fn ceiling(transport: Transport) -> Option<(u64, &'static str)> {
    match transport {
        Transport::Sata => Some((600_000_000, "SATA")),
        Transport::Nvme => Some((15_750_000_000, "PCIe 5.0 x4")),
        _ => None,
    }
}

/// Estimated time of all runs of a suite, with the fill.
#[must_use]
pub fn estimated_time(suite: &Suite) -> Nanos {
    let fills = suite.sections().into_iter().filter(|section| !section.fresh);
    let fill: u64 = fills.map(|section| section.span_bytes / ASSUMED_FILL_RATE).sum();
    Nanos::from_secs(u64::from(suite.runs) * measuring_seconds(suite) + fill.max(1))
}

/// Seconds of all loops and pauses of one run of a suite, without the fill.
fn measuring_seconds(suite: &Suite) -> u64 {
    let pauses = (0..suite.step_count()).map(|index| suite.pause_before(index));
    suite.steps().map(|step| step_seconds(suite, step)).chain(pauses).sum()
}

/// Bytes that all runs of a suite write, at most where they end by bytes, when the drive takes `rate` bytes per second.
#[must_use]
pub fn written_bytes(suite: &Suite, rate: u64) -> u64 {
    let step = |step: Step<'_>| {
        stretch_bytes_of(suite, step).saturating_add(rate.saturating_mul(writing_seconds_of(step)))
    };
    let once = suite.steps().map(step).fold(0, u64::saturating_add);
    let fills = suite.sections().into_iter().filter(|section| !section.fresh);
    let fill = fills.map(|section| section.span_bytes).fold(0, u64::saturating_add);
    once.saturating_mul(suite.runs.into()).saturating_add(fill)
}

/// Estimated seconds of a cell, discarded loops and rests included.
fn cell_seconds(method: &Method) -> u64 {
    let rest = method.stretches().map_or(0, |one| u64::from(one.rest_seconds));
    let loops = u64::from(method.loops + method.discarded_loops);
    u64::from(method.before.rested_seconds) + (loop_seconds(method) + rest) * loops
}

/// Estimated seconds of a loop.
pub(crate) fn loop_seconds(method: &Method) -> u64 {
    let most = u64::from(method.seconds);
    // A loop that ends by bytes lasts as long as they take.
    method.stretches().map_or(most, |one| (one.loop_bytes / ASSUMED_FILL_RATE).max(1).min(most))
}

/// Estimated seconds of a step.
fn step_seconds(suite: &Suite, step: Step<'_>) -> u64 {
    match step {
        Step::Cell(method) => cell_seconds(method),
        Step::Pass(pass) => pass_time(suite, pass).0.div_ceil(NS_PER_S),
    }
}

/// Time that a pass takes at least, or what it is estimated at.
pub(crate) fn pass_time(suite: &Suite, pass: &PassMethod) -> Nanos {
    match &pass.workload {
        Workload::Trace(trace) => match trace.speed_percent {
            0 => Nanos::from_secs((trace_volume(suite, trace).moved / ASSUMED_FILL_RATE).max(1)),
            percent => Nanos(trace_volume(suite, trace).duration_ns / u64::from(percent) * 100),
        },
        Workload::RandomWrites(RandomWrites { seconds, .. }) | Workload::Idle(Idle { seconds }) => {
            Nanos::from_secs((*seconds).into())
        }
        Workload::SequentialWrites(SequentialWrites { bytes, .. }) => {
            Nanos::from_secs((bytes / ASSUMED_FILL_RATE).max(1))
        }
        Workload::Copying(_) | Workload::Loading(_) => files::time(pass).unwrap_or_default(),
    }
}

/// What a trace comes to.
struct Volume {
    written: u64,
    moved: u64,
    duration_ns: u64,
}

fn trace_volume(suite: &Suite, trace: &TracePlay) -> Volume {
    if let Some(own) = suite.recordings.iter().find(|own| trace.is_own() && own.name == trace.name) {
        let moved = own.read_bytes.saturating_add(own.written_bytes);
        return Volume { written: own.written_bytes, moved, duration_ns: own.duration_ns };
    }
    let published = workloads::PUBLISHED.iter().find(|published| published.name == trace.name);
    let Some(one) = published else {
        let Some(model) = workloads::model(&trace.name) else {
            return Volume { written: 0, moved: 0, duration_ns: 0 };
        };
        let workloads::Totals { read_bytes, written_bytes, .. } = model.totals;
        let moved = read_bytes.saturating_add(written_bytes);
        return Volume { written: written_bytes, moved, duration_ns: model.duration_ns };
    };
    Volume {
        written: one.written_mb * 1_000_000,
        moved: (one.read_mb + one.written_mb) * 1_000_000,
        duration_ns: one.duration_ms * 1_000_000,
    }
}

/// The smallest unit of random writes that a device takes: one with larger blocks takes no smaller writes, and they are
/// another method then.
fn widen_writes(suite: &mut Suite, block_bytes: u32) {
    for pass in &mut suite.passes {
        let own = match &mut pass.workload {
            Workload::RandomWrites(writes) => Some(writes),
            _ => None,
        };
        for writes in own.into_iter().chain(&mut pass.before.worn) {
            writes.unit_bytes = writes.unit_bytes.max(block_bytes);
        }
    }
}

/// Seconds of a step that writes until its time is over.
fn writing_seconds_of(step: Step<'_>) -> u64 {
    let method = match step {
        Step::Cell(method) => method,
        Step::Pass(pass) => {
            return match pass.workload {
                Workload::RandomWrites(RandomWrites { seconds, .. }) => seconds.into(),
                _ => 0,
            };
        }
    };
    if !method.pattern.writes() || method.stretches().is_some() {
        return 0;
    }
    u64::from(method.seconds) * u64::from(method.loops + method.discarded_loops)
}

/// Bytes of a step that writes until they are written.
fn stretch_bytes_of(suite: &Suite, step: Step<'_>) -> u64 {
    let method = match step {
        Step::Cell(method) => method,
        Step::Pass(pass) => {
            return match &pass.workload {
                Workload::Trace(trace) => trace_volume(suite, trace).written,
                Workload::SequentialWrites(writes) => writes.bytes,
                Workload::RandomWrites(_) | Workload::Idle(_) => 0,
                Workload::Copying(_) | Workload::Loading(_) => files::written_bytes(pass),
            };
        }
    };
    let stretches = method.stretches().filter(|_| method.pattern.writes());
    stretches.map_or(0, |one| one.loop_bytes.saturating_mul(method.loops.into()))
}

/// How many cells there are and how long each is: in one line, or where they differ in one for each kind.
fn shape(suite: &Suite, runs: u32) -> String {
    let repeats = if runs > 1 { format!(", all of it {runs} times") } else { String::new() };
    let mut kinds: Vec<(usize, String)> = Vec::new();
    for method in &suite.methods {
        let times = method.times();
        match kinds.last_mut() {
            Some((count, known)) if *known == times => *count += 1,
            _ => kinds.push((1, times)),
        }
    }
    let all = format_count(suite.methods.len() as u64, "cell");
    let of = |count: usize, times: &str| format!("{}, {times}", format_count(count as u64, "cell"));
    let passes = passes_shape(suite);
    match (&kinds[..], passes) {
        ([], passes) => format!("{}{repeats}", passes.unwrap_or_default()),
        (kinds, Some(passes)) => {
            let lines = kinds.iter().map(|(count, times)| format!("\n        {}", of(*count, times)));
            format!("{all} and {passes}{repeats}{}", lines.collect::<String>())
        }
        ([(count, times)], None) => format!("{}{repeats}", of(*count, times)),
        (kinds, None) => {
            let lines = kinds.iter().map(|(count, times)| format!("\n        {}", of(*count, times)));
            format!("{all}{repeats}{}", lines.collect::<String>())
        }
    }
}

/// The passes in words: `18 passes of 10 traces (applications 1: models of recorded applications)`.
pub(crate) fn passes_shape(suite: &Suite) -> Option<String> {
    let parts: Vec<String> = traces_shape(suite).into_iter().chain(files::shape(suite)).collect();
    if parts.is_empty() && !suite.passes.is_empty() {
        return Some(passes_count(suite.passes.len()));
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// How many traces are played how often; `None` without any.
fn traces_shape(suite: &Suite) -> Option<String> {
    let traces: Vec<&TracePlay> = suite.passes.iter().filter_map(PassMethod::trace).collect();
    let first = traces.first()?;
    let names: BTreeSet<&str> = traces.iter().map(|trace| trace.name.as_str()).collect();
    let rounds = passes_count(traces.len() / names.len().max(1));
    let what = if first.is_own() {
        "a recording".to_owned()
    } else if first.pack == model::files::LOADING_PACK {
        "a model of a game's loading".to_owned()
    } else {
        let traces = format_count(names.len() as u64, "trace");
        format!("{traces} (pack {} {}: models of recorded applications)", first.pack, first.version)
    };
    Some(format!("{rounds} of {what}"))
}

pub(crate) fn passes_count(count: usize) -> String {
    format!("{count} {}", if count == 1 { "pass" } else { "passes" })
}

/// What the reviewer says, each label once.
fn labels(given: &[(LabelKey, String)]) -> Result<BTreeMap<LabelKey, String>, Failure> {
    let mut labels = BTreeMap::new();
    for (key, text) in given {
        if labels.insert(*key, text.clone()).is_some() {
            return Err(given_twice("label", key.token()));
        }
    }
    Ok(labels)
}

/// A simulated drive is in the condition that it was asked for: a label that says another would be a lie.
fn simulated_label(key: LabelKey) -> Failure {
    let key = key.token();
    Failure::usage(format!("--label {key}= is not for a simulated drive, which states its own"))
        .hint(format!("leave it out, or ask for the condition: `sim:NAME?{key}=…`"))
}

fn given_twice(option: &str, key: &str) -> Failure {
    Failure::usage(format!("--{option} {key}= is given twice"))
        .hint("leave one of them out: nothing says which one is meant")
}

/// The suite's settings, each once.
fn settings(set: &[(String, String)]) -> Result<&[(String, String)], Failure> {
    let mut keys = BTreeSet::new();
    match set.iter().find(|(key, _)| !keys.insert(key)) {
        Some((key, _)) => Err(given_twice("set", key)),
        None => Ok(set),
    }
}

/// How much there is room for at a place, of several where there is least; what cannot be told is found when the run
/// begins.
fn room(place: &Place) -> Room {
    match place {
        Place::Apart(places) => places.iter().map(room).min_by_key(|room| room.free).unwrap_or(Room::UNKNOWN),
        Place::Directory(directory) => target::room(directory).unwrap_or(Room::UNKNOWN),
        Place::Device(device) => Room {
            total: device.capacity_bytes,
            free: device.capacity_bytes,
            device: true,
            in_virtual_time: false,
        },
        Place::Simulated(drive) => {
            let drive = drive.drive();
            Room {
                total: drive.capacity_bytes(),
                free: drive.free_bytes(),
                device: true,
                in_virtual_time: true,
            }
        }
    }
}

/// What is to be measured.
fn place_of_all(targets: &[PathBuf], root: &SysRoot) -> Result<Place, Failure> {
    let mut places = targets.iter().map(|target| place(target, root)).collect::<Result<Vec<_>, _>>()?;
    match places.len() {
        1 => Ok(places.remove(0)),
        _ => apart::place(places),
    }
}

/// The directory to measure in or the device to measure, or what to type instead.
fn place(target: &Path, root: &SysRoot) -> Result<Place, Failure> {
    let name = target.display();
    if let Some(drive) = target.to_str().and_then(|text| text.strip_prefix("sim:")) {
        return SimulatedDrive::try_from(drive.to_owned()).map(Place::Simulated).map_err(|error| {
            Failure::usage("this drive cannot be simulated")
                .because(error)
                .hint("a directory whose name begins with `sim:` is named with its place, `./sim:…`")
        });
    }
    let meta = fs::metadata(target).map_err(|error| {
        Failure::failed(format!("cannot measure in {name}"))
            .because(error)
            .hint("name a directory on the drive; `cliffmark devices` shows where drives are mounted")
    })?;
    if meta.file_type().is_block_device() {
        return WholeDevice::find(root, target).map(Place::Device);
    }
    if meta.is_file() {
        return Err(Failure::usage(format!("{name} is a file; `run` makes its own file in a directory"))
            .hint(format!(
                "`cliffmark cell {name} --pattern randread --block 4KiB --qd 32` measures an existing file"
            )));
    }
    if !meta.is_dir() {
        return Err(Failure::usage(format!("{name} is neither a directory nor a block device")));
    }
    fs::canonicalize(target)
        .map(Place::Directory)
        .map_err(|error| Failure::failed(format!("cannot measure in {name}")).because(error))
}

/// A bundle that turns out too large after hours would be lost work: an upper bound is checked first.
fn check_size_of_document(suite: &Suite, runs: u32) -> Result<(), Failure> {
    let cells = suite.methods.len() as u64 * u64::from(runs);
    let passes = suite.passes.len() as u64 * u64::from(runs);
    let bins = |method: &Method| {
        let bins = bin_count(Nanos::from_secs(method.seconds.into()).0);
        // A loop that ends by bytes has no bin without any, as a rule.
        method.stretches().map_or(bins, |one| bins.min(one.loop_bytes / (1 << 20)))
    };
    // A bin has at most 13 bytes of text; a loop's histogram and counters stay below 16 KiB, what is told of a drive of
    // drives apart below 1 KiB.
    let drives = |method: &Method| method.drives_apart().map_or(0, u64::from);
    let loop_bytes = |method: &Method| (16 << 10) + 13 * bins(method) + (drives(method) << 10);
    let bytes: u64 = suite
        .methods
        .iter()
        .map(|method| loop_bytes(method) * u64::from(method.loops + method.discarded_loops))
        .sum::<u64>();
    // A pass that goes on longer than planned has bins of a second before it has too many.
    let pass_bytes = |pass: &PassMethod| {
        let bins = bin_count(pass_time(suite, pass).0);
        (24 << 10) + if matches!(pass.workload, Workload::Idle(_)) { 0 } else { 16 * bins }
    };
    let bytes = bytes
        .saturating_add(suite.passes.iter().map(pass_bytes).sum::<u64>())
        .saturating_mul(u64::from(runs));
    if cells > MAX_CELLS as u64 || passes > MAX_PASSES as u64 || bytes > MAX_DOCUMENT_BYTES {
        return Err(Failure::usage(format!(
            "one bundle cannot hold this run: {} and {}, about {} of samples",
            format_count(cells, "cell"),
            passes_count(usize::try_from(passes).unwrap_or(usize::MAX)),
            format_capacity(bytes)
        ))
        .hint("use fewer loops, runs or cells, or split the suite into several"));
    }
    Ok(())
}

/// Bytes that take the drive to the highest level that a suite asks for, when nothing is in use.
fn filler_bytes(suite: &Suite, room: Room) -> u64 {
    let levels = suite.sections().into_iter().filter_map(|section| section.before.fill);
    levels.map(|fill| fill.of(room.total)).max().unwrap_or(0)
}

/// Keeps the cells for numbers of drives that there are: of a simulated array and of drives apart each up to their own,
/// of a real array its own. Yields the numbers whose cells are left out.
fn keep_members(suite: &mut Suite, place: &Place, ground: Option<&Ground>) -> Result<Vec<u8>, Failure> {
    if let Place::Apart(places) = place {
        apart::settle(suite, places.len())?;
    }
    let there = drives_there(place, ground);
    // Of an array that is built only all of its drives work, and never a part of them.
    let built = matches!(place, Place::Directory(_) | Place::Device(_));
    let mut left_out = BTreeSet::new();
    suite.methods.retain(|method| {
        let Some(members) = method.members else { return true };
        let count = usize::from(members);
        let kept = if built { count == there } else { count <= there };
        if !kept {
            left_out.insert(members);
        }
        kept
    });
    if suite.step_count() == 0 {
        return Err(Failure::usage(format!(
            "the suite has no cell for {}",
            format_count(there as u64, "drive")
        ))
        .hint("write a suite of your own with that number in `members`"));
    }
    Ok(left_out.into_iter().collect())
}

/// Drives that a place has: those that are named, or those of the array.
fn drives_there(place: &Place, ground: Option<&Ground>) -> usize {
    match place {
        Place::Apart(places) => places.len(),
        Place::Simulated(drive) => drive.drive().members as usize,
        Place::Directory(_) | Place::Device(_) => ground.map_or(1, |ground| ground.disks().len().max(1)),
    }
}

fn default_name(suite: &str, now_unix_ms: u64) -> PathBuf {
    let stamp = i64::try_from(now_unix_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| now_unix_ms.to_string(), |time| time.strftime("%Y%m%d-%H%M%S").to_string());
    PathBuf::from(format!("cliffmark-{suite}-{stamp}.{}", bundle::EXTENSION))
}

/// How a drive is attached, and its model; of several that differ neither.
fn drive_of(place: &Place, grounds: &[&Ground]) -> (Transport, Option<String>) {
    if let Some(drive) = place.simulated() {
        let drive = simulate::described(&drive.drive());
        return (drive.transport, drive.model.known().cloned());
    }
    let of = |ground: &Ground| {
        let model = words(&ground.device.join("device/model"), 120).known().cloned();
        (drive::transport(&ground.device), model)
    };
    let mut drives = grounds.iter().map(|ground| of(ground));
    let Some(first) = drives.next() else { return (Transport::Unknown, None) };
    drives.fold(first, |(transport, model), (other, name)| {
        (
            if transport == other { transport } else { Transport::Unknown },
            model.filter(|known| Some(known) == name.as_ref()),
        )
    })
}

/// What a plan says of one thing, in lines of at most 80 columns behind its name.
fn lines(name: &str, text: &str) -> String {
    const WIDTH: usize = 8;
    let names = [format!("{name:<WIDTH$}")].into_iter().chain(std::iter::repeat(" ".repeat(WIDTH)));
    names.zip(text.split('\n')).map(|(first, line)| wrapped(&first, WIDTH, line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;
    use clap::Parser as _;

    fn plan(arguments: &[&str]) -> Result<Plan, Failure> {
        let cli = crate::cli::Cli::parse_from(["cliffmark", "run"].iter().chain(arguments));
        let crate::cli::Command::Run(args) = cli.command else { unreachable!("`run` was parsed") };
        let sys = FakeSys::new();
        Plan::from_args(&args, &System { root: sys.root(), now_unix_ms: 1_796_074_800_000 })
    }

    #[test]
    fn a_plan_says_where_how_long_and_how_much() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let plan = plan(&[place, "--suite", "cdm", "--runs", "2"]).unwrap();
        assert_eq!(plan.measuring_time(0), Nanos::from_secs(2 * 275));
        assert_eq!(plan.writing_seconds(0), 240);
        assert_eq!(plan.out, PathBuf::from("cliffmark-cdm-20261130-214000.cliffmark"));
        insta::assert_snapshot!(plan.text(0).replace(place, "/mnt/drive"));
    }

    #[test]
    fn a_resumed_plan_counts_what_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let plan = plan(&[place, "--suite", "cdm", "--runs", "2", "--tbw", "600TB"]).unwrap();
        // The last cell of the first run, and all of the second.
        assert_eq!(plan.measuring_time(7), Nanos::from_secs(35 + 275));
        assert_eq!(plan.writing_seconds(7), 30 + 120);
        let text = plan.text(7);
        assert!(text.contains("\nTime    about 5 min 12 s\n"), "{text}");
        assert!(text.contains("then 150 s of writing into it:\n        151 GB at 1,000 MB/s;"), "{text}");
        assert!(text.contains("\nWear    0.025 % of 600 TB of rated endurance, if"), "{text}");
        let text = plan.text(16);
        assert!(!text.contains("\nTime") && !text.contains("\nWrites"), "nothing is measured: {text}");
    }

    #[test]
    fn a_limit_is_named_only_where_the_link_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let mut plan = plan(&[directory.path().to_str().unwrap(), "--tbw", "100GB"]).unwrap();
        for (transport, most, wear) in [
            (Transport::Virtio, "at 1,000 MB/s; more if the drive is faster", "17 % of 100 GB"),
            (Transport::Sata, "at most 10.67 GB (SATA, 600.0 MB/s)", "; at most 11 %"),
            (Transport::Nvme, "at most 253 GB (PCIe 5.0 x4", "; at most ALL"),
        ] {
            plan.transport = transport;
            let text = plan.text(0);
            assert!(text.contains(most) && text.contains(wear), "{text}");
        }
    }

    #[test]
    fn a_plan_says_what_is_not_as_usual() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let arguments = [place, "--set", "data=zero", "--wait", "poll", "--sample-every", "500ms"];
        let text = plan(&arguments).unwrap().text(0);
        for words in [
            "Suite   quick, changed: data: 8 cells",
            "\nData    zero",
            "\nWaits   by asking the kernel again and again (poll): ",
            "\nSensors read every 500 ms\n",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn drives_apart_are_planned_one_by_one_and_others_left_out() {
        let sys = FakeSys::new();
        let ground = |number: u32| {
            let place = format!("pci0000:00/0000:0{number}:00.0/nvme/nvme{number}/nvme{number}n1");
            let disk = sys.disk(&place, &format!("259:{number}"), 1_000_000);
            sys.write(&format!("{disk}/device/model"), "Example SSD\n");
            Ground::of(&sys.root(), crate::counters::DeviceNumber { major: 259, minor: number })
        };
        let directory = tempfile::tempdir().unwrap();
        let mut array =
            plan(&[directory.path().to_str().unwrap(), "--suite", "array", "--tbw", "600TB"]).unwrap();
        array.place = Place::Apart(["/mnt/a", "/mnt/b"].map(|at| Place::Directory(at.into())).to_vec());
        array.apart = vec![ground(0), ground(1)];
        (array.transport, array.model) = drive_of(&array.place, &array.grounds());
        array.suite = suite::find("array", &[], Room::UNKNOWN).unwrap();
        array.left_out = keep_members(&mut array.suite, &array.place, None).unwrap();
        assert!(array.suite.methods.iter().all(|method| method.apart));
        assert_eq!((array.step_count(), &array.left_out[..]), (4, &(3..=16).collect::<Vec<_>>()[..]));
        insta::assert_snapshot!(array.text(0));
        for name in ["quick", "cliff", "copies"] {
            let mut suite = suite::find(name, &[], Room::UNKNOWN).unwrap();
            let failure = keep_members(&mut suite, &array.place, None).unwrap_err();
            assert_eq!(failure.exit().code(), 2);
            let words = format!("the suite `{name}` measures one target, and 2 are named");
            assert!(failure.text().contains(&words), "{}", failure.text());
        }
    }

    #[test]
    fn files_that_a_step_finds_no_more_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let copies = |steps: &str| {
            let only = format!("steps={steps}");
            plan(&[place, "--suite", "copies", "--set", "only=jpeg-2.37", "--set", &only]).unwrap()
        };
        let whole = copies("write,duplicate,read-out");
        let rewritten = |plan: &Plan, over| plan.fill_bytes(over) >= 2_370_000_000;
        assert!(!rewritten(&whole, 0), "the first step writes them");
        assert!(rewritten(&whole, 1) && rewritten(&whole, 2), "a resumed run has none of them");
        assert!(rewritten(&copies("read-out"), 0));
    }

    #[test]
    fn passes_are_planned_with_their_time_and_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let plan = plan(&[place, "--suite", "consistency", "--set", "unit=4096"]).unwrap();
        assert_eq!((plan.step_count(), plan.step_words()), (2 + 13 + 5 + 180 + 1, "passes"));
        assert_eq!(plan.writing_seconds(0), 445 * 60);
        assert!(!plan.span_for(None, 0).is_filled(), "its first pass writes everything");
        assert!(plan.span_for(None, 5).is_filled() && plan.span_for(Some(4), 5) == SpanFor::AsItIs);
        let text = plan.text(0).split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "changed: passes: 18 passes of 10 traces (pack applications 1: models of recorded applications)",
            "a new file of 32 GiB",
            "by traces and in order, then 26,700 s of writing into it",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let few = ["--set", "only=word,excel", "--set", "passes=2", "--set", "pause=10"];
        let few = self::plan(&[&[place, "--suite", "applications"][..], &few].concat()).unwrap();
        assert_eq!((few.step_count(), few.measuring_time(0)), (5, Nanos::from_secs(2 * 40 + 10)));
        for (bad, words) in [
            (["--set", "only=nosuch"], "no trace `nosuch`"),
            (["--set", "passes=0"], "1 to 1,000 cells or passes"),
            (["--set", "unit=100"], "units powers of two"),
        ] {
            let failure = self::plan(&[&[place, "--suite", "applications"][..], &bad].concat()).unwrap_err();
            assert!(failure.text().contains(words), "{}", failure.text());
        }
    }

    #[test]
    fn quick_takes_about_forty_seconds() {
        let quick = suite::find("quick", &[], Room::UNKNOWN).unwrap();
        assert!((38..=42).contains(&(estimated_time(&quick).0 / NS_PER_S)));
    }

    #[test]
    fn targets_that_are_no_directory_are_answered_with_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "x").unwrap();
        for (target, code, words) in [
            ("sim:qlc", 2, "no simulated drive `qlc`"),
            (file.to_str().unwrap(), 2, "cliffmark cell"),
            ("/nonexistent/place", 1, "cannot measure in"),
            ("/dev/null", 2, "neither a directory"),
        ] {
            let failure = plan(&[target]).unwrap_err();
            assert_eq!(failure.exit().code(), code, "{target}");
            assert!(failure.text().contains(words), "{}", failure.text());
        }
    }

    #[test]
    fn what_is_said_twice_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        for (twice, words) in [
            (["--label", "note=a", "--label", "note=b"], "--label note= is given twice"),
            (["--set", "loops=1", "--set", "loops=1"], "--set loops= is given twice"),
        ] {
            let failure = plan(&[&[place][..], &twice].concat()).unwrap_err();
            assert_eq!(failure.exit().code(), 2);
            assert!(failure.text().contains(words), "{}", failure.text());
        }
        let both = ["--label", "note=a", "--label", "slot=a", "--set", "loops=1", "--set", "seconds=1"];
        let plan = plan(&[&[place][..], &both].concat()).unwrap();
        assert_eq!((plan.labels.len(), plan.suite.methods[0].loops), (2, 1));
    }

    #[test]
    fn no_path_changes_the_lines_of_a_plan() {
        let directory = tempfile::tempdir().unwrap();
        let odd = directory.path().join("a\u{1b}[2J\nBundle  elsewhere");
        fs::create_dir(&odd).unwrap();
        let text = plan(&[odd.to_str().unwrap()]).unwrap().text(0);
        assert!(text.contains("/a[2J Bundle  elsewhere\n") && !text.contains('\u{1b}'), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("Bundle")).count(), 1, "{text}");
    }

    #[test]
    fn what_cannot_be_kept_is_refused_before_it_is_measured() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap();
        let failure = plan(&[place, "--set", "seconds=3600", "--set", "loops=1000"]).unwrap_err();
        assert_eq!(failure.exit().code(), 2);
        assert!(plan(&[place, "--upload"]).unwrap_err().text().contains("CLIFFMARK_SERVER"));
    }
}
