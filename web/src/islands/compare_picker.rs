//! Finds results by part of a name and adds one to the comparison.
//!
//! The comparison's whole state is its address: adding a result means going to the new address. Without
//! scripts the same field searches the list of results.

use super::scripts_run;
use leptos::{ev, html, prelude::*, task::spawn_local};
use serde::Deserialize;
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};

/// Most suggestions shown.
const SUGGESTIONS: usize = 8;

/// A result that can be added.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suggestion {
    id: String,
    drive: String,
    details: String,
}

/// The part of the API's list that is read here.
#[derive(Deserialize)]
struct Found {
    results: Vec<FoundResult>,
}

#[derive(Deserialize)]
struct FoundResult {
    head: FoundHead,
}

#[derive(Deserialize)]
struct FoundHead {
    id: String,
    drive: String,
    suite: String,
    started_unix_ms: f64,
    origin: String,
    labels: BTreeMap<String, String>,
}

/// The search field of the comparison page.
#[cfg_attr(not(all(feature = "open", target_arch = "wasm32")), island)]
#[cfg_attr(all(feature = "open", target_arch = "wasm32"), component)]
pub fn ComparePicker(
    /// Ids of the results that are compared already, in order.
    chosen: Vec<String>,
) -> impl IntoView {
    let ready = scripts_run();
    let (found, set_found) = signal(Vec::<Suggestion>::new());
    let (active, set_active) = signal(None::<usize>);
    let (message, set_message) = signal("");
    let input = NodeRef::<html::Input>::new();
    // Answers of older questions are dropped.
    let question = StoredValue::new(0_u32);

    let taken = StoredValue::new(chosen);
    let choose = move |index: usize| {
        let Some(id) = found.with_untracked(|list| list.get(index).map(|found| found.id.clone())) else {
            return;
        };
        let address = taken.with_value(|taken| {
            let ids: Vec<&str> = taken.iter().map(String::as_str).chain([id.as_str()]).collect();
            format!("/compare?r={}", ids.join(","))
        });
        // An address of our own making is always valid.
        _ = window().location().set_href(&address);
    };
    let close = move || {
        set_found.set(Vec::new());
        set_active.set(None);
    };
    let ask = move |_| {
        let Some(text) = input.get_untracked().map(|field| field.value()) else { return };
        let number = question.try_update_value(|number| {
            *number += 1;
            *number
        });
        if text.trim().chars().count() < 2 {
            set_message.set("");
            return close();
        }
        spawn_local(async move {
            let answer = search(&text).await;
            if question.try_get_value() != number {
                return;
            }
            set_active.set(None);
            match answer {
                Ok(list) => {
                    let list: Vec<_> = list
                        .into_iter()
                        .filter(|found| taken.with_value(|taken| !taken.contains(&found.id)))
                        .take(SUGGESTIONS)
                        .collect();
                    set_message.set(if list.is_empty() { "No other result has these words." } else { "" });
                    set_found.set(list);
                }
                Err(_) => {
                    set_message.set("The search did not answer. Press Enter to search the list instead.");
                    close();
                }
            }
        });
    };
    let key = move |event: ev::KeyboardEvent| {
        let length = found.with_untracked(Vec::len);
        let now = active.get_untracked();
        match event.key().as_str() {
            "ArrowDown" if length > 0 => set_active.set(Some(now.map_or(0, |i| (i + 1) % length))),
            "ArrowUp" if length > 0 => {
                set_active.set(Some(now.map_or(length - 1, |i| (i + length - 1) % length)));
            }
            "Escape" if length > 0 => close(),
            "Enter" => match now {
                Some(index) => choose(index),
                None => return,
            },
            _ => return,
        }
        event.prevent_default();
    };

    let list_items = move || {
        found
            .get()
            .into_iter()
            .enumerate()
            .map(|(index, found)| {
                view! {
                    <li
                        role="option"
                        id=option_id(index)
                        aria-selected=move || (active.get() == Some(index)).to_string()
                        on:mousedown=move |event| {
                            event.prevent_default();
                            choose(index);
                        }
                    >
                        <span dir="auto">{found.drive}</span>
                        " "
                        <small>{found.details}</small>
                    </li>
                }
            })
            .collect_view()
    };

    view! {
        <form class="search picker" action="/" method="get" role="search">
            <label for="add">"Add a result"</label>
            <span class="field">
                <input
                    id="add"
                    name="q"
                    type="search"
                    maxlength="200"
                    autocomplete="off"
                    placeholder="Part of a drive's name"
                    node_ref=input
                    role=move || ready.get().then_some("combobox")
                    aria-autocomplete=move || ready.get().then_some("list")
                    aria-controls=move || ready.get().then_some("suggestions")
                    aria-expanded=move || ready.get().then(|| found.with(|list| !list.is_empty()).to_string())
                    aria-activedescendant=move || active.get().map(option_id)
                    on:input=ask
                    on:keydown=key
                    on:blur=move |_| close()
                />
                <ul
                    id="suggestions"
                    role="listbox"
                    aria-label="Results found"
                    hidden=move || found.with(Vec::is_empty)
                >
                    {list_items}
                </ul>
            </span>
            <button type="submit">"Search the list"</button>
            <span class="note" role="status">
                {message}
            </span>
        </form>
    }
}

fn option_id(index: usize) -> String {
    format!("suggestion-{index}")
}

async fn search(text: &str) -> Result<Vec<Suggestion>, JsValue> {
    let words = web_sys::js_sys::encode_uri_component(text);
    let address = format!("/api/v1/results?q={}&limit=16", String::from(words));
    let response = wasm_bindgen_futures::JsFuture::from(window().fetch_with_str(&address)).await?;
    let response: web_sys::Response = response.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::NULL);
    }
    let body = wasm_bindgen_futures::JsFuture::from(response.text()?).await?;
    let body = body.as_string().ok_or(JsValue::NULL)?;
    let found: Found = serde_json::from_str(&body).map_err(|_| JsValue::NULL)?;
    Ok(found.results.into_iter().map(|result| suggestion(result.head)).collect())
}

/// Whether the browser has a date for these milliseconds since 1970; asking for another one's text throws.
/// Source: ECMA-262, "Time Values and Time Range".
fn is_date(unix_ms: f64) -> bool {
    unix_ms.abs() <= 8.64e15
}

fn suggestion(head: FoundHead) -> Suggestion {
    let time: String = if is_date(head.started_unix_ms) {
        let date = web_sys::js_sys::Date::new(&JsValue::from_f64(head.started_unix_ms));
        // `2026-11-30T14:05:12.000Z` to the minute, as the pages write it.
        let time: String = date.to_iso_string().as_string().unwrap_or_default().chars().take(16).collect();
        time.replace('T', " ") + " UTC"
    } else {
        "date not known".to_owned()
    };
    let told = |name: &str| head.labels.get(name).map_or(String::new(), |text| format!(", {name} {text}"));
    let labels = told("cooling") + &told("slot");
    let simulated = if head.origin == "simulated" { ", simulated" } else { "" };
    let details = format!("{}, {time}{labels}{simulated}", head.suite);
    Suggestion { id: head.id, drive: head.drive, details }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_browsers_do_not_have_are_not_asked_for() {
        for (unix_ms, has) in
            [(0.0, true), (1.8e12, true), (8.64e15, true), (2_f64.powi(63), false), (f64::NAN, false)]
        {
            assert_eq!(is_date(unix_ms), has, "{unix_ms}");
        }
    }
}
