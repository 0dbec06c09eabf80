//! New results as an Atom feed. Source: RFC 4287.

use crate::{
    pages::{NewsItem, PageContext, drives::full_name},
    texts::{self, Texts},
};
use model::{document::Origin, metric::MetricKind, summary::ResultSummary, units::format_iso};

/// The feed of these results, newest first; `now_ms` is its time when there is none, milliseconds since 1970 UTC.
#[must_use]
pub fn feed(ctx: &PageContext, items: &[NewsItem], now_ms: u64) -> String {
    let Texts { news: texts, .. } = texts::of(ctx.lang);
    let base = ctx.public_url.trim_end_matches('/');
    let updated = time(items.first().map_or(now_ms, |item| item.received_ms));
    let entries: String = items.iter().map(|item| entry(ctx, base, item)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{lang}\">\n\
         <id>{id}</id>\n<title>{title}</title>\n<updated>{updated}</updated>\n\
         <link rel=\"self\" type=\"application/atom+xml\" href=\"{own}\"/>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{home}\"/>\n\
         <author><name>Cliffmark</name></author>\n{entries}</feed>\n",
        lang = ctx.lang,
        id = escaped(&format!("{base}/feed.atom")),
        title = escaped(texts.title),
        own = escaped(&format!("{base}{}", ctx.href("/feed.atom"))),
        home = escaped(&format!("{base}{}", ctx.href("/"))),
    )
}

fn entry(ctx: &PageContext, base: &str, item: &NewsItem) -> String {
    let Texts { news: texts, measures, .. } = texts::of(ctx.lang);
    let head = &item.summary.head;
    let name = full_name(&head.drive, head.capacity_bytes);
    let simulated = head.origin == Origin::Simulated;
    let mut title = (texts.entry)(&name, &head.suite);
    if simulated {
        title = format!("{title} ({})", measures.simulated);
    }
    let mut content = String::new();
    if simulated {
        content.push_str(&format!("<p>{}</p>", escaped(texts.simulated)));
    }
    let figures = figures(&item.summary);
    if !figures.is_empty() {
        let items: String = figures.iter().map(|text| format!("<li>{}</li>", escaped(text))).collect();
        content.push_str(&format!("<ul>{items}</ul>"));
    }
    if let Some(path) = &item.picture {
        content.push_str(&format!(
            "<p><img src=\"{}\" alt=\"{}\"></p>",
            escaped(&format!("{base}{path}")),
            escaped(&(texts.picture)(&name))
        ));
    }
    let received = time(item.received_ms);
    format!(
        "<entry>\n<id>{id}</id>\n<title>{title}</title>\n<updated>{received}</updated>\n<published>{received}</published>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{page}\"/>\n<content type=\"html\">{content}</content>\n</entry>\n",
        id = escaped(&format!("{base}/results/{}", head.id)),
        title = escaped(&title),
        page = escaped(&format!("{base}{}", ctx.href(&format!("/results/{}", head.id)))),
        content = escaped(&content),
    )
}

/// The throughput of the first cells that count.
fn figures(summary: &ResultSummary) -> Vec<String> {
    let of_cell = summary.metrics.iter().filter(|metric| metric.kind() == MetricKind::BytesPerS);
    let counted = of_cell.filter_map(|metric| Some((metric, metric.counted()?)));
    let text = counted.map(|(metric, stats)| {
        format!("{}: {}", metric.label, metric.kind().unit().format(stats.figure(metric.kind())))
    });
    text.take(4).collect()
}

/// A time as Atom wants it; the beginning of time for what is no date.
fn time(unix_ms: u64) -> String {
    format_iso(unix_ms).unwrap_or_else(|| "1970-01-01T00:00:00Z".to_owned())
}

/// A text as it may stand in XML, between tags and in quotes: signs that no XML may hold are left out.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            other => out.push(other),
        }
    }
    out
}
