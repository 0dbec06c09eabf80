//! Watches drive and power while others measure: temperatures, health log, links, an external meter, all on the
//! measuring clock.
//!
//! A thread of its own looks every few seconds; the measuring threads never wait for it. Whatever a sensor does,
//! the run goes on. What was seen is judged elsewhere (`analysis::telemetry`).

mod health_log;
mod hwmon;
mod ioctl;
mod meter;
mod pieces;
mod sources;
mod store;

pub use meter::{Meter, PowerInput};
pub use pieces::joined;

use crate::{clock::RunClock, drive::ground::Ground, hint::note, sysfs::SysRoot};
use model::{
    telemetry::{PausePolicy, SamplingPolicy, Telemetry},
    units::NS_PER_S,
};
use sources::Sources;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};
use store::Store;

/// Time between two looks at a solid-state drive, nanoseconds: looking each second keeps some drives awake and warm.
const PERIOD_NS: u64 = 2 * NS_PER_S;
/// Time between two looks at a drive with platters, nanoseconds: each look costs a seek on some.
const ROTATIONAL_PERIOD_NS: u64 = 30 * NS_PER_S;
/// How long the first and the last look are waited for. A drive that is gone answers after a minute or never.
const PATIENCE: Duration = Duration::from_secs(10);

/// When is looked at these drives: `period_ns` is what the user asked for.
#[must_use]
pub fn policy(grounds: &[&Ground], period_ns: Option<u64>, pauses: PausePolicy) -> SamplingPolicy {
    let platters = grounds.iter().any(|ground| ground.has_platters());
    let usual = if platters { ROTATIONAL_PERIOD_NS } else { PERIOD_NS };
    SamplingPolicy { period_ns: period_ns.unwrap_or(usual), pauses }
}

/// What the looking thread is told.
enum Order {
    Pause,
    Resume,
    Finish,
}

/// Looks at a drive until it is finished.
pub struct Watch {
    policy: SamplingPolicy,
    orders: mpsc::Sender<Order>,
    /// Says when the first and the last look are over.
    done: mpsc::Receiver<()>,
    store: Arc<Mutex<Store>>,
    meter: Option<Meter>,
}

impl Watch {
    /// Looks for the first time, and then goes on in a thread of its own.
    #[must_use]
    pub fn start(
        root: &SysRoot,
        grounds: &[&Ground],
        clock: RunClock,
        policy: SamplingPolicy,
        meter: Option<Meter>,
    ) -> Self {
        Self::over(Sources::find(root, grounds), clock, policy, meter)
    }

    fn over(mut sources: Sources, clock: RunClock, policy: SamplingPolicy, meter: Option<Meter>) -> Self {
        let store = Arc::new(Mutex::new(Store::new(sources.series())));
        let (orders, inbox) = mpsc::channel();
        let (tell, done) = mpsc::channel();
        let shared = Arc::clone(&store);
        let started = thread::Builder::new().name("telemetry".to_owned()).spawn(move || {
            let mut look = |last| {
                let seen = sources.look(|| clock.now().0, last);
                seen(&mut lock(&shared));
            };
            look(false);
            // Whoever does not wait any more does not have to know.
            let _ = tell.send(());
            watch(&inbox, &clock, policy, &mut || look(false));
            look(true);
            let _ = tell.send(());
        });
        if let Err(error) = started {
            note(&format!("temperatures are not watched: no thread could be started ({error})"));
        }
        let watch = Self { policy, orders, done, store, meter };
        watch.wait();
        watch
    }

    /// The drive is left alone from here on, where the policy says so.
    pub fn pause(&self) {
        self.tell(Order::Pause);
    }

    /// The drive works again.
    pub fn resume(&self) {
        self.tell(Order::Resume);
    }

    /// Tells the latest temperature, milli-degrees Celsius, whenever it is asked; `None` when there is none.
    pub fn thermometer(&self) -> impl Fn() -> Option<i64> + Send + 'static {
        let store = Arc::clone(&self.store);
        move || lock(&store).temperature()
    }

    /// What was seen until now.
    #[must_use]
    pub fn so_far(&self) -> Telemetry {
        let power = self.meter.as_ref().and_then(Meter::so_far);
        lock(&self.store).telemetry(self.policy, power)
    }

    /// Looks for the last time and yields everything.
    #[must_use]
    pub fn finish(self) -> Telemetry {
        self.tell(Order::Finish);
        self.wait();
        let Self { policy, store, meter, .. } = self;
        let power = meter.and_then(Meter::finish);
        lock(&store).telemetry(policy, power)
    }

    fn tell(&self, order: Order) {
        let silent = self.policy.pauses == PausePolicy::Silent;
        if silent || matches!(order, Order::Finish) {
            // A thread that is gone has said why.
            let _ = self.orders.send(order);
        }
    }

    /// Waits for a look to end. When it does not, what is there counts and the thread is left alone.
    fn wait(&self) {
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    // A panic elsewhere is reported elsewhere; what was seen before it stays true.
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks once a period until the end, and not while paused. Looks that were missed are not made up for.
fn watch(inbox: &mpsc::Receiver<Order>, clock: &RunClock, policy: SamplingPolicy, look: &mut dyn FnMut()) {
    let mut due_ns = clock.now().0.saturating_add(policy.period_ns);
    let mut paused = false;
    loop {
        let left = Duration::from_nanos(due_ns.saturating_sub(clock.now().0));
        let order = if paused {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(left)
        };
        match order {
            Ok(Order::Pause) => paused = true,
            Ok(Order::Resume) => paused = false,
            Ok(Order::Finish) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                look();
                due_ns = due_ns.saturating_add(policy.period_ns).max(clock.now().0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;
    use model::{
        document::ResultDocument,
        ids::PublicKey,
        reading::{Absent, Reading},
    };
    use std::sync::atomic::{AtomicU64, Ordering};

    const MS: u64 = NS_PER_S / 1_000;

    fn every(period_ns: u64, pauses: PausePolicy) -> SamplingPolicy {
        SamplingPolicy { period_ns, pauses }
    }

    /// Waits until so many looks were made; the test's own time limit is a minute.
    fn until(looks: &AtomicU64, count: u64) {
        let clock = RunClock::start();
        while looks.load(Ordering::SeqCst) < count {
            assert!(clock.now().0 < 60 * NS_PER_S, "no look for a minute");
            thread::yield_now();
        }
    }

    #[test]
    fn a_drive_is_looked_at_before_meanwhile_and_after() {
        let (sources, looks) = sources::tests::warming();
        let watch = Watch::over(sources, RunClock::start(), every(MS, PausePolicy::Sampled), None);
        assert!(watch.thermometer()().is_some(), "the first look is over before anything else begins");
        watch.pause();
        until(&looks, 4);
        let watched = watch.finish();
        let made = looks.load(Ordering::SeqCst);
        let values = &watched.series[0].values;
        assert_eq!(values.len() as u64, made);
        assert_eq!(values.first(), Some(&Some(26_850)));
        let health = watched.health.known().unwrap();
        assert_eq!(u64::from(health.last().unwrap().light_throttle_count) + 1, made);

        let mut document = model::fixtures::document("Example", 1.0, PublicKey([0; 32]));
        document.telemetry = watched;
        assert!(ResultDocument::from_json(&document.to_json()).is_ok());
    }

    #[test]
    fn silent_pauses_are_silent() {
        let (sources, looks) = sources::tests::warming();
        let watch =
            Watch::over(sources, RunClock::start(), every(3_600 * NS_PER_S, PausePolicy::Silent), None);
        watch.pause();
        watch.resume();
        let watched = watch.finish();
        assert_eq!(looks.load(Ordering::SeqCst), 2, "before and after");
        assert_eq!(watched.series[0].values.len(), 2);
        assert_eq!(watched.policy.pauses, PausePolicy::Silent);

        let (mut asked, clock) = (0, RunClock::start());
        let (orders, inbox) = mpsc::channel();
        for order in [Order::Pause, Order::Finish] {
            orders.send(order).unwrap();
        }
        watch_for_test(&inbox, &clock, &mut asked);
        assert_eq!(asked, 0, "nothing is asked after a pause has begun");
    }

    fn watch_for_test(inbox: &mpsc::Receiver<Order>, clock: &RunClock, asked: &mut u32) {
        super::watch(inbox, clock, every(0, PausePolicy::Silent), &mut || *asked += 1);
    }

    #[test]
    fn without_a_drive_everything_has_a_reason() {
        let sys = FakeSys::new();
        let policy = policy(&[], None, PausePolicy::Sampled);
        let watched = Watch::start(&sys.root(), &[], RunClock::start(), policy, None).finish();
        assert_eq!(watched.series, []);
        assert_eq!(watched.health, Reading::Absent(Absent::NotSupported));
        assert_eq!(watched.links, []);
    }

    #[test]
    fn sensors_and_links_of_a_drive_are_found_and_may_vanish() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:1d.0";
        let controller = format!("{port}/0000:01:00.0/nvme/nvme0");
        sys.disk(&format!("{controller}/nvme0n1"), "259:0", 1);
        sys.link(&format!("{port}/0000:01:00.0"), "16.0 GT/s PCIe", 4, "2.5 GT/s PCIe", 4);
        sys.write(&format!("sys/devices/{controller}/hwmon1/temp1_input"), "41850\n");
        sys.write(&format!("sys/devices/{controller}/hwmon1/temp1_label"), "Composite\n");
        let ground = Ground::of(&sys.root(), crate::counters::DeviceNumber { major: 259, minor: 0 });
        let long = every(3_600 * NS_PER_S, PausePolicy::Sampled);
        let watch =
            Watch::start(&sys.root(), &ground.iter().collect::<Vec<_>>(), RunClock::start(), long, None);
        assert_eq!(watch.thermometer()(), Some(41_850));
        std::fs::remove_dir_all(sys.root().path(&format!("sys/devices/{controller}"))).unwrap();
        let watched = watch.finish();
        assert_eq!(watched.series[0].values, [Some(41_850), None]);
        assert_eq!(watched.links.len(), 1);
        assert_eq!(watched.health, Reading::Absent(Absent::NotReported));
    }

    #[test]
    fn drives_with_platters_are_asked_less_often() {
        let sys = FakeSys::new();
        let disk = sys.disk("pci0000:00/0000:00:17.0/ata1/block/sda", "8:0", 1);
        sys.write(&format!("{disk}/queue/rotational"), "1\n");
        let ground = Ground::of(&sys.root(), crate::counters::DeviceNumber { major: 8, minor: 0 });
        let period = |asked| policy(&[ground.as_ref().unwrap()], asked, PausePolicy::Sampled).period_ns;
        assert_eq!((period(None), period(Some(5))), (30 * NS_PER_S, 5));
        assert_eq!(policy(&[], None, PausePolicy::Sampled).period_ns, 2 * NS_PER_S);
        // Virtual disks call themselves rotational.
        let disk = sys.disk("pci0000:00/0000:00:05.0/virtio2/block/vda", "252:0", 1);
        sys.write(&format!("{disk}/queue/rotational"), "1\n");
        let ground = Ground::of(&sys.root(), crate::counters::DeviceNumber { major: 252, minor: 0 });
        assert_eq!(policy(&[&ground.unwrap()], None, PausePolicy::Sampled).period_ns, 2 * NS_PER_S);
    }
}
