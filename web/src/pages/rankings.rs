//! Drives ranked by one metric, and the list of metrics that there are rankings of.

use crate::{
    pages::{MAX_COMPARED, PageContext, RankingData, RankingFilterView, home::hidden_lang, list::range},
    parts::{column_heads, scroll_table},
    shell::{Head, Place, document},
    texts::{self, Measures, Rankings, Texts},
    words::lead_kind,
};
use leptos::prelude::*;
use model::{
    document::EngineClass,
    drive::Transport,
    metric::{MetricId, MetricKind},
    ranking::{Configuration, RankedMetric, Ranking, RankingGroup, RankingRow},
    units::{format_capacity, format_size},
};

/// The path of a ranking.
pub(super) fn address(metric: &MetricId) -> String {
    format!("/rankings/{metric}")
}

/// The list of rankings.
#[must_use]
pub fn rankings(ctx: &PageContext, metrics: Vec<RankedMetric>) -> String {
    let Texts { rankings: texts, .. } = texts::of(ctx.lang);
    let head = Head {
        title: texts.title,
        description: texts.description,
        image: None,
        canonical: Some("/rankings"),
    };
    document(ctx, &head, Place::Rankings, move || {
        let list = if metrics.is_empty() {
            view! { <p class="empty">{texts.nothing_yet}</p> }.into_any()
        } else {
            list(ctx, metrics)
        };
        view! {
            <h1>{texts.title}</h1>
            <p class="lead">{texts.lead}</p>
            {list}
        }
    })
}

/// One row for each cell, in the order of a review: large blocks first, deep queues first, reads before writes.
fn list(ctx: &PageContext, metrics: Vec<RankedMetric>) -> AnyView {
    let Texts { rankings: texts, measures, .. } = texts::of(ctx.lang);
    let mut cells: Vec<Vec<RankedMetric>> = Vec::new();
    for metric in metrics {
        match cells.iter_mut().find(|cell| cell[0].metric.cell == metric.metric.cell) {
            Some(cell) => cell.push(metric),
            None => cells.push(vec![metric]),
        }
    }
    cells.sort_by_key(|cell| {
        use std::cmp::Reverse;
        let method = cell[0].method.method();
        let plain = method.particulars().len();
        let size = (Reverse(method.pattern.sequential()), plain, Reverse(method.block_bytes));
        (size, Reverse(method.in_flight()), method.pattern, cell[0].metric.cell.clone())
    });
    let [test, by, drives, results] = texts.columns;
    let head = column_heads([(test, false), (by, false), (drives, true), (results, true)]);
    let rows = cells
        .into_iter()
        .map(|mut cell| {
            let method = cell[0].method.method().clone();
            let lead = lead_kind(&method);
            cell.sort_by_key(|entry| (entry.metric.kind != lead, entry.metric.kind));
            let most = |of: fn(&RankedMetric) -> u64| cell.iter().map(of).max().unwrap_or(0).to_string();
            let (of_drives, of_results) = (most(|entry| entry.drives), most(|entry| entry.results));
            view! {
                <tr>
                    <th scope="row">{method.label()}</th>
                    <td>{links(ctx, measures, cell.iter().map(|entry| &entry.metric))}</td>
                    <td class="number" data-title=drives>
                        {of_drives}
                    </td>
                    <td class="number" data-title=results>
                        {of_results}
                    </td>
                </tr>
            }
        })
        .collect_view();
    scroll_table(texts.title, "cards", head, rows)
}

/// Rankings by their metrics' names.
pub(super) fn links<'a>(
    ctx: &PageContext,
    measures: &Measures,
    metrics: impl Iterator<Item = &'a MetricId>,
) -> AnyView {
    let items = metrics
        .map(|metric| {
            view! {
                <li>
                    <a href=ctx.href(&address(metric))>{(measures.metric)(metric.kind)}</a>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="ways">{items}</ul> }.into_any()
}

/// A ranking.
#[must_use]
pub fn ranking(ctx: &PageContext, data: RankingData) -> String {
    let Texts { rankings: texts, measures, .. } = texts::of(ctx.lang);
    let kind = data.ranking.metric.kind;
    let test = if data.ranking.label.is_empty() {
        data.ranking.metric.cell.clone()
    } else {
        data.ranking.label.clone()
    };
    let title = (texts.of)(&test, (measures.metric)(kind));
    let rows = drives_in(data.ranking.groups.iter().flat_map(|group| &group.rows));
    let description = (texts.about)(&title, &(measures.drives)(rows));
    let path = address(&data.ranking.metric);
    let limited = data.filter != RankingFilterView::default();
    let head = Head {
        title: &title,
        description: &description,
        image: None,
        canonical: (!limited && rows > 0).then_some(path.as_str()),
    };
    let heading = title.clone();
    document(ctx, &head, Place::Rankings, move || {
        let RankingData { ranking, of_cell, filter } = data;
        let Ranking { metric, groups, higher_is_better, cut, .. } = ranking;
        let direction = if higher_is_better { measures.higher_is_better } else { measures.lower_is_better };
        let others = (of_cell.len() > 1).then(|| {
            let mut others: Vec<&MetricId> = of_cell.iter().filter(|other| **other != metric).collect();
            others.sort_by_key(|other| other.kind);
            view! {
                <nav aria-label=texts.other_metrics>
                    <p class="note">{texts.other_metrics}</p>
                    {links(ctx, measures, others.into_iter())}
                </nav>
            }
        });
        let several = groups.len() > 1;
        let body = if groups.is_empty() {
            let text = if limited { texts.other_filter } else { texts.no_drive };
            view! { <p class="empty">{text}</p> }.into_any()
        } else {
            groups
                .into_iter()
                .enumerate()
                .map(|(index, group)| group_view(ctx, metric.kind, index, group))
                .collect_view()
                .into_any()
        };
        view! {
            <p class="kicker">{texts.kicker}</p>
            <h1>{heading}</h1>
            <p class="lead">{direction}</p>
            <p>{texts.rule}</p>
            {filter_form(ctx, texts, measures, &metric, &filter)}
            {cut.then(|| view! { <p class="care">{texts.cut}</p> })}
            {several.then(|| view! { <p class="care">{texts.groups_note}</p> })}
            {body}
            {others}
            <p>
                <a href=ctx.href("/rankings")>{texts.all}</a>
            </p>
        }
    })
}

/// How many drives there are in these rows: one may stand in several configurations.
fn drives_in<'a>(rows: impl Iterator<Item = &'a RankingRow>) -> u64 {
    rows.map(|row| &row.configuration.drive_slug).collect::<std::collections::BTreeSet<_>>().len() as u64
}

fn filter_form(
    ctx: &PageContext,
    texts: &'static Rankings,
    measures: &Measures,
    metric: &MetricId,
    filter: &RankingFilterView,
) -> AnyView {
    let RankingFilterView { interface, from, to } = filter.clone();
    let options = Transport::ALL
        .map(|transport| {
            let chosen = interface == transport.token();
            view! {
                <option value=transport.token() selected=chosen>
                    {(measures.transport)(transport)}
                </option>
            }
        })
        .collect_view();
    view! {
        <form class="search" action=address(metric) method="get" aria-label=texts.filter>
            <label for="interface">{texts.interface}</label>
            <select id="interface" name="interface">
                <option value="">{texts.any}</option>
                {options}
            </select>
            <label for="from">{texts.capacity_from}</label>
            <input id="from" name="from" type="text" class="short" maxlength="20" value=from placeholder="500 GB" />
            <label for="to">{texts.capacity_to}</label>
            <input id="to" name="to" type="text" class="short" maxlength="20" value=to placeholder="2 TB" />
            {hidden_lang(ctx)}
            <button type="submit">{texts.apply}</button>
        </form>
    }
    .into_any()
}

fn group_view(ctx: &PageContext, kind: MetricKind, index: usize, group: RankingGroup) -> AnyView {
    let Texts { rankings: texts, measures, .. } = texts::of(ctx.lang);
    let RankingGroup { method, engine, rows, hosts } = group;
    let id = format!("group-{}", index + 1);
    let heading_id = format!("{id}-heading");
    let [rank, drive, median, spread, results] = texts.row_columns;
    let head = column_heads([(rank, true), (drive, false), (median, true), (spread, true), (results, true)]);
    let many_hosts = hosts.len() > 1;
    let heading = format!("{} · {}", method.method().label(), (measures.drives)(drives_in(rows.iter())));
    let rows = rows.into_iter().map(|row| row_view(ctx, kind, row, many_hosts)).collect_view();
    let engine = match engine {
        EngineClass::Uring | EngineClass::Simulated => None,
        EngineClass::Polled => Some(texts.polled),
        EngineClass::Threads => Some(texts.threads),
    };
    let host = match &hosts[..] {
        [only] => {
            Some(view! { <p class="note" dir="auto">{format!("{}: {only}", texts.host)}</p> }.into_any())
        }
        [] => None,
        several => Some(view! { <p class="care">{(texts.hosts)(several.len())}</p> }.into_any()),
    };
    view! {
        <section id=id aria-labelledby=heading_id>
            <h2 id=format!("group-{}-heading", index + 1)>{heading}</h2>
            <p>
                {(measures.describe)(method.method())} " " {texts.measured_by} ": "
                <a href=ctx.href(&super::methods::address(&method))>
                    <code class="digits">{method.to_string()}</code>
                </a>
            </p>
            {(measures.data_warning)(method.method().data).map(|text| view! { <p class="care">{text}</p> })}
            {engine.map(|text| view! { <p class="care">{text}</p> })}
            {host}
            {scroll_table(method.method().label(), "cards ranking", head, rows)}
        </section>
    }
    .into_any()
}

fn row_view(ctx: &PageContext, kind: MetricKind, row: RankingRow, many_hosts: bool) -> AnyView {
    let Texts { rankings: texts, measures, .. } = texts::of(ctx.lang);
    let RankingRow { rank, shared, configuration, figures, hosts, results } = row;
    let [rank_title, _, median, spread, of_results] = texts.row_columns;
    let spread_text = match figures.spread() {
        Some(_) => range(measures, kind, figures.least_loop, figures.greatest_loop),
        None => texts.spread_unknown.to_owned(),
    };
    let known = figures.spread().is_some();
    // One result has a page; several are set side by side, as many as a comparison takes.
    let ids: Vec<String> = results.iter().take(MAX_COMPARED).map(ToString::to_string).collect();
    let link = match &ids[..] {
        [only] => format!("/results/{only}"),
        several => format!("/compare?r={}", several.join(",")),
    };
    let count = (measures.results)(figures.results.into());
    let name = configuration.drive.clone();
    let page = ctx.href(&super::drives::address(&configuration.drive_slug));
    let hosts = many_hosts
        .then(|| view! { <small dir="auto">{format!("{}: {}", texts.host, hosts.join(" / "))}</small> });
    view! {
        <tr>
            <td class="number rank" data-title=rank_title>
                <span>
                    {rank.to_string()}
                    {shared
                        .then(|| {
                            view! {
                                <span aria-hidden="true">"="</span>
                                <span class="visually-hidden">" " {texts.shared}</span>
                            }
                        })}
                </span>
            </td>
            <th scope="row">
                <a href=page dir="auto">
                    {name}
                </a>
                <small dir="auto">{words(measures, &configuration)}</small>
                {hosts}
            </th>
            <td class="number" data-title=median>
                <strong>{kind.unit().format(figures.median)}</strong>
            </td>
            <td class=if known { "number" } else { "number absent" } data-title=spread>
                {spread_text}
            </td>
            <td class="number" data-title=of_results>
                <a href=ctx.href(&link)>{count}</a>
                <small>{(measures.keys)(figures.keys.into())}</small>
            </td>
        </tr>
    }
    .into_any()
}

/// Everything that makes the configuration, in one line.
fn words(measures: &Measures, configuration: &Configuration) -> String {
    let Configuration {
        capacity_bytes,
        firmware,
        transport,
        file_system,
        file_system_block_bytes,
        slot,
        cooling,
        fill,
        ..
    } = configuration;
    let told = |text: &Option<String>, name: fn(&str) -> String| text.as_deref().map(name);
    let parts = [
        capacity_bytes.map(format_capacity),
        Some((measures.transport)(*transport).to_owned()),
        told(firmware, measures.firmware),
        Some(file_system.clone().unwrap_or_else(|| measures.whole_device.to_owned())),
        // Nearly every file system has blocks of 4 KiB: only others are worth a word.
        file_system_block_bytes
            .filter(|bytes| *bytes != 4096)
            .map(|bytes| (measures.allocation_unit)(&format_size(bytes))),
        told(slot, measures.slot),
        told(cooling, measures.cooling),
        told(fill, measures.fill),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
