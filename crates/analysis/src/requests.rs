//! How many requests of the device one I/O becomes: a large I/O that is split on the way is another test.
//!
//! Buffers on 4 KiB pages give a 1 MiB I/O 256 segments, more than many queues take in one request.

use model::{Method, document::Loop};

/// Requests per I/O from which on I/Os count as split: what others do on the drive adds a few as well.
pub const SPLIT_FROM: f64 = 1.1;

/// Least number of requests that an I/O of `block_bytes` becomes in a queue that takes requests of at most
/// `max_request_bytes` and `max_segments` (`None` where the kernel tells no limit), with buffers on pages of
/// `page_bytes`; at least 1.
///
/// Source: Linux `Documentation/ABI/stable/sysfs-block`, `max_sectors_kb` and `max_segments`.
#[must_use]
pub fn expected(
    block_bytes: u32,
    page_bytes: u64,
    max_request_bytes: Option<u64>,
    max_segments: Option<u32>,
) -> u64 {
    let block = u64::from(block_bytes);
    let of = |most: u64| block.div_ceil(most.max(1)).max(1);
    // A segment holds what is contiguous in memory: a page at least.
    let by_segments = max_segments.map(|most| of(u64::from(most).saturating_mul(page_bytes.max(1))));
    max_request_bytes.map_or(1, of).max(by_segments.unwrap_or(1))
}

/// Requests that the device counted in the cell's direction for each completed I/O of a loop, late ones
/// included. Below 1 when neighbours were merged, above it when I/Os were split or others used the device too;
/// `None` when the counters were not read or nothing was completed.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more than 53 bits")]
pub fn per_io(method: &Method, one: &Loop) -> Option<f64> {
    let device = one.device?;
    let requests = match (method.pattern.reads(), method.pattern.writes()) {
        (true, true) => device.read_requests.saturating_add(device.write_requests),
        (true, false) => device.read_requests,
        (false, _) => device.write_requests,
    };
    // I/Os of two sizes have no common number of requests.
    if method.beside.is_some() {
        return None;
    }
    let ios = one.transfer(method)?.ios.saturating_add(one.drained_ios);
    (ios > 0).then(|| requests as f64 / ios as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{document::DeviceCounters, fixtures, ids::PublicKey};

    #[test]
    fn limits_of_the_queue_split_large_blocks() {
        let (mib, huge) = (1 << 20, 2 << 20);
        assert_eq!(expected(mib, 4096, Some(4 << 20), Some(254)), 2, "256 pages in 254 segments");
        assert_eq!(expected(mib, huge, Some(4 << 20), Some(254)), 1);
        assert_eq!(expected(mib, 4096, Some(128 << 10), Some(256)), 8);
        assert_eq!(expected(mib, 4096, None, Some(127)), 3);
        assert_eq!(expected(4096, 4096, Some(128 << 10), Some(127)), 1);
        assert_eq!(expected(512, 4096, None, None), 1);
    }

    #[test]
    fn what_the_device_counted_is_divided_by_all_completions() {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let cell = &document.cells[0];
        let mut one = cell.loops[0].clone();
        let ios = one.transfer(&cell.method).unwrap().ios + one.drained_ios;
        one.device = Some(DeviceCounters {
            read_requests: 2 * ios,
            read_bytes: 0,
            write_requests: 5 * ios,
            written_bytes: 0,
        });
        assert_eq!(per_io(&cell.method, &one), Some(2.0));
        one.device = None;
        assert_eq!(per_io(&cell.method, &one), None);
    }
}
