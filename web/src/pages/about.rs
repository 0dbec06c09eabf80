//! What Cliffmark is, what a signature proves and what it does not.

use crate::{
    pages::PageContext,
    shell::{Head, Place, document},
    texts::{self, Texts},
};
use leptos::prelude::*;

/// The page about the project and its honesty.
#[must_use]
pub fn about(ctx: &PageContext) -> String {
    let Texts { about: texts, .. } = texts::of(ctx.lang);
    let head =
        Head { title: texts.title, description: texts.description, image: None, canonical: Some("/about") };
    document(ctx, &head, Place::About, || {
        let sections = texts
            .sections
            .map(|(heading, text)| {
                view! {
                    <h2>{heading}</h2>
                    <p>{text}</p>
                }
            })
            .collect_view();
        view! {
            <h1>{texts.heading}</h1>
            <p class="lead">{texts.lead}</p>
            {sections}
        }
    })
}
