//! Pages as browsers get them.

use crate::support::{TestServer, named};

#[test]
fn pages_show_what_was_uploaded() {
    let server = TestServer::start();
    let empty = server.get("/");
    assert_eq!((empty.status, empty.header("content-type")), (200, "text/html; charset=utf-8"));
    let (a, b) = (server.publish(&named("Drive Alpha")), server.publish(&named("Drive Beta")));
    let home = server.get("/").text();
    assert!(home.contains("Drive Alpha") && home.contains("Drive Beta"));
    assert!(!server.get("/?q=beta").text().contains("Drive Alpha"));

    let page = server.get(&format!("/results/{a}")).text();
    assert!(page.contains("Drive Alpha") && page.contains("/charts/sequential.svg?r="));
    assert!(page.contains(&format!("/api/v1/results/{a}/bundle")));
    let page = server.get(&format!("/compare?r={a},{b}")).text();
    assert!(page.contains("Drive Alpha") && page.contains("Drive Beta"));
    assert!(page.contains(&format!("/charts/random.svg?r={a},{b}")));
    let methods = server.get("/methods").text();
    let method = methods.split('"').find(|text| text.starts_with("/methods/seq-read.1MiB.q8.t1")).unwrap();
    let page = server.get(method).text();
    assert!(page.contains("SEQ1M Q8T1 read") && page.contains("<dd dir=\"auto\">2</dd>"), "{page}");
    assert_eq!(server.get("/about").status, 200);
}

#[test]
fn every_picture_of_a_page_is_there() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Drive Alpha")), server.publish(&named("Drive Beta")));
    for path in [format!("/results/{a}"), format!("/compare?r={a},{b}")] {
        let page = server.get(&path).text();
        let addresses: Vec<String> = page
            .split('"')
            .filter(|text| text.starts_with("/charts/") || text.starts_with("/assets/"))
            .map(|text| text.replace("&amp;", "&"))
            .collect();
        assert!(addresses.len() >= 8, "{addresses:?}");
        for address in addresses {
            assert_eq!(server.get(&address).status, 200, "{address}");
        }
    }
}

#[test]
fn a_plain_form_leads_to_the_comparison() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Alpha")), server.publish(&named("Beta")));
    let answer = server.get(&format!("/compare?r={a}&r={b}"));
    assert_eq!((answer.status, answer.header("location")), (303, format!("/compare?r={a},{b}").as_str()));
    let answer = server.get(&format!("/compare?r={a}%2C{b}&utm_source=x"));
    assert_eq!(answer.header("location"), format!("/compare?r={a},{b}"));
    assert_eq!(server.get(&format!("/compare?r={a},{b}")).status, 200);
    // None or one: the page lets the reader choose.
    assert_eq!(server.get("/compare").status, 200);
    assert_eq!(server.get("/compare?r=").status, 200);
    assert_eq!(server.get(&format!("/compare?r={a}")).status, 200);
}

#[test]
fn the_way_figures_are_shown_stays_in_the_address_and_reaches_every_picture() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Alpha")), server.publish(&named("Beta")));
    let answer = server.get(&format!("/compare?axis=log&lang=ja&r={a}&r={b}&show=relative&x=y"));
    let address = format!("/compare?r={a},{b}&show=relative&axis=log&lang=ja");
    assert_eq!((answer.status, answer.header("location")), (303, address.as_str()));
    let page = server.get(&address);
    assert_eq!(page.status, 200);
    let text = page.text().replace("&amp;", "&");
    for picture in ["svg", "png", "json", "csv"] {
        let wanted = format!("/charts/sequential.{picture}?r={a},{b}&show=relative");
        assert!(text.contains(&wanted), "{wanted}");
    }
    assert!(
        text.contains(&format!("/charts/latency-percentiles.svg?r={a},{b}&theme=light")),
        "it has no shares"
    );
    // What is asked for as usual is left out of the address.
    let answer = server.get(&format!("/compare?r={a},{b}&show=absolute"));
    assert_eq!(answer.header("location"), format!("/compare?r={a},{b}"));
    for bad in ["show=percent", "axis=cubic", "show=relative&show=absolute"] {
        assert_eq!(server.get(&format!("/compare?r={a},{b}&{bad}")).status, 400, "{bad}");
        server.get(&format!("/charts/sequential.svg?r={a},{b}&{bad}")).problem(400, "bad-request");
    }
    let linear = server.get(&format!("/charts/latency-percentiles.svg?r={a}&axis=linear"));
    assert_ne!(linear.text(), server.get(&format!("/charts/latency-percentiles.svg?r={a}")).text());
    let csv = |query: &str| server.get(&format!("/api/v1/compare.csv?r={a},{b}{query}")).text();
    let head = |text: &str| text.lines().next().unwrap().to_owned();
    assert!(head(&csv("&show=relative")).ends_with(",change,share_of_baseline"));
    assert!(head(&csv("")).ends_with(",change"));
    let chart = server.get(&format!("/charts/sequential.csv?r={a},{b}&show=relative")).text();
    assert!(head(&chart).ends_with(",share_of_baseline"), "{chart}");
}

#[test]
fn a_search_without_scripts_finds_what_can_be_added() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Drive Alpha")), server.publish(&named("Drive Beta")));
    let page = server.get("/compare?q=beta").text();
    assert!(page.contains(&format!("href=\"/compare?r={b}\"")) && !page.contains("Drive Alpha"), "{page}");
    // As forms send it, with a space: nothing is led in a circle.
    let page = server.get(&format!("/compare?r={a}&q=drive+beta"));
    assert_eq!(page.status, 200);
    assert!(page.text().contains(&format!("href=\"/compare?r={a},{b}\"")));
    let page = server.get(&format!("/compare?r={a}&r={b}&q=drive%20beta&lang=en"));
    assert_eq!(page.header("location"), format!("/compare?r={a},{b}&q=drive%20beta&lang=en"));
    let page = server.get(page.header("location"));
    assert!(page.status == 200 && page.text().contains("compared already"));
    assert!(server.get("/compare?q=nothing-like-it").text().contains("No result has all of these words."));
}

#[test]
fn pages_and_charts_come_as_markdown() {
    let server = TestServer::start();
    let (a, b) = (server.publish(&named("Drive | Alpha")), server.publish(&named("Drive Beta")));
    for path in [
        format!("/results/{a}.md"),
        format!("/compare.md?r={a},{b}&show=relative"),
        format!("/charts/sequential.md?r={a},{b}"),
    ] {
        let answer = server.get(&path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "text/markdown; charset=utf-8"),
            "{path}"
        );
        let text = answer.text();
        assert!(text.contains("Drive \\| Alpha") && !text.contains('<'), "{path}: {text}");
        assert!(text.contains("## Sequential throughput"), "{path}: {text}");
    }
    server.get(&format!("/compare.md?r={a}")).problem(400, "bad-request");
    server.get("/results/abc.md").problem(404, "no-such-result");
    server.get(&format!("/charts/cliff.md?r={a}")).problem(404, "no-chart-data");
}

#[test]
fn errors_are_pages_where_pages_are_asked_for() {
    let server = TestServer::start();
    for (path, status) in [
        ("/nothing", 404),
        ("/results/abc", 404),
        ("/results/%FF", 404),
        ("/methods/seq-read", 404),
        ("/drives/none-2tb", 404),
        ("/drives/%3Cscript%3E", 404),
        ("/drives?cursor=zz", 400),
        ("/rankings/seq-read", 404),
        ("/rankings/seq-read.1MiB.q8.t1/cpu_ns_per_io", 404),
        ("/rankings/seq-read.1MiB.q8.t1/iops?from=much", 400),
        ("/rankings/seq-read.1MiB.q8.t1/iops?interface=rope", 400),
        ("/keys/12", 404),
        ("/sitemap.xml?part=0", 404),
        ("/sitemap.xml?part=9", 404),
        ("/compare?r=a~b", 400),
        ("/?limit=0", 400),
        ("/?q=a&q=b", 400),
    ] {
        let answer = server.get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, "text/html; charset=utf-8"),
            "{path}"
        );
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert!(answer.text().starts_with("<!DOCTYPE html>"), "{path}");
    }
    let answer = server.get("/%3Cscript%3Ealert(1)%3C/script%3E");
    assert_eq!(answer.status, 404);
    assert!(!answer.text().contains("<script>alert"));
}

#[test]
fn lists_lead_to_their_next_page() {
    let server = TestServer::start();
    for name in ["A", "B", "C"] {
        server.publish(&named(&format!("Drive {name}")));
    }
    let page = server.get("/?sort=drive&limit=2").text();
    assert!(page.contains("Drive A") && !page.contains("Drive C"));
    let next = page.split('"').find(|text| text.contains("cursor=")).unwrap().replace("&amp;", "&");
    let page = server.get(&next).text();
    assert!(page.contains("Drive C") && !page.contains("Drive A"));
}
