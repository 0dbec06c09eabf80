//! An external power meter: follows its file or standard input during a run and puts its readings on the
//! measuring clock. It runs in pauses too, since it does not touch the drive.
//!
//! The format of lines is `lines`' business and documented in `docs/METERS.md`.

mod lines;

use super::store::halve;
use crate::{
    clock::RunClock,
    hint::{Failure, note, printable},
    stop::StopFlag,
};
use lines::{BadLine, Lines, Stamp};
use model::{
    reading::{Absent, Reading},
    telemetry::{MAX_SAMPLES, Quantity, SensorSource, Series},
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Time between two looks at a file that grows.
const LOOK: Duration = Duration::from_millis(200);
/// Longest line that is read; what is longer is no meter's.
const MAX_LINE_BYTES: u64 = 4096;
/// Readings kept of the meter; its own sensors have the other half.
const MAX_READINGS: usize = MAX_SAMPLES / 2;

/// Where a meter's readings come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PowerInput {
    /// A file that a meter's program writes to.
    File(#[serde(with = "crate::path_bytes")] PathBuf),
    /// Standard input.
    Stdin,
}

impl PowerInput {
    /// The input that was named; `-` is standard input.
    ///
    /// # Errors
    /// When there is nothing to be read.
    pub fn parse(name: &Path) -> Result<Self, Failure> {
        if name.as_os_str() == "-" {
            if io::stdin().is_terminal() {
                return Err(Failure::usage(
                    "--power - reads a meter from standard input, which is a terminal",
                )
                .hint("pipe the meter's program into it: METER | cliffmark run … --power - --yes"));
            }
            return Ok(Self::Stdin);
        }
        match fs::metadata(name) {
            Ok(found) if !found.is_dir() => Ok(Self::File(name.to_owned())),
            Ok(_) => Err(Failure::usage(format!("{} is a directory and no meter's file", name.display()))),
            Err(error) => Err(Failure::usage(format!("cannot read the meter's file {}", name.display()))
                .because(error)
                .hint("start the meter's program first: its file is followed from the run's start")),
        }
    }
}

/// What was read so far.
#[derive(Debug, Default)]
struct Readings {
    /// Time on the run's clock in nanoseconds, which may lie before its start, and milliwatts.
    placed: Vec<(i64, i64)>,
    /// Time on the meter's own clock in nanoseconds, and milliwatts.
    relative: Vec<(i64, i64)>,
    /// The least that the run's clock was ahead of the meter's: the reading that was on its way the shortest.
    ahead_ns: Option<i64>,
    /// Lines that were not understood, and the first of them.
    bad: u64,
    first_bad: Option<FirstBad>,
}

/// The first line that was not understood.
#[derive(Debug, PartialEq, Eq)]
struct FirstBad {
    /// Its number, from 1.
    number: u64,
    /// It, as it may be printed.
    shown: String,
    why: BadLine,
}

/// A meter that is listened to.
pub struct Meter {
    readings: Arc<Mutex<Readings>>,
    clock: RunClock,
    over: StopFlag,
    /// The follower of a file; a stream is left to itself at the end, since it may never end.
    follower: Option<JoinHandle<()>>,
}

impl Meter {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn start(input: &PowerInput, clock: RunClock) -> Result<Self, Failure> {
        let readings = Arc::new(Mutex::new(Readings::default()));
        let over = StopFlag::default();
        let sink = Sink::new(Arc::clone(&readings), clock);
        let cannot = |error| Failure::failed("the power meter cannot be listened to").because(error);
        let follower = match input {
            PowerInput::Stdin => {
                spawn(move || stream(io::stdin(), sink)).map_err(cannot)?;
                None
            }
            PowerInput::File(path) if !fs::metadata(path).is_ok_and(|found| found.is_file()) => {
                let path = path.clone();
                // Opening a pipe waits for its writer.
                let body = move || {
                    if let Ok(pipe) = File::open(path) {
                        stream(pipe, sink);
                    }
                };
                spawn(body).map_err(cannot)?;
                None
            }
            PowerInput::File(path) => {
                let mut tail = Tail { file: File::open(path).map_err(cannot)?, partial: Vec::new(), sink };
                // What was there before the run: the head line, and readings that tell the time of day.
                tail.read(false).map_err(cannot)?;
                // A file that cannot be read at all is told now, and not after hours.
                lock(&readings).mention_bad();
                let over = over.clone();
                Some(spawn(move || tail.follow(&over)).map_err(cannot)?)
            }
        };
        Ok(Self { readings, clock, over, follower })
    }

    /// What was read until now; `None` when no reading of the run's time came yet.
    #[must_use]
    pub fn so_far(&self) -> Option<Series> {
        series(&lock(&self.readings), self.clock.now().0)
    }

    /// Stops listening; `None` when no reading of the run's time came. Says what was not understood.
    #[must_use]
    pub fn finish(self) -> Option<Series> {
        self.over.request();
        if let Some(follower) = self.follower {
            follower.thread().unpark();
            // A panic was printed when it happened; what was read before it counts.
            let _ = follower.join();
        }
        let readings = lock(&self.readings);
        readings.mention_bad();
        let series = series(&readings, self.clock.now().0);
        if series.is_none() {
            note("the power meter gave no reading of the run's time; see docs/METERS.md");
        }
        series
    }
}

fn spawn(body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("meter".to_owned()).spawn(body)
}

fn lock(readings: &Mutex<Readings>) -> MutexGuard<'_, Readings> {
    readings.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes lines and keeps what they say.
struct Sink {
    lines: Lines,
    /// Lines that ended.
    ended: u64,
    readings: Arc<Mutex<Readings>>,
    clock: RunClock,
}

impl Sink {
    fn new(readings: Arc<Mutex<Readings>>, clock: RunClock) -> Self {
        Self { lines: Lines::default(), ended: 0, readings, clock }
    }

    /// The file began anew.
    fn reset(&mut self) {
        self.lines = Lines::default();
        self.ended = 0;
    }

    /// A line that arrived now; one that was there before the run counts only when it tells the time of day.
    fn line(&mut self, line: &[u8], live: bool) {
        let now_ns = i64::try_from(self.clock.now().0).unwrap_or(i64::MAX);
        let text = String::from_utf8_lossy(line);
        let parsed = self.lines.parse(text.trim());
        let number = self.ended + 1;
        self.ended += u64::from(line.ends_with(b"\n"));
        let mut readings = lock(&self.readings);
        match parsed {
            Ok(None) => {}
            Ok(Some((stamp, milliwatts))) => readings.push(stamp, milliwatts, now_ns, live),
            Err(why) => {
                readings.bad += 1;
                readings.first_bad.get_or_insert_with(|| FirstBad { number, shown: quoted(line), why });
            }
        }
    }
}

/// A line as it may be printed: its beginning, when it is text.
fn quoted(line: &[u8]) -> String {
    match std::str::from_utf8(line.trim_ascii()) {
        Ok(text) if !text.chars().any(|c| c.is_control() && c != '\t') => {
            format!("`{}`", printable(text, 80))
        }
        _ => "bytes that are no text".to_owned(),
    }
}

impl Readings {
    /// Says which lines were not understood, and why; nothing when all were.
    fn mention_bad(&self) {
        let Some(FirstBad { number, shown, why }) = &self.first_bad else { return };
        let which = match self.bad {
            1 => format!("line {number} of the power meter was not understood"),
            many => {
                format!("{many} lines of the power meter were not understood, the first is line {number}")
            }
        };
        note(&format!("{which}, {shown}: {}; see docs/METERS.md", why.text()));
    }

    fn push(&mut self, stamp: Stamp, milliwatts: i64, now_ns: i64, live: bool) {
        match stamp {
            Stamp::Unix(at_ns) => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let unix_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
                // How long ago it was: right across a sleep of the machine and a step of the wall clock before it.
                let at_ns = now_ns.saturating_sub(unix_ns.saturating_sub(at_ns));
                self.placed.push((at_ns, milliwatts));
            }
            Stamp::Arrival if live => self.placed.push((now_ns, milliwatts)),
            Stamp::Relative(at_ns) if live => {
                let ahead = now_ns.saturating_sub(at_ns);
                self.ahead_ns = Some(self.ahead_ns.map_or(ahead, |least| least.min(ahead)));
                self.relative.push((at_ns, milliwatts));
            }
            Stamp::Arrival | Stamp::Relative(_) => {}
        }
        for list in [&mut self.placed, &mut self.relative] {
            if list.len() >= MAX_READINGS {
                *list = list.chunks(2).map(mean).collect();
            }
        }
    }
}

/// One or two neighbouring readings as one: the mean keeps the energy.
fn mean(pair: &[(i64, i64)]) -> (i64, i64) {
    match pair {
        [(at_ns, a), (_, b)] => (*at_ns, i64::midpoint(*a, *b)),
        one => one.first().copied().unwrap_or_default(),
    }
}

/// The readings of the run's time in order, each time once.
fn series(readings: &Readings, end_ns: u64) -> Option<Series> {
    let shift = readings.ahead_ns.unwrap_or(0);
    let relative = readings.relative.iter().map(|(at_ns, value)| (at_ns.saturating_add(shift), *value));
    let mut all: Vec<(u64, i64)> = readings
        .placed
        .iter()
        .copied()
        .chain(relative)
        .filter_map(|(at_ns, value)| Some((u64::try_from(at_ns).ok()?, value)))
        .filter(|(at_ns, _)| *at_ns <= end_ns)
        .collect();
    all.sort_by_key(|(at_ns, _)| *at_ns);
    all.dedup_by_key(|(at_ns, _)| *at_ns);
    let mut series = Series {
        source: SensorSource::Meter,
        quantity: Quantity::Power,
        name: "Power meter".to_owned(),
        warning: Reading::Absent(Absent::NotSupported),
        critical: Reading::Absent(Absent::NotSupported),
        at_ns: all.iter().map(|(at_ns, _)| *at_ns).collect(),
        values: all.iter().map(|(_, value)| Some(*value)).collect(),
    };
    while series.at_ns.len() > MAX_READINGS {
        halve(&mut series);
    }
    (!series.at_ns.is_empty()).then_some(series)
}

/// Reads lines as they come, until the stream ends.
fn stream(input: impl Read, mut sink: Sink) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => sink.line(&line, true),
        }
    }
}

/// A file that grows.
struct Tail {
    file: File,
    /// The beginning of a line whose end is not there yet.
    partial: Vec<u8>,
    sink: Sink,
}

impl Tail {
    fn follow(mut self, over: &StopFlag) {
        loop {
            // Asked before reading: what was written until then is read.
            let last = over.requested();
            let read = self.read(true);
            if last || read.is_err() {
                return;
            }
            thread::park_timeout(LOOK);
        }
    }

    fn read(&mut self, live: bool) -> io::Result<()> {
        if self.file.metadata()?.len() < self.file.stream_position()? {
            // The meter's program began its file anew.
            self.file.seek(SeekFrom::Start(0))?;
            self.partial.clear();
            self.sink.reset();
        }
        let mut chunk = [0; 16 << 10];
        loop {
            let count = self.file.read(&mut chunk)?;
            if count == 0 {
                return Ok(());
            }
            for piece in chunk[..count].split_inclusive(|byte| *byte == b'\n') {
                self.partial.extend_from_slice(piece);
                if piece.ends_with(b"\n") || self.partial.len() as u64 >= MAX_LINE_BYTES {
                    self.sink.line(&self.partial, live);
                    self.partial.clear();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::NS_PER_S;
    use std::io::Write as _;

    const S: i64 = NS_PER_S as i64;

    fn sink(readings: &Arc<Mutex<Readings>>) -> Sink {
        Sink::new(Arc::clone(readings), RunClock::start())
    }

    #[test]
    fn a_stream_without_times_is_stamped_on_arrival() {
        let readings = Arc::default();
        stream(&b"watts\n3.5\n4\nnonsense\n"[..], sink(&readings));
        let readings = lock(&readings);
        let values: Vec<i64> = readings.placed.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [3_500, 4_000]);
        let first = FirstBad { number: 4, shown: "`nonsense`".to_owned(), why: BadLine::Power };
        assert_eq!((readings.bad, &readings.first_bad), (1, &Some(first)));
        assert!(series(&readings, u64::MAX).is_some_and(|one| one.values.len() == 2));
    }

    #[test]
    fn what_is_no_text_is_not_printed() {
        for (line, shown) in [
            (&b"1,2\r\n"[..], "`1,2`"),
            (b"a\tb", "`a b`"),
            (b"\x7fELF\x02\x01", "bytes that are no text"),
            (b"a\x1b[2Jb", "bytes that are no text"),
            (b"\xff\xfe\x00", "bytes that are no text"),
        ] {
            assert_eq!(quoted(line), shown);
        }
        assert_eq!(quoted(&[b'x'; 4096]).len(), 82);
    }

    #[test]
    fn a_meters_own_clock_is_set_by_the_reading_that_came_fastest() {
        let mut readings = Readings::default();
        // The meter began 10 s before the run; its first line was 2 s on its way, the second 0.5 s.
        readings.push(Stamp::Relative(11 * S), 1_000, 3 * S, true);
        readings.push(Stamp::Relative(12 * S), 2_000, 2 * S + S / 2, true);
        readings.push(Stamp::Relative(14 * S), 3_000, 9 * S, true);
        let series = series(&readings, 60 * NS_PER_S).unwrap();
        let half = NS_PER_S / 2;
        assert_eq!(series.at_ns, [3 * half, 5 * half, 9 * half]);
        assert_eq!(series.values, [Some(1_000), Some(2_000), Some(3_000)]);
    }

    #[test]
    fn only_the_runs_own_time_is_kept_each_moment_once() {
        let readings =
            Readings { placed: vec![(-1, 1), (5, 2), (5, 3), (2, 4), (9, 5)], ..Readings::default() };
        let one = series(&readings, 8).unwrap();
        assert_eq!((one.at_ns, one.values), (vec![2, 5], vec![Some(4), Some(2)]));
        assert_eq!(series(&Readings::default(), 8), None);
    }

    #[test]
    fn a_file_is_followed_from_the_runs_start() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("power.csv");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"watts\n9\n9\n5").unwrap();
        let input = PowerInput::parse(&path).unwrap();
        let meter = Meter::start(&input, RunClock::start()).unwrap();
        // The line that was begun before the run and ended in it is the run's.
        file.write_all(b".5\n6\n7").unwrap();
        let series = meter.finish().unwrap();
        assert_eq!(series.values, [Some(5_500), Some(6_000)]);
    }

    #[test]
    fn a_file_that_begins_anew_is_read_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("power.jsonl");
        fs::write(&path, "{\"w\": 1, \"t\": 1000}\n{\"w\": 1, \"t\": 1001}\n").unwrap();
        let readings = Arc::default();
        let mut tail = Tail { file: File::open(&path).unwrap(), partial: Vec::new(), sink: sink(&readings) };
        tail.read(false).unwrap();
        fs::write(&path, "mW\n2500\n").unwrap();
        tail.read(true).unwrap();
        assert_eq!(lock(&readings).placed.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [2_500]);
    }

    #[test]
    fn readings_with_the_time_of_day_count_even_when_they_were_there_before() {
        let mut readings = Readings::default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let unix_ns = i64::try_from(now.as_nanos()).unwrap();
        readings.push(Stamp::Unix(unix_ns - 5 * S), 1_000, 100 * S, false);
        let (at_ns, _) = readings.placed[0];
        // As long ago as it is, give or take the time this test takes.
        assert!((94 * S..=95 * S).contains(&at_ns), "{at_ns}");
    }

    #[test]
    fn inputs_that_cannot_be_read_are_answered_before_the_run() {
        let missing = PowerInput::parse(Path::new("/nonexistent/meter.csv")).unwrap_err();
        assert_eq!(missing.exit().code(), 2);
        assert!(missing.text().contains("start the meter's program first"), "{}", missing.text());
        assert!(PowerInput::parse(Path::new("/")).is_err());
    }
}
