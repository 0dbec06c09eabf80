//! Releases and withdrawals: what they change, what is left, and what does not count.

use crate::{Fixture, bundles_in, ids, key, prefix, sealed};
use bundle::VerifiedStatement;
use cliffmark_store::{Inserted, ListQuery, Sort, Standing, StatementRefusal, Store, StoreError};
use ed25519_dalek::SigningKey;
use model::{
    ResultId,
    document::Visibility,
    reading::Reading,
    statement::{Action, Nonce, SCHEMA, Statement},
};

/// A statement made at `made_ms`, whose nonce is made of that time.
fn stated(action: Action, result: ResultId, made_ms: u64, from_ms: Option<u64>) -> VerifiedStatement {
    stated_by(&key(), action, result, made_ms, from_ms)
}

fn stated_by(
    key: &SigningKey,
    action: Action,
    result: ResultId,
    made_unix_ms: u64,
    from_unix_ms: Option<u64>,
) -> VerifiedStatement {
    let nonce = Nonce(u128::from(made_unix_ms).to_be_bytes());
    let public_key = bundle::public_key(key);
    let statement =
        Statement { schema: SCHEMA, public_key, action, result, made_unix_ms, from_unix_ms, nonce };
    bundle::open_statement(&bundle::seal_statement(&statement, key).unwrap()).unwrap()
}

fn refusal(outcome: Result<Standing, StoreError>) -> StatementRefusal {
    match outcome {
        Err(StoreError::Statement(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

async fn unlisted(fixture: &mut Fixture, name: &str) -> ResultId {
    fixture
        .add(|document| {
            document.visibility = Visibility::Unlisted;
            document.drive.model = Reading::Known(name.to_owned());
        })
        .await
}

async fn visibility(store: &Store, id: ResultId) -> Visibility {
    store.summary(&prefix(id, 64)).await.unwrap().unwrap().head.visibility
}

#[tokio::test]
async fn a_release_makes_a_result_like_any_other() {
    let mut fixture = Fixture::new().await;
    let id = unlisted(&mut fixture, "Embargoed").await;
    let later = fixture.named("Later").await;
    assert_eq!(fixture.list(ListQuery::default()).await, [later]);
    assert_eq!(visibility(&fixture.store, id).await, Visibility::Unlisted);

    let release = stated(Action::Release, id, 10, None);
    assert_eq!(fixture.store.state(&release, 50_000).await.unwrap(), Standing::Public);
    assert_eq!(visibility(&fixture.store, id).await, Visibility::Public);
    assert!(fixture.store.summary(&prefix(id, 16)).await.unwrap().is_some());
    // It is new to everyone.
    assert_eq!(fixture.list(ListQuery::default()).await, [id, later]);
    assert_eq!(fixture.store.latest(1).await.unwrap()[0].head.id, id);
    let sort = Sort::Metric("seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap());
    assert_eq!(fixture.list(ListQuery { sort, ..ListQuery::default() }).await.len(), 2);
    assert!(fixture.store.methods().await.unwrap().iter().all(|(_, count)| *count == 2));
    // Releasing what is public changes nothing.
    let again = stated(Action::Release, id, 20, Some(90_000));
    assert_eq!(fixture.store.state(&again, 60_000).await.unwrap(), Standing::Public);
    assert_eq!(visibility(&fixture.store, id).await, Visibility::Public);
}

#[tokio::test]
async fn a_release_by_a_date_waits_for_it() {
    let mut fixture = Fixture::new().await;
    let (first, second) = (unlisted(&mut fixture, "A").await, unlisted(&mut fixture, "B").await);
    let store = fixture.store.clone();
    let by = |id, made, from| stated(Action::Release, id, made, Some(from));
    assert_eq!(store.state(&by(first, 1, 20_000), 9_000).await.unwrap(), Standing::UnlistedUntil(20_000));
    assert_eq!(store.state(&by(second, 2, 30_000), 9_000).await.unwrap(), Standing::UnlistedUntil(30_000));
    // A date that has passed is no wait.
    store.release_due(19_999).await.unwrap();
    assert_eq!(fixture.list(ListQuery::default()).await, []);
    store.release_due(20_000).await.unwrap();
    assert_eq!(fixture.list(ListQuery::default()).await, [first]);
    // The later statement counts, whichever comes last.
    assert_eq!(store.state(&by(second, 4, 50_000), 21_000).await.unwrap(), Standing::UnlistedUntil(50_000));
    assert_eq!(refusal(store.state(&by(second, 3, 22_000), 21_000).await), StatementRefusal::Superseded);
    store.release_due(49_999).await.unwrap();
    assert_eq!(fixture.list(ListQuery::default()).await, [first]);
    // What is planned outlives the program.
    let Fixture { store: own, directory, .. } = fixture;
    store.close().await;
    drop((store, own));
    let store = Store::open(directory.path()).await.unwrap();
    store.release_due(60_000).await.unwrap();
    let page = store.list(&ListQuery::default()).await.unwrap();
    assert_eq!(ids(&page), [second, first]);
    let passed = stated(Action::Release, first, 5, Some(1));
    assert_eq!(store.state(&passed, 60_000).await.unwrap(), Standing::Public);
}

#[tokio::test]
async fn what_is_withdrawn_is_gone_for_good() {
    let mut fixture = Fixture::new().await;
    let (id, other) = (fixture.named("Gone").await, fixture.named("Stays").await);
    assert_eq!(bundles_in(fixture.directory.path()).len(), 2);
    let store = fixture.store.clone();
    let withdraw = stated(Action::Withdraw, id, 10, None);
    assert_eq!(store.state(&withdraw, 9_000).await.unwrap(), Standing::Withdrawn);

    let left = bundles_in(fixture.directory.path());
    assert!(left.len() == 1 && left[0].contains(&other.to_string()), "{left:?}");
    assert_eq!(fixture.list(ListQuery::default()).await, [other]);
    let sort = Sort::Metric("seq-read.1MiB.q8.t1/bytes_per_s".parse().unwrap());
    assert_eq!(fixture.list(ListQuery { sort, ..ListQuery::default() }).await, [other]);
    assert!(store.methods().await.unwrap().iter().all(|(_, count)| *count == 1));
    for digits in [16, 64] {
        assert!(matches!(store.summary(&prefix(id, digits)).await, Err(StoreError::Withdrawn(_))));
    }
    // Neither again nor otherwise.
    let (verified, bytes) = sealed(|document| document.drive.model = Reading::Known("Gone".to_owned()));
    assert_eq!(verified.id(), id);
    assert!(matches!(store.insert(&verified, bytes, 9_500).await, Err(StoreError::Withdrawn(_))));
    let release = stated(Action::Release, id, 11, None);
    assert!(matches!(store.state(&release, 9_600).await, Err(StoreError::Withdrawn(_))));
    // Stating it once more is no error, sending the same once more is.
    let again = stated(Action::Withdraw, id, 12, None);
    assert_eq!(store.state(&again, 9_700).await.unwrap(), Standing::Withdrawn);
    assert_eq!(refusal(store.state(&withdraw, 9_800).await), StatementRefusal::Replayed);
    let report = store.check().await.unwrap();
    assert_eq!((report.sound, report.problems), (1, Vec::new()));
    // No page of the database or its log holds the reviewer's words any more.
    for file in ["cliffmark.db", "cliffmark.db-wal"] {
        let bytes = std::fs::read(fixture.directory.path().join(file)).unwrap_or_default();
        assert!(!bytes.windows(4).any(|four| four == b"Gone" || four == b"gone"), "{file}");
    }
}

#[tokio::test]
async fn a_file_that_outlived_its_withdrawal_is_removed_at_the_next_start() {
    let mut fixture = Fixture::new().await;
    let id = fixture.named("Gone").await;
    let path = bundles_in(fixture.directory.path()).remove(0);
    let bytes = std::fs::read(&path).unwrap();
    fixture.store.state(&stated(Action::Withdraw, id, 1, None), 9_000).await.unwrap();
    std::fs::write(&path, bytes).unwrap();
    let Fixture { store, directory, .. } = fixture;
    store.close().await;
    drop(store);
    drop(Store::open(directory.path()).await.unwrap());
    assert_eq!(bundles_in(directory.path()), [""; 0]);
}

#[tokio::test]
async fn a_withdrawn_secret_stays_one() {
    let mut fixture = Fixture::new().await;
    let id = unlisted(&mut fixture, "Secret").await;
    fixture.store.state(&stated(Action::Withdraw, id, 1, None), 9_000).await.unwrap();
    assert!(matches!(fixture.store.summary(&prefix(id, 64)).await, Err(StoreError::Withdrawn(_))));
    assert_eq!(fixture.store.summary(&prefix(id, 63)).await.unwrap(), None);
}

#[tokio::test]
async fn strangers_and_the_unknown_are_refused() {
    let mut fixture = Fixture::new().await;
    let id = fixture.named("Mine").await;
    let stranger = SigningKey::from_bytes(&[8; 32]);
    for action in [Action::Withdraw, Action::Release] {
        let theirs = stated_by(&stranger, action, id, 1, None);
        let found = theirs.key();
        assert_eq!(refusal(fixture.store.state(&theirs, 9).await), StatementRefusal::OtherKey { found });
        let unknown = ResultId([9; 32]);
        let nowhere = stated(action, unknown, 1, None);
        assert_eq!(refusal(fixture.store.state(&nowhere, 9).await), StatementRefusal::NoSuchResult(unknown));
    }
    // What was refused has used up no nonce.
    let (verified, bytes) = sealed(|document| document.visibility = Visibility::Unlisted);
    let early = stated(Action::Release, verified.id(), 1, None);
    refusal(fixture.store.state(&early, 9).await);
    assert_eq!(fixture.store.insert(&verified, bytes, 10).await.unwrap(), Inserted::New);
    assert_eq!(fixture.store.state(&early, 11).await.unwrap(), Standing::Public);
    // After a withdrawal too, only its signer speaks for it.
    fixture.store.state(&stated(Action::Withdraw, id, 2, None), 12).await.unwrap();
    let theirs = stated_by(&stranger, Action::Withdraw, id, 3, None);
    let found = theirs.key();
    assert_eq!(refusal(fixture.store.state(&theirs, 13).await), StatementRefusal::OtherKey { found });
}
