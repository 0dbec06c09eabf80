//! The results of a chart side by side: their names in full and for legends, and what is compared.

use crate::{Source, names};
use model::{
    comparison::{Comparison, Row},
    document::{Cell, Origin},
    metric::MetricId,
    summary::ResultSummary,
};

/// The results of a chart in the order asked for.
pub(crate) struct SeriesSet<'a> {
    pub(crate) sources: &'a [Source<'a>],
    /// Distinct names in full; a simulated result's says so.
    pub(crate) names: Vec<String>,
    pub(crate) comparison: Comparison,
}

impl<'a> SeriesSet<'a> {
    pub(crate) fn new(sources: &'a [Source<'a>]) -> Self {
        let summaries: Vec<ResultSummary> = sources.iter().map(|source| source.summary.clone()).collect();
        let comparison = analysis::comparison::compare(&summaries);
        let names = names::distinct(comparison.series.iter().map(|series| match series.head.origin {
            Origin::Measured => series.name.clone(),
            Origin::Simulated => format!("{} (simulated)", series.name),
        }));
        Self { sources, names, comparison }
    }

    /// Names for running text.
    pub(crate) fn short_names(&self) -> Vec<String> {
        names::shortened(&self.names, 30.0)
    }

    /// The cells of a result that stand in a row and count, in the order of runs; empty when the analysis found that
    /// none of them counts.
    pub(crate) fn counted_cells(&self, index: usize, row: &Row) -> Vec<&'a Cell> {
        let source = self.sources[index];
        let Some(MetricId { cell, .. }) = row.metric_of(index) else { return Vec::new() };
        let judged = source.summary.metrics.iter().filter(|metric| metric.metric.cell == cell);
        if !judged.clone().any(|metric| metric.counted().is_some()) {
            return Vec::new();
        }
        source.document.cells.iter().filter(|c| c.status.counts() && c.method.cell() == cell).collect()
    }
}
