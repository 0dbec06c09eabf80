//! Drives, rankings, keys, and how others find results.

use crate::support::{NOW_MS, TestServer, key, named, sealed};
use model::{
    document::{Origin, Visibility},
    drive::Transport,
    fixtures,
    labels::LabelKey,
    reading::Reading,
};
use serde_json::Value;

const METRIC: &str = "seq-read.1MiB.q8.t1/bytes_per_s";

/// A signed document of a drive of this name, capacity, attachment and share of the usual speed.
fn drive(name: &str, capacity_bytes: u64, transport: Transport, speed: f64) -> Vec<u8> {
    let mut document = fixtures::document(name, speed, bundle::public_key(&key()));
    document.drive.capacity_bytes = Reading::Known(capacity_bytes);
    document.drive.transport = transport;
    bundle::seal(&document, &key()).unwrap()
}

fn key_id() -> String {
    bundle::key_id(&bundle::public_key(&key())).to_string()
}

#[test]
fn drives_are_listed_paged_and_searched() {
    let server = TestServer::start();
    assert_eq!(server.get("/api/v1/drives").json()["total"], 0);
    for name in ["Samsung Two", "Samsung One", "Nameless"] {
        server.publish(&named(name));
    }
    let list = server.get("/api/v1/drives?limit=2").json();
    assert_eq!((&list["total"], &list["drives"][0]["slug"]), (&3.into(), &"samsung-one-2tb".into()));
    assert_eq!(
        list["makes"],
        serde_json::json!([{"make": "Samsung", "drives": 2}, {"make": null, "drives": 1}])
    );
    let cursor = list["next"].as_str().unwrap();
    let rest = server.get(&format!("/api/v1/drives?limit=2&cursor={cursor}")).json();
    assert_eq!((&rest["drives"][0]["slug"], &rest["next"]), (&"nameless-2tb".into(), &Value::Null));
    assert_eq!(server.get("/api/v1/drives?q=sung%20two").json()["total"], 1);
    assert_eq!(server.get("/api/v1/drives?make=other").json()["total"], 1);
    assert_eq!(server.get("/api/v1/drives?make=Samsung").json()["total"], 2);
    for bad in ["limit=0", "cursor=zz", "q=%00"] {
        server.get(&format!("/api/v1/drives?{bad}")).problem(400, "bad-request");
    }
    let page = server.get("/drives?make=Samsung&limit=1").text();
    assert!(page.contains("Samsung One") && !page.contains("Samsung Two"), "{page}");
    let next = page.split('"').find(|text| text.contains("cursor=")).unwrap().replace("&amp;", "&");
    assert!(next.contains("make=Samsung"), "{next}");
    assert!(server.get(&next).text().contains("Samsung Two"));
}

#[test]
fn a_drive_has_one_address_and_other_spellings_lead_there() {
    let server = TestServer::start();
    let id = server.publish(&named("Samsung SSD 990 PRO 2TB"));
    let path = "/drives/samsung-ssd-990-pro-2tb";
    let page = server.get(path).text();
    assert!(page.contains(&format!("/results/{id}")) && page.contains("SEQ1M Q8T1 read"), "{page}");
    let picture = page.split('"').find(|text| text.contains("/charts/sequential.png")).unwrap();
    let picture = picture.split_once("/charts").unwrap().1.replace("&amp;", "&");
    assert_eq!(server.get(&format!("/charts{picture}")).header("content-type"), "image/png");
    for other in ["samsung-ssd-990-pro-2tb-2tb", "Samsung%20SSD%20990%20PRO%202TB", "SAMSUNG-SSD-990-PRO-2TB"]
    {
        let answer = server.get(&format!("/drives/{other}?lang=ja"));
        assert_eq!(
            (answer.status, answer.header("location")),
            (308, format!("{path}?lang=ja").as_str()),
            "{other}"
        );
    }
    let whole = server.get(&format!("/api/v1{path}")).json();
    assert_eq!(whole["drive"]["results"], 1);
    assert_eq!(whole["results"][0]["head"]["id"], id.as_str());
    assert_eq!(whole["metrics"][0]["figures"]["results"], 1);
    assert_eq!(whole["metrics"][0]["by_key"][0]["key"], key_id().as_str());
    server.get("/api/v1/drives/none").problem(404, "no-such-drive");
}

#[test]
fn a_simulated_drive_stands_apart_and_in_no_ranking() {
    let server = TestServer::start();
    server.publish(&sealed(|document| {
        document.drive.model = Reading::Known("Alpha".to_owned());
        document.origin = Origin::Simulated;
    }));
    server.publish(&named("Alpha"));
    let measured = server.get("/drives/alpha-2tb").text();
    assert!(measured.contains("/drives/alpha-2tb--simulated") && measured.contains("Measured"), "{measured}");
    let simulated = server.get("/drives/alpha-2tb--simulated").text();
    assert!(simulated.contains("Nothing on this page is a measurement."), "{simulated}");
    assert_eq!(server.get("/api/v1/drives/alpha-2tb").json()["drive"]["results"], 1);
    let ranking = server.get(&format!("/api/v1/rankings/{METRIC}")).json();
    let rows = ranking["groups"][0]["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["configuration"]["drive_slug"]), (1, &"alpha-2tb".into()));
}

#[test]
fn drives_are_ranked_within_limits() {
    let server = TestServer::start();
    server.publish(&drive("Fast", 1_000_204_886_016, Transport::Nvme, 1.0));
    server.publish(&drive("Slow", 2_000_398_934_016, Transport::Nvme, 0.3));
    server.publish(&drive("Sata", 2_000_398_934_016, Transport::Sata, 0.5));
    let names = |query: &str| -> Vec<String> {
        let ranking = server.get(&format!("/api/v1/rankings/{METRIC}{query}")).json();
        let groups = ranking["groups"].as_array().unwrap().clone();
        let rows = groups.iter().flat_map(|group| group["rows"].as_array().unwrap());
        rows.map(|row| format!("{} {}", row["rank"], row["configuration"]["drive"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(names(""), ["1 Fast", "2 Sata", "3 Slow"]);
    assert_eq!(names("?interface=nvme"), ["1 Fast", "2 Slow"]);
    assert_eq!(names("?to=1TB"), ["1 Fast"]);
    assert_eq!(names("?from=1.5%20TB&to=2TB"), ["1 Sata", "2 Slow"]);
    let page = server.get(&format!("/rankings/{METRIC}?interface=nvme")).text();
    assert!(page.contains("Slow") && !page.contains("/drives/sata"), "{page}");
    assert_eq!(server.get(&format!("/rankings/{}", METRIC.replace('/', "%2F"))).status, 200);
    assert!(server.get("/rankings").text().contains(&format!("/rankings/{METRIC}")));
    // Nobody has it yet, and yet it is one.
    assert_eq!(server.get("/rankings/seq-read.1MiB.q9.t9/iops").status, 200);
    server.get("/api/v1/rankings/seq-read/none").problem(404, "no-such-ranking");
    server.get("/api/v1/rankings/seq-read.1MiB.q8.t1/cpu_ns_per_io").problem(404, "no-such-ranking");
}

#[test]
fn a_key_shows_what_it_signed() {
    let server = TestServer::start();
    let path = format!("/keys/{}", key_id());
    assert_eq!(server.get(&path).status, 404);
    server.publish(&sealed(|document| document.visibility = Visibility::Unlisted));
    assert_eq!(server.get(&path).status, 404, "an unlisted result tells nothing of its key");
    let id = server.publish(&sealed(|document| {
        document.labels.insert(LabelKey::Reviewer, "<b>Ann</b>".to_owned());
    }));
    let page = server.get(&path).text();
    assert!(
        page.contains(&id) && page.contains("&lt;b&gt;Ann&lt;/b&gt;") && !page.contains("<b>Ann"),
        "{page}"
    );
    assert!(page.contains("<dd dir=\"auto\">1</dd>"), "only public ones are counted: {page}");
}

#[test]
fn a_method_lists_its_results() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    let methods = server.get("/methods").text();
    let path =
        methods.split('"').find(|text| text.starts_with("/methods/seq-read.1MiB.q8.t1")).unwrap().to_owned();
    let page = server.get(&path).text();
    assert!(page.contains(&id) && page.contains(&format!("/rankings/{METRIC}")), "{page}");
    let method = path.strip_prefix("/methods/").unwrap();
    assert_eq!(server.get(&format!("/api/v1/results?method={method}")).json()["total"], 1);
    let other = method.replace("q8", "q9");
    assert_eq!(server.get(&format!("/api/v1/results?method={other}")).json()["total"], 0);
    server.get("/api/v1/results?method=x").problem(400, "bad-request");
}

#[test]
fn listed_results_are_found_by_robots_and_readers_and_no_others() {
    let server = TestServer::start();
    let listed = server.publish(&named("Alpha <&> Sons"));
    let secret = server.publish(&sealed(|document| {
        document.drive.model = Reading::Known("Secret".to_owned());
        document.visibility = Visibility::Unlisted;
    }));
    let map = server.get("/sitemap.xml");
    assert_eq!(map.header("content-type"), "application/xml; charset=utf-8");
    let map = map.text();
    for path in [
        format!("/results/{listed}"),
        "/drives/alpha-and-sons-2tb".to_owned(),
        "/methods".to_owned(),
        format!("/rankings/{METRIC}"),
    ] {
        assert!(map.contains(&format!("<loc>{}</loc>", server.url(&path))), "{path} in {map}");
        assert_eq!(server.get(&path).status, 200, "{path}");
    }
    assert!(
        map.contains("<lastmod>2026-11-30T21:41:40Z</lastmod>") == (NOW_MS == 1_796_074_900_000),
        "{map}"
    );
    let feed = server.get("/feed.atom");
    assert_eq!(feed.header("content-type"), "application/atom+xml; charset=utf-8");
    let feed = feed.text();
    assert!(feed.contains("Alpha &lt;&amp;&gt; Sons") && feed.contains("/charts/sequential.png"), "{feed}");
    let second = server.get("/sitemap.xml?part=2").text();
    assert!(second.contains(&listed) && !second.contains("/methods"), "{second}");
    for text in [&map, &feed, &second] {
        assert!(!text.contains(&secret) && !text.contains("Secret"), "{text}");
    }
    let robots = server.get("/robots.txt").text();
    assert!(robots.contains(&format!("Sitemap: {}", server.url("/sitemap.xml"))), "{robots}");
    let home = server.get("/").text();
    assert!(home.contains("type=\"application/atom+xml\" href=\"/feed.atom\""), "{home}");
    let page = server.get(&format!("/results/{listed}")).text();
    assert!(
        page.contains("application/ld+json") && page.contains("Alpha \\u003c\\u0026\\u003e Sons"),
        "{page}"
    );
}
