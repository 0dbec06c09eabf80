//! Texts at charts and tables in English.

use crate::texts::{Copy, Figure};

pub(super) const FIGURE: Figure = Figure {
    figures: "The figures of this chart",
    figures_of: |title| format!("Figures of the chart: {title}"),
    interactive: "Interactive",
    picture: "Picture",
    loading: "Loading …",
    failed: "The interactive chart could not be loaded; the picture shows the same figures.",
    copy: Copy {
        markdown: "Markdown",
        button: "Copy as Markdown",
        done: "Copied.",
        failed: "The browser did not let it be copied. Open “Markdown” and copy it from there.",
    },
    one_by_one: "One by one against the baseline",
    of_what: "Of what",
    tally: "Better · no difference · worse",
    counts: |[better, ties, worse, unknown]| {
        let unknown = if unknown > 0 { format!(" (spread not known: {unknown})") } else { String::new() };
        format!("{better} · {ties} · {worse}{unknown}")
    },
    baseline: "baseline",
    better: |change| format!("{change}, better"),
    worse: |change| format!("{change}, worse"),
    tie: "tie",
    spread_unknown: |change| format!("{change}, spread not known"),
    not_comparable: "not comparable",
};
