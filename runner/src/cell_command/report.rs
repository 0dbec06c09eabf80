//! What `cliffmark cell` tells: one flat object for scripts, a few lines for people.

use analysis::{host_limit::HostLimit, proof::void_reasons, requests};
use model::{
    Histogram, Method,
    document::{Engine, Loop},
    proof::{Proof, Unproven, VoidReason},
    units::{Nanos, Unit, format_nanos, format_rate, per_second},
};
use serde::{Serialize, Serializer};
use std::fmt::Write as _;

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
    /// Requests of the device per I/O; above 1 when I/Os were split or others used it too; `None` when the kernel
    /// tells nothing.
    pub requests_per_io: Option<f64>,
    /// What kept the host from going faster, `processor` or `ring`; `None` when it had time to spare.
    #[serde(serialize_with = "token")]
    pub host_limit: Option<HostLimit>,
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

fn token<S: Serializer>(limit: &Option<HostLimit>, serializer: S) -> Result<S::Ok, S::Error> {
    limit.map(HostLimit::token).serialize(serializer)
}

impl CellReport {
    /// The report of one loop.
    pub(super) fn new(
        method: &Method,
        proof: Proof,
        record: &Loop,
        engine: Engine,
        host_limit: Option<HostLimit>,
    ) -> Self {
        let void = void_reasons(method, &proof, std::slice::from_ref(record));
        let transfer = record.transfer(method);
        let (ios, bytes) = transfer.as_ref().map_or((0, 0), |transfer| (transfer.ios, transfer.bytes));
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
        Self {
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
            requests_per_io: requests::per_io(method, record),
            host_limit,
            direct_io: proof.direct_io,
            void,
            unproven: proof.unproven,
            engine,
        }
    }

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
        line("engine", format!("{}; waits {}", self.engine.class.token(), self.engine.wait.text()));
        line("", format!("granted: {}", self.engine.features.join(", ")));
        if !self.engine.cpus.is_empty() {
            let cpus: Vec<String> = self.engine.cpus.iter().map(u32::to_string).collect();
            line("", format!("on processor {}", cpus.join(", ")));
        }
        for refused in &self.engine.refused {
            line("", format!("refused: {refused}"));
        }
        if let Some(limit) = self.host_limit {
            line("host", limit.text().to_owned());
        }
        if let Some(requests) = self.requests_per_io.filter(|requests| *requests > requests::SPLIT_FROM) {
            line("requests", format!("{requests:.2} of the device for each I/O"));
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
