//! Pages over fixture results: what readers must find in them, and what must never be in one.

mod html;

use crate::pages::{
    self, Assets, ChartView, CompareData, HomeData, ListQueryView, MethodView, PageContext, ResultData,
};
use analysis::plausibility::Remark;
use charts::{Source, Style, Theme, fixtures};
use html::Html;
use model::{
    Reading, ResultDocument,
    chart_id::ChartId,
    document::{CellStatus, Outcome, Visibility},
    ids::PublicKey,
    labels::LabelKey,
    lang::Lang,
    method::DataKind,
    proof::Unproven,
    summary::ResultSummary,
};
use std::sync::{Arc, LazyLock};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&{{a}}";

/// A complete run on a drive of this name; `half` has half of its rates. Made once: every I/O of a fixture
/// is counted into its histogram.
fn drive(name: &str, half: bool) -> ResultDocument {
    static WHOLE: LazyLock<ResultDocument> = LazyLock::new(|| fixtures::document("", 1.0));
    static HALF: LazyLock<ResultDocument> = LazyLock::new(|| fixtures::document("", 0.5));
    let mut document = if half { &*HALF } else { &*WHOLE }.clone();
    document.drive.model = Reading::Known(name.to_owned());
    document
}

/// The head of a complete run, for tests of what is said about one.
pub(crate) fn head() -> model::summary::ResultHead {
    fixtures::summary(&drive("Example", false), 1).head
}

fn context(path: &str) -> PageContext {
    let asset = |name: &str| Some(format!("/assets/{name}"));
    PageContext {
        assets: Assets {
            css: "/assets/site.css".to_owned(),
            boot_js: asset("boot.js"),
            app_js: asset("app.js"),
            app_wasm: asset("app.wasm"),
            chart_js: asset("chart.js"),
            echarts_js: asset("echarts.js"),
            open_js: asset("open.js"),
            desk_js: asset("desk.js"),
            desk_wasm: asset("desk.wasm"),
            favicon: asset("favicon.svg"),
        },
        public_url: "https://cliffmark.example/".to_owned(),
        path: path.to_owned(),
        lang: Lang::En,
        lang_asked: false,
        from_files: false,
    }
}

fn charts_of(documents: &[ResultDocument], summaries: &[ResultSummary]) -> Vec<ChartView> {
    let sources: Vec<Source<'_>> =
        documents.iter().zip(summaries).map(|(document, summary)| Source { summary, document }).collect();
    let style = Style { theme: Theme::Light, width: 960, height: 420, font_family: "sans-serif".to_owned() };
    ChartId::ALL
        .into_iter()
        .filter_map(|id| charts::draw(id, &sources, &style))
        .map(|chart| {
            let address = |ending: &str| format!("/charts/{}{ending}", chart.id);
            ChartView {
                id: chart.id,
                title: chart.title.clone(),
                caption: chart.caption.clone(),
                description: chart.description.clone(),
                table: chart.table.clone(),
                svg_light: address(".svg?theme=light"),
                svg_dark: address(".svg?theme=dark"),
                narrow: None,
                png: address(".png"),
                json: address(".json"),
                csv: address(".csv"),
                width: 960,
                height: chart.height,
            }
        })
        .collect()
}

fn remark(text: &str) -> Remark {
    Remark { text: text.to_owned(), cells: Vec::new() }
}

fn result_page(document: ResultDocument) -> String {
    let summary = fixtures::summary(&document, 1);
    let charts = charts_of(std::slice::from_ref(&document), std::slice::from_ref(&summary));
    let data = ResultData {
        summary,
        document: Arc::new(document),
        charts,
        remarks: Vec::new(),
        public_key: PublicKey([7; 32]),
        bundle_bytes: 48_213,
    };
    pages::result(&context("/results/01"), data)
}

fn compare_page(documents: &[ResultDocument]) -> String {
    let summaries: Vec<_> =
        (1..).zip(documents).map(|(number, document)| fixtures::summary(document, number)).collect();
    let data = CompareData {
        comparison: analysis::comparison::compare(&summaries),
        charts: charts_of(documents, &summaries),
        remarks: summaries
            .iter()
            .map(|summary| {
                vec![
                    remark(&summary.head.drive),
                    remark("Shared."),
                    Remark {
                        text: "Split.".to_owned(),
                        cells: vec![format!("cell of {}", summary.head.drive)],
                    },
                ]
            })
            .collect(),
        summaries,
    };
    pages::compare(&context("/compare"), data)
}

fn home_page(documents: &[ResultDocument], query: ListQueryView) -> String {
    let results: Vec<_> =
        (1..).zip(documents).map(|(number, document)| fixtures::summary(document, number)).collect();
    let total = results.len() as u64;
    pages::home(&context("/"), HomeData { results, query, next: None, total })
}

fn hostile_document() -> ResultDocument {
    let mut document = drive(HOSTILE, false);
    for key in LabelKey::ALL {
        document.labels.insert(key, HOSTILE.to_owned());
    }
    document.license = HOSTILE[..20].to_owned();
    document.target.file_system = Some(HOSTILE[..20].to_owned());
    document
}

/// Every page there is, with and without odd data.
fn every_page() -> &'static [(&'static str, String)] {
    static PAGES: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(make_every_page);
    &PAGES
}

fn make_every_page() -> Vec<(&'static str, String)> {
    let one = || drive("Samsung SSD 990 PRO 2TB", false);
    let other = || drive("WD Red SA500 2TB", true);
    let method = one().cells[0].method.id();
    vec![
        ("home", home_page(&[one(), other(), hostile_document()], ListQueryView::default())),
        ("home, empty", home_page(&[], ListQueryView::default())),
        (
            "home, hostile search",
            home_page(&[], ListQueryView { q: HOSTILE.to_owned(), ..ListQueryView::default() }),
        ),
        ("result", result_page(one())),
        ("result, odd", result_page(fixtures::with_failed(fixtures::with_void(hostile_document(), 1), 2))),
        ("compare", compare_page(&[one(), other()])),
        ("compare, hostile", compare_page(&[hostile_document(), fixtures::simulated(one())])),
        ("compare, one", compare_page(&[one()])),
        ("compare, none", compare_page(&[])),
        ("methods", pages::methods(&context("/methods"), vec![MethodView { method, results: 2 }])),
        ("about", pages::about(&context("/about"))),
        ("error", pages::error(&context("/x"), 404, HOSTILE, HOSTILE)),
    ]
}

#[test]
fn no_page_holds_inline_script_or_style() {
    for (name, page) in every_page() {
        let html = Html::parse(page);
        for element in html.elements() {
            assert_ne!(element.name, "style", "{name}");
            if element.name == "script" {
                assert!(element.attribute("src").is_some(), "{name}: a script without src");
            }
            for (attribute, value) in &element.attributes {
                assert!(!attribute.starts_with("on"), "{name}: {attribute}");
                assert_ne!(attribute, "style", "{name}");
                assert!(!value.starts_with("javascript:"), "{name}: {attribute}={value}");
            }
        }
    }
}

#[test]
fn texts_of_uploaders_never_become_markup() {
    for (name, page) in every_page() {
        let html = Html::parse(page);
        assert!(!html.elements().any(|e| e.name == "img" && e.attribute("src") == Some("x")), "{name}");
        assert!(!page.contains("<img src=x"), "{name}");
    }
    assert!(result_page(hostile_document()).contains("&lt;img src=x"));
}

#[test]
fn every_picture_has_words_and_a_size() {
    for (name, page) in every_page() {
        let html = Html::parse(page);
        let pictures: Vec<_> = html.elements().filter(|e| e.name == "img").collect();
        for picture in &pictures {
            for attribute in ["alt", "width", "height", "loading"] {
                assert!(picture.attribute(attribute).is_some_and(|v| !v.is_empty()), "{name}: {attribute}");
            }
        }
        let eager = pictures.iter().filter(|p| p.attribute("loading") == Some("eager")).count();
        assert_eq!(eager, usize::from(!pictures.is_empty()), "{name}: the first picture alone is eager");
    }
}

#[test]
fn headings_descend_in_steps_from_one_h1() {
    for (name, page) in every_page() {
        let levels: Vec<u8> =
            Html::parse(page).elements().filter_map(|e| e.name.strip_prefix('h')?.parse().ok()).collect();
        assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{name}: {levels:?}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{name}: {levels:?}");
    }
}

#[test]
fn ids_are_unique_and_fields_have_names() {
    for (name, page) in every_page() {
        let html = Html::parse(page);
        let mut ids: Vec<_> = html.elements().filter_map(|e| e.attribute("id")).collect();
        let labels: Vec<_> =
            html.elements().filter(|e| e.name == "label").filter_map(|e| e.attribute("for")).collect();
        for field in html.elements().filter(|e| e.name == "input") {
            let named = field.attribute("aria-label").is_some()
                || field.attribute("type") == Some("hidden")
                || field.attribute("id").is_some_and(|id| labels.contains(&id));
            assert!(named, "{name}: a field without a name: {:?}", field.attributes);
        }
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}: an id stands twice");
    }
}

#[test]
fn the_head_describes_the_page() {
    let page = result_page(drive("Samsung SSD 990 PRO 2TB", false));
    let id = "01".repeat(32);
    for text in [
        "<title>Samsung SSD 990 PRO 2TB, 2 TB · Cliffmark</title>",
        &format!("<link rel=\"canonical\" href=\"https://cliffmark.example/results/{id}\""),
        "property=\"og:image\" content=\"https://cliffmark.example/charts/sequential.png\"",
    ] {
        assert!(page.contains(text), "{text} is missing in {}", &page[..2_000]);
    }
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
}

#[test]
fn unlisted_results_stay_out_of_indexes() {
    let mut document = drive("Quiet", false);
    document.visibility = Visibility::Unlisted;
    let page = result_page(document);
    assert!(page.contains("<meta name=\"robots\" content=\"noindex\""));
    assert!(!page.contains("rel=\"canonical\""));
}

#[test]
fn what_has_no_figure_is_said_in_words() {
    let mut document = fixtures::with_failed(fixtures::with_void(drive("Odd drive", false), 0), 1);
    document.outcome = Outcome::Interrupted;
    document.cells.truncate(5);
    document.cells[3].proof.unproven = vec![Unproven::VirtualDisk];
    let text = Html::parse(&result_page(document)).text();
    for expected in [
        "partial",
        "1 void cell",
        "1 failed cell",
        "measured, not counted",
        "not measured: the run was stopped",
        "Measured, not counted. Part of the span was never written",
        "What could be checked holds; not everything could be.",
        "Bytes counted by the device",
        "Part of the span was never written",
        "The kernel returned an error for an I/O, error number 5, at byte 1048576 of the span.",
        "This is a virtual disk: the machine below may answer from its own memory.",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
}

#[test]
fn drives_apart_stand_on_the_page_with_what_each_did_and_proved() {
    let mut document = model::fixtures::with_drives_apart(drive("Example", false));
    for one in &mut document.cells[1].loops {
        let device = one.members[1].device.as_mut().unwrap();
        device.written_bytes = device.read_bytes;
        one.device = model::document::DeviceCounters::sum(one.members.iter().map(|load| load.device));
    }
    let cell = &mut document.cells[1];
    (cell.status, cell.void) = (CellStatus::Void, analysis::proof::cell_void_reasons(cell));
    let text = Html::parse(&result_page(document)).text();
    for words in [
        "SEQ1M Q8T1 read, 4 drives apart",
        "SEQ1M Q8T1 read by drives",
        "Load of each drive: 7,0",
        "drive by drive 7,0",
        "Drives, each by itself",
        "Drive 2100.0 % of its bytes counted by its device; 100.0 % of them moved by others; 8 extents, all written; void: \
         Something else moved more than a quarter as many bytes on the drive as the cell did",
        "5 s apart, size, threads and queue depth of each drive",
    ] {
        assert!(text.contains(words), "`{words}` is missing in {text}");
    }
}

#[test]
fn passes_stand_on_the_page_with_both_scores_and_the_drop() {
    let mut document = model::fixtures::with_passes(drive("Example", false));
    let page = result_page(document.clone());
    for words in [
        "Pass by pass",
        "Time score: 972.4 at best (degradation 1), 954.8 at worst (degradation 2): a drop of 1.8 %.",
        "by the published formula on pack applications 1 (models)",
        "Photoshop heavy (model)",
        "random writes for 10 min 00 s, degradation 2: ",
        "trace.applications-1.word.degradation2.filled2.worn1200s-4KiB-1MiB-512B-q32.span32GiB.v1",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // A run of passes alone has no table of cells, and none is missed.
    document.cells.clear();
    let page = result_page(document);
    assert!(page.contains("Pass by pass") && !page.contains("The run ended before its first cell"));
    assert!(!page.contains("Every loop"));
}

#[test]
fn simulated_results_are_marked_everywhere() {
    let document = || fixtures::simulated(drive("Model drive", false));
    for page in [
        result_page(document()),
        home_page(&[document()], ListQueryView::default()),
        compare_page(&[document(), document()]),
    ] {
        assert!(Html::parse(&page).text().contains("simulated"));
    }
}

#[test]
fn a_difference_inside_the_spread_is_a_tie_and_a_larger_one_a_percentage() {
    let one = || drive("Twin", false);
    let text = Html::parse(&compare_page(&[one(), one()])).text();
    assert!(text.contains("repeated runs of one configuration"));
    assert!(text.contains(" tie") && !text.contains("+0.0 %"), "a tie has no percentage: {text}");

    let text = Html::parse(&compare_page(&[one(), drive("Twin", true)])).text();
    assert!(
        text.contains("−50.0 % between runs") && !text.contains("worse"),
        "no run of one drive is worse: {text}"
    );

    let text = Html::parse(&compare_page(&[one(), drive("Other", true)])).text();
    assert!(text.contains("The results differ in the drive"), "{text}");
    assert!(
        text.contains("Other: Other")
            && text.matches("All results: Shared.").count() == 1
            && text.matches("Split.").count() == 1,
        "{text}"
    );
    assert!(text.contains("−50.0 %, worse"), "{text}");
}

#[test]
fn too_much_difference_gives_no_percentage() {
    let mut other = fixtures::simulated(drive("Other", true));
    other.labels.insert(LabelKey::Cooling, "fan".to_owned());
    let page = compare_page(&[drive("One", false), other]);
    let text = Html::parse(&page).text();
    assert!(text.contains("No percentage is given"), "{text}");
    assert_eq!(text.matches("not comparable").count(), 1, "said once: {text}");
    assert!(!text.contains("50.0 %, worse"));
    assert!(!text.contains("Sort by difference") && !text.contains("Order of the suite"), "{text}");
    // Heading, the columns of both tables and of the configurations.
    assert!(text.matches("Other (simulated)").count() >= 4, "{text}");
}

#[test]
fn an_empty_list_says_what_to_do() {
    let text = Html::parse(&home_page(&[], ListQueryView::default())).text();
    assert!(text.contains("No result has been published here yet."));
    let searched = ListQueryView { q: "nothing".to_owned(), ..ListQueryView::default() };
    let text = Html::parse(&home_page(&[], searched)).text();
    assert!(text.contains("No result has all of these words."));
}

#[test]
fn the_list_can_be_sent_without_scripts() {
    let documents = [drive("One", false), drive("Two", false)];
    let page = home_page(&documents, ListQueryView::default());
    let html = Html::parse(&page);
    let form = |e: &&html::Element| e.name == "form" && e.attribute("action") == Some("/compare");
    assert_eq!(html.elements().filter(form).count(), 1);
    let ticks: Vec<_> = html.elements().filter(|e| e.attribute("name") == Some("r")).collect();
    assert_eq!(ticks.len(), 2);
    assert_eq!(ticks[1].attribute("value"), Some("02".repeat(32).as_str()));
    assert!(!html.elements().any(|e| e.name == "button" && e.attribute("disabled").is_some()));
}

#[test]
fn pages_without_scripts_have_no_script_tag_and_no_dead_button() {
    let mut ctx = context("/");
    ctx.assets = Assets { css: "/site.css".to_owned(), ..Assets::default() };
    let document = drive("One", false);
    let summary = fixtures::summary(&document, 1);
    let charts = charts_of(std::slice::from_ref(&document), std::slice::from_ref(&summary));
    let data = ResultData {
        summary,
        document: Arc::new(document),
        charts,
        remarks: vec![remark("Odd & strange.")],
        public_key: PublicKey([7; 32]),
        bundle_bytes: 1,
    };
    let page = pages::result(&ctx, data);
    assert!(!page.contains("<script"));
    assert!(!page.contains("<button"));
    assert!(page.contains("Odd &amp; strange."));
}

#[test]
fn a_method_is_told_in_one_sentence() {
    let method = drive("One", false).cells[0].method.id();
    let text =
        Html::parse(&pages::methods(&context("/methods"), vec![MethodView { method, results: 2 }])).text();
    assert!(
        text.contains(
            "Sequential reads of 1 MiB in 1 GiB of incompressible data, 8 I/Os in flight on 1 thread; \
             5 loops of 5 s and 1 discarded, after a pause of 5 s."
        ),
        "{text}"
    );
}

/// How many cells of tables look like a word in the place of a figure.
fn absent_cells(page: &str) -> usize {
    Html::parse(page)
        .elements()
        .filter(|e| e.name == "td" && e.attribute("class").is_some_and(|class| class.contains("absent")))
        .count()
}

#[test]
fn a_figure_beside_a_void_baseline_looks_like_a_figure() {
    let void = || fixtures::with_void(drive("One", false), 0);
    // The first cell has one key figure, and one of each kind in the large table.
    let kinds = model::metric::MetricKind::ALL.len();
    assert_eq!(absent_cells(&compare_page(&[void(), drive("Two", false)])), 1 + kinds);
    assert_eq!(absent_cells(&compare_page(&[drive("Two", false), drive("One", false)])), 0);
}

#[test]
fn other_data_is_no_repeat_and_its_figures_are_marked() {
    let mut zero = drive("Twin", false);
    zero.cells.iter_mut().for_each(|cell| cell.method.data = model::method::DataKind::Zero);
    let text = Html::parse(&compare_page(&[drive("Twin", false), zero.clone()])).text();
    assert!(!text.contains("repeated runs"), "{text}");
    assert!(text.contains("The method: data random against data zero."), "{text}");
    assert!(text.contains("Method, differsdata randomdata zero"), "{text}");
    assert!(text.contains("MB/s, zero data"), "{text}");
    for page in [home_page(std::slice::from_ref(&zero), ListQueryView::default()), result_page(zero)] {
        assert!(Html::parse(&page).text().contains("MB/szero data"));
    }
}

#[test]
fn what_is_not_stated_is_said_and_no_cause_is_named() {
    let mut stated = drive("Twin", false);
    stated.labels.insert(LabelKey::Cooling, "none".to_owned());
    let text = Html::parse(&compare_page(&[stated, drive("Twin", true)])).text();
    assert!(text.contains("Cooling is not stated for Twin"), "{text}");
    assert!(!text.contains("percentages tell what"), "{text}");
    assert!(text.contains("Cooling, not knownnonenot stated"), "{text}");
    assert!(text.contains("between runs") && !text.contains("worse"), "{text}");
}

#[test]
fn how_figures_were_measured_stands_with_them() {
    let mut document = drive("Zeros", false);
    for cell in &mut document.cells {
        cell.method.data = DataKind::Zero;
        cell.method.span_bytes = 64 << 20;
    }
    let page = result_page(document.clone());
    let html = Html::parse(&page);
    let text = html.text();
    let told = "zero data, 64 MiB, 5 loops of 5 s and 1 discarded, 5 s apart";
    assert!(text.contains(&format!("Method: {told}")), "in the head: {text}");
    assert!(text.contains(&format!("Every cell: {told}.")), "{text}");
    // At the figures themselves and as a mark beside the name.
    assert_eq!(text.matches("Zeros were written and read, not random data").count(), 2, "{text}");
    let link = format!("/methods/{}", document.cells[0].method.id());
    assert!(html.elements().any(|e| e.attribute("href") == Some(link.as_str())), "{link}");
    assert!(!result_page(drive("Usual", false)).contains("zero data"));
    document.cells[1].method.data = DataKind::Random;
    let text = Html::parse(&result_page(document)).text();
    assert!(text.contains(", and 1 group of cells under other conditions"), "{text}");
}

#[test]
fn a_long_loop_tells_its_course() {
    let text = |document| Html::parse(&result_page(document)).text();
    assert!(!text(drive("Short", false)).contains("What the runs show"));
    let long = text(model::fixtures::with_long_write(drive("Long", false)));
    assert!(long.contains("What the runs show"), "{long}");
    assert!(
        long.contains("SEQ1M Q8T1 writeFast writing ended after 199.1 to 199.6 GB (39.9 s to 40.0 s)"),
        "{long}"
    );
}

#[test]
fn a_method_has_a_page() {
    let mut method = drive("One", false).cells[0].method.clone();
    method.queue_depth = 1;
    method.data = DataKind::Repeat;
    let view = MethodView { method: method.id(), results: 0 };
    let page = pages::method(&context("/methods/x"), view);
    let text = Html::parse(&page).text();
    for expected in ["SEQ1M Q1T1 read", "1 I/O in flight on 1 thread", "One random buffer was written again"]
    {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
    assert!(page.contains("noindex"), "no result has it");
}

#[test]
fn cells_without_a_figure_have_a_sentence_instead_of_a_chart() {
    let mut document = drive("Stopped", false);
    document.outcome = Outcome::Interrupted;
    for cell in document.cells.iter_mut().filter(|cell| !cell.method.pattern.sequential()) {
        cell.status = CellStatus::Partial;
        cell.loops.clear();
    }
    let page = result_page(document);
    assert!(!page.contains("/charts/random.svg"));
    let text = Html::parse(&page).text();
    assert!(text.contains("There is no chart of the random cells"), "{text}");
    assert!(text.contains("cells of the suite that it did not reach are not in this table"), "{text}");
}

#[test]
fn many_remarks_are_folded_below_the_figures() {
    let page = |count: usize| {
        let document = drive("One", false);
        let summary = fixtures::summary(&document, 1);
        let cells = vec!["SEQ1M Q8T1 read: 5.6 requests".to_owned()];
        let remarks = (0..count).map(|n| Remark { text: format!("Remark {n}."), cells: cells.clone() });
        let data = ResultData {
            summary,
            document: Arc::new(document),
            charts: Vec::new(),
            remarks: remarks.collect(),
            public_key: PublicKey([7; 32]),
            bundle_bytes: 1,
        };
        pages::result(&context("/results/01"), data)
    };
    assert!(!page(0).contains("To be read with care"));
    let (few, many) = (page(5), page(6));
    for (page, count) in [(&few, 5), (&many, 6)] {
        let text = Html::parse(page).text();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("`{what}` is missing in {text}"));
        assert!(at(&format!("{count} remarks on these figures")) < at("Summary"));
        assert!(at("Summary") < at("Remark 0.") && text.contains("SEQ1M Q8T1 read: 5.6 requests"));
    }
    assert!(!few.contains("All 5 remarks") && many.contains("<summary>All 6 remarks</summary>"));
}

#[test]
fn runs_of_one_drive_are_told_apart() {
    let mut cooled = drive("Twin", false);
    cooled.labels.insert(LabelKey::Cooling, "fan".to_owned());
    cooled.labels.insert(LabelKey::Slot, "M2_1".to_owned());
    let html = home_page(&[drive("Twin", false), cooled], ListQueryView::default());
    let html = Html::parse(&html);
    assert!(html.text().contains("cooling fan, slot M2_1"), "{}", html.text());
    assert!(html.text().contains("2026-11-30 21:40 UTC"), "{}", html.text());
    let label = "Compare Twin, cooling fan, slot M2_1, suite cdm, of 2026-11-30 21:40 UTC";
    assert!(html.elements().any(|e| e.attribute("aria-label") == Some(label)));
}

#[test]
fn errors_are_sentences_with_a_next_step() {
    let page = pages::error(&context("/x"), 404, "Not found", "there is nothing at this address");
    let html = Html::parse(&page);
    assert!(html.text().contains("There is nothing at this address."), "{}", html.text());
    assert!(html.elements().any(|e| e.name == "form" && e.attribute("role") == Some("search")));
    assert!(html.elements().any(|e| e.name == "a" && e.attribute("href") == Some("/")));
}

#[test]
fn a_copy_is_shown_with_both_times_and_where_it_fell() {
    let page = result_page(model::fixtures::with_copy(drive("Example", false), 156, 112));
    for text in [
        "Copies and loading",
        "game-96 to the drive",
        "4746 files",
        "95.92 GB",
        "268.0 s",
        "269.0 s",
        "357.9 MB/s",
        "after 78 GB",
        "Fast writing ended after 77.5 to 78.0 GB",
        "16 MiB and more",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!result_page(drive("Example", false)).contains("Copies and loading"));
}
