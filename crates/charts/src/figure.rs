//! One value of a chart: as a number on an axis, as text in labels, captions and tables, or as the word
//! that stands where there is no value. All of them come from here, so they cannot disagree.

use model::units::{Unit, grouped};
use model::{comparison::Entry, document::CellStatus, metric::MetricKind, summary::Stats};

/// What a result has for a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    /// Figures that count.
    Counted(Stats),
    /// An I/O failed.
    Failed,
    /// Measured, but the proof does not hold.
    Void,
    /// Never measured, or no loop was finished.
    Missing,
}

impl Figure {
    pub(crate) fn of(entry: &Entry) -> Self {
        match (entry.status, entry.stats) {
            (Some(CellStatus::Failed), _) => Self::Failed,
            (Some(CellStatus::Void), _) => Self::Void,
            (Some(CellStatus::Complete | CellStatus::Partial), Some(stats)) if is_sound(&stats) => {
                Self::Counted(stats)
            }
            _ => Self::Missing,
        }
    }

    pub(crate) fn counted(&self) -> Option<&Stats> {
        if let Self::Counted(stats) = self { Some(stats) } else { None }
    }

    /// The median with its unit, or why there is none.
    pub(crate) fn text(&self, kind: MetricKind) -> String {
        match self {
            Self::Counted(stats) => kind.unit().format(stats.figure(kind)),
            other => other.absence().to_owned(),
        }
    }

    /// The word in place of a figure; empty for one that counts.
    pub(crate) fn absence(&self) -> &'static str {
        match self {
            Self::Counted(_) => "",
            Self::Failed => "failed",
            Self::Void => "void",
            Self::Missing => "no result",
        }
    }

    /// How it ended, in one word for programs.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Counted(_) => "complete",
            Self::Failed => "failed",
            Self::Void => "void",
            Self::Missing => "missing",
        }
    }
}

/// What must be said beside an entry's figure, because it was not measured on random data; `None` also where
/// there is no figure.
pub(crate) fn remark(entry: &Entry) -> Option<&'static str> {
    Figure::of(entry).counted()?;
    entry.method.as_ref()?.method().data.remark()
}

/// The figure of an entry with its unit and what must be said beside it, or why there is none.
pub(crate) fn text(entry: &Entry, kind: MetricKind) -> String {
    let text = Figure::of(entry).text(kind);
    remark(entry).map_or(text.clone(), |remark| format!("{text}, {remark}"))
}

/// How a cell ended, in one word for programs; `missing` when there was none.
pub(crate) fn status(entry: &Entry) -> &'static str {
    match (Figure::of(entry), entry.status) {
        (Figure::Counted(_), Some(CellStatus::Partial)) => "partial",
        (figure, _) => figure.status(),
    }
}

/// The lines above a grid: the results without a line and why, and those whose figures need a remark.
pub(crate) fn notes(entries: &[Entry], labels: &[String], kind: MetricKind) -> String {
    let note = |(entry, label): (&Entry, &String)| match Figure::of(entry) {
        Figure::Counted(_) => remark(entry).map(|remark| format!("{label}: {remark}")),
        figure => Some(format!("{label}: {}", figure.text(kind))),
    };
    entries.iter().zip(labels).filter_map(note).collect::<Vec<_>>().join("; ")
}

fn is_sound(stats: &Stats) -> bool {
    [stats.median, stats.min, stats.max].iter().all(|value| value.is_finite() && *value >= 0.0)
}

/// A value in the axis's unit, rounded to the digits that its text shows; `None` when it is no number
/// or negative.
pub(crate) fn on_axis(unit: Unit, value: f64) -> Option<f64> {
    let scaled = unit.for_axis(value);
    let factor = 10_f64.powi(axis_digits(unit, scaled));
    let rounded = (scaled * factor).round() / factor;
    (rounded.is_finite() && rounded >= 0.0).then_some(rounded)
}

/// A value as text in the unit of the axis beside it, `10,240 µs`, where tables would write `10.24 ms`.
pub(crate) fn text_on_axis(unit: Unit, value: f64) -> String {
    format!("{} {}", number_on_axis(unit, value), unit.axis_name())
}

/// The same beside a point: the axis has the unit.
pub(crate) fn number_on_axis(unit: Unit, value: f64) -> String {
    let scaled = unit.for_axis(value);
    let digits = usize::try_from(axis_digits(unit, scaled)).unwrap_or(0);
    grouped(scaled, digits)
}

/// A value as tables write it, without the unit where that is the axis's.
pub(crate) fn without_unit(unit: Unit, value: f64) -> String {
    let text = unit.format(value);
    text.strip_suffix(unit.axis_name()).map_or(text.clone(), |number| number.trim_end().to_owned())
}

/// Decimals of a value in an axis's unit.
fn axis_digits(unit: Unit, scaled: f64) -> i32 {
    match (unit, scaled) {
        (Unit::Iops, _) => 0,
        (Unit::Share, _) => 1,
        (Unit::Nanoseconds, scaled) if scaled >= 999.5 => 0,
        (_, scaled) if scaled >= 99.95 => 1,
        (_, scaled) if scaled >= 0.9995 => 2,
        _ => 3,
    }
}

/// The end of an axis from zero and the distance of its ticks: the least round numbers that hold `max`
/// with at most `ticks` distances.
pub(crate) fn axis_end(max: f64, ticks: u32) -> (f64, f64) {
    if max <= 0.0 || !max.is_finite() {
        return (1.0, 1.0);
    }
    let rough = max / f64::from(ticks.max(1));
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| step * f64::from(ticks.max(1)) >= max)
        .unwrap_or(10.0 * power);
    ((max / step).ceil() * step, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_values_have_the_digits_of_their_text() {
        for value in [3_512_412_345.0, 48_123_456.0, 99_960_000.0, 123_456.0] {
            let unit = Unit::BytesPerSecond;
            let text = unit.format(value).replace(" MB/s", "").replace(',', "");
            assert_eq!(on_axis(unit, value), text.parse().ok(), "{value}");
        }
        assert_eq!(on_axis(Unit::Iops, 81_034.4), Some(81_034.0));
        for bad in [f64::NAN, f64::INFINITY, -1e9] {
            assert_eq!(on_axis(Unit::BytesPerSecond, bad), None);
        }
    }

    #[test]
    fn texts_beside_an_axis_have_its_unit() {
        let text = |ns| text_on_axis(Unit::Nanoseconds, ns);
        assert_eq!([70_123.0, 10_240_400.0].map(text), ["70.12 µs", "10,240 µs"]);
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!(axis_end(3_512.4, 4), (4_000.0, 1_000.0));
        assert_eq!(axis_end(81_034.0, 4), (100_000.0, 25_000.0));
        assert_eq!(axis_end(0.0, 4), (1.0, 1.0));
        assert_eq!(axis_end(4_000.0, 4), (4_000.0, 1_000.0));
    }
}
