//! Drives, rankings, keys, and what machines read: the feed, and the data of a result.

use super::*;
use crate::pages::{DriveData, DrivesData, KeyData, NewsItem, RankingData, RankingFilterView};
use analysis::{catalogue::Sample, ranking::Filter};
use model::{
    KeyId,
    catalogue::{DriveEntry, KeyEntry, MakeEntry},
    document::Origin,
    metric::MetricId,
    ranking::RankedMetric,
};

fn summaries(documents: &[ResultDocument]) -> Vec<ResultSummary> {
    (1..).zip(documents).map(|(number, document)| fixtures::summary(document, number)).collect()
}

fn entry(name: &str, origin: Origin) -> DriveEntry {
    DriveEntry {
        slug: analysis::drive_name::slug(name, Some(2_000_398_934_016), origin),
        name: name.to_owned(),
        make: Some("Example".to_owned()),
        capacity_bytes: Some(2_000_398_934_016),
        origin,
        results: 2,
        keys: 1,
        newest_unix_ms: 1_796_074_900_000,
    }
}

fn samples(summaries: &[ResultSummary]) -> Vec<Sample> {
    let of = |summary: &ResultSummary| {
        let head = Arc::new(summary.head.clone());
        let counted = summary.metrics.iter().filter_map(|metric| Some((metric, *metric.counted()?)));
        let samples = counted.map(|(metric, stats)| Sample {
            head: Arc::clone(&head),
            metric: metric.metric.clone(),
            method: metric.method.clone(),
            stats,
        });
        samples.collect::<Vec<_>>()
    };
    summaries.iter().flat_map(of).collect()
}

pub(super) fn drives_page(names: &[&str]) -> String {
    let mut drives: Vec<DriveEntry> = names.iter().map(|name| entry(name, Origin::Measured)).collect();
    drives.extend(names.iter().map(|name| entry(name, Origin::Simulated)));
    let data = DrivesData {
        total: drives.len() as u64,
        makes: vec![
            MakeEntry { make: Some("Example & Sons".to_owned()), drives: 2 },
            MakeEntry { make: None, drives: 1 },
        ],
        drives,
        q: HOSTILE.to_owned(),
        make: Some("other".to_owned()),
        next: Some("/drives?cursor=7b".to_owned()),
    };
    pages::drives(&context("/drives"), data)
}

fn drive_data(documents: &[ResultDocument]) -> DriveData {
    let results = summaries(documents);
    let head = &results[0].head;
    DriveData {
        entry: DriveEntry { results: results.len() as u64, ..entry(&head.drive, head.origin) },
        counterpart: None,
        metrics: analysis::catalogue::metrics(&samples(&results)),
        cut: false,
        results,
        next: None,
        image: Some("/charts/sequential.png?r=01".to_owned()),
    }
}

pub(super) fn drive_page(documents: &[ResultDocument]) -> String {
    pages::drive(&context("/drives/x"), drive_data(documents))
}

fn ranked_metrics(documents: &[ResultDocument]) -> Vec<RankedMetric> {
    let results = summaries(documents);
    let metrics = results.iter().flat_map(|summary| &summary.metrics);
    metrics
        .filter(|metric| metric.kind().ranks_drives())
        .map(|metric| RankedMetric {
            metric: metric.metric.clone(),
            method: metric.method.clone(),
            drives: 2,
            results: 3,
        })
        .collect()
}

pub(super) fn rankings_page(documents: &[ResultDocument]) -> String {
    pages::rankings(&context("/rankings"), ranked_metrics(documents))
}

fn ranking_data(documents: &[ResultDocument]) -> RankingData {
    let metric: MetricId = "seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap();
    let samples: Vec<Sample> =
        samples(&summaries(documents)).into_iter().filter(|sample| sample.metric == metric).collect();
    let of_cell = ranked_metrics(documents).into_iter().map(|one| one.metric);
    RankingData {
        ranking: analysis::ranking::rank(&metric, &samples, &Filter::default(), false),
        of_cell: of_cell.filter(|one| one.cell == metric.cell).collect(),
        filter: RankingFilterView::default(),
    }
}

pub(super) fn ranking_page(documents: &[ResultDocument]) -> String {
    pages::ranking(&context("/rankings/x"), ranking_data(documents))
}

pub(super) fn key_page(names: &[&str]) -> String {
    let entry = KeyEntry {
        key: KeyId([7; 32]),
        first_unix_ms: 1_796_000_000_000,
        last_unix_ms: 1_796_074_900_000,
        results: 3,
        drives: 1,
        reviewers: names.iter().map(|name| ((*name).to_owned(), 2)).collect(),
        revoked: names.is_empty(),
    };
    let results = summaries(&[drive("One", false)]);
    pages::key(&context("/keys/x"), KeyData { entry, results, next: None })
}

#[test]
fn measured_and_simulated_drives_stand_apart() {
    let page = drives_page(&["Example 1"]);
    let text = Html::parse(&page).text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("`{what}` is missing in {text}"));
    assert!(at("Measured drives") < at("Simulated drives"));
    assert!(at("Simulated drives") < at("No figure of theirs is a measurement"));
    let html = Html::parse(&page);
    let links: Vec<_> = html.elements().filter_map(|e| e.attribute("href")).collect();
    for href in [
        "/drives/example-1-2tb",
        "/drives/example-1-2tb--simulated",
        "/drives?make=Example%20%26%20Sons",
        "/drives?make=other",
    ] {
        assert!(links.contains(&href), "{href}: {links:?}");
    }
    let text = Html::parse(&drive_page(&[fixtures::simulated(drive("Example 1", false))])).text();
    assert!(
        text.contains("Nothing on this page is a measurement.") && !text.contains("Rankings by metric"),
        "{text}"
    );
}

#[test]
fn a_drive_shows_how_far_its_results_lie_apart() {
    let page = drive_page(&[drive("Example 1", false), drive("Example 1", true)]);
    let text = Html::parse(&page).text();
    // The fixture's first cell has about 7,000 MB/s, at half its speed 3,500.
    for expected in
        ["Example 1, 2 TB", "Between results", "SEQ1M Q8T1 read", "2 results", "Compare the newest of them"]
    {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
    assert!(!text.contains("one result"), "{text}");
    let one = Html::parse(&drive_page(&[drive("Example 1", false)])).text();
    assert!(one.contains("one result") && one.contains("With one result there is no spread"), "{one}");
    assert!(
        page.contains(
            "property=\"og:image\" content=\"https://cliffmark.example/charts/sequential.png?r=01\""
        )
    );
}

#[test]
fn reviewers_and_firmware_are_shown_where_there_are_several() {
    let mut other = drive("Example 1", true);
    other.drive.firmware = Reading::Known("B2".to_owned());
    let results = summaries(&[drive("Example 1", false), other]);
    let mut data = drive_data(&[drive("Example 1", false)]);
    let mut all = samples(&results);
    for sample in &mut all {
        let head = Arc::make_mut(&mut sample.head);
        if head.firmware.as_deref() == Some("B2") {
            head.key = KeyId([9; 32]);
        }
    }
    data.metrics = analysis::catalogue::metrics(&all);
    let page = pages::drive(&context("/drives/x"), data);
    let text = Html::parse(&page).text();
    assert!(text.contains("By reviewer") && text.contains("By firmware") && text.contains("B2"), "{text}");
    assert!(page.contains(&format!("/keys/{}", "09".repeat(32))));
    let text = Html::parse(&drive_page(&[drive("Example 1", false)])).text();
    assert!(!text.contains("By reviewer") && !text.contains("By firmware"), "{text}");
}

#[test]
fn a_ranking_tells_ranks_spread_ties_and_hosts() {
    let mut third = drive("Third", true);
    third.host.kernel = "9.9.1".to_owned();
    let page = ranking_page(&[drive("First", false), drive("Second", true), third]);
    let text = Html::parse(&page).text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("`{what}` is missing in {text}"));
    assert!(at("Higher is better.") < at("First"));
    assert!(at("First") < at("Second") && at("Second") < at("Third"));
    assert!(text.contains("SEQ1M Q8T1 read · 3 drives"), "{text}");
    assert!(text.contains("1First") && text.matches("2= shared rank").count() == 2, "{text}");
    assert!(text.contains("on 2 different hosts") && text.contains("Linux 9.9"), "{text}");
    assert!(!text.contains("Each method has a ranking"), "{text}");
    let mut zero = drive("Zero", false);
    zero.cells.iter_mut().for_each(|cell| cell.method.data = DataKind::Zero);
    let text = Html::parse(&ranking_page(&[drive("First", false), zero])).text();
    assert!(
        text.contains("each method has a ranking of its own") && text.contains("Zeros were written"),
        "{text}"
    );
    assert!(!text.contains("different hosts"), "{text}");
}

#[test]
fn a_ranking_keeps_its_limits() {
    let mut data = ranking_data(&[drive("First", false)]);
    data.filter =
        RankingFilterView { interface: "sata".to_owned(), from: HOSTILE.to_owned(), to: "2 TB".to_owned() };
    let page = pages::ranking(&context("/rankings/x"), data);
    let html = Html::parse(&page);
    let chosen: Vec<_> = html
        .elements()
        .filter(|e| e.name == "option" && e.attribute("selected").is_some())
        .filter_map(|e| e.attribute("value"))
        .collect();
    assert_eq!(chosen, ["sata"]);
    assert!(
        html.elements().any(|e| e.attribute("name") == Some("from") && e.attribute("value") == Some(HOSTILE))
    );
    assert!(page.contains("noindex"), "one list in many forms is indexed once");
}

#[test]
fn a_key_says_what_it_means_and_who_it_says_it_is() {
    let text = Html::parse(&key_page(&["Ann"])).text();
    for expected in
        ["nor that a figure is true", "“Ann” in 2 results", "Nobody has checked them", "2026-11-30 21:41 UTC"]
    {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
    let text = Html::parse(&key_page(&[])).text();
    assert!(text.contains("names a reviewer") && text.contains("withdrawn confidence"), "{text}");
}

#[test]
fn every_page_speaks_japanese_where_it_is_asked_to() {
    let in_japanese = |path: &str| PageContext { lang: Lang::Ja, lang_asked: true, ..context(path) };
    let ctx = in_japanese("/?lang=ja");
    let data = drive_data(&[drive("Example 1", false), drive("Example 1", true)]);
    let ranking = ranking_data(&[drive("First", false), drive("Second", false)]);
    let results = summaries(&[drive("One", false)]);
    let home = HomeData { results, query: ListQueryView::default(), next: None, total: 1 };
    let method = drive("One", false).cells[0].method.id();
    let method = MethodData {
        ranked: Vec::new(),
        view: MethodView { method, results: 0 },
        results: Vec::new(),
        next: None,
    };
    for (page, words) in [
        (pages::drive(&ctx, data), "全結果のまとめ"),
        (pages::ranking(&ctx, ranking), "1= 同順位"),
        (pages::home(&ctx, home), "シーケンシャルリード"),
        (pages::method(&ctx, method), "大きなファイルを順に読み出す性能"),
    ] {
        let html = Html::parse(&page);
        let text = html.text();
        assert!(text.contains(words), "`{words}` is missing in {text}");
        for english in ["results", "Results", "Median", "Search", "Choose", "Tick"] {
            assert!(!text.contains(english), "`{english}` in {text}");
        }
        let ours = html.elements().filter(|e| e.name == "a").filter_map(|e| e.attribute("href"));
        for href in ours.filter(|href| href.starts_with('/') && !href.starts_with("/api/")) {
            assert!(href.contains("lang="), "{href} leaves the language");
        }
    }
}

#[test]
fn the_feed_is_well_formed_whatever_results_say() {
    let mut hostile = hostile_document();
    hostile.drive.model = Reading::Known("]]></title>\u{1}&amp;".to_owned());
    let simulated = fixtures::simulated(drive("Model", false));
    let items: Vec<NewsItem> = summaries(&[hostile, simulated])
        .into_iter()
        .map(|summary| NewsItem {
            summary,
            received_ms: 1_796_074_900_000,
            picture: Some("/charts/a.png?r=1&w=2".to_owned()),
        })
        .collect();
    let feed = pages::feed(&context("/feed.atom"), &items, 0);
    assert!(feed.contains("<updated>2026-11-30T21:41:40Z</updated>"), "{feed}");
    assert!(
        feed.contains(&format!("<id>https://cliffmark.example/results/{}</id>", "01".repeat(32))),
        "{feed}"
    );
    assert!(feed.contains("(simulated)"), "{feed}");
    assert!(
        feed.contains("https://cliffmark.example/charts/a.png?r=1&amp;amp;w=2"),
        "the content is HTML in XML: {feed}"
    );
    assert!(!feed.contains('\u{1}') && !feed.contains("]]></title>"), "{feed}");
    for tag in ["feed", "entry", "title", "content", "id"] {
        assert_eq!(
            feed.matches(&format!("<{tag}")).count(),
            feed.matches(&format!("</{tag}>")).count(),
            "{tag}"
        );
    }
    assert_eq!(
        feed.matches("<img").count() + feed.matches("<script").count(),
        0,
        "no markup of its own: {feed}"
    );
    assert!(pages::feed(&context("/feed.atom"), &[], 0).contains("<updated>1970-01-01T00:00:00Z</updated>"));
}

#[test]
fn a_drive_without_a_name_of_its_own_is_no_product() {
    let mut document = drive("Example 1", false);
    document.drive.model = Reading::Absent(model::reading::Absent::NotReported);
    let words = "need not be of one product";
    assert!(Html::parse(&drive_page(&[document])).text().contains(words));
    assert!(!Html::parse(&drive_page(&[drive("Example 1", false)])).text().contains(words));
}

#[test]
fn a_listed_result_leads_to_its_drive_and_key() {
    let mut document = drive("Example 1", false);
    let head = fixtures::summary(&document, 1).head;
    let (to_drive, to_key) = (format!("/drives/{}", head.drive_slug), format!("/keys/{}", head.key));
    let page = result_page(document.clone());
    assert!(page.contains(&to_drive) && page.contains(&to_key));
    document.visibility = Visibility::Unlisted;
    let page = result_page(document);
    assert!(!page.contains(&to_drive) && !page.contains(&to_key), "an unlisted one has no part in them");
}

#[test]
fn a_listed_result_is_a_dataset_that_cannot_end_its_element() {
    let page = result_page(hostile_document());
    let (_, rest) = page.split_once("<script type=\"application/ld+json\">").expect("a dataset");
    let (json, _) = rest.split_once("</script>").unwrap();
    assert!(!json.contains(['<', '>', '&']), "{json}");
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!((&data["@type"], &data["creditText"]), (&"Dataset".into(), &HOSTILE.into()));
    assert_eq!(data["url"], format!("https://cliffmark.example/results/{}", "01".repeat(32)));
    assert_eq!(data["dateCreated"], "2026-11-30T21:40:00Z");
    assert_eq!(data["license"], HOSTILE[..20]);
    let figure = &data["variableMeasured"][0];
    assert_eq!(
        (&figure["name"], &figure["unitText"]),
        (&"SEQ1M Q8T1 read: Throughput".into(), &"bytes per second".into())
    );
    assert!(figure["value"].as_f64().unwrap() > 1e9);

    let void = fixtures::with_void(drive("One", false), 0);
    let page = result_page(void);
    assert!(!page.contains("seq-read.1MiB.q8.t1/bytes_per_s\""), "what does not count is no figure");
    let page = result_page(fixtures::simulated(drive("One", false)));
    assert!(page.contains("no measurement") && page.contains("(simulated)"));
    let mut quiet = drive("Quiet", false);
    quiet.visibility = Visibility::Unlisted;
    assert!(!result_page(quiet).contains("application/ld+json"));
}
