//! The table at the top of a result: every cell's median, read beside write, as reviews print it.

use crate::{
    parts::scroll_table,
    words::{absence, counted, data_warning, lead_kind, metric, spread},
};
use leptos::prelude::*;
use model::{
    Method, ResultDocument,
    document::{CellStatus, Outcome},
    metric::MetricKind,
    summary::{MetricSummary, ResultSummary},
};

/// One row per block, depth, threads and what is particular.
struct Row {
    name: String,
    /// Whether it is a plain cell, as every benchmark has them.
    plain: bool,
    read: Option<Method>,
    write: Option<Method>,
    /// Reads and writes in one.
    mix: Option<Method>,
}

/// Rows that are shown without being asked for.
const SHOWN: usize = 10;

/// The table and how to read it.
pub(super) fn block(summary: &ResultSummary, document: &ResultDocument) -> AnyView {
    let outcome = document.outcome;
    let rows = rows(document);
    if rows.is_empty() && !document.passes.is_empty() {
        return ().into_any();
    }
    if rows.is_empty() {
        return view! { <p class="empty">"The run ended before its first cell: there is no figure."</p> }
            .into_any();
    }
    let (plain, particular): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.plain);
    let tables = [("Summary", plain), ("Longer and other tests", particular)]
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(title, rows)| tables(summary, outcome, title, rows))
        .collect_view();
    view! {
        <section id="summary" aria-labelledby="summary-heading">
            <h2 id="summary-heading">"Summary"</h2>
            {warnings(document)}
            {tables}
            <p class="note">
                "Large: the median of the loops that count. Small: the same in the other unit, the best loop, and the least and greatest loop."
            </p>
        </section>
    }
    .into_any()
}

/// The first rows as a table, and the others as one that is opened.
fn tables(summary: &ResultSummary, outcome: Outcome, title: &'static str, mut rows: Vec<Row>) -> AnyView {
    // A rest of a few rows is shown with the others.
    let rest = if rows.len() > SHOWN + 4 { rows.split_off(SHOWN) } else { Vec::new() };
    let count = rest.len();
    let shown = table(summary, outcome, title, rows);
    let hidden = (count > 0).then(|| {
        view! {
            <details>
                <summary>{format!("{count} more rows")}</summary>
                {table(summary, outcome, "More of the summary", rest)}
            </details>
        }
    });
    view! {
        {shown}
        {hidden}
    }
    .into_any()
}

fn table(summary: &ResultSummary, outcome: Outcome, title: &'static str, rows: Vec<Row>) -> impl IntoView {
    let first = if title == "Summary" { "Cell" } else { title };
    let body = rows
        .into_iter()
        .map(|Row { name, read, write, mix, .. }| {
            let figures = match mix {
                Some(mix) => cell(summary, outcome, Some(&mix), true),
                None => view! {
                    {cell(summary, outcome, read.as_ref(), false)}
                    {cell(summary, outcome, write.as_ref(), false)}
                }
                .into_any(),
            };
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    {figures}
                </tr>
            }
        })
        .collect_view();
    let head = view! {
        <th scope="col">{first}</th>
        <th scope="col" class="number">
            "Read"
        </th>
        <th scope="col" class="number">
            "Write"
        </th>
    };
    scroll_table(title, "headline", head, body)
}

/// Why the other direction of a row was not measured. A document holds no plan, so only a complete one tells
/// what its suite had.
fn unmeasured(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "not part of the suite",
        Outcome::Interrupted => "not measured: the run was stopped",
        Outcome::Failed => "not measured: the run failed",
    }
}

/// The data of the figures, where it is not random, and that cells may be missing, where a run ended early.
fn warnings(document: &ResultDocument) -> AnyView {
    let mut texts: Vec<&'static str> = Vec::new();
    for cell in &document.cells {
        if let Some(text) = data_warning(cell.method.data)
            && !texts.contains(&text)
        {
            texts.push(text);
        }
    }
    match document.outcome {
        Outcome::Complete => {}
        Outcome::Interrupted | Outcome::Failed => {
            texts
                .push("The run ended early: cells of the suite that it did not reach are not in this table.");
        }
    }
    texts.into_iter().map(|text| view! { <p class="care">{text}</p> }).collect_view().into_any()
}

fn rows(document: &ResultDocument) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for cell in &document.cells {
        let method = &cell.method;
        let particulars = method.particulars();
        let share = method.read_percent.map_or_else(String::new, |percent| format!(", {percent} % read"));
        let name = format!("{}{share}{particulars}", method.short_label());
        let index = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            let plain = particulars.is_empty() && share.is_empty();
            rows.push(Row { name, plain, read: None, write: None, mix: None });
            rows.len() - 1
        });
        let row = &mut rows[index];
        let side = match (method.pattern.reads(), method.pattern.writes()) {
            (true, true) => &mut row.mix,
            (true, false) => &mut row.read,
            (false, _) => &mut row.write,
        };
        side.get_or_insert_with(|| cell.method.clone());
    }
    rows
}

/// One figure; a mix of reads and writes has one for both columns.
fn cell(summary: &ResultSummary, outcome: Outcome, method: Option<&Method>, both: bool) -> AnyView {
    let columns = both.then_some("2");
    let Some(method) = method else {
        return view! { <td class="number absent" colspan=columns>{unmeasured(outcome)}</td> }.into_any();
    };
    let label = method.label();
    let lead = lead_kind(method);
    let other = if lead == MetricKind::Iops { MetricKind::BytesPerS } else { MetricKind::Iops };
    let found = metric(summary, &label, lead);
    let Some(stats) = found.and_then(MetricSummary::counted) else {
        let measured = found.and_then(|m| m.stats).map(
            |stats| view! { <small>"measured, not counted: " {lead.unit().format(stats.median)}</small> },
        );
        // A cell that was begun and has no whole loop was not measured either.
        let word = match found {
            Some(one) if one.status == CellStatus::Partial => unmeasured(outcome),
            _ => absence(found.map(|m| m.status)),
        };
        return view! {
            <td class="number absent" colspan=columns>
                {word} {measured}
            </td>
        }
        .into_any();
    };
    let same = metric(summary, &label, other)
        .and_then(MetricSummary::counted)
        .map(|stats| view! { <small>{other.unit().format(stats.median)}</small> });
    let mean_of_best = found
        .and_then(|metric| metric.mean_of_best)
        .map(|mean| view! { <small>"mean of the runs' best " {lead.unit().format(mean)}</small> });
    let remark = method.data.remark().map(|remark| view! { <small>{remark}</small> });
    let loops = counted(stats.count as usize, "loop", "loops");
    let spread = spread(stats, lead);
    let range = if spread.is_empty() { loops } else { format!("{loops}, {spread}") };
    view! {
        <td class="number" colspan=columns>
            <strong>{lead.unit().format(stats.median)}</strong>
            {remark}
            {same}
            <small>"best " {lead.unit().format(stats.best(lead))}</small>
            {mean_of_best}
            <small>{range}</small>
        </td>
    }
    .into_any()
}
