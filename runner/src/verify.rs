//! `cliffmark verify`: is the signature right, and can the figures be true?

use crate::{
    bundle_file,
    hint::{Exit, Failure, note, print},
    report::{not_counted, unproven},
    wrap::wrapped,
};
use analysis::plausibility::{self, Finding};
use bundle::Verified;
use model::document::CellStatus;
use std::path::Path;

/// Checks a bundle and says what was found.
///
/// # Errors
/// When it cannot be read, its signature is wrong or its figures contradict each other.
pub fn verify(path: &Path) -> Result<Exit, Failure> {
    let verified = bundle_file::open(path)?;
    let findings = plausibility::check(verified.document());
    print(&text(&verified, &findings))?;
    if findings.iter().any(|finding| finding.fatal) {
        return Err(Failure::failed(format!(
            "{} is signed, but its figures cannot be right",
            path.display()
        )));
    }
    note(
        "A right signature proves who signed and that nothing was changed since; not that the figures are true.",
    );
    Ok(Exit::Done)
}

fn text(verified: &Verified, findings: &[Finding]) -> String {
    let document = verified.document();
    let cells = document.step_count();
    let statuses = || {
        let passes = document.passes.iter().map(|pass| pass.status);
        document.cells.iter().map(|cell| cell.status).chain(passes)
    };
    let of = |status| statuses().filter(|one| *one == status).count();
    let (void, failed) = (of(CellStatus::Void), of(CellStatus::Failed));
    let (wrong, remarks): (Vec<Finding>, Vec<Finding>) =
        findings.iter().cloned().partition(|finding| finding.fatal);
    let figures = match (wrong.is_empty(), cells) {
        (false, _) => "IMPLAUSIBLE".to_owned(),
        (true, 0) => "none: no cell was measured".to_owned(),
        (true, _) => "plausible: nothing in them contradicts itself".to_owned(),
    };
    let mut text = format!(
        "signature  right: the document is unchanged since it was signed\nresult     {}\nkey        {}\nfigures    {figures}\n",
        verified.id(),
        verified.key(),
    );
    let counts = [(void, "void"), (failed, "failed")].into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, status)| format!("{count} of {cells} {status}")).collect();
    if !counts.is_empty() {
        let what = if document.passes.is_empty() { "cells      " } else { "steps      " };
        text.push_str(&format!("{what}{}: their figures do not count\n", counts.join(", ")));
    }
    for (kind, line) in not_counted(document) {
        text.push_str(&wrapped(&format!("{kind}: "), 2, &line));
    }
    // Where a contradiction lies is told exactly: it is looked up in the document.
    for finding in &wrong {
        text.push_str(&format!("wrong: {} ({}): {}\n", finding.path, finding.code, finding.text));
    }
    for remark in plausibility::by_cell(document, &remarks) {
        text.push_str(&wrapped("remark: ", 2, &remark.line()));
    }
    for what in unproven(document) {
        text.push_str(&wrapped("not proven: ", 2, what));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SecretKey;
    use model::{ResultDocument, fixtures, proof::VoidReason};

    fn told(change: impl FnOnce(&mut ResultDocument)) -> String {
        let key = SecretKey::generate().unwrap();
        let mut document = fixtures::document("Example", 1.0, key.public());
        change(&mut document);
        let verified = bundle::open(&bundle::seal(&document, key.signing()).unwrap()).unwrap();
        let findings = plausibility::check(verified.document());
        // The third and fourth line have the ids, which differ from key to key.
        text(&verified, &findings)
            .lines()
            .filter(|line| !line.starts_with("result") && !line.starts_with("key"))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    #[test]
    fn void_cells_and_remarks_are_named_by_cell() {
        insta::assert_snapshot!(told(|document| {
            for cell in &mut document.cells[5..] {
                cell.status = CellStatus::Void;
                cell.void = vec![VoidReason::Suspended];
            }
            document.cells[5].void.push(VoidReason::Clock);
            // Two loops of a read, on which others read too.
            for one in &mut document.cells[0].loops[2..4] {
                one.device.as_mut().unwrap().read_bytes += 5 << 30;
            }
        }));
    }

    #[test]
    fn a_document_without_a_cell_has_no_plausible_figures() {
        let text = told(|document| {
            document.outcome = model::document::Outcome::Interrupted;
            document.cells.clear();
        });
        assert!(text.contains("\nfigures    none: no cell was measured\n"), "{text}");
        assert!(!text.contains("plausible"), "{text}");
    }

    #[test]
    fn a_contradiction_is_named_by_its_place() {
        let text = told(|document| document.cells[2].loops[1].read.as_mut().unwrap().bytes += 1);
        assert!(text.contains("\nfigures    IMPLAUSIBLE\n"), "{text}");
        assert!(text.contains("\nwrong: cells[2].loops[1] (bytes-of-ios): "), "{text}");
    }
}
