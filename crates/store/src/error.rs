//! What can go wrong between a question and its answer.

use model::ResultId;
use std::{io, path::PathBuf};

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program has the data directory open.
    #[error("{0} is in use by another cliffmark-server; stop it, or choose another directory with --data")]
    InUse(PathBuf),
    /// The data directory cannot be used.
    #[error("cannot use the data directory {path}; it must be a directory that this user may write")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The database cannot be brought up to date.
    #[error("the database cannot be brought up to date; was it written by a newer cliffmark-server?")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// A bundle's file could not be read or written.
    #[error("the file of bundle {id} could not be used")]
    Bundle {
        /// The result.
        id: ResultId,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// A bundle's file does not hold what was stored.
    #[error("the file of bundle {id} is damaged: {reason}; restore it from a backup")]
    Damaged {
        /// The result.
        id: ResultId,
        /// What is wrong with it.
        reason: String,
    },
    /// A row holds what no version of this program writes.
    #[error("the row of {id} is damaged: {reason}")]
    Row {
        /// The result, as the row names it.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Several results begin with these digits.
    #[error("more than one result begins with {0}; give more digits")]
    Ambiguous(String),
    /// The result that begins with these digits was withdrawn by its signer.
    #[error("result {0} was withdrawn by the key that signed it")]
    Withdrawn(String),
    /// A statement that does not count.
    #[error(transparent)]
    Statement(#[from] crate::StatementRefusal),
    /// A list's question that cannot be answered; the text says which part and why.
    #[error("{0}")]
    Question(String),
}
