//! The figures of a comparison in words: the key figures at the top and the rows of the large table.

use crate::{
    islands::{CompareRow, Group, SeriesHead, Standing as StandingWords},
    pages::compare::{address, baseline_first, ids, shown_name},
    parts::scroll_table,
    words::{absence, spread},
};
use leptos::prelude::*;
use model::{
    comparison::{Comparison, Entry, Row, Standing, Verdict},
    document::CellStatus,
    metric::MetricKind,
    summary::Stats,
    units::format_change,
};

/// The columns of the large table.
pub(super) fn heads(comparison: &Comparison) -> Vec<SeriesHead> {
    let ids = ids(comparison);
    comparison
        .series
        .iter()
        .enumerate()
        .map(|(index, series)| SeriesHead {
            name: shown_name(series),
            as_baseline: (index > 0).then(|| address(&baseline_first(&ids, index))),
            sortable: index > 0 && comparison.rows.iter().any(|row| has_change(&row.entries[index])),
        })
        .collect()
}

fn has_change(entry: &Entry) -> bool {
    matches!(entry.standing, Standing::Differs { .. } | Standing::Tie { .. } | Standing::SpreadUnknown { .. })
}

/// The rows of the large table, one per metric.
pub(super) fn rows(comparison: &Comparison) -> Vec<CompareRow> {
    comparison.rows.iter().map(|one| row(one, &comparison.verdict)).collect()
}

fn row(row: &Row, verdict: &Verdict) -> CompareRow {
    let kind = row.metric.kind;
    let direction = if kind.higher_is_better() { "more is better" } else { "less is better" };
    CompareRow {
        metric: row.metric.to_string(),
        label: row.label.clone(),
        kind: format!("{}, {direction}", kind.text()),
        group: match kind {
            MetricKind::BytesPerS | MetricKind::Iops => Group::Throughput,
            MetricKind::CpuNsPerIo => Group::Processor,
            _ => Group::Latency,
        },
        entries: row.entries.iter().map(|entry| words(entry, kind, verdict)).collect(),
    }
}

/// One entry in words.
fn words(entry: &Entry, kind: MetricKind, verdict: &Verdict) -> StandingWords {
    let counted = entry.status.is_some_and(CellStatus::counts);
    let stats = entry.stats.as_ref().filter(|_| counted);
    let (words, tone, change) = match entry.standing {
        Standing::Baseline | Standing::Missing => (String::new(), "", None),
        // Of one configuration no run is better: what differs is how steady it is.
        Standing::Differs { change, .. } if may_be_repeats(verdict) => {
            (format!("{} between runs", format_change(change)), "", Some(change))
        }
        Standing::Differs { change, better } => {
            let (word, tone) = if better { ("better", "better") } else { ("worse", "worse") };
            (format!("{}, {word}", format_change(change)), tone, Some(change))
        }
        // A percentage beside it would read as a difference; the spread above tells how far the loops lie.
        Standing::Tie { change } => ("tie".to_owned(), "tie", Some(change)),
        Standing::SpreadUnknown { change } => {
            (format!("{}, spread not known", format_change(change)), "tie", Some(change))
        }
        // Where nothing is comparable it is said once, above.
        Standing::NotComparable if !verdict.allows_percentages() => (String::new(), "", None),
        Standing::NotComparable => ("not comparable".to_owned(), "", None),
    };
    let remark = entry.method.as_ref().and_then(|method| method.method().data.remark());
    let figure = |stats: &Stats| {
        let text = kind.unit().format(stats.figure(kind));
        remark.map_or(text.clone(), |remark| format!("{text}, {remark}"))
    };
    StandingWords {
        median: stats.map_or_else(|| absence(entry.status).to_owned(), figure),
        counts: stats.is_some(),
        spread: stats.map_or_else(String::new, |stats| spread(stats, kind)),
        words,
        tone: tone.to_owned(),
        change,
    }
}

/// Whether no difference between the configurations is known.
fn may_be_repeats(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Repeats => true,
        Verdict::Axis { axis, unknown, .. } => axis.is_empty() && !unknown.is_empty(),
        Verdict::SideBySide { .. } => false,
    }
}

/// Throughput of sequential cells and I/Os per second of random ones, as a plain table.
pub(super) fn key_figures(comparison: &Comparison) -> AnyView {
    let heads = comparison
        .series
        .iter()
        .enumerate()
        .map(|(index, series)| {
            view! {
                <th scope="col" class="number" dir="auto">
                    {shown_name(series)}
                    {(index == 0).then(|| view! { <small>"baseline"</small> })}
                </th>
            }
        })
        .collect_view();
    let rows = comparison
        .rows
        .iter()
        .filter(|row| {
            let sequential = row.metric.cell.starts_with("seq-");
            row.metric.kind == if sequential { MetricKind::BytesPerS } else { MetricKind::Iops }
        })
        .map(|row| {
            let entries = row
                .entries
                .iter()
                .map(|entry| key_cell(entry, row.metric.kind, &comparison.verdict))
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{row.label.clone()}</th>
                    {entries}
                </tr>
            }
        })
        .collect_view();
    let head = view! {
        <th scope="col">"Cell"</th>
        {heads}
    };
    view! {
        <section id="summary" aria-labelledby="summary-heading">
            <h2 id="summary-heading">"Summary"</h2>
            {scroll_table("Summary", "headline", head, rows)}
        </section>
    }
    .into_any()
}

fn key_cell(entry: &Entry, kind: MetricKind, verdict: &Verdict) -> AnyView {
    let StandingWords { median, counts, words, tone, .. } = words(entry, kind, verdict);
    let median = if counts { view! { <strong>{median}</strong> }.into_any() } else { median.into_any() };
    view! {
        <td class=if counts { "number" } else { "number absent" }>
            {median}
            <small class=format!("standing {tone}")>{words}</small>
        </td>
    }
    .into_any()
}
