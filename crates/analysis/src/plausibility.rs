//! Recomputes what can be recomputed from a document: figures that contradict each other, and cells
//! that claim more than their evidence holds.
//!
//! A signature proves who signed; these rules find what cannot be true. What they let pass may still be
//! false.

use crate::proof::{device_share, void_reasons};
use model::{
    ResultDocument,
    document::{Cell, CellStatus, Loop, Outcome, Transfer},
    units::NS_PER_S,
};

/// One contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A short code, `bytes-of-ios`.
    pub code: &'static str,
    /// The field concerned, `cells[2].loops[0]`.
    pub path: String,
    /// What is wrong, in one sentence.
    pub text: String,
    /// Whether the document must be refused; otherwise it is a remark for readers.
    pub fatal: bool,
}

/// Everything in a document that cannot be, or should be known.
#[must_use]
pub fn check(document: &ResultDocument) -> Vec<Finding> {
    let mut findings = Vec::new();
    if document.outcome == Outcome::Complete && document.cells.is_empty() {
        findings.push(Finding {
            code: "no-cells",
            path: "cells".to_owned(),
            text: "The run claims to be complete without a single cell.".to_owned(),
            fatal: true,
        });
    }
    for (index, cell) in document.cells.iter().enumerate() {
        let path = format!("cells[{index}]");
        check_cell(cell, &path, document.elapsed_ns, &mut findings);
    }
    findings
}

fn check_cell(cell: &Cell, path: &str, run_ns: u64, findings: &mut Vec<Finding>) {
    let mut fatal = |code, path: &str, text: String| {
        findings.push(Finding { code, path: path.to_owned(), text, fatal: true })
    };
    let counted = cell.loops.iter().filter(|one| !one.discarded).count();
    let discarded = cell.loops.len() - counted;
    let (want, want_discarded) = (cell.method.loops as usize, cell.method.discarded_loops as usize);
    if counted > want || discarded > want_discarded {
        fatal(
            "loop-count",
            path,
            format!("{counted} + {discarded} loops, the method has {want} + {want_discarded}"),
        );
    }
    // A void cell claims nothing: an interrupted one may lack loops.
    if cell.status == CellStatus::Complete && (counted, discarded) != (want, want_discarded) {
        fatal("loop-count", path, format!("the cell claims to be complete with {counted} of {want} loops"));
    }
    for reason in void_reasons(&cell.method, &cell.proof, &cell.loops) {
        if !cell.void.contains(&reason) && cell.status != CellStatus::Failed {
            fatal(
                "void-not-declared",
                path,
                format!("its evidence makes the cell void ({}), but it does not say so", reason.token()),
            );
        }
    }
    let mut before = 0;
    for (index, one) in cell.loops.iter().enumerate() {
        let path = format!("{path}.loops[{index}]");
        let end = one.started_ns.checked_add(one.elapsed_ns).and_then(|ns| ns.checked_add(one.drain_ns));
        match end {
            Some(end) if one.started_ns >= before && end <= run_ns => before = end,
            _ => fatal("time-order", &path, "loops overlap or lie outside the run".to_owned()),
        }
        check_loop(cell, one, &path, &mut fatal);
    }
    for (index, one) in cell.loops.iter().enumerate() {
        if device_share(&cell.method, one).is_some_and(|share| share > 1.05) {
            findings.push(Finding {
                code: "foreign-io",
                path: format!("{path}.loops[{index}]"),
                text: "The device moved over 5 % more bytes than this loop completed: something else used it too.".to_owned(),
                fatal: false,
            });
        }
    }
}

fn check_loop(cell: &Cell, one: &Loop, path: &str, fatal: &mut impl FnMut(&'static str, &str, String)) {
    let method = &cell.method;
    let wrong_way = if method.pattern.writes() { &one.read } else { &one.write };
    if wrong_way.is_some() {
        fatal("direction", path, "it has I/Os in a direction that the method does not have".to_owned());
    }
    let length = u64::from(method.seconds) * NS_PER_S;
    let whole = matches!(cell.status, CellStatus::Complete | CellStatus::Void);
    if whole && one.elapsed_ns < length - length / 100 {
        fatal(
            "loop-time",
            path,
            format!("it lasted {} ns, the method says {} s", one.elapsed_ns, method.seconds),
        );
    }
    let Some(transfer) = one.transfer(method) else { return };
    check_transfer(cell, one, transfer, path, fatal);
}

fn check_transfer(
    cell: &Cell,
    one: &Loop,
    transfer: &Transfer,
    path: &str,
    fatal: &mut impl FnMut(&'static str, &str, String),
) {
    let method = &cell.method;
    let Transfer { ios, bytes, latency, bin_ns, bins } = transfer;
    if ios.checked_mul(u64::from(method.block_bytes)) != Some(*bytes) {
        fatal(
            "bytes-of-ios",
            path,
            format!("{bytes} bytes are not {ios} I/Os of {} bytes", method.block_bytes),
        );
    }
    if bins.iter().try_fold(0_u64, |sum, bin| sum.checked_add(*bin)) != Some(*bytes) {
        fatal("bytes-of-bins", path, "the bins do not add up to the bytes".to_owned());
    }
    if latency.count() != *ios {
        fatal("ios-of-histogram", path, format!("the histogram holds {} of {ios} I/Os", latency.count()));
    }
    let bins_span = (bins.len() as u128) * u128::from(*bin_ns);
    if bins_span > u128::from(one.elapsed_ns) + 2 * u128::from(*bin_ns) {
        fatal("bins-of-time", path, "there are more bins than the loop was long".to_owned());
    }
    let span = u128::from(one.elapsed_ns) + u128::from(one.drain_ns);
    let in_flight = u128::from(method.queue_depth) * u128::from(method.threads);
    // Little's law: the latencies together cannot exceed the time times the I/Os in flight.
    let total = u128::from(latency.mean().map_or(0, |mean| mean.0)) * u128::from(latency.count());
    if total > span * in_flight + span / 100 * in_flight {
        fatal(
            "latency-of-depth",
            path,
            format!("the latencies add up to more than {in_flight} I/Os in flight allow"),
        );
    }
    if latency.max().is_some_and(|max| u128::from(max.0) > span) {
        fatal("latency-of-time", path, "one latency is longer than the loop".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        Reading,
        document::DeviceCounters,
        fixtures,
        ids::PublicKey,
        proof::{Extents, VoidReason},
    };

    fn codes(change: impl FnOnce(&mut ResultDocument)) -> Vec<&'static str> {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        change(&mut document);
        let mut codes: Vec<_> = check(&document).into_iter().map(|finding| finding.code).collect();
        codes.dedup();
        codes
    }

    #[test]
    fn a_sound_document_has_no_finding() {
        assert_eq!(codes(|_| ()), [""; 0]);
    }

    #[test]
    fn each_lie_is_found() {
        fn read(document: &mut ResultDocument) -> &mut Transfer {
            document.cells[0].loops[1].read.as_mut().unwrap()
        }
        assert_eq!(codes(|d| read(d).bytes += 1), ["bytes-of-ios", "bytes-of-bins"]);
        assert_eq!(codes(|d| read(d).bins[3] += 1), ["bytes-of-bins"]);
        assert_eq!(codes(|d| read(d).bins.extend([0; 9])), ["bins-of-time"]);
        assert_eq!(codes(|d| read(d).latency.record(model::units::Nanos(1000))), ["ios-of-histogram"]);
        assert_eq!(codes(|d| d.cells[0].method.queue_depth = 4), ["latency-of-depth"]);
        assert_eq!(
            codes(|d| d.cells[1].loops[2].elapsed_ns /= 2),
            ["loop-time", "bins-of-time", "latency-of-depth"]
        );
        assert_eq!(codes(|d| d.cells[1].loops[2].started_ns = 0), ["time-order"]);
        assert_eq!(codes(|d| drop(d.cells[1].loops.pop())), ["loop-count"]);
        assert_eq!(codes(|d| d.cells[0].loops[0].write = d.cells[0].loops[0].read.clone()), ["direction"]);
        assert_eq!(codes(|d| d.elapsed_ns /= 2), ["time-order"]);
        assert_eq!(codes(|d| d.cells.clear()), ["no-cells"]);
        assert_eq!(codes(|d| d.cells[0].loops[3].read = None), ["void-not-declared"]);
    }

    #[test]
    fn a_cell_must_own_up_to_its_evidence() {
        let hole = |d: &mut ResultDocument| {
            d.cells[2].proof.extents =
                Reading::Known(Extents { count: 1, hole_bytes: 4096, ..Extents::default() });
        };
        assert_eq!(codes(hole), ["void-not-declared"]);
        let honest = |d: &mut ResultDocument| {
            hole(d);
            d.cells[2].status = CellStatus::Void;
            d.cells[2].void = vec![VoidReason::Hole];
        };
        assert_eq!(codes(honest), [""; 0]);
    }

    #[test]
    fn the_device_must_have_counted_the_bytes() {
        let counted = |share: u64| {
            move |d: &mut ResultDocument| {
                let one = &mut d.cells[0].loops[0];
                let done = one.read.as_ref().unwrap().bytes + one.drained_ios * (1 << 20);
                one.device = Some(DeviceCounters {
                    read_requests: 1,
                    read_bytes: done / 100 * share,
                    write_requests: 0,
                    written_bytes: 0,
                });
            }
        };
        assert_eq!(codes(counted(99)), [""; 0]);
        assert_eq!(codes(counted(90)), ["void-not-declared"]);
        assert_eq!(codes(counted(120)), ["foreign-io"]);
    }
}
