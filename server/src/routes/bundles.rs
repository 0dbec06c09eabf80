//! Uploads: received within limits, opened, judged, stored. On any error nothing is stored.

use crate::{App, error::ApiError, error::ProblemDetails, params::Peer};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use bundle::{MAX_COMPRESSED_BYTES, Verified};
use http_body_util::BodyExt as _;
use model::ResultId;
use serde::Serialize;
use std::time::Duration;
use store::Inserted;
use utoipa::ToSchema;

/// How long an upload may take.
const RECEIVE: Duration = Duration::from_secs(120);
/// How long a refused upload is listened to: a sender that is cut off in mid-send never sees the answer.
const LISTEN: Duration = Duration::from_secs(5);
/// How much of a refused upload is listened to, bytes.
const LISTEN_BYTES: usize = 2 * MAX_COMPRESSED_BYTES;

const ACCEPTED: [&str; 3] = [bundle::MEDIA_TYPE, "application/zstd", "application/octet-stream"];

/// Where a result is to be found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uploaded {
    /// Its id.
    pub id: ResultId,
    /// Address of its page.
    pub page: String,
}

/// Publish a bundle
///
/// The bundle is verified and its exact bytes are kept. Sending it twice does no harm.
#[utoipa::path(
    post,
    operation_id = "publish_bundle",
    path = "/api/v1/bundles",
    request_body(content_type = "application/vnd.cliffmark.bundle+zstd", description = "The bundle as the runner wrote it, at most 8 MiB"),
    responses(
        (status = 201, description = "Stored", body = Uploaded, headers(("Location" = String, description = "Path of its page"))),
        (status = 200, description = "It had been stored before", body = Uploaded),
        (status = 400, description = "Damaged or cut off", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 408, description = "Sent too slowly", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "It was withdrawn by its signer before", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 413, description = "Too large, or opens to too much", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, description = "Not a bundle's media type", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "Not signed validly, not a document of a known version, or one that cannot be true", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 429, description = "Too many uploads; see Retry-After", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 503, description = "Too much to do; see Retry-After", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn upload(
    State(app): State<App>,
    Peer(peer): Peer,
    headers: HeaderMap,
    mut body: Body,
) -> Result<Response, ApiError> {
    let received = match receive(&app, peer, &headers, &mut body).await {
        Ok(bytes) => bytes,
        Err(refusal) => {
            // Who asked before sending has sent nothing yet, and need not.
            if !headers.contains_key(header::EXPECT) {
                listen(body).await;
            }
            return Err(refusal);
        }
    };
    let now_ms = (app.config().clock)();
    let (verified, bytes) = open(&app, received, now_ms).await?;
    let id = verified.id();
    let key = verified.key();
    let store = app.store().clone();
    // On its own, so that it comes to its end even when the asker goes away.
    let inserted = tokio::spawn(async move { store.insert(&verified, bytes, now_ms).await })
        .await
        .map_err(|error| ApiError::Internal(error.to_string()))??;
    let status = match inserted {
        Inserted::New => StatusCode::CREATED,
        Inserted::AlreadyThere => StatusCode::OK,
    };
    tracing::info!(%id, %key, ?inserted, "upload");
    let path = format!("/results/{id}");
    let page = format!("{}{path}", app.config().public_url);
    Ok((status, [(header::LOCATION, path)], Json(Uploaded { id, page })).into_response())
}

/// Receives the body within the limits on kind, number, size and time.
async fn receive(
    app: &App,
    peer: std::net::IpAddr,
    headers: &HeaderMap,
    body: &mut Body,
) -> Result<Vec<u8>, ApiError> {
    app.upload_limit().count(peer)?;
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let media_type = media_type.split(';').next().unwrap_or("").trim();
    if !ACCEPTED.iter().any(|accepted| accepted.eq_ignore_ascii_case(media_type)) {
        return Err(ApiError::MediaType);
    }
    let announced: Option<u64> =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|bytes| bytes > MAX_COMPRESSED_BYTES as u64) {
        return Err(ApiError::TooLarge);
    }
    let _turn = app.receiving().try_acquire().map_err(|_| ApiError::Busy)?;
    let mut bytes = Vec::new();
    let receiving = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| ApiError::BrokenOff)?;
            if let Some(data) = frame.data_ref() {
                if bytes.len() + data.len() > MAX_COMPRESSED_BYTES {
                    return Err(ApiError::TooLarge);
                }
                bytes.extend_from_slice(data);
            }
        }
        Ok(())
    };
    tokio::time::timeout(RECEIVE, receiving).await.unwrap_or(Err(ApiError::TooSlow(RECEIVE.as_secs())))?;
    Ok(bytes)
}

/// Takes what is still being sent, and throws it away.
async fn listen(mut body: Body) {
    let mut heard = 0;
    let listening = async {
        while let Some(Ok(frame)) = body.frame().await {
            heard += frame.data_ref().map_or(0, |data| data.len());
            if heard > LISTEN_BYTES {
                return;
            }
        }
    };
    // Whoever sends for longer is cut off.
    let _ = tokio::time::timeout(LISTEN, listening).await;
}

/// Opens and judges a bundle on a thread of its own.
async fn open(app: &App, bytes: Vec<u8>, now_ms: u64) -> Result<(Verified, Vec<u8>), ApiError> {
    let _turn = app.opening().acquire().await.map_err(|error| ApiError::Internal(error.to_string()))?;
    let opening = tokio::task::spawn_blocking(move || {
        let verified = bundle::open(&bytes)?;
        let mut findings = analysis::plausibility::check(verified.document());
        findings.extend(analysis::plausibility::begins_later(verified.document(), now_ms));
        findings.retain(|finding| finding.fatal);
        if findings.is_empty() { Ok((verified, bytes)) } else { Err(ApiError::Implausible(findings)) }
    });
    opening.await.map_err(|error| ApiError::Internal(error.to_string()))?
}
