//! Sets results side by side and says what may be concluded: names the axis, refuses percentages
//! where too much differs, calls a difference inside the spread a tie.

use model::{
    comparison::{Comparison, Difference, Entry, Item, Row, Series, Standing, Verdict},
    labels::LabelKey,
    metric::{MetricId, MetricKind},
    summary::{MetricSummary, ResultHead, ResultSummary, Stats},
    units::{format_capacity, format_utc},
};

/// Most results in one comparison.
pub const MAX_SERIES: usize = 8;

/// Compares results; the first is the baseline. Meant for at most [`MAX_SERIES`].
#[must_use]
pub fn compare(results: &[ResultSummary]) -> Comparison {
    let heads: Vec<&ResultHead> = results.iter().map(|result| &result.head).collect();
    let verdict = verdict(&heads);
    let rows =
        metrics_in_order(results).into_iter().map(|(id, label)| row(&id, label, results, &verdict)).collect();
    let series = names(&heads)
        .into_iter()
        .zip(&heads)
        .map(|(name, head)| Series { name, head: (*head).clone() })
        .collect();
    Comparison { series, verdict, rows }
}

const ITEMS: [Item; 8] = [
    Item::Drive,
    Item::Attachment,
    Item::Cooling,
    Item::Fill,
    Item::FileSystem,
    Item::Host,
    Item::Engine,
    Item::Origin,
];

fn value_of(item: Item, head: &ResultHead) -> String {
    let label = |key| head.labels.get(&key).cloned().unwrap_or_else(|| "not stated".to_owned());
    match item {
        Item::Drive => {
            let capacity =
                head.capacity_bytes.map_or_else(String::new, |bytes| format!(", {}", format_capacity(bytes)));
            let firmware =
                head.firmware.as_ref().map_or_else(String::new, |name| format!(", firmware {name}"));
            format!("{}{capacity}{firmware}", head.drive)
        }
        Item::Attachment => match head.labels.get(&LabelKey::Slot) {
            Some(slot) => format!("{}, {slot}", head.transport.text()),
            None => head.transport.text().to_owned(),
        },
        Item::Cooling => label(LabelKey::Cooling),
        Item::Fill => label(LabelKey::Fill),
        Item::FileSystem => head.file_system.clone().unwrap_or_else(|| "none (whole device)".to_owned()),
        Item::Host => head.host.clone(),
        Item::Engine => head.engine.token().to_owned(),
        Item::Origin => match head.origin {
            model::document::Origin::Measured => "measured".to_owned(),
            model::document::Origin::Simulated => "simulated".to_owned(),
        },
    }
}

fn verdict(heads: &[&ResultHead]) -> Verdict {
    let differing: Vec<Difference> = ITEMS
        .into_iter()
        .map(|item| Difference { item, values: heads.iter().map(|head| value_of(item, head)).collect() })
        .filter(|difference| difference.values.windows(2).any(|pair| pair[0] != pair[1]))
        .collect();
    if differing.is_empty() {
        return Verdict::Repeats;
    }
    // Engine class and origin must always agree; besides the drive one more item may differ; the host
    // alone never forbids, it is a caveat.
    let free = |item| matches!(item, Item::Drive | Item::Host);
    let forbidden = differing.iter().any(|d| matches!(d.item, Item::Engine | Item::Origin));
    if forbidden || differing.iter().filter(|d| !free(d.item)).count() > 1 {
        return Verdict::SideBySide { differing };
    }
    let (caveats, axis) = differing.into_iter().partition(|d| d.item == Item::Host);
    Verdict::Axis { axis, caveats }
}

/// Every metric that any result has, in the order of first appearance.
fn metrics_in_order(results: &[ResultSummary]) -> Vec<(MetricId, String)> {
    let mut seen: Vec<(MetricId, String)> = Vec::new();
    for metric in results.iter().flat_map(|result| &result.metrics) {
        if !seen.iter().any(|(id, _)| *id == metric.metric) {
            seen.push((metric.metric.clone(), metric.label.clone()));
        }
    }
    seen
}

fn row(id: &MetricId, label: String, results: &[ResultSummary], verdict: &Verdict) -> Row {
    let found: Vec<Option<&MetricSummary>> = results.iter().map(|result| find(result, id)).collect();
    let baseline = found.first().copied().flatten();
    let entries = found
        .iter()
        .enumerate()
        .map(|(index, metric)| Entry {
            method: metric.map(|m| m.method.clone()),
            status: metric.map(|m| m.status),
            stats: metric.and_then(|m| m.stats),
            standing: if index == 0 && metric.is_some_and(|m| m.counted().is_some()) {
                Standing::Baseline
            } else {
                standing(id.kind, baseline, *metric, verdict)
            },
        })
        .collect();
    Row { metric: id.clone(), label, entries }
}

/// A result's metric: the one whose figures count, when a repeat of the suite ended otherwise.
fn find<'a>(result: &'a ResultSummary, id: &MetricId) -> Option<&'a MetricSummary> {
    let mut candidates = result.metrics.iter().filter(|metric| metric.metric == *id);
    let first = candidates.clone().next();
    candidates.find(|metric| metric.counted().is_some()).or(first)
}

fn standing(
    kind: MetricKind,
    baseline: Option<&MetricSummary>,
    metric: Option<&MetricSummary>,
    verdict: &Verdict,
) -> Standing {
    let (Some(baseline), Some(metric)) = (baseline, metric) else { return Standing::Missing };
    let (Some(base), Some(stats)) = (baseline.counted(), metric.counted()) else { return Standing::Missing };
    if baseline.method != metric.method || !verdict.allows_percentages() || base.median == 0.0 {
        return Standing::NotComparable;
    }
    let change = stats.median / base.median - 1.0;
    if base.count < 2 || stats.count < 2 {
        return Standing::SpreadUnknown { change };
    }
    if (stats.median - base.median).abs() <= spread(base).max(spread(stats)) {
        return Standing::Tie { change };
    }
    Standing::Differs { change, better: (change > 0.0) == kind.higher_is_better() }
}

/// The distance between the least and the greatest loop.
fn spread(stats: &Stats) -> f64 {
    stats.max - stats.min
}

/// What is added to a drive's name, one after the other, until the names differ.
const DISTINCTIONS: [fn(&ResultHead) -> Option<String>; 8] = [
    |head| head.capacity_bytes.map(format_capacity),
    |head| head.firmware.clone(),
    |head| label_of(head, LabelKey::Slot),
    |head| label_of(head, LabelKey::Cooling),
    |head| label_of(head, LabelKey::Fill),
    |head| label_of(head, LabelKey::Note),
    |head| head.file_system.clone(),
    |head| Some(format_utc(head.started_unix_ms)),
];

fn label_of(head: &ResultHead, key: LabelKey) -> Option<String> {
    head.labels.get(&key).map(|text| text.chars().take(40).collect())
}

/// Short names that tell the series apart: the drive, then what differs, then a number.
fn names(heads: &[&ResultHead]) -> Vec<String> {
    let mut names: Vec<String> = heads.iter().map(|head| head.drive.clone()).collect();
    for distinction in DISTINCTIONS {
        let parts: Vec<Option<String>> = heads.iter().map(|head| distinction(head)).collect();
        let old = names.clone();
        for (index, part) in parts.iter().enumerate() {
            let tells_apart = (0..old.len()).any(|other| old[other] == old[index] && parts[other] != *part);
            if let (true, Some(part)) = (tells_apart, part) {
                names[index] = format!("{} ({part})", old[index]);
            }
        }
    }
    let old = names.clone();
    for (index, name) in names.iter_mut().enumerate() {
        if old.iter().filter(|other| **other == old[index]).count() > 1 {
            let number = old[..=index].iter().filter(|other| **other == old[index]).count();
            *name = format!("{name} #{number}");
        }
    }
    names
}

#[cfg(test)]
mod tests;
