//! What is happening while it happens: a bar on a terminal, a line per cell elsewhere; always on standard
//! error.
//!
//! A thread of its own looks at [`Live`] a few times a second; the measuring threads never wait for it.

use crate::{hint::note, recorder::Live, stop::StopFlag};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{
    Method,
    units::{NS_PER_S, Nanos, Unit, format_capacity, format_clock, format_rate, format_size, per_second},
};
use std::{
    io::IsTerminal as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(250);

/// The step that is going on.
#[derive(Debug, Clone)]
enum Step {
    Fill { total_bytes: u64, written_bytes: u64 },
    Pause,
    Loop { method: Method, title: String },
}

struct State {
    step: Step,
    since: Instant,
    /// Measuring time of the whole run, of finished steps, and of this one, nanoseconds.
    total_ns: u64,
    done_ns: u64,
    step_ns: u64,
    /// Bytes written by finished steps.
    written_bytes: u64,
}

struct Shared {
    state: Mutex<State>,
    live: Live,
    stop: StopFlag,
    over: AtomicBool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere is reported elsewhere; the view goes on with what it has.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows how far a run is, until it is dropped.
pub struct Progress {
    shared: Arc<Shared>,
    drawing: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins with the fill of a file of `fill_bytes`, followed by `measuring` of loops and pauses.
    #[must_use]
    pub fn start(fill_bytes: u64, measuring: Nanos, stop: &StopFlag) -> Self {
        let state = State {
            step: Step::Fill { total_bytes: fill_bytes, written_bytes: 0 },
            since: Instant::now(),
            total_ns: measuring.0,
            done_ns: 0,
            step_ns: 0,
            written_bytes: 0,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            live: Live::default(),
            stop: stop.clone(),
            over: AtomicBool::new(false),
        });
        let drawing = std::io::stderr().is_terminal().then(|| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || draw(&shared))
        });
        let progress = Self { shared, drawing };
        progress.line(&format!("filling a test file of {}", format_size(fill_bytes)));
        progress
    }

    /// The figures that the measuring threads fill in.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.shared.live
    }

    /// Bytes of the fill written so far.
    pub fn filled(&self, bytes: u64) {
        if let Step::Fill { written_bytes, .. } = &mut self.shared.state().step {
            *written_bytes = bytes;
        }
    }

    /// A pause of so many seconds begins.
    pub fn pause(&self, seconds: u64) {
        self.next(Step::Pause, seconds);
    }

    /// A loop begins; `title` says which.
    pub fn start_loop(&self, method: &Method, title: String) {
        self.next(Step::Loop { method: method.clone(), title }, u64::from(method.seconds));
    }

    /// Bytes that a finished fill or loop wrote.
    pub fn wrote(&self, bytes: u64) {
        self.shared.state().written_bytes += bytes;
    }

    /// A line for logs; on a terminal the bar says it.
    pub fn line(&self, text: &str) {
        if self.drawing.is_none() {
            note(text);
        }
    }

    fn next(&self, step: Step, seconds: u64) {
        let mut state = self.shared.state();
        state.done_ns += state.step_ns;
        state.step_ns = Nanos::from_secs(seconds).0;
        state.since = Instant::now();
        state.step = step;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(drawing) = self.drawing.take() {
            drawing.thread().unpark();
            // It only draws: when it panicked there is nothing to be saved.
            let _ = drawing.join();
        }
    }
}

fn draw(shared: &Shared) {
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{prefix}\n{wide_bar} {percent:>3} %\n{wide_msg}")
        .expect("the template is valid")
        .progress_chars("━━ ");
    bar.set_style(style);
    while !shared.over.load(Ordering::Relaxed) {
        let view = view(&shared.state(), &shared.live);
        let stopping = "stopping: waiting for the I/Os in flight (Ctrl-C again ends at once)";
        bar.set_prefix(if shared.stop.requested() { stopping.to_owned() } else { view.headline });
        bar.set_message(view.figures);
        bar.set_position(view.permille);
        thread::park_timeout(PERIOD);
    }
    bar.finish_and_clear();
}

/// The lines of one look.
struct View {
    headline: String,
    permille: u64,
    figures: String,
}

fn view(state: &State, live: &Live) -> View {
    let elapsed = Nanos(u64::try_from(state.since.elapsed().as_nanos()).unwrap_or(u64::MAX));
    let done = state.done_ns + elapsed.0.min(state.step_ns);
    let left = format!("{} left", format_clock(Nanos(state.total_ns.saturating_sub(done))));
    let permille = |part: u64, whole: u64| (u128::from(part) * 1000 / u128::from(whole.max(1))) as u64;
    match &state.step {
        Step::Fill { total_bytes, written_bytes } => {
            let rate = per_second(*written_bytes, elapsed).map(format_rate).unwrap_or_default();
            View {
                headline: "filling the test file".to_owned(),
                permille: permille(*written_bytes, *total_bytes),
                figures: format!(
                    "{rate}, {} of {}",
                    format_capacity(*written_bytes),
                    format_capacity(*total_bytes)
                ),
            }
        }
        Step::Pause => View {
            headline: "pause before the next cell".to_owned(),
            permille: permille(done, state.total_ns),
            figures: format!("{} written, {left}", format_capacity(state.written_bytes)),
        },
        Step::Loop { method, title } => {
            let (ios, bytes) = (live.ios(), live.bytes());
            let written = state.written_bytes + if method.pattern.writes() { bytes } else { 0 };
            View {
                headline: title.clone(),
                permille: permille(done, state.total_ns),
                figures: format!(
                    "{}{} written, {left}",
                    speeds(method, ios, bytes, elapsed),
                    format_capacity(written)
                ),
            }
        }
    }
}

/// Throughput, I/O rate and mean latency of the loop so far. The latency follows from the I/Os in flight
/// (Little's law): good enough for a look, the recorded ones are exact.
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn speeds(method: &Method, ios: u64, bytes: u64, elapsed: Nanos) -> String {
    let elapsed = Nanos(elapsed.0.min(u64::from(method.seconds) * NS_PER_S));
    let (Some(rate), Some(iops)) = (per_second(bytes, elapsed), per_second(ios, elapsed)) else {
        return String::new();
    };
    if ios == 0 {
        return String::new();
    }
    let in_flight = u64::from(method.queue_depth) * u64::from(method.threads);
    let latency = (elapsed.0 as f64) * (in_flight as f64) / (ios as f64);
    format!("{}, {}, {}, ", format_rate(rate), Unit::Iops.format(iops), Unit::Nanoseconds.format(latency))
}
