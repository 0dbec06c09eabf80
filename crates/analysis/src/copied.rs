//! Passes on many files for people: how long each took by both clocks, and where its speed changed for good.
//!
//! The speed of a copy is the bytes of its files over the time until its last request returned; a duplicate counts its
//! bytes once, though the drive moves them twice. Does not know how files were moved.

use crate::{
    series::{Step, Steps, stages, words, words::Moved},
    stories::titled,
};
use model::{
    ResultDocument,
    document::{CellStatus, Transfer},
    finding::{CopyStages, Found, Place, Stages, Story, Turn},
    pass::{Pass, TracePlay, Workload},
    summary::MovedSummary,
    units::{NS_PER_S, Nanos, format_capacity, format_nanos, per_second},
};

/// Shortest pass whose stages are looked for, nanoseconds.
const LONG_NS: u64 = 10 * NS_PER_S;
/// Most steps in which stages are looked for: bins are joined beyond that.
const MOST_STEPS: usize = 1_000;

/// A pass on many files.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The pass.
    pub pass: &'a Pass,
    /// What it is called: `game-54 on the drive, pass 2`; what there is one of is not counted.
    pub name: String,
    /// Bytes of its files over the time until the last request returned, bytes per second; `None` without a time.
    pub bytes_per_s: Option<f64>,
    /// Where its speed fell first and for good; `None` when it did not, or the pass was too short to tell.
    pub fell_at: Option<Place>,
}

impl Row<'_> {
    /// Whether its figures count.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.pass.counts()
    }

    /// Bytes of its files, or those that a model read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        if is_model(self.pass) { self.pass.bytes() } else { self.pass.method.span_bytes }
    }

    /// The time until the last request returned, `104.2 s`.
    #[must_use]
    pub fn time(&self) -> String {
        format_nanos(Nanos(self.pass.elapsed_ns))
    }

    /// The time until what was written was durable; `None` where nothing is written.
    #[must_use]
    pub fn settled(&self) -> Option<String> {
        self.pass.settled_ns.map(|settled| format_nanos(Nanos(settled)))
    }

    /// Where fast writing or reading ended, `after 77.9 GB`; `None` when it did not.
    #[must_use]
    pub fn fell(&self) -> Option<String> {
        self.fell_at.map(|place| format!("after {}", format_capacity(place.bytes)))
    }
}

/// Whether a pass is told by its time: it works on files, or plays a model of loading.
#[must_use]
pub fn is_told(pass: &Pass) -> bool {
    pass.method.files().is_some() || is_model(pass)
}

/// Whether a pass plays a model of loading.
fn is_model(pass: &Pass) -> bool {
    pass.method.trace().is_some_and(TracePlay::loads)
}

/// Every pass on files, and of models of loading, in the order they were run.
#[must_use]
pub fn rows(document: &ResultDocument) -> Vec<Row<'_>> {
    let on_files = || document.passes.iter().filter(|pass| is_told(pass));
    let several = on_files().any(|pass| pass.method.number > 1);
    on_files()
        .map(|pass| {
            let mut name = pass.method.label();
            if !several {
                // There is only this one.
                name = name.replacen(&format!(", {}", pass.method.place()), "", 1);
            }
            if document.runs > 1 {
                name.push_str(&format!(", run {}", pass.run + 1));
            }
            Row {
                pass,
                name,
                bytes_per_s: rate(pass),
                fell_at: found(pass).and_then(|found| {
                    let fall = found.changes.iter().find(|change| change.turn == Turn::Fall)?;
                    Some(fall.latest)
                }),
            }
        })
        .collect()
}

/// The same without what was recorded of them.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<MovedSummary> {
    let summary = |row: Row<'_>| MovedSummary {
        method: row.pass.method.id(),
        run: row.pass.run,
        status: row.pass.status,
        void: row.pass.void.clone(),
        bytes: row.bytes(),
        elapsed_ns: row.pass.elapsed_ns,
        settled_ns: row.pass.settled_ns,
        bytes_per_s: row.bytes_per_s,
        fell_at: row.fell_at,
        title: row.name,
    };
    rows(document).into_iter().map(summary).collect()
}

/// Bytes of the files per second of the first clock; of a pass that was cut short only what was moved.
fn rate(pass: &Pass) -> Option<f64> {
    let whole = matches!(pass.status, CellStatus::Complete | CellStatus::Void);
    let moved = pass.write.as_ref().or(pass.read.as_ref()).map_or(0, |transfer| transfer.bytes);
    let bytes = if is_model(pass) {
        pass.bytes()
    } else if whole {
        pass.method.span_bytes
    } else {
        moved.min(pass.method.span_bytes)
    };
    per_second(bytes, Nanos(pass.elapsed_ns)).filter(|rate| *rate > 0.0)
}

/// What leads in a pass: what it writes, and where it writes nothing what it reads.
fn lead(pass: &Pass) -> Option<(&Transfer, Moved)> {
    let written = pass.write.as_ref().map(|transfer| (transfer, Moved::Written));
    written.or_else(|| pass.read.as_ref().map(|transfer| (transfer, Moved::Read)))
}

/// The stages of a pass that is long enough to have some.
fn found(pass: &Pass) -> Option<Stages> {
    if pass.elapsed_ns < LONG_NS || is_model(pass) {
        return None;
    }
    let (transfer, _) = lead(pass)?;
    let joined = transfer.bins.len().div_ceil(MOST_STEPS).max(1);
    let step_ns = transfer.bin_ns.saturating_mul(joined as u64);
    let mut from_ns = 0_u64;
    let steps = transfer.bins.chunks(joined).map(|bins| {
        // The last step ends with the pass.
        let until_ns = from_ns.saturating_add(step_ns).min(pass.elapsed_ns.max(from_ns));
        let elapsed_ns = until_ns - from_ns;
        from_ns = until_ns;
        let bytes = bins.iter().fold(0, |sum: u64, bin| sum.saturating_add(*bin));
        Step { elapsed_ns, bytes, temperature: None, power: None }
    });
    stages::find(&Steps::new(steps))
}

/// What the passes on files show: those whose speed changed for good.
#[must_use]
pub fn stories(document: &ResultDocument) -> Vec<Story> {
    let mut stories = Vec::new();
    for Row { pass, name, .. } in rows(document) {
        let Some(stages) = found(pass).filter(|stages| !stages.changes.is_empty()) else { continue };
        let moved = lead(pass).map_or(Moved::Unknown, |(_, moved)| moved);
        let index = document.passes.iter().position(|other| std::ptr::eq(other, pass)).unwrap_or(0);
        stories.push(Story {
            title: titled(name, pass.status),
            sentences: words::of_stages(&stages, moved, &[]),
            found: Found::Copying(CopyStages { pass: index, stages }),
        });
    }
    stories
}

/// What the columns are, in sentences.
#[must_use]
pub fn explained(document: &ResultDocument) -> Vec<&'static str> {
    let copies = document.passes.iter().any(|pass| matches!(pass.method.workload, Workload::Copying(_)));
    let loads = document.passes.iter().any(|pass| matches!(pass.method.workload, Workload::Loading(_)));
    let mut lines = vec!["Time: until the last request returned. MB/s: the bytes of the files over it."];
    if copies {
        lines.push("Durable: until the drive had said that it keeps what was written.");
        lines.push("A copy on the drive moves its bytes twice; they are counted once.");
    }
    if document.passes.iter().any(is_model) {
        lines.push("The model reads as a game loads, think time included; it is no game.");
    }
    if loads {
        lines.push("Files are read past the page cache; their names had been looked up before.");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    fn copy(fast_seconds: u64, slow_seconds: u64) -> ResultDocument {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        fixtures::with_copy(document, fast_seconds, slow_seconds)
    }

    #[test]
    fn a_copy_has_two_times_one_speed_and_a_place_where_it_fell() {
        let document = copy(156, 112);
        let all = rows(&document);
        let [row] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((row.name.as_str(), row.time().as_str()), ("game-96 to the drive", "268.0 s"));
        assert_eq!(row.settled().as_deref(), Some("269.0 s"));
        let fell = row.fell_at.unwrap().bytes;
        assert!((77_000_000_000..80_000_000_000).contains(&fell), "{fell}");
        let told = stories(&document);
        assert!(told[0].sentences[0].starts_with("Fast writing ended after 77.5 to 78.0 GB"), "{told:?}");
    }

    #[test]
    fn a_copy_of_one_speed_has_no_story() {
        let document = copy(108, 0);
        assert_eq!(rows(&document)[0].fell_at, None);
        assert_eq!(stories(&document), []);
        let rate = rows(&document)[0].bytes_per_s.unwrap();
        assert!((rate - 5e8).abs() < 1.0, "{rate}");
    }
}
