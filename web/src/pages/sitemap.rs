//! The addresses of this site for search engines, within the limits of the sitemap protocol.
//!
//! Source: <https://www.sitemaps.org/protocol.html>, read for its limits: 50,000 addresses and 50 MB a file.

use crate::pages::{PageContext, SitemapEntry, news::escaped};
use model::units::format_iso;

/// Most addresses of one file. None of ours is longer than 500 bytes with its tags, so that it stays below 50 MB.
pub const MAX_ADDRESSES: u32 = 50_000;

/// One file of addresses; of more than [`MAX_ADDRESSES`] the rest is left out.
#[must_use]
pub fn sitemap(ctx: &PageContext, entries: &[SitemapEntry]) -> String {
    let entries = entries.iter().take(MAX_ADDRESSES as usize);
    let urls: String = entries
        .map(|SitemapEntry { path, changed_ms }| {
            element("url", &address(ctx, path), changed_ms.and_then(format_iso))
        })
        .collect();
    file("urlset", &urls)
}

/// The file that names the files of addresses, `/sitemap.xml?part=1` to the last.
#[must_use]
pub fn sitemap_index(ctx: &PageContext, parts: u64) -> String {
    let parts = (1..=parts).take(MAX_ADDRESSES as usize);
    let maps: String = parts
        .map(|part| element("sitemap", &address(ctx, &format!("/sitemap.xml?part={part}")), None))
        .collect();
    file("sitemapindex", &maps)
}

fn address(ctx: &PageContext, path: &str) -> String {
    escaped(&format!("{}{path}", ctx.public_url.trim_end_matches('/')))
}

fn element(name: &str, address: &str, changed: Option<String>) -> String {
    let changed = changed.map(|time| format!("<lastmod>{time}</lastmod>")).unwrap_or_default();
    format!("<{name}><loc>{address}</loc>{changed}</{name}>\n")
}

fn file(root: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{content}</{root}>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::context;

    #[test]
    fn addresses_are_whole_escaped_and_not_too_many() {
        let entry = |path: &str, changed_ms| SitemapEntry { path: path.to_owned(), changed_ms };
        let map = sitemap(
            &context("/"),
            &[entry("/drives/a", Some(1_796_074_900_000)), entry("/x?a=b&c=<d>", None)],
        );
        assert!(map.contains(
            "<url><loc>https://cliffmark.example/drives/a</loc><lastmod>2026-11-30T21:41:40Z</lastmod></url>"
        ), "{map}");
        assert!(map.contains("<loc>https://cliffmark.example/x?a=b&amp;c=&lt;d&gt;</loc>"), "{map}");
        let many = vec![entry("/", None); MAX_ADDRESSES as usize + 1];
        assert_eq!(sitemap(&context("/"), &many).matches("<url>").count(), MAX_ADDRESSES as usize);
    }

    #[test]
    fn parts_are_named_one_by_one() {
        let index = sitemap_index(&context("/"), 3);
        assert_eq!(index.matches("<sitemap>").count(), 3);
        assert!(index.contains("<loc>https://cliffmark.example/sitemap.xml?part=3</loc>"), "{index}");
    }
}
