//! Passes on files of the drive that holds the build.

use super::*;
use crate::{
    plan::System,
    suite::{self, Recording, Room, Suite},
};
use model::pass::{OWN_PACK, TracePlay};
use std::path::Path;

const SPAN: u64 = 8 << 20;

fn target(directory: &Path) -> Option<OpenTarget> {
    let mut target = OpenTarget::create_in(directory, SPAN).ok()?;
    target.fill(DataKind::Random, &mut |_| (), &StopFlag::default()).ok()?;
    Some(target)
}

fn plan(suite: Suite) -> Plan {
    use clap::Parser as _;
    let cli = crate::cli::Cli::parse_from(["cliffmark", "run", "sim:960-pro-512gb"]);
    let crate::cli::Command::Run(args) = cli.command else { unreachable!("`run` was parsed") };
    Plan { suite, ..Plan::from_args(&args, &System::real()).unwrap() }
}

fn method(workload: Workload) -> PassMethod {
    PassMethod { workload, phase: None, number: 1, span_bytes: SPAN, before: Default::default() }
}

fn carried_out(suite: Suite, workload: Workload, stop: &StopFlag) -> Option<(Played, Engine)> {
    let directory = tempfile::tempdir_in(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target")).ok()?;
    // Nothing to be seen where the build lies on no drive.
    let target = target(directory.path())?;
    let player = Player::open(&plan(suite), &target, &method(workload), 7).unwrap();
    let engine = player.engine();
    Some((player.play(&RunClock::start(), stop, &Live::default()), engine))
}

fn quick() -> Suite {
    suite::find("quick", &[], Room::UNKNOWN).unwrap()
}

#[test]
fn a_recording_is_played_at_its_own_times() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("own.log");
    // Reads, a write and a flush, 5 ms apart; the last one on an offset behind the span.
    let log = "fio version 3 iolog\n0 /a add\n0 /a open\n0 /a read 0 4096\n5 /a write 8192 8192\n10 /a sync 0 0\n\
               15 /a read 1073741824 65536\n20 /a close\n";
    std::fs::write(&path, log).unwrap();
    let suite = suite::replay(&path, &[("size".to_owned(), "8MiB".to_owned())], Room::UNKNOWN).unwrap();
    let (recording, _) = Recording::read(&path).unwrap();
    let Workload::Trace(trace) = &suite.passes[0].workload else { panic!("{:?}", suite.passes) };
    assert_eq!((&trace.pack, &trace.name), (&OWN_PACK.to_owned(), &recording.name));
    let workload = suite.passes[0].workload.clone();
    let Some((played, engine)) = carried_out(suite, workload, &StopFlag::default()) else { return };
    assert_eq!((played.error, played.stopped, played.flushes), (None, false, 1), "{engine:?}");
    let (read, write) = (played.read.unwrap(), played.write.unwrap());
    assert_eq!((read.ios, read.bytes, write.ios, write.bytes), (2, 4096 + 65_536, 1, 8192));
    assert_eq!(played.lateness.unwrap().count(), 4, "flushes have a deadline too");
    assert!(played.elapsed_ns >= recording.duration_ns && played.busy_ns <= played.elapsed_ns);
    let waited = read.latency.max().unwrap().0.max(write.latency.max().unwrap().0);
    assert!(waited <= played.busy_ns, "{waited}");
}

#[test]
fn random_writes_end_by_their_time_and_writes_in_order_by_their_bytes() {
    let writes =
        RandomWrites { seconds: 1, least_bytes: 4096, most_bytes: 65_536, unit_bytes: 4096, queue_depth: 4 };
    let Some((random, _)) = carried_out(quick(), Workload::RandomWrites(writes), &StopFlag::default()) else {
        return;
    };
    let moved = random.write.as_ref().unwrap();
    assert!(random.elapsed_ns >= NS_PER_S && random.read.is_none() && random.lateness.is_none());
    assert!(moved.ios * 4096 <= moved.bytes && moved.bytes <= moved.ios * 65_536, "{moved:?}");
    assert_eq!(moved.bins.iter().sum::<u64>(), moved.bytes);
    // The last write is shorter than the others.
    let fill =
        SequentialWrites { bytes: SPAN - 4096, block_bytes: 131_072, queue_depth: 8, data: DataKind::Zero };
    let (fill, _) = carried_out(quick(), Workload::SequentialWrites(fill), &StopFlag::default()).unwrap();
    let moved = fill.write.as_ref().unwrap();
    assert_eq!((moved.bytes, moved.ios), (SPAN - 4096, 64));
    assert!(fill.settled_ns.unwrap() >= fill.elapsed_ns, "it is durable at its end");
}

#[test]
fn a_stop_ends_a_pass_at_once() {
    let stop = StopFlag::default();
    stop.request();
    let trace = TracePlay {
        pack: "applications".to_owned(),
        version: 1,
        name: "word".to_owned(),
        longest_idle_ms: None,
        speed_percent: 100,
        unit_bytes: 512,
    };
    let Some((played, _)) = carried_out(quick(), Workload::Trace(trace), &stop) else { return };
    assert!(played.stopped && played.read.is_none(), "{played:?}");
    let (rest, _) = carried_out(quick(), Workload::Idle(Idle { seconds: 3_600 }), &stop).unwrap();
    assert!(rest.stopped && rest.elapsed_ns < NS_PER_S);
}
