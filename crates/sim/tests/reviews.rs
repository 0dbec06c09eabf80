//! The fitted drives give what the reviews printed, and the analysis finds what the drives were made of.
//!
//! Tolerance: 2 % of a speed or an amount, 1 degree of a temperature.

use analysis::{
    passes::knee,
    series::{Step, Steps, findings, heat::Known},
};
use cliffmark_sim::{Drive, Load, Op, TICK_NS, Tick};
use model::finding::{Findings, ThrottleStyle, Throttled};

const GB: f64 = 1e9;
const WRITE: Load =
    Load { op: Op::Write, sequential: true, block_bytes: 1 << 20, in_flight: 32, beside: None };

fn drive(name: &str) -> Drive {
    cliffmark_sim::parse(name).unwrap()
}

fn step(load: Option<Load>, tick: Tick) -> Step {
    let bytes = load.map_or(0, |load| tick.ios() * u64::from(load.block_bytes));
    Step { elapsed_ns: TICK_NS, bytes, temperature: Some(tick.temperature), power: Some(tick.power) }
}

/// Writes so many bytes in one go.
fn write(drive: &mut Drive, bytes: f64) -> Vec<Step> {
    let (mut steps, mut written) = (Vec::new(), 0);
    while (written as f64) < bytes {
        let one = step(Some(WRITE), drive.tick(Some(WRITE)));
        written += one.bytes;
        steps.push(one);
    }
    steps
}

fn rest(drive: &mut Drive, seconds: u64) -> Vec<Step> {
    (0..seconds * 10).map(|_| step(None, drive.tick(None))).collect()
}

fn found(steps: Vec<Step>) -> Findings {
    findings(&Steps::new(steps), Known::default())
}

fn near(what: &str, value: f64, wanted: f64) {
    assert!((value / wanted - 1.0).abs() <= 0.02, "{what}: {value} instead of {wanted}");
}

fn degrees(what: &str, milli: i64, wanted: f64) {
    assert!((milli as f64 / 1_000.0 - wanted).abs() <= 1.0, "{what}: {milli} instead of {wanted} degrees");
}

#[test]
fn fast_writing_ends_where_the_drive_was_made_to_end_it() {
    for (name, ends, then, peak) in [
        ("pg4vnz-1tb?cooling=heatsink", 104.0, 1_094.7, None),
        ("pg4vnz-2tb?cooling=heatsink", 205.0, 1_776.7, Some(42.0)),
        ("pg4vnz-4tb?cooling=heatsink", 410.0, 1_771.2, None),
    ] {
        let mut drive = drive(name);
        // Not so much that the cache is full.
        let total = drive.parameters.cache.continuous_bytes * 2.5;
        let found = found(write(&mut drive, total));
        let stages = found.stages.unwrap();
        assert_eq!(stages.changes.len(), 1, "{name}: {:#?}", stages.changes);
        near(name, stages.changes[0].latest.bytes as f64 / GB, ends);
        near(name, stages.stages[1].mean_bytes_per_s as f64 / 1e6, then);
        if let Some(peak) = peak {
            degrees(name, found.heat.unwrap().peak, peak);
        }
        assert_eq!(found.throttling.unwrap().verdict, Throttled::NotShown, "{name} is cool");
    }
}

#[test]
fn bare_drives_limit_themselves_at_their_temperature() {
    for (name, peak) in [("pg4vnz-1tb", 75.0), ("pg4vnz-2tb", 66.0), ("pg4vnz-4tb", 83.0)] {
        let mut drive = drive(name);
        let limit = drive.parameters.heat.limit.unwrap();
        let native = drive.parameters.cache.native;
        let total = drive.parameters.cache.continuous_bytes + 400.0 * GB;
        let found = found(write(&mut drive, total));
        degrees(name, found.heat.unwrap().peak, peak);
        let stages = found.stages.unwrap();
        let last = stages.stages.last().unwrap();
        near(name, last.typical_bytes_per_s as f64, native * limit.share);
        let verdict = found.throttling.unwrap();
        assert_eq!(
            (verdict.verdict, verdict.style),
            (Throttled::Possible, Some(ThrottleStyle::SustainedLimit)),
            "{name}"
        );
    }
}

#[test]
fn one_drive_stops_and_goes() {
    let mut drive = drive("pg3vnf-2tb");
    let found = found(write(&mut drive, 900.0 * GB));
    let verdict = found.throttling.unwrap();
    assert_eq!((verdict.verdict, verdict.style), (Throttled::Possible, Some(ThrottleStyle::StopAndGo)));
    let stages = found.stages.unwrap();
    let cycle = stages.stages.iter().find_map(|stage| stage.cycle).unwrap();
    let limit = drive.parameters.heat.limit.unwrap();
    near("depth", cycle.depth(), 1.0 - limit.share);
    assert!(cycle.count >= 3);
    // Warming at full speed from the lower threshold to the upper one, and cooling back.
    let (heat, power) = (drive.parameters.heat, drive.parameters.power);
    let toward =
        |bytes_per_s: f64| heat.ambient + heat.degrees_per_watt[0] * (power.awake + power.fast * bytes_per_s);
    let high = cycle.high_bytes_per_s as f64;
    let (hot, cool) = (toward(high), toward(high * limit.share));
    let warms = heat.seconds[0] * ((hot - limit.until) / (hot - limit.above)).ln();
    let cools = heat.seconds[0] * ((limit.above - cool) / (limit.until - cool)).ln();
    near("period", cycle.period_ns as f64 / 1e9, warms + cools);
}

#[test]
fn time_constants_come_out_where_the_load_is_steady() {
    // Drives without a limit that they reach, and the writes that show it.
    for (name, gb) in [
        ("960-pro-512gb", 900.0),
        ("950-pro-512gb", 600.0),
        ("860-evo-4tb", 700.0),
        ("pg4vnz-2tb?cooling=heatsink", 900.0),
        ("pg4vnz-4tb?cooling=heatsink", 1_400.0),
        ("980-pro-2tb?cooling=heatsink", 1_200.0),
    ] {
        let mut drive = drive(name);
        let wanted = drive.parameters.heat.seconds[drive.cooling as usize];
        let found = found(write(&mut drive, gb * GB));
        let constant = found.heat.unwrap().time_constant_ns.unwrap_or_default();
        near(name, constant as f64 / 1e9, wanted);
    }
}

#[test]
fn folding_begins_in_the_burst_that_passes_its_level() {
    let mut drive = drive("pg4vnz-1tb?cooling=heatsink");
    let level = drive.parameters.cache.folds_above_bytes;
    // Bursts of 2 % of the level: the first rest at work tells it as exactly.
    let size = level * 0.02;
    let mut written = 0.0;
    let idle = drive.parameters.power.idle;
    let onset = loop {
        written += write(&mut drive, size).iter().map(|step| step.bytes as f64).sum::<f64>();
        let pause = rest(&mut drive, 5);
        if pause.iter().all(|step| step.power.unwrap() as f64 > 2_000.0 * idle) {
            break written;
        }
        assert!(written < 2.0 * level, "it never folds");
    };
    assert!((0.0..=0.03).contains(&(onset / level - 1.0)), "{onset} instead of {level}");
}

#[test]
fn four_bursts_tell_the_story_of_the_cache() {
    let mut drive = drive("pg4vnz-1tb?cooling=heatsink");
    let idle = drive.parameters.power.idle;
    let mut watts_at_rest = Vec::new();
    let mut bursts = Vec::new();
    for _ in 0..4 {
        bursts.push(found(write(&mut drive, 100.0 * GB)).stages.unwrap());
        let pause = rest(&mut drive, 10);
        watts_at_rest.push(pause.iter().map(|step| step.power.unwrap()).max().unwrap() as f64 / 1_000.0);
    }
    let slows: Vec<bool> = bursts.iter().map(|burst| !burst.changes.is_empty()).collect();
    assert_eq!(slows, [false, false, false, true], "the fourth burst passes 300 GB and slows before its end");
    near("idle after burst 1", watts_at_rest[0], idle);
    near("idle after burst 2", watts_at_rest[1], idle);
    assert!(watts_at_rest[2] > 5.0 * idle && watts_at_rest[3] > 5.0 * idle, "it folds: {watts_at_rest:?}");
    let cliff = bursts[3].changes[0].latest.bytes as f64 / GB;
    assert!((0.0..100.0).contains(&cliff), "{cliff}");
}

#[test]
fn a_stuck_cache_leaves_its_fixed_part() {
    let ends = |name: &str| {
        let found = found(write(&mut drive(name), 120.0 * GB));
        let stages = found.stages.unwrap();
        (stages.changes[0].latest.bytes as f64 / GB, stages.stages[1].typical_bytes_per_s as f64 / 1e6)
    };
    let (at, then) = ends("860-qvo-4tb");
    near("the cache", at, 78.0);
    near("past it", then, 160.0);
    let (at, _) = ends("860-qvo-4tb?dynamic-cache=stuck");
    near("what is left of it", at, 6.0);
    // Source: review B, the same drive with 1.7 of 4 TB in use.
    let (at, _) = ends("860-qvo-4tb?dynamic-cache=sticks&fill=47");
    near("what is left of it with data", at, 6.0);
    let (at, _) = ends("860-qvo-4tb?dynamic-cache=sticks");
    near("the cache before there is data", at, 78.0);
    let evo = found(write(&mut drive("860-evo-4tb"), 120.0 * GB)).stages.unwrap();
    assert!(evo.changes.is_empty());
}

fn speed(drive: &mut Drive, op: Op) -> f64 {
    let load = Load { op, sequential: true, block_bytes: 1 << 20, in_flight: 8, beside: None };
    let ios: u64 = (0..20).map(|_| drive.tick(Some(load)).ios()).sum();
    ios as f64 * f64::from(load.block_bytes) / 2.0
}

#[test]
fn an_array_saturates_as_it_did() {
    let of = |members: u64, op| speed(&mut drive(&format!("980-pro-2tb*{members}")), op) / GB;
    near("read, 4 drives", of(4, Op::Read), 23.4);
    near("write, 5 drives", of(5, Op::Write), 23.3);
    near("read, 8 drives", of(8, Op::Read), 26.493);
    near("write, 8 drives", of(8, Op::Write), 26.985);
    near("write of each of 7", of(7, Op::Write) / 7.0, 3.72);
    near("write of each of 8", of(8, Op::Write) / 8.0, 3.37);
    let reads: Vec<(u64, f64)> = (1..=8).map(|members| (members, of(members, Op::Read))).collect();
    assert_eq!(knee(&reads).unwrap().x, 4);
}

fn load(op: Op, sequential: bool, block_bytes: u32, in_flight: u32) -> Load {
    Load { op, sequential, block_bytes, in_flight, beside: None }
}

/// Bytes per second under a load for so many seconds.
fn rate(drive: &mut Drive, load: Load, seconds: u64) -> f64 {
    let ios: u64 = (0..seconds * 10).map(|_| drive.tick(Some(load)).ios()).sum();
    ios as f64 * f64::from(load.block_bytes) / seconds as f64
}

const KIB: u32 = 1 << 10;
/// The cells of the recipe that a review of two drives in two slots measured, in their order: op, whether in order,
/// block and I/Os in flight.
const RECIPE: [(Op, bool, u32, u32); 12] = [
    (Op::Read, true, 128 * KIB, 32),
    (Op::Read, true, 128 * KIB, 128),
    (Op::Read, false, 4 * KIB, 32),
    (Op::Read, false, 4 * KIB, 128),
    (Op::Read, true, 1024 * KIB, 1),
    (Op::Read, false, 4 * KIB, 1),
    (Op::Write, true, 128 * KIB, 32),
    (Op::Write, true, 128 * KIB, 128),
    (Op::Write, false, 4 * KIB, 32),
    (Op::Write, false, 4 * KIB, 128),
    (Op::Write, true, 1024 * KIB, 1),
    (Op::Write, false, 4 * KIB, 1),
];

/// The fastest loop of each cell in five whole runs, MB/s, and the highest temperature, milli-degrees.
fn recipe(name: &str) -> (Vec<[f64; 12]>, i64) {
    let mut drive = drive(name);
    let (mut runs, mut peak) = (Vec::new(), i64::MIN);
    for _ in 0..5 {
        runs.push(RECIPE.map(|(op, sequential, block_bytes, in_flight)| {
            let load = load(op, sequential, block_bytes, in_flight);
            let loops = (0..10).map(|_| rate(&mut drive, load, 5) / 1e6);
            // The first one does not count.
            let best = loops.skip(1).fold(0.0, f64::max);
            peak = peak.max(drive.tick(None).temperature);
            rest(&mut drive, 5);
            best
        }));
    }
    (runs, peak)
}

#[test]
fn two_drives_in_two_slots_are_those_of_the_review() {
    let means = |name: &str| {
        let (runs, peak) = recipe(name);
        let means: [f64; 12] =
            std::array::from_fn(|cell| runs.iter().map(|run| run[cell]).sum::<f64>() / runs.len() as f64);
        (means, peak)
    };
    // Source: review A of two drives in two slots; "a little over" and "just under" are 5 %.
    let [new, old] = ["960-pro-512gb", "950-pro-512gb"].map(|name| {
        ["cpu", "chipset"].map(|slot| {
            let (means, peak) = means(&format!("{name}?slot={slot}"));
            degrees(&format!("{name} {slot}"), peak, if name.starts_with("960") { 72.0 } else { 76.0 });
            means
        })
    });
    for (what, value, from, to) in [
        ("960 read Q32, cpu", new[0][0], 3_500.0, 3_675.0),
        ("960 read Q128, cpu", new[0][1], 3_500.0, 3_675.0),
        ("960 read Q32, chipset", new[1][0], 3_500.0, 3_675.0),
        ("960 read Q128, chipset", new[1][1], 3_500.0, 3_675.0),
        ("960 write Q32, cpu", new[0][6], 1_900.0, 2_000.0),
        ("960 write Q128, chipset", new[1][7], 1_900.0, 2_000.0),
        ("960 read Q1, cpu", new[0][4], 2_900.0, 3_045.0),
        ("960 read Q1, chipset", new[1][4], 2_900.0, 3_045.0),
        ("960 write Q1, cpu", new[0][10], 1_800.0, 1_890.0),
        ("960 write Q1, chipset", new[1][10], 1_800.0, 1_890.0),
        ("950 write Q32, cpu", old[0][6], 1_500.0, 1_575.0),
        ("950 write Q128, cpu", old[0][7], 1_500.0, 1_575.0),
        ("950 write Q32, chipset", old[1][6], 1_500.0, 1_575.0),
        ("950 write Q128, chipset", old[1][7], 1_500.0, 1_575.0),
        ("950 write Q1, cpu", old[0][10], 900.0, 1_000.0),
        ("950 write Q1, chipset", old[1][10], 800.0, 1_000.0),
        ("950 write Q1, chipset to cpu", old[1][10] / old[0][10], 0.8, 0.95),
        // Much.
        ("950 read, Q128 to Q32, cpu", old[0][1] / old[0][0], 1.2, 1.6),
        ("950 read Q32, chipset to cpu", old[1][0] / old[0][0], 0.5, 0.8),
        ("950 read Q128, chipset to cpu", old[1][1] / old[0][1], 0.4, 0.8),
        ("random write Q32, 960 to 950, cpu", new[0][8] / old[0][8], 1.57, 1.63),
        ("random write Q128, 960 to 950, cpu", new[0][9] / old[0][9], 1.57, 1.63),
        ("random write Q32, 960 to 950, chipset", new[1][8] / old[1][8], 2.16, 2.24),
        ("random write Q128, 960 to 950, chipset", new[1][9] / old[1][9], 2.16, 2.24),
        ("960 random read, Q128 to Q32", new[0][3] / new[0][2], 0.98, 1.02),
        ("960 random write, Q128 to Q32", new[0][9] / new[0][8], 0.98, 1.02),
    ] {
        assert!((from..=to).contains(&value), "{what}: {value}");
    }
    for cell in [2, 3] {
        for other in [new[1], old[0], old[1]] {
            near("random reads are equal", other[cell], new[0][cell]);
        }
    }
    for other in [new[1], old[0], old[1]] {
        let ratio = other[5] / new[0][5];
        assert!((0.95..1.05).contains(&ratio), "random reads at depth 1 are nearly equal: {ratio}");
    }
}

#[test]
fn repeats_show_a_loss_that_stays() {
    // Source: review A, sequential read at queue depth 32 in five runs.
    let line = |name: &str| recipe(name).0.iter().map(|run| run[0]).collect::<Vec<f64>>();
    for slot in ["cpu", "chipset"] {
        let flat = line(&format!("960-pro-512gb?slot={slot}"));
        assert!(flat.iter().all(|run| (run / flat[0] - 1.0).abs() < 0.01), "{slot}: {flat:?}");
        let falls = line(&format!("950-pro-512gb?slot={slot}"));
        assert!(falls[1] < 0.8 * falls[0], "{slot}: {falls:?}");
        assert!(falls[1..].iter().all(|run| (run / falls[1] - 1.0).abs() < 0.01), "{slot}: {falls:?}");
        if slot == "chipset" {
            assert!(falls[1..].iter().all(|run| (950.0..1_000.0).contains(run)), "{falls:?}");
        }
    }
}

#[test]
fn half_an_hour_of_random_reads_and_writes_is_that_of_the_review() {
    // Source: review A, 4 KiB, half of them reads, for 30 minutes; first and last minute.
    let minutes = |name: &str, in_flight: u32| {
        let mut drive = drive(name);
        let load = load(Op::Mix(50), false, 4 * KIB, in_flight);
        let minutes: Vec<f64> = (0..30).map(|_| rate(&mut drive, load, 60)).collect();
        (minutes.iter().sum::<f64>() / 30.0, minutes[29] / minutes[0])
    };
    for in_flight in [32, 128] {
        for slot in ["cpu", "chipset"] {
            let (_, left) = minutes(&format!("950-pro-512gb?slot={slot}"), in_flight);
            assert!((0.5..=0.6).contains(&left), "950 PRO, {slot}, {in_flight} in flight: {left}");
        }
        let [(cpu, stays), (chipset, also)] =
            ["cpu", "chipset"].map(|slot| minutes(&format!("960-pro-512gb?slot={slot}"), in_flight));
        assert!((stays - 1.0).abs() < 0.01 && (also - 1.0).abs() < 0.01, "960 PRO is flat");
        assert!((0.955..=0.965).contains(&(chipset / cpu)), "960 PRO: {}", chipset / cpu);
    }
}

#[test]
fn a_pause_brings_erased_blocks_back() {
    let mut drive = drive("950-pro-512gb");
    let random = load(Op::Write, false, 4 * KIB, 32);
    let fresh = rate(&mut drive, random, 60);
    let erased = drive.parameters.erased.unwrap();
    rate(&mut drive, random, 300);
    near("without erased blocks", rate(&mut drive, random, 10), fresh * erased.left);
    near("in order", rate(&mut drive, WRITE, 10), drive.parameters.write.most);
    rest(&mut drive, 300);
    near("after a pause", rate(&mut drive, random, 60), fresh);
}

#[test]
fn a_sata_drive_under_sustained_load_is_that_of_the_review() {
    // Source: review C, reads and writes in turns at rising numbers in flight.
    let ios = |kib: u32, in_flight: u32| {
        let mut drive = drive("840-pro-256gb");
        rate(&mut drive, load(Op::Mix(70), false, kib * KIB, in_flight), 60) / f64::from(kib * KIB)
    };
    near("IOPS at one in flight", ios(4, 1), 8_820.0);
    assert!((2..=32).all(|in_flight| ios(4, in_flight) <= ios(4, 1)), "it is the best");
    for (kib, degrades_from) in [(8, 9), (16, 6)] {
        let line: Vec<f64> = (1..=32).map(|in_flight| ios(kib, in_flight)).collect();
        let level = line[0];
        for (in_flight, ios) in (1..).zip(&line) {
            let kept = ios / level;
            assert_eq!(kept < 0.97, in_flight >= degrades_from, "{kib} KiB, {in_flight} in flight: {kept}");
        }
    }
    let mut drive = drive("840-pro-256gb");
    let one = drive.tick(Some(load(Op::Mix(70), false, 4 * KIB, 1))).main;
    let total: u64 = (0..2).map(|side| one.ios[side] * one.latency_ns[side]).sum();
    let latency = total as f64 / one.ios.iter().sum::<u64>() as f64 / 1e6;
    assert!((0.105..0.115).contains(&latency), "{latency} ms");
    // Burst and endurance are different results.
    let mut burst = |op| rate(&mut drive, load(op, true, 128 * KIB, 32), 5) / 1e6;
    near("read in a burst", burst(Op::Read), 512.0);
    near("write in a burst", burst(Op::Write), 493.0);
    for in_flight in [1, 2, 4] {
        let endurance = ios(1024, in_flight) * 1.048_576;
        assert!((252.0..=356.0).contains(&endurance), "{in_flight} of 1 MiB in flight: {endurance} MB/s");
    }
}

#[test]
fn the_same_load_gives_the_same_answer() {
    let steps = || write(&mut drive("pg4vnz-2tb"), 300.0 * GB);
    assert_eq!(steps(), steps());
}

#[test]
fn a_large_span_is_read_a_little_slower_at_random_and_in_order_alike() {
    let rate = |span: u64, sequential: bool| {
        let mut drive = drive("860-qvo-4tb");
        drive.new_span(span);
        let load = Load { op: Op::Read, sequential, block_bytes: 4096, in_flight: 1, beside: None };
        (0..20).map(|_| drive.tick(Some(load)).ios()).sum::<u64>() as f64
    };
    let random = rate(32 << 30, false) / rate(1 << 30, false);
    assert!((0.93..0.99).contains(&random), "{random}");
    assert!((rate(32 << 30, true) / rate(1 << 30, true) - 1.0).abs() < 1e-9);
}

#[test]
fn a_drive_that_sleeps_draws_less_and_wakes_late() {
    let mut drive = drive("860-evo-4tb");
    let power = drive.parameters.power;
    let sleep = power.sleep.unwrap();
    let awake = drive.tick(None).power;
    let asleep = rest(&mut drive, 20).last().unwrap().power.unwrap();
    assert_eq!((awake, asleep), ((power.idle * 1e3) as i64, (sleep.watts * 1e3) as i64));
    assert_eq!(drive.tick(Some(WRITE)).waited_ns, sleep.wake_ns);
    assert_eq!(drive.tick(Some(WRITE)).waited_ns, 0);
}

#[test]
fn a_stall_is_no_stage() {
    let mut drive = drive("860-evo-4tb?fault=stall");
    let found = found(write(&mut drive, 120.0 * GB));
    assert!(found.stages.unwrap().changes.is_empty());
}
