//! Every question to the store, on a migrated database in a directory of its own.

mod statements;

use bundle::Verified;
use cliffmark_store::{Inserted, ListQuery, Page, Sort, Store, StoreError};
use ed25519_dalek::SigningKey;
use model::{
    ResultDocument, ResultId,
    document::{CellStatus, Origin, Visibility},
    fixtures,
    ids::ResultIdPrefix,
    labels::LabelKey,
    method::DataKind,
    proof::VoidReason,
    reading::Reading,
};
use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};
use tempfile::TempDir;

/// Made once, then changed.
static DOCUMENT: LazyLock<ResultDocument> = LazyLock::new(|| {
    let mut document = fixtures::document("Example 980 PRO", 1.0, bundle::public_key(&key()));
    document.cells.truncate(4);
    document
});

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn sealed(change: impl FnOnce(&mut ResultDocument)) -> (Verified, Vec<u8>) {
    let mut document = DOCUMENT.clone();
    change(&mut document);
    let bytes = bundle::seal(&document, &key()).unwrap();
    (bundle::open(&bytes).unwrap(), bytes)
}

struct Fixture {
    store: Store,
    directory: TempDir,
    clock_ms: u64,
}

impl Fixture {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: Store::open(directory.path()).await.unwrap(), directory, clock_ms: 1_000 }
    }

    async fn add(&mut self, change: impl FnOnce(&mut ResultDocument)) -> ResultId {
        let (verified, bytes) = sealed(change);
        self.clock_ms += 1_000;
        assert_eq!(self.store.insert(&verified, bytes, self.clock_ms).await.unwrap(), Inserted::New);
        verified.id()
    }

    async fn named(&mut self, name: &str) -> ResultId {
        self.add(|document| document.drive.model = Reading::Known(name.to_owned())).await
    }

    async fn list(&self, query: ListQuery) -> Vec<ResultId> {
        ids(&self.store.list(&query).await.unwrap())
    }
}

fn ids(page: &Page) -> Vec<ResultId> {
    page.results.iter().map(|result| result.head.id).collect()
}

fn search(q: &str) -> ListQuery {
    ListQuery { q: q.to_owned(), ..ListQuery::default() }
}

fn prefix(id: ResultId, digits: usize) -> ResultIdPrefix {
    id.to_string()[..digits].parse().unwrap()
}

fn bundles_in(directory: &Path) -> Vec<String> {
    fn walk(directory: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path.display().to_string()) }
        }
    }
    let mut found = Vec::new();
    walk(&directory.join("bundles"), &mut found);
    found
}

#[tokio::test]
async fn what_goes_in_comes_out() {
    let fixture = Fixture::new().await;
    let (verified, bytes) = sealed(|_| ());
    let id = verified.id();
    assert_eq!(fixture.store.insert(&verified, bytes.clone(), 5).await.unwrap(), Inserted::New);

    let expected = analysis::summary::summarise(verified.document(), id, verified.key());
    for digits in [16, 40, 64] {
        assert_eq!(fixture.store.summary(&prefix(id, digits)).await.unwrap().unwrap(), expected);
    }
    assert_eq!(fixture.store.bundle_bytes(id).await.unwrap(), bytes);
    let stored = fixture.store.document(id).await.unwrap();
    assert_eq!((&stored.document, stored.bundle_bytes), (verified.document(), bytes.len() as u64));
    assert_eq!(fixture.store.latest(5).await.unwrap(), [expected]);
    fixture.store.ready().await.unwrap();
}

#[tokio::test]
async fn the_same_result_is_stored_once() {
    let fixture = Fixture::new().await;
    let (verified, bytes) = sealed(|_| ());
    assert_eq!(fixture.store.insert(&verified, bytes.clone(), 5).await.unwrap(), Inserted::New);
    assert_eq!(fixture.store.insert(&verified, bytes, 6).await.unwrap(), Inserted::AlreadyThere);
    assert_eq!(fixture.store.list(&ListQuery::default()).await.unwrap().total, 1);
    assert_eq!(bundles_in(fixture.directory.path()).len(), 1);
}

#[tokio::test]
async fn simultaneous_uploads_of_one_result_store_it_once() {
    let fixture = Fixture::new().await;
    let (verified, bytes) = sealed(|_| ());
    let outcomes = tokio::join!(
        fixture.store.insert(&verified, bytes.clone(), 1),
        fixture.store.insert(&verified, bytes.clone(), 1),
        fixture.store.insert(&verified, bytes.clone(), 1),
    );
    let outcomes = [outcomes.0.unwrap(), outcomes.1.unwrap(), outcomes.2.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Inserted::New).count(), 1);
    assert_eq!(fixture.store.bundle_bytes(verified.id()).await.unwrap(), bytes);
}

#[tokio::test]
async fn results_outlive_the_server_and_a_directory_has_one() {
    let mut fixture = Fixture::new().await;
    let id = fixture.named("Lasting").await;
    let second = Store::open(fixture.directory.path()).await;
    assert!(matches!(second, Err(StoreError::InUse(_))), "{second:?}");
    fixture.store.close().await;
    drop(fixture.store);
    let again = Store::open(fixture.directory.path()).await.unwrap();
    assert!(again.summary(&prefix(id, 64)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_bundle_that_cannot_be_recorded_leaves_no_file() {
    let fixture = Fixture::new().await;
    let mut other = sqlx_connection(fixture.directory.path()).await;
    sqlx::query("DROP TABLE metrics").execute(&mut other).await.unwrap();
    let (verified, bytes) = sealed(|_| ());
    let refused = fixture.store.insert(&verified, bytes, 5).await;
    assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    assert_eq!(bundles_in(fixture.directory.path()), [""; 0]);
    assert!(fixture.store.latest(5).await.unwrap().is_empty());
}

#[tokio::test]
async fn unlisted_results_answer_to_all_digits_only() {
    let mut fixture = Fixture::new().await;
    let id = fixture.add(|document| document.visibility = Visibility::Unlisted).await;
    assert!(fixture.store.summary(&prefix(id, 63)).await.unwrap().is_none());
    assert!(fixture.store.summary(&prefix(id, 64)).await.unwrap().is_some());
    assert!(fixture.list(ListQuery::default()).await.is_empty());
    assert!(fixture.store.latest(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn hidden_results_answer_to_nothing() {
    let mut fixture = Fixture::new().await;
    let id = fixture.named("Fake").await;
    let mut other = sqlx_connection(fixture.directory.path()).await;
    sqlx::query("UPDATE results SET hidden = TRUE").execute(&mut other).await.unwrap();
    assert!(fixture.store.summary(&prefix(id, 64)).await.unwrap().is_none());
    assert!(fixture.list(ListQuery::default()).await.is_empty());
    assert!(fixture.store.latest(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn digits_that_fit_two_results_name_neither() {
    let mut fixture = Fixture::new().await;
    let id = fixture.named("First").await;
    let mut other = sqlx_connection(fixture.directory.path()).await;
    // Nobody finds two digests with sixteen equal digits: the row is copied under such an id.
    let twin = format!("{}{}", &id.to_string()[..16], "0".repeat(48));
    sqlx::query(
        "INSERT INTO results (id, key_id, received_ms, started_ms, suite, drive, drive_slug, capacity,
         capacity_bytes, transport, origin, visibility, outcome, hidden, bundle_bytes, search, summary_json)
         SELECT $1, key_id, received_ms, started_ms, suite, drive, drive_slug, capacity,
         capacity_bytes, transport, origin, visibility, outcome, hidden, bundle_bytes, search, summary_json
         FROM results",
    )
    .bind(&twin)
    .execute(&mut other)
    .await
    .unwrap();
    let ambiguous = fixture.store.summary(&prefix(id, 16)).await;
    assert!(matches!(ambiguous, Err(StoreError::Ambiguous(_))), "{ambiguous:?}");
    assert!(fixture.store.summary(&prefix(id, 64)).await.unwrap().is_some());
}

#[tokio::test]
async fn words_are_found_in_names_and_labels_whatever_they_hold() {
    let mut fixture = Fixture::new().await;
    let percent = fixture.named("100% \"Drive\" O'Neil").await;
    let under = fixture.named("under_score Ünïcode 💾").await;
    let label = fixture
        .add(|document| drop(document.labels.insert(LabelKey::Cooling, "Big Heatsink".to_owned())))
        .await;
    for (q, found) in [
        ("100%", vec![percent]),
        ("%", vec![percent]),
        ("_", vec![under]),
        ("o'neil \"drive\"", vec![percent]),
        ("ÜNÏCODE", vec![under]),
        ("💾", vec![under]),
        ("heatsink big", vec![label]),
        ("heatsink 100%", vec![]),
        ("'; DROP TABLE results; --", vec![]),
        (r"\", vec![]),
        ("2tb 980 cdm nvme", vec![label]),
        ("", vec![label, under, percent]),
    ] {
        assert_eq!(fixture.list(search(q)).await, found, "{q}");
    }
    for bad in ["a".repeat(10_000), "a ".repeat(9), "a\0b".to_owned()] {
        let refused = fixture.store.list(&search(&bad)).await;
        assert!(matches!(refused, Err(StoreError::Question(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn filters_select() {
    let mut fixture = Fixture::new().await;
    let one = fixture.named("One").await;
    let quick = fixture
        .add(|document| {
            document.suite = "quick".to_owned();
            document.drive.capacity_bytes = Reading::Known(1_000_204_886_016);
        })
        .await;
    let slug = fixture.store.summary(&prefix(one, 64)).await.unwrap().unwrap().head.drive_slug;
    let all = || ListQuery::default();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(fixture.list(ListQuery { drive: Some(slug), ..all() }).await, [one]);
    assert_eq!(fixture.list(ListQuery { suite: some("quick"), ..all() }).await, [quick]);
    assert_eq!(fixture.list(ListQuery { suite: some("QUICK"), ..all() }).await, []);
    for text in ["1 TB", "1tb", "1TB"] {
        assert_eq!(fixture.list(ListQuery { capacity: some(text), ..all() }).await, [quick], "{text}");
    }
    let key_id = bundle::key_id(&bundle::public_key(&key()));
    assert_eq!(fixture.list(ListQuery { key: Some(key_id), ..all() }).await, [quick, one]);
    let nobody = model::KeyId([0; 32]);
    assert_eq!(fixture.list(ListQuery { key: Some(nobody), ..all() }).await, []);
}

#[tokio::test]
async fn every_order_pages_through_everything_once() {
    let mut fixture = Fixture::new().await;
    let mut added = Vec::new();
    for (index, name) in ["D", "B", "A", "C", "E"].into_iter().enumerate() {
        added.push(
            fixture
                .add(|document| {
                    document.drive.model = Reading::Known(name.to_owned());
                    for one in document.cells.iter_mut().flat_map(|cell| &mut cell.loops) {
                        one.elapsed_ns += 1_000_000 * index as u64;
                    }
                })
                .await,
        );
    }
    let [d, b, a, c, e] = added[..] else { unreachable!() };
    for (sort, order) in [
        ("newest", [e, c, a, b, d]),
        ("oldest", [d, b, a, c, e]),
        ("drive", [a, b, c, d, e]),
        ("seq-read.1MiB.q8.t1/bytes_per_s", [d, b, a, c, e]),
    ] {
        let sort: Sort = sort.parse().unwrap();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let query = ListQuery { sort: sort.clone(), cursor, limit: 2, ..ListQuery::default() };
            let page = fixture.store.list(&query).await.unwrap();
            assert_eq!(page.total, 5);
            seen.extend(ids(&page));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, order, "{sort}");
    }
    // Least first where less is better; all five have the same latencies, so the id decides.
    let latency = "seq-read.1MiB.q1.t1/latency_p99_ns".parse().unwrap();
    let page = fixture.store.list(&ListQuery { sort: latency, ..ListQuery::default() }).await.unwrap();
    assert_eq!(ids(&page), BTreeSet::from_iter(added).into_iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_metric_ranks_only_what_was_measured_and_counts() {
    let mut fixture = Fixture::new().await;
    let good = fixture.named("Good").await;
    let void = fixture
        .add(|document| {
            document.cells[0].status = CellStatus::Void;
            document.cells[0].void = vec![VoidReason::Hole];
        })
        .await;
    let simulated = fixture.add(|document| document.origin = Origin::Simulated).await;
    let sort: Sort = "seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap();
    assert_eq!(fixture.list(ListQuery { sort, ..ListQuery::default() }).await, [good]);
    assert_eq!(fixture.list(ListQuery::default()).await, [simulated, void, good]);
}

#[tokio::test]
async fn other_data_is_listed_behind_on_every_page() {
    let mut fixture = Fixture::new().await;
    let mut add = async |data: DataKind, times: u64| {
        fixture
            .add(|document| {
                let cell = &mut document.cells[0];
                cell.method.data = data;
                // Longer loops are slower ones.
                cell.loops.iter_mut().for_each(|one| one.elapsed_ns *= times);
            })
            .await
    };
    let zero = add(DataKind::Zero, 1).await;
    let slow = add(DataKind::Random, 3).await;
    let repeat = add(DataKind::Repeat, 4).await;
    let fast = add(DataKind::Random, 2).await;
    for (metric, order) in [
        ("bytes_per_s", [fast, slow, zero, repeat]),
        ("cpu_ns_per_io", by_id([slow, fast], [zero, repeat])),
        ("latency_max_ns", by_id([slow, fast], [zero, repeat])),
    ] {
        let sort: Sort = format!("seq-read.1MiB.q8.t1/{metric}").parse().unwrap();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let query = ListQuery { sort: sort.clone(), cursor, limit: 1, ..ListQuery::default() };
            let page = fixture.store.list(&query).await.unwrap();
            seen.extend(ids(&page));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, order, "{metric}");
    }
}

/// Both pairs, each in the order of its ids.
fn by_id(mut first: [ResultId; 2], mut then: [ResultId; 2]) -> [ResultId; 4] {
    for pair in [&mut first, &mut then] {
        pair.sort_by_key(ToString::to_string);
    }
    [first[0], first[1], then[0], then[1]]
}

#[tokio::test]
async fn methods_are_counted_by_public_result() {
    let mut fixture = Fixture::new().await;
    fixture.named("One").await;
    fixture.named("Two").await;
    fixture.add(|document| document.visibility = Visibility::Unlisted).await;
    let methods = fixture.store.methods().await.unwrap();
    assert_eq!(methods.len(), 4);
    assert!(methods.iter().all(|(_, results)| *results == 2), "{methods:?}");
}

#[tokio::test]
async fn questions_out_of_bounds_are_refused() {
    let fixture = Fixture::new().await;
    for (limit, cursor) in [(0, None), (101, None), (20, Some("7b7d")), (20, Some("not hex"))] {
        let query = ListQuery { limit, cursor: cursor.map(str::to_owned), ..ListQuery::default() };
        let refused = fixture.store.list(&query).await;
        assert!(matches!(refused, Err(StoreError::Question(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_check_names_what_is_missing_changed_or_left_over() {
    let mut fixture = Fixture::new().await;
    let sound = fixture.named("Sound").await;
    let changed = fixture.named("Changed").await;
    let missing = fixture.named("Missing").await;
    assert_eq!(fixture.store.check().await.unwrap().problems, [""; 0]);

    let path = |id: ResultId| {
        let digits = id.to_string();
        fixture.directory.path().join("bundles").join(&digits[..2]).join(format!("{digits}.cliffmark"))
    };
    fs::write(path(changed), fs::read(path(sound)).unwrap()).unwrap();
    fs::remove_file(path(missing)).unwrap();
    fs::write(path(sound).with_extension("tmp"), b"").unwrap();
    let report = fixture.store.check().await.unwrap();
    assert_eq!(report.sound, 1);
    assert_eq!(report.problems.len(), 3, "{report:?}");
    for words in ["is missing", "it holds result", "belongs to no result"] {
        assert!(report.problems.iter().any(|problem| problem.contains(words)), "{words}: {report:?}");
    }
    assert!(matches!(fixture.store.document(changed).await, Err(StoreError::Damaged { .. })));
}

/// A connection past the store, to bring about what the store never does itself.
async fn sqlx_connection(directory: &Path) -> sqlx::SqliteConnection {
    use sqlx::Connection as _;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(directory.join("cliffmark.db"));
    sqlx::SqliteConnection::connect_with(&options).await.unwrap()
}
