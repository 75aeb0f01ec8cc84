//! How sure one must be: coins are not promoted, rules are, and the figures are the published ones.

use crate::kit::Chance;
use crate::staging::world::{FEES, GAS, World, draft, seen};
use golem_grimoire::experts::{LEVEL, LevelShare, rate_step};
use golem_grimoire::staging::{ProposalDraft, wilson_lower, wilson_upper};

/// A whole life of the n-th hypothesis, which comes true with a given chance, in checks only.
fn promoted(chance: &mut Chance, level: f64, rate: f64, base_rate: f64) -> bool {
    let (mut bp, mut hits, mut misses, mut wealth) = (2_500_i32, 0, 0, 0.0);
    for _ in 0..120 {
        let hit = chance.unit() < rate;
        wealth += rate_step(hits, misses, base_rate, hit);
        if hit {
            (bp, hits) = ((bp + 1_000).min(9_900), hits + 1);
            if bp >= 7_000 && wealth >= -level.ln() {
                return true;
            }
        } else {
            (bp, misses) = (bp - 500, misses + 1);
            if bp < 1_000 {
                return false;
            }
        }
    }
    false
}

#[test]
fn in_one_life_of_ten_at_most_anything_untrue_is_ever_promoted_and_a_rule_nearly_always_is() {
    // Two hundred coins are proposed in a life, each is looked at after every check, and the first proof stops it.
    for base in [0.1, 0.3, 0.5, 0.7] {
        let mut chance = Chance(11);
        let wrong = (0..300)
            .filter(|_| (1..=200).any(|n| promoted(&mut chance, LevelShare::Staged.level(n), base, base)))
            .count();
        assert!(
            wrong as f64 <= 300.0 * LEVEL,
            "{wrong} of 300 lives promoted a claim no better than its base rate {base}"
        );
    }
    // The tenth thing that is proposed is one that holds.
    for (rate, base, least) in [(0.95, 0.3, 0.97), (0.9, 0.5, 0.9), (0.8, 0.3, 0.9)] {
        let mut chance = Chance(5);
        let right = (0..1_000).filter(|_| promoted(&mut chance, LevelShare::Staged.level(10), rate, base)).count()
            as f64
            / 1_000.0;
        assert!(right >= least, "a rule that holds {rate} against {base} was promoted in {right} only");
    }
}

#[test]
fn in_five_of_a_hundred_worlds_at_most_a_dream_of_a_coin_ever_comes_true() {
    // A life of dreams brings some tens from the record, and some hundreds that are made up.
    for base in [0.1, 0.3, 0.5, 0.7] {
        let mut chance = Chance(17);
        let mut wrong = 0;
        for _ in 0..400 {
            let mut any =
                |share: LevelShare, n: u64| (1..=n).any(|n| promoted(&mut chance, share.level(n), base, base));
            wrong += u32::from(any(LevelShare::Dreamt, 60) || any(LevelShare::Imagined, 300));
        }
        assert!(wrong <= 20, "in {wrong} of 400 worlds, at a base rate of {base}");
    }
}

#[test]
fn no_step_of_the_wager_gains_in_the_mean_where_there_is_nothing_to_gain() {
    for base in [0.02, 0.3, 0.5, 0.9] {
        for (hits, misses) in [(0, 0), (5, 0), (0, 5), (40, 80), (80, 40)] {
            let factor = |hit| rate_step(hits, misses, base, hit).exp();
            let mean = base * factor(true) + (1.0 - base) * factor(false);
            assert!(mean <= 1.0 + 1e-12, "{mean} at {base} after {hits}/{misses}");
            let worse = 0.5 * base;
            assert!(worse * factor(true) + (1.0 - worse) * factor(false) <= 1.0 + 1e-12);
        }
    }
}

#[test]
fn a_hundred_coins_in_a_hundred_worlds_promote_at_most_five() {
    // The same through the whole machine: conditions, due checks, steps and expiry.
    let mut made_it = 0;
    for seed in 0..100 {
        let mut chance = Chance(seed * 7_919 + 1);
        let mut world = World::new(vec![ProposalDraft { base_rate: 0.5, ..draft(GAS, FEES) }]);
        while world.staging.proposals().count() > 0 {
            let swept = world.turn(&seen(3.0, if chance.unit() < 0.5 { 3.0 } else { 1.0 }));
            made_it += swept.ripe.len();
        }
    }
    assert!(made_it <= 5, "{made_it} of 100");
}

#[test]
fn wilson_ends_are_the_published_ones() {
    // Values from the closed form, computed elsewhere: 5 of 5, 8 of 10, 0 of 10.
    for (hits, n, low, high) in [(5, 5, 0.565_508, 1.0), (8, 10, 0.490_162, 0.943_318), (0, 10, 0.0, 0.277_533)] {
        assert!((wilson_lower(hits, n) - low).abs() < 1e-5, "{hits} of {n}: {}", wilson_lower(hits, n));
        assert!((wilson_upper(hits, n) - high).abs() < 1e-5, "{hits} of {n}: {}", wilson_upper(hits, n));
    }
    assert!(wilson_lower(0, 0) <= 0.0 && wilson_upper(0, 0) >= 1.0);
}
