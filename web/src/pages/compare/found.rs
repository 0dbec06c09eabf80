//! Results that have the words searched for, each with a link that adds it to the comparison: the search without scripts.

use super::Links;
use crate::{
    pages::{Found, MAX_COMPARED},
    texts,
    words::{conditions, details, marks},
};
use leptos::prelude::*;
use model::{lang::Lang, summary::ResultSummary, units::format_utc};

/// The list; nothing when nothing was searched for.
pub(super) fn list(lang: Lang, found: Option<Found>, links: &Links) -> AnyView {
    let Some(Found { q, results, total }) = found else { return ().into_any() };
    let texts = &texts::of(lang).compare.find;
    let title = (texts.found)(&q);
    let more = total.saturating_sub(results.len() as u64);
    let body = if results.is_empty() {
        view! { <p class="empty">{texts.nothing}</p> }.into_any()
    } else {
        let items = results.iter().map(|summary| item(lang, summary, links)).collect_view();
        view! { <ul class="chosen found">{items}</ul> }.into_any()
    };
    let more = (more > 0).then(|| view! { <p class="note">{(texts.more)(more)}</p> });
    view! {
        <section id="found" aria-labelledby="found-heading">
            <h3 id="found-heading" dir="auto">
                {title}
            </h3>
            {body}
            {more}
        </section>
    }
    .into_any()
}

fn item(lang: Lang, summary: &ResultSummary, links: &Links) -> AnyView {
    let texts = &texts::of(lang).compare.find;
    let head = &summary.head;
    let id = head.id.to_string();
    let told = conditions(head);
    let told = if told.is_empty() { told } else { format!(" · {told}") };
    let time = format_utc(head.started_unix_ms);
    let line = (texts::of(lang).compare_page.line)(&details(head), &told, &head.suite, &time);
    let marks: Vec<String> =
        marks(summary).into_iter().filter(|mark| mark.care).map(|mark| mark.word).collect();
    let marks = marks.into_iter().map(|word| {
        view! {
            " "
            <span class="badge care">{word}</span>
        }
    });
    let compared = links.ids.iter().any(|series| series.split('~').any(|part| part == id));
    let control = if compared {
        view! { <span>{texts.compared}</span> }.into_any()
    } else if links.ids.len() >= MAX_COMPARED {
        view! { <span>{texts.full}</span> }.into_any()
    } else {
        let ids: Vec<String> = links.ids.iter().cloned().chain([id.clone()]).collect();
        view! {
            <a href=links.of(&ids)>
                {texts.add} <span class="visually-hidden">{format!(" {}", head.drive)}</span>
            </a>
        }
        .into_any()
    };
    view! {
        <li>
            <a href=links.page(&format!("/results/{id}")) dir="auto">
                {head.drive.clone()}
            </a>
            {marks.collect_view()}
            <small dir="auto">{line}</small>
            <span class="links">{control}</span>
        </li>
    }
    .into_any()
}
