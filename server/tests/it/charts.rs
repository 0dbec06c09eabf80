//! Charts as pictures, options and figures.

use crate::support::{TestServer, named, sealed};
use model::{chart_id::ChartId, document::Outcome, reading::Reading};

/// The charts that standard cells fill.
const STANDARD: [ChartId; 5] = [
    ChartId::Sequential,
    ChartId::Random,
    ChartId::RepeatRuns,
    ChartId::Temperature,
    ChartId::LatencyPercentiles,
];

#[test]
fn every_chart_comes_in_every_form() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Alpha")), server.publish(&named("Beta")));
    for chart in ChartId::ALL.into_iter().filter(|chart| !STANDARD.contains(chart)) {
        server.get(&format!("/charts/{chart}.svg?r={a}")).problem(404, "no-chart-data");
    }
    for chart in STANDARD {
        let address = |format: &str| format!("/charts/{chart}.{format}?r={a},{b}&w=400&h=300");
        let svg = server.get(&address("svg"));
        assert_eq!(
            (svg.status, svg.header("content-type")),
            (200, "image/svg+xml; charset=utf-8"),
            "{}",
            svg.text()
        );
        assert!(svg.text().starts_with("<svg") && svg.text().contains("Alpha"), "{chart}");
        let png = server.get(&address("png"));
        assert_eq!((png.status, png.header("content-type")), (200, "image/png"));
        assert!(png.body.starts_with(b"\x89PNG\r\n\x1a\n"), "{chart}");
        let json = server.get(&address("json")).json();
        assert!(json["series"].is_array(), "{chart}");
        let csv = server.get(&address("csv"));
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert!(csv.text().lines().count() > 1, "{chart}");
        // Every figure says its unit: beside it, or in its heading.
        let head = csv.text().lines().next().unwrap().to_owned();
        let of_cells = head.starts_with("cell,result,") && head.contains(",unit,");
        assert!(of_cells || head == "result,at_ns,temperature_milli_celsius", "{head}");
        assert!(!csv.text().contains("MB/s"), "plain numbers: {}", csv.text());
    }
}

#[test]
fn pictures_have_the_size_theme_and_title_asked_for() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    let svg = |query: &str| server.get(&format!("/charts/sequential.svg?r={id}{query}")).text();
    assert!(svg("&w=10").contains("width=\"320\""));
    assert!(svg("&w=99999").contains("width=\"1600\""));
    for chart in STANDARD {
        let svg = server.get(&format!("/charts/{chart}.svg?r={id}&title=My%20%3Cb%3Etitle")).text();
        // In the picture's name and drawn, also where other headings are drawn.
        assert!(svg.matches("My &lt;b&gt;title").count() > 1, "{chart}");
        assert!(!svg.contains("<b>"), "{chart}");
    }
    assert!(svg("&w=-1").contains("width=\"320\""));
    assert_ne!(svg("&theme=dark"), svg("&theme=light"));
    assert_eq!(svg("&theme=auto"), svg("&theme=light"));

    let width = |scale: u32| {
        let png = server.get(&format!("/charts/sequential.png?r={id}&w=400&scale={scale}")).body;
        u32::from_be_bytes(png[16..20].try_into().unwrap())
    };
    assert_eq!((width(1), width(2), width(9), width(300)), (400, 800, 1200, 1200));
}

#[test]
fn bad_addresses_of_charts_are_named() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    let get = |rest: &str| server.get(&format!("/charts/{rest}"));
    get(&format!("pie.svg?r={id}")).problem(404, "unknown-chart");
    get(&format!("sequential.gif?r={id}")).problem(404, "not-found");
    get(&format!("sequential?r={id}")).problem(404, "not-found");
    get("sequential.svg").problem(400, "bad-request");
    get(&format!("sequential.svg?r={}", "0".repeat(64))).problem(404, "no-such-result");
    get(&format!("sequential.svg?r={id}&theme=pink")).problem(400, "bad-request");
    let detail =
        get(&format!("sequential.svg?r={id}&w=wide")).problem(400, "bad-request")["detail"].to_string();
    assert_eq!(detail, "\"`w` is a whole number from 320 to 1600, not `wide`\"");
    get(&format!("sequential.svg?r={id}&title={}", "a".repeat(121))).problem(400, "bad-request");
    get(&format!("sequential.svg?r={id}&title=%0A%00")).problem(400, "bad-request");

    let nothing = server.publish(&sealed(|document| {
        document.cells.clear();
        document.outcome = Outcome::Interrupted;
    }));
    get(&format!("sequential.svg?r={nothing}")).problem(404, "no-chart-data");
    get(&format!("sequential.json?r={nothing}")).problem(404, "no-chart-data");
    assert_eq!(server.get(&format!("/results/{nothing}")).status, 200);
}

#[test]
fn hostile_names_stay_text() {
    let server = TestServer::start();
    let hostile = "</script><svg onload=alert(1)>{b}\"'&";
    let id = server.publish(&sealed(|document| document.drive.model = Reading::Known(hostile.to_owned())));
    let svg = server.get(&format!("/charts/sequential.svg?r={id}")).text();
    assert!(!svg.contains("<svg onload"), "{svg}");
    let page = server.get(&format!("/results/{id}"));
    assert_eq!(page.status, 200);
    assert!(!page.text().contains("<svg onload") && !page.text().contains("</script><svg"));
    assert_eq!(server.get(&format!("/charts/sequential.png?r={id}")).status, 200);
}

#[test]
fn the_same_picture_has_the_same_bytes() {
    let bytes = named("Alpha");
    let [first, second] = [(); 2].map(|()| {
        let server = TestServer::start();
        let id = server.publish(&bytes);
        server.get(&format!("/charts/latency-percentiles.svg?r={id}"))
    });
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("etag"), second.header("etag"));
}
