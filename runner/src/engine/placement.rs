//! Which processors the measuring threads are kept on: near the device, one for each.
//!
//! Reads sysfs and `/proc/interrupts` below a root path and this process's own affinity. Knows no methods.
//! A thread away from the processor that serves its device's interrupts is woken across processors: on a disk
//! with one queue that cost a third of the rate at queue depth 1 and twice the processor time.

use crate::{
    drive::ground::Ground,
    sysfs::{SysRoot, names_in, text},
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::{collections::BTreeSet, fs, path::Path};

/// Where the threads of a session go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    /// A processor for each thread; empty when they are left to the scheduler.
    pub(crate) cpus: Vec<u32>,
    /// Why they are left to the scheduler.
    pub(crate) refused: Option<String>,
}

impl Placement {
    /// Processors for `threads` threads that use each of some drives, out of those this process may use: those of the
    /// first drive, then those of the next.
    pub(crate) fn near(root: &SysRoot, grounds: &[Option<Ground>], threads: u32) -> Self {
        match allowed() {
            Ok(allowed) => choose_all(root, grounds, allowed, threads),
            Err(reason) => Self { cpus: Vec::new(), refused: Some(reason) },
        }
    }
}

/// The processors this process may use.
fn allowed() -> Result<BTreeSet<u32>, String> {
    let set = sched_getaffinity(None).map_err(|errno| refusal(&errno.into()))?;
    let limit = u32::try_from(CpuSet::MAX_CPU).unwrap_or(u32::MAX);
    Ok((0..limit).filter(|&cpu| set.is_set(cpu as usize)).collect())
}

/// How many processors this process may use; `None` when the kernel does not tell.
pub(crate) fn processors() -> Option<usize> {
    allowed().ok().map(|allowed| allowed.len())
}

/// Keeps the calling thread on one processor.
///
/// # Errors
/// With the kernel's reason, in words for the document.
pub(crate) fn pin(cpu: u32) -> Result<(), String> {
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    sched_setaffinity(None, &set).map_err(|errno| refusal(&errno.into()))
}

fn refusal(error: &std::io::Error) -> String {
    format!("pinning: {}", super::ring_setup::errno_name(error))
}

fn choose_all(
    root: &SysRoot,
    grounds: &[Option<Ground>],
    mut allowed: BTreeSet<u32>,
    threads: u32,
) -> Placement {
    let mut all = Placement::default();
    let processors = allowed.len();
    for ground in grounds {
        let one = choose(root, ground.as_ref(), &allowed, threads);
        if one.refused.is_some() {
            // A drive whose threads are kept beside others whose threads are not would be no fair part.
            let needed = grounds.len() as u64 * u64::from(threads);
            let refused =
                format!("pinning: {needed} threads, {processors} processors for {} drives", grounds.len());
            return if grounds.len() > 1 {
                Placement { cpus: Vec::new(), refused: Some(refused) }
            } else {
                one
            };
        }
        allowed.retain(|cpu| !one.cpus.contains(cpu));
        all.cpus.extend(one.cpus);
    }
    all
}

fn choose(root: &SysRoot, ground: Option<&Ground>, allowed: &BTreeSet<u32>, threads: u32) -> Placement {
    // The disks of an array hang together as a rule: the first stands for all.
    let disk = ground.and_then(|ground| ground.disks().first().map(|disk| disk.to_path_buf()));
    let local = disk.as_deref().and_then(|disk| local_cpus(root, disk));
    let mut near: Vec<u32> = allowed
        .iter()
        .copied()
        .filter(|cpu| local.as_ref().is_none_or(|local| local.contains(cpu)))
        .collect();
    if near.is_empty() {
        // The process is confined to processors away from the device: those have to do.
        near = allowed.iter().copied().collect();
    }
    if near.len() < threads as usize {
        let refused = format!("pinning: {threads} threads, {} processors near the drive", near.len());
        return Placement { cpus: Vec::new(), refused: Some(refused) };
    }
    let served = disk.as_deref().map(|disk| interrupts(root, disk, near.len())).unwrap_or_default();
    let count = |cpu: u32| served.get(cpu as usize).copied().unwrap_or(0);
    // The processors that the device interrupts first, then one of each core before its siblings.
    near.sort_by_key(|&cpu| (std::cmp::Reverse(count(cpu)), sibling_rank(root, cpu), cpu));
    near.truncate(threads as usize);
    Placement { cpus: near, refused: None }
}

/// The processors of the device's NUMA node; `None` when neither it nor what it hangs on has one.
fn local_cpus(root: &SysRoot, disk: &Path) -> Option<BTreeSet<u32>> {
    let devices = root.path("sys/devices");
    let list = |path: &Path| text(path).known().map(|text| cpu_list(text)).filter(|list| !list.is_empty());
    for place in disk.ancestors().take_while(|place| place.starts_with(&devices)) {
        if let Some(list) = list(&place.join("local_cpulist")) {
            return Some(list);
        }
        // NVMe controllers tell the node too, where the PCI device is not among the ancestors (multipath).
        let node = text(&place.join("numa_node"));
        if let Some(list) = node
            .known()
            .and_then(|node| list(&root.path(&format!("sys/devices/system/node/node{node}/cpulist"))))
        {
            return Some(list);
        }
    }
    None
}

/// Interrupts of the disk's PCI device that each processor has served, by processor; empty when it has a queue
/// for every processor, which then serve their own.
fn interrupts(root: &SysRoot, disk: &Path, cpus: usize) -> Vec<u64> {
    if names_in(&disk.join("mq")).len() >= cpus {
        return Vec::new();
    }
    let numbers =
        disk.ancestors().map(|place| names_in(&place.join("msi_irqs"))).find(|names| !names.is_empty());
    let table = fs::read_to_string(root.path("proc/interrupts")).unwrap_or_default();
    served(&table, &numbers.unwrap_or_default())
}

/// The sums of the rows of `numbers` in `/proc/interrupts`, by processor.
fn served(table: &str, numbers: &[String]) -> Vec<u64> {
    let mut lines = table.lines();
    // The heading names the processors that are on; their numbers may have gaps.
    let cpus: Vec<usize> = lines
        .next()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|name| name.strip_prefix("CPU")?.parse().ok())
        .collect();
    let mut sums = vec![0; cpus.iter().max().map_or(0, |last| last + 1)];
    for line in lines {
        let Some((number, counts)) = line.split_once(':') else { continue };
        if numbers.iter().any(|wanted| wanted == number.trim()) {
            for (cpu, count) in cpus.iter().zip(counts.split_ascii_whitespace()) {
                sums[*cpu] += count.parse::<u64>().unwrap_or(0);
            }
        }
    }
    sums
}

/// Place of a processor among those of its core, from 0.
fn sibling_rank(root: &SysRoot, cpu: u32) -> usize {
    let path = root.path(&format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
    let siblings = text(&path).known().map(|text| cpu_list(text)).unwrap_or_default();
    siblings.iter().position(|sibling| *sibling == cpu).unwrap_or(0)
}

/// The processors of a list as the kernel writes it, `0-3,8`. Parts that are no numbers are left out.
fn cpu_list(text: &str) -> BTreeSet<u32> {
    text.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse().ok()?..=last.trim().parse::<u32>().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{counters::DeviceNumber, fake_sys::FakeSys};

    const NVME: DeviceNumber = DeviceNumber { major: 259, minor: 0 };

    fn machine() -> FakeSys {
        let sys = FakeSys::new();
        sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 1000);
        sys.write("sys/devices/pci0000:00/0000:01:00.0/local_cpulist", "4-7\n");
        for (cpu, siblings) in [(4, "4,6"), (6, "4,6"), (5, "5,7"), (7, "5,7")] {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            sys.write(&path, &format!("{siblings}\n"));
        }
        for queue in 0..4 {
            sys.write(
                &format!("sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/mq/{queue}/cpu_list"),
                "4\n",
            );
        }
        sys
    }

    fn cpus(sys: &FakeSys, allowed: std::ops::Range<u32>, threads: u32) -> Placement {
        choose(&sys.root(), Ground::of(&sys.root(), NVME).as_ref(), &allowed.collect(), threads)
    }

    #[test]
    fn threads_go_near_the_drive_and_to_different_cores_first() {
        let sys = machine();
        assert_eq!(cpus(&sys, 0..8, 2).cpus, [4, 5]);
        assert_eq!(cpus(&sys, 0..8, 4).cpus, [4, 5, 6, 7]);
        assert_eq!(cpus(&sys, 0..6, 2).cpus, [4, 5], "only what this process may use");
        assert_eq!(cpus(&sys, 0..2, 1).cpus, [0], "away from the drive is better than nowhere");
    }

    #[test]
    fn more_threads_than_processors_are_left_to_the_scheduler() {
        let placed = cpus(&machine(), 0..8, 5);
        assert!(placed.cpus.is_empty());
        assert_eq!(placed.refused.unwrap(), "pinning: 5 threads, 4 processors near the drive");
    }

    #[test]
    fn a_drive_with_one_queue_is_used_where_its_interrupts_go() {
        let sys = FakeSys::new();
        sys.disk("pci0000:00/0000:00:02.0/virtio1/block/vda", "259:0", 1000);
        sys.write("sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/mq/0/cpu_list", "0, 1\n");
        for number in ["35", "36"] {
            sys.write(&format!("sys/devices/pci0000:00/0000:00:02.0/msi_irqs/{number}"), "msix\n");
        }
        sys.write(
            "proc/interrupts",
            "           CPU0       CPU1\n  7:     900000          0  other\n 35:          3          0  config\n \
             36:          5     593874  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\nNMI:          0          0\n",
        );
        assert_eq!(cpus(&sys, 0..2, 1).cpus, [1]);
        assert_eq!(cpus(&sys, 0..2, 2).cpus, [1, 0]);
        assert_eq!(cpus(&sys, 0..1, 1).cpus, [0]);
    }

    #[test]
    fn each_of_several_drives_has_processors_of_its_own_or_none_has() {
        let sys = machine();
        let grounds = vec![Ground::of(&sys.root(), NVME), None];
        let cpus = |threads| choose_all(&sys.root(), &grounds, (0..8).collect(), threads);
        assert_eq!(cpus(2).cpus, [4, 5, 0, 1]);
        let none = cpus(5);
        assert!(none.cpus.is_empty());
        assert_eq!(none.refused.unwrap(), "pinning: 10 threads, 8 processors for 2 drives");
    }

    #[test]
    fn a_device_that_tells_nothing_may_be_used_anywhere() {
        let sys = FakeSys::new();
        assert_eq!(choose(&sys.root(), None, &(2..4).collect(), 1).cpus, [2]);
    }

    #[test]
    fn the_node_of_the_controller_counts_where_there_is_no_list() {
        let sys = FakeSys::new();
        let disk = sys.disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0", 1000);
        sys.write(&format!("{disk}/numa_node"), "1\n");
        sys.write("sys/devices/system/node/node1/cpulist", "2-3\n");
        assert_eq!(cpus(&sys, 0..4, 1).cpus, [2]);
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(cpu_list("0-2,8\n"), BTreeSet::from([0, 1, 2, 8]));
        assert!(cpu_list("").is_empty() && cpu_list("x").is_empty());
    }

    #[test]
    fn a_pinned_thread_stays_where_it_is() {
        let cpu = *allowed().unwrap().last().unwrap();
        std::thread::spawn(move || {
            pin(cpu).unwrap();
            assert_eq!(allowed().unwrap(), BTreeSet::from([cpu]));
        })
        .join()
        .unwrap();
    }
}
