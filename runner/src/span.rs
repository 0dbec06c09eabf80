//! The span that cells are measured on: made, filled or left fresh, and the drive around it brought into a state.
//!
//! Knows the order of these steps and what each left behind. Does not know cells or figures.

use crate::{
    hint::{Failure, note},
    measure::{open_target, target_failure, target_failure_on},
    plan::{Place, Plan, SpanFor},
    progress::Progress,
    stop::StopFlag,
    suite::Section,
    target::{self, OpenTarget, Reserve, TargetError},
    trim,
};
use model::{
    document::{Preparation, State},
    method::{Before, DataKind, Fill},
    reading::{Absent, Reading},
    units::format_capacity,
};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Time between two looks at the stop flag in a rest.
const LOOK: Duration = Duration::from_millis(100);
/// What a filler is a multiple of, bytes.
const GRAIN: u64 = 1 << 20;

/// A span with what keeps the drive filled beside it.
pub(crate) struct Span {
    /// The target; of drives apart one on each, in their order.
    targets: Vec<OpenTarget>,
    /// Files that hold data only to take room; they go away with this.
    fillers: Vec<OpenTarget>,
    /// Bytes of a device, from its end on, that are filled beside the span.
    filled_at_end: u64,
}

/// What a span was made with.
pub(crate) struct Made {
    /// The fill; `None` when its first cell writes it.
    pub(crate) preparation: Option<Preparation>,
    /// The state of the drive then.
    pub(crate) state: State,
}

/// Why there is no span.
pub(crate) enum NoSpan {
    /// The user stopped it. What is there can still be asked what it is.
    Stopped(Box<Span>),
    /// It cannot be had.
    Failed(Failure),
}

impl From<TargetError> for NoSpan {
    fn from(error: TargetError) -> Self {
        Self::Failed(target_failure(error))
    }
}

impl Span {
    /// Opens the place, without filling anything.
    pub(crate) fn open(plan: &Plan, section: &Section) -> Result<Self, Failure> {
        let open = |place| open_target(place, section);
        let targets = plan.place.each().iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { targets, fillers: Vec::new(), filled_at_end: 0 })
    }

    /// The target, of several the first.
    pub(crate) fn target(&self) -> &OpenTarget {
        self.targets.first().expect("a place is at least one")
    }

    /// All targets.
    pub(crate) fn targets(&self) -> &[OpenTarget] {
        &self.targets
    }

    pub(crate) fn target_mut(&mut self) -> &mut OpenTarget {
        self.targets.first_mut().expect("a place is at least one")
    }

    /// Makes another span after this one; the file of this one is gone before.
    pub(crate) fn another(self, plan: &Plan, section: &Section) -> Result<Self, Failure> {
        let Self { targets: before, mut fillers, filled_at_end } = self;
        let mut targets = Vec::with_capacity(before.len());
        for (place, mut target) in plan.place.each().iter().zip(before) {
            match place {
                Place::Device(_) => {
                    target.begin_anew(section.span_bytes);
                    targets.push(target);
                }
                _ => {
                    drop(target);
                    // What is no longer asked for goes first: it may be in the way.
                    if section.before.fill.is_none() {
                        fillers.clear();
                    }
                    targets.push(open_target(place, section)?);
                }
            }
        }
        Ok(Self { targets, fillers, filled_at_end })
    }

    /// Brings the drive into the section's state, and fills the span unless its first cell does that.
    pub(crate) fn make(
        mut self,
        plan: &Plan,
        span: &SpanFor,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<(Self, Made), NoSpan> {
        let (section, writes) = match span {
            SpanFor::Filled(section) => (section, true),
            SpanFor::Unwritten(section) => (section, false),
            SpanFor::AsItIs => unreachable!("what stays as it is needs no making"),
        };
        let space = space(&plan.place);
        let mut state = State {
            used_bytes: space.map(|space| space.0.saturating_sub(self.own_bytes())),
            total_bytes: space.map(|space| space.1),
            filler_bytes: 0,
            trimmed_bytes: Reading::Absent(Absent::NotMeasured),
            rested_ns: 0,
        };
        let Before { fill, trimmed, rested_seconds } = section.before;
        if let Some(fill) = fill {
            progress.line(&format!("filling the drive until {fill} are in use"));
            match self.hold(plan, fill, &state, progress, stop) {
                Ok(bytes) => state.filler_bytes = bytes,
                Err(TargetError::Stopped) => return Err(NoSpan::Stopped(Box::new(self))),
                Err(error) => return Err(error.into()),
            }
        }
        if trimmed {
            state.trimmed_bytes = self.trim(plan, section);
        }
        if rested_seconds > 0 {
            let begin = Instant::now();
            progress.pause(rested_seconds.into());
            while begin.elapsed() < Duration::from_secs(rested_seconds.into()) {
                if stop.requested() {
                    return Err(NoSpan::Stopped(Box::new(self)));
                }
                thread::sleep(LOOK);
            }
            state.rested_ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        }
        let preparation = if writes {
            match self.fill(section, progress, stop) {
                Ok(preparation) => {
                    progress.wrote(preparation.bytes);
                    Some(preparation)
                }
                Err((TargetError::Stopped, _)) => return Err(NoSpan::Stopped(Box::new(self))),
                Err((error, drive)) => return Err(NoSpan::Failed(target_failure_on(plan, drive, error))),
            }
        } else {
            None
        };
        Ok((self, Made { preparation, state }))
    }

    /// Fills the span, of drives apart those on all of them at once. With an error, on which of them, from 0.
    fn fill(
        &mut self,
        section: &Section,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<Preparation, (TargetError, usize)> {
        progress.fill(section.span_bytes * self.targets.len() as u64);
        if let [target] = &mut self.targets[..] {
            let told = &mut |bytes| progress.filled(bytes);
            return target.fill(section.data, told, stop).map_err(|error| (error, 0));
        }
        let begin = Instant::now();
        let written: Vec<AtomicU64> = self.targets.iter().map(|_| AtomicU64::new(0)).collect();
        let all = || written.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        let filled: Vec<Result<Preparation, TargetError>> = thread::scope(|scope| {
            let start = |(target, own)| {
                let told = move |bytes| {
                    AtomicU64::store(own, bytes, Ordering::Relaxed);
                    progress.filled(all());
                };
                scope.spawn(move || OpenTarget::fill(target, section.data, &mut { told }, stop))
            };
            let fills: Vec<_> = self.targets.iter_mut().zip(&written).map(start).collect();
            fills.into_iter().map(|fill| fill.join().expect("a fill does not panic")).collect()
        });
        let mut bytes = 0;
        for (drive, one) in filled.into_iter().enumerate() {
            bytes += one.map_err(|error| (error, drive))?.bytes;
        }
        let elapsed_ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Ok(Preparation { bytes, elapsed_ns })
    }

    /// Bytes of the file system that are in use only for this run.
    fn own_bytes(&self) -> u64 {
        self.fillers.iter().chain(&self.targets).map(OpenTarget::span_bytes).sum()
    }

    /// Writes data beside the span until a share of the drive holds some. Yields the bytes written for it so far.
    fn hold(
        &mut self,
        plan: &Plan,
        fill: Fill,
        state: &State,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<u64, TargetError> {
        match &plan.place {
            Place::Device(device) => {
                let wanted = whole(fill.of(device.capacity_bytes));
                let end = whole(device.capacity_bytes);
                if wanted < self.filled_at_end {
                    // What was more than that is left to a trim.
                    self.filled_at_end = wanted;
                } else {
                    progress.fill(wanted - self.filled_at_end);
                    self.target().fill_range(
                        end - wanted..end - self.filled_at_end,
                        &mut |bytes| progress.filled(bytes),
                        stop,
                    )?;
                    progress.wrote(wanted - self.filled_at_end);
                    self.filled_at_end = wanted;
                }
                Ok(self.filled_at_end)
            }
            Place::Directory(directory) => {
                let (used, total) = (state.used_bytes.unwrap_or(0), state.total_bytes.unwrap_or(0));
                let held = |fillers: &[OpenTarget]| fillers.iter().map(OpenTarget::span_bytes).sum::<u64>();
                if used > fill.of(total) {
                    self.fillers.clear();
                    note(&format!(
                        "{} are in use already, more than {fill}: nothing is added",
                        format_capacity(used)
                    ));
                    return Ok(0);
                }
                let need = fillers(fill, used, total);
                if held(&self.fillers) > need {
                    self.fillers.clear();
                }
                let more = whole(need - held(&self.fillers));
                if more > 0 {
                    let mut filler = OpenTarget::create_reserving(directory, more, Reserve::Least)?;
                    progress.fill(more);
                    filler.fill(DataKind::Random, &mut |bytes| progress.filled(bytes), stop)?;
                    progress.wrote(more);
                    self.fillers.push(filler);
                }
                Ok(held(&self.fillers))
            }
            Place::Simulated(_) => unreachable!("a simulated drive has no span of its own"),
            Place::Apart(_) => unreachable!("drives apart are measured as they are found"),
        }
    }

    fn trim(&self, plan: &Plan, section: &Section) -> Reading<u64> {
        let trimmed = match &plan.place {
            Place::Directory(directory) => trim::file_system(directory),
            Place::Device(_) => self.target().discard(section.span_bytes),
            Place::Simulated(_) => unreachable!("a simulated drive has no span of its own"),
            Place::Apart(_) => unreachable!("drives apart are measured as they are found"),
        };
        match trimmed {
            Ok(bytes) => Reading::Known(bytes),
            Err(error) => {
                note(&format!("unused blocks could not be handed back to the drive: {error}"));
                Reading::Absent(match error.kind() {
                    std::io::ErrorKind::PermissionDenied => Absent::NotPermitted,
                    _ => Absent::NotSupported,
                })
            }
        }
    }
}

/// Bytes of the files that bring the file system of a directory to a fill, as it is now; 0 when it cannot be asked.
pub(crate) fn fillers_beside(directory: &Path, fill: Option<Fill>) -> u64 {
    let space = fill.and_then(|fill| Some((fill, target::space(directory)?)));
    space.map_or(0, |(fill, (used, total))| fillers(fill, used, total))
}

/// The same for one of whose `total` bytes others use so many.
fn fillers(fill: Fill, used: u64, total: u64) -> u64 {
    whole(fill.of(total).saturating_sub(used))
}

/// So many bytes in whole grains.
fn whole(bytes: u64) -> u64 {
    bytes / GRAIN * GRAIN
}

/// Bytes in use on the file system of a place, of several on all of theirs, and those that can be in use; `None` for
/// devices, and when one cannot be asked.
fn space(place: &Place) -> Option<(u64, u64)> {
    let each = place.each().iter().map(|place| match place {
        Place::Directory(directory) => target::space(directory),
        _ => None,
    });
    each.reduce(|sum, one| Some((sum?.0 + one?.0, sum?.1 + one?.1)))?
}
