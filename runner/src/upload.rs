//! Publishes bundles and sends statements about them: the one HTTP client of the program.
//!
//! Whatever a server answers is foreign text: it is cut, cleaned and never obeyed.

use crate::hint::{Failure, note, printable};
use model::{ResultId, statement::Statement};
use serde::{Deserialize, Serialize};
use std::{fmt, thread, time::Duration};

/// Longest answer that is read, bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
/// Longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The address of a server: scheme and authority, and a path when it lives below one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    origin: String,
    path: String,
}

impl Server {
    /// Reads an address such as `https://example.org` or `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// When it is no http or https address.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let bad = || {
            Failure::usage(format!("`{}` is no server address", printable(text, 200)))
                .hint("write it like https://example.org or http://127.0.0.1:8080")
        };
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '?' | '#' | '@' | '\\');
        if !text.chars().all(plain) {
            return Err(bad());
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(bad)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if !matches!(scheme, "http" | "https") || authority.is_empty() {
            return Err(bad());
        }
        Ok(Self { origin: format!("{scheme}://{authority}"), path: path.trim_end_matches('/').to_owned() })
    }

    /// No server was named.
    #[must_use]
    pub fn missing() -> Failure {
        Failure::usage("no server to upload to").hint("name it with --server URL, or set CLIFFMARK_SERVER")
    }

    fn bundles(&self) -> String {
        format!("{self}/api/v1/bundles")
    }

    fn statements(&self) -> String {
        format!("{self}/api/v1/statements")
    }

    /// The address of a result's page.
    #[must_use]
    pub fn page(&self, id: ResultId) -> String {
        format!("{self}/results/{id}")
    }

    /// An address from an answer as a whole one on this server; `None` when it leads elsewhere.
    fn resolve(&self, address: &str) -> Option<String> {
        let clean = address.chars().all(|c| c.is_ascii_graphic()) && address.len() <= 500;
        let whole = if address.starts_with('/') && !address.starts_with("//") {
            format!("{}{address}", self.origin)
        } else {
            address.to_owned()
        };
        let same_origin = whole.strip_prefix(&self.origin).is_some_and(|rest| rest.starts_with('/'));
        (clean && same_origin).then_some(whole)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// How often and how patiently an upload is tried again.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Tries in all, at least 1.
    pub tries: u32,
    /// Wait before the second try; it doubles with every further one.
    pub first_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { tries: 5, first_wait: Duration::from_secs(1) }
    }
}

/// What went wrong in one try.
enum Trouble {
    /// Trying again may help, after this wait when the server named one.
    Passing(Failure, Option<Duration>),
    /// It will not.
    Final(Failure),
}

/// Publishes a bundle and yields the address of its page. It can be repeated: the same bundle has the
/// same page.
///
/// # Errors
/// When the server refuses it, or cannot be reached in all tries.
pub fn publish(server: &Server, bundle: &[u8], id: ResultId, patience: Patience) -> Result<String, Failure> {
    let agent = agent();
    let again = "nothing is lost: repeat it later with `cliffmark upload FILE`";
    patiently(patience, again, || attempt(&agent, server, bundle, id))
}

/// Sends a signed statement and yields how the result stands then.
///
/// # Errors
/// When the server refuses it, or cannot be reached in all tries.
pub fn state(
    server: &Server,
    envelope: &[u8],
    statement: &Statement,
    patience: Patience,
) -> Result<Stated, Failure> {
    let agent = agent();
    let mut tries = 0;
    patiently(patience, "nothing is lost: repeat the command later", || {
        tries += 1;
        let Answer { status, location, retry_after, body } =
            ask(&agent, server, &server.statements(), bundle::ENVELOPE_MEDIA_TYPE, envelope)?;
        let problem: Problem = serde_json::from_slice(&body).unwrap_or_default();
        match status {
            200 => Ok(serde_json::from_slice(&body).unwrap_or_default()),
            // An earlier try arrived, its answer did not: nobody else has this nonce.
            409 if tries > 1 && problem.kind == "/problems/statement-replayed" => {
                Ok(Stated { public_from_unix_ms: statement.from_unix_ms })
            }
            status => Err(refused(server, status, &body, location, retry_after)),
        }
    })
}

/// How a result stands after a statement, as far as it is told here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Stated {
    /// When it becomes public, milliseconds since 1970 UTC; `None` when it is, or never will be.
    #[serde(default)]
    pub public_from_unix_ms: Option<u64>,
}

/// Tries again as long as that may help; `again` says what can be done when it did not.
fn patiently<T>(
    patience: Patience,
    again: &str,
    mut attempt: impl FnMut() -> Result<T, Trouble>,
) -> Result<T, Failure> {
    let mut wait = patience.first_wait;
    for left in (0..patience.tries).rev() {
        let (failure, asked) = match attempt() {
            Ok(done) => return Ok(done),
            Err(Trouble::Final(failure)) => return Err(failure),
            Err(Trouble::Passing(failure, asked)) => (failure, asked),
        };
        if left == 0 {
            return Err(failure.hint(again));
        }
        let pause = asked.unwrap_or(wait);
        note(&format!("{failure}; trying again in {} s, {left} more times", pause.as_secs()));
        thread::sleep(pause);
        wait = wait.saturating_mul(2);
    }
    Err(Failure::failed("no try was allowed"))
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("cliffmark/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_global(Some(Duration::from_secs(120)))
        .build()
        .new_agent()
}

fn attempt(agent: &ureq::Agent, server: &Server, bundle: &[u8], id: ResultId) -> Result<String, Trouble> {
    let Answer { status, location, retry_after, body } =
        ask(agent, server, &server.bundles(), bundle::MEDIA_TYPE, bundle)?;
    if !matches!(status, 200 | 201) {
        return Err(refused(server, status, &body, location, retry_after));
    }
    let page = Stored::read(&body).page.or(location);
    Ok(page.and_then(|address| server.resolve(&address)).unwrap_or_else(|| server.page(id)))
}

/// The parts of an answer that are read.
struct Answer {
    status: u16,
    location: Option<String>,
    retry_after: Option<String>,
    body: Vec<u8>,
}

fn ask(
    agent: &ureq::Agent,
    server: &Server,
    address: &str,
    media_type: &str,
    body: &[u8],
) -> Result<Answer, Trouble> {
    let sent = agent.post(address).header("content-type", media_type).send(body);
    let mut answer = sent.map_err(|error| {
        let failure = Failure::failed(format!("cannot reach {server}"));
        match error {
            ureq::Error::BadUri(_) | ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
                Trouble::Final(failure.because(error))
            }
            other => Trouble::Passing(failure.because(other), None),
        }
    })?;
    let header =
        |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (location, retry_after) = (header("location"), header("retry-after"));
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec().unwrap_or_default();
    Ok(Answer { status, location, retry_after, body })
}

/// What an answer that is no success means.
fn refused(
    server: &Server,
    status: u16,
    body: &[u8],
    location: Option<String>,
    retry_after: Option<String>,
) -> Trouble {
    match status {
        429 | 500..=599 => {
            let wait = retry_after.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
            Trouble::Passing(refusal(server, status, body), wait.map(|wait| wait.min(MAX_RETRY_AFTER)))
        }
        300..=399 => {
            let to = printable(&location.unwrap_or_default(), 200);
            Trouble::Final(
                refusal(server, status, body).hint(format!(
                    "the server sends uploads elsewhere ({to}): name that address with --server"
                )),
            )
        }
        _ => Trouble::Final(refusal(server, status, body)),
    }
}

/// The answer to a stored bundle.
#[derive(Default, Deserialize)]
struct Stored {
    page: Option<String>,
}

impl Stored {
    fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }
}

/// A problem answer. Source: RFC 9457.
#[derive(Default, Deserialize)]
struct Problem {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    detail: String,
}

fn refusal(server: &Server, status: u16, body: &[u8]) -> Failure {
    let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
    let failure = Failure::failed(format!("{server} answered {status}"));
    match [problem.title, problem.detail].map(|text| printable(&text, 500)) {
        [title, detail] if title.is_empty() && detail.is_empty() => failure,
        [title, detail] if title.is_empty() || detail.is_empty() => {
            failure.because(format!("{title}{detail}"))
        }
        [title, detail] => failure.because(format!("{title}: {detail}")),
    }
}

#[cfg(test)]
mod tests;
