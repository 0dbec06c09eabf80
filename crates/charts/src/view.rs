//! How a reader wants figures set out: in their units or against the first result, on a linear or a logarithmic axis.
//!
//! Knows which charts can follow which wish, and whether a comparison allows it. A wish that a chart cannot follow
//! changes nothing in it: its caption says in which way it is drawn.

use crate::series::SeriesSet;
use model::{
    chart_id::ChartId,
    comparison::{Comparison, Entry, Standing},
    summary::Stats,
};
use std::str::FromStr;

/// What the figures are shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Show {
    /// As measured, in their unit.
    #[default]
    Absolute,
    /// As a share of the first result's, where the comparison allows percentages.
    Relative,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AxisScale {
    /// From zero.
    Linear,
    /// Logarithmic.
    Log,
}

/// A reader's wishes, as addresses spell them: `show=relative&axis=log`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct View {
    /// What the figures are shown as.
    pub show: Show,
    /// The scale of axes that can have both; `None` for each chart's own.
    pub axis: Option<AxisScale>,
}

/// Why a text is no wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no such way to show figures")]
pub struct UnknownView;

impl Show {
    /// As addresses write it.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Absolute => "absolute",
            Self::Relative => "relative",
        }
    }
}

impl AxisScale {
    /// As addresses write it.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Log => "log",
        }
    }
}

impl FromStr for Show {
    type Err = UnknownView;

    fn from_str(text: &str) -> Result<Self, UnknownView> {
        [Self::Absolute, Self::Relative].into_iter().find(|one| one.token() == text).ok_or(UnknownView)
    }
}

impl FromStr for AxisScale {
    type Err = UnknownView;

    fn from_str(text: &str) -> Result<Self, UnknownView> {
        [Self::Linear, Self::Log].into_iter().find(|one| one.token() == text).ok_or(UnknownView)
    }
}

impl View {
    /// What of these wishes can change a chart: equal pictures have equal views.
    #[must_use]
    pub fn of_chart(self, id: ChartId) -> Self {
        Self {
            show: if has_shares(id) { self.show } else { Show::Absolute },
            axis: self.axis.filter(|axis| own_axis(id).is_some_and(|own| own != *axis)),
        }
    }

    /// The wishes as they follow other parameters of an address; empty for none.
    #[must_use]
    pub fn query(self) -> String {
        let show = (self.show != Show::Absolute).then(|| format!("&show={}", self.show.token()));
        let axis = self.axis.map(|axis| format!("&axis={}", axis.token()));
        show.into_iter().chain(axis).collect()
    }
}

/// Whether a chart's figures can be shown as shares: those whose standing to the baseline is judged one by one. Courses
/// over time, loops, passes and percentiles keep their unit.
#[must_use]
pub fn has_shares(id: ChartId) -> bool {
    matches!(
        id,
        ChartId::Sequential
            | ChartId::Random
            | ChartId::QueueDepth
            | ChartId::ArrayScaling
            | ChartId::BestWorst
            | ChartId::Applications
            | ChartId::Copies
            | ChartId::Loading
            | ChartId::MixedFirstLast
            | ChartId::Fill
            | ChartId::BurstEndurance
    )
}

/// The scale that a chart has by itself; `None` for one that has no other: bars begin at zero, and so do courses.
#[must_use]
pub fn own_axis(id: ChartId) -> Option<AxisScale> {
    match id {
        ChartId::QueueDepth
        | ChartId::ArrayScaling
        | ChartId::MatrixIops
        | ChartId::MatrixLatency
        | ChartId::MatrixThroughput => Some(AxisScale::Linear),
        ChartId::LatencyPercentiles => Some(AxisScale::Log),
        _ => None,
    }
}

/// Whether shares of the first result can be given at all: there is another one, and percentages are allowed.
#[must_use]
pub fn allows_shares(comparison: &Comparison) -> bool {
    comparison.series.len() > 1 && comparison.verdict.allows_percentages()
}

/// Whether a chart of these results is drawn as shares.
pub(crate) fn is_relative(view: View, set: &SeriesSet<'_>) -> bool {
    view.show == Show::Relative && allows_shares(&set.comparison)
}

/// Whether a chart's axis is logarithmic. Shares lie near each other and stay on a linear one.
pub(crate) fn is_logarithmic(view: View, id: ChartId, relative: bool) -> bool {
    let own = own_axis(id);
    own.is_some() && !relative && view.axis.or(own) == Some(AxisScale::Log)
}

/// A figure as a share of the baseline's, 1 for the baseline itself; `None` where they may not be divided.
#[must_use]
pub fn share(standing: Standing) -> Option<f64> {
    match standing {
        Standing::Baseline => Some(1.0),
        Standing::Differs { change, .. } | Standing::Tie { change } | Standing::SpreadUnknown { change } => {
            Some(1.0 + change)
        }
        Standing::NotComparable | Standing::Missing => None,
    }
}

/// Statistics as shares of the baseline's median.
pub(crate) fn share_of(stats: &Stats, standing: Standing, base: &Stats) -> Option<Stats> {
    share(standing)?;
    let of = |value: f64| value / base.median;
    Some(Stats {
        median: of(stats.median),
        mean: of(stats.mean),
        min: of(stats.min),
        max: of(stats.max),
        deviation: stats.deviation.map(of),
        ..*stats
    })
}

/// The word in place of a share of a figure that has none.
pub(crate) const NO_SHARE: &str = "not comparable";

/// How an entry's figure is a share; `None` for no figure or none that may be divided.
pub(crate) fn entry_share(entry: &Entry) -> Option<f64> {
    entry.status.filter(|status| status.counts())?;
    share(entry.standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_takes_only_what_changes_it() {
        let all = View { show: Show::Relative, axis: Some(AxisScale::Log) };
        assert_eq!(all.of_chart(ChartId::Sequential).query(), "&show=relative");
        assert_eq!(all.of_chart(ChartId::QueueDepth).query(), "&show=relative&axis=log");
        assert_eq!(all.of_chart(ChartId::LatencyPercentiles).query(), "", "it is logarithmic by itself");
        assert_eq!(all.of_chart(ChartId::Cliff), View::default());
        let linear = View { axis: Some(AxisScale::Linear), ..View::default() };
        assert_eq!(linear.of_chart(ChartId::LatencyPercentiles).query(), "&axis=linear");
        assert_eq!(linear.of_chart(ChartId::QueueDepth), View::default());
    }

    #[test]
    fn wishes_are_read_as_they_are_written() {
        for show in [Show::Absolute, Show::Relative] {
            assert_eq!(show.token().parse(), Ok(show));
        }
        for axis in [AxisScale::Linear, AxisScale::Log] {
            assert_eq!(axis.token().parse(), Ok(axis));
        }
        assert_eq!("percent".parse::<Show>(), Err(UnknownView));
        assert_eq!("".parse::<AxisScale>(), Err(UnknownView));
    }

    #[test]
    fn only_what_may_be_divided_is_a_share() {
        assert_eq!(share(Standing::Baseline), Some(1.0));
        assert_eq!(share(Standing::Differs { change: -0.5, better: false }), Some(0.5));
        assert_eq!(share(Standing::Tie { change: 0.25 }), Some(1.25));
        assert_eq!(share(Standing::NotComparable), None);
        assert_eq!(share(Standing::Missing), None);
    }
}
