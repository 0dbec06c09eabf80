//! The list of results as a table inside a form: tick some, compare them.
//!
//! Without scripts, and where the list has more pages, the headers of columns that the server can sort by
//! are links; else columns sort in place. With scripts the button says how many are chosen.

use super::scripts_run;
use leptos::{html, prelude::*};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Fewest and most results of a comparison.
const CHOICE: std::ops::RangeInclusive<u32> = 2..=8;

/// One result of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Its id, 64 digits.
    pub id: String,
    /// The drive's name.
    pub drive: String,
    /// Capacity, attachment and file system in one text.
    pub details: String,
    /// What the reviewer says of cooling and slot; empty for nothing.
    pub conditions: String,
    /// What must be said beside the name: simulated, partial, void cells.
    pub marks: Vec<String>,
    /// The suite.
    pub suite: String,
    /// Its key figures, in the order of the columns.
    pub figures: Vec<Figure>,
    /// Day and time it was measured, UTC.
    pub date: String,
    /// The same in milliseconds since 1970 UTC, to sort by.
    pub started_unix_ms: u64,
    /// Simulated results are listed behind measured ones when a figure is sorted by.
    pub simulated: bool,
}

/// A figure of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The figure with its unit, or why there is none: `void`, `failed`, `no result`.
    pub text: String,
    /// The value to sort by; `None` when no figure counts.
    pub value: Option<f64>,
    /// What must be said beside it, `zero data`; empty for figures of random data. Others are listed behind
    /// those when the figure is sorted by.
    pub remark: String,
}

/// A column that rows can be sorted by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// A second line, the method's short name; empty for none.
    pub note: String,
    /// Where the server sorts by it; `None` when it cannot.
    pub href: Option<String>,
    /// What it holds.
    pub key: Key,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// The drive's name.
    Drive,
    /// The suite.
    Suite,
    /// The figure of this index.
    Figure(usize),
    /// The date.
    Date,
}

/// How rows are sorted: by which column and in which direction.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Order {
    key: Key,
    descending: bool,
}

impl Order {
    /// Sorting by `key` after `before`: figures and dates begin with the greatest, names with A, and the
    /// same column again turns round.
    fn next(before: Option<Self>, key: Key) -> Self {
        let first = matches!(key, Key::Figure(_) | Key::Date);
        let descending = before.filter(|order| order.key == key).map_or(first, |order| !order.descending);
        Self { key, descending }
    }

    fn compare(self, a: &ResultRow, b: &ResultRow) -> Ordering {
        let turn = |ordering: Ordering| if self.descending { ordering.reverse() } else { ordering };
        match self.key {
            Key::Drive => turn(a.drive.cmp(&b.drive)),
            Key::Suite => turn(a.suite.cmp(&b.suite)),
            Key::Date => turn(a.started_unix_ms.cmp(&b.started_unix_ms)),
            Key::Figure(index) => {
                let figure = |row: &ResultRow| {
                    let figure = row.figures.get(index)?;
                    Some((figure.value?, (row.simulated, !figure.remark.is_empty())))
                };
                match (figure(a), figure(b)) {
                    (Some((x, class)), Some((y, other))) => {
                        class.cmp(&other).then_with(|| turn(x.total_cmp(&y)))
                    }
                    (x, y) => x.is_none().cmp(&y.is_none()),
                }
            }
        }
    }
}

/// The table of results with its form.
#[cfg_attr(not(all(feature = "open", target_arch = "wasm32")), island)]
#[cfg_attr(all(feature = "open", target_arch = "wasm32"), component)]
pub fn ResultsTable(
    /// The columns after the tick.
    columns: Vec<Column>,
    /// The rows in the server's order.
    rows: Vec<ResultRow>,
    /// Whether these are all results that match; else the server sorts, since it knows the others too.
    complete: bool,
) -> impl IntoView {
    let ready = scripts_run();
    let sorts_here = move || ready.get() && complete;
    let (order, set_order) = signal(None::<Order>);
    let (chosen, set_chosen) = signal(0_u32);
    let form = NodeRef::<html::Form>::new();
    let count = move || {
        let ticked = form.get_untracked().and_then(|form| form.query_selector_all("input:checked").ok());
        set_chosen.set(ticked.map_or(0, |list| list.length()));
    };
    // Ticks set before the scripts ran, or brought back by the browser, count too.
    Effect::new(move |_| count());

    let titles: Vec<String> = columns
        .iter()
        .filter(|column| matches!(column.key, Key::Figure(_)))
        .map(|column| column.title.clone())
        .collect();
    let sorted = move || {
        let mut rows = rows.clone();
        if let Some(order) = order.get() {
            rows.sort_by(|a, b| order.compare(a, b));
        }
        rows
    };
    let status = move || match (ready.get(), chosen.get()) {
        (false, _) => "Tick two to eight results to compare them.".to_owned(),
        (true, n) if n > *CHOICE.end() => format!("{n} chosen; at most 8 can be compared."),
        (true, n) => format!("{n} of 8 chosen."),
    };

    view! {
        <form action="/compare" method="get" autocomplete="off" node_ref=form on:change=move |_| count()>
            <div class="scroll" role="region" aria-label="Results" tabindex="0">
                <table class="results">
                    <thead>
                        <tr>
                            <th scope="col">
                                <span class="visually-hidden">"Choose"</span>
                            </th>
                            {columns
                                .into_iter()
                                .map(|column| header(column, sorts_here, order, set_order))
                                .collect_view()}
                        </tr>
                    </thead>
                    <tbody>
                        <For
                            each=sorted
                            key=|row| row.id.clone()
                            children=move |row| row_view(row, &titles)
                        />
                    </tbody>
                </table>
            </div>
            <p class="actions">
                <button
                    type="submit"
                    class="primary"
                    prop:disabled=move || ready.get() && !CHOICE.contains(&chosen.get())
                >
                    "Compare"
                </button>
                <span role="status">{status}</span>
            </p>
        </form>
    }
}

fn header(
    column: Column,
    sorts_here: impl Fn() -> bool + Copy + Send + 'static,
    order: ReadSignal<Option<Order>>,
    set_order: WriteSignal<Option<Order>>,
) -> impl IntoView {
    let Column { title, note, href, key } = column;
    let sort = move || match order.get() {
        Some(Order { key: by, descending }) if by == key => {
            Some(if descending { "descending" } else { "ascending" })
        }
        _ => None,
    };
    let class = if matches!(key, Key::Figure(_)) { "number" } else { "" };
    let words = move || {
        view! {
            <span>{title.clone()}</span>
            {(!note.is_empty()).then(|| view! { <small>{note.clone()}</small> })}
        }
    };
    let control = move || match (sorts_here(), href.clone()) {
        (true, _) => {
            let click = move |_| set_order.update(|order| *order = Some(Order::next(*order, key)));
            view! {
                <button type="button" class="sort" on:click=click>
                    {words()}
                </button>
            }
            .into_any()
        }
        (false, Some(href)) => view! {
            <a class="sort" href=href>
                {words()}
            </a>
        }
        .into_any(),
        (false, None) => view! { <span class="sort">{words()}</span> }.into_any(),
    };
    view! {
        <th scope="col" class=class aria-sort=sort>
            {control}
        </th>
    }
}

/// A row; `titles` are the headings of its figures, which stand beside them where the table is drawn as cards.
fn row_view(row: ResultRow, titles: &[String]) -> impl IntoView + use<> {
    let conditions = if row.conditions.is_empty() { String::new() } else { format!(", {}", row.conditions) };
    let label = format!("Compare {}{conditions}, suite {}, of {}", row.drive, row.suite, row.date);
    let href = format!("/results/{}", row.id);
    view! {
        <tr>
            <td>
                <input type="checkbox" name="r" value=row.id aria-label=label />
            </td>
            <th scope="row">
                <a href=href dir="auto">
                    {row.drive}
                </a>
                {row
                    .marks
                    .into_iter()
                    .map(|mark| {
                        view! {
                            " "
                            <span class="badge">{mark}</span>
                        }
                    })
                    .collect_view()}
                <small dir="auto">{row.details}</small>
                {(!row.conditions.is_empty()).then(|| view! { <small dir="auto">{row.conditions}</small> })}
            </th>
            <td class="suite">{row.suite}</td>
            {row
                .figures
                .into_iter()
                .zip(titles.iter().cloned())
                .map(|(figure, title)| {
                    let class = if figure.value.is_some() { "number" } else { "number absent" };
                    let remark =
                        (!figure.remark.is_empty()).then(|| view! { <small>{figure.remark}</small> });
                    view! {
                        <td class=class data-title=title>
                            {figure.text}
                            {remark}
                        </td>
                    }
                })
                .collect_view()}
            <td class="date">{row.date}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, value: Option<f64>, simulated: bool) -> ResultRow {
        ResultRow {
            id: id.to_owned(),
            drive: id.to_owned(),
            details: String::new(),
            conditions: String::new(),
            marks: Vec::new(),
            suite: "cdm".to_owned(),
            figures: vec![Figure { text: String::new(), value, remark: String::new() }],
            date: String::new(),
            started_unix_ms: 0,
            simulated,
        }
    }

    fn sorted(order: Order) -> Vec<String> {
        let mut zero = row("zero data", Some(5e9), false);
        zero.figures[0].remark = "zero data".to_owned();
        let mut rows = [
            zero,
            row("missing", None, false),
            row("simulated", Some(9e9), true),
            row("slow", Some(1.0), false),
            row("fast", Some(2.0), false),
        ];
        rows.sort_by(|a, b| order.compare(a, b));
        rows.map(|row| row.id).to_vec()
    }

    #[test]
    fn simulated_other_and_missing_figures_never_lead() {
        let first = Order::next(None, Key::Figure(0));
        assert!(first.descending);
        assert_eq!(sorted(first), ["fast", "slow", "zero data", "simulated", "missing"]);
        assert_eq!(
            sorted(Order::next(Some(first), Key::Figure(0))),
            ["slow", "fast", "zero data", "simulated", "missing"]
        );
    }

    #[test]
    fn names_begin_with_a_and_dates_with_the_newest() {
        assert!(!Order::next(None, Key::Drive).descending);
        assert!(Order::next(None, Key::Date).descending);
        let drive = Some(Order { key: Key::Drive, descending: true });
        assert!(Order::next(drive, Key::Date).descending);
    }
}
