//! `cliffmark host`: this machine, and what it can do without any drive.
//!
//! Knows how the description is shown. What is described is decided in `host` and `engine`.

use crate::{
    drive::ground::Ground,
    engine,
    hint::{Failure, note, print},
    host,
    sysfs::SysRoot,
};
use model::{
    Reading,
    host::{Ceiling, Host},
    reading::Absent,
    units::{Nanos, Unit, format_nanos, format_rate, format_size},
};
use std::fmt::Write as _;

/// Measures and prints.
///
/// # Errors
/// When it cannot be printed.
pub fn show(root: &SysRoot, json: bool) -> Result<(), Failure> {
    let host = Host { ceiling: measured_ceiling(root, None), ..host::describe(root) };
    if json {
        let text = serde_json::to_string_pretty(&host).expect("a host has only JSON-able fields");
        return print(&format!("{text}\n"));
    }
    print(&text(&host))
}

/// This host's ceiling where a thread that uses a drive would run; when there is none, the reason is told on
/// standard error.
#[must_use]
pub fn measured_ceiling(root: &SysRoot, ground: Option<&Ground>) -> Reading<Ceiling> {
    match engine::ceiling(root, ground) {
        Ok(ceiling) => Reading::Known(ceiling),
        Err(reason) => {
            note(&format!("this host's ceiling was not measured: {reason}"));
            Reading::Absent(Absent::NotSupported)
        }
    }
}

fn text(host: &Host) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{name:<12}{value}");
    };
    line("processor", &format!("{}, {} usable", host.cpu_model.text_with(Clone::clone), host.logical_cpus));
    line("memory", &host.memory_bytes.text_with(|bytes| format_size(*bytes)));
    line("kernel", &format!("{}, {}", host.kernel, host.architecture));
    match &host.ceiling {
        Reading::Known(ceiling) => {
            #[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
            let iops = |rate: u64| Unit::Iops.format(rate as f64);
            #[expect(clippy::cast_precision_loss, reason = "as above")]
            let data = format_rate(ceiling.data_bytes_per_s as f64);
            line("ceiling", &format!("{} with 1 empty request in flight", iops(ceiling.nop_qd1_iops)));
            line("", &format!("{} with 128, each recorded like an I/O", iops(ceiling.nop_qd128_iops)));
            line("data", &format!("{data} of random data by one thread"));
            line("clock", &format!("{} a reading", format_nanos(Nanos(ceiling.clock_ns))));
        }
        Reading::Absent(reason) => line("ceiling", reason.text()),
    }
    out.push_str("A figure near this ceiling, of one thread, shows this host and not the drive.\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;

    #[test]
    fn the_ceiling_is_shown_or_why_it_is_not() {
        let mut host = host::describe(&FakeSys::new().root());
        assert!(text(&host).contains("ceiling     not measured\n"), "{}", text(&host));
        host.ceiling = Reading::Known(Ceiling {
            nop_qd1_iops: 1_500_000,
            nop_qd128_iops: 4_000_000,
            data_bytes_per_s: 3_000_000_000,
            clock_ns: 25,
        });
        let text = text(&host);
        for part in ["1,500,000 IOPS with 1 ", "4,000,000 IOPS with 128", "3,000.0 MB/s", "25 ns"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
