//! A seeded market that is advanced one nominal tick at a time and can be asked for any later age.
//!
//! The same configuration and seed give the same world on every machine. All chance is addressed by the tick: what the
//! world does at tick 1,000 does not depend on how often anyone looked before.

mod config;
mod era;
mod law;
mod price;
mod process;
mod rates;
mod slow;
mod venue;
mod weather;

pub use config::SyntheticConfig;
pub(super) use law::between;
pub use law::{LAWS, Law, Teller};
pub use weather::TrueWeather;

use super::saved;
use golem_core::door::World;
use golem_core::{Dice, Elapsed, Hash, RawObservation, Strand, Timestamp, VirtualTime};
use process::SyntheticState;
use rates::Rates;

/// Changes whenever the process does, so that a world saved by another build is refused instead of going on wrongly.
const PROCESS: &str = "synthetic 3";

/// The synthetic market.
///
/// ```
/// use golem_core::{Elapsed, VirtualTime};
/// use golem_lab::world::{Synthetic, SyntheticConfig};
/// use golem_core::door::World;
///
/// let mut world = Synthetic::new(SyntheticConfig::default(), 7).unwrap();
/// let later = VirtualTime::default().after(Elapsed::secs(3_600));
/// assert!(world.observe(later).unwrap().price.unwrap() > 0.0);
/// ```
#[derive(Debug, Clone)]
pub struct Synthetic {
    config: SyntheticConfig,
    rates: Rates,
    dice: Dice,
    fingerprint: Hash,
    born: u64,
    state: SyntheticState,
}

impl Synthetic {
    /// The world of this seed, with the golem born at its first tick. `Err` names every key that is out of range.
    pub fn new(config: SyntheticConfig, seed: u64) -> Result<Self, Vec<(&'static str, String)>> {
        Self::born_at(config, seed, 0)
    }

    /// The same world, with the golem born so many nominal ticks after it began: for successors, and for twins that are
    /// to live through different stretches of one history. Getting there takes a step per tick.
    pub fn born_at(config: SyntheticConfig, seed: u64, tick: u64) -> Result<Self, Vec<(&'static str, String)>> {
        let problems = config.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let rates = Rates::new(&config);
        let dice = Dice::open(seed, Strand::World);
        let mut fingerprint = saved::fingerprint(&(PROCESS, &config, &config.law, seed, tick));
        if !config.later_laws.is_empty() {
            fingerprint = saved::fingerprint(&(fingerprint, &config.later_laws));
        }
        let state = SyntheticState::beginning(&config, &rates, &dice);
        let mut world = Self { config, rates, dice, fingerprint, born: tick, state };
        // Two steps, so that the newborn sees the volume of one tick and not of all that was before it.
        world.advance(tick.saturating_sub(1));
        world.advance(tick);
        Ok(world)
    }

    /// The regime that the world is really in: for experiments, never for a golem.
    #[must_use]
    pub fn weather(&self) -> TrueWeather {
        self.state.weather
    }

    /// What kind of market it is.
    #[must_use]
    pub fn config(&self) -> &SyntheticConfig {
        &self.config
    }

    fn advance(&mut self, tick: u64) {
        if self.state.tick < tick {
            // Volume counts from the last look: the ticks that are skipped now are summed.
            self.state.venue.volume = 0.0;
        }
        while self.state.tick < tick {
            self.state.step(&self.config, &self.rates, &self.dice);
        }
    }
}

impl World for Synthetic {
    /// It never ends. An age before the last one that was asked for gets the same answer as the last one.
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        self.advance(self.born.saturating_add(age.age().nominal_floor()));
        let SyntheticState { price, venue, era, .. } = &self.state;
        let other = matches!(self.config.law, Some(Law::Contagion { .. }));
        Some(RawObservation {
            price: Some(self.config.price * libm::exp(price.offset)),
            gas_gwei: Some(venue.gas_gwei(&self.config)),
            fee_yield: Some(venue.fee_yield(&self.config, era)),
            volume: Some(venue.volume_usdc(&self.config)),
            protocol: Some(venue.protocol),
            lead_price: other.then(|| self.config.price * libm::exp(self.state.law.other)),
            ..RawObservation::default()
        })
    }

    fn epoch(&self) -> Timestamp {
        self.config.epoch.after(Elapsed::nominal(self.born))
    }

    fn save(&self) -> Vec<u8> {
        saved::seal(self.fingerprint, &self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let state: SyntheticState = saved::open(self.fingerprint, bytes)?;
        if state.tick < self.born || !state.is_sound() {
            return Err("the saved world is damaged: it holds numbers that this process cannot reach".into());
        }
        self.state = state;
        Ok(())
    }
}
