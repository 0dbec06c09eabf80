//! Where the next I/O of a worker goes.
//!
//! Random offsets are uniform over the span's blocks; sequential ones run through the worker's own part of the
//! span, again and again. Source of the generator: D. Blackman, S. Vigna, xoshiro256++ 1.0.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
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
    fn below(&mut self, bound: u64) -> u64 {
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
}
