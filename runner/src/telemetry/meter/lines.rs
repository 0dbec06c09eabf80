//! The lines of a power meter: comma-separated values with a head line, or an object of JSON on each line.
//!
//! Columns are found by their names, so that files of many meters can be used as they are. Does no I/O and knows no
//! clock.

use analysis::telemetry::POWER_RANGE;
use serde_json::Value;

/// Numbers of seconds above this are the time of day since 1970.
const UNIX_FROM_S: f64 = 1e9;

/// What is missing or wrong in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadLine {
    /// The first line is neither a head line nor JSON.
    Head,
    /// It has fewer columns than the head line says.
    Short,
    /// The power is no number.
    Power,
    /// The power is a number that no drive can have.
    PowerRange,
    /// The time is neither a number nor a date.
    Time,
    /// The time is a number that no clock can show.
    TimeRange,
    /// The time is a date without its distance from UTC.
    Offset,
    /// Among lines of JSON it is no object.
    Json,
    /// An object without power.
    JsonPower,
}

impl BadLine {
    /// What is missing or wrong, in words.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Head => {
                "the first line must be a head line that names a column of power, such as `time_s,watts`, or an object of JSON"
            }
            Self::Short => "it has fewer columns than the head line",
            Self::Power => "its power is no number",
            Self::PowerRange => "its power is none that a drive can have (0 to 1 kW)",
            Self::Time => "its time is neither a number nor a date",
            Self::TimeRange => "its time is a number that no clock can show",
            Self::Offset => "its date does not say how far from UTC it is: write Z or +01:00 behind it",
            Self::Json => "it is no object of JSON, as the first line is",
            Self::JsonPower => "it has no number `w` (watts) or `mw` (milliwatts)",
        }
    }
}

/// When a reading was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Not said: when it arrived.
    Arrival,
    /// On the meter's own clock, nanoseconds since some moment.
    Relative(i64),
    /// Time of day, nanoseconds since 1970 UTC.
    Unix(i64),
}

/// Reads line after line; the first one tells the form.
#[derive(Debug, Default)]
pub(super) struct Lines {
    form: Option<Form>,
}

#[derive(Debug, Clone)]
enum Form {
    Json,
    Csv(Columns),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    separator: char,
    time: Option<(usize, TimeUnit)>,
    power: (usize, PowerUnit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeUnit {
    Seconds,
    Milliseconds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PowerUnit {
    Watts,
    Milliwatts,
}

impl Lines {
    /// Time and milliwatts of a line; `None` for the head line, for comments (`#`) and for empty lines.
    pub(super) fn parse(&mut self, line: &str) -> Result<Option<(Stamp, i64)>, BadLine> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        match &self.form {
            Some(Form::Csv(columns)) => columns.parse(line).map(Some),
            Some(Form::Json) => parse_json(line).map(Some),
            None if line.starts_with('{') => {
                self.form = Some(Form::Json);
                parse_json(line).map(Some)
            }
            None => {
                self.form = Some(Form::Csv(Columns::of_head(line).ok_or(BadLine::Head)?));
                Ok(None)
            }
        }
    }
}

impl Columns {
    fn of_head(head: &str) -> Option<Self> {
        let separator = [';', '\t', ','].into_iter().find(|mark| head.contains(*mark)).unwrap_or(',');
        let names: Vec<String> = head.split(separator).map(column_name).collect();
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        let watts = find(&["watts", "watt", "w", "power", "power_w", "watts_w"]);
        let milliwatts = find(&["milliwatts", "milliwatt", "mw", "power_mw"]);
        let power = watts
            .map(|at| (at, PowerUnit::Watts))
            .or_else(|| milliwatts.map(|at| (at, PowerUnit::Milliwatts)))?;
        let seconds = find(&["time_s", "t", "time", "timestamp", "seconds", "elapsed_s", "datetime"]);
        let milliseconds = find(&["time_ms", "t_ms", "timestamp_ms", "milliseconds", "elapsed_ms"]);
        let time = seconds
            .map(|at| (at, TimeUnit::Seconds))
            .or_else(|| milliseconds.map(|at| (at, TimeUnit::Milliseconds)));
        Some(Self { separator, time, power })
    }

    fn parse(&self, line: &str) -> Result<(Stamp, i64), BadLine> {
        let cells: Vec<&str> = line.split(self.separator).map(unquoted).collect();
        let cell = |at: usize| cells.get(at).copied().ok_or(BadLine::Short);
        let (at, unit) = self.power;
        let milliwatts = milliwatts(self.decimal(cell(at)?).ok_or(BadLine::Power)?, unit)?;
        let stamp = match self.time {
            None => Stamp::Arrival,
            Some((at, unit)) => {
                let text = cell(at)?;
                match self.decimal(text) {
                    Some(number) => stamp(number, unit)?,
                    None => date(text)?,
                }
            }
        };
        Ok((stamp, milliwatts))
    }

    /// A number; where semicolons separate, a comma may stand for the point.
    fn decimal(&self, text: &str) -> Option<f64> {
        let with_point;
        let text = if self.separator == ';' {
            with_point = text.replace(',', ".");
            &with_point
        } else {
            text
        };
        text.parse().ok()
    }
}

/// `Power [mW]` is `power_mw`.
fn column_name(name: &str) -> String {
    let mut plain = String::new();
    for c in unquoted(name).chars() {
        if c.is_ascii_alphanumeric() {
            plain.push(c.to_ascii_lowercase());
        } else if !plain.ends_with('_') && !plain.is_empty() {
            plain.push('_');
        }
    }
    plain.trim_end_matches('_').to_owned()
}

fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

fn parse_json(line: &str) -> Result<(Stamp, i64), BadLine> {
    let Ok(Value::Object(object)) = serde_json::from_str(line) else { return Err(BadLine::Json) };
    let number = |key: &str| object.get(key).and_then(Value::as_f64);
    let milliwatts = match (number("w"), number("mw")) {
        (Some(watts), _) => milliwatts(watts, PowerUnit::Watts)?,
        (None, Some(thousandths)) => milliwatts(thousandths, PowerUnit::Milliwatts)?,
        (None, None) => return Err(BadLine::JsonPower),
    };
    let stamp = match object.get("t") {
        None | Some(Value::Null) => Stamp::Arrival,
        Some(Value::String(text)) => date(text)?,
        Some(other) => stamp(other.as_f64().ok_or(BadLine::Time)?, TimeUnit::Seconds)?,
    };
    Ok((stamp, milliwatts))
}

/// A date and time with its distance from UTC: `2026-12-01T12:00:00.250+01:00`.
fn date(text: &str) -> Result<Stamp, BadLine> {
    let time: jiff::Timestamp = text.parse().map_err(|_| {
        let without_offset = text.parse::<jiff::civil::DateTime>().is_ok();
        if without_offset { BadLine::Offset } else { BadLine::Time }
    })?;
    i64::try_from(time.as_nanosecond()).map(Stamp::Unix).map_err(|_| BadLine::TimeRange)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range was checked, and a nanosecond is less than any meter's"
)]
fn stamp(number: f64, unit: TimeUnit) -> Result<Stamp, BadLine> {
    let seconds = match unit {
        TimeUnit::Seconds => number,
        TimeUnit::Milliseconds => number / 1e3,
    };
    if !(0.0..8e9).contains(&seconds) {
        return Err(BadLine::TimeRange);
    }
    let ns = (seconds * 1e9).round() as i64;
    Ok(if seconds >= UNIX_FROM_S { Stamp::Unix(ns) } else { Stamp::Relative(ns) })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is too large for an integer becomes its largest value, which is out of the range too"
)]
fn milliwatts(number: f64, unit: PowerUnit) -> Result<i64, BadLine> {
    let milliwatts = match unit {
        PowerUnit::Watts => number * 1e3,
        PowerUnit::Milliwatts => number,
    };
    let whole = milliwatts.round() as i64;
    // A negative power that rounds to nothing is one all the same, and what is no number would become 0.
    let right = milliwatts >= 0.0 && POWER_RANGE.contains(&whole);
    if right { Ok(whole) } else { Err(BadLine::PowerRange) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn all(text: &str) -> Vec<Result<Option<(Stamp, i64)>, BadLine>> {
        let mut lines = Lines::default();
        text.lines().map(|line| lines.parse(line)).collect()
    }

    /// What the last line says.
    fn last(text: &str) -> (Stamp, i64) {
        all(text).pop().unwrap().unwrap().unwrap()
    }

    #[test]
    fn files_of_many_meters_are_read_as_they_are() {
        for (text, want) in [
            ("time_s,watts\n1.5,3.25", (Stamp::Relative(1_500 * MS), 3_250)),
            ("# shunt 0.1 ohm\nwatts\n2", (Stamp::Arrival, 2_000)),
            ("Time [ms];Voltage [V];Power [mW]\n250;3,3;812,5", (Stamp::Relative(250 * MS), 813)),
            ("\"timestamp\"\t\"W\"\n1796083200.5\t0", (Stamp::Unix(1_796_083_200_500 * MS), 0)),
            ("time,power\n2026-12-01T00:00:00.5Z,7", (Stamp::Unix(1_796_083_200_500 * MS), 7_000)),
            ("time_ms,mw\n1796083200500,7", (Stamp::Unix(1_796_083_200_500 * MS), 7)),
            ("{\"t\": 0.001, \"w\": 5.0}", (Stamp::Relative(MS), 5_000)),
            ("{\"mw\": 5}", (Stamp::Arrival, 5)),
            (
                "{\"t\": \"2026-12-01T01:00:00+01:00\", \"w\": 1}",
                (Stamp::Unix(1_796_083_200_000 * MS), 1_000),
            ),
        ] {
            assert_eq!(last(text), want, "{text}");
        }
    }

    #[test]
    fn lines_that_say_nothing_are_bad_and_the_next_ones_are_read() {
        let read = all("time_s,watts\n1,2\n1\nx,3\n2,-1\n2,NaN\n3,1e9\n-4,1\n\n5,6");
        let bad: Vec<usize> = (0..read.len()).filter(|line| read[*line].is_err()).collect();
        assert_eq!(bad, [2, 3, 4, 5, 6, 7]);
        assert_eq!(read[9], Ok(Some((Stamp::Relative(5_000 * MS), 6_000))));
    }

    #[test]
    fn a_bad_line_tells_what_is_wrong_with_it() {
        for (text, want) in [
            ("volts,amperes", BadLine::Head),
            ("0.5,3.5", BadLine::Head),
            ("3.5", BadLine::Head),
            ("time_s,watts\n1", BadLine::Short),
            ("watts\nx", BadLine::Power),
            ("watts\n-1", BadLine::PowerRange),
            ("watts\nNaN", BadLine::PowerRange),
            ("watts\n1e300", BadLine::PowerRange),
            ("watts\n1000.001", BadLine::PowerRange),
            ("mw\n-0.2", BadLine::PowerRange),
            ("t,w\nnoon,1", BadLine::Time),
            ("t,w\n2026-12-01T12:00:00,1", BadLine::Offset),
            ("t,w\n2026-12-01 12:00:00.5,1", BadLine::Offset),
            ("t,w\n-4,1", BadLine::TimeRange),
            ("{\"t\": 1}", BadLine::JsonPower),
            ("{\"w\": 1}\n1,2", BadLine::Json),
            ("{\"w\": 1, \"t\": [1]}", BadLine::Time),
            ("{\"w\": 1, \"t\": \"2026-12-01T12:00\"}", BadLine::Offset),
        ] {
            let bad: Vec<BadLine> = all(text).into_iter().filter_map(Result::err).collect();
            assert_eq!(bad, [want], "{text}");
        }
    }

    #[test]
    fn the_highest_power_is_the_one_that_is_documented() {
        assert_eq!(last("watts\n1000"), (Stamp::Arrival, *POWER_RANGE.end()));
        let documented = include_str!("../../../../docs/METERS.md");
        assert!(documented.contains("Readings from 0 to 1 kW are kept"), "{documented}");
        assert!(BadLine::PowerRange.text().contains("0 to 1 kW"));
    }
}
