//! A server to talk to, bundles to send, and answers to look at.

use cliffmark_server::{App, Config, serve};
use ed25519_dalek::SigningKey;
use model::{ResultDocument, fixtures, reading::Reading};
use serde_json::Value;
use std::{
    fs,
    net::SocketAddr,
    num::{NonZeroU32, NonZeroUsize},
    path::Path,
    sync::LazyLock,
    thread::JoinHandle,
};
use store::Store;
use tempfile::TempDir;
use tokio::sync::oneshot;
use ureq::http::HeaderMap;

/// Making a document's histograms takes a second without optimisation: made once, then changed.
static DOCUMENT: LazyLock<ResultDocument> =
    LazyLock::new(|| fixtures::document("Example 980 PRO", 1.0, bundle::public_key(&key())));

/// The key that signs everything here.
pub(crate) fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// A changed document, signed.
pub(crate) fn sealed(change: impl FnOnce(&mut ResultDocument)) -> Vec<u8> {
    let mut document = DOCUMENT.clone();
    change(&mut document);
    bundle::seal(&document, &key()).unwrap()
}

/// A signed document of a drive of this name.
pub(crate) fn named(name: &str) -> Vec<u8> {
    sealed(|document| document.drive.model = Reading::Known(name.to_owned()))
}

/// The document as JSON, changed in ways that the type does not allow, signed.
pub(crate) fn sealed_json(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut json: Value = serde_json::from_slice(&DOCUMENT.to_json()).unwrap();
    change(&mut json);
    bundle::seal_payload(model::document::PAYLOAD_TYPE, json.to_string().as_bytes(), &key()).unwrap()
}

/// The time at which everything is received, milliseconds since 1970 UTC.
pub(crate) const NOW_MS: u64 = 1_796_074_900_000;

/// A running server; ends when it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    directory: TempDir,
    agent: ureq::Agent,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let mut config = Config::new(&format!("http://{address}"));
        config.uploads_per_minute = NonZeroU32::new(1_000).unwrap();
        config.drawing_threads = NonZeroUsize::MIN;
        config.clock = || NOW_MS;
        change(&mut config);
        let data = directory.path().to_owned();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let app = App::new(config, Store::open(&data).await.unwrap()).unwrap();
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                serve(listener, app, async { drop(stopped.await) }).await.unwrap();
            });
        });
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .into();
        Self { address, directory, agent, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.agent.get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(request.call().unwrap())
    }

    pub(crate) fn head(&self, path: &str) -> Answer {
        Answer::read(self.agent.head(self.url(path)).call().unwrap())
    }

    pub(crate) fn upload(&self, bytes: &[u8]) -> Answer {
        self.upload_as(bundle::MEDIA_TYPE, bytes)
    }

    pub(crate) fn upload_as(&self, media_type: &str, bytes: &[u8]) -> Answer {
        let request = self.agent.post(self.url("/api/v1/bundles")).header("content-type", media_type);
        Answer::read(request.send(bytes).unwrap())
    }

    /// Sends a statement.
    pub(crate) fn state(&self, envelope: &[u8]) -> Answer {
        self.state_as(bundle::ENVELOPE_MEDIA_TYPE, envelope)
    }

    pub(crate) fn state_as(&self, media_type: &str, envelope: &[u8]) -> Answer {
        let request = self.agent.post(self.url("/api/v1/statements")).header("content-type", media_type);
        Answer::read(request.send(envelope).unwrap())
    }

    /// Uploads and returns the id.
    pub(crate) fn publish(&self, bytes: &[u8]) -> String {
        let answer = self.upload(bytes);
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// Fails when anything is stored: a row or a file.
    #[track_caller]
    pub(crate) fn assert_empty(&self) {
        assert_eq!(self.get("/api/v1/results").json()["total"], 0);
        assert_eq!(files(&self.directory.path().join("bundles")), 0);
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()), "the server panicked");
    }
}

fn files(directory: &Path) -> usize {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { files(&path) } else { 1 })
        .sum()
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    fn read(response: ureq::http::Response<ureq::Body>) -> Self {
        let (parts, mut body) = response.into_parts();
        let body = body.with_config().limit(64 << 20).read_to_vec().unwrap();
        Self { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// A header's value, empty when it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Checks that this is a problem of `kind`, and returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, kind: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.header("cache-control"), "no-store");
        let problem = self.json();
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert!(
            !problem["title"].as_str().unwrap().is_empty() && !problem["detail"].as_str().unwrap().is_empty()
        );
        problem
    }
}
