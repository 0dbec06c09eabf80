//! Pieces that several pages share: a chart with its words and figures, marks, lists of facts, tables.

use crate::{
    islands::{ChartFigure, CopyMarkdown, CopyWords, FigureSource, FigureWords, Picture},
    pages::{Assets, ChartView, NarrowPicture},
    texts::{self, Copy},
    words::{Mark, counted},
};
use charts::{Standings, Table};
use leptos::prelude::*;
use model::{comparison::Standing, lang::Lang, units::format_change};

/// Which heading a section has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// A section of the page.
    Two,
    /// A section inside of one.
    Three,
}

impl Level {
    /// A heading of this level.
    fn heading(self, id: String, title: String) -> AnyView {
        match self {
            Self::Two => view! { <h2 id=id>{title}</h2> }.into_any(),
            Self::Three => view! { <h3 id=id>{title}</h3> }.into_any(),
        }
    }
}

/// A chart in its own section: heading, conclusion, picture, figures.
pub(crate) fn chart_section(
    chart: ChartView,
    lang: Lang,
    assets: &Assets,
    first: bool,
    level: Level,
) -> AnyView {
    let ChartView {
        id,
        title,
        caption,
        description,
        table,
        standings,
        svg_light,
        svg_dark,
        narrow,
        png,
        json,
        csv,
        markdown,
        width,
        height,
    } = chart;
    let texts = &texts::of(lang).figure;
    let heading = format!("{id}-heading");
    let label = (texts.figures_of)(&title);
    let words = FigureWords {
        interactive: texts.interactive.to_owned(),
        picture: texts.picture.to_owned(),
        loading: texts.loading.to_owned(),
        failed: texts.failed.to_owned(),
        copy: copy_words(lang, &title),
    };
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
        markdown,
        words,
        scripts: assets.chart_js.clone().zip(assets.echarts_js.clone()),
    };
    let standings = standings.map(|standings| standings_table(lang, &standings));
    view! {
        <section id=id.token() aria-labelledby=heading>
            {level.heading(heading.clone(), title)}
            <p class="finding" dir="auto">
                {caption}
            </p>
            <figure>
                <ChartFigure source=source />
                {standings}
                <details>
                    <summary>{texts.figures}</summary>
                    {plain_table(table, label)}
                </details>
            </figure>
        </section>
    }
    .into_any()
}

/// Words at a button that copies the Markdown of what has this title.
fn copy_words(lang: Lang, title: &str) -> CopyWords {
    let Copy { markdown, button, done, failed } = &texts::of(lang).figure.copy;
    CopyWords {
        link: (*markdown).to_owned(),
        button: (*button).to_owned(),
        of: title.to_owned(),
        done: (*done).to_owned(),
        failed: (*failed).to_owned(),
    }
}

/// The Markdown of a whole page: a link, and a button that copies it where there are scripts.
pub(crate) fn page_markdown(lang: Lang, assets: &Assets, href: String) -> AnyView {
    let words = copy_words(lang, texts::of(lang).compare.whole_page);
    match assets.boot_js {
        Some(_) => view! { <CopyMarkdown href=href words=words /> }.into_any(),
        None => view! {
            <p class="tools">
                <a href=href>{words.link}</a>
            </p>
        }
        .into_any(),
    }
}

/// How an entry stands to the baseline's, in words, and the class of their colour.
pub(crate) fn standing_words(lang: Lang, standing: Standing) -> (String, &'static str) {
    let texts = &texts::of(lang).figure;
    match standing {
        Standing::Baseline | Standing::Missing => (String::new(), ""),
        Standing::Differs { change, better: true } => ((texts.better)(&format_change(change)), "better"),
        Standing::Differs { change, better: false } => ((texts.worse)(&format_change(change)), "worse"),
        Standing::Tie { .. } => (texts.tie.to_owned(), "tie"),
        Standing::SpreadUnknown { change } => ((texts.spread_unknown)(&format_change(change)), "tie"),
        Standing::NotComparable => (texts.not_comparable.to_owned(), "tie"),
    }
}

/// Thing by thing what each result has and how that stands to the first one's; the counts in the last row.
fn standings_table(lang: Lang, standings: &Standings) -> AnyView {
    let texts = &texts::of(lang).figure;
    let heads = standings.names.iter().enumerate().map(|(index, name)| {
        view! {
            <th scope="col" class="number" dir="auto">
                {name.clone()}
                {(index == 0).then(|| view! { <small>{texts.baseline}</small> })}
            </th>
        }
    });
    let heads = heads.collect_view();
    let rows = standings.rows.iter().map(|row| {
        let entries = row.entries.iter().map(|entry| {
            let (words, tone) = standing_words(lang, entry.standing);
            view! {
                <td class="number">
                    {entry.figure.clone()}
                    <small class=format!("standing {tone}")>{words}</small>
                </td>
            }
        });
        view! {
            <tr>
                <th scope="row">{row.name.clone()}</th>
                {entries.collect_view()}
            </tr>
        }
    });
    let rows = rows.collect_view();
    let counts = standings.tallies.iter().map(|tally| {
        let counts = (texts.counts)([tally.better, tally.ties, tally.worse, tally.unknown]);
        view! { <td class="number">{counts}</td> }
    });
    let counts = counts.collect_view();
    let body = view! {
        {rows}
        <tr class="tally">
            <th scope="row">{texts.tally}</th>
            <td></td>
            {counts}
        </tr>
    };
    let head = view! {
        <th scope="col">{texts.of_what}</th>
        {heads}
    };
    scroll_table(texts.one_by_one, "plain standings", head, body)
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

/// Headings of columns, each with whether it is one of numbers.
pub(crate) fn column_heads<const N: usize>(columns: [(&'static str, bool); N]) -> AnyView {
    let head = |(text, of_numbers): (&'static str, bool)| {
        view! {
            <th scope="col" class=of_numbers.then_some("number")>
                {text}
            </th>
        }
    };
    columns.map(head).collect_view().into_any()
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
