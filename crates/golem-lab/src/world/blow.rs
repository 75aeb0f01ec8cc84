//! A blow that comes over a life once: a crash, a drain or a gas war, on a day and with numbers that are drawn by the seed. No
//! card of the threats has these numbers, and half of the falls come back: who runs from those has run for nothing. What dreams
//! rehearse are cards in many sizes, so that a blow may be of a size that was rehearsed; its pace and its parts are its own.

use super::synthetic::between;
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{Dice, Strand, Usdc};
use golem_venue::scenario::Scenario;
use serde::Serialize;

/// The names of all blows, as they stand after the plus of a world's name.
pub const BLOWS: &[&str] = &["crash", "drain", "gas-war"];
/// No tick has this address: here a blow draws what it is.
const DRAWN_AT: u64 = u64::MAX - 1;
/// It comes between these nominal ticks: the ninth day to the middle of the eleventh.
const COMES: (f64, f64) = (17_280.0, 22_680.0);
/// What it cost is told so many ticks after its end.
const AFTERMATH: u64 = 720;

/// One blow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blow {
    /// The nominal tick at which it begins.
    pub at_tick: u64,
    /// And the one at which what it cost is told.
    pub told_at: u64,
    /// What happens.
    pub events: Vec<ScenarioEvent>,
}

impl Blow {
    /// The blow of this name for a seed; none where there is no such name.
    #[must_use]
    pub fn drawn(name: &str, seed: u64) -> Option<Self> {
        let mut draws = Dice::open(seed, Strand::World).draws(DRAWN_AT);
        let d = &mut draws;
        let at_tick = between(d, COMES.0, COMES.1) as u64;
        let event = |for_ticks: u64, what: Happening| ScenarioEvent { at_tick, for_ticks, what };
        let reverts = d.uniform() < 0.5;
        let fall = |bps: f64, over: f64| Happening::Shock { bps: -(bps as i32), over_ticks: over as u64, reverts };
        let (lasts, events) = match name {
            "crash" => {
                let (bps, over, wild) = (between(d, 900.0, 2_400.0), between(d, 40.0, 180.0), between(d, 1.5, 3.0));
                let lasts = over as u64 + 90;
                (lasts, vec![event(lasts, fall(bps, over)), event(lasts, Happening::Volatility { factor: wild })])
            }
            "drain" => {
                let lasts = between(d, 180.0, 480.0) as u64;
                let share_bps = between(d, 4_000.0, 7_500.0) as u32;
                let (bps, over) = (between(d, 0.0, 900.0), between(d, 45.0, 150.0));
                (lasts, vec![event(lasts, Happening::LiquidityDrain { share_bps }), event(lasts, fall(bps, over))])
            }
            "gas-war" => {
                let lasts = between(d, 120.0, 300.0) as u64;
                let (factor, bps, over) = (between(d, 8.0, 24.0), between(d, 0.0, 500.0), between(d, 40.0, 110.0));
                let rivals = Happening::Rivals { trades: 2, size_usdc: Usdc::whole(3_000) };
                let gas = Happening::Gas { factor };
                (lasts, vec![event(lasts, gas), event(lasts, rivals), event(lasts, fall(bps, over))])
            }
            _ => return None,
        };
        let settled = events.iter().map(ScenarioEvent::settled).max().unwrap_or(at_tick + lasts);
        Some(Self { at_tick, told_at: settled + AFTERMATH, events })
    }

    /// As weather of a market that begins with the life.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        let about = "It comes once, with numbers that nobody has rehearsed.".to_owned();
        Scenario { name: "blow".to_owned(), about, events: self.events.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_dreams::imagine::catalogue::THREATS;

    #[test]
    fn a_blow_is_sound_comes_once_and_is_on_no_card() {
        for name in BLOWS {
            let mut begins = std::collections::BTreeSet::new();
            for seed in 0..200 {
                let blow = Blow::drawn(name, seed).expect("a blow");
                assert_eq!(Blow::drawn(name, seed), Some(blow.clone()));
                assert!(blow.scenario().problems().is_empty(), "{blow:?}");
                assert!(
                    blow.events.iter().all(|e| e.at_tick == blow.at_tick && blow.told_at > e.at_tick + e.for_ticks)
                );
                begins.insert(blow.at_tick);
                for card in &THREATS {
                    let same = blow.events.iter().filter(|e| card.weather.iter().any(|c| c.what == e.what)).count();
                    assert_eq!(same, 0, "{name} {seed} is on the card {}", card.id);
                }
            }
            assert!(begins.len() > 100, "{name} comes on {} different ticks", begins.len());
        }
        assert_eq!(Blow::drawn("rain", 1), None);
    }
}
