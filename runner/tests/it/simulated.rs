//! Simulated drives: the whole program in virtual time, with every mark of it.

use crate::program::{Place, in_one_line, open};
use model::{
    document::{Cell, CellStatus, EngineClass, Origin, TargetKind},
    finding::{
        BestKind, Findings, Folding, Found, InFlight, Matrix, Recovery, Story, Surface, ThrottleStyle,
        Throttled,
    },
    metric::MetricKind,
    proof::Unproven,
};

const CDM: [&str; 5] = ["run", "sim:980-pro-2tb*8", "--suite", "cdm", "--out"];

#[test]
fn a_simulated_run_is_a_bundle_like_any_other_and_says_what_it_is() {
    let place = Place::new();
    let ended = place.run(&[&CDM[..], &["a.cliffmark"]].concat());
    assert_eq!((ended.code, ended.err.contains("sim:")), (0, false), "{}", ended.err);
    let plan = in_one_line(&ended.out);
    assert!(plan.contains("SIMULATED in virtual time, fitted to published figures, not a measurement"));
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!((document.origin, document.engine.class), (Origin::Simulated, EngineClass::Simulated));
    assert_eq!((document.target.kind, document.drive.members.len()), (TargetKind::Simulated, 8));
    assert!(document.cells.iter().all(|cell| cell.proof.unproven == [Unproven::Simulated]));
    let findings = analysis::plausibility::check(document);
    assert!(findings.is_empty(), "{findings:?}");
    // The figures that the review of this array printed, within 2 %.
    let summary = analysis::summary::summarise(document, verified.id(), verified.key());
    for (label, printed) in [("SEQ1M Q8T1 read", 26_493e6), ("SEQ1M Q8T1 write", 26_985e6)] {
        let metric =
            summary.metrics.iter().find(|m| m.label == label && m.kind() == MetricKind::BytesPerS).unwrap();
        let median = metric.stats.unwrap().median;
        assert!((median / printed - 1.0).abs() < 0.02, "{label}: {median}");
    }
    assert!(
        summary
            .metrics
            .iter()
            .all(|metric| metric.kind() != MetricKind::CpuNsPerIo || metric.values.is_empty())
    );
    let shown = place.run(&["show", "a.cliffmark"]).out;
    assert!(shown.contains("No drive did this"), "{shown}");
    assert_eq!(place.names("state/cliffmark"), [""; 0], "nothing is left to be resumed");
}

#[test]
fn a_review_comes_out_of_its_recipe() {
    let place = Place::new();
    // Peaks in degrees, and speeds in MB/s that the review of these drives printed as "a little over" or "under".
    for (drive, peak, cells) in [
        ("960-pro-512gb", 72, [("SEQ128K Q32T1 read", 3_500..3_600), ("SEQ128K Q32T1 write", 1_950..2_000)]),
        ("950-pro-512gb", 76, [("SEQ128K Q32T1 write", 1_500..1_560), ("SEQ1M Q1T1 write", 900..1_000)]),
        (
            "950-pro-512gb?slot=chipset",
            76,
            [("SEQ128K Q32T1 write", 1_500..1_560), ("SEQ1M Q1T1 write", 800..1_000)],
        ),
    ] {
        let out = format!("{}.cliffmark", drive.replace(['?', '='], "-"));
        let ended = place.run(&["run", &format!("sim:{drive}"), "--suite", "article-a-cdm", "--out", &out]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let verified = open(&place.path(&out));
        let document = verified.document();
        assert_eq!((document.runs, document.cells.len()), (5, 60));
        let highest = document.telemetry.series[0].values.iter().flatten().max().unwrap();
        assert!((highest - peak * 1_000).abs() <= 1_000, "{drive}: {highest}");
        let summary = analysis::summary::summarise(document, verified.id(), verified.key());
        for (label, range) in cells {
            let metric =
                summary.metrics.iter().find(|m| m.label == label && m.kind() == MetricKind::BytesPerS);
            let score = metric.unwrap().mean_of_best.unwrap() / 1e6;
            assert!(
                (f64::from(range.start)..f64::from(range.end)).contains(&score),
                "{drive}, {label}: {score}"
            );
        }
        // One drive falls on the second run and stays there, behind the chipset just under 1,000 MB/s.
        let reads = document.cells.iter().filter(|cell| cell.method.label() == "SEQ128K Q32T1 read");
        let runs: Vec<f64> = reads.map(|cell| fastest(cell) / 1e6).collect();
        assert_eq!(runs[1..].iter().all(|run| *run < runs[0] * 0.9), drive.starts_with("950"), "{runs:?}");
        if drive.ends_with("chipset") {
            assert!(runs[1..].iter().all(|run| (950.0..1_000.0).contains(run)), "{runs:?}");
        }
    }
}

/// Bytes per second of the fastest loop of a cell that reads.
#[expect(clippy::cast_precision_loss, reason = "a speed needs no more than 53 bits")]
fn fastest(cell: &Cell) -> f64 {
    let counted = cell.loops.iter().filter(|one| !one.discarded);
    let speeds = counted.map(|one| one.read.as_ref().unwrap().bytes as f64 * 1e9 / one.elapsed_ns as f64);
    speeds.fold(0.0, f64::max)
}

#[test]
fn a_broken_drive_has_failed_cells_and_no_zeros() {
    let place = Place::new();
    let ended = place.run(&["run", "sim:860-evo-4tb?fault=multi", "--suite", "cdm", "--out", "a.cliffmark"]);
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(ended.out.contains("FAILED: does not count"), "{}", ended.out);
    let verified = open(&place.path("a.cliffmark"));
    let failed: Vec<String> = verified
        .document()
        .cells
        .iter()
        .filter(|cell| cell.status == CellStatus::Failed)
        .map(|cell| cell.method.label())
        .collect();
    assert_eq!(failed, ["RND4K Q32T1 read", "RND4K Q32T1 write"]);
    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
    let said =
        "RND4K Q32T1 read: the simulated 860 EVO 4 TB returned an error for an I/O: Input/output error";
    assert!(in_one_line(&ended.out).contains(said), "{}", ended.out);
}

#[test]
fn a_bad_block_is_met_where_it_is() {
    let place = Place::new();
    let run = ["run", "sim:860-evo-4tb?fault=media", "--suite", "surface", "--out", "a.cliffmark"];
    let ended = place.run(&run);
    assert_eq!(ended.code, 4, "{}", ended.err);
    let verified = open(&place.path("a.cliffmark"));
    let [read, write, random] = &verified.document().cells[..] else { panic!("three cells") };
    // It lies just behind the middle of the span. The places before it were read, as they would be on a real drive.
    let offset = read.error.and_then(|error| error.offset).unwrap();
    assert_eq!((read.status, read.loops.len()), (CellStatus::Failed, 101));
    let begin = read.method.stretch_begin(101);
    assert!((begin..begin + (32 << 20)).contains(&offset), "{offset}");
    // It can be written, and few reads at random do not meet it.
    for sound in [write, random] {
        assert_eq!((sound.status, sound.error), (CellStatus::Complete, None), "{}", sound.method.label());
    }
    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
}

#[test]
fn a_long_write_tells_where_fast_writing_ended() {
    let place = Place::new();
    let suite = "name = \"long\"\nsummary = \"One long write\"\nsize = \"1GiB\"\nseconds = 300\nloops = 1\n\
                 discarded = 0\ninterval = 0\n\n[[cell]]\npattern = \"seq-write\"\nblock = \"1MiB\"\n\
                 queue_depth = 8\nthreads = 1\n";
    std::fs::write(place.path("long.toml"), suite).unwrap();
    let run = |drive: &str| place.run(&["run", drive, "--suite", "long.toml"]);
    let cool = run("sim:pg4vnz-2tb?cooling=heatsink");
    assert_eq!(cool.code, 0, "{}", cool.err);
    insta::assert_snapshot!(cool.out.split_once("MB/s, IOPS").unwrap().1.split_once("signed").unwrap().0);
    let bare = run("sim:pg4vnz-2tb").out;
    assert!(bare.contains("Throttling possible: a lower speed was held at 65.9 °C"), "{bare}");
    let stops = run("sim:pg3vnf-2tb").out;
    assert!(stops.contains("Throttling possible: speed collapsed and returned again and again"), "{stops}");
}

#[test]
fn the_same_drive_gives_the_same_figures() {
    let place = Place::new();
    let cells = |out: &str| {
        assert_eq!(place.run(&[&CDM[..], &[out]].concat()).code, 0);
        open(&place.path(out)).document().cells.clone()
    };
    assert_eq!(cells("a.cliffmark"), cells("b.cliffmark"));
}

#[test]
fn what_cannot_be_simulated_is_named() {
    let place = Place::new();
    for (arguments, message) in [
        (vec!["sim:990-pro"], "there is no simulated drive `990-pro`; there are 960-pro-512gb"),
        (vec!["sim:980-pro-2tb?heatsink"], "cooling=none|heatsink"),
        (vec!["sim:980-pro-2tb", "--wait", "poll"], "leave --wait out"),
        (vec!["sim:980-pro-2tb", "--power", "-"], "leave --power out"),
        (vec!["sim:980-pro-2tb", "--confirm-serial", "x"], "--confirm-serial is for a whole device"),
    ] {
        let ended = place.run(&[&["run"], &arguments[..]].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    }
    let large = place.run(&["run", "sim:840-pro-256gb", "--set", "size=400GiB"]);
    assert_eq!(large.code, 3, "{}", large.err);
    assert!(place.names("").iter().all(|name| !name.ends_with(".cliffmark")));
}

/// What a suite on a drive tells, through the whole program.
fn told(place: &Place, drive: &str, suite: &str) -> Vec<Story> {
    let out = format!("{suite}-{}.cliffmark", drive.replace(['?', '=', '*'], "-"));
    // The same drive would do the same again.
    if !place.path(&out).exists() {
        let ended = place.run(&["run", &format!("sim:{drive}"), "--suite", suite, "--out", &out]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(place.run(&["verify", &out]).code, 0);
    }
    let verified = open(&place.path(&out));
    analysis::summary::summarise(verified.document(), verified.id(), verified.key()).stories
}

/// What was found in the first long loop.
fn course(stories: &[Story]) -> &Findings {
    let found = stories.iter().find_map(|story| match &story.found {
        Found::Course(course) => Some(&course.findings),
        _ => None,
    });
    found.expect("a continuous write has a course")
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more than 53 bits")]
fn near(what: &str, value: u64, printed: f64) {
    assert!((value as f64 / printed - 1.0).abs() < 0.02, "{what}: {value} instead of {printed}");
}

#[test]
fn continuous_writes_are_those_of_the_review() {
    let place = Place::new();
    for (drive, ends, then) in [
        ("pg4vnz-1tb?cooling=heatsink", 104e9, 1_094.7e6),
        ("pg4vnz-2tb?cooling=heatsink", 205e9, 1_776.7e6),
        ("pg4vnz-4tb?cooling=heatsink", 410e9, 1_771.2e6),
    ] {
        let stories = told(&place, drive, "cliff");
        let stages = course(&stories).stages.as_ref().unwrap();
        near(drive, stages.changes[0].latest.bytes, ends);
        near(drive, stages.stages[1].mean_bytes_per_s, then);
    }
    for (drive, peak) in [
        ("pg4vnz-2tb?cooling=heatsink", 42_000),
        ("pg4vnz-2tb", 66_000),
        ("pg4vnz-1tb", 75_000),
        ("pg4vnz-4tb", 83_000),
    ] {
        // Of the write: reading back afterwards is another load.
        let found = course(&told(&place, drive, "cliff")).heat.unwrap().peak;
        assert!((found - peak).abs() <= 1_000, "{drive}: {found}");
    }
    let style = |drive: &str| course(&told(&place, drive, "cliff")).throttling.unwrap();
    let (held, goes) = (style("pg4vnz-2tb"), style("pg3vnf-2tb"));
    assert_eq!((held.verdict, held.style), (Throttled::Possible, Some(ThrottleStyle::SustainedLimit)));
    assert_eq!((goes.verdict, goes.style), (Throttled::Possible, Some(ThrottleStyle::StopAndGo)));
}

#[test]
fn four_bursts_tell_their_story() {
    let place = Place::new();
    let stories = told(&place, "pg4vnz-1tb", "bursts");
    let bursts = stories.iter().find_map(|story| match &story.found {
        Found::Bursts(bursts) => Some(bursts),
        _ => None,
    });
    let bursts = bursts.unwrap();
    let slowed: Vec<bool> = bursts.bursts.iter().map(|burst| burst.slowed_after.is_some()).collect();
    assert_eq!(slowed, [false, false, false, true], "{bursts:?}");
    assert!(bursts.held_bytes.unwrap() > 300_000_000_000, "{bursts:?}");
    assert_eq!(bursts.folding, Folding::From(3));
}

#[test]
fn a_cache_that_sticks_does_not_recover() {
    let place = Place::new();
    let recovery = |drive: &str| {
        let stories = told(&place, drive, "fill");
        let mut found = stories.iter().filter_map(|story| match &story.found {
            Found::Fill(found) => Some((found.recovery, story.sentences.last().unwrap().clone())),
            _ => None,
        });
        found.next().unwrap()
    };
    let (found, sentence) = recovery("860-qvo-4tb?dynamic-cache=sticks");
    assert_eq!(found, Recovery::DidNotRecover, "{sentence}");
    assert!(sentence.starts_with("It did not recover: neither after 30 min 00 s of rest nor after a trim."));
    for same in ["860-qvo-4tb", "860-qvo-4tb?dynamic-cache=stuck"] {
        let (found, sentence) = recovery(same);
        assert_eq!(found, Recovery::NothingLost, "{same}: {sentence}");
    }
}

#[test]
fn a_surface_tells_even_from_slow() {
    let place = Place::new();
    let surfaces = |stories: Vec<Story>| -> Vec<Surface> {
        let found = stories.into_iter().filter_map(|story| match story.found {
            Found::Surface(found) => Some(found),
            _ => None,
        });
        found.collect()
    };
    let even = surfaces(told(&place, "960-pro-512gb", "surface"));
    assert_eq!(even.len(), 2, "read and write");
    assert!(even.iter().all(|found| found.points.is_empty()), "{even:?}");
    assert!(even[0].access.is_some() && even[1].access.is_none());
    // It stands still for two seconds of each minute under load.
    std::fs::write(
        place.path("slow.toml"),
        "name = \"slow\"\nsummary = \"Places that take long\"\nsize = \"64GiB\"\nseconds = 60\nloops = 200\n
         [[cell]]\npattern = [\"seq-read\", \"seq-write\"]\namount = \"256MiB\"\nblock = \"1MiB\"\nqueue_depth = 8\nthreads = 1\n",
    )
    .unwrap();
    let slow = surfaces(told(&place, "860-qvo-4tb?fault=stall", "slow.toml"));
    let points: Vec<usize> = slow.iter().map(|found| found.points.len()).collect();
    assert_eq!(points, [1, 2], "{slow:?}");
    for point in slow.iter().flat_map(|found| &found.points) {
        // A place takes half a second without the two.
        assert!(point.places == 1 && (0.75..0.85).contains(&point.below()), "{point:?}");
    }
}

#[test]
fn a_matrix_names_its_best_loads() {
    let place = Place::new();
    let stories = told(&place, "960-pro-512gb", "matrix");
    let found: Vec<&Matrix> = stories
        .iter()
        .filter_map(|story| match &story.found {
            Found::Matrix(found) => Some(found),
            _ => None,
        })
        .collect();
    let sizes: Vec<(Option<u32>, Option<u32>)> =
        found.iter().map(|found| (found.small_bytes, found.large_bytes)).collect();
    assert_eq!(sizes, [4096, 8192, 16_384].map(|small| (Some(small), Some(1 << 20))));
    for found in &found {
        assert_eq!(found.loads.len(), 4 * 6 - 1, "every combination but nothing at all");
        let kinds: Vec<BestKind> = found.points.iter().map(|point| point.kind).collect();
        assert_eq!(kinds, [BestKind::MostIos, BestKind::MostBytes, BestKind::LeastLatency]);
        assert_eq!(found.points[0].in_flight, InFlight { small: 16, large: 0 }, "large ones only cost");
        assert_eq!(found.points[2].in_flight.small, 1);
    }
    assert_eq!(stories.len(), found.len(), "its loads are told together: {stories:?}");
}

#[test]
fn a_drive_that_is_unsuited_to_many_is_best_with_one() {
    let place = Place::new();
    let stories = told(&place, "840-pro-256gb", "matrix");
    let found = stories.iter().find_map(|story| match &story.found {
        Found::Matrix(found) if found.small_bytes == Some(4096) => Some(found),
        _ => None,
    });
    let [most, data, least] = &found.unwrap().points[..] else { panic!("{found:?}") };
    assert_eq!((most.kind, most.in_flight), (BestKind::MostIos, InFlight { small: 1, large: 0 }));
    assert!((most.y / 8_820.0 - 1.0).abs() < 0.02, "{most:?}");
    assert!((252e6..356e6).contains(&data.y), "{data:?}");
    assert!((105e3..115e3).contains(&least.y), "{least:?}");
}

#[test]
fn the_last_minute_of_a_mixed_load_has_half_of_the_first() {
    let place = Place::new();
    for (drive, range) in [
        ("950-pro-512gb", 500..=600),
        ("950-pro-512gb?slot=chipset", 500..=600),
        ("960-pro-512gb", 990..=1_010),
    ] {
        let stories = told(&place, drive, "mixed");
        let left: Vec<u64> = stories
            .iter()
            .filter_map(|story| match &story.found {
                Found::Course(course) => course.findings.minutes,
                _ => None,
            })
            .map(|minutes| minutes.last_bytes_per_s * 1_000 / minutes.first_bytes_per_s)
            .collect();
        assert_eq!(left.len(), 2, "{drive}: two depths");
        assert!(left.iter().all(|left| range.contains(left)), "{drive}: {left:?}");
    }
}

#[test]
fn an_array_has_its_knees() {
    let place = Place::new();
    let stories = told(&place, "980-pro-2tb*8", "array");
    let knees: Vec<(&str, u64, f64)> = stories
        .iter()
        .filter_map(|story| match &story.found {
            Found::Knee(knee) => Some((story.title.as_str(), knee.x, knee.y)),
            _ => None,
        })
        .collect();
    let [(read, 4, at_four), (write, 5, at_five)] = knees[..] else { panic!("{knees:?}") };
    assert!(read.contains("read") && write.contains("write"));
    assert!((at_four / 23.4e9 - 1.0).abs() < 0.02 && (at_five / 23.3e9 - 1.0).abs() < 0.02, "{knees:?}");
}

#[test]
fn copies_are_made_at_levels_of_fill() {
    let place = Place::new();
    let copies =
        ["run", "sim:860-qvo-4tb", "--suite", "copies", "--set", "only=game-54", "--set", "steps=write"];
    let ended = place.run(&[&copies[..], &["--set", "fill=0,2TB", "--out", "a.cliffmark"]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    let verified = open(&place.path("a.cliffmark"));
    let passes = &verified.document().passes;
    let used = passes.iter().map(|pass| pass.state.as_ref().unwrap().used_bytes.unwrap());
    assert_eq!(used.map(model::units::format_capacity).collect::<Vec<_>>(), ["0 B", "2 TB"]);
    let ids: Vec<String> = passes.iter().map(|pass| pass.method.id().to_string()).collect();
    assert!(
        ids[0].contains(".pass1.fill0.span") && ids[1].contains(".pass1.fill1953125000KiB.span"),
        "{ids:?}"
    );
    assert!(passes[1].elapsed_ns > passes[0].elapsed_ns * 5 / 4, "a drive in use has less cache");
    let table = place.run(&["export", "a.cliffmark", "--format", "csv"]).out;
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{table}");
    assert!(rows[1].contains("\"game-54 to the drive, pass 1, 2 TB in use, write\""), "{table}");
    assert!(
        rows.iter().all(|row| row.contains(&format!(",{},", passes[0].write.as_ref().unwrap().bytes))),
        "{table}"
    );
}
