//! A trace: operations on one span with the times they are due, and the ways to play it.
//!
//! Knows: what a trace says of itself, and how playing it faster, closer together, elsewhere or in part changes each
//! operation. Does not know: who submits the operations, how late they were, or what they were measured at.

use crate::{
    applications::{self, APPLICATIONS, Application},
    game_load::{self, GAME_LOAD, GameLoad},
    operation::{Due, Op, Operation, Totals, UNIT_BYTES},
    random::mix,
};

/// Largest operation of any trace, bytes.
pub const MAX_IO_BYTES: u32 = 64 << 20;
/// Largest unit that a trace can be played in, bytes.
const MAX_UNIT_BYTES: u32 = 1 << 20;
/// Highest speed, percent.
const MAX_SPEED_PERCENT: u32 = 1_000_000;
/// What names of models begin with.
const MODEL: &str = "model:";

/// Operations on one span. The same name and version is the same operations every time.
#[derive(Debug, Clone)]
pub struct Trace {
    /// What it is called: `model:` and a name for a model of ours, otherwise what the reader of the file called it.
    pub name: String,
    /// Its version; another one has other operations.
    pub version: u32,
    /// Every operation lies below this, bytes.
    pub span_bytes: u64,
    /// Every offset and size is a multiple of this: 512, 1024, 2048 or 4096 bytes.
    pub unit_bytes: u32,
    /// Size of the largest operation, bytes; at most [`MAX_IO_BYTES`].
    pub largest_bytes: u32,
    /// Most operations that are meant to be in flight; `None` where a recording does not tell.
    pub most_in_flight: Option<u32>,
    /// The last deadline, or all think times together, nanoseconds: no playing in full is shorter.
    pub duration_ns: u64,
    /// What its operations add up to.
    pub totals: Totals,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Application(Application),
    GameLoad,
    Recorded(Vec<Operation>),
}

/// The model of a name, with or without `model:`; `None` when there is none of it.
#[must_use]
pub fn model(name: &str) -> Option<Trace> {
    let name = name.strip_prefix(MODEL).unwrap_or(name);
    if name == GAME_LOAD {
        return Some(Trace::of_model(
            name,
            game_load::VERSION,
            [game_load::SPAN_BYTES, game_load::BLOCK_BYTES.into()],
            game_load::LARGEST_BYTES,
            game_load::MOST_IN_FLIGHT,
            Source::GameLoad,
        ));
    }
    let published = APPLICATIONS.traces.iter().find(|published| published.name == name)?;
    Some(Trace::of_model(
        name,
        APPLICATIONS.version,
        [applications::SPAN_BYTES, applications::BLOCK_BYTES.into()],
        applications::LARGEST_BYTES,
        applications::MOST_IN_FLIGHT,
        Source::Application(Application::new(published, APPLICATIONS.version)),
    ))
}

impl Trace {
    fn of_model(
        name: &str,
        version: u32,
        [span_bytes, unit_bytes]: [u64; 2],
        largest_bytes: u32,
        most_in_flight: u32,
        source: Source,
    ) -> Self {
        let mut trace = Self {
            name: format!("{MODEL}{name}"),
            version,
            span_bytes,
            unit_bytes: u32::try_from(unit_bytes).unwrap_or(UNIT_BYTES),
            largest_bytes,
            most_in_flight: Some(most_in_flight),
            duration_ns: 0,
            totals: Totals::default(),
            source,
        };
        trace.totals = Totals::of(trace.operations());
        trace.duration_ns = duration_ns(trace.operations());
        trace
    }

    /// A trace of recorded operations, in their order.
    pub(crate) fn recorded(name: &str, span_bytes: u64, operations: Vec<Operation>) -> Self {
        let bits = operations
            .iter()
            .fold(4096, |bits, operation| bits | operation.offset | u64::from(operation.bytes));
        Self {
            name: name.to_owned(),
            version: 1,
            span_bytes,
            unit_bytes: 1 << bits.trailing_zeros(),
            largest_bytes: operations.iter().map(|operation| operation.bytes).max().unwrap_or(0),
            most_in_flight: None,
            duration_ns: duration_ns(operations.iter().copied()),
            totals: Totals::of(operations.iter().copied()),
            source: Source::Recorded(operations),
        }
    }

    /// Its operations in their order, as they were made or recorded.
    #[must_use]
    pub fn operations(&self) -> Operations<'_> {
        Operations(match &self.source {
            Source::Application(application) => Inner::Application(application.operations()),
            Source::GameLoad => Inner::GameLoad(GameLoad::new()),
            Source::Recorded(operations) => Inner::Recorded(operations.iter()),
        })
    }

    /// Its operations in their order, changed to be played in a certain way.
    ///
    /// # Errors
    /// When `play` is out of range or its span is too small.
    pub fn play(&self, play: &Play) -> Result<Played<'_>, PlayError> {
        Played::new(self, *play)
    }

    /// A number that follows from every operation: two traces of one name that differ in it are not the same.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let start = mix(self.span_bytes);
        self.operations().fold(start, |print, operation| {
            let (kind, time) = match operation.due {
                Due::At(at) => (0, at),
                Due::After(think) => (1, think),
                Due::Now => (2, 0),
            };
            let op = match operation.op {
                Op::Read => 0,
                Op::Write => 1,
                Op::Flush => 2,
            };
            [kind, time, op, operation.offset, operation.bytes.into()]
                .into_iter()
                .fold(print, |print, field| mix(print.rotate_left(5) ^ field))
        })
    }
}

fn duration_ns(operations: impl Iterator<Item = Operation>) -> u64 {
    let (mut last, mut thought) = (0, 0_u64);
    for operation in operations {
        match operation.due {
            Due::At(at) => last = last.max(at),
            Due::After(think) => thought = thought.saturating_add(think),
            Due::Now => {}
        }
    }
    last.max(thought)
}

/// The operations of a trace in their order. Those of models are made one by one.
#[derive(Debug, Clone)]
pub struct Operations<'a>(Inner<'a>);

#[derive(Debug, Clone)]
enum Inner<'a> {
    Application(applications::Timed),
    GameLoad(GameLoad),
    Recorded(std::slice::Iter<'a, Operation>),
}

impl Iterator for Operations<'_> {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        match &mut self.0 {
            Inner::Application(operations) => operations.next(),
            Inner::GameLoad(operations) => operations.next(),
            Inner::Recorded(operations) => operations.next().copied(),
        }
    }
}

/// Kinds that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skip {
    /// Leaves out reads.
    pub reads: bool,
    /// Leaves out writes.
    pub writes: bool,
    /// Leaves out flushes.
    pub flushes: bool,
}

impl Skip {
    fn has(self, op: Op) -> bool {
        match op {
            Op::Read => self.reads,
            Op::Write => self.writes,
            Op::Flush => self.flushes,
        }
    }
}

/// How a trace is played. The default is as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Play {
    /// Percent of the recorded speed, 1 to 1,000,000: at 200 every time is half as long.
    pub speed_percent: u32,
    /// Longest time from one deadline to the next, and longest think time, nanoseconds, after `speed_percent`; `None`
    /// keeps all of them.
    pub longest_idle_ns: Option<u64>,
    /// As fast as possible: without deadlines and think times. What depends on earlier operations still waits for them.
    pub no_stall: bool,
    /// The span to play on, bytes: what lies behind its end is played at its offset modulo the span, at the last place
    /// where it fits at most. `None` takes the trace's own.
    pub span_bytes: Option<u64>,
    /// Every offset and size is widened to a multiple of this, a power of two from 512 to 1,048,576 bytes.
    pub unit_bytes: u32,
    /// Kinds that are left out; the times of the others stay.
    pub skip: Skip,
}

impl Default for Play {
    fn default() -> Self {
        Self {
            speed_percent: 100,
            longest_idle_ns: None,
            no_stall: false,
            span_bytes: None,
            unit_bytes: UNIT_BYTES,
            skip: Skip::default(),
        }
    }
}

impl Play {
    /// With idle gaps cut to so many nanoseconds. Busy time and access times leave idle time out, so they can still be
    /// told; what a drive does in long pauses (sleep, empty its cache) it cannot do.
    #[must_use]
    pub fn compressed(longest_idle_ns: u64) -> Self {
        Self { longest_idle_ns: Some(longest_idle_ns), ..Self::default() }
    }
}

/// Why a trace cannot be played in a certain way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The speed is out of range.
    #[error("a speed of {0} % is out of range: 1 to {MAX_SPEED_PERCENT} can be played")]
    Speed(u32),
    /// The unit is none.
    #[error("{0} bytes are no unit of offsets: it is a power of two from {UNIT_BYTES} to {MAX_UNIT_BYTES}")]
    Unit(u32),
    /// The largest operation does not fit.
    #[error(
        "a span of {span_bytes} bytes is too small: the largest operation of this trace needs {needed_bytes}"
    )]
    Span {
        /// The span in whole units.
        span_bytes: u64,
        /// What it must have at least.
        needed_bytes: u64,
    },
}

/// The operations of a trace as they are to be played.
#[derive(Debug, Clone)]
pub struct Played<'a> {
    operations: Operations<'a>,
    play: Play,
    span_bytes: u64,
    largest_bytes: u32,
    /// The last deadline, scaled, before and after gaps were cut, nanoseconds.
    last: (u64, u64),
}

impl<'a> Played<'a> {
    fn new(trace: &'a Trace, play: Play) -> Result<Self, PlayError> {
        let Play { speed_percent, unit_bytes, .. } = play;
        if !(1..=MAX_SPEED_PERCENT).contains(&speed_percent) {
            return Err(PlayError::Speed(speed_percent));
        }
        if !unit_bytes.is_power_of_two() || !(UNIT_BYTES..=MAX_UNIT_BYTES).contains(&unit_bytes) {
            return Err(PlayError::Unit(unit_bytes));
        }
        let unit = u64::from(unit_bytes);
        let whole = trace.span_bytes.checked_next_multiple_of(unit).unwrap_or(u64::MAX / unit * unit);
        let span_bytes = match play.span_bytes {
            Some(bytes) => bytes / unit * unit,
            None => whole,
        };
        // What begins in the midst of a unit may reach into one more, but never past the trace's own end.
        let over = unit_bytes.saturating_sub(trace.unit_bytes);
        let widened = (trace.largest_bytes.min(MAX_IO_BYTES) + over).next_multiple_of(unit_bytes);
        let largest_bytes = u32::try_from(whole).map_or(widened, |whole| widened.min(whole));
        let needed_bytes = u64::from(largest_bytes);
        if needed_bytes > span_bytes {
            return Err(PlayError::Span { span_bytes, needed_bytes });
        }
        Ok(Self { operations: trace.operations(), play, span_bytes, largest_bytes, last: (0, 0) })
    }

    /// Every operation lies below this, bytes.
    #[must_use]
    pub fn span_bytes(&self) -> u64 {
        self.span_bytes
    }

    /// No operation is larger, bytes.
    #[must_use]
    pub fn largest_bytes(&self) -> u32 {
        self.largest_bytes
    }

    fn due(&mut self, due: Due) -> Due {
        let scale = |time: u64| {
            let scaled = u128::from(time) * 100 / u128::from(self.play.speed_percent);
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let longest = self.play.longest_idle_ns.unwrap_or(u64::MAX);
        match due {
            Due::At(_) if self.play.no_stall => Due::Now,
            Due::After(_) if self.play.no_stall => Due::After(0),
            Due::At(at) => {
                let at = scale(at);
                let gap = at.saturating_sub(self.last.0).min(longest);
                self.last = (at, self.last.1.saturating_add(gap));
                Due::At(self.last.1)
            }
            Due::After(think) => Due::After(scale(think).min(longest)),
            Due::Now => Due::Now,
        }
    }

    /// Offset and size in whole units within the span.
    fn place(&self, operation: Operation) -> (u64, u32) {
        let unit = u64::from(self.play.unit_bytes);
        let begin = operation.offset / unit * unit;
        let end = operation.end().checked_next_multiple_of(unit).unwrap_or(u64::MAX / unit * unit);
        let bytes = (end - begin).min(self.largest_bytes.into());
        let offset = match self.play.span_bytes {
            Some(_) => (begin % self.span_bytes).min(self.span_bytes - bytes),
            None => begin,
        };
        (offset, u32::try_from(bytes).unwrap_or(self.largest_bytes))
    }
}

impl Iterator for Played<'_> {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        let operation = loop {
            let operation = self.operations.next()?;
            if !self.play.skip.has(operation.op) {
                break operation;
            }
        };
        let due = self.due(operation.due);
        if operation.op == Op::Flush {
            return Some(Operation { due, ..operation });
        }
        let (offset, bytes) = self.place(operation);
        Some(Operation { due, op: operation.op, offset, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PUBLISHED;
    use proptest::prelude::*;

    fn operation(at: u64, op: Op, offset: u64, bytes: u32) -> Operation {
        Operation { due: Due::At(at), op, offset, bytes }
    }

    fn small() -> Trace {
        Trace::recorded(
            "small",
            16_384,
            vec![
                operation(0, Op::Read, 0, 512),
                operation(1_000, Op::Write, 15_872, 512),
                operation(1_000, Op::Flush, 0, 0),
                operation(9_000, Op::Read, 3_584, 1_024),
                operation(9_500, Op::Read, 8_192, 4_096),
            ],
        )
    }

    fn played(play: Play) -> Vec<Operation> {
        small().play(&play).unwrap().collect()
    }

    fn times(operations: &[Operation]) -> Vec<u64> {
        let at = |operation: &Operation| match operation.due {
            Due::At(at) => at,
            other => panic!("{other:?}"),
        };
        operations.iter().map(at).collect()
    }

    /// What the names stand for. A change of a generator must come with a new version of its pack, never alone.
    #[test]
    fn names_stand_for_the_same_operations_for_ever() {
        let names = PUBLISHED.iter().map(|published| published.name).chain([GAME_LOAD]);
        let prints: Vec<String> = names
            .map(|name| {
                let trace = model(name).unwrap();
                format!("{} {} {:016x}", trace.name, trace.version, trace.fingerprint())
            })
            .collect();
        assert_eq!(prints, FINGERPRINTS);
    }

    const FINGERPRINTS: [&str; 11] = [
        "model:photoshop-light 1 a571284b893c5b87",
        "model:photoshop-heavy 1 45819b5e62199090",
        "model:illustrator 1 42414a06171a96ec",
        "model:indesign 1 681a835d027c4b57",
        "model:after-effects 1 2378966e1061edfc",
        "model:word 1 c54032595eff9ee3",
        "model:excel 1 d8ef0d5132df7aac",
        "model:powerpoint 1 b04d9d43f1d1b9ca",
        "model:world-of-warcraft 1 a4690ef16bda235f",
        "model:battlefield-3 1 df9f65c4cdf2a5f5",
        "model:game-load 1 30b454530f924429",
    ];

    #[test]
    fn models_are_found_by_name() {
        assert_eq!(model("model:word").unwrap().name, "model:word");
        assert_eq!(model("word").unwrap().name, "model:word");
        assert!(model("Word").is_none() && model("").is_none() && model("model:model:word").is_none());
    }

    #[test]
    fn a_trace_tells_what_it_holds() {
        let trace = small();
        assert_eq!((trace.unit_bytes, trace.largest_bytes, trace.duration_ns), (512, 4_096, 9_500));
        assert_eq!((trace.totals.reads(), trace.totals.writes(), trace.totals.flushes), (3, 1, 1));
    }

    #[test]
    fn the_default_plays_what_was_recorded() {
        let trace = small();
        assert_eq!(played(Play::default()), trace.operations().collect::<Vec<_>>());
    }

    #[test]
    fn times_are_scaled_and_cut() {
        let at = |play| times(&played(play));
        let default = Play::default();
        assert_eq!(at(Play { speed_percent: 200, ..default }), [0, 500, 500, 4_500, 4_750]);
        assert_eq!(at(Play { speed_percent: 50, ..default }), [0, 2_000, 2_000, 18_000, 19_000]);
        assert_eq!(at(Play::compressed(2_000)), [0, 1_000, 1_000, 3_000, 3_500]);
        assert_eq!(
            at(Play { speed_percent: 50, ..Play::compressed(2_000) }),
            [0, 2_000, 2_000, 4_000, 5_000]
        );
        let skip = Skip { writes: true, flushes: true, ..Skip::default() };
        assert_eq!(at(Play { skip, ..default }), [0, 9_000, 9_500]);
        let at_once = played(Play { no_stall: true, ..default });
        assert!(at_once.iter().all(|operation| operation.due == Due::Now));
    }

    #[test]
    fn what_depends_still_waits_without_stalls() {
        let game = model(GAME_LOAD).unwrap();
        let dues = |play: Play| -> Vec<Due> {
            game.play(&play).unwrap().take(50).map(|operation| operation.due).collect()
        };
        assert!(dues(Play { no_stall: true, ..Play::default() }).contains(&Due::After(0)));
        let short = dues(Play::compressed(150_000));
        assert!(short.iter().all(|due| !matches!(due, Due::After(think) if *think > 150_000)));
        assert!(short.contains(&Due::After(150_000)));
    }

    #[test]
    fn places_are_widened_and_wrapped() {
        let places = |play| -> Vec<(u64, u32)> {
            played(play).iter().map(|operation| (operation.offset, operation.bytes)).collect()
        };
        let unit_4096 = Play { unit_bytes: 4_096, ..Play::default() };
        assert_eq!(places(unit_4096), [(0, 4_096), (12_288, 4_096), (0, 0), (0, 8_192), (8_192, 4_096)]);
        let span = Play { span_bytes: Some(6_000), ..Play::default() };
        assert_eq!(places(span), [(0, 512), (4_608, 512), (0, 0), (3_584, 1_024), (1_536, 4_096)]);
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        let default = Play::default();
        for (play, message) in [
            (Play { speed_percent: 0, ..default }, "a speed of 0 %"),
            (Play { speed_percent: 1_000_001, ..default }, "out of range"),
            (Play { unit_bytes: 520, ..default }, "520 bytes are no unit"),
            (Play { unit_bytes: 256, ..default }, "256 bytes are no unit"),
            (Play { span_bytes: Some(4_095), ..default }, "a span of 3584 bytes is too small"),
            (Play { span_bytes: Some(0), ..default }, "needs 4096"),
        ] {
            let error = small().play(&play).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_played_lies_in_the_span_and_in_order(
            recorded in proptest::collection::vec((0_u64..5_000, 0_u64..2_000, 1_u32..300, 0_u8..3), 1..40),
            speed_percent in 1_u32..1_000,
            longest_idle_ns in proptest::option::of(0_u64..3_000),
            span in proptest::option::of(300_u64..3_000),
            unit in 0_u32..4,
        ) {
            let mut at = 0;
            let operations: Vec<Operation> = recorded.iter().map(|(gap, offset, blocks, op)| {
                at += gap;
                match op {
                    0 => operation(at, Op::Read, offset * 512, blocks * 512),
                    1 => operation(at, Op::Write, offset * 512, blocks * 512),
                    _ => operation(at, Op::Flush, 0, 0),
                }
            }).collect();
            let end = operations.iter().map(Operation::end).max().unwrap_or(0);
            let trace = Trace::recorded("any", end, operations);
            let unit_bytes = 512 << unit;
            let play = Play {
                speed_percent,
                longest_idle_ns,
                span_bytes: span.map(|blocks| blocks * 512),
                unit_bytes,
                ..Play::default()
            };
            if let Ok(played) = trace.play(&play) {
                let (span_bytes, largest_bytes) = (played.span_bytes(), played.largest_bytes());
                let played: Vec<Operation> = played.collect();
                prop_assert_eq!(played.len(), recorded.len());
                for (new, old) in played.iter().zip(trace.operations()) {
                    prop_assert!(new.end() <= span_bytes && new.bytes <= largest_bytes);
                    prop_assert!(new.bytes < old.bytes + 2 * unit_bytes);
                    let begin = old.offset / u64::from(unit_bytes) * u64::from(unit_bytes);
                    prop_assert!(begin + u64::from(new.bytes) >= old.end());
                    prop_assert!(span.is_some() || new.offset == begin);
                    prop_assert!(new.offset.is_multiple_of(unit_bytes.into()));
                    prop_assert!(new.bytes.is_multiple_of(unit_bytes));
                }
                let at = times(&played);
                prop_assert!(at.is_sorted());
                if let Some(longest) = longest_idle_ns {
                    prop_assert!(at.windows(2).all(|pair| pair[1] - pair[0] <= longest));
                }
            } else {
                prop_assert!(span.is_some());
            }
        }
    }
}
