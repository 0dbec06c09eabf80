//! Cells on real files: what is refused, what is marked, and that nothing is harmed.

use super::*;
use crate::target::tests::disk_dir;
use std::fs::{self, File};

fn request(target: PathBuf, pattern: Pattern) -> CellRequest {
    CellRequest {
        target,
        pattern,
        block_bytes: 4096,
        queue_depth: 4,
        threads: 1,
        seconds: 1,
        size_bytes: None,
        overwrite: false,
        allow_void: false,
        wait: Wait::Block,
        data: None,
    }
}

fn measure(request: &CellRequest) -> Result<CellReport, Failure> {
    super::measure(request, &StopFlag::default())
}

/// The reasons that other programs on this machine do not cause.
fn own_reasons(report: &CellReport) -> Vec<VoidReason> {
    report.void.iter().copied().filter(|reason| *reason != VoidReason::ForeignIo).collect()
}

#[test]
fn a_sparse_file_is_refused_or_marked() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("sparse");
    File::create_new(&path).unwrap().set_len(1 << 30).unwrap();
    let request = request(path.clone(), Pattern::RandRead);
    assert_eq!(measure(&request).unwrap_err().exit(), Exit::Refused);

    let report = measure(&CellRequest { allow_void: true, ..request }).unwrap();
    assert_eq!(report.void.first(), Some(&VoidReason::Hole));
    assert!(report.iops > 0.0 && report.ios > 0 && report.cpu_ns_per_io.is_some());
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(json["void"][0], "hole");
    for key in ["iops", "bytes_per_s", "cpu_ns_per_io"] {
        assert!(json[key].is_f64(), "{key}");
    }
    assert!(json["latency_ns"]["p99_9"].is_u64());
    assert!(report.text().contains("VOID"));
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 30, "the file is as it was");
}

#[test]
fn an_existing_file_is_read_as_it_is() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    // Not a whole number of blocks: the end is left alone.
    let data: Vec<u8> = (0..4_200_000_u32).flat_map(u32::to_le_bytes).take(4_200_000).collect();
    fs::write(&path, &data).unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let report = measure(&request(path.clone(), Pattern::SeqRead)).unwrap();
    assert_eq!((report.span_bytes, own_reasons(&report)), (4_200_000 / 4096 * 4096, vec![]));
    assert!(report.method.contains(".existing."), "{}", report.method);
    assert_eq!(fs::read(&path).unwrap(), data);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn writing_into_a_file_needs_to_be_allowed() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    let data = vec![9; 4 << 20];
    fs::write(&path, &data).unwrap();
    let request = request(path.clone(), Pattern::RandWrite);
    assert_eq!(measure(&request).unwrap_err().exit(), Exit::Refused);
    assert_eq!(fs::read(&path).unwrap(), data, "nothing was written");

    let report = measure(&CellRequest { overwrite: true, ..request }).unwrap();
    assert!(report.ios > 0);
    let after = fs::read(&path).unwrap();
    assert_eq!(after.len(), data.len(), "its size stays");
    assert_ne!(after, data);
}

#[test]
fn a_directory_gets_a_new_file_that_goes_away() {
    let Some(dir) = disk_dir() else { return };
    let request =
        CellRequest { size_bytes: Some(4 << 20), ..request(dir.path().to_owned(), Pattern::RandWrite) };
    let report = measure(&request).unwrap();
    assert_eq!((report.span_bytes, own_reasons(&report)), (4 << 20, vec![]));
    assert!(report.method.contains(".random."), "{}", report.method);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn impossible_cells_are_a_usage_error() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    fs::write(&path, vec![9; 1 << 20]).unwrap();
    let good = request(path, Pattern::RandRead);
    for bad in [
        CellRequest { block_bytes: 0, ..good.clone() },
        CellRequest { block_bytes: 1000, ..good.clone() },
        CellRequest { queue_depth: 0, ..good.clone() },
        CellRequest { block_bytes: 2 << 20, ..good.clone() },
        CellRequest { seconds: 0, ..good.clone() },
    ] {
        assert_eq!(measure(&bad).unwrap_err().exit(), Exit::Usage, "{bad:?}");
    }
    let missing = CellRequest { target: dir.path().join("none"), ..good };
    assert_eq!(measure(&missing).unwrap_err().exit(), Exit::Failed);
}
