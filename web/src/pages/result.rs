//! One result, read like a review: the table readers know, the charts, every loop, the machine, and
//! what is proven.

mod evidence;
mod files;
mod headline;
mod loops;
mod method;
mod passes;
mod remarks;
mod stories;
mod watched;

use crate::{
    pages::{PageContext, ResultData},
    parts::{badges, chart_section, contents, facts},
    shell::{Head, Place, document, from_files},
    words::{details, marks},
};
use leptos::prelude::*;
use model::{
    chart_id::ChartId,
    document::Visibility,
    drive::{Drive, PcieLink},
    host::{Ceiling, PowerSource},
    labels::LabelKey,
    summary::ResultHead,
    units::{Nanos, Unit, format_capacity, format_elapsed, format_nanos, format_utc},
};

/// The page of a result.
#[must_use]
pub fn result(ctx: &PageContext, data: ResultData) -> String {
    let subject = &data.summary.head;
    let title = match subject.capacity_bytes {
        // Many names end with the capacity already.
        Some(bytes) if !subject.drive.ends_with(&format_capacity(bytes)) => {
            format!("{}, {}", subject.drive, format_capacity(bytes))
        }
        _ => subject.drive.clone(),
    };
    let path = format!("/results/{}", subject.id);
    let conclusion = data.charts.first().map_or_else(|| details(subject), |chart| chart.caption.clone());
    let description =
        format!("Suite {}, {}. {conclusion}", subject.suite, format_utc(subject.started_unix_ms));
    let image = data.charts.first().map(|chart| chart.png.clone());
    let public = subject.visibility == Visibility::Public;
    let head = Head {
        title: &title,
        description: &description,
        image: image.as_deref(),
        canonical: public.then_some(path.as_str()),
    };
    let assets = ctx.assets.clone();
    let lang = ctx.lang;
    let heading = title.clone();
    document(ctx, &head, Place::Elsewhere, move || {
        let ResultData { summary, document, charts, remarks, public_key, bundle_bytes } = data;
        let drawn: Vec<ChartId> = charts.iter().map(|chart| chart.id).collect();
        let named = charts.iter().map(|chart| (chart.id.to_string(), chart.title.clone()));
        let told = (!summary.stories.is_empty()).then(|| ("stories".to_owned(), stories::TITLE.to_owned()));
        let on_files = files::any(&document).then(|| ("files".to_owned(), files::TITLE.to_owned()));
        let by_pass = (!document.passes.is_empty()).then(|| ("passes".to_owned(), passes::TITLE.to_owned()));
        let has_cells = !document.cells.is_empty() || document.passes.is_empty();
        let sections = section_titles(has_cells, named.chain(on_files).chain(by_pass).chain(told));
        let charts = charts
            .into_iter()
            .enumerate()
            .map(|(index, chart)| chart_section(chart, &assets, index == 0))
            .collect_view();
        view! {
            <article>
                {opening(&summary.head, heading, method::line(&document), &marks(&summary))}
                {remarks::line(&remarks)}
                {headline::block(&summary, &document)}
                {contents(lang, sections)}
                {charts}
                {undrawn(&document, &drawn)}
                {files::section(&document)}
                {passes::section(&summary, &document)}
                {stories::section(&summary.stories)}
                {method::section(&document)}
                {remarks::section(remarks)}
                {has_cells.then(|| loops::section(&document))}
                {environment(&summary.head, &document)}
                {watched::section(&document)}
                {evidence::section(&document)}
                {evidence::signature(lang, &summary.head, public_key, bundle_bytes, &document.license)}
                {next_steps(&summary.head)}
            </article>
        }
    })
}

fn section_titles(has_cells: bool, charts: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let rest = [
        ("method", "Method"),
        ("loops", "Every loop"),
        ("environment", "Drive, machine and engine"),
        ("telemetry", watched::TITLE),
        ("proof", "What is proven"),
        ("signature", "Signature and downloads"),
    ];
    let rest = rest.into_iter().filter(|(id, _)| has_cells || !matches!(*id, "method" | "loops"));
    charts.chain(rest.map(|(id, title)| (id.to_owned(), title.to_owned()))).collect()
}

/// One sentence for each kind of cell that was measured but has no figure to draw.
fn undrawn(document: &model::ResultDocument, drawn: &[ChartId]) -> AnyView {
    [(ChartId::Sequential, true, "sequential"), (ChartId::Random, false, "random")]
        .into_iter()
        .filter(|(chart, sequential, _)| {
            !drawn.contains(chart)
                && document.cells.iter().any(|cell| cell.method.pattern.sequential() == *sequential)
        })
        .map(|(.., name)| {
            view! {
                <p class="empty">
                    {format!("There is no chart of the {name} cells: none of them has a figure that counts.")}
                </p>
            }
        })
        .collect_view()
        .into_any()
}

fn opening(
    head: &ResultHead,
    title: String,
    method: Option<String>,
    marks: &[crate::words::Mark],
) -> AnyView {
    let line = format!("Suite {} · {} · {}", head.suite, details(head), format_utc(head.started_unix_ms));
    let reviewer = head.labels.get(&LabelKey::Reviewer).cloned();
    view! {
        <header class="opening">
            <p class="kicker">"Result"</p>
            <h1 dir="auto">{title}</h1>
            <p class="byline" dir="auto">{line}</p>
            {method.map(|text| view! {
                <p class="byline"><a href="#method">"Method"</a>": "{text}</p>
            })}
            {reviewer.map(|name| view! {
                <p class="byline">"Measured by "<bdi>{name}</bdi>", by their own account"</p>
            })}
            {badges(marks)}
        </header>
    }
    .into_any()
}

/// Model, firmware, size and attachment of one of several drives, as far as it tells them.
fn member_text(member: &model::drive::Member) -> String {
    let firmware = member.firmware.known().map(|firmware| format!("firmware {firmware}"));
    let capacity = member.capacity_bytes.known().map(|bytes| format_capacity(*bytes));
    let name = member.model.text_with(Clone::clone);
    let parts = [Some(name), capacity, Some(member.transport.text().to_owned()), firmware];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn environment(head: &ResultHead, document: &model::ResultDocument) -> AnyView {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let bytes = |value: &u64| format_capacity(*value);
    let drive = &document.drive;
    let list = |items: &[String]| if items.is_empty() { "none".to_owned() } else { items.join(", ") };
    let mut drive_facts = vec![
        pair("Model", drive.model.text_with(Clone::clone)),
        pair("Firmware", drive.firmware.text_with(Clone::clone)),
        pair("Capacity", drive.capacity_bytes.text_with(bytes)),
        pair("Attachment", drive.transport.text().to_owned()),
        pair(
            "Logical and physical block",
            format!(
                "{} and {}",
                drive.logical_block_bytes.text_with(|b| format!("{b} B")),
                drive.physical_block_bytes.text_with(|b| format!("{b} B")),
            ),
        ),
        pair(
            "Largest undivided request",
            drive.max_request_bytes.text_with(|b| model::units::format_size(*b)),
        ),
        pair("I/O scheduler", drive.scheduler.text_with(Clone::clone)),
        pair("Queue", queue_text(drive)),
        pair("Write cache", drive.write_cache.text_with(Clone::clone)),
        pair("Zones", drive.zoned.text_with(Clone::clone)),
        pair("Namespace", drive.namespace.text_with(ToString::to_string)),
        pair("Metadata of a block", drive.metadata_bytes.text_with(|bytes| format!("{bytes} B"))),
        pair("PCI Express path", path_text(drive)),
        pair("Slot", drive.slot.text_with(Clone::clone)),
        pair("Processor node", drive.numa_node.text_with(ToString::to_string)),
        pair("Devices in between", list(&drive.stack)),
        pair("Serial number", drive.serial.text_with(Clone::clone)),
    ];
    if !head.drive_reported {
        drive_facts.insert(1, pair("Name by the reviewer or kind", head.drive.clone()));
    }
    if !drive.members.is_empty() {
        let apart = document.cells.iter().any(|cell| cell.method.apart);
        let name = if apart { "Drives, each by itself" } else { "Drives of the array" };
        let names = drive.members.iter().map(member_text).collect::<Vec<_>>();
        drive_facts.push(pair(name, names.join("; ")));
    }
    let target = &document.target;
    let target_facts = vec![
        pair(
            "Target",
            match target.kind {
                model::document::TargetKind::NewFile => "a new file",
                model::document::TargetKind::ExistingFile => "a file that was there before",
                model::document::TargetKind::Device => "a whole device",
                model::document::TargetKind::Simulated => "none: a model of a drive",
            }
            .to_owned(),
        ),
        pair("File system", document.file_systems().unwrap_or_else(|| "none".to_owned())),
        pair(
            "Allocation unit",
            target
                .file_system_block_bytes
                .map_or_else(|| "not recorded".to_owned(), model::units::format_size),
        ),
        pair("Mount options", list(&target.mount_options)),
        pair(
            "In use before the run",
            match (target.file_system_used_bytes, target.file_system_bytes) {
                (Some(used), Some(size)) => format!("{} of {}", format_capacity(used), format_capacity(size)),
                _ => "not known".to_owned(),
            },
        ),
        pair(
            "Filled before the first cell",
            document.preparation.as_ref().map_or_else(
                || match target.kind {
                    model::document::TargetKind::ExistingFile => "no: it was there before".to_owned(),
                    _ if document.cells.is_empty() && !document.passes.is_empty() => {
                        "no: the first pass writes it".to_owned()
                    }
                    _ if document.cells.is_empty() => "not to its end: the run was stopped".to_owned(),
                    _ => "no: the first cell writes the span itself".to_owned(),
                },
                |fill| {
                    format!(
                        "{} in {}",
                        model::units::format_size(fill.bytes),
                        format_elapsed(Nanos(fill.elapsed_ns))
                    )
                },
            ),
        ),
    ];
    let states = analysis::states::of_document(document);
    let target_facts: Vec<_> = target_facts
        .into_iter()
        .chain(states.into_iter().map(|(cell, text)| (format!("State before {cell}"), text)))
        .collect();
    let host = &document.host;
    let host_facts = vec![
        pair("Processor", host.cpu_model.text_with(Clone::clone)),
        pair("Logical processors", host.logical_cpus.to_string()),
        pair("Memory", host.memory_bytes.text_with(bytes)),
        pair("Frequency governor", host.cpu_governor.text_with(Clone::clone)),
        pair("Energy preference", host.energy_preference.text_with(Clone::clone)),
        pair("Sleep states of a processor", list(&host.c_states)),
        pair(
            "Power from",
            host.power_source.text_with(|source| {
                match source {
                    PowerSource::Mains => "mains",
                    PowerSource::Battery => "a battery",
                }
                .to_owned()
            }),
        ),
        pair("Ceiling without a drive", host.ceiling.text_with(ceiling_text)),
        pair("Kernel", format!("Linux {}, {}", host.kernel, host.architecture)),
        pair(
            "Virtual machine",
            host.virtual_machine.text_with(|is| if *is { "yes" } else { "no" }.to_owned()),
        ),
    ];
    let engine = &document.engine;
    let engine_facts = vec![
        pair("Engine", engine.class.token().to_owned()),
        pair("Granted by the kernel", list(&engine.features)),
        pair("Refused by the kernel", list(&engine.refused)),
        pair("Program", format!("{} {}", document.runner.name, document.runner.version)),
        pair("Whole run", format_elapsed(Nanos(document.elapsed_ns))),
    ];
    let labels: Vec<_> = LabelKey::ALL
        .into_iter()
        .filter_map(|key| head.labels.get(&key).map(|text| pair(label_name(key), text.clone())))
        .collect();
    let labels = (!labels.is_empty()).then(|| {
        view! {
            <h3>"In the reviewer's words"</h3>
            <p class="note">"Declared by the person who measured, checked by nobody."</p>
            {facts(labels)}
        }
    });
    view! {
        <section id="environment" aria-labelledby="environment-heading">
            <h2 id="environment-heading">"Drive, machine and engine"</h2>
            <div class="columns">
                <div>
                    <h3>"Drive"</h3>
                    {facts(drive_facts)}
                </div>
                <div>
                    <h3>"Target"</h3>
                    {facts(target_facts)}
                </div>
                <div>
                    <h3>"Machine"</h3>
                    {facts(host_facts)}
                </div>
                <div>
                    <h3>"Engine"</h3>
                    {facts(engine_facts)}
                </div>
            </div>
            {labels}
        </section>
    }
    .into_any()
}

/// Queues, and what waits in each of them.
fn queue_text(drive: &Drive) -> String {
    let polled = drive.poll_queues.text_with(|is| if *is { "yes" } else { "no" }.to_owned());
    format!(
        "hardware queues: {}; requests in each: {}; segments of a request: {}; polled: {polled}",
        drive.hardware_queues.text_with(ToString::to_string),
        drive.queue_requests.text_with(ToString::to_string),
        drive.max_segments.text_with(ToString::to_string),
    )
}

/// Every link from the processor to the drive: as it was when the run began, and at most.
fn path_text(drive: &Drive) -> String {
    let link = |link: &PcieLink| link.text();
    let hops: Vec<String> = drive
        .pcie
        .iter()
        .map(|hop| format!("{} (at most {})", hop.current.text_with(link), hop.maximum.text_with(link)))
        .collect();
    if hops.is_empty() { "none".to_owned() } else { hops.join(", then ") }
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn ceiling_text(ceiling: &Ceiling) -> String {
    format!(
        "empty requests: {} at depth 1, {} at depth 128; fresh data: {}; a look at the clock: {}",
        Unit::Iops.format(ceiling.nop_qd1_iops as f64),
        Unit::Iops.format(ceiling.nop_qd128_iops as f64),
        Unit::BytesPerSecond.format(ceiling.data_bytes_per_s as f64),
        format_nanos(Nanos(ceiling.clock_ns)),
    )
}

fn label_name(key: LabelKey) -> &'static str {
    match key {
        LabelKey::Reviewer => "Reviewer",
        LabelKey::Article => "Article",
        LabelKey::Drive => "Drive",
        LabelKey::Cooling => "Cooling",
        LabelKey::Slot => "Slot",
        LabelKey::Fill => "Fill",
        LabelKey::Ambient => "Ambient",
        LabelKey::Note => "Note",
    }
}

fn next_steps(head: &ResultHead) -> AnyView {
    if from_files() {
        return ().into_any();
    }
    let compare = format!("/compare?r={}", head.id);
    view! {
        <p class="actions">
            <a class="primary" href=compare>
                "Compare with another result"
            </a>
        </p>
    }
    .into_any()
}
