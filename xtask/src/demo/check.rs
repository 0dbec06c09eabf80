//! `cargo xtask demo --once`: do the pages and pictures of the demonstration answer?
//!
//! Knows: what must be in an answer for it to be the page that was asked for.
//! Does not know: what the pages look like; the browser tests do.

use anyhow::{Context as _, Result, ensure};

use crate::http::{self, Answer};

const PNG_MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Fetches the home page, results by their addresses, comparisons by their paths, and one chart of each
/// comparison as SVG and PNG.
///
/// # Errors
/// One of them does not answer with 200 and the expected content.
pub(super) fn pages(authority: &str, results: &[&str], comparisons: &[&str]) -> Result<()> {
    page(authority, "/")?;
    for address in results {
        let (own, path) = http::split(address)?;
        ensure!(own == authority, "{address} is not on the server at {authority}");
        page(authority, path)?;
    }
    for compare in comparisons {
        page(authority, compare)?;
        let results = compare.split_once('?').context("a comparison names its results")?.1;
        let picture = fetch(authority, &format!("/charts/sequential.svg?{results}"), "image/svg+xml")?;
        let whole = contains(&picture.body, b"<svg") && contains(&picture.body, b"</svg>");
        ensure!(whole, "the SVG chart is cut");
        let picture = fetch(authority, &format!("/charts/sequential.png?{results}"), "image/png")?;
        ensure!(picture.body.starts_with(PNG_MAGIC), "the PNG chart is no PNG");
    }
    Ok(())
}

fn page(authority: &str, path: &str) -> Result<()> {
    let answer = fetch(authority, path, "text/html")?;
    ensure!(
        contains(&answer.body, b"<title>") && contains(&answer.body, b"</html>"),
        "{path} is no whole page"
    );
    Ok(())
}

fn fetch(authority: &str, path: &str, content_type: &str) -> Result<Answer> {
    let answer = http::get(authority, path, None)?;
    ensure!(
        answer.status == 200,
        "{path} answers {}: {}",
        answer.status,
        String::from_utf8_lossy(&answer.body).chars().take(400).collect::<String>()
    );
    let sent = answer.header("content-type").unwrap_or("nothing");
    ensure!(sent.starts_with(content_type), "{path} is {sent}, not {content_type}");
    println!("checked          {path} ({} bytes)", answer.body.len());
    Ok(answer)
}

fn contains(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}
