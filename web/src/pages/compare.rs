//! Up to eight results side by side: what may be concluded, the key figures, charts, every figure.

mod environment;
mod everything;
mod found;
mod links;
pub(super) mod switches;
mod verdict;

use links::{Links, address};

use crate::{
    islands::{ComparePicker, CompareTable, PickerWords},
    pages::{
        CompareData, Found, MAX_COMPARED, PageContext,
        chapters::{Chapters, Entry, contents},
    },
    parts::page_markdown,
    shell::{Head, Place, document},
    texts::{self, Texts},
    words::{conditions, details, marks},
};
use charts::View;
use leptos::prelude::*;
use model::{
    comparison::{Comparison, Series},
    document::{Origin, Visibility},
    lang::Lang,
    summary::ResultSummary,
    units::format_utc,
};

/// The page of a comparison; with fewer than two results, the page to choose them.
#[must_use]
pub fn compare(ctx: &PageContext, data: CompareData) -> String {
    let CompareData { comparison, summaries, mut charts, remarks, documents, view, found } = data;
    let links = Links::new(ctx, &comparison, view);
    if comparison.series.len() < 2 {
        return chooser(ctx, &comparison, &summaries, found, &links);
    }
    if everything::may_be_repeats(&comparison.verdict) {
        // Of runs of one configuration none wins or loses.
        charts.iter_mut().for_each(|chart| chart.standings = None);
    }
    let drawn: Vec<_> = charts.iter().map(|chart| chart.id).collect();
    let charts = Chapters::new(charts);
    let title = heading(ctx.lang, &comparison);
    let description = verdict::sentence(&comparison);
    let image = charts.first().map(|chart| chart.png.clone());
    let path = address(&links.ids, View::default());
    // The address of an unlisted result is its secret.
    let public = all_public(&summaries);
    let head = Head {
        title: &title,
        description: &description,
        image: image.as_deref(),
        canonical: public.then_some(path.as_str()),
    };
    let lang = ctx.lang;
    let Texts { compare: beside, compare_page: texts, .. } = texts::of(lang);
    document(ctx, &head, Place::Compare, move || {
        let of_simulated =
            comparison.series.iter().filter(|one| one.head.origin == Origin::Simulated).count();
        let simulated = match of_simulated {
            0 => None,
            all if all == comparison.series.len() => Some(texts.all_simulated),
            1 => Some(texts.one_simulated),
            _ => Some(texts.some_simulated),
        };
        let summary = everything::has_key_figures(&comparison).then(|| Entry::new("summary", texts.summary));
        let figures = (!comparison.rows.is_empty()).then(|| Entry::new("figures", texts.every_figure));
        let sections = summary
            .into_iter()
            .chain(charts.entries(lang))
            .chain(figures)
            .chain([Entry::new("environment", beside.environment.title)]);
        let sections = sections.collect();
        let charts = charts.view(ctx);
        let legend =
            if comparison.verdict.allows_percentages() { texts.legend } else { texts.legend_side_by_side };
        let every_figure = (!comparison.rows.is_empty()).then(|| {
            view! {
                <section id="figures" aria-labelledby="figures-heading">
                    <h2 id="figures-heading">{texts.every_figure}</h2>
                    <p>{legend}</p>
                    <CompareTable
                        series=everything::heads(&comparison, &links)
                        rows=everything::rows(lang, &comparison, view)
                        words=everything::table_words(lang)
                    />
                    <p class="note">
                        <a href=links.data("/api/v1/compare.csv")>"CSV"</a>
                        " · "
                        <a href=links.data("/api/v1/compare")>"JSON"</a>
                    </p>
                </section>
            }
        });
        view! {
            <article>
                <header class="opening">
                    <p class="kicker">{texts.kicker}</p>
                    <h1 dir="auto">{heading(lang, &comparison)}</h1>
                    {simulated
                        .map(|sentence| view! { <p class="care">{sentence}</p> })}
                </header>
                {verdict::section(&comparison)}
                {verdict::care_line(&comparison, &remarks)}
                {switches::section(lang, &comparison, &links, drawn)}
                {page_markdown(lang, &ctx.assets, links.markdown())}
                {contents(lang, sections)}
                {everything::key_figures(lang, &comparison, view)}
                {charts}
                {every_figure}
                {verdict::care(&comparison, &remarks)}
                {environment::section(lang, &comparison, &documents, &links)}
                <section id="choose" aria-labelledby="choose-heading">
                    <h2 id="choose-heading">{texts.change}</h2>
                    {chosen_list(lang, &comparison, &summaries, &links)}
                    {picker(lang, found, &links)}
                </section>
            </article>
        }
    })
}

/// Whether none of the results is one whose address is a secret.
fn all_public(summaries: &[ResultSummary]) -> bool {
    summaries.iter().all(|summary| summary.head.visibility == Visibility::Public)
}

fn chooser(
    ctx: &PageContext,
    comparison: &Comparison,
    summaries: &[ResultSummary],
    found: Option<Found>,
    links: &Links,
) -> String {
    let lang = ctx.lang;
    let Texts { compare_page: texts, .. } = texts::of(lang);
    let head = Head {
        title: texts.title,
        description: texts.description,
        image: None,
        canonical: all_public(summaries).then_some("/compare"),
    };
    document(ctx, &head, Place::Compare, move || {
        let chosen = (!links.ids.is_empty()).then(|| chosen_list(lang, comparison, summaries, links));
        let next = if links.ids.is_empty() { texts.choose_first } else { texts.choose_second };
        let told = texts.told.map(|sentence| view! { <li>{sentence}</li> });
        view! {
            <h1>{texts.heading}</h1>
            <p class="lead">{next}</p>
            {chosen}
            <div id="choose">{picker(lang, found, links)}</div>
            <p>
                <a href=links.page("/#results")>{texts.to_list}</a>
            </p>
            <h2>{texts.tells}</h2>
            <ul>{told}</ul>
        }
    })
}

/// The heading: the first names, and how many more.
fn heading(lang: Lang, comparison: &Comparison) -> String {
    let texts = &texts::of(lang).compare_page;
    let names: Vec<String> = comparison.series.iter().map(shown_name).collect();
    match names.as_slice() {
        [first, second] => (texts.against)(first, second),
        [first, rest @ ..] => (texts.against_others)(first, rest.len()),
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

/// The search for a result to compare this one with.
pub(super) fn compare_with(ctx: &PageContext, id: String) -> AnyView {
    let links = Links::of_one(ctx, id);
    let words = picker_words(ctx.lang);
    view! { <ComparePicker chosen=links.ids.clone() address=links.adding() searched=String::new() words=words /> }
        .into_any()
}

fn picker_words(lang: Lang) -> PickerWords {
    let texts = &texts::of(lang).compare.find;
    PickerWords {
        label: texts.label.to_owned(),
        placeholder: texts.placeholder.to_owned(),
        button: texts.button.to_owned(),
        suggestions: texts.suggestions.to_owned(),
        nothing: texts.nothing_else.to_owned(),
        no_answer: texts.no_answer.to_owned(),
    }
}

/// The search for a result to add, and what it found.
fn picker(lang: Lang, found: Option<Found>, links: &Links) -> AnyView {
    if links.ids.len() >= MAX_COMPARED {
        return view! { <p class="note">{texts::of(lang).compare.find.full}</p> }.into_any();
    }
    let words = picker_words(lang);
    let searched = found.as_ref().map_or_else(String::new, |found| found.q.clone());
    view! {
        <ComparePicker chosen=links.ids.clone() address=links.adding() searched=searched words=words />
        {found::list(lang, found, links)}
    }
    .into_any()
}

/// The results in order, each with what can be done with it: all of it plain links.
fn chosen_list(lang: Lang, comparison: &Comparison, summaries: &[ResultSummary], links: &Links) -> AnyView {
    let Texts { compare_page: texts, figure, .. } = texts::of(lang);
    let items = comparison
        .series
        .iter()
        .zip(summaries)
        .enumerate()
        .map(|(index, (series, summary))| {
            let Series { name, head } = series;
            let joined = joined_address(comparison, links, index);
            let separate = (!head.joined.is_empty()).then(|| separated_address(links, index));
            let without = links.without(index);
            let first = links.with_baseline(index);
            let told = conditions(head);
            let told = if told.is_empty() { told } else { format!(" · {told}") };
            let time = format_utc(head.started_unix_ms);
            let line = (texts.line)(&details(head), &told, &head.suite, &time);
            let marks: Vec<String> =
                marks(summary).into_iter().filter(|mark| mark.care).map(|mark| mark.word).collect();
            view! {
                <li>
                    <a href=links.page(&format!("/results/{}", head.id)) dir="auto">
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
                            view! { <span>{figure.baseline}</span> }.into_any()
                        } else {
                            view! { <a href=first>{texts.table.make_baseline}</a> }.into_any()
                        }}
                        {joined
                            .map(|to| {
                                view! {
                                    " · "
                                    <a href=to>{texts.join}</a>
                                }
                            })}
                        {separate
                            .map(|to| {
                                view! {
                                    " · "
                                    <a href=to>{texts.separate}</a>
                                }
                            })}
                        " · "
                        <a href=without>
                            {texts.remove}<span class="visually-hidden">{format!(" {name}")}</span>
                        </a>
                    </span>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="chosen">{items}</ol> }.into_any()
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
fn joined_address(comparison: &Comparison, links: &Links, index: usize) -> Option<String> {
    let above = index.checked_sub(1)?;
    let heads = [&comparison.series[above].head, &comparison.series[index].head];
    if analysis::joined::obstacle(&heads).is_some() {
        return None;
    }
    let mut ids = links.ids.clone();
    let own = ids.remove(index);
    ids[above] = format!("{}~{own}", ids[above]);
    Some(links.of(&ids))
}

/// Where the results of a series stand beside each other, as far as there may be so many.
fn separated_address(links: &Links, index: usize) -> String {
    let parts = links
        .ids
        .iter()
        .enumerate()
        .flat_map(|(place, id)| if place == index { id.split('~').collect() } else { vec![id.as_str()] });
    links.of(&parts.map(str::to_owned).take(MAX_COMPARED).collect::<Vec<_>>())
}
