//! The synthetic market is one world: the same for every instance, every way of asking, and after a save.

use golem_core::door::World;
use golem_core::{Elapsed, RawObservation, Timestamp, VirtualTime};
use golem_lab::world::{Synthetic, SyntheticConfig};
use proptest::prelude::*;
use std::fmt::Write;

fn world(seed: u64) -> Synthetic {
    Synthetic::new(SyntheticConfig::default(), seed).expect("the default is sound")
}

fn age(tick: u64) -> VirtualTime {
    VirtualTime(Elapsed::nominal(tick).0)
}

fn see(world: &mut Synthetic, tick: u64) -> RawObservation {
    world.observe(age(tick)).expect("it never ends")
}

/// All numbers as bits: equal means equal, not close.
fn bits(seen: &RawObservation) -> [u64; 4] {
    [seen.price, seen.gas_gwei, seen.fee_yield, seen.volume].map(|x| x.expect("this world has all fields").to_bits())
}

#[test]
fn two_instances_agree_and_two_seeds_do_not() {
    let (mut a, mut b, mut other) = (world(7), world(7), world(8));
    for tick in 0..5_000 {
        let seen = see(&mut a, tick);
        assert_eq!(bits(&seen), bits(&see(&mut b, tick)), "tick {tick}");
        assert!(tick == 0 || bits(&seen) != bits(&see(&mut other, tick)), "tick {tick}");
    }
}

#[test]
fn the_same_tick_asked_again_has_the_same_answer() {
    let mut world = world(1);
    for tick in [0, 1, 2, 50, 51, 1_000] {
        let first = see(&mut world, tick);
        assert_eq!(first, see(&mut world, tick));
        // Any moment within the nominal tick is that tick.
        assert_eq!(Some(first), world.observe(VirtualTime(age(tick).0 + 39_999)));
    }
}

#[test]
fn a_golem_born_later_lives_in_the_same_world() {
    let mut old = world(5);
    for tick in 0..=3_000 {
        see(&mut old, tick);
    }
    let mut young = Synthetic::born_at(SyntheticConfig::default(), 5, 3_000).expect("sound");
    assert_eq!(young.epoch(), old.epoch().after(Elapsed::nominal(3_000)));
    for tick in 0..100 {
        assert_eq!(bits(&see(&mut young, tick)), bits(&see(&mut old, 3_000 + tick)));
    }
}

#[test]
fn a_save_fits_its_own_world_only() {
    let saved = world(1).save();
    assert!(world(1).restore(&saved).is_ok());
    assert!(world(2).restore(&saved).is_err_and(|why| why.contains("another world")));
    let tuned = SyntheticConfig { drift: 0.0, ..SyntheticConfig::default() };
    assert!(Synthetic::new(tuned, 1).expect("sound").restore(&saved).is_err());
    assert!(world(1).restore(&saved[..saved.len() - 1]).is_err());
    assert!(world(1).restore(&[saved.as_slice(), &[0]].concat()).is_err());
    assert!(saved.len() < 400, "{} bytes", saved.len());
}

#[test]
fn a_bad_configuration_is_refused_with_every_reason() {
    let bad = SyntheticConfig { volatility: 0.0, epoch: Timestamp(i64::MAX), ..SyntheticConfig::default() };
    let keys: Vec<_> = Synthetic::new(bad, 1).err().into_iter().flatten().map(|(key, _)| key).collect();
    assert_eq!(keys, ["volatility", "epoch"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_goes_on_after_a_restore_as_if_nothing_had_been(seed: u64, at in 0u64..3_000, on in 1u64..500) {
        let mut whole = world(seed);
        for tick in 0..=at { see(&mut whole, tick); }
        let mut fresh = world(seed);
        prop_assert!(fresh.restore(&whole.save()).is_ok());
        prop_assert_eq!(bits(&see(&mut fresh, at)), bits(&see(&mut whole, at)));
        for tick in at + 1..=at + on {
            prop_assert_eq!(bits(&see(&mut fresh, tick)), bits(&see(&mut whole, tick)));
        }
    }

    #[test]
    fn skipping_lands_where_stepping_does(seed: u64, jumps in prop::collection::vec(1u64..200, 1..20)) {
        let (mut stepper, mut skipper) = (world(seed), world(seed));
        let mut tick = 0;
        see(&mut stepper, 0);
        for jump in jumps {
            let mut volume = 0.0;
            let mut stepped = see(&mut stepper, tick);
            for _ in 0..jump {
                tick += 1;
                stepped = see(&mut stepper, tick);
                volume += stepped.volume.unwrap_or(f64::NAN);
            }
            let skipped = see(&mut skipper, tick);
            prop_assert_eq!(&bits(&stepped)[..3], &bits(&skipped)[..3]);
            prop_assert_eq!(stepped.protocol, skipped.protocol);
            // Volume is what was traded since the last look, so whoever skips sees the sum.
            let sum = skipped.volume.unwrap_or(f64::NAN);
            prop_assert!((sum - volume).abs() <= 1e-9 * volume, "{} and {}", sum, volume);
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_harmless(at: prop::sample::Index, bit in 0u8..8) {
        let mut saved = world(3).save();
        let at = at.index(saved.len());
        saved[at] ^= 1 << bit;
        let mut world = world(3);
        if world.restore(&saved).is_ok() {
            // A flipped bit in a number can be a number that could have been; it must still be one to live with.
            prop_assert_eq!(see(&mut world, 0).admit().rejected, 0);
        }
    }

    #[test]
    fn any_sound_configuration_stays_finite_and_positive(
        seed: u64, volatility in 0.05..5.0f64, drift in 0.0..50.0f64, predictability in 0.0..1.5f64,
        shock in 0.0..0.1f64, memory in 0.9..0.9999f64, jumps in 0.0..50.0f64, size in 0.0..0.05f64, tail in 2.1..10.0f64,
    ) {
        let config = SyntheticConfig {
            volatility, drift, predictability, garch_shock: shock, garch_memory: memory, jumps_per_day: jumps,
            jump_size: size, jump_tail: tail, ..SyntheticConfig::default()
        };
        let mut world = Synthetic::new(config, seed).map_err(|e| TestCaseError::fail(format!("{e:?}")))?;
        for tick in (0..20_000).step_by(50) {
            let seen = see(&mut world, tick).admit();
            prop_assert_eq!(seen.rejected, 0);
            prop_assert!(seen.price.is_some() && seen.volume.is_some());
        }
    }
}

/// If this fails and you did not mean to change the process, you changed it. If you did: every synthetic life replays
/// differently now, so also change the name of the process beside `Synthetic`.
#[test]
fn the_process_has_not_changed() {
    let mut text = String::new();
    for seed in [1, 2] {
        let mut world = world(seed);
        for tick in [0, 1, 10, 1_000, 50_000, 100_000] {
            let o = see(&mut world, tick);
            let [price, gas, fee] = [o.price, o.gas_gwei, o.fee_yield].map(Option::unwrap_or_default);
            let weather = world.weather();
            writeln!(
                text,
                "{seed} {tick} {price:.9e} {gas:.9e} {fee:.9e} {weather:?} {:?}",
                o.protocol.unwrap_or_default()
            )
            .expect("strings take everything");
        }
    }
    assert_eq!(text, KNOWN, "got:\n{text}");
}

const KNOWN: &str = "\
1 0 3.000000000e3 5.000000000e-2 4.468877371e-4 Calm Normal
1 1 3.000595610e3 5.103269103e-2 4.400759127e-4 Calm Normal
1 10 3.003124733e3 6.612489495e-2 4.286782000e-4 Calm Normal
1 1000 3.029084590e3 2.114272889e-2 1.042870018e-4 Rising Normal
1 50000 4.996720810e3 1.640486738e-2 2.826665812e-4 Rising Normal
1 100000 8.187860226e3 2.954638849e-2 3.385302515e-4 Rising Normal
2 0 3.000000000e3 5.000000000e-2 5.775863399e-4 Rising Normal
2 1 2.997272286e3 5.025471714e-2 5.788588193e-4 Rising Normal
2 10 2.992046093e3 5.085151097e-2 5.147795484e-4 Rising Normal
2 1000 3.042299150e3 8.992147383e-2 5.902488728e-4 Rising Normal
2 50000 3.999506782e3 2.813165027e-2 1.108524781e-4 Falling Normal
2 100000 3.143865197e3 3.294924554e-2 2.914302299e-4 Falling Normal
";
