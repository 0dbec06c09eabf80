//! What a reader sees instead of a page: what happened, why, and where to go.

use crate::{
    pages::{ListQueryView, PageContext, home::search_form},
    shell::{Head, Place, document},
    words::full_sentence,
};
use leptos::prelude::*;

/// The page for an error: its status, a title and a text that says what happened, and what to do next.
#[must_use]
pub fn error(ctx: &PageContext, status: u16, title: &str, detail: &str) -> String {
    let detail = full_sentence(detail);
    let head = Head { title, description: &detail, image: None, canonical: None };
    let (title, detail) = (title.to_owned(), detail.clone());
    document(ctx, &head, Place::Elsewhere, move || {
        view! {
            <h1>{title}</h1>
            <p class="lead" dir="auto">
                {detail}
            </p>
            <p>"Search for a drive, a suite or a label, or go to "<a href="/">"the list of results"</a>"."</p>
            {search_form(&ListQueryView::default())}
            <p class="note">{format!("Status {status}")}</p>
        }
    })
}
