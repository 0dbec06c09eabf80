//! Good bundles are stored once; bad ones are refused by name and leave nothing.

use crate::support::{NOW_MS, TestServer, key, named, sealed, sealed_json};
use bundle::MAX_COMPRESSED_BYTES;
use ed25519_dalek::SigningKey;
use model::{
    document::{CellStatus, PAYLOAD_TYPE},
    proof::Extents,
    reading::Reading,
};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    num::NonZeroU32,
};

#[test]
fn a_bundle_is_stored_and_handed_out_as_it_came() {
    let server = TestServer::start();
    let bytes = named("Example");
    let answer = server.upload(&bytes);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let id = bundle::open(&bytes).unwrap().id().to_string();
    assert_eq!(answer.json()["id"], id);
    assert_eq!(answer.json()["page"], server.url(&format!("/results/{id}")));
    assert_eq!(answer.header("location"), format!("/results/{id}"));

    let stored = server.get(&format!("/api/v1/results/{id}/bundle"));
    assert_eq!(stored.header("content-type"), bundle::MEDIA_TYPE);
    assert_eq!(stored.body, bytes);
    assert_eq!(server.get(answer.header("location")).status, 200);
}

#[test]
fn sending_twice_gives_the_same_page() {
    let server = TestServer::start();
    let bytes = named("Example");
    let first = server.upload_as("application/octet-stream", &bytes);
    let second = server.upload_as("application/zstd; charset=binary", &bytes);
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.json(), second.json());
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(server.get("/api/v1/results").json()["total"], 1);
}

#[test]
fn damaged_bundles_are_refused() {
    let server = TestServer::start();
    server.upload(b"").problem(400, "bundle-truncated");
    server.upload(b"{\"not\": \"zstd\"}").problem(400, "not-a-bundle");
    let good = named("Example");
    server.upload(&good[..good.len() / 2]).problem(400, "bundle-truncated");
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x40;
    let answer = server.upload(&flipped);
    assert!(matches!(answer.status, 400 | 422), "{}", answer.text());
    let mut trailing = good;
    trailing.extend_from_slice(b"more");
    server.upload(&trailing).problem(400, "bundle-damaged");
    server.assert_empty();
}

#[test]
fn oversized_bundles_are_refused_before_and_while_they_arrive() {
    let server = TestServer::start();
    let large = vec![0; MAX_COMPRESSED_BYTES + 1];
    let problem = server.upload(&large).problem(413, "too-large");
    assert_eq!(problem["limit_bytes"], MAX_COMPRESSED_BYTES);

    // Without an announced length it is counted while it arrives.
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "POST /api/v1/bundles HTTP/1.1\r\nhost: x\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        bundle::MEDIA_TYPE
    );
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..9 {
        stream.write_all(b"100000\r\n").unwrap();
        stream.write_all(&large[..1 << 20]).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("/problems/too-large"), "{answer}");
    server.assert_empty();
}

#[test]
fn bombs_are_refused() {
    let server = TestServer::start();
    let bomb = zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap();
    server.upload(&bomb).problem(413, "bundle-opens-too-large");
    server.assert_empty();
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let server = TestServer::start();
    let bytes = named("Example");
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "POST /api/v1/bundles HTTP/1.1\r\nhost: x\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
        bundle::MEDIA_TYPE,
        bytes.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&bytes[..bytes.len() / 2]).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    server.assert_empty();
}

#[test]
fn signatures_and_types_are_checked() {
    let server = TestServer::start();
    let verified = bundle::open(&named("Example")).unwrap();
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let forged = bundle::seal_payload(PAYLOAD_TYPE, verified.payload(), &stranger).unwrap();
    server.upload(&forged).problem(422, "bundle-signature");
    let other = bundle::seal_payload("application/vnd.example+json", verified.payload(), &key()).unwrap();
    let problem = server.upload(&other).problem(422, "bundle-payload-type");
    assert!(problem["detail"].as_str().unwrap().contains("application/vnd.example+json"));
    let unsealed = zstd::bulk::compress(verified.payload(), 3).unwrap();
    server.upload(&unsealed).problem(422, "bundle-envelope");
    server.upload_as("text/plain", &named("Example")).problem(415, "media-type");
    server.upload_as("multipart/form-data; boundary=x", &named("Example")).problem(415, "media-type");
    server.assert_empty();
}

#[test]
fn documents_are_checked_by_name() {
    let server = TestServer::start();
    let unknown = sealed_json(|json| json["host"]["host_name"] = "secret".into());
    let problem = server.upload(&unknown).problem(422, "document-malformed");
    assert!(problem["path"].as_str().unwrap().starts_with("host"), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("host_name"), "{problem}");

    let newer = sealed_json(|json| json["schema"] = "1.7".into());
    let problem = server.upload(&newer).problem(422, "document-version");
    assert_eq!(problem["needed_schema"], "1.7");
    let newer = sealed_json(|json| json["schema"] = "2.0".into());
    server.upload(&newer).problem(422, "document-version");

    let range = sealed_json(|json| json["runs"] = 0.into());
    let problem = server.upload(&range).problem(422, "document-out-of-range");
    assert_eq!(problem["path"], "runs");

    // Too many loops are refused before memory is taken for them. They differ, or the bundle would be a bomb.
    let many = sealed_json(|json| {
        let different = |index: u64| serde_json::json!(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        json["cells"][0]["loops"] = (0..5_001).map(different).collect();
    });
    let problem = server.upload(&many).problem(422, "document-out-of-range");
    assert_eq!(problem["path"], "cells");

    let missing = sealed_json(|json| drop(json.as_object_mut().unwrap().remove("drive")));
    server.upload(&missing).problem(422, "document-malformed");
    server.assert_empty();
}

#[test]
fn contradictions_are_refused() {
    let server = TestServer::start();
    let more = sealed(|document| document.cells[0].loops[1].read.as_mut().unwrap().bytes += 512);
    let problem = server.upload(&more).problem(422, "implausible");
    assert_eq!(problem["errors"][0]["code"], "bytes-of-ios");
    assert_eq!(problem["errors"][0]["path"], "cells[0].loops[1]");

    // The evidence makes the cell void, whatever the document claims.
    let hole = Extents { count: 1, hole_bytes: 4096, ..Extents::default() };
    let claims = sealed(|document| document.cells[2].proof.extents = Reading::Known(hole));
    let problem = server.upload(&claims).problem(422, "implausible");
    assert_eq!(problem["errors"][0]["code"], "void-not-declared");

    // Figures at the edge of their type are no reason to fall over.
    let huge = sealed(|document| {
        for cell in &mut document.cells {
            cell.status = CellStatus::Failed;
            cell.error = Some(model::document::CellError {
                kind: model::document::CellErrorKind::Io,
                errno: Some(i32::MIN),
                offset: Some(u64::MAX),
            });
            for one in &mut cell.loops {
                one.drained_ios = u64::MAX;
                one.cpu_ns = u64::MAX;
            }
        }
        document.started_unix_ms = u64::MAX;
        document.drive.capacity_bytes = Reading::Known(u64::MAX);
    });
    let answer = server.upload(&huge);
    assert_ne!(answer.status, 500, "{}", answer.text());
    if let Some(page) = answer.json()["id"].as_str() {
        assert_eq!(server.get(&format!("/results/{page}")).status, 200);
        assert_eq!(server.get("/").status, 200);
    }
}

#[test]
fn too_many_uploads_are_told_when_to_come_back() {
    let server = TestServer::with(|config| config.uploads_per_minute = NonZeroU32::new(2).unwrap());
    server.upload(b"x").problem(400, "not-a-bundle");
    server.upload(b"x").problem(400, "not-a-bundle");
    let answer = server.upload(b"x");
    answer.problem(429, "rate-limited");
    let seconds: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    // Reading is not limited.
    assert_eq!(server.get("/api/v1/results").status, 200);
}

#[test]
fn a_run_that_begins_later_than_now_is_refused() {
    let server = TestServer::start();
    for started in [1 << 63, NOW_MS + 2 * 24 * 3_600 * 1_000] {
        let problem =
            server.upload(&sealed(|document| document.started_unix_ms = started)).problem(422, "implausible");
        assert_eq!(problem["errors"][0]["code"], "begins-later");
        assert!(problem["detail"].as_str().unwrap().contains("clock was wrong"), "{problem}");
    }
    server.assert_empty();
    server.publish(&sealed(|document| document.started_unix_ms = NOW_MS + 3_600 * 1_000));
}
