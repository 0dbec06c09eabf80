//! Stored results as handlers need them: summary and document together, documents kept in memory.

use crate::{error::ApiError, params::SeriesRef};
use model::{
    ResultDocument, ResultId, comparison::Difference, document::Visibility, ids::ResultIdPrefix,
    summary::ResultSummary,
};
use std::sync::Arc;
use store::{Store, Stored};
use tokio::sync::Semaphore;

/// Documents kept in memory, bytes.
const KEPT_BYTES: u64 = 128 << 20;
/// Bundles that are opened at the same time to be read; each takes up to some 300 MiB.
const READING: usize = 2;

/// A result with everything that pages and charts show of it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its figures.
    pub summary: ResultSummary,
    kept: Kept,
}

/// What is kept of a stored document.
#[derive(Debug, Clone)]
struct Kept {
    document: Arc<ResultDocument>,
    bundle_bytes: u64,
}

impl Entry {
    /// The signed document.
    #[must_use]
    pub fn document(&self) -> &ResultDocument {
        &self.kept.document
    }

    /// The same, to be kept.
    #[must_use]
    pub fn shared_document(&self) -> Arc<ResultDocument> {
        Arc::clone(&self.kept.document)
    }

    /// Size of the stored bundle in bytes.
    #[must_use]
    pub fn bundle_bytes(&self) -> u64 {
        self.kept.bundle_bytes
    }
}

/// Finds results.
#[derive(Debug, Clone)]
pub struct Library {
    store: Store,
    reading: Arc<Semaphore>,
    documents: moka::future::Cache<ResultId, Kept>,
    joined: moka::future::Cache<Vec<ResultId>, Entry>,
}

impl Library {
    /// A library over a store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        let documents = moka::future::Cache::builder()
            .max_capacity(KEPT_BYTES)
            .weigher(|_, kept: &Kept| u32::try_from(memory_bytes(&kept.document)).unwrap_or(u32::MAX))
            .build();
        let joined = moka::future::Cache::builder()
            .max_capacity(KEPT_BYTES)
            .weigher(|_, entry: &Entry| u32::try_from(memory_bytes(entry.document())).unwrap_or(u32::MAX))
            .build();
        Self { store, reading: Arc::new(Semaphore::new(READING)), documents, joined }
    }

    /// The store behind it.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The figures of a result. Whether it may be seen is asked of the store each time.
    ///
    /// # Errors
    /// When no result, or more than one, answers to `prefix`.
    pub async fn summary(&self, prefix: &ResultIdPrefix) -> Result<ResultSummary, ApiError> {
        self.store.summary(prefix).await?.ok_or_else(|| ApiError::NoSuchResult(prefix.to_string()))
    }

    /// The figures of several series, in their order, each once.
    ///
    /// # Errors
    /// As [`Library::summary`] and [`Library::entries`].
    pub async fn summaries(&self, series: &[SeriesRef]) -> Result<Vec<ResultSummary>, ApiError> {
        let mut summaries: Vec<ResultSummary> = Vec::new();
        for SeriesRef(prefixes) in series {
            let summary = match &prefixes[..] {
                [only] => self.summary(only).await?,
                several => self.joined(several).await?.summary,
            };
            if summaries.iter().all(|known| known.head.address() != summary.head.address()) {
                summaries.push(summary);
            }
        }
        Ok(summaries)
    }

    /// Results as one series.
    ///
    /// # Errors
    /// As [`Library::entry`], and when they are no results of one drive in one configuration.
    async fn joined(&self, prefixes: &[ResultIdPrefix]) -> Result<Entry, ApiError> {
        let mut parts: Vec<ResultSummary> = Vec::new();
        for prefix in prefixes {
            let summary = self.summary(prefix).await?;
            if parts.iter().all(|known| known.head.id != summary.head.id) {
                parts.push(summary);
            }
        }
        let ids = parts.iter().map(|part| part.head.id).collect();
        let unlisted = parts.iter().any(|part| part.head.visibility == Visibility::Unlisted);
        let mut entries = Vec::new();
        for part in parts {
            entries.push(self.entry(part).await?);
        }
        let join = async {
            let joining = tokio::task::spawn_blocking(move || {
                let parts: Vec<_> = entries.iter().map(|entry| (&entry.summary, entry.document())).collect();
                let (summary, document) = analysis::joined::join(&parts)?;
                let bundle_bytes = entries.iter().map(Entry::bundle_bytes).sum();
                Ok(Entry { summary, kept: Kept { document: Arc::new(document), bundle_bytes } })
            });
            joining.await.unwrap_or_else(|error| Err(NotJoined::Task(error.to_string())))
        };
        let mut joined = self.joined.try_get_with(ids, join).await.map_err(|error| match &*error {
            NotJoined::Differ(difference) => ApiError::BadRequest(not_one(difference)),
            NotJoined::Task(reason) => ApiError::Internal(reason.clone()),
        })?;
        // A part may have been released since.
        joined.summary.head.visibility = if unlisted { Visibility::Unlisted } else { Visibility::Public };
        Ok(joined)
    }

    /// A result with its document.
    ///
    /// # Errors
    /// As [`Library::summary`], and when its bundle is damaged.
    pub async fn entry(&self, summary: ResultSummary) -> Result<Entry, ApiError> {
        let id = summary.head.id;
        let load = async {
            let _turn = self.reading.acquire().await;
            let Stored { document, bundle_bytes } = self.store.document(id).await?;
            Ok::<_, store::StoreError>(Kept { document: Arc::new(document), bundle_bytes })
        };
        match self.documents.try_get_with(id, load).await {
            Ok(kept) => Ok(Entry { summary, kept }),
            Err(error) => {
                // Withdrawn between the two questions.
                self.summary(&ResultIdPrefix::from(id)).await?;
                Err(ApiError::Internal(crate::error::chain(&error)))
            }
        }
    }

    /// Forgets a result that was withdrawn.
    pub async fn forget(&self, id: ResultId) {
        self.documents.invalidate(&id).await;
        self.joined.invalidate_all();
    }

    /// Several series with their documents, in their order, each once.
    ///
    /// # Errors
    /// As [`Library::entry`], and when what is joined are no results of one drive in one configuration.
    pub async fn entries(&self, series: &[SeriesRef]) -> Result<Vec<Entry>, ApiError> {
        let mut entries: Vec<Entry> = Vec::new();
        for SeriesRef(prefixes) in series {
            let entry = match &prefixes[..] {
                [only] => self.entry(self.summary(only).await?).await?,
                several => self.joined(several).await?,
            };
            if entries.iter().all(|known| known.summary.head.address() != entry.summary.head.address()) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

/// Why results are no series, shared by all who asked.
enum NotJoined {
    Differ(Difference),
    /// The task that joins them ended.
    Task(String),
}

impl From<Difference> for NotJoined {
    fn from(difference: Difference) -> Self {
        Self::Differ(difference)
    }
}

fn not_one(difference: &Difference) -> String {
    let values = difference.values.iter().map(|value| value.as_deref().unwrap_or("not stated"));
    format!(
        "`~` joins results of one drive in one configuration, and these differ in their {}: {}",
        difference.item.text(),
        values.collect::<Vec<_>>().join(" / ")
    )
}

/// About what a document takes in memory: its histograms and bins are nearly all of it.
fn memory_bytes(document: &ResultDocument) -> usize {
    let loops = document.cells.iter().flat_map(|cell| &cell.loops);
    let transfers = loops.flat_map(|one| one.read.iter().chain(&one.write));
    let transfers = transfers.chain(document.passes.iter().flat_map(|pass| pass.transfers()));
    let numbers: usize = transfers.map(|transfer| model::histogram::BUCKETS + transfer.bins.len()).sum();
    numbers * size_of::<u64>() + 64 * 1024
}
