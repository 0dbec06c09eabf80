//! Charts as pictures, options and figures: `/charts/NAME.svg|png|json|csv?r=...`.

use super::pages::{chart_view, markdown};
use crate::{
    App,
    cache::CachePolicy,
    csv::Csv,
    error::{ApiError, ProblemDetails},
    library::Entry,
    params::{Here, Params, Path},
    pictures::{self, ChartRequest, MAX_TITLE_CHARS},
};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use model::{chart_id::ChartId, labels::is_plain_text};

/// Width of a picture in CSS pixels when none is asked for.
const USUAL_WIDTH: u32 = 760;

/// A chart
///
/// `svg` and `png` are pictures, `json` is the `ECharts` option, `csv` the figures as plain
/// numbers, in the unit that each row names, `md` heading, caption, picture and table as Markdown.
#[utoipa::path(
    get,
    operation_id = "get_chart",
    path = "/charts/{chart}.{format}",
    params(
        ("chart" = ChartId, Path, description = "Name of the chart"),
        ("format" = String, Path, description = "`svg`, `png`, `json`, `csv` or `md`"),
        ("r" = String, Query, description = "1 to 8 result ids, separated by commas or in several `r`; `A~B` joins results of one drive in one configuration into one series"),
        ("theme" = Option<String>, Query, description = "`light`, `dark`, or `auto`, which is light in this version"),
        ("w" = Option<u32>, Query, description = "Width in CSS pixels, 320 to 1600; 760 when not given"),
        ("h" = Option<u32>, Query, description = "Height in CSS pixels, 200 to 1200; a chart that needs more is higher"),
        ("scale" = Option<u8>, Query, description = "Pixels of a PNG per CSS pixel, 1 to 3"),
        ("show" = Option<String>, Query, description = "`absolute`, or `relative`: shares of the first result where the chart has them and the comparison allows percentages"),
        ("axis" = Option<String>, Query, description = "`linear` or `log`, for charts that have both; each has its own when not given"),
        ("title" = Option<String>, Query, description = "Title instead of the chart's own, at most 120 characters; one that is wider than the picture is cut"),
    ),
    responses(
        (status = 200, description = "The chart", content_type = "image/svg+xml"),
        (status = 400, description = "The query cannot be read", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "No such chart or result, or no figures for the chart", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
#[expect(
    dead_code,
    reason = "only its description is used: the route is `chart`, over both parts of the name"
)]
pub(crate) fn described() {}

/// A chart in the form that the file's name ends in.
pub async fn chart(
    State(app): State<App>,
    here: Here,
    Path(file): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let (name, format) = file.split_once('.').unwrap_or((&file, ""));
    if !matches!(format, "svg" | "png" | "json" | "csv" | "md") {
        return Err(ApiError::NoSuchPage);
    }
    let request = request(name.parse()?, &params)?;
    let scale = params.clamped("scale", &(1..=3))?.unwrap_or(1);
    let series = params.series()?;
    if series.is_empty() {
        return Err(ApiError::BadRequest("`r` names no result; give 1 to 8 ids".to_owned()));
    }
    let entries = app.library().entries(&series).await?;
    let policy = CachePolicy::data(entries.iter().map(|entry| &entry.summary.head));
    let answer = match format {
        "svg" => {
            let svg = app.pictures().svg(&entries, &request).await?;
            ([(header::CONTENT_TYPE, "image/svg+xml; charset=utf-8")], svg).into_response()
        }
        "png" => {
            let png = app.pictures().png(&entries, &request, u8::try_from(scale).unwrap_or(1)).await?;
            ([(header::CONTENT_TYPE, "image/png")], png).into_response()
        }
        "md" => {
            let ctx = app.page_context(here);
            let chart = request.chart;
            let view = params.view()?;
            let laid_out = tokio::task::spawn_blocking(move || chart_view(chart, &entries, view)).await;
            let laid_out = laid_out.map_err(|error| ApiError::Internal(error.to_string()))?;
            let chart = laid_out.ok_or(ApiError::NoChartData(chart))?;
            return Ok(markdown(policy, web::pages::chart_markdown(&ctx, chart)));
        }
        "json" => Json(lay_out(entries, request).await?.option).into_response(),
        _ => {
            let table = lay_out(entries, request).await?.figures;
            let mut csv = Csv::new(table.columns.iter().map(String::as_str));
            for row in &table.rows {
                csv.row(row.iter().map(String::as_str));
            }
            csv.into_response()
        }
    };
    Ok((policy, answer).into_response())
}

async fn lay_out(entries: Vec<Entry>, request: ChartRequest) -> Result<charts::Chart, ApiError> {
    let chart = request.chart;
    tokio::task::spawn_blocking(move || pictures::chart(&entries, &request))
        .await
        .map_err(|error| ApiError::Internal(error.to_string()))?
        .ok_or(ApiError::NoChartData(chart))
}

fn request(chart: ChartId, params: &Params) -> Result<ChartRequest, ApiError> {
    let dark = match params.one("theme")? {
        None | Some("light" | "auto") => false,
        Some("dark") => true,
        Some(_) => return Err(ApiError::BadRequest("`theme` is light, dark or auto".to_owned())),
    };
    let title = params.one("title")?.map(str::to_owned);
    if title.as_deref().is_some_and(|title| !is_plain_text(title, MAX_TITLE_CHARS)) {
        return Err(ApiError::BadRequest(format!(
            "`title` has at most {MAX_TITLE_CHARS} printable characters"
        )));
    }
    Ok(ChartRequest {
        chart,
        dark,
        width: params.clamped("w", &(320..=1600))?.unwrap_or(USUAL_WIDTH),
        height: params.clamped("h", &(200..=1200))?,
        title,
        view: params.view()?.of_chart(chart),
    })
}
