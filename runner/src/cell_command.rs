//! `cliffmark cell`: one loop of one cell, without warm-up and without a bundle, for scripts and comparisons.
//!
//! Knows what may be done to which target and how the figures are written. Does not know the command line.

use crate::{
    clock::{RunClock, SleepMark},
    drive,
    engine::{Live, Session},
    hint::{Exit, Failure, note},
    report::error_text,
    stop::StopFlag,
    sysfs::SysRoot,
    target::{OpenTarget, TargetError},
};
use analysis::proof::void_reasons;
use model::{
    Histogram, Method,
    document::{Engine, Loop},
    drive::Transport,
    method::{DataKind, Pattern},
    proof::{Proof, Unproven, VoidReason},
    units::{NS_PER_S, Nanos, Unit, format_nanos, format_rate, format_size, per_second},
};
use serde::Serialize;
use std::{fmt::Write as _, path::PathBuf};

/// Size of a new file when none is given: 1 GiB.
pub const DEFAULT_SIZE: u64 = 1 << 30;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct CellRequest {
    /// An existing file, or a directory for a new one.
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
    /// Size of a new file, or the part of an existing one from its start; `None` for [`DEFAULT_SIZE`] and the
    /// whole file.
    pub size_bytes: Option<u64>,
    /// Whether an existing file may be written into: its content is lost.
    pub overwrite: bool,
    /// Whether to measure what cannot be proven.
    pub allow_void: bool,
}

/// The figures of a cell, for the whole loop, in void cells too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellReport {
    /// Id of the method.
    pub method: String,
    /// The pattern's word, `rand-read`.
    pub pattern: &'static str,
    /// Bytes per I/O.
    pub block_bytes: u32,
    /// I/Os in flight per thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// Bytes that offsets were taken from.
    pub span_bytes: u64,
    /// Completed I/Os per second.
    pub iops: f64,
    /// Completed bytes per second.
    pub bytes_per_s: f64,
    /// Processor time of the whole process per I/O, nanoseconds; `None` when there was no I/O.
    pub cpu_ns_per_io: Option<f64>,
    /// Submission-to-completion latency; `None` when there was no I/O.
    pub latency_ns: Option<Latency>,
    /// I/Os completed before the deadline.
    pub ios: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// From the first submission to the deadline, nanoseconds.
    pub elapsed_ns: u64,
    /// From the deadline to the last completion, nanoseconds.
    pub drain_ns: u64,
    /// I/Os completed after the deadline.
    pub drained_ios: u64,
    /// Reads or writes that the kernel counted for the device; `None` when it tells nothing.
    pub device_requests: Option<u64>,
    /// Bytes of them.
    pub device_bytes: Option<u64>,
    /// Whether direct I/O was used and found working.
    pub direct_io: bool,
    /// Why the figures prove nothing; empty when they do.
    pub void: Vec<VoidReason>,
    /// What cannot be proven on this target.
    pub unproven: Vec<Unproven>,
    /// How I/Os were submitted and awaited.
    pub engine: Engine,
}

/// Latencies in nanoseconds; percentiles are upper bounds of 1.6 % wide buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// Least.
    pub min: u64,
    /// Arithmetic mean.
    pub mean: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p99_9: u64,
    /// 99.99th percentile.
    pub p99_99: u64,
    /// Greatest.
    pub max: u64,
}

impl Latency {
    fn of(histogram: &Histogram) -> Option<Self> {
        let p = |per_100_000| histogram.percentile(per_100_000).map(|ns| ns.0);
        Some(Self {
            min: histogram.min()?.0,
            mean: histogram.mean()?.0,
            p50: p(50_000)?,
            p90: p(90_000)?,
            p99: p(99_000)?,
            p99_9: p(99_900)?,
            p99_99: p(99_990)?,
            max: histogram.max()?.0,
        })
    }
}

/// Measures the cell.
///
/// # Errors
/// When the target is refused, the proof cannot hold (before any measuring I/O), an I/O failed, or it was
/// stopped.
pub fn measure(request: &CellRequest, stop: &StopFlag) -> Result<CellReport, Failure> {
    let target = open(request, stop)?;
    let method = method(request, &target)?;
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
    let mut session = Session::open(&target, &method, seed)
        .map_err(|error| Failure::failed("this cell cannot be measured").because(error))?;
    let mark = SleepMark::now();
    let length = Nanos(u64::from(method.seconds) * NS_PER_S);
    let end = session.run_loop(length, false, &RunClock::start(), stop, &Live::default());
    if let Some(error) = end.error {
        return Err(Failure::failed("the cell failed").because(error_text(error)));
    }
    if end.stopped {
        return Err(Failure::new(Exit::Interrupted, "stopped before the end: there are no figures"));
    }
    proof.suspended_ns = mark.slept().0;
    if end.record.device.is_none() && !proof.unproven.contains(&Unproven::DeviceCounters) {
        proof.unproven.push(Unproven::DeviceCounters);
    }
    Ok(report(&method, proof, &end.record, session.engine()))
}

fn open(request: &CellRequest, stop: &StopFlag) -> Result<OpenTarget, Failure> {
    let CellRequest { target: path, pattern, size_bytes, overwrite, .. } = request;
    if path.is_dir() {
        let size = size_bytes.unwrap_or(DEFAULT_SIZE);
        note(&format!("writing a test file of {}; it has no name and goes away by itself", format_size(size)));
        return OpenTarget::create_in(path, size, &mut |_| (), stop)
            .map(|(target, _)| target)
            .map_err(target_failure);
    }
    if pattern.writes() && !overwrite && path.exists() {
        return Err(Failure::refused(format!("writing into {} would destroy its content", path.display()))
            .hint("--overwrite allows it; a directory as target gets a new file, which harms nothing"));
    }
    OpenTarget::open_existing(path, pattern.writes()).map_err(target_failure)
}

fn target_failure(error: TargetError) -> Failure {
    match error {
        TargetError::Stopped => {
            Failure::new(Exit::Interrupted, "stopped while the test file was written; it is gone already")
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
        data: if new_file || pattern.writes() { DataKind::Random } else { DataKind::Existing },
        seconds,
        loops: 1,
        discarded_loops: 0,
        interval_seconds: 0,
    };
    if method.in_range() {
        Ok(method)
    } else {
        Err(Failure::usage("a parameter of the cell lies outside its range").hint(
            "block 512 B to 64 MiB in steps of 512 B, queue depth 1 to 4096, threads 1 to 64, 1 to 86400 seconds, and at least one block a thread in the file",
        ))
    }
}

fn proof(target: &OpenTarget) -> Result<Proof, Failure> {
    let mut proof = target.proof().map_err(target_failure)?;
    let disk = target.block_device().and_then(|device| drive::topology(&SysRoot::default(), device));
    if disk.is_some_and(|topology| drive::transport(&topology.disk) == Transport::Virtio) {
        proof.unproven.push(Unproven::VirtualDisk);
    }
    Ok(proof)
}

fn report(method: &Method, proof: Proof, record: &Loop, engine: Engine) -> CellReport {
    let void = void_reasons(method, &proof, std::slice::from_ref(record));
    let transfer = record.transfer(method);
    let (ios, bytes) = transfer.map_or((0, 0), |transfer| (transfer.ios, transfer.bytes));
    let rate = |count| per_second(count, Nanos(record.elapsed_ns)).unwrap_or(0.0);
    let all_ios = ios + record.drained_ios;
    let device = record.device.map(|device| {
        if method.pattern.writes() {
            (device.write_requests, device.written_bytes)
        } else {
            (device.read_requests, device.read_bytes)
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    let cpu_ns_per_io = (all_ios > 0).then(|| record.cpu_ns as f64 / all_ios as f64);
    CellReport {
        method: method.id().to_string(),
        pattern: method.pattern.token(),
        block_bytes: method.block_bytes,
        queue_depth: method.queue_depth,
        threads: method.threads,
        span_bytes: method.span_bytes,
        iops: rate(ios),
        bytes_per_s: rate(bytes),
        cpu_ns_per_io,
        latency_ns: transfer.and_then(|transfer| Latency::of(&transfer.latency)),
        ios,
        bytes,
        elapsed_ns: record.elapsed_ns,
        drain_ns: record.drain_ns,
        drained_ios: record.drained_ios,
        device_requests: device.map(|(requests, _)| requests),
        device_bytes: device.map(|(_, bytes)| bytes),
        direct_io: proof.direct_io,
        void,
        unproven: proof.unproven,
        engine,
    }
}

impl CellReport {
    /// The report as one flat JSON object on a line of its own.
    ///
    /// # Panics
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a report has only JSON-able fields");
        text.push('\n');
        text
    }

    /// The report for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.method);
        let mut line = |name: &str, value: String| {
            // Writing into a string cannot fail.
            let _ = writeln!(out, "  {name:<12} {value}");
        };
        line("throughput", format_rate(self.bytes_per_s));
        line("IOPS", Unit::Iops.format(self.iops));
        if let Some(latency) = self.latency_ns {
            let ns = |value| format_nanos(Nanos(value));
            line("latency", format!("median {}, mean {}", ns(latency.p50), ns(latency.mean)));
            line(
                "",
                format!(
                    "99 % {}, 99.9 % {}, 99.99 % {}",
                    ns(latency.p99),
                    ns(latency.p99_9),
                    ns(latency.p99_99)
                ),
            );
            line("", format!("least {}, greatest {}", ns(latency.min), ns(latency.max)));
        }
        if let Some(cpu) = self.cpu_ns_per_io {
            line("CPU per I/O", Unit::Nanoseconds.format(cpu));
        }
        line("engine", format!("{}, {}", self.engine.class.token(), self.engine.features.join(" ")));
        for refused in &self.engine.refused {
            line("", format!("refused: {refused}"));
        }
        for reason in &self.void {
            line("VOID", reason.text().to_owned());
        }
        for what in &self.unproven {
            line("not proven", what.text().to_owned());
        }
        out
    }
}

#[cfg(test)]
mod tests;
