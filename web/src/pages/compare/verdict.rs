//! What may be concluded from a comparison, in one sentence, and what differs between the results.

use super::shown_name;
use crate::{
    parts::{care_link, folded, scroll_table},
    words::place,
};
use analysis::plausibility::{Remark, some_of};
use leptos::prelude::*;
use model::comparison::{Comparison, Difference, Item, Verdict};

/// The sentence that decides how the figures are to be read.
pub(super) fn sentence(comparison: &Comparison) -> String {
    let sentence = match &comparison.verdict {
        Verdict::Repeats => {
            "Nothing differs between these results: they are repeated runs of one configuration. Any difference between the figures is the spread from run to run.".to_owned()
        }
        Verdict::Axis { axis, caveats, unknown } => on_axis(axis, caveats, !unknown.is_empty()),
        Verdict::SideBySide { differing, unknown } => refusal(differing, unknown),
    };
    let unknown = unstated(comparison);
    if unknown.is_empty() {
        return sentence;
    }
    let consequence = match comparison.verdict {
        Verdict::Axis { .. } => " Whether that differs is not known, so no cause can be named.",
        _ => "",
    };
    format!("{sentence} {}{consequence}", unknown.join(" "))
}

/// At most one item besides the drive: what the percentages tell.
fn on_axis(axis: &[Difference], caveats: &[Difference], unsure: bool) -> String {
    let (methods, hosts): (Vec<&Difference>, Vec<&Difference>) =
        caveats.iter().partition(|caveat| caveat.item == Item::Method);
    let what = match axis {
        [] if unsure => "Nothing that is known differs".to_owned(),
        [] => "Nothing that must be equal differs".to_owned(),
        items => format!("The results differ in the {}", named(&items.iter().collect::<Vec<_>>())),
    };
    let mut text = match (axis.len(), hosts.is_empty()) {
        (_, false) => {
            format!("{what}; read the percentages with the {} in mind, which differs too.", named(&hosts))
        }
        (0, true) => format!("{what}."),
        (_, true) if unsure => format!("{what}."),
        (1, true) => format!("{what} alone, so percentages tell what it changes."),
        (_, true) => format!("{what}, so percentages tell what these change together."),
    };
    if let [method] = methods.as_slice() {
        text += &format!(
            " Some cells were measured by different methods ({}) and are not set against each other.",
            against(method)
        );
    }
    text
}

/// Why there is no percentage.
fn refusal(differing: &[Difference], unknown: &[Difference]) -> String {
    let method = differing.iter().find(|difference| difference.item == Item::Method);
    let method = method.map_or_else(String::new, |method| format!(" The method: {}.", against(method)));
    let verb = if differing.is_empty() { "may differ" } else { "differ or may differ" };
    let all: Vec<&Difference> = differing.iter().chain(unknown).collect();
    match (all.as_slice(), unknown) {
        ([one], _) => format!(
            "No percentage is given: the results differ in the {}, and figures are divided only where it is the same. They stand side by side.{method}",
            one.item.text()
        ),
        (_, []) => format!(
            "No percentage is given: the {} differ, and nobody could say which of them a difference comes from. The figures stand side by side.{method}",
            named(&all)
        ),
        (_, _) => format!(
            "No percentage is given: the {} {verb}, and nobody could say which of them a difference comes from. The figures stand side by side.{method}",
            named(&all)
        ),
    }
}

/// `data random against data zero`, each value once.
fn against(difference: &Difference) -> String {
    let mut values: Vec<&str> = Vec::new();
    for value in difference.values.iter().flatten() {
        if !values.contains(&value.as_str()) {
            values.push(value);
        }
    }
    values.join(" against ")
}

/// At most so many names stand in a sentence, then the number of the others.
const MOST_NAMES: usize = 3;

/// For each item that a result does not state, which results do not.
fn unstated(comparison: &Comparison) -> Vec<String> {
    let (Verdict::Axis { unknown, .. } | Verdict::SideBySide { unknown, .. }) = &comparison.verdict else {
        return Vec::new();
    };
    let sentence = |difference: &Difference| {
        let silent = comparison.series.iter().zip(&difference.values).filter(|(_, value)| value.is_none());
        let mut names: Vec<String> = silent.map(|(series, _)| shown_name(series)).collect();
        let more = names.len().saturating_sub(MOST_NAMES);
        if more > 1 {
            names.truncate(MOST_NAMES);
            names.push(format!("{more} others"));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("{} is not stated for {}.", capitalised(difference.item.text()), listed(&names))
    };
    unknown.iter().map(sentence).collect()
}

/// `drive, cooling and host`.
fn named(differences: &[&Difference]) -> String {
    listed(&differences.iter().map(|difference| difference.item.text()).collect::<Vec<_>>())
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// What differs, and then what may.
fn differences(verdict: &Verdict) -> Vec<(&Difference, &'static str)> {
    let (known, unknown): (Vec<&Difference>, &[Difference]) = match verdict {
        Verdict::Repeats => (Vec::new(), &[]),
        Verdict::Axis { axis, caveats, unknown } => (axis.iter().chain(caveats).collect(), unknown),
        Verdict::SideBySide { differing, unknown } => (differing.iter().collect(), unknown),
    };
    let known = known.into_iter().map(|difference| (difference, "differs"));
    known.chain(unknown.iter().map(|difference| (difference, "not known"))).collect()
}

/// The verdict, set off from the text.
pub(super) fn section(comparison: &Comparison) -> AnyView {
    let kind = match &comparison.verdict {
        Verdict::Repeats => "Repeated runs",
        Verdict::Axis { unknown, .. } if !unknown.is_empty() => "Comparable, with one thing not known",
        Verdict::Axis { .. } => "Comparable",
        Verdict::SideBySide { .. } => "Side by side",
    };
    let sentence = sentence(comparison);
    view! {
        <section class="verdict" aria-labelledby="verdict-heading">
            <h2 id="verdict-heading">{kind}</h2>
            <p dir="auto">{sentence}</p>
        </section>
    }
    .into_any()
}

/// A sentence, and each result that it is about with its cells there.
struct Shared<'a> {
    text: &'a str,
    results: Vec<(String, &'a [String])>,
}

/// Each sentence once, in the order of its first result.
fn shared<'a>(comparison: &'a Comparison, remarks: &'a [Vec<Remark>]) -> Vec<Shared<'a>> {
    let mut all: Vec<Shared<'_>> = Vec::new();
    for (series, remarks) in comparison.series.iter().zip(remarks) {
        for Remark { text, cells } in remarks {
            let result = (shown_name(series), cells.as_slice());
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
                        <strong dir="auto">{name.clone()}</strong>
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
        results.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
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
    let told: Vec<Item> = differing.iter().map(|(difference, _)| difference.item).collect();
    let heads = comparison.series.iter().map(|series| {
        view! { <th scope="col">{super::result_link(&series.head, shown_name(series))} {super::joined_links(&series.head)}</th> }
    });
    let heads = heads.collect_view();
    let differing_rows = differing
        .into_iter()
        .map(|(difference, how)| {
            let values = difference.values.iter();
            let values =
                values.map(|value| value.clone().unwrap_or_else(|| "not stated".to_owned())).collect();
            row(format!("{}, {how}", capitalised(difference.item.text())), values, true)
        })
        .collect_view();
    let each = |value: fn(&model::summary::ResultHead) -> String| {
        comparison.series.iter().map(|series| value(&series.head)).collect::<Vec<_>>()
    };
    let facts = [
        (None, "Suite", each(|head| head.suite.clone())),
        (None, "Measured", each(|head| model::units::format_utc(head.started_unix_ms))),
        (Some(Item::Attachment), "Attachment", each(|head| head.transport.text().to_owned())),
        (None, "Firmware", each(|head| head.firmware.clone().unwrap_or_else(|| "not reported".to_owned()))),
        (Some(Item::FileSystem), "File system", each(place)),
        (
            Some(Item::AllocationUnit),
            "Allocation unit",
            each(|head| {
                head.file_system_block_bytes.map_or_else(|| "none".to_owned(), model::units::format_size)
            }),
        ),
        (Some(Item::Host), "Host", each(|head| head.host.clone())),
        (Some(Item::Engine), "Engine", each(|head| head.engine.token().to_owned())),
        (None, "Signed by", each(|head| head.key.short())),
    ]
    .into_iter()
    // What differs is told above.
    .filter(|(item, ..)| item.is_none_or(|item| !told.contains(&item)))
    .map(|(_, name, values)| row(name.to_owned(), values, false))
    .collect_view();
    let head = view! {
        <td></td>
        {heads}
    };
    view! {
        <section id="configurations" aria-labelledby="configurations-heading">
            <h2 id="configurations-heading">"Configurations"</h2>
            {scroll_table("Configurations", "plain configurations", head, (differing_rows, facts))}
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
    use model::comparison::Series;

    fn difference(item: Item) -> Difference {
        Difference { item, values: vec![Some("a".to_owned()), Some("b".to_owned())] }
    }

    fn unstated(item: Item) -> Difference {
        Difference { item, values: vec![Some("none".to_owned()), None] }
    }

    fn sentence(verdict: Verdict) -> String {
        let head = crate::tests::head();
        let series = ["One", "Two"].map(|name| Series { name: name.to_owned(), head: head.clone() }).to_vec();
        super::sentence(&Comparison { series, verdict, rows: Vec::new() })
    }

    #[test]
    fn the_axis_is_named_and_a_caveat_with_it() {
        let axis = vec![difference(Item::Cooling)];
        let unknown = Vec::new();
        assert_eq!(
            sentence(Verdict::Axis { axis: axis.clone(), caveats: Vec::new(), unknown: unknown.clone() }),
            "The results differ in the cooling alone, so percentages tell what it changes."
        );
        let with_host = Verdict::Axis { axis, caveats: vec![difference(Item::Host)], unknown };
        assert!(sentence(with_host).contains("with the host in mind"));
    }

    #[test]
    fn what_is_not_stated_makes_no_cause() {
        let unknown = vec![unstated(Item::Cooling)];
        let axis = vec![difference(Item::Drive)];
        assert_eq!(
            sentence(Verdict::Axis { axis, caveats: Vec::new(), unknown: unknown.clone() }),
            "The results differ in the drive. Cooling is not stated for Two. Whether that differs is not known, so no cause can be named."
        );
        let text = sentence(Verdict::Axis { axis: Vec::new(), caveats: Vec::new(), unknown });
        assert!(text.starts_with("Nothing that is known differs. Cooling is not stated for Two."), "{text}");
    }

    #[test]
    fn too_many_differences_say_why_there_is_no_percentage() {
        let differing = [Item::Cooling, Item::Fill, Item::FileSystem].map(difference).to_vec();
        let text = sentence(Verdict::SideBySide { differing, unknown: Vec::new() });
        assert!(
            text.starts_with("No percentage is given: the cooling, fill and file system differ,"),
            "{text}"
        );
        let differing = vec![difference(Item::Cooling)];
        let text = sentence(Verdict::SideBySide { differing, unknown: vec![unstated(Item::Fill)] });
        assert!(text.contains("the cooling and fill differ or may differ"), "{text}");
        assert!(text.ends_with("Fill is not stated for Two."), "{text}");
    }

    #[test]
    fn many_that_state_nothing_are_counted() {
        let unknown = [Item::Cooling, Item::Slot].map(unstated).to_vec();
        let text = sentence(Verdict::SideBySide { differing: Vec::new(), unknown });
        assert!(text.contains("the cooling and slot may differ,"), "{text}");

        let series: Vec<Series> = (0..6)
            .map(|number| Series { name: format!("Drive {number}"), head: crate::tests::head() })
            .collect();
        let mut values = vec![None; 6];
        values[0] = Some("fan".to_owned());
        let unknown = vec![Difference { item: Item::Cooling, values }];
        let verdict = Verdict::Axis { axis: Vec::new(), caveats: Vec::new(), unknown };
        let text = super::sentence(&Comparison { series, verdict, rows: Vec::new() });
        assert!(text.contains("not stated for Drive 1, Drive 2, Drive 3 and 2 others."), "{text}");
    }

    #[test]
    fn other_methods_are_told() {
        let method = Difference {
            item: Item::Method,
            values: ["data zero", "data random"].map(|text| Some(text.to_owned())).to_vec(),
        };
        let text = sentence(Verdict::SideBySide { differing: vec![method.clone()], unknown: Vec::new() });
        assert!(text.ends_with("The method: data zero against data random."), "{text}");
        let text = sentence(Verdict::Axis { axis: Vec::new(), caveats: vec![method], unknown: Vec::new() });
        assert!(text.contains("Some cells were measured by different methods"), "{text}");
    }
}
