//! The states of the drive that the cells of a result were measured in, in words.

use model::{
    Reading, ResultDocument,
    document::State,
    reading::Absent,
    units::{Nanos, format_capacity, format_clock},
};

/// Each state in words, with the first cell that was measured in it; the order is that of the run.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<(String, String)> {
    let mut told: Vec<(String, String)> = Vec::new();
    let cells = document.cells.iter().map(|cell| (cell.state.as_ref(), cell.method.label()));
    let passes = document.passes.iter().map(|pass| (pass.state.as_ref(), pass.method.label()));
    for (state, label) in cells.chain(passes) {
        let Some(state) = state else { continue };
        let text = words(state);
        // The same state as before is not told again.
        if told.last().is_none_or(|(_, before)| *before != text) {
            told.push((label, text));
        }
    }
    told
}

fn words(state: &State) -> String {
    let State { used_bytes, total_bytes, filler_bytes, trimmed_bytes, rested_ns } = state;
    let mut parts = vec![match (used_bytes, total_bytes) {
        (Some(used), Some(total)) => {
            format!("{} of {} in use", format_capacity(*used), format_capacity(*total))
        }
        _ => "what is in use is not known".to_owned(),
    }];
    if *filler_bytes > 0 {
        parts.push(format!("{} written to take room", format_capacity(*filler_bytes)));
    }
    parts.push(match trimmed_bytes {
        Reading::Known(bytes) => format!("{} handed back to the drive right before", format_capacity(*bytes)),
        Reading::Absent(Absent::NotMeasured) => "not trimmed".to_owned(),
        Reading::Absent(reason) => format!("a trim failed: {}", reason.text()),
    });
    if *rested_ns > 0 {
        parts.push(format!("{} of rest", format_clock(Nanos(*rested_ns))));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    #[test]
    fn a_state_is_told_once_until_it_changes() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        assert_eq!(of_document(&document), []);
        let empty = State {
            used_bytes: Some(61_000_000_000),
            total_bytes: Some(1_970_000_000_000),
            filler_bytes: 0,
            trimmed_bytes: Reading::Absent(Absent::NotMeasured),
            rested_ns: 0,
        };
        let full = State {
            filler_bytes: 900_000_000_000,
            trimmed_bytes: Reading::Known(1_000_000_000_000),
            rested_ns: 60_000_000_000,
            ..empty.clone()
        };
        for (cell, state) in
            document.cells.iter_mut().zip([Some(empty.clone()), None, Some(empty), Some(full)])
        {
            cell.state = state;
        }
        let told = of_document(&document);
        let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "61 GB of 1.97 TB in use, not trimmed",
                "61 GB of 1.97 TB in use, 900 GB written to take room, 1 TB handed back to the drive right before, 1 min 00 s of rest",
            ]
        );
    }
}
