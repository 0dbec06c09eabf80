//! Results from files that a reader opens in the browser: checked, shown as their page, set beside each other.
//!
//! Bytes in, finished HTML out, by the same functions as on the server; what is wrong with a file is one
//! sentence. Nothing is fetched or sent here, and nothing is kept beyond the desk. `static/js/open.js` reads
//! the files, puts the HTML into the page and has the charts drawn.

use crate::{
    pages::{self, Assets, ChartView, CompareData, MAX_COMPARED, PageContext, ResultData},
    texts::{self, Open},
};
use analysis::plausibility;
use bundle::{FrameError, OpenError};
use charts::{Chart, Source, Style, Theme};
use model::{
    ResultDocument,
    chart_id::ChartId,
    document::{DocumentError, Visibility},
    ids::PublicKey,
    lang::Lang,
    summary::ResultSummary,
    units::format_size,
};
use std::sync::Arc;
use wasm_bindgen::prelude::wasm_bindgen;

/// Width in CSS pixels that a chart's words and table are laid out for.
const WIDTH: u32 = 760;
/// Letters of charts: those of the reader's machine.
const FONTS: &str = "system-ui, sans-serif";

/// One open file.
#[derive(Debug)]
struct Opened {
    document: Arc<ResultDocument>,
    summary: ResultSummary,
    public_key: PublicKey,
    bundle_bytes: u64,
}

/// The open files, in the order of a comparison.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Desk {
    lang: Lang,
    open: Vec<Opened>,
}

#[wasm_bindgen]
impl Desk {
    /// An empty desk; a language that nobody speaks here is English.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(lang: &str) -> Self {
        Self { lang: lang.parse().unwrap_or_default(), open: Vec::new() }
    }

    /// Checks a bundle as a server does and lays it beside the others; `now_ms` is the reader's clock, milliseconds
    /// since 1970 UTC. Gives back what is wrong in one sentence; empty when nothing is.
    pub fn add(&mut self, name: &str, bytes: &[u8], now_ms: f64) -> String {
        match self.opened(bytes, now_ms) {
            Ok(opened) => {
                self.open.push(opened);
                String::new()
            }
            Err(reason) => (self.texts().refused)(name, &reason),
        }
    }

    /// Takes a file away.
    pub fn remove(&mut self, index: usize) {
        if index < self.open.len() {
            self.open.remove(index);
        }
    }

    /// Puts a file first: the others are compared with it.
    pub fn make_first(&mut self, index: usize) {
        if index < self.open.len() {
            let chosen = self.open.remove(index);
            self.open.insert(0, chosen);
        }
    }

    /// How many files are open.
    #[must_use]
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// What a file is called on the page: drive and suite; empty for none.
    #[must_use]
    pub fn title(&self, index: usize) -> String {
        self.open.get(index).map_or_else(String::new, |one| {
            format!("{} · {}", one.summary.head.drive, one.summary.head.suite)
        })
    }

    /// The result's id.
    #[must_use]
    pub fn id(&self, index: usize) -> String {
        self.open.get(index).map_or_else(String::new, |one| one.summary.head.id.to_string())
    }

    /// What is open, in one sentence for those who do not see the page.
    #[must_use]
    pub fn told(&self) -> String {
        let texts = self.texts();
        match self.open.as_slice() {
            [] => texts.nothing_open.to_owned(),
            [one] if one.summary.head.visibility == Visibility::Unlisted => {
                (texts.one_open_unlisted)(&one.summary.head.drive)
            }
            [one] => (texts.one_open)(&one.summary.head.drive),
            several => (texts.several_open)(several.len()),
        }
    }

    /// What stands in the page: the result, or the comparison of several; empty for no file.
    #[must_use]
    pub fn page(&self) -> String {
        let context = PageContext {
            assets: Assets::default(),
            public_url: String::new(),
            path: "/open".to_owned(),
            lang: self.lang,
            lang_asked: false,
            from_files: true,
        };
        let charts = self.chart_views();
        match self.open.as_slice() {
            [] => String::new(),
            [one] => {
                let data = ResultData {
                    summary: one.summary.clone(),
                    document: Arc::clone(&one.document),
                    charts,
                    remarks: plausibility::by_cell(&one.document, &plausibility::check(&one.document)),
                    public_key: one.public_key,
                    bundle_bytes: one.bundle_bytes,
                };
                pages::result(&context, data)
            }
            several => {
                let summaries: Vec<_> = several.iter().map(|one| one.summary.clone()).collect();
                let data = CompareData {
                    comparison: analysis::comparison::compare(&summaries),
                    summaries,
                    charts,
                    remarks: several.iter().map(|one| plausibility::care(&one.document)).collect(),
                };
                pages::compare(&context, data)
            }
        }
    }

    /// The `ECharts` option of a chart as JSON, `{"height":…,"option":…}`; empty when there is nothing to draw.
    #[must_use]
    pub fn chart(&self, id: &str, dark: bool, width: u32) -> String {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        let drawn = id.parse().ok().and_then(|id| self.draw(id, theme, width));
        drawn.map_or_else(String::new, |Chart { height, option, .. }| {
            format!("{{\"height\":{height},\"option\":{option}}}")
        })
    }
}

impl Desk {
    fn texts(&self) -> &'static Open {
        &texts::of(self.lang).open
    }

    fn opened(&self, bytes: &[u8], now_ms: f64) -> Result<Opened, String> {
        let texts = self.texts();
        if self.open.len() >= MAX_COMPARED {
            return Err(texts.too_many.to_owned());
        }
        let verified = bundle::open(bytes).map_err(|error| reason(texts, &error))?;
        let mut findings = plausibility::check(verified.document());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a clock before 1970 is as good as 0"
        )]
        let now_ms = now_ms as u64;
        findings.extend(plausibility::begins_later(verified.document(), now_ms));
        if let Some(fatal) = findings.iter().find(|finding| finding.fatal) {
            return Err((texts.implausible)(&fatal.text));
        }
        if self.open.iter().any(|one| one.summary.head.id == verified.id()) {
            return Err(texts.open_already.to_owned());
        }
        let summary = analysis::summary::summarise(verified.document(), verified.id(), verified.key());
        Ok(Opened {
            public_key: verified.public_key(),
            document: Arc::new(verified.into_document()),
            summary,
            bundle_bytes: bytes.len() as u64,
        })
    }

    fn draw(&self, id: ChartId, theme: Theme, width: u32) -> Option<Chart> {
        let sources: Vec<Source<'_>> =
            self.open.iter().map(|one| Source { summary: &one.summary, document: &one.document }).collect();
        let height = charts::natural_height(id, &sources);
        charts::draw(id, &sources, &Style { theme, width, height, font_family: FONTS.to_owned() })
    }

    fn chart_views(&self) -> Vec<ChartView> {
        let view = |id| {
            let chart = self.draw(id, Theme::Light, WIDTH)?;
            Some(ChartView {
                id,
                title: chart.title,
                caption: chart.caption,
                description: chart.description,
                table: chart.table,
                // There is no address for what only this browser knows.
                svg_light: String::new(),
                svg_dark: String::new(),
                narrow: None,
                png: String::new(),
                json: String::new(),
                csv: String::new(),
                width: WIDTH,
                height: chart.height,
            })
        };
        ChartId::ALL.into_iter().filter_map(view).collect()
    }
}

/// Why bytes are no bundle that can be shown.
fn reason(texts: &Open, error: &OpenError) -> String {
    match error {
        OpenError::Frame(FrameError::TooLarge(_)) => {
            (texts.too_large)(&format_size(bundle::MAX_COMPRESSED_BYTES as u64))
        }
        OpenError::Frame(FrameError::OpensTooLarge | FrameError::Ratio) => texts.bomb.to_owned(),
        OpenError::Frame(FrameError::Foreign) => texts.foreign.to_owned(),
        OpenError::Frame(FrameError::Truncated) => texts.cut_off.to_owned(),
        OpenError::Frame(FrameError::Damaged(_) | FrameError::Trailing(_)) => texts.damaged.to_owned(),
        OpenError::Envelope(_) | OpenError::SignatureCount(_) | OpenError::PayloadType { .. } => {
            texts.other_content.to_owned()
        }
        OpenError::BadKey | OpenError::BadSignature => texts.bad_signature.to_owned(),
        OpenError::Document(DocumentError::NewerSchema { found }) => (texts.newer)(&found.to_string()),
        // What a list of the fields that would be right follows is enough.
        OpenError::Document(DocumentError::Malformed { message, .. }) => {
            (texts.malformed)(message.split(',').next().unwrap_or_default())
        }
        OpenError::Document(DocumentError::OutOfRange { path, message }) => {
            (texts.malformed)(&format!("{path}: {message}"))
        }
    }
}
