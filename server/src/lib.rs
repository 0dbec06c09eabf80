//! Receives bundles, serves pages, the API and pictures.
//!
//! Knows HTTP. Does not know SQL (`store`), what makes a bundle valid (`bundle`), what figures mean
//! (`analysis`), how charts look (`charts`, `render`) or pages read (`web`).

pub mod app;
pub mod assets;
pub mod cache;
pub mod csv;
pub mod error;
pub mod library;
pub mod limits;
pub mod middleware;
pub mod openapi;
pub mod params;
pub mod pictures;
pub mod router;
pub mod routes;

pub use app::{App, Config};

use axum::{ServiceExt, extract::Request, serve::ListenerExt as _};
use std::{future::Future, io, net::SocketAddr, time::Duration};
use tokio::{net::TcpListener, sync::oneshot};

/// How long requests that are being answered may go on after the end was asked for.
const DRAIN: Duration = Duration::from_secs(10);

/// Serves until `shutdown` is done, then lets running requests come to their end, but not for ever.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    app: App,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let store = app.store().clone();
    // Without it an answer's last packet waits for the asker's acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
    });
    let (ending, ended) = oneshot::channel();
    let service =
        ServiceExt::<Request>::into_make_service_with_connect_info::<SocketAddr>(router::service(app));
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
        shutdown.await;
        tracing::info!("shutting down");
        let _ = ending.send(());
    });
    let too_long = async {
        match ended.await {
            Ok(()) => tokio::time::sleep(DRAIN).await,
            // The server itself has ended; the other branch says how.
            Err(_) => std::future::pending().await,
        }
    };
    let outcome = tokio::select! {
        outcome = serving => outcome,
        () = too_long => {
            tracing::warn!("requests were still running after {} s and are cut off", DRAIN.as_secs());
            Ok(())
        }
    };
    store.close().await;
    outcome
}
