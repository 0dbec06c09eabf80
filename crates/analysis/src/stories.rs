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
    summary::cell_values,
    surface,
};
use model::{
    Method, ResultDocument,
    document::{Cell, CellStatus},
    finding::{Course, Found, Knee, Steady, Story},
    method::Ends,
    metric::MetricKind,
    units::{Unit, format_count, format_percent},
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
    stories.extend(played::story(document));
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
        let mut points: Vec<(u64, f64)> = Vec::new();
        for other in with_members().filter(|other| {
            other.method.without_members() == key && matches!(other.status, CellStatus::Complete)
        }) {
            let members = u64::from(other.method.members.unwrap_or(1));
            let rates = cell_values(other, MetricKind::BytesPerS);
            points.extend(stats::of(&rates).map(|stats| (members, stats.median)));
        }
        stories.extend(array_story(&key, &points));
        told.push(key);
    }
    stories
}

#[expect(clippy::cast_precision_loss, reason = "there are few drives")]
fn array_story(method: &Method, points: &[(u64, f64)]) -> Option<Story> {
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 2 {
        return None;
    }
    let rate = |bytes_per_s: f64| Unit::BytesPerSecond.format(bytes_per_s);
    let drives = |count: u64| format_count(count, "drive");
    let (each_first, each_last) = (first.1 / first.0 as f64, last.1 / last.0 as f64);
    let mut sentences = vec![format!(
        "{} with {}, {} with {}: {} of what as many drives alone would make.",
        rate(first.1),
        drives(first.0),
        rate(last.1),
        drives(last.0),
        format_percent(each_last / each_first)
    )];
    let found = knee(points);
    if let Some(knee) = found {
        sentences.push(format!(
            "The knee is at {}, {}: beyond it each drive adds less.",
            drives(knee.x),
            rate(knee.y)
        ));
    }
    let loads = points.iter().map(|(count, all)| format!("{} with {count}", rate(all / *count as f64)));
    sentences.push(format!("Load of each drive: {}.", loads.collect::<Vec<_>>().join(", ")));
    let found = found.unwrap_or(Knee { x: last.0, y: last.1, best: last.1, best_x: last.0 });
    Some(Story { title: format!("{} by drives", method.label()), sentences, found: Found::Knee(found) })
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
}
