//! Asks an NVMe controller for its health log and its identity, which the kernel allows to administrators.
//!
//! Source: Linux `include/uapi/linux/nvme_ioctl.h`; NVM Express base specification, Get Log Page and Identify.
#![expect(unsafe_code, reason = "the kernel's NVMe commands are reached by ioctl only")]

use super::health_log::{LOG_BYTES, kelvin};
use crate::{
    drive::nvme,
    sysfs::{SysRoot, parse_device_number, text},
};
use model::reading::{Absent, Reading};
use std::{
    fs::{File, OpenOptions},
    io,
    os::{
        fd::AsRawFd as _,
        unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    },
    path::Path,
};

/// `_IOWR('N', 0x41, struct nvme_admin_cmd)`, 72 bytes.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xc048_4e41_u32 as libc::Ioctl;
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
/// The SMART / Health Information log.
const HEALTH_LOG: u32 = 0x02;
/// The data structure of the controller.
const CONTROLLER: u32 = 0x01;
/// All namespaces: the log is the controller's.
const ALL_NAMESPACES: u32 = u32::MAX;
const IDENTITY_BYTES: usize = 4096;

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    /// 0 is the driver's default: a shorter one would reset a slow controller in the middle of a run.
    timeout_ms: u32,
    result: u32,
}

const _: () = assert!(size_of::<AdminCommand>() == 72);

/// An open controller or namespace.
#[derive(Debug)]
pub(super) struct Node(File);

/// Temperatures from which on a drive warns, milli-degrees Celsius.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limits {
    pub warning: Reading<i64>,
    pub critical: Reading<i64>,
}

impl Node {
    /// Opens the controller of a disk, or the disk where it has no node.
    ///
    /// # Errors
    /// The reason for which its log cannot be read.
    pub(super) fn open(root: &SysRoot, disk: &Path) -> Result<Self, Absent> {
        let controller = nvme::controllers(disk).into_iter().next().ok_or(Absent::NotSupported)?;
        match open_device(root, &controller) {
            Err(Absent::NotReported) => open_device(root, disk).map(Self),
            other => other.map(Self),
        }
    }

    /// The health log as it is now.
    ///
    /// # Errors
    /// The reason for which it cannot be read.
    pub(super) fn health_log(&self) -> Result<[u8; LOG_BYTES], Absent> {
        let mut log = [0; LOG_BYTES];
        let dwords = (LOG_BYTES / 4 - 1) as u32;
        self.read(GET_LOG_PAGE, ALL_NAMESPACES, HEALTH_LOG | dwords << 16, &mut log)?;
        Ok(log)
    }

    /// The controller's temperature limits. Source: Identify Controller, bytes 266 and 268, kelvin; 0 is none.
    pub(super) fn limits(&self) -> Limits {
        let mut identity = [0; IDENTITY_BYTES];
        let read = self.read(IDENTIFY, 0, CONTROLLER, &mut identity);
        let limit = |at: usize| match read {
            Ok(()) => {
                let value = kelvin(u16::from_le_bytes([identity[at], identity[at + 1]]));
                Reading::from_option(value, Absent::NotReported)
            }
            Err(reason) => Reading::Absent(reason),
        };
        Limits { warning: limit(266), critical: limit(268) }
    }

    fn read(&self, opcode: u8, nsid: u32, cdw10: u32, data: &mut [u8]) -> Result<(), Absent> {
        let mut command = AdminCommand {
            opcode,
            nsid,
            addr: data.as_mut_ptr() as u64,
            data_len: u32::try_from(data.len()).expect("buffers here have a few KiB"),
            cdw10,
            ..AdminCommand::default()
        };
        // SAFETY: the file is open; `command` is the structure that this request takes, and `addr` and
        // `data_len` describe `data`, which lives and is borrowed until the call returns.
        let status = unsafe { libc::ioctl(self.0.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut command) };
        match status {
            0 => Ok(()),
            -1 => Err(reason(&io::Error::last_os_error())),
            // A status of the controller: it does not have this log.
            _ => Err(Absent::NotSupported),
        }
    }
}

/// Opens the node of a device that sysfs describes, and makes sure that it is that device.
fn open_device(root: &SysRoot, device: &Path) -> Result<File, Absent> {
    let name = device.file_name().and_then(|name| name.to_str()).ok_or(Absent::NotReported)?;
    let number = text(&device.join("dev")).known().and_then(|text| parse_device_number(text));
    let number = number.ok_or(Absent::NotReported)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(root.path("dev").join(name))
        .map_err(|error| reason(&error))?;
    let found = file.metadata().map_err(|error| reason(&error))?.rdev();
    let same = (rustix::fs::major(found), rustix::fs::minor(found)) == (number.major, number.minor);
    if same { Ok(file) } else { Err(Absent::NotReported) }
}

fn reason(error: &io::Error) -> Absent {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Absent::NotPermitted,
        Some(libc::ENOTTY | libc::EINVAL) => Absent::NotSupported,
        _ => Absent::NotReported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;

    #[test]
    fn the_request_is_the_kernels() {
        // Direction read and write, 72 bytes, type N, number 0x41.
        const NUMBER: libc::Ioctl = (3_u32 << 30 | 72 << 16 | (b'N' as u32) << 8 | 0x41) as libc::Ioctl;
        assert_eq!(NVME_IOCTL_ADMIN_CMD, NUMBER);
    }

    #[test]
    fn files_that_are_no_controller_are_not_asked() {
        let sys = FakeSys::new();
        let disk = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 1);
        sys.write("sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/dev", "246:0\n");
        let disk = std::fs::canonicalize(sys.root().path(&disk)).unwrap();
        let open = || Node::open(&sys.root(), &disk).err();
        assert_eq!(open(), Some(Absent::NotReported), "there is no node");
        sys.write("dev/nvme0", "a file that calls itself a controller\n");
        assert_eq!(open(), Some(Absent::NotReported), "a file has no device number");
    }

    #[test]
    fn what_is_no_nvme_device_does_not_know_the_command() {
        let null = Node(File::open("/dev/null").unwrap());
        assert_eq!(null.health_log(), Err(Absent::NotSupported));
        let limits = null.limits();
        assert_eq!(limits.warning, Reading::Absent(Absent::NotSupported));
        assert_eq!(reason(&io::Error::from_raw_os_error(libc::EACCES)), Absent::NotPermitted);
    }
}
