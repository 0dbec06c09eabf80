//! Names the things Cliffmark talks about (units, drive, method, result, comparison) and how they
//! are written down.
//!
//! Knows: types, their JSON form, their texts, and what makes a document well-formed.
//! Does not know: I/O, clocks, SQL, HTTP, charts, or what a figure means (that is `analysis`).
#![warn(missing_docs)]

pub mod chart_id;
pub mod comparison;
pub mod document;
pub mod drive;
pub mod files;
pub mod finding;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod histogram;
pub mod host;
pub mod ids;
pub mod labels;
pub mod lang;
pub mod method;
pub mod metric;
pub mod pass;
pub mod proof;
pub mod reading;
pub mod statement;
pub mod summary;
pub mod telemetry;
pub mod units;

pub use document::ResultDocument;
pub use histogram::Histogram;
pub use ids::{KeyId, ResultId};
pub use method::{Method, MethodId};
pub use reading::Reading;
