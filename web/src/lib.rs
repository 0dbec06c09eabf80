//! Shows results as pages: plain HTML from the server, and islands that come alive in the browser.
//!
//! Knows: how a page is worded and laid out. The feature `ssr` holds the pages, data in and a whole
//! HTML document out; the feature `hydrate` makes the WebAssembly module behind the islands.
//! Does not know: routes, the store, how charts are drawn, or what a figure means.
#![warn(missing_docs)]
// Every element of a view is part of its type.
#![recursion_limit = "256"]

pub mod islands;
#[cfg(feature = "open")]
pub mod open;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
mod parts;
#[cfg(feature = "ssr")]
mod shell;
#[cfg(all(test, feature = "ssr"))]
mod tests;
#[cfg(feature = "ssr")]
mod texts;
#[cfg(feature = "ssr")]
mod words;

/// Prepares the reactive system; `boot.js` then calls one function per island.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
