//! What must be kept in mind with a result's figures: one line above them, the sentences below.

use crate::parts::{care_link, folded};
use analysis::plausibility::{Remark, some_of};
use leptos::prelude::*;

/// The heading of the section.
pub(super) const TITLE: &str = "To be read with care";

/// The line above the figures, which leads to the sentences; nothing when there are none.
pub(super) fn line(remarks: &[Remark]) -> AnyView {
    care_link(remarks.len())
}

/// The sentences, each once with the cells that it is about; nothing when there are none.
pub(super) fn section(remarks: Vec<Remark>) -> AnyView {
    if remarks.is_empty() {
        return ().into_any();
    }
    let items = remarks
        .into_iter()
        .map(|Remark { text, cells }| {
            let cells = (!cells.is_empty()).then(|| view! { <small>{some_of(&cells)}</small> });
            view! { <li dir="auto">{text} " " {cells}</li> }.into_any()
        })
        .collect();
    view! {
        <section id="remarks" class="care" aria-labelledby="remarks-heading">
            <h2 id="remarks-heading">{TITLE}</h2>
            {folded(items, "remarks")}
        </section>
    }
    .into_any()
}
