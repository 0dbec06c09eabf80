//! Fetching a page from a server on this machine.
//!
//! Knows: one GET over HTTP/1.0, enough for our own server on a loopback address.
//! Does not know: TLS, redirects, chunks (HTTP/1.0 has none), or any other method.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

/// More than any page or picture of ours; an answer that does not end is an error.
const LARGEST_ANSWER: u64 = 64 << 20;

/// An answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status code.
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    /// The body as it was sent.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header; `None` when it was not sent.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn parse(raw: &[u8]) -> Result<Self> {
        let end =
            raw.windows(4).position(|window| window == b"\r\n\r\n").context("the answer has no header")?;
        let head = std::str::from_utf8(&raw[..end]).context("the answer's header is not text")?;
        let mut lines = head.split("\r\n");
        let status_line = lines.next().unwrap_or_default();
        let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let answer = Self {
            status: status.with_context(|| format!("`{status_line}` is not a status line"))?,
            headers,
            body: raw[end + 4..].to_vec(),
        };
        if let Some(length) = answer.header("content-length") {
            let length: usize = length.parse().context("the answer's length is not a number")?;
            ensure!(length == answer.body.len(), "{length} bytes were announced, {} came", answer.body.len());
        }
        Ok(answer)
    }
}

/// Fetches `path` (with its query) from `authority` (`127.0.0.1:8080`).
///
/// # Errors
/// The server does not answer within half a minute, or not with HTTP.
pub(crate) fn get(authority: &str, path: &str, accept_encoding: Option<&str>) -> Result<Answer> {
    if path.contains(char::is_whitespace) {
        bail!("`{path}` is not a path");
    }
    let ask = || -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect(authority)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let encoding =
            accept_encoding.map_or(String::new(), |coding| format!("Accept-Encoding: {coding}\r\n"));
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {authority}\r\n{encoding}\r\n")?;
        let mut raw = Vec::new();
        stream.take(LARGEST_ANSWER).read_to_end(&mut raw)?;
        Ok(raw)
    };
    let raw = ask().with_context(|| format!("no answer from http://{authority}{path}"))?;
    Answer::parse(&raw).with_context(|| format!("http://{authority}{path}"))
}

/// The authority and the path of an `http://` address.
///
/// # Errors
/// It is not such an address.
pub(crate) fn split(address: &str) -> Result<(&str, &str)> {
    let rest =
        address.strip_prefix("http://").with_context(|| format!("`{address}` is not an http address"))?;
    let at = rest.find('/').with_context(|| format!("`{address}` has no path"))?;
    Ok(rest.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_status_headers_and_body() {
        let answer = Answer::parse(b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\nX-A: b: c\r\n\r\nabc").unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"abc"[..]));
        assert_eq!(answer.header("x-a"), Some("b: c"));
        assert_eq!(answer.header("etag"), None);
    }

    #[test]
    fn a_cut_or_foreign_answer_is_an_error() {
        assert!(Answer::parse(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nabc").is_err());
        assert!(Answer::parse(b"SSH-2.0-x\r\n\r\n").is_err());
        assert!(Answer::parse(b"HTTP/1.0 200 OK\r\n").is_err());
    }

    #[test]
    fn addresses_are_split_before_the_path() {
        assert_eq!(split("http://127.0.0.1:80/a?b=c").unwrap(), ("127.0.0.1:80", "/a?b=c"));
        assert!(split("https://127.0.0.1/").is_err());
        assert!(split("http://127.0.0.1").is_err());
    }
}
