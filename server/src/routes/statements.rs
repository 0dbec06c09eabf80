//! What signers say of their results later: received, checked, done.

use crate::{
    App,
    error::{ApiError, ProblemDetails},
    params::Peer,
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, header},
};
use bundle::{MAX_STATEMENT_BYTES, StatementError};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use model::{ResultId, statement::Action};
use serde::Serialize;
use std::time::Duration;
use store::Standing;
use utoipa::ToSchema;

/// How long a statement may take to arrive.
const RECEIVE: Duration = Duration::from_secs(30);
/// How far the signer's clock may go before ours, milliseconds: a day, as for runs.
const CLOCKS_APART_MS: u64 = 24 * 3_600 * 1_000;

const ACCEPTED: [&str; 3] = [bundle::ENVELOPE_MEDIA_TYPE, model::statement::PAYLOAD_TYPE, "application/json"];

/// How a result stands after a statement.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stated {
    /// The result.
    pub result: ResultId,
    /// What was stated.
    pub action: Action,
    /// How it stands now.
    pub standing: StandingNow,
    /// When it becomes public, milliseconds since 1970 UTC; `null` when it is, or never will be.
    pub public_from_unix_ms: Option<u64>,
}

/// How a result stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StandingNow {
    /// Its bytes are purged, its addresses answer 410.
    Withdrawn,
    /// Everyone finds it.
    Public,
    /// Not yet listed.
    Unlisted,
}

/// State something about a result
///
/// A DSSE envelope whose payload, of type `application/vnd.cliffmark.statement.v1+json`, is signed by the key that signed
/// the result. `withdraw` purges the result; `release` makes an unlisted one public, at once or from a time on. Each
/// nonce counts once.
#[utoipa::path(
    post,
    operation_id = "state",
    path = "/api/v1/statements",
    request_body(content_type = "application/vnd.dsse.envelope.v1+json", description = "The signed envelope as JSON, at most 16 KiB"),
    responses(
        (status = 200, description = "Done", body = Stated),
        (status = 403, description = "Signed by another key than the result", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "No such result", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "Its nonce was used before, or a later release counts", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "The result was withdrawn", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, description = "Not a statement's media type", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "Not signed validly, or no statement of a known version", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 429, description = "Too many; see Retry-After", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn state(
    State(app): State<App>,
    Peer(peer): Peer,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Stated>, ApiError> {
    app.upload_limit().count(peer)?;
    let bytes = receive(&headers, body).await?;
    let verified = bundle::open_statement(&bytes)?;
    let now_ms = (app.config().clock)();
    let statement = verified.statement().clone();
    if statement.made_unix_ms > now_ms.saturating_add(CLOCKS_APART_MS) {
        return Err(ApiError::StatementTime);
    }
    let key = verified.key();
    let store = app.store().clone();
    // On its own, so that it comes to its end even when the asker goes away.
    let standing = tokio::spawn(async move { store.state(&verified, now_ms).await })
        .await
        .map_err(|error| ApiError::Internal(error.to_string()))??;
    let (result, action) = (statement.result, statement.action);
    tracing::info!(%result, %key, action = action.token(), ?standing, "statement");
    let (standing, public_from_unix_ms) = match standing {
        Standing::Withdrawn => {
            app.library().forget(result).await;
            (StandingNow::Withdrawn, None)
        }
        Standing::Public => (StandingNow::Public, None),
        Standing::UnlistedUntil(from) => (StandingNow::Unlisted, Some(from)),
    };
    Ok(Json(Stated { result, action, standing, public_from_unix_ms }))
}

async fn receive(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, ApiError> {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let media_type = media_type.split(';').next().unwrap_or("").trim();
    if !ACCEPTED.iter().any(|accepted| accepted.eq_ignore_ascii_case(media_type)) {
        return Err(ApiError::StatementMediaType);
    }
    let receiving = Limited::new(body, MAX_STATEMENT_BYTES).collect();
    match tokio::time::timeout(RECEIVE, receiving).await {
        Err(_) => Err(ApiError::TooSlow(RECEIVE.as_secs())),
        Ok(Ok(collected)) => Ok(collected.to_bytes().to_vec()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatementError::TooLarge.into()),
        Ok(Err(_)) => Err(ApiError::BrokenOff),
    }
}
