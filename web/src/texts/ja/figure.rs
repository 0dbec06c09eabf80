//! Texts at charts and tables in Japanese.

use crate::texts::{Copy, Figure};

pub(super) const FIGURE: Figure = Figure {
    figures: "このグラフの数値",
    figures_of: |title| format!("グラフの数値：{title}"),
    interactive: "操作できるグラフ",
    picture: "画像に戻す",
    loading: "読み込み中…",
    failed: "操作できるグラフを読み込めませんでした。画像は同じ数値を示しています。",
    copy: Copy {
        markdown: "Markdown",
        button: "Markdownをコピー",
        done: "コピーしました。",
        failed: "ブラウザーがコピーを許可しませんでした。「Markdown」を開いてコピーしてください。",
    },
    one_by_one: "基準との個別比較",
    of_what: "対象",
    tally: "優勢・引き分け・劣勢",
    counts: |[better, ties, worse, unknown]| {
        let unknown =
            if unknown > 0 { format!("（ばらつき不明：{unknown}）") } else { String::new() };
        format!("{better}・{ties}・{worse}{unknown}")
    },
    baseline: "基準",
    better: |change| format!("{change}（優勢）"),
    worse: |change| format!("{change}（劣勢）"),
    tie: "引き分け",
    spread_unknown: |change| format!("{change}（ばらつき不明）"),
    not_comparable: "比較不可",
};
