//! Headings of a review's chapters in Japanese.

use crate::{pages::Chapter, texts::Chapters};

pub(super) const CHAPTERS: Chapters = Chapters {
    title: |chapter| match chapter {
        Chapter::Sequential => "シーケンシャル",
        Chapter::Random => "ランダム",
        Chapter::QueueDepth => "キュー深度",
        Chapter::Latency => "レイテンシ",
        Chapter::Repeats => "繰り返し測定",
        Chapter::Mixed => "読み書き混在",
        Chapter::Cliff => "連続書き込みとSLCキャッシュ",
        Chapter::Bursts => "間欠書き込み",
        Chapter::Surface => "位置ごとの速度",
        Chapter::Load => "小さなI/Oと大きなI/Oの同時負荷",
        Chapter::Consistency => "性能の一貫性",
        Chapter::Applications => "アプリケーション",
        Chapter::Copies => "ファイルコピー",
        Chapter::Loading => "ロード時間",
        Chapter::Heat => "温度とサーマルスロットリング",
        Chapter::Power => "消費電力",
        Chapter::Arrays => "アレイ（RAID）",
    },
};
