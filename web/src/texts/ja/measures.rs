//! What is measured and how, in Japanese.

use crate::texts::Measures;
use model::{
    Method,
    document::{CellStatus, Origin},
    drive::Transport,
    method::{DataKind, Ends, Stretches},
    metric::MetricKind,
    units::{Nanos, format_capacity, format_clock, format_seconds, format_size},
};

pub(super) const MEASURES: Measures = Measures {
    metric: |kind| match kind {
        MetricKind::BytesPerS => "転送速度",
        MetricKind::Iops => "IOPS",
        MetricKind::LatencyMeanNs => "平均レイテンシ",
        MetricKind::LatencyP50Ns => "レイテンシ中央値",
        MetricKind::LatencyP99Ns => "99パーセンタイル レイテンシ",
        MetricKind::LatencyP999Ns => "99.9パーセンタイル レイテンシ",
        MetricKind::LatencyMaxNs => "最大レイテンシ",
        MetricKind::CpuNsPerIo => "I/Oあたりのプロセッサ時間",
    },
    transport: |transport| match transport {
        Transport::Virtio => "仮想ディスク（virtio）",
        Transport::Software => "ソフトウェアデバイス",
        Transport::Unknown => "接続不明",
        known => known.text(),
    },
    place: |head| {
        let without = match head.origin {
            Origin::Measured => "デバイス全体",
            Origin::Simulated => "仮想時間",
        };
        head.file_system.clone().unwrap_or_else(|| without.to_owned())
    },
    whole_device: "デバイス全体",
    firmware: |name| format!("ファームウェア {name}"),
    cooling: |words| format!("冷却：{words}"),
    slot: |words| format!("スロット：{words}"),
    fill: |words| format!("使用率：{words}"),
    allocation_unit: |size| format!("アロケーションユニット {size}"),
    comma: "、",
    range: |least, greatest| format!("{least}～{greatest}"),
    higher_is_better: "数値が大きいほど高性能です。",
    lower_is_better: "数値が小さいほど高性能です。",
    results: |count| format!("{count}件の測定結果"),
    drives: |count| format!("{count}台のドライブ"),
    keys: |count| format!("{count}個の鍵"),
    absence: |status| match status {
        Some(CellStatus::Void) => "無効",
        Some(CellStatus::Failed) => "失敗",
        Some(CellStatus::Complete | CellStatus::Partial) | None => "結果なし",
    },
    data_remark: |kind| match kind {
        DataKind::Random => None,
        DataKind::Zero => Some("ゼロデータ"),
        DataKind::Repeat => Some("繰り返しデータ"),
        DataKind::Existing => Some("既存データ"),
    },
    data_warning: |kind| match kind {
        DataKind::Random => None,
        DataKind::Zero => Some(
            "ランダムデータではなくゼロを読み書きしています。圧縮や重複排除を行うドライブやアレイでは、実力より速く見えます。",
        ),
        DataKind::Repeat => Some(
            "一つのランダムバッファを繰り返し書き込んでいます。同じブロックをまとめるドライブやアレイでは、実力より速く見えます。",
        ),
        DataKind::Existing => {
            Some("もともとファイルにあったデータを読み出しています。その内容については何もわかりません。")
        }
    },
    simulated: "シミュレーション",
    partial: "途中まで",
    failed_run: "測定失敗",
    void_cells: |count| format!("無効なセル {count}個"),
    failed_cells: |count| format!("失敗したセル {count}個"),
    describe,
};

fn describe(method: &Method) -> String {
    let order = if method.pattern.sequential() { "シーケンシャル" } else { "ランダム" };
    let direction = match method.read_percent {
        Some(percent) => format!("リード・ライト混在（リード{percent} %）"),
        None if method.pattern.writes() => "ライト".to_owned(),
        None => "リード".to_owned(),
    };
    let beside = method.beside.map_or_else(String::new, |beside| {
        format!("、並行して{}のI/Oを{}個", format_size(beside.block_bytes.into()), beside.queue_depth)
    });
    let data = match method.data {
        DataKind::Random => "圧縮できないデータ",
        DataKind::Zero => "ゼロ（ドライブが圧縮する可能性あり）",
        DataKind::Repeat => "一つのランダムバッファの繰り返し",
        DataKind::Existing => "もともとあったデータ",
    };
    let pause = match method.interval_seconds {
        0 => String::new(),
        seconds => format!("、開始前に{}休止", format_seconds(seconds)),
    };
    format!(
        "{order}{direction}、ブロックサイズ{}、測定範囲{}（{data}）、{}スレッドで各{}個のI/Oを発行{beside}。{}{pause}。",
        format_size(u64::from(method.block_bytes)),
        format_size(method.span_bytes),
        method.threads,
        method.queue_depth,
        times(method),
    )
}

/// How often and how long a cell is measured.
fn times(method: &Method) -> String {
    let loops = method.loops;
    match method.ends {
        Ends::Time => {
            let discarded = match method.discarded_loops {
                0 => String::new(),
                count => format!("（ほかに{count}ループを破棄）"),
            };
            format!("{}のループを{loops}回{discarded}", format_seconds(method.seconds))
        }
        Ends::Steady => {
            format!("{}のループを定常状態になるまで最大{loops}回", format_seconds(method.seconds))
        }
        Ends::Bytes(Stretches { loop_bytes, rest_seconds, settles, until_slow }) => {
            let clock = |seconds: u32| format_clock(Nanos::from_secs(seconds.into()));
            let rest = match rest_seconds {
                0 => String::new(),
                seconds => format!("、間に{}休止", format_seconds(seconds)),
            };
            let settles = settles.map_or_else(String::new, |one| {
                format!("、{}と{}の間に変化がなければ終了", format_capacity(one.bytes), clock(one.seconds))
            });
            let slow = if until_slow { "、低速になった時点で終了" } else { "" };
            let limit = clock(method.seconds);
            format!(
                "{}または最長{limit}のループを{loops}回{rest}{settles}{slow}",
                format_capacity(loop_bytes)
            )
        }
    }
}
