//! What is open, one by one, for those who look.

use crate::portfolio::Portfolio;
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_core::reference::price_at;
use serde::{Deserialize, Serialize};

/// Something that is held, and what it is worth at the last price seen. Before gas and before what selling it would move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OpenPosition {
    /// The asset, in its account.
    Asset {
        wei: Asset,
        #[serde(rename = "worth_micro_usdc")]
        worth: Usdc,
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
    },
    /// Liquidity in a pool.
    Liquidity {
        #[serde(rename = "worth_micro_usdc")]
        worth: Usdc,
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// Earned, and not yet collected.
        #[serde(rename = "fees_micro_usdc")]
        fees: Usdc,
        /// The prices between which it works, where they have been seen.
        between: Option<(f64, f64)>,
        /// Whether the price is between them.
        in_range: bool,
    },
}

impl Portfolio {
    /// All that is open, the asset first.
    #[must_use]
    pub fn positions(&self) -> Vec<OpenPosition> {
        let price = self.price.map_or(0.0, |p| p.get());
        let asset = (self.asset > Asset::ZERO).then(|| OpenPosition::Asset {
            wei: self.asset,
            worth: Usdc((self.asset.as_f64() * price * 1e6) as u64),
            cost: self.asset_cost,
        });
        let between = self.range.map(|range| {
            let (a, b) = (price_at(range.lower), price_at(range.upper));
            (a.min(b), a.max(b))
        });
        let liquidity = (self.liquidity > 0).then_some(OpenPosition::Liquidity {
            worth: self.worth.position,
            cost: self.liquidity_cost,
            fees: self.worth.fees,
            between,
            in_range: self.in_range,
        });
        asset.into_iter().chain(liquidity).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::venue::Range;
    use golem_core::{Positive, Usdc};

    /// A pool in which USDC is the first token has its price upside down, and its range, too.
    #[test]
    fn both_orders_of_tokens_give_the_same_prices() {
        let holds = |range| {
            let portfolio = Portfolio { liquidity: 7, liquidity_cost: Usdc(5), range, ..Portfolio::default() };
            match portfolio.positions()[..] {
                [OpenPosition::Liquidity { between, cost, .. }] => {
                    assert_eq!(cost, Usdc(5));
                    between
                }
                ref other => panic!("{other:?}"),
            }
        };
        // 1.0001^200,311 is 5e8: 2,000 USDC a whole.
        let (low, high) = holds(Some(Range { lower: 199_311, upper: 200_311 })).unwrap();
        let (again, and) = holds(Some(Range { lower: -200_311, upper: -199_311 })).unwrap();
        assert!((low / again - 1.0).abs() < 1e-12 && (high / and - 1.0).abs() < 1e-12);
        assert!((low - 2_000.0).abs() < 1.0 && (high / low - 1.105).abs() < 1e-3, "{low} {high}");
        assert_eq!(holds(None), None, "a range that nobody has seen is not made up");
    }

    #[test]
    fn only_what_is_open_is_listed_and_at_the_last_price() {
        assert_eq!(Portfolio::default().positions(), []);
        let portfolio = Portfolio {
            asset: Asset(1_500_000_000_000_000_000),
            asset_cost: Usdc(2_900_000_000),
            price: Positive::new(2_000.0),
            ..Portfolio::default()
        };
        let (wei, cost) = (portfolio.asset, portfolio.asset_cost);
        assert_eq!(portfolio.positions(), [OpenPosition::Asset { wei, worth: Usdc(3_000_000_000), cost }]);
        let unseen = Portfolio { price: None, ..portfolio };
        assert_eq!(unseen.positions(), [OpenPosition::Asset { wei, worth: Usdc::ZERO, cost }]);
    }
}
