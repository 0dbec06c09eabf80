//! Uploads to a small server in a thread that gives prepared answers.

use super::*;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
};

const AT_ONCE: Patience = Patience { tries: 3, first_wait: Duration::ZERO };

/// Answers one request after the other with these, then stops listening; yields what was asked.
fn answering(answers: &[&str]) -> (Server, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
    let serve = move || {
        let mut requests = Vec::new();
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                reader.read_line(&mut request).unwrap();
            }
            let length = request.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.unwrap().parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            requests.push(format!("{request}{}", String::from_utf8_lossy(&body)));
            reader.into_inner().write_all(answer.as_bytes()).unwrap();
        }
        requests
    };
    (server, thread::spawn(serve))
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn id() -> ResultId {
    ResultId([7; 32])
}

#[test]
fn a_stored_bundle_yields_its_page() {
    let stored = answer("201 Created", "location: /api/x\r\n", r#"{"id":"ab","page":"/results/ab"}"#);
    let (server, thread) = answering(&[&stored]);
    let page = publish(&server, b"bytes", id(), AT_ONCE).unwrap();
    assert_eq!(page, format!("{server}/results/ab"));
    let requests = thread.join().unwrap();
    assert!(requests[0].starts_with("POST /api/v1/bundles "), "{}", requests[0]);
    assert!(requests[0].contains("content-type: application/vnd.cliffmark.bundle+zstd\r\n"));
    assert!(requests[0].ends_with("bytes"));
}

#[test]
fn passing_trouble_is_tried_again() {
    let busy = answer("503 Service Unavailable", "", "");
    let many = answer("429 Too Many Requests", "retry-after: 0\r\n", "");
    let stored = answer("200 OK", "location: /results/cd\r\n", "");
    let (server, thread) = answering(&[&busy, &many, &stored]);
    assert_eq!(publish(&server, b"x", id(), AT_ONCE).unwrap(), format!("{server}/results/cd"));
    assert_eq!(thread.join().unwrap().len(), 3);
}

#[test]
fn a_refusal_is_final_and_says_why() {
    let refused = answer(
        "422 Unprocessable Content",
        "content-type: application/problem+json\r\n",
        r#"{"title":"Bad signature","detail":"changed\u001b[31m after signing"}"#,
    );
    let (server, thread) = answering(&[&refused]);
    let text = publish(&server, b"x", id(), AT_ONCE).unwrap_err().text();
    assert!(text.contains("answered 422"), "{text}");
    assert!(text.contains("Bad signature: changed[31m after signing"), "{text}");
    assert_eq!(thread.join().unwrap().len(), 1);
}

#[test]
fn an_unreachable_server_fails_after_all_tries() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let failure = publish(&server, b"x", id(), AT_ONCE).unwrap_err();
    assert!(failure.text().contains("cannot reach") && failure.text().contains("repeat it later"));
}

#[test]
fn addresses_that_lead_elsewhere_are_not_printed() {
    let server = Server::parse("https://example.org/bench/").unwrap();
    assert_eq!(server.to_string(), "https://example.org/bench");
    assert_eq!(server.resolve("/results/ab").as_deref(), Some("https://example.org/results/ab"));
    assert_eq!(server.resolve("https://example.org/r").as_deref(), Some("https://example.org/r"));
    for elsewhere in
        ["//evil.example/x", "https://evil.example/x", "https://example.org.evil/x", "/a\u{1b}b", "x"]
    {
        assert_eq!(server.resolve(elsewhere), None, "{elsewhere}");
    }
}

#[test]
fn other_texts_are_no_server() {
    for bad in ["", "example.org", "ftp://example.org", "http://", "http://a b", "https://u@example.org"] {
        assert!(Server::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_statement_that_arrived_at_an_earlier_try_has_arrived() {
    let statement = Statement {
        schema: model::statement::SCHEMA,
        public_key: model::ids::PublicKey([1; 32]),
        action: model::statement::Action::Release,
        result: id(),
        made_unix_ms: 1,
        from_unix_ms: Some(5),
        nonce: model::statement::Nonce([2; 16]),
    };
    let busy = answer("503 Service Unavailable", "", "");
    let replayed =
        answer("409 Conflict", "", r#"{"type":"/problems/statement-replayed","title":"Received before"}"#);
    let (server, thread) = answering(&[&busy, &replayed]);
    let stated = state(&server, b"{}", &statement, AT_ONCE).unwrap();
    assert_eq!(stated.public_from_unix_ms, Some(5));
    let requests = thread.join().unwrap();
    assert!(requests[1].starts_with("POST /api/v1/statements "), "{}", requests[1]);
    assert!(requests[1].contains("content-type: application/vnd.dsse.envelope.v1+json\r\n"));
    // At the first try it is someone else's.
    let (server, _thread) = answering(&[&replayed]);
    let text = state(&server, b"{}", &statement, AT_ONCE).unwrap_err().text();
    assert!(text.contains("Received before"), "{text}");
    let public = answer("200 OK", "", r#"{"standing":"public","public_from_unix_ms":null}"#);
    let (server, _thread) = answering(&[&public]);
    assert_eq!(state(&server, b"{}", &statement, AT_ONCE).unwrap().public_from_unix_ms, None);
}
