//! The tools that are compared, and what one run of each says.
//!
//! Knows: their command lines and their JSON.
//! Does not know: the order of runs or what is concluded.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::Value;

use super::cell::Cell;
use crate::process;
use crate::workspace;

/// A tool with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    /// `cliffmark cell`.
    Ours,
    /// fio with `io_uring` and nothing else changed.
    Fio,
    /// fio with registered buffers and files and batched submission, huge pages for large blocks.
    FioBest,
}

/// What one run gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// Completed operations per second.
    pub(super) iops: f64,
    /// User and system time of the whole process for one operation, its start included, in microseconds.
    pub(super) cpu_us: f64,
}

impl Tool {
    /// All tools, ours first.
    pub(super) const ALL: [Self; 3] = [Self::Ours, Self::Fio, Self::FioBest];

    /// Its name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ours => "cliffmark",
            Self::Fio => "fio",
            Self::FioBest => "fio, best",
        }
    }

    /// Measures one cell on an existing file.
    ///
    /// # Errors
    /// The tool fails or does not say how much it did.
    pub(super) fn run(self, cell: Cell, file: &Path, file_bytes: u64, seconds: u32) -> Result<Run> {
        let mut command = match self {
            Self::Ours => ours(cell, file, seconds),
            Self::Fio | Self::FioBest => fio(cell, file, file_bytes, seconds),
        };
        if self == Self::FioBest {
            command.args(best_settings(cell));
        }
        let before = cpu_of_children()?;
        let printed = process::output_of(&mut command)?;
        let cpu = cpu_of_children()?.saturating_sub(before);
        let json = json_in(&printed).with_context(|| format!("{} printed no JSON", self.name()))?;
        let (iops, operations) = match self {
            Self::Ours => read_ours(&json),
            Self::Fio | Self::FioBest => read_fio(&json, cell),
        }
        .with_context(|| format!("{} does not tell what it did in {cell}", self.name()))?;
        ensure!(iops > 0.0 && operations > 0.0, "{} did nothing in {cell}", self.name());
        Ok(Run { iops, cpu_us: cpu.as_secs_f64() * 1e6 / operations })
    }
}

fn ours(cell: Cell, file: &Path, seconds: u32) -> Command {
    let mut command = Command::new(workspace::program("release", "cliffmark"));
    command.arg("cell").arg(file).args(["--pattern", cell.pattern.ours(), "--threads", "1", "--json"]);
    command.arg("--block").arg(cell.block_bytes.to_string());
    command.arg("--qd").arg(cell.queue_depth.to_string());
    command.arg("--seconds").arg(seconds.to_string());
    // What is compared is the cost of the I/O: a host that proves less than usual is no obstacle here.
    command.arg("--allow-void");
    if cell.pattern.writes() {
        command.arg("--overwrite");
    }
    command
}

fn fio(cell: Cell, file: &Path, file_bytes: u64, seconds: u32) -> Command {
    let mut command = Command::new("fio");
    command.args([
        "--name=cell",
        "--direct=1",
        "--ioengine=io_uring",
        "--time_based",
        "--output-format=json",
    ]);
    command.arg(format!("--filename={}", file.display()));
    command.arg(format!("--size={file_bytes}"));
    command.arg(format!("--rw={}", cell.pattern.fio()));
    command.arg(format!("--bs={}", cell.block_bytes));
    command.arg(format!("--iodepth={}", cell.queue_depth));
    command.arg(format!("--runtime={seconds}"));
    command
}

/// The fastest settings that still record every latency, as ours does.
fn best_settings(cell: Cell) -> Vec<String> {
    let batch = (cell.queue_depth / 2).clamp(1, 32);
    let mut settings: Vec<String> =
        ["--fixedbufs=1", "--registerfiles=1", "--nonvectored=1", "--norandommap", "--randrepeat=0"]
            .map(str::to_owned)
            .into();
    settings.push(format!("--iodepth_batch_submit={batch}"));
    settings.push("--iodepth_batch_complete_min=1".to_owned());
    settings.push(format!("--iodepth_batch_complete_max={batch}"));
    if cell.block_bytes >= 512 << 10 && free_huge_pages() {
        // Our buffers lie in huge pages; with small ones a large block is split into many segments.
        settings.push("--iomem=mmaphuge".to_owned());
    }
    settings
}

/// Whether enough 2 MiB pages are reserved for fio's buffers.
pub(super) fn free_huge_pages() -> bool {
    let pages = std::fs::read_to_string("/proc/sys/vm/nr_hugepages").unwrap_or_default();
    pages.trim().parse::<u64>().is_ok_and(|pages| pages >= 64)
}

fn read_ours(json: &Value) -> Option<(f64, f64)> {
    Some((json.get("iops")?.as_f64()?, json.get("ios")?.as_f64()?))
}

fn read_fio(json: &Value, cell: Cell) -> Option<(f64, f64)> {
    let job = json.get("jobs")?.get(0)?;
    if job.get("error")?.as_i64()? != 0 {
        return None;
    }
    let side = job.get(if cell.pattern.writes() { "write" } else { "read" })?;
    Some((side.get("iops")?.as_f64()?, side.get("total_ios")?.as_f64()?))
}

/// The JSON object in what a tool prints; fio may print notes before it.
fn json_in(printed: &str) -> Option<Value> {
    let begin = printed.find('{')?;
    serde_json::from_str(&printed[begin..]).ok()
}

/// User and system time of all children that have ended.
fn cpu_of_children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the children's CPU time")?;
    let duration = |time: TimeVal| {
        let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_usec());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        text.parse().unwrap()
    }

    #[test]
    fn fio_is_read_on_the_side_of_the_pattern() {
        let printed = r#"fio: a note
            {"jobs":[{"error":0,"read":{"iops":10.5,"total_ios":21},"write":{"iops":0.0,"total_ios":0}}]}"#;
        let json = json_in(printed).unwrap();
        assert_eq!(read_fio(&json, cell("seqread:1m:8")), Some((10.5, 21.0)));
        assert_eq!(read_fio(&json, cell("randwrite:4k:1")), Some((0.0, 0.0)));
        let failed = json_in(r#"{"jobs":[{"error":5,"read":{"iops":1.0,"total_ios":1}}]}"#).unwrap();
        assert_eq!(read_fio(&failed, cell("randread:4k:1")), None);
    }

    #[test]
    fn ours_is_one_flat_object() {
        let json = json_in(r#"{"iops": 1000.0, "ios": 3000, "void": []}"#).unwrap();
        assert_eq!(read_ours(&json), Some((1000.0, 3000.0)));
        assert_eq!(read_ours(&json_in(r#"{"iops": 1000.0}"#).unwrap()), None);
        assert!(json_in("no json").is_none());
    }

    #[test]
    fn only_writes_ask_to_overwrite() {
        let words = |text| {
            let command = ours(cell(text), Path::new("f"), 2);
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert!(words("randwrite:4k:32").contains(&"--overwrite".to_owned()));
        assert!(!words("randread:4k:32").contains(&"--overwrite".to_owned()));
    }
}
