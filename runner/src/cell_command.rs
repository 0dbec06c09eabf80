//! `cliffmark cell`: one loop of one cell, without warm-up and without a bundle, for scripts and comparisons.
//!
//! Knows what may be done to which target and how the figures are written. Does not know the command line.

mod report;

pub use report::{CellReport, Latency};

use crate::{
    clock::{RunClock, SleepMark},
    drive::ground::{self, Ground},
    engine::{EngineError, Live, Part, Session, check_alignment, check_wait},
    hint::{Exit, Failure, note},
    host,
    host_command::measured_ceiling,
    rails::WholeDevice,
    report::error_text,
    run::confirmed_device,
    stop::StopFlag,
    suite::problem_of,
    sysfs::SysRoot,
    target::{OpenTarget, Reserve, TargetError, check_directory},
};
use analysis::{
    host_limit::{HostLimit, host_limit},
    proof::void_reasons,
};
use model::{
    Method,
    document::{Cell, CellStatus, Engine, Loop, TargetKind, Wait},
    method::{DataKind, Pattern},
    proof::{Proof, Unproven, VoidReason},
    units::format_size,
};
use std::{fs, os::unix::fs::FileTypeExt as _, path::PathBuf};

/// Size of a new file when none is given: 1 GiB.
pub const DEFAULT_SIZE: u64 = 1 << 30;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct CellRequest {
    /// An existing file or device, or a directory for a new file.
    pub target: PathBuf,
    /// Order and direction.
    pub pattern: Pattern,
    /// Bytes per I/O.
    pub block_bytes: u32,
    /// I/Os in flight per thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// Length in seconds.
    pub seconds: u32,
    /// Size of a new file, or the part of a device from its start; `None` for [`DEFAULT_SIZE`] and the whole
    /// device.
    pub size_bytes: Option<u64>,
    /// Whether an existing file may be written into: its content is lost.
    pub overwrite: bool,
    /// The serial number of the device to write to, as the user gave it.
    pub confirm_serial: Option<String>,
    /// Whether to measure what cannot be proven.
    pub allow_void: bool,
    /// How completions are awaited.
    pub wait: Wait,
    /// What is written, and what a new file is filled with; `None` for random data.
    pub data: Option<DataKind>,
}

/// Measures the cell.
///
/// # Errors
/// When the target is refused, the proof cannot hold (before any measuring I/O), an I/O failed, or it was
/// stopped.
pub fn measure(request: &CellRequest, stop: &StopFlag) -> Result<CellReport, Failure> {
    if request.data.is_some() && !request.target.is_dir() && !request.pattern.writes() {
        return Err(Failure::usage(
            "--data is about what is written, and this cell only reads a file as it is",
        )
        .hint("leave it out, or name a directory, where a new file of that data is made"));
    }
    let mut target = open(request)?;
    let method = method(request, &target)?;
    check_alignment(&method, target.offset_align()).map_err(setup_failure)?;
    if target.describe().kind == TargetKind::NewFile {
        note(&format!(
            "writing a test file of {}; it has no name and goes away by itself",
            format_size(target.span_bytes())
        ));
        target.fill(method.data, &mut |_| (), stop).map_err(target_failure)?;
    }
    let mut proof = proof(&target)?;
    let reasons = void_reasons(&method, &proof, &[]);
    if !reasons.is_empty() && !request.allow_void {
        let texts: Vec<&str> = reasons.into_iter().map(VoidReason::text).collect();
        return Err(Failure::refused("the figures would prove nothing, so nothing was measured")
            .because(texts.join(" "))
            .hint("name a directory instead, where a new file is made and written full")
            .hint("--allow-void measures all the same and marks the figures as void"));
    }
    let seed = getrandom::u64()
        .map_err(|error| Failure::failed("the system gives no random numbers").because(error))?;
    let mut session = Session::open(&target, &method, request.wait, seed).map_err(setup_failure)?;
    let mark = SleepMark::now();
    let part = Part::first(method.longest_loop());
    let end = session.run_loop(part, &RunClock::start(), stop, &Live::default());
    if let Some(error) = end.error {
        return Err(Failure::failed("the cell failed").because(error_text(error)));
    }
    if end.stopped {
        return Err(Failure::new(Exit::Interrupted, "interrupted before the end: there are no figures"));
    }
    proof.suspended_ns = mark.slept().0;
    if end.record.device.is_none() && !proof.unproven.contains(&Unproven::DeviceCounters) {
        proof.unproven.push(Unproven::DeviceCounters);
    }
    let host_limit =
        limit(&method, &proof, &end.record, &session.engine(), target.ground(&SysRoot::default()).as_ref());
    Ok(CellReport::new(&method, proof, &end.record, session.engine(), host_limit))
}

/// Why the host limited the cell. A blocking thread shows by its processor time whether it had any to spare; only
/// for one that polls is the ceiling measured.
fn limit(
    method: &Method,
    proof: &Proof,
    record: &Loop,
    engine: &Engine,
    ground: Option<&Ground>,
) -> Option<HostLimit> {
    let root = SysRoot::default();
    let mut host = host::describe(&root);
    if engine.wait != Wait::Block {
        host.ceiling = measured_ceiling(&root, ground);
    }
    let cell = Cell {
        preparation: None,
        state: None,
        method: method.clone(),
        run: 0,
        status: CellStatus::Complete,
        void: Vec::new(),
        error: None,
        failed_member: None,
        proof: proof.clone(),
        members: Vec::new(),
        loops: vec![record.clone()],
    };
    host_limit(&cell, engine, &host)
}

/// The target as it is, or a new file that is not yet filled.
fn open(request: &CellRequest) -> Result<OpenTarget, Failure> {
    let CellRequest { target: path, pattern, size_bytes, overwrite, .. } = request;
    if path.is_dir() {
        let size = size_bytes.unwrap_or(DEFAULT_SIZE);
        check_directory(path, size, Reserve::Usual).map_err(target_failure)?;
        let target = OpenTarget::create_in(path, size).map_err(target_failure)?;
        check_wait(&SysRoot::default(), target.block_device(), request.wait, request.threads)
            .map_err(wait_failure)?;
        return Ok(target);
    }
    if fs::metadata(path).is_ok_and(|meta| meta.file_type().is_block_device()) {
        return open_device(request);
    }
    if size_bytes.is_some() {
        return Err(Failure::usage("--size is for a directory, where a new file is made")
            .hint("a file that is there is read over its whole length"));
    }
    if pattern.writes() && !overwrite && path.exists() {
        return Err(Failure::refused(format!("writing into {} would destroy its content", path.display()))
            .hint("--overwrite allows it; a directory as target gets a new file, which harms nothing"));
    }
    let target = OpenTarget::open_existing(path, pattern.writes()).map_err(target_failure)?;
    check_wait(&SysRoot::default(), target.block_device(), request.wait, request.threads)
        .map_err(wait_failure)?;
    Ok(target)
}

fn setup_failure(error: EngineError) -> Failure {
    let what = "this cell cannot be measured";
    let failure = if error.refusal() { Failure::refused(what) } else { Failure::failed(what) };
    failure.because(error)
}

fn wait_failure(error: EngineError) -> Failure {
    Failure::refused("this drive cannot be measured in this way").because(error)
}

/// A whole device: read as it is, or written behind the rails.
fn open_device(request: &CellRequest) -> Result<OpenTarget, Failure> {
    let root = SysRoot::default();
    let device = WholeDevice::find(&root, &request.target)?;
    let grain = u64::from(device.block_bytes.max(4096));
    let whole = device.capacity_bytes - device.capacity_bytes % grain;
    let span = request.size_bytes.unwrap_or(whole);
    let write = request.pattern.writes();
    let file = if write {
        // Looked at before it is asked for, so that nobody types a number for nothing.
        drop(device.open_empty(&root, false)?);
        confirmed_device(&device, request.confirm_serial.as_deref())?;
        device.open_empty(&root, true)?.file
    } else {
        device.open_as_it_is()?
    };
    check_wait(&root, Some(device.number), request.wait, request.threads).map_err(wait_failure)?;
    OpenTarget::on_device(&device, file, span, write).map_err(target_failure)
}

fn target_failure(error: TargetError) -> Failure {
    match error {
        TargetError::Stopped => {
            Failure::new(Exit::Interrupted, "interrupted while the test file was written; it is gone already")
        }
        error if error.refusal() => Failure::refused("this target is not measured").because(error),
        error => Failure::failed("this target cannot be measured").because(error),
    }
}

fn method(request: &CellRequest, target: &OpenTarget) -> Result<Method, Failure> {
    let CellRequest { pattern, block_bytes, queue_depth, threads, seconds, .. } = *request;
    let size = request.size_bytes.map_or(target.span_bytes(), |size| size.min(target.span_bytes()));
    let new_file = request.target.is_dir();
    let method = Method {
        pattern,
        block_bytes,
        queue_depth,
        threads,
        // Only whole blocks: the end of a file that is no multiple of them is left alone.
        span_bytes: size - size.checked_rem(u64::from(block_bytes)).unwrap_or(0),
        data: if new_file || pattern.writes() {
            request.data.unwrap_or(DataKind::Random)
        } else {
            DataKind::Existing
        },
        seconds,
        loops: 1,
        discarded_loops: 0,
        interval_seconds: 0,
        ..Method::PLAIN
    };
    if method.in_range() {
        Ok(method)
    } else {
        Err(Failure::usage("the cell cannot be measured").because(problem_of(&method)))
    }
}

fn proof(target: &OpenTarget) -> Result<Proof, Failure> {
    let mut proof = target.proof().map_err(target_failure)?;
    if target.describe().kind == TargetKind::Device {
        proof.unproven.push(Unproven::Content);
    }
    let root = SysRoot::default();
    ground::complete(&mut proof, target.ground(&root).as_ref(), &root);
    Ok(proof)
}

#[cfg(test)]
mod tests;
