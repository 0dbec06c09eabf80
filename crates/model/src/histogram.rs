//! A mergeable log-linear histogram of latencies in nanoseconds.
//!
//! Buckets are exact below 128 ns and 1/64 of a power of two wide above, so a bucket's bounds lie
//! within 1.6 % of each other. Recording is a few instructions: the measuring loop does it for every
//! I/O. Knows nothing of what was timed.

use crate::units::Nanos;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const SUB_BITS: u32 = 6;
const SUB: u64 = 1 << SUB_BITS;
/// Number of buckets; they cover every 64-bit value.
pub const BUCKETS: usize = 59 << SUB_BITS;

/// The bucket that `ns` falls into, below [`BUCKETS`].
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "an index is below BUCKETS")]
pub fn bucket_of(ns: u64) -> usize {
    let exponent = 63 - (ns | SUB).leading_zeros();
    let shift = exponent - SUB_BITS;
    (u64::from(shift) * SUB + (ns >> shift)) as usize
}

/// The smallest and the largest value of a bucket.
#[must_use]
pub fn bounds_of(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < 2 * SUB {
        return (bucket, bucket);
    }
    let shift = bucket / SUB - 1;
    let low = (bucket % SUB + SUB) << shift;
    (low, low + ((1 << shift) - 1))
}

/// Counts of latencies by bucket, with the exact count, sum, least and greatest.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS].into(), count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count)
            .field("sum_ns", &self.sum_ns)
            .finish_non_exhaustive()
    }
}

impl Histogram {
    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        let ns = latency.0;
        self.counts[bucket_of(ns)] += 1;
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Counts the same latency `count` times.
    pub fn record_many(&mut self, latency: Nanos, count: u64) {
        if count == 0 {
            return;
        }
        let ns = latency.0;
        self.counts[bucket_of(ns)] += count;
        self.count += count;
        self.sum_ns = self.sum_ns.saturating_add(ns.saturating_mul(count));
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds everything that `other` counted. Counts stop at the end of 64 bits: a document may claim any.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many latencies were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least latency; `None` when nothing was counted.
    #[must_use]
    pub fn min(&self) -> Option<Nanos> {
        (self.count > 0).then_some(Nanos(self.min_ns))
    }

    /// The greatest latency; `None` when nothing was counted.
    #[must_use]
    pub fn max(&self) -> Option<Nanos> {
        (self.count > 0).then_some(Nanos(self.max_ns))
    }

    /// The arithmetic mean, from the exact sum; `None` when nothing was counted.
    #[must_use]
    pub fn mean(&self) -> Option<Nanos> {
        self.sum_ns.checked_div(self.count).map(Nanos)
    }

    /// The latency that `per_100_000` of 100,000 I/Os did not exceed: 50,000 is the median, 99,900
    /// the 99.9th percentile. The upper bound of its bucket, never more than the greatest latency;
    /// `None` when nothing was counted.
    #[must_use]
    pub fn percentile(&self, per_100_000: u32) -> Option<Nanos> {
        if self.count == 0 {
            return None;
        }
        let rank = (u128::from(self.count) * u128::from(per_100_000.min(100_000))).div_ceil(100_000).max(1);
        let mut seen = 0_u128;
        for (bucket, &count) in self.counts.iter().enumerate() {
            seen += u128::from(count);
            if seen >= rank {
                return Some(Nanos(bounds_of(bucket).1.clamp(self.min_ns, self.max_ns)));
            }
        }
        Some(Nanos(self.max_ns))
    }

    /// The non-empty buckets in rising order, as (least value, greatest value, count).
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bucket, &count)| {
            let (low, high) = bounds_of(bucket);
            (Nanos(low), Nanos(high), count)
        })
    }
}

/// The written form. Wire format: do not change without a new schema version.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Histogram))]
#[serde(deny_unknown_fields)]
struct Written {
    /// Exact sum of all latencies.
    sum_ns: u64,
    /// Least latency, 0 when nothing was counted.
    min_ns: u64,
    /// Greatest latency, 0 when nothing was counted.
    max_ns: u64,
    /// Pairs of bucket index and count, by rising index, counts above 0. Bucket `b` below 128 holds the
    /// value `b`; above, it starts at `(b % 64 + 64) << (b / 64 - 1)` and is `1 << (b / 64 - 1)` wide.
    buckets: Vec<(u32, u64)>,
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written {
            sum_ns: self.sum_ns,
            min_ns: if self.count == 0 { 0 } else { self.min_ns },
            max_ns: self.max_ns,
            buckets: (0_u32..)
                .zip(&self.counts)
                .filter(|(_, count)| **count > 0)
                .map(|(i, &n)| (i, n))
                .collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        Self::try_from(written).map_err(serde::de::Error::custom)
    }
}

impl TryFrom<Written> for Histogram {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, &'static str> {
        let Written { sum_ns, min_ns, max_ns, buckets } = written;
        let mut histogram = Self::default();
        let mut next = 0;
        for &(index, count) in &buckets {
            let index = index as usize;
            if index >= BUCKETS || index < next || count == 0 {
                return Err("histogram buckets must rise, exist and hold at least 1");
            }
            next = index + 1;
            histogram.counts[index] = count;
            histogram.count = histogram.count.checked_add(count).ok_or("histogram counts overflow")?;
        }
        histogram.sum_ns = sum_ns;
        let (Some(&(first, _)), Some(&(last, _))) = (buckets.first(), buckets.last()) else {
            return if (sum_ns, min_ns, max_ns) == (0, 0, 0) {
                Ok(histogram)
            } else {
                Err("an empty histogram has sum, least and greatest 0")
            };
        };
        if bucket_of(min_ns) != first as usize || bucket_of(max_ns) != last as usize {
            return Err("least and greatest latency must lie in the outermost buckets");
        }
        (histogram.min_ns, histogram.max_ns) = (min_ns, max_ns);
        Ok(histogram)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Histogram {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        <Written as utoipa::PartialSchema>::schema()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Histogram {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|&ns| histogram.record(Nanos(ns)));
        histogram
    }

    #[test]
    fn extremes_have_buckets() {
        assert_eq!(bucket_of(0), 0);
        assert_eq!(bucket_of(127), 127);
        assert_eq!(bucket_of(128), 128);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn nothing_counted_is_none() {
        assert_eq!(of(&[]).mean(), None);
        assert_eq!(of(&[]).percentile(50_000), None);
    }

    proptest! {
        #[test]
        fn a_value_lies_in_its_narrow_bucket(ns: u64) {
            let (low, high) = bounds_of(bucket_of(ns));
            prop_assert!(low <= ns && ns <= high);
            prop_assert!(high - low <= low / 64);
        }

        #[test]
        fn percentiles_rise_and_stay_inside(values in prop::collection::vec(any::<u64>(), 1..200)) {
            let histogram = of(&values);
            let mut before = Nanos(0);
            for p in [0, 1_000, 50_000, 99_000, 99_999, 100_000] {
                let value = histogram.percentile(p).unwrap();
                prop_assert!(value >= before && value <= histogram.max().unwrap());
                before = value;
            }
            prop_assert_eq!(Some(before), histogram.max());
        }

        #[test]
        fn merging_is_recording_all(a in prop::collection::vec(0..1_u64 << 40, 0..50), b in prop::collection::vec(0..1_u64 << 40, 0..50)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn writing_reads_back(values in prop::collection::vec(0..1_u64 << 50, 0..50)) {
            let text = serde_json::to_string(&of(&values)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), of(&values));
        }
    }

    #[test]
    fn lies_are_refused() {
        for bad in [
            r#"{"sum_ns":0,"min_ns":0,"max_ns":0,"buckets":[[3776,1]]}"#,
            r#"{"sum_ns":0,"min_ns":1,"max_ns":1,"buckets":[[1,0]]}"#,
            r#"{"sum_ns":0,"min_ns":1,"max_ns":1,"buckets":[[2,1],[1,1]]}"#,
            r#"{"sum_ns":0,"min_ns":9,"max_ns":9,"buckets":[[1,1]]}"#,
            r#"{"sum_ns":5,"min_ns":0,"max_ns":0,"buckets":[]}"#,
        ] {
            assert!(serde_json::from_str::<Histogram>(bad).is_err(), "{bad}");
        }
    }
}
