//! Every number with a dimension, and the one place where numbers become text.
//!
//! MB/s is 10^6 bytes per second, KiB, MiB and GiB are powers of two, capacities are decimal as on a
//! data sheet. Durations are nanoseconds of a monotonic clock. Nothing here reads a clock.

use serde::{Deserialize, Serialize};

/// Nanoseconds in a second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// A duration or a latency in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Whole seconds as nanoseconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(NS_PER_S))
    }

    /// Seconds as a fraction, for rates and texts only.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NS_PER_S as f64
    }
}

/// A size or an offset in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// `count` per second over `elapsed`; `None` when no time passed.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
pub fn per_second(count: u64, elapsed: Nanos) -> Option<f64> {
    (elapsed.0 > 0).then(|| count as f64 / elapsed.as_secs_f64())
}

/// What a metric's value is measured in; owns the text of every value shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes per second, shown as MB/s (10^6).
    BytesPerSecond,
    /// Completed I/Os per second.
    Iops,
    /// Nanoseconds, shown as ns, µs, ms or s by size.
    Nanoseconds,
    /// Nanoseconds of what takes long: in seconds on an axis.
    Seconds,
    /// Bytes, shown as GB (10^9) on an axis.
    Bytes,
    /// Points of a score.
    Points,
}

impl Unit {
    /// The text of a value in this unit, with its unit: `3,512.4 MB/s`, `81,034 IOPS`, `84.2 µs`.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::BytesPerSecond => format!("{} MB/s", decimal(value / 1e6)),
            Self::Iops => format!("{} IOPS", grouped(value, 0)),
            Self::Nanoseconds | Self::Seconds => duration(value),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "bytes are whole and positive"
            )]
            Self::Bytes => format_capacity(value as u64),
            Self::Points => grouped(value, 1),
        }
    }

    /// The value divided for an axis, and the axis's unit: MB/s, IOPS, µs, s, GB, points.
    #[must_use]
    pub fn for_axis(self, value: f64) -> f64 {
        match self {
            Self::BytesPerSecond => value / 1e6,
            Self::Iops | Self::Points => value,
            Self::Nanoseconds => value / 1e3,
            Self::Seconds | Self::Bytes => value / 1e9,
        }
    }

    /// The name of the unit that [`Unit::for_axis`] divides into.
    #[must_use]
    pub fn axis_name(self) -> &'static str {
        match self {
            Self::BytesPerSecond => "MB/s",
            Self::Iops => "IOPS",
            Self::Nanoseconds => "µs",
            Self::Seconds => "s",
            Self::Bytes => "GB",
            Self::Points => "points",
        }
    }
}

/// A throughput as text, `1,094.7 MB/s`.
#[must_use]
pub fn format_rate(bytes_per_s: f64) -> String {
    Unit::BytesPerSecond.format(bytes_per_s)
}

/// A latency or short duration as text, `84.2 µs`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn format_nanos(value: Nanos) -> String {
    duration(value.0 as f64)
}

/// A stretch of time for people, `4 min 35 s`.
#[must_use]
pub fn format_clock(value: Nanos) -> String {
    let seconds = value.0 / NS_PER_S;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s:02} s"),
        (h, m, _) => format!("{h} h {m:02} min"),
    }
}

/// How long something took, for people: below a second with the digits of a latency, else as a clock would show it.
#[must_use]
pub fn format_elapsed(value: Nanos) -> String {
    if value.0 < NS_PER_S { format_nanos(value) } else { format_clock(value) }
}

/// Whole seconds, `7,200 s`.
#[must_use]
pub fn format_seconds(seconds: u32) -> String {
    format!("{} s", grouped(seconds.into(), 0))
}

/// A block, span, file or free space in binary units: exact as long as that is short (`4 KiB`, `1536 B`), else with
/// two decimals (`40.46 GiB`).
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn format_size(bytes: u64) -> String {
    let (count, unit) = size_parts(bytes);
    if count < 10_000 {
        return format!("{count} {unit}");
    }
    let (name, shift) = SIZE_STEPS.into_iter().find(|(_, shift)| bytes >> shift > 0).unwrap_or(("B", 0));
    let text = grouped(bytes as f64 / (1_u64 << shift) as f64, 2);
    format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A size exact and without a space, as it stands in identifiers: `4KiB`.
#[must_use]
pub fn size_token(bytes: u64) -> String {
    let (count, unit) = size_parts(bytes);
    format!("{count}{unit}")
}

const SIZE_STEPS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];

/// A size as a whole number of the greatest unit that it is a multiple of.
fn size_parts(bytes: u64) -> (u64, &'static str) {
    let whole = |shift: u32| bytes >> shift > 0 && bytes.is_multiple_of(1 << shift);
    SIZE_STEPS
        .into_iter()
        .find(|(_, shift)| whole(*shift))
        .map_or((bytes, "B"), |(name, shift)| (bytes >> shift, name))
}

/// A number of things as text: `1 cell`, `8 cells`. The plural is the name with an `s`.
#[must_use]
pub fn format_count(count: u64, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

/// A capacity or an amount of data in decimal units, as on a data sheet: `2 TB`, `69.71 TB`, `960 GB`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn format_capacity(bytes: u64) -> String {
    const STEPS: [(&str, f64); 4] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    for (name, unit) in STEPS {
        let value = bytes as f64 / unit;
        if value >= 0.9995 {
            let digits = if value >= 100.0 { 0 } else { 2 };
            let mut text = grouped(value, digits);
            if text.contains('.') {
                text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
            }
            return format!("{text} {name}");
        }
    }
    format!("{bytes} B")
}

/// A fraction as a percentage with one decimal: `4.3 %`.
#[must_use]
pub fn format_percent(fraction: f64) -> String {
    format!("{} %", grouped(fraction * 100.0, 1))
}

/// A share that may be tiny, as a percentage with two figures that count: `0.0012 %`, `0.35 %`, `12 %`; what is less
/// than that shows is called so.
#[must_use]
pub fn format_share(fraction: f64) -> String {
    const LEAST: f64 = 0.000_1;
    let percent = fraction * 100.0;
    if percent != 0.0 && percent.abs() < LEAST / 2.0 {
        return format!("below {LEAST} %");
    }
    let digits = match percent.abs() {
        0.0 => 0,
        size if size >= 9.95 => 0,
        size if size >= 0.995 => 1,
        size if size >= 0.0995 => 2,
        size if size >= 0.009_95 => 3,
        _ => 4,
    };
    format!("{} %", grouped(percent, digits))
}

/// A signed change as a percentage: `+4.3 %`, `−12.0 %`.
#[must_use]
pub fn format_change(fraction: f64) -> String {
    let sign = if fraction < 0.0 { "−" } else { "+" };
    format!("{sign}{}", format_percent(fraction.abs()))
}

/// A temperature in milli-degrees Celsius as text, `61.9 °C`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn format_celsius(milli_degrees: i64) -> String {
    format!("{} °C", grouped((milli_degrees as f64 / 100.0).round() / 10.0, 1))
}

/// A power in milliwatts as text, `3.45 W`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn format_watts(milliwatts: i64) -> String {
    format!("{} W", grouped((milliwatts as f64 / 10.0).round() / 100.0, 2))
}

/// A wall-clock label as UTC, `2026-11-30 21:40 UTC`; the raw number when it is no date.
#[must_use]
pub fn format_utc(unix_ms: u64) -> String {
    const MINUTES_OF_A_DAY: u64 = 24 * 60;
    let minutes = unix_ms / 60_000;
    let (year, month, day) = civil(minutes / MINUTES_OF_A_DAY);
    if year > 9_999 {
        return format!("{unix_ms} ms");
    }
    let minute = minutes % MINUTES_OF_A_DAY;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minute / 60, minute % 60)
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar. A library for this would be a
/// tenth of what browsers load to open files.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // Counted from the first of March of the year 0, so that the leap day ends a year.
    let days = days + 719_468;
    let (era, of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + 400 * era + u64::from(month <= 2), month, day)
}

fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{} ns", grouped(ns, 0)),
        ns if ns < 1e6 => format!("{} µs", decimal(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", decimal(ns / 1e6)),
        ns => format!("{} s", decimal(ns / 1e9)),
    }
}

/// One decimal from 100 up, two below, three below 1: enough digits to tell drives apart.
fn decimal(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 99.95 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    grouped(value, digits)
}

/// A number with commas between thousands.
#[must_use]
pub fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::with_capacity(text.len() + 8);
    if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        out.push('−');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Why a text is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no size; write whole bytes (`4096`) or a unit (`4KiB` and `1.5GiB` binary, `600TB` and `1.5PB` decimal)"
)]
pub struct SizeError(pub String);

/// Reads `4096`, `4KiB`, `4 KiB`, `4k`, `1GiB`, `1g`, `1.5GiB`, and `100GB` (decimal). Binary and decimal
/// units are told apart by the `i`; a lone letter is binary, as in fio.
///
/// # Errors
/// When the text is no decimal number with one of those units, no whole number of bytes, or does not fit 64 bits.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let fail = || SizeError(text.to_owned());
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let factor: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "p" | "pib" => 1 << 50,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "pb" => 1_000_000_000_000_000,
        _ => return Err(fail()),
    };
    let (whole, fraction) = match number.split_once('.') {
        None => (number, None),
        Some((whole, fraction)) => (whole, Some(fraction)),
    };
    let whole: u64 = whole.parse().map_err(|_| fail())?;
    let mut bytes = whole.checked_mul(factor).ok_or_else(fail)?;
    if let Some(fraction) = fraction {
        let parts: u128 = fraction.parse().map_err(|_| fail())?;
        let of = u32::try_from(fraction.len()).ok().and_then(|digits| 10_u128.checked_pow(digits));
        let product = parts.checked_mul(factor.into()).ok_or_else(fail)?;
        let of = of.filter(|of| product.is_multiple_of(*of)).ok_or_else(fail)?;
        let more = u64::try_from(product / of).map_err(|_| fail())?;
        bytes = bytes.checked_add(more).ok_or_else(fail)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_have_one_decimal_and_powers_two() {
        // Half a tenth is rounded up, whatever its binary fraction is.
        assert_eq!([61_850, 81_850, 84_850].map(format_celsius), ["61.9 °C", "81.9 °C", "84.9 °C"]);
        assert_eq!(format_celsius(-5_000), "−5.0 °C");
        assert_eq!(format_watts(3_450), "3.45 W");
    }

    #[test]
    fn values_as_text() {
        let cases = [
            (Unit::BytesPerSecond, 1_094_700_000.0, "1,094.7 MB/s"),
            (Unit::BytesPerSecond, 26_493_000_000.0, "26,493.0 MB/s"),
            (Unit::BytesPerSecond, 48_120_000.0, "48.12 MB/s"),
            (Unit::BytesPerSecond, 0.0, "0.000 MB/s"),
            (Unit::BytesPerSecond, 99_960_000.0, "100.0 MB/s"),
            (Unit::Iops, 8_820.4, "8,820 IOPS"),
            (Unit::Nanoseconds, 840.0, "840 ns"),
            (Unit::Nanoseconds, 84_210.0, "84.21 µs"),
            (Unit::Nanoseconds, 2_800_000.0, "2.80 ms"),
        ];
        for (unit, value, text) in cases {
            assert_eq!(unit.format(value), text);
        }
    }

    #[test]
    fn sizes_and_capacities_as_text() {
        assert_eq!(format_size(4096), "4 KiB");
        assert_eq!(format_size(1 << 30), "1 GiB");
        assert_eq!(format_size(1536), "1536 B");
        assert_eq!(format_size(42_423_008 << 10), "40.46 GiB");
        assert_eq!(format_size(13_527_658_700), "12.6 GiB");
        assert_eq!(format_size(u64::MAX), "16,777,216 TiB");
        assert_eq!([1, 8].map(|count| format_count(count, "cell")), ["1 cell", "8 cells"]);
        assert_eq!(size_token(131_072), "128KiB");
        assert_eq!(format_capacity(2_000_398_934_016), "2 TB");
        assert_eq!(format_capacity(960_197_124_096), "960 GB");
        assert_eq!(format_capacity(69_712_734_208_000), "69.71 TB");
        assert_eq!(format_change(-0.123), "−12.3 %");
        for (share, text) in [
            (0.000_012, "0.0012 %"),
            (0.0035, "0.35 %"),
            (0.124, "12 %"),
            (0.05, "5.0 %"),
            (0.000_27, "0.027 %"),
            (0.0, "0 %"),
            (1e-9, "below 0.0001 %"),
        ] {
            assert_eq!(format_share(share), text);
        }
        assert_eq!(format_clock(Nanos::from_secs(275)), "4 min 35 s");
        let elapsed = [250_000_000, 275 * NS_PER_S].map(|ns| format_elapsed(Nanos(ns)));
        assert_eq!(elapsed, ["250.0 ms", "4 min 35 s"]);
        assert_eq!(format_seconds(7_200), "7,200 s");
        assert_eq!(format_utc(1_796_074_800_000), "2026-11-30 21:40 UTC");
        for (unix_ms, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (951_868_800_000, "2000-03-01 00:00 UTC"),
            (4_107_542_399_999, "2100-02-28 23:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00 UTC"),
            (1_798_761_599_999, "2026-12-31 23:59 UTC"),
            (253_402_300_799_999, "9999-12-31 23:59 UTC"),
            (253_402_300_800_000, "253402300800000 ms"),
            (u64::MAX, "18446744073709551615 ms"),
        ] {
            assert_eq!(format_utc(unix_ms), text);
        }
        assert_eq!(grouped(-0.0001, 1), "0.0");
    }

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4KiB", 4096),
            ("4 kib", 4096),
            ("1g", 1 << 30),
            ("100GB", 100_000_000_000),
            ("1.5GiB", 3 << 29),
            ("1.5PB", 1_500_000_000_000_000),
            ("0.50kB", 500),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        let bad = [
            "",
            "KiB",
            "-4",
            "4XB",
            "99999999999999999999",
            "99999999TiB",
            "0.3",
            "0.1KiB",
            ".5GiB",
            "1.GiB",
            "1.2.3GB",
            "1.+5GB",
        ];
        for bad in bad {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn size_tokens_read_back(bytes: u64) {
            proptest::prop_assert_eq!(parse_size(&size_token(bytes)), Ok(bytes));
        }

        #[test]
        fn grouping_keeps_every_digit(value in 0.0..1e15_f64) {
            let plain = grouped(value, 2).replace(',', "");
            proptest::prop_assert_eq!(plain, format!("{value:.2}"));
        }
    }
}
