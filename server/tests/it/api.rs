//! Lists, results, tables and comparisons as data.

use crate::support::{TestServer, named, sealed};
use cliffmark_server::router;
use model::{document::Visibility, labels::LabelKey, reading::Reading};

#[test]
fn lists_are_paged_and_searched() {
    let server = TestServer::start();
    assert_eq!(server.get("/api/v1/results").json()["total"], 0);
    let ids: Vec<String> = ["Alpha", "Beta", "Gamma"].map(|name| server.publish(&named(name))).to_vec();
    let first = server.get("/api/v1/results?limit=2&sort=drive").json();
    assert_eq!(first["total"], 3);
    let name = |page: &serde_json::Value, index: usize| page["results"][index]["head"]["drive"].clone();
    assert_eq!((name(&first, 0), name(&first, 1)), ("Alpha".into(), "Beta".into()));
    let cursor = first["next"].as_str().unwrap();
    let second = server.get(&format!("/api/v1/results?limit=2&sort=drive&cursor={cursor}")).json();
    assert_eq!(name(&second, 0), "Gamma");
    assert_eq!(second["next"], serde_json::Value::Null);
    assert_eq!(second["results"].as_array().unwrap().len(), 1);

    let found = server.get("/api/v1/results?q=bet").json();
    assert_eq!(found["results"][0]["head"]["id"], ids[1].as_str());
    assert_eq!(found["total"], 1);
    let metric = server.get("/api/v1/results?sort=seq-read.1MiB.q8.t1/bytes_per_s").json();
    assert_eq!(metric["total"], 3);
}

#[test]
fn hostile_queries_find_nothing_and_break_nothing() {
    let server = TestServer::start();
    server.publish(&named("Alpha"));
    for q in ["%25", "_", "%22", "'", "%F0%9F%92%BE", "%FF%FE", "';%20DROP%20TABLE%20results;--", "%5C"] {
        let answer = server.get(&format!("/api/v1/results?q={q}"));
        assert_eq!((answer.status, &answer.json()["total"]), (200, &0.into()), "{q}");
        assert_eq!(server.get(&format!("/?q={q}")).status, 200, "{q}");
    }
    let long = "a".repeat(10_000);
    server.get(&format!("/api/v1/results?q={long}")).problem(400, "bad-request");
    for bad in ["limit=0", "limit=101", "limit=x", "cursor=zz", "key=12", "sort=sideways", "q=a&q=b", "q=%00"]
    {
        server.get(&format!("/api/v1/results?{bad}")).problem(400, "bad-request");
    }
    assert_eq!(server.get("/api/v1/results").json()["total"], 1);
}

#[test]
fn a_result_answers_with_everything() {
    let server = TestServer::start();
    let id = server.publish(&named("Example"));
    let whole = server.get(&format!("/api/v1/results/{}", &id[..16])).json();
    assert_eq!(whole["summary"]["head"]["id"], id.as_str());
    assert_eq!(whole["document"]["drive"]["model"]["known"], "Example");
    assert_eq!(
        (&whole["findings"], &whole["summary"]["stories"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    let long = sealed(|document| *document = model::fixtures::with_long_write(document.clone()));
    let long = server.publish(&long);
    let course = server.get(&format!("/api/v1/results/{long}")).json()["summary"]["stories"][0].clone();
    assert_eq!(
        (&course["title"], &course["found"]["course"]["findings"]["points"][0]["kind"]),
        (&"SEQ1M Q8T1 write".into(), &"fall".into())
    );
    assert!(course["sentences"][0].as_str().unwrap().starts_with("Fast writing ended after"), "{course}");
    for missing in ["0".repeat(64), "abc".to_owned(), id.to_uppercase(), "..%2f..%2fetc".to_owned()] {
        server.get(&format!("/api/v1/results/{missing}")).problem(404, "no-such-result");
        server.get(&format!("/api/v1/results/{missing}.csv")).problem(404, "no-such-result");
        server.get(&format!("/api/v1/results/{missing}/bundle")).problem(404, "no-such-result");
    }
}

#[test]
fn unlisted_results_need_all_digits() {
    let server = TestServer::start();
    let id = server.publish(&sealed(|document| document.visibility = Visibility::Unlisted));
    assert_eq!(server.get("/api/v1/results").json()["total"], 0);
    server.get(&format!("/api/v1/results/{}", &id[..32])).problem(404, "no-such-result");
    assert_eq!(server.get(&format!("/results/{}", &id[..32])).status, 404);
    assert_eq!(server.get(&format!("/api/v1/results/{id}")).status, 200);
    assert_eq!(server.get(&format!("/results/{id}")).status, 200);
    // Caches that others share must not keep it, alone or beside a public one.
    let public = server.publish(&named("Public"));
    for path in [
        format!("/results/{id}"),
        format!("/compare?r={public},{id}"),
        format!("/api/v1/results/{id}"),
        format!("/api/v1/results/{id}.csv"),
        format!("/api/v1/results/{id}/bundle"),
        format!("/api/v1/compare?r={public},{id}"),
        format!("/api/v1/compare.csv?r={id}"),
        format!("/charts/random.svg?r={public},{id}"),
        format!("/charts/random.csv?r={id}"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("cache-control").starts_with("private"), "{path}");
    }
}

#[test]
fn tables_have_every_figure_and_no_formula() {
    let server = TestServer::start();
    let id = server.publish(&sealed(|document| {
        document.drive.model = Reading::Known("=HYPERLINK(\"http://x\",\"y\")".to_owned());
        document.labels.insert(LabelKey::Note, "@SUM(A1)".to_owned());
    }));
    let answer = server.get(&format!("/api/v1/results/{id}.csv"));
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    let text = answer.text();
    assert!(text.starts_with("result,drive,suite,cell,metric,method,status,count,median"), "{text}");
    // Eight cells with eight metrics each, under one line of headings.
    assert_eq!(text.lines().count(), 65);
    assert!(text.contains(",\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\","), "{text}");

    // Passes have a line for each of their figures.
    let passes = server.publish(&sealed(|document| {
        *document = model::fixtures::with_passes(document.clone());
        document.cells.clear();
    }));
    let text = server.get(&format!("/api/v1/results/{passes}.csv")).text();
    let figures: Vec<&str> =
        text.lines().filter(|line| line.contains("Photoshop heavy (model), degradation 1")).collect();
    assert_eq!(figures.len(), 3, "{text}");
    assert!(figures[0].contains(",bytes_per_s,trace.applications-1.photoshop-heavy.degradation1."), "{text}");

    let other = server.publish(&named("+1+1"));
    let text = server.get(&format!("/api/v1/compare.csv?r={id},{other}")).text();
    assert_eq!(text.lines().count(), 1 + 64 * 2);
    assert!(text.contains("baseline"), "{text}");
    for start in [",=", ",+", ",@", "\n=", "\n+", "\n@"] {
        assert!(!text.contains(start), "{start}");
    }
}

#[test]
fn comparisons_align_results() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Alpha")), server.publish(&named("Beta")));
    let comparison = server.get(&format!("/api/v1/compare?r={a},{b}")).json();
    assert_eq!(comparison["verdict"]["kind"], "axis");
    assert_eq!(comparison["series"].as_array().unwrap().len(), 2);
    assert_eq!(comparison["rows"][0]["entries"][0]["standing"]["kind"], "baseline");
    assert_eq!(comparison["rows"][0]["entries"][1]["standing"]["kind"], "tie");
    assert_eq!(server.get(&format!("/api/v1/compare?r={a}&r={b}&r={a}")).json(), comparison);

    server.get("/api/v1/compare").problem(400, "bad-request");
    server.get(&format!("/api/v1/compare?r={a}~{b}")).problem(400, "bad-request");
    server.get(&format!("/api/v1/compare?r={a},{}", "0".repeat(64))).problem(404, "no-such-result");
    let nine: Vec<String> = (0..9).map(|index| format!("{index:064}")).collect();
    server.get(&format!("/api/v1/compare?r={}", nine.join(","))).problem(400, "bad-request");
}

#[test]
fn the_api_describes_itself() {
    let served = TestServer::start().get("/api/openapi.json").json();
    let generated = serde_json::to_value(router::openapi()).unwrap();
    assert_eq!(served, generated);
    assert_eq!(generated["openapi"], "3.1.0");
    let routes: Vec<String> = generated["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| format!("{method} {path}"))
        })
        .collect();
    insta::assert_snapshot!(routes.join("\n"), @r"
    post /api/v1/bundles
    get /api/v1/compare
    get /api/v1/compare.csv
    get /api/v1/results
    get /api/v1/results/{id}
    get /api/v1/results/{id}.csv
    get /api/v1/results/{id}/bundle
    post /api/v1/statements
    get /charts/{chart}.{format}
    ");
}

#[test]
fn received_times_come_from_the_clock() {
    // The clock of these tests stands still: the id decides between results received at once.
    let server = TestServer::start();
    let mut ids = ["A", "B", "C"].map(|name| server.publish(&named(name)));
    ids.sort();
    ids.reverse();
    let listed = server.get("/api/v1/results").json();
    let listed: Vec<&str> =
        listed["results"].as_array().unwrap().iter().map(|r| r["head"]["id"].as_str().unwrap()).collect();
    assert_eq!(listed, ids);
}

#[test]
fn results_of_one_drive_are_joined_into_a_series() {
    let server = TestServer::start();
    let run = |drive: &str, hour: u64| {
        server.publish(&sealed(|document| {
            document.drive.model = Reading::Known(drive.to_owned());
            document.started_unix_ms += hour * 3_600_000;
        }))
    };
    let (one, two, other) = (run("Alpha", 0), run("Alpha", 1), run("Beta", 0));
    let comparison = server.get(&format!("/api/v1/compare?r={one}~{two},{other}")).json();
    let [alpha, beta] = &comparison["series"].as_array().unwrap()[..] else { panic!("{comparison}") };
    assert_eq!(
        (alpha["head"]["id"].as_str(), &alpha["head"]["joined"][0]),
        (Some(&*one), &two.clone().into())
    );
    assert!(beta["head"]["joined"].is_null());
    let stats = |series: usize| comparison["rows"][0]["entries"][series]["stats"]["count"].as_u64().unwrap();
    assert_eq!(stats(0), 2 * stats(1), "the loops of both");
    for address in [
        format!("/charts/sequential.svg?r={one}~{two},{other}"),
        format!("/charts/sequential.csv?r={one}~{two}"),
        format!("/api/v1/compare.csv?r={one}~{two},{other}"),
    ] {
        assert_eq!(server.get(&address).status, 200, "{address}");
    }
    let page = server.get(&format!("/compare?r={one}~{two},{other}")).text();
    assert!(page.contains("part 2") && page.contains("separate"), "{page}");
    assert!(page.contains(&format!("/charts/sequential.svg?r={one}~{two},{other}")), "{page}");
    let page = server.get(&format!("/compare?r={one},{two}")).text();
    assert!(page.contains("join with the one above"), "{page}");
    let apart = server.get(&format!("/api/v1/compare?r={one}~{other}"));
    let problem = apart.problem(400, "bad-request");
    assert!(problem["detail"].as_str().unwrap().contains("differ in their drive: Alpha"), "{problem}");
}
