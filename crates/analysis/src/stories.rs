//! Everything that a result shows besides its figures, in the order of its cells: the one list that the terminal, the
//! page, the interface for programs and the store share.

use crate::{
    bursts, copied, fill,
    findings::{self, LoopFindings},
    matrix,
    passes::{knee, steady},
    played,
    series::words,
    stats,
    summary::{cell_values, counted_loops},
    surface,
};
use model::{
    Method, ResultDocument,
    document::{Cell, CellStatus},
    finding::{Course, Found, Knee, Steady, Story},
    method::Ends,
    metric::MetricKind,
    units::{Nanos, Unit, format_count, format_percent, per_second},
};

/// Long loops that are told one by one; of more, as rounds are, only what they show together.
const MOST_COURSES: usize = 4;

/// Long loops of a whole result from which on those without a change are not told.
const MANY_COURSES: usize = 20;

/// Share of the most from which on little is left to gain.
const NEARLY: f64 = 0.9;

/// What a document shows.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<Story> {
    let mut stories = Vec::new();
    let courses = findings::of_document(document);
    let matrices = matrix::of_document(document);
    let few = courses.len() <= MANY_COURSES;
    for (index, cell) in document.cells.iter().enumerate() {
        let own: Vec<&LoopFindings> = courses.iter().filter(|one| one.cell == index).collect();
        // Of very many, and of the loads of a matrix, only those in which something happened.
        let told = |one: &&LoopFindings| {
            few && !matrix::is_load(cell, &matrices)
                || one.findings.stages.as_ref().is_some_and(|stages| !stages.changes.is_empty())
        };
        if own.len() <= MOST_COURSES {
            stories.extend(own.into_iter().filter(told).map(|one| course(document, one)));
        }
        stories.extend(bursts::of_cell(document, cell).map(|found| Story {
            title: titled(cell.method.label(), cell.status),
            sentences: bursts::words(&found),
            found: Found::Bursts(found),
        }));
        stories.extend(rounds(cell));
    }
    stories.extend(fill::of_document(document).map(|found| Story {
        title: "Fast writing by state before".to_owned(),
        sentences: fill::words(&found),
        found: Found::Fill(found),
    }));
    stories.extend(depths(document));
    stories.extend(arrays(document));
    stories.extend(matrices.into_iter().map(matrix::story));
    stories.extend(surface::stories(document));
    stories.extend(played::stories(document));
    stories.extend(copied::stories(document));
    stories
}

/// The title of what a cell shows, with a word about one that does not count: what it shows is true of it all the same.
pub(crate) fn titled(name: String, status: CellStatus) -> String {
    match status {
        CellStatus::Complete | CellStatus::Partial => name,
        CellStatus::Void => format!("{name} (void: does not count)"),
        CellStatus::Failed => format!("{name} (failed: does not count)"),
    }
}

fn course(document: &ResultDocument, one: &LoopFindings) -> Story {
    let LoopFindings { cell, number, moved, findings } = one.clone();
    let status = document.cells.get(cell).map_or(CellStatus::Complete, |cell| cell.status);
    Story {
        title: titled(one.name(document), status),
        sentences: words::of(&findings, moved),
        found: Found::Course(Box::new(Course { cell, number, findings })),
    }
}

/// Whether the rounds of a cell that waits for steady state reached it.
fn rounds(cell: &Cell) -> Option<Story> {
    if cell.method.ends != Ends::Steady {
        return None;
    }
    let rates = cell_values(cell, MetricKind::Iops);
    let found = steady(&rates)?;
    let Steady { reached, mean, range_share, slope_share } = found;
    let rate = Unit::Iops.format(mean);
    let window = format!(
        "over the last five rounds highest and lowest lie {} of the mean apart and the trend makes {}",
        format_percent(range_share),
        format_percent(slope_share)
    );
    let sentence = match reached {
        Some(round) => format!("Steady by both rules after round {round}: {rate} as a mean; {window}."),
        None => {
            format!("Not steady within {} rounds: {rate} as a mean of the last five; {window}.", rates.len())
        }
    };
    let title = titled(cell.method.label(), cell.status);
    Some(Story { title, sentences: vec![sentence], found: Found::Steady(found) })
}

/// Where more I/Os in flight stop to bring more, for every pattern and block that has enough depths.
fn depths(document: &ResultDocument) -> Vec<Story> {
    let plain = |cell: &&Cell| cell.method.place_by_depth().is_some() && cell.status == CellStatus::Complete;
    let mut told: Vec<Method> = Vec::new();
    let mut stories = Vec::new();
    for cell in document.cells.iter().filter(plain) {
        let key = cell.method.without_depth();
        if told.contains(&key) {
            continue;
        }
        let same = |other: &&Cell| key == other.method.without_depth();
        let mut points: Vec<(u64, f64)> = Vec::new();
        for other in document.cells.iter().filter(plain).filter(same) {
            let depth = u64::from(other.method.queue_depth);
            if let Some(stats) = stats::of(&cell_values(other, MetricKind::Iops))
                && !points.iter().any(|(known, _)| *known == depth)
            {
                points.push((depth, stats.median));
            }
        }
        told.push(key);
        stories.extend(knee(&points).map(|found| depth_story(&cell.method, found)));
    }
    stories
}

fn depth_story(method: &Method, found: Knee) -> Story {
    let Knee { x, y, best, best_x } = found;
    let rate = |iops: f64| {
        if method.pattern.sequential() {
            Unit::BytesPerSecond.format(iops * f64::from(method.block_bytes))
        } else {
            Unit::Iops.format(iops)
        }
    };
    let name = method.label_without_depth();
    let at_most = format!("{} there, {} at most, at queue depth {best_x}", rate(y), rate(best));
    let sentence = if x == best_x {
        format!("Most is reached at queue depth {x}: {}.", rate(y))
    } else if y >= NEARLY * best {
        format!("Beyond queue depth {x} there is little to gain: {at_most}.")
    } else {
        format!("Beyond queue depth {x} each further I/O in flight brings less: {at_most}.")
    };
    Story { title: format!("{name} by queue depth"), sentences: vec![sentence], found: Found::Knee(found) }
}

/// What more drives bring, for every pattern that was measured with several numbers of them.
fn arrays(document: &ResultDocument) -> Vec<Story> {
    let mut told: Vec<Method> = Vec::new();
    let mut stories = Vec::new();
    let with_members = || document.cells.iter().filter(|cell| cell.method.members.is_some());
    for cell in with_members() {
        let key = cell.method.without_members();
        if told.contains(&key) {
            continue;
        }
        let same = |other: &&Cell| {
            other.method.without_members() == key && matches!(other.status, CellStatus::Complete)
        };
        let points: Vec<Scaled> = with_members().filter(same).filter_map(scaled).collect();
        stories.extend(array_story(&key, &points));
        told.push(key);
    }
    stories
}

/// What a number of drives came to together.
struct Scaled {
    drives: u64,
    /// Bytes per second of all.
    rate: f64,
    /// Bytes per second of the one that did least and of the one that did most: the same where nothing tells them apart.
    loads: (f64, f64),
    /// Bytes per second that the links to them carry at most; `None` when that is not known.
    link: Option<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn scaled(cell: &Cell) -> Option<Scaled> {
    let drives = u64::from(cell.method.members?);
    let rate = stats::of(&cell_values(cell, MetricKind::BytesPerS))?.median;
    let each = member_rates(cell);
    let mean = rate / drives as f64;
    let loads = if each.is_empty() {
        (mean, mean)
    } else {
        (each.iter().copied().fold(f64::INFINITY, f64::min), each.iter().copied().fold(0.0, f64::max))
    };
    Some(Scaled { drives, rate, loads, link: cell.proof.link_bytes_per_s.known().map(|link| *link as f64) })
}

fn array_story(method: &Method, points: &[Scaled]) -> Option<Story> {
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 2 {
        return None;
    }
    let rate = |bytes_per_s: f64| Unit::BytesPerSecond.format(bytes_per_s);
    let drives = |count: u64| format_count(count, "drive");
    let ideal = ideal_rate(first.drives, first.rate, last.drives);
    let mut sentences = vec![format!(
        "{} with {}, {} with {}: {} of what as many drives alone would make.",
        rate(first.rate),
        drives(first.drives),
        rate(last.rate),
        drives(last.drives),
        format_percent(last.rate / ideal)
    )];
    let found = knee(&points.iter().map(|point| (point.drives, point.rate)).collect::<Vec<_>>());
    if let Some(knee) = found {
        sentences.push(format!(
            "The knee is at {}, {}: beyond it each drive adds less.",
            drives(knee.x),
            rate(knee.y)
        ));
    }
    if let Some(link) = last.link {
        sentences.push(format!(
            "The links to {} carry at most {}; {} of that was reached.",
            drives(last.drives),
            rate(link),
            format_percent(last.rate / link)
        ));
    }
    let loads = points.iter().map(|Scaled { drives, loads, .. }| match (rate(loads.0), rate(loads.1)) {
        (least, most) if least == most => format!("{most} with {drives}"),
        (least, most) => format!("{least} to {most} with {drives}"),
    });
    sentences.push(format!("Load of each drive: {}.", loads.collect::<Vec<_>>().join(", ")));
    if method.apart {
        sentences.push("Each drive had a file and a queue of its own, with no RAID between them.".to_owned());
    }
    let (x, y) = (last.drives, last.rate);
    let found = found.unwrap_or(Knee { x, y, best: y, best_x: x });
    let title = format!("{} by drives", method.label_without_members());
    Some(Story { title, sentences, found: Found::Knee(found) })
}

/// What `drives` of them would make together, each as fast as one of `first` drives that made `rate` together, bytes per
/// second.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "there are few drives")]
pub fn ideal_rate(first: u64, rate: f64, drives: u64) -> f64 {
    rate * drives as f64 / first.max(1) as f64
}

/// Of each drive of drives apart the median of its rates in the counted loops of a cell, bytes per second; empty for one
/// target, and without a counted loop.
#[must_use]
pub fn member_rates(cell: &Cell) -> Vec<f64> {
    let of = |drive: usize| {
        let rates: Vec<f64> = counted_loops(&cell.loops)
            .filter_map(|one| per_second(one.members.get(drive)?.bytes(), Nanos(one.elapsed_ns)))
            .collect();
        stats::of(&rates).map(|stats| stats.median)
    };
    (0..cell.members.len()).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    fn titles(document: &ResultDocument) -> Vec<String> {
        of_document(document).into_iter().map(|story| story.title).collect()
    }

    #[test]
    fn a_result_of_short_loops_tells_nothing_and_a_long_loop_its_course() {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        assert_eq!(titles(&document), [""; 0]);
        let mut long = fixtures::with_long_write(document);
        assert_eq!(titles(&long), ["SEQ1M Q8T1 write"]);
        long.cells.iter_mut().for_each(|cell| cell.status = CellStatus::Void);
        assert_eq!(titles(&long), ["SEQ1M Q8T1 write (void: does not count)"]);
    }

    #[test]
    fn depths_have_a_knee_and_other_blocks_one_of_their_own() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let random = document.cells[4].clone();
        document.cells = [(1, 10), (2, 20), (4, 40), (8, 78), (16, 80), (32, 81)]
            .map(|(depth, rate)| {
                let mut cell = random.clone();
                cell.method.queue_depth = depth;
                for one in &mut cell.loops {
                    let transfer = one.read.as_mut().unwrap();
                    (transfer.ios, transfer.bytes) = (rate * 5_000, rate * 5_000 * 4096);
                }
                cell
            })
            .to_vec();
        let stories = of_document(&document);
        let [Story { title, sentences, found: Found::Knee(found) }] = stories.as_slice() else {
            panic!("{stories:?}")
        };
        assert_eq!((title.as_str(), found.x), ("RND4K read by queue depth", 8));
        assert_eq!(
            sentences[0],
            "Beyond queue depth 8 there is little to gain: 78,000 IOPS there, 81,000 IOPS at most, at queue depth 32."
        );
        let bent = depth_story(&random.method, Knee { x: 8, y: 60_000.0, best: 81_000.0, best_x: 32 });
        assert!(
            bent.sentences[0].starts_with("Beyond queue depth 8 each further I/O in flight brings less: "),
            "a quarter is not little: {bent:?}"
        );
    }

    #[test]
    fn drives_apart_are_told_with_what_each_did() {
        let document = fixtures::with_drives_apart(fixtures::document("Example", 1.0, PublicKey([1; 32])));
        let stories = of_document(&document);
        let [Story { title, sentences, found: Found::Knee(found) }] = stories.as_slice() else {
            panic!("{stories:?}")
        };
        assert_eq!((title.as_str(), found.x, sentences.len()), ("SEQ1M Q8T1 read by drives", 3, 5));
        insta::assert_snapshot!(sentences.join("\n"));
        // Of an array nothing tells what each of its drives did.
        let mut array = document;
        for cell in &mut array.cells {
            (cell.method.apart, cell.members) = (false, Vec::new());
            cell.loops.iter_mut().for_each(|one| one.members.clear());
        }
        let told = of_document(&array).remove(0).sentences;
        assert!(
            told.iter().any(|text| text.starts_with("Load of each drive: 7,0") && !text.contains(" to ")),
            "{told:?}"
        );
        assert!(!told.iter().any(|text| text.contains("RAID")), "{told:?}");
    }
}
