//! A threat never comes the way it was written down: after the first rehearsal it is lived through smaller or larger, faster or
//! slower, and with a price that comes back or does not.

use crate::imagine::catalogue::ThreatCard;
use golem_core::Dice;
use golem_core::happening::{Happening, ScenarioEvent};

/// How large it comes, as a share of the card's, and how many times as slow.
const SIZE: (f64, f64) = (0.3, 1.2);
const SLOWER: (f64, f64) = (1.0, 5.0);
/// Draws of one variant.
pub const VARIANT_DRAWS: u32 = 3;
/// Nothing leaves more than this of a pool's liquidity, in basis points.
const MOST_DRAINED: f64 = 9_800.0;

/// The weather of one rehearsal: the card's own the first time.
#[must_use]
pub fn weather(card: &ThreatCard, rehearsals: u32, dice: &Dice, tick: u64, draw: u32) -> Vec<ScenarioEvent> {
    if rehearsals == 0 {
        return card.weather.to_vec();
    }
    let between = |n: u32, (low, high): (f64, f64)| low + (high - low) * dice.uniform(tick, draw.wrapping_add(n));
    let (size, slower) = (between(0, SIZE), between(1, SLOWER));
    let turns = dice.uniform(tick, draw.wrapping_add(2)) < 0.5;
    card.weather.iter().map(|event| changed(event, card.timeline, (size, slower), turns)).collect()
}

fn changed(event: &ScenarioEvent, timeline: u32, (size, slower): (f64, f64), turns: bool) -> ScenarioEvent {
    let left = u64::from(timeline).saturating_sub(event.at_tick).max(1);
    let what = match event.what {
        Happening::Shock { bps, over_ticks, reverts } => {
            let bps = libm::round(f64::from(bps) * size) as i32;
            let reverts = reverts != turns;
            // What is to come back does so within the rehearsal.
            let most = if reverts { left / 3 } else { left };
            let over_ticks = (libm::round(over_ticks as f64 * slower) as u64).clamp(1, most.max(1));
            Happening::Shock { bps, over_ticks, reverts }
        }
        Happening::Gas { factor } => Happening::Gas { factor: 1.0 + (factor - 1.0) * size },
        Happening::LiquidityDrain { share_bps } => {
            Happening::LiquidityDrain { share_bps: libm::round((f64::from(share_bps) * size).min(MOST_DRAINED)) as u32 }
        }
        Happening::Chop { amplitude_bps, period_ticks } => {
            Happening::Chop { amplitude_bps: libm::round(f64::from(amplitude_bps) * size) as u32, period_ticks }
        }
        Happening::Drift { bps_per_day } => {
            Happening::Drift { bps_per_day: libm::round(f64::from(bps_per_day) * size) as i32 }
        }
        other => other,
    };
    let for_ticks = match what {
        Happening::Shock { over_ticks, reverts: true, .. } => over_ticks,
        Happening::Shock { over_ticks, .. } => event.for_ticks.max(over_ticks),
        _ => event.for_ticks,
    };
    ScenarioEvent { for_ticks, what, ..*event }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::catalogue::{THREATS, price_factor, threat};
    use golem_core::Strand;

    #[test]
    fn every_variant_is_sound_and_none_is_the_card() {
        let dice = Dice::open(7, Strand::Dream);
        for card in &THREATS {
            assert_eq!(weather(card, 0, &dice, 5, 0), card.weather, "the first time it comes as it is written");
            for tick in 0..200 {
                let made = weather(card, 3, &dice, tick, 40);
                assert!(made.iter().all(|event| event.problems().is_empty()), "{}: {made:?}", card.id);
                assert_eq!(made, weather(card, 9, &dice, tick, 40));
            }
        }
    }

    /// Falls of many sizes and paces, and some that come back: about half of either kind.
    #[test]
    fn a_crash_comes_in_many_ways() {
        let (dice, card) = (Dice::open(7, Strand::Dream), threat("flash_crash").unwrap());
        let made: Vec<_> = (0..400).map(|tick| weather(card, 1, &dice, tick, 40)).collect();
        let back = made.iter().flatten().filter(|e| matches!(e.what, Happening::Shock { reverts: true, .. })).count();
        assert!((160..=240).contains(&back), "{back} of 400 come back");
        let returned = made.iter().filter(|w| price_factor(w, u64::from(card.timeline)) > 0.999).count();
        assert_eq!(returned, back, "what comes back is back at the end");
        let ends: Vec<f64> = made.iter().map(|weather| price_factor(weather, u64::from(card.timeline))).collect();
        let deep = ends.iter().filter(|end| **end < 0.8).count();
        assert!((50..=200).contains(&deep), "{deep} of 400 stay down by more than a fifth");
    }
}
