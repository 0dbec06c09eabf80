//! The kernel's own counters of a block device: what the device was asked to do, whoever asked.
//!
//! Source: Linux `Documentation/block/stat.rst`. Does not judge them (that is `analysis::proof`).

use model::document::DeviceCounters;
use serde::{Deserialize, Serialize};
use std::{fmt, fs};

/// Bytes of a sector in the counters, whatever the device's block size is.
const SECTOR: u64 = 512;

/// Number of a block device, a partition or a whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl fmt::Display for DeviceNumber {
    /// As sysfs names it: `259:1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// Reads the counters; `None` when there is no such block device or they may not be read.
#[must_use]
pub fn read(device: DeviceNumber) -> Option<DeviceCounters> {
    parse(&fs::read_to_string(format!("/sys/dev/block/{device}/stat")).ok()?)
}

/// What was counted between two readings; counters that went backwards (a device was replaced) are
/// no reading: `None`.
#[must_use]
pub fn between(before: DeviceCounters, after: DeviceCounters) -> Option<DeviceCounters> {
    Some(DeviceCounters {
        read_requests: after.read_requests.checked_sub(before.read_requests)?,
        read_bytes: after.read_bytes.checked_sub(before.read_bytes)?,
        write_requests: after.write_requests.checked_sub(before.write_requests)?,
        written_bytes: after.written_bytes.checked_sub(before.written_bytes)?,
    })
}

fn parse(text: &str) -> Option<DeviceCounters> {
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse::<u64>().ok());
    let mut next = || fields.next().flatten();
    let (read_requests, _merges, read_sectors, _ticks) = (next()?, next()?, next()?, next()?);
    let (write_requests, _merges, written_sectors) = (next()?, next()?, next()?);
    Some(DeviceCounters {
        read_requests,
        read_bytes: read_sectors.checked_mul(SECTOR)?,
        write_requests,
        written_bytes: written_sectors.checked_mul(SECTOR)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "  446216  784926  9550688  4382310  8834 160131 1346528 4342 0 2416740 4386668  0 0 0 0 9 4\n";

    #[test]
    fn sectors_are_512_bytes() {
        let counters = parse(STAT).unwrap();
        assert_eq!(counters.read_requests, 446_216);
        assert_eq!(counters.read_bytes, 9_550_688 * 512);
        assert_eq!(counters.write_requests, 8_834);
        assert_eq!(counters.written_bytes, 1_346_528 * 512);
    }

    #[test]
    fn other_texts_are_no_counters() {
        for bad in ["", "1 2 3", "a b c d e f g", "1 2 -3 4 5 6 7"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn counters_that_fall_are_no_reading() {
        let after = parse(STAT).unwrap();
        let before = DeviceCounters { read_bytes: after.read_bytes + 512, ..after };
        assert_eq!(between(before, after), None);
        assert_eq!(between(after, after).unwrap().read_bytes, 0);
    }
}
