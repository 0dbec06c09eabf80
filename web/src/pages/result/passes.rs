//! Passes: each pass over traces with its bandwidth, access times and scores, and what lay between them.

use crate::{parts::scroll_table, words::absence};
use analysis::played::{format_score, place, score_name};
use leptos::prelude::*;
use model::{
    ResultDocument,
    document::CellStatus,
    finding::Found,
    pass::{Pass, PassMethod, Workload},
    summary::{PassSummary, ResultSummary, TraceSummary},
    units::{Nanos, Unit, format_elapsed, format_nanos, format_rate, per_second},
};

/// The heading of the section.
pub(super) const TITLE: &str = "Pass by pass";

/// The section; nothing for a result without passes.
pub(super) fn section(summary: &ResultSummary, document: &ResultDocument) -> AnyView {
    if document.passes.is_empty() {
        return ().into_any();
    }
    let told = summary.stories.iter().find(|story| matches!(story.found, Found::Passes(_)));
    let told = told.and_then(|story| story.sentences.first().cloned());
    let table = (!summary.passes.is_empty()).then(|| table(&summary.passes, document.runs));
    view! {
        <section id="passes" aria-labelledby="passes-heading">
            <h2 id="passes-heading">{TITLE}</h2>
            {told.map(|sentence| view! { <p>{sentence}</p> })}
            {table}
            {traces(&summary.passes, document.runs)}
            {others(document)}
            {parameters(document)}
        </section>
    }
    .into_any()
}

fn table(passes: &[PassSummary], runs: u32) -> AnyView {
    let rows = passes.iter().map(|pass| row(pass, runs)).collect_view();
    let score = score_name(passes).unwrap_or_default();
    let score = score.strip_prefix("score ").unwrap_or_default().to_owned();
    let head = view! {
        <th scope="col">"Pass"</th>
        {["Bandwidth while busy", "Read access", "Write access", "Score", "Time score"]
            .map(|name| view! { <th scope="col" class="number">{name}</th> })}
    };
    view! {
        {scroll_table(TITLE, "plain", head, rows)}
        <p class="note">
            {format!(
                "Bandwidth: bytes over the time in which at least one I/O was outstanding. Access: mean time from begin to end. Score: {score}, the geometric mean of MB/s and 1 / seconds of access. Time score: ours, 1,000 for a drive that takes no time beside the recorded one; think time counts, so it differs little where bandwidth differs much.",
            )}
        </p>
    }
    .into_any()
}

fn row(pass: &PassSummary, runs: u32) -> AnyView {
    let name = place(pass, runs);
    if !pass.status.counts() {
        return view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="number absent" colspan="5">
                    {absence(Some(pass.status))}
                </td>
            </tr>
        }
        .into_any();
    }
    let partial = (pass.status == CellStatus::Partial).then_some(" (traces are missing)");
    let figures = figures(pass.bytes_per_s, pass.read_access_ns, pass.write_access_ns);
    let scores = [pass.score, pass.time_score].map(|score| {
        view! { <td class="number">{score.map_or_else(|| "none".to_owned(), format_score)}</td> }
    });
    view! {
        <tr>
            <th scope="row">{name} {partial}</th>
            {figures}
            {scores}
        </tr>
    }
    .into_any()
}

fn figures(rate: Option<f64>, read: Option<f64>, write: Option<f64>) -> impl IntoView {
    let none = || "none".to_owned();
    let time = |value: Option<f64>| value.map_or_else(none, |ns| Unit::Nanoseconds.format(ns));
    [rate.map_or_else(none, format_rate), time(read), time(write)]
        .map(|text| view! { <td class="number">{text}</td> })
}

/// Every trace of every pass, folded.
fn traces(passes: &[PassSummary], runs: u32) -> AnyView {
    passes
        .iter()
        .map(|pass| {
            let name = place(pass, runs);
            let label = format!("Traces of {name}");
            let rows = pass.traces.iter().map(trace).collect_view();
            let head = view! {
                <th scope="col">"Trace"</th>
                {["Bandwidth while busy", "Read access", "Write access", "Busy", "Lasted", "Late (p99)"]
                    .map(|name| view! { <th scope="col" class="number">{name}</th> })}
            };
            view! {
                <details class="loops">
                    <summary>
                        <strong>{name}</strong>
                        ": trace by trace"
                    </summary>
                    {scroll_table(label, "plain", head, rows)}
                </details>
            }
        })
        .collect_view()
        .into_any()
}

fn trace(trace: &TraceSummary) -> AnyView {
    let state = match trace.status {
        CellStatus::Complete => String::new(),
        other => format!(" ({})", absence(Some(other))),
    };
    let late = trace.late_p99_ns.map_or_else(|| "no deadlines".to_owned(), |ns| format_nanos(Nanos(ns)));
    view! {
        <tr>
            <th scope="row">{trace.title.clone()} {state}</th>
            {figures(trace.bytes_per_s, trace.read_access_ns, trace.write_access_ns)}
            <td class="number">{format_nanos(Nanos(trace.busy_ns))}</td>
            <td class="number">{format_elapsed(Nanos(trace.elapsed_ns))}</td>
            <td class="number">{late}</td>
        </tr>
    }
    .into_any()
}

/// What lay between passes over traces.
fn others(document: &ResultDocument) -> AnyView {
    let others: Vec<String> = document.passes.iter().filter_map(other).collect();
    if others.is_empty() {
        return ().into_any();
    }
    let items = others.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    view! {
        <details>
            <summary>"What was done between them"</summary>
            <ol>{items}</ol>
        </details>
    }
    .into_any()
}

fn other(pass: &Pass) -> Option<String> {
    let label = pass.method.label();
    match pass.method.workload {
        Workload::Trace(_) | Workload::Copying(_) | Workload::Loading(_) => None,
        Workload::Idle(_) => Some(label),
        Workload::RandomWrites(_) | Workload::SequentialWrites(_) => {
            let rate = per_second(pass.bytes(), Nanos(pass.busy_ns)).map_or_else(String::new, format_rate);
            Some(format!("{label}: {rate} over {}", format_elapsed(Nanos(pass.elapsed_ns))))
        }
    }
}

/// The conditions and the full names of the methods, folded.
fn parameters(document: &ResultDocument) -> AnyView {
    let rows = document
        .passes
        .iter()
        .map(|pass| {
            let method: &PassMethod = &pass.method;
            view! {
                <tr>
                    <th scope="row">{method.label()}</th>
                    <td>{method.conditions()}</td>
                    <td>
                        <code>{method.id().to_string()}</code>
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = view! {
        <th scope="col">"Pass"</th>
        <th scope="col">"Conditions"</th>
        <th scope="col">"Method"</th>
    };
    view! {
        <details>
            <summary>"Every parameter, pass by pass"</summary>
            {scroll_table("Parameters of every pass", "plain", head, rows)}
        </details>
    }
    .into_any()
}
