//! What loops of a minute and more show besides their figure.

use analysis::{findings::LoopFindings, series::words};
use leptos::prelude::*;
use model::ResultDocument;

/// The heading of the section.
pub(super) const TITLE: &str = "What long loops show";

/// The section; nothing without a long loop.
pub(super) fn section(found: Vec<LoopFindings>, document: &ResultDocument) -> AnyView {
    if found.is_empty() {
        return ().into_any();
    }
    let courses = found.into_iter().map(|one| course(&one, document)).collect_view();
    view! {
        <section id="courses" aria-labelledby="courses-heading">
            <h2 id="courses-heading">{TITLE}</h2>
            {courses}
        </section>
    }
    .into_any()
}

fn course(found: &LoopFindings, document: &ResultDocument) -> impl IntoView + use<> {
    let sentences = words::of(&found.findings, found.moved);
    view! {
        <h3>{found.name(document)}</h3>
        <ul>{sentences.into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view()}</ul>
    }
}
