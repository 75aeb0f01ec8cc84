//! The market around a venue: what moves the pool between a golem's looks.
//!
//! Each nominal tick opens a block; noise traders trade, and arbitrage keeps the pool near an outside price, by real swaps
//! with means of their own. Scenario events act through the same doors. Everything is a function of the state, the outside
//! tick and addressed dice: on a fork it runs forward exactly as it would have run live.

mod arbitrage;
mod config;
mod forward;
mod gauge;
mod imagined;
mod noise;
mod outside;
mod price;
mod rivals;
mod state;
mod step;

pub use arbitrage::{band, gas_slack};
pub use config::MarketConfig;
pub use forward::run_forward;
pub use gauge::{FEE_YIELD_WINDOW_S, PoolGauge};
pub use outside::{Outside, OutsideTick};
pub use price::{FEE, reserve_usdc};
pub use step::MarketStep;

use crate::scenario::{MOST_EVENTS, ScenarioEvent};
use crate::venue::View;
use golem_core::dice::Dice;
use golem_core::venue::Range;
use golem_core::{NOMINAL_TICK_S, Problem, Timestamp};
use outside::sound;
use state::MarketState;

/// The market around one venue. There is one for each chain of our own, however many golems live on it.
#[derive(Debug, Clone)]
pub struct Market {
    config: MarketConfig,
    dice: Dice,
    epoch: u64,
    own: Vec<(Range, u128)>,
    state: MarketState,
}

impl Market {
    /// A market that has not begun. Its dice are those of [`golem_core::Strand::Market`]; tick `t` happens at
    /// `epoch + 40 t` seconds; `own` is the liquidity that the chain's genesis gave it.
    #[must_use]
    pub fn new(config: MarketConfig, dice: Dice, epoch: Timestamp, own: Vec<(Range, u128)>) -> Self {
        let epoch = u64::try_from(epoch.0).unwrap_or(0);
        Self { config, dice, epoch, own, state: MarketState::default() }
    }

    /// A market upon a chain that has one already (a fork of somebody's chain): it goes on from this view, which counts as
    /// `tick`, and has no liquidity of its own, so that there is none to drain.
    #[must_use]
    pub fn upon(config: MarketConfig, dice: Dice, view: &View, tick: u64) -> Self {
        let epoch = view.timestamp.saturating_sub(tick.saturating_mul(NOMINAL_TICK_S));
        let state = MarketState { tick: Some(tick), ..MarketState::default() };
        Self { config, dice, epoch, own: Vec::new(), state }
    }

    /// The tick that comes next.
    #[must_use]
    pub fn next_tick(&self) -> u64 {
        self.state.tick.map_or(0, |t| t.saturating_add(1))
    }

    /// Events that are on, or to come.
    #[must_use]
    pub fn events(&self) -> &[ScenarioEvent] {
        &self.state.events
    }

    /// Let events happen, their ticks counted from `from_tick`. All of them, or none.
    ///
    /// # Errors
    /// What is wrong with them, or that there are too many.
    pub fn inject(&mut self, events: &[ScenarioEvent], from_tick: u64) -> Result<(), Vec<Problem>> {
        let each = events.iter().enumerate();
        let mut all: Vec<Problem> =
            each.flat_map(|(i, e)| e.problems().into_iter().map(move |p| p.under(&format!("events[{i}]")))).collect();
        let count = self.state.events.len().saturating_add(events.len());
        if count > MOST_EVENTS {
            all.push(Problem::new("events", format!("{count} events at once are more than {MOST_EVENTS}")));
        }
        if all.is_empty() {
            self.state.events.extend(events.iter().map(|e| e.later(from_tick)));
            Ok(())
        } else {
            Err(all)
        }
    }
}
