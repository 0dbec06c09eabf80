//! Files opened in a real browser: checked, shown, compared, published, and nothing sent before the reader says so.

use crate::{
    browser::{Browser, DESK, View},
    fixture::{hostile, sealed},
    programs::{Server, disk_dir},
};
use std::path::{Path, PathBuf};
use thirtyfour::By;

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Opens `/open` or `/upload` and waits for its scripts.
async fn visit(browser: &Browser, server: &Server, path: &str) {
    browser.visit(&format!("{}{path}", server.url)).await;
    browser.until_alive().await;
    browser
        .until("the field to be ready", "return document.getElementById('desk').dataset.ready === 'yes'")
        .await;
}

/// Chooses files as a reader does, and waits until all of them are checked.
async fn choose(browser: &Browser, files: &[&Path]) {
    let names: Vec<_> = files.iter().map(|path| path.to_str().unwrap()).collect();
    let input = browser.driver.find(By::Id("files")).await.unwrap();
    input.send_keys(names.join("\n")).await.unwrap();
    browser.until("the files to be checked", "return !document.getElementById('files').disabled && document.getElementById('files').value === ''").await;
}

async fn text(browser: &Browser, id: &str) -> String {
    let script = format!("return document.getElementById('{id}').textContent");
    browser.eval(&script).await.as_str().unwrap().to_owned()
}

const REQUESTS: &str = "return performance.getEntriesByType('resource').map((one) => one.initiatorType + ' ' + \
    new URL(one.name).pathname).filter((one) => !one.includes('/assets/'))";

#[test]
fn a_bundle_is_read_without_being_sent() {
    let (server, folder) = (Server::start(), disk_dir());
    let good = file(folder.path(), "good.cliffmark", &sealed("Opened Drive", 1.0));
    Browser::with(DESK, async |browser| {
        visit(browser, &server, "/open").await;
        choose(browser, &[&good]).await;
        assert_eq!(
            text(browser, "said").await,
            "The signature is right. The result of Opened Drive is shown below."
        );
        assert_eq!(text(browser, "wrong").await, "");
        let heading = browser.eval("return document.querySelector('#shown h1').textContent").await;
        assert!(heading.as_str().unwrap().starts_with("Opened Drive"), "{heading}");
        assert!(text(browser, "shown").await.contains("SEQ1M Q8T1"));
        browser.eval("document.querySelector('#shown #sequential').scrollIntoView()").await;
        browser
            .until(
                "the chart to be drawn",
                "const c = document.querySelector('#shown #sequential canvas'); return c !== null && c.width > 300",
            )
            .await;
        browser.picture("open").await;
        assert_eq!(
            browser.eval(REQUESTS).await,
            serde_json::json!([]),
            "nothing of the file leaves the browser"
        );
        assert_eq!(browser.complaints().await, [""; 0]);
    });
    assert_eq!(server.get("/api/v1/results").json()["total"], 0);
}

#[test]
fn a_bad_file_is_told_and_the_good_ones_stay() {
    let (server, folder) = (Server::start(), disk_dir());
    let good = sealed("Opened Drive", 1.0);
    let mut tampered = good.clone();
    let middle = tampered.len() / 2;
    tampered[middle] ^= 1;
    let tampered = file(folder.path(), "tampered.cliffmark", &tampered);
    let foreign = file(folder.path(), "holiday.cliffmark", b"no bundle at all");
    let large = file(folder.path(), "large.cliffmark", &vec![0; 9 << 20]);
    let good = file(folder.path(), "good.cliffmark", &good);
    Browser::with(DESK, async |browser| {
        visit(browser, &server, "/open").await;
        choose(browser, &[&tampered]).await;
        let wrong = text(browser, "wrong").await;
        assert!(wrong.starts_with("tampered.cliffmark is not shown: "), "{wrong}");
        assert_eq!(
            (text(browser, "shown").await, text(browser, "said").await.as_str()),
            (String::new(), "No file is open.")
        );
        choose(browser, &[&foreign, &good, &large]).await;
        let wrong = text(browser, "wrong").await;
        assert!(wrong.contains("holiday.cliffmark is not shown: it is no bundle"), "{wrong}");
        assert!(wrong.contains("large.cliffmark is not shown: it is larger than a bundle may be"), "{wrong}");
        assert!(text(browser, "shown").await.contains("Opened Drive"));
        assert_eq!(browser.complaints().await, [""; 0]);
    });
}

#[test]
fn two_bundles_are_compared_and_nothing_in_them_is_obeyed() {
    let (server, folder) = (Server::start(), disk_dir());
    let first = file(folder.path(), "first.cliffmark", &sealed("First Drive", 1.0));
    let second = file(folder.path(), "second.cliffmark", &hostile());
    let narrow = View { width: 380, dark: true, scripts: true };
    for view in [DESK, narrow] {
        Browser::with(view, async |browser| {
            visit(browser, &server, "/open").await;
            choose(browser, &[&first, &second]).await;
            assert!(text(browser, "said").await.contains("2 results are compared"));
            let heading = text(browser, "shown").await;
            assert!(heading.contains("First Drive against </script><img src=x"), "{heading}");
            assert_eq!(
                browser
                    .eval("return document.querySelectorAll('#shown img, #shown svg, #shown script').length")
                    .await,
                0
            );
            // By the keyboard: the second one becomes the baseline.
            browser.eval("document.querySelector('#open-files li:nth-child(2) button').focus()").await;
            browser.driver.active_element().await.unwrap().send_keys("\u{e007}").await.unwrap();
            browser
                .until(
                    "the other baseline",
                    "return document.querySelector('#shown h1').textContent.endsWith('against First Drive')",
                )
                .await;
            let overflow = browser
                .eval("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                .await;
            assert_eq!(overflow, 0, "nothing sticks out of the page");
            browser.picture(&format!("open-compare-{}", view.width)).await;
            assert_eq!(browser.complaints().await, [""; 0]);
        });
    }
}

#[test]
fn a_bundle_is_published_on_a_click_and_not_before() {
    let (server, folder) = (Server::start(), disk_dir());
    let good = file(folder.path(), "good.cliffmark", &sealed("Published Drive", 1.0));
    Browser::with(DESK, async |browser| {
        visit(browser, &server, "/upload").await;
        choose(browser, &[&good]).await;
        assert_eq!(server.get("/api/v1/results").json()["total"], 0);
        for said in ["Published.", "This result had been published before."] {
            let button = browser.driver.find(By::Css("#publish button")).await.unwrap();
            button.click().await.unwrap();
            let done = format!("return document.getElementById('said').textContent === '{said}'");
            browser.until(said, &done).await;
            assert_eq!(server.get("/api/v1/results").json()["total"], 1);
            let link = browser.driver.find(By::Css("#publish a")).await.unwrap();
            link.click().await.unwrap();
            browser.until("its page", "return location.pathname.startsWith('/results/') && document.querySelector('h1').textContent.startsWith('Published Drive')").await;
            visit(browser, &server, "/upload").await;
            choose(browser, &[&good]).await;
        }
        assert_eq!(browser.complaints().await, [""; 0]);
    });
}

#[test]
fn a_refusal_of_the_server_is_told_in_its_words() {
    let (server, folder) = (Server::start(), disk_dir());
    let good = file(folder.path(), "good.cliffmark", &sealed("Published Drive", 1.0));
    Browser::with(DESK, async |browser| {
        visit(browser, &server, "/upload").await;
        choose(browser, &[&good]).await;
        // What the page holds is spoiled on its way.
        browser
            .eval("const real = window.fetch; window.fetch = (to, how) => real(to, { ...how, body: how.body.slice(0, 100) })")
            .await;
        browser.driver.find(By::Css("#publish button")).await.unwrap().click().await.unwrap();
        browser
            .until(
                "the refusal",
                "return document.getElementById('wrong').textContent.includes('The server did not take it: the bundle is cut off')",
            )
            .await;
        assert_eq!(server.get("/api/v1/results").json()["total"], 0);
    });
}
