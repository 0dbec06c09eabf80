//! `cliffmark run`: from a plan to a signed bundle, a report and, when asked for, a published page.

use crate::{
    bundle_file,
    cli::RunArgs,
    drive::{self, SerialPolicy},
    hint::{Exit, Failure, note, print, print_bytes},
    host,
    host_command::measured_ceiling,
    keys::{KeyFile, SecretKey},
    measure::{self, Measured},
    plan::{Plan, System},
    report, signals,
    stop::StopFlag,
    upload::{self, Patience},
};
use model::{
    ResultDocument,
    document::{CellStatus, Origin, Outcome, Runner, SCHEMA},
    drive::Drive,
    host::Host,
};
use std::io::{self, IsTerminal as _, Write as _};

/// Plans, asks, measures, writes, reports and publishes.
///
/// # Errors
/// When nothing could be measured, or the bundle could not be written or published.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let system = System::real();
    let plan = Plan::from_args(args, &system)?;
    measure::check(&plan)?;
    let tell = |text: &str| {
        if args.json {
            note(text.trim_end());
            Ok(())
        } else {
            print(text)
        }
    };
    tell(&plan.text())?;
    if args.dry_run {
        return Ok(Exit::Done);
    }
    if !args.yes && !confirmed()? {
        return Err(Failure::failed("not started, nothing was written"));
    }
    let key = secret_key()?;
    let stop = StopFlag::default();
    signals::watch(stop.clone())?;
    // Before any load: links and power are those of the run's begin.
    let serials = SerialPolicy { key: &key, publish: plan.publish_serial };
    let drive = drive::identify(&system.root, plan.ground.as_ref(), serials);
    let ceiling = measured_ceiling(&system.root, plan.ground.as_ref());
    let host = Host { ceiling, ..host::describe(&system.root) };
    let measured = measure::measure(&plan, &stop)?;

    let document = document(&plan, &key, (drive, host), measured);
    let sealed = bundle::seal(&document, key.signing())
        .map_err(|error| Failure::failed("the result cannot be sealed").because(error))?;
    let written = bundle_file::write_new(&plan.out, &sealed).map_err(|error| rescue(error, &plan, &sealed));
    // The figures are shown even when the file could not be written: they took the time.
    if args.json {
        print_bytes(&document.to_json())?;
        print("\n")?;
    } else {
        print(&format!("\n{}", report::table(&document)))?;
    }
    written?;
    tell(&format!("\nsigned bundle: {}\n", plan.out.display()))?;
    finish(&plan, &document, &sealed, args.json)
}

/// A finished measurement is not lost because its place is gone: it goes into the directory for temporary
/// files, and the error says so.
fn rescue(error: Failure, plan: &Plan, sealed: &[u8]) -> Failure {
    let name = format!("{}-{}.{}", plan.suite.name, plan.started_unix_ms, bundle::EXTENSION);
    let place = std::env::temp_dir().join(format!("cliffmark-{name}"));
    match bundle_file::write_new(&place, sealed) {
        Ok(()) => error.hint(format!(
            "the bundle was saved as {} instead; move it to where it belongs",
            place.display()
        )),
        Err(also) => error.hint(format!("saving it elsewhere failed too: {}", also.text().trim_end())),
    }
}

/// Asks before anything is written, where someone can answer.
fn confirmed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        note("no terminal to ask on: starting, since only a new file is written");
        return Ok(true);
    }
    let mut err = anstream::stderr().lock();
    let mut answer = String::new();
    let _ = write!(err, "Start? [y/N] ");
    let _ = err.flush();
    io::stdin().read_line(&mut answer).map_err(|error| {
        Failure::failed("cannot read the answer").because(error).hint("start without asking with --yes")
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn secret_key() -> Result<SecretKey, Failure> {
    let file = KeyFile::of_user()?;
    let (key, made) = file.load_or_make()?;
    if made {
        note(&format!(
            "made a new secret key, {}, id {}; keep it: it proves which results are yours",
            file.path().display(),
            key.id().short()
        ));
    }
    Ok(key)
}

fn document(
    plan: &Plan,
    key: &SecretKey,
    (drive, host): (Drive, Host),
    measured: Measured,
) -> ResultDocument {
    ResultDocument {
        schema: SCHEMA,
        started_unix_ms: plan.started_unix_ms,
        public_key: key.public(),
        license: plan.license.clone(),
        origin: Origin::Measured,
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
        engine: measured.engine,
        preparation: measured.preparation,
        telemetry: measured.telemetry,
        resumptions: Vec::new(),
        cells: measured.cells,
    }
}

/// Publishes when asked for, and settles the exit code.
fn finish(plan: &Plan, document: &ResultDocument, sealed: &[u8], json: bool) -> Result<Exit, Failure> {
    let out = plan.out.display();
    match document.outcome {
        Outcome::Failed => {
            return Err(Failure::failed(
                "the run was stopped by an error; the bundle holds what was measured before it",
            )
            .hint("the kernel's log (`dmesg`) may say more about the drive"));
        }
        Outcome::Interrupted => {
            let later = if plan.upload.is_some() {
                format!(", not uploaded; `cliffmark upload {out}` publishes it")
            } else {
                String::new()
            };
            note(&format!("interrupted: {out} holds the cells that were measured{later}"));
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
    let void = document.cells.iter().any(|cell| cell.status == CellStatus::Void);
    Ok(if void { Exit::Void } else { Exit::Done })
}
