//! `cliffmark run`: from a plan to a signed bundle, a report and, when asked for, a published page.

use crate::{
    bundle_file,
    cli::RunArgs,
    drive::{self, SerialPolicy, ground::Ground},
    hint::{Exit, Failure, note, print, print_bytes, shown},
    host,
    host_command::measured_ceiling,
    inhibit::AwakeLock,
    journal::{Journal, Past, Start},
    keys::{KeyFile, SecretKey},
    leftovers,
    measure::{self, Measured},
    plan::{Place, Plan, System},
    rails::WholeDevice,
    report,
    resume::steps_count,
    signals, simulate,
    state::StateDir,
    stop::StopFlag,
    upload::{self, Patience},
};
use model::{
    ResultDocument,
    document::{CellStatus, Origin, Outcome, Runner, SCHEMA},
    drive::Drive,
    host::Host,
};
use std::{
    fs::OpenOptions,
    io::{self, IsTerminal as _, Write as _},
    path::PathBuf,
};

/// Plans, asks, measures, writes, reports and publishes.
///
/// # Errors
/// When nothing could be measured, or the bundle could not be written or published.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let system = System::real();
    let plan = Plan::from_args(args, &system)?;
    let answers = Answers { yes: args.yes, serials: &args.confirm_serial };
    // Everything that can be refused without writing is refused here, so that a dry run says so too.
    answers.check(&plan.place)?;
    measure::check(&plan)?;
    KeyFile::of_user()?.load()?;
    let state = StateDir::of_user()?;
    leftovers::mention(&state);
    tell(&plan.text(0), args.json)?;
    if args.dry_run {
        return Ok(Exit::Done);
    }
    if !confirmed(&plan.place, answers)? {
        return Err(Failure::failed("not started, nothing was written"));
    }
    let key = secret_key()?;
    let (drive, apart, host) = match plan.place.simulated() {
        Some(drive) => (simulate::described(&drive.drive()), Vec::new(), simulate::nowhere()),
        None => {
            // Before any load: links, powers and ceiling are those of the run's begin.
            let ceiling = measured_ceiling(&system.root, plan.grounds().first().copied());
            let (drive, apart) = described(&plan, &system, &key);
            (drive, apart, Host { ceiling, ..host::describe(&system.root) })
        }
    };
    let start = Start {
        runner_version: env!("CARGO_PKG_VERSION").to_owned(),
        public_key: key.public(),
        drive,
        apart,
        host,
        plan,
    };
    // In virtual time a run is over before it could be lost.
    let journal =
        if start.plan.place.simulated().is_some() { Journal::none() } else { Journal::begin(&state, &start) };
    carry_out(start, Past::default(), journal, &key, args.json)
}

/// What the drive says of itself, and of drives apart what each of them does.
pub(crate) fn described(plan: &Plan, system: &System, key: &SecretKey) -> (Drive, Vec<Drive>) {
    let identify = |ground: Option<&Ground>| drive::identify(&system.root, ground, serials(plan, key));
    let apart: Vec<Drive> = plan.apart.iter().map(|ground| identify(ground.as_ref())).collect();
    let drive = drive::together(&apart).unwrap_or_else(|| identify(plan.ground.as_ref()));
    (drive, apart)
}

/// Tells people something: on standard output, unless that is for the document alone.
pub(crate) fn tell(text: &str, json: bool) -> Result<(), Failure> {
    if json {
        note(text.trim_end());
        Ok(())
    } else {
        print(text)
    }
}

/// Measures what is not yet measured of a run, writes, reports and publishes.
///
/// # Errors
/// When nothing could be measured, or the bundle could not be written or published.
pub(crate) fn carry_out(
    start: Start,
    past: Past,
    mut journal: Journal,
    key: &SecretKey,
    json: bool,
) -> Result<Exit, Failure> {
    let stop = StopFlag::default();
    // Whoever ends the program at once is told how to go on: the journal stays.
    let last_words = journal.id().map(|id| {
        format!("ended at once; `cliffmark resume {id}` goes on after the cells and passes that are measured")
    });
    signals::watch(stop.clone(), last_words)?;
    let awake = start.plan.place.simulated().is_none().then(AwakeLock::take);
    if let Some(Err(why)) = &awake {
        note(&format!("the machine is not kept awake ({why}); a cell during which it sleeps is void"));
    }
    let measured = match measure::measure(&start.plan, past, &mut journal, &stop) {
        Ok(measured) => measured,
        Err(failure) => {
            return Err(match journal.remove_when_empty() {
                Some(id) => {
                    failure.hint(format!("`cliffmark resume {id}` goes on with what is measured already"))
                }
                None => failure,
            });
        }
    };
    drop(awake);

    let Start { mut plan, drive, host, .. } = start;
    let document = document(&plan, key, drive, host, measured);
    let sealed = bundle::seal(&document, key.signing())
        .map_err(|error| Failure::failed("the result cannot be sealed").because(error))?;
    // Without a state directory there is no journal either; the bundle is written all the same.
    let state = StateDir::of_user().ok();
    let written = write_bundle(&plan, &sealed, state.as_ref())
        .map_err(|error| rescue(error, &plan, &sealed, state.as_ref()));
    // The figures are shown even when the file could not be written: they took the time.
    let told = show(&document, json);
    match written {
        Ok(place) => plan.out = place,
        Err(failure) => {
            return Err(match journal.id() {
                Some(id) => failure.hint(format!(
                    "`cliffmark resume {id} --out FILE` writes it elsewhere; nothing is measured again"
                )),
                None => failure,
            });
        }
    }
    let left = match document.outcome {
        Outcome::Complete => {
            journal.remove();
            None
        }
        Outcome::Interrupted => journal.keep(),
        Outcome::Failed => journal.remove_when_empty(),
    };
    let told = told.and_then(|()| tell(&format!("\nsigned bundle: {}\n", shown(&plan.out)), json));
    // What could not be told, a full disk behind standard output for instance, does not keep the rest from being done.
    let exit = finish(&plan, &document, &sealed, left.as_deref(), json)?;
    told.map(|()| exit)
}

fn show(document: &ResultDocument, json: bool) -> Result<(), Failure> {
    if json {
        print_bytes(&[&document.to_json()[..], b"\n"].concat())
    } else {
        print(&format!("\n{}", report::table(document)))
    }
}

/// Writes the bundle where the user said, or under the first free name like ours; yields the place.
fn write_bundle(plan: &Plan, sealed: &[u8], state: Option<&StateDir>) -> Result<PathBuf, Failure> {
    if plan.out_named {
        bundle_file::write_new(&plan.out, sealed, state).map(|()| plan.out.clone())
    } else {
        bundle_file::write_beside(&plan.out, sealed, state)
    }
}

/// A finished measurement is not lost because its place is gone: it goes into the directory for temporary
/// files, and the error says so.
fn rescue(error: Failure, plan: &Plan, sealed: &[u8], state: Option<&StateDir>) -> Failure {
    let name = format!("{}-{}.{}", plan.suite.name, plan.started_unix_ms, bundle::EXTENSION);
    let place = std::env::temp_dir().join(format!("cliffmark-{name}"));
    match bundle_file::write_beside(&place, sealed, state) {
        Ok(place) => error.hint(format!(
            "the bundle was saved as {} instead; move it to where it belongs",
            place.display()
        )),
        Err(also) => error.hint(format!("saving it elsewhere failed too: {}", also.sentence())),
    }
}

/// What was answered on the command line before it was asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers<'a> {
    /// Start without asking; says nothing about a device's content.
    pub(crate) yes: bool,
    /// The serial numbers of the devices to overwrite.
    pub(crate) serials: &'a [String],
}

impl<'a> Answers<'a> {
    /// Whether they suit the place, as far as they were given.
    ///
    /// # Errors
    /// When there is a serial number for a directory, or another one than the device's.
    pub(crate) fn check(self, place: &Place) -> Result<(), Failure> {
        let devices = place.devices();
        let stranger = |given: &&String| !devices.iter().any(|device| device.confirmed_by(given));
        match (&devices[..], self.serials.iter().find(stranger)) {
            (_, None) => Ok(()),
            ([device], given) => confirmed_device(device, given.map(String::as_str)),
            ([_, ..], Some(given)) => Err(Failure::refused(format!(
                "no device is touched: none of them has the serial number {given}"
            ))
            .hint("--confirm-serial is given once for each, as `cliffmark devices` shows it")),
            ([], Some(_)) => {
                let what = if place.simulated().is_some() { "a simulated drive" } else { "a directory" };
                Err(Failure::usage(format!("--confirm-serial is for a whole device, and this is {what}")))
            }
        }
    }

    /// The given serial number that is a device's.
    fn serial_of(self, device: &WholeDevice) -> Option<&'a str> {
        self.serials.iter().find(|given| device.confirmed_by(given)).map(String::as_str)
    }
}

/// Whether the run may start: for a file a yes, for each device its serial number, typed by someone. A yes is asked for
/// only where standard input is a terminal: elsewhere nobody is there to give it.
pub(crate) fn confirmed(place: &Place, answers: Answers<'_>) -> Result<bool, Failure> {
    answers.check(place)?;
    let devices = place.devices();
    for device in &devices {
        confirmed_device(device, answers.serial_of(device))?;
    }
    // Whoever typed a serial number has said yes; where there are directories only, nobody has yet.
    if !devices.is_empty() {
        return Ok(true);
    }
    // In virtual time there is nothing to be asked.
    if answers.yes || place.simulated().is_some() {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        note("no terminal to ask on: starting, since only a new file is written");
        return Ok(true);
    }
    Ok(matches!(ask("Start? [y/N] ", "start without asking with --yes")?.trim(), "y" | "Y" | "yes"))
}

/// Makes sure that a device that is to be overwritten is the one that is meant.
///
/// # Errors
/// When its serial number was not given, or another one.
pub(crate) fn confirmed_device(device: &WholeDevice, given: Option<&str>) -> Result<(), Failure> {
    let serial = device.confirmation()?;
    let name = shown(&device.path);
    let what = device.id.what_is_typed();
    let how = format!("--confirm-serial takes the {what}, which `cliffmark devices` shows for {name}");
    let typed = match given {
        Some(serial) => serial.to_owned(),
        None if io::stdin().is_terminal() => ask(
            &format!(
                "Everything on {name} ({}) will be lost.\nType the {what}, {serial}, to start: ",
                device.id
            ),
            &how,
        )?,
        None => {
            return Err(Failure::refused(format!(
                "{name} would be overwritten, and nobody confirmed that it is the device that is meant"
            ))
            .hint(how));
        }
    };
    if device.confirmed_by(&typed) {
        return Ok(());
    }
    Err(Failure::refused(format!("{name} is not touched: what was given is not the {what}"))
        .because(format!("{name} is {}", device.id))
        .hint(how))
}

/// Asks who sits at standard input.
///
/// # Errors
/// When the question would be seen by nobody, or the answer cannot be read.
pub(crate) fn ask(question: &str, otherwise: &str) -> Result<String, Failure> {
    put(question).map_err(|error| {
        Failure::failed("not started: the question whether to start would be seen by nobody")
            .because(error)
            .hint(otherwise)
    })?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed("cannot read the answer").because(error).hint(otherwise))?;
    Ok(answer)
}

/// Puts a question where it is seen: on the terminal itself when standard error goes elsewhere.
fn put(question: &str) -> io::Result<()> {
    if io::stderr().is_terminal() {
        let mut err = anstream::stderr().lock();
        write!(err, "{question}")?;
        return err.flush();
    }
    OpenOptions::new().write(true).open("/dev/tty")?.write_all(question.as_bytes())
}

pub(crate) fn secret_key() -> Result<SecretKey, Failure> {
    let file = KeyFile::of_user()?;
    let (key, made) = file.load_or_make()?;
    if made {
        note(&format!(
            "made a new secret key, {}, id {}; keep it: it proves which results are yours",
            shown(file.path()),
            key.id().short()
        ));
    }
    Ok(key)
}

/// Who may see the serial number of the drive under test.
pub(crate) fn serials<'a>(plan: &Plan, key: &'a SecretKey) -> SerialPolicy<'a> {
    SerialPolicy { key, publish: plan.publish_serial }
}

fn document(plan: &Plan, key: &SecretKey, drive: Drive, host: Host, measured: Measured) -> ResultDocument {
    ResultDocument {
        schema: SCHEMA,
        started_unix_ms: plan.started_unix_ms,
        public_key: key.public(),
        license: plan.license.clone(),
        origin: if plan.place.simulated().is_some() { Origin::Simulated } else { Origin::Measured },
        visibility: plan.visibility,
        runner: Runner { name: "cliffmark".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        suite: plan.suite.name.clone(),
        runs: plan.runs,
        outcome: measured.outcome,
        elapsed_ns: measured.elapsed.0,
        labels: plan.labels.clone(),
        drive,
        host,
        target: measured.target,
        other_targets: measured.other_targets,
        engine: measured.engine,
        preparation: measured.preparation,
        telemetry: measured.telemetry,
        resumptions: measured.resumptions,
        cells: measured.cells,
        passes: measured.passes,
    }
}

/// What is said of a run that was interrupted after so many cells and passes, and how the rest can be measured.
fn interrupted(plan: &Plan, over: usize, rest: Option<&str>) -> String {
    let out = shown(&plan.out);
    let rest = rest.map_or_else(String::new, |rest| format!("; {rest}"));
    if over == 0 {
        let what = if plan.suite.methods.is_empty() { "pass" } else { "cell" };
        return format!("interrupted before a {what} was measured: {out} holds no figures{rest}");
    }
    let over = steps_count(over as u64, plan);
    let later = match plan.upload {
        Some(_) => format!(", not uploaded; `cliffmark upload {out}` publishes it"),
        None => String::new(),
    };
    format!("interrupted: {out} holds {over} of {}{later}{rest}", plan.step_count())
}

/// Publishes when asked for, and settles the exit code.
fn finish(
    plan: &Plan,
    document: &ResultDocument,
    sealed: &[u8],
    left: Option<&str>,
    json: bool,
) -> Result<Exit, Failure> {
    let rest = left.map(|id| format!("`cliffmark resume {id}` measures the rest"));
    match document.outcome {
        Outcome::Failed => {
            let failure =
                Failure::failed("the run failed; the bundle holds what was measured before the error")
                    .hint("the kernel's log (`dmesg`) may say more about the drive");
            return Err(rest.into_iter().fold(failure, Failure::hint));
        }
        Outcome::Interrupted => {
            note(&interrupted(plan, document.step_count(), rest.as_deref()));
            return Ok(Exit::Interrupted);
        }
        Outcome::Complete => {}
    }
    if let Some(server) = &plan.upload {
        let id = bundle::open(sealed)
            .map_err(|error| Failure::failed("the sealed result does not open").because(error))?
            .id();
        let page = upload::publish(server, sealed, id, Patience::default())?;
        if json {
            note(&page);
        } else {
            print(&format!("{page}\n"))?;
        }
    }
    // The figures of a failed cell do not count either, and after some errors a run goes on.
    let mut statuses =
        document.cells.iter().map(|cell| cell.status).chain(document.passes.iter().map(|pass| pass.status));
    let void = statuses.any(|status| matches!(status, CellStatus::Void | CellStatus::Failed));
    Ok(if void { Exit::Void } else { Exit::Done })
}
