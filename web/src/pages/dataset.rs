//! A result for machines that read pages: a schema.org Dataset as JSON-LD, a block of data that no browser runs.
//!
//! Source: <https://schema.org/Dataset>.

use crate::pages::PageContext;
use leptos::prelude::*;
use model::{
    document::{Origin, Visibility},
    labels::LabelKey,
    metric::MetricKind,
    summary::{MetricSummary, ResultSummary},
    units::{Unit, format_capacity, format_iso},
};
use serde_json::{Value, json};

/// Most figures that are told; all of them are in the files that it names.
const MAX_FIGURES: usize = 60;

/// The block; nothing for results that are not listed.
pub(super) fn block(ctx: &PageContext, summary: &ResultSummary, license: &str) -> AnyView {
    (summary.head.visibility == Visibility::Public)
        .then(
            || view! { <script type="application/ld+json" inner_html=text(ctx, summary, license)></script> },
        )
        .into_any()
}

/// The JSON without any sign that could end the element it stands in.
fn text(ctx: &PageContext, summary: &ResultSummary, license: &str) -> String {
    let mut text = String::new();
    for c in dataset(ctx, summary, license).to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            other => text.push(other),
        }
    }
    text
}

fn dataset(ctx: &PageContext, summary: &ResultSummary, license: &str) -> Value {
    let head = &summary.head;
    let base = ctx.public_url.trim_end_matches('/');
    let simulated = head.origin == Origin::Simulated;
    let capacity =
        head.capacity_bytes.map(|bytes| format!(", {}", format_capacity(bytes))).unwrap_or_default();
    let what =
        if simulated { "Simulated drive in virtual time, no measurement" } else { "Measurement of a drive" };
    let download = |what: &str, kind: &str| json!({ "@type": "DataDownload", "encodingFormat": kind, "contentUrl": format!("{base}/api/v1/results/{}{what}", head.id) });
    let mut dataset = json!({
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": format!("{}{capacity}: suite {}{}", head.drive, head.suite, if simulated { " (simulated)" } else { "" }),
        "description": format!("{what}: {}{capacity}, suite {}, with every loop and the evidence of every cell, signed.", head.drive, head.suite),
        "url": format!("{base}/results/{}", head.id),
        "identifier": format!("sha256:{}", head.id),
        "isAccessibleForFree": true,
        "license": license_address(license),
        "includedInDataCatalog": { "@type": "DataCatalog", "name": "Cliffmark", "url": format!("{base}/") },
        "measurementTechnique": format!("{base}/methods"),
        "variableMeasured": summary.metrics.iter().filter_map(|metric| figure(base, metric)).take(MAX_FIGURES).collect::<Vec<_>>(),
        "distribution": [
            download("/bundle", "application/vnd.cliffmark.bundle+zstd"),
            download("", "application/json"),
            download(".csv", "text/csv"),
        ],
    });
    if let Some(date) = format_iso(head.started_unix_ms) {
        dataset["dateCreated"] = date.into();
    }
    // What a reviewer calls himself is no statement of ours on who he is.
    if let Some(name) = head.labels.get(&LabelKey::Reviewer) {
        dataset["creditText"] = name.as_str().into();
    }
    dataset
}

/// The median of a metric that counts, as a plain number in its base unit.
fn figure(base: &str, metric: &MetricSummary) -> Option<Value> {
    let kind = metric.kind();
    let wanted = matches!(kind, MetricKind::BytesPerS | MetricKind::Iops | MetricKind::LatencyP99Ns);
    let stats = metric.counted().filter(|_| wanted)?;
    let unit = match kind.unit() {
        Unit::BytesPerSecond => "bytes per second",
        Unit::Iops => "I/Os per second",
        _ => "nanoseconds",
    };
    Some(json!({
        "@type": "PropertyValue",
        "name": format!("{}: {}", metric.label, kind.text()),
        "propertyID": metric.metric.to_string(),
        "value": stats.figure(kind),
        "minValue": stats.min,
        "maxValue": stats.max,
        "unitText": unit,
        "measurementTechnique": format!("{base}/methods/{}", metric.method),
    }))
}

/// The address of a well-known licence, else its name.
fn license_address(license: &str) -> String {
    match license {
        "CC-BY-4.0" => "https://creativecommons.org/licenses/by/4.0/".to_owned(),
        "CC-BY-SA-4.0" => "https://creativecommons.org/licenses/by-sa/4.0/".to_owned(),
        "CC0-1.0" => "https://creativecommons.org/publicdomain/zero/1.0/".to_owned(),
        other => other.to_owned(),
    }
}
