//! Tables of numbers under headings, with commas, semicolons or tabs between.

use crate::header::{self, Column, Counted, Direction};
use analysis::series::{Step, Steps};
use model::units::NS_PER_S;

/// Most rows of a table.
pub const MAX_ROWS: usize = 1_000_000;
/// Most columns of a table.
pub const MAX_COLUMNS: usize = 1_000;
/// Highest speed that a drive or an array can have, bytes per second: beyond it a figure is none.
const MOST_SPEED: f64 = 1e15;
/// Longest series: three centuries in nanoseconds, ten exabytes.
const MOST_ALONG: f64 = 1e19;
/// Nanoseconds in a second, for rates.
#[expect(clippy::cast_precision_loss, reason = "a billion is exact")]
const SECOND: f64 = NS_PER_S as f64;

/// Why a text is no table that can be analysed. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// There is no heading.
    #[error("the table is empty: its first line must name the columns and their units, `second,write_MiB_s`")]
    Empty,
    /// The first line is figures already.
    #[error("line {line} holds figures where the names of the columns are expected, `second,write_MiB_s`")]
    NoHeading {
        /// The line.
        line: u64,
    },
    /// A row is broken.
    #[error("line {line}: {reason}")]
    Row {
        /// The line.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// Nothing in it can be analysed.
    #[error(
        "no column can be analysed: needed is a time (`second`, `time_ms`) or an amount (`GB`) beside a speed \
         (`write_MB_s`), a temperature (`temp_C`) or a power (`power_mW`), or a count (`drives`, `queue_depth`, \
         `pass`) beside any figure; found are {0}"
    )]
    NothingKnown(String),
    /// It is too large.
    #[error("the table is larger than {MAX_ROWS} rows or {MAX_COLUMNS} columns")]
    TooLarge,
}

/// A series of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its heading.
    pub name: String,
    /// Which way the data went; `None` when the heading does not say.
    pub direction: Option<Direction>,
    /// Its steps; without bytes where only sensors were recorded.
    pub steps: Steps,
    /// Rows without a value in this column, which are left out.
    pub missing: usize,
    /// Time that no row speaks for, nanoseconds: a step without bytes stands for each such gap.
    pub unrecorded_ns: u64,
}

/// A list of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Its heading.
    pub name: String,
    /// What it is counted by.
    pub counted: Counted,
    /// Count and value, in order.
    pub values: Vec<(u64, f64)>,
    /// The factor to bytes per second for a speed; `None` for any other figure.
    pub speed: Option<f64>,
}

/// What a table holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// Speeds or sensors over time or data.
    Series(Vec<Series>),
    /// Figures over a count.
    Lists(Vec<List>),
}

/// Reads a table.
///
/// # Errors
/// When it has no headings, or a row, or nothing known in it.
pub fn read(text: &str) -> Result<Table, TableError> {
    let raw = Raw::read(text)?;
    let time = raw.find(|column| matches!(column, Column::Time(_)));
    let position = raw.find(|column| matches!(column, Column::Position(_)));
    let count = raw.find(|column| matches!(column, Column::Count(_)));
    let found = match (time, position, count) {
        (Some(_), ..) | (_, Some(_), None) => raw.series(time, position)?,
        (None, _, Some(count)) => raw.lists(count),
        (None, None, None) => None,
    };
    found.ok_or_else(|| TableError::NothingKnown(raw.names()))
}

/// Rows of numbers; a cell is `None` when it holds none.
struct Raw {
    headings: Vec<(String, Column, Option<Direction>)>,
    rows: Vec<(u64, Vec<Option<f64>>)>,
    /// The direction of each row, where a column tells it.
    directions: Vec<Option<Direction>>,
}

impl Raw {
    fn read(text: &str) -> Result<Self, TableError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let heading = text.lines().find(|line| !is_remark(line)).ok_or(TableError::Empty)?;
        let separator =
            [b';', b'\t', b','].into_iter().find(|c| heading.as_bytes().contains(c)).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let mut records = reader.records();
        let first = match records.next() {
            Some(record) => record.map_err(|error| row_error(&error))?,
            None => return Err(TableError::Empty),
        };
        let line = |record: &csv::StringRecord| record.position().map_or(1, csv::Position::line);
        let comma = separator != b',';
        if first.iter().all(|field| number(field, comma).is_some()) {
            return Err(TableError::NoHeading { line: line(&first) });
        }
        if first.len() > MAX_COLUMNS {
            return Err(TableError::TooLarge);
        }
        let headings: Vec<_> = first
            .iter()
            .map(|name| {
                let (column, direction) = header::read(name);
                (name.to_owned(), column, direction)
            })
            .collect();
        let told = headings.iter().position(|(_, column, _)| *column == Column::Direction);
        let (mut rows, mut directions) = (Vec::new(), Vec::new());
        for record in records {
            let record = record.map_err(|error| row_error(&error))?;
            if rows.len() == MAX_ROWS {
                return Err(TableError::TooLarge);
            }
            if record.len() != headings.len() {
                let reason = format!("{} fields where the heading has {}", record.len(), headings.len());
                return Err(TableError::Row { line: line(&record), reason });
            }
            directions.push(told.and_then(|column| direction(&record[column])));
            rows.push((line(&record), record.iter().map(|field| number(field, comma)).collect()));
        }
        Ok(Self { headings, rows, directions })
    }

    fn find(&self, is_wanted: impl Fn(&Column) -> bool) -> Option<usize> {
        self.headings.iter().position(|(_, column, _)| is_wanted(column))
    }

    fn names(&self) -> String {
        let names: Vec<String> =
            self.headings.iter().take(20).map(|(name, ..)| format!("`{name}`")).collect();
        names.join(", ")
    }

    fn series(&self, time: Option<usize>, position: Option<usize>) -> Result<Option<Table>, TableError> {
        let has = |wanted: fn(&Column) -> bool| self.find(wanted);
        let sensors = Sensors {
            temperature: has(|column| matches!(column, Column::Temperature(_))),
            power: has(|column| matches!(column, Column::Power(_))),
        };
        let Some(axis) = time.or(position) else { return Ok(None) };
        let along = self.lengths(axis)?;
        let longest = if time.is_some() { longest_row(&along) } else { f64::INFINITY };
        let mut groups: Vec<Option<Direction>> = self.directions.clone();
        groups.sort_unstable();
        groups.dedup();
        let mut all = Vec::new();
        for (column, (name, what, direction)) in self.headings.iter().enumerate() {
            let Column::Speed(factor) = *what else { continue };
            for group in &groups {
                let step = |row: usize| {
                    let speed = within(self.rows[row].1[column]? * factor, MOST_SPEED)?;
                    let (elapsed, bytes) = match time {
                        // A speed is that of its own row, however long none was written before it.
                        Some(_) => {
                            let own = along[row]?.min(longest);
                            (own, speed * own / SECOND)
                        }
                        None if speed > 0.0 => (along[row]? / speed * SECOND, along[row]?),
                        None => return None,
                    };
                    Some(self.step(row, elapsed, bytes, sensors))
                };
                let rows = (0..self.rows.len()).filter(|row| self.directions[*row] == *group);
                let gaps = |row: usize| Some(whole(along[row]? - longest)).filter(|gap| *gap > 0);
                let gaps: Vec<Option<u64>> = rows.clone().map(gaps).collect();
                all.push(series_of(name, direction.or(*group), rows.map(step), &gaps));
            }
        }
        // Data moved so far is a speed as well; so are sensors a series without one.
        let other = position.or(sensors.temperature).or(sensors.power);
        if let (true, Some(_), Some(column)) = (all.is_empty(), time, other) {
            let moved = position.map(|position| self.lengths(position)).transpose()?;
            let step = |row: usize| {
                let bytes = moved.as_ref().map_or(Some(0.0), |moved| moved[row])?;
                Some(self.step(row, along[row]?, bytes, sensors))
            };
            let (name, _, direction) = &self.headings[column];
            all.push(series_of(name, *direction, (0..self.rows.len()).map(step), &[]));
        }
        Ok((!all.is_empty()).then_some(Table::Series(all)))
    }

    /// How far each row lies behind the one before, in nanoseconds or bytes; `None` where it has no value. Rows of
    /// one place share its length. The first row is as long as it lies behind zero if that is about a step,
    /// otherwise as long as the second.
    fn lengths(&self, axis: usize) -> Result<Vec<Option<f64>>, TableError> {
        let factor = match self.headings[axis].1 {
            Column::Time(factor) | Column::Position(factor) => factor,
            _ => 1.0,
        };
        let mut lengths: Vec<Option<f64>> = Vec::with_capacity(self.rows.len());
        // The last place, and the one before it.
        let (mut place, mut before): (Option<f64>, Option<f64>) = (None, None);
        for (line, row) in &self.rows {
            let at = row[axis].and_then(|value| within(value * factor, MOST_ALONG));
            if let Some(at) = at
                && place != Some(at)
            {
                if place.is_some_and(|place| at < place) {
                    let reason = "it lies before the line above: the rows must be in order".to_owned();
                    return Err(TableError::Row { line: *line, reason });
                }
                (before, place) = (place, Some(at));
            }
            lengths.push(at.map(|at| at - before.unwrap_or(at)));
        }
        let is_first = |length: &Option<f64>| length.is_none_or(|length| length <= 0.0);
        let first = lengths.iter().take_while(|length| is_first(length)).count();
        let begin =
            self.rows.iter().find_map(|(_, row)| within(row[axis]? * factor, MOST_ALONG)).unwrap_or(0.0);
        if let Some(second) = lengths.get(first).copied().flatten() {
            let length = if begin > 0.0 && begin < 1.5 * second { begin } else { second };
            lengths[..first].iter_mut().flatten().for_each(|first| *first = length);
        }
        Ok(lengths)
    }

    fn step(&self, row: usize, elapsed: f64, bytes: f64, sensors: Sensors) -> Step {
        Step {
            elapsed_ns: whole(elapsed),
            bytes: whole(bytes),
            temperature: self.sensor(row, sensors.temperature),
            power: self.sensor(row, sensors.power),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a sensor's value in thousandths is small; casts saturate"
    )]
    fn sensor(&self, row: usize, column: Option<usize>) -> Option<i64> {
        let column = column?;
        let value = self.rows[row].1[column]?;
        let value = match self.headings[column].1 {
            Column::Temperature(offset) => (value + offset) * 1_000.0,
            Column::Power(factor) => value * factor,
            _ => return None,
        };
        Some(value.round() as i64)
    }

    fn lists(&self, count: usize) -> Option<Table> {
        let Column::Count(counted) = self.headings[count].1 else { return None };
        let wanted = |column: &Column| matches!(column, Column::Speed(_) | Column::Figure);
        let columns = self.headings.iter().enumerate().filter(|(_, (_, column, _))| wanted(column));
        let lists: Vec<List> = columns
            .map(|(column, (name, what, _))| List {
                name: name.clone(),
                counted,
                values: self.rows.iter().filter_map(|(_, row)| pair(row[count]?, row[column]?)).collect(),
                speed: if let Column::Speed(factor) = what { Some(*factor) } else { None },
            })
            .filter(|list| !list.values.is_empty())
            .collect();
        (!lists.is_empty()).then_some(Table::Lists(lists))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a small whole number"
)]
fn pair(count: f64, value: f64) -> Option<(u64, f64)> {
    ((0.0..1e9).contains(&count) && count.fract() == 0.0).then_some((count as u64, value))
}

/// The columns of the sensors.
#[derive(Clone, Copy)]
struct Sensors {
    temperature: Option<usize>,
    power: Option<usize>,
}

/// How long a row is at most, nanoseconds: of rows that follow each other evenly, one that comes much later than usual
/// does not speak for the time before it.
fn longest_row(along: &[Option<f64>]) -> f64 {
    /// So many times the usual length are a gap,
    const GAP: f64 = 5.0;
    /// where not more than this share of the rows come so late.
    const RARE: f64 = 0.1;
    let mut lengths: Vec<f64> = along.iter().flatten().copied().filter(|length| *length > 0.0).collect();
    lengths.sort_by(f64::total_cmp);
    let Some(usual) = lengths.get(lengths.len() / 2).copied() else { return f64::INFINITY };
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 rows")]
    let late = lengths.iter().filter(|length| **length > GAP * usual).count() as f64;
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 rows")]
    let rare = late <= RARE * lengths.len() as f64;
    if late > 0.0 && rare { usual } else { f64::INFINITY }
}

/// A series of rows, before each of which so long a gap lies, nanoseconds.
fn series_of(
    name: &str,
    direction: Option<Direction>,
    rows: impl Iterator<Item = Option<Step>>,
    gaps: &[Option<u64>],
) -> Series {
    let rows: Vec<Option<Step>> = rows.collect();
    let gaps = gaps.iter().copied().chain(std::iter::repeat(None));
    let gap = |elapsed_ns: u64| Step { elapsed_ns, bytes: 0, temperature: None, power: None };
    let steps = rows
        .iter()
        .zip(gaps.clone())
        .flat_map(|(row, before)| before.filter(|_| row.is_some()).map(gap).into_iter().chain(*row));
    let unrecorded = rows.iter().zip(gaps).filter(|(row, _)| row.is_some()).filter_map(|(_, gap)| gap);
    Series {
        name: name.to_owned(),
        direction,
        missing: rows.iter().filter(|step| step.is_none()).count(),
        unrecorded_ns: unrecorded.fold(0, u64::saturating_add),
        steps: Steps::new(steps),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts saturate: no time, no bytes"
)]
fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

/// The value if it can be what it claims to be.
fn within(value: f64, most: f64) -> Option<f64> {
    (0.0..=most).contains(&value).then_some(value)
}

fn is_remark(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

fn row_error(error: &csv::Error) -> TableError {
    let line = error.position().map_or(1, csv::Position::line);
    TableError::Row { line, reason: "it cannot be read as text with separators".to_owned() }
}

/// A number; with `comma`, a comma may stand for the decimal point.
fn number(field: &str, comma: bool) -> Option<f64> {
    let parse = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    parse(field)
        .or_else(|| (comma && field.matches(',').count() == 1).then(|| parse(&field.replace(',', ".")))?)
}

fn direction(field: &str) -> Option<Direction> {
    match field.to_lowercase().as_str() {
        "0" | "r" | "read" => Some(Direction::Read),
        "1" | "w" | "write" => Some(Direction::Write),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn series(text: &str) -> Vec<Series> {
        match read(text) {
            Ok(Table::Series(series)) => series,
            other => panic!("{other:?}"),
        }
    }

    fn speeds(series: &Series) -> Vec<f64> {
        series.steps.all().iter().map(|step| (step.speed() / 1e6).round()).collect()
    }

    #[test]
    fn a_speed_over_time() {
        let all = series("second,write_MB_s\n1,100\n2,200\n3,300\n");
        assert_eq!(all[0].direction, Some(Direction::Write));
        assert_eq!(speeds(&all[0]), [100.0, 200.0, 300.0]);
        assert_eq!(all[0].steps.end().at_ns, 3 * NS_PER_S);
    }

    #[test]
    fn other_separators_marks_and_axes() {
        let german = series("# a remark\nZeit [s];MB/s;Temp (°C)\n0,5;100,5;40,5\n1,0;200;41\n");
        assert_eq!(speeds(&german[0]), [101.0, 200.0]);
        assert_eq!(german[0].steps.all()[0].temperature, Some(40_500));
        let by_position = series("GB written\tMB/s\tpower_mW\n1\t1000\t5000\n2\t500\t4000\n");
        assert_eq!(by_position[0].steps.end().at_ns, 3 * NS_PER_S);
        assert_eq!(by_position[0].steps.end().bytes, 2_000_000_000);
        let so_far = series("time_s,written_GB\n0,0\n1,2\n2,3\n");
        assert_eq!(speeds(&so_far[0])[1..], [2_000.0, 1_000.0]);
        let sensor = series("s,temp_C\n0,40\n2,41\n");
        assert_eq!(sensor[0].steps.all().len(), 2);
    }

    #[test]
    fn a_gap_between_rows_is_not_written_at_the_speed_of_the_next_one() {
        let mut text = "second,write_MB_s\n".to_owned();
        for second in (1..=20).chain(51..=70) {
            text.push_str(&format!("{second},2000\n"));
        }
        let [only] = &series(&text)[..] else { panic!("one series") };
        assert_eq!(only.steps.end().bytes, 40 * 2_000_000_000);
        assert_eq!((only.unrecorded_ns, only.steps.end().at_ns), (30 * 1_000_000_000, 70 * 1_000_000_000));
        // Rows that come at two paces are as long as they are.
        let slow: String = (1..=20).map(|row| format!("{},2000\n", row * 10)).collect();
        let fast: String = (201..=240).map(|row| format!("{row},2000\n")).collect();
        let [both] = &series(&format!("second,write_MB_s\n{slow}{fast}"))[..] else { panic!("one series") };
        assert_eq!((both.unrecorded_ns, both.steps.end().bytes), (0, 240 * 2_000_000_000));
    }

    #[test]
    fn two_directions_are_two_series() {
        let all = series(
            "time_ms,KB/s,direction\n1000,1000,read\n1000,9000,write\n2000,1000,read\n2000,9000,write\n",
        );
        assert_eq!(all.len(), 2);
        assert_eq!((speeds(&all[0]), speeds(&all[1])), (vec![1.0, 1.0], vec![9.0, 9.0]));
        let turns = series("s,MB/s,op\n1,10,read\n2,90,write\n3,10,read\n4,90,write\n");
        assert_eq!(turns[0].steps.end().at_ns, 2 * NS_PER_S, "the time of the writes is not the reads'");
    }

    #[test]
    fn counts_make_lists() {
        let Ok(Table::Lists(lists)) = read("drives,read_GB_s,note\n1,6.9,a\n2,13.5,b\n") else { panic!() };
        assert_eq!(lists.len(), 1);
        assert_eq!((lists[0].counted, lists[0].speed), (Counted::Scale, Some(1e9)));
        assert_eq!(lists[0].values, [(1, 6.9), (2, 13.5)]);
    }

    #[test]
    fn missing_values_are_no_zeros() {
        let all = series("second,MB/s\n1,100\n2,\n3,n/a\n4,100\n");
        assert_eq!(all[0].missing, 2);
        assert_eq!(all[0].steps.all().len(), 2);
        assert_eq!(all[0].steps.end().at_ns, 2 * NS_PER_S, "two seconds are known, two are not");
        let absurd = series("second,MB/s\n1,100\n2,1e300\n3,-5\n4,nan\n5,inf\n");
        assert_eq!((absurd[0].missing, absurd[0].steps.end().bytes), (4, 100_000_000));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, message) in [
            ("", "the table is empty"),
            ("1,2\n3,4\n", "line 1 holds figures"),
            ("second,MB/s\n1,2,3\n", "line 2: 3 fields where the heading has 2"),
            ("second,MB/s\n2,5\n1,5\n", "line 3: it lies before the line above"),
            ("second,speed\n1,5\n", "found are `second`, `speed`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(second|GB|drives)[,;](MB/s|temp_C)\n([-0-9.,;e\n a-z]{0,200})") {
            let _ = read(&text);
        }
    }
}
