//! Ranks drives by one metric: only figures that may be compared, ties where a difference is not beyond the spread.
//!
//! Knows what makes two results one configuration, and which rows share a rank. Does not know which results may be
//! ranked at all: that the store decides, which hands in no other.

use crate::catalogue::{Sample, figures, groups};
use model::{
    drive::Transport,
    labels::LabelKey,
    method::DataKind,
    metric::MetricId,
    ranking::{Configuration, Ranking, RankingGroup, RankingRow},
    summary::ResultHead,
    units::{format_capacity, parse_size},
};

/// Most results that a row names.
const MAX_NAMED: usize = 16;

/// Which drives are ranked; the default ranks all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only drives that are attached so.
    pub transport: Option<Transport>,
    /// Least capacity in bytes, as data sheets give it.
    pub min_capacity: Option<u64>,
    /// Greatest capacity in bytes, as data sheets give it.
    pub max_capacity: Option<u64>,
}

impl Filter {
    /// Whether a drive is ranked; one of unknown capacity is not where capacities are asked for.
    #[must_use]
    pub fn takes(&self, head: &ResultHead) -> bool {
        let capacity = head.capacity_bytes.map(on_data_sheet);
        self.transport.is_none_or(|transport| transport == head.transport)
            && self.min_capacity.is_none_or(|least| capacity.is_some_and(|bytes| bytes >= least))
            && self.max_capacity.is_none_or(|most| capacity.is_some_and(|bytes| bytes <= most))
    }
}

/// A capacity as data sheets give it: a drive of 2,000,398,934,016 bytes has 2 TB.
fn on_data_sheet(bytes: u64) -> u64 {
    parse_size(&format_capacity(bytes).replace(',', "")).unwrap_or(bytes)
}

/// Ranks samples of `metric`, newest first; `cut` says whether older ones were left out.
#[must_use]
pub fn rank(metric: &MetricId, samples: &[Sample], filter: &Filter, cut: bool) -> Ranking {
    let higher_is_better = metric.kind.higher_is_better();
    let ranked = samples
        .iter()
        .filter(|sample| sample.metric == *metric && sample.means_something() && filter.takes(&sample.head));
    let mut groups: Vec<RankingGroup> = groups(ranked, Sample::is_like)
        .into_iter()
        .map(|group| RankingGroup {
            method: group[0].method.clone(),
            engine: group[0].head.engine,
            hosts: hosts(&group),
            rows: rows(&group, higher_is_better),
        })
        .collect();
    groups.sort_by_cached_key(|group| {
        let other_data = group.method.method().data != DataKind::Random;
        (other_data, std::cmp::Reverse(group.rows.len()), group.method.to_string(), group.engine.token())
    });
    let label = samples.first().map(|sample| sample.method.method().label()).unwrap_or_default();
    Ranking { metric: metric.clone(), label, higher_is_better, groups, cut }
}

fn rows(group: &[&Sample], higher_is_better: bool) -> Vec<RankingRow> {
    let same = |a: &Sample, b: &Sample| is_same(&configuration(&a.head), &configuration(&b.head));
    let mut rows: Vec<RankingRow> = groups(group.iter().copied(), same)
        .into_iter()
        .filter_map(|of| {
            Some(RankingRow {
                rank: 0,
                shared: false,
                configuration: configuration(&of[0].head),
                figures: figures(&of)?,
                hosts: hosts(&of),
                results: of.iter().take(MAX_NAMED).map(|sample| sample.head.id).collect(),
            })
        })
        .collect();
    rows.sort_by(|a, b| {
        let order = a.figures.median.total_cmp(&b.figures.median);
        let order = if higher_is_better { order.reverse() } else { order };
        order.then_with(|| a.configuration.drive_slug.cmp(&b.configuration.drive_slug))
    });
    give_ranks(&mut rows);
    rows
}

/// Neighbours whose difference is not larger than the larger spread of the two share the rank of the first of them; a row
/// of unknown spread shares a rank with its equals only.
fn give_ranks(rows: &mut [RankingRow]) {
    for index in 0..rows.len() {
        let tie = index > 0 && is_tie(&rows[index - 1], &rows[index]);
        rows[index].rank =
            if tie { rows[index - 1].rank } else { u32::try_from(index + 1).unwrap_or(u32::MAX) };
        rows[index].shared = tie;
        if tie {
            rows[index - 1].shared = true;
        }
    }
}

fn is_tie(one: &RankingRow, other: &RankingRow) -> bool {
    let spread = |row: &RankingRow| row.figures.spread().unwrap_or(0.0);
    (one.figures.median - other.figures.median).abs() <= spread(one).max(spread(other))
}

/// Each host once, in their order.
fn hosts(samples: &[&Sample]) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for sample in samples {
        if !hosts.contains(&sample.head.host) {
            hosts.push(sample.head.host.clone());
        }
    }
    hosts
}

fn configuration(head: &ResultHead) -> Configuration {
    let label = |key| head.labels.get(&key).map(|text| text.trim().to_owned());
    Configuration {
        drive: head.drive.clone(),
        drive_slug: head.drive_slug.clone(),
        capacity_bytes: head.capacity_bytes,
        firmware: head.firmware.clone(),
        transport: head.transport,
        file_system: head.file_system.clone(),
        file_system_block_bytes: head.file_system_block_bytes,
        slot: label(LabelKey::Slot),
        cooling: label(LabelKey::Cooling),
        fill: label(LabelKey::Fill),
    }
}

/// Whether two are one but for spelling: of the drive, and of upper and lower case in a reviewer's words.
fn is_same(one: &Configuration, other: &Configuration) -> bool {
    let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
    one.drive_slug == other.drive_slug
        && one.firmware == other.firmware
        && one.transport == other.transport
        && one.file_system == other.file_system
        && one.file_system_block_bytes == other.file_system_block_bytes
        && lower(&one.slot) == lower(&other.slot)
        && lower(&one.cooling) == lower(&other.cooling)
        && lower(&one.fill) == lower(&other.fill)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::tests::sample;
    use model::{document::EngineClass, metric::MetricKind};

    fn drive(number: u8, name: &str, median: f64, off: f64) -> Sample {
        sample(number, median, off, |head| {
            name.clone_into(&mut head.drive);
            name.clone_into(&mut head.drive_slug);
        })
    }

    fn ranked(samples: &[Sample]) -> Ranking {
        rank(&samples[0].metric, samples, &Filter::default(), false)
    }

    fn ranks(group: &RankingGroup) -> Vec<(u32, bool, &str)> {
        group.rows.iter().map(|row| (row.rank, row.shared, row.configuration.drive.as_str())).collect()
    }

    #[test]
    fn neighbours_inside_the_spread_share_a_rank_and_the_next_is_counted_on() {
        let samples = [
            drive(1, "slow", 1_000.0, 1.0),
            drive(2, "fast", 3_000.0, 4.0),
            drive(3, "nearly", 2_993.0, 1.0),
            drive(4, "middle", 2_000.0, 1.0),
        ];
        let ranking = ranked(&samples);
        assert!(ranking.higher_is_better);
        let expected = [(1, true, "fast"), (1, true, "nearly"), (3, false, "middle"), (4, false, "slow")];
        assert_eq!(ranks(&ranking.groups[0]), expected);
    }

    #[test]
    fn less_is_better_where_the_metric_says_so() {
        let mut samples = [drive(1, "slow", 9.0, 0.1), drive(2, "fast", 3.0, 0.1)];
        for sample in &mut samples {
            sample.metric.kind = MetricKind::LatencyP99Ns;
        }
        let ranking = ranked(&samples);
        assert_eq!(ranks(&ranking.groups[0]), [(1, false, "fast"), (2, false, "slow")]);
    }

    #[test]
    fn one_row_is_one_configuration() {
        let cooled = |number, words: &str| {
            sample(number, 2_000.0, 1.0, |head| drop(head.labels.insert(LabelKey::Cooling, words.to_owned())))
        };
        let mut samples = vec![drive(1, "example", 1_000.0, 1.0), drive(2, "example", 1_100.0, 1.0)];
        samples.extend([cooled(3, "Heatsink"), cooled(4, "heatsink ")]);
        std::sync::Arc::make_mut(&mut samples[1].head).host = "another host".to_owned();
        let ranking = ranked(&samples);
        let group = &ranking.groups[0];
        assert_eq!(group.rows.iter().map(|row| row.figures.results).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(group.rows[1].figures.median, 1_050e6);
        assert_eq!(
            (group.rows[1].hosts.len(), group.hosts.len()),
            (2, 2),
            "another host is named, not parted"
        );
    }

    #[test]
    fn other_methods_and_engines_stand_apart_and_other_data_last() {
        let mut zero = drive(2, "zero", 9_000.0, 1.0);
        let mut method = zero.method.method().clone();
        method.data = DataKind::Zero;
        zero.method = method.id();
        let mut polled = drive(3, "polled", 9_000.0, 1.0);
        std::sync::Arc::make_mut(&mut polled.head).engine = EngineClass::Polled;
        let samples = [zero.clone(), drive(4, "zero two", 1.0, 0.1), drive(1, "usual", 1_000.0, 1.0), polled];
        let mut two = samples.to_vec();
        two.push({
            let mut another = drive(5, "zero three", 9_100.0, 1.0);
            another.method = zero.method;
            another
        });
        let ranking = ranked(&two);
        let names: Vec<_> =
            ranking.groups.iter().map(|group| group.rows[0].configuration.drive.as_str()).collect();
        assert_eq!(names, ["usual", "polled", "zero three"]);
    }

    #[test]
    fn a_write_that_ends_when_it_settles_is_not_ranked() {
        let mut once = drive(1, "once", 1_000.0, 1.0);
        let mut method = once.method.method().clone();
        method.loops = 1;
        method.ends = model::method::Ends::Bytes(model::method::Stretches {
            loop_bytes: 1 << 20,
            rest_seconds: 0,
            settles: Some(model::method::Settles { bytes: 1, seconds: 1 }),
            until_slow: false,
        });
        once.method = method.id();
        assert!(ranked(&[once]).groups.is_empty());
    }

    #[test]
    fn filters_take_capacities_as_data_sheets_give_them() {
        let samples = [
            sample(1, 1.0, 0.1, |head| head.capacity_bytes = Some(2_000_398_934_016)),
            sample(2, 1.0, 0.1, |head| {
                head.capacity_bytes = Some(512_110_190_592);
                head.transport = Transport::Sata;
            }),
            sample(3, 1.0, 0.1, |head| head.capacity_bytes = None),
        ];
        let count = |filter: Filter| {
            rank(&samples[0].metric, &samples, &filter, false)
                .groups
                .iter()
                .map(|group| group.rows.iter().map(|row| row.figures.results).sum::<u32>())
                .sum::<u32>()
        };
        let all = Filter::default();
        assert_eq!(count(all), 3);
        assert_eq!(count(Filter { max_capacity: Some(2_000_000_000_000), ..all }), 2);
        assert_eq!(count(Filter { min_capacity: Some(512_000_000_001), ..all }), 1);
        assert_eq!(count(Filter { min_capacity: Some(512_000_000_000), ..all }), 2);
        assert_eq!(count(Filter { transport: Some(Transport::Sata), ..all }), 1);
    }
}
