//! Files opened without a server: the same code, compiled here instead of for a browser, shows what the server shows.

use crate::support::{NOW_MS, TestServer, key, named, sealed, sealed_json};
use ed25519_dalek::SigningKey;
use model::{document::PAYLOAD_TYPE, labels::LabelKey, reading::Reading};
use web::open::Desk;

#[expect(clippy::cast_precision_loss, reason = "a time of this century")]
const NOW: f64 = NOW_MS as f64;

fn desk_with(bundles: &[&[u8]]) -> Desk {
    let mut desk = Desk::new("en");
    for bytes in bundles {
        assert_eq!(desk.add("file.cliffmark", bytes, NOW), "");
    }
    desk
}

/// The texts of a page's tables, which are the figures that it shows.
fn cells(html: &str) -> Vec<String> {
    let rows = html.split("<td").skip(1).filter_map(|rest| rest.split_once('>')?.1.split("</td>").next());
    rows.map(str::to_owned).collect()
}

#[test]
fn a_file_shows_the_figures_of_its_page() {
    let server = TestServer::start();
    let bytes = named("Example");
    let id = server.publish(&bytes);
    let desk = desk_with(&[&bytes]);
    let (page, served) = (desk.page(), server.get(&format!("/results/{id}")).text());
    assert!(cells(&page).len() > 50, "{page}");
    assert_eq!(cells(&page), cells(&served));
    assert!(page.contains(&id) && page.contains("Your browser checked this file's signature"), "{page}");
    assert_eq!((desk.id(0), desk.count(), desk.title(0)), (id, 1, "Example · cdm".to_owned()));
    // Pictures and downloads have no address where there is no server.
    for nothing in ["<img", "<html", "/charts/", "/api/", "/compare", "leptos-island"] {
        assert!(!page.contains(nothing), "{nothing}");
    }
    for chart in ["sequential", "random"] {
        assert!(page.contains(&format!("data-chart=\"{chart}\"")), "{page}");
        let drawn: serde_json::Value = serde_json::from_str(&desk.chart(chart, true, 700)).unwrap();
        assert!(drawn["height"].as_u64().unwrap() > 100 && drawn["option"]["series"].is_array());
    }
    assert_eq!(
        (desk.chart("cliff", false, 700), desk.chart("../x", false, 700)),
        (String::new(), String::new())
    );
}

#[test]
fn several_files_are_compared_as_on_the_server() {
    let server = TestServer::start();
    let bundles = [named("Alpha"), named("Beta")];
    let ids = bundles.each_ref().map(|bytes| server.publish(bytes));
    let mut desk = desk_with(&[&bundles[0], &bundles[1]]);
    let page = desk.page();
    assert_eq!(cells(&page), cells(&server.get(&format!("/compare?r={}", ids.join(","))).text()));
    assert!(page.contains("Alpha against Beta") && desk.told().contains("2 results are compared"));
    for nothing in ["href=\"/results", "/api/", "/charts/", "id=\"choose\"", "<img"] {
        assert!(!page.contains(nothing), "{nothing}");
    }
    desk.make_first(1);
    assert!(desk.page().contains("Beta against Alpha"));
    desk.remove(1);
    assert_eq!((desk.count(), desk.title(0)), (1, "Beta · cdm".to_owned()));
    desk.remove(9);
    desk.make_first(9);
    desk.remove(0);
    assert_eq!((desk.page(), desk.told()), (String::new(), "No file is open.".to_owned()));
}

#[test]
fn at_most_eight_files_are_open_each_once() {
    let bundles: Vec<_> = (0..9).map(|number| named(&format!("Drive {number}"))).collect();
    let mut desk = desk_with(&bundles[..8].iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert!(desk.add("ninth", &bundles[8], NOW).contains("eight results is the most"));
    desk.remove(0);
    assert_eq!(desk.add("again", &bundles[3], NOW), "again is not shown: this result is open already.");
}

#[test]
fn what_is_wrong_with_a_file_is_one_sentence() {
    let good = named("Example");
    let verified = bundle::open(&good).unwrap();
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let contradiction = sealed(|document| document.cells[0].loops[1].read.as_mut().unwrap().bytes += 512);
    let cases = [
        (b"PK\x03\x04 photos".to_vec(), "it is no bundle"),
        (Vec::new(), "ends too early"),
        (good[..good.len() / 2].to_vec(), "ends too early"),
        ([&good[..], b"more"].concat(), "it is damaged"),
        (vec![0; bundle::MAX_COMPRESSED_BYTES + 1], "larger than a bundle may be, which is 8 MiB"),
        (zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap(), "far more than a bundle may hold"),
        (zstd::bulk::compress(b"{}", 3).unwrap(), "something else than a signed result"),
        (
            bundle::seal_payload(PAYLOAD_TYPE, verified.payload(), &stranger).unwrap(),
            "signature does not match",
        ),
        (sealed_json(|json| json["schema"] = "1.7".into()), "has version 1.7"),
        (sealed_json(|json| json["host"]["secret"] = 1.into()), "unknown field `secret`"),
        (contradiction, "its figures cannot be right."),
        (sealed(|document| document.started_unix_ms = NOW_MS * 2), "clock was wrong"),
    ];
    for (bytes, expected) in cases {
        for lang in ["en", "ja"] {
            let mut desk = Desk::new(lang);
            let said = desk.add("a.cliffmark", &bytes, NOW);
            assert!(said.contains("a.cliffmark") && !said.contains('\n'), "{said}");
            assert!(lang == "ja" || said.contains(expected), "{expected}: {said}");
            assert_eq!((desk.count(), desk.page()), (0, String::new()));
        }
    }
}

#[test]
fn what_a_file_says_does_not_become_markup() {
    let name = "</script><img src=x onerror=alert(1)>";
    let hostile = sealed(|document| {
        document.drive.model = Reading::Known(name.to_owned());
        document.labels.insert(LabelKey::Note, "\"><svg onload=alert(2)>".to_owned());
    });
    let plain = named("Example");
    for bundles in [vec![&hostile[..]], vec![&hostile[..], &plain[..]]] {
        let page = desk_with(&bundles).page();
        assert!(!page.contains("<img") && !page.contains("<svg") && !page.contains("</script>"), "{page}");
        assert!(page.contains("&lt;img src=x"), "{page}");
    }
    assert_eq!(bundle::open(&hostile).unwrap().public_key(), bundle::public_key(&key()));
}

#[test]
fn the_pages_say_what_they_do_without_scripts() {
    let server = TestServer::start();
    for (path, command) in [("/open", "cliffmark show FILE"), ("/upload", "cliffmark upload FILE")] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let page = answer.text();
        assert!(page.contains(command) && page.contains("<noscript>"), "{page}");
        assert!(answer.header("content-security-policy").contains("connect-src 'self'"));
        let japanese = server.get(&format!("{path}?lang=ja")).text();
        assert!(japanese.contains("<html lang=\"ja\"") && japanese.contains(command), "{japanese}");
        assert!(japanese.contains("JavaScriptを有効にすると"), "{japanese}");
    }
}
