//! The list of results, what the site is in two sentences, and how to add a result to it.

use crate::{
    islands::{Column, Key, ResultRow, ResultsTable},
    pages::{HomeData, ListQueryView, PageContext},
    shell::{Head, Place, document},
    words::{conditions, details, figure, marks},
};
use leptos::prelude::*;
use model::{
    document::Origin,
    metric::MetricKind,
    summary::ResultSummary,
    units::{format_utc, grouped},
};

/// The key figures of the list: label of the cell, kind, heading, and the cell as metric ids write it.
const FIGURES: [(&str, MetricKind, &str, &str); 4] = [
    ("SEQ1M Q8T1 read", MetricKind::BytesPerS, "Sequential read", "seq-read.1MiB.q8.t1"),
    ("SEQ1M Q8T1 write", MetricKind::BytesPerS, "Sequential write", "seq-write.1MiB.q8.t1"),
    ("RND4K Q1T1 read", MetricKind::Iops, "Random read", "rand-read.4KiB.q1.t1"),
    ("RND4K Q1T1 write", MetricKind::Iops, "Random write", "rand-write.4KiB.q1.t1"),
];

/// The home page.
#[must_use]
pub fn home(ctx: &PageContext, data: HomeData) -> String {
    let searching = !data.query.q.is_empty() || !data.query.suite.is_empty();
    let title = if searching { "Search" } else { "" };
    let head = Head {
        title,
        description: "SSD measurements with every loop, their evidence and a signature. Compare drives and see whether a difference is larger than the spread.",
        image: None,
        canonical: (!searching && ctx.path == "/").then_some("/"),
    };
    let server = ctx.public_url.trim_end_matches('/').to_owned();
    document(ctx, &head, Place::Results, move || {
        let list = list(data);
        view! {
            <section class="hero">
                <h1>"Drives, measured with their evidence"</h1>
                <p class="lead">
                    "Every result here is signed and holds every loop, the latency of every I/O and the evidence that the drive did the work, or says what could not be shown. Choose some and see where they differ, and whether the difference is larger than the spread between loops."
                </p>
            </section>
            {list}
            <section id="measure" aria-labelledby="measure-heading">
                <h2 id="measure-heading">"Measure your own drive"</h2>
                <p>"Three commands on Linux, without root. The test file is removed on every way out."</p>
                <pre tabindex="0">
                    <code>
                        {format!(
                            "cliffmark run /mnt/drive --suite cdm --out drive.cliffmark\ncliffmark show drive.cliffmark\ncliffmark upload drive.cliffmark --server {server}\n",
                        )}
                    </code>
                </pre>
            </section>
        }
    })
}

fn list(data: HomeData) -> AnyView {
    let HomeData { results, query, next, total } = data;
    let searching = !query.q.is_empty() || !query.suite.is_empty();
    let heading = if searching { "Results found" } else { "Latest results" };
    let search = search_form(&query);
    let count = match total {
        1 => "1 result".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "a count for readers")]
        n => format!("{} results", grouped(n as f64, 0)),
    };
    let body = if results.is_empty() {
        empty(searching).into_any()
    } else {
        let rows: Vec<ResultRow> = results.iter().map(row).collect();
        view! {
            <p class="note">{count}</p>
            <ResultsTable columns=columns(&query) rows=rows complete=next.is_none() />
        }
        .into_any()
    };
    view! {
        <section id="results" aria-labelledby="results-heading">
            <h2 id="results-heading">{heading}</h2>
            {search}
            {body}
            {next
                .map(|href| {
                    view! {
                        <p class="pager">
                            <a href=href rel="next">
                                "More results"
                            </a>
                        </p>
                    }
                })}
        </section>
    }
    .into_any()
}

/// The field that searches the list of results.
pub(super) fn search_form(query: &ListQueryView) -> AnyView {
    let ListQueryView { q, sort, suite } = query.clone();
    let hidden = |name: &'static str, value: String| {
        (!value.is_empty()).then(|| view! { <input type="hidden" name=name value=value /> })
    };
    view! {
        <form class="search" action="/" method="get" role="search">
            <label for="q">"Search"</label>
            <input id="q" name="q" type="search" maxlength="200" value=q placeholder="Drive, suite or label" />
            {hidden("sort", sort)}
            {hidden("suite", suite)}
            <button type="submit">"Search"</button>
        </form>
    }
    .into_any()
}

fn empty(searching: bool) -> AnyView {
    if searching {
        view! {
            <p class="empty">
                "No result has all of these words. Try fewer of them, or "<a href="/">"see all results"</a>"."
            </p>
        }
        .into_any()
    } else {
        view! {
            <p class="empty">
                "No result has been published here yet. "<a href="#measure">"Measure a drive"</a>
                " and upload the first one."
            </p>
        }
        .into_any()
    }
}

fn columns(query: &ListQueryView) -> Vec<Column> {
    let sorted_by = |sort: &str| {
        let mut href = "/?".to_owned();
        for (name, value) in [("q", query.q.as_str()), ("suite", query.suite.as_str())] {
            if !value.is_empty() {
                href.push_str(&format!("{name}={}&", percent_encoded(value)));
            }
        }
        href + "sort=" + sort + "#results"
    };
    let column = |title: &str, note: &str, href, key| Column {
        title: title.to_owned(),
        note: note.to_owned(),
        href,
        key,
    };
    let mut columns = vec![
        column("Drive", "", Some(sorted_by("drive")), Key::Drive),
        column("Suite", "", None, Key::Suite),
    ];
    columns.extend(FIGURES.into_iter().enumerate().map(|(index, (label, kind, title, cell))| {
        let note = label.rsplit_once(' ').map_or(label, |(short, _)| short);
        column(title, note, Some(sorted_by(&format!("{cell}/{}", kind.token()))), Key::Figure(index))
    }));
    columns.push(column("Measured", "", Some(sorted_by("newest")), Key::Date));
    columns
}

fn row(summary: &ResultSummary) -> ResultRow {
    let head = &summary.head;
    ResultRow {
        id: head.id.to_string(),
        drive: head.drive.clone(),
        details: details(head),
        conditions: conditions(head),
        marks: marks(summary).into_iter().filter(|mark| mark.care).map(|mark| mark.word).collect(),
        suite: head.suite.clone(),
        figures: FIGURES.iter().map(|(label, kind, ..)| figure(summary, label, *kind)).collect(),
        date: format_utc(head.started_unix_ms),
        started_unix_ms: head.started_unix_ms,
        simulated: head.origin == Origin::Simulated,
    }
}

/// A text as it may stand in the value of a query.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded_in_addresses() {
        let query = ListQueryView { q: "a&b=\"<é".to_owned(), ..ListQueryView::default() };
        let href = columns(&query).remove(0).href.unwrap();
        assert_eq!(href, "/?q=a%26b%3D%22%3C%C3%A9&sort=drive#results");
    }
}
