//! What is happening while it happens: a bar on a terminal that can redraw; elsewhere, `TERM=dumb` included, a line
//! for every step and one now and then; always on standard error.
//!
//! A thread of its own looks at [`Live`] a few times a second; the measuring threads never wait for it.

use crate::{hint::note, plan::loop_seconds, recorder::Live, stop::StopFlag};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{
    Method,
    units::{
        NS_PER_S, Nanos, Unit, format_capacity, format_celsius, format_clock, format_rate, format_size,
        per_second,
    },
};
use rustix::termios::tcgetwinsize;
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(250);
/// Time between two lines where nothing can be redrawn.
const LINE_PERIOD: Duration = Duration::from_secs(15);
/// Columns of a terminal that does not tell how many it has.
const USUAL_COLUMNS: usize = 80;
/// Stretch of time that the live figures are taken over.
const WINDOW: Duration = Duration::from_millis(900);
/// After so much time without a completed I/O the view says so.
const SILENCE: Duration = Duration::from_secs(3);

/// Whether standard error is a terminal on which a view is drawn again and again.
#[must_use]
pub fn has_view() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

/// The step that is going on.
#[derive(Debug, Clone)]
enum Step {
    Fill { total_bytes: u64, written_bytes: u64 },
    Pause,
    Loop { method: Method, title: String },
    Pass { title: String },
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
    view: bool,
    drawing: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins with the fill of `what`, `a test file of`, that has `fill_bytes`, followed by `measuring` of loops and
    /// pauses. `thermometer` tells the drive's temperature in milli-degrees Celsius, `None` when it has none.
    #[must_use]
    pub fn start(
        what: &str,
        fill_bytes: u64,
        measuring: Nanos,
        thermometer: impl Fn() -> Option<i64> + Send + 'static,
        stop: &StopFlag,
    ) -> Self {
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
        let view = has_view();
        let looker = Arc::clone(&shared);
        let drawing =
            thread::spawn(
                move || if view { draw(&looker, &thermometer) } else { log(&looker, &thermometer) },
            );
        let progress = Self { shared, view, drawing: Some(drawing) };
        if fill_bytes > 0 {
            progress.line(&format!("filling {what} {}", format_size(fill_bytes)));
        }
        progress
    }

    /// The figures that the measuring threads fill in.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.shared.live
    }

    /// A fill of so many bytes begins.
    pub fn fill(&self, bytes: u64) {
        self.next(Step::Fill { total_bytes: bytes, written_bytes: 0 }, 0);
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
        self.next(Step::Loop { method: method.clone(), title }, loop_seconds(method));
    }

    /// So many loops of a method are not needed.
    pub fn spare(&self, method: &Method, loops: u32) {
        let mut state = self.shared.state();
        let spared_ns = Nanos::from_secs(loop_seconds(method) * u64::from(loops)).0;
        state.total_ns = state.total_ns.saturating_sub(spared_ns);
    }

    /// A pass begins that is estimated to take so long.
    pub fn start_pass(&self, title: String, estimated: Nanos) {
        self.next(Step::Pass { title }, estimated.0 / NS_PER_S);
    }

    /// Bytes that a finished fill or loop wrote.
    pub fn wrote(&self, bytes: u64) {
        self.shared.state().written_bytes += bytes;
    }

    /// A line for logs; where there is a view, that says it.
    pub fn line(&self, text: &str) {
        if !self.view {
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

fn draw(shared: &Shared, thermometer: &dyn Fn() -> Option<i64>) {
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{prefix}\n{wide_bar} {percent:>3} %\n{msg}")
        .expect("the template is valid")
        .progress_chars("━━ ");
    bar.set_style(style);
    let mut meter = Meter::default();
    while !shared.over.load(Ordering::Relaxed) {
        let view = look(shared, thermometer(), &mut meter);
        let stopping = "stopping: waiting for the I/Os in flight (Ctrl-C again ends at once)";
        let columns = tcgetwinsize(std::io::stderr()).map_or(0, |size| usize::from(size.ws_col));
        let columns = if columns > 0 { columns } else { USUAL_COLUMNS };
        let headline = if shared.stop.requested() { stopping } else { &view.headline };
        bar.set_prefix(wrapped(headline, columns));
        bar.set_message(wrapped(&view.figures, columns));
        bar.set_position(view.permille);
        thread::park_timeout(PERIOD);
    }
    bar.finish_and_clear();
}

/// A text in lines of fewer than `columns` characters, as far as its words allow: a line that fills a terminal may
/// break it.
fn wrapped(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut width = 0;
    // A figure and its unit stay together where they can: lines break at commas first.
    for piece in text.split_inclusive(", ") {
        let long = piece.trim_end().chars().count();
        if width > 0 && width + long >= columns {
            out.truncate(out.trim_end().len());
            out.push('\n');
            width = 0;
        }
        for word in piece.split_inclusive(' ') {
            let long = word.trim_end().chars().count();
            if width > 0 && width + long >= columns {
                out.truncate(out.trim_end().len());
                out.push('\n');
                width = 0;
            }
            out.push_str(word);
            width += word.chars().count();
        }
    }
    out
}

/// A line now and then, for logs of long runs.
fn log(shared: &Shared, thermometer: &dyn Fn() -> Option<i64>) {
    let mut meter = Meter::default();
    let mut next = Instant::now() + LINE_PERIOD;
    while !shared.over.load(Ordering::Relaxed) {
        let view = look(shared, thermometer(), &mut meter);
        if Instant::now() >= next {
            note(&format!("{}: {}", view.headline, view.figures));
            next += LINE_PERIOD;
        }
        thread::park_timeout(PERIOD);
    }
}

fn look(shared: &Shared, temperature: Option<i64>, meter: &mut Meter) -> View {
    let state = shared.state();
    let done = match &state.step {
        Step::Fill { written_bytes, .. } => (*written_bytes, 0),
        Step::Pause => (0, 0),
        Step::Loop { .. } | Step::Pass { .. } => (shared.live.bytes(), shared.live.ios()),
    };
    meter.look(Instant::now(), state.since, done.0, done.1);
    view(&state, &shared.live, temperature, meter)
}

/// Turns running totals into the speed of the last moment. The totals move in steps of 100 ms or a second, so speed is
/// taken between moments at which they had moved.
#[derive(Debug, Default)]
struct Meter {
    /// Which step the totals belong to.
    step: Option<Instant>,
    /// Moments at which the totals had moved, and the totals then: bytes and I/Os.
    moments: VecDeque<(Instant, u64, u64)>,
    now: Option<Instant>,
}

/// The speed of the last moment.
struct Speed {
    bytes: u64,
    ios: u64,
    over: Nanos,
}

impl Meter {
    fn look(&mut self, now: Instant, step: Instant, bytes: u64, ios: u64) {
        self.now = Some(now);
        if self.step != Some(step) {
            self.step = Some(step);
            self.moments.clear();
            self.moments.push_back((step, 0, 0));
        }
        match self.moments.back() {
            // The totals were still those of the loop before.
            Some((_, before, _)) if bytes < *before => {
                self.moments.clear();
                self.moments.push_back((now, bytes, ios));
            }
            Some((_, before, _)) if bytes == *before => {}
            _ => self.moments.push_back((now, bytes, ios)),
        }
        // The second one must already be old enough to span the window alone.
        while self.moments.get(1).is_some_and(|(at, ..)| now.duration_since(*at) >= WINDOW)
            && self.moments.len() > 2
        {
            self.moments.pop_front();
        }
    }

    /// What moved in the window; `None` before anything had.
    fn speed(&self) -> Option<Speed> {
        let ((from, bytes_before, ios_before), (to, bytes, ios)) =
            (self.moments.front()?, self.moments.back()?);
        let over = nanos(to.duration_since(*from));
        (over.0 > 0 && bytes > bytes_before).then(|| Speed {
            bytes: bytes - bytes_before,
            ios: ios - ios_before,
            over,
        })
    }

    /// How long nothing has moved.
    fn silence(&self) -> Duration {
        match (self.now, self.moments.back()) {
            (Some(now), Some((last, ..))) => now.duration_since(*last),
            _ => Duration::ZERO,
        }
    }
}

fn nanos(duration: Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// The lines of one look.
struct View {
    headline: String,
    permille: u64,
    figures: String,
}

fn view(state: &State, live: &Live, temperature: Option<i64>, meter: &Meter) -> View {
    let elapsed = nanos(state.since.elapsed());
    let (step_done, step_left) = so_far(state, live.bytes(), elapsed);
    let done = state.done_ns + step_done;
    let measuring_left =
        state.total_ns.saturating_sub(state.done_ns).saturating_sub(state.step_ns).saturating_add(step_left);
    let left = format!("{} left", format_clock(Nanos(measuring_left)));
    let permille = |part: u64, whole: u64| (u128::from(part) * 1000 / u128::from(whole.max(1))) as u64;
    let mut figures = match &state.step {
        Step::Pause => Vec::new(),
        Step::Fill { .. } | Step::Pass { .. } => rate(meter).into_iter().collect(),
        Step::Loop { method, .. } => speeds(method, meter),
    };
    // A trace may think for as long as it likes.
    if !matches!(state.step, Step::Pause | Step::Pass { .. }) && meter.silence() >= SILENCE {
        figures = vec![format!("no I/O completed for {}", format_clock(nanos(meter.silence())))];
    }
    figures.extend(temperature.map(format_celsius));
    let (headline, share) = match &state.step {
        Step::Fill { total_bytes, written_bytes } => {
            figures.push(format!("{} of {}", size_so_far(*written_bytes), format_size(*total_bytes)));
            figures.push(match fill_left(*total_bytes, *written_bytes, elapsed) {
                Some(fill) => format!("{} left", format_clock(Nanos(measuring_left.saturating_add(fill.0)))),
                None => format!("{left} after the fill"),
            });
            ("filling".to_owned(), permille(*written_bytes, *total_bytes))
        }
        Step::Pause => {
            figures.push(format!("{} written", format_capacity(state.written_bytes)));
            figures.push(left);
            ("pause before the next cell".to_owned(), permille(done, state.total_ns))
        }
        Step::Loop { method, title } => {
            let written = state.written_bytes + if method.pattern.writes() { live.bytes() } else { 0 };
            figures.push(format!("{} written", format_capacity(written)));
            figures.push(left);
            (title.clone(), permille(done, state.total_ns))
        }
        Step::Pass { title } => {
            figures.push(format!("{} written", format_capacity(state.written_bytes)));
            figures.push(left);
            (title.clone(), permille(done, state.total_ns))
        }
    };
    View { headline, permille: share, figures: figures.join(", ") }
}

/// How much of a step's estimated time is done, and how long it will still take, nanoseconds. What ends by bytes goes
/// by them: a drive is as fast as it is.
fn so_far(state: &State, bytes: u64, elapsed: Nanos) -> (u64, u64) {
    if let Step::Loop { method, .. } = &state.step
        && let Some(one) = method.stretches()
    {
        let moved = bytes.min(one.loop_bytes);
        let done = u128::from(state.step_ns) * u128::from(moved) / u128::from(one.loop_bytes.max(1));
        let left = fill_left(one.loop_bytes, moved, elapsed).map_or(state.step_ns, |left| left.0);
        let most = method.longest_loop().0.saturating_sub(elapsed.0);
        return (u64::try_from(done).unwrap_or(state.step_ns), left.min(most));
    }
    let done = elapsed.0.min(state.step_ns);
    (done, state.step_ns - done)
}

fn rate(meter: &Meter) -> Option<String> {
    let Speed { bytes, over, .. } = meter.speed()?;
    per_second(bytes, over).map(format_rate)
}

/// Time until the file is full at the speed it had so far.
fn fill_left(total_bytes: u64, written_bytes: u64, elapsed: Nanos) -> Option<Nanos> {
    let left = u128::from(total_bytes.checked_sub(written_bytes)?) * u128::from(elapsed.0);
    u64::try_from(left.checked_div(u128::from(written_bytes))?).ok().map(Nanos)
}

/// Bytes of a fill so far, in whole MiB: more digits would only flicker.
fn size_so_far(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format_size(bytes),
        mib => format_size(mib << 20),
    }
}

/// Throughput, I/O rate and mean latency of the last moment. The latency follows from the I/Os in flight (Little's
/// law) without a reading per I/O: good enough for a look, the recorded ones are exact.
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn speeds(method: &Method, meter: &Meter) -> Vec<String> {
    let Some(Speed { bytes, ios, over }) = meter.speed() else { return Vec::new() };
    let (Some(rate), Some(iops)) = (per_second(bytes, over), per_second(ios, over)) else {
        return Vec::new();
    };
    let in_flight = u64::from(method.queue_depth) * u64::from(method.threads);
    let latency = (over.0 as f64) * (in_flight as f64) / (ios.max(1) as f64);
    vec![format_rate(rate), Unit::Iops.format(iops), Unit::Nanoseconds.format(latency)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        method::{DataKind, Ends, Pattern, Stretches},
        units::NS_PER_S,
    };

    fn method() -> Method {
        Method {
            pattern: Pattern::RandWrite,
            block_bytes: 4096,
            queue_depth: 8,
            threads: 2,
            span_bytes: 1 << 30,
            data: DataKind::Random,
            seconds: 60,
            loops: 1,
            discarded_loops: 0,
            interval_seconds: 0,
            ..Method::PLAIN
        }
    }

    /// A meter that looks four times a second at totals that move once every `every` looks.
    fn looked(every: u64, looks: u64, ios_per_look: u64) -> (Meter, Instant) {
        let mut meter = Meter::default();
        let step = Instant::now();
        for index in 0..=looks {
            let ios = index / every * every * ios_per_look;
            let now = step + PERIOD * u32::try_from(index).unwrap();
            meter.look(now, step, ios * 4096, ios);
        }
        (meter, step)
    }

    #[test]
    fn speed_is_that_of_the_last_moment() {
        let (mut meter, step) = looked(1, 40, 2_500);
        assert_eq!(speeds(&method(), &meter), ["40.96 MB/s", "10,000 IOPS", "1.60 ms"]);
        // Then the drive becomes ten times slower: after a second nothing of the former speed is left.
        let (mut ios, mut now) = (100_000, step + PERIOD * 40);
        for _ in 0..8 {
            (ios, now) = (ios + 250, now + PERIOD);
            meter.look(now, step, ios * 4096, ios);
        }
        assert_eq!(speeds(&method(), &meter)[1], "1,000 IOPS");
    }

    #[test]
    fn totals_that_move_once_a_second_show_a_steady_speed() {
        for looks in 40..44 {
            let (meter, _) = looked(4, looks, 2_500);
            assert_eq!(speeds(&method(), &meter)[1], "10,000 IOPS", "{looks}");
        }
    }

    #[test]
    fn a_view_names_everything_that_is_known() {
        let (meter, step) = looked(1, 40, 2_500);
        let state = State {
            step: Step::Loop { method: method(), title: "cell 1 of 2".to_owned() },
            since: step,
            total_ns: 120 * NS_PER_S,
            done_ns: 0,
            step_ns: 60 * NS_PER_S,
            written_bytes: 1 << 30,
        };
        let view = view(&state, &Live::default(), Some(61_500), &meter);
        assert_eq!(view.headline, "cell 1 of 2");
        for words in ["40.96 MB/s", "10,000 IOPS", "1.60 ms", "61.5 °C", "1.07 GB written", "left"] {
            assert!(view.figures.contains(words), "{words} is missing in {}", view.figures);
        }
    }

    #[test]
    fn a_drive_that_answers_nothing_is_shown_as_such() {
        let (mut meter, step) = looked(1, 4, 2_500);
        meter.look(step + Duration::from_secs(8), step, 10_000 * 4096, 10_000);
        assert_eq!(meter.silence(), Duration::from_secs(7));
        let state = State {
            step: Step::Fill { total_bytes: 1 << 30, written_bytes: 10_000 * 4096 },
            since: step,
            total_ns: NS_PER_S,
            done_ns: 0,
            step_ns: 0,
            written_bytes: 0,
        };
        let view = view(&state, &Live::default(), None, &meter);
        assert!(view.figures.starts_with("no I/O completed for 7 s"), "{}", view.figures);
    }

    #[test]
    fn a_loop_that_ends_by_bytes_goes_by_them() {
        let ends =
            Ends::Bytes(Stretches { loop_bytes: 1 << 30, rest_seconds: 0, settles: None, until_slow: false });
        let method =
            Method { pattern: Pattern::SeqWrite, threads: 1, seconds: 86_400, ends, ..Method::PLAIN };
        let state = State {
            step: Step::Loop { method, title: String::new() },
            since: Instant::now(),
            total_ns: 60 * NS_PER_S,
            done_ns: 10 * NS_PER_S,
            step_ns: 20 * NS_PER_S,
            written_bytes: 0,
        };
        assert_eq!(so_far(&state, 0, Nanos(1)), (0, 20 * NS_PER_S), "as estimated");
        // Three quarters took a minute, so the last one takes a third of that.
        assert_eq!(so_far(&state, 768 << 20, Nanos(60 * NS_PER_S)), (15 * NS_PER_S, 20 * NS_PER_S));
        assert_eq!(so_far(&state, 1 << 30, Nanos(80 * NS_PER_S)), (20 * NS_PER_S, 0));
        let last_second = Nanos(86_399 * NS_PER_S);
        assert_eq!(so_far(&state, 1 << 20, last_second).1, NS_PER_S, "its time ends it");
    }

    #[test]
    fn a_fill_tells_the_time_that_is_left_of_the_run() {
        let state = |written_bytes| State {
            step: Step::Fill { total_bytes: 1 << 30, written_bytes },
            since: Instant::now() - Duration::from_secs(10),
            total_ns: 60 * NS_PER_S,
            done_ns: 0,
            step_ns: 0,
            written_bytes: 0,
        };
        let figures = |written| view(&state(written), &Live::default(), None, &Meter::default()).figures;
        assert_eq!(figures(0), "0 B of 1 GiB, 1 min 00 s left after the fill");
        // A little over a half of it took ten seconds, so the rest takes a little over nine.
        assert_eq!(figures(528 << 20), "528 MiB of 1 GiB, 1 min 09 s left");
    }

    #[test]
    fn narrow_terminals_get_more_lines_and_lose_nothing() {
        let figures = "1,094.7 MB/s, 267,260 IOPS, 119.7 µs, 61.5 °C, 1.07 GB written, 4 min 35 s left";
        assert_eq!(wrapped(figures, 120), figures);
        assert_eq!(
            wrapped(figures, 60),
            "1,094.7 MB/s, 267,260 IOPS, 119.7 µs, 61.5 °C,\n1.07 GB written, 4 min 35 s left"
        );
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for columns in 1..100 {
            let narrow = wrapped(figures, columns);
            assert_eq!(words(&narrow), words(figures), "{columns}");
            let longest = words(figures).iter().map(|word| word.chars().count()).max().unwrap();
            let fits = |line: &str| line.chars().count() < columns.max(longest + 1);
            assert!(narrow.lines().all(fits), "{columns}: {narrow}");
        }
    }

    #[test]
    fn a_new_step_begins_at_nothing() {
        let (mut meter, step) = looked(1, 40, 2_500);
        let next = step + PERIOD * 41;
        meter.look(next, next, 0, 0);
        assert!(meter.speed().is_none());
        // A look between two loops still sees the totals of the first.
        meter.look(next, next, 100_000 * 4096, 100_000);
        for index in 1..=8 {
            meter.look(next + PERIOD * index, next, u64::from(index) * 250 * 4096, u64::from(index) * 250);
        }
        assert_eq!(speeds(&method(), &meter)[1], "1,000 IOPS");
        assert_eq!(meter.silence(), Duration::ZERO);
    }
}
