//! What is open, in words.

use crate::money;
use golem_core::Usdc;
use golem_life::OpenPosition;

/// One position: what it is, what it is worth, and what it cost.
#[must_use]
pub fn words(open: &OpenPosition) -> String {
    match open {
        OpenPosition::Asset { wei, worth, cost } => {
            format!("{} ETH, worth {}{}", money::eth(*wei), money::usdc(*worth), since(*worth, *cost))
        }
        OpenPosition::Liquidity { worth, cost, fees, between, in_range } => {
            let range = between.map_or(String::new(), |(low, high)| {
                let aside = if *in_range { "" } else { ", the price is outside" };
                format!(" from {} to {}{aside}", money::price(low), money::price(high))
            });
            let fees = match *fees {
                Usdc::ZERO => String::new(),
                fees => format!(", {} in fees", money::usdc(fees)),
            };
            format!("liquidity{range}, worth {}{}{fees}", money::usdc(*worth), since(*worth, *cost))
        }
    }
}

/// How that compares with what it cost.
fn since(worth: Usdc, cost: Usdc) -> String {
    format!(" ({} since opened)", money::signed(worth.delta(cost)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::intent::Asset;

    #[test]
    fn every_kind_in_words() {
        let (worth, cost) = (Usdc(3_000_000_000), Usdc(2_900_500_000));
        let pool = |fees, between, in_range| OpenPosition::Liquidity { worth, cost, fees, between, in_range };
        for (open, said) in [
            (
                OpenPosition::Asset { wei: Asset(1_500_000_000_000_000_000), worth, cost },
                "1.5000 ETH, worth 3,000.00 (+99.50 since opened)",
            ),
            (
                pool(Usdc(1_250_000), Some((1_900.0, 2_100.5)), true),
                "liquidity from 1,900.00 to 2,100.50, worth 3,000.00 (+99.50 since opened), 1.25 in fees",
            ),
            (
                pool(Usdc::ZERO, Some((1_900.0, 2_100.5)), false),
                "liquidity from 1,900.00 to 2,100.50, the price is outside, worth 3,000.00 (+99.50 since opened)",
            ),
            (pool(Usdc::ZERO, None, false), "liquidity, worth 3,000.00 (+99.50 since opened)"),
        ] {
            assert_eq!(words(&open), said);
        }
    }
}
