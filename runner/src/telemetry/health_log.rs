//! Decodes the SMART / Health Information log of an NVMe drive: 512 bytes in, figures out. Does no I/O.
//!
//! Source: NVM Express base specification 2.0, log page identifier 02h.

use analysis::telemetry::TEMPERATURE_RANGE;
use model::telemetry::Health;

/// Bytes of the log.
pub(super) const LOG_BYTES: usize = 512;
/// 0 degrees Celsius in milli-kelvin.
const ZERO_CELSIUS_MK: i64 = 273_150;

/// The log, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Log {
    /// Counters and states.
    pub health: Health,
    /// Temperature of the drive as a whole, milli-degrees Celsius; `None` when it reports none.
    pub composite: Option<i64>,
    /// The eight sensors, milli-degrees Celsius; `None` for those that are not there.
    pub sensors: [Option<i64>; 8],
}

/// Decodes a log that was read at a time since the run's start, nanoseconds.
pub(super) fn decode(bytes: &[u8; LOG_BYTES], at_ns: u64) -> Log {
    let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
    // Counters have 128 bits; no drive lives long enough to use the upper ones.
    let counter = |at: usize| {
        let value = u128::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        u64::try_from(value).unwrap_or(u64::MAX)
    };
    Log {
        health: Health {
            at_ns,
            critical_warning: bytes[0],
            spare_percent: bytes[3],
            spare_threshold_percent: bytes[4],
            wear_percent: bytes[5],
            read_units: counter(32),
            written_units: counter(48),
            busy_minutes: counter(96),
            media_errors: counter(160),
            warning_minutes: word(192),
            critical_minutes: word(196),
            light_throttle_count: word(216),
            heavy_throttle_count: word(220),
            light_throttle_s: word(224),
            heavy_throttle_s: word(228),
        },
        composite: kelvin(half(1)),
        sensors: std::array::from_fn(|index| kelvin(half(200 + 2 * index))),
    }
}

/// A temperature in kelvin as milli-degrees Celsius; `None` for 0 K, 65,535 K and all that no drive can have.
pub(super) fn kelvin(value: u16) -> Option<i64> {
    Some(i64::from(value) * 1_000 - ZERO_CELSIUS_MK).filter(|value| TEMPERATURE_RANGE.contains(value))
}

/// Whether a counter of warnings or throttling moved from one reading to the next.
pub(super) fn moved(before: &Health, after: &Health) -> bool {
    let signs = |log: &Health| {
        (
            (log.critical_warning, log.warning_minutes, log.critical_minutes, log.media_errors),
            (log.light_throttle_count, log.heavy_throttle_count),
            (log.light_throttle_s, log.heavy_throttle_s),
        )
    };
    signs(before) != signs(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(fields: &[(usize, &[u8])]) -> Log {
        let mut bytes = [0; LOG_BYTES];
        for (at, field) in fields {
            bytes[*at..at + field.len()].copy_from_slice(field);
        }
        decode(&bytes, 7)
    }

    #[test]
    fn every_field_is_read_from_its_place() {
        let log = log(&[
            (0, &[2]),
            (1, &313_u16.to_le_bytes()),
            (3, &[100, 10, 255]),
            (32, &1_000_001_u128.to_le_bytes()),
            (48, &2_000_002_u128.to_le_bytes()),
            (96, &3_003_u128.to_le_bytes()),
            (160, &4_u128.to_le_bytes()),
            (192, &5_u32.to_le_bytes()),
            (196, &6_u32.to_le_bytes()),
            (200, &330_u16.to_le_bytes()),
            (214, &263_u16.to_le_bytes()),
            (216, &8_u32.to_le_bytes()),
            (220, &9_u32.to_le_bytes()),
            (224, &10_u32.to_le_bytes()),
            (228, &11_u32.to_le_bytes()),
        ]);
        let want = Health {
            at_ns: 7,
            critical_warning: 2,
            spare_percent: 100,
            spare_threshold_percent: 10,
            wear_percent: 255,
            read_units: 1_000_001,
            written_units: 2_000_002,
            busy_minutes: 3_003,
            media_errors: 4,
            warning_minutes: 5,
            critical_minutes: 6,
            light_throttle_count: 8,
            heavy_throttle_count: 9,
            light_throttle_s: 10,
            heavy_throttle_s: 11,
        };
        assert_eq!(log.health, want);
        assert_eq!(log.composite, Some(39_850));
        assert_eq!(log.sensors[0], Some(56_850));
        assert_eq!(log.sensors[1..7], [None; 6]);
        assert_eq!(log.sensors[7], Some(-10_150));
    }

    #[test]
    fn counters_beyond_64_bits_stop_at_the_greatest() {
        assert_eq!(log(&[(48, &u128::MAX.to_le_bytes())]).health.written_units, u64::MAX);
    }

    #[test]
    fn temperatures_that_mean_nothing_are_none() {
        for (kelvin_value, want) in [
            (0, None),
            (u16::MAX, None),
            // A negative number of degrees where an unsigned one belongs.
            (65_526, None),
            (200, None),
            (404, None),
            (234, Some(-39_150)),
            (403, Some(129_850)),
        ] {
            assert_eq!(kelvin(kelvin_value), want, "{kelvin_value} K");
        }
    }

    #[test]
    fn only_signs_of_trouble_count_as_moved() {
        let before = log(&[]).health;
        assert!(!moved(&before, &Health { at_ns: 9, written_units: 5, busy_minutes: 1, ..before }));
        for after in [
            Health { critical_warning: 2, ..before },
            Health { warning_minutes: 1, ..before },
            Health { light_throttle_count: 1, ..before },
            Health { heavy_throttle_s: 1, ..before },
            Health { media_errors: 1, ..before },
        ] {
            assert!(moved(&before, &after), "{after:?}");
        }
    }
}
