//! Where the next I/O of a worker goes.
//!
//! Random offsets are uniform over the span's blocks; sequential ones run through the worker's own part of the
//! span, again and again, or through a stretch of it once. Source of the generator: D. Blackman, S. Vigna, xoshiro256++ 1.0.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A fast random generator; not for secrets.
#[derive(Debug, Clone)]
pub(crate) struct Xoshiro([u64; 4]);

impl Xoshiro {
    /// A generator whose whole sequence follows from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        }))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`. The bias of the multiplication is below 2^-32 for any span that exists.
    #[inline]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// Scatters the bits of a number, one to one. Source: the finaliser of splitmix64, S. Vigna.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The offsets of one worker.
pub(crate) enum Offsets {
    /// Uniform over `blocks` blocks from the span's start.
    Random { rng: Xoshiro, blocks: u64, block_bytes: u64 },
    /// From `first` up to `end` (bytes, whole blocks) and again.
    Sequential { first: u64, end: u64, next: u64, block_bytes: u64 },
    /// As above, but several threads take turns: together they are the queue of one worker.
    Shared { first: u64, blocks: u64, issued: Arc<AtomicU64>, block_bytes: u64 },
}

impl Offsets {
    /// Offsets over the whole span.
    pub(crate) fn random(seed: u64, span_bytes: u64, block_bytes: u32) -> Self {
        let block_bytes = u64::from(block_bytes);
        Self::Random { rng: Xoshiro::new(seed), blocks: span_bytes / block_bytes, block_bytes }
    }

    /// The part of worker `index` of `workers`, which together cover the span's whole blocks.
    pub(crate) fn sequential(index: u32, workers: u32, span_bytes: u64, block_bytes: u32) -> Self {
        let block_bytes = u64::from(block_bytes);
        let blocks = span_bytes / block_bytes;
        let edge = |index: u32| {
            let part = u128::from(blocks) * u128::from(index) / u128::from(workers);
            u64::try_from(part).expect("a part is not larger than the whole") * block_bytes
        };
        let first = edge(index);
        Self::Sequential { first, end: edge(index + 1), next: first, block_bytes }
    }

    /// As many offsets as `threads`, which walk through the part of `self` together.
    pub(crate) fn share(self, threads: u32) -> Vec<Self> {
        match self {
            Self::Sequential { first, end, block_bytes, .. } => {
                let issued = Arc::new(AtomicU64::new(0));
                let blocks = (end - first) / block_bytes;
                (0..threads)
                    .map(|_| Self::Shared { first, blocks, issued: Arc::clone(&issued), block_bytes })
                    .collect()
            }
            Self::Random { mut rng, blocks, block_bytes } => (0..threads)
                .map(|_| Self::Random { rng: Xoshiro::new(rng.next()), blocks, block_bytes })
                .collect(),
            shared @ Self::Shared { .. } => vec![shared],
        }
    }

    /// The offset of the next I/O, bytes.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        match self {
            Self::Random { rng, blocks, block_bytes } => rng.below(*blocks) * *block_bytes,
            Self::Sequential { first, end, next, block_bytes } => {
                let offset = *next;
                *next += *block_bytes;
                if *next >= *end {
                    *next = *first;
                }
                offset
            }
            Self::Shared { first, blocks, issued, block_bytes } => {
                *first + issued.fetch_add(1, Ordering::Relaxed) % *blocks * *block_bytes
            }
        }
    }

    /// The offset of the next I/O of a stretch, bytes; `None` when all of it was given out.
    #[inline]
    pub(crate) fn next_once(&mut self) -> Option<u64> {
        match self {
            Self::Random { .. } => Some(self.next()),
            Self::Sequential { end, next, block_bytes, .. } => {
                let offset = *next;
                (offset < *end).then(|| {
                    *next += *block_bytes;
                    offset
                })
            }
            Self::Shared { first, blocks, issued, block_bytes } => {
                let index = issued.fetch_add(1, Ordering::Relaxed);
                (index < *blocks).then(|| *first + index * *block_bytes)
            }
        }
    }

    /// Whether all of a stretch was given out.
    pub(crate) fn over(&self) -> bool {
        match self {
            Self::Random { .. } => false,
            Self::Sequential { end, next, .. } => next >= end,
            Self::Shared { blocks, issued, .. } => issued.load(Ordering::Relaxed) >= *blocks,
        }
    }

    /// Starts a loop that goes through a stretch once: whole blocks of a part of the span, bytes. Random offsets have
    /// no stretches.
    pub(crate) fn begin(&mut self, stretch: &Range<u64>) {
        match self {
            Self::Random { .. } => {}
            Self::Sequential { first, end, .. } => (*first, *end) = (stretch.start, stretch.end),
            Self::Shared { first, blocks, block_bytes, .. } => {
                (*first, *blocks) = (stretch.start, (stretch.end - stretch.start) / *block_bytes);
            }
        }
        self.restart();
    }

    /// Starts a new loop: sequential offsets at their first block, random ones where they were, so that
    /// no loop repeats the blocks that the one before has put into a cache.
    pub(crate) fn restart(&mut self) {
        match self {
            Self::Random { .. } => {}
            Self::Sequential { first, next, .. } => *next = *first,
            Self::Shared { issued, .. } => issued.store(0, Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut rng = Xoshiro([1, 2, 3, 4]);
        assert_eq!([rng.next(), rng.next(), rng.next()], [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn random_offsets_are_whole_blocks_all_over_the_span() {
        let (span, block) = (10 * 4096 + 17, 4096);
        let mut offsets = Offsets::random(7, span, block);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            let offset = offsets.next();
            assert_eq!(offset % 4096, 0);
            seen[usize::try_from(offset / 4096).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }

    #[test]
    fn sequential_parts_cover_the_span_once() {
        let (span, block) = (11 * 512, 512);
        let mut seen = Vec::new();
        for index in 0..3 {
            let mut offsets = Offsets::sequential(index, 3, span, block);
            let Offsets::Sequential { first, end, .. } = offsets else { unreachable!() };
            let part = (end - first) / 512;
            seen.extend((0..part).map(|_| offsets.next()));
            assert_eq!(offsets.next(), first, "it starts again");
            offsets.restart();
            assert_eq!(offsets.next(), first);
        }
        assert_eq!(seen, (0..11).map(|block| block * 512).collect::<Vec<u64>>());
    }

    #[test]
    fn threads_walk_through_one_part_together() {
        let mut threads = Offsets::sequential(1, 2, 8 * 512, 512).share(3);
        let mut next = |index: usize| threads[index].next() / 512;
        assert_eq!([next(0), next(2), next(1), next(0), next(1)], [4, 5, 6, 7, 4]);
        threads.iter_mut().for_each(Offsets::restart);
        assert_eq!(threads[1].next(), 4 * 512);
    }

    #[test]
    fn a_stretch_is_gone_through_once() {
        let mut alone = Offsets::sequential(0, 1, 8 * 512, 512);
        alone.next();
        for stretch in [1024..2048, 3072..3584, 512..512] {
            alone.begin(&stretch);
            let seen: Vec<u64> = std::iter::from_fn(|| alone.next_once()).collect();
            assert_eq!(seen, stretch.step_by(512).collect::<Vec<u64>>());
            assert!(alone.over() && alone.next_once().is_none());
        }
        let mut threads = Offsets::sequential(0, 1, 8 * 512, 512).share(3);
        threads.iter_mut().for_each(|thread| thread.begin(&(1024..2560)));
        let seen: Vec<u64> = (0..3).filter_map(|index| threads[index].next_once()).collect();
        assert_eq!(seen, [1024, 1536, 2048]);
        assert!(threads.iter().all(Offsets::over) && threads[0].next_once().is_none());
    }
}
