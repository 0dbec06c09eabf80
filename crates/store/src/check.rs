//! Whether the data directory is whole: the database is sound, and rows and files belong together.

use crate::{
    Store, StoreError,
    results::{blocking, open_as},
};
use model::ResultId;
use std::{collections::BTreeSet, io};

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// Results whose row and bundle are both sound.
    pub sound: u64,
    /// One sentence for each thing that is wrong; empty when nothing is.
    pub problems: Vec<String>,
}

impl Store {
    /// Reads everything: the database's own check, and every bundle with its signature.
    ///
    /// # Errors
    /// When the database or the directory of bundles cannot be read at all.
    pub async fn check(&self) -> Result<CheckReport, StoreError> {
        let mut report = CheckReport::default();
        let integrity: Vec<String> =
            sqlx::query_scalar("PRAGMA integrity_check").fetch_all(&self.readers).await?;
        report.problems.extend(
            integrity.into_iter().filter(|line| line != "ok").map(|line| format!("the database: {line}")),
        );
        let ids: Vec<String> =
            sqlx::query_scalar("SELECT id FROM results ORDER BY id").fetch_all(&self.readers).await?;
        let mut expected = BTreeSet::new();
        for text in ids {
            let Ok(id) = text.parse::<ResultId>() else {
                report.problems.push(format!("the database: `{text}` is no result id"));
                continue;
            };
            expected.insert(self.blobs.path(id));
            let opened = match self.bundle_bytes(id).await {
                Ok(bytes) => blocking(move || open_as(id, &bytes)).await.map(drop),
                Err(error) => Err(error),
            };
            match opened {
                Ok(()) => report.sound += 1,
                Err(error) => report.problems.push(with_cause(&error)),
            }
        }
        let blobs = self.blobs.clone();
        let files = blocking(move || blobs.files())
            .await
            .map_err(|source| StoreError::Directory { path: "bundles".into(), source })?;
        report.problems.extend(
            files
                .into_iter()
                .filter(|file| !expected.contains(file))
                .map(|file| format!("{} belongs to no result; it may be removed", file.display())),
        );
        Ok(report)
    }
}

fn with_cause(error: &StoreError) -> String {
    match error {
        StoreError::Bundle { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            format!("{error}: it is missing; restore it from a backup")
        }
        StoreError::Bundle { source, .. } => format!("{error}: {source}"),
        other => other.to_string(),
    }
}
