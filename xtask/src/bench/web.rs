//! `cargo xtask bench web`: how heavy the pages are.
//!
//! Knows: which pages, and what a first visit loads beside the HTML.
//! Does not know: which weight is good.

use anyhow::{Context as _, Result, ensure};

use crate::demo;
use crate::http;
use crate::web;

/// Fetches pages of the last demonstration with and without brotli.
///
/// # Errors
/// There was no demonstration, or a page does not answer.
pub(crate) fn run() -> Result<()> {
    let (mut server, pages) = demo::serve_again()?;
    println!("{:<22} {:>12} {:>12}", "page", "HTML bytes", "brotli");
    for (name, address) in pages {
        let (authority, path) = http::split(&address)?;
        let plain = http::get(authority, path, None)?;
        let packed = http::get(authority, path, Some("br"))?;
        ensure!(plain.status == 200, "{address} answers {}", plain.status);
        ensure!(packed.header("content-encoding") == Some("br"), "{address} is not sent as brotli");
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut packed.body.as_slice(), &mut unpacked)
            .context("a page is not brotli")?;
        println!("{name:<22} {:>12} {:>12}", unpacked.len(), packed.body.len());
    }
    server.stop()?;

    println!("\n{:<22} {:>12} {:>12}", "file", "bytes", "brotli");
    for (logical, entry) in web::manifest()? {
        println!("{logical:<22} {:>12} {:>12}", entry.bytes, entry.br_bytes);
    }
    Ok(())
}
