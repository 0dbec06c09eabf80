//! Keeps verified results and answers questions about them: the only place with SQL.
//!
//! A data directory holds `cliffmark.db` (`SQLite`) and `bundles/ab/<id>.cliffmark`, the exact bytes
//! that were uploaded. Everything in the database can be made again from the bundles, except when
//! they came and what an operator decided about them. Does not know: HTTP, pages, clocks (times are
//! handed in), and what a figure means.
#![warn(missing_docs)]

mod blobs;
mod check;
mod error;
mod list;
mod results;
mod statements;

use blobs::Blobs;
pub use check::CheckReport;
pub use error::StoreError;
pub use list::{ListQuery, MAX_LIMIT, MAX_QUERY_CHARS, Page, Sort};
pub use results::{Inserted, Stored};
pub use statements::{Standing, StatementRefusal};

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    fs, io,
    path::Path,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

/// How long a connection waits for another one's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections that read.
const READERS: u32 = 4;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations/sqlite");

/// One data directory. Cheap to clone; all clones share their connections.
#[derive(Debug, Clone)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
    blobs: Blobs,
    /// Held over the whole of an insert, so that a bundle's file and its row come and go together.
    inserting: Arc<tokio::sync::Mutex<()>>,
    /// When the next result becomes public by itself, milliseconds since 1970 UTC; `u64::MAX` for never.
    next_release_ms: Arc<AtomicU64>,
    /// The lock on the directory goes when the last clone does.
    _lock: Arc<fs::File>,
}

impl Store {
    /// Opens a data directory, makes it when it is missing, and brings its database up to date.
    ///
    /// # Errors
    /// When another program has it open, it cannot be written, or its database is damaged or newer.
    pub async fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let directory = |source: io::Error| StoreError::Directory { path: data_dir.to_owned(), source };
        fs::create_dir_all(data_dir).map_err(directory)?;
        let lock = fs::File::create(data_dir.join("lock")).map_err(directory)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => StoreError::InUse(data_dir.to_owned()),
            fs::TryLockError::Error(source) => directory(source),
        })?;
        let blobs = Blobs::open(data_dir.join("bundles")).map_err(directory)?;
        // The order matters: without a busy_timeout the switch to WAL fails at once while another
        // connection holds a lock. sqlx sends pragmas in an order of its own, with busy_timeout before.
        let options = SqliteConnectOptions::new()
            .filename(data_dir.join("cliffmark.db"))
            .create_if_missing(true)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            // An upload that was acknowledged survives a power failure.
            .synchronous(SqliteSynchronous::Full)
            // What is withdrawn is overwritten, not only unlinked.
            .pragma("secure_delete", "ON");
        let writer = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await?;
        MIGRATIONS.run(&writer).await.map_err(StoreError::Migrate)?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.pragma("query_only", "ON"))
            .await?;
        let next_release_ms = Arc::new(AtomicU64::new(u64::MAX));
        let _lock = Arc::new(lock);
        let store = Self { writer, readers, blobs, inserting: Arc::default(), next_release_ms, _lock };
        store.plan_next_release().await?;
        store.purge_withdrawn().await?;
        Ok(store)
    }

    /// Whether questions are answered.
    ///
    /// # Errors
    /// When they are not.
    pub async fn ready(&self) -> Result<(), StoreError> {
        sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM keys").fetch_one(&self.readers).await?;
        Ok(())
    }

    /// Closes every connection, so that the write-ahead log is folded into the database.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
