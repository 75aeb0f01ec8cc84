//! Recorded history shows nothing ahead of time, adds no skill of its own, and goes on after a save.

use crate::world_help;

use golem_core::door::World;
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld};
use proptest::prelude::*;
use world_help::{Bar, file, random_walk, see, text, world};

const MODES: [CsvMode; 2] = [CsvMode::PerBar, CsvMode::Bridge { seed: 9 }];

/// Everything seen every 40 s from birth up to an age.
fn seen_until(world: &mut CsvWorld, age_s: u64) -> String {
    (0..=age_s).step_by(40).map(|age| format!("{age} {:?}\n", see(world, age))).collect()
}

#[test]
fn what_comes_later_changes_nothing_before() {
    let bars = random_walk(1, 40, 3_600);
    for mode in MODES {
        for cut in [2, 7, 30] {
            // Everything from the cut on is another world: other prices, other ranges, other volumes.
            let mut other = bars.clone();
            for bar in &mut other[cut..] {
                bar.cells = bar.cells.map(|x| x * 3.0);
            }
            let now = bars[cut].time - (bars[0].time + 3_600);
            // Per bar, the changed bar shows at its close; filled in, it is played from its opening.
            let last = if mode == CsvMode::PerBar { now + 3_599 } else { now - 1 } as u64;
            let (mut a, mut b) = (world(&bars, mode), world(&other, mode));
            assert_eq!(seen_until(&mut a, last), seen_until(&mut b, last), "{mode:?}, cut {cut}");
            assert_ne!(see(&mut a, last + 40), see(&mut b, last + 40), "the change must show at last");
        }
    }
}

#[test]
fn the_future_may_even_be_missing() {
    let bars = random_walk(2, 40, 3_600);
    for mode in MODES {
        let (mut whole, mut part) = (world(&bars, mode), world(&bars[..20], mode));
        let end = part.ends_at().expect("it ends").0 / 1_000;
        assert_eq!(seen_until(&mut whole, end - 1), seen_until(&mut part, end - 1));
    }
}

#[test]
fn a_filled_bar_touches_open_high_low_and_close_in_its_own_time() {
    for bar_s in [160, 900, 3_600, 86_400] {
        let bars = random_walk(3, 12, bar_s);
        let mut world = world(&bars, CsvMode::Bridge { seed: 4 });
        assert_eq!(world.natural_interval_s(), None);
        for Bar { time, cells: [open, high, low, close, volume] } in &bars[1..] {
            let born = bars[0].time + bar_s;
            let ages = (*time..time + bar_s).filter(|t| (t - born) % 40 == 0).map(|t| (t - born) as u64);
            let seen: Vec<_> = ages.map(|age| see(&mut world, age).expect("within history")).collect();
            let prices: Vec<f64> = seen.iter().map(|o| o.price.expect("a price")).collect();
            let bits = |x: Option<f64>| x.map(f64::to_bits);
            assert_eq!(bits(prices.first().copied()), Some(open.to_bits()));
            assert_eq!(bits(prices.last().copied()), Some(close.to_bits()));
            assert_eq!(bits(prices.iter().copied().reduce(f64::max)), Some(high.to_bits()));
            assert_eq!(bits(prices.iter().copied().reduce(f64::min)), Some(low.to_bits()));
            let traded: f64 = seen.iter().map(|o| o.volume.expect("a volume")).sum();
            assert!((traded - volume * close).abs() < 1e-6 * traded, "{traded} of {}", volume * close);
        }
    }
}

fn autocorrelation(returns: &[f64], lag: usize) -> f64 {
    let both: f64 = returns.iter().zip(&returns[lag..]).map(|(a, b)| a * b).sum();
    both / returns.iter().map(|r| r * r).sum::<f64>()
}

#[test]
fn filling_in_makes_no_skill_out_of_nothing() {
    let bars = random_walk(5, 2_000, 3_600);
    let mut world = world(&bars, CsvMode::Bridge { seed: 6 });
    let prices: Vec<f64> = (0..1_999 * 90).filter_map(|n| see(&mut world, n * 40)?.price).collect();
    let returns: Vec<f64> = prices.windows(2).map(|w| libm::log(w[1] / w[0])).collect();
    for lag in [1, 2, 5, 20] {
        let found = autocorrelation(&returns, lag);
        assert!(found.abs() < 0.02, "lag {lag}: {found}");
    }
    // The same over longer steps, where a straight line would show most.
    for step in [5, 10, 30] {
        let long: Vec<f64> = prices.iter().step_by(step).copied().collect();
        let long: Vec<f64> = long.windows(2).map(|w| libm::log(w[1] / w[0])).collect();
        let found = autocorrelation(&long, 1);
        assert!(found.abs() < 0.05, "steps of {step}: {found}");
    }
}

#[test]
fn a_save_fits_its_own_file_mode_and_window_only() {
    let bars = random_walk(7, 10, 3_600);
    let saved = world(&bars, CsvMode::PerBar).save();
    assert!(saved.len() < 64, "{} bytes", saved.len());
    assert!(world(&bars, CsvMode::PerBar).restore(&saved).is_ok());
    let refused = |mut other: CsvWorld| other.restore(&saved).is_err_and(|why| why.contains("another world"));
    assert!(refused(world(&bars[..9], CsvMode::PerBar)));
    assert!(refused(world(&bars, CsvMode::Bridge { seed: 1 })));
    let (_dir, path) = file(&text(&bars));
    let window = CsvOptions { from: Some(golem_core::Timestamp(bars[1].time)), ..CsvOptions::default() };
    assert!(refused(CsvWorld::open(path, &window).expect("sound")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_goes_on_after_a_restore_as_if_nothing_had_been(
        seed: u64, steps in prop::collection::vec(1u64..9_000, 1..30), stop: prop::sample::Index, per_bar: bool,
    ) {
        let mode = if per_bar { CsvMode::PerBar } else { CsvMode::Bridge { seed } };
        let bars = random_walk(seed, 30, 3_600);
        let (mut whole, mut age) = (world(&bars, mode), 0);
        let stop = stop.index(steps.len());
        for step in &steps[..stop] { age += step; see(&mut whole, age); }
        let mut fresh = world(&bars, mode);
        prop_assert_eq!(fresh.restore(&whole.save()), Ok(()));
        for step in &steps[stop..] {
            age += step;
            prop_assert_eq!(see(&mut fresh, age), see(&mut whole, age));
        }
    }

    #[test]
    fn skipping_lands_where_stepping_does(
        seed: u64, jumps in prop::collection::vec(1u64..200, 1..12), per_bar: bool,
    ) {
        let mode = if per_bar { CsvMode::PerBar } else { CsvMode::Bridge { seed } };
        let bars = random_walk(seed, 30, 3_600);
        let (mut stepper, mut skipper) = (world(&bars, mode), world(&bars, mode));
        let mut tick = 0;
        for jump in jumps {
            let (mut volume, mut last) = (0.0, None);
            for _ in 0..jump {
                tick += 1;
                last = see(&mut stepper, tick * 40);
                volume += last.and_then(|seen| seen.volume).unwrap_or(0.0);
            }
            let skipped = see(&mut skipper, tick * 40);
            prop_assert_eq!(last.map(|seen| seen.price), skipped.map(|seen| seen.price));
            if let Some(sum) = skipped.and_then(|seen| seen.volume) {
                prop_assert!((sum - volume).abs() <= 1e-9 * (1.0 + volume), "{} and {}", sum, volume);
            }
        }
    }

    #[test]
    fn any_text_is_a_world_or_an_error(rows in "[0-9,.\n-]{0,200}", noise: Vec<u8>, seed: u64) {
        let (_dir, path) = file(&format!("{}\n{rows}", world_help::HEADER));
        let options = CsvOptions { mode: CsvMode::Bridge { seed }, ..CsvOptions::default() };
        for _ in 0..2 {
            for options in [&options, &CsvOptions::default()] {
                if let Ok(mut world) = CsvWorld::open(&path, options) {
                    let mut saved = world.save();
                    saved.extend(&noise);
                    prop_assert_eq!(world.restore(&saved).is_ok(), noise.is_empty());
                    see(&mut world, 1);
                }
            }
            std::fs::write(&path, &noise)?;
        }
    }
}
