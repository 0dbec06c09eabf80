//! Runs a plan on a drive: fill, cells, loops; yields what was measured, whole or up to an interruption.
//!
//! Knows the order of steps and when a cell counts. Does not know files of results, signing or terminals
//! (beyond telling [`Progress`] where it is).

use crate::{
    clock::{RunClock, SleepMark},
    counters::DeviceNumber,
    drive::ground,
    engine::{EngineError, Part, Session, all_threads, check_alignment, check_wait},
    hint::{Failure, note, shown},
    journal::{CellOver, Filled, Journal, PassOver, Past},
    passes::{self, Kept, Ready},
    plan::{self, Place, Plan, SimulatedDrive},
    progress::Progress,
    rails::WholeDevice,
    report::error_text,
    simulate,
    span::{Made, NoSpan, Span, fillers_beside},
    stop::StopFlag,
    suite::{Section, Step},
    sysfs::SysRoot,
    target::{OpenTarget, TargetError, check_directory},
    telemetry::{self, Meter, Watch},
};
use analysis::{
    bursts,
    proof::{before_io, cell_void_reasons, pass_void_reasons},
    settling::steady_after,
    summary::cell_values,
};
use model::{
    Method, Reading,
    document::{
        Cell, CellError, CellErrorKind, CellStatus, Engine, Loop, Outcome, Preparation, Resumption, State,
        Target, Wait,
    },
    method::Ends,
    metric::MetricKind,
    pass::{Pass, PassMethod, Workload},
    proof::{Proof, Unproven, VoidReason},
    telemetry::Telemetry,
    units::{Nanos, format_capacity, format_rate, format_size, per_second},
};
use std::{path::Path, thread, time::Duration};

/// Time between two looks at the stop flag in a pause.
const LOOK: Duration = Duration::from_millis(100);

/// What a run came to.
#[derive(Debug)]
pub struct Measured {
    /// How it ended.
    pub outcome: Outcome,
    /// Time from the first preparation to the last completion.
    pub elapsed: Nanos,
    /// The target.
    pub target: Target,
    /// Those on the second drive of drives apart and further ones.
    pub other_targets: Vec<Target>,
    /// How I/Os were submitted and awaited, in all cells.
    pub engine: Engine,
    /// The fill; `None` when it was interrupted.
    pub preparation: Option<Preparation>,
    /// What was watched meanwhile.
    pub telemetry: Telemetry,
    /// Each time it went on after its program had died.
    pub resumptions: Vec<Resumption>,
    /// The cells, in order.
    pub cells: Vec<Cell>,
    /// The passes, in order.
    pub passes: Vec<Pass>,
}

/// Whether the directory or device can be measured at all; asked before anything is written.
///
/// # Errors
/// When it is refused.
pub fn check(plan: &Plan) -> Result<(), Failure> {
    check_memory(plan)?;
    plan::files::check(plan)?;
    for place in plan.place.each() {
        match place {
            Place::Simulated(drive) => return check_simulated(plan, drive),
            Place::Directory(directory) => {
                for section in plan.suite.sections() {
                    check_section(directory, &section)?;
                }
            }
            Place::Device(device) => check_device(plan, device)?,
            Place::Apart(_) => unreachable!("each of several is one"),
        }
    }
    passes::check(plan)?;
    if !plan.suite.passes.is_empty() && plan.wait != Wait::Block {
        return Err(Failure::usage("passes sleep until their next deadline: leave --wait out"));
    }
    // A place of which nothing tells what carries it cannot be polled, and says so.
    let devices: Vec<_> = plan.grounds().into_iter().map(|ground| ground.number).collect();
    let none = [None];
    let devices = if devices.is_empty() { &none[..] } else { &devices[..] };
    devices.iter().try_for_each(|device| check_way(plan, *device))
}

/// Whether a directory has room for a section, with what takes room beside it.
fn check_section(directory: &Path, section: &Section) -> Result<(), Failure> {
    let beside = fillers_beside(directory, section.before.fill);
    let bytes = section.span_bytes.saturating_add(beside);
    check_directory(directory, bytes, section.reserve()).map_err(target_failure).map_err(|failure| {
        match section.before.fill {
            Some(fill) => failure
                .hint(format!("{} of them would take room until {fill} are in use", format_capacity(beside))),
            None => failure,
        }
    })
}

/// Whether a device holds nothing, and every cell and pass suits it.
fn check_device(plan: &Plan, device: &WholeDevice) -> Result<(), Failure> {
    device.confirmation()?;
    let size = plan.suite.size_bytes();
    if size > device.capacity_bytes {
        let error = TargetError::Span { span: size, capacity: device.capacity_bytes };
        return Err(target_failure(error));
    }
    for section in plan.suite.sections() {
        let held = section.before.fill.map_or(0, |fill| fill.of(device.capacity_bytes));
        let capacity = device.capacity_bytes.saturating_sub(held);
        if section.span_bytes > capacity {
            return Err(target_failure(TargetError::Span { span: section.span_bytes, capacity }));
        }
    }
    for method in &plan.suite.methods {
        check_alignment(method, device.block_bytes).map_err(|error| setup_failure(&method.label(), error))?;
    }
    check_passes(plan, device.block_bytes)?;
    device.may_be_written()?;
    let empty = device.open_empty(&SysRoot::default(), false)?;
    if !empty.blank {
        note(&format!(
            "{} holds bytes that no known signature explains: they will be lost",
            shown(&device.path)
        ));
    }
    Ok(())
}

/// Refuses passes whose operations do not suit the target's blocks.
fn check_passes(plan: &Plan, align: u32) -> Result<(), Failure> {
    plan.suite.passes.iter().try_for_each(|method| {
        let block = passes::unit_bytes(plan, method);
        if block.is_multiple_of(align) {
            return Ok(());
        }
        let failure = setup_failure(&method.label(), EngineError::Alignment { block, align });
        Err(failure.hint(format!("--set unit={align} widens what is smaller, which is another method")))
    })
}

/// Refuses what makes sense on a real drive only.
fn check_simulated(plan: &Plan, drive: &SimulatedDrive) -> Result<(), Failure> {
    let capacity = drive.drive().capacity_bytes();
    if plan.suite.size_bytes() > capacity {
        let error = TargetError::Span { span: plan.suite.size_bytes(), capacity };
        return Err(target_failure(error));
    }
    let most = capacity / 100 * 95;
    let levels = plan.suite.sections().into_iter().filter_map(|section| section.before.fill);
    if let Some(fill) = levels.into_iter().find(|fill| fill.of(capacity) > most) {
        return Err(Failure::refused(format!(
            "{fill} cannot be in use on a drive of {}",
            format_capacity(capacity)
        ))
        .hint("at most 95 % of a drive is filled"));
    }
    // Recordings are read again for what they hold; one that changed is none of this plan.
    passes::check(plan)?;
    match (&plan.power, plan.wait) {
        (Some(_), _) => {
            Err(Failure::usage("a simulated drive has a power meter of its own: leave --power out"))
        }
        (None, Wait::Block) => Ok(()),
        (None, _) => Err(Failure::usage("nothing is awaited in virtual time: leave --wait out")),
    }
}

/// Whether every cell of the plan can await its completions on a device in the way that was asked for.
fn check_way(plan: &Plan, device: Option<DeviceNumber>) -> Result<(), Failure> {
    let threads = plan.suite.methods.iter().map(all_threads).max().unwrap_or(1);
    check_wait(&SysRoot::default(), device, plan.wait, threads).map_err(wait_failure)
}

fn wait_failure(error: EngineError) -> Failure {
    Failure::refused("this drive cannot be measured in this way").because(error)
}

/// Refuses bytes in memory, however many devices lie between.
fn check_memory(plan: &Plan) -> Result<(), Failure> {
    let grounds = plan.grounds();
    let Some(kind) = grounds.iter().find_map(|ground| ground.in_memory()).filter(|_| !plan.allow_void) else {
        return Ok(());
    };
    Err(Failure::refused(format!(
        "below this target lies a loop device whose file is in memory ({kind}), so no drive would be measured"
    ))
    .hint("choose a directory on a drive, or measure all the same, marked as void, with --allow-void"))
}

/// Opens a device, or makes a new file, of so many bytes.
pub(crate) fn open_target(place: &Place, section: &Section) -> Result<OpenTarget, Failure> {
    let (size, reserve) = (section.span_bytes, section.reserve());
    match place {
        Place::Simulated(_) => unreachable!("a simulated drive is never opened"),
        Place::Apart(_) => unreachable!("each of several is one"),
        Place::Directory(directory) => {
            OpenTarget::create_reserving(directory, size, reserve).map_err(target_failure)
        }
        Place::Device(device) => {
            let empty = device.open_empty(&SysRoot::default(), true)?;
            OpenTarget::on_device(device, empty.file, size, true).map_err(target_failure)
        }
    }
}

/// Measures, or goes on where `past` ended. Every phase that is over is in the journal before the next begins.
///
/// # Errors
/// When nothing was measured: the target is refused, the fill failed, the proof cannot hold, or the first
/// cell cannot be set up. Whatever goes wrong later is part of what was measured.
pub fn measure(
    plan: &Plan,
    mut past: Past,
    journal: &mut Journal,
    stop: &StopFlag,
) -> Result<Measured, Failure> {
    if let Some(measured) = all_there(plan, &mut past) {
        return Ok(measured);
    }
    if let Some(drive) = plan.place.simulated() {
        return Ok(simulate::measure(plan, drive, stop));
    }
    let clock = RunClock::go_on(past.clock_ns);
    let first = past.steps();
    let wanted = plan.span_for(None, first);
    let section = wanted.section().expect("there is no span yet").clone();
    let drives = plan.place.each().len();
    let what = match (plan.place.device(), drives) {
        (Some(_), _) => "the device's first",
        (None, 1) => "a test file of",
        (None, _) => "the spans on all drives, together",
    };
    let meter = plan.power.as_ref().map(|input| Meter::start(input, clock)).transpose()?;
    let watch = Watch::start(&SysRoot::default(), &plan.grounds(), clock, plan.sampling, meter);
    let progress = Progress::start(
        what,
        if wanted.is_filled() { section.span_bytes * drives as u64 } else { 0 },
        plan.measuring_time(first),
        watch.thermometer(),
        stop,
    );
    let span = Span::open(plan, &section)?;
    let (target, others) = described(&span);
    same_targets(&past, &target, &others)?;
    for target in span.targets() {
        check_way(plan, target.block_device())?;
        // Before the target is written full for nothing; of a directory only its new file tells.
        for method in &plan.suite.methods {
            check_alignment(method, target.offset_align())
                .map_err(|error| setup_failure(&method.label(), error))?;
        }
        check_passes(plan, target.offset_align())?;
    }
    let (span, Made { preparation, state }) = match span.make(plan, &wanted, &progress, stop) {
        Ok(made) => made,
        Err(NoSpan::Stopped(span)) => return interrupted_fill(plan, past, &span, &clock, watch),
        Err(NoSpan::Failed(failure)) => return Err(failure),
    };
    progress.line(&preparation.as_ref().map_or_else(|| "measuring".to_owned(), fill_line));
    let mut proofs = Vec::with_capacity(drives);
    for (drive, target) in span.targets().iter().enumerate() {
        let proof = proof_of(target, plan, drive).map_err(target_failure)?;
        check_proof(plan, drive, &proof)?;
        proofs.push(proof);
    }
    let resumption = past.resumed_unix_ms.map(|resumed_unix_ms| Resumption {
        cells_before: u32::try_from(first).expect("a run has at most 1,000 cells and passes each"),
        at_ns: past.clock_ns,
        resumed_unix_ms,
        preparation: preparation.clone(),
    });
    journal.filled(Filled {
        target,
        other_targets: others,
        preparation: preparation.clone(),
        resumption: resumption.clone(),
        at_ns: clock.now().0,
    });

    let Past {
        preparation: first_fill,
        engine,
        telemetry: earlier,
        mut resumptions,
        cells,
        passes,
        clock_ns,
        ..
    } = past;
    resumptions.extend(resumption);
    let watched_ns = clock_ns;
    let made = Some((None, state));
    let mut run = Run {
        plan,
        stop,
        journal,
        clock,
        watch,
        progress,
        span: Some(span),
        made,
        proofs,
        engine,
        cells,
        passes,
        kept: Kept::default(),
        watched_ns,
        cut_short: false,
    };
    let outcome = run.all_steps()?;
    let (target, other_targets) = described(run.span.as_ref().expect("the last cell's"));
    let telemetry = run.watch.finish();
    let elapsed = run.clock.now();
    let engine = run.engine.expect("a run that yields cells has set up an engine");
    Ok(Measured {
        outcome,
        elapsed,
        target,
        other_targets,
        engine,
        preparation: first_fill.or(preparation),
        telemetry: telemetry::joined(earlier, telemetry),
        resumptions,
        cells: run.cells,
        passes: run.passes,
    })
}

/// The result of a run whose program died after its last cell: nothing is left to be measured. `None` when something
/// is, with the past as it was.
fn all_there(plan: &Plan, past: &mut Past) -> Option<Measured> {
    if past.steps() < plan.step_count() {
        return None;
    }
    let (target, engine) = (past.target.clone()?, past.engine.clone()?);
    let Past { other_targets, preparation, mut telemetry, resumptions, cells, passes, clock_ns, .. } =
        std::mem::take(past);
    let last = telemetry.pop().expect("every step in a journal has what was watched during it");
    Some(Measured {
        outcome: Outcome::Complete,
        elapsed: Nanos(clock_ns),
        target,
        other_targets,
        engine,
        preparation,
        telemetry: telemetry::joined(telemetry, last),
        resumptions,
        cells,
        passes,
    })
}

/// The target as the document describes it, and those on further drives.
fn described(span: &Span) -> (Target, Vec<Target>) {
    let others = span.targets().iter().skip(1).map(OpenTarget::describe).collect();
    (span.target().describe(), others)
}

/// Refuses to go on in places that are others than before.
fn same_targets(past: &Past, now: &Target, others: &[Target]) -> Result<(), Failure> {
    same_target(past.target.as_ref(), now)?;
    past.other_targets.iter().zip(others).try_for_each(|(before, now)| same_target(Some(before), now))
}

/// Refuses to go on in a place that is another one than before.
fn same_target(before: Option<&Target>, now: &Target) -> Result<(), Failure> {
    let Some(before) = before else { return Ok(()) };
    let place = |target: &Target| {
        let kind = target.file_system.clone().unwrap_or_else(|| "no file system".to_owned());
        let size = target.file_system_bytes.map(|bytes| format!(", {}", format_size(bytes)));
        format!("{kind}{}", size.unwrap_or_default())
    };
    if (before.kind, place(before)) == (now.kind, place(now)) {
        return Ok(());
    }
    Err(Failure::refused("the target is another one than when the run began")
        .because(format!("it was on {}, now it is on {}", place(before), place(now)))
        .hint("mount the drive where it was mounted, or begin a new run"))
}

/// A run that was stopped while it filled: it holds the drive and the engine, and no figure that is not in its past.
fn interrupted_fill(
    plan: &Plan,
    past: Past,
    span: &Span,
    clock: &RunClock,
    watch: Watch,
) -> Result<Measured, Failure> {
    let watched = watch.finish();
    let engine = match past.engine {
        Some(engine) => engine,
        None => {
            let label = plan.suite.step(0).label();
            let engine = match plan.suite.step(0) {
                Step::Cell(method) => {
                    let targets: Vec<&OpenTarget> = span.targets().iter().collect();
                    Session::open_on(&targets, method, plan.wait, seed()?).map(|session| session.engine())
                }
                Step::Pass(method) => {
                    Ready::open(plan, span.target(), method, seed()?).map(|ready| ready.engine())
                }
            };
            engine.map_err(|error| setup_failure(&label, error))?
        }
    };
    let (target, other_targets) = described(span);
    Ok(Measured {
        outcome: Outcome::Interrupted,
        elapsed: clock.now(),
        target,
        other_targets,
        engine,
        preparation: past.preparation,
        telemetry: telemetry::joined(past.telemetry, watched),
        resumptions: past.resumptions,
        cells: past.cells,
        passes: past.passes,
    })
}

struct Run<'a> {
    plan: &'a Plan,
    stop: &'a StopFlag,
    journal: &'a mut Journal,
    clock: RunClock,
    watch: Watch,
    progress: Progress,
    /// What cells are measured on; absent only while it gives way to another one.
    span: Option<Span>,
    /// What the next cell's span was made with, until the cell has it.
    made: Option<(Option<Preparation>, State)>,
    /// The latest evidence that could be read, of each target.
    proofs: Vec<Proof>,
    engine: Option<Engine>,
    cells: Vec<Cell>,
    passes: Vec<Pass>,
    /// Files that the next step of a copy needs.
    kept: Kept,
    /// Time up to which what was watched is in the journal, nanoseconds.
    watched_ns: u64,
    /// Whether the user stopped the last cell before its last loop.
    cut_short: bool,
}

/// How the loops of a cell ended.
struct Loops {
    loops: Vec<Loop>,
    error: Option<CellError>,
    /// On which of several drives apart the error happened, from 0.
    failed_member: Option<u8>,
    stopped: bool,
}

impl Run<'_> {
    fn span(&self) -> &Span {
        self.span.as_ref().expect("a cell is measured on a span")
    }

    /// The target, of several the first.
    fn target(&self) -> &OpenTarget {
        self.span().target()
    }

    /// Makes the span that the cell at `number` needs, unless it is there. Whether the user stopped it.
    fn prepare(&mut self, number: usize) -> Result<bool, Failure> {
        let wanted = self.plan.span_for(number.checked_sub(1), number);
        let Some(section) = wanted.section() else { return Ok(false) };
        let before = self.span.take().expect("there is one from the beginning");
        let span = before.another(self.plan, section)?;
        match span.make(self.plan, &wanted, &self.progress, self.stop) {
            Ok((span, Made { preparation, state })) => {
                if let Some(preparation) = &preparation {
                    self.progress.line(&fill_line(preparation));
                }
                self.span = Some(span);
                self.made = Some((preparation, state));
                Ok(false)
            }
            Err(NoSpan::Stopped(span)) => {
                self.span = Some(*span);
                Ok(true)
            }
            Err(NoSpan::Failed(failure)) => Err(failure),
        }
    }

    fn all_steps(&mut self) -> Result<Outcome, Failure> {
        let plan = self.plan;
        let total = plan.step_count();
        let over = self.over();
        for number in over..total {
            let (run, index, step) = plan.step(number);
            if number > over && self.prepare(number)? {
                return Ok(Outcome::Interrupted);
            }
            // After the drive was filled for it, if it was: the pause is the drive's.
            let pause = plan.suite.pause_before(index);
            if pause > 0 {
                self.rest(pause);
            }
            // A step that was not begun is not in the document; a run always has its first one.
            if self.stop.requested() && self.over() > 0 {
                return Ok(Outcome::Interrupted);
            }
            let (status, error) = match step {
                Step::Cell(method) => {
                    let title = format!("cell {} of {total}, {}", number + 1, method.label());
                    self.cell(run, method, &title)?;
                    self.cells.last().map(|cell| (cell.status, cell.error))
                }
                Step::Pass(method) => {
                    let title = format!("pass {} of {total}, {}", number + 1, method.label());
                    if self.pass(run, method, title)? {
                        // A pass that was cut short is no pass of this method: it goes, the whole ones stay.
                        return Ok(Outcome::Interrupted);
                    }
                    self.passes.last().map(|pass| (pass.status, pass.error))
                }
            }
            .expect("the step that was measured is the last one");
            match status {
                CellStatus::Failed if error.is_some_and(|error| self.run_ends(error)) => {
                    return Ok(Outcome::Failed);
                }
                // One that was cut short may be void besides.
                _ if self.cut_short => return Ok(Outcome::Interrupted),
                _ => {}
            }
            if self.stop.requested() && number + 1 < total {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Complete)
    }

    /// Cells and passes that are over.
    fn over(&self) -> usize {
        self.cells.len() + self.passes.len()
    }

    /// Whether the last step's error leaves nothing to be measured.
    fn run_ends(&self, error: CellError) -> bool {
        // A drive that was pulled out answers like one with a bad block: reads elsewhere tell them apart.
        error.kind.ends_run() || self.span().targets().iter().any(OpenTarget::answers_nowhere)
    }

    /// Carries a pass out. Whether the user stopped it.
    fn pass(&mut self, run: u32, method: &PassMethod, title: String) -> Result<bool, Failure> {
        let mark = SleepMark::now();
        let player = match Ready::open(self.plan, self.target(), method, seed()?) {
            Ok(player) => player,
            Err(error) if self.engine.is_none() => return Err(setup_failure(&method.label(), error)),
            Err(error) => {
                note(&setup_failure(&method.label(), error).text());
                let played = passes::Played::failed(CellErrorKind::Setup, self.clock.now().0);
                self.push_pass(run, method, played, mark);
                return Ok(false);
            }
        };
        self.engine = Some(match self.engine.take() {
            None => player.engine(),
            Some(before) if before.class != player.engine().class => {
                note(&mixed(&method.label(), &before, &player.engine()).text());
                self.engine = Some(before);
                let played = passes::Played::failed(CellErrorKind::Setup, self.clock.now().0);
                self.push_pass(run, method, played, mark);
                return Ok(false);
            }
            Some(before) => common(before, player.engine()),
        });
        self.progress.start_pass(title, plan::pass_time(&self.plan.suite, method));
        let rests = matches!(method.workload, Workload::Idle(_));
        if rests {
            self.watch.pause();
        }
        let played = player.play(method, &self.clock, self.stop, self.progress.live(), &mut self.kept);
        if rests {
            self.watch.resume();
        }
        let wrote = played.write.as_ref().map_or(0, |transfer| transfer.bytes);
        self.progress.wrote(wrote);
        if matches!(method.workload, Workload::SequentialWrites(_)) && played.error.is_none() {
            self.span.as_mut().expect("it is there").target_mut().wrote_up_to(wrote);
        }
        if played.stopped && played.error.is_none() {
            return Ok(true);
        }
        self.push_pass(run, method, played, mark);
        Ok(false)
    }

    /// What was watched since the journal was last written, up to this time on the run's clock.
    fn watched(&mut self) -> (Telemetry, u64) {
        let at_ns = self.clock.now().0;
        let telemetry = self.watch.so_far().between(self.watched_ns, at_ns);
        self.watched_ns = at_ns;
        (telemetry, at_ns)
    }

    fn push_pass(&mut self, run: u32, method: &PassMethod, mut played: passes::Played, mark: SleepMark) {
        let error = played.error.or(self.look_at_proof().map(|(error, _)| error));
        let mut proof = self.proofs[0].clone();
        proof.suspended_ns = mark.slept().0;
        if played.device.is_none() && !proof.unproven.contains(&Unproven::DeviceCounters) {
            proof.unproven.push(Unproven::DeviceCounters);
        }
        if let Some(extents) = played.extents.take() {
            proof.unproven.retain(|what| *what != Unproven::Extents);
            proof.unproven.extend(extents.known().is_none().then_some(Unproven::Extents));
            proof.extents = extents;
        }
        if played.buffered {
            proof.direct_io = false;
            proof.unproven.push(Unproven::Cold);
        }
        let (preparation, state) = self.made.take().map_or((None, None), |(fill, state)| (fill, Some(state)));
        let preparation = played.preparation.take().or(preparation);
        let mut pass = played.into_pass(method.clone(), run, proof);
        (pass.preparation, pass.state, pass.error) = (preparation, state, error);
        (pass.status, pass.void) = judged(pass_void_reasons(&pass), error.as_ref(), false);
        if !error.is_some_and(|error| error.kind.ends_run()) {
            let (pass, engine) = (pass.clone(), self.engine.clone());
            let (telemetry, at_ns) = self.watched();
            self.journal.pass(PassOver { pass, engine, telemetry, at_ns });
        }
        self.progress.line(&passes::line(&pass, self.over() + 1));
        self.passes.push(pass);
    }

    /// Reads the evidence anew; an error when a file cannot be asked any more, and which, from 0: what was before it was
    /// the last good.
    fn look_at_proof(&mut self) -> Option<(CellError, usize)> {
        let mut gone = None;
        for drive in 0..self.proofs.len() {
            match proof_of(&self.span().targets()[drive], self.plan, drive) {
                Ok(proof) => self.proofs[drive] = proof,
                Err(_) => {
                    let error = CellError { kind: CellErrorKind::Io, errno: None, offset: None };
                    gone.get_or_insert((error, drive));
                }
            }
        }
        gone
    }

    /// The evidence of a cell, and of drives apart that of each.
    fn proofs_of(&self, method: &Method, loops: &[Loop], mark: SleepMark) -> (Proof, Vec<Proof>) {
        let slept_ns = mark.slept().0;
        let seen = |mut proof: Proof, counted: bool| {
            proof.suspended_ns = slept_ns;
            if !counted && !proof.unproven.contains(&Unproven::DeviceCounters) {
                proof.unproven.push(Unproven::DeviceCounters);
            }
            proof
        };
        let Some(drives) = method.drives_apart().map(usize::from) else {
            let counted = loops.iter().all(|one| one.device.is_some());
            return (seen(self.proofs[0].clone(), counted), Vec::new());
        };
        let members: Vec<Proof> = (0..drives)
            .map(|drive| {
                let counted = loops.iter().all(|one| one.members[drive].device.is_some());
                seen(self.proofs[drive].clone(), counted)
            })
            .collect();
        let mut all = Proof::together(&members).expect("a method of drives apart has at least one");
        if let Reading::Known(sum) = all.link_bytes_per_s {
            let shared = ground::link_of_all(&self.plan.grounds()[..drives]);
            all.link_bytes_per_s = Reading::Known(shared.map_or(sum, |shared| shared.min(sum)));
        }
        (all, members)
    }

    fn rest(&self, seconds: u64) {
        self.progress.pause(seconds);
        self.watch.pause();
        let until = self.clock.now().0 + Nanos::from_secs(seconds).0;
        while self.clock.now().0 < until && !self.stop.requested() {
            thread::sleep(LOOK.min(Duration::from_nanos(until - self.clock.now().0.min(until))));
        }
        self.watch.resume();
    }

    fn cell(&mut self, run: u32, method: &Method, title: &str) -> Result<(), Failure> {
        let mark = SleepMark::now();
        let mut method = bursts::adapted(method, &self.cells);
        if let Some((_, state)) = &self.made {
            // What could not be trimmed is measured by another method.
            method.before.trimmed &= state.trimmed_bytes.known().is_some();
        }
        let method = &method;
        let targets: Vec<&OpenTarget> = self.span().targets().iter().collect();
        let session = match Session::open_on(&targets, method, self.plan.wait, seed()?) {
            Ok(session) => session,
            // Without an engine there is nothing to describe the run with, and nothing was measured.
            Err(error) if self.engine.is_none() => return Err(setup_failure(&method.label(), error)),
            Err(error) => {
                note(&setup_failure(&method.label(), error).text());
                self.push(run, method, failed(CellErrorKind::Setup), mark);
                return Ok(());
            }
        };
        self.engine = Some(match self.engine.take() {
            None => session.engine(),
            Some(before) if before.class != session.engine().class => {
                // Figures of two classes are not compared, so they have no place in one result.
                note(&mixed(&method.label(), &before, &session.engine()).text());
                self.engine = Some(before);
                self.push(run, method, failed(CellErrorKind::Setup), mark);
                return Ok(());
            }
            Some(before) => common(before, session.engine()),
        });
        let loops = self.loops(session, method, title);
        self.push(run, method, loops, mark);
        Ok(())
    }

    fn loops(&mut self, mut session: Session, method: &Method, title: &str) -> Loops {
        let total = method.discarded_loops + method.loops;
        let written = self.target().written_bytes();
        let mut loops = Vec::with_capacity(total as usize);
        for index in 0..total {
            if self.stop.requested() {
                return Loops { loops, error: None, failed_member: None, stopped: true };
            }
            let discarded = index < method.discarded_loops;
            let kind = if discarded { " (warm-up)" } else { "" };
            self.progress.start_loop(method, format!("{title}, loop {} of {total}{kind}", index + 1));
            let part =
                Part { longest: method.longest_loop(), number: index, discarded, readable_bytes: written };
            let end = session.run_loop(part, &self.clock, self.stop, self.progress.live());
            if end.error.is_some() || end.stopped {
                // A loop that was cut short is no loop of this method: it goes, the whole ones stay.
                let (error, failed_member, stopped) = (end.error, end.failed_member, end.stopped);
                return Loops { loops, error, failed_member, stopped };
            }
            let wrote = end.record.write.as_ref().map_or(0, |transfer| transfer.bytes);
            let beside = end.record.beside.as_ref().and_then(|stream| stream.write.as_ref());
            self.progress.wrote(wrote + beside.map_or(0, |transfer| transfer.bytes));
            // Behind a loop that its time ended lies a gap, and what comes after that is not one piece with the rest.
            let begin = method.stretch_begin(index);
            if method.writes_fresh() && begin <= self.target().written_bytes() {
                self.span.as_mut().expect("it is there").target_mut().wrote_up_to(begin + wrote);
            }
            loops.push(end.record);
            if let Some(one) = method.stretches().filter(|one| one.rest_seconds > 0) {
                self.rest(one.rest_seconds.into());
            }
            let steady = method.ends == Ends::Steady && steady_after(method, &loops).is_some();
            if steady || bursts::enough(method, &loops) {
                self.progress.spare(method, total - index - 1);
                break;
            }
        }
        Loops { loops, error: None, failed_member: None, stopped: false }
    }

    fn push(&mut self, run: u32, method: &Method, ended: Loops, mark: SleepMark) {
        let Loops { loops, mut error, mut failed_member, stopped } = ended;
        // A drive that takes no part in this cell may be gone by now: the next cell says so.
        let gone = self.look_at_proof().filter(|(_, drive)| *drive < drives_of(method));
        if let (None, Some((found, drive))) = (error, gone) {
            error = Some(found);
            failed_member = u8::try_from(drive).ok().filter(|_| method.apart);
        }
        let (proof, members) = self.proofs_of(method, &loops, mark);
        let (preparation, state) = self.made.take().map_or((None, None), |(fill, state)| (fill, Some(state)));
        let cell = judge(
            Cell {
                method: method.clone(),
                run,
                status: CellStatus::Complete,
                void: Vec::new(),
                error,
                failed_member,
                proof,
                members,
                preparation,
                state,
                loops,
            },
            stopped,
        );
        // A cell that was cut short, or that ended the run, is measured anew when the run is resumed.
        self.cut_short = stopped;
        if !stopped && !cell.error.is_some_and(|error| error.kind.ends_run()) {
            let (cell, engine) = (cell.clone(), self.engine.clone());
            let (telemetry, at_ns) = self.watched();
            self.journal.cell(CellOver { cell, engine, telemetry, at_ns });
        }
        // Who reads this may rely on it: the cell is on the drive.
        self.progress.line(&cell_line(&cell, self.over() + 1));
        self.cells.push(cell);
    }
}

/// Targets that a method is measured on.
fn drives_of(method: &Method) -> usize {
    method.drives_apart().map_or(1, usize::from)
}

/// The same cell with the word whether its figures count, and why not.
fn judge(cell: Cell, stopped: bool) -> Cell {
    let (status, void) = judged(cell_void_reasons(&cell), cell.error.as_ref(), stopped);
    Cell { status, void, ..cell }
}

/// The status by the reasons, an error and an interruption.
fn judged(
    mut void: Vec<VoidReason>,
    error: Option<&CellError>,
    stopped: bool,
) -> (CellStatus, Vec<VoidReason>) {
    if let Some(error) = error {
        let reason = error.kind.void_reason();
        if !void.contains(&reason) {
            void.push(reason);
        }
        return (CellStatus::Failed, void);
    }
    match (void.is_empty(), stopped) {
        (false, _) => (CellStatus::Void, void),
        (true, true) => (CellStatus::Partial, void),
        (true, false) => (CellStatus::Complete, void),
    }
}

fn failed(kind: CellErrorKind) -> Loops {
    let error = Some(CellError { kind, errno: None, offset: None });
    Loops { loops: Vec::new(), error, failed_member: None, stopped: false }
}

/// The evidence of one target, `drive` from 0 of drives apart.
fn proof_of(target: &OpenTarget, plan: &Plan, drive: usize) -> Result<Proof, TargetError> {
    let mut proof = target.proof()?;
    let ground = plan.apart.get(drive).map_or(plan.ground.as_ref(), Option::as_ref);
    ground::complete(&mut proof, ground, &SysRoot::default());
    Ok(proof)
}

/// Refuses to measure what cannot be proven, before any measuring I/O; `drive` from 0 of drives apart.
fn check_proof(plan: &Plan, drive: usize, proof: &Proof) -> Result<(), Failure> {
    let reasons = before_io(proof);
    if reasons.is_empty() || plan.allow_void {
        return Ok(());
    }
    let reasons: Vec<&str> = reasons.into_iter().map(VoidReason::text).collect();
    let whose = match plan.place.each() {
        [_] => String::new(),
        places => format!("{}: ", shown(places[drive].path())),
    };
    Err(Failure::refused("the figures would prove nothing, so nothing was measured")
        .because(format!("{whose}{}", reasons.join(" ")))
        .hint("choose a directory on another file system, or measure all the same, marked as void, with --allow-void"))
}

/// What two engines have in common: the document has one description for all cells.
fn common(a: Engine, b: Engine) -> Engine {
    let mut refused = [a.refused, b.refused].concat();
    refused.sort();
    refused.dedup();
    let both = a.features.into_iter().filter(|feature| b.features.contains(feature));
    Engine {
        class: a.class,
        wait: a.wait,
        // The longest list: cells with fewer threads use the first of the same processors.
        cpus: if b.cpus.len() > a.cpus.len() { b.cpus } else { a.cpus },
        features: both.collect(),
        refused,
        buffer_page_bytes: a.buffer_page_bytes.min(b.buffer_page_bytes),
    }
}

fn mixed(label: &str, before: &Engine, now: &Engine) -> Failure {
    Failure::failed(format!("{label} was not measured"))
        .because(format!(
            "what came before it was measured over {}, and now there is only {} ({})",
            before.class.token(),
            now.class.token(),
            now.refused.join(", ")
        ))
        .hint("close other programs that use io_uring, or raise RLIMIT_MEMLOCK, and measure again")
}

fn seed() -> Result<u64, Failure> {
    getrandom::u64().map_err(|error| Failure::failed("the system gives no random numbers").because(error))
}

fn setup_failure(label: &str, error: EngineError) -> Failure {
    let what = format!("{label} cannot be measured");
    let failure = if error.refusal() { Failure::refused(what) } else { Failure::failed(what) };
    failure.because(error)
}

pub(crate) fn target_failure(error: TargetError) -> Failure {
    let failure = if error.refusal() {
        Failure::refused("this target is not measured")
    } else {
        Failure::failed("this target cannot be measured")
    };
    failure.because(error)
}

/// The same on one of several drives apart, `drive` from 0, by name.
pub(crate) fn target_failure_on(plan: &Plan, drive: usize, error: TargetError) -> Failure {
    let failure = target_failure(error);
    match plan.place.each() {
        [_] => failure,
        places => {
            failure.hint(format!("it happened on drive {}, {}", drive + 1, shown(places[drive].path())))
        }
    }
}

fn fill_line(preparation: &Preparation) -> String {
    let rate = per_second(preparation.bytes, Nanos(preparation.elapsed_ns)).map(format_rate);
    format!("filled {} at {}; measuring", format_size(preparation.bytes), rate.unwrap_or_default())
}

fn cell_line(cell: &Cell, number: usize) -> String {
    let rates = cell_values(cell, MetricKind::BytesPerS);
    let figure =
        analysis::stats::of(&rates).map_or_else(|| "no figure".to_owned(), |stats| format_rate(stats.median));
    let ending = match (cell.status, cell.error) {
        (_, Some(error)) => {
            let drive = cell.failed_member.map(|drive| format!("drive {}: ", drive + 1));
            format!(", FAILED: {}{}", drive.unwrap_or_default(), error_text(error))
        }
        (CellStatus::Void, _) => ", VOID".to_owned(),
        (CellStatus::Partial, _) => ", partial".to_owned(),
        _ => String::new(),
    };
    format!("cell {number}: {} {figure}{ending}", cell.method.label())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        document::{EngineClass, Wait},
        proof::Extents,
        reading::{Absent, Reading},
    };

    fn proof(hole_bytes: u64) -> Proof {
        Proof {
            direct_io: true,
            dio_memory_align: Reading::Known(512),
            dio_offset_align: Reading::Known(512),
            file_system: Reading::Absent(Absent::NotMeasured),
            extents: Reading::Known(Extents { count: 1, hole_bytes, ..Extents::default() }),
            suspended_ns: 0,
            link_bytes_per_s: Reading::Absent(Absent::NotReported),
            unproven: Vec::new(),
        }
    }

    #[test]
    fn an_error_outweighs_the_proof_and_the_proof_outweighs_an_interruption() {
        let suite = crate::suite::find("quick", &[], crate::suite::Room::UNKNOWN).unwrap();
        let gone = CellError { kind: CellErrorKind::Short, errno: None, offset: Some(0) };
        let judge = |hole, error: Option<&CellError>, stopped| {
            let method = suite.methods[0].clone();
            let cell = Cell {
                method,
                run: 0,
                status: CellStatus::Complete,
                void: Vec::new(),
                error: error.copied(),
                failed_member: None,
                proof: proof(hole),
                members: Vec::new(),
                preparation: None,
                state: None,
                loops: Vec::new(),
            };
            let Cell { status, void, .. } = judge(cell, stopped);
            (status, void)
        };
        assert_eq!(judge(0, None, false), (CellStatus::Complete, vec![]));
        assert_eq!(judge(0, None, true), (CellStatus::Partial, vec![]));
        assert_eq!(judge(1, None, true), (CellStatus::Void, vec![VoidReason::Hole]));
        let both = vec![VoidReason::Hole, VoidReason::ShortCompletion];
        assert_eq!(judge(1, Some(&gone), true), (CellStatus::Failed, both));
    }

    #[test]
    fn engines_of_all_cells_are_described_by_what_they_share() {
        let engine = |features: &[&str], refused: &[&str], page| Engine {
            class: EngineClass::Uring,
            wait: Wait::Block,
            cpus: Vec::new(),
            features: features.iter().map(|&text| text.to_owned()).collect(),
            refused: refused.iter().map(|&text| text.to_owned()).collect(),
            buffer_page_bytes: page,
        };
        let small = engine(&["fixed-buffers", "single-issuer"], &[], 2 << 20);
        let large = engine(&["single-issuer"], &["fixed-buffers: ENOMEM"], 4096);
        assert_eq!(common(small, large), engine(&["single-issuer"], &["fixed-buffers: ENOMEM"], 4096));
    }
}
