//! Stories about what is watched meanwhile: sensors, health log and links of emulated NVMe drives.

use crate::{suites::suite_of, vm::Machine};
use model::{
    proof::Unproven,
    telemetry::{Quantity, SensorSource},
};
use serde_json::json;

const MIB: u64 = 1 << 20;
/// The emulator's drive is always this warm, milli-degrees Celsius: 323 K.
const WARMTH: i64 = 49_850;

#[test]
fn a_warning_that_comes_up_during_a_run_is_in_its_health_log() {
    let Some(machine) = Machine::new("a drive warns during a run") else { return };
    let image = machine.ext4_image("warm", 128 * MIB);
    let warn = json!({
        "execute": "qom-set",
        "arguments": { "path": "/machine/peripheral/n0", "property": "smart_critical_warning", "value": 2 },
    });
    let told = machine
        .with("-device", "pcie-root-port,id=rp1,chassis=1,slot=5")
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", image.display()))
        .with("-device", "nvme,id=n0,serial=WARM,bus=rp1,drive=d1")
        .file("/tiny.toml", suite_of("16MiB", 2, &[("rand-read", "4KiB", 2), ("seq-write", "128KiB", 2)]))
        .on("warn", warn)
        .script(
            "await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             when document 'cell 1:' warn
             run document cliffmark run /mnt --suite /tiny.toml --runs 3 --sample-every 200ms --yes --json --out /tmp/one.cliffmark
             run verify cliffmark verify /tmp/one.cliffmark
             run show cliffmark show /tmp/one.cliffmark",
        )
        .run();
    let end = told.end("document");
    let document = end.expect(0).document();

    let watched = &document.telemetry;
    let log = watched.health.known().expect("root reads the health log");
    let warnings: Vec<u8> = log.iter().map(|one| one.critical_warning).collect();
    assert!(matches!(warnings.as_slice(), [0, 2, 2]), "before, when it came up, after: {warnings:?}");
    let written = log[2].written_units - log[0].written_units;
    assert!(written * 512_000 >= 16 * MIB, "the drive counted at least the fill: {written} units");
    assert!(log[1].at_ns > document.cells[0].loops[0].started_ns && log[1].at_ns < log[2].at_ns);

    let heat: Vec<_> = watched.series.iter().filter(|one| one.quantity == Quantity::Temperature).collect();
    let [composite] = heat.as_slice() else { panic!("one sensor: {heat:?}") };
    assert_eq!((composite.source, composite.name.as_str()), (SensorSource::Hwmon, "Composite"));
    assert!(composite.values.len() > 5 && composite.values.iter().all(|value| *value == Some(WARMTH)));
    assert!(composite.warning.known().is_some(), "{composite:?}");

    assert_eq!(document.drive.pcie.len(), 1, "from the root's port to the drive");
    assert!(document.drive.pcie[0].current.known().is_some());
    assert_eq!(watched.links.len(), 1, "the link did not change");
    assert!(document.drive.slot.known().is_some(), "the port is a slot");
    let proof = &document.cells[0].proof;
    assert!(proof.unproven.contains(&Unproven::VirtualDisk));
    assert!(proof.link_bytes_per_s.known().is_none(), "an emulated link limits nothing");

    told.end("verify").expect(0);
    let shown = told.end("show").text();
    assert!(shown.contains("heat      Composite 49.9 °C before, 49.9 °C at most"), "{shown}");
}
