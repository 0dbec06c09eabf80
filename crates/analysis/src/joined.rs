//! Several results of one drive in one configuration as one: a reviewer's suites of several days are one series.
//!
//! Cells and passes stand one after the other, on one clock that leaves out the time between the runs. A cell that
//! several results have is one cell of several runs. Knows what must be equal for that.

use crate::{
    comparison::{ITEMS, difference},
    summary::summarise,
};
use model::{
    ResultDocument,
    comparison::{Difference, Item},
    document::{Outcome, Visibility},
    summary::{ResultHead, ResultSummary},
};

/// What keeps results from being joined; `None` when nothing does. Another host does not: it is named.
#[must_use]
pub fn obstacle(heads: &[&ResultHead]) -> Option<Difference> {
    ITEMS.into_iter().filter(|item| *item != Item::Host).find_map(|item| difference(item, heads))
}

/// Results as one, which is called after the first. At least one is needed.
///
/// # Errors
/// In what they differ, when they are no results of one drive in one configuration.
///
/// # Panics
/// When there is none.
pub fn join(
    parts: &[(&ResultSummary, &ResultDocument)],
) -> Result<(ResultSummary, ResultDocument), Difference> {
    let heads: Vec<&ResultHead> = parts.iter().map(|(summary, _)| &summary.head).collect();
    if let Some(difference) = obstacle(&heads) {
        return Err(difference);
    }
    let (first, rest) = parts.split_first().expect("there is one at least");
    let mut whole = first.1.clone();
    for (_, document) in rest {
        append(&mut whole, document);
    }
    let mut summary = summarise(&whole, first.0.head.id, first.0.head.key);
    summary.head.joined = heads[1..].iter().map(|head| head.id).collect();
    summary.head.host = distinct(heads.iter().map(|head| &head.host), " / ");
    summary.head.suite = distinct(heads.iter().map(|head| &head.suite), " + ");
    // A released result is public, whatever its document says.
    let unlisted = heads.iter().any(|head| head.visibility == Visibility::Unlisted);
    summary.head.visibility = if unlisted { Visibility::Unlisted } else { Visibility::Public };
    Ok((summary, whole))
}

/// Each text once, in their order.
fn distinct<'a>(texts: impl Iterator<Item = &'a String>, between: &str) -> String {
    let mut all: Vec<&str> = Vec::new();
    for text in texts {
        if !all.contains(&text.as_str()) {
            all.push(text);
        }
    }
    all.join(between)
}

fn append(whole: &mut ResultDocument, document: &ResultDocument) {
    let (later_ns, runs_before) = (whole.elapsed_ns, whole.runs);
    let document = document.clone();
    whole.cells.extend(document.cells.into_iter().map(|mut cell| {
        cell.run += runs_before;
        cell.loops.iter_mut().for_each(|one| one.started_ns = one.started_ns.saturating_add(later_ns));
        cell
    }));
    whole.passes.extend(document.passes.into_iter().map(|mut pass| {
        pass.run += runs_before;
        pass.started_ns = pass.started_ns.saturating_add(later_ns);
        pass
    }));
    let watched = std::mem::replace(&mut whole.telemetry, document.telemetry.clone());
    whole.telemetry = watched.followed_by(document.telemetry.later(later_ns));
    whole.resumptions.extend(document.resumptions);
    whole.runs = whole.runs.saturating_add(document.runs);
    whole.elapsed_ns = whole.elapsed_ns.saturating_add(document.elapsed_ns);
    if document.outcome != Outcome::Complete {
        whole.outcome = document.outcome;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{KeyId, ResultId, fixtures, ids::PublicKey, labels::LabelKey};

    fn part(document: &ResultDocument, number: u8) -> ResultSummary {
        summarise(document, ResultId([number; 32]), KeyId([9; 32]))
    }

    fn example() -> ResultDocument {
        fixtures::document("Example", 1.0, PublicKey([1; 32]))
    }

    #[test]
    fn suites_of_one_drive_become_one_result() {
        let cdm = example();
        let mut copies = fixtures::with_copy(example(), 156, 112);
        copies.telemetry.series.iter_mut().for_each(|one| one.name = "Composite".to_owned());
        let (one, two) = (part(&cdm, 1), part(&copies, 2));
        let (summary, whole) = join(&[(&one, &cdm), (&two, &copies)]).unwrap();
        assert_eq!((summary.head.id, &summary.head.joined[..]), (one.head.id, &[two.head.id][..]));
        assert_eq!(summary.head.suite, "cdm + copies");
        assert_eq!((summary.metrics.len(), summary.moved.len()), (one.metrics.len(), 1));
        assert_eq!(whole.passes[0].started_ns, copies.passes[0].started_ns + cdm.elapsed_ns);
        assert!(whole.telemetry.series.iter().all(|one| one.at_ns.is_sorted()));
        assert_eq!(whole.elapsed_ns, cdm.elapsed_ns + copies.elapsed_ns);
    }

    #[test]
    fn a_cell_of_both_has_the_loops_of_both() {
        let document = example();
        let (one, two) = (part(&document, 1), part(&document, 2));
        let (summary, _) = join(&[(&one, &document), (&two, &document)]).unwrap();
        assert_eq!(summary.metrics.len(), one.metrics.len());
        assert_eq!(summary.metrics[0].values.len(), 2 * one.metrics[0].values.len());
        assert!(summary.metrics[0].mean_of_best.is_some(), "they are runs");
    }

    #[test]
    fn other_drives_and_configurations_are_no_part_of_it() {
        let document = example();
        let one = part(&document, 1);
        let mut cooled = document.clone();
        cooled.labels.insert(LabelKey::Cooling, "heatsink".to_owned());
        let error = join(&[(&one, &document), (&part(&cooled, 2), &cooled)]).unwrap_err();
        assert_eq!(error.item, Item::Cooling);
        let other = fixtures::document("Other", 1.0, PublicKey([1; 32]));
        assert_eq!(join(&[(&one, &document), (&part(&other, 2), &other)]).unwrap_err().item, Item::Drive);
        let mut moved = document.clone();
        moved.host.kernel = "9.9".to_owned();
        assert!(join(&[(&one, &document), (&part(&moved, 2), &moved)]).is_ok(), "a host is named");
    }
}
