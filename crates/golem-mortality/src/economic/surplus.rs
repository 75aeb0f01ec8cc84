//! The way back from operating credit to capital. Half of realised profit refills operating credit; without a bound a
//! losing strategy would shelter most of its worth there, where no loss can reach it and nothing can earn.

use super::ledger::Ledger;
use super::prices::{DAY, Prices};
use super::purpose::Purpose;
use golem_core::{Elapsed, Usdc};

/// Days of rent and model costs that operating credit may hold beyond its share of what was given.
pub const DAYS_AHEAD: u64 = 60;

/// The most that operating credit may hold: its share of everything the owner gave, and sixty days of rent and of what
/// models have cost per day so far.
#[must_use]
pub fn operating_bound(ledger: &Ledger, prices: &Prices, age: Elapsed) -> Usdc {
    let given = ledger.deposits().share_bps(prices.operating_bps);
    let rent = prices.rent_per_day().ratio(DAYS_AHEAD, 1);
    // A first day counts as a whole one: an hour of thinking says nothing about sixty days.
    let models = ledger.by_purpose[Purpose::Inference.index()].ratio(DAYS_AHEAD * DAY.0, age.0.max(DAY.0));
    given.plus(rent).plus(models)
}

/// Let what is above the bound flow back into capital, from every purse by what it holds. Returns how much that was.
pub fn return_surplus(ledger: &mut Ledger, bound: Usdc) -> Usdc {
    let operating = ledger.operating();
    let surplus = operating.minus(bound);
    if surplus == Usdc::ZERO {
        return surplus;
    }
    let mut left = surplus;
    for purse in &mut ledger.purses {
        let part = purse.ratio(surplus.0, operating.0).min(left);
        *purse = purse.minus(part);
        left = left.minus(part);
    }
    // Rounding leaves at most a few units, and the fullest purse has them.
    if let Some(fullest) = ledger.purses.iter_mut().max_by_key(|purse| **purse) {
        let part = left.min(*fullest);
        *fullest = fullest.minus(part);
        left = left.minus(part);
    }
    let returned = surplus.minus(left);
    ledger.capital = ledger.capital.plus(returned);
    returned
}
