//! The catalogue of drives, one drive and rankings as data.

use crate::{
    App,
    cache::CachePolicy,
    error::{ApiError, ProblemDetails},
    params::{Params, Path, shortened},
};
use analysis::ranking::Filter;
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use model::{
    catalogue::{DriveEntry, DriveMetric, MakeEntry},
    metric::MetricId,
    ranking::Ranking,
    summary::ResultSummary,
    units::parse_size,
};
use serde::Serialize;
use store::{DrivePage, DriveQuery, ListQuery, Page};
use utoipa::ToSchema;

/// Stands in addresses for drives whose name tells no make.
const OTHER: &str = "other";

/// A page of the catalogue.
#[derive(Debug, Serialize, ToSchema)]
pub struct DriveList {
    /// The drives: measured ones first, by make and name.
    pub drives: Vec<DriveEntry>,
    /// The `cursor` of the next page, `null` on the last.
    pub next: Option<String>,
    /// Number of drives on all pages.
    pub total: u64,
    /// Every make in the catalogue, whatever was searched for.
    pub makes: Vec<MakeEntry>,
}

/// A drive with its figures and results.
#[derive(Debug, Serialize, ToSchema)]
pub struct WholeDrive {
    /// The drive.
    pub drive: DriveEntry,
    /// Each metric over all results that were measured alike, by reviewer and by firmware.
    pub metrics: Vec<DriveMetric>,
    /// Whether it has more results than are put together in the metrics: then the oldest are left out.
    pub cut: bool,
    /// A page of its results, newest first.
    pub results: Vec<ResultSummary>,
    /// The `cursor` of the next page of results, `null` on the last.
    pub next: Option<String>,
}

/// Reads the catalogue's query.
///
/// # Errors
/// When a part of it cannot be read.
pub fn drive_query(params: &Params) -> Result<DriveQuery, ApiError> {
    let (cursor, limit) = params.page(DriveQuery::default().limit)?;
    let make = params.one("make")?.map(|make| if make == OTHER { String::new() } else { make.to_owned() });
    Ok(DriveQuery { q: params.one("q")?.unwrap_or_default().to_owned(), make, cursor, limit })
}

/// Reads a ranking's limits.
///
/// # Errors
/// When a part of them cannot be read.
pub fn filter(params: &Params) -> Result<Filter, ApiError> {
    let capacity = |name: &str| {
        let read = |text: &str| {
            parse_size(text).map_err(|_| {
                ApiError::BadRequest(format!(
                    "`{name}` is a capacity as `500 GB` or `2TB`, not `{}`",
                    shortened(text)
                ))
            })
        };
        params.one(name)?.map(read).transpose()
    };
    Ok(Filter {
        transport: params.read("interface", "nvme, sata, scsi, usb, mmc, virtio, software or unknown")?,
        min_capacity: capacity("from")?,
        max_capacity: capacity("to")?,
    })
}

/// List and search drives
///
/// Drives with public results: measured ones first, by make and name.
#[utoipa::path(
    get,
    operation_id = "list_drives",
    path = "/api/v1/drives",
    params(
        ("q" = Option<String>, Query, description = "Words that the drive's name, make or capacity must all have, at most 8"),
        ("make" = Option<String>, Query, description = "Name of a make; `other` for drives whose name tells none"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before"),
        ("limit" = Option<u32>, Query, description = "Drives on the page, 1 to 100; 50 when not given"),
    ),
    responses(
        (status = 200, description = "A page of the catalogue", body = DriveList),
        (status = 400, description = "The query cannot be read", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn drives(State(app): State<App>, params: Params) -> Result<Response, ApiError> {
    let DrivePage { drives, next, total } = app.store().drives(&drive_query(&params)?).await?;
    let makes = app.store().makes().await?;
    Ok((CachePolicy::Page, Json(DriveList { drives, next, total, makes })).into_response())
}

/// One drive
///
/// Its figures over all public results, by reviewer and firmware, and a page of those results.
#[utoipa::path(
    get,
    operation_id = "get_drive",
    path = "/api/v1/drives/{slug}",
    params(
        ("slug" = String, Path, description = "The drive's name in addresses, `drive_slug` of a result's head"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before"),
        ("limit" = Option<u32>, Query, description = "Results on the page, 1 to 100; 20 when not given"),
    ),
    responses(
        (status = 200, description = "The drive", body = WholeDrive),
        (status = 404, description = "No public result of such a drive", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn drive(
    State(app): State<App>,
    Path(slug): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    Ok((CachePolicy::Page, Json(whole_drive(&app, &slug, &params).await?)).into_response())
}

/// A drive with its figures and a page of its results.
///
/// # Errors
/// When there is no such drive, or the query cannot be read.
pub async fn whole_drive(app: &App, slug: &str, params: &Params) -> Result<WholeDrive, ApiError> {
    let no_such = || ApiError::NoSuchDrive(shortened(slug));
    let drive = app.store().drive(slug).await?.ok_or_else(no_such)?;
    let samples = app.store().samples_of_drive(slug).await?;
    let metrics = analysis::catalogue::metrics(&samples.samples);
    let usual = ListQuery { drive: Some(slug.to_owned()), ..ListQuery::default() };
    let Page { results, next, .. } = app.store().list(&paged(params, usual)?).await?;
    Ok(WholeDrive { drive, metrics, cut: samples.cut, results, next })
}

/// A query with the page that an address asks for.
///
/// # Errors
/// When that cannot be read.
pub fn paged(params: &Params, query: ListQuery) -> Result<ListQuery, ApiError> {
    let (cursor, limit) = params.page(query.limit)?;
    Ok(ListQuery { cursor, limit, ..query })
}

/// Rank drives
///
/// By one metric, the best first: only measured, listed results whose figures count. Figures of different methods stand in
/// groups of their own; rows whose difference is not larger than the spread share a rank.
#[utoipa::path(
    get,
    operation_id = "rank_drives",
    path = "/api/v1/rankings/{cell}/{kind}",
    params(
        ("cell" = String, Path, description = "First part of a metric's id, `seq-read.1MiB.q8.t1`"),
        ("kind" = String, Path, description = "Second part of a metric's id, `bytes_per_s`"),
        ("interface" = Option<String>, Query, description = "Only drives that are attached so: nvme, sata, scsi, usb, mmc, virtio, software or unknown"),
        ("from" = Option<String>, Query, description = "Least capacity as on a data sheet, `500GB`"),
        ("to" = Option<String>, Query, description = "Greatest capacity as on a data sheet, `2TB`"),
    ),
    responses(
        (status = 200, description = "The ranking; without groups when no drive has the metric", body = Ranking),
        (status = 400, description = "The query cannot be read", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "Not the id of a metric that drives are ranked by", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn ranking(
    State(app): State<App>,
    Path((cell, kind)): Path<(String, String)>,
    params: Params,
) -> Result<Response, ApiError> {
    let ranking = ranked(&app, &format!("{cell}/{kind}"), &params).await?;
    Ok((CachePolicy::Page, Json(ranking)).into_response())
}

/// The ranking that an address names.
///
/// # Errors
/// When it names no metric that drives are ranked by, or the query cannot be read.
pub async fn ranked(app: &App, metric: &str, params: &Params) -> Result<Ranking, ApiError> {
    let no_such = || ApiError::NoSuchRanking(shortened(metric));
    let metric: MetricId = metric.parse().map_err(|_| no_such())?;
    if !metric.kind.ranks_drives() {
        return Err(no_such());
    }
    let filter = filter(params)?;
    let samples = app.store().samples_of_metric(&metric).await?;
    let ranking = move || analysis::ranking::rank(&metric, &samples.samples, &filter, samples.cut);
    tokio::task::spawn_blocking(ranking).await.map_err(|error| ApiError::Internal(error.to_string()))
}
