//! Results in other forms: a table with one line per loop, and one per direction of a pass, the documents themselves, fio job files.
//!
//! Pure: documents in, text out.

use analysis::summary::loop_value;
use bundle::Verified;
use model::{
    Histogram,
    document::{Cell, Loop, Transfer},
    method::{DataKind, Ends, Method, Pattern},
    metric::MetricKind,
    pass::Pass,
    units::{Nanos, per_second},
};
use std::fmt::Write as _;

const COLUMNS: &str = "result,drive,suite,run,cell,method,status,void,loop,discarded,started_ns,elapsed_ns,ios,bytes,\
bytes_per_s,iops,latency_min_ns,latency_mean_ns,latency_p50_ns,latency_p90_ns,latency_p99_ns,latency_p999_ns,\
latency_p9999_ns,latency_max_ns,cpu_ns_per_io";

/// A table with one line per loop of every cell, and one per direction of every pass: rates of a pass are over the time
/// in which an I/O was outstanding. Source of the form: RFC 4180.
#[must_use]
pub fn csv(results: &[Verified]) -> String {
    let mut out = format!("{COLUMNS}\r\n");
    for result in results {
        let document = result.document();
        let loops = document.cells.iter().flat_map(|cell| {
            let loops = cell.loops.iter().enumerate().map(|(index, one)| loop_fields(cell, index, one));
            // A cell that failed before its first loop was over has a line without figures.
            loops.chain(cell.loops.is_empty().then(|| cell_fields(cell)))
        });
        let passes = document.passes.iter().flat_map(|pass| {
            let sides = [("read", &pass.read), ("write", &pass.write)].into_iter();
            sides.filter_map(|(side, transfer)| Some(pass_fields(pass, side, transfer.as_ref()?)))
        });
        for fields in loops.chain(passes) {
            let head = [result.id().to_string(), document.drive.name(), document.suite.clone()];
            let line: Vec<String> = head.into_iter().chain(fields).map(|f| field(&f)).collect();
            let _ = write!(out, "{}\r\n", line.join(","));
        }
    }
    out
}

fn cell_fields(cell: &Cell) -> Vec<String> {
    let void: Vec<&str> = cell.void.iter().map(|reason| reason.token()).collect();
    let mut fields = vec![
        cell.run.to_string(),
        cell.method.label(),
        cell.method.id().to_string(),
        cell.status.token().to_owned(),
        void.join(" "),
    ];
    // The columns of the result itself stand before these.
    fields.resize(COLUMNS.split(',').count() - 3, String::new());
    fields
}

/// Least, mean, percentiles and greatest of latencies, nanoseconds.
fn latency_fields(latency: &Histogram) -> Vec<String> {
    let text = |value: Option<Nanos>| value.map(|ns| ns.0.to_string()).unwrap_or_default();
    let percentiles = [50_000, 90_000, 99_000, 99_900, 99_990].map(|share| latency.percentile(share));
    [latency.min(), latency.mean()].into_iter().chain(percentiles).chain([latency.max()]).map(text).collect()
}

fn pass_fields(pass: &Pass, side: &str, transfer: &Transfer) -> Vec<String> {
    let void: Vec<&str> = pass.void.iter().map(|reason| reason.token()).collect();
    let rate =
        |count| per_second(count, Nanos(pass.busy_ns)).map(|rate| format!("{rate:.1}")).unwrap_or_default();
    let mut fields = vec![
        pass.run.to_string(),
        format!("{}, {side}", pass.method.label()),
        pass.method.id().to_string(),
        pass.status.token().to_owned(),
        void.join(" "),
        String::new(),
        "false".to_owned(),
        pass.started_ns.to_string(),
        pass.elapsed_ns.to_string(),
        transfer.ios.to_string(),
        transfer.bytes.to_string(),
        rate(transfer.bytes),
        rate(transfer.ios),
    ];
    fields.extend(latency_fields(&transfer.latency));
    // The processor's time is that of both directions.
    fields.push(String::new());
    fields
}

fn loop_fields(cell: &Cell, index: usize, one: &Loop) -> Vec<String> {
    let method = &cell.method;
    let void: Vec<&str> = cell.void.iter().map(|reason| reason.token()).collect();
    let transfer = one.transfer(method);
    let count = |pick: fn(&model::document::Transfer) -> u64| {
        transfer.as_deref().map(pick).map(|n| n.to_string()).unwrap_or_default()
    };
    let value = |kind| loop_value(method, one, kind).map(|value| format!("{value:.1}")).unwrap_or_default();
    let none = Histogram::default();
    let latency = transfer.as_ref().map_or(&none, |transfer| &transfer.latency);
    let mut fields = vec![
        cell.run.to_string(),
        method.label(),
        method.id().to_string(),
        cell.status.token().to_owned(),
        void.join(" "),
        index.to_string(),
        one.discarded.to_string(),
        one.started_ns.to_string(),
        one.elapsed_ns.to_string(),
        count(|transfer| transfer.ios),
        count(|transfer| transfer.bytes),
        value(MetricKind::BytesPerS),
        value(MetricKind::Iops),
    ];
    fields.extend(latency_fields(latency));
    fields.push(value(MetricKind::CpuNsPerIo));
    fields
}

/// A field that neither breaks the table nor starts a formula in a spreadsheet.
fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// The signed documents, one a line.
#[must_use]
pub fn json(results: &[Verified]) -> Vec<u8> {
    results.iter().flat_map(|result| result.payload().iter().copied().chain([b'\n'])).collect()
}

/// A fio job file with an equivalent job per cell, in order; loops are fio's to repeat (`--loops` counts
/// passes, not time).
#[must_use]
pub fn fio(results: &[Verified]) -> String {
    let mut out = String::from(
        "; Jobs for fio, one per cell and method. Run with: fio --directory=DIRECTORY FILE.fio\n\
         ; A job is one loop: repeat the file for the loops of a method. The figures are fio's, not Cliffmark's.\n\
         ; All jobs share one file, which stays: remove cliffmark-fio.tmp in the end.\n\
         [global]\nioengine=io_uring\ndirect=1\ngroup_reporting=1\n\
         filename=cliffmark-fio.tmp\nnorandommap=1\nrandom_generator=tausworthe64\n",
    );
    let passes = results.iter().map(|result| result.document().passes.len()).sum::<usize>();
    if passes > 0 {
        let passes = if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") };
        out.push_str(&format!("; Left out: {passes}, no uniform load that a job could be.\n"));
    }
    let mut seen = Vec::new();
    for cell in results.iter().flat_map(|result| &result.document().cells) {
        if !seen.contains(&&cell.method) {
            seen.push(&cell.method);
            out.push_str(&fio_job(&cell.method));
        }
    }
    out
}

fn fio_job(method: &Method) -> String {
    let Method {
        pattern,
        block_bytes,
        queue_depth,
        threads,
        span_bytes,
        data,
        seconds,
        loops,
        interval_seconds,
        ..
    } = method;
    let data = match data {
        DataKind::Random | DataKind::Existing => "refill_buffers=1\n",
        DataKind::Zero => "zero_buffers=1\n",
        // As fio does by default.
        DataKind::Repeat => "refill_buffers=0\n",
    };
    let order = match pattern {
        Pattern::SeqRead => "read",
        Pattern::SeqWrite => "write",
        Pattern::RandRead => "randread",
        Pattern::RandWrite => "randwrite",
        Pattern::RandMix => "randrw",
    };
    // Our threads share the file in equal parts when they go through it in order.
    let part = if pattern.sequential() && *threads > 1 {
        let part = span_bytes / u64::from(*threads);
        let part = part - part % u64::from(*block_bytes);
        format!("size={part}\noffset_increment={part}\nfilesize={span_bytes}\n")
    } else {
        format!("size={span_bytes}\n")
    };
    let mix = method.read_percent.map_or_else(String::new, |percent| format!("rwmixread={percent}\n"));
    // What ends by bytes must not be written again and again for the time it may take.
    let ends = match method.stretches() {
        Some(one) => {
            let bytes = one.loop_bytes.saturating_mul((*loops).into());
            format!("io_size={bytes}\n")
        }
        None => format!("time_based=1\nruntime={seconds}\n"),
    };
    let beside = method.beside.map_or_else(String::new, |one| {
        format!(
            "\n[{}.beside]\nrw={order}\nbs={}\niodepth={}\nnumjobs=1\nthread=1\nsize={span_bytes}\n{mix}{data}time_based=1\nruntime={seconds}\n",
            method.cell(),
            one.block_bytes,
            one.queue_depth
        )
    });
    format!(
        "\n; {}\n{}[{}]\nstonewall\nrw={order}\nbs={block_bytes}\niodepth={queue_depth}\nnumjobs={threads}\nthread=1\n{part}{mix}{data}{ends}startdelay={interval_seconds}\n{beside}",
        method.id(),
        beyond(method),
        method.cell(),
    )
}

/// What fio has no word for, as comments.
fn beyond(method: &Method) -> String {
    let stretches = method.stretches();
    let rests = stretches.is_some_and(|one| one.rest_seconds > 0);
    let settles = stretches.is_some_and(|one| one.settles.is_some() || one.until_slow);
    [
        (rests, "not expressed: the rests between its loops"),
        (settles, "not expressed: it ends early when nothing changes any more, or when a loop slows down"),
        (!method.before.is_as_found(), "not expressed: the state that the drive is brought into before"),
        (method.ends == Ends::Steady, "not expressed: it ends when it is steady"),
        (
            method.drives_apart().is_some_and(|drives| drives > 1),
            "not expressed: the same at once on a file of its own on each of the other drives",
        ),
    ]
    .into_iter()
    .filter(|(is, _)| *is)
    .map(|(_, text)| format!("; {text}\n"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_never_formulas() {
        for (text, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=cmd()", "'=cmd()"),
            ("-1,2", "\"'-1,2\""),
        ] {
            assert_eq!(field(text), written);
        }
    }

    #[test]
    fn a_fio_job_has_the_parameters_of_the_method() {
        let method = Method {
            pattern: Pattern::SeqWrite,
            block_bytes: 1 << 20,
            queue_depth: 8,
            threads: 4,
            span_bytes: 1 << 30,
            data: DataKind::Random,
            seconds: 5,
            loops: 5,
            discarded_loops: 1,
            interval_seconds: 5,
            ..Method::PLAIN
        };
        insta::assert_snapshot!(fio_job(&method));
        for (data, option) in [
            (DataKind::Zero, "\nzero_buffers=1\n"),
            (DataKind::Repeat, "\nrefill_buffers=0\n"),
            (DataKind::Existing, "\nrefill_buffers=1\n"),
        ] {
            let job = fio_job(&Method { data, ..method.clone() });
            assert!(job.contains(option), "{job}");
        }
    }
}
