//! How results stand to the first one, thing by thing, and how often each is better, worse or neither.

use model::comparison::Standing;

/// Things that every result did, such as applications.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The results in full, the baseline first.
    pub names: Vec<String>,
    /// The things, in the order of the chart.
    pub rows: Vec<StandingRow>,
    /// The counts of every result after the first, in their order.
    pub tallies: Vec<Tally>,
}

/// One thing.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingRow {
    /// What it is.
    pub name: String,
    /// One entry per result.
    pub entries: Vec<StandingText>,
}

/// What one result has for one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingText {
    /// The figure with its unit, or why there is none.
    pub figure: String,
    /// How it stands to the first result's.
    pub standing: Standing,
}

/// How often a result is better or worse than the first one by more than the spread, and how often that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Better by more than the spread between passes.
    pub better: usize,
    /// Worse by more than the spread between passes.
    pub worse: usize,
    /// No difference beyond the spread.
    pub ties: usize,
    /// Passes too few to know the spread.
    pub unknown: usize,
}

impl Tally {
    pub(crate) fn of(standings: impl Iterator<Item = Standing>) -> Self {
        let mut tally = Self::default();
        for standing in standings {
            match standing {
                Standing::Differs { better: true, .. } => tally.better += 1,
                Standing::Differs { better: false, .. } => tally.worse += 1,
                Standing::Tie { .. } => tally.ties += 1,
                Standing::SpreadUnknown { .. } => tally.unknown += 1,
                Standing::Baseline | Standing::NotComparable | Standing::Missing => {}
            }
        }
        tally
    }
}
