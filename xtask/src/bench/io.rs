//! `cargo xtask bench io`: the runner beside fio and `t/io_uring` on the same files.
//!
//! Knows: all tools once per round in a new order each, ratios within a round, their median.
//! Does not know: what a good ratio is (that is `goals`). The load of a machine moves every figure, and far more
//! than the ratio within a round; the CPU time of an I/O moves least.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use super::cell::Cell;
use super::goals;
use super::huge_pages::HugePages;
use super::machine;
use super::place::{Kind, Place};
use super::statistics::{Random, interval_of_median, median};
use super::tools::{Run, Tool};
use crate::arguments::Arguments;
use crate::files;
use crate::prepare;
use crate::process::{self, Exit};
use crate::workspace;

const HEADINGS: [&str; 7] = [
    "cell",
    "tool",
    "IOPS",
    "cliffmark ÷ tool",
    "90 % interval",
    "CPU µs per I/O",
    "cliffmark's CPU ÷ tool's",
];
const GOAL_HEADINGS: [&str; 5] = ["cell", "goal", "median", "90 % interval", "outcome"];

/// The cells that have goals, on each kind of file.
fn default_cells(kind: Kind) -> &'static str {
    match kind {
        Kind::Hole => "randread:4k:1,randread:4k:8,randread:4k:32,randread:4k:128,randread:4k:32:2",
        Kind::File => {
            "randread:4k:1,randread:4k:8,randread:4k:32,randread:4k:128,randwrite:4k:1,randwrite:4k:32,\
             seqread:1m:8,seqwrite:1m:8"
        }
    }
}

/// `bench io [--target hole|file] [--pairs N] [--runtime S] [--dir DIR] [--cells a:b:c,..] [--poll] [--out FILE]`.
///
/// # Errors
/// A tool is missing or fails, or the file cannot be written.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let rounds = arguments.value::<usize>("--pairs")?.unwrap_or(7);
    let seconds = arguments.value::<u32>("--runtime")?.unwrap_or(3);
    let folder = arguments.value::<PathBuf>("--dir")?.unwrap_or_else(|| workspace::target().join("bench"));
    let target = arguments.value::<Kind>("--target")?;
    let cells = arguments.value::<String>("--cells")?;
    let poll = arguments.switch("--poll");
    let out = arguments.value::<PathBuf>("--out")?;
    arguments.finish()?;
    if rounds == 0 || seconds < 2 {
        return Err(Exit::usage(
            "--pairs is at least 1, and --runtime 2: t/io_uring tells its rate once a second",
        ));
    }
    let kinds = target.map_or_else(|| vec![Kind::Hole, Kind::File], |kind| vec![kind]);
    let mut plan = Vec::new();
    for &kind in &kinds {
        let cells = cells.as_deref().unwrap_or_else(|| default_cells(kind));
        let cells = cells.split(',').map(str::parse::<Cell>).collect::<Result<Vec<_>>>()?;
        ensure!(
            kind == Kind::File || cells.iter().all(|cell| !cell.pattern.writes()),
            "a hole is only read: what is written is no hole any more; choose --target file"
        );
        plan.push((kind, cells));
    }

    prepare::ensure(&[prepare::C_COMPILER, prepare::FIO])?;
    process::run(workspace::cargo().args(["build", "--release", "--locked", "-p", "cliffmark-runner"]))?;
    files::make_folder(&folder)?;
    let pages = HugePages::reserve();
    let facts = machine::facts(&folder, pages.enough())?;
    for (name, value) in &facts {
        eprintln!("{name}: {value}");
    }
    let mut tables = Tables::default();
    for (kind, cells) in plan {
        let place = Place::create(&folder, kind)?;
        for cell in cells {
            let tools = Tool::for_cell(cell, pages.enough(), poll);
            eprintln!("{kind}, {cell}: {rounds} rounds of {} tools, {seconds} s each", tools.len());
            tables.add(kind, cell, &measure(&tools, cell, &place, rounds, seconds)?)?;
        }
    }
    drop(pages);
    print!("{}\n{}", aligned(&HEADINGS, &tables.figures, 2), aligned(&GOAL_HEADINGS, &tables.goals, 2));
    if let Some(out) = out {
        files::write(&out, markdown(&facts, &tables, rounds, seconds))?;
        println!("written to {}", out.display());
    }
    Ok(())
}

/// The runs of each tool, by round.
pub(super) type Rounds = BTreeMap<Tool, Vec<Run>>;

fn measure(tools: &[Tool], cell: Cell, place: &Place, rounds: usize, seconds: u32) -> Result<Rounds> {
    let mut random = Random(0x5eed);
    let mut runs = Rounds::new();
    for _ in 0..rounds {
        let mut order = tools.to_vec();
        random.shuffle(&mut order);
        for tool in order {
            runs.entry(tool).or_default().push(tool.run(cell, &place.path, place.kind.bytes(), seconds)?);
        }
    }
    Ok(runs)
}

/// What is printed: figures of every tool, and every goal.
#[derive(Default)]
struct Tables {
    figures: Vec<Vec<String>>,
    goals: Vec<Vec<String>>,
}

impl Tables {
    fn add(&mut self, kind: Kind, cell: Cell, runs: &Rounds) -> Result<()> {
        let name = format!("{kind}, {cell}");
        self.figures.extend(rows_of(&name, runs)?);
        for goal in goals::of(kind, cell) {
            let (middle, interval, outcome) = match goal.judge(runs) {
                Some(outcome) => (
                    format!("{:.2}", outcome.median),
                    format!("{:.2} to {:.2}", outcome.interval.0, outcome.interval.1),
                    if outcome.reached { "reached" } else { "MISSED" },
                ),
                None => (String::new(), String::new(), "not measured: the tool is not here"),
            };
            self.goals.push(vec![name.clone(), goal.to_string(), middle, interval, outcome.to_owned()]);
        }
        Ok(())
    }
}

fn rows_of(cell: &str, runs: &Rounds) -> Result<Vec<Vec<String>>> {
    let ours = runs.get(&Tool::Ours).context("our own runs are missing")?;
    let mut rows = Vec::new();
    for (tool, theirs) in runs {
        ensure!(ours.len() == theirs.len(), "the rounds of {} are not complete", tool.name());
        let middle = |of: fn(&Run) -> f64| median(&theirs.iter().map(of).collect::<Vec<_>>());
        let iops = format!("{:.0}", middle(|run| run.iops).context("no rounds")?);
        let cpu = format!("{:.2}", middle(|run| run.cpu_us).context("no rounds")?);
        let pairs = || ours.iter().zip(theirs);
        let speed: Vec<f64> = pairs().map(|(ours, theirs)| ours.iops / theirs.iops).collect();
        let thrift: Vec<f64> = pairs().map(|(ours, theirs)| ours.cpu_us / theirs.cpu_us).collect();
        let (mut ratio, mut interval, mut share) = (String::new(), String::new(), String::new());
        if *tool != Tool::Ours {
            let of_median = interval_of_median(&speed).context("no rounds")?;
            ratio = format!("{:.2}", median(&speed).context("no rounds")?);
            interval = format!("{:.2} to {:.2}", of_median.start(), of_median.end());
            share = format!("{:.2}", median(&thrift).context("no rounds")?);
        }
        rows.push(vec![cell.to_owned(), tool.name().to_owned(), iops, ratio, interval, cpu, share]);
    }
    Ok(rows)
}

/// A table with aligned columns, the first `left` of them to the left.
fn aligned(headings: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let mut widths = vec![0; headings.len()];
    for row in std::iter::once(&headings).chain(rows) {
        for (width, field) in widths.iter_mut().zip(row) {
            *width = (*width).max(field.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&headings).chain(rows) {
        for (column, (field, &width)) in row.iter().zip(&widths).enumerate() {
            let separator = if column == 0 { "" } else { "  " };
            let _ = if column < left {
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

fn markdown(facts: &[(&str, String)], tables: &Tables, rounds: usize, seconds: u32) -> String {
    let mut text = String::from("# I/O: cliffmark beside fio and t/io_uring\n\n");
    let _ = writeln!(
        text,
        "Made by `cargo xtask bench io`: {rounds} rounds of {seconds} s for each tool on the same files, all tools once \
         per round in shuffled order.\n`hole` is a sparse file of 64 GiB, whose direct reads cost nothing but software; \
         `file` is a file of 1 GiB, written in full.\ncliffmark records every latency and a series in time, t/io_uring \
         neither.\nRatios are medians over the rounds of the ratio within a round: of IOPS, more is better; of CPU \
         time, less.\nThe interval is a bootstrap of that median; a goal inside it counts as reached.\nCPU time is \
         user and system time of the whole process, its start included.\n"
    );
    for (name, value) in facts {
        let _ = writeln!(text, "- {name}: {value}");
    }
    for (title, headings, rows) in
        [("Goals", &GOAL_HEADINGS[..], &tables.goals), ("Figures", &HEADINGS[..], &tables.figures)]
    {
        let line = |fields: &[&str]| format!("| {} |\n", fields.join(" | "));
        let _ = write!(text, "\n## {title}\n\n{}", line(headings));
        let rules: Vec<&str> = (0..headings.len()).map(|n| if n < 2 { "---" } else { "--:" }).collect();
        text.push_str(&line(&rules));
        for row in rows {
            text.push_str(&line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    }
    text
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
        let rows = rows_of("cell", &runs(&[200.0, 20.0, 180.0], &[100.0, 10.0, 90.0])).unwrap();
        assert_eq!(rows[0], ["cell", "cliffmark", "180", "", "", "2.00", ""]);
        assert_eq!(rows[1], ["cell", "fio", "90", "2.00", "2.00 to 2.00", "5.00", "0.40"]);
    }

    #[test]
    fn an_incomplete_round_is_an_error() {
        assert!(rows_of("cell", &runs(&[1.0, 2.0], &[1.0])).is_err());
    }

    #[test]
    fn default_cells_are_cells_with_goals() {
        for kind in [Kind::Hole, Kind::File] {
            for cell in default_cells(kind).split(',') {
                assert!(!goals::of(kind, cell.parse().unwrap()).is_empty(), "{kind} {cell}");
            }
        }
    }

    #[test]
    fn tables_carry_every_row() {
        let mut tables = Tables::default();
        tables.add(Kind::File, "seqread:1m:8".parse().unwrap(), &runs(&[3.0], &[2.0])).unwrap();
        let text = aligned(&HEADINGS, &tables.figures, 2);
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
        let text = markdown(&[("Kernel", "6".to_owned())], &tables, 1, 3);
        for part in [
            "- Kernel: 6\n",
            "| file, seqread 1 MiB QD 8 | fio | 2 | 1.50 |",
            "| IOPS at least 0.97 x fio on huge pages |  |  | not measured",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
