//! How a result's figures were measured: what a cell's name leaves out, and the methods by their full names.

use crate::{pages::methods::address, parts::scroll_table};
use analysis::plausibility::some_of;
use leptos::prelude::*;
use model::{
    Method, ResultDocument,
    units::{format_seconds, format_size},
};

/// Conditions, and the cells that were measured under them, in the order of their first cell.
fn conditions(document: &ResultDocument) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for cell in &document.cells {
        let (text, label) = (cell.method.conditions(), cell.method.label());
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => groups.push((text, vec![label])),
        }
    }
    groups
}

/// The conditions in one line for the head of the page; `None` without any cell.
pub(super) fn line(document: &ResultDocument) -> Option<String> {
    let groups = conditions(document);
    if groups.is_empty() {
        // The passes say how each was measured; the first trace stands for what they share.
        let first = document.passes.iter().find(|pass| pass.method.trace().is_some());
        return first.or(document.passes.first()).map(|pass| pass.method.conditions());
    }
    let (first, _) = groups.first()?;
    match groups.len() {
        1 => Some(first.clone()),
        count => Some(format!(
            "{first}, and {} under other conditions",
            crate::words::counted(count - 1, "group of cells", "groups of cells")
        )),
    }
}

/// The section; nothing when no cell was measured.
pub(super) fn section(document: &ResultDocument) -> AnyView {
    let groups = conditions(document);
    if groups.is_empty() {
        return ().into_any();
    }
    let shared = groups.len() == 1;
    let groups = groups
        .into_iter()
        .map(|(text, labels)| {
            let cells = if shared { "Every cell".to_owned() } else { some_of(&labels) };
            view! {
                <li>
                    <strong>{cells}</strong>
                    {format!(": {text}.")}
                </li>
            }
        })
        .collect_view();
    view! {
        <section id="method" aria-labelledby="method-heading">
            <h2 id="method-heading">"Method"</h2>
            <p>
                "What the names of the cells leave out. A suite's name says where it began; these are the parameters that were really used."
            </p>
            <ul>{groups}</ul>
            <details>
                <summary>"Every parameter, cell by cell"</summary>
                {table(document)}
            </details>
        </section>
    }
    .into_any()
}

fn table(document: &ResultDocument) -> AnyView {
    let mut methods: Vec<&Method> = Vec::new();
    for cell in &document.cells {
        if !methods.contains(&&cell.method) {
            methods.push(&cell.method);
        }
    }
    let rows = methods
        .into_iter()
        .map(|method| {
            let id = method.id();
            view! {
                <tr>
                    <th scope="row">{method.label()}</th>
                    <td>{method.data.token()}</td>
                    <td class="number">{format_size(method.span_bytes)}</td>
                    <td class="number">{method.loops}</td>
                    <td class="number">{method.each()}</td>
                    <td class="number">{method.discarded_loops}</td>
                    <td class="number">{format_seconds(method.interval_seconds)}</td>
                    <td>
                        <a href=address(&id)>
                            <code>{id.to_string()}</code>
                        </a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = view! {
        <th scope="col">"Cell"</th>
        <th scope="col">"Data"</th>
        {["Span", "Loops", "Each", "Discarded before", "Pause before"]
            .map(|name| view! { <th scope="col" class="number">{name}</th> })}
        <th scope="col">"Method"</th>
    };
    scroll_table("Parameters of every cell", "plain", head, rows)
}
