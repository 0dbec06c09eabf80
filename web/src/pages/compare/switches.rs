//! How the figures are shown: which result they are held against, as what, on which axes. Plain links, whose addresses
//! hold the whole state.

use super::{Links, shown_name};
use crate::texts;
use charts::{AxisScale, Show, View, allows_shares, own_axis};
use leptos::prelude::*;
use model::{chart_id::ChartId, comparison::Comparison, lang::Lang};

/// One choice of a switch.
struct Choice {
    text: String,
    href: String,
    current: bool,
}

/// The switches; those of axes only where a chart of the page has two.
pub(super) fn section(
    lang: Lang,
    comparison: &Comparison,
    links: &Links,
    drawn: impl IntoIterator<Item = ChartId>,
) -> AnyView {
    let texts = &texts::of(lang).compare.view;
    let view = links.view;
    let baselines = comparison.series.iter().enumerate().map(|(index, series)| Choice {
        text: shown_name(series),
        href: links.with_baseline(index),
        current: index == 0,
    });
    let shares = allows_shares(comparison);
    let shows = [(Show::Absolute, texts.absolute), (Show::Relative, texts.relative)];
    let shows = shows.map(|(show, text)| Choice {
        text: text.to_owned(),
        href: links.shown(View { show, ..view }),
        current: view.show == show,
    });
    let figures = match shares {
        true => choices(shows),
        false => view! { <span>{texts.no_shares}</span> }.into_any(),
    };
    let axes = axes(lang, view, |view| links.shown(view), drawn);
    view! {
        <nav class="options" aria-label=texts.heading>
            <dl>
                {row(texts.baseline, choices(baselines))}
                {row(texts.figures, figures)}
                {axes}
            </dl>
            <p class="note">{texts.note}</p>
        </nav>
    }
    .into_any()
}

/// The switch of axes of a page of one result; nothing where no chart has two.
pub(in crate::pages) fn of_one(
    lang: Lang,
    view: View,
    shown: impl Fn(View) -> String,
    drawn: impl IntoIterator<Item = ChartId>,
) -> AnyView {
    let texts = &texts::of(lang).compare.view;
    let axes = axes(lang, view, shown, drawn).map(|axes| {
        view! {
            <nav class="options" aria-label=texts.heading>
                <dl>{axes}</dl>
            </nav>
        }
    });
    axes.into_any()
}

/// The choices of axes, each with what it leads to; `None` where no chart has two.
fn axes(
    lang: Lang,
    view: View,
    shown: impl Fn(View) -> String,
    drawn: impl IntoIterator<Item = ChartId>,
) -> Option<AnyView> {
    let texts = &texts::of(lang).compare.view;
    drawn.into_iter().any(|chart| own_axis(chart).is_some()).then(|| {
        let axes = [
            (None, texts.own_axes),
            (Some(AxisScale::Linear), texts.linear),
            (Some(AxisScale::Log), texts.log),
        ];
        let axes = axes.map(|(axis, text)| Choice {
            text: text.to_owned(),
            href: shown(View { axis, ..view }),
            current: view.axis == axis,
        });
        row(texts.axes, choices(axes)).into_any()
    })
}

fn row(name: &'static str, choices: AnyView) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{choices}</dd>
        </div>
    }
}

fn choices(choices: impl IntoIterator<Item = Choice>) -> AnyView {
    let items = choices.into_iter().map(|Choice { text, href, current }| {
        view! {
            <li>
                <a href=href aria-current=current.then_some("true") dir="auto">
                    {text}
                </a>
            </li>
        }
    });
    view! { <ul>{items.collect_view()}</ul> }.into_any()
}
