//! The lines of a power meter: comma-separated values with a head line, or an object of JSON on each line.
//!
//! Columns are found by their names, so that files of many meters can be used as they are. Does no I/O and knows no
//! clock.

use serde_json::Value;

/// Numbers of seconds above this are the time of day since 1970.
const UNIX_FROM_S: f64 = 1e9;
/// Highest power that a reading can mean, watts.
const MAX_WATTS: f64 = 1e5;

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
    pub(super) fn parse(&mut self, line: &str) -> Result<Option<(Stamp, i64)>, ()> {
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
                self.form = Some(Form::Csv(Columns::of_head(line).ok_or(())?));
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

    fn parse(&self, line: &str) -> Result<(Stamp, i64), ()> {
        let cells: Vec<&str> = line.split(self.separator).map(unquoted).collect();
        let cell = |at: usize| cells.get(at).copied().ok_or(());
        let (at, unit) = self.power;
        let milliwatts = milliwatts(self.decimal(cell(at)?)?, unit)?;
        let stamp = match self.time {
            None => Stamp::Arrival,
            Some((at, unit)) => {
                let text = cell(at)?;
                match self.decimal(text) {
                    Ok(number) => stamp(number, unit)?,
                    Err(()) => date(text)?,
                }
            }
        };
        Ok((stamp, milliwatts))
    }

    /// A number; where semicolons separate, a comma may stand for the point.
    fn decimal(&self, text: &str) -> Result<f64, ()> {
        let with_point;
        let text = if self.separator == ';' {
            with_point = text.replace(',', ".");
            &with_point
        } else {
            text
        };
        text.parse().map_err(|_| ())
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

fn parse_json(line: &str) -> Result<(Stamp, i64), ()> {
    let Ok(Value::Object(object)) = serde_json::from_str(line) else { return Err(()) };
    let number = |key: &str| object.get(key).and_then(Value::as_f64);
    let milliwatts = match (number("w"), number("mw")) {
        (Some(watts), _) => milliwatts(watts, PowerUnit::Watts)?,
        (None, Some(thousandths)) => milliwatts(thousandths, PowerUnit::Milliwatts)?,
        (None, None) => return Err(()),
    };
    let stamp = match object.get("t") {
        None | Some(Value::Null) => Stamp::Arrival,
        Some(Value::String(text)) => date(text)?,
        Some(other) => stamp(other.as_f64().ok_or(())?, TimeUnit::Seconds)?,
    };
    Ok((stamp, milliwatts))
}

/// A date and time with its distance from UTC: `2026-12-01T12:00:00.250+01:00`.
fn date(text: &str) -> Result<Stamp, ()> {
    let time: jiff::Timestamp = text.parse().map_err(|_| ())?;
    i64::try_from(time.as_nanosecond()).map(Stamp::Unix).map_err(|_| ())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range was checked, and a nanosecond is less than any meter's"
)]
fn stamp(number: f64, unit: TimeUnit) -> Result<Stamp, ()> {
    let seconds = match unit {
        TimeUnit::Seconds => number,
        TimeUnit::Milliseconds => number / 1e3,
    };
    if !(0.0..8e9).contains(&seconds) {
        return Err(());
    }
    let ns = (seconds * 1e9).round() as i64;
    Ok(if seconds >= UNIX_FROM_S { Stamp::Unix(ns) } else { Stamp::Relative(ns) })
}

#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
fn milliwatts(number: f64, unit: PowerUnit) -> Result<i64, ()> {
    let watts = match unit {
        PowerUnit::Watts => number,
        PowerUnit::Milliwatts => number / 1e3,
    };
    if (0.0..=MAX_WATTS).contains(&watts) { Ok((watts * 1e3).round() as i64) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn all(text: &str) -> Vec<Result<Option<(Stamp, i64)>, ()>> {
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
        for head in ["volts,amperes\n1,2", "{\"t\": 1}", "3.5"] {
            assert!(all(head)[0].is_err(), "{head}");
        }
    }
}
