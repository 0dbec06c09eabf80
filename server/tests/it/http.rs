//! What every answer has, whatever it says: policies, tags, methods, encodings.

use crate::support::{Answer, TestServer, named};
use std::io::{Read as _, Write as _};

/// One address of each kind, the bad ones among them.
fn addresses(id: &str) -> Vec<String> {
    let css = cliffmark_server::assets::addresses().css;
    [
        "/",
        "/compare",
        "/methods",
        "/about",
        "/open",
        "/upload",
        "/healthz",
        "/readyz",
        "/api/openapi.json",
        "/api/v1/results",
        "/nothing",
        "/api/nothing",
        "/results/abc",
        "/charts/none.svg",
        "/assets/none.js",
        "/compare?r=~",
        "/api/v1/results?limit=x",
        &css,
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([
        format!("/results/{id}"),
        format!("/compare?r={id}"),
        format!("/compare?r={id}&r="),
        format!("/api/v1/results/{id}"),
        format!("/api/v1/results/{id}.csv"),
        format!("/api/v1/results/{id}/bundle"),
        format!("/api/v1/compare?r={id}"),
        format!("/api/v1/compare.csv?r={id}"),
        format!("/charts/random.svg?r={id}"),
        format!("/charts/random.png?r={id}"),
        format!("/charts/random.json?r={id}"),
        format!("/charts/random.csv?r={id}"),
    ])
    .collect()
}

#[track_caller]
fn assert_secure(path: &str, answer: &Answer) {
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    assert_eq!(answer.header("referrer-policy"), "strict-origin-when-cross-origin", "{path}");
    assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
    assert!(answer.header("permissions-policy").contains("camera=()"), "{path}");
    assert!(!answer.header("x-request-id").is_empty(), "{path}");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';"), "{path}: {policy}");
    assert!(!policy.contains("'unsafe-eval'"), "{path}: {policy}");
    let svg = answer.header("content-type").starts_with("image/svg+xml");
    let picture = svg && !path.starts_with("/assets/");
    assert_eq!(policy.contains("sandbox"), svg, "{path}: {policy}");
    assert_eq!(policy.contains("'unsafe-inline'"), svg, "{path}: {policy}");
    let open = path.starts_with("/api/") || path.starts_with("/charts/");
    assert_eq!(answer.header("access-control-allow-origin"), if open { "*" } else { "" }, "{path}");
    assert!(open || !picture, "{path}");
}

#[test]
fn every_answer_has_its_policies() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    for path in addresses(&id) {
        let answer = server.get(&path);
        assert_ne!(answer.status, 500, "{path}: {}", answer.text());
        assert_secure(&path, &answer);
        assert!(!answer.header("cache-control").is_empty(), "{path}");
    }
    let refused = server.upload(b"x");
    assert_eq!(refused.header("access-control-allow-origin"), "");
    assert!(refused.header("content-security-policy").starts_with("default-src 'none'"));
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    for path in addresses(&id) {
        let (get, head) = (server.get(&path), server.head(&path));
        assert_eq!(get.status, head.status, "{path}");
        for name in ["content-type", "etag", "cache-control", "content-security-policy", "content-length"] {
            assert_eq!(get.header(name), head.header(name), "{path} {name}");
        }
        assert_eq!(head.body, b"", "{path}");
    }
}

#[test]
fn known_content_is_not_sent_again() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    for (path, policy) in [
        ("/".to_owned(), "no-cache"),
        (format!("/results/{id}"), "no-cache"),
        (format!("/charts/random.svg?r={id}"), "public, max-age=300"),
        (format!("/api/v1/results/{id}/bundle"), "public, max-age=300"),
    ] {
        for encoding in ["identity", "br", "gzip"] {
            let answer = server.get_with(&path, &[("accept-encoding", encoding)]);
            assert_eq!(answer.header("cache-control"), policy, "{path}");
            let tag = answer.header("etag");
            assert!(tag.starts_with('"') && tag.len() >= 66, "{path}: {tag}");
            let again = server.get_with(&path, &[("accept-encoding", encoding), ("if-none-match", tag)]);
            assert_eq!((again.status, again.body.len()), (304, 0), "{path} {encoding}");
            assert_eq!(again.header("etag"), tag, "{path} {encoding}");
            assert_eq!(again.header("cache-control"), policy, "{path}");
            let other = server.get_with(&path, &[("if-none-match", "\"other\"")]);
            assert_eq!(other.status, 200, "{path}");
        }
    }
}

#[test]
fn encodings_have_tags_of_their_own() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    let path = format!("/results/{id}");
    let plain = server.get_with(&path, &[("accept-encoding", "identity")]);
    let compressed = server.get_with(&path, &[("accept-encoding", "br")]);
    assert_eq!((plain.header("content-encoding"), compressed.header("content-encoding")), ("", "br"));
    assert_ne!(plain.header("etag"), compressed.header("etag"));
    assert!(compressed.body.len() * 3 < plain.body.len());
    assert!(compressed.header("vary").to_ascii_lowercase().contains("accept-encoding"));
    // What is compressed already stays as it is.
    let bundle = server.get_with(&format!("/api/v1/results/{id}/bundle"), &[("accept-encoding", "br, gzip")]);
    assert_eq!(bundle.header("content-encoding"), "");
}

#[test]
fn assets_are_kept_for_ever() {
    let server = TestServer::start();
    let css = cliffmark_server::assets::addresses().css;
    let answer = server.get(&css);
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/css; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
    server.get("/assets/..%2f..%2fCargo.toml").problem(404, "not-found");
}

#[test]
fn other_methods_are_told_so() {
    let server = TestServer::start();
    for (method, path, allowed) in
        [("DELETE", "/api/v1/results", "GET"), ("GET", "/api/v1/bundles", "POST"), ("PUT", "/", "GET")]
    {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
        assert!(answer.lines().any(|line| line.starts_with("allow:") && line.contains(allowed)), "{answer}");
    }
}

#[test]
fn health_is_answered() {
    let server = TestServer::start();
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(server.get("/readyz").text(), "ready\n");
    assert_eq!(server.get("/readyz").header("cache-control"), "no-store");
}

#[test]
fn an_answer_without_a_body_has_the_headers_of_the_one_with_it() {
    let server = TestServer::start();
    let id = server.publish(&named("Alpha"));
    for path in [format!("/charts/random.svg?r={id}"), format!("/results/{id}")] {
        let plain = ("accept-encoding", "identity");
        let whole = server.get_with(&path, &[plain]);
        for known in [whole.header("etag"), "*"] {
            let short = server.get_with(&path, &[plain, ("if-none-match", known)]);
            assert_eq!((short.status, short.body.len()), (304, 0), "{path} {known}");
            for name in ["content-security-policy", "cache-control", "etag"] {
                assert_eq!(short.header(name), whole.header(name), "{path} {known} {name}");
            }
        }
    }
}
