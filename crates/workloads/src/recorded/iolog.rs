//! The iolog of fio, versions 2 and 3.
//!
//! Knows: its lines. A line of version 2 is a file and an action, or a file, an action and two numbers (offset and
//! length in bytes); version 3 puts a time before them. Times are microseconds: those of version 3 since the log was
//! begun, as fio writes them; a `wait` of version 2 is counted from the one before, as its documentation says, so that
//! all of them added up are times since the start (fio's code of 2026 takes the number of a `wait` for milliseconds since
//! its own start instead). fio drops short waits; here they are kept, because a deadline is the sum of all of them. Files
//! need not be added or opened first. Does not know: what becomes of the operations.
//!
//! Source: fio's HOWTO, "Trace file format", and what its `iolog.c` prints and reads.

use super::{Collector, Recorded, TextError, excerpt, lines, number};
use crate::operation::Op;

const NS_PER_US: u64 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

/// Reads an iolog.
pub(super) fn read(name: &str, text: &str) -> Result<Recorded, TextError> {
    let mut lines = lines(text);
    let (line, head) = lines.next().unwrap_or((1, ""));
    let (version, format) = match head.trim() {
        "fio version 2 iolog" => (Version::Two, "a fio iolog of version 2"),
        "fio version 3 iolog" => (Version::Three, "a fio iolog of version 3"),
        _ => return Err(TextError::Version { line, excerpt: excerpt(head) }),
    };
    let mut collector = Collector::new(format);
    // What the waits of version 2 add up to, microseconds.
    let mut waited = 0;
    collector.each(lines, |collector, content| action(version, content, &mut waited, collector))?;
    collector.finish(name)
}

fn action<'t>(
    version: Version,
    line: &'t str,
    waited: &mut u64,
    collector: &mut Collector<'t>,
) -> Result<(), String> {
    // One more than any line may have, so that too many are noticed.
    let mut words: Vec<&str> = line.split_whitespace().take(6).collect();
    let time =
        match version {
            Version::Two => None,
            Version::Three => {
                let time = words.first().and_then(|word| number(word));
                words.drain(..1.min(words.len()));
                Some(time.ok_or_else(|| {
                    format!("it does not begin with a time in microseconds: {}", excerpt(line))
                })?)
            }
        };
    let (file, action, numbers) = match words[..] {
        [file, action] => (file, action, None),
        [file, action, offset, length] => {
            let numbers = number(offset).zip(number(length));
            let numbers = numbers
                .ok_or_else(|| format!("its offset and length are no whole numbers: {}", excerpt(line)))?;
            (file, action, Some(numbers))
        }
        _ => {
            let form = "it is not a file name without spaces, an action and either nothing or an offset and a length";
            return Err(format!("{form}: {}", excerpt(line)));
        }
    };
    let unknown = || format!("{} is no action that such a line can have", excerpt(action));
    if let ("wait", Some((length, _))) = (action, numbers) {
        if version == Version::Three {
            return Err("an iolog of version 3 has times and no `wait`".to_owned());
        }
        *waited = waited.checked_add(length).ok_or("its waits add up to more than can be counted")?;
        return Ok(());
    }
    let at_ns = time.unwrap_or(*waited).saturating_mul(NS_PER_US);
    match (action, numbers) {
        ("add" | "open" | "close", None) => collector.device(file).map(|_| ()),
        ("read", Some((offset, length))) => collector.add(file, at_ns, Op::Read, offset, length),
        ("write", Some((offset, length))) => collector.add(file, at_ns, Op::Write, offset, length),
        ("sync" | "datasync", _) => collector.add(file, at_ns, Op::Flush, 0, 0),
        ("trim", Some(_)) => {
            collector.notes.trims += 1;
            Ok(())
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Due, Notes, Op, Recorded, recorded::read};

    fn listed(recorded: &Recorded) -> Vec<(u64, Op, u64, u32)> {
        let operation = |operation: crate::Operation| match operation.due {
            Due::At(at) => (at, operation.op, operation.offset, operation.bytes),
            other => panic!("{other:?}"),
        };
        recorded.trace.operations().map(operation).collect()
    }

    #[test]
    fn waits_of_version_2_add_up() {
        let text = "fio version 2 iolog\n\
            /data/one add\n/data/two add\n/data/one open\n/data/two open\n\
            /data/one wait 500 0\n\
            /data/one read 4096 8192\n\
            /data/one wait 50 0\n\
            /data/two write 0 512\n\
            /data/two sync 0 0\n\
            /data/one wait 1000 0\n\
            /data/two read 1024 512\n\
            /data/one trim 0 4096\n\
            /data/one close\n";
        let recorded = read("mine", text).unwrap();
        assert_eq!(
            listed(&recorded),
            [
                (0, Op::Read, 4_096, 8_192),
                (50_000, Op::Write, 12_288, 512),
                (50_000, Op::Flush, 0, 0),
                (1_050_000, Op::Read, 13_312, 512),
            ]
        );
        assert_eq!(recorded.notes, Notes { devices: 2, trims: 1, ..Notes::default() });
        let trace = recorded.trace;
        assert_eq!((trace.span_bytes, trace.unit_bytes, trace.largest_bytes), (16_384, 512, 8_192));
        assert_eq!((trace.duration_ns, trace.most_in_flight), (1_050_000, None));
    }

    #[test]
    fn times_of_version_3_are_microseconds() {
        let text = "fio version 3 iolog\r\n\
            0 /dev/x add\r\n0 /dev/x open\r\n\
            100 /dev/x write 0 65536\r\n\
            250 /dev/x datasync 0 0\r\n\
            200 /dev/x read 65536 4096\r\n\
            900 /dev/x close\r\n";
        let recorded = read("mine", text).unwrap();
        assert_eq!(
            listed(&recorded),
            [(0, Op::Write, 0, 65_536), (100_000, Op::Read, 65_536, 4_096), (150_000, Op::Flush, 0, 0)]
        );
        assert_eq!(recorded.notes, Notes { devices: 1, reordered: 1, ..Notes::default() });
        assert_eq!((recorded.trace.unit_bytes, recorded.trace.duration_ns), (4_096, 150_000));
    }

    #[test]
    fn what_is_no_whole_unit_is_widened_and_counted() {
        let text = "fio version 2 iolog\n/a read 100 1000\n/a read 512 512\n/a write 7 0\n";
        let recorded = read("mine", text).unwrap();
        assert_eq!(listed(&recorded), [(0, Op::Read, 0, 1_536), (0, Op::Read, 512, 512)]);
        assert_eq!(recorded.notes, Notes { devices: 1, widened: 1, empty: 1, ..Notes::default() });
    }

    #[test]
    fn a_broken_line_is_named_with_what_came_before() {
        let two = |rest: &str| format!("fio version 2 iolog\n/a read 0 512\n{rest}\n");
        let three = |rest: &str| format!("fio version 3 iolog\n0 /a read 0 512\n{rest}\n");
        let end = "up to there this is a fio iolog of version 2 (reads: 1, writes: 0, flushes: 0, files or devices: 1)";
        for (text, message) in [
            (two("/a read 0"), "line 3: it is not a file name without spaces"),
            (two("/my file read 0 512"), "line 3: it is not a file name without spaces"),
            (two("/a read 0 512 0 0 0 0"), "line 3: it is not a file name without spaces"),
            (two("/a read 0 -512"), "its offset and length are no whole numbers: `/a read 0 -512`"),
            (two("/a read 0x10 512"), "no whole numbers"),
            (two("/a peek 0 512"), "`peek` is no action"),
            (two("/a read"), "`read` is no action that such a line can have"),
            (two("/a read 0 999999999"), "an operation of 999999999 bytes is too large"),
            (two("/a read 18446744073709551615 512"), "beyond every drive"),
            (two("/a read 99999999999999999999 512"), "no whole numbers"),
            (two("/a wait 18446744073709551615 0\n/a read 0 512"), "line 4: its time is more than a century"),
            (two("/a wait 18446744073709551615 0\n/a wait 1 0"), "line 4: its waits add up"),
            (two("/a read 0"), end),
            (three("/a read 0 512"), "line 3: it does not begin with a time in microseconds"),
            (three("1 /a wait 5 0"), "version 3 has times and no `wait`"),
            (three("1"), "line 3: it is not a file name"),
            (
                two("/a read 4611686018427387392 512\n/b read 0 512"),
                "files or devices together are larger than every drive",
            ),
            ("fio version 2 iolog\n/a add\n".to_owned(), "there is no read, write or flush in it"),
            ("fio version 22 iolog\n".to_owned(), "line 1: this iolog is of a version other than 2 and 3"),
        ] {
            let error = read("mine", &text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }
}
