//! What a column holds, by its heading: every heading names its unit.

use model::units::NS_PER_S;

/// Which way data was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// What the rows of a list are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Queue depth, threads, drives: more of it should bring more.
    Scale,
    /// Rounds, passes, runs: the same again.
    Repeat,
}

/// What a column holds, and the factor from its unit to ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column {
    /// Time since the beginning; times the factor, nanoseconds.
    Time(f64),
    /// Data moved since the beginning; times the factor, bytes.
    Position(f64),
    /// Speed; times the factor, bytes per second.
    Speed(f64),
    /// Temperature: `(value + offset) * 1000` is milli-degrees Celsius.
    Temperature(f64),
    /// Power; times the factor, milliwatts.
    Power(f64),
    /// A whole number that counts rows.
    Count(Counted),
    /// A direction in words or as fio's 0 (read) and 1 (write).
    Direction,
    /// Any other figure; used in lists only.
    Figure,
}

const DAY_S: f64 = 86_400.0;

/// What a heading says its column holds, and which way the data went.
#[must_use]
pub fn read(heading: &str) -> (Column, Option<Direction>) {
    let words = words(heading);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let direction =
        match (has(&["read", "reads", "reading"]), has(&["write", "writes", "written", "writing"])) {
            (true, false) => Some(Direction::Read),
            (false, true) => Some(Direction::Write),
            _ => None,
        };
    (column(&words, heading), direction)
}

fn column(words: &[&str], heading: &str) -> Column {
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if has(&["direction", "ddir", "dir", "op", "operation", "rw"]) {
        return Column::Direction;
    }
    if let Some(factor) = rate(words, heading) {
        return Column::Speed(factor);
    }
    if has(&["iops", "latency", "score"]) {
        return Column::Figure;
    }
    if has(&["°c", "degc", "celsius"]) || (has(&["temperature", "temp"]) && has(&["c"])) {
        return Column::Temperature(0.0);
    }
    if has(&["kelvin"]) || (has(&["temperature", "temp"]) && has(&["k"])) {
        return Column::Temperature(-273.15);
    }
    if has(&["mw", "milliwatt", "milliwatts"]) {
        return Column::Power(1.0);
    }
    if has(&["w", "watt", "watts"]) {
        return Column::Power(1_000.0);
    }
    if let Some(bytes) = words.iter().find_map(|word| amount(word)) {
        return Column::Position(bytes);
    }
    if let Some(seconds) = words.iter().find_map(|word| time(word)) {
        #[expect(clippy::cast_precision_loss, reason = "a billion is exact")]
        return Column::Time(seconds * NS_PER_S as f64);
    }
    if has(&["depth", "qd", "threads", "drives", "members", "disks", "outstanding", "jobs"]) {
        return Column::Count(Counted::Scale);
    }
    if has(&["round", "pass", "run", "trial", "loop", "repeat", "iteration"]) {
        return Column::Count(Counted::Repeat);
    }
    Column::Figure
}

/// Bytes per second of one unit of a speed. `Mbps` is bits, `MBps` bytes: only the case of the letter tells.
fn rate(words: &[&str], heading: &str) -> Option<f64> {
    words.iter().enumerate().find_map(|(index, word)| {
        let bytes = match words[index + 1..] {
            ["s" | "sec" | "second", ..] | ["per", "s" | "sec" | "second", ..] => amount(word)?,
            _ => amount(word.strip_suffix("ps")?)?,
        };
        let bits = ["Kbps", "kbps", "Mbps", "Gbps", "Kb/s", "kb/s", "Mb/s", "Gb/s"];
        Some(if bits.iter().any(|bits| heading.contains(bits)) { bytes / 8.0 } else { bytes })
    })
}

/// Bytes of one unit of an amount.
fn amount(word: &str) -> Option<f64> {
    Some(match word {
        "b" | "byte" | "bytes" => 1.0,
        "kb" | "kilobytes" => 1e3,
        "mb" | "megabytes" => 1e6,
        "gb" | "gigabytes" => 1e9,
        "tb" => 1e12,
        "kbit" => 125.0,
        "mbit" => 125e3,
        "gbit" => 125e6,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return None,
    })
}

/// Seconds of one unit of time.
fn time(word: &str) -> Option<f64> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
        "us" | "µs" | "usec" | "microseconds" => 1e-6,
        "ns" | "nsec" | "nanoseconds" => 1e-9,
        "min" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3_600.0,
        "day" | "days" => DAY_S,
        _ => return None,
    })
}

/// The words of a heading in small letters; `MiB/s`, `MiB_s` and `[MiB/s]` are the same two.
fn words(heading: &str) -> Vec<String> {
    let parts = heading.split(|c: char| !(c.is_alphanumeric() || c == '°'));
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_their_units() {
        use Column::{Count, Figure, Position, Power, Speed, Temperature, Time};
        for (heading, column, direction) in [
            ("second", Time(1e9), None),
            ("write_MiB_s", Speed(1_048_576.0), Some(Direction::Write)),
            ("Read speed [MB/s]", Speed(1e6), Some(Direction::Read)),
            ("speed (KiB/s)", Speed(1024.0), None),
            ("bytes_per_s", Speed(1.0), None),
            ("B/s", Speed(1.0), None),
            ("MBps", Speed(1e6), None),
            ("Mbps", Speed(125_000.0), None),
            ("Gbit/s", Speed(125e6), None),
            ("GB written", Position(1e9), Some(Direction::Write)),
            ("position_GiB", Position(1_073_741_824.0), None),
            ("time_ms", Time(1e6), None),
            ("Elapsed [min]", Time(60e9), None),
            ("temperature_C", Temperature(0.0), None),
            ("Temp (°C)", Temperature(0.0), None),
            ("temp_K", Temperature(-273.15), None),
            ("power_mW", Power(1.0), None),
            ("Power [W]", Power(1_000.0), None),
            ("queue_depth", Count(Counted::Scale), None),
            ("drives", Count(Counted::Scale), None),
            ("pass", Count(Counted::Repeat), None),
            ("score", Figure, None),
            ("speed", Figure, None),
        ] {
            assert_eq!(read(heading), (column, direction), "{heading}");
        }
    }
}
