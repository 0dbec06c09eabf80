//! Pages of drives, rankings and keys: data from the store, words and markup from `web`.

use super::{
    catalogue::{WholeDrive, drive_query, paged, ranked, whole_drive},
    pages::{WIDTH, next_page, page},
};
use crate::{
    App,
    error::ApiError,
    params::{Here, Params, Path, shortened},
};
use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use model::{KeyId, chart_id::ChartId, summary::ResultSummary};
use store::{DrivePage, ListQuery, Page};
use web::pages::{self, DriveData, DrivesData, KeyData, RankingData, RankingFilterView};

/// `/drives`: the catalogue, searched and limited to a make.
pub async fn drives(State(app): State<App>, here: Here, params: Params) -> Result<Response, ApiError> {
    let DrivePage { drives, next, total } = app.store().drives(&drive_query(&params)?).await?;
    let data = DrivesData {
        drives,
        makes: app.store().makes().await?,
        q: params.one("q")?.unwrap_or_default().to_owned(),
        make: params.one("make")?.map(str::to_owned),
        next: next.map(|cursor| next_page(&here.path, &cursor)),
        total,
    };
    Ok(page(pages::drives(&app.page_context(here), data)))
}

/// `/drives/{slug}`; other spellings of a drive's name are led to its own.
pub async fn drive(
    State(app): State<App>,
    here: Here,
    Path(slug): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let WholeDrive { drive, metrics, cut, results, next } = match whole_drive(&app, &slug, &params).await {
        Err(none @ ApiError::NoSuchDrive(_)) => {
            let meant = analysis::drive_name::respelled(&slug);
            if meant == slug || app.store().drive(&meant).await?.is_none() {
                return Err(none);
            }
            let query = here.path.split_once('?').map(|(_, query)| format!("?{query}")).unwrap_or_default();
            return Ok(Redirect::permanent(&format!("/drives/{meant}{query}")).into_response());
        }
        other => other?,
    };
    let data = DriveData {
        counterpart: app.store().drive(&analysis::drive_name::counterpart(&slug)).await?,
        entry: drive,
        metrics,
        cut,
        image: results.iter().find_map(card),
        next: next.map(|cursor| next_page(&here.path, &cursor)),
        results,
    };
    Ok(page(pages::drive(&app.page_context(here), data)))
}

/// The path of a picture of a result for cards; `None` when it has no figure to draw in one.
pub(super) fn card(summary: &ResultSummary) -> Option<String> {
    let has = |sequential: bool| {
        summary.metrics.iter().any(|metric| {
            let method = metric.method.method();
            metric.counted().is_some()
                && method.pattern.sequential() == sequential
                && method.particulars().is_empty()
        })
    };
    let chart = [(ChartId::Sequential, true), (ChartId::Random, false)]
        .into_iter()
        .find_map(|(chart, sequential)| has(sequential).then_some(chart))?;
    Some(format!("/charts/{chart}.png?r={}&w={WIDTH}&scale=2", summary.head.id))
}

/// `/rankings`: what there are rankings of.
pub async fn rankings(State(app): State<App>, here: Here) -> Result<Response, ApiError> {
    let metrics = app.store().ranked_metrics().await?;
    Ok(page(pages::rankings(&app.page_context(here), metrics)))
}

/// `/rankings/{cell}/{kind}`: drives by one metric.
pub async fn ranking(
    State(app): State<App>,
    here: Here,
    Path(metric): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let ranking = ranked(&app, &metric, &params).await?;
    let of_cell = app.store().ranked_metrics_of(&ranking.metric.cell).await?;
    let text = |name| Ok::<_, ApiError>(params.one(name)?.unwrap_or_default().to_owned());
    let data = RankingData {
        of_cell: of_cell.into_iter().map(|one| one.metric).collect(),
        filter: RankingFilterView { interface: text("interface")?, from: text("from")?, to: text("to")? },
        ranking,
    };
    Ok(page(pages::ranking(&app.page_context(here), data)))
}

/// `/keys/{keyid}`: what a key signed.
pub async fn key(
    State(app): State<App>,
    here: Here,
    Path(key): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let no_such = || ApiError::NoSuchKey(shortened(&key));
    let id: KeyId = key.parse().map_err(|_| no_such())?;
    let entry = app.store().key(id).await?.ok_or_else(no_such)?;
    let query = paged(&params, ListQuery { key: Some(id), ..ListQuery::default() })?;
    let Page { results, next, .. } = app.store().list(&query).await?;
    let next = next.map(|cursor| next_page(&here.path, &cursor));
    Ok(page(pages::key(&app.page_context(here), KeyData { entry, results, next })))
}
