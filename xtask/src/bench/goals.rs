//! The goals of the measuring loop, and whether a set of rounds reaches them.
//!
//! Knows: which ratio must be how large on which target.
//! Does not know: how anything is measured.

use std::fmt;

use super::cell::{Cell, Pattern};
use super::io::Rounds;
use super::place::Kind;
use super::statistics::{interval_of_median, median};
use super::tools::{Run, Tool};

/// What a goal compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    /// I/Os per second, ours divided by theirs: at least.
    Speed,
    /// Processor time of an I/O, ours divided by theirs: at most.
    Processor,
}

/// Whom a goal compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    Tool(Tool),
    /// In each round the faster of fio's two settings.
    FasterFio,
}

/// One goal for one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Goal {
    figure: Figure,
    peer: Peer,
    bound: f64,
}

/// How a goal came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// Median of the ratios within a round.
    pub(super) median: f64,
    /// Ends of the 90 % interval of that median.
    pub(super) interval: (f64, f64),
    /// Whether the median, or at least an end of its interval, is as good as the goal.
    pub(super) reached: bool,
}

/// The goals of a cell on a kind of file; none for a cell that is only looked at.
pub(super) fn of(kind: Kind, cell: Cell) -> Vec<Goal> {
    use Figure::{Processor, Speed};
    use Peer::FasterFio;
    use Tool::{Fio, FioBest, FioHuge, Peak};
    let tool = |figure, tool, bound| Goal { figure, peer: Peer::Tool(tool), bound };
    let small = cell.block_bytes == 4096;
    match (kind, cell.pattern, cell.threads, cell.queue_depth) {
        (Kind::Hole, Pattern::RandRead, 1, 1) if small => vec![
            tool(Speed, FioBest, 1.6),
            tool(Speed, Peak, 0.95),
            tool(Processor, Fio, 0.5),
            tool(Processor, FioBest, 0.5),
            tool(Processor, Peak, 1.05),
        ],
        (Kind::Hole, Pattern::RandRead, 1, 8 | 32 | 128) if small => vec![
            tool(Speed, Fio, 2.5),
            tool(Speed, FioBest, 1.4),
            tool(Speed, Peak, 0.97),
            tool(Processor, Fio, 0.4),
            tool(Processor, FioBest, 0.7),
            tool(Processor, Peak, 1.05),
        ],
        (Kind::Hole, Pattern::RandRead, 2, _) if small => vec![tool(Speed, Peak, 0.97)],
        (Kind::File, _, 1, 1) if small => {
            vec![Goal { figure: Speed, peer: FasterFio, bound: 0.95 }, tool(Processor, FioBest, 0.85)]
        }
        (Kind::File, _, 1, 8..) if small => {
            vec![Goal { figure: Speed, peer: FasterFio, bound: 0.95 }, tool(Processor, FioBest, 0.8)]
        }
        (Kind::File, _, 1, 8) if cell.block_bytes == 1 << 20 => {
            vec![tool(Speed, FioHuge, 0.97), tool(Processor, FioHuge, 0.4)]
        }
        _ => Vec::new(),
    }
}

impl Goal {
    /// How it came out; `None` when its peer was not measured.
    pub(super) fn judge(self, rounds: &Rounds) -> Option<Outcome> {
        let ours = rounds.get(&Tool::Ours)?;
        let theirs: Vec<Run> = match self.peer {
            Peer::Tool(tool) => rounds.get(&tool)?.clone(),
            Peer::FasterFio => {
                let (plain, best) = (rounds.get(&Tool::Fio)?, rounds.get(&Tool::FioBest)?);
                plain.iter().zip(best).map(|(a, b)| if a.iops > b.iops { *a } else { *b }).collect()
            }
        };
        let ratio = |(ours, theirs): (&Run, &Run)| match self.figure {
            Figure::Speed => ours.iops / theirs.iops,
            Figure::Processor => ours.cpu_us / theirs.cpu_us,
        };
        let ratios: Vec<f64> = ours.iter().zip(&theirs).map(ratio).collect();
        let (median, interval) = (median(&ratios)?, interval_of_median(&ratios)?);
        let interval = (*interval.start(), *interval.end());
        let reached = match self.figure {
            Figure::Speed => median.max(interval.1) >= self.bound,
            Figure::Processor => median.min(interval.0) <= self.bound,
        };
        Some(Outcome { median, interval, reached })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peer = match self.peer {
            Peer::Tool(tool) => tool.name(),
            Peer::FasterFio => "the faster fio",
        };
        match self.figure {
            Figure::Speed => write!(f, "IOPS at least {} x {peer}", self.bound),
            Figure::Processor => write!(f, "CPU per I/O at most {} x {peer}", self.bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(ours: [f64; 3], theirs: [f64; 3]) -> Rounds {
        let runs = |values: [f64; 3]| values.map(|value| Run { iops: value, cpu_us: value }).to_vec();
        let slower = theirs.map(|value| value / 2.0);
        [(Tool::Ours, runs(ours)), (Tool::Fio, runs(theirs)), (Tool::FioBest, runs(slower))].into()
    }

    fn goal(figure: Figure, peer: Peer, bound: f64) -> Goal {
        Goal { figure, peer, bound }
    }

    #[test]
    fn a_miss_whose_interval_holds_the_goal_is_reached() {
        let speed = goal(Figure::Speed, Peer::Tool(Tool::Fio), 2.0);
        let outcome = |ours| speed.judge(&rounds(ours, [1.0; 3])).unwrap();
        assert!(outcome([2.0, 2.0, 2.0]).reached);
        let near = outcome([1.8, 1.9, 2.1]);
        assert!(near.reached && near.median < 2.0, "{near:?}");
        assert!(!outcome([1.7, 1.8, 1.9]).reached);
        let cpu = goal(Figure::Processor, Peer::Tool(Tool::Fio), 0.5);
        assert!(cpu.judge(&rounds([0.4, 0.6, 0.7], [1.0; 3])).unwrap().reached);
        assert!(!cpu.judge(&rounds([0.6, 0.6, 0.7], [1.0; 3])).unwrap().reached);
    }

    #[test]
    fn the_faster_fio_is_chosen_round_by_round() {
        let mut all = rounds([10.0, 10.0, 10.0], [10.0, 10.0, 2.5]);
        all.get_mut(&Tool::FioBest).unwrap()[2].iops = 20.0;
        let outcome = goal(Figure::Speed, Peer::FasterFio, 1.0).judge(&all).unwrap();
        assert_eq!((outcome.median, outcome.interval.0), (1.0, 0.5));
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let peak = goal(Figure::Speed, Peer::Tool(Tool::Peak), 0.97);
        assert_eq!(peak.judge(&rounds([1.0; 3], [1.0; 3])), None);
    }

    #[test]
    fn every_target_has_its_goals() {
        let count = |kind, text: &str| of(kind, text.parse().unwrap()).len();
        assert_eq!(count(Kind::Hole, "randread:4k:1"), 5);
        assert_eq!(count(Kind::Hole, "randread:4k:128"), 6);
        assert_eq!(count(Kind::Hole, "randread:4k:32:2"), 1);
        assert_eq!(count(Kind::File, "randwrite:4k:32"), 2);
        assert_eq!(count(Kind::File, "seqread:1m:8"), 2);
        assert_eq!(count(Kind::File, "seqread:128k:8"), 0);
        let goals = of(Kind::File, "randread:4k:1".parse().unwrap());
        assert_eq!(goals[0].to_string(), "IOPS at least 0.95 x the faster fio");
    }
}
