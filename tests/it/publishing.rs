//! From a drive to a page: measured for real, signed, uploaded, compared, downloaded again.

use crate::{
    fixture::{sealed, sealed_with},
    programs::{Server, cliffmark, disk_dir, stdout_of},
};
use model::{document::CellStatus, proof::VoidReason};

/// A suite small enough for a test: one short loop of two cells on 32 MiB.
const TINY: &str = r#"
name = "tiny"
summary = "two cells for tests"
size = "32MiB"
seconds = 1
loops = 1
discarded = 0
interval = 0

[[cell]]
pattern = "rand-read"
block = "4KiB"
queue_depth = 8
threads = 1

[[cell]]
pattern = "seq-write"
block = "1MiB"
queue_depth = 4
threads = 1
"#;

#[test]
fn a_drive_is_measured_signed_published_and_compared() {
    let home = disk_dir();
    let disk = home.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    std::fs::write(home.path().join("tiny.toml"), TINY).unwrap();
    let server = Server::start();

    let mut addresses = Vec::new();
    for name in ["one", "two"] {
        let file = format!("{name}.cliffmark");
        stdout_of(&cliffmark(
            home.path(),
            &[
                "run",
                "disk",
                "--suite",
                "tiny.toml",
                "--yes",
                "--allow-void",
                "--out",
                &file,
                "--label",
                &format!("note={name} run"),
            ],
        ));
        assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 0, "the test file is gone");
        stdout_of(&cliffmark(home.path(), &["verify", &file]));
        let uploaded = stdout_of(&cliffmark(home.path(), &["upload", &file, "--server", &server.url]));
        let again = stdout_of(&cliffmark(home.path(), &["upload", &file, "--server", &server.url]));
        assert_eq!(uploaded, again, "uploading twice gives the same page");
        addresses.push(uploaded.trim().to_owned());
    }

    let ids: Vec<&str> = addresses.iter().map(|address| address.rsplit('/').next().unwrap()).collect();
    for (id, name) in ids.iter().zip(["one", "two"]) {
        let page = server.get(&format!("/results/{id}"));
        assert_eq!(page.status, 200);
        assert!(page.text().contains(&format!("{name} run")));
        let bytes = server.get(&format!("/api/v1/results/{id}/bundle")).body;
        assert_eq!(bytes, std::fs::read(home.path().join(format!("{name}.cliffmark"))).unwrap());
    }
    let comparison = server.get(&format!("/compare?r={},{}", ids[0], ids[1]));
    assert_eq!(comparison.status, 200);
    assert!(comparison.text().contains("RND4K Q8T1"));
    let picture = server.get(&format!("/charts/random.png?r={},{}", ids[0], ids[1]));
    assert_eq!((picture.status, picture.content_type.as_str()), (200, "image/png"));
    assert!(picture.body.starts_with(b"\x89PNG"));
}

#[test]
fn what_is_no_bundle_leaves_nothing_behind() {
    let server = Server::start();
    let good = sealed("Example", 1.0);
    let mut changed = good.clone();
    *changed.last_mut().unwrap() ^= 1;
    let undeclared = sealed_with("Example", 1.0, |document| {
        document.cells[0].proof.direct_io = false;
    });
    for (what, bytes) in [
        ("cut", &good[..good.len() / 2]),
        ("changed", &changed[..]),
        ("empty", &[][..]),
        ("text", b"hello".as_slice()),
        ("a cell that hides what makes it void", &undeclared[..]),
    ] {
        let answer = server.post_bundle(bytes);
        assert!((400..500).contains(&answer.status), "{what}: {}", answer.status);
        assert_eq!(answer.content_type, "application/problem+json", "{what}");
        assert!(
            answer.json()["detail"].as_str().is_some_and(|text| text.len() > 10),
            "{what}: {}",
            answer.text()
        );
    }
    assert_eq!(server.get("/api/v1/results").json()["results"].as_array().unwrap().len(), 0);
    let files = walk(server.data()).into_iter().filter(|path| path.ends_with(".cliffmark")).count();
    assert_eq!(files, 0);
}

#[test]
fn a_void_cell_is_shown_as_void_with_its_reason() {
    let server = Server::start();
    let void = sealed_with("Example", 1.0, |document| {
        let cell = &mut document.cells[0];
        cell.proof.direct_io = false;
        cell.status = CellStatus::Void;
        cell.void = vec![VoidReason::NoDirectIo];
    });
    let id = server.publish(&void);
    let page = server.get(&format!("/results/{id}")).text();
    assert!(page.contains(VoidReason::NoDirectIo.text()), "the page names the reason");
}

fn walk(dir: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found
}
