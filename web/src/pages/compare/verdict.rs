//! What may be concluded from a comparison, in one sentence, and what differs between the results.

use crate::parts::{care_link, folded};
use analysis::plausibility::{Remark, some_of};
use leptos::prelude::*;
use model::comparison::{Comparison, Difference, Verdict};

/// The sentence that decides how the figures are to be read.
pub(super) fn sentence(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Repeats => {
            "Nothing differs between these results: they are repeated runs of one configuration. Any difference between the figures is the spread from run to run.".to_owned()
        }
        Verdict::Axis { axis, caveats } => {
            let what = match axis.as_slice() {
                [] => "Nothing that must be equal differs".to_owned(),
                items => format!("The results differ in the {}", named(items)),
            };
            match (axis.len(), caveats.is_empty()) {
                (_, false) => {
                    format!("{what}; read the percentages with the {} in mind, which differs too.", named(caveats))
                }
                (1, true) => format!("{what} alone, so percentages tell what it changes."),
                (_, true) => format!("{what}, so percentages tell what these change together."),
            }
        }
        Verdict::SideBySide { differing } => format!(
            "No percentage is given: the {} differ, and nobody could say which of them a difference comes from. The figures stand side by side.",
            named(differing)
        ),
    }
}

/// `drive, cooling and host`.
fn named(differences: &[Difference]) -> String {
    let names: Vec<&str> = differences.iter().map(|difference| difference.item.text()).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn differences(verdict: &Verdict) -> Vec<&Difference> {
    match verdict {
        Verdict::Repeats => Vec::new(),
        Verdict::Axis { axis, caveats } => axis.iter().chain(caveats).collect(),
        Verdict::SideBySide { differing } => differing.iter().collect(),
    }
}

/// The verdict, set off from the text.
pub(super) fn section(comparison: &Comparison) -> AnyView {
    let kind = match comparison.verdict {
        Verdict::Repeats => "Repeated runs",
        Verdict::Axis { .. } => "Comparable",
        Verdict::SideBySide { .. } => "Side by side",
    };
    let sentence = sentence(&comparison.verdict);
    view! {
        <section class="verdict" aria-labelledby="verdict-heading">
            <h2 id="verdict-heading">{kind}</h2>
            <p>{sentence}</p>
        </section>
    }
    .into_any()
}

/// A sentence, and each result that it is about with its cells there.
struct Shared<'a> {
    text: &'a str,
    results: Vec<(&'a str, &'a [String])>,
}

/// Each sentence once, in the order of its first result.
fn shared<'a>(comparison: &'a Comparison, remarks: &'a [Vec<Remark>]) -> Vec<Shared<'a>> {
    let mut all: Vec<Shared<'_>> = Vec::new();
    for (series, remarks) in comparison.series.iter().zip(remarks) {
        for Remark { text, cells } in remarks {
            let result = (series.name.as_str(), cells.as_slice());
            match all.iter_mut().find(|known| known.text == text) {
                Some(known) => known.results.push(result),
                None => all.push(Shared { text, results: vec![result] }),
            }
        }
    }
    all
}

/// What must be kept in mind with the figures, each sentence once with the results that it is about.
pub(super) fn care(comparison: &Comparison, remarks: &[Vec<Remark>]) -> AnyView {
    let shared = shared(comparison, remarks);
    if shared.is_empty() {
        return ().into_any();
    }
    let count = comparison.series.len();
    let items = shared.into_iter().map(|one| care_item(&one, count)).collect();
    view! {
        <section id="remarks" class="care" aria-labelledby="care-heading">
            <h2 id="care-heading">"To be read with care"</h2>
            {folded(items, "remarks")}
        </section>
    }
    .into_any()
}

fn care_item(Shared { text, results }: &Shared<'_>, compared: usize) -> AnyView {
    let text = (*text).to_owned();
    if results.iter().any(|(_, cells)| !cells.is_empty()) {
        let each = results
            .iter()
            .map(|(name, cells)| {
                view! {
                    <small class="line">
                        <strong dir="auto">{(*name).to_owned()}</strong>
                        {format!(": {}", some_of(cells))}
                    </small>
                }
            })
            .collect_view();
        return view! { <li><span dir="auto">{text}</span> {each}</li> }.into_any();
    }
    let names = if results.len() == compared && compared > 1 {
        "All results".to_owned()
    } else {
        results.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    view! {
        <li>
            <strong dir="auto">{names}</strong>
            ": "
            <span dir="auto">{text}</span>
        </li>
    }
    .into_any()
}

/// How many sentences there are, above the figures; nothing when there are none.
pub(super) fn care_line(comparison: &Comparison, remarks: &[Vec<Remark>]) -> AnyView {
    care_link(shared(comparison, remarks).len())
}

/// The configurations side by side; what differs is marked in words.
pub(super) fn configurations(comparison: &Comparison) -> AnyView {
    let differing = differences(&comparison.verdict);
    let heads = comparison.series.iter().map(|series| {
        view! {
            <th scope="col">
                <a href=format!("/results/{}", series.head.id) dir="auto">
                    {series.name.clone()}
                </a>
            </th>
        }
    });
    let heads = heads.collect_view();
    let differing_rows = differing
        .into_iter()
        .map(|difference| {
            row(capitalised(difference.item.text()) + ", differs", difference.values.clone(), true)
        })
        .collect_view();
    let each = |value: fn(&model::summary::ResultHead) -> String| {
        comparison.series.iter().map(|series| value(&series.head)).collect::<Vec<_>>()
    };
    let facts = [
        ("Suite", each(|head| head.suite.clone())),
        ("Measured", each(|head| model::units::format_utc(head.started_unix_ms))),
        ("Attachment", each(|head| head.transport.text().to_owned())),
        ("Firmware", each(|head| head.firmware.clone().unwrap_or_else(|| "not reported".to_owned()))),
        (
            "File system",
            each(|head| head.file_system.clone().unwrap_or_else(|| "none (whole device)".to_owned())),
        ),
        ("Host", each(|head| head.host.clone())),
        ("Engine", each(|head| head.engine.token().to_owned())),
        ("Signed by", each(|head| head.key.short())),
    ]
    .map(|(name, values)| row(name.to_owned(), values, false));
    view! {
        <section id="configurations" aria-labelledby="configurations-heading">
            <h2 id="configurations-heading">"Configurations"</h2>
            <div class="scroll" role="region" aria-label="Configurations" tabindex="0">
                <table class="plain configurations">
                    <thead>
                        <tr>
                            <td></td>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{differing_rows} {facts}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn row(name: String, values: Vec<String>, differs: bool) -> AnyView {
    let values = values.into_iter().map(|value| view! { <td dir="auto">{value}</td> }).collect_view();
    view! {
        <tr class=if differs { "differs" } else { "" }>
            <th scope="row">{name}</th>
            {values}
        </tr>
    }
    .into_any()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::comparison::Item;

    fn difference(item: Item) -> Difference {
        Difference { item, values: vec!["a".to_owned(), "b".to_owned()] }
    }

    #[test]
    fn the_axis_is_named_and_a_caveat_with_it() {
        let axis = vec![difference(Item::Cooling)];
        let plain = Verdict::Axis { axis: axis.clone(), caveats: Vec::new() };
        assert_eq!(
            sentence(&plain),
            "The results differ in the cooling alone, so percentages tell what it changes."
        );
        let with_host = Verdict::Axis { axis, caveats: vec![difference(Item::Host)] };
        assert!(sentence(&with_host).contains("with the host in mind"));
    }

    #[test]
    fn too_many_differences_say_why_there_is_no_percentage() {
        let differing = [Item::Cooling, Item::Fill, Item::FileSystem].map(difference).to_vec();
        let text = sentence(&Verdict::SideBySide { differing });
        assert!(
            text.starts_with("No percentage is given: the cooling, fill and file system differ"),
            "{text}"
        );
    }
}
