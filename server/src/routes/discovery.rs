//! How others find results: the feed of new ones, the addresses for search engines, and what robots may read.

use super::catalogue_pages::card;
use crate::{
    App,
    cache::CachePolicy,
    error::ApiError,
    params::{Here, Params},
};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use std::collections::BTreeSet;
use web::pages::{self, MAX_ADDRESSES, NewsItem, SitemapEntry};

/// Results in the feed.
const NEWS: u32 = 30;
/// Pages that are always there.
const PAGES: [&str; 6] = ["/", "/drives", "/rankings", "/compare", "/methods", "/about"];

/// `/feed.atom`: the results that came last.
pub async fn feed(State(app): State<App>, here: Here) -> Result<Response, ApiError> {
    let news = app.store().news(NEWS).await?;
    let items: Vec<NewsItem> = news
        .into_iter()
        .map(|store::Received { summary, received_ms }| NewsItem {
            picture: card(&summary),
            summary,
            received_ms,
        })
        .collect();
    let feed = pages::feed(&app.page_context(here), &items, (app.config().clock)());
    let kind = [(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")];
    Ok((CachePolicy::Page, kind, feed).into_response())
}

/// `/sitemap.xml`: every listed address, in parts when there are more than one file may hold.
///
/// The first part has all pages but those of results, and drives as far as there is room: those left out are reached
/// through the catalogue.
pub async fn sitemap(State(app): State<App>, here: Here, params: Params) -> Result<Response, ApiError> {
    let what = "a whole number from 1, as /sitemap.xml names them";
    let part: Option<u64> = params.read("part", what)?;
    let context = app.page_context(here);
    let results = app.store().count().await?;
    let parts = 1 + results.div_ceil(MAX_ADDRESSES.into());
    let others = match part {
        Some(part) if part > 1 => Vec::new(),
        _ => others(&app).await?,
    };
    let map = match part {
        // Both fit into one file.
        None if others.len() as u64 + results <= MAX_ADDRESSES.into() => {
            let mut all = others;
            all.extend(of_results(&app, 0).await?);
            pages::sitemap(&context, &all)
        }
        None => pages::sitemap_index(&context, parts),
        Some(0) => return Err(ApiError::NoSuchPage),
        Some(1) => pages::sitemap(&context, &others),
        Some(part) if part <= parts => {
            pages::sitemap(&context, &of_results(&app, (part - 2) * u64::from(MAX_ADDRESSES)).await?)
        }
        Some(_) => return Err(ApiError::NoSuchPage),
    };
    Ok((CachePolicy::Page, [(header::CONTENT_TYPE, "application/xml; charset=utf-8")], map).into_response())
}

/// Every page but those of results.
async fn others(app: &App) -> Result<Vec<SitemapEntry>, ApiError> {
    let undated = |path: String| SitemapEntry { path, changed_ms: None };
    let mut entries: Vec<SitemapEntry> = PAGES.map(str::to_owned).into_iter().map(undated).collect();
    let metrics = app.store().ranked_metrics().await?;
    entries.extend(metrics.into_iter().map(|one| undated(format!("/rankings/{}", one.metric))));
    let methods: BTreeSet<String> =
        app.store().methods().await?.into_iter().map(|(method, _)| method.to_string()).collect();
    entries.extend(methods.into_iter().map(|method| undated(format!("/methods/{method}"))));
    let drives = app.store().all_drives(MAX_ADDRESSES).await?;
    entries.extend(drives.into_iter().map(|drive| SitemapEntry {
        path: format!("/drives/{}", drive.slug),
        changed_ms: Some(drive.newest_unix_ms),
    }));
    Ok(entries)
}

async fn of_results(app: &App, skip: u64) -> Result<Vec<SitemapEntry>, ApiError> {
    let results = app.store().addresses(skip, MAX_ADDRESSES).await?;
    let entry =
        |(id, received_ms)| SitemapEntry { path: format!("/results/{id}"), changed_ms: Some(received_ms) };
    Ok(results.into_iter().map(entry).collect())
}

/// `/robots.txt`: everything may be read; comparisons are without number, so that nobody is led through them.
pub async fn robots(State(app): State<App>) -> Response {
    let text = format!(
        "User-agent: *\nDisallow: /compare?\nDisallow: /api/\nAllow: /\nSitemap: {}/sitemap.xml\n",
        app.config().public_url
    );
    (CachePolicy::Page, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
