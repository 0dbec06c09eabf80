//! Every page as a plain function: data in, a complete HTML document out.
//!
//! Knows the data each page needs; its callers load it. One file per page lies in `pages/`.

mod about;
mod chapters;
mod compare;
mod dataset;
mod drives;
mod error;
mod home;
mod keys;
mod list;
mod markdown;
mod methods;
mod news;
mod rankings;
mod result;
mod sitemap;

use analysis::plausibility::Remark;
use charts::{Standings, Table, View};
use model::{
    MethodId, ResultDocument,
    catalogue::{DriveEntry, DriveMetric, KeyEntry, MakeEntry},
    chart_id::ChartId,
    comparison::Comparison,
    ids::PublicKey,
    lang::Lang,
    metric::MetricId,
    ranking::Ranking,
    summary::ResultSummary,
};
use std::sync::Arc;

pub(crate) use chapters::Chapter;

pub use about::about;
pub use compare::compare;
pub use drives::{drive, drives};
pub use error::error;
pub use home::home;
pub use keys::key;
pub use markdown::{chart_markdown, compare_markdown, result_markdown};
pub use methods::{method, methods};
pub use news::feed;
pub use rankings::{ranking, rankings};
pub use result::result;
pub use sitemap::{MAX_ADDRESSES, sitemap, sitemap_index};

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
    /// How the reader wants the figures set out.
    pub view: View,
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
    /// The results' documents, in the same order.
    pub documents: Vec<Arc<ResultDocument>>,
    /// How the reader wants the figures set out.
    pub view: View,
    /// What was searched for to be added; `None` when nothing was.
    pub found: Option<Found>,
}

/// Results that can be added to a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The words searched for.
    pub q: String,
    /// The first results that have all of them.
    pub results: Vec<ResultSummary>,
    /// Number of results that have them.
    pub total: u64,
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
    /// How the results stand to the first one, thing by thing; `None` where that is not told so.
    pub standings: Option<Standings>,
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
    /// Address of heading, caption, picture and figures as Markdown.
    pub markdown: String,
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

/// Data of a method's page.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodData {
    /// The method.
    pub view: MethodView,
    /// Its metrics that there are rankings of.
    pub ranked: Vec<MetricId>,
    /// A page of the public results that have it, newest first.
    pub results: Vec<ResultSummary>,
    /// Address of the next page of them; `None` at their end.
    pub next: Option<String>,
}

/// Data of the catalogue's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrivesData {
    /// The drives of this page of the catalogue, measured ones first.
    pub drives: Vec<DriveEntry>,
    /// Every make there is.
    pub makes: Vec<MakeEntry>,
    /// Words searched for, empty for none.
    pub q: String,
    /// The make that the list is limited to, `other` for drives whose name tells none; `None` for all.
    pub make: Option<String>,
    /// Address of the next page of the catalogue; `None` at its end.
    pub next: Option<String>,
    /// Number of drives that match.
    pub total: u64,
}

/// Data of a drive's page.
#[derive(Debug, Clone, PartialEq)]
pub struct DriveData {
    /// The drive.
    pub entry: DriveEntry,
    /// The model of a measured drive, or the drive that a model is of; `None` when it has no public result.
    pub counterpart: Option<DriveEntry>,
    /// Its metrics over all results.
    pub metrics: Vec<DriveMetric>,
    /// Whether it has more results than are put together in them.
    pub cut: bool,
    /// A page of its results, newest first.
    pub results: Vec<ResultSummary>,
    /// Address of the next page of them; `None` at their end.
    pub next: Option<String>,
    /// A picture for cards: path of a PNG on this site, `None` when no result of this page has a chart.
    pub image: Option<String>,
}

/// Data of a ranking's page.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingData {
    /// The ranking.
    pub ranking: Ranking,
    /// The metrics of the same cell that there are rankings of, this one among them.
    pub of_cell: Vec<MetricId>,
    /// What it is limited to.
    pub filter: RankingFilterView,
}

/// The limits of a ranking, as the page shows them again; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankingFilterView {
    /// The attachment, `nvme`.
    pub interface: String,
    /// Least capacity, `500 GB`.
    pub from: String,
    /// Greatest capacity.
    pub to: String,
}

/// Data of a key's page.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyData {
    /// The key.
    pub entry: KeyEntry,
    /// A page of its results, newest first.
    pub results: Vec<ResultSummary>,
    /// Address of the next page of them; `None` at their end.
    pub next: Option<String>,
}

/// A result as the feed tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewsItem {
    /// Its figures.
    pub summary: ResultSummary,
    /// When it was received, milliseconds since 1970 UTC.
    pub received_ms: u64,
    /// A chart of it: path of a PNG on this site; `None` when it has none.
    pub picture: Option<String>,
}

/// An address of this site for search engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapEntry {
    /// Its path.
    pub path: String,
    /// When it changed last, milliseconds since 1970 UTC; `None` when that is not known.
    pub changed_ms: Option<u64>,
}
