//! What a reader sees instead of a page: what happened, why, and where to go.

use crate::{
    pages::{ListQueryView, PageContext, home::search_form},
    shell::{Head, Place, document},
    texts::{self, Texts},
    words::full_sentence,
};
use leptos::prelude::*;

/// The page for an error: its status, a title and a text that says what happened, and what to do next.
#[must_use]
pub fn error(ctx: &PageContext, status: u16, title: &str, detail: &str) -> String {
    let Texts { error: texts, .. } = texts::of(ctx.lang);
    let detail = full_sentence(detail);
    let head = Head { title, description: &detail, image: None, canonical: None };
    let (title, detail) = (title.to_owned(), detail.clone());
    let results = ctx.href("/");
    document(ctx, &head, Place::Elsewhere, move || {
        view! {
            <h1>{title}</h1>
            <p class="lead" dir="auto">
                {detail}
            </p>
            <p>{texts.search_or_go_to}<a href=results>{texts.list_of_results}</a>{texts.full_stop}</p>
            {search_form(ctx, &ListQueryView::default())}
            <p class="note">{(texts.status)(status)}</p>
        }
    })
}
