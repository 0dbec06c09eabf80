//! The measuring loop takes no memory: a longer loop allocates no more than a short one.
//!
//! A program of its own, because it counts every allocation of its process.
#![expect(unsafe_code, reason = "an allocator is an unsafe trait")]

use cliffmark_runner::{
    clock::RunClock,
    engine::{Live, Part, Session},
    stop::StopFlag,
    target::OpenTarget,
};
use model::{
    Method,
    document::Wait,
    method::{DataKind, Pattern},
    units::Nanos,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering},
};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator does the work; counting touches nothing of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the system's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a loop of `length_ms`, and its I/Os.
fn cost(session: &mut Session, method: &Method, length_ms: u64) -> (u64, u64) {
    let (clock, stop, live) = (RunClock::start(), StopFlag::default(), Live::default());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let end = session.run_loop(Part::first(Nanos(length_ms * 1_000_000)), &clock, &stop, &live);
    let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(end.error, None);
    (count, end.record.transfer(method).expect("a loop has a transfer").ios)
}

#[test]
fn a_longer_loop_allocates_no_more() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    std::fs::create_dir_all(folder).expect("the build directory can be written");
    let directory = tempfile::tempdir_in(folder).expect("the build directory can be written");
    let mut target = match OpenTarget::create_in(directory.path(), 8 << 20) {
        Ok(target) => target,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a skipped test says so")]
            return eprintln!("SKIPPED: {error}");
        }
    };
    target.fill(DataKind::Random, &mut |_| (), &StopFlag::default()).expect("the file can be written");
    for (pattern, read_percent) in
        [(Pattern::RandRead, None), (Pattern::RandWrite, None), (Pattern::RandMix, Some(50))]
    {
        let method = Method {
            pattern,
            block_bytes: 4096,
            queue_depth: 8,
            threads: 2,
            span_bytes: 8 << 20,
            data: DataKind::Random,
            seconds: 1,
            loops: 1,
            discarded_loops: 0,
            interval_seconds: 0,
            read_percent,
            ..Method::PLAIN
        };
        let mut session = Session::open(&target, &method, Wait::Block, 7).expect("the cell can be set up");
        // The first loop may set up what later ones find there.
        cost(&mut session, &method, 50);
        let (short, few) = cost(&mut session, &method, 50);
        let (long, many) = cost(&mut session, &method, 1_000);
        assert!(many > few + 100, "a longer loop completes more: {few}, {many}");
        // A loop takes memory for its records, whatever happens in it; a buffer more or less is no I/O's.
        assert!(long <= short + 4, "{long} allocations for {many} I/Os, {short} for {few}");
    }
}
