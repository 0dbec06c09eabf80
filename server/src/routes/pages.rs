//! Pages: data from the store, words and markup from `web`.

use super::results::{list_query, remarks_by_cell, summary};
use crate::{
    App,
    cache::CachePolicy,
    error::ApiError,
    library::Entry,
    params::{Here, Params, Path, SeriesRef},
    pictures::{self, ChartRequest},
};
use axum::{
    extract::State,
    response::{Html, IntoResponse, Redirect, Response},
};
use model::{MethodId, chart_id::ChartId};
use store::Page;
use web::pages::{
    self, ChartView, CompareData, HomeData, ListQueryView, MethodView, NarrowPicture, ResultData,
};

/// Width of a page's charts in CSS pixels.
const WIDTH: u32 = 760;
/// Width of the same charts on narrow screens.
const NARROW_WIDTH: u32 = 360;

fn page(html: String) -> Response {
    (CachePolicy::Page, Html(html)).into_response()
}

/// A page about these results.
fn page_of(policy: CachePolicy, html: String) -> Response {
    (policy, Html(html)).into_response()
}

/// `/`: the results, searched and sorted.
pub async fn home(State(app): State<App>, here: Here, params: Params) -> Result<Response, ApiError> {
    let query = list_query(&params)?;
    let Page { results, next, total } = app.store().list(&query).await?;
    let next = next.map(|cursor| next_page(&here.path, &cursor));
    let text = |name| Ok::<_, ApiError>(params.one(name)?.unwrap_or_default().to_owned());
    let query = ListQueryView { q: text("q")?, sort: text("sort")?, suite: text("suite")? };
    Ok(page(pages::home(&app.page_context(here), HomeData { results, query, next, total })))
}

/// This page's address with another cursor; everything else in it stays as it is.
fn next_page(here: &str, cursor: &str) -> String {
    let (path, query) = here.split_once('?').unwrap_or((here, ""));
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
    let pairs: Vec<String> = kept.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// `/results/{id}`.
pub async fn result(
    State(app): State<App>,
    here: Here,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let entry = app.library().entry(summary(&app, &id).await?).await?;
    let charts = chart_views(vec![entry.clone()]).await?;
    let policy = CachePolicy::page([&entry.summary.head]);
    let data = ResultData {
        remarks: remarks_by_cell(entry.document()),
        public_key: entry.document().public_key,
        bundle_bytes: entry.bundle_bytes(),
        document: entry.shared_document(),
        summary: entry.summary,
        charts,
    };
    Ok(page_of(policy, pages::result(&app.page_context(here), data)))
}

/// `/compare?r=A,B`; other ways to write the same are led there.
pub async fn compare(State(app): State<App>, here: Here, params: Params) -> Result<Response, ApiError> {
    let series = params.series()?;
    let address = compare_address(&series);
    let address = here.lang.map_or_else(|| address.clone(), |lang| format!("{address}&lang={lang}"));
    if !series.is_empty() && here.path != address {
        return Ok(Redirect::to(&address).into_response());
    }
    let entries = app.library().entries(&series).await?;
    let summaries: Vec<_> = entries.iter().map(|entry| entry.summary.clone()).collect();
    let policy = CachePolicy::page(summaries.iter().map(|summary| &summary.head));
    // One result is no comparison: the page lets the reader choose another one.
    let remarks = entries.iter().map(|entry| analysis::plausibility::care(entry.document())).collect();
    let charts = if entries.len() < 2 { Vec::new() } else { chart_views(entries).await? };
    let comparison = analysis::comparison::compare(&summaries);
    let data = CompareData { comparison, summaries, charts, remarks };
    Ok(page_of(policy, pages::compare(&app.page_context(here), data)))
}

fn compare_address(series: &[SeriesRef]) -> String {
    let ids: Vec<String> = series.iter().map(ToString::to_string).collect();
    format!("/compare?r={}", ids.join(","))
}

/// `/methods`: what figures here were measured with.
pub async fn methods(State(app): State<App>, here: Here) -> Result<Response, ApiError> {
    let methods = app.store().methods().await?;
    let methods = methods.into_iter().map(|(method, results)| MethodView { method, results }).collect();
    Ok(page(pages::methods(&app.page_context(here), methods)))
}

/// `/methods/{id}`: one method, whether or not a result has it.
pub async fn method(
    State(app): State<App>,
    here: Here,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let method: MethodId = id.parse().map_err(ApiError::NoSuchMethod)?;
    let known = app.store().methods().await?;
    let results = known.into_iter().find(|(known, _)| *known == method).map_or(0, |(_, results)| results);
    Ok(page(pages::method(&app.page_context(here), MethodView { method, results })))
}

/// `/open`: files in the reader's browser.
pub async fn open(State(app): State<App>, here: Here) -> Response {
    page(pages::open(&app.page_context(here)))
}

/// `/upload`: the same, and publish one.
pub async fn upload(State(app): State<App>, here: Here) -> Response {
    page(pages::upload(&app.page_context(here)))
}

/// `/about`.
pub async fn about(State(app): State<App>, here: Here) -> Response {
    page(pages::about(&app.page_context(here)))
}

/// All charts that these results have figures for, in the order of a page.
async fn chart_views(entries: Vec<Entry>) -> Result<Vec<ChartView>, ApiError> {
    let laying_out =
        move || ChartId::ALL.into_iter().filter_map(|chart| chart_view(chart, &entries)).collect();
    tokio::task::spawn_blocking(laying_out).await.map_err(|error| ApiError::Internal(error.to_string()))
}

fn chart_view(id: ChartId, entries: &[Entry]) -> Option<ChartView> {
    let lay_out = |width| {
        let request = ChartRequest { chart: id, dark: false, width, height: None, title: None };
        pictures::chart(entries, &request)
    };
    let (wide, narrow) = (lay_out(WIDTH)?, lay_out(NARROW_WIDTH)?);
    let ids: Vec<String> = entries.iter().map(|entry| entry.summary.head.address()).collect();
    let ids = ids.join(",");
    let address = |format: &str, more: &str| format!("/charts/{id}.{format}?r={ids}{more}");
    let svg = |theme: &str, width: u32| address("svg", &format!("&theme={theme}&w={width}"));
    Some(ChartView {
        id,
        svg_light: svg("light", WIDTH),
        svg_dark: svg("dark", WIDTH),
        narrow: Some(NarrowPicture {
            svg_light: svg("light", NARROW_WIDTH),
            svg_dark: svg("dark", NARROW_WIDTH),
            width: NARROW_WIDTH,
            height: narrow.height,
        }),
        png: address("png", &format!("&w={WIDTH}&scale=2")),
        json: address("json", &format!("&w={WIDTH}")),
        csv: address("csv", ""),
        width: WIDTH,
        height: wide.height,
        title: wide.title,
        caption: wide.caption,
        description: wide.description,
        table: wide.table,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_keeps_the_query() {
        assert_eq!(next_page("/", "ab"), "/?cursor=ab");
        assert_eq!(next_page("/?q=a%20b&cursor=01&sort=drive", "ab"), "/?q=a%20b&sort=drive&cursor=ab");
    }
}
