//! The parts of pages that come alive: each island is drawn by the server and hydrated in the browser.
//!
//! Their properties are small structs of finished texts: the browser formats no number, so both sides
//! show the same words. Nothing here fetches from the store or draws a chart.
//!
//! In the module that opens files they are plain components, which stay as they are first drawn: what wakes islands is
//! not compiled into it.

#![cfg_attr(
    not(all(feature = "open", target_arch = "wasm32")),
    expect(
        missing_docs,
        reason = "the island macro makes a public struct of each island's properties and cannot document it"
    )
)]

pub mod chart_figure;
pub mod compare_picker;
pub mod compare_table;
pub mod results_table;

pub use chart_figure::{ChartFigure, ChartFigureProps, FigureSource, Picture};
pub use compare_picker::{ComparePicker, ComparePickerProps};
pub use compare_table::{CompareRow, CompareTable, CompareTableProps, Group, SeriesHead, Standing};
pub use results_table::{Column, Figure, Key, ResultRow, ResultsTable, ResultsTableProps};

use leptos::prelude::*;

/// A signal that is false on the server and in the first moment of the browser, then true: what needs
/// scripts is shown only where they run.
fn scripts_run() -> ReadSignal<bool> {
    let (ready, set_ready) = signal(false);
    Effect::new(move |_| set_ready.set(true));
    ready
}
