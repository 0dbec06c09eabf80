//! Plausible results made from fixed numbers, for tests and pictures, and what can go wrong with them.
//! Nothing here was measured.

use model::{
    KeyId, ResultDocument, ResultId,
    document::{CellError, CellErrorKind, CellStatus, EngineClass, Origin},
    ids::PublicKey,
    proof::VoidReason,
    summary::ResultSummary,
};

/// A complete run of `cdm` on a drive of this name; `scale` multiplies every rate.
#[must_use]
pub fn document(name: &str, scale: f64) -> ResultDocument {
    model::fixtures::document(name, scale, PublicKey([7; 32]))
}

/// The summary of a document under ids made from `number`.
#[must_use]
pub fn summary(document: &ResultDocument, number: u8) -> ResultSummary {
    analysis::summary::summarise(document, ResultId([number; 32]), KeyId([7; 32]))
}

/// The document with the cell at `index` failed in its third loop.
#[must_use]
pub fn with_failed(mut document: ResultDocument, index: usize) -> ResultDocument {
    let cell = &mut document.cells[index];
    cell.status = CellStatus::Failed;
    cell.error = Some(CellError { kind: CellErrorKind::Io, errno: Some(5), offset: Some(1 << 20) });
    cell.loops.truncate(2);
    document
}

/// The document with the cell at `index` void.
#[must_use]
pub fn with_void(mut document: ResultDocument, index: usize) -> ResultDocument {
    let cell = &mut document.cells[index];
    cell.status = CellStatus::Void;
    cell.void = vec![VoidReason::Unwritten];
    document
}

/// The document as a simulated drive would have given it.
#[must_use]
pub fn simulated(mut document: ResultDocument) -> ResultDocument {
    document.origin = Origin::Simulated;
    document.engine.class = EngineClass::Simulated;
    document
}

/// The document with the loops of the cell at `index` in these parts of 10,000 of its rate, the discarded
/// one first.
#[must_use]
pub fn with_loops(mut document: ResultDocument, index: usize, parts: &[u64], scale: f64) -> ResultDocument {
    document.cells[index].loops = model::fixtures::loops(index, parts, scale);
    document
}
