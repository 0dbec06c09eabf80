//! The real programs as a user starts them: the runner to its end, the server on a free port with a
//! data directory of its own, stopped when dropped.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// The value of a variable that `cargo xtask test` sets.
pub(crate) fn from_environment(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set; run the stories with `cargo xtask test`"))
}

/// A directory under `target`, which lies on the disk and not in memory.
pub(crate) fn disk_dir() -> TempDir {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&target).unwrap();
    tempfile::tempdir_in(target).unwrap()
}

/// Runs `cliffmark` with a key and configuration of its own under `home`.
pub(crate) fn cliffmark(home: &Path, arguments: &[&str]) -> Output {
    Command::new(from_environment("CLIFFMARK_BIN"))
        .args(arguments)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env_remove("CLIFFMARK_SERVER")
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The standard output of a command that must succeed.
pub(crate) fn stdout_of(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "exit {:?}: {errors}", output.status.code());
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    data: TempDir,
}

impl Server {
    /// Starts a server and waits for the line that names its address.
    pub(crate) fn start() -> Self {
        let data = disk_dir();
        let mut child = Command::new(from_environment("CLIFFMARK_SERVER_BIN"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("http://").map(|(_, rest)| format!("http://{}", rest.trim())))
            .expect("the server prints its address");
        // The pipe must stay open and empty, or the server would stop at a full one.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("server: {line}")));
        Self { child, url, data }
    }

    /// The data directory.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// Fetches a path: status, headers and body.
    pub(crate) fn get(&self, path: &str) -> Answer {
        answer(agent().get(format!("{}{path}", self.url)).call())
    }

    /// Publishes bytes as a bundle.
    pub(crate) fn post_bundle(&self, bytes: &[u8]) -> Answer {
        let request = agent().post(format!("{}/api/v1/bundles", self.url)).content_type(bundle::MEDIA_TYPE);
        answer(request.send(bytes))
    }

    /// Publishes a made-up result and returns its id.
    pub(crate) fn publish(&self, bundle: &[u8]) -> String {
        let answer = self.post_bundle(bundle);
        assert_eq!(answer.status, 201, "{}", answer.text());
        bundle::open(bundle).unwrap().id().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into()
}

/// What a server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }
}

fn answer(result: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    let mut response = result.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    Answer {
        status: response.status().as_u16(),
        content_type: header("content-type").unwrap_or_default(),
        body: response.body_mut().read_to_vec().unwrap(),
    }
}
