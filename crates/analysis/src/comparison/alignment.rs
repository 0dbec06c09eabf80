//! Which cells of several results stand in one row: as a rule those of one name, and where results were measured alike
//! but for one parameter, those that are equal without it. That parameter is then an item that differs like any other.
//!
//! Knows methods. Does not know figures, or what else differs.

use model::{
    Method,
    comparison::{Difference, Item},
    method::{Before, DataKind},
    metric::MetricId,
    summary::{MetricSummary, ResultSummary},
    units::format_size,
};
use std::collections::{HashMap, HashSet};

/// The metrics of a result by the row that they stand in.
pub(super) type Found<'a> = HashMap<MetricId, &'a MetricSummary>;

/// How cells are aligned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Alignment {
    /// The parameter in which all cells that stand in one row differ, with its value in each result.
    pub(super) by: Option<Difference>,
}

/// A parameter of methods that may be the one that differs.
struct Parameter {
    item: Item,
    /// The method without it: equal for methods that differ in nothing else.
    without: fn(&Method) -> Method,
    /// Its value for readers.
    value: fn(&Method) -> String,
}

/// Those that a cell's name does not spell: cells that differ in them have one name.
const UNNAMED: [Parameter; 2] = [
    Parameter {
        item: Item::Span,
        without: |method| Method { span_bytes: 0, ..method.clone() },
        value: |method| format_size(method.span_bytes),
    },
    Parameter {
        item: Item::Data,
        without: |method| Method { data: DataKind::Random, ..method.clone() },
        value: |method| method.data.token().to_owned(),
    },
];

/// Those that a cell's name spells, in the order in which they are tried.
const NAMED: [Parameter; 3] = [
    Parameter {
        item: Item::StateBefore,
        without: |method| Method { before: Before::default(), ..method.clone() },
        value: |method| method.before.text(),
    },
    Parameter { item: Item::Members, without: Method::without_members, value: Method::members_text },
    Parameter {
        item: Item::QueueDepth,
        without: |method| Method { queue_depth: 1, ..method.clone() },
        value: |method| method.queue_depth.to_string(),
    },
];

fn parameter(item: Item) -> Option<&'static Parameter> {
    UNNAMED.iter().chain(&NAMED).find(|parameter| parameter.item == item)
}

impl Alignment {
    /// How the metrics of these results are aligned.
    pub(super) fn of(results: &[ResultSummary]) -> Self {
        let all: Vec<Vec<(&str, &Method)>> = results.iter().map(methods).collect();
        let by = UNNAMED
            .iter()
            .find_map(|parameter| unnamed(parameter, &all))
            .or_else(|| NAMED.iter().find_map(|parameter| named(parameter, &all)));
        Self { by }
    }

    fn parameter(&self) -> Option<&'static Parameter> {
        parameter(self.by.as_ref()?.item)
    }

    /// What must be equal for figures to stand in one row and be divided.
    pub(super) fn compared(&self, method: &Method) -> Method {
        self.parameter().map_or_else(|| method.clone(), |parameter| (parameter.without)(method))
    }

    /// The metrics of a result by row: of several those whose figures count, as when a repeat of the suite ended
    /// otherwise.
    pub(super) fn metrics_of<'a>(&self, result: &'a ResultSummary) -> Found<'a> {
        let mut found = Found::new();
        for metric in &result.metrics {
            found
                .entry(self.row_of(metric))
                .and_modify(|known: &mut &MetricSummary| {
                    if known.counted().is_none() && metric.counted().is_some() {
                        *known = metric;
                    }
                })
                .or_insert(metric);
        }
        found
    }

    /// The name of the row that a metric belongs to; its kind is kept.
    pub(super) fn row_of(&self, metric: &MetricSummary) -> MetricId {
        match self.parameter() {
            Some(_) => MetricId::new(&self.compared(metric.method.method()), metric.kind()),
            None => metric.metric.clone(),
        }
    }

    /// What a row is called.
    pub(super) fn label_of(&self, metric: &MetricSummary) -> String {
        let method = metric.method.method();
        match self.parameter().map(|parameter| parameter.item) {
            None | Some(Item::Span | Item::Data) => metric.label.clone(),
            Some(Item::QueueDepth) => method.label_without_depth(),
            Some(Item::Members) => method.label_without_members(),
            Some(_) => self.compared(method).label(),
        }
    }
}

/// The methods of a result's cells that count, each once, with the name of its cell.
fn methods(result: &ResultSummary) -> Vec<(&str, &Method)> {
    let counted = result.metrics.iter().filter(|metric| metric.counted().is_some());
    let mut known = HashSet::new();
    let named = counted.map(|metric| (metric.metric.cell.as_str(), metric.method.method()));
    named.filter(|(_, method)| known.insert(*method)).collect()
}

/// The parameter's values when cells of one name differ in it and in nothing else, wherever results share them.
fn unnamed(parameter: &Parameter, all: &[Vec<(&str, &Method)>]) -> Option<Difference> {
    let (first, rest) = all.split_first()?;
    let first: HashMap<&str, Method> =
        first.iter().map(|(cell, method)| (*cell, (parameter.without)(method))).collect();
    let mut shared = HashSet::new();
    for (cell, method) in rest.iter().flatten() {
        if let Some(before) = first.get(cell) {
            if (parameter.without)(method) != *before {
                return None;
            }
            shared.insert(*cell);
        }
    }
    // One value in each result, or cells whose values agree would be told to differ.
    let value = |methods: &Vec<(&str, &Method)>| {
        let shared = methods.iter().filter(|(cell, _)| shared.contains(cell));
        only(shared.map(|(_, method)| (parameter.value)(method)))
    };
    difference(parameter, all.iter().map(value).collect())
}

/// The parameter's values when results share no cell, and do without the parameter.
fn named(parameter: &Parameter, all: &[Vec<(&str, &Method)>]) -> Option<Difference> {
    let (first, rest) = all.split_first()?;
    let cells: HashSet<&str> = first.iter().map(|(cell, _)| *cell).collect();
    let without = |method: &Method| (parameter.without)(method).compared();
    let alike: HashSet<Method> = first.iter().map(|(_, method)| without(method)).collect();
    let mut rest = rest.iter().flatten();
    if rest.clone().any(|(cell, _)| cells.contains(cell))
        || !rest.any(|(_, method)| alike.contains(&without(method)))
    {
        return None;
    }
    // A result that has several values of the parameter shows them itself.
    let value =
        |methods: &Vec<(&str, &Method)>| only(methods.iter().map(|(_, method)| (parameter.value)(method)));
    difference(parameter, all.iter().map(value).collect())
}

/// The one value of all; `None` of none and of several.
fn only(mut values: impl Iterator<Item = String>) -> Option<String> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The difference, when each result has one value and they are not all the same.
fn difference(parameter: &Parameter, values: Vec<Option<String>>) -> Option<Difference> {
    let differ = values.windows(2).any(|pair| pair[0] != pair[1]);
    (differ && values.iter().all(Option::is_some)).then_some(Difference { item: parameter.item, values })
}
