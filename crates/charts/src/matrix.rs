//! Small random I/Os beside large ones: I/Os per second and latency over the small ones in flight, a grid for each number
//! of large ones; throughput the other way round. Every value and point is the summary's.

use crate::{
    Chart, Table, caption,
    figure::number_on_axis,
    frame::{self, Frame},
    lines::{Facet, Lines, Point, without_line},
    series::SeriesSet,
    style::Style,
    view,
};
use analysis::matrix::{load_text, value_text};
use model::{
    chart_id::ChartId,
    finding::{BestKind, Found, InFlight, Matrix},
    units::Unit,
};

/// At most so many grids.
const MOST_FACETS: usize = 4;

/// What one of the charts shows.
struct Kind {
    id: ChartId,
    title: &'static str,
    subtitle: &'static str,
    unit: Unit,
    best: BestKind,
}

const IOPS: Kind = Kind {
    id: ChartId::MatrixIops,
    title: "I/Os per second by load",
    subtitle: "IOPS of small and large I/Os together, more is better.",
    unit: Unit::Iops,
    best: BestKind::MostIos,
};
const LATENCY: Kind = Kind {
    id: ChartId::MatrixLatency,
    title: "Latency by load",
    subtitle: "Mean latency of the small I/Os (of the large ones where there are no small ones) in µs, less is better.",
    unit: Unit::Nanoseconds,
    best: BestKind::LeastLatency,
};
const THROUGHPUT: Kind = Kind {
    id: ChartId::MatrixThroughput,
    title: "Throughput by load",
    subtitle: "MB/s of small and large I/Os together, more is better.",
    unit: Unit::BytesPerSecond,
    best: BestKind::MostBytes,
};

/// A matrix by its name, with what each result has of it.
struct Compared<'a> {
    title: &'a str,
    results: Vec<Option<&'a Matrix>>,
}

/// Draws one of the charts of a matrix: the first one, as it was measured first.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = match id {
        ChartId::MatrixIops => IOPS,
        ChartId::MatrixLatency => LATENCY,
        _ => THROUGHPUT,
    };
    let all = compared(set);
    let first = all.first()?;
    let logarithmic = view::is_logarithmic(style.view, id, false);
    let scale = if logarithmic { " Logarithmic scale." } else { "" };
    let subtitle = format!("{}: {}{scale}", first.title, kind.subtitle);
    let frame = Frame::new(kind.title, &subtitle, &set.names, style);
    let lines = Lines {
        facets: kind.facets(first, &frame.labels),
        unit: kind.unit,
        logarithmic,
        places: kind.places(first),
        one_scale: true,
    };
    let caption = kind.caption(set, &all);
    let description = format!("Line chart: {}. {caption}", kind.title);
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id,
        title: kind.title.to_owned(),
        caption,
        description,
        option,
        table: kind.table(set, &all),
        figures: kind.figures(set, &all),
        height: frame::whole(height),
    })
}

/// The matrices of all results, in the order they were measured; those of other methods are others.
fn compared<'a>(set: &SeriesSet<'a>) -> Vec<Compared<'a>> {
    let mut all: Vec<Compared<'a>> = Vec::new();
    for (index, source) in set.sources.iter().enumerate() {
        for story in &source.summary.stories {
            let Found::Matrix(found) = &story.found else { continue };
            let alike = |other: &Matrix| {
                (other.small_bytes, other.large_bytes, &other.method)
                    == (found.small_bytes, found.large_bytes, &found.method)
            };
            let known = all.iter().position(|one| one.results.iter().flatten().any(|other| alike(other)));
            let at = known.unwrap_or_else(|| {
                all.push(Compared { title: &story.title, results: vec![None; set.sources.len()] });
                all.len() - 1
            });
            all[at].results[index].get_or_insert(found);
        }
    }
    all
}

impl Compared<'_> {
    fn first(&self) -> Option<&Matrix> {
        self.results.iter().flatten().next().copied()
    }

    /// The values of one part of the loads in any result, in ascending order.
    fn numbers(&self, of: fn(InFlight) -> u32) -> Vec<u32> {
        let loads = self.results.iter().flatten().flat_map(|found| &found.loads);
        let mut numbers: Vec<u32> = loads.map(|load| of(load.in_flight)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl Kind {
    /// Whether lines run over the small I/Os in flight, and grids over the large ones.
    fn over_small(&self, compared: &Compared<'_>) -> bool {
        match compared.first().map(|found| (found.small_bytes, found.large_bytes)) {
            Some((Some(_), Some(_))) => self.id != ChartId::MatrixThroughput,
            Some((small, _)) => small.is_some(),
            None => true,
        }
    }

    fn places(&self, compared: &Compared<'_>) -> &'static str {
        if self.over_small(compared) { "small I/Os in flight" } else { "large I/Os in flight" }
    }

    fn facets(&self, compared: &Compared<'_>, labels: &[String]) -> Vec<Facet> {
        let over_small = self.over_small(compared);
        let (small, large) = (compared.numbers(|load| load.small), compared.numbers(|load| load.large));
        let (along, across) = if over_small { (small, large) } else { (large, small) };
        let note = without_line(labels, compared.results.iter().map(Option::is_none));
        let facets = spread(&across).into_iter().map(|across| {
            let load = |along: u32| match over_small {
                true => InFlight { small: along, large: across },
                false => InFlight { small: across, large: along },
            };
            // A grid has only places at which something was measured: nothing at all in flight is none.
            let places: Vec<u32> = along
                .iter()
                .copied()
                .filter(|along| {
                    let of = |found: &&Matrix| self.value(found, load(*along)).is_some();
                    compared.results.iter().flatten().any(of)
                })
                .collect();
            let other = if over_small { "large" } else { "small" };
            let line = |found: &Option<&Matrix>| match found {
                Some(found) => places.iter().map(|along| self.point(found, load(*along))).collect(),
                None => Vec::new(),
            };
            Facet {
                title: match across {
                    0 => format!("no {other} I/O in flight"),
                    1 => format!("1 {other} I/O in flight"),
                    _ => format!("{across} {other} I/Os in flight"),
                },
                note: note.clone(),
                places: places.iter().map(ToString::to_string).collect(),
                lines: compared.results.iter().map(line).collect(),
                ..Facet::default()
            }
        });
        facets.filter(|facet| !facet.places.is_empty()).collect()
    }

    fn value(&self, found: &Matrix, in_flight: InFlight) -> Option<f64> {
        found.value(found.at(in_flight)?, self.best)
    }

    /// A point of a line; one that a finding numbers says so.
    fn point(&self, found: &Matrix, in_flight: InFlight) -> Point {
        let Some(value) = self.value(found, in_flight) else { return Point::gap() };
        let text = number_on_axis(self.unit, value);
        let numbered = found.points.iter().find(|one| one.kind == self.best && one.in_flight == in_flight);
        let text = numbered.map_or(text.clone(), |one| format!("[{}] {text}", one.ordinal));
        Point { value: Some(value), text, hollow: false }
    }

    fn caption(&self, set: &SeriesSet<'_>, all: &[Compared<'_>]) -> String {
        let short = set.short_names();
        let mut sentences = Vec::new();
        for compared in all {
            for (name, found) in short.iter().zip(&compared.results) {
                let best = found
                    .and_then(|found| Some((found, found.points.iter().find(|one| one.kind == self.best)?)));
                let whose = if short.len() > 1 { format!("{name}, ") } else { String::new() };
                let word = if self.best == BestKind::LeastLatency { "least" } else { "most" };
                sentences.extend(best.map(|(found, one)| {
                    // Labels with numbers have room beside a single line only.
                    let number = if short.len() == 1 { format!("[{}] ", one.ordinal) } else { String::new() };
                    format!(
                        "{whose}{}: {word} {number}{} with {} in flight.",
                        compared.title,
                        value_text(one.kind, one.y),
                        load_text(found, one.in_flight)
                    )
                }));
            }
        }
        if all.len() > 1 {
            sentences.push(format!("Drawn is {}; the table has all.", all[0].title));
        }
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    fn table(&self, set: &SeriesSet<'_>, all: &[Compared<'_>]) -> Table {
        let mut columns = ["Matrix", "Small in flight", "Large in flight"].map(str::to_owned).to_vec();
        columns.extend(set.names.iter().cloned());
        let mut rows = Vec::new();
        for compared in all {
            for load in loads(compared) {
                let mut row = vec![compared.title.to_owned(), load.small.to_string(), load.large.to_string()];
                row.extend(compared.results.iter().map(|found| {
                    let value = found.and_then(|found| self.value(found, load));
                    value.map_or_else(|| "no result".to_owned(), |value| value_text(self.best, value))
                }));
                rows.push(row);
            }
        }
        Table { columns, rows }
    }

    fn figures(&self, set: &SeriesSet<'_>, all: &[Compared<'_>]) -> Table {
        let unit = match self.best {
            BestKind::MostIos => "iops",
            BestKind::MostBytes => "bytes_per_s",
            BestKind::LeastLatency => "latency_mean_ns",
        };
        let columns = ["matrix", "result", "small_in_flight", "large_in_flight", unit];
        let mut rows = Vec::new();
        for compared in all {
            for load in loads(compared) {
                for (name, found) in set.names.iter().zip(&compared.results) {
                    let value = found.and_then(|found| self.value(found, load));
                    rows.push(vec![
                        compared.title.to_owned(),
                        name.clone(),
                        load.small.to_string(),
                        load.large.to_string(),
                        value.map(|value| value.to_string()).unwrap_or_default(),
                    ]);
                }
            }
        }
        Table { columns: columns.map(str::to_owned).to_vec(), rows }
    }
}

/// Every load of any result, by large and then by small I/Os in flight.
fn loads(compared: &Compared<'_>) -> Vec<InFlight> {
    let mut loads: Vec<InFlight> =
        compared.results.iter().flatten().flat_map(|found| &found.loads).map(|load| load.in_flight).collect();
    loads.sort_by_key(|load| (load.large, load.small));
    loads.dedup();
    loads
}

/// The numbers that get a grid: all, or the least, the greatest, and some between.
fn spread(numbers: &[u32]) -> Vec<u32> {
    if numbers.len() <= MOST_FACETS {
        return numbers.to_vec();
    }
    (0..MOST_FACETS).map(|index| numbers[index * (numbers.len() - 1) / (MOST_FACETS - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_numbers_some_have_a_grid() {
        assert_eq!(spread(&[0, 1, 2, 4]), [0, 1, 2, 4]);
        assert_eq!(spread(&[0, 1, 2, 4, 8, 16]), [0, 1, 4, 16]);
    }
}
