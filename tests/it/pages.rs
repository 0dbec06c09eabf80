//! The pages as readers see them: in a real browser, light and dark, on a desk and on a phone, with and
//! without scripts.

use crate::{
    browser::{Browser, DESK, View},
    fixture::{hostile, sealed, sealed_with},
    programs::Server,
};
use model::{chart_id::ChartId, labels::LabelKey};

/// A server with two comparable results and a hostile one, and the paths of its pages.
struct Site {
    server: Server,
    ids: Vec<String>,
}

impl Site {
    fn new() -> Self {
        let server = Server::start();
        let chipset = sealed_with("Example SSD Alpha 1TB", 1.25, |document| {
            document.labels.insert(LabelKey::Slot, "chipset slot".to_owned());
        });
        let bundles =
            [sealed("Example SSD Alpha 1TB", 1.0), chipset, sealed("Example SSD Beta 1TB", 1.4), hostile()];
        let ids = bundles.iter().map(|bundle| server.publish(bundle)).collect();
        Self { server, ids }
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.server.url)
    }

    fn pages(&self) -> Vec<(&'static str, String)> {
        vec![
            ("home", self.address("/")),
            ("result", self.address(&format!("/results/{}", self.ids[0]))),
            ("hostile", self.address(&format!("/results/{}", self.ids[3]))),
            ("compare", self.address(&format!("/compare?r={}", self.ids[..3].join(",")))),
            ("compare-hostile", self.address(&format!("/compare?r={},{}", self.ids[0], self.ids[3]))),
            ("chooser", self.address("/compare")),
            ("methods", self.address("/methods")),
            ("open", self.address("/open")),
            ("upload", self.address("/upload")),
            ("about", self.address("/about")),
        ]
    }
}

/// Every picture is there, nothing sticks out, nothing came from elsewhere, nothing complained.
async fn check_page(browser: &Browser, name: &str, address: &str) {
    browser.visit(address).await;
    let broken = browser
        .eval(
            "document.querySelectorAll('img').forEach(i => i.loading = 'eager'); \
             return Promise.all([...document.images].map(i => i.decode().then(() => null, () => i.currentSrc || i.src))).then(a => a.filter(Boolean))",
        )
        .await;
    assert_eq!(broken, serde_json::json!([]), "{name}: pictures");
    let unsized_images =
        browser.eval("return [...document.images].filter(i => !i.alt || !i.width || !i.height).length").await;
    assert_eq!(unsized_images, 0, "{name}: every picture has alt, width and height");
    let sideways = browser
        .eval("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        .await;
    assert!(sideways.as_i64().unwrap() <= 0, "{name}: the page scrolls sideways by {sideways} px");
    let foreign = browser
        .eval("return performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.origin) && !n.startsWith('data:'))")
        .await;
    assert_eq!(foreign, serde_json::json!([]), "{name}: requests to other hosts");
    let injected = browser
        .eval("return document.querySelectorAll('[onerror],[onload],[style],script:not([src]),img[src=x]').length")
        .await;
    assert_eq!(injected, 0, "{name}: inline code or style");
    let headings = browser
        .eval("return [...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1]).some((l, i, a) => i > 0 && l > a[i - 1] + 1)")
        .await;
    assert_eq!(headings, false, "{name}: a heading level is left out");
    assert_eq!(browser.eval("return document.querySelectorAll('h1').length").await, 1, "{name}: one h1");
    browser.picture(name).await;
    assert_eq!(browser.complaints().await, [""; 0], "{name}: the browser complained");
}

fn check_all_pages(view: View, prefix: &str) {
    let site = Site::new();
    Browser::with(view, async |browser: &Browser| {
        for (name, address) in site.pages() {
            check_page(browser, &format!("{prefix}-{name}"), &address).await;
        }
    });
}

#[test]
fn every_page_is_sound_on_a_desk_in_the_light() {
    check_all_pages(DESK, "light");
}

#[test]
fn every_page_is_sound_on_a_phone_in_the_dark() {
    check_all_pages(View { width: 380, dark: true, scripts: true }, "phone-dark");
}

#[test]
fn every_page_is_complete_without_scripts() {
    check_all_pages(View { scripts: false, ..DESK }, "noscript");
}

#[test]
fn results_are_chosen_and_compared_with_the_keyboard() {
    let site = Site::new();
    Browser::with(DESK, async |browser: &Browser| {
        browser.visit(&site.address("/")).await;
        browser.until_alive().await;
        let boxes = "document.querySelectorAll('input[type=checkbox][name=r]')";
        browser.eval(&format!("{boxes}[0].focus()")).await;
        let active = browser.driver.active_element().await.unwrap();
        active.send_keys(" ").await.unwrap();
        browser.eval(&format!("{boxes}[1].focus()")).await;
        browser.driver.active_element().await.unwrap().send_keys(" ").await.unwrap();
        browser
            .until("the count of chosen results", "return document.body.innerText.includes('2 of 8')")
            .await;
        browser.driver.active_element().await.unwrap().send_keys(thirtyfour::Key::Enter + "").await.unwrap();
        browser
            .until(
                "the comparison",
                "return location.pathname === '/compare' && location.search.includes('r=')",
            )
            .await;
        assert_eq!(browser.complaints().await, [""; 0]);
    });
}

#[test]
fn tables_are_sorted_in_the_browser() {
    let site = Site::new();
    Browser::with(DESK, async |browser: &Browser| {
        browser.visit(&site.address("/")).await;
        browser.until_alive().await;
        let first = "return document.querySelector('tbody tr').innerText";
        let before = browser.eval(first).await;
        for _ in 0..2 {
            browser.eval("document.querySelector('th[aria-sort] button, th button').click()").await;
        }
        browser
            .until(
                "a sorted column",
                "return document.querySelector('th[aria-sort=ascending],th[aria-sort=descending]') !== null",
            )
            .await;
        let once = browser.eval(first).await;
        browser.eval("document.querySelector('th[aria-sort] button, th button').click()").await;
        browser
            .until(
                "another order",
                &format!("return document.querySelector('tbody tr').innerText !== {once}"),
            )
            .await;
        assert_ne!(before, serde_json::Value::Null);
    });
}

#[test]
fn every_chart_becomes_interactive_without_moving_the_page() {
    let site = Site::new();
    Browser::with(DESK, async |browser: &Browser| {
        browser.visit(&site.address(&format!("/compare?r={}", site.ids[..3].join(",")))).await;
        browser.until_alive().await;
        assert_eq!(
            browser.eval("return typeof window.echarts").await,
            "undefined",
            "the library loads on demand only"
        );
        // Those that the cells of this result fill.
        for chart in [ChartId::Sequential, ChartId::Random, ChartId::RepeatRuns, ChartId::LatencyPercentiles]
        {
            let height = "return Math.round(document.documentElement.scrollHeight)";
            let before = browser.eval(height).await.as_i64().unwrap();
            browser.eval(&format!("document.querySelector('#{chart} button').click()")).await;
            let drawn = format!("return document.querySelector('#{chart} svg, #{chart} canvas') !== null");
            browser.until(&format!("the interactive {chart}"), &drawn).await;
            // The picture may not have been loaded yet: its attributes say how wide it is laid out.
            let as_wide = format!(
                "return document.querySelector('#{chart} .drawing').clientWidth == document.querySelector('#{chart} img').getAttribute('width')"
            );
            assert_eq!(browser.eval(&as_wide).await, true, "{chart} is drawn for the width of its picture");
            let after = browser.eval(height).await.as_i64().unwrap();
            assert!((after - before).abs() <= 1, "{chart} moved the page by {} px", after - before);
        }
        browser.picture("interactive").await;
        assert_eq!(browser.complaints().await, [""; 0]);
    });
}

#[test]
fn results_are_found_by_typing_part_of_a_name() {
    let site = Site::new();
    Browser::with(DESK, async |browser: &Browser| {
        browser.visit(&site.address("/compare")).await;
        browser.until_alive().await;
        let field = browser.driver.find(thirtyfour::By::Css("input[role=combobox]")).await.unwrap();
        field.send_keys("beta").await.unwrap();
        browser.until("a suggestion", "return [...document.querySelectorAll('[role=option]')].some(o => o.innerText.includes('Beta'))").await;
        assert_eq!(browser.complaints().await, [""; 0]);
    });
}
