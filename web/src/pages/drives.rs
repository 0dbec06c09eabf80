//! The catalogue of drives, and the page of one: its results and how far they lie apart.

use crate::{
    pages::{
        DriveData, DrivesData, MAX_COMPARED, PageContext,
        home::{hidden, hidden_lang},
        list::{self, percent_encoded, range},
    },
    parts::{column_heads, scroll_table},
    shell::{Head, Place, document},
    texts::{self, Drives, Texts},
    words::lead_kind,
};
use leptos::prelude::*;
use model::{
    catalogue::{DriveEntry, DriveMetric, Figures, MakeEntry},
    document::{Origin, Visibility},
    metric::MetricKind,
    summary::ResultHead,
    units::{format_capacity, format_utc},
};

/// The path of a drive's page.
pub(super) fn address(slug: &str) -> String {
    format!("/drives/{slug}")
}

/// From a listed result on to its drive and to its key; nothing for others, which have no part in either.
pub(super) fn ways_on(ctx: &PageContext, head: &ResultHead) -> AnyView {
    let Texts { drives: texts, .. } = texts::of(ctx.lang);
    (head.visibility == Visibility::Public)
        .then(|| {
            view! {
                <ul class="ways">
                    <li>
                        <a href=ctx.href(&address(&head.drive_slug))>{texts.all_of_drive}</a>
                    </li>
                    <li>
                        <a href=ctx.href(&super::keys::address(head.key))>{texts.all_of_key}</a>
                    </li>
                </ul>
            }
        })
        .into_any()
}

/// A drive's name with its capacity, which many names end with already.
pub(super) fn full_name(name: &str, capacity_bytes: Option<u64>) -> String {
    let plain = |text: &str| text.replace(' ', "").to_lowercase();
    match capacity_bytes.map(format_capacity) {
        Some(capacity) if !plain(name).ends_with(&plain(&capacity)) => format!("{name}, {capacity}"),
        _ => name.to_owned(),
    }
}

/// The catalogue.
#[must_use]
pub fn drives(ctx: &PageContext, data: DrivesData) -> String {
    let Texts { drives: texts, measures, .. } = texts::of(ctx.lang);
    let whole = data.q.is_empty() && data.make.is_none();
    let head = Head {
        title: texts.title,
        description: texts.description,
        image: None,
        canonical: (whole && ctx.path == "/drives").then_some("/drives"),
    };
    document(ctx, &head, Place::Drives, move || {
        let DrivesData { drives, makes, q, make, next, total } = data;
        let (measured, simulated): (Vec<_>, Vec<_>) =
            drives.into_iter().partition(|entry| entry.origin == Origin::Measured);
        let nothing = measured.is_empty() && simulated.is_empty();
        let measured = (!measured.is_empty()).then(|| {
            view! {
                <section id="measured" aria-labelledby="measured-heading">
                    <h2 id="measured-heading">{texts.measured}</h2>
                    {table(ctx, texts.measured, measured)}
                </section>
            }
        });
        let simulated = (!simulated.is_empty()).then(|| {
            view! {
                <section id="simulated" aria-labelledby="simulated-heading">
                    <h2 id="simulated-heading">{texts.simulated}</h2>
                    <p class="care">{texts.simulated_note}</p>
                    {table(ctx, texts.simulated, simulated)}
                </section>
            }
        });
        let [before, link, behind] = texts.nothing_found;
        let empty = nothing.then(|| {
            if whole {
                view! { <p class="empty">{texts.nothing_yet}</p> }.into_any()
            } else {
                view! { <p class="empty">{before}<a href=ctx.href("/drives")>{link}</a>{behind}</p> }
                    .into_any()
            }
        });
        view! {
            <h1>{texts.title}</h1>
            <p class="lead">{texts.lead}</p>
            <form class="search" action="/drives" method="get" role="search">
                <label for="q">{texts.search}</label>
                <input id="q" name="q" type="search" maxlength="200" value=q placeholder=texts.placeholder />
                {make.as_ref().map(|make| hidden("make", make.clone()))}
                {hidden_lang(ctx)}
                <button type="submit">{texts.search}</button>
            </form>
            {(makes.len() > 1).then(|| choice(ctx, makes, make.as_deref()))}
            {(!nothing).then(|| view! { <p class="note">{(measures.drives)(total)}</p> })}
            {empty}
            {measured}
            {simulated}
            {list::pager(next, texts.more)}
        }
    })
}

/// The makes as links; the one that the list is limited to is marked.
fn choice(ctx: &PageContext, makes: Vec<MakeEntry>, chosen: Option<&str>) -> AnyView {
    let Texts { drives: texts, .. } = texts::of(ctx.lang);
    let entry = |text: String, href: String, current: bool| {
        view! {
            <li>
                <a href=ctx.href(&href) aria-current=current.then_some("true")>
                    {text}
                </a>
            </li>
        }
    };
    let makes = makes
        .into_iter()
        .map(|MakeEntry { make, drives }| {
            // The word of the address for drives whose name tells no make.
            let value = make.clone().unwrap_or_else(|| "other".to_owned());
            let name = make.unwrap_or_else(|| texts.other_makes.to_owned());
            let current = chosen == Some(value.as_str());
            entry(format!("{name} ({drives})"), format!("/drives?make={}", percent_encoded(&value)), current)
        })
        .collect_view();
    view! {
        <nav class="contents" aria-label=texts.makes>
            <ul>{entry(texts.all_makes.to_owned(), "/drives".to_owned(), chosen.is_none())} {makes}</ul>
        </nav>
    }
    .into_any()
}

fn table(ctx: &PageContext, label: &'static str, drives: Vec<DriveEntry>) -> AnyView {
    let Texts { drives: texts, .. } = texts::of(ctx.lang);
    let [drive, capacity, results, keys, newest] = texts.columns;
    let head =
        column_heads([(drive, false), (capacity, false), (results, true), (keys, true), (newest, false)]);
    let rows = drives
        .into_iter()
        .map(|entry| {
            view! {
                <tr>
                    <th scope="row">
                        <a href=ctx.href(&address(&entry.slug)) dir="auto">
                            {entry.name.clone()}
                        </a>
                        <small>{entry.make.clone()}</small>
                    </th>
                    <td data-title=capacity>{entry.capacity_bytes.map(format_capacity)}</td>
                    <td class="number" data-title=results>
                        {entry.results.to_string()}
                    </td>
                    <td class="number" data-title=keys>
                        {entry.keys.to_string()}
                    </td>
                    <td data-title=newest>{format_utc(entry.newest_unix_ms)}</td>
                </tr>
            }
        })
        .collect_view();
    scroll_table(label, "cards", head, rows)
}

/// The page of a drive.
#[must_use]
pub fn drive(ctx: &PageContext, data: DriveData) -> String {
    let Texts { drives: texts, measures, .. } = texts::of(ctx.lang);
    let entry = data.entry.clone();
    let title = full_name(&entry.name, entry.capacity_bytes);
    let summary = (texts.summary)(&(measures.results)(entry.results), &(measures.keys)(entry.keys));
    let description = (texts.about)(&title, &summary);
    let path = address(&entry.slug);
    let head = Head {
        title: &title,
        description: &description,
        image: data.image.as_deref(),
        canonical: (!ctx.path.contains("cursor=")).then_some(path.as_str()),
    };
    let heading = title.clone();
    document(ctx, &head, Place::Drives, move || {
        let DriveData { entry, counterpart, metrics, cut, results, next, image: _ } = data;
        let simulated = entry.origin == Origin::Simulated;
        let byline: Vec<String> = [entry.make.clone(), Some(summary)].into_iter().flatten().collect();
        let counterpart = counterpart.map(|other| {
            let text = if simulated { texts.to_measured } else { texts.to_simulated };
            view! {
                <p>
                    <a href=ctx.href(&address(&other.slug))>{text}</a>
                </p>
            }
        });
        let newest: Vec<String> =
            results.iter().take(MAX_COMPARED).map(|summary| summary.head.id.to_string()).collect();
        let unnamed = !results.iter().any(|summary| summary.head.drive_reported);
        let compare = (newest.len() > 1).then(|| {
            view! {
                <p>
                    <a href=ctx.href(&format!("/compare?r={}", newest.join(",")))>{texts.compare_newest}</a>
                </p>
            }
        });
        view! {
            <article>
                <header class="opening">
                    <p class="kicker">{if simulated { texts.simulated_kicker } else { texts.kicker }}</p>
                    <h1 dir="auto">{heading}</h1>
                    <p class="byline">{byline.join(" · ")}</p>
                </header>
                {simulated.then(|| view! { <p class="care">{texts.care}</p> })}
                {(unnamed && !simulated).then(|| view! { <p class="care">{texts.unnamed}</p> })}
                {counterpart}
                <section id="figures" aria-labelledby="figures-heading">
                    <h2 id="figures-heading">{texts.figures}</h2>
                    {figures(ctx, texts, &metrics, cut, simulated)}
                </section>
                {parted(ctx, &metrics)}
                <section id="results" aria-labelledby="results-heading">
                    <h2 id="results-heading">{texts.results}</h2>
                    {compare}
                    {list::table(ctx, &results, None, next.is_none())}
                    {list::pager(next, texts::of(ctx.lang).home.more)}
                </section>
            </article>
        }
    })
}

/// The figure that a reader looks for first in a cell of this method.
fn leads(metric: &DriveMetric) -> bool {
    metric.metric.kind == lead_kind(metric.method.method())
}

fn figures(
    ctx: &PageContext,
    texts: &'static Drives,
    metrics: &[DriveMetric],
    cut: bool,
    simulated: bool,
) -> AnyView {
    if metrics.is_empty() {
        return view! { <p class="empty">{texts.no_figures}</p> }.into_any();
    }
    let single = metrics.iter().all(|metric| metric.figures.results == 1);
    let (first, others): (Vec<&DriveMetric>, Vec<&DriveMetric>) =
        metrics.iter().partition(|metric| leads(metric));
    let others = (!others.is_empty()).then(|| {
        view! {
            <details>
                <summary>{texts.other_metrics}</summary>
                {figure_table(ctx, texts.other_metrics, &others, true)}
            </details>
        }
    });
    let rank = (!simulated).then(|| {
        view! {
            <p>
                <a href=ctx.href("/rankings")>{texts.rank}</a>
            </p>
        }
    });
    view! {
        <p>{if single { texts.single_note } else { texts.figures_note }}</p>
        {cut.then(|| view! { <p class="care">{texts.cut}</p> })}
        {figure_table(ctx, texts.figures, &first, false)}
        {others}
        {rank}
    }
    .into_any()
}

/// Rows of metrics; `named` says whether each row names its kind.
fn figure_table(ctx: &PageContext, label: &'static str, metrics: &[&DriveMetric], named: bool) -> AnyView {
    let Texts { drives: texts, measures, .. } = texts::of(ctx.lang);
    let [test, median, between, loops, results] = texts.figure_columns;
    let head = column_heads([(test, false), (median, true), (between, true), (loops, true), (results, true)]);
    let rows = metrics
        .iter()
        .map(|metric| {
            let kind = metric.metric.kind;
            let Figures {
                results: count,
                keys,
                median: value,
                min,
                max,
                least_loop,
                greatest_loop,
                loops: all,
            } = metric.figures;
            let name = if named {
                format!("{}{}{}", metric.label, measures.comma, (measures.metric)(kind))
            } else {
                metric.label.clone()
            };
            let remark = (measures.data_remark)(metric.method.method().data);
            let apart = if count > 1 { range(measures, kind, min, max) } else { texts.one_result.to_owned() };
            let of_loops = if all > 1 {
                range(measures, kind, least_loop, greatest_loop)
            } else {
                texts.one_loop.to_owned()
            };
            let absent = |known: bool| if known { "number" } else { "number absent" };
            view! {
                <tr>
                    <th scope="row">
                        <a href=ctx.href(&super::methods::address(&metric.method))>{name}</a>
                        {remark.map(|text| view! { <small>{text}</small> })}
                    </th>
                    <td class="number" data-title=median>
                        <strong>{kind.unit().format(value)}</strong>
                    </td>
                    <td class=absent(count > 1) data-title=between>
                        {apart}
                    </td>
                    <td class=absent(all > 1) data-title=loops>
                        {of_loops}
                    </td>
                    <td class="number" data-title=results>
                        {(measures.results)(count.into())}
                        <small>{(measures.keys)(keys.into())}</small>
                    </td>
                </tr>
            }
        })
        .collect_view();
    scroll_table(label, "cards", head, rows)
}

/// The same by reviewer and by firmware, where there are several.
fn parted(ctx: &PageContext, metrics: &[DriveMetric]) -> AnyView {
    let Texts { drives: texts, .. } = texts::of(ctx.lang);
    let by_key: Vec<_> = metrics
        .iter()
        .filter(|metric| leads(metric) && metric.by_key.len() > 1)
        .flat_map(|metric| {
            metric.by_key.iter().map(move |of| {
                let link = (of.key.short(), Some(ctx.href(&super::keys::address(of.key))));
                (metric, link, of.figures)
            })
        })
        .collect();
    let by_firmware: Vec<_> = metrics
        .iter()
        .filter(|metric| leads(metric) && metric.by_firmware.len() > 1)
        .flat_map(|metric| {
            metric.by_firmware.iter().map(move |of| {
                let name = of.firmware.clone().unwrap_or_else(|| texts.firmware_unknown.to_owned());
                (metric, (name, None), of.figures)
            })
        })
        .collect();
    let reviewers = (!by_key.is_empty()).then(|| {
        view! {
            <section id="reviewers" aria-labelledby="reviewers-heading">
                <h2 id="reviewers-heading">{texts.by_reviewer}</h2>
                <p>{texts.by_note}</p>
                {parted_table(ctx, texts.by_reviewer, texts.reviewer, by_key)}
            </section>
        }
    });
    let firmware = (!by_firmware.is_empty()).then(|| {
        view! {
            <section id="firmware" aria-labelledby="firmware-heading">
                <h2 id="firmware-heading">{texts.by_firmware}</h2>
                {parted_table(ctx, texts.by_firmware, texts.firmware, by_firmware)}
            </section>
        }
    });
    view! {
        {reviewers}
        {firmware}
    }
    .into_any()
}

/// A name and where it leads.
type Named = (String, Option<String>);

fn parted_table(
    ctx: &PageContext,
    label: &'static str,
    whose: &'static str,
    rows: Vec<(&DriveMetric, Named, Figures)>,
) -> AnyView {
    let Texts { drives: texts, measures, .. } = texts::of(ctx.lang);
    let [test, median, between, _, results] = texts.figure_columns;
    let head =
        column_heads([(test, false), (whose, false), (median, true), (between, true), (results, true)]);
    let rows = rows
        .into_iter()
        .map(|(metric, (name, href), figures)| {
            let kind: MetricKind = metric.metric.kind;
            let several = figures.results > 1;
            let apart = if several {
                range(measures, kind, figures.min, figures.max)
            } else {
                texts.one_result.to_owned()
            };
            let name = match href {
                Some(href) => view! { <a href=href>{name}</a> }.into_any(),
                None => view! { <span dir="auto">{name}</span> }.into_any(),
            };
            view! {
                <tr>
                    <th scope="row">{metric.label.clone()}</th>
                    <td data-title=whose>{name}</td>
                    <td class="number" data-title=median>
                        <strong>{kind.unit().format(figures.median)}</strong>
                    </td>
                    <td class=if several { "number" } else { "number absent" } data-title=between>
                        {apart}
                    </td>
                    <td class="number" data-title=results>
                        {figures.results.to_string()}
                    </td>
                </tr>
            }
        })
        .collect_view();
    scroll_table(label, "cards", head, rows)
}
