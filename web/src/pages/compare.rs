//! Up to eight results side by side: what may be concluded, the key figures, charts, every figure.

mod everything;
mod verdict;

use crate::{
    islands::{ComparePicker, CompareTable},
    pages::{CompareData, MAX_COMPARED, PageContext},
    parts::{chart_section, contents},
    shell::{Head, Place, document, from_files},
    words::{conditions, details, marks},
};
use leptos::prelude::*;
use model::{
    comparison::{Comparison, Series},
    document::{Origin, Visibility},
    summary::ResultSummary,
    units::format_utc,
};

/// The page of a comparison; with fewer than two results, the page to choose them.
#[must_use]
pub fn compare(ctx: &PageContext, data: CompareData) -> String {
    let CompareData { comparison, summaries, charts, remarks } = data;
    if comparison.series.len() < 2 {
        return chooser(ctx, comparison, summaries);
    }
    let title = heading(&comparison);
    let description = verdict::sentence(&comparison);
    let image = charts.first().map(|chart| chart.png.clone());
    let path = address(&ids(&comparison));
    // The address of an unlisted result is its secret.
    let public = summaries.iter().all(|summary| summary.head.visibility == Visibility::Public);
    let head = Head {
        title: &title,
        description: &description,
        image: image.as_deref(),
        canonical: public.then_some(path.as_str()),
    };
    let assets = ctx.assets.clone();
    let lang = ctx.lang;
    document(ctx, &head, Place::Compare, move || {
        let of_simulated =
            comparison.series.iter().filter(|one| one.head.origin == Origin::Simulated).count();
        let simulated = match of_simulated {
            0 => None,
            all if all == comparison.series.len() => {
                Some("These results are simulated: models of drives in virtual time, not measurements.")
            }
            1 => Some(
                "One of these results is simulated: a model of a drive in virtual time, not a measurement.",
            ),
            _ => Some(
                "Some of these results are simulated: models of drives in virtual time, not measurements.",
            ),
        };
        let sections = charts
            .iter()
            .map(|chart| (chart.id.to_string(), chart.title.clone()))
            .chain(
                [("figures", "Every figure"), ("configurations", "Configurations")]
                    .map(|(id, title)| (id.to_owned(), title.to_owned())),
            )
            .collect();
        let charts = charts
            .into_iter()
            .enumerate()
            .map(|(index, chart)| chart_section(chart, &assets, index == 0))
            .collect_view();
        let ids = ids(&comparison);
        let standing = if comparison.verdict.allows_percentages() {
            "and how it stands to the baseline. A difference not larger than the spread between loops is a tie."
        } else {
            "and no comparison with the baseline: these results are not comparable, for the reason given above."
        };
        let legend = format!(
            "The median of the loops that count (of greatest latencies the greatest), below it the least and the greatest loop, {standing}"
        );
        view! {
            <article>
                <header class="opening">
                    <p class="kicker">"Comparison"</p>
                    <h1 dir="auto">{heading(&comparison)}</h1>
                    {simulated
                        .map(|sentence| view! { <p class="care">{sentence}</p> })}
                </header>
                {verdict::section(&comparison)}
                {verdict::care_line(&comparison, &remarks)}
                {everything::key_figures(&comparison)}
                {contents(lang, sections)}
                {charts}
                <section id="figures" aria-labelledby="figures-heading">
                    <h2 id="figures-heading">"Every figure"</h2>
                    <p>{legend}</p>
                    <CompareTable series=everything::heads(&comparison) rows=everything::rows(&comparison) />
                    {(!from_files()).then(|| downloads(&ids))}
                </section>
                {verdict::care(&comparison, &remarks)}
                {verdict::configurations(&comparison)}
                {(!from_files()).then(|| change(&comparison, &summaries, ids))}
            </article>
        }
    })
}

fn downloads(ids: &[String]) -> AnyView {
    view! {
        <p class="note">
            <a href=format!("/api/v1/compare.csv?r={}", ids.join(","))>"CSV"</a>
            " · "
            <a href=format!("/api/v1/compare?r={}", ids.join(","))>"JSON"</a>
        </p>
    }
    .into_any()
}

fn change(comparison: &Comparison, summaries: &[ResultSummary], ids: Vec<String>) -> AnyView {
    view! {
        <section id="choose" aria-labelledby="choose-heading">
            <h2 id="choose-heading">"Change the comparison"</h2>
            {chosen_list(comparison, summaries)}
            {picker(ids)}
        </section>
    }
    .into_any()
}

fn chooser(ctx: &PageContext, comparison: Comparison, summaries: Vec<ResultSummary>) -> String {
    let public = summaries.iter().all(|summary| summary.head.visibility == Visibility::Public);
    let head = Head {
        title: "Compare",
        description: "Choose two to eight results and see where they differ.",
        image: None,
        canonical: public.then_some("/compare"),
    };
    document(ctx, &head, Place::Compare, move || {
        let ids = ids(&comparison);
        let chosen = (!ids.is_empty()).then(|| chosen_list(&comparison, &summaries));
        let next = if ids.is_empty() {
            "Choose two to eight results. Search for the first one here, or tick several in the list of results."
        } else {
            "One result is chosen. Add another one to compare it with, or tick several in the list of results."
        };
        view! {
            <h1>"Compare results"</h1>
            <p class="lead">{next}</p>
            {chosen}
            {picker(ids)}
            <p>
                <a href="/#results">"To the list of results"</a>
            </p>
            <h2>"What the comparison tells"</h2>
            <ul>
                <li>
                    "Results that differ in the drive and at most one more thing are compared with percentages; that thing is named."
                </li>
                <li>"Where more differs, the figures stand side by side without percentages."</li>
                <li>"A difference not larger than the spread between loops is called a tie."</li>
            </ul>
        }
    })
}

/// The heading: the first names, and how many more.
fn heading(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.series.iter().map(shown_name).collect();
    match names.as_slice() {
        [first, second] => format!("{first} against {second}"),
        [first, rest @ ..] => format!("{first} against {} others", rest.len()),
        [] => String::new(),
    }
}

/// A series' name as its columns show it: a simulated one says so wherever it stands.
fn shown_name(series: &Series) -> String {
    match series.head.origin {
        Origin::Measured => series.name.clone(),
        Origin::Simulated => format!("{} (simulated)", series.name),
    }
}

fn picker(ids: Vec<String>) -> AnyView {
    if ids.len() < MAX_COMPARED {
        view! { <ComparePicker chosen=ids /> }.into_any()
    } else {
        view! { <p class="note">"Eight results is the most. Remove one to add another."</p> }.into_any()
    }
}

/// The results in order, each with what can be done with it: all of it plain links.
fn chosen_list(comparison: &Comparison, summaries: &[ResultSummary]) -> AnyView {
    let ids = ids(comparison);
    let items = comparison
        .series
        .iter()
        .zip(summaries)
        .enumerate()
        .map(|(index, (series, summary))| {
            let Series { name, head } = series;
            let joined = joined_address(comparison, &ids, index);
            let separate = (!head.joined.is_empty()).then(|| separated_address(&ids, index));
            let without: Vec<String> = without(&ids, index);
            let first = baseline_first(&ids, index);
            let told = conditions(head);
            let told = if told.is_empty() { told } else { format!(" · {told}") };
            let time = format_utc(head.started_unix_ms);
            let line = format!("{}{told} · suite {} · {time}", details(head), head.suite);
            let marks: Vec<String> =
                marks(summary).into_iter().filter(|mark| mark.care).map(|mark| mark.word).collect();
            view! {
                <li>
                    <a href=format!("/results/{}", head.id) dir="auto">
                        {name.clone()}
                    </a>
                    {joined_links(head)}
                    {marks
                        .into_iter()
                        .map(|word| {
                            view! {
                                " "
                                <span class="badge care">{word}</span>
                            }
                        })
                        .collect_view()}
                    <small dir="auto">{line}</small>
                    <span class="links">
                        {if index == 0 {
                            view! { <span>"baseline"</span> }.into_any()
                        } else {
                            view! { <a href=address(&first)>"make baseline"</a> }.into_any()
                        }}
                        {joined
                            .map(|to| {
                                view! {
                                    " · "
                                    <a href=to>"join with the one above"</a>
                                }
                            })}
                        {separate
                            .map(|to| {
                                view! {
                                    " · "
                                    <a href=to>"separate"</a>
                                }
                            })}
                        " · "
                        <a href=address(&without)>
                            "remove"<span class="visually-hidden">{format!(" {name}")}</span>
                        </a>
                    </span>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="chosen">{items}</ol> }.into_any()
}

fn ids(comparison: &Comparison) -> Vec<String> {
    comparison.series.iter().map(|series| series.head.address()).collect()
}

/// A result's name, as a link where there is a page of it.
pub(super) fn result_link(head: &model::summary::ResultHead, name: String) -> AnyView {
    if from_files() {
        return view! { <span dir="auto">{name}</span> }.into_any();
    }
    view! {
        <a href=format!("/results/{}", head.id) dir="auto">
            {name}
        </a>
    }
    .into_any()
}

/// The other results of a joined series, each a link.
pub(super) fn joined_links(head: &model::summary::ResultHead) -> AnyView {
    let link = |(number, id): (usize, &model::ResultId)| {
        let name = format!("part {number}");
        view! {
            " + "
            <a href=format!("/results/{id}")>{name}</a>
        }
    };
    (2..).zip(&head.joined).map(link).collect_view().into_any()
}

/// Where a series and the one above are one; `None` when they are no results of one drive in one configuration.
fn joined_address(comparison: &Comparison, ids: &[String], index: usize) -> Option<String> {
    let above = index.checked_sub(1)?;
    let heads = [&comparison.series[above].head, &comparison.series[index].head];
    if analysis::joined::obstacle(&heads).is_some() {
        return None;
    }
    let mut ids = ids.to_vec();
    let own = ids.remove(index);
    ids[above] = format!("{}~{own}", ids[above]);
    Some(address(&ids))
}

/// Where the results of a series stand beside each other, as far as there may be so many.
fn separated_address(ids: &[String], index: usize) -> String {
    let parts = ids
        .iter()
        .enumerate()
        .flat_map(|(place, id)| if place == index { id.split('~').collect() } else { vec![id.as_str()] });
    address(&parts.map(str::to_owned).take(MAX_COMPARED).collect::<Vec<_>>())
}

fn without(ids: &[String], index: usize) -> Vec<String> {
    ids.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, id)| id.clone()).collect()
}

fn baseline_first(ids: &[String], index: usize) -> Vec<String> {
    std::iter::once(ids[index].clone()).chain(without(ids, index)).collect()
}

/// The address of the comparison of these results.
fn address(ids: &[String]) -> String {
    if ids.is_empty() { "/compare".to_owned() } else { format!("/compare?r={}", ids.join(",")) }
}
