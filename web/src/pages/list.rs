//! A list of results as several pages show it: the table with its ticks, and the way to the next page.

use crate::{
    islands::{Column, Figure, Key, ListWords, ResultRow, ResultsTable},
    pages::{ListQueryView, PageContext},
    texts::{self, Measures},
    words::metric,
};
use leptos::prelude::*;
use model::{
    document::{CellStatus, Origin, Outcome},
    labels::LabelKey,
    lang::Lang,
    method::DataKind,
    metric::MetricKind,
    summary::{MetricSummary, ResultHead, ResultSummary},
    units::{format_capacity, format_utc},
};

/// The key figures of the list: label of the cell, kind, and the cell as metric ids write it.
const FIGURES: [(&str, MetricKind, &str); 4] = [
    ("SEQ1M Q8T1 read", MetricKind::BytesPerS, "seq-read.1MiB.q8.t1"),
    ("SEQ1M Q8T1 write", MetricKind::BytesPerS, "seq-write.1MiB.q8.t1"),
    ("RND4K Q1T1 read", MetricKind::Iops, "rand-read.4KiB.q1.t1"),
    ("RND4K Q1T1 write", MetricKind::Iops, "rand-write.4KiB.q1.t1"),
];

/// The table; with a query its headings lead to the list in their order. `complete` says that these are all results.
pub(super) fn table(
    ctx: &PageContext,
    results: &[ResultSummary],
    query: Option<&ListQueryView>,
    complete: bool,
) -> AnyView {
    let texts = &texts::of(ctx.lang).home.table;
    let words = ListWords {
        label: texts.label.to_owned(),
        choose: texts.choose.to_owned(),
        compare: texts.compare.to_owned(),
        hint: texts.hint.to_owned(),
        chosen: texts.chosen.to_owned(),
        too_many: texts.too_many.to_owned(),
        tick: texts.tick.to_owned(),
        lang: if ctx.lang_asked { ctx.lang.token().to_owned() } else { String::new() },
    };
    let rows: Vec<ResultRow> = results.iter().map(|summary| row(ctx.lang, summary)).collect();
    view! { <ResultsTable columns=columns(ctx, query) rows=rows complete=complete words=words /> }.into_any()
}

/// The link to the next page; nothing on the last.
pub(super) fn pager(next: Option<String>, text: &'static str) -> AnyView {
    next.map(|href| {
        view! {
            <p class="pager">
                <a href=href rel="next">
                    {text}
                </a>
            </p>
        }
    })
    .into_any()
}

fn columns(ctx: &PageContext, query: Option<&ListQueryView>) -> Vec<Column> {
    let sorted_by = |sort: &str| {
        let query = query?;
        let mut href = "/?".to_owned();
        for (name, value) in [("q", query.q.as_str()), ("suite", query.suite.as_str())] {
            if !value.is_empty() {
                href.push_str(&format!("{name}={}&", percent_encoded(value)));
            }
        }
        Some(ctx.href(&(href + "sort=" + sort + "#results")))
    };
    let column = |title: &str, note: &str, href, key| Column {
        title: title.to_owned(),
        note: note.to_owned(),
        href,
        key,
    };
    let [drive, suite, figures @ .., measured] = &texts::of(ctx.lang).home.columns;
    let mut columns =
        vec![column(drive, "", sorted_by("drive"), Key::Drive), column(suite, "", None, Key::Suite)];
    columns.extend(FIGURES.into_iter().zip(figures).enumerate().map(
        |(index, ((label, kind, cell), title))| {
            let note = label.rsplit_once(' ').map_or(label, |(short, _)| short);
            column(title, note, sorted_by(&format!("{cell}/{}", kind.token())), Key::Figure(index))
        },
    ));
    columns.push(column(measured, "", sorted_by("newest"), Key::Date));
    columns
}

fn row(lang: Lang, summary: &ResultSummary) -> ResultRow {
    let texts = &texts::of(lang).measures;
    let head = &summary.head;
    ResultRow {
        id: head.id.to_string(),
        drive: head.drive.clone(),
        details: details(texts, head),
        conditions: conditions(texts, head),
        marks: marks(texts, summary),
        suite: head.suite.clone(),
        figures: FIGURES.iter().map(|(label, kind, _)| figure(texts, summary, label, *kind)).collect(),
        date: format_utc(head.started_unix_ms),
        started_unix_ms: head.started_unix_ms,
        simulated: head.origin == Origin::Simulated,
    }
}

/// Capacity, attachment and file system.
fn details(texts: &Measures, head: &ResultHead) -> String {
    let capacity = head.capacity_bytes.map(format_capacity);
    let place = (texts.place)(head);
    let parts = [capacity.as_deref(), Some((texts.transport)(head.transport)), Some(place.as_str())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What the reviewer says of cooling and slot; empty without either.
fn conditions(texts: &Measures, head: &ResultHead) -> String {
    let told = |key, name: fn(&str) -> String| head.labels.get(&key).map(|text| name(text));
    let told = [told(LabelKey::Cooling, texts.cooling), told(LabelKey::Slot, texts.slot)];
    told.into_iter().flatten().collect::<Vec<_>>().join(texts.comma)
}

/// What asks for care beside a result's name.
fn marks(texts: &Measures, summary: &ResultSummary) -> Vec<String> {
    let mut marks = Vec::new();
    let mut mark = |there: bool, word: &str| marks.extend(there.then(|| word.to_owned()));
    mark(summary.head.origin == Origin::Simulated, texts.simulated);
    mark(summary.head.outcome == Outcome::Interrupted, texts.partial);
    mark(summary.head.outcome == Outcome::Failed, texts.failed_run);
    for kind in DataKind::ALL {
        if let Some(remark) = (texts.data_remark)(kind) {
            mark(summary.metrics.iter().any(|metric| metric.method.method().data == kind), remark);
        }
    }
    for (status, words) in [(CellStatus::Void, texts.void_cells), (CellStatus::Failed, texts.failed_cells)] {
        let of_cell = |m: &&MetricSummary| m.kind() == MetricKind::BytesPerS && m.status == status;
        let cells = summary.metrics.iter().filter(of_cell).count();
        mark(cells > 0, &words(cells as u64));
    }
    marks
}

/// The median of a metric as a figure of the list.
fn figure(texts: &Measures, summary: &ResultSummary, label: &str, kind: MetricKind) -> Figure {
    let metric = metric(summary, label, kind);
    match metric.and_then(MetricSummary::counted) {
        Some(stats) => {
            let value = stats.figure(kind);
            let remark = metric.and_then(|metric| (texts.data_remark)(metric.method.method().data));
            Figure {
                text: kind.unit().format(value),
                value: Some(value),
                remark: remark.unwrap_or_default().to_owned(),
            }
        }
        None => {
            let text = (texts.absence)(metric.map(|m| m.status)).to_owned();
            Figure { text, value: None, remark: String::new() }
        }
    }
}

/// A text as it may stand in the value of a query.
pub(super) fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Least and greatest value of a metric, the unit once where it is one: `3,480.1 to 3,530.2 MB/s`.
pub(super) fn range(texts: &Measures, kind: MetricKind, least: f64, greatest: f64) -> String {
    let unit = kind.unit();
    let (least, greatest) = (unit.format(least), unit.format(greatest));
    if least == greatest {
        return greatest;
    }
    match (least.rsplit_once(' '), greatest.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => (texts.range)(number, &greatest),
        _ => (texts.range)(&least, &greatest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::context;

    #[test]
    fn queries_are_encoded_in_addresses() {
        let query = ListQueryView { q: "a&b=\"<é".to_owned(), ..ListQueryView::default() };
        let columns = columns(&context("/"), Some(&query));
        assert_eq!(columns[0].href.as_deref(), Some("/?q=a%26b%3D%22%3C%C3%A9&sort=drive#results"));
    }

    #[test]
    fn a_range_names_its_unit_once_where_it_is_one() {
        let text = |kind, least, greatest| range(&texts::of(Lang::Ja).measures, kind, least, greatest);
        assert_eq!(text(MetricKind::BytesPerS, 1e8, 2e9), "100.0～2,000.0 MB/s");
        assert_eq!(text(MetricKind::LatencyP99Ns, 8e4, 2e6), "80.00 µs～2.00 ms");
        assert_eq!(text(MetricKind::Iops, 5.0, 5.0), "5 IOPS");
    }

    #[test]
    fn columns_cells_and_metrics_are_of_one_test() {
        for (label, _, cell) in FIGURES {
            let id = format!("{cell}.span1GiB.random.1x5s.warm0.gap0s.v1");
            let method: model::MethodId = id.parse().unwrap();
            assert_eq!((method.method().label().as_str(), method.method().cell().as_str()), (label, cell));
        }
    }
}
