//! What the long loops of a result show: their series with what sensors said, told by `series`.
//!
//! A loop of some seconds has a figure; one of a minute and more has a course.

use crate::{
    series::{Step, Steps, findings, heat::Known, words::Moved},
    telemetry::{distrust, throttling},
};
use model::{
    Method, ResultDocument,
    document::{Cell, Loop},
    finding::{Findings, Throttled, Throttling},
    telemetry::{Quantity, Series},
    units::NS_PER_S,
};

/// Shortest loop that has a course, nanoseconds.
pub const LONG_NS: u64 = 60 * NS_PER_S;

/// Shortest continuous write that has a course, nanoseconds.
const LEAST_NS: u64 = 5 * NS_PER_S;

/// What was found in one loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopFindings {
    /// The cell's place in the document, from 0.
    pub cell: usize,
    /// The loop's place in the cell, from 0.
    pub number: usize,
    /// Which way its data went.
    pub moved: Moved,
    /// What was found.
    pub findings: Findings,
}

impl LoopFindings {
    /// What the loop is called: `SEQ1M Q8T1 write, loop 2, run 3`; what there is one of is not counted.
    #[must_use]
    pub fn name(&self, document: &ResultDocument) -> String {
        let Some(cell) = document.cells.get(self.cell) else { return String::new() };
        let mut name = cell.method.label();
        if cell.loops.len() > 1 {
            name.push_str(&format!(", loop {}", self.number + 1));
        }
        if document.runs > 1 {
            name.push_str(&format!(", run {}", cell.run + 1));
        }
        name
    }
}

/// The findings of every long loop of every cell, discarded and void ones included: what they show is true of them.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<LoopFindings> {
    let temperature = sensor(document, Quantity::Temperature);
    let power = sensor(document, Quantity::Power);
    let known = Known {
        warning: temperature.and_then(|series| series.warning.known().copied()),
        counted: throttling(&document.telemetry).map(crate::telemetry::Throttling::any),
        lost_before: None,
    };
    let mut all = Vec::new();
    let mut before = None;
    for (cell_number, cell) in document.cells.iter().enumerate() {
        // A continuous write has a course however soon it is over.
        let once = cell.method.writes_fresh() && cell.method.loops == 1;
        let least_ns = if once { LEAST_NS } else { LONG_NS };
        for (number, one) in cell.loops.iter().enumerate().filter(|(_, one)| one.elapsed_ns >= least_ns) {
            let series = steps(&cell.method, one, temperature, power);
            let lost_before = before.and_then(|before| still_limits(before, one));
            let findings = findings(&series, Known { lost_before, ..known });
            before = findings.throttling.map(|throttling| (one, throttling));
            all.push(LoopFindings {
                cell: cell_number,
                number,
                moved: if cell.method.pattern.writes() { Moved::Written } else { Moved::Read },
                findings,
            });
        }
    }
    all
}

/// Longest rest after which a limit of the load before may still hold, nanoseconds.
const COOLS_IN_NS: u64 = 120 * NS_PER_S;

/// The temperature at which the loop before lost speed, when heat is a possible cause and `one` began soon after it.
fn still_limits((before, throttling): (&Loop, Throttling), one: &Loop) -> Option<i64> {
    let ended_ns = before.started_ns.saturating_add(before.elapsed_ns);
    let soon = one.started_ns.saturating_sub(ended_ns) <= COOLS_IN_NS;
    match throttling.verdict {
        Throttled::Possible | Throttled::Proven => throttling.at,
        // A limit that outlasted one load may outlast the next.
        Throttled::NothingLost => throttling.lost_before,
        Throttled::NotShown => None,
    }
    .filter(|_| soon)
}

/// The bins of a loop as steps, with what believable sensors of temperature and power said.
#[must_use]
pub fn steps_of(document: &ResultDocument, cell: &Cell, one: &Loop) -> Steps {
    steps(&cell.method, one, sensor(document, Quantity::Temperature), sensor(document, Quantity::Power))
}

/// The first sensor of a kind that can be believed.
#[must_use]
pub fn sensor(document: &ResultDocument, quantity: Quantity) -> Option<&Series> {
    let watched = &document.telemetry;
    watched.series.iter().find(|series| series.quantity == quantity && distrust(series, watched).is_none())
}

/// The bins of a loop as steps, each with the last reading of each sensor up to its end.
pub(crate) fn steps(
    method: &Method,
    one: &Loop,
    temperature: Option<&Series>,
    power: Option<&Series>,
) -> Steps {
    let Some(transfer) = one.transfer(method) else { return Steps::default() };
    let mut from_ns = 0;
    Steps::of_loop(transfer.bins.iter().map(|bytes| {
        // The last bin ends with the loop.
        let until_ns = (from_ns + transfer.bin_ns).min(one.elapsed_ns.max(from_ns));
        let elapsed_ns = until_ns - from_ns;
        from_ns = until_ns;
        let at_ns = one.started_ns.saturating_add(until_ns);
        Step {
            elapsed_ns,
            bytes: *bytes,
            temperature: temperature.and_then(|series| reading(series, one.started_ns, at_ns)),
            power: power.and_then(|series| reading(series, one.started_ns, at_ns)),
        }
    }))
}

/// The last value between two times.
fn reading(series: &Series, from_ns: u64, until_ns: u64) -> Option<i64> {
    let last = series.at_ns.partition_point(|at_ns| *at_ns <= until_ns).checked_sub(1)?;
    (series.at_ns[last] >= from_ns).then(|| series.values.get(last).copied().flatten())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    fn fallen() -> ResultDocument {
        fixtures::with_long_write(fixtures::document("Example", 1.0, PublicKey([1; 32])))
    }

    #[test]
    fn a_long_loop_has_a_course_and_a_short_one_has_none() {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        assert_eq!(of_document(&document), []);
        let found = of_document(&fallen());
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.number, only.moved), (0, Moved::Written));
        let mut document = fallen();
        assert_eq!(only.name(&document), "SEQ1M Q8T1 write");
        document.runs = 2;
        assert_eq!(only.name(&document), "SEQ1M Q8T1 write, run 1");
        let stages = only.findings.stages.as_ref().unwrap();
        assert_eq!(stages.changes[0].latest.bytes, 400 * (476 << 20));
        // The fixture's log was read before and after, and counted nothing.
        assert_eq!(only.findings.throttling.unwrap().verdict, Throttled::NotShown);
        let heat = only.findings.heat.unwrap();
        assert!(heat.peak > heat.start, "the fixture's sensor climbs: {heat:?}");
    }

    #[test]
    fn sensors_that_are_not_believed_say_nothing() {
        let mut document = fallen();
        document.telemetry.series[0].values.fill(Some(-273_150));
        let found = of_document(&document);
        assert_eq!((found[0].findings.heat, found[0].findings.throttling), (None, None));
    }

    #[test]
    fn a_limit_outlasts_a_short_rest_and_not_a_long_one() {
        let document = fallen();
        let one = &document.cells[0].loops[0];
        let lost = Throttling {
            verdict: Throttled::Possible,
            style: None,
            at: Some(66_000),
            peak: 70_000,
            began_hot: false,
            lost_before: None,
        };
        let after = |seconds: u64| Loop {
            started_ns: one.started_ns + one.elapsed_ns + seconds * NS_PER_S,
            ..one.clone()
        };
        assert_eq!(still_limits((one, lost), &after(5)), Some(66_000));
        assert_eq!(still_limits((one, lost), &after(600)), None);
        let held =
            Throttling { verdict: Throttled::NothingLost, at: None, lost_before: Some(66_000), ..lost };
        assert_eq!(still_limits((one, held), &after(5)), Some(66_000), "it may outlast several loads");
        let cleared = Throttling { verdict: Throttled::NotShown, ..lost };
        assert_eq!(still_limits((one, cleared), &after(5)), None);
    }
}
