//! What blkparse prints when no format of one's own is asked for.
//!
//! Knows: a line is device, processor, sequence number, seconds, process, action, kind, and for actions on data
//! `sector + sectors`. Requests are taken where they were queued (`Q`); where a recording has none of those, where they
//! were issued to the drive (`D`). Sectors are 512 bytes whatever the drive's are. What follows the last event (blkparse
//! ends with a summary) is not read. Does not know: what becomes of the operations; the binary that blktrace writes.
//!
//! Source: blkparse(1), "Output description and formatting", and what blkparse prints.

use super::{Collector, Recorded, TextError, excerpt, lines, number};
use crate::operation::{Op, UNIT_BYTES};
use model::units::NS_PER_S;

/// Digits of a fraction of a second in nanoseconds.
const FRACTION_DIGITS: usize = 9;

/// One event, in words.
struct Event<'t> {
    device: &'t str,
    time: &'t str,
    action: &'t str,
    kind: &'t str,
    /// What follows the kind.
    rest: Vec<&'t str>,
}

/// Whether a line is an event: it begins with a device, and its time is where a time is.
pub(super) fn is_event(line: &str) -> bool {
    event(line).is_some()
}

fn event(line: &str) -> Option<Event<'_>> {
    let mut words = line.split_whitespace();
    let device = words.next()?;
    let (major, minor) = device.split_once(',')?;
    if major.is_empty() || minor.is_empty() || number(major).is_none() || number(minor).is_none() {
        return None;
    }
    // Processor and sequence number; then time and process.
    number(words.next()?)?;
    number(words.next()?)?;
    let time = words.next()?;
    nanoseconds(time)?;
    number(words.next()?)?;
    let action = words.next()?;
    Some(Event { device, time, action, kind: words.next().unwrap_or(""), rest: words.take(3).collect() })
}

/// Seconds and their fraction as nanoseconds.
fn nanoseconds(time: &str) -> Option<u64> {
    let (seconds, fraction) = time.split_once('.')?;
    if seconds.is_empty() || fraction.is_empty() || fraction.len() > FRACTION_DIGITS {
        return None;
    }
    let scale = 10_u64.pow(u32::try_from(FRACTION_DIGITS - fraction.len()).ok()?);
    number(seconds)?.checked_mul(NS_PER_S)?.checked_add(number(fraction)? * scale)
}

/// Reads what blkparse printed.
pub(super) fn read(name: &str, text: &str) -> Result<Recorded, TextError> {
    let is_queued = |line: &str| event(line).is_some_and(|event| event.action == "Q");
    let (wanted, format) = if lines(text).any(|(_, line)| is_queued(line)) {
        ("Q", "output of blkparse, by the requests queued")
    } else {
        ("D", "output of blkparse, by the requests issued")
    };
    let mut collector = Collector::new(format);
    let is_line_of_event = |(_, content): &(u64, &str)| is_event(content);
    collector.each(lines(text).take_while(is_line_of_event), |collector, content| match event(content) {
        Some(event) if event.action == wanted => request(&event, collector),
        _ => Ok(()),
    })?;
    // After the first line that is no event there must be none.
    let mut summary = lines(text).skip_while(is_line_of_event);
    if let Some((line, content)) = summary.next()
        && summary.any(|line| is_line_of_event(&line))
    {
        let reason = format!("it is no event, though events follow: {}", excerpt(content));
        return Err(collector.error(line, reason));
    }
    collector.finish(name)
}

fn request<'t>(event: &Event<'t>, collector: &mut Collector<'t>) -> Result<(), String> {
    let at_ns = nanoseconds(event.time).ok_or("its time is no time")?;
    let data = match event.rest[..] {
        [sector, "+", sectors] => number(sector).zip(number(sectors)),
        _ => None,
    };
    let data = data
        .map(|(sector, sectors)| {
            let bytes = |sectors: u64| sectors.checked_mul(UNIT_BYTES.into());
            bytes(sector).zip(bytes(sectors)).ok_or_else(|| format!("sector {sector} is beyond every drive"))
        })
        .transpose()?;
    // A leading F asks for a flush before the data, and is all there is to a flush without any.
    let (flushes, kind) = match event.kind.strip_prefix('F') {
        Some(kind) => (true, kind),
        None => (false, event.kind),
    };
    if flushes {
        collector.add(event.device, at_ns, Op::Flush, 0, 0)?;
    }
    match (kind.chars().next(), data) {
        (Some('R'), Some((offset, bytes))) => collector.add(event.device, at_ns, Op::Read, offset, bytes),
        (Some('W'), Some((offset, bytes))) => collector.add(event.device, at_ns, Op::Write, offset, bytes),
        (Some('D'), _) => {
            collector.notes.trims += 1;
            Ok(())
        }
        _ => {
            collector.notes.other += u64::from(!flushes);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Due, Notes, recorded};

    fn listed(recorded: &Recorded) -> Vec<(u64, Op, u64, u32)> {
        let operation = |operation: crate::Operation| match operation.due {
            Due::At(at) => (at, operation.op, operation.offset, operation.bytes),
            other => panic!("{other:?}"),
        };
        recorded.trace.operations().map(operation).collect()
    }

    const QUEUED: &str = "\
  8,0    3        1     1.000000000   700  A   W 8 + 8 <- (8,1) 0
  8,0    3        2     1.000000100   700  Q   W 8 + 8 [tool]
  8,0    3        3     1.000000200   700  G   W 8 + 8 [tool]
  8,0    3        4     1.000000300   700  P   N [tool]
  8,0    3        5     1.000000400   700  U   N [tool] 1
  8,0    3        6     1.000000500   700  D   W 8 + 8 [tool]
  8,16   1        1     1.000001100   701  Q  RM 2 + 1 [my tool]
  8,0    3        7     1.000002100   700  Q FWS [tool]
  8,0    3        8     1.000003100   700  Q FWFS 24 + 8 [tool]
  8,0    3        9     1.000004100   700  Q  DS 0 + 2048 [tool]
  8,0    3       10     1.000005100     0  m   N some words
  8,0    3       11     1.000006100   700  Q   R 36 (12 00 00 00 24 00 ..) [tool]
  8,0    3       12     1.000700000     0  C   W 8 + 8 [0]
CPU3 (8,0):
 Reads Queued:           0,        0KiB\t Writes Queued:           2,        8KiB

Total (8,0):
 IO unplugs:             1        \t Timer unplugs:           0

Throughput (R/W): 0KiB/s / 8KiB/s
Events (8,0): 12 entries
Skips: 0 forward (0 -   0.0%)
";

    #[test]
    fn requests_are_taken_where_they_were_queued() {
        let recorded = recorded::read("mine", QUEUED).unwrap();
        assert_eq!(
            listed(&recorded),
            [
                (0, Op::Write, 4_096, 4_096),
                (1_000, Op::Read, 16_384 + 1_024, 512),
                (2_000, Op::Flush, 0, 0),
                (3_000, Op::Flush, 0, 0),
                (3_000, Op::Write, 12_288, 4_096),
            ]
        );
        assert_eq!(recorded.notes, Notes { devices: 2, trims: 1, other: 1, ..Notes::default() });
        assert_eq!(recorded.trace.span_bytes, 16_384 + 4_096);
    }

    #[test]
    fn without_a_queue_they_are_taken_where_they_were_issued() {
        let issued: Vec<&str> = QUEUED.lines().filter(|line| !line.contains(" Q ")).collect();
        let recorded = recorded::read("mine", &issued.join("\n")).unwrap();
        assert_eq!(listed(&recorded), [(0, Op::Write, 4_096, 4_096)]);
    }

    #[test]
    fn processors_that_tell_late_are_put_in_order() {
        let text = "259,0 0 1 0.5 9 Q R 0 + 8 [x]\n259,0 1 1 0.25 9 Q R 8 + 8 [x]\n259,0 0 2 0.75 9 Q R 16 + 8 [x]\n";
        let recorded = recorded::read("mine", text).unwrap();
        assert_eq!(
            listed(&recorded),
            [
                (0, Op::Read, 4_096, 4_096),
                (250_000_000, Op::Read, 0, 4_096),
                (500_000_000, Op::Read, 8_192, 4_096)
            ]
        );
        assert_eq!(recorded.notes.reordered, 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let first = "8,0 0 1 0.1 9 Q R 0 + 8 [x]\n";
        for (text, message) in [
            (
                format!("{first}torn\n{first}"),
                "line 2: it is no event, though events follow: `torn`; up to there",
            ),
            (
                format!("{first}8,0 0 1 0.1 9 Q R 0 + 99999999 [x]"),
                "line 2: an operation of 51199999488 bytes",
            ),
            (
                format!("{first}8,0 0 1 0.1 9 Q W 18446744073709551615 + 8 [x]"),
                "line 2: sector 18446744073709551615",
            ),
            (
                format!("{first}8,0 0 1 9999999999.1 9 Q W 0 + 8 [x]"),
                "requests queued (reads: 1, writes: 0, flushes: 0, files or devices: 1)",
            ),
            ("8,0 0 1 0.1 9 C R 0 + 8 [0]\n".to_owned(), "there is no read, write or flush in it"),
            ("8,0 0 1 0.1234567890 9 Q R 0 + 8 [x]\n".to_owned(), "line 1 is neither"),
            ("8, 0 1 0.1 9 Q R 0 + 8 [x]\n".to_owned(), "line 1 is neither"),
        ] {
            let error = recorded::read("mine", &text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }
}
