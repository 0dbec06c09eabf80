//! One result: stored once, found by its id or the beginning of it, handed out as it came.

use crate::{Store, StoreError};
use bundle::Verified;
use model::{
    MethodId, ResultDocument, ResultId, ids::ResultIdPrefix, summary::ResultSummary, units::format_capacity,
};
use serde::Serialize;
use sqlx::SqliteConnection;

/// A stored document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The document.
    pub document: ResultDocument,
    /// Size of its bundle in bytes.
    pub bundle_bytes: u64,
}

/// What became of an insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// It was stored.
    New,
    /// It had been stored before; nothing changed.
    AlreadyThere,
}

impl Store {
    /// Stores a result and the exact bytes it came in; `received_ms` is the wall clock, milliseconds since
    /// 1970 UTC. On an error nothing of it is left.
    ///
    /// The caller must let it run to its end: dropped half-way it may leave a file without a row, which
    /// nothing ever shows and which the next upload of the same result replaces.
    ///
    /// # Errors
    /// When it was withdrawn before, or the file or the rows could not be written.
    pub async fn insert(
        &self,
        verified: &Verified,
        bytes: Vec<u8>,
        received_ms: u64,
    ) -> Result<Inserted, StoreError> {
        let id = verified.id();
        let summary = analysis::summary::summarise(verified.document(), id, verified.key());
        let bundle_bytes = bytes.len();
        let _alone = self.inserting.lock().await;
        if exists(&self.readers, id).await? {
            return Ok(Inserted::AlreadyThere);
        }
        if self.is_withdrawn(&id.into()).await? {
            return Err(StoreError::Withdrawn(id.to_string()));
        }
        // The file first: a row never points to nothing.
        let blobs = self.blobs.clone();
        blocking(move || blobs.write(id, &bytes))
            .await
            .map_err(|source| StoreError::Bundle { id, source })?;
        let rows = self.insert_rows(verified, &summary, bundle_bytes, received_ms).await;
        if let Err(error) = rows {
            let blobs = self.blobs.clone();
            if let Err(leftover) = blocking(move || blobs.remove(id)).await {
                tracing::error!(%id, %leftover, "a bundle without a row could not be removed");
            }
            return Err(error);
        }
        Ok(Inserted::New)
    }

    async fn insert_rows(
        &self,
        verified: &Verified,
        summary: &ResultSummary,
        bundle_bytes: usize,
        received_ms: u64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(
            "INSERT INTO keys (key_id, public_key, first_seen_ms) VALUES ($1, $2, $3)
             ON CONFLICT (key_id) DO NOTHING",
        )
        .bind(verified.key().to_string())
        .bind(verified.public_key().to_string())
        .bind(integer(received_ms))
        .execute(&mut *transaction)
        .await?;
        insert_result(&mut transaction, summary, bundle_bytes, received_ms).await?;
        insert_metrics(&mut transaction, summary).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The result whose id begins with these digits; `None` when there is none, it is hidden, or it is
    /// unlisted and fewer than all digits are given.
    ///
    /// # Errors
    /// When more than one result begins with them, the one that did is withdrawn, or the database fails.
    pub async fn summary(&self, prefix: &ResultIdPrefix) -> Result<Option<ResultSummary>, StoreError> {
        let rows: Vec<SummaryRow> = sqlx::query_as(
            "SELECT id, summary_json FROM results
             WHERE id >= $1 AND id < $2 AND NOT hidden AND (visibility = 'public' OR id = $1)
             ORDER BY id LIMIT 2",
        )
        .bind(prefix.as_str())
        // `g` follows every hexadecimal digit, so this is the end of the prefix's range.
        .bind(format!("{prefix}g"))
        .fetch_all(&self.readers)
        .await?;
        let mut rows = rows.into_iter();
        match (rows.next(), rows.next()) {
            (Some(_), Some(_)) => Err(StoreError::Ambiguous(prefix.to_string())),
            (None, _) if self.is_withdrawn(prefix).await? => Err(StoreError::Withdrawn(prefix.to_string())),
            (row, _) => row.map(SummaryRow::into_summary).transpose(),
        }
    }

    /// The `count` public results that came last, newest first; at most [`crate::MAX_LIMIT`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn latest(&self, count: u32) -> Result<Vec<ResultSummary>, StoreError> {
        let rows: Vec<SummaryRow> = sqlx::query_as(
            "SELECT id, summary_json FROM results WHERE visibility = 'public' AND NOT hidden
             ORDER BY received_ms DESC, id DESC LIMIT $1",
        )
        .bind(i64::from(count.min(crate::MAX_LIMIT)))
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(SummaryRow::into_summary).collect()
    }

    /// The exact bytes that were uploaded.
    ///
    /// # Errors
    /// When the file cannot be read. Whether the result may be seen is asked through [`Store::summary`].
    pub async fn bundle_bytes(&self, id: ResultId) -> Result<Vec<u8>, StoreError> {
        let blobs = self.blobs.clone();
        blocking(move || blobs.read(id)).await.map_err(|source| StoreError::Bundle { id, source })
    }

    /// The document, read from the stored bundle and verified once more.
    ///
    /// # Errors
    /// When the file cannot be read or is not the bundle that was stored.
    pub async fn document(&self, id: ResultId) -> Result<Stored, StoreError> {
        let bytes = self.bundle_bytes(id).await?;
        let bundle_bytes = bytes.len() as u64;
        let document = blocking(move || open_as(id, &bytes)).await.map(Verified::into_document)?;
        Ok(Stored { document, bundle_bytes })
    }

    /// Every method that public results were measured with, and how many have it; by method id.
    ///
    /// # Errors
    /// When the database fails, or holds what is no method id.
    pub async fn methods(&self) -> Result<Vec<(MethodId, u64)>, StoreError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT m.method, COUNT(DISTINCT m.result_id) FROM metrics m JOIN results r ON r.id = m.result_id
             WHERE r.visibility = 'public' AND NOT r.hidden GROUP BY m.method ORDER BY m.method",
        )
        .fetch_all(&self.readers)
        .await?;
        let read = |(method, count): (String, i64)| match method.parse::<MethodId>() {
            Ok(id) => Ok((id, u64::try_from(count).unwrap_or(0))),
            Err(error) => Err(StoreError::Row { id: method, reason: error.to_string() }),
        };
        rows.into_iter().map(read).collect()
    }
}

/// Opens stored bytes, which must be the bundle of `id`.
pub(crate) fn open_as(id: ResultId, bytes: &[u8]) -> Result<Verified, StoreError> {
    let damaged = |reason: String| StoreError::Damaged { id, reason };
    let verified = bundle::open(bytes).map_err(|error| damaged(error.to_string()))?;
    if verified.id() == id {
        Ok(verified)
    } else {
        Err(damaged(format!("it holds result {}", verified.id())))
    }
}

async fn exists(readers: &sqlx::SqlitePool, id: ResultId) -> Result<bool, StoreError> {
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM results WHERE id = $1")
        .bind(id.to_string())
        .fetch_one(readers)
        .await?;
    Ok(count > 0)
}

async fn insert_result(
    connection: &mut SqliteConnection,
    summary: &ResultSummary,
    bundle_bytes: usize,
    received_ms: u64,
) -> Result<(), StoreError> {
    let head = &summary.head;
    let id = head.id.to_string();
    // Written and read once: an infinite figure would be written and never read again.
    let json = serde_json::to_string(summary)
        .and_then(|json| serde_json::from_str::<ResultSummary>(&json).map(|_| json))
        .map_err(|error| StoreError::Row { id: id.clone(), reason: error.to_string() })?;
    sqlx::query(
        "INSERT INTO results (id, key_id, received_ms, started_ms, suite, drive, drive_slug, capacity,
             capacity_bytes, transport, origin, visibility, outcome, bundle_bytes, search, summary_json)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
    )
    .bind(id)
    .bind(head.key.to_string())
    .bind(integer(received_ms))
    .bind(integer(head.started_unix_ms))
    .bind(&head.suite)
    .bind(&head.drive)
    .bind(&head.drive_slug)
    .bind(head.capacity_bytes.map(|bytes| capacity_token(&format_capacity(bytes))))
    .bind(head.capacity_bytes.map(integer))
    .bind(word(head.transport))
    .bind(word(head.origin))
    .bind(word(head.visibility))
    .bind(word(head.outcome))
    .bind(integer(bundle_bytes as u64))
    .bind(search_text(summary))
    .bind(json)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_metrics(
    connection: &mut SqliteConnection,
    summary: &ResultSummary,
) -> Result<(), StoreError> {
    for (position, metric) in (0_i64..).zip(&summary.metrics) {
        let stats = metric.stats.as_ref();
        sqlx::query(
            "INSERT INTO metrics (result_id, position, metric, method, status, count, median, mean, min, max,
                 deviation)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(summary.head.id.to_string())
        .bind(position)
        .bind(metric.metric.to_string())
        .bind(metric.method.to_string())
        .bind(word(metric.status))
        .bind(stats.map_or(0, |stats| i64::from(stats.count)))
        .bind(stats.map(|stats| stats.median))
        .bind(stats.map(|stats| stats.mean))
        .bind(stats.map(|stats| stats.min))
        .bind(stats.map(|stats| stats.max))
        .bind(stats.and_then(|stats| stats.deviation))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// A result as a list's row holds it.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct SummaryRow {
    pub(crate) id: String,
    pub(crate) summary_json: String,
}

impl SummaryRow {
    pub(crate) fn into_summary(self) -> Result<ResultSummary, StoreError> {
        let Self { id, summary_json } = self;
        serde_json::from_str(&summary_json).map_err(|error| StoreError::Row { id, reason: error.to_string() })
    }
}

/// A capacity as filters compare it: `2 TB` and `2tb` are one.
pub(crate) fn capacity_token(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// What a search looks through, lower case.
fn search_text(summary: &ResultSummary) -> String {
    let head = &summary.head;
    let fixed = [head.drive.as_str(), &head.suite, head.transport.text(), &head.host];
    let capacity =
        head.capacity_bytes.map(format_capacity).map(|text| format!("{text} {}", capacity_token(&text)));
    let optional = [head.firmware.as_deref(), head.file_system.as_deref(), capacity.as_deref()];
    let words: Vec<&str> = fixed
        .into_iter()
        .chain(optional.into_iter().flatten())
        .chain(head.labels.values().map(String::as_str))
        .collect();
    words.join("\n").to_lowercase()
}

/// The word by which documents name a value, without its quotes.
///
/// # Panics
/// When the value is written as anything else than a word; all callers pass unit variants.
fn word<T: Serialize>(value: T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant is a word, not {other:?}"),
    }
}

/// SQL has signed integers only; what lies beyond is a hostile label, and sorts last all the same.
pub(crate) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Runs file work where it holds up nothing else.
///
/// # Panics
/// When `work` does.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(value) => value,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // Cancelled: the runtime is going down, and the caller with it.
        Err(Err(_)) => std::future::pending().await,
    }
}
