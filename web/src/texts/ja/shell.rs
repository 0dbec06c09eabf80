//! The frame in Japanese.

use crate::texts::Shell;

pub(super) const SHELL: Shell = Shell {
    site_title: "Cliffmark：証拠付きのSSD測定",
    skip: "本文へ移動",
    site: "サイト",
    results: "測定結果",
    drives: "ドライブ",
    rankings: "ランキング",
    feed: "新着の測定結果",
    compare: "比較",
    methods: "測定方法",
    about: "このサイトについて",
    promise: [
        "Cliffmarkは、何をどのように測定したか、そして何が証明できないかを示します。1 MB/sは毎秒10",
        "バイトです。",
    ],
    language: "言語",
    on_this_page: "このページの内容",
};
