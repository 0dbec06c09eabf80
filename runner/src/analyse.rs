//! `cliffmark analyse`: what can be told from any series or list of figures.
//!
//! Reads a file and prints; what is found is the business of `analysis`, what a table is of `import`.

use crate::{
    hint::{Exit, Failure, print, printable},
    wrap::wrapped,
};
use analysis::{
    bursts, passes,
    series::{findings, heat::Known, words},
    stats,
};
use import::{
    header::{Counted, Direction},
    table::{self, List, Series, Table},
};
use model::{
    finding::{BestWorst, Bursts, Findings, Knee, Steady},
    summary::Stats,
    units::{Nanos, format_count, format_elapsed, format_percent, format_rate, grouped},
};
use serde::Serialize;
use std::{fs, io::Read as _, path::Path};

/// Largest file, bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Most characters of a heading that are printed.
const MAX_NAME: usize = 60;

/// What was found in one series.
#[derive(Debug, Serialize)]
struct FoundInSeries {
    name: String,
    rows: usize,
    missing: usize,
    findings: Findings,
    /// What its bursts show; `None` without pauses between them.
    bursts: Option<Bursts>,
}

/// What was found in one list.
#[derive(Debug, Serialize)]
struct FoundInList {
    name: String,
    knee: Option<Knee>,
    best_worst: Option<BestWorst>,
    steady: Option<Steady>,
    spread: Option<Stats>,
}

/// Prints the findings of a file.
///
/// # Errors
/// When it cannot be read, or holds no table.
pub(crate) fn analyse(file: &Path, as_json: bool) -> Result<Exit, Failure> {
    let text = read(file)?;
    let table = table::read(&text)
        .map_err(|error| Failure::failed(format!("{} cannot be analysed", file.display())).because(error))?;
    if as_json {
        let json = match &table {
            Table::Series(all) => {
                serde_json::to_string_pretty(&all.iter().map(found_in_series).collect::<Vec<_>>())
            }
            Table::Lists(all) => {
                serde_json::to_string_pretty(&all.iter().map(found_in_list).collect::<Vec<_>>())
            }
        };
        let json = json.expect("findings are plain data");
        print(&format!("{json}\n"))?;
    } else {
        print(&match &table {
            Table::Series(all) => all.iter().map(text_of_series).collect::<Vec<_>>().join("\n"),
            Table::Lists(all) => all.iter().map(text_of_list).collect::<Vec<_>>().join("\n"),
        })?;
    }
    Ok(Exit::Done)
}

fn read(file: &Path) -> Result<String, Failure> {
    let fail = |why: String| Failure::failed(format!("cannot read {}: {why}", file.display()));
    let mut bytes = Vec::new();
    let open = fs::File::open(file).map_err(|error| fail(error.to_string()))?;
    open.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| fail(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fail("it is larger than 64 MiB".to_owned()).hint("give fewer samples a second"));
    }
    String::from_utf8(bytes).map_err(|_| {
        fail("it is no UTF-8 text".to_owned())
            .hint("`iconv -f UTF-16 -t UTF-8` changes the encoding, for example")
    })
}

fn found_in_series(series: &Series) -> FoundInSeries {
    FoundInSeries {
        name: series.name.clone(),
        rows: series.steps.all().len(),
        missing: series.missing,
        findings: findings(&series.steps, Known::default()),
        bursts: of_bursts(series),
    }
}

/// What the bursts of a series show that is not of reads; `None` without pauses between them.
fn of_bursts(series: &Series) -> Option<Bursts> {
    if series.direction == Some(Direction::Read) { None } else { bursts::of_series(&series.steps) }
}

fn found_in_list(list: &List) -> FoundInList {
    let factor = list.speed.unwrap_or(1.0);
    let values: Vec<(u64, f64)> = list.values.iter().map(|(count, value)| (*count, value * factor)).collect();
    let only: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    match list.counted {
        Counted::Scale => FoundInList {
            name: list.name.clone(),
            knee: passes::knee(&values),
            best_worst: None,
            steady: None,
            spread: None,
        },
        Counted::Repeat => FoundInList {
            name: list.name.clone(),
            knee: None,
            best_worst: passes::best_worst(&only, higher_is_better(&list.name)),
            steady: passes::steady(&only),
            spread: stats::of(&only),
        },
    }
}

/// Speeds and scores are better when high, times when low.
fn higher_is_better(name: &str) -> bool {
    let name = name.to_lowercase();
    !["latency", "access", "time", "_ms", "_us", "(ms)", "(s)", "(us)"].iter().any(|low| name.contains(low))
}

fn text_of_series(series: &Series) -> String {
    let moved = match series.direction {
        Some(Direction::Read) => words::Moved::Read,
        Some(Direction::Write) => words::Moved::Written,
        None => words::Moved::Unknown,
    };
    let told = match series.direction {
        Some(Direction::Read) => ", read",
        Some(Direction::Write) => ", written",
        None => "",
    };
    let mut text = format!("{}{told}\n", printable(&series.name, MAX_NAME));
    let FoundInSeries { findings, bursts, .. } = found_in_series(series);
    let mut sentences = words::of(&findings, moved);
    sentences.extend(bursts.as_ref().map(bursts::words).unwrap_or_default());
    if bursts.is_none() || series.unrecorded_ns > 0 {
        sentences.extend(pauses(series));
    }
    if sentences.is_empty() {
        let nothing = "Nothing can be told: no row has all the values that are needed, or nothing was moved.";
        text.push_str(&wrapped("  ", 4, nothing));
    }
    for sentence in sentences {
        text.push_str(&wrapped("  ", 4, &sentence));
    }
    if series.missing > 0 {
        let rows = format_count(series.missing as u64, "row");
        let are = if series.missing == 1 { "is" } else { "are" };
        text.push_str(&wrapped("  ", 4, &format!("{rows} without a usable value {are} left out.")));
    }
    text
}

/// What is left out of a series that stops: the log does not tell a drive that stalls from a host that waits.
fn pauses(series: &Series) -> Option<String> {
    let pauses = series.steps.pauses();
    let all: u64 = pauses.iter().sum();
    let unrecorded = match series.unrecorded_ns {
        0 => String::new(),
        time => format!(
            " For {} there are no rows: what was moved then is in no figure.",
            format_elapsed(Nanos(time))
        ),
    };
    (!pauses.is_empty()).then(|| {
        format!(
            "Left out of speeds: {} without a byte, {} in all. A log does not tell a stall of the drive from a pause of the host.{unrecorded}",
            match pauses.len() {
                1 => "1 stretch".to_owned(),
                several => format!("{several} stretches"),
            },
            format_elapsed(Nanos(all))
        )
    })
}

fn text_of_list(list: &List) -> String {
    let FoundInList { name, knee, best_worst, steady, spread } = found_in_list(list);
    let figure = |value: f64| match list.speed {
        Some(_) => format_rate(value),
        None if value.fract() == 0.0 => grouped(value, 0),
        None => grouped(value, if value.abs() < 100.0 { 3 } else { 1 }),
    };
    let mut text = format!("{}\n", printable(&name, MAX_NAME));
    let mut say = |sentence: String| text.push_str(&wrapped("  ", 4, &sentence));
    match (list.counted, knee) {
        (Counted::Scale, Some(knee)) => say(format!(
            "The knee is at {}: {}; the highest, {}, is at {}.",
            knee.x,
            figure(knee.y),
            figure(knee.best),
            knee.best_x
        )),
        (Counted::Scale, None) => {
            say("No knee shown: too few points, or it rises evenly or not at all.".to_owned())
        }
        (Counted::Repeat, _) => {}
    }
    if let Some(found) = best_worst {
        say(format!(
            "Best {} (number {}), worst {} (number {}): a drop of {}.",
            figure(found.best),
            found.best_pass,
            figure(found.worst),
            found.worst_pass,
            format_percent(found.drop)
        ));
    }
    if let Some(found) = spread {
        let deviation =
            found.deviation.map(|deviation| format!(", deviation {}", figure(deviation))).unwrap_or_default();
        say(format!(
            "Median {}, mean {}{deviation}, {}.",
            figure(found.median),
            figure(found.mean),
            format_count(found.count.into(), "value")
        ));
    }
    if let Some(found) = steady {
        say(match found.reached {
            Some(round) => format!(
                "Steady from round {round} on, at {}, by range and slope over five rounds.",
                figure(found.mean)
            ),
            None => format!(
                "Not steady: over the last five rounds the range is {} and the slope {} of the mean.",
                format_percent(found.range_share),
                format_percent(found.slope_share)
            ),
        });
    }
    text
}
