//! Every route, and what is drawn around them.

use crate::{
    App,
    error::ApiError,
    middleware,
    openapi::ApiDoc,
    routes::{assets, bundles, charts, compare, health, pages, results, statements},
};
use axum::{Router, extract::Request, http::Method, routing::get};
use tower::{
    Layer as _,
    util::{MapRequest, MapRequestLayer},
};
use utoipa::{OpenApi as _, openapi::OpenApi};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The whole service.
pub type Service = MapRequest<Router, fn(Request) -> Request>;

/// The routes of the API, which describe themselves.
fn api() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(ApiDoc::openapi())
        .routes(routes!(bundles::upload))
        .routes(routes!(statements::state))
        .routes(routes!(results::list))
        // Also answers `{id}.csv`: a parameter takes a whole segment of the path.
        .routes(routes!(results::one))
        .routes(routes!(results::signed_bytes))
        .routes(routes!(compare::compare))
        .routes(routes!(compare::table))
}

/// The description of the API.
#[must_use]
pub fn openapi() -> OpenApi {
    api().into_openapi()
}

/// All routes with the middleware around them.
pub fn service(app: App) -> Service {
    let (api, _) = api().split_for_parts();
    let router = api
        .route("/api/openapi.json", get(health::openapi))
        .route("/charts/{file}", get(charts::chart))
        .route("/assets/{file}", get(assets::asset))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/", get(pages::home))
        .route("/results/{id}", get(pages::result))
        .route("/compare", get(pages::compare))
        .route("/methods", get(pages::methods))
        .route("/methods/{id}", get(pages::method))
        .route("/open", get(pages::open))
        .route("/upload", get(pages::upload))
        .route("/about", get(pages::about))
        .fallback(|| async { ApiError::NoSuchPage })
        .method_not_allowed_fallback(|| async { ApiError::Method });
    let router = middleware::wrap(router, &app).with_state(app);
    MapRequestLayer::new(head_as_get as fn(Request) -> Request).layer(router)
}

/// HEAD is answered as GET, so that its headers, the tag among them, are those of GET; hyper sends no body.
fn head_as_get(mut request: Request) -> Request {
    if request.method() == Method::HEAD {
        *request.method_mut() = Method::GET;
    }
    request
}
