//! Every page as a plain function: data in, a complete HTML document out.
//!
//! Knows the data each page needs; its callers load it. One file per page lies in `pages/`.

mod about;
mod compare;
mod error;
mod home;
mod methods;
mod open;
mod result;

use analysis::plausibility::Remark;
use charts::Table;
use model::{
    MethodId, ResultDocument, chart_id::ChartId, comparison::Comparison, ids::PublicKey, lang::Lang,
    summary::ResultSummary,
};
use std::sync::Arc;

pub use about::about;
pub use compare::compare;
pub use error::error;
pub use home::home;
pub use methods::{method, methods};
pub use open::{open, upload};
pub use result::result;

/// Most results in one comparison.
pub const MAX_COMPARED: usize = 8;

/// Public addresses of the files that pages refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assets {
    /// The style sheet.
    pub css: String,
    /// The module that starts the islands; `None` when built without scripts, as with the next ones.
    pub boot_js: Option<String>,
    /// The WebAssembly module's own script.
    pub app_js: Option<String>,
    /// The WebAssembly module.
    pub app_wasm: Option<String>,
    /// The script that turns a picture into an interactive chart.
    pub chart_js: Option<String>,
    /// `ECharts`, loaded only when a reader asks for an interactive chart.
    pub echarts_js: Option<String>,
    /// The script of the pages that open files, with the next two.
    pub open_js: Option<String>,
    /// Their WebAssembly module's own script.
    pub desk_js: Option<String>,
    /// Their WebAssembly module.
    pub desk_wasm: Option<String>,
    /// The icon, an SVG.
    pub favicon: Option<String>,
}

/// What every page needs to know about the site and its own address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageContext {
    /// Files to refer to.
    pub assets: Assets,
    /// The site's address as the public sees it, `https://example.org`.
    pub public_url: String,
    /// Path and query of this page.
    pub path: String,
    /// The language it is written in.
    pub lang: Lang,
    /// Whether the address itself asks for the language: then links to other pages ask for it as well.
    pub lang_asked: bool,
    /// Whether what is shown was opened from files in the reader's browser: then pages are what stands in `main`
    /// alone, and lead to nothing that only a server could answer.
    pub from_files: bool,
}

impl PageContext {
    /// The address of another page of the site, in the language that this one was asked for in.
    pub(crate) fn href(&self, address: &str) -> String {
        if self.lang_asked { address_in(self.lang, address) } else { address.to_owned() }
    }

    /// This page in another language.
    pub(crate) fn here_in(&self, lang: Lang) -> String {
        address_in(lang, &self.path)
    }
}

/// `address` with `lang=` in the place of one that is there; a fragment stays at its end.
fn address_in(lang: Lang, address: &str) -> String {
    let (address, fragment) = match address.split_once('#') {
        Some((address, fragment)) => (address, format!("#{fragment}")),
        None => (address, String::new()),
    };
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("lang="));
    let pairs: Vec<String> = kept.map(str::to_owned).chain([format!("lang={lang}")]).collect();
    format!("{path}?{}{fragment}", pairs.join("&"))
}

/// The query of a list of results, as the page shows it again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQueryView {
    /// Words searched for, empty for none.
    pub q: String,
    /// Order: `newest`, `oldest`, `drive` or the id of a metric; empty for the default.
    pub sort: String,
    /// Suite that the list is limited to, empty for all.
    pub suite: String,
}

/// Data of the home page.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeData {
    /// The results of this page of the list, in its order.
    pub results: Vec<ResultSummary>,
    /// What was asked for.
    pub query: ListQueryView,
    /// Address of the next page of the list; `None` at its end.
    pub next: Option<String>,
    /// Number of results that match.
    pub total: u64,
}

/// Data of a result's page.
#[derive(Debug, Clone)]
pub struct ResultData {
    /// The result's metrics.
    pub summary: ResultSummary,
    /// The signed document.
    pub document: Arc<ResultDocument>,
    /// Its charts in the order of the page.
    pub charts: Vec<ChartView>,
    /// What must be kept in mind with the figures, each sentence once; empty when there is nothing.
    pub remarks: Vec<Remark>,
    /// The key that signed it.
    pub public_key: PublicKey,
    /// Size of the stored bundle in bytes.
    pub bundle_bytes: u64,
}

/// Data of a comparison's page.
#[derive(Debug, Clone)]
pub struct CompareData {
    /// The comparison; with fewer than two series the page lets the reader choose.
    pub comparison: Comparison,
    /// The compared results, in the comparison's order.
    pub summaries: Vec<ResultSummary>,
    /// Their charts in the order of the page.
    pub charts: Vec<ChartView>,
    /// For each result what must be kept in mind with its figures.
    pub remarks: Vec<Vec<Remark>>,
}

/// A chart as a page shows it: a picture, its words and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartView {
    /// Which chart, and the id of its section.
    pub id: ChartId,
    /// Its heading.
    pub title: String,
    /// One sentence of conclusion.
    pub caption: String,
    /// What the picture shows, for those who do not see it.
    pub description: String,
    /// The same figures as text.
    pub table: Table,
    /// Address of the picture on a light ground.
    pub svg_light: String,
    /// Address of the picture on a dark ground.
    pub svg_dark: String,
    /// The same chart drawn for a narrow screen; `None` when there is none.
    pub narrow: Option<NarrowPicture>,
    /// Address of the picture as PNG, for cards and downloads.
    pub png: String,
    /// Address of the `ECharts` option.
    pub json: String,
    /// Address of the figures as CSV.
    pub csv: String,
    /// Width of the picture in CSS pixels.
    pub width: u32,
    /// Height of the picture in CSS pixels.
    pub height: u32,
}

/// A chart drawn for screens of at most 640 CSS pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NarrowPicture {
    /// Address of the picture on a light ground.
    pub svg_light: String,
    /// Address of the picture on a dark ground.
    pub svg_dark: String,
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
}

/// A method that results of this site were measured with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodView {
    /// The method.
    pub method: MethodId,
    /// How many public results have it.
    pub results: u64,
}
