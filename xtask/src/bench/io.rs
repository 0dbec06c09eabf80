//! `cargo xtask bench io`: the runner beside fio on the same file.
//!
//! Knows: all tools once per round in a new order each, ratios within a round, their median.
//! Does not know: what a good ratio is. The load of a machine moves every figure, and far more than the
//! ratio within a round; the CPU time of an I/O moves least.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::cell::Cell;
use super::machine;
use super::statistics::{Random, interval_of_median, median};
use super::tools::{Run, Tool};
use crate::arguments::Arguments;
use crate::files;
use crate::prepare;
use crate::process::{self, Exit};
use crate::workspace;

const FILE_BYTES: u64 = 1 << 30;
const CELLS: &str = "randread:4k:1,randread:4k:32,randread:4k:128,randwrite:4k:32,seqread:1m:8";
const HEADINGS: [&str; 7] = [
    "cell",
    "tool",
    "IOPS",
    "cliffmark ÷ tool",
    "90 % interval",
    "CPU µs per I/O",
    "tool's CPU ÷ cliffmark's",
];

/// `bench io [--pairs N] [--runtime S] [--dir DIR] [--cells a:b:c,..] [--out FILE]`.
///
/// # Errors
/// A tool is missing or fails, or the file cannot be written.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let rounds = arguments.value::<usize>("--pairs")?.unwrap_or(7);
    let seconds = arguments.value::<u32>("--runtime")?.unwrap_or(3);
    let folder = arguments.value::<PathBuf>("--dir")?.unwrap_or_else(|| workspace::target().join("bench"));
    let cells = arguments.value::<String>("--cells")?.unwrap_or_else(|| CELLS.to_owned());
    let out = arguments.value::<PathBuf>("--out")?;
    arguments.finish()?;
    if rounds == 0 || seconds == 0 {
        return Err(Exit::usage("--pairs and --runtime are at least 1"));
    }
    let cells = cells.split(',').map(str::parse::<Cell>).collect::<Result<Vec<_>>>()?;

    prepare::ensure(&[prepare::C_COMPILER, prepare::FIO])?;
    process::run(workspace::cargo().args(["build", "--release", "--locked", "-p", "cliffmark-runner"]))?;
    files::make_folder(&folder)?;
    let facts = machine::facts(&folder)?;
    for (name, value) in &facts {
        eprintln!("{name}: {value}");
    }
    let file = TestFile::create(&folder)?;
    let mut rows = Vec::new();
    for cell in cells {
        eprintln!("{cell}: {rounds} rounds of {} tools, {seconds} s each", Tool::ALL.len());
        rows.extend(rows_of(cell, &measure(cell, &file.path, rounds, seconds)?)?);
    }
    print!("{}", aligned(&rows));
    if let Some(out) = out {
        files::write(&out, markdown(&facts, &rows, rounds, seconds))?;
        println!("written to {}", out.display());
    }
    Ok(())
}

/// The runs of each tool, by round.
type Rounds = BTreeMap<Tool, Vec<Run>>;

fn measure(cell: Cell, file: &Path, rounds: usize, seconds: u32) -> Result<Rounds> {
    let mut random = Random(0x5eed);
    let mut runs = Rounds::new();
    for _ in 0..rounds {
        let mut order = Tool::ALL;
        random.shuffle(&mut order);
        for tool in order {
            runs.entry(tool).or_default().push(tool.run(cell, file, FILE_BYTES, seconds)?);
        }
    }
    Ok(runs)
}

fn rows_of(cell: Cell, runs: &Rounds) -> Result<Vec<[String; 7]>> {
    let ours = runs.get(&Tool::Ours).context("our own runs are missing")?;
    let mut rows = Vec::new();
    for (tool, theirs) in runs {
        ensure!(ours.len() == theirs.len(), "the rounds of {} are not complete", tool.name());
        let middle = |of: fn(&Run) -> f64| median(&theirs.iter().map(of).collect::<Vec<_>>());
        let iops = middle(|run| run.iops).context("no rounds")?;
        let cpu = middle(|run| run.cpu_us).context("no rounds")?;
        let pairs = || ours.iter().zip(theirs);
        let speed: Vec<f64> = pairs().map(|(ours, theirs)| ours.iops / theirs.iops).collect();
        let thrift: Vec<f64> = pairs().map(|(ours, theirs)| theirs.cpu_us / ours.cpu_us).collect();
        let mut row = [cell.to_string(), tool.name().to_owned(), format!("{iops:.0}")]
            .into_iter()
            .chain(["", "", "", ""].map(str::to_owned))
            .collect::<Vec<_>>();
        row[5] = format!("{cpu:.2}");
        if *tool != Tool::Ours {
            let interval = interval_of_median(&speed).context("no rounds")?;
            row[3] = format!("{:.2}", median(&speed).context("no rounds")?);
            row[4] = format!("{:.2} to {:.2}", interval.start(), interval.end());
            row[6] = format!("{:.2}", median(&thrift).context("no rounds")?);
        }
        rows.push(row.try_into().expect("a row has seven columns"));
    }
    Ok(rows)
}

fn aligned(rows: &[[String; 7]]) -> String {
    let mut widths = HEADINGS.map(|heading| heading.chars().count());
    for row in rows {
        for (width, field) in widths.iter_mut().zip(row) {
            *width = (*width).max(field.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&HEADINGS.map(str::to_owned)).chain(rows) {
        for (column, (field, width)) in row.iter().zip(widths).enumerate() {
            let separator = if column == 0 { "" } else { "  " };
            let _ = if column < 2 {
                write!(text, "{separator}{field:<width$}")
            } else {
                write!(text, "{separator}{field:>width$}")
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn markdown(facts: &[(&str, String)], rows: &[[String; 7]], rounds: usize, seconds: u32) -> String {
    let mut text = String::from("# I/O: cliffmark beside fio\n\n");
    let _ = writeln!(
        text,
        "Made by `cargo xtask bench io`: {rounds} rounds of {seconds} s for each tool on the same fully written \
         file of 1 GiB, all tools once per round in shuffled order.\nRatios are medians over the rounds of the \
         ratio within a round; above 1 cliffmark is faster or needs less CPU time.\nThe interval is a bootstrap \
         of that median.\nCPU time is user and system time of the whole process, its start included.\n"
    );
    for (name, value) in facts {
        let _ = writeln!(text, "- {name}: {value}");
    }
    let _ = writeln!(text, "\n| {} |\n| --- | --- | --: | --: | --: | --: | --: |", HEADINGS.join(" | "));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// A file that is written in full with incompressible data, and removed in the end.
struct TestFile {
    path: PathBuf,
}

impl TestFile {
    fn create(folder: &Path) -> Result<Self> {
        let own = Self { path: folder.join("io.dat") };
        eprintln!("writing {} (1 GiB)", workspace::relative(&own.path));
        own.fill().with_context(|| format!("cannot write {}", own.path.display()))?;
        Ok(own)
    }

    fn fill(&self) -> Result<()> {
        let mut random = Random(0x00c0_ffee);
        let mut file = File::create(&self.path)?;
        let mut chunk = vec![0; 1 << 20];
        for _ in 0..FILE_BYTES / chunk.len() as u64 {
            if process::interrupted() {
                return Err(Exit::error(130, "interrupted"));
            }
            for word in chunk.chunks_exact_mut(8) {
                word.copy_from_slice(&random.next().to_le_bytes());
            }
            file.write_all(&chunk)?;
        }
        Ok(file.sync_all()?)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            eprintln!("warning: {} is left behind: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(ours: &[f64], fio: &[f64]) -> Rounds {
        let side = |values: &[f64], cpu_us| values.iter().map(|&iops| Run { iops, cpu_us }).collect();
        [(Tool::Ours, side(ours, 2.0)), (Tool::Fio, side(fio, 5.0))].into()
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // A slow second round slows both: the ratio stays 2, whatever the medians say.
        let rows =
            rows_of("randread:4k:32".parse().unwrap(), &runs(&[200.0, 20.0, 180.0], &[100.0, 10.0, 90.0]));
        let rows = rows.unwrap();
        assert_eq!(rows[0], ["randread 4 KiB QD 32", "cliffmark", "180", "", "", "2.00", ""]);
        assert_eq!(rows[1], ["randread 4 KiB QD 32", "fio", "90", "2.00", "2.00 to 2.00", "5.00", "2.50"]);
    }

    #[test]
    fn an_incomplete_round_is_an_error() {
        assert!(rows_of("randread:4k:1".parse().unwrap(), &runs(&[1.0, 2.0], &[1.0])).is_err());
    }

    #[test]
    fn tables_carry_every_row() {
        let rows = rows_of("seqread:1m:8".parse().unwrap(), &runs(&[3.0], &[2.0])).unwrap();
        let text = aligned(&rows);
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
        let text = markdown(&[("Kernel", "6".to_owned())], &rows, 1, 3);
        assert!(
            text.contains("- Kernel: 6\n") && text.contains("| seqread 1 MiB QD 8 | fio | 2 | 1.50 |"),
            "{text}"
        );
    }
}
