//! `[[cell]]` tables of a suite: what they may say, and the methods that they become.
//!
//! Knows how a cell is written down and which parameter lies outside its range. Does not know how a cell is measured.

use super::{MIN_SIZE_BYTES, Room, SuiteError, Written, malformed::OneOrMore};
use model::{
    Method,
    method::{Before, Beside, DataKind, Ends, Fill, Pattern, Settles, Stretches},
    units::parse_size,
};
use serde::Deserialize;

/// One cell, or, where lists are given, one for each combination: the last list goes through first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCell {
    pub(super) pattern: OneOrMore<Pattern>,
    pub(super) block: OneOrMore<String>,
    pub(super) queue_depth: OneOrMore<u32>,
    pub(super) threads: OneOrMore<u32>,
    /// Share of reads of a mix, percent.
    pub(super) read: Option<u8>,
    /// Block of a second stream.
    pub(super) beside_block: Option<String>,
    /// Queue depths of it; 0 for cells without.
    #[serde(default)]
    pub(super) beside_depth: OneOrMore<u32>,
    /// Bytes of a loop that ends by them: `all` of the span divided by the loops, a size, or `auto` for what the
    /// continuous write before it took fast, again and again until a loop slows down.
    pub(super) amount: Option<String>,
    /// Seconds between such loops.
    pub(super) rest: Option<u32>,
    /// Bytes and seconds without a change after which such a loop ends.
    pub(super) settles: Option<(String, u32)>,
    /// Whether the cell ends when it is steady.
    #[serde(default)]
    pub(super) steady: bool,
    /// How much of the drive holds data before, level by level.
    #[serde(default)]
    pub(super) fill: Vec<WrittenFill>,
    /// Whether unused blocks are trimmed before.
    #[serde(default)]
    pub(super) trimmed: bool,
    /// Numbers of drives that work together; as many as there are when nothing is said.
    #[serde(default)]
    pub(super) members: Vec<u8>,
    /// Seconds of rest before.
    #[serde(default)]
    pub(super) rested: OneOrMore<u32>,
    pub(super) size: Option<String>,
    pub(super) data: Option<String>,
    pub(super) seconds: Option<u32>,
    pub(super) loops: Option<u32>,
    pub(super) discarded: Option<u32>,
    pub(super) interval: Option<u32>,
    /// Its own times and counts that a setting for all cells leaves as they are.
    #[serde(default)]
    pub(super) fixed: Vec<Fixed>,
    /// Whether its span is what its loops move together, whatever size is said.
    #[serde(skip)]
    pub(super) spans_what_it_moves: bool,
}

/// A value of a cell that a setting for all cells may leave as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fixed {
    Seconds,
    Loops,
    Amount,
}

/// A level of fill: percent of the drive, or bytes.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum WrittenFill {
    Percent(u8),
    Text(String),
}

impl WrittenFill {
    fn fill(&self) -> Result<Fill, SuiteError> {
        let fill = match self {
            Self::Percent(percent) => Some(Fill::Percent(*percent)),
            Self::Text(text) => Fill::parse(text),
        };
        fill.filter(|fill| fill.in_range()).ok_or_else(|| {
            SuiteError::Fill(match self {
                Self::Percent(percent) => percent.to_string(),
                Self::Text(text) => text.clone(),
            })
        })
    }
}

/// Levels of fill in their order; `None` alone when nothing is said.
pub(super) fn levels(written: &[WrittenFill]) -> Result<Vec<Option<Fill>>, SuiteError> {
    if written.is_empty() {
        return Ok(vec![None]);
    }
    written.iter().map(|level| level.fill().map(Some)).collect()
}

/// The cells of a suite that has no parts.
pub(super) fn methods(written: &Written, room: Room) -> Result<Vec<Method>, SuiteError> {
    let mut methods = Vec::new();
    // Level by level, so that the drive is filled up step by step.
    let of_cells = written.cells.iter().map(|cell| cell.levels(written));
    let of_cells = of_cells.collect::<Result<Vec<_>, SuiteError>>()?;
    let mut all: Vec<Option<Fill>> = Vec::new();
    for level in of_cells.iter().flatten() {
        if !all.contains(level) {
            all.push(*level);
        }
    }
    for level in all {
        for ((number, cell), levels) in (1..).zip(&written.cells).zip(&of_cells) {
            if levels.contains(&level) {
                methods.extend(cell.methods(written, level, room, number)?);
            }
        }
    }
    Ok(methods)
}

impl WrittenCell {
    /// How much of the drive holds data before it.
    fn levels(&self, common: &Written) -> Result<Vec<Option<Fill>>, SuiteError> {
        levels(if self.fill.is_empty() { &common.fill } else { &self.fill })
    }

    /// A method for each combination of its lists, at one level of fill.
    fn methods(
        &self,
        common: &Written,
        level: Option<Fill>,
        room: Room,
        number: usize,
    ) -> Result<Vec<Method>, SuiteError> {
        let plain = self.plain(common, level, room, number)?;
        let members: Vec<Option<u8>> = match self.members.as_slice() {
            [] => vec![None],
            numbers => numbers.iter().copied().map(Some).collect(),
        };
        let mut methods = Vec::new();
        for (pattern, block, queue_depth, threads) in self.combinations() {
            for (depth, rested_seconds) in
                self.beside_depth.all().iter().flat_map(|d| self.rested.all().iter().map(move |r| (d, *r)))
            {
                let out_of_range = |problem| SuiteError::CellRange { number, problem };
                let block_of = |text: &str| u32::try_from(parse_size(text)?).map_err(|_| out_of_range(BLOCK));
                let beside = match &self.beside_block {
                    Some(block) if *depth > 0 => {
                        Some(Beside { block_bytes: block_of(block)?, queue_depth: *depth })
                    }
                    _ => None,
                };
                let method = Method {
                    pattern,
                    block_bytes: block_of(block)?,
                    queue_depth,
                    threads,
                    beside,
                    before: Before { rested_seconds, ..plain.before },
                    ..plain.clone()
                };
                for members in &members {
                    let method = Method { members: *members, ..method.clone() };
                    if !method.in_range() {
                        return Err(out_of_range(problem_of(&method)));
                    }
                    methods.push(method);
                }
            }
        }
        Ok(methods)
    }

    /// What all its combinations share.
    fn plain(
        &self,
        common: &Written,
        level: Option<Fill>,
        room: Room,
        number: usize,
    ) -> Result<Method, SuiteError> {
        let missing = |what| SuiteError::CellMissing { number, what };
        let seconds = self.seconds.or(common.seconds).ok_or(missing("seconds"))?;
        let loops = self.loops.or(common.loops).ok_or(missing("loops"))?;
        let size = self.size.as_ref().or(common.size.as_ref()).filter(|_| !self.spans_what_it_moves);
        let mut span_bytes = size.map(|size| room.size(size, level)).transpose()?;
        let mut ends = if self.steady { Ends::Steady } else { Ends::Time };
        if let Some(amount) = &self.amount {
            if self.steady {
                return Err(SuiteError::TwoEnds(number));
            }
            let until_slow = amount == "auto";
            let once = |cell: &&Self| cell.amount.is_some() && cell.loops.or(common.loops) == Some(1);
            if until_slow && !common.cells.iter().take(number - 1).any(|cell| once(&cell)) {
                return Err(SuiteError::NothingBefore(number));
            }
            let loop_bytes = match (amount.as_str(), span_bytes) {
                // Until the write before has told how much it is: as much as there is room for.
                ("all" | "auto", Some(span)) => {
                    span / u64::from(loops.max(1)) / MIN_SIZE_BYTES * MIN_SIZE_BYTES
                }
                (amount, _) => room.size(amount, level)?,
            };
            // Without a size there is room for as much as is moved.
            let needed = loop_bytes.saturating_mul(loops.into());
            let size = *span_bytes.get_or_insert(needed);
            if size < needed {
                return Err(SuiteError::AmountTooLarge { number, loops, loop_bytes, size });
            }
            let settles = match &self.settles {
                Some((bytes, seconds)) => Some(Settles { bytes: parse_size(bytes)?, seconds: *seconds }),
                None => None,
            };
            let rest_seconds = self.rest.unwrap_or(0);
            ends = Ends::Bytes(Stretches { loop_bytes, rest_seconds, settles, until_slow });
        }
        let writable = [DataKind::Random, DataKind::Zero, DataKind::Repeat];
        let data = self.data.as_ref().or(common.data.as_ref());
        let data = match data {
            None => DataKind::Random,
            Some(name) => writable
                .into_iter()
                .find(|kind| kind.token() == name)
                .ok_or_else(|| SuiteError::Data(name.clone()))?,
        };
        Ok(Method {
            span_bytes: span_bytes.ok_or(missing("size"))?,
            data,
            seconds,
            loops,
            discarded_loops: self.discarded.or(common.discarded).unwrap_or(0),
            interval_seconds: self.interval.or(common.interval).unwrap_or(0),
            read_percent: self.read,
            ends,
            before: Before { fill: level, trimmed: self.trimmed, rested_seconds: 0 },
            ..Method::PLAIN
        })
    }

    fn combinations(&self) -> impl Iterator<Item = (Pattern, &str, u32, u32)> {
        let Self { pattern, block, queue_depth, threads, .. } = self;
        pattern.all().iter().flat_map(move |pattern| {
            block.all().iter().flat_map(move |block| {
                queue_depth.all().iter().flat_map(move |depth| {
                    threads.all().iter().map(move |threads| (*pattern, block.as_str(), *depth, *threads))
                })
            })
        })
    }
}

const BLOCK: &str = "block is a multiple of 512 bytes from 512 bytes to 64 MiB";

/// Which parameter of a method lies outside its range.
#[must_use]
pub fn problem_of(method: &Method) -> &'static str {
    type Change = fn(&mut Method);
    let in_range_with = |change: Change| {
        let mut changed = method.clone();
        change(&mut changed);
        changed.in_range()
    };
    // Each parameter is set to a value that is surely right: the one that mends the method is at fault.
    let trials: [(Change, &'static str); 12] = [
        (|m| m.block_bytes = 4096, BLOCK),
        (|m| m.queue_depth = 1, "queue depth is 1 to 4096"),
        (|m| m.threads = 1, "threads are 1 to 64, and each needs at least one block of the size"),
        (|m| m.seconds = 1, "seconds are 1 to 86,400"),
        (
            |m| {
                m.loops = 1;
                // Without loops there is no span for their parts.
                m.span_bytes = m.span_bytes.max(m.stretches().map_or(0, |one| one.loop_bytes));
            },
            "loops are 1 to 1,000",
        ),
        (|m| m.discarded_loops = 0, "discarded loops are 0 to 100"),
        (|m| m.interval_seconds = 0, "the interval is 0 to 3,600 seconds"),
        (
            |m| (m.pattern, m.read_percent) = (Pattern::RandMix, Some(50)),
            "a mix has a share of reads of 1 to 99 percent, and nothing else has one",
        ),
        (|m| m.beside = None, "a second stream goes beside random I/Os of one thread"),
        (
            |m| m.ends = Ends::Time,
            "loops that end by an amount are sequential, of one thread and whole blocks, have none discarded, and fit into the size together",
        ),
        (|m| m.members = None, "drives are 1 to 64"),
        (
            |m| m.before = Before::default(),
            "the fill is 0 to 95 percent or at least 1 MiB, the rest before 0 to 7,200 seconds",
        ),
    ];
    trials
        .into_iter()
        .find(|(change, _)| in_range_with(*change))
        .map_or("several parameters lie outside their range", |(_, problem)| problem)
}
