//! Recomputes what can be recomputed from a document: figures that contradict each other, and cells
//! that claim more than their evidence holds.
//!
//! A signature proves who signed; these rules find what cannot be true. What they let pass may still be
//! false.

mod passes;

use crate::{
    bursts,
    host_limit::host_limit,
    proof::{cell_void_reasons, foreign_share},
    requests,
    settling::steady_after,
    standstill,
    summary::counted_loops,
    telemetry::{distrust, rises},
};
use model::{
    Method, Reading, ResultDocument,
    document::{Cell, CellStatus, DeviceCounters, Loop, LoopEnded, MemberLoad, Outcome, Transfer},
    method::Ends,
    proof::{Proof, VoidReason},
    units::{NS_PER_S, format_nanos, format_utc},
};

/// One contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A short code, `bytes-of-ios`.
    pub code: &'static str,
    /// The field concerned, `cells[2].loops[0]`.
    pub path: String,
    /// What is wrong, in one sentence that is the same for every cell.
    pub text: String,
    /// The figure of this cell that the sentence is about, shown beside the cell's name; `None` for none.
    pub figure: Option<String>,
    /// Whether the document must be refused; otherwise it is a remark for readers.
    pub fatal: bool,
}

/// One sentence about a document, and the cells that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// Names of the cells and passes, each once, in their order and with their figure when they have one
    /// (`SEQ1M Q8T1 read: 5.6`); empty when it is about the whole document.
    pub cells: Vec<String>,
}

impl Remark {
    /// The sentence with its cells in brackets.
    #[must_use]
    pub fn line(&self) -> String {
        if self.cells.is_empty() {
            return self.text.clone();
        }
        format!("{} ({})", self.text, some_of(&self.cells))
    }
}

/// Names in one line: all of a few, otherwise the first of them and how many more there are.
#[must_use]
pub fn some_of(names: &[String]) -> String {
    const FEW: usize = 6;
    if names.len() <= FEW {
        return names.join(", ");
    }
    format!("{} and {} more", names[..FEW - 2].join(", "), names.len() - (FEW - 2))
}

/// Findings for readers: each sentence once, with its cells by name.
#[must_use]
pub fn by_cell(document: &ResultDocument, findings: &[Finding]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    for Finding { path, text, figure, .. } in findings {
        let index = |list: &str| {
            path.strip_prefix(list).and_then(|rest| rest.split(']').next()?.parse::<usize>().ok())
        };
        let cell =
            index("cells[").and_then(|index| document.cells.get(index)).map(|cell| cell.method.label());
        let pass =
            index("passes[").and_then(|index| document.passes.get(index)).map(|pass| pass.method.label());
        let cell = cell.or(pass).map(|label| {
            figure.as_ref().map_or_else(|| label.clone(), |figure| format!("{label}: {figure}"))
        });
        let at = remarks.iter().position(|known| known.text == *text).unwrap_or_else(|| {
            remarks.push(Remark { text: text.clone(), cells: Vec::new() });
            remarks.len() - 1
        });
        let cells = &mut remarks[at].cells;
        cells.extend(cell.filter(|cell| !cells.contains(cell)));
    }
    remarks
}

/// All that must be kept in mind with a document's figures: findings by cell, and what cannot be proven.
#[must_use]
pub fn care(document: &ResultDocument) -> Vec<Remark> {
    let mut all = by_cell(document, &check(document));
    let passes = document.passes.iter().map(|pass| &pass.proof);
    let proofs = document.cells.iter().map(|cell| &cell.proof).chain(passes);
    for unproven in proofs.flat_map(|proof| &proof.unproven) {
        let text = unproven.text();
        if !all.iter().any(|known| known.text == text) {
            all.push(Remark { text: text.to_owned(), cells: Vec::new() });
        }
    }
    all
}

/// How far the clocks of a measuring machine and of a judge may lie apart, milliseconds: a day, for clocks set
/// to the local time of another zone.
const CLOCKS_APART_MS: u64 = 24 * 3_600 * 1_000;

/// A run that claims to have begun after `now_ms`, milliseconds since 1970 UTC; `None` when it does not.
#[must_use]
pub fn begins_later(document: &ResultDocument, now_ms: u64) -> Option<Finding> {
    let started = document.started_unix_ms;
    (started > now_ms.saturating_add(CLOCKS_APART_MS)).then(|| Finding {
        code: "begins-later",
        path: "started_unix_ms".to_owned(),
        text: format!(
            "The run claims to have begun at {}, but it is {}: the measuring machine's clock was wrong. Set it and measure again.",
            format_utc(started),
            format_utc(now_ms)
        ),
        figure: None,
        fatal: true,
    })
}

/// Everything in a document that cannot be, or should be known.
#[must_use]
pub fn check(document: &ResultDocument) -> Vec<Finding> {
    let mut findings = Vec::new();
    if document.outcome == Outcome::Complete && document.step_count() == 0 {
        findings.push(Finding {
            code: "no-cells",
            path: "cells".to_owned(),
            figure: None,
            text: "The run claims to be complete without a single cell or pass.".to_owned(),
            fatal: true,
        });
    }
    let most =
        document.cells.iter().filter_map(|cell| cell.method.drives_apart()).max().map_or(0, usize::from);
    if most > 0 && (document.drive.members.len() < most || document.other_targets.len() + 1 < most) {
        findings.push(Finding {
            code: "members-count",
            path: "drive.members".to_owned(),
            figure: None,
            text: "A cell claims more drives than the run had.".to_owned(),
            fatal: true,
        });
    }
    for (index, cell) in document.cells.iter().enumerate() {
        let path = format!("cells[{index}]");
        check_cell(cell, &path, document.elapsed_ns, &mut findings);
        if let (Reading::Known(link), Some(path_link)) =
            (&cell.proof.link_bytes_per_s, document.drive.pcie_bytes_per_s())
            && *link > path_link
        {
            findings.push(Finding {
                code: "link-of-path",
                path: format!("{path}.proof"),
                figure: None,
                text: "It claims a faster link than the drive's PCI Express path has.".to_owned(),
                fatal: true,
            });
        }
        findings.extend(split(cell, document, &path));
        if let Some(longest) =
            cell.loops.iter().filter_map(|one| standstill::longest(&cell.method, one)).max()
        {
            let text = "No I/O completed for a second or more in the middle of a loop: the drive, the measuring program or the whole machine stood still.";
            let figure = Some(format_nanos(longest));
            findings.push(Finding { figure, ..remark("standstill", path.clone(), text.to_owned()) });
        }
        if let Some(limit) = host_limit(cell, &document.engine, &document.host) {
            findings.push(remark("host-limited", path, limit.text().to_owned()));
        }
    }
    passes::check(document, &mut findings);
    check_telemetry(document, &mut findings);
    check_resumptions(document, &mut findings);
    findings
}

/// A run in several sessions says so: the drive rested between them, on another test file.
fn check_resumptions(document: &ResultDocument, findings: &mut Vec<Finding>) {
    let mut before = (0, 0);
    for (index, one) in document.resumptions.iter().enumerate() {
        let path = format!("resumptions[{index}]");
        // With passes only those of one run follow its cells; of several, their times tell the order.
        let mut starts: Vec<Option<u64>> = document
            .cells
            .iter()
            .map(|cell| cell.loops.first().map(|first| first.started_ns))
            .chain(document.passes.iter().map(|pass| Some(pass.started_ns)))
            .collect();
        if document.runs > 1 && !document.passes.is_empty() {
            starts.sort_unstable();
        }
        let next = starts.get(one.cells_before as usize).copied().flatten();
        let follows = next.is_none_or(|started_ns| started_ns >= one.at_ns);
        if (one.cells_before, one.at_ns) < before || one.at_ns > document.elapsed_ns || !follows {
            findings.push(Finding {
                code: "resumption-order",
                path: path.clone(),
                figure: None,
                text: "It does not lie between the cells that it says it does.".to_owned(),
                fatal: true,
            });
        }
        before = (one.cells_before, one.at_ns);
        let text = format!(
            "The run had been cut off and went on after {} of its {}, on a test file that was written anew.",
            one.cells_before,
            if document.passes.is_empty() { "cells" } else { "cells and passes" }
        );
        findings.push(remark("resumed", path, text));
    }
}

/// What to know about I/Os that the drive would have taken whole and got in parts.
fn split(cell: &Cell, document: &ResultDocument, path: &str) -> Option<Finding> {
    let whole = *document.drive.max_request_bytes.known()?;
    if u64::from(cell.method.block_bytes) > whole {
        return None;
    }
    // Requests of others cannot be told from those of a split I/O.
    let own = cell.loops.iter().filter(|one| !others_used(cell, one));
    let most = own.filter_map(|one| requests::per_io(&cell.method, one)).fold(0.0, f64::max);
    let why = match requests::expected(
        cell.method.block_bytes,
        document.engine.buffer_page_bytes,
        Some(whole),
        document.drive.max_segments.known().copied(),
    ) {
        1 => "the test file lies in pieces, or something else used the drive",
        _ => "the memory of its buffers lies in more pieces than the drive takes at once",
    };
    (most > requests::SPLIT_FROM).then(|| {
        let text = format!(
            "Each I/O reached the drive in more than one request, though it takes them whole: {why}."
        );
        let figure = Some(format!("{most:.1} requests"));
        Finding { figure, ..remark("split-requests", path.to_owned(), text) }
    })
}

/// Whether something else moved so much on the device during a loop that it is worth a word.
fn others_used(cell: &Cell, one: &Loop) -> bool {
    foreign_share(&cell.method, std::slice::from_ref(one)).is_some_and(|share| share > 0.05)
}

fn remark(code: &'static str, path: String, text: String) -> Finding {
    Finding { code, path, text, figure: None, fatal: false }
}

fn check_telemetry(document: &ResultDocument, findings: &mut Vec<Finding>) {
    let watched = &document.telemetry;
    for (index, series) in watched.series.iter().enumerate() {
        let path = format!("telemetry.series[{index}]");
        if series.at_ns.last().is_some_and(|at_ns| *at_ns > document.elapsed_ns) {
            findings.push(Finding {
                code: "telemetry-time",
                path: path.clone(),
                figure: None,
                text: "It has readings from after the run's end.".to_owned(),
                fatal: true,
            });
        }
        if let Some(reason) = distrust(series, watched) {
            let text = format!("The sensor {} {}: not reported.", series.name, reason.text());
            findings.push(remark("sensor", path, text));
        }
    }
    let log = watched.health.known().map_or(&[][..], Vec::as_slice);
    if !log.windows(2).all(|pair| rises(&pair[0], &pair[1])) {
        let text = "Counters of the drive's health log fell: they are not trusted.".to_owned();
        findings.push(remark("health-log", "telemetry.health".to_owned(), text));
    }
}

fn check_cell(cell: &Cell, path: &str, run_ns: u64, findings: &mut Vec<Finding>) {
    let mut fatal = |code, path: &str, text: String| {
        findings.push(Finding { code, path: path.to_owned(), text, figure: None, fatal: true })
    };
    let counted = counted_loops(&cell.loops).count();
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
    let steady = cell.method.ends == Ends::Steady && steady_after(&cell.method, &cell.loops) == Some(counted);
    let slow = bursts::enough(&cell.method, &cell.loops);
    let all = discarded == want_discarded && (counted == want || steady || slow);
    if cell.status == CellStatus::Complete && !all {
        fatal("loop-count", path, format!("the cell claims to be complete with {counted} of {want} loops"));
    }
    for reason in cell_void_reasons(cell) {
        if !cell.void.contains(&reason) {
            fatal(
                "void-not-declared",
                path,
                format!("its evidence makes the cell void ({}), but it does not say so", reason.token()),
            );
        }
    }
    if let Some(error) = &cell.error
        && !cell.void.contains(&error.kind.void_reason())
    {
        fatal(
            "void-not-declared",
            path,
            "its error makes its figures void, but it does not say so".to_owned(),
        );
    }
    check_apart(cell, path, &mut fatal);
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
    // A cell that is void for it says so itself.
    if !cell.void.contains(&VoidReason::ForeignIo) && cell.loops.iter().any(|one| others_used(cell, one)) {
        let text = "The device moved over 5 % more bytes than a loop completed: something else used it too.";
        findings.push(remark("foreign-io", path.to_owned(), text.to_owned()));
    }
}

/// Whether what is told of drives apart one by one is what is told of all of them.
fn check_apart(cell: &Cell, path: &str, fatal: &mut impl FnMut(&'static str, &str, String)) {
    let Some(mut together) = Proof::together(&cell.members) else { return };
    // Drives behind one narrow link carry less than their own links together.
    if let (Reading::Known(sum), Reading::Known(all)) =
        (&together.link_bytes_per_s, &cell.proof.link_bytes_per_s)
        && all < sum
    {
        together.link_bytes_per_s = Reading::Known(*all);
    }
    if together != cell.proof {
        let text = "the evidence of its drives is not that of the cell".to_owned();
        fatal("members-proof", path, text);
    }
    for (index, one) in cell.loops.iter().enumerate() {
        let bytes = |transfer: &Option<Transfer>| transfer.as_ref().map_or(0, |transfer| transfer.bytes);
        let sum = |of: fn(&MemberLoad) -> u64| one.members.iter().map(of).fold(0, u64::saturating_add);
        let same = sum(|load| load.read_bytes) == bytes(&one.read)
            && sum(|load| load.written_bytes) == bytes(&one.write)
            && sum(|load| load.drained_ios) == one.drained_ios
            && DeviceCounters::sum(one.members.iter().map(|load| load.device)) == one.device;
        if !same {
            let text = "what its drives did does not add up to what the loop did".to_owned();
            fatal("members-load", &format!("{path}.loops[{index}]"), text);
        }
    }
}

fn check_loop(cell: &Cell, one: &Loop, path: &str, fatal: &mut impl FnMut(&'static str, &str, String)) {
    let method = &cell.method;
    let beside = one.beside.as_ref();
    let any = |main: &Option<Transfer>, second: Option<&Option<Transfer>>| {
        main.is_some() || second.is_some_and(Option::is_some)
    };
    let wrong_way = any(&one.read, beside.map(|one| &one.read)) && !method.pattern.reads()
        || any(&one.write, beside.map(|one| &one.write)) && !method.pattern.writes();
    if wrong_way {
        fatal("direction", path, "it has I/Os in a direction that the method does not have".to_owned());
    }
    if beside.is_some() != method.beside.is_some() {
        fatal("streams", path, "its streams of I/Os are not those of the method".to_owned());
    }
    if matches!(cell.status, CellStatus::Complete | CellStatus::Void) {
        check_end(method, one, path, fatal);
    }
    let in_flight = u128::from(method.in_flight());
    for transfer in one.read.iter().chain(&one.write) {
        check_transfer(one, transfer, (method.block_bytes, in_flight), path, fatal);
    }
    if let (Some(stream), Some(second)) = (beside, method.beside) {
        for transfer in stream.read.iter().chain(&stream.write) {
            check_transfer(one, transfer, (second.block_bytes, second.queue_depth.into()), path, fatal);
        }
    }
    check_share(method, one, path, fatal);
}

/// Whether a loop that came to its end lasted as long, and moved as much, as what ended it says.
fn check_end(method: &Method, one: &Loop, path: &str, fatal: &mut impl FnMut(&'static str, &str, String)) {
    let length = method.longest_loop().0;
    if one.ended == LoopEnded::Time && one.elapsed_ns < length - length / 100 {
        fatal(
            "loop-time",
            path,
            format!("it lasted {} ns, the method says {} s", one.elapsed_ns, method.seconds),
        );
    }
    let bytes = one.transfer(method).map_or(0, |transfer| transfer.bytes);
    let stretches = method.stretches();
    let holds = match one.ended {
        LoopEnded::Time => true,
        // A read ends where the write before it had ended.
        LoopEnded::Bytes => {
            stretches.is_some_and(|one| one.loop_bytes == bytes || method.pattern.reads() && bytes > 0)
        }
        LoopEnded::Settled => stretches.and_then(|one| one.settles).is_some_and(|settles| {
            bytes >= settles.bytes && one.elapsed_ns >= u64::from(settles.seconds) * NS_PER_S
        }),
    };
    if !holds || stretches.is_some_and(|one| bytes > one.loop_bytes) {
        fatal("loop-bytes", path, format!("it moved {bytes} bytes, which is not what the method says"));
    }
}

/// Whether reads and writes are mixed by the method's share. Six standard deviations are no chance.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn check_share(method: &Method, one: &Loop, path: &str, fatal: &mut impl FnMut(&'static str, &str, String)) {
    let Some(percent) = method.read_percent else { return };
    let ios = |transfer: &Option<Transfer>| transfer.as_ref().map_or(0, |transfer| transfer.ios) as f64;
    let (reads, all) = (ios(&one.read), ios(&one.read) + ios(&one.write));
    let share = f64::from(percent) / 100.0;
    // What is in flight at the end is not counted, and one direction may be slower.
    let leeway = 6.0 * (all * share * (1.0 - share)).sqrt() + f64::from(method.queue_depth);
    if (reads - all * share).abs() > leeway {
        fatal("share", path, format!("{reads} of {all} I/Os are reads, the method says {percent} %"));
    }
}

fn check_transfer(
    one: &Loop,
    transfer: &Transfer,
    (block_bytes, in_flight): (u32, u128),
    path: &str,
    fatal: &mut impl FnMut(&'static str, &str, String),
) {
    let Transfer { ios, bytes, latency, bin_ns, bins } = transfer;
    if ios.checked_mul(u64::from(block_bytes)) != Some(*bytes) {
        fatal("bytes-of-ios", path, format!("{bytes} bytes are not {ios} I/Os of {block_bytes} bytes"));
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
    use model::{Reading, document::DeviceCounters, fixtures, ids::PublicKey, proof::Extents};

    fn codes(change: impl FnOnce(&mut ResultDocument)) -> Vec<&'static str> {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        change(&mut document);
        let mut codes: Vec<_> = check(&document).into_iter().map(|finding| finding.code).collect();
        codes.dedup();
        codes
    }

    #[test]
    fn a_run_does_not_begin_later_than_now() {
        let mut document = model::fixtures::document("Example", 0.01, model::ids::PublicKey([1; 32]));
        let now = document.started_unix_ms;
        for (started, refused) in
            [(0, false), (now + CLOCKS_APART_MS, false), (now + CLOCKS_APART_MS + 1, true), (1 << 63, true)]
        {
            document.started_unix_ms = started;
            let found = begins_later(&document, now);
            assert_eq!(found.is_some_and(|finding| finding.fatal), refused, "{started}");
        }
        assert_eq!(begins_later(&document, u64::MAX), None);
    }

    #[test]
    fn many_names_are_cut_and_counted() {
        let names: Vec<String> = (1..=8).map(|name| name.to_string()).collect();
        assert_eq!(some_of(&names[..6]), "1, 2, 3, 4, 5, 6");
        assert_eq!(some_of(&names), "1, 2, 3, 4 and 4 more");
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
        assert_eq!(codes(|d| d.elapsed_ns /= 2), ["time-order", "telemetry-time"]);
        assert_eq!(codes(|d| d.cells.clear()), ["no-cells"]);
        assert_eq!(codes(|d| d.cells[0].loops[3].read = None), ["void-not-declared"]);
    }

    #[test]
    fn drives_apart_must_add_up() {
        let codes = |change: &dyn Fn(&mut ResultDocument)| {
            let plain = fixtures::document("Example", 1.0, PublicKey([1; 32]));
            let mut document = fixtures::with_drives_apart(plain);
            change(&mut document);
            let mut codes: Vec<_> = check(&document).into_iter().map(|finding| finding.code).collect();
            codes.dedup();
            codes
        };
        assert_eq!(codes(&|_| ()), [""; 0]);
        assert_eq!(codes(&|d| d.cells[1].loops[0].members[1].drained_ios = 1), ["members-load"]);
        assert_eq!(codes(&|d| d.cells[1].loops[0].members[1].device = None), ["members-load"]);
        assert_eq!(codes(&|d| d.cells[1].proof.suspended_ns = 5), ["members-proof"]);
        let narrow =
            |d: &mut ResultDocument| d.cells[3].proof.link_bytes_per_s = Reading::Known(28_000_000_000);
        assert_eq!(codes(&narrow), [""; 0], "a link that they share may be narrower");
        assert_eq!(
            codes(&|d| d.cells[3].members[2].direct_io = false),
            ["void-not-declared", "members-proof"]
        );
        assert_eq!(codes(&|d| drop(d.drive.members.pop())), ["members-count"]);
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
    fn no_loop_is_faster_than_its_link() {
        assert_eq!(
            codes(|d| d.cells[0].proof.link_bytes_per_s = Reading::Known(1_000_000_000)),
            ["void-not-declared"]
        );
        assert_eq!(codes(|d| d.cells[0].proof.link_bytes_per_s = Reading::Known(u64::MAX)), ["link-of-path"]);
    }

    #[test]
    fn ios_that_were_split_on_the_way_are_remarked() {
        let with = |requests_per_io: u64, max_request_bytes: u64| {
            move |d: &mut ResultDocument| {
                d.drive.max_request_bytes = Reading::Known(max_request_bytes);
                let one = &mut d.cells[0].loops[0];
                let transfer = one.read.as_ref().unwrap();
                let ios = transfer.ios + one.drained_ios;
                one.device = Some(DeviceCounters {
                    read_requests: requests_per_io * ios,
                    read_bytes: ios * (1 << 20),
                    write_requests: 0,
                    written_bytes: 0,
                });
            }
        };
        assert_eq!(codes(with(2, 1 << 20)), ["split-requests"]);
        assert_eq!(codes(with(1, 1 << 20)), [""; 0]);
        assert_eq!(codes(with(2, 512 << 10)), [""; 0], "the drive takes no more at once");
    }

    #[test]
    fn a_clock_that_ran_backwards_voids_the_cell() {
        assert_eq!(codes(|d| d.cells[3].loops[2].clock_anomalies = 1), ["void-not-declared"]);
    }

    #[test]
    fn a_loop_in_which_everything_stood_still_is_remarked_once_by_name() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        for index in [4, 6] {
            for one in &mut document.cells[index].loops[1..3] {
                let transfer = one.read.as_mut().unwrap();
                let moved: u64 = transfer.bins[10..25].iter().sum();
                transfer.bins[10..25].fill(0);
                transfer.bins[25] += moved;
            }
        }
        let findings = check(&document);
        assert!(findings.iter().all(|finding| finding.code == "standstill"), "{findings:?}");
        let [remark] = &by_cell(&document, &findings)[..] else { panic!("one sentence: {findings:?}") };
        assert!(remark.text.starts_with("No I/O completed for a second or more "), "{}", remark.text);
        assert!(
            remark.line().ends_with(" (RND4K Q32T1 read: 1.50 s, RND4K Q1T1 read: 1.50 s)"),
            "{}",
            remark.line()
        );
    }

    #[test]
    fn a_run_in_several_sessions_says_so() {
        let resumed = |cells_before, cell: usize| {
            move |d: &mut ResultDocument| {
                let at_ns = d.cells[cell].loops[0].started_ns - 1;
                d.resumptions.push(model::document::Resumption {
                    cells_before,
                    at_ns,
                    resumed_unix_ms: d.started_unix_ms + 1,
                    preparation: d.preparation.clone(),
                });
            }
        };
        assert_eq!(codes(resumed(3, 3)), ["resumed"]);
        assert_eq!(codes(resumed(3, 4)), ["resumption-order", "resumed"]);
    }

    #[test]
    fn telemetry_is_checked_too() {
        assert_eq!(
            codes(|d| *d.telemetry.series[0].at_ns.last_mut().unwrap() = d.elapsed_ns + 1),
            ["telemetry-time"]
        );
        assert_eq!(codes(|d| d.telemetry.series[0].values.fill(None)), ["sensor"]);
        let fell = |d: &mut ResultDocument| {
            let Reading::Known(log) = &mut d.telemetry.health else { panic!("the fixture has a log") };
            log[1].media_errors = 0;
            log[0].media_errors = 1;
        };
        assert_eq!(codes(fell), ["health-log"]);
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
        // A quarter more in all loops together: here the one loop counted three times as much.
        assert_eq!(codes(counted(300)), ["void-not-declared", "foreign-io"]);
        let honest = |d: &mut ResultDocument| {
            counted(300)(d);
            d.cells[0].status = CellStatus::Void;
            d.cells[0].void = vec![VoidReason::ForeignIo];
        };
        assert_eq!(codes(honest), [""; 0], "what makes the cell void is not said twice");
        let busy = |d: &mut ResultDocument| {
            counted(120)(d);
            d.cells[0].loops[0].device.as_mut().unwrap().read_requests = 1 << 30;
        };
        assert_eq!(codes(busy), ["foreign-io"], "nobody knows whose requests those were");
    }
}
