//! What a result shows besides its figures, in sentences.

use leptos::prelude::*;
use model::finding::Story;

/// The heading of the section.
pub(super) const TITLE: &str = "What the runs show";

/// The section; nothing without a story.
pub(super) fn section(stories: &[Story]) -> AnyView {
    if stories.is_empty() {
        return ().into_any();
    }
    let stories = stories.iter().map(story).collect_view();
    view! {
        <section id="stories" aria-labelledby="stories-heading">
            <h2 id="stories-heading">{TITLE}</h2>
            {stories}
        </section>
    }
    .into_any()
}

fn story(story: &Story) -> impl IntoView + use<> {
    let Story { title, sentences, .. } = story.clone();
    view! {
        <h3>{title}</h3>
        <ul>{sentences.into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view()}</ul>
    }
}
