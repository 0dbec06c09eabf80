//! Several targets at once, each on a drive of its own: which may stand beside each other, and what is measured on them.
//!
//! Knows places and what carries them. Opens nothing.

use super::Place;
use crate::{
    drive::{self, ground::Ground},
    hint::{Failure, shown},
    suite::Suite,
    sysfs::words,
};
use model::{
    drive::MAX_MEMBERS,
    units::{format_count, format_size},
};
use std::path::Path;

/// What several targets are, besides each of them.
///
/// # Errors
/// When there are too many, or one of them is a simulated drive.
pub(super) fn place(places: Vec<Place>) -> Result<Place, Failure> {
    if places.len() > MAX_MEMBERS {
        return Err(Failure::usage(format!(
            "{} are named, and at most {MAX_MEMBERS} are measured at once",
            format_count(places.len() as u64, "target")
        )));
    }
    if places.iter().any(|place| place.simulated().is_some()) {
        return Err(Failure::usage("a simulated drive is not measured beside others")
            .hint("`sim:NAME*4` is an array of four of them"));
    }
    Ok(Place::Apart(places))
}

/// Refuses targets of which not each has a drive of its own: they would share its speed, and its counters would not
/// tell which of them moved what.
///
/// # Errors
/// Names two that lie on one drive, or one of which nothing tells where it lies.
pub(crate) fn check_drives(place: &Place, grounds: &[Option<Ground>]) -> Result<(), Failure> {
    let Place::Apart(places) = place else { return Ok(()) };
    let found = places.iter().zip(grounds);
    let mut known: Vec<(&Path, &Ground)> = Vec::new();
    for (path, ground) in found.map(|(place, ground)| (place.path(), ground)) {
        let Some(ground) = ground else {
            return Err(Failure::refused(format!("nothing tells which drive carries {}", shown(path)))
                .because("drives are measured beside each other only where each is known to be another one"));
        };
        if let Some((other, shared)) = known.iter().find_map(|(other, below)| Some((other, shared(below, ground)?)))
        {
            return Err(Failure::refused(format!(
                "{} and {} lie on one drive, {}: they are no array",
                shown(other),
                shown(path),
                shown(shared.file_name().map_or(shared, Path::new))
            ))
            .hint("name a directory on each of several drives; `cliffmark devices` shows where drives are mounted"));
        }
        known.push((path, ground));
    }
    Ok(())
}

/// The device that both lie on; `None` when they share none.
fn shared<'a>(a: &Ground, b: &'a Ground) -> Option<&'a Path> {
    let disks = a.disks();
    let of_disks = b.disks().into_iter().find(|disk| disks.contains(disk));
    of_disks.or((a.device == b.device).then_some(&b.device))
}

/// Makes a suite one of drives apart.
///
/// # Errors
/// When it has anything that is measured on one target.
pub(super) fn settle(suite: &mut Suite, count: usize) -> Result<(), Failure> {
    let suits = suite.passes.is_empty() && suite.methods.iter().all(model::Method::can_be_apart);
    if !suits {
        return Err(Failure::usage(format!(
            "the suite `{}` measures one target, and {count} are named",
            suite.name
        ))
        .hint("`--suite array` measures several at once, with one drive, with two, and so on")
        .hint("other suites are run once for each drive"));
    }
    suite.methods.iter_mut().for_each(|method| method.apart = true);
    Ok(())
}

/// The lines of a plan about the drives and what is made on them.
pub(super) fn text(suite: &Suite, places: &[Place], grounds: &[Option<Ground>]) -> String {
    let mut text = String::new();
    for (number, ground) in (1..).zip(grounds) {
        let name = if number == 1 { "Drives" } else { "" };
        text.push_str(&format!("{name:<8}{number}: {}\n", drive_words(ground.as_ref())));
    }
    text.push_str(&format!(
        "Target  {} on each of {}, measured at once:\n",
        format_size(suite.size_bytes()),
        format_count(places.len() as u64, "drive")
    ));
    for (number, place) in (1..).zip(places) {
        text.push_str(&format!("        {number}: {}\n", place_words(place)));
    }
    text
}

fn drive_words(ground: Option<&Ground>) -> String {
    let Some(ground) = ground else { return "not known".to_owned() };
    let model = words(&ground.device.join("device/model"), 120).known().cloned();
    let kind = drive::transport(&ground.device).text().to_owned();
    let through = if ground.stack.is_empty() {
        String::new()
    } else {
        format!(", through {}", ground.stack.join(" on "))
    };
    format!("{}{through}", model.into_iter().chain([kind]).collect::<Vec<_>>().join(", "))
}

fn place_words(place: &Place) -> String {
    match place.device() {
        Some(device) => {
            format!("{} ({}): WHAT IS THERE IS LOST", shown(&device.path), device.id)
        }
        None => format!("a new file in {}, which goes away at the end", shown(place.path())),
    }
}

/// Numbers of drives in words: `2`, `3 to 16`, `2, 4 and 8`.
pub(super) fn numbers(numbers: &[u8]) -> String {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first} to {last}") })
        .collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_told_as_one() {
        assert_eq!(numbers(&[3, 4, 5, 16]), "3 to 5 and 16");
        assert_eq!(numbers(&[2]), "2");
        assert_eq!(numbers(&[1, 4, 8]), "1, 4 and 8");
        assert_eq!(numbers(&[]), "");
    }
}
