//! `cliffmark verify`: is the signature right, and can the figures be true?

use crate::{
    bundle_file,
    hint::{Exit, Failure, note, print},
};
use model::ResultDocument;
use std::{collections::BTreeSet, path::Path};

/// Checks a bundle and says what was found.
///
/// # Errors
/// When it cannot be read, its signature is wrong or its figures contradict each other.
pub fn verify(path: &Path) -> Result<Exit, Failure> {
    let verified = bundle_file::open(path)?;
    let findings = analysis::plausibility::check(verified.document());
    let mut text = format!(
        "signature  right: the document is unchanged since it was signed\nresult     {}\nkey        {}\n",
        verified.id(),
        verified.key()
    );
    let fatal = findings.iter().filter(|finding| finding.fatal).count();
    text.push_str(if fatal == 0 {
        "figures    plausible: nothing in them contradicts itself\n"
    } else {
        "figures    IMPLAUSIBLE\n"
    });
    for finding in &findings {
        let kind = if finding.fatal { "wrong" } else { "remark" };
        text.push_str(&format!("{kind}: {} ({}): {}\n", finding.path, finding.code, finding.text));
    }
    for what in unproven(verified.document()) {
        text.push_str(&format!("not proven: {what}\n"));
    }
    print(&text)?;
    if fatal > 0 {
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

/// What cannot be proven in any of the cells, each sentence once.
fn unproven(document: &ResultDocument) -> BTreeSet<&'static str> {
    document.cells.iter().flat_map(|cell| &cell.proof.unproven).map(|what| what.text()).collect()
}
