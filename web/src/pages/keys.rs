//! The page of a key: what it signed, what that means, and what its holder says.

use crate::{
    pages::{KeyData, PageContext, list},
    parts::facts,
    shell::{Head, Place, document},
    texts::{self, Texts},
};
use leptos::prelude::*;
use model::{KeyId, catalogue::KeyEntry, units::format_utc};

/// The path of a key's page.
pub(super) fn address(key: KeyId) -> String {
    format!("/keys/{key}")
}

/// The page of a key.
#[must_use]
pub fn key(ctx: &PageContext, data: KeyData) -> String {
    let Texts { keys: texts, measures, home, .. } = texts::of(ctx.lang);
    let KeyData { entry, results, next } = data;
    let KeyEntry { key, first_unix_ms, last_unix_ms, results: count, drives, reviewers, revoked } = entry;
    let title = (texts.title)(&key.short());
    let summary = format!("{}{}{}", (measures.results)(count), measures.comma, (measures.drives)(drives));
    let description = (texts.about)(&key.short(), &summary);
    let path = address(key);
    let head = Head {
        title: &title,
        description: &description,
        image: None,
        canonical: (!ctx.path.contains("cursor=")).then_some(path.as_str()),
    };
    let heading = title.clone();
    document(ctx, &head, Place::Elsewhere, move || {
        let pair = |name: &str, value: String| (name.to_owned(), value);
        let known = vec![
            pair(texts.id, key.to_string()),
            pair(texts.first, format_utc(first_unix_ms)),
            pair(texts.last, format_utc(last_unix_ms)),
            pair(texts.results, count.to_string()),
            pair(texts.drives, drives.to_string()),
        ];
        let names = if reviewers.is_empty() {
            view! { <p>{texts.no_name}</p> }.into_any()
        } else {
            let names = reviewers
                .into_iter()
                .map(|(name, count)| {
                    view! { <li dir="auto">{(texts.name)(&name, &(measures.results)(count))}</li> }
                })
                .collect_view();
            view! {
                <p>{texts.names_note}</p>
                <ul>{names}</ul>
            }
            .into_any()
        };
        view! {
            <p class="kicker">{texts.kicker}</p>
            <h1 class="digits">{heading}</h1>
            <p class="lead">{texts.lead}</p>
            {revoked.then(|| view! { <p class="care">{texts.revoked}</p> })}
            <section id="facts" aria-labelledby="facts-heading">
                <h2 id="facts-heading">{texts.facts}</h2>
                {facts(known)}
            </section>
            <section id="names" aria-labelledby="names-heading">
                <h2 id="names-heading">{texts.names}</h2>
                {names}
            </section>
            <section id="results" aria-labelledby="results-heading">
                <h2 id="results-heading">{texts.list}</h2>
                {list::table(ctx, &results, None, next.is_none())}
                {list::pager(next, home.more)}
            </section>
        }
    })
}
