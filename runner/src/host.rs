//! The machine around the drive, by allow-list. Reads `/proc` and `/sys` below a root path; no host
//! name, no addresses, no identifiers.

use crate::sysfs::{SysRoot, plain, text, words};
use model::{
    host::Host,
    reading::{Absent, Reading},
};
use std::fs;

/// Describes this machine.
#[must_use]
pub fn describe(root: &SysRoot) -> Host {
    let system = rustix::system::uname();
    let cpu_info = fs::read_to_string(root.path("proc/cpuinfo")).unwrap_or_default();
    Host {
        kernel: kernel_version(&system.release().to_string_lossy()),
        architecture: plain(&system.machine().to_string_lossy(), 20).unwrap_or_else(|| "unknown".to_owned()),
        cpu_model: Reading::from_option(cpu_model(&cpu_info), Absent::NotReported),
        logical_cpus: std::thread::available_parallelism()
            .map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX)),
        memory_bytes: Reading::from_option(memory_bytes(root), Absent::NotReported),
        cpu_governor: words(&root.path("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), 40),
        energy_preference: words(
            &root.path("sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference"),
            40,
        ),
        c_states: Vec::new(),
        power_source: Reading::Absent(Absent::NotMeasured),
        virtual_machine: virtual_machine(root, &cpu_info),
        ceiling: Reading::Absent(Absent::NotMeasured),
    }
}

/// The digits of a release: `6.18.44` of `6.18.44-1-amd64`. What follows can name a person or company.
fn kernel_version(release: &str) -> String {
    let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
    let digits: String = release[..end].trim_matches('.').chars().take(20).collect();
    if digits.is_empty() { "0".to_owned() } else { digits }
}

/// The value of the first line of `/proc/cpuinfo` with this name.
fn cpu_field<'a>(cpu_info: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.split_once(':').filter(|(key, _)| key.trim() == name);
    cpu_info.lines().find_map(value).map(|(_, value)| value.trim())
}

/// x86 and many others have `model name`, POWER has `cpu`; Arm tells numbers only, which are no name.
fn cpu_model(cpu_info: &str) -> Option<String> {
    ["model name", "cpu model", "cpu"].into_iter().find_map(|name| plain(cpu_field(cpu_info, name)?, 120))
}

fn memory_bytes(root: &SysRoot) -> Option<u64> {
    let info = fs::read_to_string(root.path("proc/meminfo")).ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Hypervisors on x86 announce themselves in a processor flag; elsewhere the firmware's vendor tells.
fn virtual_machine(root: &SysRoot, cpu_info: &str) -> Reading<bool> {
    if let Some(flags) = cpu_field(cpu_info, "flags") {
        return Reading::Known(flags.split(' ').any(|flag| flag == "hypervisor"));
    }
    const VENDORS: [&str; 6] = ["QEMU", "KVM", "VMware", "Xen", "Amazon EC2", "Google"];
    match text(&root.path("sys/class/dmi/id/sys_vendor")) {
        Reading::Known(vendor) => Reading::Known(VENDORS.iter().any(|known| vendor.starts_with(known))),
        Reading::Absent(reason) => Reading::Absent(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;

    #[test]
    fn a_release_is_cut_to_its_digits() {
        for (release, digits) in [
            ("6.18.44-1-amd64", "6.18.44"),
            ("6.1.0", "6.1.0"),
            ("5.15.0-acme-corp", "5.15.0"),
            ("weird", "0"),
        ] {
            assert_eq!(kernel_version(release), digits);
        }
    }

    #[test]
    fn a_machine_is_described_from_proc() {
        let sys = FakeSys::new();
        sys.write(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: AMD EPYC\u{1b} 7B13\nflags\t\t: fpu hypervisor lm\n",
        );
        sys.write("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
        let host = describe(&sys.root());
        assert_eq!(host.cpu_model, Reading::Known("AMD EPYC 7B13".to_owned()));
        assert_eq!(host.memory_bytes, Reading::Known(16_777_216));
        assert_eq!(host.virtual_machine, Reading::Known(true));
        assert_eq!(host.cpu_governor, Reading::Absent(Absent::NotReported));
    }

    #[test]
    fn without_proc_everything_is_absent() {
        let sys = FakeSys::new();
        let host = describe(&sys.root());
        assert_eq!(host.cpu_model, Reading::Absent(Absent::NotReported));
        assert_eq!(host.virtual_machine, Reading::Absent(Absent::NotReported));
    }
}
