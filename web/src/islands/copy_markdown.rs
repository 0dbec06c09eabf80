//! Copies a text that the server has under an address: the same Markdown that the link beside it opens.
//!
//! Only this file calls `cliffmark.copyText`, set by `boot.js`.

use super::scripts_run;
use leptos::{prelude::*, task::spawn_local};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Function, Promise, Reflect};

/// Words at a button that copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyWords {
    /// The link to the text itself.
    pub link: String,
    /// The button.
    pub button: String,
    /// What it copies, for those who hear the button without what stands around it.
    pub of: String,
    /// That it was copied.
    pub done: String,
    /// That it was not, and what to do.
    pub failed: String,
}

/// A link to the Markdown of something and a button that copies it.
#[island]
pub fn CopyMarkdown(
    /// Address of the text.
    href: String,
    /// Words at the button.
    words: CopyWords,
) -> impl IntoView {
    let ready = scripts_run();
    view! { <p class="tools">{copy_tools(href, words, ready)}</p> }
}

/// The same as a part of another island's tools.
pub(super) fn copy_tools(href: String, words: CopyWords, ready: ReadSignal<bool>) -> impl IntoView {
    let CopyWords { link, button, of, done, failed } = words;
    let (told, set_told) = signal(String::new());
    let address = href.clone();
    let click = move |_| {
        let (address, done, failed) = (address.clone(), done.clone(), failed.clone());
        set_told.set(String::new());
        spawn_local(async move {
            let copied = copy_text(&address).await;
            set_told.set(if copied.is_ok() { done } else { failed });
        });
    };
    let named = format!(": {of}");
    view! {
        <a href=href>{link}</a>
        <button
            type="button"
            class:unready=move || !ready.get()
            prop:disabled=move || !ready.get()
            on:click=click
        >
            {button}
            <span class="visually-hidden">{named}</span>
        </button>
        <span role="status">{told}</span>
    }
}

async fn copy_text(address: &str) -> Result<JsValue, JsValue> {
    let ours = Reflect::get(&window(), &JsValue::from_str("cliffmark"))?;
    let copy: Function = Reflect::get(&ours, &JsValue::from_str("copyText"))?.dyn_into()?;
    let promise: Promise = copy.call1(&ours, &JsValue::from_str(address))?.dyn_into()?;
    wasm_bindgen_futures::JsFuture::from(promise).await
}
