//! Everything that can be answered instead of what was asked: one table of status, type and words.
//!
//! An error is `application/problem+json` (RFC 9457); the middleware turns it into a page where a
//! page was asked for. Texts of 5xx never hold the inner error, which is logged here, once.

use analysis::plausibility::Finding;
use axum::{
    extract::rejection::{PathRejection, QueryRejection},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bundle::{FrameError, OpenError, StatementError};
use model::{chart_id::UnknownChart, document::DocumentError};
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::{StatementRefusal, StoreError};
use utoipa::ToSchema;

/// Why a request is not answered as asked.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Nothing lies at this address.
    #[error("there is nothing at this address")]
    NoSuchPage,
    /// No result answers to this id.
    #[error(
        "no result answers to `{0}`; ids have 16 to 64 lower-case hexadecimal digits, an unlisted result needs all 64"
    )]
    NoSuchResult(String),
    /// The text is no method id.
    #[error(transparent)]
    NoSuchMethod(model::method::MethodIdError),
    /// More than one result begins so.
    #[error("more than one result begins with {0}; give more digits")]
    Ambiguous(String),
    /// The method is not for this address.
    #[error("this address does not answer to that method")]
    Method,
    /// The address cannot be read.
    #[error("{0}")]
    BadRequest(String),
    /// No chart of that name.
    #[error(transparent)]
    UnknownChart(#[from] UnknownChart),
    /// None of the results has figures for the chart.
    #[error("none of these results has figures for the chart `{0}`")]
    NoChartData(model::chart_id::ChartId),
    /// A body of another type.
    #[error("a bundle is sent as {}, application/zstd or application/octet-stream", bundle::MEDIA_TYPE)]
    MediaType,
    /// A body over the limit.
    #[error("a bundle has at most {}", model::units::format_size(bundle::MAX_COMPRESSED_BYTES as u64))]
    TooLarge,
    /// A body that did not come to its end.
    #[error("the upload broke off; send it again, that does no harm")]
    BrokenOff,
    /// A body that came too slowly.
    #[error("the upload took longer than {0} s; send it again over a faster connection")]
    TooSlow(u64),
    /// The bundle cannot be opened.
    #[error(transparent)]
    Bundle(#[from] OpenError),
    /// The document cannot be true.
    #[error("the document cannot be true: {}", .0.first().map_or("", |finding| finding.text.as_str()))]
    Implausible(Vec<Finding>),
    /// Too many uploads from one place.
    #[error("too many uploads from your address; try again in {0} s")]
    RateLimited(u64),
    /// Too much to do at once.
    #[error("the server has too much to do; try again in a moment")]
    Busy,
    /// The answer took too long.
    #[error("the answer took too long; try again in a moment")]
    Timeout,
    /// Its signer took the result back.
    #[error("result {0} was withdrawn by the key that signed it; its bytes are gone")]
    Withdrawn(String),
    /// A statement's body of another type.
    #[error("a statement is sent as {} or application/json", bundle::ENVELOPE_MEDIA_TYPE)]
    StatementMediaType,
    /// A statement that cannot be read, or whose signature is wrong.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A statement that was made later than now.
    #[error(
        "the statement claims to have been made later than now: the clock of its signer is wrong; set it and make a new one"
    )]
    StatementTime,
    /// A statement that does not count.
    #[error(transparent)]
    StatementRefused(#[from] StatementRefusal),
    /// Something on our side; the log knows what.
    #[error("something went wrong on the server; it has been written to its log")]
    Internal(String),
}

/// An error's fixed part: what programs tell errors apart by.
struct Kind {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
}

impl ApiError {
    /// The table of all errors.
    fn kind(&self) -> Kind {
        use StatusCode as S;
        let (status, code, title) = match self {
            Self::NoSuchPage => (S::NOT_FOUND, "not-found", "Not found"),
            Self::NoSuchResult(_) => (S::NOT_FOUND, "no-such-result", "No such result"),
            Self::NoSuchMethod(_) => (S::NOT_FOUND, "no-such-method", "No such method"),
            Self::Ambiguous(_) => (S::CONFLICT, "ambiguous-id", "More than one result"),
            Self::Method => (S::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed"),
            Self::BadRequest(_) => (S::BAD_REQUEST, "bad-request", "The address cannot be read"),
            Self::UnknownChart(_) => (S::NOT_FOUND, "unknown-chart", "No such chart"),
            Self::NoChartData(_) => (S::NOT_FOUND, "no-chart-data", "Nothing to draw"),
            Self::MediaType => (S::UNSUPPORTED_MEDIA_TYPE, "media-type", "Not a bundle's media type"),
            Self::TooLarge => (S::PAYLOAD_TOO_LARGE, "too-large", "The bundle is too large"),
            Self::BrokenOff => (S::BAD_REQUEST, "broken-off", "The upload broke off"),
            Self::TooSlow(_) => (S::REQUEST_TIMEOUT, "too-slow", "The upload is too slow"),
            Self::Bundle(error) => return bundle_kind(error),
            Self::Implausible(_) => (S::UNPROCESSABLE_ENTITY, "implausible", "The document cannot be true"),
            Self::RateLimited(_) => (S::TOO_MANY_REQUESTS, "rate-limited", "Too many uploads"),
            Self::Busy => (S::SERVICE_UNAVAILABLE, "busy", "Busy"),
            Self::Timeout => (S::SERVICE_UNAVAILABLE, "timeout", "Too slow"),
            Self::Withdrawn(_) => (S::GONE, "withdrawn", "Withdrawn"),
            Self::StatementMediaType => {
                (S::UNSUPPORTED_MEDIA_TYPE, "media-type", "Not a statement's media type")
            }
            Self::Statement(error) => return statement_kind(error),
            Self::StatementTime => (S::UNPROCESSABLE_ENTITY, "statement-time", "Made later than now"),
            Self::StatementRefused(refusal) => match refusal {
                StatementRefusal::NoSuchResult(_) => (S::NOT_FOUND, "no-such-result", "No such result"),
                StatementRefusal::OtherKey { .. } => (S::FORBIDDEN, "other-key", "Signed by another key"),
                StatementRefusal::Replayed => (S::CONFLICT, "statement-replayed", "Received before"),
                StatementRefusal::Superseded => (S::CONFLICT, "statement-superseded", "A later one counts"),
            },
            Self::Internal(_) => (S::INTERNAL_SERVER_ERROR, "internal", "Server error"),
        };
        Kind { status, code, title }
    }

    /// Members beyond those that every problem has.
    fn extra(&self) -> Map<String, Value> {
        let value = match self {
            Self::TooLarge | Self::Bundle(OpenError::Frame(FrameError::TooLarge(_))) => {
                json!({ "limit_bytes": bundle::MAX_COMPRESSED_BYTES })
            }
            Self::Bundle(OpenError::Document(error)) => match error {
                DocumentError::NewerSchema { found } => {
                    json!({ "needed_schema": found, "supported_schema": model::document::SCHEMA })
                }
                DocumentError::Malformed { path, .. } | DocumentError::OutOfRange { path, .. } => {
                    json!({ "path": path })
                }
            },
            Self::Statement(StatementError::TooLarge) => {
                json!({ "limit_bytes": bundle::MAX_STATEMENT_BYTES })
            }
            Self::Statement(StatementError::Document(error)) => match error {
                DocumentError::NewerSchema { found } => {
                    json!({ "needed_schema": found, "supported_schema": model::statement::SCHEMA })
                }
                DocumentError::Malformed { path, .. } | DocumentError::OutOfRange { path, .. } => {
                    json!({ "path": path })
                }
            },
            Self::Implausible(findings) => {
                let errors: Vec<Value> = findings
                    .iter()
                    .map(|finding| json!({ "code": finding.code, "path": finding.path, "detail": finding.text }))
                    .collect();
                json!({ "errors": errors })
            }
            _ => return Map::new(),
        };
        if let Value::Object(members) = value { members } else { Map::new() }
    }

    fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::RateLimited(seconds) => Some(*seconds),
            Self::Busy | Self::Timeout => Some(2),
            _ => None,
        }
    }
}

fn bundle_kind(error: &OpenError) -> Kind {
    use StatusCode as S;
    let (status, code, title) = match error {
        OpenError::Frame(FrameError::TooLarge(_)) => {
            (S::PAYLOAD_TOO_LARGE, "too-large", "The bundle is too large")
        }
        OpenError::Frame(FrameError::OpensTooLarge | FrameError::Ratio) => {
            (S::PAYLOAD_TOO_LARGE, "bundle-opens-too-large", "The bundle opens to too much")
        }
        OpenError::Frame(FrameError::Truncated) => {
            (S::BAD_REQUEST, "bundle-truncated", "The bundle is cut off")
        }
        OpenError::Frame(FrameError::Foreign) => (S::BAD_REQUEST, "not-a-bundle", "This is no bundle"),
        OpenError::Frame(FrameError::Damaged(_) | FrameError::Trailing(_)) => {
            (S::BAD_REQUEST, "bundle-damaged", "The bundle is damaged")
        }
        OpenError::Envelope(_) | OpenError::SignatureCount(_) => {
            (S::UNPROCESSABLE_ENTITY, "bundle-envelope", "Not a signed envelope")
        }
        OpenError::PayloadType { .. } => (S::UNPROCESSABLE_ENTITY, "bundle-payload-type", "Not a result"),
        OpenError::BadKey | OpenError::BadSignature => {
            (S::UNPROCESSABLE_ENTITY, "bundle-signature", "The signature is not valid")
        }
        OpenError::Document(DocumentError::NewerSchema { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "document-version", "Another version is needed")
        }
        OpenError::Document(DocumentError::Malformed { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "document-malformed", "The document is malformed")
        }
        OpenError::Document(DocumentError::OutOfRange { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "document-out-of-range", "The document is out of range")
        }
    };
    Kind { status, code, title }
}

fn statement_kind(error: &StatementError) -> Kind {
    use StatusCode as S;
    let (status, code, title) = match error {
        StatementError::TooLarge => (S::PAYLOAD_TOO_LARGE, "too-large", "The statement is too large"),
        StatementError::Envelope(_) | StatementError::SignatureCount(_) => {
            (S::UNPROCESSABLE_ENTITY, "statement-envelope", "Not a signed envelope")
        }
        StatementError::PayloadType { .. } => {
            (S::UNPROCESSABLE_ENTITY, "statement-payload-type", "Not a statement")
        }
        StatementError::BadKey | StatementError::BadSignature => {
            (S::UNPROCESSABLE_ENTITY, "statement-signature", "The signature is not valid")
        }
        StatementError::Document(DocumentError::NewerSchema { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "statement-version", "Another version is needed")
        }
        StatementError::Document(_) => {
            (S::UNPROCESSABLE_ENTITY, "statement-malformed", "The statement is malformed")
        }
    };
    Kind { status, code, title }
}

/// An error's words, left in the answer for the middleware that makes pages of errors.
#[derive(Debug, Clone)]
pub struct ErrorWords {
    /// A few words.
    pub title: &'static str,
    /// One sentence.
    pub detail: String,
}

/// A problem as answers hold it; RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemDetails {
    /// Tells kinds of problems apart: `/problems/bundle-signature`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened, why, and what to do next.
    pub detail: String,
    /// Members of this kind: `path`, `limit_bytes`, `errors`, ….
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Internal(cause) = &self {
            tracing::error!(%cause, "a request failed");
        }
        let Kind { status, code, title } = self.kind();
        let detail = self.to_string();
        let problem = ProblemDetails {
            kind: format!("/problems/{code}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: detail.clone(),
            extra: self.extra(),
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_s() {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(ErrorWords { title, detail });
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Ambiguous(prefix) => Self::Ambiguous(prefix),
            StoreError::Question(reason) => Self::BadRequest(reason),
            StoreError::Withdrawn(prefix) => Self::Withdrawn(prefix),
            StoreError::Statement(refusal) => Self::StatementRefused(refusal),
            other => Self::Internal(chain(&other)),
        }
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> Self {
        Self::NoSuchPage
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::BadRequest(rejection.body_text())
    }
}

/// An error with all its causes, for the log.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
