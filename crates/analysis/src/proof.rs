//! Judges the evidence that the drive did the work: the same rules in the runner and in the server.
//!
//! Source of the rules: each is the answer to wrong figures that were published with other tools (page
//! cache, sparse and preallocated files, in-memory file systems, machines that slept).

use model::{
    Method, Reading,
    document::{Cell, DeviceCounters, Loop, MemberLoad, Transfer},
    pass::{Pass, Workload},
    proof::{Extents, Proof, VoidReason},
    units::{NS_PER_S, Nanos, per_second},
};

/// File systems that keep data in memory or fetch it from another machine.
const NOT_ON_A_DRIVE: [&str; 14] = [
    "tmpfs",
    "ramfs",
    "devtmpfs",
    "hugetlbfs",
    "nfs",
    "cifs",
    "smb2",
    "ceph",
    "9p",
    "afs",
    "fuse",
    "virtiofs",
    "overlayfs",
    "zfs",
];
/// Least share of the completed bytes that the device must have counted.
const LEAST_DEVICE_SHARE: f64 = 0.95;
/// Bytes that others may move on the drive during a cell's loops, as a share of those completed, before the
/// cell no longer shows what the drive can do.
pub const MAX_FOREIGN_SHARE: f64 = 0.25;
/// Longest sleep that a cell may hold, nanoseconds.
const MAX_SUSPENDED_NS: u64 = NS_PER_S / 2;

/// Whether files on this type of file system can be measured as a drive at all.
#[must_use]
pub fn file_system_on_drive(name: &str) -> bool {
    !NOT_ON_A_DRIVE.contains(&name)
}

/// The reasons for which a cell's figures do not count, by all of its evidence; empty when the proof holds. One drive
/// of drives apart whose proof does not hold is enough.
#[must_use]
pub fn cell_void_reasons(cell: &Cell) -> Vec<VoidReason> {
    let mut reasons = void_reasons(&cell.method, &cell.proof, &cell.loops);
    for member in 0..cell.members.len() {
        let own = member_void_reasons(cell, member);
        reasons.extend(own.into_iter().filter(|reason| !reasons.contains(reason)).collect::<Vec<_>>());
    }
    reasons
}

/// The reasons for which one of several drives apart makes a cell void, `member` from 0; empty when its proof holds or
/// there is no such drive.
#[must_use]
pub fn member_void_reasons(cell: &Cell, member: usize) -> Vec<VoidReason> {
    let Some(proof) = cell.members.get(member) else { return Vec::new() };
    let mut reasons = before_io(proof);
    let loads = || cell.loops.iter().filter_map(|one| Some((one, one.members.get(member)?)));
    let least = loads().filter_map(|(_, load)| member_device_share(&cell.method, load)).fold(1.0, f64::min);
    let over_link = |one: &Loop, load: &MemberLoad| {
        let rate = bytes_per_s(load.read_bytes.max(load.written_bytes), one.elapsed_ns);
        proof.link_bytes_per_s.known().is_some_and(|link| rate > *link)
    };
    let foreign = member_foreign_share(&cell.method, loads().map(|(_, load)| load));
    for (reason, holds) in [
        (VoidReason::DeviceBytes, least < LEAST_DEVICE_SHARE),
        (VoidReason::NoCompletions, loads().any(|(_, load)| load.bytes() == 0)),
        (VoidReason::LinkCeiling, loads().any(|(one, load)| over_link(one, load))),
        (VoidReason::ForeignIo, foreign.is_some_and(|share| share > MAX_FOREIGN_SHARE)),
    ] {
        if holds {
            reasons.push(reason);
        }
    }
    reasons
}

/// The drives, from 0, of drives apart that are void for a reason; empty for a single target, and when it holds for
/// all of them alike.
#[must_use]
pub fn void_members(cell: &Cell, reason: VoidReason) -> Vec<usize> {
    let void: Vec<usize> = (0..cell.members.len())
        .filter(|member| member_void_reasons(cell, *member).contains(&reason))
        .collect();
    if void.len() < cell.members.len() { void } else { Vec::new() }
}

/// The reasons for which the figures of a load do not count that is judged as a whole; empty when the proof holds.
///
/// `loops` may be empty: then only what is known before the first I/O is judged.
#[must_use]
pub fn void_reasons(method: &Method, proof: &Proof, loops: &[Loop]) -> Vec<VoidReason> {
    let mut reasons = before_io(proof);
    if loops.iter().any(|one| device_share(method, one).is_some_and(|share| share < LEAST_DEVICE_SHARE)) {
        reasons.push(VoidReason::DeviceBytes);
    }
    let over_link = |one: &Loop| proof.link_bytes_per_s.known().is_some_and(|link| rate(one) > *link);
    for (reason, holds) in [
        (
            VoidReason::NoCompletions,
            loops.iter().any(|one| one.transfer(method).is_none_or(|transfer| transfer.ios == 0)),
        ),
        (VoidReason::LinkCeiling, loops.iter().any(over_link)),
        (VoidReason::ForeignIo, foreign_share(method, loops).is_some_and(|share| share > MAX_FOREIGN_SHARE)),
        (VoidReason::Clock, loops.iter().any(|one| one.clock_anomalies > 0)),
        (VoidReason::Suspended, proof.suspended_ns > MAX_SUSPENDED_NS),
    ] {
        if holds {
            reasons.push(reason);
        }
    }
    reasons
}

/// The reasons for which a pass's figures do not count; empty when the proof holds.
#[must_use]
pub fn pass_void_reasons(pass: &Pass) -> Vec<VoidReason> {
    let mut reasons = before_io(&pass.proof);
    let asked = |transfer: &Option<Transfer>| transfer.as_ref().map_or(0, |transfer| transfer.bytes);
    let (read, written) = (asked(&pass.read), asked(&pass.write));
    let seen = pass.device.map(|device| [(device.read_bytes, read), (device.written_bytes, written)]);
    let too_few = seen.into_iter().flatten().any(|(seen, asked)| share(seen, asked) < LEAST_DEVICE_SHARE);
    let foreign = pass.device.filter(|_| read + written > 0).map_or(0.0, |device| {
        let all = device.read_bytes.saturating_add(device.written_bytes);
        share(all.saturating_sub(read.saturating_add(written)), read.saturating_add(written))
    });
    let is_idle = matches!(pass.method.workload, Workload::Idle(_));
    // A link carries both directions at once.
    let rate = per_second(read.max(written), Nanos(pass.busy_ns));
    let over_link = pass.proof.link_bytes_per_s.known().zip(rate).is_some_and(|(link, rate)| {
        #[expect(clippy::cast_precision_loss, reason = "a limit needs no more than 53 bits")]
        let link = *link as f64;
        rate > link
    });
    for (reason, holds) in [
        (VoidReason::DeviceBytes, too_few),
        (VoidReason::NoCompletions, !is_idle && pass.transfers().all(|transfer| transfer.ios == 0)),
        (VoidReason::LinkCeiling, over_link),
        (VoidReason::ForeignIo, foreign > MAX_FOREIGN_SHARE),
        (VoidReason::Clock, pass.clock_anomalies > 0),
        (VoidReason::Suspended, pass.proof.suspended_ns > MAX_SUSPENDED_NS),
    ] {
        if holds {
            reasons.push(reason);
        }
    }
    reasons
}

/// A part of a whole; 1 when there is none.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What is known before the first I/O.
#[must_use]
pub fn before_io(proof: &Proof) -> Vec<VoidReason> {
    let no_alignment =
        [&proof.dio_memory_align, &proof.dio_offset_align].into_iter().any(|a| *a == Reading::Known(0));
    let extents = proof.extents.known().copied().unwrap_or_default();
    let Extents {
        count: _,
        hole_bytes,
        unwritten_bytes,
        inline_bytes,
        shared_bytes,
        encoded_bytes,
        unknown_bytes,
    } = extents;
    [
        (VoidReason::NoDirectIo, !proof.direct_io || no_alignment),
        (VoidReason::FileSystem, proof.file_system.known().is_some_and(|name| !file_system_on_drive(name))),
        (VoidReason::Hole, hole_bytes > 0),
        (VoidReason::Unwritten, unwritten_bytes > 0 || unknown_bytes > 0),
        (VoidReason::Inline, inline_bytes > 0),
        (VoidReason::Shared, shared_bytes > 0),
        (VoidReason::Encoded, encoded_bytes > 0),
    ]
    .into_iter()
    .filter_map(|(reason, holds)| holds.then_some(reason))
    .collect()
}

/// Bytes per second of one loop in its busier direction, since a link carries both at once; 0 when nothing was
/// completed.
fn rate(one: &Loop) -> u64 {
    let beside = one.beside.as_ref();
    let bytes = |main: &Option<Transfer>, second: Option<&Option<Transfer>>| {
        let of = |transfer: &Option<Transfer>| transfer.as_ref().map_or(0, |transfer| transfer.bytes);
        of(main).saturating_add(second.map_or(0, of))
    };
    let bytes =
        bytes(&one.read, beside.map(|one| &one.read)).max(bytes(&one.write, beside.map(|one| &one.write)));
    bytes_per_s(bytes, one.elapsed_ns)
}

/// Whole bytes per second; of no time those of a nanosecond.
fn bytes_per_s(bytes: u64, elapsed_ns: u64) -> u64 {
    let rate = u128::from(bytes) * u128::from(NS_PER_S) / u128::from(elapsed_ns.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// Bytes that others moved on the device in either direction as a share of those completed in some loops;
/// `None` when the counters were not read in all of them or nothing was completed.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn foreign_share(method: &Method, loops: &[Loop]) -> Option<f64> {
    let (mut all, mut own) = (0_u64, 0_u64);
    for one in loops {
        let device = one.device?;
        own = own.saturating_add(completed_bytes(method, one)?);
        all = all.saturating_add(device.read_bytes).saturating_add(device.written_bytes);
    }
    (own > 0).then(|| all.saturating_sub(own) as f64 / own as f64)
}

/// Bytes of a loop's I/Os, those of a second stream and late completions included. A late I/O is counted as one of
/// the smaller size.
fn completed_bytes(method: &Method, one: &Loop) -> Option<u64> {
    let main = one.transfer(method)?.bytes;
    let beside = one.transfer_beside().map_or(0, |transfer| transfer.bytes);
    let small = method.beside.map_or(method.block_bytes, |beside| beside.block_bytes.min(method.block_bytes));
    let late = one.drained_ios.saturating_mul(u64::from(small));
    Some(main.saturating_add(beside).saturating_add(late))
}

/// Bytes that the device counted in the cell's directions as a share of those completed in one loop,
/// late completions included. More than 1 when others used the device too; `None` when the counters
/// were not read or nothing was completed.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn device_share(method: &Method, one: &Loop) -> Option<f64> {
    let counted = counted_bytes(method, one.device?);
    let completed = completed_bytes(method, one)?;
    (completed > 0).then(|| counted as f64 / completed as f64)
}

/// The same for one of several drives apart.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn member_device_share(method: &Method, load: &MemberLoad) -> Option<f64> {
    let counted = counted_bytes(method, load.device?);
    let completed = member_completed_bytes(method, load);
    (completed > 0).then(|| counted as f64 / completed as f64)
}

/// [`foreign_share`] for one of several drives apart, by what it did in some loops.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn member_foreign_share<'a>(
    method: &Method,
    loads: impl IntoIterator<Item = &'a MemberLoad>,
) -> Option<f64> {
    let (mut all, mut own) = (0_u64, 0_u64);
    for load in loads {
        let device = load.device?;
        own = own.saturating_add(member_completed_bytes(method, load));
        all = all.saturating_add(device.read_bytes).saturating_add(device.written_bytes);
    }
    (own > 0).then(|| all.saturating_sub(own) as f64 / own as f64)
}

/// Bytes of the I/Os of one of several drives apart, late completions included.
fn member_completed_bytes(method: &Method, load: &MemberLoad) -> u64 {
    load.bytes().saturating_add(load.drained_ios.saturating_mul(method.block_bytes.into()))
}

/// Bytes that a device counted in the directions of a method.
fn counted_bytes(method: &Method, device: DeviceCounters) -> u64 {
    let read = if method.pattern.reads() { device.read_bytes } else { 0 };
    let written = if method.pattern.writes() { device.written_bytes } else { 0 };
    read.saturating_add(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ResultDocument, fixtures, ids::PublicKey, proof::Extents};

    fn apart() -> ResultDocument {
        fixtures::with_drives_apart(fixtures::document("Example", 1.0, PublicKey([1; 32])))
    }

    #[test]
    fn one_drive_that_proves_nothing_makes_the_cell_void_and_is_named() {
        let change = |change: &dyn Fn(&mut Cell)| {
            let mut cell = apart().cells.remove(2);
            change(&mut cell);
            let of = |reason| (reason, void_members(&cell, reason));
            cell_void_reasons(&cell).into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(change(&|_| ()), []);
        // The others' devices count enough for all of them together.
        let short = change(&|cell| {
            for one in &mut cell.loops {
                let [first, second, _] = &mut one.members[..] else { panic!("three drives") };
                let (first, second) = (first.device.as_mut().unwrap(), second.device.as_mut().unwrap());
                first.read_bytes += second.read_bytes / 10;
                second.read_bytes -= second.read_bytes / 10;
            }
        });
        assert_eq!(short, [(VoidReason::DeviceBytes, vec![1])]);
        let foreign = change(&|cell| {
            for one in &mut cell.loops {
                let device = one.members[2].device.as_mut().unwrap();
                device.written_bytes += device.read_bytes / 3;
            }
        });
        assert_eq!(foreign, [(VoidReason::ForeignIo, vec![2])]);
        let hole = Extents { count: 1, hole_bytes: 1, ..Extents::default() };
        let hole = change(&|cell| cell.members[0].extents = Reading::Known(hole));
        assert_eq!(hole, [(VoidReason::Hole, vec![0])]);
        let silent = change(&|cell| cell.loops[1].members[1] = MemberLoad::default());
        assert_eq!(silent, [(VoidReason::NoCompletions, vec![1])]);
        let link = change(&|cell| cell.members[1].link_bytes_per_s = Reading::Known(1 << 30));
        assert_eq!(link, [(VoidReason::LinkCeiling, vec![1])]);
        let all = change(&|cell| cell.members.iter_mut().for_each(|proof| proof.direct_io = false));
        assert_eq!(all, [(VoidReason::NoDirectIo, vec![])], "of all alike none is named");
    }
}
