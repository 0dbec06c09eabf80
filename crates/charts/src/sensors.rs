//! What a sensor said over the whole run: temperature or power against time, pauses included.
//!
//! Knows: which sensor is shown. What a temperature did to the speed is told elsewhere.

use crate::{
    Chart, Table, caption,
    frame::{self, Frame},
    plot::{Grid, Plot},
    series::SeriesSet,
    style::Style,
};
use analysis::findings;
use model::{
    chart_id::ChartId,
    telemetry::{Quantity, Series},
    units::{NS_PER_S, Nanos, format_celsius, format_clock, format_watts},
};

struct Kind {
    id: ChartId,
    quantity: Quantity,
    title: &'static str,
    subtitle: &'static str,
    unit: &'static str,
    /// The word for a reading in the column of the figures.
    column: &'static str,
    text: fn(i64) -> String,
}

const TEMPERATURE: Kind = Kind {
    id: ChartId::Temperature,
    quantity: Quantity::Temperature,
    title: "Temperature",
    subtitle: "°C against time, over the whole run with its pauses; less is better.",
    unit: "°C",
    column: "temperature_milli_celsius",
    text: format_celsius,
};
const POWER: Kind = Kind {
    id: ChartId::Power,
    quantity: Quantity::Power,
    title: "Power",
    subtitle: "W against time, over the whole run with its pauses; less is better.",
    unit: "W",
    column: "power_mw",
    text: format_watts,
};

/// The readings of one result: nanoseconds since the run's start, and thousandths of the unit.
type Readings = Vec<(u64, i64)>;

/// Draws `temperature` or `power`.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = if id == ChartId::Power { POWER } else { TEMPERATURE };
    let sensors: Vec<Option<&Series>> =
        set.sources.iter().map(|source| findings::sensor(source.document, kind.quantity)).collect();
    let readings: Vec<Readings> =
        sensors.iter().map(|sensor| sensor.map(readings).unwrap_or_default()).collect();
    if readings.iter().all(|readings| readings.len() < 2) {
        return None;
    }
    let frame = Frame::new(kind.title, kind.subtitle, &set.names, style);
    #[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
    let line = |readings: &Readings| -> Vec<(f64, f64)> {
        readings.iter().map(|(at, value)| (*at as f64 / NS_PER_S as f64, *value as f64 / 1e3)).collect()
    };
    let lines = readings.iter().map(line).collect();
    let plot = Plot {
        along: "seconds",
        grids: vec![Grid { unit: kind.unit, share: 1.0, lines, ..Grid::default() }],
        one_scale: false,
    };
    let caption = kind.caption(set, &readings);
    let description = format!("Line chart: {}. {caption}", kind.title);
    let (option, height) = plot.option(&frame, style, &description);
    Some(Chart {
        id: kind.id,
        title: kind.title.to_owned(),
        caption,
        description,
        option,
        table: kind.table(set, &readings),
        figures: kind.figures(set, &readings),
        height: frame::whole(height),
    })
}

/// What was read; a reading that failed is left out.
fn readings(sensor: &Series) -> Readings {
    let both = sensor.at_ns.iter().zip(&sensor.values);
    both.filter_map(|(at, value)| Some((*at, (*value)?))).collect()
}

/// Lowest, highest and where that was; `None` without a reading.
fn extremes(readings: &Readings) -> Option<((u64, i64), (u64, i64))> {
    let lowest = readings.iter().min_by_key(|(_, value)| *value)?;
    // The first of several that are equal.
    let highest = readings.iter().rev().max_by_key(|(_, value)| *value)?;
    Some((*lowest, *highest))
}

impl Kind {
    fn caption(&self, set: &SeriesSet<'_>, readings: &[Readings]) -> String {
        let names = set.short_names();
        let mut sentences = Vec::new();
        for (name, own) in names.iter().zip(readings) {
            let Some(((_, lowest), (at, highest))) = extremes(own) else {
                sentences.push(format!("{name} has none."));
                continue;
            };
            let whose = if names.len() > 1 { format!("{name}: ") } else { String::new() };
            sentences.push(format!(
                "{whose}{} at most, first after {}, {} at least.",
                (self.text)(highest),
                format_clock(Nanos(at)),
                (self.text)(lowest)
            ));
        }
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    fn table(&self, set: &SeriesSet<'_>, readings: &[Readings]) -> Table {
        let columns = ["Result", "At least", "At most", "First after", "Readings"];
        let row = |(name, own): (&String, &Readings)| match extremes(own) {
            Some(((_, lowest), (at, highest))) => vec![
                name.clone(),
                (self.text)(lowest),
                (self.text)(highest),
                format_clock(Nanos(at)),
                own.len().to_string(),
            ],
            None => vec![name.clone(), "no result".to_owned(), String::new(), String::new(), "0".to_owned()],
        };
        Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows: set.names.iter().zip(readings).map(row).collect(),
        }
    }

    fn figures(&self, set: &SeriesSet<'_>, readings: &[Readings]) -> Table {
        let columns = ["result", "at_ns", self.column];
        let rows = set.names.iter().zip(readings).flat_map(|(name, own)| {
            own.iter().map(move |(at, value)| vec![name.clone(), at.to_string(), value.to_string()])
        });
        Table { columns: columns.map(str::to_owned).to_vec(), rows: rows.collect() }
    }
}
