//! What holdings have cost, at average cost: the golem's own books, and the gas that went into what is held.

use golem_core::intent::{Asset, Outcome};
use golem_core::unit::Positive;
use golem_core::{Usdc, UsdcDelta};
use golem_life::portfolio::Portfolio;

/// The books of a life, followed from its facts.
#[derive(Debug, Clone, Default)]
pub(super) struct Cost {
    books: Portfolio,
    /// Gas in the cost of the asset, and of the position.
    asset_gas: Usdc,
    liquidity_gas: Usdc,
}

/// What an act closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClosedByAct {
    /// By the golem's own books, gas not counted.
    pub realised: UsdcDelta,
    /// With gas in the cost; `None` where nothing was closed.
    pub profit: Option<UsdcDelta>,
}

impl Cost {
    /// Gas in the cost of what is held.
    #[cfg(test)]
    pub(super) fn gas_held(&self) -> Usdc {
        self.asset_gas.plus(self.liquidity_gas)
    }

    /// True while something is held.
    pub(super) fn is_open(&self) -> bool {
        self.books.open() > 0
    }

    /// Book an outcome and its gas at the price that was seen.
    pub(super) fn book(&mut self, outcome: &Outcome, gas: Usdc, price: Option<f64>) -> ClosedByAct {
        self.books.price = price.and_then(Positive::new).or(self.books.price);
        let before = self.books.clone();
        let end = self.books.book(outcome);
        let realised = end.profit.delta(end.loss);
        // Gas that leaves with what is closed, on top of the gas of the act itself.
        let left = match *outcome {
            Outcome::Held => return ClosedByAct { realised, profit: None },
            // What leaves the books closes no trade; its gas is its own.
            Outcome::SentHome { .. } | Outcome::Unwrapped { .. } => return ClosedByAct { realised, profit: None },
            Outcome::Refused { .. } if gas == Usdc::ZERO => return ClosedByAct { realised, profit: None },
            Outcome::Refused { .. } | Outcome::Collected { .. } => Usdc::ZERO,
            Outcome::Bought { .. } => {
                self.asset_gas = self.asset_gas.plus(gas);
                return ClosedByAct { realised, profit: None };
            }
            Outcome::Added { gave, .. } => {
                let moved = take(&mut self.asset_gas, gave.0, before.asset.0);
                self.liquidity_gas = self.liquidity_gas.plus(moved).plus(gas);
                return ClosedByAct { realised, profit: None };
            }
            Outcome::Sold { gave, .. } => take(&mut self.asset_gas, gave.0, before.asset.0),
            Outcome::Removed { liquidity, .. } => {
                let left = take(&mut self.liquidity_gas, liquidity, before.liquidity);
                // What came out as the asset took its share of the cost along, and so it does of the gas.
                let carried = self.books.asset_cost.minus(before.asset_cost);
                let along =
                    left.ratio(carried.0, before.liquidity_cost.minus(self.books.liquidity_cost).0.max(1)).min(left);
                self.asset_gas = self.asset_gas.plus(along);
                left.minus(along)
            }
            Outcome::Moved { got_asset, gave, .. } => {
                self.shift(&before, got_asset, gave);
                Usdc::ZERO
            }
        };
        let profit = realised.0.saturating_sub(signed(left)).saturating_sub(signed(gas));
        ClosedByAct { realised, profit: Some(UsdcDelta(profit)) }
    }

    /// A move of the position takes some of the asset in, or leaves some of it outside; gas goes with it.
    fn shift(&mut self, before: &Portfolio, got: Asset, gave: Asset) {
        let moved = take(&mut self.asset_gas, gave.minus(got).0, before.asset.0.max(1));
        self.liquidity_gas = self.liquidity_gas.plus(moved);
        let spare = got.minus(gave);
        if spare > Asset::ZERO {
            let carried = self.books.asset_cost.minus(before.asset_cost);
            let along =
                take(&mut self.liquidity_gas, u128::from(carried.0), u128::from(before.liquidity_cost.0).max(1));
            self.asset_gas = self.asset_gas.plus(along);
        }
    }

    /// The chain took it back.
    pub(super) fn unbook(&mut self, outcome: &Outcome, gas: Usdc) {
        self.books.unbook(outcome);
        match outcome {
            Outcome::Bought { .. } => self.asset_gas = self.asset_gas.minus(gas),
            Outcome::Added { .. } => self.liquidity_gas = self.liquidity_gas.minus(gas),
            _ => {}
        }
    }
}

fn signed(x: Usdc) -> i64 {
    i64::try_from(x.0).unwrap_or(i64::MAX)
}

/// Take `num / den` of an amount out of it, rounded down; all of it when `num` reaches `den`.
fn take(from: &mut Usdc, num: u128, den: u128) -> Usdc {
    let part = if num >= den {
        *from
    } else {
        let shift = (128 - den.leading_zeros()).saturating_sub(64);
        from.ratio((num >> shift) as u64, ((den >> shift) as u64).max(1))
    };
    *from = from.minus(part);
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ETH: u128 = Asset::WHOLE;

    #[test]
    fn gas_of_what_is_bought_is_in_its_cost_and_gas_of_selling_counts_at_once() {
        let mut cost = Cost::default();
        let bought = cost.book(&Outcome::Bought { paid: Usdc(2_000), got: Asset(ETH) }, Usdc(100), Some(2e-3));
        assert_eq!((bought.realised, bought.profit), (UsdcDelta(0), None));
        let half = cost.book(&Outcome::Sold { gave: Asset(ETH / 2), got: Usdc(1_500) }, Usdc(30), Some(3e-3));
        // Half of the cost, half of the gas of buying, all of the gas of selling.
        assert_eq!((half.realised, half.profit), (UsdcDelta(500), Some(UsdcDelta(500 - 50 - 30))));
        assert_eq!(cost.gas_held(), Usdc(50));
        let failed = cost.book(&Outcome::Refused { why: golem_core::intent::Refusal::Reverted }, Usdc(7), None);
        assert_eq!(failed.profit, Some(UsdcDelta(-7)), "a failure costs its gas");
    }

    #[test]
    fn what_comes_out_of_the_pool_as_the_asset_takes_its_gas_along() {
        let mut cost = Cost::default();
        cost.book(&Outcome::Bought { paid: Usdc(1_000), got: Asset(ETH) }, Usdc(10), Some(1e-3));
        cost.book(&Outcome::Added { paid: Usdc(1_000), gave: Asset(ETH), liquidity: 8 }, Usdc(30), Some(1e-3));
        // Half of the cost comes out as the asset, at the price seen; the other half stands against the USDC.
        let out = Outcome::Removed { liquidity: 8, got: Usdc(1_100), got_asset: Asset(ETH) };
        let closed = cost.book(&out, Usdc(5), Some(1e-3));
        assert_eq!(closed.realised, UsdcDelta(100));
        assert_eq!(closed.profit, Some(UsdcDelta(100 - 20 - 5)));
        assert_eq!(cost.gas_held(), Usdc(20));
    }

    proptest! {
        /// Whatever happens: what was realised less all gas, plus the gas in what is held, is the profit.
        #[test]
        fn no_gas_is_lost_or_counted_twice(acts in prop::collection::vec((0u8..6, 1u64..1_000_000, 1u64..1_000_000, 0u64..500), 1..40)) {
            let mut cost = Cost::default();
            let (mut realised, mut gas_paid, mut profit) = (0i64, 0i64, 0i64);
            for (kind, usdc, asset, gas) in acts {
                let (usdc, amount) = (Usdc(usdc), Asset(u128::from(asset) * 1_000_000_000));
                let held = cost.books.asset;
                let liquidity = cost.books.liquidity;
                let outcome = match kind {
                    0 => Outcome::Bought { paid: usdc, got: amount },
                    1 if held > Asset::ZERO => Outcome::Sold { gave: amount.min(held), got: usdc },
                    2 if held > Asset::ZERO => Outcome::Added { paid: usdc, gave: amount.min(held), liquidity: 1_000 },
                    3 if liquidity > 0 => Outcome::Removed { liquidity: liquidity.min(700), got: usdc, got_asset: amount },
                    4 if liquidity > 0 => Outcome::Collected { got: usdc, got_asset: amount },
                    5 if liquidity > 0 => Outcome::Moved {
                        got: usdc, got_asset: amount, paid: Usdc(usdc.0 / 2), gave: amount, had: liquidity, liquidity: 900,
                    },
                    _ => continue,
                };
                let closed = cost.book(&outcome, Usdc(gas), Some(2_000.0));
                realised += closed.realised.0;
                gas_paid += gas as i64;
                profit += closed.profit.unwrap_or_default().0;
                prop_assert_eq!(profit, realised - gas_paid + cost.gas_held().0 as i64);
            }
        }
    }
}
