//! Methods in English.

use crate::texts::Methods;
use model::{
    Method,
    method::{Before, DataKind, Ends},
    units::{Nanos, format_capacity, format_clock, format_seconds, format_size},
};

pub(super) const METHODS: Methods = Methods {
    title: "Methods",
    description: "How the figures on this site were measured: pattern, block size, queue depth, threads, span, data and loops.",
    lead: "Two figures are comparable when every parameter of their methods is equal. The name of a method spells them out, so that a name never means two things.",
    in_use: "Methods in use",
    nothing_yet: "No result has been published here yet, so there is no method to list.",
    columns: ["Method", "In words", "Results"],
    how: "How a cell is measured",
    steps: [
        "The test file is written in full with the data that the method names before the first cell: unique blocks that no drive can compress, unless it says otherwise. Nothing is read that was not written.",
        "Each loop keeps the stated number of I/Os in flight on every thread, with direct I/O, until its time is over. What completes later is counted in no figure.",
        "Throughput and I/Os per second are what completed, divided by the loop's time. Latency runs from submission to completion of each I/O.",
        "The first loops may be discarded by the method. They are kept and shown, and no figure contains them.",
        "The figure is the median of the loops that count. The spread is the least and the greatest of them.",
    ],
    versions: "Versions",
    version: |number| {
        format!(
            "The definitions are in version {number}, which is the end of every method's name. It changes when the same parameters would be measured otherwise, and figures of two versions are never compared or ranked together. Version {number} is the first, so nothing older stands beside it."
        )
    },
    not_claimed: "What is not claimed",
    limits: [
        "That a figure is the drive's alone: file system, kernel, processor and slot take part, and stand on the result's page.",
        "That it lasts: a cell of some seconds shows a drive's fast cache. How far that reaches, only a long write shows.",
        "That another drive of the same model behaves alike: makers change flash and firmware under one name.",
        "That the best loop is what to expect. It stands beside the median because other programs show only it.",
        "That a program will be faster by the same share: most wait for more than the drive.",
    ],
    kicker: "Method",
    why: "What it shows",
    reasons,
    caveats,
    parameters: "Parameters",
    facts,
    public_results: "Public results",
    name: "Its name",
    name_note: "Figures are compared and ranked only when this name is equal.",
    rankings: "Drives ranked by it",
    results: "Results measured by it",
    no_results: "No public result was measured by it.",
    more: "More results",
    all: "All methods in use, and how a cell is measured",
};

fn reasons(method: &Method) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    reasons.push(match (method.pattern.sequential(), method.pattern.writes(), method.read_percent) {
        (true, false, _) => "Reading large files in order: loading, copying away, playing back.",
        (true, true, _) => "Writing large files in order: copies, exports, backups.",
        (false, _, Some(_)) => {
            "Reads and writes mixed at random places: databases, virtual machines, many programs at once."
        }
        (false, false, None) => {
            "Reading small pieces at random places: starting programs, opening projects, queries."
        }
        (false, true, None) => "Writing small pieces at random places: logs, databases, many small files.",
    });
    reasons.push(match method.in_flight() {
        1 => "One I/O at a time: each waits for the one before, so latency alone decides. Most programs on a desktop work like this.",
        2..=8 => "A few I/Os in flight, as programs have that read ahead or copy.",
        _ => "Many I/Os in flight: what the drive can do when it is never left waiting, as on servers. Programs on a desktop rarely ask for it.",
    });
    if method.beside.is_some() {
        reasons.push("A second stream of another size runs beside it: what large I/Os cost the small ones.");
    }
    match method.ends {
        Ends::Time if method.seconds >= model::method::LONG_SECONDS => {
            reasons.push("Its loops are long enough to have a course: whether the last minute is like the first.");
        }
        Ends::Steady => reasons.push("It goes on until both steady-state rules hold: what remains when nothing changes any more."),
        Ends::Bytes(_) if method.loops == 1 => {
            reasons.push("It goes through the span once: where fast writing ends, and what is left after it.");
        }
        Ends::Bytes(_) => reasons.push("Its loops go through parts of the span one after the other: bursts with rests, or one place after another."),
        Ends::Time => {}
    }
    if !method.before.is_as_found() {
        reasons.push("The drive was brought into a state before: figures in that state are compared with each other only.");
    }
    if method.members.is_some() {
        reasons.push("Several drives work together: how far their number carries.");
    }
    reasons
}

fn caveats(method: &Method) -> Vec<&'static str> {
    let mut caveats = Vec::new();
    let short = matches!(method.ends, Ends::Time) && method.seconds < model::method::LONG_SECONDS;
    if short && method.pattern.writes() {
        caveats
            .push("No statement on sustained writing: its loops may end before the drive's fast cache does.");
    }
    if method.pattern.reads() && method.span_bytes <= 8 << 30 {
        caveats.push("No statement on the whole drive: the span is small, and a drive may hold its map, or the data itself, in fast memory.");
    }
    if method.before.is_as_found() {
        caveats.push("No statement on the state of the drive: it was measured as it was found, and a fuller or a more worn one may be slower.");
    }
    if method.in_flight() > 32 {
        caveats.push("No statement on latency in daily use: at this depth I/Os wait for each other.");
    }
    if method.ends == Ends::Time
        && method.stretches().is_none()
        && method.seconds >= model::method::LONG_SECONDS
    {
        caveats.push("Its mean hides its course, which stands on the result's page.");
    }
    if method.stretches().is_some() && !method.means_alike(method) {
        caveats.push("Its mean depends on how far the drive made it go, so drives are not ranked by it. What it shows are stages.");
    }
    caveats
}

fn facts(method: &Method) -> Vec<(&'static str, String)> {
    let Before { fill, trimmed, rested_seconds } = method.before;
    let stretches = method.stretches();
    let settles = stretches.and_then(|one| one.settles).map(|one| {
        let time = format_clock(Nanos::from_secs(one.seconds.into()));
        format!("after {} and {time} without a change", format_capacity(one.bytes))
    });
    let always = [
        ("Order and direction", method.pattern.token().to_owned()),
        ("Block", format_size(method.block_bytes.into())),
        ("I/Os in flight on each thread", method.queue_depth.to_string()),
        ("Threads", method.threads.to_string()),
        ("Span", format_size(method.span_bytes)),
        ("Data", data(method.data).to_owned()),
        ("Loops that count", method.loops.to_string()),
        ("Length of a loop", method.each()),
        ("Loops discarded before them", method.discarded_loops.to_string()),
        ("Pause before the cell", format_seconds(method.interval_seconds)),
    ];
    let some = [
        ("Share of reads", method.read_percent.map(|percent| format!("{percent} %"))),
        (
            "Second stream",
            method
                .beside
                .map(|one| format!("{}, {} in flight", format_size(one.block_bytes.into()), one.queue_depth)),
        ),
        ("Rest between loops", stretches.map(|one| format_seconds(one.rest_seconds))),
        ("A loop ends early", settles),
        ("Drive in use before", fill.map(|fill| fill.to_string())),
        ("Trimmed before", trimmed.then(|| "yes".to_owned())),
        ("Rest before", (rested_seconds > 0).then(|| format_seconds(rested_seconds))),
        (
            "Drives",
            method.members.zip(method.whose_queue()).map(|(members, whose)| format!("{members}; {whose}")),
        ),
    ];
    let some = some.into_iter().filter_map(|(name, value)| Some((name, value?)));
    always.into_iter().chain(some).collect()
}

fn data(kind: DataKind) -> &'static str {
    match kind {
        DataKind::Random => "random, every block different",
        DataKind::Zero => "zeros",
        DataKind::Repeat => "one random buffer again and again",
        DataKind::Existing => "what was there before",
    }
}
