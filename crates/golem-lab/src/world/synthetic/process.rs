//! One nominal tick of the synthetic market: draw, let the rare thing happen, then move everything on.

use super::config::SyntheticConfig;
use super::era::Era;
use super::law::{Doings, LawState, Push};
use super::price::Price;
use super::rates::{Rare, Rates};
use super::slow::SlowLevels;
use super::venue::{Noise, Season, SyntheticVenue};
use super::weather::TrueWeather;
use golem_core::dice::Draws;
use golem_core::{Dice, NOMINAL_TICK_S, ProtocolState};
use serde::{Deserialize, Serialize};

/// The whole state of the world at one tick. With the configuration and the seed, all that follows from it is fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SyntheticState {
    /// Nominal ticks since the world began.
    pub tick: u64,
    /// The hidden regime.
    pub weather: TrueWeather,
    /// The price.
    pub price: Price,
    /// Everything around it.
    pub venue: SyntheticVenue,
    /// The rules now.
    pub era: Era,
    /// The rules it is moving towards.
    goal: Era,
    /// What moves over days.
    slow: SlowLevels,
    /// What the world's law remembers; nothing where there is none.
    pub law: LawState,
}

impl SyntheticState {
    /// The first tick.
    pub fn beginning(config: &SyntheticConfig, rates: &Rates, dice: &Dice) -> Self {
        let mut draws = dice.draws(0);
        let (_, noise) = normals(&mut draws);
        Self {
            tick: 0,
            weather: TrueWeather::pick(&rates.first_weather(), draws.uniform()),
            price: Price::BEGINNING,
            venue: SyntheticVenue::beginning(&noise),
            era: Era::BASE,
            goal: Era::BASE,
            slow: SlowLevels::beginning(rates, dice),
            law: config.law.map_or_else(LawState::default, |law| LawState::beginning(&law, dice)),
        }
    }

    /// One tick on. A tick without a shift takes eight draws, which is one block of the dice.
    pub fn step(&mut self, config: &SyntheticConfig, rates: &Rates, dice: &Dice) {
        self.tick += 1;
        let mut draws = dice.draws(self.tick);
        let (normal, noise) = normals(&mut draws);
        let rare = rates.rare(draws.uniform(), self.weather, self.venue.protocol);
        let jump = rare.map_or(0.0, |rare| self.happen(rare, rates, &mut draws));

        self.era.glide(&self.goal);
        self.slow.step(rates, self.tick, dice);
        let era = Era { volatility: self.era.volatility * self.slow.factor, ..self.era.clone() };
        let mut push = config.law_at(self.tick).map_or_else(Push::default, |law| {
            let time_s = config.epoch.0.saturating_add((self.tick * NOMINAL_TICK_S) as i64);
            let log_heat = self.price.log_heat(self.weather, &era);
            let now = Doings { tick: self.tick, time_s, spike: rare == Some(Rare::Spike), jump, log_heat };
            self.law.step(&law, &now, dice)
        });
        push.log_volume += self.slow.volume;
        self.price.step(rates, &era, self.weather, normal, jump, &push);
        let season = Season::at(config.epoch.0, self.tick, self.era.season_phase);
        let log_heat = self.price.log_heat(self.weather, &era);
        self.venue.step(rates, &era, season, log_heat, &noise, &push);
    }

    /// Let a rare thing happen; the answer is the jump of the log price, if it is one.
    fn happen(&mut self, rare: Rare, rates: &Rates, draws: &mut Draws) -> f64 {
        let u = draws.uniform();
        match rare {
            Rare::Weather => self.weather = self.weather.following(u),
            Rare::Jump => {
                self.venue.rush(rates.coupling);
                return Price::jump(rates, u);
            }
            Rare::Spike => self.venue.spike(u),
            Rare::Protocol => {
                self.venue.protocol = match self.venue.protocol {
                    ProtocolState::Normal if u < rates.upgrade_share => ProtocolState::Upgraded,
                    ProtocolState::Normal => ProtocolState::Degraded,
                    ProtocolState::Degraded | ProtocolState::Upgraded => ProtocolState::Normal,
                }
            }
            Rare::Shift => self.goal = self.goal.shifted(draws),
        }
        0.0
    }

    /// True when a restored state can go on: nothing in it is infinite, missing or beyond its bounds.
    pub fn is_sound(&self) -> bool {
        self.price.is_sound()
            && self.venue.is_sound()
            && self.era.is_sound()
            && self.goal.is_sound()
            && self.slow.is_sound()
            && self.law.is_sound(self.tick)
    }
}

/// The six normals of a tick: the price's own, then those of the venue.
fn normals(draws: &mut Draws) -> (f64, Noise) {
    let (price, volume) = draws.normals();
    let (gas, fee_yield) = (draws.normals(), draws.normals());
    (price, Noise { volume, gas, fee_yield })
}
