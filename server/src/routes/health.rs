//! For those who watch the server, and the API's own description.

use crate::{App, cache::CachePolicy, error::ApiError, router};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};

/// The process runs.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// The process answers questions: the database does.
pub async fn ready(State(app): State<App>) -> Result<&'static str, ApiError> {
    app.store().ready().await.map_err(|error| {
        tracing::error!(error = %crate::error::chain(&error), "not ready");
        ApiError::Busy
    })?;
    Ok("ready\n")
}

/// The description of the API.
pub async fn openapi() -> Response {
    (CachePolicy::Revalidate, Json(router::openapi())).into_response()
}
