//! Where speed changes for good.
//!
//! The series is cut into stretches of one level. A boundary between two of them is a change when the speed never
//! comes back: the stretch before it is faster (or slower) than nearly all that follows. So a slow second, a stall
//! that recurs and a saw-tooth are no changes, and neither is a slow decline, which has no place where it happens.
//! Pauses are left out: only the time in which the drive was asked counts.

use super::{Steps, cycles, segments, whole};
use model::{
    finding::{Change, Confidence, Drift, Place, Stage, Stages, Trough, Turn},
    units::NS_PER_S,
};

/// A speed has changed when it is below this share of the other one.
const CHANGED: f64 = 0.85;
/// Longest time that a level must last to be one, nanoseconds; in short series a twentieth of their time is enough.
const LASTS_NS: u64 = 3 * NS_PER_S;
/// A change is at least so many times the noise,
const LEAST_STEP: f64 = 1.2;
/// and so many times the noise of its shorter side's mean.
const SURE: f64 = 9.0;
/// So many times the noise make a change clear.
const CLEAR: f64 = 4.0;
/// Share of what follows that a level must come back for to have come back.
const COMES_BACK: f64 = 0.1;
/// A last stretch must be so many times longer than earlier ones of its level.
const OUTLASTS: usize = 2;

/// The stages of a series; `None` when nothing was moved, or for a moment only.
#[must_use]
pub fn find(series: &Steps) -> Option<Stages> {
    let busy = series.without_pauses().without_gaps();
    let view = View::of(&busy)?;
    let borders = view.borders();
    let (mut stages, mut changes) = (Vec::new(), Vec::new());
    let (mut begin, mut trough_end) = (0, None);
    let count = busy.all().len();
    // Borders are placed each for itself among the steps near it: they stay in order, whatever those are.
    let behind = |step: usize, before: usize| step.max(before + 1).min(count);
    for border in &borders {
        let split = view.place(border);
        let end = behind(split.step, trough_end.unwrap_or(begin));
        changes.push(Change {
            turn: border.turn,
            earliest: split.earliest,
            latest: split.latest,
            confidence: border.confidence,
        });
        stages.push(stage(&busy, begin..end, trough_end));
        begin = end;
        trough_end = border.recovery.as_ref().map(|recovery| behind(view.place(recovery).step, begin));
    }
    stages.push(stage(&busy, begin..count, trough_end));
    let rhythmic = stages.iter().any(|stage| stage.cycle.is_some());
    let drift = if changes.is_empty() && !rhythmic { view.drift() } else { None };
    Some(Stages { stages, changes, drift })
}

/// A stage of some steps, which begins with a trough when that has an end.
fn stage(busy: &Steps, steps: std::ops::Range<usize>, trough_end: Option<usize>) -> Stage {
    let plateau = trough_end.unwrap_or(steps.start)..steps.end;
    Stage {
        from: busy.begin(steps.start),
        until: busy.end_of(steps.end.saturating_sub(1)),
        typical_bytes_per_s: whole(busy.median_speed(plateau.clone())),
        mean_bytes_per_s: whole(busy.mean_speed(steps.clone()).unwrap_or(0.0)),
        trough: trough_end.map(|end| Trough {
            until: busy.begin(end),
            bytes_per_s: whole(busy.median_speed(steps.start..end)),
        }),
        cycle: cycles::find(busy, plateau),
    }
}

/// A stretch of buckets of one level.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: usize,
    until: usize,
    /// Median speed, bytes per second.
    level: f64,
}

impl Stretch {
    fn len(&self) -> usize {
        self.until - self.from
    }
}

/// A change between two stretches.
#[derive(Debug, Clone)]
struct Border {
    turn: Turn,
    /// The bucket that begins behind it.
    bucket: usize,
    /// Speeds on both sides.
    before: f64,
    after: f64,
    confidence: Confidence,
    /// The rise from the trough behind it.
    recovery: Option<Box<Self>>,
}

/// Where a change lies among the steps.
struct Split {
    /// The first step behind it.
    step: usize,
    earliest: Place,
    latest: Place,
}

/// A series in buckets of equal busy time.
struct View<'a> {
    busy: &'a Steps,
    /// Busy time before each step, and in all.
    clock: Vec<u64>,
    width_ns: u64,
    speeds: Vec<f64>,
    stretches: Vec<Stretch>,
    /// Fewest buckets of a stretch.
    shortest: usize,
    /// Noise of the logarithms.
    noise: f64,
}

impl<'a> View<'a> {
    fn of(busy: &'a Steps) -> Option<Self> {
        let mut clock = vec![0_u64];
        for step in busy.all() {
            clock.push(clock.last().copied().unwrap_or(0).saturating_add(step.elapsed_ns));
        }
        let total = clock.last().copied().unwrap_or(0);
        let mut times: Vec<u64> = busy.all().iter().map(|step| step.elapsed_ns).collect();
        times.sort_unstable();
        let usual = *times.get(times.len() / 2)?;
        let width_ns = usual.max(total.div_ceil(segments::MOST as u64)).max(1);
        let speeds = bucket_speeds(busy, &clock, width_ns);
        let typical = busy.median_speed(0..busy.all().len());
        if speeds.is_empty() || typical <= 0.0 {
            return None;
        }
        let levels: Vec<f64> = speeds.iter().map(|speed| speed.max(typical / 1_000.0).ln()).collect();
        let lasts = LASTS_NS.min(total / 20);
        let shortest = usize::try_from(lasts.div_ceil(width_ns)).unwrap_or(usize::MAX).max(3);
        let mut from = 0;
        let mut stretches: Vec<Stretch> = Vec::new();
        for until in segments::cut(&levels, shortest) {
            let level = median(&speeds[from..until]);
            match stretches.last_mut() {
                Some(last) if !differs(last.level, level) => {
                    last.until = until;
                    last.level = median(&speeds[last.from..until]);
                }
                _ => stretches.push(Stretch { from, until, level }),
            }
            from = until;
        }
        let noise = segments::noise(&levels).max(scatter(&speeds, &stretches));
        Some(Self { busy, clock, width_ns, speeds, stretches, shortest, noise })
    }

    /// The changes for good, in order.
    fn borders(&self) -> Vec<Border> {
        let mut borders: Vec<Border> = Vec::new();
        // The first stretch of the present stage.
        let mut first = 0;
        for at in 0..self.stretches.len().saturating_sub(1) {
            let (stage, later) = (&self.stretches[first..=at], &self.stretches[at + 1..]);
            let last = &stage[stage.len() - 1];
            let mut border = Border {
                turn: Turn::Rise,
                bucket: last.until,
                before: last.level,
                after: later[0].level,
                confidence: self.confidence(stage, later),
                recovery: None,
            };
            // A stage that begins lower than it goes on, and not for longer, begins with a trough.
            if stage.len() == 1
                && last.level < CHANGED * later[0].level
                && last.len() < later[0].len()
                && let Some(fall) = borders.last_mut().filter(|fall| fall.recovery.is_none())
            {
                fall.recovery = Some(Box::new(border));
                first = at + 1;
                continue;
            }
            if !self.outweighs_noise(stage, later) {
                continue;
            }
            border.turn = match (self.falls(stage, later), self.rises(stage, later)) {
                (true, _) => Turn::Fall,
                (_, true) => Turn::Rise,
                _ => continue,
            };
            if self.is_abrupt(&border) {
                borders.push(border);
                first = at + 1;
            }
        }
        borders
    }

    /// Whether nearly all that follows is slower than the stage and its end.
    fn falls(&self, stage: &[Stretch], later: &[Stretch]) -> bool {
        let after = level_at(later, 1.0 - COMES_BACK);
        let before = level_at(stage, 0.5);
        let end = stage[stage.len() - 1].level;
        let between = (before.max(1.0) * after.max(1.0)).sqrt();
        after < CHANGED * before
            && after < CHANGED * end
            && !comes_back(before, later)
            && self.outlasts(stage, later, |stretch| stretch.level < between)
    }

    /// Whether nearly all that follows is faster than anything in the stage, and nothing as slow comes back for about as
    /// long: a series that begins in a stall that recurs did not become faster.
    fn rises(&self, stage: &[Stretch], later: &[Stretch]) -> bool {
        let after = level_at(later, COMES_BACK);
        let before = level_at(stage, 1.0 - COMES_BACK);
        let between = (before.max(1.0) * after.max(1.0)).sqrt();
        let slow_again = later.split(|stretch| stretch.level >= between).map(buckets).max().unwrap_or(0);
        before < CHANGED * after
            && stage[stage.len() - 1].level < CHANGED * after
            && slow_again * OUTLASTS < buckets(stage)
    }

    /// Whether what follows lasts longer than earlier stretches of its kind, which went by.
    fn outlasts(
        &self,
        stage: &[Stretch],
        later: &[Stretch],
        is_of_its_kind: impl Fn(&Stretch) -> bool,
    ) -> bool {
        let earlier = stage.split(|stretch| !is_of_its_kind(stretch)).map(buckets).max().unwrap_or(0);
        buckets(later) > OUTLASTS * earlier
    }

    /// Whether most of the change happens at its place, rather than slowly over the stretches.
    fn is_abrupt(&self, border: &Border) -> bool {
        let near = |range: std::ops::Range<usize>| median(&self.speeds[range]).max(1.0).ln();
        let left = near(border.bucket.saturating_sub(self.shortest)..border.bucket);
        let right = near(border.bucket..(border.bucket + self.shortest).min(self.speeds.len()));
        (left - right).abs() > 0.6 * (border.before.max(1.0).ln() - border.after.max(1.0).ln()).abs()
    }

    /// First and last tenth, where they differ and the speed between them goes from the one to the other: a stall at an
    /// end is no drift.
    fn drift(&self) -> Option<Drift> {
        /// Least share of the whole change that lies between the middles of the first and the last third.
        const ON_THE_WAY: f64 = 0.3;
        let count = self.speeds.len();
        let tenth = (count / 10).max(1);
        let (first, last) = (median(&self.speeds[..tenth]), median(&self.speeds[count - tenth..]));
        let third = (count / 3).max(1);
        let (early, late) = (median(&self.speeds[..third]), median(&self.speeds[count - third..]));
        let change = |from: f64, to: f64| (to.max(1.0) / from.max(1.0)).ln();
        let differs = first.min(last) < CHANGED * first.max(last);
        let on_the_way = change(early, late) / change(first, last) >= ON_THE_WAY;
        (tenth >= self.shortest && differs && on_the_way)
            .then(|| Drift { first_bytes_per_s: whole(first), last_bytes_per_s: whole(last) })
    }

    /// How far what follows lies from the stage, in units of the noise.
    fn step_in_noise(&self, stage: &[Stretch], later: &[Stretch]) -> f64 {
        (level_at(stage, 0.5).max(1.0).ln() - level_at(later, 0.5).max(1.0).ln()).abs() / self.noise
    }

    /// Whether the step is one that noise does not make: the longer both sides last, the smaller it may be.
    #[expect(clippy::cast_precision_loss, reason = "there are at most some thousand buckets")]
    fn outweighs_noise(&self, stage: &[Stretch], later: &[Stretch]) -> bool {
        let lasts = buckets(stage).min(buckets(later)) as f64;
        let step = self.step_in_noise(stage, later);
        step >= LEAST_STEP && step * lasts.sqrt() >= SURE
    }

    #[expect(clippy::cast_precision_loss, reason = "there are at most some thousand buckets")]
    fn confidence(&self, stage: &[Stretch], later: &[Stretch]) -> Confidence {
        let lasts = buckets(stage).min(buckets(later)) as f64 / self.shortest as f64;
        match (self.step_in_noise(stage, later), lasts) {
            (size, lasts) if size >= CLEAR && lasts >= 3.0 => Confidence::High,
            (_, lasts) if lasts < 1.5 => Confidence::Low,
            _ => Confidence::Medium,
        }
    }

    /// Finds a border among the steps themselves.
    fn place(&self, border: &Border) -> Split {
        let count = self.busy.all().len();
        let reach = self.width_ns.saturating_mul(2 + self.shortest as u64 / 2);
        let near = border.bucket as u64 * self.width_ns;
        let step_at = |ns: u64| self.clock.partition_point(|begin| *begin < ns).min(count - 1);
        let window = step_at(near.saturating_sub(reach))..step_at(near.saturating_add(reach)).max(1);
        // 1 on the near side of the border, 0 on the far one.
        let share = |step: usize| {
            let speed = self.busy.all()[step].speed();
            ((speed - border.after) / (border.before - border.after)).clamp(0.0, 1.0)
        };
        // The split that leaves the fewest steps on the wrong side.
        let mut wrong: usize = window.clone().filter(|step| share(*step) >= 0.5).count();
        let (mut best, mut step) = (wrong, window.start);
        for index in window.clone() {
            if share(index) >= 0.5 {
                wrong -= 1
            } else {
                wrong += 1
            }
            if wrong < best {
                (best, step) = (wrong, index + 1);
            }
        }
        let step = step.clamp(1, count - 1);
        // The change lies in the one of the two steps that is less like its own side.
        let within = if 1.0 - share(step - 1) >= share(step) { step - 1 } else { step };
        Split { step, earliest: self.busy.begin(within), latest: self.busy.end_of(within) }
    }
}

/// Whether the speed comes back for longer than it was away.
fn comes_back(before: f64, later: &[Stretch]) -> bool {
    let back = later.iter().position(|stretch| stretch.level >= CHANGED * before);
    back.is_some_and(|back| later[back].len() > buckets(&later[..back]))
}

/// How far speeds scatter around the levels of their stretches, as a difference of two would: of few speeds the
/// differences alone may be small by chance.
fn scatter(speeds: &[f64], stretches: &[Stretch]) -> f64 {
    // Between two values of a normal distribution lies as a rule 1.4 times what lies between one and its middle.
    const OF_TWO: f64 = 1.4;
    let around = |stretch: &Stretch| {
        let level = stretch.level.max(1.0).ln();
        speeds[stretch.from..stretch.until].iter().map(move |speed| (speed.max(1.0).ln() - level).abs())
    };
    let all: Vec<f64> = stretches.iter().flat_map(around).collect();
    OF_TWO * median(&all)
}

fn buckets(stretches: &[Stretch]) -> usize {
    stretches.iter().map(Stretch::len).sum()
}

fn level_at(stretches: &[Stretch], share: f64) -> f64 {
    super::quantile(stretches.iter().map(|stretch| (stretch.level, stretch.len() as u64)).collect(), share)
}

fn differs(one: f64, other: f64) -> bool {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    low < 0.9 * high
}

fn median(speeds: &[f64]) -> f64 {
    let mut sorted = speeds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Speeds in buckets of `width_ns`; a rest that fills no bucket is left out.
#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
fn bucket_speeds(busy: &Steps, clock: &[u64], width_ns: u64) -> Vec<f64> {
    let total = clock.last().copied().unwrap_or(0);
    let mut speeds = Vec::new();
    let mut step = 0;
    for bucket in 0..total / width_ns {
        let (from, until) = (bucket * width_ns, (bucket + 1) * width_ns);
        let mut bytes = 0.0;
        while clock[step + 1] <= from {
            step += 1;
        }
        for index in step..busy.all().len() {
            let overlap = clock[index + 1].min(until).saturating_sub(clock[index].max(from));
            if overlap == 0 {
                break;
            }
            bytes += busy.all()[index].speed() * overlap as f64;
        }
        speeds.push(bytes / width_ns as f64);
    }
    speeds
}
