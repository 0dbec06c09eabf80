//! Lines over a number on the x axis, in one or more grids under each other that share it.
//!
//! Knows how many points a picture has room for. Knows nothing of what the lines mean.

use crate::{
    extra::Extra,
    figure::axis_end,
    frame::{self, EDGE, Frame, TEXT, px},
    names,
    style::{Style, dash},
};
use charming::{element::AxisType, series::Line};
use model::units::grouped;
use serde_json::{Value, json};

/// A grid of the whole share is never lower than this, px.
const LEAST_GRID: f64 = 180.0;
/// Room below the lowest grid for its axis, px.
const AXIS_BELOW: f64 = 46.0;
/// Room between two grids, px.
const BETWEEN: f64 = 20.0;
/// Room for the title of a grid, px.
const TITLE: f64 = 22.0;
/// Room right of a grid for half of the last label, px.
const RIGHT: f64 = 26.0;

/// One grid.
#[derive(Default)]
pub(crate) struct Grid {
    /// What it shows, where its unit does not say it; empty for none.
    pub(crate) title: String,
    /// Unit of the y axis.
    pub(crate) unit: &'static str,
    /// Height as a share of the highest grid's.
    pub(crate) share: f64,
    /// A line per series in the order of the legend, in units of the axes; empty where a series has none.
    pub(crate) lines: Vec<Vec<(f64, f64)>>,
    /// Numbered points.
    pub(crate) marks: Vec<(u32, f64, f64)>,
}

/// All grids of a chart.
pub(crate) struct Plot {
    /// Unit of the x axis.
    pub(crate) along: &'static str,
    pub(crate) grids: Vec<Grid>,
    /// Whether all grids have one scale.
    pub(crate) one_scale: bool,
}

impl Plot {
    /// The option and its height in px.
    pub(crate) fn option(&self, frame: &Frame, style: &Style, description: &str) -> (Value, f64) {
        let own = |grid: &Grid| highest(grid.points().map(|(_, y)| y));
        let end = |grid: &Grid| {
            let highest = if self.one_scale { highest(self.grids.iter().map(own)) } else { own(grid) };
            axis_end(highest, if grid.share < 1.0 { 3 } else { 4 })
        };
        let ends: Vec<(f64, f64)> = self.grids.iter().map(end).collect();
        let along_end = highest(self.grids.iter().flat_map(Grid::points).map(|(x, _)| x));
        let tick = |end: f64| names::em(&grouped(end, usize::from(end < 10.0))) * TEXT;
        let left = EDGE + TEXT + 12.0 + highest(ends.iter().map(|(end, _)| tick(*end)));
        let titles = highest(self.grids.iter().map(|grid| if grid.title.is_empty() { 0.0 } else { TITLE }));
        let count = px(self.grids.len());
        let around = 10.0 + AXIS_BELOW + BETWEEN * (count - 1.0) + titles * count;
        let shares: f64 = self.grids.iter().map(|grid| grid.share).sum();
        let least = frame.body_top + LEAST_GRID * shares + around;
        let height = least.max(f64::from(style.height));
        let whole_px = (height - frame.body_top - around) / shares;

        let gap = left - EDGE - TEXT / 2.0;
        let last = self.grids.len().saturating_sub(1);
        let mut chart = frame.chart(style);
        let mut top = frame.body_top + 10.0;
        let mut owners = Vec::new();
        for (index, (grid, (end, step))) in self.grids.iter().zip(&ends).enumerate() {
            if !grid.title.is_empty() {
                chart = chart.title(frame::facet_title(&grid.title, left, top, style));
            }
            top += titles;
            let name = if index == last { self.along } else { "" };
            chart = chart
                .grid(frame::grid(left, top, RIGHT, whole_px * grid.share))
                .x_axis(
                    frame::number_axis(AxisType::Value, name, 28.0, style)
                        .min(0)
                        .max(along_end)
                        .grid_index(px(index)),
                )
                .y_axis(
                    frame::number_axis(AxisType::Value, grid.unit, gap, style)
                        .min(0)
                        .max(*end)
                        .interval(*step)
                        .grid_index(px(index)),
                );
            top += whole_px * grid.share + BETWEEN;
            for (series, line) in grid.lines.iter().enumerate() {
                chart = chart.series(
                    Line::new()
                        .name(frame.labels[series].clone())
                        .x_axis_index(px(index))
                        .y_axis_index(px(index))
                        .show_symbol(false),
                );
                owners.push((series, line));
            }
        }
        let plot_px = (frame.width - left - RIGHT).max(50.0);
        let mut extra = Extra::new(&chart, style, description);
        // All grids share one row of labels, and what is measured ends at no round number.
        for index in 0..self.grids.len() {
            extra.axis("xAxis", index, json!({"axisLabel": {"show": index == last, "showMaxLabel": false}}));
        }
        for (index, (series, line)) in owners.into_iter().enumerate() {
            let colour = style.palette().series(series);
            let data: Vec<Value> =
                thinned(line, plot_px).into_iter().map(|(x, y)| json!([rounded(x), rounded(y)])).collect();
            extra.series(
                index,
                json!({
                    "data": data, "showSymbol": false,
                    "lineStyle": {"color": colour, "width": 1.5, "type": dash(series)},
                    "itemStyle": {"color": colour},
                }),
            );
        }
        let mut first = 0;
        for grid in &self.grids {
            if !grid.marks.is_empty() {
                extra.series(first, json!({"markPoint": mark_points(&grid.marks, style)}));
            }
            first += grid.lines.len();
        }
        (extra.finish(), height)
    }
}

impl Grid {
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.lines.iter().flatten().copied()
    }
}

fn highest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// A number with as many digits as a picture can show.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// A line with at most two points for each px: the least and the greatest value, in their order, so that a dip of one
/// sample stays.
fn thinned(line: &[(f64, f64)], px: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return Vec::new() };
    let width = (last.0 - first.0) / px;
    if px <= 0.0 || width <= 0.0 || (line.len() as f64) <= 2.0 * px {
        return line.to_vec();
    }
    let bucket = |x: f64| ((x - first.0) / width).floor();
    line.chunk_by(|a, b| (bucket(a.0) - bucket(b.0)).abs() < 0.5)
        .flat_map(|chunk| {
            let by = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
            let (low, high) = (chunk.iter().min_by(by), chunk.iter().max_by(by));
            let mut both: Vec<(f64, f64)> = low.into_iter().chain(high).copied().collect();
            both.sort_by(|a, b| a.0.total_cmp(&b.0));
            both.dedup();
            both
        })
        .collect()
}

/// Numbers in circles on a curve.
fn mark_points(points: &[(u32, f64, f64)], style: &Style) -> Value {
    let palette = style.palette();
    let data: Vec<Value> = points
        .iter()
        .map(|(ordinal, x, y)| json!({"name": ordinal.to_string(), "coord": [rounded(*x), rounded(*y)]}))
        .collect();
    json!({
        "silent": true, "animation": false, "symbol": "circle", "symbolSize": 18,
        "itemStyle": {"color": palette.background, "borderColor": palette.text, "borderWidth": 1.5},
        "label": {"show": true, "formatter": "{b}", "color": palette.text, "fontSize": TEXT},
        "data": data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dip_of_one_sample_stays() {
        let mut line: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), 500.0)).collect();
        line[5_003].1 = 3.0;
        let thin = thinned(&line, 300.0);
        assert!(thin.len() <= 610, "{}", thin.len());
        assert!(thin.contains(&(5_003.0, 3.0)));
        assert_eq!(thinned(&line[..100], 300.0).len(), 100, "what fits is left alone");
        assert_eq!(thinned(&[], 300.0), []);
    }
}
