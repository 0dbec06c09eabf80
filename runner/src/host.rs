//! The machine around the drive, by allow-list. Reads `/proc` and `/sys` below a root path; no host
//! name, no addresses, no identifiers.

use crate::sysfs::{SysRoot, flag, names_in, plain, text, words};
use model::{
    host::{Host, PowerSource},
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
        c_states: c_states(root),
        power_source: power_source(root),
        virtual_machine: virtual_machine(root, &cpu_info),
        ceiling: Reading::Absent(Absent::NotMeasured),
    }
}

/// Whether this is known to be a virtual machine.
#[must_use]
pub fn is_virtual_machine(root: &SysRoot) -> bool {
    let cpu_info = fs::read_to_string(root.path("proc/cpuinfo")).unwrap_or_default();
    virtual_machine(root, &cpu_info) == Reading::Known(true)
}

/// Names of the sleep states that are not disabled, in the kernel's order: shallowest first.
fn c_states(root: &SysRoot) -> Vec<String> {
    const MOST: u32 = 16;
    let states = root.path("sys/devices/system/cpu/cpu0/cpuidle");
    (0..MOST)
        .map(|index| states.join(format!("state{index}")))
        .filter(|state| flag(&state.join("disable")) != Reading::Known(true))
        .filter_map(|state| words(&state.join("name"), 40).known().cloned())
        .collect()
}

/// Mains when a supply from outside is on; a battery when there are only batteries, and one gives power.
/// Source: Linux `Documentation/ABI/testing/sysfs-class-power`.
fn power_source(root: &SysRoot) -> Reading<PowerSource> {
    let supplies = root.path("sys/class/power_supply");
    let read = |name: &str, what: &str| text(&supplies.join(name).join(what)).known().cloned();
    // Batteries of mice and headsets power no machine.
    let own: Vec<String> = names_in(&supplies)
        .into_iter()
        .filter(|name| read(name, "scope").is_none_or(|scope| scope != "Device"))
        .collect();
    let outside = |name: &&String| read(name, "type").is_some_and(|kind| kind == "Mains" || kind == "USB");
    let battery = |name: &&String| read(name, "type").is_some_and(|kind| kind == "Battery");
    let on = |name: &String| read(name, "online").is_some_and(|online| online != "0");
    let discharging = |name: &String| read(name, "status").is_some_and(|status| status == "Discharging");
    if own.iter().filter(outside).any(on) {
        return Reading::Known(PowerSource::Mains);
    }
    let batteries: Vec<&String> = own.iter().filter(battery).collect();
    match batteries.as_slice() {
        [] => Reading::Absent(Absent::NotReported),
        some if some.iter().any(|name| discharging(name)) => Reading::Known(PowerSource::Battery),
        // A battery that does not discharge is held up by something.
        _ => Reading::Known(PowerSource::Mains),
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
    fn sleep_states_that_are_disabled_are_left_out() {
        let sys = FakeSys::new();
        for (index, name, disabled) in [(0, "POLL", 0), (1, "C1E", 0), (2, "C6", 1), (10, "C10", 0)] {
            let state = format!("sys/devices/system/cpu/cpu0/cpuidle/state{index}");
            sys.write(&format!("{state}/name"), &format!("{name}\n"));
            sys.write(&format!("{state}/disable"), &format!("{disabled}\n"));
        }
        assert_eq!(describe(&sys.root()).c_states, ["POLL", "C1E", "C10"]);
    }

    #[test]
    fn mains_outweigh_batteries_and_mice_do_not_count() {
        let sys = FakeSys::new();
        let supply = |name: &str, what: &str, value: &str| {
            sys.write(&format!("sys/class/power_supply/{name}/{what}"), &format!("{value}\n"));
        };
        let source = || describe(&sys.root()).power_source;
        assert_eq!(source(), Reading::Absent(Absent::NotReported));
        supply("hidpp_battery_0", "type", "Battery");
        supply("hidpp_battery_0", "scope", "Device");
        supply("hidpp_battery_0", "status", "Discharging");
        assert_eq!(source(), Reading::Absent(Absent::NotReported));
        supply("BAT0", "type", "Battery");
        supply("BAT0", "status", "Full");
        assert_eq!(source(), Reading::Known(PowerSource::Mains));
        supply("BAT0", "status", "Discharging");
        supply("AC", "type", "Mains");
        supply("AC", "online", "0");
        assert_eq!(source(), Reading::Known(PowerSource::Battery));
        supply("AC", "online", "1");
        assert_eq!(source(), Reading::Known(PowerSource::Mains));
    }

    #[test]
    fn without_proc_everything_is_absent() {
        let sys = FakeSys::new();
        let host = describe(&sys.root());
        assert_eq!(host.cpu_model, Reading::Absent(Absent::NotReported));
        assert_eq!(host.virtual_machine, Reading::Absent(Absent::NotReported));
    }
}
