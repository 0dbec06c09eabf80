//! The catalogue of drives, one drive's figures, what may be ranked, and keys. Public results only.
//!
//! Every text of a question is bound as a parameter.

use crate::{
    MAX_LIMIT, Store, StoreError,
    list::{MAX_WORDS, patterns},
};
use analysis::catalogue::Sample;
use model::{
    KeyId, MethodId,
    catalogue::{DriveEntry, KeyEntry, MakeEntry},
    document::Origin,
    labels::LabelKey,
    metric::MetricId,
    ranking::RankedMetric,
    summary::{ResultHead, ResultSummary, Stats},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Most results whose figures are put together: of a drive with more, and in a ranking of more, the newest.
pub const MAX_SAMPLED: u32 = 5_000;
/// Most results of a key that are read for what reviewers call themselves.
const MAX_NAMING: i64 = 1_000;

/// What a catalogue is asked for; the default asks for everything.
#[derive(Debug, Clone)]
pub struct DriveQuery {
    /// Words that must all be found in the drive's name, make or capacity; any case.
    pub q: String,
    /// Only drives of this make; the empty text stands for drives whose name tells none.
    pub make: Option<String>,
    /// Where the page before this one ended, as [`DrivePage::next`] gave it.
    pub cursor: Option<String>,
    /// Most drives on the page; 1 to [`MAX_LIMIT`].
    pub limit: u32,
}

impl Default for DriveQuery {
    fn default() -> Self {
        Self { q: String::new(), make: None, cursor: None, limit: 50 }
    }
}

/// A page of the catalogue: measured drives first, by make and name.
#[derive(Debug, Clone)]
pub struct DrivePage {
    /// The drives.
    pub drives: Vec<DriveEntry>,
    /// What to ask for to get the page after this one; `None` on the last.
    pub next: Option<String>,
    /// How many drives there are on all pages.
    pub total: u64,
}

/// Figures of results, and whether there were more than [`MAX_SAMPLED`].
#[derive(Debug, Clone)]
pub struct Samples {
    /// The figures, those of the newest result first, each result's in the order of its cells.
    pub samples: Vec<Sample>,
    /// Whether older results were left out.
    pub cut: bool,
}

/// A public result for lists of addresses and news.
#[derive(Debug, Clone)]
pub struct Received {
    /// Its figures.
    pub summary: ResultSummary,
    /// When it was received, milliseconds since 1970 UTC.
    pub received_ms: u64,
}

#[derive(sqlx::FromRow)]
struct DriveRow {
    drive_slug: String,
    drive: String,
    make: String,
    capacity_bytes: Option<i64>,
    origin: String,
    results: i64,
    keys: i64,
    newest_ms: i64,
}

impl DriveRow {
    fn entry(self) -> DriveEntry {
        DriveEntry {
            slug: self.drive_slug,
            name: self.drive,
            make: Some(self.make).filter(|make| !make.is_empty()),
            capacity_bytes: self.capacity_bytes.map(unsigned),
            origin: if self.origin == "simulated" { Origin::Simulated } else { Origin::Measured },
            results: unsigned(self.results),
            keys: unsigned(self.keys),
            newest_unix_ms: unsigned(self.newest_ms),
        }
    }
}

/// A drive as the catalogue selects it; `$and` limits it further. Which of several spellings names it is settled by the
/// alphabet, so that it does not change from one answer to the next.
macro_rules! drives {
    ($and:expr) => {
        concat!(
            "SELECT r.drive_slug, MIN(r.drive) AS drive, r.make, MAX(r.capacity_bytes) AS capacity_bytes, r.origin,
                 COUNT(*) AS results, COUNT(DISTINCT r.key_id) AS keys, MAX(r.received_ms) AS newest_ms
             FROM results r WHERE r.visibility = 'public' AND NOT r.hidden ",
            $and,
            " GROUP BY r.origin, r.make, r.drive_slug"
        )
    };
}

/// `$1` to `$9` are make and words; a word that is not given is the pattern `%`.
macro_rules! asked {
    () => {
        r" AND ($1 IS NULL OR r.make = $1)
           AND r.drive_search LIKE $2 ESCAPE '\' AND r.drive_search LIKE $3 ESCAPE '\'
           AND r.drive_search LIKE $4 ESCAPE '\' AND r.drive_search LIKE $5 ESCAPE '\'
           AND r.drive_search LIKE $6 ESCAPE '\' AND r.drive_search LIKE $7 ESCAPE '\'
           AND r.drive_search LIKE $8 ESCAPE '\' AND r.drive_search LIKE $9 ESCAPE '\' "
    };
}

/// Drives whose name tells no make come behind those of every make.
const PAGE: &str = concat!(
    drives!(concat!(
        asked!(),
        " AND ($10 IS NULL OR (r.origin, CASE r.make WHEN '' THEN 1 ELSE 0 END, r.make, r.drive_slug)
               > ($10, $11, $12, $13))"
    )),
    " ORDER BY r.origin, CASE r.make WHEN '' THEN 1 ELSE 0 END, r.make, r.drive_slug LIMIT $14"
);
const COUNT: &str = concat!(
    "SELECT COUNT(DISTINCT r.drive_slug) FROM results r WHERE r.visibility = 'public' AND NOT r.hidden ",
    asked!()
);
const ONE: &str = drives!(" AND r.drive_slug = $1 ");
const ALL: &str = concat!(drives!(""), " ORDER BY r.drive_slug LIMIT $1");

/// What may stand in a ranking: measured, listed, of a run that did not fail, by a key that was not revoked.
macro_rules! ranked {
    () => {
        " r.visibility = 'public' AND NOT r.hidden AND r.origin = 'measured' AND r.outcome <> 'failed'
          AND r.head_json <> '' AND r.key_id NOT IN (SELECT k.key_id FROM keys k WHERE k.trust = 'revoked')
          AND m.status = 'complete' AND m.median IS NOT NULL "
    };
}

const RANKED: &str = concat!(
    "SELECT r.id, r.head_json, m.metric, m.method, m.count, m.median, m.mean, m.min, m.max, m.deviation
     FROM metrics m JOIN results r ON r.id = m.result_id WHERE m.metric = $1 AND ",
    ranked!(),
    " ORDER BY r.received_ms DESC, r.id DESC, m.position LIMIT $2"
);
/// The metrics that have figures which may be ranked; `$and` limits them further.
macro_rules! ranked_metrics {
    ($and:expr) => {
        concat!(
            "SELECT m.metric, MIN(m.method) AS method, COUNT(DISTINCT r.drive_slug) AS drives,
                 COUNT(DISTINCT r.id) AS results
             FROM metrics m JOIN results r ON r.id = m.result_id WHERE ",
            ranked!(),
            $and,
            " GROUP BY m.metric ORDER BY m.metric"
        )
    };
}

const RANKED_METRICS: &str = ranked_metrics!("");
/// Of one cell: a metric's name goes on behind it with a slash, whose next sign is `0`.
const RANKED_OF_CELL: &str = ranked_metrics!(" AND m.metric >= $1 || '/' AND m.metric < $1 || '0' ");
/// Of one drive, simulated or not: the two have names of their own.
const OF_DRIVE: &str =
    "SELECT r.id, r.head_json, m.metric, m.method, m.count, m.median, m.mean, m.min, m.max, m.deviation
     FROM metrics m JOIN (
         SELECT n.id, n.head_json, n.received_ms FROM results n
         WHERE n.drive_slug = $1 AND n.visibility = 'public' AND NOT n.hidden AND n.outcome <> 'failed'
             AND n.head_json <> ''
         ORDER BY n.received_ms DESC, n.id DESC LIMIT $2
     ) r ON r.id = m.result_id
     WHERE m.status = 'complete' AND m.median IS NOT NULL
     ORDER BY r.received_ms DESC, r.id DESC, m.position";

/// Where a page of the catalogue ended. Opaque to everyone else: hexadecimal digits of a JSON text.
#[derive(Serialize, Deserialize)]
struct DriveCursor {
    origin: String,
    unknown: i64,
    make: String,
    slug: String,
}

/// Rows of metrics with the numbers of their drives and results, as far as drives are ranked by them.
fn ranked(rows: Vec<(String, String, i64, i64)>) -> Result<Vec<RankedMetric>, StoreError> {
    let read = |(metric, method, drives, results): (String, String, i64, i64)| {
        let entry = RankedMetric {
            method: parsed(&metric, method.parse())?,
            metric: parsed(&metric, metric.parse())?,
            drives: unsigned(drives),
            results: unsigned(results),
        };
        Ok::<_, StoreError>(entry)
    };
    let metrics = rows.into_iter().map(read).collect::<Result<Vec<RankedMetric>, _>>()?;
    Ok(metrics.into_iter().filter(|entry| entry.metric.kind.ranks_drives()).collect())
}

#[derive(sqlx::FromRow)]
struct SampleRow {
    id: String,
    head_json: String,
    metric: String,
    method: String,
    count: i64,
    median: f64,
    mean: f64,
    min: f64,
    max: f64,
    deviation: Option<f64>,
}

impl Store {
    /// A page of the catalogue.
    ///
    /// # Errors
    /// [`StoreError::Question`] when the query is out of its limits or its cursor is not one of ours; others when the
    /// database fails.
    pub async fn drives(&self, query: &DriveQuery) -> Result<DrivePage, StoreError> {
        if !(1..=MAX_LIMIT).contains(&query.limit) {
            return Err(StoreError::Question(format!("a page has 1 to {MAX_LIMIT} drives")));
        }
        let words: [String; MAX_WORDS] = patterns(&query.q)?;
        let after = query.cursor.as_deref().map(read_cursor).transpose()?;
        let mut count = sqlx::query_scalar::<_, i64>(COUNT).bind(query.make.clone());
        let mut page = sqlx::query_as::<_, DriveRow>(PAGE).bind(query.make.clone());
        for word in &words {
            count = count.bind(word.clone());
            page = page.bind(word.clone());
        }
        let total = count.fetch_one(&self.readers).await?;
        let mut rows: Vec<DriveRow> = page
            .bind(after.as_ref().map(|after| after.origin.clone()))
            .bind(after.as_ref().map(|after| after.unknown))
            .bind(after.as_ref().map(|after| after.make.clone()))
            .bind(after.as_ref().map(|after| after.slug.clone()))
            // One row more than asked for tells whether there is another page.
            .bind(i64::from(query.limit) + 1)
            .fetch_all(&self.readers)
            .await?;
        let more = rows.len() > query.limit as usize;
        rows.truncate(query.limit as usize);
        let next = rows.last().filter(|_| more).map(cursor_after);
        let drives = rows.into_iter().map(DriveRow::entry).collect();
        Ok(DrivePage { drives, next, total: unsigned(total) })
    }

    /// The drive of this name in addresses; `None` when it has no public result.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drive(&self, slug: &str) -> Result<Option<DriveEntry>, StoreError> {
        let row: Option<DriveRow> = sqlx::query_as(ONE).bind(slug).fetch_optional(&self.readers).await?;
        Ok(row.map(DriveRow::entry))
    }

    /// At most `limit` drives, in the order of their names in addresses, for lists of addresses.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn all_drives(&self, limit: u32) -> Result<Vec<DriveEntry>, StoreError> {
        let rows: Vec<DriveRow> = sqlx::query_as(ALL).bind(i64::from(limit)).fetch_all(&self.readers).await?;
        Ok(rows.into_iter().map(DriveRow::entry).collect())
    }

    /// Every make in the catalogue with its number of drives, in the order of the alphabet, drives of unknown
    /// make last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn makes(&self) -> Result<Vec<MakeEntry>, StoreError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT r.make, COUNT(DISTINCT r.drive_slug) FROM results r
             WHERE r.visibility = 'public' AND NOT r.hidden
             GROUP BY r.make ORDER BY CASE r.make WHEN '' THEN 1 ELSE 0 END, r.make",
        )
        .fetch_all(&self.readers)
        .await?;
        let entry = |(make, drives): (String, i64)| MakeEntry {
            make: Some(make).filter(|make| !make.is_empty()),
            drives: unsigned(drives),
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    /// The figures that count of a drive's public results, whether measured or simulated: its name tells which.
    ///
    /// # Errors
    /// When the database fails or a row is damaged.
    pub async fn samples_of_drive(&self, slug: &str) -> Result<Samples, StoreError> {
        let rows: Vec<SampleRow> =
            sqlx::query_as(OF_DRIVE).bind(slug).bind(i64::from(MAX_SAMPLED)).fetch_all(&self.readers).await?;
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM results WHERE drive_slug = $1 AND visibility = 'public' AND NOT hidden
                 AND outcome <> 'failed'",
        )
        .bind(slug)
        .fetch_one(&self.readers)
        .await?;
        Ok(Samples { samples: samples(rows)?, cut: count > i64::from(MAX_SAMPLED) })
    }

    /// The figures that may be ranked by a metric: those that count, of measured, listed results whose runs did not fail and
    /// whose key was not revoked.
    ///
    /// # Errors
    /// When the database fails or a row is damaged.
    pub async fn samples_of_metric(&self, metric: &MetricId) -> Result<Samples, StoreError> {
        let mut rows: Vec<SampleRow> = sqlx::query_as(RANKED)
            .bind(metric.to_string())
            .bind(i64::from(MAX_SAMPLED) + 1)
            .fetch_all(&self.readers)
            .await?;
        let cut = rows.len() > MAX_SAMPLED as usize;
        rows.truncate(MAX_SAMPLED as usize);
        Ok(Samples { samples: samples(rows)?, cut })
    }

    /// Every metric that has figures which may be ranked, in the order of their ids.
    ///
    /// # Errors
    /// When the database fails or holds what is no id.
    pub async fn ranked_metrics(&self) -> Result<Vec<RankedMetric>, StoreError> {
        ranked(sqlx::query_as(RANKED_METRICS).fetch_all(&self.readers).await?)
    }

    /// The same of one cell, as the first part of a metric's id names it.
    ///
    /// # Errors
    /// As those of all.
    pub async fn ranked_metrics_of(&self, cell: &str) -> Result<Vec<RankedMetric>, StoreError> {
        ranked(sqlx::query_as(RANKED_OF_CELL).bind(cell).fetch_all(&self.readers).await?)
    }

    /// A key by its public results; `None` when it has none: of unlisted ones nothing may be learnt.
    ///
    /// # Errors
    /// When the database fails or a row is damaged.
    pub async fn key(&self, key: KeyId) -> Result<Option<KeyEntry>, StoreError> {
        let row: Option<(i64, i64, i64, i64, String)> = sqlx::query_as(
            "SELECT MIN(r.received_ms), MAX(r.received_ms), COUNT(*), COUNT(DISTINCT r.drive_slug), k.trust
             FROM results r JOIN keys k ON k.key_id = r.key_id
             WHERE r.key_id = $1 AND r.visibility = 'public' AND NOT r.hidden GROUP BY k.key_id, k.trust",
        )
        .bind(key.to_string())
        .fetch_optional(&self.readers)
        .await?;
        let Some((first, last, results, drives, trust)) = row else { return Ok(None) };
        let heads: Vec<(String, String)> = sqlx::query_as(
            "SELECT id, head_json FROM results
             WHERE key_id = $1 AND visibility = 'public' AND NOT hidden AND head_json <> ''
             ORDER BY received_ms DESC, id DESC LIMIT $2",
        )
        .bind(key.to_string())
        .bind(MAX_NAMING)
        .fetch_all(&self.readers)
        .await?;
        let mut names: BTreeMap<String, u64> = BTreeMap::new();
        for (id, json) in heads {
            if let Some(name) = head(&id, &json)?.labels.remove(&LabelKey::Reviewer) {
                *names.entry(name).or_default() += 1;
            }
        }
        let mut reviewers: Vec<(String, u64)> = names.into_iter().collect();
        reviewers.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(Some(KeyEntry {
            key,
            first_unix_ms: unsigned(first),
            last_unix_ms: unsigned(last),
            results: unsigned(results),
            drives: unsigned(drives),
            reviewers,
            revoked: trust == "revoked",
        }))
    }

    /// The `count` public results that came last, with the time, newest first; at most [`MAX_LIMIT`].
    ///
    /// # Errors
    /// When the database fails or a row is damaged.
    pub async fn news(&self, count: u32) -> Result<Vec<Received>, StoreError> {
        let rows: Vec<(String, String, i64)> = sqlx::query_as(
            "SELECT id, summary_json, received_ms FROM results WHERE visibility = 'public' AND NOT hidden
             ORDER BY received_ms DESC, id DESC LIMIT $1",
        )
        .bind(i64::from(count.min(MAX_LIMIT)))
        .fetch_all(&self.readers)
        .await?;
        let read = |(id, json, received_ms): (String, String, i64)| {
            let summary = serde_json::from_str(&json)
                .map_err(|error| StoreError::Row { id, reason: error.to_string() })?;
            Ok(Received { summary, received_ms: unsigned(received_ms) })
        };
        rows.into_iter().map(read).collect()
    }

    /// Ids of public results with the time they were received, first received first, `limit` of them behind the first
    /// `skip`, for lists of addresses.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn addresses(&self, skip: u64, limit: u32) -> Result<Vec<(String, u64)>, StoreError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT id, received_ms FROM results WHERE visibility = 'public' AND NOT hidden
             ORDER BY received_ms, id LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(limit))
        .bind(crate::results::integer(skip))
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(|(id, ms)| (id, unsigned(ms))).collect())
    }

    /// How many public results there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count(&self) -> Result<u64, StoreError> {
        let count: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM results WHERE visibility = 'public' AND NOT hidden")
                .fetch_one(&self.readers)
                .await?;
        Ok(unsigned(count))
    }
}

/// Samples of rows; results share their heads.
fn samples(rows: Vec<SampleRow>) -> Result<Vec<Sample>, StoreError> {
    let mut heads: HashMap<String, Arc<ResultHead>> = HashMap::new();
    let mut samples = Vec::with_capacity(rows.len());
    for row in rows {
        let known = match heads.get(&row.id) {
            Some(head) => Arc::clone(head),
            None => {
                let head = Arc::new(head(&row.id, &row.head_json)?);
                heads.insert(row.id.clone(), Arc::clone(&head));
                head
            }
        };
        samples.push(Sample {
            head: known,
            metric: parsed(&row.id, row.metric.parse())?,
            method: parsed::<MethodId, _>(&row.id, row.method.parse())?,
            stats: Stats {
                count: u32::try_from(row.count).unwrap_or(u32::MAX),
                median: row.median,
                mean: row.mean,
                min: row.min,
                max: row.max,
                deviation: row.deviation,
            },
        });
    }
    Ok(samples)
}

fn head(id: &str, json: &str) -> Result<ResultHead, StoreError> {
    parsed(id, serde_json::from_str(json))
}

fn parsed<T, E: std::fmt::Display>(id: &str, read: Result<T, E>) -> Result<T, StoreError> {
    read.map_err(|error| StoreError::Row { id: id.to_owned(), reason: error.to_string() })
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn cursor_after(row: &DriveRow) -> String {
    let cursor = DriveCursor {
        origin: row.origin.clone(),
        unknown: i64::from(row.make.is_empty()),
        make: row.make.clone(),
        slug: row.drive_slug.clone(),
    };
    hex::encode(serde_json::to_vec(&cursor).expect("a cursor has only JSON-able fields"))
}

fn read_cursor(text: &str) -> Result<DriveCursor, StoreError> {
    hex::decode(text).ok().and_then(|json| serde_json::from_slice(&json).ok()).ok_or_else(|| {
        StoreError::Question("the cursor is not one that this list gave; start without it".to_owned())
    })
}
