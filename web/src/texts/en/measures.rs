//! What is measured and how, in English.

use crate::{
    texts::Measures,
    words::{absence, counted, data_warning, place},
};
use model::{
    Method,
    drive::Transport,
    method::DataKind,
    metric::MetricKind,
    units::{format_count, format_seconds, format_size},
};

pub(super) const MEASURES: Measures = Measures {
    metric: MetricKind::text,
    transport: Transport::text,
    place,
    whole_device: "whole device",
    firmware: |name| format!("firmware {name}"),
    cooling: |words| format!("cooling {words}"),
    slot: |words| format!("slot {words}"),
    fill: |words| format!("fill {words}"),
    allocation_unit: |size| format!("{size} allocation unit"),
    comma: ", ",
    range: |least, greatest| format!("{least} to {greatest}"),
    higher_is_better: "Higher is better.",
    lower_is_better: "Lower is better.",
    results: |count| format_count(count, "result"),
    drives: |count| format_count(count, "drive"),
    keys: |count| format_count(count, "key"),
    absence,
    data_remark: DataKind::remark,
    data_warning,
    simulated: "simulated",
    partial: "partial",
    failed_run: "failed run",
    void_cells: |count| format_count(count, "void cell"),
    failed_cells: |count| format_count(count, "failed cell"),
    describe,
};

fn describe(method: &Method) -> String {
    let order = if method.pattern.sequential() { "Sequential" } else { "Random" };
    let direction = match method.read_percent {
        Some(percent) => format!("reads and writes, {percent} % of them reads,"),
        None if method.pattern.writes() => "writes".to_owned(),
        None => "reads".to_owned(),
    };
    let beside = method.beside.map_or_else(String::new, |beside| {
        format!(
            " beside {} of {}",
            counted(beside.queue_depth as usize, "I/O", "I/Os"),
            format_size(beside.block_bytes.into())
        )
    });
    let data = match method.data {
        DataKind::Random => "incompressible data",
        DataKind::Zero => "zeros, which drives may compress",
        DataKind::Repeat => "one random buffer again and again",
        DataKind::Existing => "data that was there before",
    };
    let pause = match method.interval_seconds {
        0 => String::new(),
        seconds => format!(", after a pause of {}", format_seconds(seconds)),
    };
    format!(
        "{order} {direction} of {} in {} of {data}, {} in flight on {}{beside}; {}{pause}.",
        format_size(u64::from(method.block_bytes)),
        format_size(method.span_bytes),
        counted(method.queue_depth as usize, "I/O", "I/Os"),
        counted(method.threads as usize, "thread", "threads"),
        method.times(),
    )
}
