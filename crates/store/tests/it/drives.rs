//! The catalogue, rankings and keys: what is in them, and what never is.

use super::*;
use cliffmark_store::DriveQuery;
use model::{KeyId, catalogue::DriveEntry, document::Outcome, drive::Transport, metric::MetricId};

const TWO_TB: u64 = 2_000_398_934_016;

fn metric() -> MetricId {
    "seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap()
}

/// The same document signed by another key.
async fn add_by(
    fixture: &mut Fixture,
    seed: u8,
    change: impl FnOnce(&mut ResultDocument),
) -> (ResultId, KeyId) {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let mut document = DOCUMENT.clone();
    document.public_key = bundle::public_key(&key);
    change(&mut document);
    let bytes = bundle::seal(&document, &key).unwrap();
    let verified = bundle::open(&bytes).unwrap();
    fixture.clock_ms += 1_000;
    fixture.store.insert(&verified, bytes, fixture.clock_ms).await.unwrap();
    (verified.id(), verified.key())
}

fn named(name: &str) -> impl FnOnce(&mut ResultDocument) {
    let name = name.to_owned();
    move |document| {
        document.drive.model = Reading::Known(name);
        document.drive.capacity_bytes = Reading::Known(TWO_TB);
    }
}

fn slugs(drives: &[DriveEntry]) -> Vec<&str> {
    drives.iter().map(|drive| drive.slug.as_str()).collect()
}

async fn found(fixture: &Fixture, q: &str) -> Vec<String> {
    let query = DriveQuery { q: q.to_owned(), ..DriveQuery::default() };
    fixture.store.drives(&query).await.unwrap().drives.into_iter().map(|drive| drive.slug).collect()
}

#[tokio::test]
async fn spellings_of_one_drive_are_one_entry_and_its_model_another() {
    let mut fixture = Fixture::new().await;
    fixture.add(named("Samsung SSD 990 PRO 2TB")).await;
    add_by(&mut fixture, 9, named("SAMSUNG SSD 990 PRO")).await;
    fixture
        .add(|document| {
            named("Samsung SSD 990 PRO 2TB")(document);
            document.origin = Origin::Simulated;
        })
        .await;
    let page = fixture.store.drives(&DriveQuery::default()).await.unwrap();
    assert_eq!(slugs(&page.drives), ["samsung-ssd-990-pro-2tb", "samsung-ssd-990-pro-2tb--simulated"]);
    let expected = DriveEntry {
        slug: "samsung-ssd-990-pro-2tb".to_owned(),
        name: "SAMSUNG SSD 990 PRO".to_owned(),
        make: Some("Samsung".to_owned()),
        capacity_bytes: Some(TWO_TB),
        origin: Origin::Measured,
        results: 2,
        keys: 2,
        newest_unix_ms: 3_000,
    };
    assert_eq!(page.drives[0], expected);
    assert_eq!(page.drives[1].origin, Origin::Simulated);
    assert_eq!(fixture.store.drive(&expected.slug).await.unwrap(), Some(expected));
    assert_eq!(fixture.store.drive("samsung").await.unwrap(), None);
    assert_eq!(slugs(&fixture.store.all_drives(1).await.unwrap()), ["samsung-ssd-990-pro-2tb"]);
}

#[tokio::test]
async fn the_catalogue_is_paged_searched_and_sorted_by_make() {
    let mut fixture = Fixture::new().await;
    for name in ["Nameless 5", "WD_BLACK 850", "Samsung B", "Samsung A", "Another 100%"] {
        fixture.add(named(name)).await;
    }
    let expected =
        ["samsung-a-2tb", "samsung-b-2tb", "wd-black-850-2tb", "another-100-2tb", "nameless-5-2tb"];
    for limit in [1, 2, 3, 5] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let query = DriveQuery { cursor, limit, ..DriveQuery::default() };
            let page = fixture.store.drives(&query).await.unwrap();
            assert_eq!(page.total, 5);
            seen.extend(page.drives.into_iter().map(|drive| drive.slug));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{limit}");
    }
    for (q, count) in [
        ("sams", 2),
        ("WD 850", 1),
        ("western", 1),
        ("2 TB", 5),
        ("2tb", 5),
        ("100%", 1),
        ("_", 1),
        ("cdm", 0),
    ] {
        assert_eq!(found(&fixture, q).await.len(), count, "{q}");
    }
    let of = |make: &str| DriveQuery { make: Some(make.to_owned()), ..DriveQuery::default() };
    assert_eq!(fixture.store.drives(&of("Samsung")).await.unwrap().total, 2);
    assert_eq!(fixture.store.drives(&of("")).await.unwrap().total, 2);
    let makes = fixture.store.makes().await.unwrap();
    let makes: Vec<_> = makes.iter().map(|entry| (entry.make.as_deref(), entry.drives)).collect();
    assert_eq!(makes, [(Some("Samsung"), 2), (Some("Western Digital"), 1), (None, 2)]);
    for (limit, cursor) in [(0, None), (101, None), (1, Some("zz")), (1, Some("7b7d"))] {
        let query = DriveQuery { limit, cursor: cursor.map(str::to_owned), ..DriveQuery::default() };
        let refused = fixture.store.drives(&query).await;
        assert!(matches!(refused, Err(StoreError::Question(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn unlisted_and_hidden_results_are_nowhere() {
    let mut fixture = Fixture::new().await;
    let hidden = fixture.add(named("Hidden")).await;
    let (_, secret) = add_by(&mut fixture, 9, |document| {
        named("Secret")(document);
        document.visibility = Visibility::Unlisted;
    })
    .await;
    let mut other = sqlx_connection(fixture.directory.path()).await;
    sqlx::query("UPDATE results SET hidden = TRUE WHERE id = $1")
        .bind(hidden.to_string())
        .execute(&mut other)
        .await
        .unwrap();
    let store = &fixture.store;
    assert_eq!(store.drives(&DriveQuery::default()).await.unwrap().total, 0);
    assert!(store.all_drives(10).await.unwrap().is_empty() && store.makes().await.unwrap().is_empty());
    for slug in ["hidden-2tb", "secret-2tb"] {
        assert_eq!(store.drive(slug).await.unwrap(), None);
        assert!(store.samples_of_drive(slug).await.unwrap().samples.is_empty());
    }
    assert!(store.samples_of_metric(&metric()).await.unwrap().samples.is_empty());
    assert!(store.ranked_metrics().await.unwrap().is_empty());
    for key in [secret, bundle::key_id(&bundle::public_key(&key()))] {
        assert_eq!(store.key(key).await.unwrap(), None, "not even when it was first seen");
    }
    assert!(store.news(10).await.unwrap().is_empty() && store.addresses(0, 10).await.unwrap().is_empty());
    assert_eq!(store.count().await.unwrap(), 0);
}

#[tokio::test]
async fn only_what_was_measured_and_counts_is_ranked() {
    let mut fixture = Fixture::new().await;
    let good = fixture.add(named("Good")).await;
    fixture
        .add(|document| {
            named("Void")(document);
            document.cells[0].status = CellStatus::Void;
            document.cells[0].void = vec![VoidReason::Hole];
        })
        .await;
    fixture.add(|document| document.origin = Origin::Simulated).await;
    fixture.add(|document| document.outcome = Outcome::Failed).await;
    let (_, revoked) = add_by(&mut fixture, 9, named("Revoked")).await;
    let mut other = sqlx_connection(fixture.directory.path()).await;
    sqlx::query("UPDATE keys SET trust = 'revoked' WHERE key_id = $1")
        .bind(revoked.to_string())
        .execute(&mut other)
        .await
        .unwrap();
    let samples = fixture.store.samples_of_metric(&metric()).await.unwrap();
    assert!(!samples.cut);
    let expected = fixture.store.summary(&prefix(good, 64)).await.unwrap().unwrap();
    let [sample] = &samples.samples[..] else { panic!("one sample: {samples:?}") };
    assert_eq!((&*sample.head, &sample.metric), (&expected.head, &metric()));
    assert_eq!(
        (&sample.method, Some(sample.stats)),
        (&expected.metrics[0].method, expected.metrics[0].stats)
    );
    let metrics = fixture.store.ranked_metrics().await.unwrap();
    let one = metrics.iter().find(|entry| entry.metric == metric()).unwrap();
    assert_eq!((one.drives, one.results), (1, 1));
    assert!(metrics.iter().all(|entry| entry.metric.kind.ranks_drives()), "no drive pays processor time");
    // Of one cell all of its own, and nothing of one whose name begins so.
    let cell = metric().cell;
    let own: Vec<_> = metrics.into_iter().filter(|entry| entry.metric.cell == cell).collect();
    assert!(!own.is_empty());
    assert_eq!(fixture.store.ranked_metrics_of(&cell).await.unwrap(), own);
    assert_eq!(fixture.store.ranked_metrics_of(&cell[..cell.len() - 1]).await.unwrap(), []);
    assert!(fixture.store.key(revoked).await.unwrap().unwrap().revoked);
}

#[tokio::test]
async fn a_drive_has_the_figures_of_its_own_results() {
    let mut fixture = Fixture::new().await;
    let first = fixture.add(named("One")).await;
    let second = fixture
        .add(|document| {
            named("One")(document);
            document.started_unix_ms += 1;
        })
        .await;
    fixture.add(named("Two")).await;
    fixture
        .add(|document| {
            named("One")(document);
            document.origin = Origin::Simulated;
        })
        .await;
    let samples = fixture.store.samples_of_drive("one-2tb").await.unwrap().samples;
    let mut results: Vec<ResultId> = samples.iter().map(|sample| sample.head.id).collect();
    results.dedup();
    assert_eq!(results, [second, first], "the newest first");
    let simulated = fixture.store.samples_of_drive("one-2tb--simulated").await.unwrap().samples;
    assert!(simulated.iter().all(|sample| sample.head.origin == Origin::Simulated) && !simulated.is_empty());
}

#[tokio::test]
async fn a_key_is_known_by_its_public_results() {
    let mut fixture = Fixture::new().await;
    let reviewer = |name: &str, number: u64| {
        let name = name.to_owned();
        move |document: &mut ResultDocument| {
            document.labels.insert(LabelKey::Reviewer, name);
            document.started_unix_ms += number;
        }
    };
    let (_, key) = add_by(&mut fixture, 9, reviewer("Ann", 1)).await;
    add_by(&mut fixture, 9, reviewer("Bob", 2)).await;
    add_by(&mut fixture, 9, reviewer("Bob", 3)).await;
    add_by(&mut fixture, 9, |document| {
        document.labels.insert(LabelKey::Reviewer, "Secret".to_owned());
        document.visibility = Visibility::Unlisted;
    })
    .await;
    fixture.named("By another key").await;
    let entry = fixture.store.key(key).await.unwrap().unwrap();
    assert_eq!((entry.results, entry.drives, entry.first_unix_ms, entry.last_unix_ms), (3, 1, 2_000, 4_000));
    assert_eq!(entry.reviewers, [("Bob".to_owned(), 2), ("Ann".to_owned(), 1)]);
    assert!(!entry.revoked);
    assert_eq!(fixture.store.key(KeyId([0; 32])).await.unwrap(), None);
}

#[tokio::test]
async fn results_are_found_by_their_method() {
    let mut fixture = Fixture::new().await;
    let usual = fixture.named("Usual").await;
    let other = fixture
        .add(|document| document.cells.iter_mut().for_each(|cell| cell.method.data = DataKind::Zero))
        .await;
    let mut method = DOCUMENT.cells[0].method.clone();
    let with = |method: &model::Method| ListQuery { method: Some(method.id()), ..ListQuery::default() };
    assert_eq!(fixture.list(with(&method)).await, [usual]);
    method.data = DataKind::Zero;
    assert_eq!(fixture.list(with(&method)).await, [other]);
    let sort = "seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap();
    assert_eq!(fixture.list(ListQuery { sort, ..with(&method) }).await, [other]);
    method.span_bytes *= 2;
    assert_eq!(fixture.list(with(&method)).await, []);
}

#[tokio::test]
async fn addresses_and_news_have_their_times() {
    let mut fixture = Fixture::new().await;
    let first = fixture.named("First").await;
    let second = fixture.named("Second").await;
    let news = fixture.store.news(10).await.unwrap();
    let news: Vec<_> = news.iter().map(|one| (one.summary.head.id, one.received_ms)).collect();
    assert_eq!(news, [(second, 3_000), (first, 2_000)]);
    assert_eq!(fixture.store.addresses(1, 10).await.unwrap(), [(second.to_string(), 3_000)]);
    assert_eq!(fixture.store.addresses(0, 1).await.unwrap(), [(first.to_string(), 2_000)]);
    assert_eq!(fixture.store.count().await.unwrap(), 2);
}

/// A database as the first migration left it, with one result that was stored then.
#[tokio::test]
async fn results_of_older_servers_are_in_the_catalogue() {
    let directory = tempfile::tempdir().unwrap();
    let old = directory.path().join("old");
    fs::create_dir(&old).unwrap();
    let file = "0001_results.sql";
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/sqlite");
    fs::copy(migrations.join(file), old.join(file)).unwrap();
    let migrator = sqlx::migrate::Migrator::new(old.as_path()).await.unwrap();
    let data = directory.path().join("data");
    fs::create_dir(&data).unwrap();
    let (verified, _) = sealed(named("Samsung SSD 990 PRO 2TB"));
    let summary = analysis::summary::summarise(verified.document(), verified.id(), verified.key());
    let mut json = serde_json::to_value(&summary).unwrap();
    json["head"]["drive_slug"] = "samsung-ssd-990-pro-2tb-2tb".into();
    {
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(data.join("cliffmark.db"))
            .create_if_missing(true);
        let mut connection = {
            use sqlx::Connection as _;
            sqlx::SqliteConnection::connect_with(&options).await.unwrap()
        };
        migrator.run(&mut connection).await.unwrap();
        sqlx::query("INSERT INTO keys (key_id, public_key, first_seen_ms) VALUES ($1, $1, 1)")
            .bind(verified.key().to_string())
            .execute(&mut connection)
            .await
            .unwrap();
        for (id, json) in [(verified.id().to_string(), json.to_string()), ("f".repeat(64), "{}".to_owned())] {
            sqlx::query(
                "INSERT INTO results (id, key_id, received_ms, started_ms, suite, drive, drive_slug, capacity,
                 capacity_bytes, transport, origin, visibility, outcome, bundle_bytes, search, summary_json)
                 VALUES ($1, $2, 5, 5, 'cdm', 'Samsung SSD 990 PRO 2TB', 'samsung-ssd-990-pro-2tb-2tb', '2tb',
                 2000398934016, 'nvme', 'measured', CASE $3 WHEN '{}' THEN 'unlisted' ELSE 'public' END,
                 'complete', 1, '', $3)",
            )
            .bind(id)
            .bind(verified.key().to_string())
            .bind(json)
            .execute(&mut connection)
            .await
            .unwrap();
        }
    }
    // The damaged row keeps nobody from the sound one.
    let store = Store::open(&data).await.unwrap();
    let entry = store.drive("samsung-ssd-990-pro-2tb").await.unwrap().unwrap();
    assert_eq!((entry.results, entry.make.as_deref()), (1, Some("Samsung")));
    assert_eq!(store.summary(&prefix(verified.id(), 64)).await.unwrap(), Some(summary));
    assert_eq!(store.key(verified.key()).await.unwrap().unwrap().results, 1);
    let query = DriveQuery { q: "samsung 2tb".to_owned(), ..DriveQuery::default() };
    assert_eq!(store.drives(&query).await.unwrap().total, 1);
    assert_eq!(entry.origin, Origin::Measured);
    assert_eq!(verified.document().drive.transport, Transport::Nvme);
}
