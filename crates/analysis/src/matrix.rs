//! What small random I/Os beside large ones show: the load of most I/Os, of most data, and of the least latency.
//!
//! Knows: which cells of a document are loads of one matrix. Does not know: how loads are drawn.
//! Source: the summary of Oracle ORION names the most IOPS, the most MB/s and the least latency with the load of each.
//! There IOPS and latency are those of small I/Os and MB/s those of large ones; here IOPS and MB/s count both, for both
//! are what the drive did.

use crate::{
    stats,
    summary::{cell_values, counted_loops},
};
use model::{
    Method, ResultDocument,
    document::{Cell, Loop},
    finding::{BestKind, BestLoad, Found, InFlight, Matrix, MatrixLoad, Story},
    method::{Ends, LONG_SECONDS, Pattern},
    metric::MetricKind,
    units::{Nanos, Unit, format_percent, format_size, per_second},
};

/// Fewer loads are no matrix.
const LEAST_LOADS: usize = 4;
/// From this size on, bytes, an I/O is a large one. Source: ORION's small I/Os are 2 to 32 KB, its large ones 128 KB and
/// more.
const LARGE: u32 = 128 << 10;

/// What a matrix shows.
#[must_use]
pub fn story(found: Matrix) -> Story {
    Story { title: title(&found), sentences: words(&found), found: Found::Matrix(found) }
}

/// The load of a cell.
#[derive(Clone, Copy)]
struct Load<'a> {
    cell: &'a Cell,
    small: Option<u32>,
    large: Option<u32>,
    in_flight: InFlight,
}

/// The load of a cell that may belong to a matrix; `None` for others.
fn load(cell: &Cell) -> Option<Load<'_>> {
    let Method { pattern, block_bytes, queue_depth, threads, beside, ends, .. } = cell.method;
    let counts = cell.status.counts();
    if !counts || pattern.sequential() || threads != 1 || ends != Ends::Time {
        return None;
    }
    let (small, large, in_flight) = match beside {
        Some(second) => (
            Some(block_bytes),
            Some(second.block_bytes),
            InFlight { small: queue_depth, large: second.queue_depth },
        ),
        // Curves over depths of one direction are told as such.
        None if pattern != Pattern::RandMix => return None,
        None if block_bytes >= LARGE => (None, Some(block_bytes), InFlight { small: 0, large: queue_depth }),
        None => (Some(block_bytes), None, InFlight { small: queue_depth, large: 0 }),
    };
    Some(Load { cell, small, large, in_flight })
}

/// Whether a cell is a load of one of these, which are told together; long mixes are also told as what they are.
pub(crate) fn is_load(cell: &Cell, matrices: &[Matrix]) -> bool {
    let of = |found: &Matrix| *found.method.method() == cell.method.without_load();
    cell.method.seconds < LONG_SECONDS && load(cell).is_some() && matrices.iter().any(of)
}

/// The matrices of a document, one for each pair of sizes.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<Matrix> {
    let loads: Vec<Load<'_>> = document.cells.iter().filter_map(load).collect();
    let mut found = Vec::new();
    let mut rests: Vec<Method> = Vec::new();
    for rest in loads.iter().map(|load| load.cell.method.without_load()) {
        if rests.contains(&rest) {
            continue;
        }
        let own: Vec<Load<'_>> =
            loads.iter().filter(|load| load.cell.method.without_load() == rest).copied().collect();
        for (small, large) in sizes(&own) {
            // What has none of one size belongs to every matrix of the other one.
            let fits = |load: &&Load<'_>| {
                (load.small.is_none() || load.small == small) && (load.large.is_none() || load.large == large)
            };
            found.extend(matrix(
                &rest,
                (small, large),
                &own.iter().filter(fits).copied().collect::<Vec<_>>(),
            ));
        }
        rests.push(rest);
    }
    found
}

/// Every pair of sizes that makes a matrix, in the order they were measured.
fn sizes(loads: &[Load<'_>]) -> Vec<(Option<u32>, Option<u32>)> {
    let mut small: Vec<Option<u32>> = Vec::new();
    let mut large: Vec<Option<u32>> = Vec::new();
    for load in loads {
        for (list, size) in [(&mut small, load.small), (&mut large, load.large)] {
            if size.is_some() && !list.contains(&size) {
                list.push(size);
            }
        }
    }
    for list in [&mut small, &mut large] {
        if list.is_empty() {
            list.push(None);
        }
    }
    small.iter().flat_map(|small| large.iter().map(move |large| (*small, *large))).collect()
}

fn matrix(
    rest: &Method,
    (small_bytes, large_bytes): (Option<u32>, Option<u32>),
    own: &[Load<'_>],
) -> Option<Matrix> {
    let mut places: Vec<InFlight> = own.iter().map(|load| load.in_flight).collect();
    places.sort_by_key(|place| (place.large, place.small));
    places.dedup();
    let loads: Vec<MatrixLoad> = places
        .into_iter()
        .filter_map(|place| {
            let cells: Vec<Load<'_>> = own.iter().filter(|load| load.in_flight == place).copied().collect();
            measured(place, &cells, small_bytes.is_some())
        })
        .collect();
    if loads.len() < LEAST_LOADS {
        return None;
    }
    let mut found = Matrix { small_bytes, large_bytes, method: rest.id(), loads, points: Vec::new() };
    let kinds = [BestKind::MostIos, BestKind::MostBytes, BestKind::LeastLatency];
    found.points = (1..).zip(kinds.into_iter().filter_map(|kind| best(&found, kind))).map(numbered).collect();
    Some(found)
}

fn numbered((ordinal, point): (u32, BestLoad)) -> BestLoad {
    BestLoad { ordinal, ..point }
}

/// What a load came to over all its loops; `None` when none was finished.
fn measured(in_flight: InFlight, cells: &[Load<'_>], has_small: bool) -> Option<MatrixLoad> {
    let median = |of: &dyn Fn(&Cell) -> Vec<f64>| {
        let values: Vec<f64> = cells.iter().flat_map(|load| of(load.cell)).collect();
        stats::of(&values).map(|stats| stats.median)
    };
    let main = median(&|cell| cell_values(cell, MetricKind::Iops))?;
    let beside = median(&|cell| counted_loops(&cell.loops).filter_map(beside_iops).collect()).unwrap_or(0.0);
    let latency = median(&|cell| cell_values(cell, MetricKind::LatencyMeanNs));
    let small = in_flight.small > 0;
    Some(MatrixLoad {
        in_flight,
        small_iops: if small { main } else { 0.0 },
        large_iops: if small { beside } else { main },
        latency_ns: latency.filter(|_| small || !has_small),
    })
}

fn beside_iops(one: &Loop) -> Option<f64> {
    per_second(one.transfer_beside()?.ios, Nanos(one.elapsed_ns))
}

/// The first load with the best value of a kind, without its number.
fn best(found: &Matrix, kind: BestKind) -> Option<BestLoad> {
    let mut picked: Option<BestLoad> = None;
    for load in &found.loads {
        let Some(y) = found.value(load, kind) else { continue };
        let better = |best: BestLoad| match kind {
            BestKind::LeastLatency => y < best.y,
            BestKind::MostIos | BestKind::MostBytes => y > best.y,
        };
        if picked.is_none_or(better) {
            picked = Some(BestLoad { ordinal: 0, kind, in_flight: load.in_flight, y });
        }
    }
    picked
}

/// `RND4K beside RND1M, 70 % read, by load`.
fn title(found: &Matrix) -> String {
    let name = |bytes: u32| {
        let label = Method { block_bytes: bytes, ..Method::PLAIN }.short_label();
        label.split(' ').next().unwrap_or_default().to_owned()
    };
    let sizes: Vec<String> = [found.small_bytes, found.large_bytes].into_iter().flatten().map(name).collect();
    let rest = found.method.method();
    let direction = rest.label();
    // The label without the name of its block and its depth.
    let direction = direction.strip_prefix(&format!("{} ", rest.short_label())).unwrap_or(&direction);
    format!("{} {direction} by load", sizes.join(" beside "))
}

/// `16 small and 4 large`; the sizes stand in the title.
#[must_use]
pub fn load_text(found: &Matrix, InFlight { small, large }: InFlight) -> String {
    match (found.small_bytes, found.large_bytes) {
        (Some(_), Some(_)) => format!("{small} small and {large} large"),
        (None, _) => large.to_string(),
        (_, None) => small.to_string(),
    }
}

/// A value of a kind with its unit.
#[must_use]
pub fn value_text(kind: BestKind, value: f64) -> String {
    match kind {
        BestKind::MostIos => Unit::Iops,
        BestKind::MostBytes => Unit::BytesPerSecond,
        BestKind::LeastLatency => Unit::Nanoseconds,
    }
    .format(value)
}

/// The findings in sentences, one for each point, and what large I/Os cost the small ones.
#[must_use]
pub fn words(found: &Matrix) -> Vec<String> {
    let both = found.small_bytes.is_some() && found.large_bytes.is_some();
    let mut words: Vec<String> = found
        .points
        .iter()
        .map(|point| {
            let (load, value) = (load_text(found, point.in_flight), value_text(point.kind, point.y));
            let told = match point.kind {
                BestKind::MostIos if both => {
                    format!("Most I/Os: {value} with {load} in flight, both sizes together.")
                }
                BestKind::MostIos => format!("Most I/Os: {value} with {load} in flight."),
                BestKind::MostBytes if both => {
                    format!("Most data: {value} with {load} in flight, both sizes together.")
                }
                BestKind::MostBytes => format!("Most data: {value} with {load} in flight."),
                BestKind::LeastLatency => {
                    let size = found.small_bytes.or(found.large_bytes).unwrap_or_default();
                    let size = format_size(size.into());
                    format!("Least latency: {value} with {load} in flight, as a mean of the I/Os of {size}.")
                }
            };
            format!("[{}] {told}", point.ordinal)
        })
        .collect();
    words.extend(cost(found));
    words
}

/// What small I/Os lose beside large ones, at the most of both.
fn cost(found: &Matrix) -> Option<String> {
    let mixed = found.loads.iter().filter(|load| load.in_flight.small > 0 && load.in_flight.large > 0);
    let most = mixed.max_by_key(|load| (load.in_flight.small, load.in_flight.large))?;
    let alone = found.at(InFlight { large: 0, ..most.in_flight })?;
    let rate = |iops: f64| Unit::Iops.format(iops);
    Some(format!(
        "{} small ones alone make {}, beside {} large ones {}: {}.",
        most.in_flight.small,
        rate(alone.small_iops),
        most.in_flight.large,
        rate(most.small_iops),
        format_percent(most.small_iops / alone.small_iops)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::document::CellStatus;
    use model::{fixtures, ids::PublicKey};

    fn document() -> ResultDocument {
        fixtures::with_matrix(fixtures::document("Example", 1.0, PublicKey([1; 32])))
    }

    #[test]
    fn the_best_loads_are_found_and_told() {
        let found = of_document(&document());
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.small_bytes, only.large_bytes), (Some(4096), Some(1 << 20)));
        assert_eq!(only.loads.len(), 3 * 3 - 1, "every combination but nothing at all");
        let points: Vec<(u32, BestKind, InFlight)> =
            only.points.iter().map(|point| (point.ordinal, point.kind, point.in_flight)).collect();
        assert_eq!(
            points,
            [
                (1, BestKind::MostIos, InFlight { small: 8, large: 0 }),
                (2, BestKind::MostBytes, InFlight { small: 1, large: 2 }),
                (3, BestKind::LeastLatency, InFlight { small: 1, large: 0 }),
            ]
        );
        for load in &only.loads {
            assert!(only.value(load, BestKind::MostIos) <= Some(only.points[0].y), "{load:?}");
            assert!(only.value(load, BestKind::MostBytes) <= Some(only.points[1].y), "{load:?}");
        }
        let told = story(only.clone());
        assert_eq!(told.title, "RND4K beside RND1M 70 % read by load");
        insta::assert_snapshot!(told.sentences.join("\n"));
    }

    #[test]
    fn one_size_alone_is_told_without_the_other() {
        let mut small = document();
        small.cells.retain(|cell| cell.method.block_bytes == 4096 && cell.method.beside.is_none());
        assert_eq!(of_document(&small), [], "two loads are too few");
        let mut more = small.cells.last().unwrap().clone();
        for depth in [16, 32] {
            more.method.queue_depth = depth;
            small.cells.push(more.clone());
        }
        let told = story(of_document(&small).remove(0));
        assert_eq!(told.title, "RND4K 70 % read by load");
        assert!(told.sentences[0].ends_with("IOPS with 8 in flight."), "{told:?}");
        let Found::Matrix(found) = told.found else { unreachable!() };
        assert_eq!(found.large_bytes, None);
    }

    #[test]
    fn what_does_not_count_is_no_load() {
        let mut document = document();
        for cell in &mut document.cells {
            if cell.method.queue_depth == 8 {
                cell.status = CellStatus::Void;
            }
        }
        let found = of_document(&document).remove(0);
        assert!(found.loads.iter().all(|load| load.in_flight.small < 8));
    }

    #[test]
    fn loads_of_other_spans_are_another_matrix() {
        let mut document = document();
        let mut others = document.cells.clone();
        others.iter_mut().for_each(|cell| cell.method.span_bytes *= 2);
        document.cells.extend(others);
        assert_eq!(of_document(&document).len(), 2);
    }
}
