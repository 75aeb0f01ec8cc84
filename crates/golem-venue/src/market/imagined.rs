//! A market in a future that nobody knows: everything stands where it is, and strangers trade by other dice.

use super::step::millionths;
use super::{Market, OutsideTick};
use crate::scenario::{Conditions, Happening, LAST_TICK, ScenarioEvent};
use crate::spot::price_f64;
use crate::venue::View;
use golem_core::Strand;

impl Market {
    /// This market as one that could go on from here, and what the world outside says in it from now on.
    ///
    /// Nothing of the real future is in it. Events that are to come do not come; what those that are on have done so far
    /// stays as it is: where the price has got to, what gas costs, how much liquidity has left. Who trades around golems
    /// goes on doing so.
    #[must_use]
    pub fn imagined(&self, view: &View) -> (Self, OutsideTick) {
        let tick = self.state.tick.unwrap_or(0);
        let now = Conditions::at(&self.state.events, tick);
        let shift = (self.state.lasting + now.log_price).clamp(-20.0, 20.0);
        let price = self.state.outside.map_or_else(|| price_f64(view), |raw| raw * libm::exp(shift));
        let mut market = self.clone();
        market.dice = self.dice.apart(Strand::Dream);
        for (_, liquidity) in &mut market.own {
            *liquidity -= millionths(*liquidity, self.state.drained_ppm);
        }
        (market.state.drained_ppm, market.state.lasting, market.state.outside) = (0, 0.0, Some(price));
        market.state.events =
            lurking(&now).map(|what| ScenarioEvent { at_tick: tick, for_ticks: LAST_TICK, what }).collect();
        // Half a wei more, so that the fee in wei is the same after it has been gwei.
        let gas_gwei = Some((view.base_fee as f64 + 0.5) / 1e9);
        (market, OutsideTick { gas_gwei, ..OutsideTick::priced(price) })
    }
}

/// Those who trade around golems now.
fn lurking(now: &Conditions) -> impl Iterator<Item = Happening> {
    let sandwich = now.sandwich.map(|(times, every)| Happening::Sandwich { times, every });
    let rivals = now.rivals.map(|(trades, size_usdc)| Happening::Rivals { trades, size_usdc });
    sandwich.into_iter().chain(rivals)
}
