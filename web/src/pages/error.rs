//! What a reader sees instead of a page: what happened, why, and where to go.

use crate::{
    pages::PageContext,
    shell::{Head, Place, document},
};
use leptos::prelude::*;

/// The page for an error: its status, a title and a sentence that says what to do.
#[must_use]
pub fn error(ctx: &PageContext, status: u16, title: &str, detail: &str) -> String {
    let head = Head { title, description: detail, image: None, canonical: None };
    let (title, detail) = (title.to_owned(), detail.to_owned());
    document(ctx, &head, Place::Elsewhere, move || {
        view! {
            <h1>{title}</h1>
            <p class="lead" dir="auto">
                {detail}
            </p>
            <p>
                <a href="/">"To the list of results"</a>
            </p>
            <p class="note">{format!("Status {status}")}</p>
        }
    })
}
