//! Groups of horizontal bars from zero, one bar for each result: its value, a whisker from the least to the greatest, and
//! the figure or the word in its place as text. Knows nothing of what the values mean.

use crate::{
    extra::{BarLabel, Extra, bar_marks},
    figure::{Figure, axis_end, on_axis},
    frame::{self, EDGE, Frame, TEXT, px},
    names,
    style::Style,
};
use charming::{
    element::{AxisPointer, AxisPointerType, AxisType, ItemStyle, Tooltip, Trigger},
    series::Bar,
};
use model::units::Unit;
use serde_json::json;

/// Room below the bars for the axis and its unit, px.
const AXIS_BELOW: f64 = 46.0;
/// Room between groups of bars, px.
const GROUP_GAP: f64 = 12.0;
/// Below this width names take two lines, px.
const NARROW: f64 = 560.0;

/// Whether a picture is so narrow that names must be broken.
pub(crate) fn is_narrow(frame: &Frame) -> bool {
    frame.width < NARROW
}

/// A name for a group, broken where the picture is narrow.
pub(crate) fn broken(name: &str, frame: &Frame) -> String {
    let share = if is_narrow(frame) { 0.3 } else { 0.4 };
    names::lines(name, frame.width * share / TEXT).join("\n")
}

/// Bars of one thing, one for each result.
pub(crate) struct Group {
    /// What it is, broken into lines.
    pub(crate) label: String,
    /// The figures by series, in base units.
    pub(crate) figures: Vec<Figure>,
    /// The same as text.
    pub(crate) texts: Vec<String>,
}

/// The bars of all series, measured.
pub(crate) struct Bars {
    unit: Unit,
    groups: Vec<Group>,
    /// End of the axis in its unit.
    end: f64,
    step: f64,
    left: f64,
    right: f64,
    group: f64,
    least_height: f64,
}

impl Bars {
    pub(crate) fn new(unit: Unit, groups: Vec<Group>, frame: &Frame) -> Self {
        let count = frame.labels.len();
        let figures = || groups.iter().flat_map(|group| &group.figures);
        let greatest = figures().filter_map(Figure::counted).map(|stats| stats.max).fold(0.0, f64::max);
        let narrow = is_narrow(frame);
        let (end, step) = axis_end(unit.for_axis(greatest), if narrow { 3 } else { 5 });
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| names::em(text) * TEXT).fold(0.0, f64::max)
        };
        let left = EDGE + 8.0 + widest(&mut groups.iter().flat_map(|group| group.label.lines()));
        let right =
            EDGE + 6.0 + widest(&mut groups.iter().flat_map(|group| &group.texts).map(String::as_str));
        let pitch = match count {
            0 | 1 => 26.0,
            2 => 20.0,
            3 | 4 => 17.0,
            _ => 16.0,
        };
        let group = px(count) * pitch + GROUP_GAP;
        let lines = groups.iter().map(|group| group.label.lines().count()).max().unwrap_or(1);
        let group = if lines > 1 { group.max(px(lines) * 15.0 + 8.0) } else { group };
        let least_height = px(groups.len()) * group;
        Self { unit, groups, end, step, left, right, group, least_height }
    }

    /// The option and its height in px.
    pub(crate) fn option(&self, frame: &Frame, style: &Style, description: &str) -> (serde_json::Value, f64) {
        let height = (frame.body_top + self.least_height + AXIS_BELOW).max(f64::from(style.height));
        let body = height - frame.body_top - AXIS_BELOW;
        let unit = self.unit;
        let names = self.groups.iter().map(|group| group.label.clone()).collect();
        let mut chart = frame
            .chart(style)
            .tooltip(
                Tooltip::new()
                    .trigger(Trigger::Axis)
                    .axis_pointer(AxisPointer::new().type_(AxisPointerType::Shadow)),
            )
            .grid(frame::grid(self.left, frame.body_top, self.right, body))
            .x_axis(
                frame::number_axis(AxisType::Value, unit.axis_name(), 28.0, style)
                    .min(0)
                    .max(self.end)
                    .interval(self.step),
            )
            .y_axis(frame::name_axis(names, style).inverse(true));
        for (index, name) in frame.labels.iter().enumerate() {
            let figures = self.groups.iter().map(|group| group.figures[index].counted());
            let values =
                figures.map(|stats| frame::value(stats.and_then(|stats| on_axis(unit, stats.median))));
            chart = chart.series(
                Bar::new()
                    .name(name.clone())
                    .bar_gap("8%")
                    .item_style(ItemStyle::new().color(style.palette().series(index)))
                    .data(values.collect()),
            );
        }
        let mut extra = Extra::new(&chart, style, description);
        let gap = format!("{:.1}%", GROUP_GAP / self.group * 100.0);
        for index in 0..frame.labels.len() {
            extra.series(
                index,
                json!({"barCategoryGap": gap, "barMaxWidth": 28, "itemStyle": {"decal": style.palette().decal(index)}}),
            );
            extra.series(index, bar_marks(&self.labels(index), unit, style));
        }
        (extra.finish(), height)
    }

    /// Whiskers and texts of the series at `index`.
    fn labels(&self, index: usize) -> Vec<BarLabel> {
        let label = |(row, group): (usize, &Group)| {
            let stats = group.figures[index].counted();
            BarLabel {
                row,
                spread: stats.filter(|stats| stats.max > stats.min).map(|stats| (stats.min, stats.max)),
                at: stats.map_or(0.0, |stats| stats.max),
                text: group.texts[index].clone(),
                figure: stats.is_some(),
            }
        };
        self.groups.iter().enumerate().map(label).collect()
    }
}
