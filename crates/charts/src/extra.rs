//! What `charming` cannot express, merged by name into the JSON of an option.
//!
//! Label templates are `{b}` throughout: it stands for the name of the data item, and what is put in is
//! not read as a template again.

use crate::{
    figure::on_axis,
    frame::TEXT,
    style::{Style, dash, symbol},
};
use charming::Chart;
use model::units::Unit;
use serde_json::{Value, json};

/// An option as JSON, to be completed.
pub(crate) struct Extra(Value);

impl Extra {
    /// Takes charming's part and adds what every chart needs: the font, the colour of axis lines, a tooltip that
    /// draws names as text and never as HTML, and the words for those who do not see it.
    pub(crate) fn new(chart: &Chart, style: &Style, description: &str) -> Self {
        let palette = style.palette();
        let mut option =
            serde_json::to_value(chart).expect("charming's structs hold only what JSON can express");
        merge(
            &mut option,
            json!({
                "textStyle": {"fontFamily": style.font_family, "color": palette.text},
                "tooltip": {
                    "renderMode": "richText", "confine": true,
                    "backgroundColor": palette.background, "borderColor": palette.muted,
                    "textStyle": {"color": palette.text, "fontSize": TEXT},
                },
                "aria": {"enabled": true, "label": {"enabled": true, "description": description}},
            }),
        );
        let mut extra = Self(option);
        extra.axes("xAxis", &json!({"axisLine": {"lineStyle": {"color": palette.muted}}}));
        extra.axes("yAxis", &json!({"axisLine": {"lineStyle": {"color": palette.muted}}}));
        extra
    }

    /// Merges into every axis of a direction; charming writes a lone one without an array.
    fn axes(&mut self, direction: &str, patch: &Value) {
        match &mut self.0[direction] {
            Value::Array(axes) => axes.iter_mut().for_each(|axis| merge(axis, patch.clone())),
            axis => merge(axis, patch.clone()),
        }
    }

    /// Merges into the axis at `index` of a direction.
    pub(crate) fn axis(&mut self, direction: &str, index: usize, patch: Value) {
        match &mut self.0[direction] {
            Value::Array(axes) => merge(&mut axes[index], patch),
            axis => merge(axis, patch),
        }
    }

    /// Merges into the series at `index`.
    pub(crate) fn series(&mut self, index: usize, patch: Value) {
        merge(&mut self.0["series"][index], patch);
    }

    /// Merges into the data item at `place` of the series at `index`.
    pub(crate) fn point(&mut self, index: usize, place: usize, patch: Value) {
        merge(&mut self.0["series"][index]["data"][place], patch);
    }

    pub(crate) fn finish(self) -> Value {
        self.0
    }
}

/// Merges objects key by key; anything else is replaced.
fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch,
    }
}

/// A label beside a horizontal bar.
pub(crate) struct BarLabel {
    /// The row of the category axis.
    pub(crate) row: usize,
    /// Least and greatest loop, drawn as a whisker; `None` without one.
    pub(crate) spread: Option<(f64, f64)>,
    /// Where the text begins, on the value axis.
    pub(crate) at: f64,
    /// The figure, or the word in its place.
    pub(crate) text: String,
    /// Whether it is a figure.
    pub(crate) figure: bool,
}

/// Whiskers and texts of one series of bars. They are marks because marks are the only thing `ECharts`
/// places at a bar's own position in its group.
pub(crate) fn bar_marks(labels: &[BarLabel], unit: Unit, style: &Style) -> Value {
    let palette = style.palette();
    let end = |value: f64, row: usize| json!({"coord": [on_axis(unit, value), row]});
    let whiskers: Vec<Value> = labels
        .iter()
        .filter_map(|label| label.spread.map(|(min, max)| json!([end(min, label.row), end(max, label.row)])))
        .collect();
    let texts: Vec<Value> = labels
        .iter()
        .map(|label| {
            let looks =
                if label.figure { json!({}) } else { json!({"color": palette.muted, "fontStyle": "italic"}) };
            json!({"name": label.text, "coord": [on_axis(unit, label.at), label.row], "label": looks})
        })
        .collect();
    json!({
        "markLine": {
            "silent": true, "animation": false, "symbol": ["rect", "rect"], "symbolSize": [7, 1.5],
            "lineStyle": {"color": palette.text, "width": 1.5, "type": "solid"},
            "label": {"show": false}, "data": whiskers,
        },
        "markPoint": {
            "silent": true, "animation": false, "symbol": "circle", "symbolSize": 0,
            "label": {"show": true, "formatter": "{b}", "position": "right", "distance": 6,
                      "color": palette.text, "fontSize": TEXT,
                      "textBorderColor": palette.background, "textBorderWidth": 3},
            "data": texts,
        },
    })
}

/// Dashes, symbol and thickness of the line at `index`.
pub(crate) fn line_looks(index: usize, style: &Style) -> Value {
    let colour = style.palette().series(index);
    json!({
        "symbol": symbol(index), "symbolSize": 8, "showAllSymbol": true,
        "lineStyle": {"color": colour, "width": 2, "type": dash(index)},
        "itemStyle": {"color": colour},
    })
}

/// Texts at a line's points: the names of its data items, above, where there is room, on a rim that keeps
/// the line off the letters.
pub(crate) fn point_labels(style: &Style) -> Value {
    let palette = style.palette();
    json!({
        "label": {"show": true, "formatter": "{b}", "position": "top", "distance": 7, "fontSize": TEXT,
                  "color": palette.text, "textBorderColor": palette.background, "textBorderWidth": 3},
        "labelLayout": {"hideOverlap": true},
    })
}

/// A point of a line at which the value does not count: hollow.
pub(crate) fn hollow(index: usize, style: &Style) -> Value {
    let palette = style.palette();
    json!({"color": palette.background, "borderColor": palette.series(index), "borderWidth": 2})
}
