//! Real loops on real files; no figure of speed is judged.

use super::{ring_setup::RingRefusal, *};
use crate::{
    fake_sys::FakeSys,
    target::tests::{assert_unique_and_incompressible, content, disk_dir, new_target, skipped},
};
use model::{
    document::Transfer,
    method::{Beside, DataKind, Ends, Pattern, Settles, Stretches},
    units::NS_PER_S,
};
use std::{fs::OpenOptions, os::fd::AsFd as _};

const MIB: u64 = 1 << 20;
const SHORT_LOOP: Nanos = Nanos(60_000_000);

fn method(pattern: Pattern, block_bytes: u32, queue_depth: u32, threads: u32) -> Method {
    Method {
        pattern,
        block_bytes,
        queue_depth,
        threads,
        span_bytes: 8 * MIB,
        data: DataKind::Random,
        seconds: 1,
        loops: 1,
        discarded_loops: 0,
        interval_seconds: 0,
        ..Method::PLAIN
    }
}

fn run(session: &mut Session, length: Nanos) -> LoopEnd {
    session.run_loop(Part::first(length), &RunClock::start(), &StopFlag::default(), &Live::default())
}

/// What must hold for every loop that came to its end.
fn assert_whole(end: &LoopEnd, method: &Method, length: Nanos) {
    assert_eq!((end.error, end.stopped), (None, false));
    let record = &end.record;
    assert_eq!(record.elapsed_ns, length.0);
    let transfer = record.transfer(method).unwrap();
    assert_eq!(transfer.bytes, transfer.ios * u64::from(method.block_bytes));
    assert_eq!(transfer.bins.iter().sum::<u64>(), transfer.bytes);
    assert_eq!(transfer.latency.count(), transfer.ios);
    let all = transfer.ios + record.drained_ios;
    assert!(all > 0 && record.cpu_ns > 0);
    assert!(record.drained_ios <= u64::from(method.queue_depth * method.threads));
    if let Some(device) = record.device {
        let counted = match (method.pattern.reads(), method.pattern.writes()) {
            (true, true) => device.read_bytes + device.written_bytes,
            (_, true) => device.written_bytes,
            (_, false) => device.read_bytes,
        };
        assert!(counted >= all * u64::from(method.block_bytes), "the device saw every byte");
    }
}

#[test]
fn every_pattern_runs_over_the_ring_and_by_calls() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    for (pattern, block, depth, threads) in [
        (Pattern::RandRead, 4096, 32, 1),
        (Pattern::SeqRead, 128 << 10, 4, 2),
        (Pattern::RandWrite, 4096, 8, 2),
        (Pattern::SeqWrite, 1 << 20, 2, 1),
    ] {
        let method = method(pattern, block, depth, threads);
        for refusal in [None, Some(RingRefusal("io-uring: EPERM".to_owned()))] {
            if refusal.is_none() && probe().is_err() {
                continue;
            }
            let class = if refusal.is_some() { EngineClass::Threads } else { EngineClass::Uring };
            let mut session = Session::open_with(&[&target], &method, Wait::Block, 1, refusal).unwrap();
            let engine = session.engine();
            assert_eq!(engine.class, class);
            assert_eq!(engine.refused.contains(&"io-uring: EPERM".to_owned()), class == EngineClass::Threads);
            // A session runs loop after loop.
            for _ in 0..2 {
                assert_whole(&run(&mut session, SHORT_LOOP), &method, SHORT_LOOP);
            }
        }
    }
}

#[test]
fn overwriting_keeps_the_file_full_of_unique_data() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let before = content(&target);
    let method = method(Pattern::SeqWrite, 256 << 10, 4, 1);
    let mut session = Session::open(&target, &method, Wait::Block, 5).unwrap();
    assert_whole(&run(&mut session, SHORT_LOOP), &method, SHORT_LOOP);
    let after = content(&target);
    assert_eq!(after.len(), before.len());
    assert_ne!(after, before);
    assert_unique_and_incompressible(&after);
    let extents = target.proof().unwrap().extents;
    if let Some(extents) = extents.known() {
        assert_eq!((extents.hole_bytes, extents.unwritten_bytes), (0, 0));
    }
}

#[test]
fn data_is_of_the_kind_that_was_asked_for() {
    let Some(dir) = disk_dir() else { return };
    for (data, refusal) in [
        (DataKind::Zero, None),
        (DataKind::Repeat, None),
        (DataKind::Repeat, Some(RingRefusal("io-uring: EPERM".to_owned()))),
    ] {
        let mut target = OpenTarget::create_in(dir.path(), MIB).unwrap();
        target.fill(data, &mut |_| (), &StopFlag::default()).unwrap();
        let fill = content(&target);
        let method = Method { data, span_bytes: MIB, ..method(Pattern::SeqWrite, 4096, 4, 2) };
        let mut session = Session::open_with(&[&target], &method, Wait::Block, 5, refusal).unwrap();
        let repeats = |data: &[u8]| data.chunks_exact(4096).all(|block| block == &data[..4096]);
        let mut after = Vec::new();
        // Long enough for both threads to go through their parts, however busy the machine is.
        for factor in [1, 10, 100, 1000] {
            let length = Nanos(SHORT_LOOP.0 * factor);
            assert_whole(&run(&mut session, length), &method, length);
            after = content(&target);
            if repeats(&after) {
                break;
            }
        }
        assert!(repeats(&after), "all threads write one block again and again");
        if data == DataKind::Zero {
            assert!(fill.iter().chain(&after).all(|byte| *byte == 0));
        } else {
            assert!(fill != after && after.iter().any(|byte| *byte != 0));
            assert!(!repeats(&fill), "the fill repeats a larger block");
        }
    }
    let target = new_target(dir.path(), MIB);
    let keep = Method { data: DataKind::Existing, span_bytes: MIB, ..method(Pattern::SeqWrite, 4096, 4, 1) };
    let error = Session::open(&target, &keep, Wait::Block, 5).err().unwrap();
    assert!(matches!(error, EngineError::WritesExisting));
}

#[test]
fn polling_is_a_class_of_its_own() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let method = method(Pattern::RandRead, 4096, 4, 1);
    let refusal = Some(RingRefusal("io-uring: EPERM".to_owned()));
    let error = Session::open_with(&[&target], &method, Wait::Poll, 1, refusal).err().unwrap();
    assert!(matches!(error, EngineError::PollingNeedsRing(reason) if reason == "io-uring: EPERM"));
    if probe().is_err() {
        skipped("this process gets no ring to poll");
        return;
    }
    let many = Method { threads: 64, ..method.clone() };
    let have = placement::processors().unwrap();
    if have < 128 {
        let error = Session::open(&target, &many, Wait::SubmitPoll, 1).err().unwrap();
        assert!(matches!(error, EngineError::TooFewProcessors { needed: 128, have: found } if found == have));
    }
    for wait in [Wait::Poll, Wait::SubmitPoll] {
        if wait == Wait::SubmitPoll && have < 2 {
            skipped("one processor is not enough for a thread of the kernel and one of ours");
            continue;
        }
        let mut session = Session::open(&target, &method, wait, 1).unwrap();
        assert_eq!((session.engine().class, session.engine().wait), (EngineClass::Polled, wait));
        for _ in 0..2 {
            assert_whole(&run(&mut session, SHORT_LOOP), &method, SHORT_LOOP);
        }
    }
}

#[test]
fn a_thread_of_the_kernel_that_fell_asleep_is_woken() {
    let Some(dir) = disk_dir() else { return };
    if probe().is_err() {
        skipped("this process gets no ring that a thread of the kernel serves");
        return;
    }
    let target = new_target(dir.path(), MIB);
    let (mut ring, grants) = Ring::new(
        target.file().as_fd(),
        Slots::new(2, 4096).unwrap(),
        Direction::Read,
        Wait::SubmitPoll,
        None,
    )
    .unwrap();
    // Only what the kernel does not know is refused, not what makes no sense for such a ring.
    assert!(grants.refused.iter().all(|refused| !refused.contains("taskrun")), "{:?}", grants.refused);
    let started = monotonic_ns();
    let in_time = || assert!(monotonic_ns() - started < 60_000_000_000, "nothing happens for a minute");
    for round in 0..2 {
        // It sleeps a second after its last work.
        while !ring.kernel_sleeps() {
            in_time();
            thread::yield_now();
        }
        ring.push(round, u64::from(round) * 4096);
        let mut completed = Vec::new();
        while completed.is_empty() {
            in_time();
            ring.submit_and_wait().unwrap();
            ring.reap(|slot, result| completed.push((slot, result)));
        }
        assert_eq!(completed, [(round, 4096)]);
    }
}

#[test]
fn a_drive_without_poll_queues_is_not_polled_by_the_kernel() {
    let sys = FakeSys::new();
    let device = Some(DeviceNumber { major: 259, minor: 0 });
    assert!(matches!(
        check_wait(&sys.root(), device, Wait::DevicePoll, 1),
        Err(EngineError::NoDevicePolling(_))
    ));
    let disk = sys.disk("pci0000:00/nvme/nvme0/nvme0n1", "259:0", 1000);
    for (text, polls) in [("0\n", false), ("1\n", true)] {
        sys.write(&format!("{disk}/queue/io_poll"), text);
        assert_eq!(check_wait(&sys.root(), device, Wait::DevicePoll, 1).is_ok(), polls);
        assert!(check_wait(&sys.root(), device, Wait::Poll, 1).is_ok());
    }
}

#[test]
fn threads_are_kept_on_processors_and_named() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    if probe().is_err() {
        skipped("this process gets no ring, and threads without one are not kept anywhere");
        return;
    }
    let usable = std::thread::available_parallelism().unwrap().get();
    let one = method(Pattern::RandRead, 4096, 4, 1);
    assert_eq!(Session::open(&target, &one, Wait::Block, 1).unwrap().engine().cpus.len(), 1);
    let many = Method { threads: 64, ..one };
    let engine = Session::open(&target, &many, Wait::Block, 1).unwrap().engine();
    if usable < 64 {
        assert!(engine.cpus.is_empty());
        assert!(engine.refused.iter().any(|refused| refused.starts_with("pinning: 64 threads")));
    }
}

#[test]
fn a_file_that_is_cut_under_the_reader_stops_the_loop() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    std::fs::write(&path, vec![5; 8 << 20]).unwrap();
    let target = OpenTarget::open_existing(&path, false).unwrap();
    for refusal in [None, Some(RingRefusal("io-uring: ENOSYS".to_owned()))] {
        OpenOptions::new().write(true).open(&path).unwrap().set_len(8 * MIB).unwrap();
        let method = method(Pattern::RandRead, 4096, 8, 2);
        let mut session = Session::open_with(&[&target], &method, Wait::Block, 3, refusal).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(4096).unwrap();
        // Far longer than it takes to meet the missing part: the error ends it.
        let end = run(&mut session, Nanos::from_secs(600));
        let error = end.error.expect("reads behind the end are errors");
        assert_eq!((error.kind, error.errno), (CellErrorKind::Short, None));
        assert!(error.offset.is_some_and(|offset| (4096..8 * MIB).contains(&offset)));
        assert!(!end.stopped && end.record.elapsed_ns < Nanos::from_secs(600).0);
        let transfer = end.record.transfer(&method).unwrap();
        assert_eq!(transfer.bins.iter().sum::<u64>(), transfer.bytes);
    }
}

#[test]
fn a_stop_ends_a_loop_and_drains_it() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let method = method(Pattern::RandRead, 4096, 16, 2);
    let mut session = Session::open(&target, &method, Wait::Block, 3).unwrap();
    let stop = StopFlag::default();
    stop.request();
    let end = session.run_loop(
        Part { discarded: true, ..Part::first(Nanos::from_secs(600)) },
        &RunClock::start(),
        &stop,
        &Live::default(),
    );
    assert!(end.stopped && end.error.is_none() && end.record.discarded);
    assert!(end.record.elapsed_ns < Nanos::from_secs(600).0);
}

#[test]
fn live_figures_are_those_of_the_loop() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let method = method(Pattern::RandRead, 4096, 4, 2);
    let mut session = Session::open(&target, &method, Wait::Block, 3).unwrap();
    let live = Live::default();
    for _ in 0..2 {
        let end = session.run_loop(Part::first(SHORT_LOOP), &RunClock::start(), &StopFlag::default(), &live);
        let transfer = end.record.transfer(&method).unwrap();
        assert_eq!((live.ios(), live.bytes()), (transfer.ios, transfer.bytes));
    }
}

#[test]
fn cells_that_do_not_suit_are_refused() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    std::fs::write(&path, vec![5; 8 << 20]).unwrap();
    let target = OpenTarget::open_existing(&path, false).unwrap();
    let open = |method: &Method| Session::open(&target, method, Wait::Block, 1).err().unwrap();
    let good = method(Pattern::RandRead, 4096, 8, 1);
    assert!(matches!(open(&Method { pattern: Pattern::RandWrite, ..good.clone() }), EngineError::ReadOnly));
    assert!(matches!(open(&Method { span_bytes: 9 * MIB, ..good.clone() }), EngineError::Span { .. }));
    assert!(matches!(open(&Method { queue_depth: 0, ..good.clone() }), EngineError::Method(_)));
    let large = Method { block_bytes: 8 << 20, queue_depth: 4096, threads: 1, ..good.clone() };
    // 32 GiB of buffers: a machine with more than 128 GiB of memory may have them.
    let memory = u128::from(rustix::system::sysinfo().totalram);
    assert!(memory > 128 << 30 || matches!(open(&large), EngineError::TooMuchMemory(_)));
    let deep = Method { queue_depth: 257, ..good };
    let refusal = Some(RingRefusal("io-uring: EPERM".to_owned()));
    let error = Session::open_with(&[&target], &deep, Wait::Block, 1, refusal).err().unwrap();
    assert!(matches!(error, EngineError::TooManyThreads { in_flight: 257, .. }));
}

/// Both classes of engine, as far as this process gets them.
fn classes() -> Vec<Option<RingRefusal>> {
    let ring = probe().is_ok().then_some(None);
    ring.into_iter().chain([Some(RingRefusal("io-uring: EPERM".to_owned()))]).collect()
}

/// Two stretches of 2 MiB: the first and the third quarter of the span.
fn stretches(pattern: Pattern, queue_depth: u32, settles: Option<Settles>) -> Method {
    let ends = Ends::Bytes(Stretches { loop_bytes: 2 * MIB, rest_seconds: 0, settles, until_slow: false });
    Method { ends, loops: 2, seconds: 60, ..method(pattern, 64 << 10, queue_depth, 1) }
}

/// What must hold for what was moved in one direction.
fn assert_adds_up(transfer: &Transfer, block_bytes: u32, elapsed_ns: u64) {
    assert_eq!(transfer.bytes, transfer.ios * u64::from(block_bytes));
    assert_eq!(transfer.bins.iter().sum::<u64>(), transfer.bytes);
    assert_eq!(transfer.latency.count(), transfer.ios);
    assert!(transfer.bins.len() as u64 <= elapsed_ns / transfer.bin_ns + 1);
}

#[test]
fn a_stretch_is_moved_once_and_nothing_else_is() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let depths = |class: Option<RingRefusal>| [1, 7, 64].map(|depth| (class.clone(), depth));
    // Each session writes data of its own: the seeds of its workers lie next to each other.
    for (seed, (refusal, depth)) in (0..).step_by(1000).zip(classes().into_iter().flat_map(depths)) {
        let writes = stretches(Pattern::SeqWrite, depth, None);
        let mut session = Session::open_with(&[&target], &writes, Wait::Block, seed, refusal).unwrap();
        for number in [1, 0] {
            let before = content(&target);
            let part = Part { number, ..Part::first(writes.longest_loop()) };
            let end = session.run_loop(part, &RunClock::start(), &StopFlag::default(), &Live::default());
            assert_eq!((end.error, end.stopped, end.record.ended), (None, false, LoopEnded::Bytes));
            let record = &end.record;
            let transfer = record.write.as_ref().unwrap();
            assert_adds_up(transfer, writes.block_bytes, record.elapsed_ns);
            assert_eq!((transfer.bytes, record.drained_ios, record.drain_ns), (2 * MIB, 0, 0));
            assert!(record.elapsed_ns > 0 && record.elapsed_ns < writes.longest_loop().0);
            // Every stamp that should have changed did, and no other. Each block is there once: its stamps say where
            // it belongs, so two of them are never alike.
            let after = content(&target);
            let begin = usize::try_from(u64::from(number) * 4 * MIB).unwrap();
            let inside = begin..begin + (2 << 20);
            for at in (0..after.len()).step_by(4096) {
                let changed = before[at..at + 4096] != after[at..at + 4096];
                assert_eq!(changed, inside.contains(&at), "loop {number}, depth {depth}, byte {at}");
            }
            assert_unique_and_incompressible(&after);
        }
    }
}

#[test]
fn a_stretch_ends_with_its_time_or_with_the_data() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    for refusal in classes() {
        let run = |method: &Method, part| {
            let mut session =
                Session::open_with(&[&target], method, Wait::Block, 9, refusal.clone()).unwrap();
            let end = session.run_loop(part, &RunClock::start(), &StopFlag::default(), &Live::default());
            assert_eq!((end.error, end.stopped), (None, false));
            end.record
        };
        // No drive takes so little time.
        let writes = stretches(Pattern::SeqWrite, 4, None);
        let short = run(&writes, Part::first(Nanos(1_000)));
        assert_eq!((short.ended, short.elapsed_ns), (LoopEnded::Time, 1_000));
        let moved = short.write.as_ref().unwrap();
        assert!(short.drained_ios > 0 && moved.bytes < 2 * MIB);
        assert_adds_up(moved, writes.block_bytes, short.elapsed_ns);

        let reads = stretches(Pattern::SeqRead, 4, None);
        let read = |number, readable_bytes| {
            let record = run(&reads, Part { number, readable_bytes, ..Part::first(reads.longest_loop()) });
            assert_eq!(record.ended, LoopEnded::Bytes);
            record.read.unwrap().bytes
        };
        assert_eq!(read(0, u64::MAX), 2 * MIB);
        assert_eq!(read(1, 5 * MIB + 1), MIB, "half a block is not read");
        assert_eq!(read(1, 4 * MIB), 0, "nothing is there");
    }
}

#[test]
fn a_stretch_that_has_settled_ends_and_everything_counts() {
    let Some(dir) = disk_dir() else { return };
    let bytes = 2 << 30;
    for refusal in classes() {
        let target = OpenTarget::create_in(dir.path(), bytes).unwrap();
        let mut settles = stretches(Pattern::SeqWrite, 4, Some(Settles { bytes: MIB, seconds: 1 }));
        let Ends::Bytes(one) = &mut settles.ends else { unreachable!() };
        // Blocks so small that no drive is through with them in a second.
        (settles.block_bytes, settles.loops, settles.span_bytes, one.loop_bytes) = (4096, 1, bytes, bytes);
        let mut session = Session::open_with(&[&target], &settles, Wait::Block, 9, refusal).unwrap();
        let end = run(&mut session, settles.longest_loop());
        assert_eq!((end.error, end.stopped, end.record.ended), (None, false, LoopEnded::Settled));
        let record = &end.record;
        let transfer = record.write.as_ref().unwrap();
        assert_adds_up(transfer, settles.block_bytes, record.elapsed_ns);
        assert!(transfer.bytes >= MIB && record.elapsed_ns >= NS_PER_S);
        assert_eq!((record.drained_ios, record.drain_ns), (0, 0));
        // What was written is one piece from the beginning on.
        let data = content(&target);
        let written = usize::try_from(transfer.bytes).unwrap();
        let holds = |block: &[u8]| block != [0; 4096];
        assert!(data[..written].chunks_exact(4096).all(holds), "no gap");
        assert!(!data[written..].chunks_exact(4096).any(holds), "nothing that was not counted");
    }
}

#[test]
fn a_mix_reads_and_writes_by_its_share() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    for refusal in classes() {
        for percent in [30, 99] {
            let mix = Method { read_percent: Some(percent), ..method(Pattern::RandMix, 4096, 16, 1) };
            let mut session = Session::open_with(&[&target], &mix, Wait::Block, 9, refusal.clone()).unwrap();
            for _ in 0..2 {
                let end = run(&mut session, Nanos::from_secs(1));
                assert_whole(&end, &mix, Nanos::from_secs(1));
                let record = &end.record;
                let (read, write) = (record.read.as_ref().unwrap(), record.write.as_ref().unwrap());
                for transfer in [read, write] {
                    assert_adds_up(transfer, mix.block_bytes, record.elapsed_ns);
                }
                // Six standard deviations, and what is in flight at the end.
                let all = read.ios + write.ios;
                let leeway = 6.0 * (all as f64 * 0.25).sqrt() + 16.0;
                let asked = all as f64 * f64::from(percent) / 100.0;
                assert!((read.ios as f64 - asked).abs() < leeway, "{percent} %: {} of {all}", read.ios);
            }
            assert_unique_and_incompressible(&content(&target));
        }
    }
}

#[test]
fn a_second_stream_is_counted_apart() {
    let Some(dir) = disk_dir() else { return };
    let target = new_target(dir.path(), 8 * MIB);
    let beside = Some(Beside { block_bytes: 64 << 10, queue_depth: 2 });
    for refusal in classes() {
        for (pattern, read_percent) in [(Pattern::RandRead, None), (Pattern::RandMix, Some(70))] {
            let both = Method { read_percent, beside, ..method(pattern, 4096, 4, 1) };
            let mut session = Session::open_with(&[&target], &both, Wait::Block, 9, refusal.clone()).unwrap();
            let end = run(&mut session, Nanos::from_secs(1));
            assert_eq!((end.error, end.stopped), (None, false));
            let record = &end.record;
            let second = record.beside.as_ref().unwrap();
            for (read, write, block) in
                [(&record.read, &record.write, 4096), (&second.read, &second.write, 64 << 10)]
            {
                let both: Vec<&Transfer> = read.iter().chain(write).collect();
                assert_eq!(both.len(), if read_percent.is_some() { 2 } else { 1 });
                for transfer in both {
                    assert!(transfer.ios > 0);
                    assert_adds_up(transfer, block, record.elapsed_ns);
                }
            }
            assert!(record.drained_ios <= 6);
        }
    }
    let odd = Some(Beside { block_bytes: 512, queue_depth: 2 });
    let odd = Method { beside: odd, ..method(Pattern::RandRead, 4096, 4, 1) };
    assert!(matches!(check_alignment(&odd, 4096), Err(EngineError::Alignment { block: 512, align: 4096 })));
    let many = Method { beside: Some(Beside { block_bytes: 4096, queue_depth: 250 }), ..odd };
    let refusal = Some(RingRefusal("io-uring: EPERM".to_owned()));
    let many = Method { queue_depth: 7, ..many };
    let error = Session::open_with(&[&target], &many, Wait::Block, 1, refusal).err().unwrap();
    assert!(matches!(error, EngineError::TooManyThreads { in_flight: 257, .. }));
}

#[test]
fn drives_apart_work_at_once_and_are_told_apart() {
    let Some(dir) = disk_dir() else { return };
    let targets: Vec<_> = (0..3).map(|_| new_target(dir.path(), 8 * MIB)).collect();
    let targets: Vec<&OpenTarget> = targets.iter().collect();
    for (pattern, block, depth, threads) in [
        (Pattern::SeqRead, 128 << 10, 4, 1),
        (Pattern::RandRead, 4096, 8, 2),
        (Pattern::SeqWrite, 64 << 10, 2, 1),
    ] {
        let apart = Method { members: Some(2), apart: true, ..method(pattern, block, depth, threads) };
        let before: Vec<_> = targets.iter().map(|target| content(target)).collect();
        let mut session = Session::open_on(&targets, &apart, Wait::Block, 1).unwrap();
        let LoopEnd { record, error, failed_member, stopped } = run(&mut session, SHORT_LOOP);
        assert_eq!((error, failed_member, stopped), (None, None, false));
        assert_eq!(record.members.len(), 2, "as many as the method has");
        assert!(record.members.iter().all(|load| load.bytes() > 0), "{:?}", record.members);
        let sum = |of: fn(&MemberLoad) -> u64| record.members.iter().map(of).sum::<u64>();
        assert_eq!(sum(MemberLoad::bytes), record.transfer(&apart).unwrap().bytes);
        assert_eq!(sum(|load| load.drained_ios), record.drained_ios);
        assert!(record.drained_ios <= apart.in_flight());
        assert_eq!(sum(|load| load.read_bytes) > 0, pattern.reads());
        let changed: Vec<bool> =
            targets.iter().zip(&before).map(|(target, before)| content(target) != *before).collect();
        assert_eq!(changed, [pattern.writes(), pattern.writes(), false], "the third takes no part");
    }
    let four = Method { members: Some(4), apart: true, ..method(Pattern::RandRead, 4096, 1, 1) };
    let error = Session::open_on(&targets, &four, Wait::Block, 1).err().unwrap();
    assert!(matches!(error, EngineError::TooFewDrives { needed: 4, have: 3 }), "{error}");
}

#[test]
fn an_error_on_one_of_several_drives_ends_the_loop_and_says_which() {
    let Some(dir) = disk_dir() else { return };
    let targets: Vec<_> = (0..3).map(|_| new_target(dir.path(), 8 * MIB)).collect();
    let targets: Vec<&OpenTarget> = targets.iter().collect();
    let apart = Method { members: Some(3), apart: true, ..method(Pattern::RandRead, 4096, 4, 1) };
    let mut session = Session::open_on(&targets, &apart, Wait::Block, 1).unwrap();
    targets[1].file().set_len(0).unwrap();
    let end = run(&mut session, Nanos::from_secs(600));
    assert_eq!(end.error.map(|error| error.kind), Some(CellErrorKind::Short));
    assert_eq!(end.failed_member, Some(1));
}
