//! A real browser over Debian's chromedriver: one driver process per test, a fresh profile per session.

use crate::programs::from_environment;
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};
use thirtyfour::{BrowserLogEntry, LoggingPrefsLogLevel, prelude::*};

/// A running chromedriver, stopped when dropped.
struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    fn start() -> Self {
        let mut child = Command::new(from_environment("CHROMEDRIVER"))
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_once("successfully on port ")
                    .map(|(_, rest)| rest.trim_end_matches('.').to_owned())
            })
            .expect("chromedriver prints its port");
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, url: format!("http://127.0.0.1:{port}") }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How the reader looks at a page.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) dark: bool,
    pub(crate) scripts: bool,
}

/// A desk: wide, light, with scripts.
pub(crate) const DESK: View = View { width: 1280, dark: false, scripts: true };

/// A page in a browser.
pub(crate) struct Browser {
    pub(crate) driver: WebDriver,
}

impl Browser {
    /// Runs a test in a browser with this view. The browser ends with its driver, whatever the test does.
    pub(crate) fn with(view: View, test: impl AsyncFnOnce(&Self)) {
        let chromedriver = Driver::start();
        let profile = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let browser = Self::open(&chromedriver.url, profile.path(), view).await;
            test(&browser).await;
            browser.driver.quit().await.unwrap();
        });
    }

    async fn open(url: &str, profile: &std::path::Path, view: View) -> Self {
        let mut capabilities = DesiredCapabilities::chrome();
        let profile = format!("--user-data-dir={}", profile.display());
        for argument in [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &profile,
        ] {
            capabilities.add_arg(argument).unwrap();
        }
        capabilities.set_browser_log_level(LoggingPrefsLogLevel::All).unwrap();
        let driver = WebDriver::new(url, capabilities).await.unwrap();
        let this = Self { driver };
        let size =
            serde_json::json!({"width": view.width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        this.command("Emulation.setDeviceMetricsOverride", size).await;
        let scheme = if view.dark { "dark" } else { "light" };
        let media = serde_json::json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        this.command("Emulation.setEmulatedMedia", media).await;
        this.command("Emulation.setScriptExecutionDisabled", serde_json::json!({"value": !view.scripts}))
            .await;
        this
    }

    async fn command(&self, name: &str, parameters: serde_json::Value) -> serde_json::Value {
        self.driver.cdp().send_raw(name, parameters).await.unwrap()
    }

    /// Opens an address and waits for the page to be loaded.
    pub(crate) async fn visit(&self, address: &str) {
        self.driver.goto(address).await.unwrap();
    }

    /// Evaluates a script's `return` value.
    pub(crate) async fn eval(&self, script: &str) -> serde_json::Value {
        self.driver.execute(script, vec![]).await.unwrap().json().clone()
    }

    /// Waits until a script returns true; fails after ten seconds with what was waited for.
    pub(crate) async fn until(&self, what: &str, script: &str) {
        let asked = "const done = arguments[arguments.length - 1], end = Date.now() + 10000; \
             (function ask() { let v = false; try { v = (function () { SCRIPT })() } catch (e) { v = String(e) } \
             if (v === true) done('yes'); else if (Date.now() > end) done(String(v)); else requestAnimationFrame(ask) })()"
            .replace("SCRIPT", script);
        let answer = self.driver.execute_async(asked, vec![]).await.unwrap().json().clone();
        assert_eq!(answer, "yes", "waited for {what}");
    }

    /// Waits until the page's islands have come alive.
    pub(crate) async fn until_alive(&self) {
        self.until("the islands to come alive", "return document.documentElement.dataset.scripts === 'run'")
            .await;
    }

    /// The browser's complaints so far: errors and warnings of scripts, policy and network.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let entries: Vec<BrowserLogEntry> = self.driver.browser_log().await.unwrap();
        entries
            .into_iter()
            .filter(|entry| entry.level != "INFO" && entry.level != "DEBUG")
            .map(|entry| entry.message)
            .collect()
    }

    /// The page as a picture, for a person to look at when `CLIFFMARK_SCREENSHOTS` names a directory.
    pub(crate) async fn picture(&self, name: &str) {
        if let Ok(dir) = std::env::var("CLIFFMARK_SCREENSHOTS") {
            let whole = serde_json::json!({"captureBeyondViewport": true, "format": "png"});
            let answer = self.command("Page.captureScreenshot", whole).await;
            let data = answer["data"].as_str().unwrap();
            std::fs::write(format!("{dir}/{name}.png.base64"), data).unwrap();
        }
    }
}
