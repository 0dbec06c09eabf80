//! Turns results and findings into chart options and captions.
//!
//! Knows: which figures a chart shows, how they are arranged, and the sentence that goes with them. An
//! option is `ECharts`' JSON without any function, so that server and browser draw the same picture.
//! Does not know: how an option becomes a picture, where results come from, I/O, clocks. Texts of
//! uploaders enter an option as names only, never as templates, markup or code.
#![warn(missing_docs)]

mod bars;
mod caption;
mod curves;
mod extra;
mod figure;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod frame;
mod latency;
mod lines;
mod matrix;
mod names;
mod pass_lines;
mod plot;
mod repeat_runs;
mod rounds;
mod scaling;
mod sensors;
mod series;
mod standings;
mod style;
mod surface;
mod throughput;
mod value_bars;
mod values;
mod view;

pub use standings::{StandingRow, StandingText, Standings, Tally};
pub use style::{Style, Theme};
pub use view::{AxisScale, Show, UnknownView, View, allows_shares, has_shares, own_axis, share};

use model::{ResultDocument, chart_id::ChartId, summary::ResultSummary};
use series::SeriesSet;

/// One result to draw: its figures, and the document they come from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The figures, with the status that the analysis gave each cell.
    pub summary: &'a ResultSummary,
    /// The loops and histograms behind them.
    pub document: &'a ResultDocument,
}

/// A chart ready to be drawn, with everything that says the same in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Which chart it is.
    pub id: ChartId,
    /// Its heading, also inside the picture.
    pub title: String,
    /// What the figures show, in plain sentences.
    pub caption: String,
    /// The picture in words, for those who do not see it.
    pub description: String,
    /// The `ECharts` option.
    pub option: serde_json::Value,
    /// The same figures as text.
    pub table: Table,
    /// The same figures for programs: plain numbers in the unit that each row names, empty where there is none.
    pub figures: Table,
    /// Height in px that the option is laid out for: the style's, or more where that is too little.
    pub height: u32,
}

impl Chart {
    /// The same chart under another title, shortened where it is wider than the picture.
    #[must_use]
    pub fn with_title(mut self, title: &str, style: &Style) -> Self {
        let drawn = frame::fitting_title(title, style);
        // Several headings are a list, of which the chart's own is the first.
        for place in ["/title/text", "/title/0/text"] {
            if let Some(text) = self.option.pointer_mut(place) {
                *text = drawn.as_str().into();
            }
        }
        title.clone_into(&mut self.title);
        self
    }
}

/// A table: figures as text for readers, or as plain numbers for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Headings.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

/// The width in px that [`natural_height`] supposes.
const NATURAL_WIDTH: u32 = 760;

/// Draws a chart; the first source is the baseline. `None` when no source has data for it.
#[must_use]
pub fn draw(id: ChartId, sources: &[Source<'_>], style: &Style) -> Option<Chart> {
    let set = SeriesSet::new(sources);
    let chart = drawn(id, &set, style)?;
    // What differs besides the drive is named where nobody can overlook it.
    Some(match set.comparison.verdict.axis_item() {
        Some(axis) => {
            let title = format!("{} by {}", chart.title, axis.item.text());
            chart.with_title(&title, style)
        }
        None => chart,
    })
}

fn drawn(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    match id {
        ChartId::Sequential | ChartId::Random => throughput::draw(id, set, style),
        ChartId::RepeatRuns => repeat_runs::draw(set, style),
        ChartId::QueueDepth | ChartId::ArrayScaling => scaling::draw(id, set, style),
        ChartId::Mixed | ChartId::Cliff | ChartId::Bursts | ChartId::Throttling => {
            curves::draw(id, set, style)
        }
        ChartId::ConsistencyBandwidth | ChartId::ConsistencyAccess => pass_lines::draw(id, set, style),
        ChartId::BestWorst
        | ChartId::Applications
        | ChartId::Copies
        | ChartId::Loading
        | ChartId::MixedFirstLast
        | ChartId::Fill
        | ChartId::BurstEndurance => value_bars::draw(id, set, style),
        ChartId::Temperature | ChartId::Power => sensors::draw(id, set, style),
        ChartId::SteadyState => rounds::draw(set, style),
        ChartId::MatrixIops | ChartId::MatrixLatency | ChartId::MatrixThroughput => {
            matrix::draw(id, set, style)
        }
        ChartId::Surface => surface::draw(set, style),
        ChartId::LatencyPercentiles => latency::draw(set, style),
    }
}

/// How results stand to the first one in what a chart shows, thing by thing; `None` for a chart that has no such things or
/// results that cannot be set against each other.
#[must_use]
pub fn standings(id: ChartId, sources: &[Source<'_>]) -> Option<Standings> {
    if !matches!(id, ChartId::Applications | ChartId::Copies | ChartId::Loading) || sources.len() < 2 {
        return None;
    }
    value_bars::versus(id, &SeriesSet::new(sources))
}

/// The height in px at which a chart reads well at about 760 px width; 0 when there is nothing to draw.
#[must_use]
pub fn natural_height(id: ChartId, sources: &[Source<'_>]) -> u32 {
    let style = Style {
        theme: Theme::Light,
        width: NATURAL_WIDTH,
        height: 0,
        font_family: "sans-serif".to_owned(),
        view: View::default(),
    };
    draw(id, sources, &style).map_or(0, |chart| chart.height)
}

#[cfg(test)]
mod tests;
