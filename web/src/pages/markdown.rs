//! Pages and charts as Markdown, for articles and notes: the same words, tables and pictures as on the page.

use crate::{
    markdown::of_html,
    pages::{self, ChartView, CompareData, PageContext, ResultData},
    parts::{Level, chart_section},
};
use leptos::prelude::*;

/// A result's page as Markdown.
#[must_use]
pub fn result_markdown(ctx: &PageContext, data: ResultData) -> String {
    let path = format!("/results/{}", data.summary.head.id);
    of_page(ctx, &pages::result(ctx, data), &ctx.href(&path))
}

/// A comparison's page as Markdown.
#[must_use]
pub fn compare_markdown(ctx: &PageContext, data: CompareData) -> String {
    let ids: Vec<String> = data.comparison.series.iter().map(|series| series.head.address()).collect();
    let path = format!("/compare?r={}{}", ids.join(","), data.view.query());
    of_page(ctx, &pages::compare(ctx, data), &ctx.href(&path))
}

/// A chart with its heading, caption and figures as Markdown.
#[must_use]
pub fn chart_markdown(ctx: &PageContext, chart: ChartView) -> String {
    let html = Owner::new().with(|| chart_section(chart, ctx.lang, &ctx.assets, true, Level::Two).to_html());
    of_html(&html, ctx.public_url.trim_end_matches('/'))
}

/// The page, and where it stands.
fn of_page(ctx: &PageContext, html: &str, path: &str) -> String {
    let base = ctx.public_url.trim_end_matches('/');
    format!("{}{base}{path}\n", of_html(html, base))
}
