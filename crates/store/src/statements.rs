//! What signers say of their results later: releases, at once or by a date, and withdrawals.
//!
//! Every statement counts once. What is withdrawn leaves its id and its key, so that the address can say so and the
//! same bundle does not come back. Does not know whether a signature is right: it is handed verified statements.

use crate::{
    Store, StoreError,
    results::{SummaryRow, blocking, integer},
};
use bundle::VerifiedStatement;
use model::{
    KeyId, ResultId,
    document::Visibility,
    ids::ResultIdPrefix,
    statement::{Action, Statement},
};
use sqlx::SqliteConnection;
use std::sync::atomic::Ordering;

/// How a result stands after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Its bytes are purged.
    Withdrawn,
    /// Everyone finds it.
    Public,
    /// Unlisted until this time, milliseconds since 1970 UTC.
    UnlistedUntil(u64),
}

/// Why a statement changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementRefusal {
    /// There is no such result here.
    #[error("there is no result {0} here; a statement names all 64 digits")]
    NoSuchResult(ResultId),
    /// Another key signed the result.
    #[error(
        "the statement is signed by key {found}, the result by another one; only that one can speak for it"
    )]
    OtherKey {
        /// The key of the statement.
        found: KeyId,
    },
    /// Its nonce was used before.
    #[error("this statement was received before; make a new one, with a nonce of its own")]
    Replayed,
    /// A later release counts.
    #[error("a later release of this result was received before, and it counts")]
    Superseded,
}

/// What must be known of a result to judge a statement about it.
#[derive(sqlx::FromRow)]
struct Subject {
    key_id: String,
    visibility: String,
    summary_json: String,
}

impl Store {
    /// Does what a statement says; `now_ms` is the wall clock, milliseconds since 1970 UTC.
    ///
    /// # Errors
    /// [`StoreError::Statement`] when it does not count, [`StoreError::Withdrawn`] when the result is gone and
    /// something else than its withdrawal is stated; others when the database or the file fails.
    pub async fn state(&self, verified: &VerifiedStatement, now_ms: u64) -> Result<Standing, StoreError> {
        let statement = verified.statement();
        let id = statement.result;
        // No upload of the same result comes in between.
        let _alone = self.inserting.lock().await;
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let subject: Option<Subject> =
            sqlx::query_as("SELECT key_id, visibility, summary_json FROM results WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(&mut *transaction)
                .await?;
        let Some(subject) = subject else {
            let key: Option<String> = sqlx::query_scalar("SELECT key_id FROM withdrawn WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(&mut *transaction)
                .await?;
            let key = key.ok_or(StatementRefusal::NoSuchResult(id))?;
            check_key(&key, verified.key())?;
            if statement.action != Action::Withdraw {
                return Err(StoreError::Withdrawn(id.to_string()));
            }
            record(&mut transaction, verified, now_ms).await?;
            transaction.commit().await?;
            self.purge(id).await?;
            return Ok(Standing::Withdrawn);
        };
        check_key(&subject.key_id, verified.key())?;
        match statement.action {
            Action::Withdraw => {
                record(&mut transaction, verified, now_ms).await?;
                withdraw(&mut transaction, id, &subject, now_ms).await?;
                transaction.commit().await?;
                self.purge(id).await?;
                Ok(Standing::Withdrawn)
            }
            Action::Release => {
                if has_later_release(&mut transaction, statement).await? {
                    // A replayed one is told as such.
                    record(&mut transaction, verified, now_ms).await?;
                    return Err(StatementRefusal::Superseded.into());
                }
                record(&mut transaction, verified, now_ms).await?;
                let standing = release(&mut transaction, statement, subject, now_ms).await?;
                transaction.commit().await?;
                self.plan_next_release().await?;
                Ok(standing)
            }
        }
    }

    /// Makes public what was to be released by now; costs nothing as long as nothing is due.
    ///
    /// # Errors
    /// When the database fails: then nothing has become public.
    pub async fn release_due(&self, now_ms: u64) -> Result<(), StoreError> {
        if now_ms < self.next_release_ms.load(Ordering::Acquire) {
            return Ok(());
        }
        let _alone = self.inserting.lock().await;
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let due: Vec<(String, i64, String)> = sqlx::query_as(
            "SELECT id, release_ms, summary_json FROM results WHERE release_ms <= $1 ORDER BY release_ms",
        )
        .bind(integer(now_ms))
        .fetch_all(&mut *transaction)
        .await?;
        for (id, release_ms, summary_json) in due {
            publish(&mut transaction, &id, summary_json, release_ms).await?;
        }
        transaction.commit().await?;
        self.plan_next_release().await
    }

    /// Notes when the next result becomes public by itself.
    pub(crate) async fn plan_next_release(&self) -> Result<(), StoreError> {
        let next: Option<i64> =
            sqlx::query_scalar("SELECT MIN(release_ms) FROM results").fetch_one(&self.writer).await?;
        let next = next.map_or(u64::MAX, |ms| u64::try_from(ms).unwrap_or(0));
        self.next_release_ms.store(next, Ordering::Release);
        Ok(())
    }

    /// Whether a withdrawn result answers to these digits.
    pub(crate) async fn is_withdrawn(&self, prefix: &ResultIdPrefix) -> Result<bool, StoreError> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM withdrawn WHERE id >= $1 AND id < $2 AND (listed OR id = $1)",
        )
        .bind(prefix.as_str())
        .bind(format!("{prefix}g"))
        .fetch_one(&self.readers)
        .await?;
        Ok(count > 0)
    }

    /// Removes the files of withdrawn results that a killed server left.
    pub(crate) async fn purge_withdrawn(&self) -> Result<(), StoreError> {
        let ids: Vec<String> =
            sqlx::query_scalar("SELECT id FROM withdrawn").fetch_all(&self.readers).await?;
        for id in ids {
            let bad =
                |error: model::ids::IdError| StoreError::Row { id: id.clone(), reason: error.to_string() };
            self.remove_file(id.parse().map_err(bad)?).await?;
        }
        Ok(())
    }

    /// Leaves nothing of a withdrawn result's bytes: neither the file nor old pages of the database.
    async fn purge(&self, id: ResultId) -> Result<(), StoreError> {
        self.remove_file(id).await?;
        // Someone who reads may keep it from being cut; what is left in it is overwritten by the next writes.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.writer).await?;
        Ok(())
    }

    async fn remove_file(&self, id: ResultId) -> Result<(), StoreError> {
        let blobs = self.blobs.clone();
        match blocking(move || blobs.remove(id)).await {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::Bundle { id, source })
            }
            _ => Ok(()),
        }
    }
}

fn check_key(of_result: &str, of_statement: KeyId) -> Result<(), StatementRefusal> {
    if of_result == of_statement.to_string() {
        Ok(())
    } else {
        Err(StatementRefusal::OtherKey { found: of_statement })
    }
}

/// Keeps a statement, once.
async fn record(
    connection: &mut SqliteConnection,
    verified: &VerifiedStatement,
    now_ms: u64,
) -> Result<(), StoreError> {
    let statement = verified.statement();
    let added = sqlx::query(
        "INSERT INTO statements (result_id, nonce, action, made_ms, received_ms, envelope)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (result_id, nonce) DO NOTHING",
    )
    .bind(statement.result.to_string())
    .bind(statement.nonce.to_string())
    .bind(statement.action.token())
    .bind(integer(statement.made_unix_ms))
    .bind(integer(now_ms))
    .bind(String::from_utf8_lossy(verified.envelope()))
    .execute(connection)
    .await?;
    if added.rows_affected() == 1 { Ok(()) } else { Err(StatementRefusal::Replayed.into()) }
}

async fn has_later_release(
    connection: &mut SqliteConnection,
    statement: &Statement,
) -> Result<bool, StoreError> {
    let later: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM statements WHERE result_id = $1 AND action = 'release' AND made_ms >= $2",
    )
    .bind(statement.result.to_string())
    .bind(integer(statement.made_unix_ms))
    .fetch_one(connection)
    .await?;
    Ok(later > 0)
}

/// Takes a result out of everything but the list of those that are gone; its metrics go with its row.
async fn withdraw(
    connection: &mut SqliteConnection,
    id: ResultId,
    subject: &Subject,
    now_ms: u64,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM results WHERE id = $1").bind(id.to_string()).execute(&mut *connection).await?;
    sqlx::query("INSERT INTO withdrawn (id, key_id, listed, withdrawn_ms) VALUES ($1, $2, $3, $4)")
        .bind(id.to_string())
        .bind(&subject.key_id)
        .bind(subject.visibility == "public")
        .bind(integer(now_ms))
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes a result public at once or notes when it will be.
async fn release(
    connection: &mut SqliteConnection,
    statement: &Statement,
    subject: Subject,
    now_ms: u64,
) -> Result<Standing, StoreError> {
    if subject.visibility == "public" {
        return Ok(Standing::Public);
    }
    let id = statement.result.to_string();
    match statement.from_unix_ms.filter(|from| *from > now_ms) {
        None => {
            publish(connection, &id, subject.summary_json, integer(now_ms)).await?;
            Ok(Standing::Public)
        }
        Some(from) => {
            sqlx::query("UPDATE results SET release_ms = $2 WHERE id = $1")
                .bind(id)
                .bind(integer(from))
                .execute(connection)
                .await?;
            Ok(Standing::UnlistedUntil(from))
        }
    }
}

/// From now on the result is like any other, and new since `at_ms`.
async fn publish(
    connection: &mut SqliteConnection,
    id: &str,
    summary_json: String,
    at_ms: i64,
) -> Result<(), StoreError> {
    let mut summary = SummaryRow { id: id.to_owned(), summary_json }.into_summary()?;
    summary.head.visibility = Visibility::Public;
    let json = serde_json::to_string(&summary)
        .map_err(|error| StoreError::Row { id: id.to_owned(), reason: error.to_string() })?;
    sqlx::query(
        "UPDATE results SET visibility = 'public', release_ms = NULL, summary_json = $2,
             received_ms = CASE WHEN received_ms < $3 THEN $3 ELSE received_ms END WHERE id = $1",
    )
    .bind(id)
    .bind(json)
    .bind(at_ms)
    .execute(connection)
    .await?;
    Ok(())
}
