//! What is inside of the guest: a kernel's drivers in the order they need, a shell, and the runner under test.

use super::archive::Archive;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Drivers that the guest loads, after what each depends on. The first three are found by name at run time, so no
/// other driver names them as what it depends on.
const DRIVERS: [&str; 5] = ["crc32c_generic", "crct10dif_generic", "crc64_rocksoft_generic", "nvme", "ext4"];

/// The first process: prepares the system, gives a script its words, runs it and switches the machine off. A driver
/// gets the options in a file of its name in `/options/`.
const INIT: &str = r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
export HOME=/tmp XDG_CONFIG_HOME=/tmp/config XDG_STATE_HOME=/tmp/state PATH=/bin
while read -r driver; do
    insmod /drivers/$driver $(cat /options/$driver 2> /dev/null)
done < /drivers/order

# mark NAME: tells a moment; the emulator's commands for it are given then.
mark() { echo "@mark $1" > /dev/ttyS1; }
# run NAME COMMAND...: runs it and tells what it wrote and its exit code.
run() {
    name=$1; shift
    "$@" > /tmp/$name.out 2> /tmp/$name.err < /dev/null
    code=$?
    { echo "@stdout $name"; base64 /tmp/$name.out; echo "@stderr $name"; base64 /tmp/$name.err
      echo "@exit $name $code"; } > /dev/ttyS1
}
# when NAME TEXT MARK: marks the moment at which the command run as NAME has written TEXT on standard error.
when() { ( until grep -q "$2" /tmp/$1.err 2> /dev/null; do usleep 20000; done; mark "$3" ) & }
# await TEST...: waits until a test holds, `await -b /dev/nvme0n1`.
await() { until [ "$@" ]; do usleep 20000; done; }

cd /tmp
. /script
echo "@over" > /dev/ttyS1
poweroff -f
"#;

/// The kernel's image.
pub(super) fn kernel(parts: &Path) -> PathBuf {
    let boot = parts.join("kernel/boot");
    let found = std::fs::read_dir(&boot).unwrap_or_else(|error| panic!("{}: {error}", boot.display()));
    found
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz")))
        .expect("there is a kernel in the parts")
}

/// The first file system of a guest with this script and these files.
pub(super) fn initrd(parts: &Path, script: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    static COMMON: OnceLock<Vec<u8>> = OnceLock::new();
    let mut bytes = COMMON.get_or_init(|| common(parts)).clone();
    let mut own = Archive::default();
    own.file("/script", script.as_bytes());
    for (path, content) in files {
        own.file(path, content);
    }
    bytes.extend(own.finish());
    bytes
}

fn common(parts: &Path) -> Vec<u8> {
    let mut archive = Archive::default();
    for folder in ["/proc", "/sys", "/dev", "/tmp", "/mnt", "/mnt2"] {
        archive.folder(folder);
    }
    archive.file("/init", INIT.as_bytes());
    archive.file("/bin/busybox", &read(&parts.join("shell/bin/busybox")));
    let program = std::env::var("CLIFFMARK_BIN").expect("CLIFFMARK_BIN is set by `cargo xtask test`");
    archive.file("/bin/cliffmark", &read(Path::new(&program)));
    for library in libraries(&program) {
        archive.file(&library, &read(Path::new(&library)));
    }
    let mut order = String::new();
    for driver in in_order(&drivers(&parts.join("kernel/lib/modules"))) {
        let name = driver.file_name().unwrap().to_str().unwrap();
        archive.file(&format!("/drivers/{name}"), &read(&driver));
        order.push_str(name);
        order.push('\n');
    }
    archive.file("/drivers/order", order.as_bytes());
    archive.finish()
}

/// The shared libraries of a program and their loader; none of a static one.
fn libraries(program: &str) -> Vec<String> {
    let told = Command::new("ldd").arg(program).output().expect("ldd can be started");
    let text = String::from_utf8(told.stdout).expect("ldd tells paths as text");
    // `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`, `/lib64/ld-linux-x86-64.so.2 (0x…)`
    text.split_whitespace().filter(|word| word.starts_with('/')).map(str::to_owned).collect()
}

/// Every driver below a folder by the name under which others depend on it.
fn drivers(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".ko") {
                found.insert(name.replace('-', "_"), path);
            }
        }
    }
    found
}

/// The wanted drivers, each after those that it depends on.
fn in_order(drivers: &BTreeMap<String, PathBuf>) -> Vec<PathBuf> {
    fn add(name: &str, drivers: &BTreeMap<String, PathBuf>, order: &mut Vec<PathBuf>) {
        // What is not there is part of the kernel itself.
        let Some(path) = drivers.get(name) else { return };
        if !order.contains(path) {
            depends(&read(path)).iter().for_each(|below| add(below, drivers, order));
            order.push(path.clone());
        }
    }
    let mut order = Vec::new();
    DRIVERS.iter().for_each(|name| add(name, drivers, &mut order));
    order
}

/// What a driver says it depends on. Source: Linux `MODULE_INFO(depends, …)`, zero-ended texts in `.modinfo`.
fn depends(driver: &[u8]) -> Vec<String> {
    let key = b"\0depends=";
    let Some(at) = driver.windows(key.len()).position(|window| window == key) else { return Vec::new() };
    let list: Vec<u8> = driver[at + key.len()..].iter().copied().take_while(|byte| *byte != 0).collect();
    let list = String::from_utf8(list).expect("names of drivers are text");
    list.split(',').filter(|name| !name.is_empty()).map(|name| name.replace('-', "_")).collect()
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
