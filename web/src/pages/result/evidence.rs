//! What is proven about a result, what cannot be, who signed it and where the signed bytes are.

use crate::{parts::facts, shell::from_files, texts};
use analysis::{
    plausibility::some_of,
    proof::{device_share, foreign_share, member_device_share, member_foreign_share, member_void_reasons},
    requests::per_io,
};
use leptos::prelude::*;
use model::{
    ResultDocument,
    document::{Cell, CellStatus, DEFAULT_LICENSE, DeviceCounters},
    ids::PublicKey,
    lang::Lang,
    pass::Pass,
    proof::{Extents, Proof, VoidReason},
    summary::ResultHead,
    units::{Nanos, format_capacity, format_nanos, format_percent, format_rate, format_size},
};
use std::{collections::BTreeSet, slice::from_ref};

/// The section on proof; cells with the same evidence share an entry.
pub(super) fn section(document: &ResultDocument) -> AnyView {
    let groups = groups(&document.cells);
    let alone = groups.len() == 1 && document.passes.is_empty();
    let groups = groups.into_iter().map(|cells| group_view(&cells, alone)).collect_view();
    view! {
        <section id="proof" aria-labelledby="proof-heading">
            <h2 id="proof-heading">"What is proven"</h2>
            <p>
                "The evidence that the drive, and not a cache or an empty file, answered. A cell whose evidence does not hold is void: kept, shown, never ranked."
            </p>
            {groups}
            {passes_view(&document.passes)}
        </section>
    }
    .into_any()
}

/// Cells of one status, one list of void reasons and one proof, in the order of their first.
fn groups(cells: &[Cell]) -> Vec<Vec<&Cell>> {
    let mut groups: Vec<Vec<&Cell>> = Vec::new();
    for cell in cells {
        let same = |group: &&mut Vec<&Cell>| {
            let key = |one: &Cell| (one.status, one.void.clone(), one.proof.clone(), one.members.clone());
            key(group[0]) == key(cell)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups
}

/// Passes of one status, one list of void reasons and one proof, with what the device counted in all of them.
fn passes_view(passes: &[Pass]) -> AnyView {
    let mut groups: Vec<Vec<&Pass>> = Vec::new();
    for pass in passes {
        let key = |one: &Pass| (one.status, one.void.clone(), one.proof.clone());
        match groups.iter_mut().find(|group| key(group[0]) == key(pass)) {
            Some(group) => group.push(pass),
            None => groups.push(vec![pass]),
        }
    }
    let alone = groups.len() == 1;
    groups
        .into_iter()
        .map(|group| {
            let title = match (alone, &group[..]) {
                (true, [_, _, ..]) => format!("All {} passes", group.len()),
                _ => some_of(&group.iter().map(|pass| pass.method.label()).collect::<Vec<_>>()),
            };
            let Pass { status, void, proof, .. } = group[0];
            let sum = |of: fn(&DeviceCounters) -> u64| {
                group.iter().filter_map(|pass| pass.device.as_ref()).map(of).fold(0, u64::saturating_add)
            };
            let counted = sum(|device| device.read_bytes).saturating_add(sum(|device| device.written_bytes));
            let asked = group.iter().map(|pass| pass.bytes()).fold(0, u64::saturating_add);
            let text = match group.iter().any(|pass| pass.device.is_some()) {
                true => format!("{} of {} that completed", format_capacity(counted), format_capacity(asked)),
                false => "not read".to_owned(),
            };
            entry(title, *status, void, proof, vec![("Bytes counted by the device".to_owned(), text)])
        })
        .collect_view()
        .into_any()
}

fn group_view(cells: &[&Cell], alone: bool) -> AnyView {
    let first = cells[0];
    let title = if alone && cells.len() > 1 {
        format!("All {} cells", cells.len())
    } else {
        cells.iter().map(|cell| cell.method.label()).collect::<Vec<_>>().join(", ")
    };
    let counters = counter_facts(cells).into_iter().chain(drive_facts(cells)).collect();
    entry(title, first.status, &first.void, &first.proof, counters)
}

/// The evidence of each drive of drives apart, and for what it makes its cells void.
fn drive_facts(cells: &[&Cell]) -> Vec<(String, String)> {
    let first = cells[0];
    let fact = |drive: usize| {
        let proof = &first.members[drive];
        let of =
            |share: fn(&Cell, usize) -> Vec<f64>| cells.iter().flat_map(|cell| share(cell, drive)).collect();
        let own: Vec<f64> = of(|cell, drive| {
            let loads = cell.loops.iter().filter_map(|one| one.members.get(drive));
            loads.filter_map(|load| member_device_share(&cell.method, load)).collect()
        });
        let others: Vec<f64> = of(|cell, drive| {
            let loads = cell.loops.iter().filter_map(|one| one.members.get(drive));
            loads.filter_map(|load| member_foreign_share(&cell.method, [load])).collect()
        });
        let mut text = vec![
            format!("{} of its bytes counted by its device", least_to_greatest(&own, format_percent)),
            format!("{} of them moved by others", least_to_greatest(&others, format_percent)),
            proof.extents.text_with(extents_text),
        ];
        let void = cells.iter().flat_map(|cell| member_void_reasons(cell, drive));
        let void: BTreeSet<VoidReason> = void.collect();
        text.extend(void.into_iter().map(|reason| format!("void: {}", reason.text().trim_end_matches('.'))));
        (format!("Drive {}", drive + 1), text.join("; "))
    };
    (0..first.members.len()).map(fact).collect()
}

/// One verdict with its evidence.
fn entry(
    title: String,
    status: CellStatus,
    void: &[VoidReason],
    proof: &Proof,
    counters: Vec<(String, String)>,
) -> AnyView {
    let whole = proof.unproven.is_empty();
    let verdict = match status {
        CellStatus::Complete if whole => "The proof holds.",
        CellStatus::Complete => "What could be checked holds; not everything could be.",
        CellStatus::Partial if whole => "The proof holds; the cell was stopped before its last loop.",
        CellStatus::Partial => {
            "What could be checked holds; not everything could be, and the cell was stopped before its last loop."
        }
        CellStatus::Void => "Void: the figures do not count.",
        CellStatus::Failed => "Failed: an I/O failed, what was measured before it is kept.",
    };
    let sentences = |texts: Vec<&'static str>, class: &'static str| {
        (!texts.is_empty()).then(|| {
            let items = texts.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
            view! { <ul class=class>{items}</ul> }
        })
    };
    let reasons = sentences(void.iter().map(|reason| reason.text()).collect(), "care");
    let unproven: Vec<_> = proof.unproven.iter().map(|what| what.text()).collect();
    let unproven = (!unproven.is_empty()).then(|| {
        view! {
            <p>"What cannot be proven here:"</p>
            {sentences(unproven, "unproven")}
        }
    });
    view! {
        <h3>{title}</h3>
        <p>{verdict}</p>
        {reasons}
        {facts(proof_facts(proof).into_iter().chain(counters).collect())}
        {unproven}
    }
    .into_any()
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn proof_facts(proof: &Proof) -> Vec<(String, String)> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let align = |value: &u32| match value {
        0 => "no direct I/O".to_owned(),
        bytes => format!("{bytes} B"),
    };
    vec![
        pair("Direct I/O", if proof.direct_io { "held" } else { "refused" }.to_owned()),
        pair(
            "Alignment in memory and in the file",
            format!(
                "{} and {}",
                proof.dio_memory_align.text_with(align),
                proof.dio_offset_align.text_with(align)
            ),
        ),
        pair("File system", proof.file_system.text_with(Clone::clone)),
        pair("Where the bytes lie", proof.extents.text_with(extents_text)),
        pair(
            "The narrowest link carries at most",
            proof.link_bytes_per_s.text_with(|rate| format_rate(*rate as f64)),
        ),
        pair("Machine asleep during the cell", format_nanos(Nanos(proof.suspended_ns))),
    ]
}

/// What the device itself counted during the loops of some cells: its bytes beside those that completed, and
/// what others moved meanwhile.
fn counter_facts(cells: &[&Cell]) -> Vec<(String, String)> {
    let loops = || cells.iter().flat_map(|cell| cell.loops.iter().map(|one| (&cell.method, one)));
    let own: Vec<f64> = loops().filter_map(|(method, one)| device_share(method, one)).collect();
    let others: Vec<f64> = loops().filter_map(|(method, one)| foreign_share(method, from_ref(one))).collect();
    let requests: Vec<f64> = loops().filter_map(|(method, one)| per_io(method, one)).collect();
    let pair = |name: &str, value: String| (name.to_owned(), value);
    vec![
        pair("Bytes counted by the device, of those completed", least_to_greatest(&own, format_percent)),
        pair("Moved by others meanwhile, as a share of them", least_to_greatest(&others, format_percent)),
        pair(
            "Requests counted by the device for each I/O",
            least_to_greatest(&requests, |value| model::units::grouped(value, 2)),
        ),
    ]
}

/// The range of some values, or the one value that all of them show.
fn least_to_greatest(values: &[f64], show: fn(f64) -> String) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(0.0, f64::max);
    match (show(least), show(greatest)) {
        _ if values.is_empty() => "not read".to_owned(),
        (least, greatest) if least == greatest => least,
        (least, greatest) => format!("{least} to {greatest}"),
    }
}

fn extents_text(extents: &Extents) -> String {
    let Extents {
        count,
        hole_bytes,
        unwritten_bytes,
        inline_bytes,
        shared_bytes,
        encoded_bytes,
        unknown_bytes,
    } = *extents;
    let odd: Vec<String> = [
        (hole_bytes, "without an extent"),
        (unwritten_bytes, "never written"),
        (inline_bytes, "inside metadata"),
        (shared_bytes, "shared with other files"),
        (encoded_bytes, "compressed or encrypted"),
        (unknown_bytes, "in a place not known"),
    ]
    .into_iter()
    .filter(|(bytes, _)| *bytes > 0)
    .map(|(bytes, what)| format!("{} {what}", format_size(bytes)))
    .collect();
    let extents = crate::words::counted(count as usize, "extent", "extents");
    if odd.is_empty() { format!("{extents}, all written") } else { format!("{extents}: {}", odd.join(", ")) }
}

/// Who signed, what that means, and the downloads.
pub(super) fn signature(
    lang: Lang,
    head: &ResultHead,
    public_key: PublicKey,
    bundle_bytes: u64,
    license: &str,
) -> AnyView {
    let id = head.id;
    let license = if license == DEFAULT_LICENSE {
        view! { <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">"CC-BY-4.0"</a> }
            .into_any()
    } else {
        view! { <bdi>{license.to_owned()}</bdi> }.into_any()
    };
    let digits = [
        ("Result", id.to_string(), "SHA-256 of the signed bytes"),
        ("Key", head.key.to_string(), "SHA-256 of the public key"),
        ("Public key", public_key.to_string(), "Ed25519"),
    ]
    .map(|(name, value, what)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>
                    <code class="digits">{value}</code>
                    <small>{what}</small>
                </dd>
            </div>
        }
    });
    let checked = if from_files() {
        texts::of(lang).open.signature
    } else {
        "The server checked this result's signature when it was uploaded. A signature proves who published a result and that nobody changed it, not that a number is true."
    };
    let downloads = (!from_files()).then(|| {
        view! {
            <ul class="downloads">
                <li>
                    <a href=format!("/api/v1/results/{id}/bundle")>"Signed bundle"</a>
                    " "
                    <small>{format!("{}, the exact bytes that were uploaded", format_capacity(bundle_bytes))}</small>
                </li>
                <li>
                    <a href=format!("/api/v1/results/{id}")>"JSON"</a>
                    " "
                    <small>"the document with its findings"</small>
                </li>
                <li>
                    <a href=format!("/api/v1/results/{id}.csv")>"CSV"</a>
                    " "
                    <small>"every metric as a table"</small>
                </li>
            </ul>
        }
    });
    view! {
        <section id="signature" aria-labelledby="signature-heading">
            <h2 id="signature-heading">"Signature and downloads"</h2>
            <p>{checked}</p>
            <dl class="facts digits">{digits}</dl>
            {downloads}
            <p class="note">"Licence of the data: " {license} ". Check the bundle with "<code>"cliffmark verify FILE"</code>"."</p>
        </section>
    }
    .into_any()
}
