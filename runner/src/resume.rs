//! `cliffmark resume`: goes on with a run whose program or machine died, at the cell that comes next.
//!
//! Decides whether it is still the same run: the same program, key, drive and place. The suite cannot have changed:
//! it is in the journal.

use crate::{
    bundle_file,
    cli::ResumeArgs,
    hint::{Exit, Failure, note, shown},
    journal::{self, Interrupted, Journals, Start},
    keys::KeyFile,
    measure,
    plan::{Place, Plan, System, apart},
    rails::WholeDevice,
    run::{Answers, carry_out, confirmed, described, tell},
    state::StateDir,
    telemetry::PowerInput,
};
use model::{
    drive::Drive,
    reading::Reading,
    units::{format_capacity, format_count},
};
use std::{
    fs,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long the release of a device is waited for that a killed run held: the kernel first waits for its I/O.
const RELEASE: Duration = Duration::from_secs(10);
/// Time between two looks at it.
const LOOK: Duration = Duration::from_millis(50);

/// Goes on with an interrupted run.
///
/// # Errors
/// When there is none, several and none is named, something differs, or what `run` fails for.
pub fn resume(args: &ResumeArgs) -> Result<Exit, Failure> {
    let system = System::real();
    let state = StateDir::of_user()?;
    let run = choose(journal::find(&state)?, args.id.as_deref())?;
    if run.damaged && !args.drop_damaged {
        return Err(Failure::failed(format!("the journal of run {} is damaged in its middle", run.id))
            .because(format!(
                "{} before the damage can be read; what was measured after that is lost",
                steps_count(run.past.steps() as u64, &run.start.plan)
            ))
            .hint(format!("`{}` goes on from there", run.resume_command())));
    }
    let line = run.line();
    let over = run.past.steps();
    let mut start = run.start.clone();
    check_same(&mut start, &system)?;
    let key =
        KeyFile::of_user()?.load()?.filter(|key| key.public() == start.public_key).ok_or_else(|| {
            Failure::refused("the run began under another secret key, which is not there any more")
                .hint("`cliffmark key import FILE --replace` brings a former key back")
        })?;
    let (drive, apart) = described(&start.plan, &system, &key);
    let mut differing = if apart.is_empty() { differences(&start.drive, &drive) } else { Vec::new() };
    for ((before, now), place) in start.apart.iter().zip(&apart).zip(start.plan.place.each()) {
        let own = differences(before, now);
        differing.extend(own.into_iter().map(|what| format!("{}: {what}", shown(place.path()))));
    }
    if !differing.is_empty() {
        return Err(Failure::refused("the drive is another one than when the run began")
            .because(differing.join(" "))
            .hint("connect the drive that was measured, or begin a new run"));
    }
    start.plan.out = out(&start.plan.out, args.out.as_deref());
    start.plan.out_named |= args.out.is_some();
    bundle_file::check_new(&start.plan.out)?;
    let left = start.plan.step_count().saturating_sub(over);
    if start.plan.power == Some(PowerInput::Stdin) && io::stdin().is_terminal() {
        note(
            "the run had a power meter on its standard input, and this one has a terminal: no meter is read",
        );
        start.plan.power = None;
    }
    let answers = Answers { yes: args.yes, serials: &args.confirm_serial };
    if left > 0 {
        answers.check(&start.plan.place)?;
        for device in start.plan.place.devices() {
            await_release(device, &system);
        }
        measure::check(&start.plan)?;
    }
    tell(
        &format!("Resume  {line}\n        {}\n{}", what_is_left(left, &start.plan), start.plan.text(over)),
        args.json,
    )?;
    if left > 0 && !confirmed(&start.plan.place, answers)? {
        return Err(Failure::failed("not started, nothing was written"));
    }
    let (_, mut past, journal) = run.take_over()?;
    past.resumed_unix_ms = Some(system.now_unix_ms);
    carry_out(start, past, journal, &key, args.json)
}

/// A number of what the plan consists of: `1 cell`, `8 cells`, `3 passes`.
pub(crate) fn steps_count(count: u64, plan: &Plan) -> String {
    match plan.step_words() {
        "cells" => format_count(count, "cell"),
        "passes" if count == 1 => "1 pass".to_owned(),
        words => format!("{count} {words}"),
    }
}

/// What is to be done with so many cells or passes left.
fn what_is_left(left: usize, plan: &Plan) -> String {
    let over = plan.step_count().saturating_sub(left);
    let fill = match (left, plan.place.simulated()) {
        (0, _) => return "everything is measured already: only the bundle is written".to_owned(),
        (_, None) if !plan.span_for(None, over).is_filled() => "",
        _ => "; a new fill comes first",
    };
    format!("{} {} left{fill}", steps_count(left as u64, plan), if left == 1 { "is" } else { "are" })
}

/// The run that is meant.
fn choose(journals: Journals, id: Option<&str>) -> Result<Interrupted, Failure> {
    let Journals { mut interrupted, unusable, going_on } = journals;
    let listed = |mut failure: Failure, runs: &[Interrupted]| {
        for run in runs {
            failure = failure.hint(run.line());
        }
        for one in &unusable {
            failure = failure.hint(format!("{} cannot be used: {}", one.path.display(), one.why));
        }
        for id in &going_on {
            failure = failure.hint(format!(
                "run {id} is going on; when its program was just killed, try again in some seconds"
            ));
        }
        failure
    };
    match id {
        Some(id) => match interrupted.iter().position(|run| run.id == id) {
            Some(place) => Ok(interrupted.swap_remove(place)),
            None => Err(listed(Failure::failed(format!("there is no interrupted run `{id}`")), &interrupted)),
        },
        None if interrupted.len() > 1 => Err(listed(
            Failure::usage("several runs were interrupted; name one: cliffmark resume ID"),
            &interrupted,
        )),
        None => match interrupted.pop() {
            Some(run) => Ok(run),
            None => Err(listed(Failure::failed("there is no interrupted run"), &[])),
        },
    }
}

/// Refuses another program or place, and finds the device's number anew, which may change with every boot.
fn check_same(start: &mut Start, system: &System) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if start.runner_version != version {
        return Err(Failure::refused(format!(
            "the run began with Cliffmark {}, and this is {version}",
            start.runner_version
        ))
        .hint("go on with the version it began with, or begin a new run"));
    }
    for place in start.plan.place.each_mut() {
        there(place.path())?;
        let Place::Device(device) = place else { continue };
        let now = WholeDevice::find(&system.root, &device.path)?;
        if now.id != device.id || now.capacity_bytes != device.capacity_bytes {
            return Err(Failure::refused(format!("{} is another device now", device.path.display()))
                .because(format!("it was {}, now it is {}", device.id, now.id)));
        }
        *device = now;
    }
    start.plan.find_ground(&system.root);
    apart::check_drives(&start.plan.place, &start.plan.apart)
}

/// Makes sure that there is something in the place; whether it is the same is another question.
fn there(place: &Path) -> Result<(), Failure> {
    match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::failed(format!("{}, where the run was measured, is not there", place.display()))
                .hint("connect the drive and mount it where it was mounted, or begin a new run"))
        }
        // What else may be wrong with it is told by who opens it.
        _ => Ok(()),
    }
}

/// Waits until the kernel has let go of a device that the killed run held. Whether it is free then, is told by who
/// opens it.
fn await_release(device: &WholeDevice, system: &System) {
    if !device.is_held(&system.root) {
        return;
    }
    note(&format!("waiting until {} is released: a killed run may still hold it", shown(&device.path)));
    let until = Instant::now() + RELEASE;
    while Instant::now() < until && device.is_held(&system.root) {
        thread::sleep(LOOK);
    }
}

/// One sentence for everything in which a drive is not the one that was described.
fn differences(before: &Drive, now: &Drive) -> Vec<String> {
    fn text<T>(reading: &Reading<T>, show: impl Fn(&T) -> String) -> String {
        match reading {
            Reading::Known(value) => show(value),
            Reading::Absent(reason) => reason.text().to_owned(),
        }
    }
    let words = |reading: &Reading<String>| text(reading, Clone::clone);
    let pairs = [
        ("model", words(&before.model), words(&now.model)),
        ("firmware", words(&before.firmware), words(&now.firmware)),
        (
            "capacity",
            text(&before.capacity_bytes, |bytes| format_capacity(*bytes)),
            text(&now.capacity_bytes, |bytes| format_capacity(*bytes)),
        ),
        ("attachment", before.transport.text().to_owned(), now.transport.text().to_owned()),
        (
            "namespace",
            text(&before.namespace, ToString::to_string),
            text(&now.namespace, ToString::to_string),
        ),
        ("stack of devices", before.stack.join(", "), now.stack.join(", ")),
    ];
    let mut sentences: Vec<String> = pairs
        .into_iter()
        .filter(|(_, before, now)| before != now)
        .map(|(what, before, now)| format!("Its {what} was `{before}` and is `{now}`."))
        .collect();
    if before.serial_hmac != now.serial_hmac {
        sentences.push("Its serial number is another one.".to_owned());
    }
    sentences
}

/// Where the bundle goes: where it was to go, beside it when a part of the run is there already.
fn out(planned: &Path, chosen: Option<&Path>) -> PathBuf {
    if let Some(chosen) = chosen {
        return chosen.to_owned();
    }
    match fs::symlink_metadata(planned) {
        Ok(_) => bundle_file::first_free(planned, "-resumed"),
        Err(_) => planned.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    #[test]
    fn another_drive_is_named_by_what_differs() {
        let before = fixtures::document("Example", 1.0, PublicKey([7; 32])).drive;
        assert!(differences(&before, &before).is_empty());
        let now = Drive {
            model: Reading::Known("Other".to_owned()),
            capacity_bytes: Reading::Known(1_000_000_000_000),
            ..before.clone()
        };
        let text = differences(&before, &now).join(" ");
        assert!(text.contains("Its model was `Example") && text.contains("is `1 TB`"), "{text}");
        // The link may be slower for a moment; it is the same drive.
        let slower = Drive { pcie: Vec::new(), ..before.clone() };
        assert!(differences(&before, &slower).is_empty());
    }

    #[test]
    fn a_run_that_is_going_on_is_not_called_unknown() {
        let journals = Journals { going_on: vec!["3f2a91c0".to_owned()], ..Journals::default() };
        let text = choose(journals, Some("3f2a91c0")).unwrap_err().text();
        assert!(text.contains("run 3f2a91c0 is going on"), "{text}");
    }

    #[test]
    fn a_place_that_is_gone_is_not_called_another_one() {
        let directory = tempfile::tempdir().unwrap();
        assert!(there(directory.path()).is_ok());
        let failure = there(&directory.path().join("gone")).unwrap_err();
        assert_eq!(failure.exit(), Exit::Failed);
        assert!(failure.text().contains("is not there"), "{}", failure.text());
    }

    #[test]
    fn a_partial_bundle_is_not_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let planned = directory.path().join("a.cliffmark");
        assert_eq!(out(&planned, None), planned);
        std::fs::write(&planned, "").unwrap();
        assert_eq!(out(&planned, None), directory.path().join("a-resumed.cliffmark"));
        std::fs::write(directory.path().join("a-resumed.cliffmark"), "").unwrap();
        assert_eq!(out(&planned, None), directory.path().join("a-resumed-2.cliffmark"));
        assert_eq!(out(&planned, Some(Path::new("b"))), Path::new("b"));
    }
}
