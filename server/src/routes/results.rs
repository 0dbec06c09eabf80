//! Results as data: lists, one result, its table, its signed bytes.

use crate::{
    App,
    cache::CachePolicy,
    csv::Csv,
    error::{ApiError, ProblemDetails},
    params::{Params, Path, shortened},
};
use analysis::plausibility::{self, Finding};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use model::{
    ResultDocument,
    ids::ResultIdPrefix,
    pass::PassId,
    summary::{MetricSummary, ResultSummary},
};
use serde::Serialize;
use store::{ListQuery, Page, Sort};
use utoipa::ToSchema;

/// A page of a list of results.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultList {
    /// The results.
    pub results: Vec<ResultSummary>,
    /// The `cursor` of the next page, `null` on the last.
    pub next: Option<String>,
    /// Number of results on all pages.
    pub total: u64,
}

/// A result with its document.
#[derive(Debug, Serialize, ToSchema)]
pub struct WholeResult {
    /// Its figures.
    pub summary: ResultSummary,
    /// What was signed.
    pub document: ResultDocument,
    /// What a reader should know about the document.
    pub findings: Vec<Remark>,
}

/// One thing that a reader should know.
#[derive(Debug, Serialize, ToSchema)]
pub struct Remark {
    /// A short code.
    pub code: String,
    /// The field concerned.
    pub path: String,
    /// One sentence.
    pub text: String,
    /// The figure that the sentence is about, `5.6 requests`; `null` where there is none.
    pub figure: Option<String>,
}

/// Reads a list's query.
///
/// # Errors
/// When a part of it cannot be read.
pub fn list_query(params: &Params) -> Result<ListQuery, ApiError> {
    let text = |name| Ok::<_, ApiError>(params.one(name)?.map(str::to_owned));
    let usual = ListQuery::default();
    let (cursor, limit) = params.page(usual.limit)?;
    Ok(ListQuery {
        q: text("q")?.unwrap_or_default(),
        drive: text("drive")?,
        capacity: text("capacity")?,
        suite: text("suite")?,
        key: params.read("key", "64 lower-case hexadecimal digits")?,
        method: params.read("method", "the id of a method as /methods lists them")?,
        sort: params
            .read::<Sort>(
                "sort",
                "newest, oldest, drive, or the id of a metric as seq-read.1MiB.q8.t1/bytes_per_s",
            )?
            .unwrap_or(usual.sort),
        cursor,
        limit,
    })
}

/// List and search results
///
/// Public results only. A search finds results that have all its words.
#[utoipa::path(
    get,
    operation_id = "list_results",
    path = "/api/v1/results",
    params(
        ("q" = Option<String>, Query, description = "Words to search for, at most 8"),
        ("drive" = Option<String>, Query, description = "A drive's name in addresses, `drive_slug`"),
        ("capacity" = Option<String>, Query, description = "Capacity as on a data sheet, `2 TB` or `2tb`"),
        ("suite" = Option<String>, Query, description = "Name of a suite"),
        ("key" = Option<String>, Query, description = "Id of a key, 64 hexadecimal digits"),
        ("method" = Option<String>, Query, description = "Id of a method that a cell was measured by"),
        ("sort" = Option<String>, Query, description = "`newest`, `oldest`, `drive`, or the id of a metric: best first, measured and complete ones only; of other than random data behind the others"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before"),
        ("limit" = Option<u32>, Query, description = "Results on the page, 1 to 100; 20 when not given"),
    ),
    responses(
        (status = 200, description = "A page of the list", body = ResultList),
        (status = 400, description = "The query cannot be read", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn list(State(app): State<App>, params: Params) -> Result<Response, ApiError> {
    let Page { results, next, total } = app.store().list(&list_query(&params)?).await?;
    Ok((CachePolicy::Page, Json(ResultList { results, next, total })).into_response())
}

/// One result
///
/// Its figures, the signed document, and remarks on it.
#[utoipa::path(
    get,
    operation_id = "get_result",
    path = "/api/v1/results/{id}",
    params(("id" = String, Path, description = "16 to 64 digits of the result's id; an unlisted result needs all")),
    responses(
        (status = 200, description = "The result", body = WholeResult),
        (status = 404, description = "No such result", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "Withdrawn by its signer", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn one(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    if let Some(id) = id.strip_suffix(".csv") {
        return table(app, id).await;
    }
    let entry = app.library().entry(summary(&app, &id).await?).await?;
    let findings = remarks(entry.document());
    let policy = CachePolicy::data([&entry.summary.head]);
    let document = entry.document().clone();
    let whole = WholeResult { summary: entry.summary.clone(), document, findings };
    Ok((policy, Json(whole)).into_response())
}

/// One result as a table
///
/// One row per metric: statistics, then the value of every measured loop, separated by spaces. Bytes
/// per second, I/Os per second and nanoseconds.
#[utoipa::path(
    get,
    operation_id = "get_result_table",
    path = "/api/v1/results/{id}.csv",
    params(("id" = String, Path, description = "16 to 64 digits of the result's id; an unlisted result needs all")),
    responses(
        (status = 200, description = "The table", body = String, content_type = "text/csv"),
        (status = 404, description = "No such result", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "Withdrawn by its signer", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
async fn table(app: App, id: &str) -> Result<Response, ApiError> {
    let ResultSummary { head, metrics, passes, moved, .. } = summary(&app, id).await?;
    let mut csv = Csv::new([
        "result",
        "drive",
        "suite",
        "cell",
        "metric",
        "method",
        "status",
        "count",
        "median",
        "mean",
        "min",
        "max",
        "deviation",
        "values",
    ]);
    let result = head.id.to_string();
    for metric in &metrics {
        let figures = figures(metric);
        let values: Vec<String> = metric.values.iter().map(f64::to_string).collect();
        let (name, method) = (metric.metric.to_string(), metric.method.to_string());
        let fixed = [&result, &head.drive, &head.suite, &metric.label, &name, &method].map(String::as_str);
        let cells =
            fixed.into_iter().chain([metric.status.token()]).chain(figures.iter().map(String::as_str));
        csv.row(cells.chain([values.join(" ").as_str()]));
    }
    let mut row = |label: &str, metric: &str, method: &PassId, status: &str, value: Option<f64>| {
        let Some(value) = value.map(|value| value.to_string()) else { return };
        let method = method.to_string();
        let fixed = [result.as_str(), &head.drive, &head.suite, label, metric, &method, status, "1"];
        let value = value.as_str();
        csv.row(fixed.into_iter().chain([value, value, value, value, "", value]));
    };
    for trace in passes.iter().flat_map(|pass| &pass.traces) {
        let label = trace.method.method().label();
        let figures = [
            ("bytes_per_s", trace.bytes_per_s),
            ("read_access_ns", trace.read_access_ns),
            ("write_access_ns", trace.write_access_ns),
        ];
        for (metric, value) in figures {
            row(&label, metric, &trace.method, trace.status.token(), value);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
    for one in &moved {
        let figures = [
            ("bytes_per_s", one.bytes_per_s),
            ("elapsed_ns", Some(one.elapsed_ns as f64)),
            ("settled_ns", one.settled_ns.map(|ns| ns as f64)),
        ];
        for (metric, value) in figures {
            row(&one.title, metric, &one.method, one.status.token(), value);
        }
    }
    let name = format!("attachment; filename=\"cliffmark-{}.csv\"", head.id.short());
    Ok((CachePolicy::data([&head]), [(header::CONTENT_DISPOSITION, name)], csv).into_response())
}

/// The signed bytes of one result
///
/// Exactly the bytes that were uploaded.
#[utoipa::path(
    get,
    operation_id = "get_bundle",
    path = "/api/v1/results/{id}/bundle",
    params(("id" = String, Path, description = "16 to 64 digits of the result's id; an unlisted result needs all")),
    responses(
        (status = 200, description = "The bundle", content_type = "application/vnd.cliffmark.bundle+zstd"),
        (status = 404, description = "No such result", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "Withdrawn by its signer", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn signed_bytes(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let head = summary(&app, &id).await?.head;
    let id = head.id;
    let bytes = app.store().bundle_bytes(id).await?;
    let name = format!("attachment; filename=\"{}.{}\"", id.short(), bundle::EXTENSION);
    let headers =
        [(header::CONTENT_TYPE, bundle::MEDIA_TYPE.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((CachePolicy::data([&head]), headers, bytes).into_response())
}

/// The figures of the result that an address names.
///
/// # Errors
/// When the text is no id, or none or more than one result answers to it.
pub async fn summary(app: &App, id: &str) -> Result<ResultSummary, ApiError> {
    let prefix: ResultIdPrefix = id.parse().map_err(|_| ApiError::NoSuchResult(shortened(id)))?;
    app.library().summary(&prefix).await
}

/// What readers should know about a document that was accepted.
#[must_use]
pub fn remarks(document: &ResultDocument) -> Vec<Remark> {
    plausibility::check(document)
        .into_iter()
        .map(|Finding { code, path, text, figure, .. }| Remark { code: code.to_owned(), path, text, figure })
        .collect()
}

/// All that must be kept in mind with a document's figures: remarks, and what cannot be proven.
#[must_use]
pub fn care(document: &ResultDocument) -> Vec<plausibility::Remark> {
    let mut all = remarks_by_cell(document);
    let passes = document.passes.iter().map(|pass| &pass.proof);
    let proofs = document.cells.iter().map(|cell| &cell.proof).chain(passes);
    for unproven in proofs.flat_map(|proof| &proof.unproven) {
        let text = unproven.text();
        if !all.iter().any(|known| known.text == text) {
            all.push(plausibility::Remark { text: text.to_owned(), cells: Vec::new() });
        }
    }
    all
}

/// The same for a result's page, where what cannot be proven stands beside the evidence.
#[must_use]
pub fn remarks_by_cell(document: &ResultDocument) -> Vec<plausibility::Remark> {
    plausibility::by_cell(document, &plausibility::check(document))
}

/// Count, median, mean, least, greatest and deviation as cells; empty where there is none.
fn figures(metric: &MetricSummary) -> [String; 6] {
    let Some(stats) = &metric.stats else { return Default::default() };
    let deviation = stats.deviation.map(|value| value.to_string()).unwrap_or_default();
    let [median, mean, min, max] = [stats.median, stats.mean, stats.min, stats.max].map(|v| v.to_string());
    [stats.count.to_string(), median, mean, min, max, deviation]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    #[test]
    fn a_remark_stands_once_with_its_cells() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        assert_eq!(remarks_by_cell(&document), []);
        // The two sequential reads.
        for index in [0, 2] {
            for one in &mut document.cells[index].loops {
                let device = one.device.as_mut().unwrap();
                device.read_bytes += device.read_bytes / 10;
            }
        }
        let [remark] = &remarks_by_cell(&document)[..] else { panic!("one remark") };
        assert_eq!(remark.cells, ["SEQ1M Q8T1 read", "SEQ1M Q1T1 read"]);
    }
}
