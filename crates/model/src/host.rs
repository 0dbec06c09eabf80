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
    /// Whether this is a virtual machine.
    pub virtual_machine: Reading<bool>,
}
