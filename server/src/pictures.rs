//! Charts as options and pictures: drawn once, kept in memory, never more at a time than the machine bears.
//!
//! Knows nothing of addresses; `routes::charts` reads those.

use crate::{error::ApiError, library::Entry};
use axum::body::Bytes;
use charts::{Chart, Source, Standings, Style, Theme, View};
use model::{ResultId, chart_id::ChartId};
use render::{RenderError, Renderer, SvgRequest};
use std::{num::NonZeroUsize, sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// Pictures kept in memory, bytes.
const KEPT_BYTES: u64 = 64 << 20;
/// How long a picture waits for its turn.
const PATIENCE: Duration = Duration::from_secs(15);
/// Most characters of a title from an address.
pub const MAX_TITLE_CHARS: usize = 120;

/// A chart as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChartRequest {
    /// Which chart.
    pub chart: ChartId,
    /// On a dark ground.
    pub dark: bool,
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels; `None` for the one at which the chart reads well.
    pub height: Option<u32>,
    /// A title instead of the chart's own.
    pub title: Option<String>,
    /// How the figures are set out, as far as this chart can follow.
    pub view: View,
}

/// What is kept: everything that shapes a picture's bytes. The renderer's version does not change while
/// the program runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PictureKey {
    series: Vec<Vec<ResultId>>,
    request: ChartRequest,
    /// `None` for SVG.
    png_scale: Option<u8>,
}

/// Why there is no picture; shared by all who waited for it.
#[derive(Debug, thiserror::Error)]
enum PictureError {
    #[error("no data")]
    NoData(ChartId),
    #[error("busy")]
    Busy,
    #[error("{0}")]
    Size(String),
    #[error("{0}")]
    Failed(String),
}

/// Draws charts.
#[derive(Clone)]
pub struct Pictures {
    renderer: Renderer,
    turns: Arc<Semaphore>,
    kept: moka::future::Cache<PictureKey, Bytes>,
}

impl Pictures {
    /// Starts `threads` drawing threads.
    ///
    /// # Errors
    /// When the chart engine cannot be started.
    pub fn start(threads: NonZeroUsize) -> Result<Self, RenderError> {
        let kept = moka::future::Cache::builder()
            .max_capacity(KEPT_BYTES)
            .weigher(|_, bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
            .build();
        Ok(Self { renderer: Renderer::start(threads)?, turns: Arc::new(Semaphore::new(threads.get())), kept })
    }

    /// A chart's picture as SVG.
    ///
    /// # Errors
    /// When there is nothing to draw, too much waits, or drawing fails.
    pub async fn svg(&self, entries: &[Entry], request: &ChartRequest) -> Result<Bytes, ApiError> {
        self.picture(entries, request, None).await.map_err(|error| answer(&error))
    }

    /// A chart's picture as PNG, each CSS pixel `scale` pixels wide.
    ///
    /// # Errors
    /// As [`Pictures::svg`], and when the picture has too many pixels.
    pub async fn png(&self, entries: &[Entry], request: &ChartRequest, scale: u8) -> Result<Bytes, ApiError> {
        self.picture(entries, request, Some(scale)).await.map_err(|error| answer(&error))
    }

    async fn picture(
        &self,
        entries: &[Entry],
        request: &ChartRequest,
        png_scale: Option<u8>,
    ) -> Result<Bytes, Arc<PictureError>> {
        let series = entries.iter().map(|entry| entry.summary.head.results().collect()).collect();
        let key = PictureKey { series, request: request.clone(), png_scale };
        self.kept.try_get_with(key, self.draw_in_turn(entries.to_vec(), request.clone(), png_scale)).await
    }

    async fn draw_in_turn(
        &self,
        entries: Vec<Entry>,
        request: ChartRequest,
        png_scale: Option<u8>,
    ) -> Result<Bytes, PictureError> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned());
        let Ok(Ok(turn)) = turn.await else { return Err(PictureError::Busy) };
        let renderer = self.renderer.clone();
        let drawn = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let chart = chart(&entries, &request).ok_or(PictureError::NoData(request.chart))?;
            let svg = renderer.svg(SvgRequest {
                option_json: chart.option.to_string(),
                width: request.width,
                height: chart.height,
                title: chart.title,
                description: chart.description,
                background: None,
            })?;
            Ok(match png_scale {
                None => Bytes::from(svg),
                Some(scale) => Bytes::from(render::png(&svg, scale)?),
            })
        });
        drawn.await.unwrap_or_else(|error| Err(PictureError::Failed(error.to_string())))
    }
}

fn sources(entries: &[Entry]) -> Vec<Source<'_>> {
    entries.iter().map(|entry| Source { summary: &entry.summary, document: entry.document() }).collect()
}

/// How the results stand to the first one in what a chart shows, where that is told thing by thing.
#[must_use]
pub fn standings(entries: &[Entry], chart: ChartId) -> Option<Standings> {
    charts::standings(chart, &sources(entries))
}

/// Lays a chart out; `None` when none of the results has data for it.
#[must_use]
pub fn chart(entries: &[Entry], request: &ChartRequest) -> Option<Chart> {
    let sources = sources(entries);
    let style = Style {
        theme: if request.dark { Theme::Dark } else { Theme::Light },
        width: request.width,
        height: request.height.unwrap_or_else(|| charts::natural_height(request.chart, &sources)),
        font_family: format!("'{}', sans-serif", render::FONT_FAMILY),
        view: request.view,
    };
    let chart = charts::draw(request.chart, &sources, &style)?;
    Some(match &request.title {
        Some(title) => chart.with_title(title, &style),
        None => chart,
    })
}

impl From<RenderError> for PictureError {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Busy => Self::Busy,
            RenderError::Size { .. } | RenderError::Pixels { .. } | RenderError::Scale(_) => {
                Self::Size(error.to_string())
            }
            other => Self::Failed(other.to_string()),
        }
    }
}

fn answer(error: &PictureError) -> ApiError {
    match error {
        PictureError::NoData(chart) => ApiError::NoChartData(*chart),
        PictureError::Busy => ApiError::Busy,
        PictureError::Size(reason) => ApiError::BadRequest(reason.clone()),
        PictureError::Failed(reason) => ApiError::Internal(reason.clone()),
    }
}
