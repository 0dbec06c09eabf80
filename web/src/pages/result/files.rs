//! Copies and loading: how long each set of files took by both clocks, and where its speed fell.

use crate::{parts::scroll_table, words::absence};
use analysis::copied::{Row, explained, is_told, rows};
use leptos::prelude::*;
use model::{
    ResultDocument,
    document::CellStatus,
    files::FileClass,
    units::{Nanos, format_capacity, format_count, format_nanos, format_rate},
};

/// The heading of the section.
pub(super) const TITLE: &str = "Copies and loading";

/// Whether there is something to show.
pub(super) fn any(document: &ResultDocument) -> bool {
    document.passes.iter().any(is_told)
}

/// The section; nothing for a result without passes on files.
pub(super) fn section(document: &ResultDocument) -> AnyView {
    if !any(document) {
        return ().into_any();
    }
    let rows = rows(document);
    let body = rows.iter().map(row).collect_view();
    let classes = rows.iter().map(classes).collect_view();
    let head = view! {
        <th scope="col">"Files"</th>
        {["Number", "Bytes", "Time", "Durable", "Mean speed", "Speed fell"]
            .map(|name| view! { <th scope="col" class="number">{name}</th> })}
    };
    view! {
        <section id="files" aria-labelledby="files-heading">
            <h2 id="files-heading">{TITLE}</h2>
            {scroll_table(TITLE, "plain", head, body)}
            <p class="note">{explained(document).join(" ")}</p>
            {classes}
        </section>
    }
    .into_any()
}

fn row(row: &Row<'_>) -> AnyView {
    let pass = row.pass;
    let name = row.name.clone();
    let files =
        pass.method.files().map_or_else(|| "model".to_owned(), |files| format_count(files.into(), "file"));
    let moved = [files, format_capacity(row.bytes())];
    let moved = moved.map(|text| view! { <td class="number">{text}</td> });
    if !row.counts() {
        return view! {
            <tr>
                <th scope="row">{name}</th>
                {moved}
                <td class="number absent" colspan="4">
                    {absence(Some(pass.status))}
                </td>
            </tr>
        }
        .into_any();
    }
    let partial = (pass.status == CellStatus::Partial).then_some(" (cut short)");
    let settled = row.settled().unwrap_or_else(|| "nothing written".to_owned());
    let rate = row.bytes_per_s.map_or_else(|| "none".to_owned(), format_rate);
    let fell = row.fell().unwrap_or_else(|| "no".to_owned());
    let figures = [row.time(), settled, rate, fell].map(|text| view! { <td class="number">{text}</td> });
    view! {
        <tr>
            <th scope="row">{name} {partial}</th>
            {moved}
            {figures}
        </tr>
    }
    .into_any()
}

/// The files of a pass by their size, folded.
fn classes(row: &Row<'_>) -> AnyView {
    let Some(moved) = row.pass.files.as_ref().filter(|_| row.counts()) else { return ().into_any() };
    let name = row.name.clone();
    let label = format!("Files of {name} by size");
    let rows = moved.classes.iter().map(class).collect_view();
    let head = view! {
        <th scope="col">"Size of file"</th>
        {["Number", "Bytes", "Time together", "Time of one"]
            .map(|name| view! { <th scope="col" class="number">{name}</th> })}
    };
    view! {
        <details class="loops">
            <summary>
                <strong>{name}</strong>
                ": by size of file"
            </summary>
            {scroll_table(label, "plain", head, rows)}
        </details>
    }
    .into_any()
}

fn class(class: &FileClass) -> AnyView {
    let mean = class.time_ns / u64::from(class.files.max(1));
    let texts = [
        format_count(class.files.into(), "file"),
        format_capacity(class.bytes),
        format_nanos(Nanos(class.time_ns)),
        format_nanos(Nanos(mean)),
    ];
    view! {
        <tr>
            <th scope="row">{class.label()}</th>
            {texts.map(|text| view! { <td class="number">{text}</td> })}
        </tr>
    }
    .into_any()
}
