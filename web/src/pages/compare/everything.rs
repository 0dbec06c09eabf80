//! The figures of a comparison in words: the key figures at the top and the rows of the large table.

use crate::{
    islands::{CompareRow, Group, SeriesHead, Standing as StandingWords, TableWords},
    pages::compare::{Links, shown_name},
    parts::{scroll_table, standing_words},
    texts::{self, CompareTable, Texts},
    words::{absence, spread},
};
use charts::{Show, View, allows_shares, share};
use leptos::prelude::*;
use model::{
    comparison::{Comparison, Entry, Row, Standing, Verdict},
    document::CellStatus,
    lang::Lang,
    metric::MetricKind,
    summary::Stats,
    units::{Unit, format_change},
};

/// The columns of the large table.
pub(super) fn heads(comparison: &Comparison, links: &Links) -> Vec<SeriesHead> {
    comparison
        .series
        .iter()
        .enumerate()
        .map(|(index, series)| SeriesHead {
            name: shown_name(series),
            as_baseline: (index > 0).then(|| links.with_baseline(index)),
            sortable: index > 0 && comparison.rows.iter().any(|row| has_change(&row.entries[index])),
        })
        .collect()
}

fn has_change(entry: &Entry) -> bool {
    matches!(entry.standing, Standing::Differs { .. } | Standing::Tie { .. } | Standing::SpreadUnknown { .. })
}

/// The words around the large table.
pub(super) fn table_words(lang: Lang) -> TableWords {
    let Texts { compare_page: texts, figure, .. } = texts::of(lang);
    let CompareTable {
        figure: column,
        show,
        all,
        throughput,
        latency,
        processor,
        order,
        sort,
        make_baseline,
    } = &texts.table;
    TableWords {
        title: texts.every_figure.to_owned(),
        cell: texts.cell.to_owned(),
        figure: (*column).to_owned(),
        show: (*show).to_owned(),
        groups: [all, throughput, latency, processor].map(|word| (*word).to_owned()),
        order: (*order).to_owned(),
        sort: (*sort).to_owned(),
        baseline: figure.baseline.to_owned(),
        make_baseline: (*make_baseline).to_owned(),
    }
}

/// The rows of the large table, one per metric.
pub(super) fn rows(lang: Lang, comparison: &Comparison, view: View) -> Vec<CompareRow> {
    let way = Way { lang, relative: is_relative(comparison, view) };
    comparison.rows.iter().map(|one| row(one, &comparison.verdict, way)).collect()
}

/// How the figures are shown.
#[derive(Clone, Copy)]
struct Way {
    lang: Lang,
    relative: bool,
}

/// Whether figures are shown as shares of the baseline.
fn is_relative(comparison: &Comparison, view: View) -> bool {
    view.show == Show::Relative && allows_shares(comparison)
}

fn row(row: &Row, verdict: &Verdict, way: Way) -> CompareRow {
    let kind = row.metric.kind;
    let texts = &texts::of(way.lang).compare_page;
    let told = if kind.higher_is_better() { texts.more_is_better } else { texts.less_is_better };
    CompareRow {
        metric: row.metric.to_string(),
        label: row.label.clone(),
        kind: told(kind.text()),
        group: match kind {
            MetricKind::BytesPerS | MetricKind::Iops => Group::Throughput,
            MetricKind::CpuNsPerIo => Group::Processor,
            _ => Group::Latency,
        },
        entries: row.entries.iter().map(|entry| words(entry, kind, verdict, way)).collect(),
    }
}

/// A figure with what must be said beside it.
fn figure_text(entry: &Entry, stats: &Stats, kind: MetricKind) -> String {
    let text = kind.unit().format(stats.figure(kind));
    let remark = entry.method.as_ref().and_then(|method| method.method().data.remark());
    remark.map_or(text.clone(), |remark| format!("{text}, {remark}"))
}

/// One entry in words.
fn words(entry: &Entry, kind: MetricKind, verdict: &Verdict, way: Way) -> StandingWords {
    let counted = entry.status.is_some_and(CellStatus::counts);
    let stats = entry.stats.as_ref().filter(|_| counted);
    let (words, tone, change) = match entry.standing {
        Standing::Baseline | Standing::Missing => (String::new(), "", None),
        // Of one configuration no run is better: what differs is how steady it is.
        Standing::Differs { change, .. } if may_be_repeats(verdict) => {
            ((texts::of(way.lang).compare_page.between_runs)(&format_change(change)), "", Some(change))
        }
        // A percentage beside a tie would read as a difference; the spread above tells how far the loops lie.
        Standing::Differs { change, .. } | Standing::Tie { change } | Standing::SpreadUnknown { change } => {
            let (words, tone) = standing_words(way.lang, entry.standing);
            (words, tone, Some(change))
        }
        // Where nothing is comparable it is said once, above.
        Standing::NotComparable if !verdict.allows_percentages() => (String::new(), "", None),
        Standing::NotComparable => (standing_words(way.lang, entry.standing).0, "", None),
    };
    let range = stats.map_or_else(String::new, |stats| spread(stats, kind));
    let median =
        stats.map_or_else(|| absence(entry.status).to_owned(), |stats| figure_text(entry, stats, kind));
    // Beside a share the figure itself stays in sight.
    let share = stats.and_then(|_| share(entry.standing)).filter(|_| way.relative);
    let (median, spread) = match share {
        Some(share) if range.is_empty() => (Unit::Share.format(share), median),
        Some(share) => (Unit::Share.format(share), format!("{median}; {range}")),
        None => (median, range),
    };
    StandingWords { median, counts: stats.is_some(), spread, words, tone: tone.to_owned(), change }
}

/// Whether no difference between the configurations is known.
pub(super) fn may_be_repeats(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Repeats => true,
        Verdict::Axis { axis, unknown, .. } => axis.is_empty() && !unknown.is_empty(),
        Verdict::SideBySide { .. } => false,
    }
}

/// Whether a row is one of the key figures.
fn is_key(row: &Row) -> bool {
    let sequential = row.metric.cell.starts_with("seq-");
    row.metric.kind == if sequential { MetricKind::BytesPerS } else { MetricKind::Iops }
}

/// Whether there is any key figure: passes alone have none.
pub(super) fn has_key_figures(comparison: &Comparison) -> bool {
    comparison.rows.iter().any(is_key)
}

/// Throughput of sequential cells and I/Os per second of random ones, as a plain table; nothing without any.
pub(super) fn key_figures(lang: Lang, comparison: &Comparison, view: View) -> AnyView {
    if !has_key_figures(comparison) {
        return ().into_any();
    }
    let texts = &texts::of(lang).compare_page;
    let way = Way { lang, relative: is_relative(comparison, view) };
    let heads = comparison
        .series
        .iter()
        .enumerate()
        .map(|(index, series)| {
            view! {
                <th scope="col" class="number" dir="auto">
                    {shown_name(series)}
                    {(index == 0).then(|| view! { <small>{texts::of(lang).figure.baseline}</small> })}
                </th>
            }
        })
        .collect_view();
    let rows = comparison
        .rows
        .iter()
        .filter(|row| is_key(row))
        .map(|row| {
            let entries = row
                .entries
                .iter()
                .map(|entry| key_cell(entry, row.metric.kind, &comparison.verdict, way))
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
        <th scope="col">{texts.cell}</th>
        {heads}
    };
    view! {
        <section id="summary" aria-labelledby="summary-heading">
            <h2 id="summary-heading">{texts.summary}</h2>
            {scroll_table(texts.summary, "headline", head, rows)}
        </section>
    }
    .into_any()
}

fn key_cell(entry: &Entry, kind: MetricKind, verdict: &Verdict, way: Way) -> AnyView {
    let StandingWords { median, counts, words, tone, .. } = words(entry, kind, verdict, way);
    // A share alone would hide what was measured.
    let itself = entry.stats.filter(|_| way.relative && counts && share(entry.standing).is_some());
    let itself = itself.map(|stats| view! { <small>{figure_text(entry, &stats, kind)}</small> });
    let median = if counts { view! { <strong>{median}</strong> }.into_any() } else { median.into_any() };
    view! {
        <td class=if counts { "number" } else { "number absent" }>
            {median}
            {itself}
            <small class=format!("standing {tone}")>{words}</small>
        </td>
    }
    .into_any()
}
