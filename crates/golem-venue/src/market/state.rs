//! What a market remembers from tick to tick, and its saved form.

use super::outside::VolumeRate;
use super::{Market, sound};
use crate::scenario::{MOST_EVENTS, ScenarioEvent, WHOLE_PPM};
use crate::venue::MarketTrade;
use golem_core::Hash;
use golem_core::plain;
use golem_core::venue::Wide;
use serde::{Deserialize, Serialize};

/// Everything that changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct MarketState {
    /// The tick of the last step.
    pub tick: Option<u64>,
    /// How much of the market's liquidity has been withdrawn, in millionths.
    pub drained_ppm: u64,
    /// What events that are over have left in the logarithm of the outside price.
    pub lasting: f64,
    /// The last outside price that was sound, before any event.
    pub outside: Option<f64>,
    pub volume: VolumeRate,
    /// Events that are on, or to come.
    pub events: Vec<ScenarioEvent>,
    /// Where the pool stood before somebody pushed it.
    pub pushed_from: Option<Wide>,
    /// What a front-runner still has to do behind a golem.
    pub back_run: Option<MarketTrade>,
    /// Swaps of golems that a sandwich looked at.
    pub swaps: u32,
    /// Executions of golems since the last step.
    pub acts: u32,
}

impl MarketState {
    /// Fold what is over into what lasts, so that the list of events stays short.
    pub fn settle(&mut self, tick: u64) {
        if self.events.iter().any(|e| e.settled() <= tick) {
            let (over, left): (Vec<ScenarioEvent>, Vec<ScenarioEvent>) =
                self.events.iter().partition(|e| e.settled() <= tick);
            self.lasting += over.iter().map(|e| e.log_price(tick)).sum::<f64>();
            self.events = left;
        }
    }

    fn is_sound(&self) -> bool {
        self.lasting.is_finite()
            && self.outside.is_none_or(|p| sound(p).is_some())
            && self.volume.is_sound()
            && self.events.len() <= MOST_EVENTS
            && self.events.iter().all(|e| e.problems().iter().all(|p| p.key == "at_tick"))
            && self.drained_ppm <= WHOLE_PPM
    }
}

impl Market {
    /// The hash of everything that makes this market the one it is.
    fn fingerprint(&self) -> Hash {
        let what = (&self.config, self.epoch, &self.own, self.dice.bits(u64::MAX, 0));
        Hash::of(&plain::bytes(&what))
    }

    /// What [`Market::restore`] needs to go on from here.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        plain::bytes(&(self.fingerprint(), &self.state))
    }

    /// Go on from a saved state.
    ///
    /// # Errors
    /// Why the bytes do not fit this market.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let damaged = |e| format!("the saved market is damaged: {e}");
        let (found, rest) = postcard::take_from_bytes::<Hash>(saved).map_err(damaged)?;
        if found != self.fingerprint() {
            return Err(
                "the saved state belongs to another market: other settings, another seed or another epoch".into()
            );
        }
        let (state, rest) = postcard::take_from_bytes::<MarketState>(rest).map_err(damaged)?;
        if !rest.is_empty() {
            return Err(format!("the saved market has {} bytes too many", rest.len()));
        }
        if !state.is_sound() {
            return Err("the saved market holds numbers that no market has".into());
        }
        self.state = state;
        Ok(())
    }

    /// What it remembers now, for whoever keeps many moments of the same market.
    pub(crate) fn memory(&self) -> Vec<u8> {
        plain::bytes(&self.state)
    }

    /// The same market as it was when it remembered this.
    pub(crate) fn as_it_was(&self, memory: &[u8]) -> Result<Self, String> {
        let state: MarketState =
            postcard::from_bytes(memory).map_err(|e| format!("what a market remembered is damaged: {e}"))?;
        if !state.is_sound() {
            return Err("a market remembered numbers that no market has".into());
        }
        Ok(Self { state, ..self.clone() })
    }
}
