//! Every metric of a comparison as a table: the server shows all rows, scripts filter and sort them.

use super::scripts_run;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What a row's metric is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Group {
    /// Bytes and I/Os per second.
    Throughput,
    /// Latencies.
    Latency,
    /// What the host paid.
    Processor,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesHead {
    /// The series' name.
    pub name: String,
    /// The same comparison with this series as the baseline; `None` for the baseline itself.
    pub as_baseline: Option<String>,
    /// Whether any of its figures has a difference to sort by.
    pub sortable: bool,
}

/// One metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRow {
    /// The metric's id.
    pub metric: String,
    /// The cell, `SEQ1M Q8T1 read`.
    pub label: String,
    /// The kind of figure and which direction is better.
    pub kind: String,
    /// What it is about.
    pub group: Group,
    /// One entry per series.
    pub entries: Vec<Standing>,
}

/// One metric of one series in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The median with its unit, or why there is none.
    pub median: String,
    /// Whether that is a figure.
    pub counts: bool,
    /// Least to greatest loop; empty when there is one value or none.
    pub spread: String,
    /// How it stands to the baseline, in words.
    pub words: String,
    /// Class for its colour: `better`, `worse`, `tie`, or empty.
    pub tone: String,
    /// Relative difference to the baseline to sort by; `None` when none may be given.
    pub change: Option<f64>,
}

/// Sorted by the difference of which series, greatest first or least first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Order {
    series: usize,
    descending: bool,
}

impl Order {
    fn compare(self, a: &CompareRow, b: &CompareRow) -> Ordering {
        let change = |row: &CompareRow| row.entries.get(self.series).and_then(|entry| entry.change);
        match (change(a), change(b)) {
            (Some(x), Some(y)) if self.descending => y.total_cmp(&x),
            (Some(x), Some(y)) => x.total_cmp(&y),
            (x, y) => x.is_none().cmp(&y.is_none()),
        }
    }
}

/// The table of all metrics.
#[cfg_attr(not(all(feature = "open", target_arch = "wasm32")), island)]
#[cfg_attr(all(feature = "open", target_arch = "wasm32"), component)]
pub fn CompareTable(
    /// The series, the baseline first.
    series: Vec<SeriesHead>,
    /// The rows in the order of the cells.
    rows: Vec<CompareRow>,
) -> impl IntoView {
    let ready = scripts_run();
    let sortable = series.iter().any(|head| head.sortable);
    let (shown, set_shown) = signal(None::<Group>);
    let (order, set_order) = signal(None::<Order>);
    let visible = move || {
        let group = shown.get();
        let mut rows: Vec<_> =
            rows.iter().filter(|row| group.is_none_or(|group| row.group == group)).cloned().collect();
        if let Some(order) = order.get() {
            rows.sort_by(|a, b| order.compare(a, b));
        }
        rows
    };
    let filters = [
        (None, "All"),
        (Some(Group::Throughput), "Throughput"),
        (Some(Group::Latency), "Latency"),
        (Some(Group::Processor), "Processor"),
    ];
    view! {
        <div class="filters" role="group" aria-label="Show" class:unready=move || !ready.get()>
            {filters
                .map(|(group, text)| {
                    view! {
                        <button
                            type="button"
                            aria-pressed=move || (shown.get() == group).to_string()
                            on:click=move |_| set_shown.set(group)
                        >
                            {text}
                        </button>
                    }
                })}
            {sortable
                .then(|| {
                    view! {
                        <button
                            type="button"
                            prop:disabled=move || order.get().is_none()
                            on:click=move |_| set_order.set(None)
                        >
                            "Order of the suite"
                        </button>
                    }
                })}
        </div>
        <div class="scroll" role="region" aria-label="Every figure" tabindex="0">
            <table class="compare">
                <thead>
                    <tr>
                        <th scope="col">"Cell"</th>
                        <th scope="col">"Figure"</th>
                        {series
                            .into_iter()
                            .enumerate()
                            .map(|(index, head)| series_header(index, head, ready, order, set_order))
                            .collect_view()}
                    </tr>
                </thead>
                <tbody>
                    <For each=visible key=|row| row.metric.clone() children=row_view />
                </tbody>
            </table>
        </div>
    }
}

fn series_header(
    index: usize,
    head: SeriesHead,
    ready: ReadSignal<bool>,
    order: ReadSignal<Option<Order>>,
    set_order: WriteSignal<Option<Order>>,
) -> impl IntoView {
    let descending = move || order.get().filter(|order| order.series == index).map(|order| order.descending);
    let sort = move || descending().map(|down| if down { "descending" } else { "ascending" });
    let click = move |_| {
        let descending = !descending().unwrap_or(false);
        set_order.set(Some(Order { series: index, descending }));
    };
    view! {
        <th scope="col" class="number" aria-sort=sort>
            <span class="name" dir="auto">
                {head.name}
            </span>
            {match head.as_baseline {
                None => view! { <small>"baseline"</small> }.into_any(),
                Some(href) => {
                    view! {
                        <small>
                            <a href=href>"make baseline"</a>
                        </small>
                        {head
                            .sortable
                            .then(|| {
                                view! {
                                    <button
                                        type="button"
                                        class="sort"
                                        class:unready=move || !ready.get()
                                        on:click=click
                                    >
                                        <span>"Sort by difference"</span>
                                    </button>
                                }
                            })}
                    }
                        .into_any()
                }
            }}
        </th>
    }
}

fn row_view(row: CompareRow) -> impl IntoView {
    view! {
        <tr>
            <th scope="row">{row.label}</th>
            <td class="kind">{row.kind}</td>
            {row
                .entries
                .into_iter()
                .map(|entry| {
                    let (cell, text) = if entry.counts { ("number", "median") } else { ("number absent", "") };
                    view! {
                        <td class=cell>
                            <span class=text>{entry.median}</span>
                            <small>{entry.spread}</small>
                            <small class=format!("standing {}", entry.tone)>{entry.words}</small>
                        </td>
                    }
                })
                .collect_view()}
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_difference_come_last() {
        let row = |metric: &str, change| CompareRow {
            metric: metric.to_owned(),
            label: String::new(),
            kind: String::new(),
            group: Group::Latency,
            entries: vec![Standing {
                median: String::new(),
                counts: true,
                spread: String::new(),
                words: String::new(),
                tone: String::new(),
                change,
            }],
        };
        let mut rows = [row("none", None), row("less", Some(-0.2)), row("more", Some(0.1))];
        rows.sort_by(|a, b| Order { series: 0, descending: true }.compare(a, b));
        assert_eq!(rows.each_ref().map(|row| row.metric.as_str()), ["more", "less", "none"]);
        rows.sort_by(|a, b| Order { series: 0, descending: false }.compare(a, b));
        assert_eq!(rows.each_ref().map(|row| row.metric.as_str()), ["less", "more", "none"]);
    }
}
