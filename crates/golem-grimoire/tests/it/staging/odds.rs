//! How sure one must be: coins are not promoted, rules are, and the figures are the published ones.

use crate::kit::Chance;
use crate::staging::world::{FEES, GAS, World, draft, seen};
use golem_grimoire::staging::{ProposalDraft, is_convincing, odds, wilson_lower, wilson_upper};

/// A whole life of a hypothesis that comes true with a given chance, in checks only.
fn promoted(chance: &mut Chance, rate: f64, base_rate: f64) -> bool {
    let (mut bp, mut hits, mut misses) = (2_500_i32, 0, 0);
    for _ in 0..120 {
        if chance.unit() < rate {
            (bp, hits) = ((bp + 1_000).min(9_900), hits + 1);
            if bp >= 7_000 && is_convincing(hits, misses, base_rate) {
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
fn a_coin_is_promoted_in_at_most_five_of_a_hundred_and_a_rule_nearly_always() {
    let share = |rate: f64, base: f64| {
        let mut chance = Chance(11);
        (0..4_000).filter(|_| promoted(&mut chance, rate, base)).count() as f64 / 4_000.0
    };
    for base in [0.1, 0.2, 0.3, 0.5, 0.7, 0.9] {
        let coin = share(base, base);
        assert!(coin <= 0.04, "a claim that is no better than its base rate of {base} was promoted in {coin}");
    }
    for (rate, base, least) in [(0.95, 0.3, 0.97), (0.9, 0.5, 0.95), (0.8, 0.4, 0.9)] {
        let rule = share(rate, base);
        assert!(rule >= least, "a rule that holds {rate} against {base} was promoted in {rule} only");
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
fn the_odds_agree_with_a_plain_integral() {
    for (hits, misses, base) in [(5, 0, 0.5), (7, 0, 0.5), (12, 4, 0.3), (60, 50, 0.5), (3, 9, 0.9)] {
        let steps = 200_000;
        let width = (1.0 - base) / f64::from(steps);
        let under: f64 = (0..steps)
            .map(|i| {
                let p = base + (f64::from(i) + 0.5) * width;
                (f64::from(hits) * (p / base).ln() + f64::from(misses) * ((1.0 - p) / (1.0 - base)).ln()).exp() * width
            })
            .sum::<f64>()
            / (1.0 - base);
        let got = odds(hits as u32, misses as u32, base);
        assert!((got / under - 1.0).abs() < 1e-6, "{hits}/{misses} at {base}: {got} against {under}");
    }
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
