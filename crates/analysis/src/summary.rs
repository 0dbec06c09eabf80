//! From a document to its summary: each metric of each cell with the value of every measured loop.

use crate::{copied, drive_name, played, stats, stories};
use model::{
    Histogram, KeyId, Method, ResultDocument, ResultId,
    document::{Cell, EngineClass, Loop, LoopEnded, Transfer},
    host::Host,
    labels::LabelKey,
    metric::{MetricId, MetricKind},
    summary::{MetricSummary, ResultHead, ResultSummary},
    units::{Nanos, format_rate, format_size, per_second},
};

/// Summarises a document that has this id and was signed by this key.
#[must_use]
pub fn summarise(document: &ResultDocument, id: ResultId, key: KeyId) -> ResultSummary {
    ResultSummary {
        head: head(document, id, key),
        metrics: metrics(document),
        stories: stories::of_document(document),
        passes: played::of_document(document),
        moved: copied::of_document(document),
    }
}

/// The value of one metric in one loop; `None` when the loop has none.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
pub fn loop_value(method: &Method, one: &Loop, kind: MetricKind) -> Option<f64> {
    let transfer = one.transfer(method).filter(|transfer| transfer.ios > 0)?;
    let elapsed = Nanos(one.elapsed_ns);
    let latency = |pick: fn(&Histogram) -> Option<Nanos>| pick(&transfer.latency).map(|ns| ns.0 as f64);
    match kind {
        MetricKind::BytesPerS => per_second(transfer.bytes, elapsed),
        MetricKind::Iops => per_second(transfer.ios, elapsed),
        MetricKind::LatencyMeanNs => latency(Histogram::mean),
        MetricKind::LatencyP50Ns => latency(|h| h.percentile(50_000)),
        MetricKind::LatencyP99Ns => latency(|h| h.percentile(99_000)),
        MetricKind::LatencyP999Ns => latency(|h| h.percentile(99_900)),
        MetricKind::LatencyMaxNs => latency(Histogram::max),
        MetricKind::CpuNsPerIo => {
            // A simulated drive takes no time of a processor that would say anything.
            (one.cpu_ns > 0).then(|| one.cpu_ns as f64 / transfer.ios.saturating_add(one.drained_ios) as f64)
        }
    }
}

/// The loops that count, in their order.
pub fn counted_loops(loops: &[Loop]) -> impl Iterator<Item = &Loop> {
    loops.iter().filter(|one| !one.discarded)
}

/// Values of the loops that count, in their order; a loop that has no such value is left out.
pub(crate) fn counted_values(method: &Method, loops: &[Loop], kind: MetricKind) -> Vec<f64> {
    counted_loops(loops).filter_map(|one| loop_value(method, one, kind)).collect()
}

/// The same of a cell.
#[must_use]
pub fn cell_values(cell: &Cell, kind: MetricKind) -> Vec<f64> {
    counted_values(&cell.method, &cell.loops, kind)
}

/// What a loop was made of, where it is more than one direction or size, and what ended it before its time; a sentence
/// each, without a capital or a stop.
#[must_use]
pub fn loop_details(method: &Method, one: &Loop) -> Vec<String> {
    let rate = |transfer: &Transfer| {
        per_second(transfer.bytes, Nanos(one.elapsed_ns)).map(format_rate).unwrap_or_default()
    };
    let mut lines = Vec::new();
    if let (Some(read), Some(write)) = (&one.read, &one.write) {
        lines.push(format!("reads {}, writes {}", rate(read), rate(write)));
    }
    if let (Some(beside), Some(stream)) = (one.transfer_beside(), method.beside) {
        lines.push(format!(
            "beside it, I/Os of {}: {}",
            format_size(stream.block_bytes.into()),
            rate(&beside)
        ));
    }
    let of_drives: Vec<String> = one
        .members
        .iter()
        .map(|load| per_second(load.bytes(), Nanos(one.elapsed_ns)).map(format_rate).unwrap_or_default())
        .collect();
    if of_drives.len() > 1 {
        lines.push(format!("drive by drive {}", of_drives.join(", ")));
    }
    match one.ended {
        LoopEnded::Time => {}
        LoopEnded::Bytes => lines.push("all bytes moved".to_owned()),
        LoopEnded::Settled => lines.push("ended when nothing changed any more".to_owned()),
    }
    lines
}

fn metrics(document: &ResultDocument) -> Vec<MetricSummary> {
    // Repeats of the suite add their loops to the metric of the first one, unless they ended otherwise.
    let mut metrics: Vec<MetricSummary> = Vec::new();
    // The best loop of each run, beside its metric.
    let mut bests: Vec<Vec<f64>> = Vec::new();
    for cell in &document.cells {
        for kind in MetricKind::ALL {
            let values = cell_values(cell, kind);
            let metric = MetricId::new(&cell.method, kind);
            let method = cell.method.id();
            let best = stats::of(&values).map(|stats| stats.best(kind));
            let known = metrics
                .iter()
                .position(|m| m.metric == metric && m.method == method && m.status == cell.status);
            if let Some(known) = known {
                metrics[known].values.extend(values);
                bests[known].extend(best);
                continue;
            }
            bests.push(best.into_iter().collect());
            metrics.push(MetricSummary {
                metric,
                method,
                label: cell.method.label(),
                status: cell.status,
                void: cell.void.clone(),
                values,
                stats: None,
                mean_of_best: None,
            });
        }
    }
    for (metric, bests) in metrics.iter_mut().zip(&bests) {
        metric.stats = stats::of(&metric.values);
        metric.mean_of_best = stats::of(bests).filter(|stats| stats.count > 1).map(|stats| stats.mean);
    }
    metrics
}

fn head(document: &ResultDocument, id: ResultId, key: KeyId) -> ResultHead {
    let drive = &document.drive;
    let named = document.labels.get(&LabelKey::Drive).filter(|_| drive.model.known().is_none());
    let name = named.cloned().unwrap_or_else(|| drive.name());
    let capacity_bytes = drive.capacity_bytes.known().copied();
    ResultHead {
        id,
        joined: Vec::new(),
        key,
        drive_reported: drive.model.known().is_some(),
        drive_slug: drive_name::slug(&name, capacity_bytes, document.origin),
        drive: name,
        firmware: drive.firmware.known().cloned(),
        capacity_bytes,
        transport: drive.transport,
        suite: document.suite.clone(),
        started_unix_ms: document.started_unix_ms,
        origin: document.origin,
        visibility: document.visibility,
        outcome: document.outcome,
        engine: document.engine.class,
        file_system: document.file_systems(),
        file_system_block_bytes: document.target.file_system_block_bytes,
        host: host_text(&document.host, document.engine.class),
        labels: document.labels.clone(),
    }
}

fn host_text(host: &Host, engine: EngineClass) -> String {
    if engine == EngineClass::Simulated {
        return "virtual time".to_owned();
    }
    let cpu = host.cpu_model.text_with(Clone::clone);
    let kernel: Vec<&str> = host.kernel.split('.').take(2).collect();
    let place = if host.virtual_machine.known() == Some(&true) { ", virtual machine" } else { "" };
    format!("{cpu}, Linux {}{place}", kernel.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    #[test]
    fn repeats_have_the_mean_of_their_best_loops() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let once = metrics(&document);
        assert!(once.iter().all(|metric| metric.mean_of_best.is_none()));
        let mut repeated = document.cells.clone();
        for cell in &mut repeated {
            cell.run = 1;
            // Twice as slow.
            cell.loops.iter_mut().for_each(|one| one.elapsed_ns *= 2);
        }
        document.runs = 2;
        document.cells.extend(repeated);
        for (metric, once) in metrics(&document).iter().zip(&once) {
            if metric.kind() == MetricKind::BytesPerS {
                let best = once.stats.unwrap().max;
                assert!((metric.mean_of_best.unwrap() / best - 0.75).abs() < 1e-9);
                assert_eq!(metric.values.len(), 2 * once.values.len());
            }
        }
    }
}
