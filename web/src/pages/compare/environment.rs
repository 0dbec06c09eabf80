//! Where each result was measured, side by side: what differs first, then drive, place, machine and run, and last what
//! only the reviewer says.

use super::{Links, shown_name, verdict};
use crate::{
    pages::result::path_text,
    parts::scroll_table,
    texts::{self, Environment},
    words::place,
};
use leptos::prelude::*;
use model::{
    ResultDocument,
    comparison::{Comparison, Item},
    labels::LabelKey,
    lang::Lang,
    reading::Reading,
    summary::ResultHead,
    units::{format_capacity, format_size, format_utc},
};
use std::sync::Arc;

/// A row: the item of a comparison that it shows, its name, the values.
struct Row {
    item: Option<Item>,
    name: String,
    values: Vec<String>,
}

/// The section.
pub(super) fn section(
    lang: Lang,
    comparison: &Comparison,
    documents: &[Arc<ResultDocument>],
    links: &Links,
) -> AnyView {
    let texts = &texts::of(lang).compare.environment;
    let columns = comparison.series.len() + 1;
    let heads = comparison.series.iter().map(|series| {
        view! {
            <th scope="col">
                <a href=links.page(&format!("/results/{}", series.head.id)) dir="auto">
                    {shown_name(series)}
                </a>
                {super::joined_links(&series.head)}
            </th>
        }
    });
    let head = view! {
        <td></td>
        {heads.collect_view()}
    };
    let differing = verdict::differences(&comparison.verdict);
    let told: Vec<Item> = differing.iter().map(|(difference, _)| difference.item).collect();
    let differing = differing.into_iter().map(|(difference, known)| {
        let name = verdict::capitalised(difference.item.text());
        let name = if known { (texts.differs)(&name) } else { (texts.not_stated_by_all)(&name) };
        let values = difference.values.iter();
        let values = values.map(|value| value.clone().unwrap_or_else(|| texts.not_stated.to_owned()));
        Row { item: None, name, values: values.collect() }
    });
    let differing: Vec<Row> = differing.collect();
    let groups = groups(texts, comparison, documents).into_iter().map(|(title, rows)| {
        // What differs is told above.
        let rows = rows.into_iter().filter(|row| row.item.is_none_or(|item| !told.contains(&item)));
        (title, rows.collect::<Vec<_>>(), false)
    });
    let body = std::iter::once((texts.differing, differing, true))
        .chain(groups)
        .chain([(texts.declared, declared(texts, comparison), false)])
        .filter(|(_, rows, _)| !rows.is_empty())
        .map(|(title, rows, differ)| group_view(title, rows, differ, columns))
        .collect_view();
    view! {
        <section id="environment" aria-labelledby="environment-heading">
            <h2 id="environment-heading">{texts.title}</h2>
            {scroll_table(texts.title, "plain configurations", head, body)}
        </section>
    }
    .into_any()
}

fn group_view(title: &'static str, rows: Vec<Row>, differ: bool, columns: usize) -> AnyView {
    let class = if differ { "differs" } else { "" };
    let rows = rows.into_iter().map(|Row { name, values, .. }| {
        let values = values.into_iter().map(|value| view! { <td dir="auto">{value}</td> });
        view! {
            <tr class=class>
                <th scope="row">{name}</th>
                {values.collect_view()}
            </tr>
        }
    });
    view! {
        <tr class="group">
            <th scope="colgroup" colspan=columns.to_string()>
                {title}
            </th>
        </tr>
        {rows.collect_view()}
    }
    .into_any()
}

/// What documents and heads record.
fn groups(
    texts: &'static Environment,
    comparison: &Comparison,
    documents: &[Arc<ResultDocument>],
) -> Vec<(&'static str, Vec<Row>)> {
    let of_head = |item, name: &str, value: &dyn Fn(&ResultHead) -> String| Row {
        item,
        name: name.to_owned(),
        values: comparison.series.iter().map(|series| value(&series.head)).collect(),
    };
    let of_document = |name: &str, value: &dyn Fn(&ResultDocument) -> String| Row {
        item: None,
        name: name.to_owned(),
        values: documents.iter().map(|document| value(document)).collect(),
    };
    let drive = vec![
        of_document(texts.model, &|document| document.drive.model.text_with(Clone::clone)),
        of_document(texts.capacity, &|document| {
            document.drive.capacity_bytes.text_with(|b| format_capacity(*b))
        }),
        of_document(texts.firmware, &|document| document.drive.firmware.text_with(Clone::clone)),
    ];
    let used = |document: &ResultDocument| {
        let target = &document.target;
        match (target.file_system_used_bytes, target.file_system_bytes) {
            (Some(used), Some(size)) => (texts.used_of)(&format_capacity(used), &format_capacity(size)),
            _ => texts.not_known.to_owned(),
        }
    };
    let place = vec![
        of_head(Some(Item::Attachment), texts.attachment, &|head| head.transport.text().to_owned()),
        of_document(texts.path, &|document| path_text(&document.drive)),
        of_document(texts.slot, &|document| document.drive.slot.text_with(Clone::clone)),
        of_head(Some(Item::FileSystem), texts.file_system, &place),
        of_head(Some(Item::AllocationUnit), texts.allocation_unit, &|head| {
            head.file_system_block_bytes.map_or_else(|| texts.none.to_owned(), format_size)
        }),
        of_document(texts.in_use, &used),
    ];
    let platform = |document: &ResultDocument| {
        let kind = match document.host.virtual_machine {
            Reading::Known(true) => texts.virtual_machine,
            Reading::Known(false) => texts.bare_metal,
            Reading::Absent(_) => texts.platform_unknown,
        };
        format!("{}, {kind}", document.host.architecture)
    };
    let machine = vec![
        of_document(texts.processor, &|document| document.host.cpu_model.text_with(Clone::clone)),
        of_document(texts.memory, &|document| document.host.memory_bytes.text_with(|b| format_capacity(*b))),
        of_document(texts.governor, &|document| document.host.cpu_governor.text_with(Clone::clone)),
        of_document(texts.kernel, &|document| format!("Linux {}", document.host.kernel)),
        of_document(texts.platform, &platform),
    ];
    let run = vec![
        of_head(None, texts.suite, &|head| head.suite.clone()),
        of_head(None, texts.measured, &|head| format_utc(head.started_unix_ms)),
        of_head(Some(Item::Engine), texts.engine, &|head| head.engine.token().to_owned()),
        of_document(texts.program, &|document| {
            format!("{} {}", document.runner.name, document.runner.version)
        }),
        of_head(None, texts.signed_by, &|head| head.key.short()),
    ];
    let rows = [(texts.drive, drive), (texts.place, place), (texts.machine, machine), (texts.run, run)];
    // A comparison of summaries alone has no documents to read from.
    let filled = |row: &Row| row.values.len() == comparison.series.len();
    rows.into_iter().map(|(title, rows)| (title, rows.into_iter().filter(filled).collect())).collect()
}

/// The labels that any result has.
fn declared(texts: &'static Environment, comparison: &Comparison) -> Vec<Row> {
    let row = |key: LabelKey| {
        let values = comparison.series.iter().map(|series| series.head.labels.get(&key).cloned());
        let values: Vec<Option<String>> = values.collect();
        values.iter().any(Option::is_some).then(|| Row {
            item: None,
            name: (texts.label)(key).to_owned(),
            values: values
                .into_iter()
                .map(|value| value.unwrap_or_else(|| texts.not_stated.to_owned()))
                .collect(),
        })
    };
    LabelKey::ALL.into_iter().filter_map(row).collect()
}
