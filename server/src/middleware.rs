//! What happens to every request and answer, from the outside in: [`wrap`] is the list.

use crate::{
    App,
    cache::{mark_encoding, write_headers},
    error::{ApiError, ErrorWords},
    params::Here,
};
use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{Html, IntoResponse, Response},
};
use std::{
    any::Any,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{DefaultPredicate, NotForContentType, Predicate as _},
    },
};
use tracing::Instrument as _;

/// Longest time that an answer is worked on; uploads have their own clock for the body.
const DEADLINE: Duration = Duration::from_secs(180);

/// Scripts and styles come from files of this server only, nothing is inline. `wasm-unsafe-eval`
/// allows WebAssembly and nothing else.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'self'";
/// Our pictures style themselves and do nothing else, wherever they are opened.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Headers that every answer has.
const SECURITY: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Puts the middleware around all routes; the last one here is the outermost.
pub fn wrap(router: Router<App>, app: &App) -> Router<App> {
    // What is compressed already gains nothing.
    let worth_it = DefaultPredicate::new()
        .and(NotForContentType::const_new(bundle::MEDIA_TYPE))
        .and(NotForContentType::const_new("font/"));
    router
        .layer(from_fn_with_state(app.clone(), release_due))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(deadline))
        .layer(from_fn_with_state(app.clone(), error_pages))
        .layer(from_fn(write_headers))
        .layer(CompressionLayer::new().compress_when(worth_it))
        .layer(from_fn(mark_encoding))
        .layer(from_fn(security_headers))
        .layer(from_fn(log))
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(payload: Box<dyn Any + Send>) -> Response {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    ApiError::Internal(format!("a handler panicked: {text}")).into_response()
}

async fn deadline(request: Request, next: Next) -> Response {
    tokio::time::timeout(DEADLINE, next.run(request))
        .await
        .unwrap_or_else(|_| ApiError::Timeout.into_response())
}

/// Before anything is answered, what was to become public by now is.
async fn release_due(State(app): State<App>, request: Request, next: Next) -> Response {
    if let Err(error) = app.store().release_due((app.config().clock)()).await {
        // It stays unlisted, and is tried again with the next request.
        tracing::error!(error = %crate::error::chain(&error), "a release could not be carried out");
    }
    next.run(request).await
}

/// Turns a problem into a page where a page was asked for.
async fn error_pages(State(app): State<App>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if is_for_programs(uri.path()) {
        return response;
    }
    let Some(ErrorWords { title, detail }) = response.extensions().get().cloned() else { return response };
    let status = response.status();
    let page = web::pages::error(&app.page_context(Here::of(&uri)), status.as_u16(), title, &detail);
    let mut answer = (status, Html(page)).into_response();
    for name in [header::RETRY_AFTER, header::ALLOW] {
        if let Some(value) = response.headers().get(&name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// Whether programs rather than people ask for this path.
fn is_for_programs(path: &str) -> bool {
    ["/api/", "/charts/", "/assets/"].iter().any(|prefix| path.starts_with(prefix))
        || matches!(path, "/healthz" | "/readyz")
}

async fn security_headers(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let picture = path.starts_with("/charts/") && path.ends_with(".svg");
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let for_everyone = reads && (path.starts_with("/api/") || path.starts_with("/charts/"));
    let mut response = next.run(request).await;
    let status = response.status();
    let headers = response.headers_mut();
    for (name, value) in SECURITY {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    // An answer without a body has the headers of the one that it stands for.
    let policy = if is_svg(headers) || (picture && status == StatusCode::NOT_MODIFIED) {
        PICTURE_POLICY
    } else {
        PAGE_POLICY
    };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    let resource = if for_everyone { "cross-origin" } else { "same-origin" };
    headers
        .insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static(resource));
    if for_everyone {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    response
}

fn is_svg(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"image/svg+xml"))
}

/// Numbers requests and writes one line for each: no address of the asker, no query.
async fn log(request: Request, next: Next) -> Response {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.as_deref().unwrap_or("none");
    let started = Instant::now();
    let span = tracing::info_span!("request", number, %method, route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    span.in_scope(|| tracing::info!(status = response.status().as_u16(), elapsed_ms, "answered"));
    response.headers_mut().insert(HeaderName::from_static("x-request-id"), number.into());
    response
}
