//! The feed in Japanese.

use crate::texts::News;

pub(super) const NEWS: News = News {
    title: "Cliffmark：新着の測定結果",
    entry: |drive, suite| format!("{drive}（スイート {suite}）"),
    picture: |drive| format!("{drive}のグラフ"),
    simulated: "仮想時間上のドライブのモデルで、実測ではありません。",
};
