//! The error page in Japanese.

use crate::texts::Error;

pub(super) const ERROR: Error = Error {
    search_or_go_to: "ドライブ名、スイート、ラベルで検索するか、次のページへ移動してください：",
    list_of_results: "測定結果の一覧",
    full_stop: "",
    status: |status| format!("ステータス {status}"),
};
