//! Comparisons as data.

use crate::{
    App,
    cache::CachePolicy,
    csv::Csv,
    error::{ApiError, ProblemDetails},
    params::Params,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use charts::Show;
use model::{
    comparison::{Comparison, Standing},
    document::CellStatus,
};

/// Compare results
///
/// Up to eight results, aligned by metric; the first one is the baseline.
#[utoipa::path(
    get,
    operation_id = "compare_results",
    path = "/api/v1/compare",
    params(("r" = String, Query, description = "1 to 8 result ids, separated by commas or in several `r`; `A~B` joins results of one drive in one configuration into one series")),
    responses(
        (status = 200, description = "The comparison", body = Comparison),
        (status = 400, description = "No results named, or more than eight", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "One of them does not exist", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn compare(State(app): State<App>, params: Params) -> Result<Response, ApiError> {
    // The same either way: every entry has its figures and how they stand to the baseline.
    params.view()?;
    let comparison = load(&app, &params).await?;
    Ok((policy(&comparison), Json(comparison)).into_response())
}

/// Compare results, as a table
///
/// One row per metric and result. Bytes per second, I/Os per second and nanoseconds; `change` is relative
/// to the baseline, 0.1 is 10 % more, and empty where no percentage may be given.
#[utoipa::path(
    get,
    operation_id = "compare_results_table",
    path = "/api/v1/compare.csv",
    params(
        ("r" = String, Query, description = "1 to 8 result ids, separated by commas or in several `r`; `A~B` joins results of one drive in one configuration into one series"),
        ("show" = Option<String>, Query, description = "`relative` adds a column `share_of_baseline`, 1 for as much; `absolute` when not given"),
    ),
    responses(
        (status = 200, description = "The table", body = String, content_type = "text/csv"),
        (status = 400, description = "No results named, or more than eight", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "One of them does not exist", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn table(State(app): State<App>, params: Params) -> Result<Response, ApiError> {
    let comparison = load(&app, &params).await?;
    let relative = params.view()?.show == Show::Relative;
    let columns = [
        "metric",
        "cell",
        "result",
        "series",
        "status",
        "median",
        "mean",
        "min",
        "max",
        "deviation",
        "count",
        "standing",
        "change",
    ];
    let mut csv = Csv::new(columns.into_iter().chain(relative.then_some("share_of_baseline")));
    for row in &comparison.rows {
        let metric = row.metric.to_string();
        for (series, entry) in comparison.series.iter().zip(&row.entries) {
            let id = series.head.address();
            let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let stats = entry.stats.as_ref();
            let figures = [
                number(stats.map(|stats| stats.median)),
                number(stats.map(|stats| stats.mean)),
                number(stats.map(|stats| stats.min)),
                number(stats.map(|stats| stats.max)),
                number(stats.and_then(|stats| stats.deviation)),
                stats.map(|stats| stats.count.to_string()).unwrap_or_default(),
            ];
            let (standing, change) = standing(entry.standing);
            let status = entry.status.map_or("", CellStatus::token);
            let fixed = [metric.as_str(), &row.label, &id, &series.name, status];
            let cells = fixed.into_iter().chain(figures.iter().map(String::as_str));
            let change = number(change);
            let share = relative.then(|| number(charts::share(entry.standing)));
            csv.row(cells.chain([standing, change.as_str()]).chain(share.as_deref()));
        }
    }
    Ok((policy(&comparison), csv).into_response())
}

fn policy(comparison: &Comparison) -> CachePolicy {
    CachePolicy::data(comparison.series.iter().map(|series| &series.head))
}

async fn load(app: &App, params: &Params) -> Result<Comparison, ApiError> {
    let series = params.series()?;
    if series.is_empty() {
        return Err(ApiError::BadRequest("`r` names no result; give 1 to 8 ids".to_owned()));
    }
    Ok(analysis::comparison::compare(&app.library().summaries(&series).await?))
}

fn standing(standing: Standing) -> (&'static str, Option<f64>) {
    match standing {
        Standing::Baseline => ("baseline", None),
        Standing::Differs { change, .. } => ("differs", Some(change)),
        Standing::Tie { change } => ("tie", Some(change)),
        Standing::SpreadUnknown { change } => ("spread-unknown", Some(change)),
        Standing::NotComparable => ("not-comparable", None),
        Standing::Missing => ("missing", None),
    }
}
