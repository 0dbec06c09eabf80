//! Lines over named places on the x axis, in one or two grids: stacked on a narrow picture, side by side
//! on a wide one. Knows nothing of what the lines mean.

use crate::{
    extra::{Extra, hollow, line_looks, point_labels},
    figure::{axis_end, on_axis},
    frame::{self, EDGE, Frame, TEXT, px},
    names,
    style::Style,
};
use charming::{
    component::Axis,
    datatype::{DataPoint, DataPointItem},
    element::{AxisType, NameLocation, TextStyle},
    series::Line,
};
use model::units::{Unit, grouped};
use serde_json::{Value, json};

/// A grid is never lower than this, px.
const LEAST_GRID: f64 = 170.0;
const FACET_TITLE: f64 = 22.0;
const NOTE_LINE: f64 = 16.0;
/// Room below a grid for its axis, px.
const AXIS_BELOW: f64 = 46.0;
/// Room between two grids, px.
const BETWEEN: f64 = 16.0;
/// From this width on, grids stand side by side, px.
const WIDE: f64 = 900.0;
/// Room right of a grid for half of the last label, px.
const RIGHT: f64 = 26.0;
/// Up to so many places, each has its name on the axis.
const NAMED_PLACES: usize = 8;

/// One point of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// In base units of the chart's unit; `None` leaves a gap.
    pub(crate) value: Option<f64>,
    /// The value as text.
    pub(crate) text: String,
    /// Whether it is drawn hollow: shown, but not counted.
    pub(crate) hollow: bool,
}

impl Point {
    pub(crate) fn gap() -> Self {
        Self { value: None, text: String::new(), hollow: false }
    }
}

/// One grid with its lines.
#[derive(Debug, Default)]
pub(crate) struct Facet {
    pub(crate) title: String,
    /// The results without a line and why; empty when every one has one.
    pub(crate) note: String,
    /// Names of the places on the x axis.
    pub(crate) places: Vec<String>,
    /// A line per series in the order of the legend; empty where a series has none.
    pub(crate) lines: Vec<Vec<Point>>,
    /// Parts of the x axis that are shaded and named.
    pub(crate) parts: Vec<Part>,
    /// Thin lines that the others are held against.
    pub(crate) guides: Vec<Guide>,
}

/// A part of the x axis.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Its first and its last place.
    pub(crate) from: usize,
    pub(crate) until: usize,
}

/// A thin line in the colour of a series, without marks, that was not measured.
#[derive(Debug)]
pub(crate) struct Guide {
    /// What it is.
    pub(crate) name: String,
    /// Whose it is, by place in the legend.
    pub(crate) series: usize,
    /// Its dashes.
    pub(crate) dash: GuideDash,
    /// In base units of the chart's unit, one for each place; `None` leaves a gap.
    pub(crate) values: Vec<Option<f64>>,
}

/// How a guide is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuideDash {
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
}

/// All grids of a chart.
pub(crate) struct Lines {
    pub(crate) facets: Vec<Facet>,
    pub(crate) unit: Unit,
    /// A logarithmic axis from the least value, or a linear one from zero.
    pub(crate) logarithmic: bool,
    /// What the places are.
    pub(crate) places: &'static str,
    /// Whether all grids have one scale, for what lies in one may be set against what lies in another.
    pub(crate) one_scale: bool,
}

/// The results that have no line, above a grid.
pub(crate) fn without_line(labels: &[String], missing: impl Iterator<Item = bool>) -> String {
    let missing = labels.iter().zip(missing).filter(|(_, missing)| *missing);
    missing.map(|(label, _)| format!("{label}: no result")).collect::<Vec<_>>().join("; ")
}

/// Every other part a little darker, each with its name at the top.
fn shaded(parts: &[Part], style: &Style) -> Value {
    let palette = style.palette();
    let area = |(index, part): (usize, &Part)| {
        let opacity = if index % 2 == 0 { 0.45 } else { 0.18 };
        json!([
            {"name": part.name, "xAxis": part.from, "itemStyle": {"color": palette.grid_line, "opacity": opacity}},
            {"xAxis": part.until},
        ])
    };
    let data: Vec<Value> = parts.iter().enumerate().map(area).collect();
    json!({"markArea": {
        "silent": true, "animation": false, "data": data,
        "label": {"show": true, "formatter": "{b}", "position": "insideTop", "color": palette.muted, "fontSize": TEXT},
    }})
}

impl Lines {
    /// The option and its height in px.
    pub(crate) fn option(&self, frame: &Frame, style: &Style, description: &str) -> (Value, f64) {
        let count = self.facets.len();
        let columns = if frame.width >= WIDE { count } else { 1 };
        let rows = count.div_ceil(columns);
        let column_px = frame.width / px(columns);
        let left = EDGE + TEXT + 12.0 + self.widest_tick();
        let notes: Vec<Vec<String>> = self
            .facets
            .iter()
            .map(|facet| names::lines(&facet.note, (column_px - left - EDGE) / TEXT))
            .collect();
        let note_lines = notes.iter().filter(|n| !n[0].is_empty()).map(Vec::len).max().unwrap_or(0);
        let above = FACET_TITLE + px(note_lines) * NOTE_LINE + if self.labelled() { 14.0 } else { 6.0 };
        let around = above + AXIS_BELOW;
        let least = frame.body_top + px(rows) * (around + LEAST_GRID) + px(rows - 1) * BETWEEN;
        let height = least.max(f64::from(style.height));
        let row_px = (height - frame.body_top - px(rows - 1) * BETWEEN) / px(rows);

        let mut chart = frame.chart(style);
        for (index, (facet, note)) in self.facets.iter().zip(&notes).enumerate() {
            let x = px(index % columns) * column_px;
            let y = frame.body_top + px(index / columns) * (row_px + BETWEEN);
            let right = frame.width - x - column_px + RIGHT;
            let title = frame::facet_title(&facet.title, x + left, y, style)
                .subtext(note.join("\n"))
                .item_gap(2.0)
                .subtext_style(
                    TextStyle::new().color(style.palette().muted).font_size(TEXT).line_height(NOTE_LINE),
                );
            chart = chart
                .title(title)
                .grid(frame::grid(x + left, y + above, right, row_px - around))
                .x_axis(self.place_axis(facet, style).grid_index(px(index)))
                .y_axis(self.value_axis(facet, left, style).grid_index(px(index)));
        }
        let mut owners = Vec::new();
        for (index, facet) in self.facets.iter().enumerate() {
            for (series, (label, line)) in frame.labels.iter().zip(&facet.lines).enumerate() {
                owners.push((series, line));
                chart = chart.series(
                    Line::new()
                        .name(label.clone())
                        .x_axis_index(px(index))
                        .y_axis_index(px(index))
                        .connect_nulls(true)
                        .data(self.data(line)),
                );
            }
        }
        let mut guides = Vec::new();
        for (index, facet) in self.facets.iter().enumerate() {
            for guide in &facet.guides {
                guides.push(guide);
                let data = guide.values.iter().map(|value| {
                    let drawn = value.and_then(|value| on_axis(self.unit, value));
                    DataPoint::from(DataPointItem::new(frame::value(drawn)))
                });
                chart = chart.series(
                    Line::new()
                        .name(guide.name.clone())
                        .x_axis_index(px(index))
                        .y_axis_index(px(index))
                        .connect_nulls(true)
                        .data(data.collect::<Vec<_>>()),
                );
            }
        }
        let mut extra = Extra::new(&chart, style, description);
        for (index, guide) in guides.into_iter().enumerate() {
            extra.series(owners.len() + index, guide_looks(guide, style));
        }
        let each = self.facets.first().map_or(1, |facet| facet.lines.len()).max(1);
        for (index, (series, line)) in owners.into_iter().enumerate() {
            extra.series(index, line_looks(series, style));
            if series == 0 && !self.facets[index / each].parts.is_empty() {
                extra.series(index, shaded(&self.facets[index / each].parts, style));
            }
            if self.labelled() {
                extra.series(index, point_labels(style));
            }
            for (place, _) in line.iter().enumerate().filter(|(_, point)| point.hollow) {
                extra.point(index, place, json!({"itemStyle": hollow(series, style)}));
            }
        }
        (extra.finish(), height)
    }

    /// Texts at the points are readable with one line only.
    fn labelled(&self) -> bool {
        self.facets.iter().all(|facet| facet.lines.len() == 1)
    }

    fn data(&self, line: &[Point]) -> Vec<DataPoint> {
        line.iter()
            .map(|point| {
                let value = self.plotted(point);
                let item = DataPointItem::new(frame::value(value));
                DataPoint::from(if value.is_some() { item.name(point.text.clone()) } else { item })
            })
            .collect()
    }

    /// The number that is drawn; `None` for a gap, and for zero on a logarithmic axis.
    fn plotted(&self, point: &Point) -> Option<f64> {
        let value = on_axis(self.unit, point.value?)?;
        (value > 0.0 || !self.logarithmic).then_some(value)
    }

    fn place_axis(&self, facet: &Facet, style: &Style) -> Axis {
        frame::name_axis(facet.places.clone(), style)
            .name(self.places)
            .name_location(NameLocation::Middle)
            .name_gap(28.0)
            .name_text_style(TextStyle::new().color(style.palette().muted).font_size(TEXT))
            .axis_label({
                let label = charming::element::AxisLabel::new().color(style.palette().text).font_size(TEXT);
                if facet.places.len() <= NAMED_PLACES { label.interval(0.0) } else { label }
            })
    }

    fn value_axis(&self, facet: &Facet, left: f64, style: &Style) -> Axis {
        let gap = left - EDGE - TEXT / 2.0;
        if self.logarithmic {
            return frame::number_axis(AxisType::Log, self.unit.axis_name(), gap, style);
        }
        let (end, step) = axis_end(self.greatest(facet), 4);
        frame::number_axis(AxisType::Value, self.unit.axis_name(), gap, style).min(0).max(end).interval(step)
    }

    fn greatest(&self, facet: &Facet) -> f64 {
        let own = |facet: &Facet| {
            let guides = facet.guides.iter().flat_map(|guide| &guide.values);
            let guides = guides.filter_map(|value| on_axis(self.unit, (*value)?));
            let points = facet.lines.iter().flatten().filter_map(|point| self.plotted(point));
            points.chain(guides).fold(0.0, f64::max)
        };
        let greatest =
            if self.one_scale { self.facets.iter().map(own).fold(0.0, f64::max) } else { own(facet) };
        // Names of parts stand above the lines.
        if facet.parts.is_empty() { greatest } else { greatest * 1.15 }
    }

    /// Width of the widest tick of any y axis, px.
    fn widest_tick(&self) -> f64 {
        let tick = |facet: &Facet| {
            if self.logarithmic {
                let power = 10_f64.powf(self.greatest(facet).max(1.0).log10().ceil());
                return names::em(&grouped(power, 0));
            }
            let (end, step) = axis_end(self.greatest(facet), 4);
            let fraction = if step.fract() == 0.0 { 0 } else { 2 };
            names::em(&grouped(end, fraction))
        };
        self.facets.iter().map(tick).fold(0.0, f64::max) * TEXT
    }
}

/// A guide is thinner than what was measured and has no marks.
fn guide_looks(guide: &Guide, style: &Style) -> Value {
    let colour = style.palette().series(guide.series);
    let dash = match guide.dash {
        GuideDash::Dashed => json!([6, 4]),
        GuideDash::Dotted => json!([2, 3]),
    };
    json!({
        "symbol": "none", "silent": true, "z": 1,
        "lineStyle": {"color": colour, "width": 1, "type": dash},
        "itemStyle": {"color": colour},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_a_gap_on_a_logarithmic_axis_only() {
        let zero = Point { value: Some(0.0), ..Point::gap() };
        let lines = |logarithmic| Lines {
            facets: vec![],
            unit: Unit::Nanoseconds,
            logarithmic,
            places: "",
            one_scale: false,
        };
        assert_eq!(lines(true).plotted(&zero), None);
        assert_eq!(lines(false).plotted(&zero), Some(0.0));
        assert_eq!(lines(false).plotted(&Point { value: Some(f64::NAN), ..zero }), None);
    }
}
