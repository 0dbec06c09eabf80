//! What a user can type. Structs only: no defaults that look at the machine, no behaviour.

use clap::{Args, Parser, Subcommand, ValueEnum};
use model::{
    ResultId,
    document::Wait,
    labels::{LabelKey, check_label},
    method::{DataKind, Pattern},
    units::parse_size,
};
use std::path::PathBuf;

/// Measures drives and writes signed results.
#[derive(Debug, Parser)]
#[command(name = "cliffmark", version, about, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 refused for safety or proof, \
                        4 finished but some cells void, 130 interrupted with a valid partial bundle.")]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure a drive with a suite and write a signed result bundle
    Run(RunArgs),
    /// Measure one cell once, without warm-up and without a bundle
    Cell(CellArgs),
    /// List the suites with their time and bytes, or print one as TOML
    Suites(SuitesArgs),
    /// List every block device, and why it can or cannot be measured
    Devices(DevicesArgs),
    /// Go on with a run whose program or machine died
    Resume(ResumeArgs),
    /// Remove what killed runs left behind
    Clean(CleanArgs),
    /// Show this machine and what it can do without any drive
    Host(HostArgs),
    /// Show what a bundle holds
    Show(ShowArgs),
    /// Check a bundle's signature and plausibility
    Verify(VerifyArgs),
    /// Tell what a table of speeds, temperatures or other figures shows
    Analyse(AnalyseArgs),
    /// Publish bundles and print the addresses of their pages, one a line
    Upload(UploadArgs),
    /// Take a published result back for good: its page, pictures and bytes go away
    Withdraw(WithdrawArgs),
    /// Make a result that was published with --unlisted public, at the same address
    Release(ReleaseArgs),
    /// Print results in another form on standard output
    Export(ExportArgs),
    /// The secret key that signs results
    #[command(subcommand)]
    Key(KeyCommand),
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A directory on the drive, where a new file is made that goes away at the end; or a whole device that
    /// holds nothing: it is overwritten; or `sim:NAME?key=value`, a simulated drive in virtual time. Several, each on a
    /// drive of its own, for `--suite array`
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// One of `cliffmark suites`, or a TOML file of the same form
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "quick")]
    pub suite: String,
    /// Play a recording instead of a suite, once and at its own times: fio's iolog (version 2 or 3) or blkparse's text
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    pub trace: Option<PathBuf>,
    /// Change a value of the suite: size (or `all`, `max`), seconds, loops, read, amount, rest, fill, without, …, or of
    /// one part of it: PART.KEY; `cliffmark suites NAME` shows what a suite has
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Say something about the run: reviewer, article, drive, cooling, slot, fill, ambient, note
    #[arg(long, value_name = "KEY=TEXT", value_parser = label)]
    pub label: Vec<(LabelKey, String)>,
    /// Run the whole suite this many times, one after the other [default: as the suite says, mostly 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: Option<u32>,
    /// Where to write the bundle [default: cliffmark-SUITE-DATE-TIME.cliffmark]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Publish the bundle when the run is over
    #[arg(long)]
    pub upload: bool,
    /// Do not list the result: it answers only to its full address
    #[arg(long)]
    pub unlisted: bool,
    /// The server to publish on
    #[arg(long, value_name = "URL", env = "CLIFFMARK_SERVER")]
    pub server: Option<String>,
    /// Print the result document, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
    /// Start without asking; where standard input is no terminal, nothing is asked
    #[arg(long)]
    pub yes: bool,
    /// Say what would be done, or why it would be refused, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Measure, and mark as void, what cannot be proven
    #[arg(long)]
    pub allow_void: bool,
    /// Time between two looks at the drive's sensors, `500ms` or `5s` [default: 2s, hard disks 30s]
    #[arg(long, value_name = "TIME", value_parser = period)]
    pub sample_every: Option<u64>,
    /// Readings of a power meter: a file that grows, or `-` for standard input (docs/METERS.md)
    #[arg(long, value_name = "FILE|-")]
    pub power: Option<PathBuf>,
    /// How completions are awaited: block, poll (a whole processor for lower latency), iopoll, sqpoll
    #[arg(long, value_enum, value_name = "HOW", default_value_t = WaitArg::Block, hide_possible_values = true)]
    pub wait: WaitArg,
    /// The serial number of the device to overwrite, as `cliffmark devices` shows it; for a loop device the inode
    /// number of its file; once for each of several. Without it, it is asked for
    #[arg(long, value_name = "SERIAL")]
    pub confirm_serial: Vec<String>,
    /// How much the drive's maker warrants to be written, `600TB` or `1.5PB`: the plan then says which share the run takes
    #[arg(long, value_name = "SIZE", value_parser = endurance)]
    pub tbw: Option<u64>,
    /// Publish the drive's serial number instead of a keyed digest only
    #[arg(long)]
    pub publish_serial: bool,
    /// Licence of the data, an SPDX identifier
    #[arg(long, value_name = "SPDX", default_value = model::document::DEFAULT_LICENSE, value_parser = license)]
    pub license: String,
}

/// Arguments of `analyse`.
#[derive(Debug, Args)]
pub struct AnalyseArgs {
    /// A table whose first line names the columns and their units: `second,write_MB_s,temp_C`
    pub file: PathBuf,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cell`.
#[derive(Debug, Args)]
pub struct CellArgs {
    /// An existing file or device, which is read as it is, or a directory for a new one
    pub target: PathBuf,
    /// Order and direction
    #[arg(long, value_enum)]
    pub pattern: PatternArg,
    /// Bytes per I/O, `4KiB` or `4096`
    #[arg(long, value_name = "SIZE", value_parser = block)]
    pub block: u32,
    /// I/Os in flight per thread
    #[arg(long, value_name = "N")]
    pub qd: u32,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u32,
    /// Length in seconds
    #[arg(long, value_name = "S", default_value_t = 5)]
    pub seconds: u32,
    /// Size of the new file [default: 1GiB]; of a device, the part that is used [default: all]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<u64>,
    /// Allow writing into an existing file: its content is lost
    #[arg(long)]
    pub overwrite: bool,
    /// The serial number of the device to write to; for a loop device the inode number of its file
    #[arg(long, value_name = "SERIAL")]
    pub confirm_serial: Option<String>,
    /// Measure, and mark as void, what cannot be proven
    #[arg(long)]
    pub allow_void: bool,
    /// How completions are awaited
    #[arg(long, value_enum, default_value_t = WaitArg::Block)]
    pub wait: WaitArg,
    /// What is written, and what a new file is filled with [default: random]
    #[arg(long, value_enum)]
    pub data: Option<DataArg>,
    /// Print one flat JSON object
    #[arg(long)]
    pub json: bool,
}

/// The patterns as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PatternArg {
    /// Sequential reads
    #[value(name = "seqread", alias = "seq-read")]
    SeqRead,
    /// Sequential writes
    #[value(name = "seqwrite", alias = "seq-write")]
    SeqWrite,
    /// Random reads
    #[value(name = "randread", alias = "rand-read")]
    RandRead,
    /// Random writes
    #[value(name = "randwrite", alias = "rand-write")]
    RandWrite,
}

impl From<PatternArg> for Pattern {
    fn from(arg: PatternArg) -> Self {
        match arg {
            PatternArg::SeqRead => Self::SeqRead,
            PatternArg::SeqWrite => Self::SeqWrite,
            PatternArg::RandRead => Self::RandRead,
            PatternArg::RandWrite => Self::RandWrite,
        }
    }
}

/// How completions are awaited, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WaitArg {
    /// Sleep until one comes
    Block,
    /// Ask the kernel again and again: lower latency for a whole processor
    Poll,
    /// Let the kernel ask the drive again and again, where it can
    Iopoll,
    /// Look at a ring that a thread of the kernel serves: no calls at all for two whole processors
    Sqpoll,
}

impl From<WaitArg> for Wait {
    fn from(arg: WaitArg) -> Self {
        match arg {
            WaitArg::Block => Self::Block,
            WaitArg::Poll => Self::Poll,
            WaitArg::Iopoll => Self::DevicePoll,
            WaitArg::Sqpoll => Self::SubmitPoll,
        }
    }
}

/// Kinds of data as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataArg {
    /// Incompressible, every 4 KiB different
    Random,
    /// Zeros, which drives may compress or leave out
    Zero,
    /// One random buffer again and again
    Repeat,
}

impl From<DataArg> for DataKind {
    fn from(arg: DataArg) -> Self {
        match arg {
            DataArg::Random => Self::Random,
            DataArg::Zero => Self::Zero,
            DataArg::Repeat => Self::Repeat,
        }
    }
}

/// Arguments of `suites`.
#[derive(Debug, Args)]
pub struct SuitesArgs {
    /// The suite to print as TOML
    pub name: Option<String>,
}

/// Arguments of `devices`.
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print a JSON array: `measurable` and `how` are about a directory on the device, `measurable_whole` and `whole`
    /// about the whole device
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Which run, when there are several
    pub id: Option<String>,
    /// Where to write the bundle [default: where the run was to write it]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the result document, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
    /// Start without asking; where standard input is no terminal, nothing is asked
    #[arg(long)]
    pub yes: bool,
    /// The serial number of the device to overwrite, when the run measures one; once for each of several
    #[arg(long, value_name = "SERIAL")]
    pub confirm_serial: Vec<String>,
    /// Go on from the last record before the damage when the journal is damaged; what followed it is lost
    #[arg(long)]
    pub drop_damaged: bool,
}

/// Arguments of `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Forget interrupted runs too: they cannot be resumed any more
    #[arg(long)]
    pub journals: bool,
}

/// Arguments of `host`.
#[derive(Debug, Args)]
pub struct HostArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The bundle
    pub file: PathBuf,
    /// Print exactly the signed bytes: what is, or would be, published
    #[arg(long)]
    pub document: bool,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The bundle
    pub file: PathBuf,
}

/// Arguments of `upload`.
#[derive(Debug, Args)]
pub struct UploadArgs {
    /// The bundles
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The server to publish on
    #[arg(long, value_name = "URL", env = "CLIFFMARK_SERVER")]
    pub server: Option<String>,
}

/// Arguments of `withdraw`.
#[derive(Debug, Args)]
pub struct WithdrawArgs {
    /// The result, all 64 digits
    pub id: ResultId,
    /// The server it was published on
    #[arg(long, value_name = "URL", env = "CLIFFMARK_SERVER")]
    pub server: Option<String>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `release`.
#[derive(Debug, Args)]
pub struct ReleaseArgs {
    /// The result, all 64 digits
    pub id: ResultId,
    /// When it becomes public, with its offset, `2026-12-24T09:00Z` or `2026-12-24T18:00+09:00`; a later release changes
    /// it as long as it has not come [default: at once]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub on: Option<u64>,
    /// The server it was published on
    #[arg(long, value_name = "URL", env = "CLIFFMARK_SERVER")]
    pub server: Option<String>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The bundles
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The form
    #[arg(long, value_enum)]
    pub format: ExportFormat,
}

/// Forms of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A table with one line per loop
    Csv,
    /// The result documents, one a line
    Json,
    /// A fio job file with an equivalent job per cell
    Fio,
}

/// Commands of `key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Show which key signs, and where it lies
    Show,
    /// Make a new secret key
    New {
        /// Keep the present key beside it and use the new one from now on
        #[arg(long)]
        replace: bool,
    },
    /// Write the secret key out, to keep it safe or to use it on another machine
    Export {
        /// The file to make; without it, standard output
        file: Option<PathBuf>,
    },
    /// Use a secret key that was exported
    Import {
        /// The file, `-` for standard input
        file: PathBuf,
        /// Keep the present key beside it and use the imported one from now on
        #[arg(long)]
        replace: bool,
    },
}

/// A moment in milliseconds since 1970 UTC.
fn moment(text: &str) -> Result<u64, String> {
    let time =
        text.parse::<jiff::Timestamp>().ok().and_then(|time| u64::try_from(time.as_millisecond()).ok());
    time.ok_or_else(|| {
        "write it with its offset from UTC, for instance 2026-12-24T09:00Z or 2026-12-24T18:00+09:00"
            .to_owned()
    })
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// No drive is rated for so little that a number without its unit could be meant.
fn endurance(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 100_000_000_000;
    let how = || "write it with its unit, at least 100GB, for instance 600TB or 1.5PB".to_owned();
    parse_size(text).ok().filter(|bytes| *bytes >= LEAST).ok_or_else(how)
}

fn block(text: &str) -> Result<u32, String> {
    size(text)?.try_into().map_err(|_| "a block has at most 64 MiB".to_owned())
}

/// A time from 100 ms to an hour, in nanoseconds.
fn period(text: &str) -> Result<u64, String> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let ms = match text.strip_suffix("ms") {
        Some(ms) => number(ms),
        None => text.strip_suffix('s').and_then(number).and_then(|seconds| seconds.checked_mul(1_000)),
    };
    ms.filter(|ms| (100..=3_600_000).contains(ms))
        .map(|ms| ms * 1_000_000)
        .ok_or_else(|| "write whole milliseconds or seconds, 100ms to 3600s, for instance 2s".to_owned())
}

fn assignment(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(key, value)| !key.is_empty() && !value.is_empty())
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .ok_or_else(|| "write it as key=value, for instance size=4GiB".to_owned())
}

fn label(text: &str) -> Result<(LabelKey, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as key=text, for instance cooling=heatsink")?;
    let key: LabelKey = key.trim().parse().map_err(|error: model::labels::LabelError| error.to_string())?;
    check_label(key, value).map_err(|error| error.to_string())?;
    Ok((key, value.to_owned()))
}

fn license(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'+');
    if (1..=40).contains(&text.len()) && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("write an SPDX identifier, for instance CC-BY-4.0 or CC0-1.0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn labels_and_settings_are_checked_while_parsing() {
        assert_eq!(label("cooling=heatsink"), Ok((LabelKey::Cooling, "heatsink".to_owned())));
        for bad in ["cooling", "colour=red", "note=", "note=a\u{1b}b"] {
            assert!(label(bad).is_err(), "{bad}");
        }
        assert!(assignment("size=").is_err());
        assert!(license("CC BY").is_err());
    }

    #[test]
    fn an_endurance_has_a_unit() {
        assert_eq!(endurance("600TB"), Ok(600_000_000_000_000));
        assert_eq!(endurance("1.5PB"), Ok(1_500_000_000_000_000));
        for bad in ["1", "600", "600 terabytes", "99GB", "0TB"] {
            assert!(endurance(bad).unwrap_err().contains("1.5PB"), "{bad}");
        }
    }

    #[test]
    fn moments_have_an_offset() {
        assert_eq!(moment("1970-01-02T00:00Z"), Ok(86_400_000));
        assert_eq!(moment("2026-12-24T18:00+09:00"), moment("2026-12-24T09:00:00Z"));
        for bad in
            ["", "2026-12-24", "2026-12-24T09:00", "1969-12-31T00:00Z", "tomorrow", "2026-13-01T00:00Z"]
        {
            assert!(moment(bad).unwrap_err().contains("offset"), "{bad}");
        }
    }

    #[test]
    fn times_between_looks_have_a_unit_and_a_range() {
        assert_eq!(period("2s"), Ok(2_000_000_000));
        assert_eq!(period("500ms"), Ok(500_000_000));
        for bad in ["", "2", "0s", "99ms", "3601s", "-1s", "1.5s", "18446744073709551615s"] {
            assert!(period(bad).is_err(), "{bad}");
        }
    }
}
