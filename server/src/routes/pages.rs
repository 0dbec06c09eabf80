//! Pages: data from the store, words and markup from `web`.

use super::{
    catalogue::paged,
    results::{care, list_query, remarks_by_cell, summary},
};
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
    http::header,
    response::{Html, IntoResponse, Redirect, Response},
};
use charts::View;
use model::{MethodId, chart_id::ChartId};
use store::{ListQuery, Page};
use web::pages::{
    self, ChartView, CompareData, Found, HomeData, ListQueryView, MethodData, MethodView, NarrowPicture,
    ResultData,
};

/// Width of a page's charts in CSS pixels.
pub(super) const WIDTH: u32 = 760;
/// Width of the same charts on narrow screens.
const NARROW_WIDTH: u32 = 360;
/// Most results that a search on the page of a comparison lists.
const FOUND: u32 = 20;

/// A page whose content others may keep.
pub(super) fn page(html: String) -> Response {
    (CachePolicy::Page, Html(html)).into_response()
}

/// A text in Markdown about these results.
pub(super) fn markdown(policy: CachePolicy, text: String) -> Response {
    (policy, [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response()
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
pub(super) fn next_page(here: &str, cursor: &str) -> String {
    let (path, query) = here.split_once('?').unwrap_or((here, ""));
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
    let pairs: Vec<String> = kept.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// `/results/{id}`, and the same as Markdown under `/results/{id}.md`.
pub async fn result(
    State(app): State<App>,
    here: Here,
    params: Params,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (id, as_markdown) = id.strip_suffix(".md").map_or((id.as_str(), false), |id| (id, true));
    let entry = app.library().entry(summary(&app, id).await?).await?;
    let view = params.view()?;
    let charts = chart_views(vec![entry.clone()], view).await?;
    let policy = CachePolicy::page([&entry.summary.head]);
    let data = ResultData {
        remarks: remarks_by_cell(entry.document()),
        public_key: entry.document().public_key,
        bundle_bytes: entry.bundle_bytes(),
        document: entry.shared_document(),
        summary: entry.summary,
        charts,
        view,
    };
    let ctx = app.page_context(here);
    Ok(match as_markdown {
        true => markdown(policy, pages::result_markdown(&ctx, data)),
        false => page_of(policy, pages::result(&ctx, data)),
    })
}

/// `/compare?r=A,B`; other ways to write the same are led there.
pub async fn compare(State(app): State<App>, here: Here, params: Params) -> Result<Response, ApiError> {
    let series = params.series()?;
    let address = compare_address(&series, params.view()?, &here);
    if !series.is_empty() && here.path != address {
        return Ok(Redirect::to(&address).into_response());
    }
    let data = compared(&app, &series, &params).await?;
    let policy = CachePolicy::page(data.summaries.iter().map(|summary| &summary.head));
    Ok(page_of(policy, pages::compare(&app.page_context(here), data)))
}

/// `/compare.md?r=A,B`: the same as Markdown.
pub async fn compare_markdown(
    State(app): State<App>,
    here: Here,
    params: Params,
) -> Result<Response, ApiError> {
    let series = params.series()?;
    if series.len() < 2 {
        return Err(ApiError::BadRequest("`r` names no two results; give 2 to 8 ids".to_owned()));
    }
    let data = compared(&app, &series, &params).await?;
    let policy = CachePolicy::page(data.summaries.iter().map(|summary| &summary.head));
    Ok(markdown(policy, pages::compare_markdown(&app.page_context(here), data)))
}

/// Everything that the page of a comparison shows.
async fn compared(app: &App, series: &[SeriesRef], params: &Params) -> Result<CompareData, ApiError> {
    let view = params.view()?;
    let found = match params.one("q")? {
        Some(q) => {
            let query = ListQuery { q: q.to_owned(), limit: FOUND, ..ListQuery::default() };
            let Page { results, total, .. } = app.store().list(&query).await?;
            Some(Found { q: q.to_owned(), results, total })
        }
        None => None,
    };
    let entries = app.library().entries(series).await?;
    let summaries: Vec<_> = entries.iter().map(|entry| entry.summary.clone()).collect();
    let documents = entries.iter().map(Entry::shared_document).collect();
    let remarks = entries.iter().map(|entry| care(entry.document())).collect();
    // One result is no comparison: the page lets the reader choose another one.
    let charts = if entries.len() < 2 { Vec::new() } else { chart_views(entries, view).await? };
    let comparison = analysis::comparison::compare(&summaries);
    Ok(CompareData { comparison, summaries, charts, remarks, documents, view, found })
}

/// The one way to write a comparison: results, view, what is searched for, language.
fn compare_address(series: &[SeriesRef], view: View, here: &Here) -> String {
    let ids: Vec<String> = series.iter().map(ToString::to_string).collect();
    // As the browser wrote it: written in another way it would be led here again.
    let query = here.path.split_once('?').map_or("", |(_, query)| query);
    let searched = query.split('&').find(|pair| pair.starts_with("q=") && pair.len() > 2);
    let searched = searched.map(|pair| format!("&{pair}")).unwrap_or_default();
    let lang = here.lang.map(|lang| format!("&lang={lang}")).unwrap_or_default();
    format!("/compare?r={}{}{searched}{lang}", ids.join(","), view.query())
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
    params: Params,
) -> Result<Response, ApiError> {
    let method: MethodId = id.parse().map_err(ApiError::NoSuchMethod)?;
    let query = paged(&params, ListQuery { method: Some(method.clone()), ..ListQuery::default() })?;
    let Page { results, next, total } = app.store().list(&query).await?;
    let ranked = app.store().ranked_metrics_of(&method.method().cell()).await?;
    let data = MethodData {
        ranked: ranked.into_iter().map(|one| one.metric).collect(),
        view: MethodView { method, results: total },
        next: next.map(|cursor| next_page(&here.path, &cursor)),
        results,
    };
    Ok(page(pages::method(&app.page_context(here), data)))
}

/// `/about`.
pub async fn about(State(app): State<App>, here: Here) -> Response {
    page(pages::about(&app.page_context(here)))
}

/// All charts that these results have figures for, in the order of a page.
async fn chart_views(entries: Vec<Entry>, view: View) -> Result<Vec<ChartView>, ApiError> {
    let laying_out =
        move || ChartId::ALL.into_iter().filter_map(|chart| chart_view(chart, &entries, view)).collect();
    tokio::task::spawn_blocking(laying_out).await.map_err(|error| ApiError::Internal(error.to_string()))
}

/// A chart as a page shows it; `None` when none of the results has figures for it.
pub(super) fn chart_view(id: ChartId, entries: &[Entry], view: View) -> Option<ChartView> {
    let view = view.of_chart(id);
    let lay_out = |width| {
        let request = ChartRequest { chart: id, dark: false, width, height: None, title: None, view };
        pictures::chart(entries, &request)
    };
    let (wide, narrow) = (lay_out(WIDTH)?, lay_out(NARROW_WIDTH)?);
    let ids: Vec<String> = entries.iter().map(|entry| entry.summary.head.address()).collect();
    let ids = ids.join(",");
    let shown = view.query();
    let address = |format: &str, more: &str| format!("/charts/{id}.{format}?r={ids}{shown}{more}");
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
        markdown: address("md", ""),
        width: WIDTH,
        height: wide.height,
        title: wide.title,
        caption: wide.caption,
        description: wide.description,
        table: wide.table,
        standings: pictures::standings(entries, id),
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
