//! Pieces that several pages share: a chart with its words and figures, marks, lists of facts, tables.

use crate::{
    islands::{ChartFigure, FigureSource, Picture},
    pages::{Assets, ChartView, NarrowPicture},
    shell::from_files,
    texts,
    words::{Mark, counted},
};
use charts::Table;
use leptos::prelude::*;
use model::{chart_id::ChartId, lang::Lang};

/// A chart in its own section: heading, conclusion, picture, figures.
pub(crate) fn chart_section(chart: ChartView, assets: &Assets, first: bool) -> AnyView {
    let ChartView {
        id,
        title,
        caption,
        description,
        table,
        svg_light,
        svg_dark,
        narrow,
        png,
        json,
        csv,
        width,
        height,
    } = chart;
    let heading = format!("{id}-heading");
    let label = format!("Figures of the chart: {title}");
    let figure = if from_files() {
        figure_drawn_here(id, &title, &description, width, height)
    } else {
        let source = FigureSource {
            title: title.clone(),
            description,
            picture: Picture { light: svg_light, dark: svg_dark, width, height },
            narrow: narrow.map(|NarrowPicture { svg_light, svg_dark, width, height }| Picture {
                light: svg_light,
                dark: svg_dark,
                width,
                height,
            }),
            eager: first,
            png,
            csv,
            json,
            scripts: assets.chart_js.clone().zip(assets.echarts_js.clone()),
        };
        view! { <ChartFigure source=source /> }.into_any()
    };
    view! {
        <section id=id.token() aria-labelledby=heading>
            <h2 id=format!("{id}-heading")>{title}</h2>
            <p class="finding" dir="auto">
                {caption}
            </p>
            <figure>
                {figure}
                <details>
                    <summary>"The figures of this chart"</summary>
                    {plain_table(table, label)}
                </details>
            </figure>
        </section>
    }
    .into_any()
}

/// The place of a chart of opened files, which `open.js` has drawn when it comes into sight.
fn figure_drawn_here(id: ChartId, title: &str, description: &str, width: u32, height: u32) -> AnyView {
    let label = format!("{title}. {description}");
    view! {
        <div
            class="chart here"
            role="img"
            aria-label=label
            data-chart=id.token()
            data-width=width
            data-height=height
        ></div>
    }
    .into_any()
}

/// A table that scrolls by itself where it is wider than the page, for keyboards too; the label says what it holds.
pub(crate) fn scroll_table(
    label: impl Into<String>,
    class: &'static str,
    head: impl IntoView + 'static,
    rows: impl IntoView + 'static,
) -> AnyView {
    let label = label.into();
    view! {
        <div class="scroll" role="region" aria-label=label tabindex="0">
            <table class=class>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A table of texts, its first column as row headings.
pub(crate) fn plain_table(table: Table, label: String) -> AnyView {
    let Table { columns, rows } = table;
    let head = columns
        .into_iter()
        .map(|column| {
            view! {
                <th scope="col" dir="auto">
                    {column}
                </th>
            }
        })
        .collect_view();
    let rows = rows
        .into_iter()
        .map(|row| {
            let mut cells = row.into_iter();
            let head = cells.next();
            view! {
                <tr>
                    <th scope="row" dir="auto">
                        {head}
                    </th>
                    {cells.map(|cell| view! { <td dir="auto">{cell}</td> }).collect_view()}
                </tr>
            }
        })
        .collect_view();
    scroll_table(label, "plain", head, rows)
}

/// Marks as badges; the meaning stands in the tooltip and, for those that ask for care, below.
pub(crate) fn badges(marks: &[Mark]) -> AnyView {
    let badges = marks
        .iter()
        .map(|mark| {
            let class = if mark.care { "badge care" } else { "badge" };
            view! {
                <li>
                    <span class=class>{mark.word.clone()}</span>
                    " "
                    <small>{mark.meaning.clone()}</small>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="badges">{badges}</ul> }.into_any()
}

/// Above the figures of a page: how many remarks stand below them; nothing for none.
pub(crate) fn care_link(remarks: usize) -> AnyView {
    (remarks > 0)
        .then(|| {
            view! {
                <p class="care">
                    <a href="#remarks">"To be read with care"</a>
                    {format!(": {} on these figures.", counted(remarks, "remark", "remarks"))}
                </p>
            }
        })
        .into_any()
}

/// Items of a list; many of them are folded, so that what follows stays in sight.
pub(crate) fn folded(items: Vec<AnyView>, what: &str) -> AnyView {
    const OPEN: usize = 5;
    let summary = format!("All {} {what}", items.len());
    let many = items.len() > OPEN;
    let list = view! { <ul>{items}</ul> };
    if many {
        view! {
            <details>
                <summary>{summary}</summary>
                {list}
            </details>
        }
        .into_any()
    } else {
        list.into_any()
    }
}

/// Names and values, as a definition list. Values may be an uploader's text.
pub(crate) fn facts(facts: Vec<(String, String)>) -> AnyView {
    view! {
        <dl class="facts">
            {facts
                .into_iter()
                .map(|(name, value)| {
                    view! {
                        <div>
                            <dt>{name}</dt>
                            <dd dir="auto">{value}</dd>
                        </div>
                    }
                })
                .collect_view()}
        </dl>
    }
    .into_any()
}

/// The list of a page's sections.
pub(crate) fn contents(lang: Lang, entries: Vec<(String, String)>) -> AnyView {
    let label = texts::of(lang).shell.on_this_page;
    view! {
        <nav class="contents" aria-label=label>
            <ul>
                {entries
                    .into_iter()
                    .map(|(id, title)| {
                        view! {
                            <li>
                                <a href=format!("#{id}")>{title}</a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </nav>
    }
    .into_any()
}
