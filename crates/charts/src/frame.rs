//! What all charts share: heading, legend, axes' looks and the room that is left for the figures.
//!
//! Everything is placed in px from estimated widths of texts, because a picture drawn without a browser
//! has nothing else to go by.

use crate::{names, style::Style};
use charming::{
    Chart as Options,
    component::{Axis, Grid, Legend, Title},
    datatype::CompositeValue,
    element::{
        AxisLabel, AxisLine, AxisTick, AxisType, LabelAlign, LineStyle, NameLocation, Orient, SplitLine,
        TextStyle, Tooltip, Trigger, font_settings::FontWeight,
    },
};

/// Distance from the picture's edge, px.
pub(crate) const EDGE: f64 = 12.0;
/// Size of labels, legend and subtitle, px.
pub(crate) const TEXT: f64 = 12.0;
const TITLE_LINE: f64 = 22.0;
const TITLE_TEXT: f64 = 16.0;
/// How much wider bold letters are than others, at most.
const BOLD: f64 = 1.2;
const TEXT_LINE: f64 = 16.0;
const LEGEND_ICON: f64 = 26.0;
const LEGEND_ROW: f64 = 20.0;
/// Room between icon and name, and between columns, px.
const LEGEND_GAPS: f64 = 24.0;
const WIDEST_LEGEND_NAME: f64 = 290.0;

/// Heading and legend, placed.
pub(crate) struct Frame {
    title: String,
    subtitle: Vec<String>,
    /// Names in the legend and of the drawn series.
    pub(crate) labels: Vec<String>,
    columns: usize,
    column_px: f64,
    legend_top: f64,
    /// Where the figures begin, px from the top.
    pub(crate) body_top: f64,
    /// Width of the picture, px.
    pub(crate) width: f64,
}

impl Frame {
    /// Places a heading and a legend of `names` at the top of a picture as wide as the style says.
    pub(crate) fn new(title: &str, subtitle: &str, names: &[String], style: &Style) -> Self {
        let width = f64::from(style.width);
        let room = (width - 2.0 * EDGE).max(100.0);
        let subtitle = names::lines(subtitle, room / TEXT);
        let name_room = (room - LEGEND_ICON - LEGEND_GAPS).min(WIDEST_LEGEND_NAME);
        let labels = names::shortened(names, name_room / TEXT);
        let widest = labels.iter().map(|label| names::em(label) * TEXT).fold(0.0, f64::max);
        let column_px = widest + LEGEND_ICON + LEGEND_GAPS;
        let columns = fitting(room, column_px).clamp(1, labels.len().max(1));
        let rows = labels.len().div_ceil(columns);
        let legend_top = EDGE + TITLE_LINE + px(subtitle.len()) * TEXT_LINE + 10.0;
        let body_top = legend_top + px(rows) * LEGEND_ROW + 12.0;
        Self { title: title.to_owned(), subtitle, labels, columns, column_px, legend_top, body_top, width }
    }

    /// A chart with heading, legend, background and tooltip; no grids, axes or series yet.
    pub(crate) fn chart(&self, style: &Style) -> Options {
        let palette = style.palette();
        let title = Title::new()
            .text(self.title.clone())
            .subtext(self.subtitle.join("\n"))
            .left(EDGE)
            .top(EDGE)
            .padding(0.0)
            .item_gap(2.0)
            .text_style(
                TextStyle::new()
                    .color(palette.text)
                    .font_size(TITLE_TEXT)
                    .line_height(TITLE_LINE - 2.0)
                    .font_weight(FontWeight::Bold),
            )
            .subtext_style(TextStyle::new().color(palette.muted).font_size(TEXT).line_height(TEXT_LINE));
        Options::new()
            .animation(false)
            .background_color(palette.background)
            .title(title)
            .legend(self.legend(style))
            .tooltip(Tooltip::new().trigger(Trigger::Axis))
    }

    /// One legend per column, so that the columns stand where they were measured to fit.
    fn legend(&self, style: &Style) -> Vec<Legend> {
        let palette = style.palette();
        let rows = self.labels.len().div_ceil(self.columns).max(1);
        self.labels
            .chunks(rows)
            .enumerate()
            .map(|(column, labels)| {
                Legend::new()
                    .orient(Orient::Vertical)
                    .align(LabelAlign::Left)
                    .left(EDGE + px(column) * self.column_px)
                    .top(self.legend_top)
                    .padding(0.0)
                    .item_gap(LEGEND_ROW - TEXT_LINE)
                    .item_width(LEGEND_ICON)
                    .item_height(TEXT)
                    .text_style(TextStyle::new().color(palette.text).font_size(TEXT).line_height(TEXT_LINE))
                    .inactive_color(palette.muted)
                    .data(labels.to_vec())
            })
            .collect()
    }
}

/// A title cut to the width of the picture.
pub(crate) fn fitting_title(title: &str, style: &Style) -> String {
    let room = (f64::from(style.width) - 2.0 * EDGE).max(100.0);
    names::shortened(&[title.to_owned()], room / (TITLE_TEXT * BOLD)).remove(0)
}

/// A grid at these px from the picture's edges.
pub(crate) fn grid(left: f64, top: f64, right: f64, height: f64) -> Grid {
    Grid::new().left(left).top(top).right(right).height(height).contain_label(false)
}

/// An axis of numbers with its unit as a name in the middle.
pub(crate) fn number_axis(kind: AxisType, unit: &str, name_gap: f64, style: &Style) -> Axis {
    let palette = style.palette();
    Axis::new()
        .type_(kind)
        .name(unit)
        .name_location(NameLocation::Middle)
        .name_gap(name_gap)
        .name_text_style(TextStyle::new().color(palette.muted).font_size(TEXT))
        .axis_label(AxisLabel::new().color(palette.muted).font_size(TEXT))
        .axis_line(AxisLine::new().show(false))
        .axis_tick(AxisTick::new().show(false))
        .split_line(SplitLine::new().line_style(LineStyle::new().color(palette.grid_line)))
}

/// An axis of names. They are made of method parameters, loop numbers or percentiles, not by uploaders.
pub(crate) fn name_axis(names: Vec<String>, style: &Style) -> Axis {
    let palette = style.palette();
    Axis::new()
        .type_(AxisType::Category)
        .data(names)
        .axis_label(AxisLabel::new().color(palette.text).font_size(TEXT))
        .axis_line(AxisLine::new().show(true))
        .axis_tick(AxisTick::new().show(false))
}

/// A heading above one of several grids.
pub(crate) fn facet_title(text: &str, left: f64, top: f64, style: &Style) -> Title {
    Title::new().text(text).left(left).top(top).padding(0.0).text_style(
        TextStyle::new()
            .color(style.palette().text)
            .font_size(13.0)
            .line_height(18.0)
            .font_weight(FontWeight::Bold),
    )
}

/// A number for charming, which tells integers and fractions apart.
pub(crate) fn value(number: Option<f64>) -> CompositeValue {
    CompositeValue::OptionalNumber(number.map(Into::into))
}

/// A small count in px arithmetic.
#[expect(clippy::cast_precision_loss, reason = "counts of rows and columns are small")]
pub(crate) fn px(count: usize) -> f64 {
    count as f64
}

/// How many of `each` fit into `room`, at least 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a picture holds few columns")]
fn fitting(room: f64, each: f64) -> usize {
    (room / each).max(0.0) as usize
}

/// A height in whole px.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "heights are small and positive")]
pub(crate) fn whole(height: f64) -> u32 {
    height.max(0.0).ceil() as u32
}
