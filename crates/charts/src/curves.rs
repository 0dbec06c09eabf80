//! Courses of long loops as curves: speed over what was written or over time, and below it what a sensor said, with
//! the numbered points of the findings.
//!
//! Knows: which loop a chart shows, and its axes. The findings are those of the summary; nothing is found here.

use crate::{
    Chart, Table, caption,
    frame::{self, Frame},
    plot::{Grid, Plot},
    series::SeriesSet,
    style::Style,
};
use analysis::{
    findings,
    series::{
        Steps,
        words::{self, Moved},
    },
};
use model::{
    ResultDocument,
    chart_id::ChartId,
    document::Cell,
    finding::{Found, Point, PointKind, Story},
    method::LONG_SECONDS,
    telemetry::Quantity,
    units::{NS_PER_S, format_capacity, format_celsius, format_rate, format_watts, grouped},
};

/// The lower grid's share of the upper one's height.
const LOWER_SHARE: f64 = 0.6;

/// What runs along the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Along {
    /// Gigabytes moved.
    Bytes,
    /// Seconds.
    Time,
}

/// What the upper grid shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speed {
    /// Megabytes per second.
    Bytes,
    /// I/Os per second.
    Ios,
}

/// What one chart of curves shows.
struct Kind {
    id: ChartId,
    title: &'static str,
    subtitle: &'static str,
    along: Along,
    speed: Speed,
    /// What the lower grid shows; `None` for no lower grid.
    sensor: Option<Quantity>,
    /// Whether a cell is the one to show.
    shows: fn(&Cell) -> bool,
}

fn is_long(cell: &Cell) -> bool {
    cell.method.stretches().is_none() && cell.method.seconds >= LONG_SECONDS
}

fn goes_once(cell: &Cell) -> bool {
    cell.method.writes_fresh() && cell.method.loops == 1
}

const CLIFF: Kind = Kind {
    id: ChartId::Cliff,
    title: "Continuous write",
    subtitle: "MB/s and temperature against what was written; numbers: what the analysis found.",
    along: Along::Bytes,
    speed: Speed::Bytes,
    sensor: Some(Quantity::Temperature),
    shows: goes_once,
};
const BURSTS: Kind = Kind {
    id: ChartId::Bursts,
    title: "Bursts",
    subtitle: "MB/s and power against time: writes with rests between them.",
    along: Along::Time,
    speed: Speed::Bytes,
    sensor: Some(Quantity::Power),
    shows: |cell| cell.method.is_bursts(),
};
const MIXED: Kind = Kind {
    id: ChartId::Mixed,
    title: "Mixed reads and writes",
    subtitle: "I/Os per second of both directions together, against time; more is better.",
    along: Along::Time,
    speed: Speed::Ios,
    sensor: None,
    shows: |cell| {
        let method = &cell.method;
        is_long(cell) && method.pattern.reads() && method.pattern.writes() && method.beside.is_none()
    },
};
const THROTTLING: Kind = Kind {
    id: ChartId::Throttling,
    title: "Speed and temperature",
    subtitle: "MB/s and temperature against time, of the longest sustained write.",
    along: Along::Time,
    speed: Speed::Bytes,
    sensor: Some(Quantity::Temperature),
    shows: |cell| {
        let writes = cell.method.pattern.writes() && cell.method.pattern.sequential();
        writes && (is_long(cell) || goes_once(cell))
    },
};

/// What one result has to show.
struct Curve<'a> {
    /// Place of its cell in the document.
    index: usize,
    cell: &'a Cell,
    /// Seconds and gigabytes at the end of each step, and the speed in it, in units of the axis.
    speed: Vec<Step>,
    /// Place on the x axis and value of the sensor, in units of the axis.
    sensor: Vec<(f64, f64)>,
}

struct Step {
    seconds: f64,
    bytes: u64,
    speed: f64,
    /// Milli-degrees at its end.
    temperature: Option<i64>,
}

/// Draws a chart of curves.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = match id {
        ChartId::Cliff => CLIFF,
        ChartId::Bursts => BURSTS,
        ChartId::Mixed => MIXED,
        ChartId::Throttling => THROTTLING,
        _ => return None,
    };
    let curves: Vec<Option<Curve<'_>>> =
        set.sources.iter().map(|source| kind.curve(source.document)).collect();
    let first = curves.iter().flatten().next()?;
    let title = kind.title;
    let subtitle = format!("{}: {}", first.cell.method.label(), kind.subtitle);
    let frame = Frame::new(title, &subtitle, &set.names, style);
    let caption = kind.caption(set, &curves);
    let description = format!("Line chart: {title}. {caption}");
    let (option, height) = kind.plot(set, &curves).option(&frame, style, &description);
    Some(Chart {
        id,
        title: title.to_owned(),
        caption,
        description,
        option,
        table: kind.table(set, &curves),
        figures: kind.figures(set, &curves),
        height: frame::whole(height),
    })
}

impl Kind {
    fn curve<'a>(&self, document: &'a ResultDocument) -> Option<Curve<'a>> {
        let counts = |cell: &Cell| cell.status.counts();
        let mut cells = document.cells.iter().enumerate().filter(|(_, cell)| {
            counts(cell) && (self.shows)(cell) && cell.loops.iter().any(|one| !one.discarded)
        });
        let (index, cell) = match self.id {
            // The longest: the others are its beginning, as a rule.
            ChartId::Throttling => {
                cells.max_by_key(|(_, cell)| cell.loops.iter().map(|one| one.elapsed_ns).max())?
            }
            _ => cells.next()?,
        };
        let mut speed = Vec::new();
        let begin_ns = cell.loops.first()?.started_ns;
        let mut bytes_before = 0;
        for one in &cell.loops {
            let steps = findings::steps_of(document, cell, one);
            let from = seconds(one.started_ns.saturating_sub(begin_ns));
            if self.id == ChartId::Bursts {
                speed.push(Step { seconds: from, bytes: bytes_before, speed: 0.0, temperature: None });
            }
            self.push_steps(&mut speed, cell, &steps, (from, bytes_before));
            bytes_before += steps.end().bytes;
            if self.id != ChartId::Bursts {
                break;
            }
            let end = from + seconds(one.elapsed_ns);
            speed.push(Step { seconds: end, bytes: bytes_before, speed: 0.0, temperature: None });
        }
        let sensor = match self.sensor {
            Some(Quantity::Temperature) => {
                let read = speed.iter().filter_map(|step| Some((self.along(step), step.temperature?)));
                read.map(|(at, value)| (at, thousandth(value))).collect()
            }
            Some(Quantity::Power) => power(document, cell, begin_ns),
            _ => Vec::new(),
        };
        Some(Curve { index, cell, speed, sensor })
    }

    #[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
    fn push_steps(&self, into: &mut Vec<Step>, cell: &Cell, steps: &Steps, (from, bytes): (f64, u64)) {
        for (index, step) in steps.all().iter().enumerate() {
            let end = steps.end_of(index);
            let speed = match self.speed {
                Speed::Bytes => step.speed() / 1e6,
                Speed::Ios => step.speed() / f64::from(cell.method.block_bytes.max(1)),
            };
            into.push(Step {
                seconds: from + end.at_ns as f64 / NS_PER_S as f64,
                bytes: bytes + end.bytes,
                speed,
                temperature: step.temperature,
            });
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
    fn along(&self, step: &Step) -> f64 {
        match self.along {
            Along::Bytes => step.bytes as f64 / 1e9,
            Along::Time => step.seconds,
        }
    }

    fn plot(&self, set: &SeriesSet<'_>, curves: &[Option<Curve<'_>>]) -> Plot {
        let lines = |of: &dyn Fn(&Curve<'_>) -> Vec<(f64, f64)>| -> Vec<Vec<(f64, f64)>> {
            curves.iter().map(|curve| curve.as_ref().map(of).unwrap_or_default()).collect()
        };
        let only = if let [Some(only)] = curves { Some(only) } else { None };
        let marks = |heat| only.map(|only| self.marks(set, only, heat)).unwrap_or_default();
        let upper = Grid {
            unit: match self.speed {
                Speed::Bytes => "MB/s",
                Speed::Ios => "IOPS",
            },
            share: 1.0,
            lines: lines(&|curve| self.upper(curve)),
            marks: marks(false),
            ..Grid::default()
        };
        let lower = Grid {
            unit: if self.sensor == Some(Quantity::Power) { "W" } else { "°C" },
            share: LOWER_SHARE,
            lines: lines(&|curve| curve.sensor.clone()),
            marks: marks(true),
            ..Grid::default()
        };
        let there = curves.iter().flatten().any(|curve| !curve.sensor.is_empty());
        Plot {
            along: match self.along {
                Along::Bytes => "GB",
                Along::Time => "seconds",
            },
            grids: if there { vec![upper, lower] } else { vec![upper] },
            one_scale: false,
        }
    }

    fn upper(&self, curve: &Curve<'_>) -> Vec<(f64, f64)> {
        curve.speed.iter().map(|step| (self.along(step), step.speed)).collect()
    }

    /// Whether the numbered points are those of this curve: bursts are several loops, and IOPS another unit.
    fn has_marks(&self) -> bool {
        self.id != ChartId::Bursts && self.speed != Speed::Ios
    }

    /// The numbered points of one result's curve: those of the speed, or those of the temperature.
    #[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
    fn marks(&self, set: &SeriesSet<'_>, curve: &Curve<'_>, heat: bool) -> Vec<(u32, f64, f64)> {
        let Some(points) = course(set, 0, curve).map(|found| found.points.clone()) else { return Vec::new() };
        if !self.has_marks() {
            return Vec::new();
        }
        points
            .iter()
            .filter(|point| (point.kind == PointKind::PeakTemperature) == heat)
            .map(|Point { ordinal, x, y, .. }| {
                let along = match self.along {
                    Along::Bytes => x.bytes as f64 / 1e9,
                    Along::Time => x.at_ns as f64 / NS_PER_S as f64,
                };
                (*ordinal, along, *y as f64 / if heat { 1e3 } else { 1e6 })
            })
            .collect()
    }

    /// What the curves show: of one result everything, of more the first sentence of each.
    fn caption(&self, set: &SeriesSet<'_>, curves: &[Option<Curve<'_>>]) -> String {
        let short = set.short_names();
        let mut sentences = Vec::new();
        for (index, curve) in curves.iter().enumerate() {
            let Some(curve) = curve else {
                sentences.push(format!("{} has none.", short[index]));
                continue;
            };
            let told = self.conclusions(set, index, curve);
            if curves.len() == 1 {
                sentences.extend(told);
            } else {
                sentences.extend(told.first().map(|sentence| format!("{}: {sentence}", short[index])));
            }
        }
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    /// What a curve of this chart is drawn for, in sentences; the others stand with the result's stories.
    fn conclusions(&self, set: &SeriesSet<'_>, index: usize, curve: &Curve<'_>) -> Vec<String> {
        if self.id == ChartId::Bursts {
            return self.story(set, index, curve).map(|story| story.sentences.clone()).unwrap_or_default();
        }
        let Some(found) = course(set, index, curve) else { return Vec::new() };
        // Only numbers that are drawn are told.
        let drawn = set.names.len() == 1 && self.has_marks();
        let points = if drawn { found.points.as_slice() } else { &[] };
        let stages = || {
            let moved = if self.id == ChartId::Mixed { Moved::Unknown } else { Moved::Written };
            found.stages.as_ref().map(|stages| words::of_stages(stages, moved, points)).unwrap_or_default()
        };
        let throttling = found.throttling.as_ref().map(words::of_throttling);
        match self.id {
            ChartId::Throttling => throttling
                .into_iter()
                .chain(found.heat.as_ref().map(|heat| words::of_heat(heat, points)))
                .collect(),
            ChartId::Mixed => found
                .minutes
                .as_ref()
                .map(|minutes| words::of_minutes(minutes, points))
                .into_iter()
                .chain(stages())
                .collect(),
            _ => stages().into_iter().chain(throttling).collect(),
        }
    }

    /// The story of a result's curve.
    fn story<'a>(&self, set: &SeriesSet<'a>, index: usize, curve: &Curve<'_>) -> Option<&'a Story> {
        let stories = &set.sources[index].summary.stories;
        stories.iter().find(|story| match &story.found {
            Found::Bursts(_) => self.id == ChartId::Bursts && story.title == curve.cell.method.label(),
            Found::Course(course) => self.id != ChartId::Bursts && course.cell == curve.index,
            _ => false,
        })
    }

    fn table(&self, set: &SeriesSet<'_>, curves: &[Option<Curve<'_>>]) -> Table {
        let columns = ["Result", "Part", "Begins", "Ends", "Typical", "Mean", "Sensor"];
        let mut rows = Vec::new();
        for ((index, name), curve) in set.names.iter().enumerate().zip(curves) {
            let missing = |word: &str| {
                let mut row = vec![name.clone(), word.to_owned()];
                row.resize(columns.len(), String::new());
                row
            };
            let Some(curve) = curve else {
                rows.push(missing("no result"));
                continue;
            };
            let before = rows.len();
            match self.story(set, index, curve).map(|story| &story.found) {
                Some(Found::Bursts(found)) => {
                    rows.extend(found.bursts.iter().enumerate().map(|(number, burst)| {
                        let watts = |power: Option<i64>| {
                            power.map_or_else(|| "not measured".to_owned(), format_watts)
                        };
                        vec![
                            name.clone(),
                            format!("burst {}", number + 1),
                            rate(burst.first_bytes_per_s),
                            rate(burst.last_bytes_per_s),
                            burst.slowed_after.map_or_else(
                                || "did not slow down".to_owned(),
                                |bytes| format!("slowed after {}", format_capacity(bytes)),
                            ),
                            rate(burst.mean_bytes_per_s),
                            format!("{}, {} at rest", watts(burst.power), watts(burst.rest_power)),
                        ]
                    }))
                }
                Some(Found::Course(found)) => {
                    let heat =
                        found.findings.heat.map(|heat| format!("highest {}", format_celsius(heat.peak)));
                    let stages = found.findings.stages.iter().flat_map(|stages| &stages.stages);
                    rows.extend(stages.enumerate().map(|(number, stage)| {
                        let place = |place: model::finding::Place| match self.along {
                            Along::Bytes => format_capacity(place.bytes),
                            Along::Time => format!("{} s", grouped(seconds(place.at_ns), 1)),
                        };
                        vec![
                            name.clone(),
                            format!("stage {}", number + 1),
                            place(stage.from),
                            place(stage.until),
                            rate(stage.typical_bytes_per_s),
                            rate(stage.mean_bytes_per_s),
                            heat.clone().unwrap_or_else(|| "not measured".to_owned()),
                        ]
                    }));
                }
                _ => {}
            }
            if rows.len() == before {
                rows.push(missing("too short to tell"));
            }
        }
        Table { columns: columns.map(str::to_owned).to_vec(), rows }
    }

    fn figures(&self, set: &SeriesSet<'_>, curves: &[Option<Curve<'_>>]) -> Table {
        let unit = if self.speed == Speed::Ios { "iops" } else { "mb_per_s" };
        let columns = ["cell", "result", "seconds", "bytes", unit, "temperature_milli_celsius"];
        let mut rows = Vec::new();
        for (name, curve) in set.names.iter().zip(curves) {
            let Some(curve) = curve else { continue };
            rows.extend(curve.speed.iter().map(|step| {
                vec![
                    curve.cell.method.label(),
                    name.clone(),
                    step.seconds.to_string(),
                    step.bytes.to_string(),
                    step.speed.to_string(),
                    step.temperature.map(|value| value.to_string()).unwrap_or_default(),
                ]
            }));
        }
        Table { columns: columns.map(str::to_owned).to_vec(), rows }
    }
}

/// The findings of a curve's first loop.
fn course<'a>(set: &SeriesSet<'a>, index: usize, curve: &Curve<'_>) -> Option<&'a model::finding::Findings> {
    set.sources[index].summary.stories.iter().find_map(|story| match &story.found {
        Found::Course(found) if found.cell == curve.index => Some(&found.findings),
        _ => None,
    })
}

/// Power from the beginning of a cell to the end of the rest after it, watts against seconds.
fn power(document: &ResultDocument, cell: &Cell, begin_ns: u64) -> Vec<(f64, f64)> {
    let rest = cell.method.stretches().map_or(0, |one| u64::from(one.rest_seconds) * NS_PER_S);
    let Some(last) = cell.loops.last() else { return Vec::new() };
    let until = last.started_ns.saturating_add(last.elapsed_ns).saturating_add(rest);
    let Some(series) = findings::sensor(document, Quantity::Power) else { return Vec::new() };
    let read = series.at_ns.iter().zip(&series.values).filter(|(at, _)| (begin_ns..=until).contains(*at));
    read.filter_map(|(at, value)| Some((seconds(at - begin_ns), thousandth((*value)?)))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn rate(bytes_per_s: u64) -> String {
    format_rate(bytes_per_s as f64)
}

#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / NS_PER_S as f64
}

#[expect(clippy::cast_precision_loss, reason = "temperatures and powers are small")]
fn thousandth(value: i64) -> f64 {
    value as f64 / 1e3
}
