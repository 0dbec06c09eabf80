//! The tools that are compared, and what one run of each says.
//!
//! Knows: their command lines and their JSON.
//! Does not know: the order of runs or what is concluded.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::Value;

use super::cell::{Cell, Pattern};
use crate::process;
use crate::workspace;

/// A tool with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    /// `cliffmark cell`.
    Ours,
    /// `cliffmark cell --wait poll`.
    OursPolling,
    /// fio with `io_uring` and nothing else changed.
    Fio,
    /// fio with registered buffers and files and batched submission.
    FioBest,
    /// The same with its buffers on huge pages.
    FioHuge,
    /// fio's `t/io_uring`, which reads as fast as it can and records nothing.
    Peak,
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
    /// The tools that can measure a cell here, ours first.
    pub(super) fn for_cell(cell: Cell, huge_pages: bool, poll: bool) -> Vec<Self> {
        let mut tools = vec![Self::Ours, Self::Fio, Self::FioBest];
        if poll {
            tools.push(Self::OursPolling);
        }
        // Small blocks lie in one page of either size.
        if huge_pages && cell.block_bytes >= 512 << 10 {
            tools.push(Self::FioHuge);
        }
        if cell.pattern == Pattern::RandRead && peak_program().is_some() {
            tools.push(Self::Peak);
        }
        tools
    }

    /// Its name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ours => "cliffmark",
            Self::OursPolling => "cliffmark, polling",
            Self::Fio => "fio",
            Self::FioBest => "fio, best",
            Self::FioHuge => "fio on huge pages",
            Self::Peak => "t/io_uring",
        }
    }

    /// Measures one cell on an existing file.
    ///
    /// # Errors
    /// The tool fails or does not say how much it did.
    pub(super) fn run(self, cell: Cell, file: &Path, file_bytes: u64, seconds: u32) -> Result<Run> {
        let mut command = match self {
            Self::Ours | Self::OursPolling => ours(cell, file, seconds),
            Self::Fio | Self::FioBest | Self::FioHuge => fio(cell, file, file_bytes, seconds),
            Self::Peak => peak(cell, file, seconds).context("t/io_uring is not on the PATH")?,
        };
        if self == Self::OursPolling {
            command.args(["--wait", "poll"]);
        }
        if matches!(self, Self::FioBest | Self::FioHuge) {
            command.args(best_settings(cell));
        }
        if self == Self::FioHuge {
            command.arg("--iomem=mmaphuge");
        }
        let before = cpu_of_children()?;
        let printed = process::output_of(&mut command)?;
        let cpu = cpu_of_children()?.saturating_sub(before);
        let (iops, operations) = match self {
            Self::Ours | Self::OursPolling => json_in(&printed).and_then(|json| read_ours(&json)),
            Self::Fio | Self::FioBest | Self::FioHuge => {
                json_in(&printed).and_then(|json| read_fio(&json, cell))
            }
            Self::Peak => read_peak(&printed).map(|iops| (iops, iops * f64::from(seconds))),
        }
        .with_context(|| format!("{} does not tell what it did in {cell}", self.name()))?;
        ensure!(iops > 0.0 && operations > 0.0, "{} did nothing in {cell}", self.name());
        Ok(Run { iops, cpu_us: cpu.as_secs_f64() * 1e6 / operations })
    }
}

fn ours(cell: Cell, file: &Path, seconds: u32) -> Command {
    let mut command = Command::new(workspace::program("release", "cliffmark"));
    command.arg("cell").arg(file).args(["--pattern", cell.pattern.ours(), "--json"]);
    command.arg("--threads").arg(cell.threads.to_string());
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
    command.arg(format!("--numjobs={}", cell.threads)).args(["--group_reporting", "--thread"]);
    command
}

/// `t/io_uring` with blocking waits, and everything registered that can be; batches as its authors choose them.
fn peak(cell: Cell, file: &Path, seconds: u32) -> Option<Command> {
    let mut command = Command::new(peak_program()?);
    let batch = cell.queue_depth.min(32).to_string();
    command.args(["-p0", "-B1", "-F1", "-X1", "-O1", "-R1"]);
    command.args(["-s", &batch, "-c", &batch]);
    command.arg("-d").arg(cell.queue_depth.to_string());
    command.arg("-b").arg(cell.block_bytes.to_string());
    command.arg("-n").arg(cell.threads.to_string());
    command.arg("-r").arg(seconds.to_string());
    // Each of its threads wants a file of its own, which may be the same.
    command.args((0..cell.threads).map(|_| file));
    Some(command)
}

/// Where `t/io_uring` is; fio's `make install` does not install it, so it has to be put on the PATH.
pub(super) fn peak_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut candidates =
        std::env::split_paths(&path).flat_map(|folder| [folder.join("t/io_uring"), folder.join("io_uring")]);
    candidates.find(|program| program.is_file())
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
    settings
}

/// Mean of the rates that `t/io_uring` prints each second: `IOPS=1.52M, BW=5.94GiB/s, IOS/call=31/31`.
fn read_peak(printed: &str) -> Option<f64> {
    let rates: Vec<f64> = printed
        .lines()
        .filter_map(|line| {
            let rate = line.strip_prefix("IOPS=")?.split(',').next()?;
            let (digits, unit) = match rate.char_indices().last()? {
                (at, 'K') => (&rate[..at], 1e3),
                (at, 'M') => (&rate[..at], 1e6),
                _ => (rate, 1.0),
            };
            Some(digits.parse::<f64>().ok()? * unit)
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "a run has a few seconds")]
    let count = rates.len() as f64;
    (count > 0.0).then(|| rates.iter().sum::<f64>() / count)
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
    fn the_seconds_of_the_peak_are_averaged() {
        let printed = "submitter=0, tid=1\nIOPS=1.50M, BW=5.94GiB/s, IOS/call=31/31\n\
                       IOPS=900K, BW=3GiB/s, IOS/call=31/31\nExiting on timeout\nMaximum IOPS=1.50M\n";
        assert_eq!(read_peak(printed), Some(1_200_000.0));
        assert_eq!(read_peak("IOPS=512, BW=2MiB/s, IOS/call=1/1\n"), Some(512.0));
        assert_eq!(read_peak("Maximum IOPS=1.50M\n"), None);
    }

    #[test]
    fn huge_pages_are_for_large_blocks() {
        let has = |text, huge| Tool::for_cell(cell(text), huge, false).contains(&Tool::FioHuge);
        assert!(has("seqread:1m:8", true) && !has("seqread:1m:8", false) && !has("randread:4k:1", true));
        assert!(Tool::for_cell(cell("randread:4k:1"), false, true).contains(&Tool::OursPolling));
        assert!(!Tool::for_cell(cell("randwrite:4k:1"), true, true).contains(&Tool::Peak), "it only reads");
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
