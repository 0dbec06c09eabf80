//! The consistency test: how a drive that is worn down, kept down and left to recover plays the same traces.
//!
//! Knows: its steps as data, and the writes that wear a drive down. Does not know: a drive, or how a step is carried
//! out; it is destructive wherever that is done.
//!
//! Source: the procedure of PCMark 8's storage consistency test, version 2, as reviews quote it (Tom's Hardware 3774-6,
//! KitGuru on the Optane 900p). At which queue depth it writes was not published and is not said here.

use crate::{
    operation::{Due, Op, Operation, UNIT_BYTES},
    random::Seeded,
    trace::MAX_IO_BYTES,
};
use model::units::NS_PER_S;

const NS_PER_MINUTE: u64 = 60 * NS_PER_S;

/// Sizes of random writes. All are multiples of the unit, and so are the offsets, which are aligned to nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteSizes {
    /// The smallest, bytes.
    pub least_bytes: u32,
    /// The largest, bytes.
    pub most_bytes: u32,
    /// What offsets and sizes are multiples of: the logical block of the drive, 512 or 4096 bytes. In units of 4096 the
    /// writes are another method, for every one of them is aligned to 4 KiB.
    pub unit_bytes: u32,
}

impl WriteSizes {
    /// The published ones: 8 to 2048 blocks of 512 bytes.
    pub const PUBLISHED: Self = Self { least_bytes: 8 * 512, most_bytes: 2_048 * 512, unit_bytes: 512 };

    /// The same sizes in units of a drive with other logical blocks.
    #[must_use]
    pub const fn in_units_of(self, unit_bytes: u32) -> Self {
        Self { unit_bytes, ..self }
    }
}

/// Why there are no random writes of such sizes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RandomWritesError {
    /// The unit is none.
    #[error("{0} bytes are no logical block: it is a power of two from 512 to 65,536")]
    Unit(u32),
    /// There is no size in whole units between the smallest and the largest.
    #[error("no write of {least_bytes} to {most_bytes} bytes is a multiple of {unit_bytes} and above 0 and at most {MAX_IO_BYTES}", least_bytes = .0.least_bytes, most_bytes = .0.most_bytes, unit_bytes = .0.unit_bytes)]
    Sizes(WriteSizes),
    /// The largest does not fit.
    #[error("a span of {span_bytes} bytes is too small for writes of {most_bytes}")]
    Span {
        /// The span.
        span_bytes: u64,
        /// The largest write in whole units.
        most_bytes: u64,
    },
}

/// Random writes without end: every size as likely as the other, and for a size every place that it fits in.
#[derive(Debug, Clone)]
pub struct RandomWrites {
    draw: Seeded,
    unit_bytes: u64,
    least_units: u64,
    most_units: u64,
    span_units: u64,
}

impl RandomWrites {
    /// Writes over the first `span_bytes`, the same ones for the same seed.
    ///
    /// # Errors
    /// When there are none of such sizes, or they do not fit.
    pub fn new(sizes: WriteSizes, span_bytes: u64, seed: u64) -> Result<Self, RandomWritesError> {
        let WriteSizes { least_bytes, most_bytes, unit_bytes } = sizes;
        if !unit_bytes.is_power_of_two() || !(UNIT_BYTES..=65_536).contains(&unit_bytes) {
            return Err(RandomWritesError::Unit(unit_bytes));
        }
        let (least_units, most_units) = (least_bytes.div_ceil(unit_bytes).max(1), most_bytes / unit_bytes);
        if least_units > most_units || most_bytes > MAX_IO_BYTES {
            return Err(RandomWritesError::Sizes(sizes));
        }
        let (unit_bytes, most_units) = (u64::from(unit_bytes), u64::from(most_units));
        let span_units = span_bytes / unit_bytes;
        if span_units < most_units {
            return Err(RandomWritesError::Span { span_bytes, most_bytes: most_units * unit_bytes });
        }
        let draw = Seeded::new(seed);
        Ok(Self { draw, unit_bytes, least_units: u64::from(least_units), most_units, span_units })
    }
}

impl Iterator for RandomWrites {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        let units = self.draw.between(self.least_units, self.most_units);
        let first = self.draw.between(0, self.span_units - units);
        #[expect(clippy::cast_possible_truncation, reason = "at most the size that was given as u32")]
        let bytes = (units * self.unit_bytes) as u32;
        Some(Operation { due: Due::Now, op: Op::Write, offset: first * self.unit_bytes, bytes })
    }
}

/// Part of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The whole drive is written, so that it has nothing free left.
    Precondition,
    /// It is worn down, a little longer each pass.
    Degradation,
    /// It is kept down.
    Steady,
    /// It is left alone before each pass.
    Recovery,
    /// The whole drive is written with zeros.
    CleanUp,
}

/// What a drive is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// Data that cannot be compressed.
    Random,
    /// Zeros.
    Zeros,
}

/// What is done in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The whole span is written once, from its begin to its end.
    Fill {
        /// With what.
        content: Content,
        /// Bytes of one write.
        block_bytes: u32,
    },
    /// Random writes ([`RandomWrites`]) for so long.
    RandomWrites {
        /// How long, nanoseconds.
        ns: u64,
    },
    /// Nothing for so long.
    Idle {
        /// How long, nanoseconds.
        ns: u64,
    },
    /// Every trace of the pack once, measured.
    Traces,
}

/// One step of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// Which part it belongs to.
    pub phase: Phase,
    /// Which pass of the phase, from 1.
    pub pass: u32,
    /// What is done.
    pub action: Action,
}

/// The test's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consistency {
    /// Name of the method: other parameters are another one.
    pub method: &'static str,
    /// Bytes of a write of the two phases that write everything.
    pub fill_block_bytes: u32,
    /// How often everything is written first.
    pub precondition_passes: u32,
    /// Passes of the degradation.
    pub degradation_passes: u32,
    /// Random writes before its first pass, nanoseconds.
    pub first_ns: u64,
    /// By how much longer they last before each next one, nanoseconds.
    pub more_ns: u64,
    /// Passes of the steady phase.
    pub steady_passes: u32,
    /// Random writes before each of them, nanoseconds.
    pub steady_ns: u64,
    /// Passes of the recovery.
    pub recovery_passes: u32,
    /// Rest before each of them, nanoseconds.
    pub idle_ns: u64,
    /// Sizes of the random writes.
    pub writes: WriteSizes,
}

impl Consistency {
    /// The published procedure.
    pub const FULL: Self = Self {
        method: "consistency",
        fill_block_bytes: 131_072,
        precondition_passes: 2,
        degradation_passes: 8,
        first_ns: 10 * NS_PER_MINUTE,
        more_ns: 5 * NS_PER_MINUTE,
        steady_passes: 5,
        steady_ns: 45 * NS_PER_MINUTE,
        recovery_passes: 5,
        idle_ns: 5 * NS_PER_MINUTE,
        writes: WriteSizes::PUBLISHED,
    };

    /// The same shape in a tenth of the minutes: another method, whose figures are not those of the full one.
    pub const SHORT: Self = Self {
        method: "consistency-short",
        first_ns: Self::FULL.first_ns / 10,
        more_ns: Self::FULL.more_ns / 10,
        steady_ns: Self::FULL.steady_ns / 10,
        idle_ns: Self::FULL.idle_ns / 10,
        ..Self::FULL
    };

    /// Its steps in their order.
    pub fn steps(self) -> impl Iterator<Item = Step> {
        let fill = move |content| Action::Fill { content, block_bytes: self.fill_block_bytes };
        let precondition = steps(Phase::Precondition, self.precondition_passes, move |_| {
            [Some(fill(Content::Random)), None]
        });
        let degradation = steps(Phase::Degradation, self.degradation_passes, move |pass| {
            let ns = self.first_ns.saturating_add(self.more_ns.saturating_mul(u64::from(pass - 1)));
            [Some(Action::RandomWrites { ns }), Some(Action::Traces)]
        });
        let steady = steps(Phase::Steady, self.steady_passes, move |_| {
            [Some(Action::RandomWrites { ns: self.steady_ns }), Some(Action::Traces)]
        });
        let recovery = steps(Phase::Recovery, self.recovery_passes, move |_| {
            [Some(Action::Idle { ns: self.idle_ns }), Some(Action::Traces)]
        });
        let clean_up = steps(Phase::CleanUp, 1, move |_| [Some(fill(Content::Zeros)), None]);
        precondition.chain(degradation).chain(steady).chain(recovery).chain(clean_up)
    }

    /// How often the traces are played.
    #[must_use]
    pub fn passes(&self) -> u64 {
        [self.degradation_passes, self.steady_passes, self.recovery_passes].map(u64::from).iter().sum()
    }
}

fn steps(
    phase: Phase,
    passes: u32,
    actions: impl Fn(u32) -> [Option<Action>; 2],
) -> impl Iterator<Item = Step> {
    (1..=passes).flat_map(move |pass| {
        actions(pass).into_iter().flatten().map(move |action| Step { phase, pass, action })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Minutes that are written at random, minutes of rest, passes of the traces, and fills.
    fn count(test: Consistency) -> (u64, u64, u64, usize) {
        let steps: Vec<Step> = test.steps().collect();
        let sum = |ns: fn(Action) -> u64| steps.iter().map(|step| ns(step.action)).sum::<u64>();
        (
            sum(|action| if let Action::RandomWrites { ns } = action { ns } else { 0 }) / NS_PER_S,
            sum(|action| if let Action::Idle { ns } = action { ns } else { 0 }) / NS_PER_S,
            sum(|action| u64::from(action == Action::Traces)),
            steps.iter().filter(|step| matches!(step.action, Action::Fill { .. })).count(),
        )
    }

    #[test]
    fn minutes_and_passes_are_the_published_ones() {
        assert_eq!(count(Consistency::FULL), ((220 + 225) * 60, 25 * 60, 18, 3));
        assert_eq!(count(Consistency::SHORT), ((220 + 225) * 6, 25 * 6, 18, 3));
        assert_eq!(Consistency::FULL.passes(), 18);
        assert_ne!(Consistency::FULL.method, Consistency::SHORT.method);
    }

    #[test]
    fn steps_come_in_their_order() {
        let steps: Vec<Step> = Consistency::FULL.steps().collect();
        let fill = |content| Action::Fill { content, block_bytes: 131_072 };
        let first = [
            (Phase::Precondition, 1, fill(Content::Random)),
            (Phase::Precondition, 2, fill(Content::Random)),
            (Phase::Degradation, 1, Action::RandomWrites { ns: 10 * NS_PER_MINUTE }),
            (Phase::Degradation, 1, Action::Traces),
            (Phase::Degradation, 2, Action::RandomWrites { ns: 15 * NS_PER_MINUTE }),
        ];
        for (step, (phase, pass, action)) in steps.iter().zip(first) {
            assert_eq!(*step, Step { phase, pass, action });
        }
        let minutes: Vec<u64> = steps
            .iter()
            .filter_map(|step| match (step.phase, step.action) {
                (Phase::Degradation, Action::RandomWrites { ns }) => Some(ns / NS_PER_MINUTE),
                _ => None,
            })
            .collect();
        assert_eq!(minutes, [10, 15, 20, 25, 30, 35, 40, 45]);
        let last = Step { phase: Phase::CleanUp, pass: 1, action: fill(Content::Zeros) };
        assert_eq!(steps.last(), Some(&last));
        assert_eq!(steps.len(), 2 + 18 * 2 + 1);
    }

    #[test]
    fn passes_that_are_absurd_do_no_harm() {
        let absurd = Consistency {
            precondition_passes: 0,
            degradation_passes: u32::MAX,
            more_ns: u64::MAX,
            ..Consistency::FULL
        };
        let third = absurd.steps().nth(2).map(|step| step.action);
        assert_eq!(third, Some(Action::RandomWrites { ns: u64::MAX }));
    }

    #[test]
    fn sizes_and_places_are_uniform() {
        let span_bytes = 1 << 30;
        let writes = RandomWrites::new(WriteSizes::PUBLISHED, span_bytes, 7).unwrap();
        let writes: Vec<Operation> = writes.take(20_000).collect();
        let mean = |of: fn(&Operation) -> u64| writes.iter().map(of).sum::<u64>() / 20_000;
        assert!((520_000..532_000).contains(&mean(|write| write.bytes.into())));
        let middle = mean(|write| write.offset + u64::from(write.bytes / 2));
        assert!(middle.abs_diff(span_bytes / 2) < span_bytes / 100, "{middle}");
        assert!(writes.iter().any(|write| write.bytes == 8 * 512));
        assert!(writes.iter().any(|write| write.bytes == 2_048 * 512));
        let aligned = writes.iter().filter(|write| write.offset.is_multiple_of(4_096)).count();
        assert!((2_200..2_800).contains(&aligned), "one in eight is aligned to 4 KiB: {aligned}");
        let again = RandomWrites::new(WriteSizes::PUBLISHED, span_bytes, 7).unwrap();
        assert!(again.take(100).eq(writes.into_iter().take(100)));
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let sizes = WriteSizes::PUBLISHED;
        for (sizes, span_bytes, message) in [
            (sizes.in_units_of(520), 1 << 30, "520 bytes are no logical block"),
            (WriteSizes { most_bytes: 4_000, ..sizes }, 1 << 30, "no write of 4096 to 4000 bytes"),
            (WriteSizes { most_bytes: 65 << 20, ..sizes }, 1 << 30, "at most 67108864"),
            (sizes, (1 << 20) - 1, "too small for writes of 1048576"),
        ] {
            let error = RandomWrites::new(sizes, span_bytes, 0).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    proptest! {
        #[test]
        fn every_write_lies_in_the_span_in_whole_units(
            seed: u64,
            least_bytes in 0_u32..20_000,
            most_bytes in 0_u32..80_000,
            span_bytes in 0_u64..200_000,
            unit in prop_oneof![Just(512_u32), Just(4_096)],
        ) {
            let sizes = WriteSizes { least_bytes, most_bytes, unit_bytes: unit };
            if let Ok(writes) = RandomWrites::new(sizes, span_bytes, seed) {
                for write in writes.take(50) {
                    prop_assert!(write.end() <= span_bytes && write.bytes > 0);
                    prop_assert!((least_bytes..=most_bytes).contains(&write.bytes));
                    prop_assert!(write.offset.is_multiple_of(unit.into()) && write.bytes.is_multiple_of(unit));
                }
            }
        }
    }
}
