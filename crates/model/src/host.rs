//! The machine around the drive, by allow-list: nothing that names its owner or tells it from others
//! of its kind.

use crate::reading::Reading;
use serde::{Deserialize, Serialize};

/// The measuring machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Kernel version, digits only: `6.18.44`.
    pub kernel: String,
    /// Machine architecture: `x86_64`.
    pub architecture: String,
    /// Processor model name, at most 120 characters.
    pub cpu_model: Reading<String>,
    /// Logical processors this process may use.
    pub logical_cpus: u32,
    /// Memory in bytes.
    pub memory_bytes: Reading<u64>,
    /// The frequency governor of the first processor, at most 40 characters.
    pub cpu_governor: Reading<String>,
    /// What the processor prefers, speed or saving (`energy_performance_preference`), at most 40 characters.
    pub energy_preference: Reading<String>,
    /// Names of the sleep states that the first processor may enter, shallowest first; leaving deep ones delays
    /// completions. Empty when the kernel lists none.
    pub c_states: Vec<String>,
    /// Whether the machine runs on mains or on a battery.
    pub power_source: Reading<PowerSource>,
    /// Whether this is a virtual machine.
    pub virtual_machine: Reading<bool>,
    /// What this host can do without any drive, measured just before the run.
    pub ceiling: Reading<Ceiling>,
}

/// Where the machine's power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PowerSource {
    /// Mains.
    Mains,
    /// A battery: drives and processors may be slowed down to save it.
    Battery,
}

/// What the host can do without any drive: no figure can be higher than this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// Empty requests per second through a ring of one thread, one in flight.
    pub nop_qd1_iops: u64,
    /// Empty requests per second through a ring of one thread, 128 in flight, recorded like I/Os.
    pub nop_qd128_iops: u64,
    /// Bytes per second of fresh random data that one thread makes.
    pub data_bytes_per_s: u64,
    /// Time one reading of the measuring clock takes, nanoseconds.
    pub clock_ns: u64,
}
