//! Series of the kinds that people have, and what must be found in them.

use super::{Step, Steps, cycles, findings, heat, heat::Known, minutes, stages, words, words::Moved};
use model::{
    finding::{Confidence, PointKind, Stages, ThrottleStyle, Throttled, Turn},
    units::NS_PER_S,
};
use proptest::{prelude::*, test_runner::RngSeed};

const GB: u64 = 1_000_000_000;

/// One step a second, in MB/s.
fn seconds(speeds: impl IntoIterator<Item = f64>) -> Steps {
    Steps::new(speeds.into_iter().map(|mb_per_s| step(NS_PER_S, mb_per_s, None)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "test figures"
)]
fn step(elapsed_ns: u64, mb_per_s: f64, temperature: Option<i64>) -> Step {
    Step { elapsed_ns, bytes: (mb_per_s * 1e6 * elapsed_ns as f64 / 1e9) as u64, temperature, power: None }
}

fn flat(mb_per_s: f64, count: usize) -> Vec<f64> {
    vec![mb_per_s; count]
}

/// The same with a ripple of some percent.
fn rippled(mb_per_s: f64, count: usize) -> Vec<f64> {
    (0..count).map(|index| mb_per_s * [1.0, 0.97, 1.03, 0.99, 1.02][index % 5]).collect()
}

fn found(speeds: Vec<f64>) -> Stages {
    stages::find(&seconds(speeds)).unwrap()
}

fn is_one_stage(speeds: Vec<f64>) {
    let found = found(speeds);
    assert!(found.changes.is_empty(), "{found:#?}");
}

#[test]
fn a_cliff_with_a_trough_is_one_change() {
    let speeds = [rippled(5_000.0, 15), rippled(850.0, 19), rippled(1_800.0, 70)].concat();
    let all = findings(&seconds(speeds), Known::default());
    let found = all.stages.unwrap();
    let [change] = found.changes.as_slice() else { panic!("{found:#?}") };
    assert_eq!((change.turn, change.confidence), (Turn::Fall, Confidence::High));
    assert!(
        change.earliest.bytes <= 75_100 * 1_000_000 && change.latest.bytes >= 74_900 * 1_000_000,
        "{change:?}"
    );
    assert_eq!(change.latest.at_ns - change.earliest.at_ns, NS_PER_S);
    let after = &found.stages[1];
    let trough = after.trough.unwrap();
    assert_eq!(trough.until.at_ns, 34 * NS_PER_S);
    assert!(trough.bytes_per_s.abs_diff(850_000_000) < 30_000_000);
    assert!(after.typical_bytes_per_s.abs_diff(1_800_000_000) < 30_000_000);
    let kinds: Vec<PointKind> = all.points.iter().map(|point| point.kind).collect();
    assert_eq!(kinds, [PointKind::Fall, PointKind::Recovery]);
    assert!(all.points.iter().map(|point| point.ordinal).eq(1..=2));
}

#[test]
fn three_levels_are_two_changes() {
    let found = found([rippled(5_000.0, 30), rippled(1_800.0, 60), rippled(600.0, 60)].concat());
    let ends: Vec<u64> = found.changes.iter().map(|change| change.latest.at_ns / NS_PER_S).collect();
    assert_eq!(found.stages.len(), 3, "{found:#?}");
    assert!(ends[0].abs_diff(30) <= 1 && ends[1].abs_diff(90) <= 1, "{ends:?}");
}

#[test]
fn a_short_fast_stage_of_a_long_series_is_found() {
    let found = found([rippled(6_800.0, 16), rippled(1_095.0, 3_584)].concat());
    assert_eq!(found.changes.len(), 1);
    assert!(found.changes[0].latest.at_ns.abs_diff(16 * NS_PER_S) <= NS_PER_S);
}

#[test]
fn a_short_fast_stage_survives_a_slow_moment() {
    // What is left of the fast stage after the moment is less than a tenth of all that follows.
    let found =
        found([rippled(5_000.0, 33), flat(900.0, 4), rippled(5_000.0, 20), rippled(3_000.0, 280)].concat());
    assert_eq!(found.changes.len(), 1, "{found:#?}");
    assert!(found.changes[0].latest.at_ns.abs_diff(57 * NS_PER_S) <= NS_PER_S);
}

#[test]
fn what_comes_back_is_no_change() {
    let mut slow_second = rippled(1_800.0, 100);
    slow_second[45] = 200.0;
    slow_second[77] = 700.0;
    is_one_stage(slow_second);
    // Every stall comes back, the last one too, though the series ends before it does.
    is_one_stage([rippled(500.0, 12), rippled(60.0, 4)].concat().repeat(8));
    let saw: Vec<f64> = (0..20).map(|index| 2_000.0 - 70.0 * f64::from(index)).collect();
    is_one_stage(saw.repeat(6));
    is_one_stage([rippled(500.0, 37), rippled(90.0, 4), rippled(500.0, 60)].concat());
}

#[test]
fn a_slow_decline_has_no_place() {
    let decline: Vec<f64> = (0..300).map(|index| 250.0 - 0.4 * f64::from(index)).collect();
    is_one_stage(decline.clone());
    let drift = found(decline).drift.unwrap();
    assert!(drift.first_bytes_per_s > 240_000_000 && drift.last_bytes_per_s < 140_000_000, "{drift:?}");
    assert_eq!(found(rippled(500.0, 100)).drift, None);
}

#[test]
fn a_last_step_that_was_cut_off_does_not_count() {
    let mut steps: Vec<Step> = flat(500.0, 30).into_iter().map(|speed| step(NS_PER_S, speed, None)).collect();
    steps.push(step(NS_PER_S / 10, 1.0, None));
    let series = Steps::new(steps);
    assert_eq!(series.all().len(), 30);
    assert!(stages::find(&series).unwrap().changes.is_empty());
}

#[test]
fn pauses_are_left_out_and_places_stay() {
    let burst = rippled(2_000.0, 20);
    let speeds = [
        burst.clone(),
        flat(0.0, 10),
        burst.clone(),
        flat(0.0, 10),
        burst,
        rippled(400.0, 40),
        flat(0.0, 30),
    ];
    let found = found(speeds.concat());
    let [change] = found.changes.as_slice() else { panic!("{found:#?}") };
    assert!(change.latest.at_ns.abs_diff(80 * NS_PER_S) <= NS_PER_S, "{change:?}");
    assert!(change.latest.bytes.abs_diff(120 * GB) < 3 * GB);
}

#[test]
fn a_loop_has_stalls_and_no_pauses() {
    // Eight blocks come back together every two seconds, in steps of a tenth of one.
    let slow = (0..600).map(|index| if index % 20 == 0 { 80.0 } else { 0.0 });
    let speeds = std::iter::repeat_n(60.0, 300).chain(slow);
    let series = Steps::of_loop(speeds.map(|speed| step(NS_PER_S / 10, speed, None)));
    let found = stages::find(&series).unwrap();
    let [change] = found.changes.as_slice() else { panic!("{found:#?}") };
    assert!(change.latest.at_ns.abs_diff(30 * NS_PER_S) <= 4 * NS_PER_S, "{change:?}");
    let [fast, slow] = found.stages.as_slice() else { panic!("{found:#?}") };
    let near = |rate: u64, mb: u64| rate.abs_diff(mb * 1_000_000) <= mb * 300_000;
    assert!(near(fast.typical_bytes_per_s, 60) && near(slow.typical_bytes_per_s, 4), "{found:#?}");
}

#[test]
fn nothing_moved_has_no_stages() {
    assert_eq!(stages::find(&seconds([])), None);
    assert_eq!(stages::find(&seconds(flat(0.0, 20))), None);
    assert!(stages::find(&seconds(flat(10.0, 1))).unwrap().changes.is_empty());
}

#[test]
fn a_rise_for_good_is_a_change() {
    let found = found([rippled(200.0, 20), rippled(500.0, 60)].concat());
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.changes[0].turn, Turn::Rise);
}

#[test]
fn a_stall_that_recurs_is_no_change_wherever_in_it_the_series_begins() {
    for (period, stall, count, into) in [
        (40, 5, 120, 0),
        (50, 12, 130, 0),
        (50, 5, 300, 2),
        (90, 8, 240, 4),
        (60, 20, 180, 10),
        (90, 20, 120, 0),
    ] {
        let speed = |second: usize| if (second + into) % period < stall { 300.0 } else { 3_000.0 };
        let wave = rippled(1.0, count).into_iter().enumerate().map(|(second, one)| one * speed(second));
        let found = found(wave.collect());
        assert!(
            found.changes.is_empty() && found.drift.is_none(),
            "{period} {stall} {count} {into}: {found:#?}"
        );
    }
    // A single short stall later does not undo a rise.
    let rise = [rippled(300.0, 30), rippled(3_000.0, 60), rippled(300.0, 4), rippled(3_000.0, 60)].concat();
    assert_eq!(found(rise).changes.iter().map(|change| change.turn).collect::<Vec<_>>(), [Turn::Rise]);
}

#[test]
fn a_rhythm_has_period_and_depth() {
    let speeds = [rippled(3_000.0, 14), rippled(400.0, 6)].concat().repeat(6);
    let series = seconds(speeds);
    let cycle = cycles::find(&series, 0..series.all().len()).unwrap();
    assert_eq!((cycle.count, cycle.period_ns), (6, 20 * NS_PER_S));
    assert!((cycle.depth() - 13.0 / 15.0).abs() < 0.02);
    for dull in [rippled(1_000.0, 100), [flat(900.0, 50), flat(100.0, 50)].concat()] {
        let series = seconds(dull);
        assert_eq!(cycles::find(&series, 0..series.all().len()), None);
    }
}

#[test]
fn the_last_minute_against_the_first() {
    let speeds = [flat(1_000.0, 60), flat(200.0, 60), flat(600.0, 120)].concat();
    let found = minutes::find(&seconds(speeds)).unwrap();
    assert_eq!(
        (found.first_bytes_per_s, found.last_bytes_per_s, found.worst_bytes_per_s),
        (1_000_000_000, 600_000_000, 200_000_000)
    );
    assert_eq!(found.worst.at_ns, 60 * NS_PER_S);
    assert_eq!(minutes::find(&seconds(flat(1.0, 119))), None);
}

fn with_heat(parts: &[(f64, i64, usize)]) -> Steps {
    let steps = parts.iter().flat_map(|(speed, degrees, count)| {
        (0..*count).map(|_| step(NS_PER_S, *speed, Some(degrees * 1_000))).collect::<Vec<_>>()
    });
    Steps::new(steps)
}

#[test]
fn heat_is_blamed_only_as_far_as_the_data_show() {
    let verdict = |series: &Steps, known| {
        heat::throttling(series, &stages::find(series).unwrap(), known)
            .map(|found| (found.verdict, found.style))
    };
    let unknown = Known::default();
    let cool = with_heat(&[(3_000.0, 40, 30), (900.0, 57, 60)]);
    assert_eq!(verdict(&cool, unknown), Some((Throttled::NotShown, Some(ThrottleStyle::SustainedLimit))));
    let hot = with_heat(&[(3_000.0, 50, 30), (1_500.0, 76, 60)]);
    assert_eq!(verdict(&hot, unknown), Some((Throttled::Possible, Some(ThrottleStyle::SustainedLimit))));
    let counted = Known { counted: Some(true), ..Known::default() };
    assert_eq!(verdict(&hot, counted), Some((Throttled::Proven, Some(ThrottleStyle::SustainedLimit))));
    let robust = Known { warning: Some(90_000), ..Known::default() };
    assert_eq!(verdict(&hot, robust), Some((Throttled::NotShown, Some(ThrottleStyle::SustainedLimit))));
    let go = [(3_000.0, 82, 14), (400.0, 74, 6)].repeat(6);
    assert_eq!(
        verdict(&with_heat(&go), unknown),
        Some((Throttled::Possible, Some(ThrottleStyle::StopAndGo)))
    );
    assert_eq!(verdict(&with_heat(&[(500.0, 83, 60)]), unknown), Some((Throttled::NothingLost, None)));
    assert_eq!(verdict(&seconds(flat(500.0, 60)), unknown), None);
}

#[test]
fn an_even_speed_is_cleared_of_heat_only_where_no_limit_may_have_held_all_along() {
    let told = |degrees, known| {
        let found = findings(&with_heat(&[(500.0, degrees, 60)]), known);
        words::of_throttling(&found.throttling.unwrap())
    };
    let after = Known { lost_before: Some(65_900), ..Known::default() };
    assert_eq!(told(57, Known::default()), "No throttling shown: no speed was lost at 57.0 °C and below.");
    let hot = told(83, Known::default());
    assert!(hot.starts_with("Throttling cannot be told: the speed held, but it was hot from the"), "{hot}");
    let later = told(57, after);
    assert!(later.contains("the load just before had lost speed at 65.9 °C"), "{later}");
}

#[test]
fn a_temperature_settles_or_does_not() {
    let warming: Vec<(f64, i64, usize)> = (30..60).map(|degrees| (500.0, degrees, 2)).collect();
    let rising = heat::find(&with_heat(&warming)).unwrap();
    assert_eq!((rising.start, rising.peak, rising.plateau), (30_000, 59_000, None));
    let settled = heat::find(&with_heat(&[warming, vec![(500.0, 60, 60)]].concat())).unwrap();
    assert_eq!((settled.plateau, settled.peak_at.at_ns), (Some(60_000), 59 * NS_PER_S));
}

#[test]
fn sentences_say_what_was_found() {
    let found = found([flat(5_000.0, 15), flat(850.0, 19), flat(1_800.0, 70)].concat());
    assert_eq!(
        words::of_stages(&found, Moved::Written, &[]),
        [
            "Fast writing ended after 70.0 to 75.0 GB (14.0 s to 15.0 s): from 5,000.0 MB/s to 1,800.0 MB/s, after a trough \
          of 850.0 MB/s until 91.2 GB; the mean from the change to the end is 1,597.2 MB/s."
        ]
    );
    let one = super::stages::find(&seconds(flat(500.0, 60))).unwrap();
    assert_eq!(
        words::of_stages(&one, Moved::Unknown, &[]),
        ["No change for good within 30.0 GB and 60.0 s: 500.0 MB/s as a median, 500.0 MB/s as a mean."]
    );
}

proptest! {
    // What noise can look like has no end: the same series every time, or one day one of them looks like a cliff.
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// A cliff is found where it is, whatever its size and the noise.
    #[test]
    fn a_cliff_is_found_within_a_sample(
        fast in 15_usize..120,
        slow in 30_usize..200,
        speed in 400.0..7_000.0_f64,
        share in 0.1..0.6_f64,
        noise in prop::collection::vec(-0.06..0.06_f64, 320),
    ) {
        let levels = [flat(speed, fast), flat(speed * share, slow)].concat();
        let speeds: Vec<f64> = levels.iter().zip(noise).map(|(level, noise)| level * (1.0 + noise)).collect();
        let found = found(speeds);
        prop_assert_eq!(found.changes.len(), 1, "{:?}", found);
        let ends = found.changes[0].latest.at_ns / NS_PER_S;
        prop_assert!(ends.abs_diff(fast as u64) <= 1, "{} instead of {}", ends, fast);
        prop_assert!(found.changes[0].earliest <= found.changes[0].latest);
    }

    /// Noise alone is no change, and stages always cover the series.
    #[test]
    fn noise_is_no_change(noise in prop::collection::vec(-0.2..0.2_f64, 20..300)) {
        let found = found(noise.iter().map(|noise| 1_000.0 * (1.0 + noise)).collect());
        prop_assert!(found.changes.is_empty(), "{:?}", found);
    }

    /// Levels that last only just long enough lie close to each other, and their places must not cross.
    #[test]
    fn short_levels_have_stages_in_order(levels in prop::collection::vec((1.0..8_000.0_f64, 1_usize..9), 1..40)) {
        let found = found(levels.iter().flat_map(|(level, count)| flat(*level, *count)).collect());
        prop_assert_eq!(found.stages.len(), found.changes.len() + 1);
        for pair in found.stages.windows(2) {
            prop_assert!(pair[0].from < pair[0].until && pair[0].until <= pair[1].from, "{:?}", found);
        }
    }

    #[test]
    fn anything_has_stages_in_order(speeds in prop::collection::vec(0.0..5_000.0_f64, 1..400)) {
        if let Some(found) = stages::find(&seconds(speeds)) {
            prop_assert_eq!(found.stages.len(), found.changes.len() + 1);
            for pair in found.stages.windows(2) {
                prop_assert!(pair[0].until <= pair[1].from);
            }
        }
    }
}
