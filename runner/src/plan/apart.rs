//! Several targets at once, each on a drive of its own: which may stand beside each other, and what is measured on them.
//!
//! Knows places and what carries them. Opens nothing.

use super::Place;
use crate::{
    drive::{self, ground::Ground, nvme},
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
                .because(
                    "drives are measured beside each other only where each is known to be another one",
                ));
        };
        if let Some((other, shared)) =
            known.iter().find_map(|(other, below)| Some((other, shared(below, ground)?)))
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

/// The device that both lie on; `None` when they share none. Namespaces of one NVMe controller share its flash.
fn shared<'a>(a: &Ground, b: &'a Ground) -> Option<&'a Path> {
    let disks = a.disks();
    let controllers: Vec<_> = disks.iter().flat_map(|disk| nvme::controllers(disk)).collect();
    let same = |disk: &&Path| {
        disks.contains(disk) || nvme::controllers(disk).iter().any(|one| controllers.contains(one))
    };
    b.disks().into_iter().find(same).or((a.device == b.device).then_some(&b.device))
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
    use crate::{counters::DeviceNumber, fake_sys::FakeSys};
    use std::path::PathBuf;

    #[test]
    fn two_places_on_one_drive_are_no_array() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:1d.0/0000:01:00.0";
        let first = sys.disk(&format!("{port}/nvme/nvme0/nvme0n1"), "259:0", 1000);
        sys.partition(&first, "nvme0n1p1", "259:1", 400);
        sys.partition(&first, "nvme0n1p2", "259:2", 400);
        sys.disk(&format!("{port}/nvme/nvme0/nvme0n2"), "259:3", 1000);
        let other = sys.disk("pci0000:00/0000:00:1e.0/0000:02:00.0/nvme/nvme1/nvme1n1", "259:4", 1000);
        let third = sys.disk("pci0000:00/0000:00:17.0/ata1/block/sda", "8:0", 1000);
        let array = sys.virtual_disk("md0", "9:0", &[&other, &third]);
        sys.write(&format!("{array}/md/level"), "raid0\n");
        let ground = |(major, minor)| Ground::of(&sys.root(), DeviceNumber { major, minor });
        let check = |numbers: &[(u32, u32)]| {
            let names = (1..=numbers.len()).map(|number| PathBuf::from(format!("/mnt/{number}")));
            let place = Place::Apart(names.map(Place::Directory).collect());
            let grounds: Vec<_> = numbers.iter().map(|number| ground(*number)).collect();
            check_drives(&place, &grounds).map_err(|failure| failure.text())
        };
        assert_eq!(check(&[(259, 1), (259, 4), (8, 0)]), Ok(()));
        for (numbers, words) in [
            (
                &[(259, 1), (8, 0), (259, 2)][..],
                "/mnt/1 and /mnt/3 lie on one drive, nvme0n1: they are no array",
            ),
            (&[(259, 0), (259, 3)], "/mnt/1 and /mnt/2 lie on one drive, nvme0n2"),
            (&[(8, 0), (9, 0)], "/mnt/1 and /mnt/2 lie on one drive, sda"),
            (&[(9, 0), (9, 0)], "/mnt/1 and /mnt/2 lie on one drive"),
            (&[(259, 0), (77, 7)], "nothing tells which drive carries /mnt/2"),
        ] {
            let text = check(numbers).unwrap_err();
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn numbers_in_a_row_are_told_as_one() {
        assert_eq!(numbers(&[3, 4, 5, 16]), "3 to 5 and 16");
        assert_eq!(numbers(&[2]), "2");
        assert_eq!(numbers(&[1, 4, 8]), "1, 4 and 8");
        assert_eq!(numbers(&[]), "");
    }
}
