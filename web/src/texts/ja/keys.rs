//! The page of a key in Japanese.

use crate::texts::Keys;

pub(super) const KEYS: Keys = Keys {
    title: |short| format!("鍵 {short}"),
    about: |short, summary| format!("鍵 {short} で署名された測定結果：{summary}。"),
    kicker: "署名鍵",
    lead: "以下の測定結果はすべて、この鍵の持ち主が測定したマシン上で署名したもので、その後は誰も改変していません。署名からわかるのは同じ持ち主によるということだけで、それが誰であるか、数値が真実であるかはわかりません。",
    revoked: "当サイトの運営者はこの鍵の信頼を取り消しました。この鍵による結果はランキングに入りません。",
    facts: "この鍵についてわかっていること",
    id: "鍵",
    first: "最初の公開結果の受信",
    last: "最新の公開結果の受信",
    results: "公開された測定結果",
    drives: "ドライブ",
    names: "持ち主の自己申告",
    names_note: "測定結果に付けられたラベルで、レビュアー自身の言葉です。確認されたものではありません。",
    no_name: "この鍵による結果には、レビュアー名が記されていません。",
    name: |name, results| format!("「{name}」（{results}）"),
    list: "この鍵による測定結果",
};
