//! Numbers that follow from a seed, and portions whose sum is exact.
//!
//! Knows: one small generator, in integers, so that every machine draws the same. Does not know: what is drawn.

/// A generator whose whole sequence follows from its seed.
///
/// Source: `SplitMix64` of Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Debug, Clone)]
pub(crate) struct Seeded(u64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed that follows from a name and its version: another version draws other numbers.
    pub(crate) fn of(name: &str, version: u32) -> Self {
        let letters = name.bytes().map(u64::from);
        Self(letters.fold(u64::from(version), |seed, letter| mix(seed ^ letter)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to below `count`; 0 when `count` is 0. No number is favoured by more than `count` / 2^64.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(count)) >> 64) as u64
    }

    /// A number from `least` to `most`, both included; `least` when `most` is smaller.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }
}

/// Every bit of the result depends on every bit of `value`.
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A sum that is handed out in so many portions, most of them of the sizes on a ladder, without a list of them.
#[derive(Debug, Clone)]
pub(crate) struct Portions {
    /// Sizes in rising order.
    ladder: &'static [u64],
    count: u64,
    left: u64,
}

impl Portions {
    /// The sum is exact when it lies between `count` times the least and the greatest size.
    pub(crate) fn new(ladder: &'static [u64], count: u64, sum: u64) -> Self {
        Self { ladder, count, left: sum }
    }

    /// Portions that are left.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next portion; 0 when none is left.
    ///
    /// One rung is drawn from those up to the mean of what is left and one from those above it, and of the two one,
    /// so that the mean stays where it is. Only at the end may a portion lie between two rungs, to make the sum exact.
    pub(crate) fn next(&mut self, random: &mut Seeded) -> u64 {
        let (Some(least), Some(most)) = (self.ladder.first(), self.ladder.last()) else { return 0 };
        if self.count == 0 {
            return 0;
        }
        let (count, left) = (self.count, self.left);
        let (low, high) = self.ladder.split_at(self.ladder.partition_point(|rung| rung * count <= left));
        let mut draw = |rungs: &[u64]| {
            #[expect(clippy::cast_possible_truncation, reason = "a ladder has few rungs")]
            let index = random.below(rungs.len() as u64) as usize;
            rungs.get(index).copied()
        };
        let (low, high) = (draw(low).unwrap_or(*least), draw(high));
        let size = match high {
            Some(high) if random.below((high - low) * count) < left.saturating_sub(low * count) => high,
            Some(_) => low,
            None => *most,
        };
        let others = count - 1;
        let size = size.max(left.saturating_sub(others * most)).min(left.saturating_sub(others * least));
        self.count = others;
        self.left -= size;
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LADDER: [u64; 6] = [1, 2, 4, 8, 16, 32];

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs for the seed 1234567 that implementations of SplitMix64 are checked against.
        let mut random = Seeded::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn seeds_follow_from_name_and_version() {
        let first = |name, version| Seeded::of(name, version).next();
        assert_eq!(first("word", 1), first("word", 1));
        assert_ne!(first("word", 1), first("word", 2));
        assert_ne!(first("word", 1), first("excel", 1));
    }

    proptest! {
        #[test]
        fn numbers_stay_in_range(seed: u64, least in 0_u64..100, more in 0_u64..100) {
            let drawn = Seeded::new(seed).between(least, least + more);
            prop_assert!((least..=least + more).contains(&drawn));
        }

        #[test]
        fn portions_sum_up(seed: u64, count in 1_u64..300, mean_of_32 in 32_u64..=1024) {
            let sum = (count * mean_of_32 / 32).max(count);
            let mut portions = Portions::new(&LADDER, count, sum);
            let mut random = Seeded::new(seed);
            let drawn: Vec<u64> = (0..count).map(|_| portions.next(&mut random)).collect();
            prop_assert_eq!(drawn.iter().sum::<u64>(), sum);
            prop_assert!(drawn.iter().all(|size| (1..=32).contains(size)));
            prop_assert_eq!(portions.next(&mut random), 0);
        }
    }
}
