//! The real runner on drives that no shop sells: emulated NVMe drives in a virtual machine, and devices of this
//! machine that become slow, full, broken or absent on purpose.
//!
//! `cargo xtask test` brings the parts and names them in the environment: `CLIFFMARK_BIN`, and `CLIFFMARK_VM` or
//! the reason why there is none, `CLIFFMARK_VM_MISSING`. What cannot be run on a machine is skipped, printed with
//! its reason, and counted as skipped. No test here looks at speed: only at structure, reasons, and ratios that
//! are far apart.
#![expect(clippy::print_stdout, reason = "what could not be taken away again is told")]

mod bucket;
mod end;
mod host;
mod program;
mod qmp;
mod seccomp;
mod skip;
mod suites;
mod vm;

mod apart;
mod limits;
mod loops;
mod nvme;
mod safety;
mod signals;
mod watched;
mod whole;
