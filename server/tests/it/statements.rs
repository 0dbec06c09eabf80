//! Unlisted results in every state, releases and withdrawals, and statements that do not count.

use crate::support::{NOW_MS, TestServer, key, named, sealed};
use ed25519_dalek::SigningKey;
use model::{
    ResultId,
    document::Visibility,
    reading::Reading,
    statement::{Action, Nonce, SCHEMA, Statement},
};
use std::sync::atomic::{AtomicU64, Ordering};

const HOUR_MS: u64 = 3_600 * 1_000;

/// A statement about `id`, made at `made_unix_ms`; `change` may spoil it before it is signed.
fn stated(action: Action, id: &str, made_unix_ms: u64, change: impl FnOnce(&mut Statement)) -> Vec<u8> {
    let mut statement = Statement {
        schema: SCHEMA,
        public_key: bundle::public_key(&key()),
        action,
        result: id.parse().unwrap(),
        made_unix_ms,
        from_unix_ms: None,
        nonce: Nonce(u128::from(made_unix_ms).to_be_bytes()),
    };
    change(&mut statement);
    bundle::seal_statement(&statement, &key()).unwrap()
}

/// Every address that answers to a result.
fn addresses(id: &str) -> Vec<String> {
    vec![
        format!("/results/{id}"),
        format!("/compare?r={id}"),
        format!("/api/v1/results/{id}"),
        format!("/api/v1/results/{id}.csv"),
        format!("/api/v1/results/{id}/bundle"),
        format!("/api/v1/compare?r={id}"),
        format!("/api/v1/compare.csv?r={id}"),
        format!("/charts/random.svg?r={id}"),
        format!("/charts/random.png?r={id}"),
        format!("/charts/random.json?r={id}"),
        format!("/charts/random.csv?r={id}"),
    ]
}

fn embargoed() -> Vec<u8> {
    sealed(|document| {
        document.visibility = Visibility::Unlisted;
        document.drive.model = Reading::Known("Embargoed Drive".to_owned());
    })
}

#[track_caller]
fn assert_secret(server: &TestServer, id: &str) {
    for path in addresses(id) {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("cache-control").starts_with("private"), "{path}");
        assert_eq!(answer.header("x-robots-tag"), "noindex", "{path}");
        let again = server.get_with(&path, &[("if-none-match", "*")]);
        assert_eq!((again.status, again.header("x-robots-tag")), (304, "noindex"), "{path}");
    }
    for path in [format!("/results/{id}"), format!("/compare?r={id}")] {
        assert!(server.get(&path).text().contains("<meta name=\"robots\" content=\"noindex\""), "{path}");
    }
    for path in addresses(&id[..63]) {
        assert_eq!(server.get(&path).status, 404, "{path}");
    }
    assert_eq!(server.get("/api/v1/results").json()["total"], 0);
    let home = server.get("/").text();
    assert!(!home.contains("Embargoed") && !home.contains(&id[..16]), "{home}");
    assert!(!server.get("/methods").text().contains("SEQ1M"));
}

#[track_caller]
fn assert_public(server: &TestServer, id: &str) {
    for path in addresses(id) {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.header("cache-control").contains("private"), "{path}");
        assert_eq!(answer.header("x-robots-tag"), "", "{path}");
    }
    let page = server.get(&format!("/results/{id}")).text();
    assert!(!page.contains("noindex") && page.contains("rel=\"canonical\""));
    assert_eq!(server.get(&format!("/results/{}", &id[..16])).status, 200);
    let list = server.get("/api/v1/results").json();
    assert_eq!(
        (&list["results"][0]["head"]["id"], &list["results"][0]["head"]["visibility"]),
        (&id.into(), &"public".into())
    );
    assert!(server.get("/").text().contains("Embargoed"));
    assert!(server.get("/methods").text().contains("SEQ1M"));
}

#[test]
fn an_unlisted_result_becomes_public_by_its_signers_word() {
    let server = TestServer::start();
    let bytes = embargoed();
    let id = server.publish(&bytes);
    assert_secret(&server, &id);
    let answer = server.state(&stated(Action::Release, &id, NOW_MS, |_| ()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let expected = serde_json::json!({
        "result": id, "action": "release", "standing": "public", "public_from_unix_ms": null
    });
    assert_eq!(answer.json(), expected);
    assert_public(&server, &id);
    // What was signed stays what was signed.
    assert_eq!(server.get(&format!("/api/v1/results/{id}/bundle")).body, bytes);
    assert_eq!(server.upload(&bytes).status, 200);
    assert_public(&server, &id);
}

#[test]
fn an_unlisted_result_becomes_public_by_a_date() {
    static CLOCK: AtomicU64 = AtomicU64::new(NOW_MS);
    let server = TestServer::with(|config| config.clock = || CLOCK.load(Ordering::SeqCst));
    let id = server.publish(&embargoed());
    let from = NOW_MS + 48 * HOUR_MS;
    let answer = server.state(&stated(Action::Release, &id, NOW_MS, |one| one.from_unix_ms = Some(from)));
    assert_eq!((answer.status, &answer.json()["standing"]), (200, &"unlisted".into()));
    assert_eq!(answer.json()["public_from_unix_ms"], from);
    assert_secret(&server, &id);
    CLOCK.store(from - 1, Ordering::SeqCst);
    assert_secret(&server, &id);
    CLOCK.store(from, Ordering::SeqCst);
    assert_public(&server, &id);
}

#[test]
fn joined_results_are_public_only_when_all_of_them_are() {
    let server = TestServer::start();
    let id = server.publish(&embargoed());
    let twin = server.publish(&sealed(|document| {
        document.drive.model = Reading::Known("Embargoed Drive".to_owned());
        document.started_unix_ms += 1;
    }));
    let path = format!("/results/{id}");
    let joined = format!("/charts/random.svg?r={twin}~{id}");
    assert!(server.get(&joined).header("cache-control").starts_with("private"));
    assert_eq!(server.state(&stated(Action::Release, &id, NOW_MS, |_| ())).status, 200);
    for public in [joined, path] {
        assert!(!server.get(&public).header("cache-control").starts_with("private"), "{public}");
    }
}

#[test]
fn a_withdrawn_result_is_gone_from_every_address() {
    let server = TestServer::start();
    let bytes = named("Embargoed Drive");
    let (id, other) = (server.publish(&bytes), server.publish(&named("Other")));
    // Everything is in the caches when it is withdrawn.
    for path in addresses(&id) {
        assert_eq!(server.get(&path).status, 200, "{path}");
    }
    let answer = server.state(&stated(Action::Withdraw, &id, NOW_MS, |_| ()));
    assert_eq!((answer.status, &answer.json()["standing"]), (200, &"withdrawn".into()));
    for path in addresses(&id).into_iter().chain(addresses(&id[..16])) {
        let answer = server.get(&path);
        assert_eq!(answer.status, 410, "{path}: {}", answer.text());
        if path.starts_with("/results") || path.starts_with("/compare") {
            assert!(answer.text().contains("was withdrawn by the key that signed it"), "{path}");
        } else {
            answer.problem(410, "withdrawn");
        }
    }
    server.get(&format!("/api/v1/compare?r={other},{id}")).problem(410, "withdrawn");
    assert_eq!(server.get("/api/v1/results").json()["total"], 1);
    assert_eq!(server.get("/api/v1/results?q=embargoed").json()["total"], 0);
    server.upload(&bytes).problem(410, "withdrawn");
    server.state(&stated(Action::Release, &id, NOW_MS + 1, |_| ())).problem(410, "withdrawn");
    // Once more, with a nonce of its own, is no error.
    let again = server.state(&stated(Action::Withdraw, &id, NOW_MS + 2, |_| ()));
    assert_eq!((again.status, &again.json()["standing"]), (200, &"withdrawn".into()));
    // The last one leaves nothing at all.
    assert_eq!(server.state(&stated(Action::Withdraw, &other, NOW_MS, |_| ())).status, 200);
    server.assert_empty();
}

#[test]
fn statements_that_do_not_count_are_told_why() {
    let server = TestServer::start();
    let id = server.publish(&embargoed());
    let release = stated(Action::Release, &id, NOW_MS, |one| one.from_unix_ms = Some(NOW_MS + HOUR_MS));
    assert_eq!(server.state(&release).status, 200);
    server.state(&release).problem(409, "statement-replayed");
    let older = stated(Action::Release, &id, NOW_MS - 1, |_| ());
    server.state(&older).problem(409, "statement-superseded");
    let same_nonce = stated(Action::Withdraw, &id, NOW_MS, |_| ());
    server.state(&same_nonce).problem(409, "statement-replayed");

    let stranger = SigningKey::from_bytes(&[8; 32]);
    let theirs = Statement {
        schema: SCHEMA,
        public_key: bundle::public_key(&stranger),
        action: Action::Withdraw,
        result: id.parse().unwrap(),
        made_unix_ms: NOW_MS,
        from_unix_ms: None,
        nonce: Nonce([1; 16]),
    };
    server.state(&bundle::seal_statement(&theirs, &stranger).unwrap()).problem(403, "other-key");
    let unknown = ResultId([0; 32]).to_string();
    server.state(&stated(Action::Withdraw, &unknown, NOW_MS, |_| ())).problem(404, "no-such-result");
    let later = stated(Action::Release, &id, NOW_MS + 25 * HOUR_MS, |_| ());
    server.state(&later).problem(422, "statement-time");

    server.state(b"{\"payload\": 1}").problem(422, "statement-envelope");
    server.state(b"").problem(422, "statement-envelope");
    let problem = server.state(&vec![b' '; bundle::MAX_STATEMENT_BYTES + 1]).problem(413, "too-large");
    assert_eq!(problem["limit_bytes"], bundle::MAX_STATEMENT_BYTES);
    server.state_as("text/plain", &release).problem(415, "media-type");
    let mut forged: serde_json::Value = serde_json::from_slice(&release).unwrap();
    forged["signatures"][0]["sig"] = "AAAA".into();
    server.state(forged.to_string().as_bytes()).problem(422, "statement-signature");
    let mut other: serde_json::Value = serde_json::from_slice(&release).unwrap();
    other["payloadType"] = model::document::PAYLOAD_TYPE.into();
    server.state(other.to_string().as_bytes()).problem(422, "statement-payload-type");
    let mut nonsense: serde_json::Value = serde_json::from_slice(&release).unwrap();
    nonsense["payload"] = "eyJzY2hlbWEiOiIxLjAifQ==".into();
    server.state(nonsense.to_string().as_bytes()).problem(422, "statement-malformed");
    nonsense["payload"] = "eyJzY2hlbWEiOiIyLjAifQ==".into();
    assert_eq!(
        server.state(nonsense.to_string().as_bytes()).problem(422, "statement-version")["needed_schema"],
        "2.0"
    );
    // After all of these nothing has changed.
    assert_secret(&server, &id);
}
