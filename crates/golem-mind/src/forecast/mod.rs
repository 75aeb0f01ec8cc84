//! Six panels of forecasters, one for each domain of the epistemic clock. Each stores what it says before the fact, is
//! settled by reality at the first turn after its horizon, and learns from the difference.

mod action;
pub mod advice;
mod blend;
mod hours;
mod interval;
mod level;
mod nursery;
mod panel;
mod panels;
mod prediction;
mod price;
mod protocol;
mod ridge;
mod scores;
mod tally;
mod track;

pub use advice::{Advise, HeardForecast, PanelForecast};
pub use blend::Blend;
pub use interval::TARGET;
pub use prediction::{Prediction, PredictionOutcome};
pub use scores::{Scores, Weight};
pub use tally::Tally;

use crate::outlook::Outlook;
use crate::policy::Valuation;
use crate::senses::Senses;
use action::ActionForecaster;
use golem_core::{Intent, Preview, Receipt, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use level::LevelLooks;
use nursery::Nursery;
use panels::Panels;
use protocol::Protocol;
use serde::{Deserialize, Serialize};
use tally::hit;
use track::TrackTurn;

/// Whether and how fast a mind learns. Forecasts are made and judged all the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// False for the frozen ablation, and for phases that learn nothing new.
    pub enabled: bool,
    /// Multiplies the speed of learning, from 0 to 1.
    pub plasticity: f64,
    /// Memory lengthens with age up to so many virtual days.
    pub memory_days: f64,
}

/// Memory is capped at this age by default, in virtual days.
pub const MEMORY_DAYS: f64 = 90.0;

impl Learning {
    /// At full speed.
    pub const FULL: Self = Self { enabled: true, plasticity: 1.0, memory_days: MEMORY_DAYS };
    /// Not at all.
    pub const FROZEN: Self = Self { enabled: false, plasticity: 0.0, memory_days: MEMORY_DAYS };

    /// The cap of memory in nominal ticks.
    fn memory(&self) -> f64 {
        crate::math::clip(self.memory_days, 1e6).max(1.0) * crate::math::DAY
    }
    /// The speed that follows from both, from 0 to 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.enabled { crate::math::unit(self.plasticity) } else { 0.0 }
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self::FULL
    }
}

/// The forecasters of all domains.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Forecasters {
    panels: Panels,
    nursery: Nursery,
    protocol: Protocol,
    action: ActionForecaster,
}

impl Forecasters {
    /// Settle what is due by what was just observed, and learn from it. Returns the largest error in usual errors.
    pub fn settle(&mut self, senses: &Senses, learning: Learning, out: &mut Vec<SettledForecast>) -> f64 {
        let (rate, from) = (learning.rate(), out.len());
        let turn = TrackTurn { rate, memory: learning.memory(), silent: false };
        let looks = LevelLooks::of(senses);
        let surprise = self.panels.settle(&looks, senses, turn, out);
        self.nursery.settle(&looks, senses, turn.memory, &mut out[from..]);
        surprise.max(self.protocol.sense(senses.protocol(), senses.now(), senses.dt(), rate, out))
    }

    /// Make and store this turn's forecasts, one for each domain that has something to go by. What a panel says is
    /// turned by `advise` into what is scored and used.
    pub fn issue(&mut self, senses: &Senses, now: VirtualTime, advise: &mut Advise<'_>) -> Outlook {
        let mut panel_return = None;
        let mut heard = |said: &PanelForecast| {
            if said.domain == Domain::PriceDirection {
                panel_return = Some(said.panel);
            }
            advise(said)
        };
        let expected = self.panels.issue(senses, now, &mut heard);
        self.nursery.issue(senses, now, expected.stored);
        Outlook {
            price: senses.spot(),
            sale_price: None,
            blind: false,
            mean_return: expected.price,
            panel_return,
            log_vol: expected.vol,
            usual_log_vol: senses.usual_vol().map(|u| u.mean),
            log_yield: expected.fee_yield,
            usual_log_yield: None,
            log_gas: expected.gas,
            gas_excess: senses.gas_excess(),
            protocol: self.protocol.forecast(senses.protocol(), now),
            day_mean: senses.price().map(|p| p.means[2]),
            trend: None,
            range: None,
            cost_bps: self.action.cost_bps(0.1),
        }
    }

    /// Take note of an intent before it is sent: its spot price and its size.
    pub fn expect(&mut self, intent: &Intent, price: f64, value: &Valuation, now: VirtualTime) {
        self.action.expect(intent, price, value, now);
    }
    /// Settle the preview of an action by its receipt.
    pub fn verify(
        &mut self,
        judged: (&Preview, &Receipt),
        now: VirtualTime,
        learning: Learning,
        out: &mut Vec<SettledForecast>,
    ) {
        self.action.verify(judged, now, learning.rate(), out);
    }

    /// The record of a domain.
    #[must_use]
    pub fn tally(&self, domain: Domain) -> &Tally {
        match (self.panels.track(domain), domain) {
            (Some(track), _) => &track.tally,
            (None, Domain::ProtocolState) => &self.protocol.tally,
            (None, _) => &self.action.tally,
        }
    }
    /// Forecasts of a domain that wait for their moment.
    #[must_use]
    pub fn pending(&self, domain: Domain) -> usize {
        match (self.panels.track(domain), domain) {
            (Some(track), _) => track.pending(),
            (None, Domain::ProtocolState) => self.protocol.pending(),
            (None, _) => self.action.pending(),
        }
    }
    /// How much of the models is in the forecasts of a domain, from 0 (where the panel starts) to 1; `None` where nothing
    /// is blended.
    #[must_use]
    pub fn share(&self, domain: Domain) -> Option<f64> {
        Some(self.panels.track(domain)?.share(Panels::habit(domain)?))
    }
}
