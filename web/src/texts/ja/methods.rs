//! Methods in Japanese.

use crate::texts::Methods;
use model::{
    Method,
    method::{Before, DataKind, Ends, Fill, Pattern},
    units::{Nanos, format_capacity, format_clock, format_seconds, format_size},
};

pub(super) const METHODS: Methods = Methods {
    title: "測定方法",
    description: "このサイトの数値の測定方法。アクセスパターン、ブロックサイズ、キュー深度、スレッド数、測定範囲、データ、ループ。",
    lead: "二つの数値を比較できるのは、測定方法のパラメータがすべて等しい場合だけです。測定方法の名前にはパラメータがすべて書かれているため、一つの名前が二つの意味をもつことはありません。",
    in_use: "使われている測定方法",
    nothing_yet: "測定結果がまだ公開されていないため、一覧できる測定方法はありません。",
    columns: ["測定方法", "内容", "測定結果"],
    how: "セルの測定手順",
    steps: [
        "最初のセルの前に、測定方法が定めるデータでテストファイル全体を書き込みます。特に断りがなければ、どのドライブにも圧縮できない、すべて異なるブロックです。書き込んでいないものを読み出すことはありません。",
        "各ループでは、時間が尽きるまで、すべてのスレッドで定められた数のI/OをダイレクトI/Oで発行し続けます。終了後に完了したI/Oは、どの数値にも含めません。",
        "転送速度とIOPSは、完了した分をループの時間で割ったものです。レイテンシは、各I/Oの発行から完了までの時間です。",
        "測定方法によっては最初のループを破棄します。破棄したループも保存・表示しますが、数値には含めません。",
        "数値は有効なループの中央値です。ばらつきは、その最小値と最大値で示します。",
    ],
    versions: "バージョン",
    version: |number| {
        format!(
            "現在の定義はバージョン{number}で、すべての測定方法の名前の末尾に付いています。同じパラメータでも測り方が変わればバージョンを改め、異なるバージョンの数値を比較したり、同じランキングに入れたりすることはありません。バージョン{number}は最初のもので、これより古い数値はありません。"
        )
    },
    not_claimed: "主張しないこと",
    limits: [
        "数値がドライブだけのものであること。ファイルシステム、カーネル、プロセッサ、スロットも関わっており、それらは測定結果のページに記しています。",
        "その速度が続くこと。数秒のセルが示すのは高速キャッシュの速度です。どこまで続くかは、長時間の書き込みでしかわかりません。",
        "同じ型番の別の個体も同じ性能であること。メーカーは同じ名前のままNANDやファームウェアを変えることがあります。",
        "最良のループが普段の性能であること。最良値だけを表示するプログラムがあるため、中央値と併記しているにすぎません。",
        "アプリケーションも同じ割合で速くなること。多くの場合、待っている相手はドライブだけではありません。",
    ],
    kicker: "測定方法",
    why: "わかること",
    reasons,
    caveats,
    parameters: "パラメータ",
    facts,
    public_results: "公開された測定結果",
    name: "名前",
    name_note: "この名前が等しい数値だけを比較し、順位をつけます。",
    rankings: "この測定方法によるランキング",
    results: "この方法による測定結果",
    no_results: "この方法による公開された測定結果はありません。",
    more: "さらに表示",
    all: "使われている測定方法の一覧と、セルの測定手順",
};

fn reasons(method: &Method) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    reasons.push(match (method.pattern.sequential(), method.pattern.writes(), method.read_percent) {
        (true, false, _) => "大きなファイルを順に読み出す性能。ロード、コピー元、再生など。",
        (true, true, _) => "大きなファイルを順に書き込む性能。コピー、書き出し、バックアップなど。",
        (false, _, Some(_)) => "ランダムな位置でのリードとライトの混在。データベース、仮想マシン、多数のアプリケーションの同時利用など。",
        (false, false, None) => "ランダムな位置の小さな読み出し。アプリケーションの起動、プロジェクトの読み込み、検索など。",
        (false, true, None) => "ランダムな位置への小さな書き込み。ログ、データベース、多数の小さなファイルなど。",
    });
    reasons.push(match method.in_flight() {
        1 => "I/Oは一度に一つ。前のI/Oの完了を待つため、レイテンシだけで決まります。デスクトップの多くのアプリケーションがこの使い方です。",
        2..=8 => "少数のI/Oを同時に発行します。先読みやコピーを行うアプリケーションに相当します。",
        _ => "多数のI/Oを同時に発行します。サーバーのようにドライブを待たせない場合の上限性能で、デスクトップではまれな使い方です。",
    });
    if method.beside.is_some() {
        reasons.push("サイズの異なるもう一つのI/Oを並行させ、大きなI/Oが小さなI/Oに与える影響を見ます。");
    }
    match method.ends {
        Ends::Time if method.seconds >= model::method::LONG_SECONDS => {
            reasons.push("ループが長く、最初の1分と最後の1分の違いなど、時間経過による変化がわかります。");
        }
        Ends::Steady => {
            reasons.push("二つの定常状態の条件がそろうまで続け、変化がなくなった後に残る性能を示します。")
        }
        Ends::Bytes(_) if method.loops == 1 => {
            reasons.push(
                "測定範囲を一度だけ通して、高速な書き込みがどこで終わり、その後に何が残るかを示します。",
            );
        }
        Ends::Bytes(_) => {
            reasons.push("測定範囲を分けて順に進みます。休止を挟んだバーストや、場所による違いがわかります。")
        }
        Ends::Time => {}
    }
    if !method.before.is_as_found() {
        reasons.push("測定前にドライブを一定の状態にしています。同じ状態の数値どうしだけを比較します。");
    }
    if method.members.is_some() {
        reasons.push("複数のドライブを同時に使い、台数の効果がどこまで続くかを見ます。");
    }
    reasons
}

fn caveats(method: &Method) -> Vec<&'static str> {
    let mut caveats = Vec::new();
    let short = matches!(method.ends, Ends::Time) && method.seconds < model::method::LONG_SECONDS;
    if short && method.pattern.writes() {
        caveats.push(
            "持続的な書き込み性能は示しません。高速キャッシュが尽きる前にループが終わることがあります。",
        );
    }
    if method.pattern.reads() && method.span_bytes <= 8 << 30 {
        caveats.push("ドライブ全体の性能は示しません。測定範囲が狭く、アドレス変換表やデータそのものが高速なメモリに収まることがあります。");
    }
    if method.before.is_as_found() {
        caveats.push("ドライブの状態による違いは示しません。測定前の状態のままで、使用率や劣化が進んだものは遅いことがあります。");
    }
    if method.in_flight() > 32 {
        caveats.push("普段のレイテンシは示しません。この深さではI/Oが互いに待ち合います。");
    }
    if method.ends == Ends::Time && method.seconds >= model::method::LONG_SECONDS {
        caveats.push("平均値からは時間変化が見えません。変化は測定結果のページに示しています。");
    }
    if method.stretches().is_some() && !method.means_alike(method) {
        caveats.push("平均値はどこまで書き進めたかに左右されるため、順位はつけません。示すのは段階です。");
    }
    caveats
}

fn facts(method: &Method) -> Vec<(&'static str, String)> {
    let Before { fill, trimmed, rested_seconds } = method.before;
    let clock = |seconds: u32| format_clock(Nanos::from_secs(seconds.into()));
    let stretches = method.stretches();
    let settles = stretches
        .and_then(|one| one.settles)
        .map(|one| format!("{}と{}の間に変化がないとき", format_capacity(one.bytes), clock(one.seconds)));
    let each = match stretches {
        Some(one) => format!("{}、最長{}", format_capacity(one.loop_bytes), clock(method.seconds)),
        None => format_seconds(method.seconds),
    };
    let always = [
        ("アクセスパターン", pattern(method.pattern).to_owned()),
        ("ブロックサイズ", format_size(method.block_bytes.into())),
        ("スレッドごとのキュー深度", method.queue_depth.to_string()),
        ("スレッド数", method.threads.to_string()),
        ("測定範囲", format_size(method.span_bytes)),
        ("データ", data(method.data).to_owned()),
        ("有効なループ数", method.loops.to_string()),
        ("ループの長さ", each),
        ("破棄するループ数", method.discarded_loops.to_string()),
        ("セル前の休止", format_seconds(method.interval_seconds)),
    ];
    let some = [
        ("リードの割合", method.read_percent.map(|percent| format!("{percent} %"))),
        (
            "並行するI/O",
            method
                .beside
                .map(|one| format!("{}、キュー深度{}", format_size(one.block_bytes.into()), one.queue_depth)),
        ),
        ("ループ間の休止", stretches.map(|one| format_seconds(one.rest_seconds))),
        ("ループの早期終了", settles),
        ("事前の使用率", fill.map(|fill: Fill| fill.to_string())),
        ("事前のTrim", trimmed.then(|| "あり".to_owned())),
        ("事前の休止", (rested_seconds > 0).then(|| format_seconds(rested_seconds))),
        (
            "ドライブ数",
            method.members.map(|members| match method.apart {
                false => format!("{members}（測定範囲・スレッド数・キュー深度はアレイ全体の値）"),
                true => format!("{members}（測定範囲・スレッド数・キュー深度はドライブごとの値）"),
            }),
        ),
    ];
    let some = some.into_iter().filter_map(|(name, value)| Some((name, value?)));
    always.into_iter().chain(some).collect()
}

fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::SeqRead => "シーケンシャルリード",
        Pattern::SeqWrite => "シーケンシャルライト",
        Pattern::RandRead => "ランダムリード",
        Pattern::RandWrite => "ランダムライト",
        Pattern::RandMix => "ランダム混在",
    }
}

fn data(kind: DataKind) -> &'static str {
    match kind {
        DataKind::Random => "ランダム（すべて異なるブロック）",
        DataKind::Zero => "ゼロ",
        DataKind::Repeat => "一つのランダムバッファの繰り返し",
        DataKind::Existing => "もともとあったデータ",
    }
}
