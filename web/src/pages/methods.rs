//! The methods behind the figures, each with its parameters in words.

use crate::{
    pages::{MethodView, PageContext},
    parts::{facts, scroll_table},
    shell::{Head, Place, document},
    words::{counted, data_warning},
};
use leptos::prelude::*;
use model::{
    Method, MethodId,
    method::{Before, DataKind},
    units::{Nanos, format_capacity, format_clock, format_seconds, format_size},
};

/// The list of methods that results of this site were measured with.
#[must_use]
pub fn methods(ctx: &PageContext, methods: Vec<MethodView>) -> String {
    let head = Head {
        title: "Methods",
        description: "How the figures on this site were measured: pattern, block size, queue depth, threads, span, data and loops.",
        image: None,
        canonical: Some("/methods"),
    };
    document(ctx, &head, Place::Methods, move || {
        view! {
            <h1>"Methods"</h1>
            <p class="lead">
                "Two figures are comparable when every parameter of their methods is equal. The name of a method spells them out, so that a name never means two things."
            </p>
            <h2>"Methods in use"</h2>
            {list(methods)}
            <h2>"How a cell is measured"</h2>
            <ol class="steps">
                <li>
                    "The test file is written in full with the data that the method names before the first cell: unique blocks that no drive can compress, unless it says otherwise. Nothing is read that was not written."
                </li>
                <li>
                    "Each loop keeps the stated number of I/Os in flight on every thread, with direct I/O, until its time is over. What completes later is counted in no figure."
                </li>
                <li>
                    "Throughput and I/Os per second are what completed, divided by the loop's time. Latency runs from submission to completion of each I/O."
                </li>
                <li>
                    "The first loops may be discarded by the method. They are kept and shown, and no figure contains them."
                </li>
                <li>"The figure is the median of the loops that count. The spread is the least and the greatest of them."</li>
            </ol>
        }
    })
}

fn list(methods: Vec<MethodView>) -> AnyView {
    if methods.is_empty() {
        return view! { <p>"No result has been published here yet, so there is no method to list."</p> }
            .into_any();
    }
    let rows = methods
        .into_iter()
        .map(|MethodView { method, results }| {
            let words = describe(method.method());
            view! {
                <tr>
                    <th scope="row">
                        <strong>{method.method().label()}</strong>
                        <small>
                            <a href=address(&method)>
                                <code>{method.to_string()}</code>
                            </a>
                        </small>
                    </th>
                    <td>{words}</td>
                    <td class="number">{results.to_string()}</td>
                </tr>
            }
        })
        .collect_view();
    let head = view! {
        <th scope="col">"Method"</th>
        <th scope="col">"In words"</th>
        <th scope="col" class="number">
            "Results"
        </th>
    };
    scroll_table("Methods in use", "methods", head, rows)
}

/// The path of a method's page.
pub(super) fn address(method: &MethodId) -> String {
    format!("/methods/{method}")
}

/// The page of one method: its parameters in words and one by one.
#[must_use]
pub fn method(ctx: &PageContext, view: MethodView) -> String {
    let MethodView { method: id, results } = view;
    let method = id.method().clone();
    let (label, words, path) = (method.label(), describe(&method), address(&id));
    let head =
        Head { title: &label, description: &words, image: None, canonical: (results > 0).then_some(&path) };
    let (label, words) = (label.clone(), words.clone());
    document(ctx, &head, Place::Methods, move || {
        let pair = |name: &str, value: String| (name.to_owned(), value);
        let parameters = vec![
            pair("Order and direction", method.pattern.token().to_owned()),
            pair("Block", format_size(method.block_bytes.into())),
            pair("I/Os in flight on each thread", method.queue_depth.to_string()),
            pair("Threads", method.threads.to_string()),
            pair("Span", format_size(method.span_bytes)),
            pair("Data", method.data.token().to_owned()),
            pair("Loops that count", method.loops.to_string()),
            pair("Length of a loop", method.each()),
            pair("Loops discarded before them", method.discarded_loops.to_string()),
            pair("Pause before the cell", format_seconds(method.interval_seconds)),
        ];
        let parameters: Vec<_> = parameters
            .into_iter()
            .chain(particulars(&method))
            .chain([pair("Public results", results.to_string())])
            .collect();
        view! {
            <p class="kicker">"Method"</p>
            <h1>{label}</h1>
            <p class="lead">{words}</p>
            <p>
                <code class="digits">{id.to_string()}</code>
            </p>
            {data_warning(method.data).map(|text| view! { <p class="care">{text}</p> })}
            {facts(parameters)}
            <p>
                <a href="/methods">"All methods in use, and how a cell is measured"</a>
            </p>
        }
    })
}

/// A method's parameters as one sentence.
pub(super) fn describe(method: &Method) -> String {
    let order = if method.pattern.sequential() { "Sequential" } else { "Random" };
    let direction = match method.read_percent {
        Some(percent) => format!("reads and writes, {percent} % of them reads,"),
        None if method.pattern.writes() => "writes".to_owned(),
        None => "reads".to_owned(),
    };
    let beside = method.beside.map_or_else(String::new, |beside| {
        format!(
            " beside {} of {}",
            counted(beside.queue_depth as usize, "I/O", "I/Os"),
            format_size(beside.block_bytes.into())
        )
    });
    let data = match method.data {
        DataKind::Random => "incompressible data",
        DataKind::Zero => "zeros, which drives may compress",
        DataKind::Repeat => "one random buffer again and again",
        DataKind::Existing => "data that was there before",
    };
    let pause = match method.interval_seconds {
        0 => String::new(),
        seconds => format!(", after a pause of {}", format_seconds(seconds)),
    };
    format!(
        "{order} {direction} of {} in {} of {data}, {} in flight on {}{beside}; {}{pause}.",
        format_size(u64::from(method.block_bytes)),
        format_size(method.span_bytes),
        counted(method.queue_depth as usize, "I/O", "I/Os"),
        counted(method.threads as usize, "thread", "threads"),
        method.times(),
    )
}

/// The parameters that only some methods have.
fn particulars(method: &Method) -> Vec<(String, String)> {
    let Before { fill, trimmed, rested_seconds } = method.before;
    let stretches = method.stretches();
    let settles = stretches.and_then(|one| one.settles).map(|one| {
        let time = format_clock(Nanos::from_secs(one.seconds.into()));
        format!("after {} and {time} without a change", format_capacity(one.bytes))
    });
    [
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
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}
