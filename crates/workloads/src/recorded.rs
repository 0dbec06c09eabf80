//! Traces that other tools recorded, as text.
//!
//! Knows: which format a text has, and how the operations of several files or devices become one trace on one span.
//! Does not know: the lines of a format (`iolog`, `blkparse`), files, or how a trace is played.

mod blkparse;
mod iolog;

use crate::{
    operation::{Due, Op, Operation, UNIT_BYTES},
    trace::{MAX_IO_BYTES, Trace},
};
use std::{collections::BTreeMap, fmt};

/// Most operations of a recording; so many take about 150 MB of memory.
pub const MAX_OPERATIONS: usize = 4_000_000;
/// Most files or devices of a recording.
pub const MAX_DEVICES: usize = 100_000;
/// What every file or device begins at a multiple of in the span, so that what was aligned in it stays so, bytes.
const BASE_BYTES: u64 = 4096;
/// No offset and no span is greater, bytes.
const MAX_SPAN_BYTES: u64 = 1 << 62;
/// No time is later, nanoseconds: more than a century.
const MAX_TIME_NS: u64 = 1 << 62;

/// A recording that was read.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Its operations, each due at its own time after the first one.
    pub trace: Trace,
    /// What became of the rest of the text.
    pub notes: Notes,
}

/// What reading a recording left out or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notes {
    /// Files or devices, which lie one after the other in the span in the order in which they were first seen.
    pub devices: u64,
    /// Trims and discards, which are left out.
    pub trims: u64,
    /// Reads and writes of no bytes, which are left out.
    pub empty: u64,
    /// Commands that are no read, write, flush or trim, which are left out.
    pub other: u64,
    /// Operations that were widened to whole units of 512 bytes.
    pub widened: u64,
    /// Operations that stand behind a later one in the text and were put in the order of their times.
    pub reordered: u64,
}

/// Why a text is no trace. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It is of no format that is known.
    #[error(
        "line {line} is neither the head of a fio iolog (`fio version 2 iolog`, `fio version 3 iolog`) nor an event as \
         blkparse prints it without a format of one's own (`8,0 1 1 0.000000000 697 Q R 2048 + 8 [cp]`): {excerpt}"
    )]
    Unknown {
        /// The first line that is not empty.
        line: u64,
        /// Its beginning.
        excerpt: String,
    },
    /// It is an iolog of another version.
    #[error("line {line}: this iolog is of a version other than 2 and 3: {excerpt}")]
    Version {
        /// The line.
        line: u64,
        /// Its beginning.
        excerpt: String,
    },
    /// A line is broken.
    #[error("line {line}: {reason}; up to there this is {recognised}")]
    Line {
        /// The line.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// What was read before it.
        recognised: String,
    },
    /// Its files or devices do not fit into one span.
    #[error("its files or devices together are larger than every drive: this is {recognised}")]
    TooLarge {
        /// What was read.
        recognised: String,
    },
    /// There is nothing to play.
    #[error("there is no read, write or flush in it: this is {recognised}")]
    Nothing {
        /// What was read.
        recognised: String,
    },
}

/// Reads a recording: fio's iolog of version 2 or 3, or blkparse's default output. `name` is what the trace is called.
///
/// # Errors
/// When it is neither, or a line of it is broken.
pub fn read(name: &str, text: &str) -> Result<Recorded, TextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((line, first)) = lines(text).next() else {
        return Err(TextError::Unknown { line: 1, excerpt: excerpt("") });
    };
    if first.starts_with("fio version ") {
        return iolog::read(name, text);
    }
    if blkparse::is_event(first) {
        return blkparse::read(name, text);
    }
    Err(TextError::Unknown { line, excerpt: excerpt(first) })
}

/// Lines that are not empty, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// The beginning of a line, fit to be shown.
fn excerpt(line: &str) -> String {
    let mut shown: String = line.trim().chars().take(60).flat_map(char::escape_debug).collect();
    if line.trim().chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Operations as they are read.
#[derive(Debug)]
struct Collector<'t> {
    format: &'static str,
    devices: BTreeMap<&'t str, u32>,
    /// Where the data of each ends, bytes.
    ends: Vec<u64>,
    operations: Vec<Operation>,
    /// The file or device of each operation.
    owners: Vec<u32>,
    reads: u64,
    writes: u64,
    flushes: u64,
    notes: Notes,
}

impl<'t> Collector<'t> {
    fn new(format: &'static str) -> Self {
        Self {
            format,
            devices: BTreeMap::new(),
            ends: Vec::new(),
            operations: Vec::new(),
            owners: Vec::new(),
            reads: 0,
            writes: 0,
            flushes: 0,
            notes: Notes::default(),
        }
    }

    /// The number of a file or device, new or known.
    fn device(&mut self, name: &'t str) -> Result<u32, String> {
        if let Some(known) = self.devices.get(name) {
            return Ok(*known);
        }
        let new = u32::try_from(self.ends.len()).ok().filter(|_| self.ends.len() < MAX_DEVICES);
        let new = new.ok_or_else(|| format!("it names more than {MAX_DEVICES} files or devices"))?;
        self.devices.insert(name, new);
        self.ends.push(0);
        Ok(new)
    }

    fn add(&mut self, name: &'t str, at_ns: u64, op: Op, offset: u64, bytes: u64) -> Result<(), String> {
        let device = self.device(name)?;
        if self.operations.len() == MAX_OPERATIONS {
            return Err(format!("it is the operation after the first {MAX_OPERATIONS}, which is too many"));
        }
        if at_ns > MAX_TIME_NS {
            return Err("its time is more than a century after the start".to_owned());
        }
        let (offset, bytes) = match op {
            Op::Flush => (0, 0),
            _ if bytes == 0 => {
                self.notes.empty += 1;
                return Ok(());
            }
            _ => self.place(device, offset, bytes)?,
        };
        *match op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Flush => &mut self.flushes,
        } += 1;
        self.operations.push(Operation { due: Due::At(at_ns), op, offset, bytes });
        self.owners.push(device);
        Ok(())
    }

    /// Offset and size in whole units.
    fn place(&mut self, device: u32, offset: u64, bytes: u64) -> Result<(u64, u32), String> {
        let unit = u64::from(UNIT_BYTES);
        let end = offset.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(unit));
        let end = end.filter(|end| *end <= MAX_SPAN_BYTES);
        let end = end.ok_or_else(|| format!("{bytes} bytes at {offset} are beyond every drive"))?;
        let begin = offset / unit * unit;
        let whole = u32::try_from(end - begin).ok().filter(|whole| *whole <= MAX_IO_BYTES);
        let whole = whole.ok_or_else(|| {
            format!("an operation of {bytes} bytes is too large: {MAX_IO_BYTES} is the most")
        })?;
        if (begin, u64::from(whole)) != (offset, bytes) {
            self.notes.widened += 1;
        }
        if let Some(known) = self.ends.get_mut(device as usize) {
            *known = end.max(*known);
        }
        Ok((begin, whole))
    }

    /// Takes every line in turn; the first that cannot be taken is named with its number.
    fn each(
        &mut self,
        lines: impl Iterator<Item = (u64, &'t str)>,
        mut take: impl FnMut(&mut Self, &'t str) -> Result<(), String>,
    ) -> Result<(), TextError> {
        for (line, content) in lines {
            if let Err(reason) = take(self, content) {
                return Err(self.error(line, reason));
            }
        }
        Ok(())
    }

    fn error(&self, line: u64, reason: String) -> TextError {
        TextError::Line { line, reason, recognised: self.to_string() }
    }

    /// Lays the files or devices one after the other and counts times from the first operation.
    fn finish(mut self, name: &str) -> Result<Recorded, TextError> {
        let recognised = self.to_string();
        let time = |operation: &Operation| if let Due::At(at) = operation.due { at } else { 0 };
        let Some(first) = self.operations.iter().map(time).min() else {
            return Err(TextError::Nothing { recognised });
        };
        let mut span_bytes = 0_u64;
        // From where the data of each ends to where it begins in the span.
        for place in &mut self.ends {
            let end = std::mem::replace(place, span_bytes);
            span_bytes = span_bytes.saturating_add(end.next_multiple_of(BASE_BYTES));
        }
        let bases = self.ends;
        if span_bytes > MAX_SPAN_BYTES {
            return Err(TextError::TooLarge { recognised });
        }
        let mut latest = 0;
        for (operation, owner) in self.operations.iter_mut().zip(&self.owners) {
            let at = time(operation);
            self.notes.reordered += u64::from(at < latest);
            latest = at.max(latest);
            operation.due = Due::At(at - first);
            if operation.op != Op::Flush {
                operation.offset += bases.get(*owner as usize).copied().unwrap_or(0);
            }
        }
        let mut operations = self.operations;
        // Those of one time stay in the order of the text.
        operations.sort_by_key(time);
        self.notes.devices = bases.len() as u64;
        Ok(Recorded { trace: Trace::recorded(name, span_bytes, operations), notes: self.notes })
    }
}

impl fmt::Display for Collector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, reads, writes, flushes, .. } = self;
        let devices = self.ends.len();
        write!(
            f,
            "{format} (reads: {reads}, writes: {writes}, flushes: {flushes}, files or devices: {devices})"
        )
    }
}

/// A whole number and nothing else.
fn number(word: &str) -> Option<u64> {
    word.bytes().all(|digit| digit.is_ascii_digit()).then(|| word.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formats_are_told_apart() {
        let iolog = "fio version 2 iolog\n/a add\n/a open\n/a read 0 512\n";
        assert_eq!(read("one", iolog).unwrap().trace.name, "one");
        let blkparse = "\n  8,0    1        1     0.000000000   697  Q   R 8 + 8 [cp]\n";
        assert_eq!(read("two", blkparse).unwrap().trace.totals.read_bytes, 4_096);
        for (text, message) in [
            ("", "line 1 is neither"),
            ("\n\nhello\u{7}\n", "line 3 is neither the head of a fio iolog"),
            ("hello\u{7}", "`hello\\u{7}`"),
            ("fio version 1 iolog\n", "of a version other than 2 and 3"),
            ("0, 4096, 4096\n", "line 1 is neither"),
        ] {
            let error = read("any", text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }

    #[test]
    fn an_excerpt_is_short() {
        let error = read("any", &"x".repeat(100_000)).unwrap_err().to_string();
        assert!(error.len() < 500 && error.ends_with("x…`"), "{error}");
    }

    #[test]
    fn too_many_files_are_refused() {
        let mut text = "fio version 2 iolog\n".to_owned();
        for file in 0..=MAX_DEVICES {
            text.push_str(&format!("/{file} add\n"));
        }
        let error = read("any", &text).unwrap_err().to_string();
        assert!(error.contains("line 100002: it names more than 100000 files"), "{error}");
    }

    fn words() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("/a"),
            Just("/b"),
            Just("read"),
            Just("write"),
            Just("sync"),
            Just("wait"),
            Just("trim"),
            Just("add"),
            Just("open"),
            Just("close"),
            Just("0"),
            Just("512"),
            Just("4096"),
            Just("777"),
            Just("18446744073709551615"),
            Just("8,0"),
            Just("8,16"),
            Just("Q"),
            Just("D"),
            Just("C"),
            Just("R"),
            Just("WS"),
            Just("FWS"),
            Just("N"),
            Just("+"),
            Just("[x]"),
            Just("0.000000100"),
            Just("9.5"),
            Just("\n"),
            Just("\n"),
            Just("-1"),
            Just("\u{fffd}"),
        ]
        .prop_map(str::to_owned)
    }

    /// Whatever is read stays within the bounds that a trace promises.
    fn check(recorded: &Recorded) {
        let trace = &recorded.trace;
        let mut last = 0;
        for operation in trace.operations() {
            let Due::At(at) = operation.due else { panic!("{operation:?}") };
            assert!(at >= last && operation.end() <= trace.span_bytes);
            assert!(operation.bytes <= trace.largest_bytes && trace.largest_bytes <= MAX_IO_BYTES);
            assert!(operation.offset.is_multiple_of(512) && operation.bytes.is_multiple_of(512));
            assert_eq!(operation.op == Op::Flush, operation.bytes == 0);
            last = at;
        }
        assert_eq!(trace.duration_ns, last);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: String) {
            let _ = read("any", &text);
        }

        #[test]
        fn any_words_are_read_or_refused(
            head in prop_oneof![Just("fio version 2 iolog\n"), Just("fio version 3 iolog\n"), Just("")],
            words in proptest::collection::vec(words(), 0..60),
        ) {
            if let Ok(recorded) = read("any", &format!("{head}{}", words.join(" "))) {
                check(&recorded);
            }
        }

        #[test]
        fn no_number_is_invented(
            format in prop_oneof![Just(Format::Two), Just(Format::Three), Just(Format::Blkparse)],
            lines in proptest::collection::vec(
                (
                    0_u64..5_000_000,
                    0_usize..2,
                    prop_oneof![Just("read"), Just("write"), Just("trim"), Just("sync")],
                    any::<u16>(),
                    any::<u16>(),
                ),
                1..20,
            ),
        ) {
            let mut text = format.head();
            // Time, action, size and place of each operation that must be found.
            let (mut listed, mut ends, mut seen) = (Vec::new(), [0, 0], Vec::new());
            let mut waited = 0;
            for (time, file, action, sector, sectors) in lines {
                waited += time;
                text.push_str(&format.line(time, file, action, sector, sectors));
                let (offset, bytes) = (u64::from(sector) * 512, u64::from(sectors) * 512);
                let at_ns = if format == Format::Two { waited } else { time } * 1_000;
                // Neither a trim nor, for blkparse, what has no data and is no flush names a device.
                let is_named = action != "trim"
                    && (format != Format::Blkparse || action == "sync" || bytes > 0);
                if is_named && !seen.contains(&file) {
                    seen.push(file);
                }
                match action {
                    "sync" => listed.push((at_ns, action, 0, 0, file)),
                    "read" | "write" if bytes > 0 => {
                        listed.push((at_ns, action, bytes, offset, file));
                        ends[file] = ends[file].max(offset + bytes);
                    }
                    _ => {}
                }
            }
            let Ok(recorded) = read("any", &text) else {
                prop_assert!(listed.is_empty(), "{text}");
                return Ok(());
            };
            check(&recorded);
            prop_assert_eq!(recorded.notes.widened, 0);
            let first = listed.iter().map(|line| line.0).min().unwrap_or(0);
            let base = |file: usize| {
                if seen.first() == Some(&file) { 0 } else { ends[seen[0]].next_multiple_of(4_096) }
            };
            let mut expected: Vec<(u64, &str, u64, u64)> = listed
                .iter()
                .map(|(at, action, bytes, offset, file)| {
                    let base = if *action == "sync" { 0 } else { base(*file) };
                    (at - first, *action, *bytes, base + offset)
                })
                .collect();
            let mut found: Vec<(u64, &str, u64, u64)> = recorded
                .trace
                .operations()
                .map(|operation| {
                    let Due::At(at) = operation.due else { panic!("{operation:?}") };
                    let action = match operation.op {
                        Op::Read => "read",
                        Op::Write => "write",
                        Op::Flush => "sync",
                    };
                    (at, action, operation.bytes.into(), operation.offset)
                })
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Format {
        Two,
        Three,
        Blkparse,
    }

    impl Format {
        fn head(self) -> String {
            match self {
                Self::Two => "fio version 2 iolog\n",
                Self::Three => "fio version 3 iolog\n",
                Self::Blkparse => "",
            }
            .to_owned()
        }

        /// One action after a wait of `time` or at it, microseconds.
        fn line(self, time: u64, file: usize, action: &str, sector: u16, sectors: u16) -> String {
            let (offset, bytes) = (u64::from(sector) * 512, u64::from(sectors) * 512);
            let name = ["/a", "/b"][file];
            if self == Self::Two {
                return format!("{name} wait {time} 0\n{name} {action} {offset} {bytes}\n");
            }
            if self == Self::Three {
                return format!("{time} {name} {action} {offset} {bytes}\n");
            }
            let data = match action {
                "read" if sectors > 0 => format!("R {sector} + {sectors}"),
                "write" if sectors > 0 => format!("W {sector} + {sectors}"),
                "trim" => format!("D {sector} + {sectors}"),
                "sync" => "FWS".to_owned(),
                _ => "N".to_owned(),
            };
            let (device, seconds, micros) = (["8,0", "8,16"][file], time / 1_000_000, time % 1_000_000);
            format!("{device} 0 1 {seconds}.{micros:06}000 9 Q {data} [x]\n")
        }
    }
}
