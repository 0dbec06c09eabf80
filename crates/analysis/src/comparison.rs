//! Sets results side by side and says what may be concluded: names the axis, refuses percentages
//! where too much differs, calls a difference inside the spread a tie.

mod alignment;

use alignment::{Alignment, Found};
use model::{
    Method,
    comparison::{Comparison, Difference, Entry, Item, Row, Series, Standing, Verdict},
    labels::LabelKey,
    metric::{MetricId, MetricKind},
    pass::PassMethod,
    summary::{MetricSummary, ResultHead, ResultSummary, Stats},
    units::{format_capacity, format_seconds, format_size, format_utc, size_token},
};
use std::collections::HashSet;

/// Most results in one comparison.
pub const MAX_SERIES: usize = 8;

/// Compares results; the first is the baseline. Meant for at most [`MAX_SERIES`].
#[must_use]
pub fn compare(results: &[ResultSummary]) -> Comparison {
    let heads: Vec<&ResultHead> = results.iter().map(|result| &result.head).collect();
    let aligned = Alignment::of(results);
    let found: Vec<Found<'_>> = results.iter().map(|result| aligned.metrics_of(result)).collect();
    let metrics = metrics_in_order(results, &aligned);
    let ids: Vec<MetricId> = metrics.iter().map(|(id, _)| id.clone()).collect();
    let verdict = verdict(&heads, &methods(results, &ids, &found, &aligned), &aligned);
    let rows = metrics.into_iter().map(|(id, label)| row(&id, label, &found, &verdict, &aligned)).collect();
    let series = names(&heads, &aligned)
        .into_iter()
        .zip(&heads)
        .map(|(name, head)| Series { name, head: (*head).clone() })
        .collect();
    Comparison { series, verdict, rows }
}

pub(crate) const ITEMS: [Item; 10] = [
    Item::Drive,
    Item::Attachment,
    Item::Slot,
    Item::Cooling,
    Item::Fill,
    Item::FileSystem,
    Item::AllocationUnit,
    Item::Host,
    Item::Engine,
    Item::Origin,
];

/// An item's value; `None` when the reviewer did not state it.
fn value_of(item: Item, head: &ResultHead) -> Option<String> {
    let label = |key| head.labels.get(&key).cloned();
    match item {
        // Of the metrics, not of the head: `methods` tells it.
        Item::Method | Item::Span | Item::Data | Item::QueueDepth | Item::StateBefore | Item::Members => None,
        Item::Drive => {
            let capacity =
                head.capacity_bytes.map_or_else(String::new, |bytes| format!(", {}", format_capacity(bytes)));
            let firmware =
                head.firmware.as_ref().map_or_else(String::new, |name| format!(", firmware {name}"));
            Some(format!("{}{capacity}{firmware}", head.drive))
        }
        Item::Attachment => Some(match head.labels.get(&LabelKey::Slot) {
            Some(slot) => format!("{}, {slot}", head.transport.text()),
            None => head.transport.text().to_owned(),
        }),
        Item::Slot => label(LabelKey::Slot),
        Item::Cooling => label(LabelKey::Cooling),
        Item::Fill => label(LabelKey::Fill),
        Item::FileSystem => {
            Some(head.file_system.clone().unwrap_or_else(|| "none (whole device)".to_owned()))
        }
        Item::AllocationUnit => head.file_system_block_bytes.map(format_size),
        Item::Host => Some(head.host.clone()),
        Item::Engine => Some(head.engine.token().to_owned()),
        Item::Origin => Some(
            match head.origin {
                model::document::Origin::Measured => "measured",
                model::document::Origin::Simulated => "simulated",
            }
            .to_owned(),
        ),
    }
}

/// An item's values, where they are not all the same.
pub(crate) fn difference(item: Item, heads: &[&ResultHead]) -> Option<Difference> {
    let attached_alike = heads.windows(2).all(|pair| pair[0].transport == pair[1].transport);
    // The slot is part of how a drive is attached: it stands alone only where the rest is the same.
    // One has none where there is no file system: that is told already.
    if item == Item::AllocationUnit && heads.iter().any(|head| head.file_system.is_none()) {
        return None;
    }
    if (item == Item::Attachment) == attached_alike && matches!(item, Item::Attachment | Item::Slot) {
        return None;
    }
    let values: Vec<_> = heads.iter().map(|head| value_of(item, head)).collect();
    values.windows(2).any(|pair| pair[0] != pair[1]).then_some(Difference { item, values })
}

/// Whether two results state different values; else it is only not known whether they differ.
fn is_known(difference: &Difference) -> bool {
    let mut stated = difference.values.iter().flatten();
    let first = stated.next();
    stated.any(|other| Some(other) != first)
}

fn verdict(heads: &[&ResultHead], methods: &Methods, aligned: &Alignment) -> Verdict {
    let (mut differing, unknown): (Vec<Difference>, Vec<Difference>) =
        ITEMS.into_iter().filter_map(|item| difference(item, heads)).partition(is_known);
    differing.splice(0..0, methods.difference.iter().chain(&aligned.by).cloned());
    if differing.is_empty() && unknown.is_empty() {
        return Verdict::Repeats;
    }
    // Engine class and origin must always agree, and the method somewhere; besides the drive one more item
    // may differ, known or not; the host alone never forbids, it is a caveat, and so is a method that
    // differs in some cells only, for those have no percentage anyway.
    let forbids = |d: &Difference| match d.item {
        Item::Engine | Item::Origin => true,
        Item::Method => !methods.agree_somewhere,
        _ => false,
    };
    let is_axis = |d: &Difference| !matches!(d.item, Item::Host | Item::Method);
    let counts = |d: &&Difference| is_axis(d) && d.item != Item::Drive;
    if differing.iter().any(forbids) || differing.iter().chain(&unknown).filter(counts).count() > 1 {
        return Verdict::SideBySide { differing, unknown };
    }
    let (axis, caveats) = differing.into_iter().partition(is_axis);
    Verdict::Axis { axis, caveats, unknown }
}

/// How the methods of the results' common cells stand to each other.
struct Methods {
    /// In what they differ; `None` when they agree wherever cells are common.
    difference: Option<Difference>,
    /// Whether a cell of the first result has the same method in another one.
    agree_somewhere: bool,
}

/// The parameters of a method that its cell's name does not spell, as words.
const PARAMETERS: [fn(&Method) -> String; 4] = [
    |method| format!("data {}", method.data.token()),
    |method| format!("span {}", size_token(method.span_bytes)),
    |method| method.times(),
    |method| format!("pause {}", format_seconds(method.interval_seconds)),
];

fn methods(results: &[ResultSummary], rows: &[MetricId], found: &[Found<'_>], by: &Alignment) -> Methods {
    let mut cells: Vec<&MetricId> = Vec::new();
    for id in rows {
        if !cells.iter().any(|cell| cell.cell == id.cell) {
            cells.push(id);
        }
    }
    let aligned: Vec<Vec<Option<Method>>> = cells
        .iter()
        .map(|id| {
            let compared = |metric: &MetricSummary| by.compared(metric.method.method()).compared();
            found.iter().map(|of| of.get(id).copied().map(compared)).collect()
        })
        .collect();
    let common = |cell: &&Vec<Option<Method>>| cell.iter().flatten().count() > 1;
    let differ = |cell: &&Vec<Option<Method>>| {
        let mut present = cell.iter().flatten();
        let first = present.next();
        present.any(|other| Some(other) != first)
    };
    let agree_somewhere = aligned
        .iter()
        .any(|cell| cell.split_first().is_some_and(|(first, rest)| first.is_some() && rest.contains(first)));
    let (passes_agree, passes_there) = passes(results);
    let agree_somewhere = agree_somewhere || passes_agree;
    if results.len() > 1 && !aligned.iter().any(|cell| common(&cell)) && !passes_agree {
        let what = if passes_there { "other cells and passes" } else { "other cells" };
        let values = results.iter().map(|r| Some(format!("{what}, suite {}", r.head.suite))).collect();
        let difference = Some(Difference { item: Item::Method, values });
        return Methods { difference, agree_somewhere };
    }
    let odd: Vec<_> = aligned.iter().filter(common).filter(differ).collect();
    let varies = |parameter: &fn(&Method) -> String| {
        odd.iter().any(|cell| {
            let mut texts = cell.iter().flatten().map(parameter);
            let first = texts.next();
            texts.any(|other| Some(other) != first)
        })
    };
    let varying: Vec<_> = PARAMETERS.into_iter().filter(varies).collect();
    let of_series = |series: usize| -> String {
        let mut words: Vec<String> = Vec::new();
        for parameter in &varying {
            for word in odd.iter().filter_map(|cell| cell[series].as_ref()).map(parameter) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        if words.is_empty() { "none of these cells".to_owned() } else { words.join(", ") }
    };
    let difference = (!odd.is_empty()).then(|| Difference {
        item: Item::Method,
        values: (0..results.len()).map(|series| Some(of_series(series))).collect(),
    });
    Methods { difference, agree_somewhere }
}

/// Whether a pass of the first result has the same method in another one, and whether there are passes at all.
fn passes(results: &[ResultSummary]) -> (bool, bool) {
    let of = |result: &ResultSummary| -> Vec<PassMethod> {
        let device_bytes = result.head.device_bytes();
        let played = result.passes.iter().flat_map(|pass| &pass.traces).map(|trace| &trace.method);
        let moved = result.moved.iter().map(|moved| &moved.method);
        played.chain(moved).map(|id| id.method().compared(device_bytes)).collect()
    };
    let all: Vec<Vec<PassMethod>> = results.iter().map(of).collect();
    let there = all.iter().any(|passes| !passes.is_empty());
    let Some((first, rest)) = all.split_first() else { return (false, there) };
    (rest.iter().any(|other| first.iter().any(|pass| other.contains(pass))), there)
}

/// The row of every metric that any result has, in the order of first appearance.
fn metrics_in_order(results: &[ResultSummary], aligned: &Alignment) -> Vec<(MetricId, String)> {
    let mut known = HashSet::new();
    let mut seen: Vec<(MetricId, String)> = Vec::new();
    for metric in results.iter().flat_map(|result| &result.metrics) {
        let row = aligned.row_of(metric);
        if known.insert(row.clone()) {
            seen.push((row, aligned.label_of(metric)));
        }
    }
    seen
}

fn row(id: &MetricId, label: String, found: &[Found<'_>], verdict: &Verdict, aligned: &Alignment) -> Row {
    let found: Vec<Option<&MetricSummary>> = found.iter().map(|of| of.get(id).copied()).collect();
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
                standing(id.kind, baseline, *metric, verdict, aligned)
            },
        })
        .collect();
    Row { metric: id.clone(), label, entries }
}

fn standing(
    kind: MetricKind,
    baseline: Option<&MetricSummary>,
    metric: Option<&MetricSummary>,
    verdict: &Verdict,
    aligned: &Alignment,
) -> Standing {
    let (Some(baseline), Some(metric)) = (baseline, metric) else { return Standing::Missing };
    let (Some(base), Some(stats)) = (baseline.counted(), metric.counted()) else { return Standing::Missing };
    let figures = (base.figure(kind), stats.figure(kind));
    let compared = |metric: &MetricSummary| aligned.compared(metric.method.method());
    let alike = compared(baseline).means_alike(&compared(metric));
    let allowed = alike && verdict.allows_percentages();
    against(base, stats, figures, kind.higher_is_better(), allowed)
}

/// How a median stands to the baseline's; `allowed` says whether methods agree and a percentage may be given.
#[must_use]
pub fn standing_of_medians(base: &Stats, stats: &Stats, higher_is_better: bool, allowed: bool) -> Standing {
    against(base, stats, (base.median, stats.median), higher_is_better, allowed)
}

fn against(
    base: &Stats,
    stats: &Stats,
    (from, to): (f64, f64),
    higher_is_better: bool,
    allowed: bool,
) -> Standing {
    if !allowed || from == 0.0 {
        return Standing::NotComparable;
    }
    let change = to / from - 1.0;
    if base.count < 2 || stats.count < 2 {
        return Standing::SpreadUnknown { change };
    }
    if (to - from).abs() <= spread(base).max(spread(stats)) {
        return Standing::Tie { change };
    }
    Standing::Differs { change, better: (change > 0.0) == higher_is_better }
}

/// The distance between the least and the greatest loop.
fn spread(stats: &Stats) -> f64 {
    stats.max - stats.min
}

/// Something that tells results of one name apart.
type Distinction = fn(&ResultHead) -> Option<String>;

/// What is added to a drive's name, one after the other, until the names differ: first what the drive is,
const OF_THE_DRIVE: [Distinction; 2] = [
    |head| head.capacity_bytes.map(format_capacity),
    |head| head.firmware.as_ref().map(|name| format!("firmware {name}")),
];
/// then, behind the axis, what the run was. A label's text says little without its key: "none" is a cooling.
const OF_THE_RUN: [Distinction; 6] = [
    |head| label_of(head, LabelKey::Slot),
    |head| label_of(head, LabelKey::Cooling),
    |head| label_of(head, LabelKey::Fill),
    // The reviewer's own words are shown as such.
    |head| head.labels.get(&LabelKey::Note).map(|text| format!("“{}”", beginning(text))),
    |head| head.file_system.clone(),
    |head| Some(format_utc(head.started_unix_ms)),
];

fn label_of(head: &ResultHead, key: LabelKey) -> Option<String> {
    head.labels.get(&key).map(|text| format!("{} {}", key.token(), beginning(text)))
}

/// At most 40 characters of a text, cut between words where it has any, with a mark where it was cut.
fn beginning(text: &str) -> String {
    const LONGEST: usize = 40;
    let Some((end, _)) = text.char_indices().nth(LONGEST) else { return text.to_owned() };
    let kept = &text[..end];
    // A cut that falls between words cuts none.
    let whole = if text[end..].starts_with(' ') {
        kept
    } else {
        kept.rsplit_once(' ').map_or(kept, |(words, _)| words)
    };
    format!("{}…", whole.trim_end())
}

/// Short names that tell the series apart: the drive, then what differs, then a number.
fn names(heads: &[&ResultHead], aligned: &Alignment) -> Vec<String> {
    let mut names: Vec<String> = heads.iter().map(|head| head.drive.clone()).collect();
    let of_heads = |distinction: &Distinction| heads.iter().map(|head| distinction(head)).collect();
    let by = aligned.by.iter().map(|Difference { item, values }| {
        let told = |value: &String| format!("{} {value}", item.text());
        values.iter().map(|value| value.as_ref().map(told)).collect()
    });
    let all: Vec<Vec<Option<String>>> =
        OF_THE_DRIVE.iter().map(of_heads).chain(by).chain(OF_THE_RUN.iter().map(of_heads)).collect();
    for parts in all {
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
