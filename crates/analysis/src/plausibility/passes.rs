//! What cannot be true of a pass.
//!
//! Little's law holds where the depth is known; a trace says nothing of its own, so there only times and sums are set
//! against each other.

mod files;

use super::{Finding, remark};
use crate::proof::pass_void_reasons;
use model::{
    ResultDocument,
    document::{CellStatus, Transfer},
    pass::{Idle, Pass, RandomWrites, SequentialWrites, Workload},
    units::NS_PER_S,
};

/// Largest I/O of any pass, bytes.
const MOST_BYTES: u64 = 64 << 20;

pub(super) fn check(document: &ResultDocument, findings: &mut Vec<Finding>) {
    let mut before = 0;
    for (index, pass) in document.passes.iter().enumerate() {
        let path = format!("passes[{index}]");
        match pass.end_ns() {
            Some(end) if pass.started_ns >= before && end <= document.elapsed_ns => before = end,
            _ => {
                findings.push(fatal("time-order", &path, "passes overlap or lie outside the run".to_owned()))
            }
        }
        check_pass(pass, &path, findings);
        let first = document.resumptions.iter().any(|one| {
            pass.method.before.worn.is_some()
                && document.cells.len() + index >= one.cells_before as usize
                && one.cells_before as usize > document.cells.len()
        });
        if first {
            let text = "The run had been cut off before it: what earlier passes did to the drive may be undone in part.";
            findings.push(remark("worn-anew", path, text.to_owned()));
        }
    }
}

fn fatal(code: &'static str, path: &str, text: String) -> Finding {
    Finding { code, path: path.to_owned(), text, figure: None, fatal: true }
}

fn check_pass(pass: &Pass, path: &str, findings: &mut Vec<Finding>) {
    let mut fatal = |code, text: String| findings.push(fatal(code, path, text));
    for reason in pass_void_reasons(pass) {
        if !pass.void.contains(&reason) {
            fatal(
                "void-not-declared",
                format!("its evidence makes the pass void ({}), but it does not say so", reason.token()),
            );
        }
    }
    if pass.error.is_some_and(|error| !pass.void.contains(&error.kind.void_reason())) {
        fatal("void-not-declared", "its error makes its figures void, but it does not say so".to_owned());
    }
    if pass.busy_ns > pass.elapsed_ns {
        fatal("busy-of-time", "it was busy for longer than it lasted".to_owned());
    }
    if pass.settled_ns.is_some_and(|settled| settled < pass.elapsed_ns) {
        fatal("settled-of-time", "what it wrote was durable before it was written".to_owned());
    }
    let ios: u64 = pass.transfers().fold(0, |sum, transfer| sum.saturating_add(transfer.ios));
    let operations = ios.saturating_add(pass.flushes);
    if pass.lateness.as_ref().is_some_and(|lateness| lateness.count() > operations) {
        fatal("lateness-of-ios", "more operations were late than there were".to_owned());
    }
    let (may_read, may_write) = match pass.method.workload {
        Workload::Trace(_) => (true, true),
        Workload::RandomWrites(_) | Workload::SequentialWrites(_) => (false, true),
        Workload::Idle(_) => (false, false),
        Workload::Copying(ref copying) => (copying.step.reads(), copying.step.writes()),
        Workload::Loading(_) => (true, false),
    };
    if pass.read.is_some() && !may_read || pass.write.is_some() && !may_write {
        fatal("direction", "it has I/Os in a direction that its workload does not have".to_owned());
    }
    let mut latencies = 0_u128;
    let mut longest = 0;
    for transfer in pass.transfers() {
        for (code, text) in wrong(pass, transfer) {
            fatal(code, text);
        }
        latencies += u128::from(transfer.latency.mean().map_or(0, |mean| mean.0)) * u128::from(transfer.ios);
        longest = longest.max(transfer.latency.max().map_or(0, |max| max.0));
    }
    // The mean is rounded down by less than a nanosecond.
    let most = latencies + u128::from(ios);
    if u128::from(pass.busy_ns) > most || longest > pass.busy_ns {
        fatal("busy-of-latency", "its latencies do not make up the time it was busy".to_owned());
    }
    check_method(pass, latencies, &mut fatal);
}

/// What of a transfer cannot be.
fn wrong(pass: &Pass, transfer: &Transfer) -> Vec<(&'static str, String)> {
    let Transfer { ios, bytes, latency, bin_ns, bins } = transfer;
    let mut wrong = Vec::new();
    let fits = *bytes >= ios.saturating_mul(512) && *bytes <= ios.saturating_mul(MOST_BYTES);
    if !fits || !bytes.is_multiple_of(512) {
        wrong.push(("bytes-of-ios", format!("{bytes} bytes are not {ios} I/Os of 512 bytes to 64 MiB")));
    }
    if bins.iter().try_fold(0_u64, |sum, bin| sum.checked_add(*bin)) != Some(*bytes) {
        wrong.push(("bytes-of-bins", "the bins do not add up to the bytes".to_owned()));
    }
    if latency.count() != *ios {
        let text = format!("the histogram holds {} of {ios} I/Os", latency.count());
        wrong.push(("ios-of-histogram", text));
    }
    if (bins.len() as u128) * u128::from(*bin_ns) > u128::from(pass.elapsed_ns) + 2 * u128::from(*bin_ns) {
        wrong.push(("bins-of-time", "there are more bins than the pass was long".to_owned()));
    }
    if latency.max().is_some_and(|max| max.0 > pass.elapsed_ns) {
        wrong.push(("latency-of-time", "one latency is longer than the pass".to_owned()));
    }
    wrong
}

/// Whether a pass did what its method says.
fn check_method(pass: &Pass, latencies: u128, fatal: &mut impl FnMut(&'static str, String)) {
    let whole = matches!(pass.status, CellStatus::Complete | CellStatus::Void);
    let (written, ios) = pass.write.as_ref().map_or((0, 0), |transfer| (transfer.bytes, transfer.ios));
    let lasted = |seconds: u32| {
        let ns = u64::from(seconds) * NS_PER_S;
        pass.elapsed_ns >= ns - ns / 100
    };
    let depth = match &pass.method.workload {
        Workload::RandomWrites(RandomWrites { seconds, least_bytes, most_bytes, queue_depth, .. }) => {
            if whole && !lasted(*seconds) {
                fatal("pass-time", format!("it lasted {} ns, its method says {seconds} s", pass.elapsed_ns));
            }
            let sizes =
                ios.saturating_mul(u64::from(*least_bytes))..=ios.saturating_mul(u64::from(*most_bytes));
            if !sizes.contains(&written) {
                fatal("bytes-of-ios", format!("{written} bytes are not {ios} writes of the method's sizes"));
            }
            *queue_depth
        }
        Workload::SequentialWrites(SequentialWrites { bytes, queue_depth, .. }) => {
            if whole && written != *bytes {
                fatal("pass-bytes", format!("it wrote {written} bytes, its method says {bytes}"));
            }
            *queue_depth
        }
        Workload::Idle(Idle { seconds }) => {
            if whole && !lasted(*seconds) {
                fatal("pass-time", format!("it lasted {} ns, its method says {seconds} s", pass.elapsed_ns));
            }
            return;
        }
        Workload::Trace(_) => return,
        Workload::Copying(copying) => {
            files::check(pass, (copying.step.reads(), copying.step.writes()), 1, fatal);
            copying.queue_depth
        }
        Workload::Loading(loading) => {
            files::check(pass, (true, false), loading.parallel, fatal);
            loading.parallel
        }
    };
    let most = u128::from(pass.busy_ns) * u128::from(depth);
    if latencies > most + most / 100 {
        fatal("latency-of-depth", format!("the latencies add up to more than {depth} I/Os in flight allow"));
    }
}

#[cfg(test)]
mod tests {
    use crate::plausibility;
    use model::{
        Histogram, ResultDocument,
        document::CellStatus,
        fixtures,
        ids::PublicKey,
        pass::{Idle, Pass, Workload},
        units::Nanos,
    };

    fn codes(change: impl FnOnce(&mut Pass)) -> Vec<&'static str> {
        let mut document = fixtures::with_passes(fixtures::document("Example", 1.0, PublicKey([1; 32])));
        change(&mut document.passes[1]);
        found(&document)
    }

    fn found(document: &ResultDocument) -> Vec<&'static str> {
        let mut codes: Vec<_> = plausibility::check(document).into_iter().map(|one| one.code).collect();
        codes.dedup();
        codes
    }

    #[test]
    fn each_lie_of_a_pass_is_found() {
        assert_eq!(codes(|_| ()), [""; 0]);
        assert_eq!(codes(|p| p.write.as_mut().unwrap().bins[0] += 1), ["bytes-of-bins"]);
        assert_eq!(codes(|p| p.read.as_mut().unwrap().ios += 1), ["ios-of-histogram"]);
        assert_eq!(codes(|p| p.busy_ns = p.elapsed_ns + 1), ["busy-of-time", "busy-of-latency"]);
        assert_eq!(codes(|p| p.busy_ns = 1), ["void-not-declared", "busy-of-latency"]);
        assert_eq!(codes(|p| p.settled_ns = Some(1)), ["settled-of-time"]);
        assert_eq!(codes(|p| p.read.as_mut().unwrap().bins.extend([0; 900])), ["bins-of-time"]);
        let late = |p: &mut Pass| {
            let mut lateness = Histogram::default();
            lateness.record_many(Nanos(5), 1_000_000);
            p.lateness = Some(lateness);
        };
        assert_eq!(codes(late), ["lateness-of-ios"]);
        assert_eq!(codes(|p| p.started_ns = 0), ["time-order"]);
        assert_eq!(codes(|p| p.clock_anomalies = 1), ["void-not-declared"]);
        assert_eq!(codes(|p| p.method.workload = Workload::Idle(Idle { seconds: 1 })), ["direction"]);
        let honest = |p: &mut Pass| {
            p.clock_anomalies = 1;
            p.status = CellStatus::Void;
            p.void = vec![model::proof::VoidReason::Clock];
        };
        assert_eq!(codes(honest), [""; 0]);
    }

    #[test]
    fn random_writes_obey_their_depth_and_sizes() {
        let writes = |change: fn(&mut Pass)| {
            let mut document = fixtures::with_passes(fixtures::document("Example", 1.0, PublicKey([1; 32])));
            change(&mut document.passes[0]);
            found(&document)
        };
        assert_eq!(writes(|_| ()), [""; 0]);
        assert_eq!(
            writes(|p| {
                let Workload::RandomWrites(writes) = &mut p.method.workload else { unreachable!() };
                writes.queue_depth = 1;
            }),
            ["latency-of-depth"]
        );
        assert_eq!(
            writes(|p| {
                let Workload::RandomWrites(writes) = &mut p.method.workload else { unreachable!() };
                writes.seconds = 700;
            }),
            ["pass-time"]
        );
        assert_eq!(
            writes(|p| {
                let Workload::RandomWrites(writes) = &mut p.method.workload else { unreachable!() };
                writes.most_bytes = 8192;
            }),
            ["bytes-of-ios"]
        );
    }
}
