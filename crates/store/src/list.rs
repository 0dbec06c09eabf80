//! Lists of public results: searched by words, filtered, sorted, and cut into pages by a cursor.
//!
//! Every text of a question is bound as a parameter. Unlisted and hidden results never appear here.

use crate::{
    Store, StoreError,
    results::{SummaryRow, capacity_token},
};
use model::{
    KeyId, MethodId,
    metric::{MetricId, MetricIdError, MetricKind},
    summary::ResultSummary,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sqlx::{Sqlite, sqlite::SqliteRow};
use std::{fmt, str::FromStr};

/// Most results on a page.
pub const MAX_LIMIT: u32 = 100;
/// Longest text to search for, in characters.
pub const MAX_QUERY_CHARS: usize = 200;
/// Most words to search for; each is one parameter of the statements below.
pub(crate) const MAX_WORDS: usize = 8;

/// What a list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sort {
    /// Received last, first.
    #[default]
    Newest,
    /// Received first, first.
    Oldest,
    /// By the drive's name in addresses.
    Drive,
    /// Best figure first; only results that have the metric, complete and measured, not simulated. Those
    /// measured on other than random data come behind the others.
    Metric(MetricId),
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newest => f.write_str("newest"),
            Self::Oldest => f.write_str("oldest"),
            Self::Drive => f.write_str("drive"),
            Self::Metric(metric) => metric.fmt(f),
        }
    }
}

impl FromStr for Sort {
    type Err = MetricIdError;

    fn from_str(text: &str) -> Result<Self, MetricIdError> {
        match text {
            "newest" => Ok(Self::Newest),
            "oldest" => Ok(Self::Oldest),
            "drive" => Ok(Self::Drive),
            metric => metric.parse().map(Self::Metric),
        }
    }
}

/// What a list is asked for; the default asks for everything, newest first.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// Words that must all be found in the drive's name, suite, host or labels; any case.
    pub q: String,
    /// Only this drive, by its name in addresses.
    pub drive: Option<String>,
    /// Only this capacity, `2 TB` or `2tb`.
    pub capacity: Option<String>,
    /// Only this suite.
    pub suite: Option<String>,
    /// Only results of this key.
    pub key: Option<KeyId>,
    /// Only results with a cell that was measured by this method.
    pub method: Option<MethodId>,
    /// The order.
    pub sort: Sort,
    /// Where the page before this one ended, as [`Page::next`] gave it.
    pub cursor: Option<String>,
    /// Most results on the page; 1 to [`MAX_LIMIT`].
    pub limit: u32,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            q: String::new(),
            drive: None,
            capacity: None,
            suite: None,
            key: None,
            method: None,
            sort: Sort::Newest,
            cursor: None,
            limit: 20,
        }
    }
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Page {
    /// The results.
    pub results: Vec<ResultSummary>,
    /// What to ask for to get the page after this one; `None` on the last.
    pub next: Option<String>,
    /// How many results there are on all pages.
    pub total: u64,
}

/// `$1` to `$12` and `$18` are the filters and words; a word that is not given is the pattern `%`.
macro_rules! filtered {
    ($select:expr, $from:expr, $and:expr) => {
        concat!(
            "SELECT ",
            $select,
            " FROM ",
            $from,
            r" WHERE r.visibility = 'public' AND NOT r.hidden
               AND ($1 IS NULL OR r.drive_slug = $1) AND ($2 IS NULL OR r.capacity = $2)
               AND ($3 IS NULL OR r.suite = $3) AND ($4 IS NULL OR r.key_id = $4)
               AND r.search LIKE $5 ESCAPE '\' AND r.search LIKE $6 ESCAPE '\'
               AND r.search LIKE $7 ESCAPE '\' AND r.search LIKE $8 ESCAPE '\'
               AND r.search LIKE $9 ESCAPE '\' AND r.search LIKE $10 ESCAPE '\'
               AND r.search LIKE $11 ESCAPE '\' AND r.search LIKE $12 ESCAPE '\'
               AND ($18 IS NULL OR EXISTS (SELECT 1 FROM metrics q WHERE q.result_id = r.id AND q.method = $18)) ",
            $and
        )
    };
}

/// The statements of one order: a page (`$13`, `$14` the key and id of the last result before it, `$15`
/// the limit) and the count over all pages. The metric, where there is one, is `$16`; `$17` is the class of
/// the last result before, where results of one class come before all others.
macro_rules! order {
    ($from:expr, $key:expr, $after:expr, $direction:expr, $only:expr) => {
        order!($from, "0", "", "", "", $key, $after, $direction, $only)
    };
    ($from:expr, $class:expr, $class_first:expr, $class_bound:expr, $class_order:expr,
     $key:expr, $after:expr, $direction:expr, $only:expr) => {
        Order {
            page: filtered!(
                concat!("r.id, r.summary_json, ", $key, " AS sort_key, ", $class, " AS sort_class"),
                $from,
                concat!(
                    $only,
                    " AND ($13 IS NULL OR (",
                    $class_first,
                    $key,
                    ", r.id) ",
                    $after,
                    " (",
                    $class_bound,
                    "$13, $14)) ORDER BY ",
                    $class_order,
                    $key,
                    $direction,
                    ", r.id",
                    $direction,
                    " LIMIT $15"
                )
            ),
            count: filtered!("COUNT(*)", $from, $only),
        }
    };
}

struct Order {
    page: &'static str,
    count: &'static str,
}

const NEWEST: Order = order!("results r", "r.received_ms", "<", " DESC", "");
const OLDEST: Order = order!("results r", "r.received_ms", ">", " ASC", "");
const DRIVE: Order = order!("results r", "r.drive_slug", ">", " ASC", "");
/// A suite run several times has a metric several times: the first one counts. `$class` is 1 or 0 for random
/// data, whichever comes first in this direction; a method id has that word in one place only.
macro_rules! metric_order {
    ($class:expr, $key:expr, $after:expr, $direction:expr) => {
        order!(
            "results r JOIN metrics m ON m.result_id = r.id",
            $class,
            concat!($class, ", "),
            "$17, ",
            concat!($class, $direction, ", "),
            $key,
            $after,
            $direction,
            " AND r.origin = 'measured' AND m.metric = $16 AND m.status = 'complete' AND m.median IS NOT NULL
              AND m.position = (SELECT MIN(f.position) FROM metrics f WHERE f.result_id = r.id
                  AND f.metric = $16 AND f.status = 'complete' AND f.median IS NOT NULL)"
        )
    };
}
const GREATEST: Order = metric_order!("(m.method LIKE '%.random.%')", "m.median", "<", " DESC");
const LEAST: Order = metric_order!("(m.method NOT LIKE '%.random.%')", "m.median", ">", " ASC");
/// Of greatest latencies, whose figure is the greatest of all loops.
const LEAST_OF_GREATEST: Order = metric_order!("(m.method NOT LIKE '%.random.%')", "m.max", ">", " ASC");

impl Store {
    /// A page of the public results that a query asks for.
    ///
    /// # Errors
    /// [`StoreError::Question`] when the query is out of its limits or its cursor is not one of ours for
    /// this order; others when the database fails.
    pub async fn list(&self, query: &ListQuery) -> Result<Page, StoreError> {
        match &query.sort {
            Sort::Newest => self.page::<i64>(query, &NEWEST).await,
            Sort::Oldest => self.page::<i64>(query, &OLDEST).await,
            Sort::Drive => self.page::<String>(query, &DRIVE).await,
            Sort::Metric(metric) if metric.kind.higher_is_better() => {
                self.page::<f64>(query, &GREATEST).await
            }
            Sort::Metric(metric) if metric.kind == MetricKind::LatencyMaxNs => {
                self.page::<f64>(query, &LEAST_OF_GREATEST).await
            }
            Sort::Metric(_) => self.page::<f64>(query, &LEAST).await,
        }
    }

    async fn page<K: SortKey>(&self, query: &ListQuery, order: &Order) -> Result<Page, StoreError> {
        if !(1..=MAX_LIMIT).contains(&query.limit) {
            return Err(StoreError::Question(format!("a page has 1 to {MAX_LIMIT} results")));
        }
        let words = patterns(&query.q)?;
        let after = query.cursor.as_deref().map(|text| Cursor::<K>::read(text, &query.sort)).transpose()?;
        let arguments = Arguments { query, words: &words, after: after.as_ref() };
        let total: i64 =
            sqlx::query_scalar_with(order.count, arguments.bound()?).fetch_one(&self.readers).await?;
        let mut rows: Vec<ListRow<K>> =
            sqlx::query_as_with(order.page, arguments.bound()?).fetch_all(&self.readers).await?;
        // One row more than asked for was read: it tells whether there is another page.
        let more = rows.len() > query.limit as usize;
        rows.truncate(query.limit as usize);
        let next = rows.last().filter(|_| more).map(|row| Cursor::after(row, &query.sort).text());
        let results = rows.into_iter().map(|row| row.summary.into_summary()).collect::<Result<_, _>>()?;
        Ok(Page { results, next, total: u64::try_from(total).unwrap_or(0) })
    }
}

/// What rows are sorted by, as SQL and as a cursor hold it.
trait SortKey:
    Serialize
    + DeserializeOwned
    + Clone
    + Send
    + Unpin
    + for<'q> sqlx::Encode<'q, Sqlite>
    + for<'r> sqlx::Decode<'r, Sqlite>
    + sqlx::Type<Sqlite>
{
}
impl SortKey for i64 {}
impl SortKey for f64 {}
impl SortKey for String {}

struct ListRow<K> {
    summary: SummaryRow,
    id: String,
    sort_key: K,
    sort_class: i64,
}

impl<K: SortKey> sqlx::FromRow<'_, SqliteRow> for ListRow<K> {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        use sqlx::Row as _;
        Ok(Self {
            summary: SummaryRow::from_row(row)?,
            id: row.try_get("id")?,
            sort_key: row.try_get("sort_key")?,
            sort_class: row.try_get("sort_class")?,
        })
    }
}

struct Arguments<'q, K> {
    query: &'q ListQuery,
    words: &'q [String; MAX_WORDS],
    after: Option<&'q Cursor<K>>,
}

impl<K: SortKey> Arguments<'_, K> {
    /// All eighteen parameters in their order; a statement leaves out those it has no use for.
    fn bound(&self) -> Result<sqlx::sqlite::SqliteArguments, StoreError> {
        use sqlx::Arguments as _;
        let ListQuery { drive, capacity, suite, key, method, sort, limit, .. } = self.query;
        let metric = if let Sort::Metric(metric) = sort { Some(metric.to_string()) } else { None };
        let mut bound = sqlx::sqlite::SqliteArguments::default();
        let add = || -> Result<(), sqlx::error::BoxDynError> {
            bound.add(drive.clone())?;
            bound.add(capacity.as_deref().map(capacity_token))?;
            bound.add(suite.clone())?;
            bound.add(key.map(|key| key.to_string()))?;
            for word in self.words {
                bound.add(word.clone())?;
            }
            bound.add(self.after.map(|after| after.key.clone()))?;
            bound.add(self.after.map(|after| after.id.clone()))?;
            bound.add(i64::from(*limit) + 1)?;
            bound.add(metric)?;
            bound.add(self.after.map(|after| after.class))?;
            bound.add(method.as_ref().map(ToString::to_string))
        };
        add().map_err(sqlx::Error::Encode)?;
        Ok(bound)
    }
}

/// The words of a search as eight LIKE patterns.
pub(crate) fn patterns(q: &str) -> Result<[String; MAX_WORDS], StoreError> {
    if q.chars().count() > MAX_QUERY_CHARS {
        return Err(StoreError::Question(format!("a search has at most {MAX_QUERY_CHARS} characters")));
    }
    // SQLite ends a pattern at a NUL, which would make it find everything. Documents hold none of these.
    if q.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(StoreError::Question("a search has printable characters only".to_owned()));
    }
    let mut patterns = std::array::from_fn(|_| "%".to_owned());
    let words: Vec<&str> = q.split_whitespace().collect();
    if words.len() > MAX_WORDS {
        return Err(StoreError::Question(format!("a search has at most {MAX_WORDS} words")));
    }
    for (pattern, word) in patterns.iter_mut().zip(words) {
        *pattern = format!("%{}%", escape_like(&word.to_lowercase()));
    }
    Ok(patterns)
}

/// A text that LIKE takes literally, with `\` as the escape.
fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Where a page ended. Opaque to everyone else: hexadecimal digits of a JSON text.
#[derive(Serialize, Deserialize)]
struct Cursor<K> {
    sort: String,
    class: i64,
    key: K,
    id: String,
}

impl<K: SortKey> Cursor<K> {
    fn after(row: &ListRow<K>, sort: &Sort) -> Self {
        Self { sort: sort.to_string(), class: row.sort_class, key: row.sort_key.clone(), id: row.id.clone() }
    }

    fn text(&self) -> String {
        hex::encode(serde_json::to_vec(self).expect("a cursor has only JSON-able fields"))
    }

    fn read(text: &str, sort: &Sort) -> Result<Self, StoreError> {
        hex::decode(text)
            .ok()
            .and_then(|json| serde_json::from_slice::<Self>(&json).ok())
            .filter(|cursor| cursor.sort == sort.to_string())
            .ok_or_else(|| {
                StoreError::Question("the cursor is not one that this list gave; start without it".to_owned())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_literally() {
        assert_eq!(escape_like(r"50%_a\b"), r"50\%\_a\\b");
        let patterns = patterns("  980  PRO ").unwrap();
        assert_eq!(
            (patterns[0].as_str(), patterns[1].as_str(), patterns[2].as_str()),
            ("%980%", "%pro%", "%")
        );
    }

    #[test]
    fn endless_searches_are_refused() {
        assert!(patterns(&"a".repeat(MAX_QUERY_CHARS + 1)).is_err());
        assert!(patterns("1 2 3 4 5 6 7 8 9").is_err());
    }

    #[test]
    fn a_cursor_serves_only_its_own_order() {
        let text = Cursor { sort: "newest".to_owned(), class: 0, key: 7_i64, id: "ab".repeat(32) }.text();
        assert_eq!(Cursor::<i64>::read(&text, &Sort::Newest).unwrap().key, 7);
        assert!(Cursor::<i64>::read(&text, &Sort::Oldest).is_err());
        assert!(Cursor::<i64>::read("zz", &Sort::Newest).is_err());
    }
}
