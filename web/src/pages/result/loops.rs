//! Every loop of every cell, the discarded ones included.

use crate::{
    parts::scroll_table,
    words::{absence, counted},
};
use analysis::{
    proof::device_share,
    summary::{loop_details, loop_value},
};
use leptos::prelude::*;
use model::{
    Method, ResultDocument,
    document::{Cell, CellError, CellErrorKind, CellStatus, Loop},
    metric::MetricKind,
    units::format_percent,
};

/// The section with one table per cell, folded.
pub(super) fn section(document: &ResultDocument) -> AnyView {
    let runs = document.runs;
    let cells = document.cells.iter().map(|cell| cell_view(cell, runs)).collect_view();
    view! {
        <section id="loops" aria-labelledby="loops-heading">
            <h2 id="loops-heading">"Every loop"</h2>
            <p>
                "Nothing is left out: a lone maximum hides what the loops before and after it did. Discarded loops are warm-ups of the method; no figure contains them."
            </p>
            {cells}
        </section>
    }
    .into_any()
}

fn cell_view(cell: &Cell, runs: u32) -> AnyView {
    let label = cell.method.label();
    let run = if runs > 1 { format!(", run {}", cell.run + 1) } else { String::new() };
    let discarded = cell.loops.iter().filter(|one| one.discarded).count();
    let mut count = counted(cell.loops.len() - discarded, "loop", "loops");
    if discarded > 0 {
        count.push_str(&format!(" and {discarded} discarded"));
    }
    let state = match cell.status {
        CellStatus::Complete => String::new(),
        CellStatus::Partial => " · partial: stopped before its last loop".to_owned(),
        CellStatus::Void => " · void: measured, not counted".to_owned(),
        CellStatus::Failed => " · failed".to_owned(),
    };
    let drive = cell.failed_member.map_or_else(String::new, |drive| format!("On drive {}. ", drive + 1));
    let error = cell.error.map(|error| view! { <p class="care">{drive}{error_text(error)}</p> });
    let table = if cell.loops.is_empty() {
        view! { <p class="empty">"No loop was finished: " {absence(Some(cell.status))}</p> }.into_any()
    } else {
        table(&label, &cell.method, &cell.loops).into_any()
    };
    view! {
        <details class="loops">
            <summary>
                <strong>{label}</strong>
                {format!("{run}: {count}{state}")}
            </summary>
            {error}
            {table}
        </details>
    }
    .into_any()
}

fn table(label: &str, method: &Method, loops: &[Loop]) -> AnyView {
    let rows = loops.iter().enumerate().map(|(index, one)| row(index + 1, method, one)).collect_view();
    let head = view! {
        <th scope="col">"Loop"</th>
        {MetricKind::ALL
            .map(|kind| view! { <th scope="col" class="number">{kind.text()}</th> })}
        <th scope="col" class="number">
            "Counted by the device"
        </th>
    };
    scroll_table(format!("Loops of {label}"), "plain", head, rows)
}

fn row(number: usize, method: &Method, one: &Loop) -> AnyView {
    let name = if one.discarded { format!("{number}, discarded") } else { number.to_string() };
    let figures = MetricKind::ALL.map(|kind| {
        let text = loop_value(method, one, kind).map_or_else(|| "none".to_owned(), |v| kind.unit().format(v));
        view! { <td class="number">{text}</td> }
    });
    let device = device_share(method, one)
        .map_or_else(|| "not read".to_owned(), |share| format!("{} of the bytes", format_percent(share)));
    let class = if one.discarded { "discarded" } else { "" };
    view! {
        <tr class=class>
            <th scope="row">{name} {details(method, one)}</th>
            {figures}
            <td class="number">{device}</td>
        </tr>
    }
    .into_any()
}

/// What a loop was made of and what ended it, below its number.
fn details(method: &Method, one: &Loop) -> impl IntoView + use<> {
    loop_details(method, one).into_iter().map(|line| view! { <small>{line}</small> }).collect_view()
}

/// What stopped a cell, in one sentence.
fn error_text(error: CellError) -> String {
    let what = match error.kind {
        CellErrorKind::Io => "The kernel returned an error for an I/O",
        CellErrorKind::Short => {
            "An I/O completed with fewer bytes than asked: the device is gone or the file was cut"
        }
        CellErrorKind::NoSpace => "No space was left",
        CellErrorKind::Stalled => "No I/O completed for too long",
        CellErrorKind::Setup => "The engine could not be set up",
    };
    let number = error.errno.map_or_else(String::new, |errno| format!(", error number {errno}"));
    let place = error.offset.map_or_else(String::new, |offset| format!(", at byte {offset} of the span"));
    format!("{what}{number}{place}.")
}
