//! Columns that follow from a result's summary: its drive's make and name in addresses, and what is searched and ranked.
//!
//! Rows that older rules filled are filled again when a data directory is opened.

use crate::{
    StoreError,
    results::{SummaryRow, capacity_token},
};
use model::{
    summary::{ResultHead, ResultSummary},
    units::format_capacity,
};
use sqlx::SqlitePool;

/// The number of these rules; raised whenever one of them changes.
const RULES: i64 = 1;
/// Rows filled in one transaction.
const AT_ONCE: i64 = 200;

/// What the columns of one row hold.
pub(crate) struct Derived {
    pub(crate) rules: i64,
    pub(crate) make: &'static str,
    pub(crate) drive_search: String,
    pub(crate) head_json: String,
}

impl Derived {
    /// Of a result with this head.
    pub(crate) fn of(head: &ResultHead) -> Result<Self, serde_json::Error> {
        let make = analysis::drive_name::make(&head.drive).unwrap_or_default();
        let capacity = head.capacity_bytes.map(format_capacity).unwrap_or_default();
        let drive_search =
            format!("{}\n{make}\n{capacity}\n{}", head.drive, capacity_token(&capacity)).to_lowercase();
        Ok(Self { rules: RULES, make, drive_search, head_json: serde_json::to_string(head)? })
    }
}

/// Fills the rows that older rules filled, or none.
pub(crate) async fn refresh(writer: &SqlitePool) -> Result<(), StoreError> {
    loop {
        let rows: Vec<SummaryRow> =
            sqlx::query_as("SELECT id, summary_json FROM results WHERE derived < $1 ORDER BY id LIMIT $2")
                .bind(RULES)
                .bind(AT_ONCE)
                .fetch_all(writer)
                .await?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
        for row in rows {
            let id = row.id.clone();
            match refreshed(row) {
                Ok((summary_json, slug, derived)) => {
                    sqlx::query(
                        "UPDATE results SET derived = $2, make = $3, drive_search = $4, head_json = $5,
                             drive_slug = $6, summary_json = $7 WHERE id = $1",
                    )
                    .bind(id)
                    .bind(derived.rules)
                    .bind(derived.make)
                    .bind(derived.drive_search)
                    .bind(derived.head_json)
                    .bind(slug)
                    .bind(summary_json)
                    .execute(&mut *transaction)
                    .await?;
                }
                // A row that cannot be read stays as it is: it must not keep the others from being shown.
                Err(error) => {
                    tracing::error!(%id, %error, "a damaged row is left out of the catalogue");
                    sqlx::query("UPDATE results SET derived = $2 WHERE id = $1")
                        .bind(id)
                        .bind(RULES)
                        .execute(&mut *transaction)
                        .await?;
                }
            }
        }
        transaction.commit().await?;
    }
}

/// The summary as today's rules write it, the drive's name in addresses, and the other columns.
fn refreshed(row: SummaryRow) -> Result<(String, String, Derived), StoreError> {
    let id = row.id.clone();
    let mut summary: ResultSummary = row.into_summary()?;
    let head = &mut summary.head;
    head.drive_slug = analysis::drive_name::slug(&head.drive, head.capacity_bytes, head.origin);
    let write =
        || Ok::<_, serde_json::Error>((serde_json::to_string(&summary)?, Derived::of(&summary.head)?));
    let (json, derived) = write().map_err(|error| StoreError::Row { id, reason: error.to_string() })?;
    Ok((json, summary.head.drive_slug, derived))
}
