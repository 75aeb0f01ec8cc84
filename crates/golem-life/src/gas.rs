//! The coin that pays for gas, where it is not of our own making. Before it runs out some of the asset is turned into it: while
//! there is still enough to pay for that, for closing what is open and for the way home.

use crate::life::Life;
use golem_core::intent::Asset;
use golem_core::{Intent, Usdc};
use golem_mind::policy::Because;

/// Gas units that must always be there: closing a position, selling, going home, each with room for a higher price.
const LEAST_UNITS: u128 = 2_000_000;
/// So many times that is there after more was bought.
const REFILL: u128 = 2;
/// No more than this share of what it is worth becomes coin at a time, in basis points: where gas is dearer than that there is
/// nothing left to do.
const MOST_BPS: u32 = 1_000;
const WEI_PER_GWEI: f64 = 1e9;

/// Gas units that stay behind when the coin goes home: its own way has to be paid, at a price that may have risen.
const WAY_UNITS: u128 = 360_000;

impl Life {
    /// Wish for coin where it runs short, after whatever else is wanted. What there is of the asset is turned into it; where there is
    /// none, some is bought first.
    pub(crate) fn see_to_gas(&mut self, wishes: &mut Vec<Intent>) {
        let Some(missing) = self.missing_coin() else { return };
        let selling = wishes.iter().any(|wish| matches!(wish, Intent::Sell { .. } | Intent::Home { .. }));
        let (held, worth) = (self.state.portfolio.asset, self.state.portfolio.spot(missing));
        let wish = if held >= missing {
            if selling {
                // What is sold in this turn cannot be turned into coin as well: that comes first, the rest is sold in the next.
                wishes.retain(|wish| !matches!(wish, Intent::Sell { .. } | Intent::Home { .. }));
                self.turn.because.truncate(wishes.len());
            }
            self.turn.leave.unwrap = missing;
            Intent::Unwrap { give: missing }
        } else if self.is_dying() || worth > self.spendable_capital() {
            return;
        } else {
            // Half a per cent for the pool's fee and the way until then.
            Intent::Buy { pay: worth, min_out: Asset(missing.0 / 1_000 * 995) }
        };
        wishes.push(wish);
        self.turn.because.resize(wishes.len() - 1, Because::Gas);
        self.turn.because.push(Because::Gas);
    }

    /// The coin that is not needed any more, once everything else has gone; none where it would hardly pay for its own way.
    /// Tips are not in the price that is seen, but in what the way home has cost so far; where that was too little as well, four times
    /// as much stays the next time.
    pub(crate) fn spare_coin(&self, tried: u32) -> Option<Asset> {
        let coin = self.state.gas?.coin;
        let (paid, worth) = (self.state.deathbed.as_ref()?.home.gas, self.state.portfolio.spot(coin));
        let by_price = WAY_UNITS.saturating_mul(self.gas_price()?);
        let by_cost = coin.0.saturating_mul(u128::from(paid.0)).saturating_mul(4).checked_div(u128::from(worth.0))?;
        let stays = Asset(by_price.max(by_cost).saturating_mul(4u128.saturating_pow(tried)));
        (coin > stays.plus(stays)).then(|| coin.minus(stays))
    }

    /// Wei for a unit of gas, as last seen.
    fn gas_price(&self) -> Option<u128> {
        Some((self.state.portfolio.gas_gwei?.get() * WEI_PER_GWEI).clamp(1.0, 1e15) as u128)
    }

    /// How much of the asset is to become coin; none while there is enough, or where it cannot be known.
    fn missing_coin(&self) -> Option<Asset> {
        let purse = self.state.gas?;
        let least = Asset(LEAST_UNITS.saturating_mul(self.gas_price()?));
        if purse.coin >= least {
            return None;
        }
        let missing = Asset(least.0.saturating_mul(REFILL)).minus(purse.coin);
        let worth = self.state.portfolio.spot(missing);
        (worth > Usdc::ZERO && worth <= self.balance().share_bps(MOST_BPS)).then_some(missing)
    }
}
