//! The files that browsers load, compiled in under names that change with their content.

use web::pages::Assets;

/// One file.
#[derive(Debug)]
pub struct Asset {
    /// What it is: `css/site.css`, `app.wasm`.
    pub logical: &'static str,
    /// Its name in addresses, with a hash of its content.
    pub file: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// The same compressed with brotli, `None` when there is no such twin.
    pub brotli: Option<&'static [u8]>,
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file of this name in addresses.
#[must_use]
pub fn find(file: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.file == file)
}

/// Whether the scripts were compiled in; without them pages are served that need none.
#[must_use]
pub fn has_scripts() -> bool {
    address("js/boot.js").is_some()
}

/// The addresses that pages refer to.
#[must_use]
pub fn addresses() -> Assets {
    Assets {
        css: address("css/site.css").unwrap_or_default(),
        boot_js: address("js/boot.js"),
        app_js: address("app.js"),
        app_wasm: address("app.wasm"),
        chart_js: address("js/chart.js"),
        echarts_js: address("echarts.js"),
        open_js: address("js/open.js"),
        desk_js: address("desk.js"),
        desk_wasm: address("desk.wasm"),
        favicon: address("icons/favicon.svg"),
    }
}

fn address(logical: &str) -> Option<String> {
    ASSETS.iter().find(|asset| asset.logical == logical).map(|asset| format!("/assets/{}", asset.file))
}
