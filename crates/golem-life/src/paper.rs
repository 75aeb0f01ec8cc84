//! Paper hands: fills at the price seen, with a fee, an impact that grows with size, and gas at the gas price seen.
//!
//! Pure: the same intent in the same market has the same receipt, so nothing needs to be committed before it.

use crate::door::Hands;
use crate::portfolio::{NANO, kept, micro, sale, withdrawal};
use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::unit::Positive;
use golem_core::{Intent, Observation, Receipt, Usdc};

/// Gas units that each kind of action takes.
const GAS_SWAP: f64 = 130_000.0;
const GAS_LIQUIDITY: f64 = 230_000.0;
const GAS_COLLECT: f64 = 120_000.0;
/// The gas price where a world has none.
const DEFAULT_GAS_GWEI: f64 = 0.05;

/// Hands that trade on paper.
#[derive(Debug, Clone, Copy, Default)]
pub struct PaperHands;

/// Gas of an intent in USDC at the prices seen: what the mind may plan with, and what the receipt charges.
#[must_use]
pub fn gas_cost(intent: &Intent, price: Positive, gas_gwei: Option<Positive>) -> Usdc {
    let units = match intent {
        Intent::Hold => return Usdc::ZERO,
        Intent::Buy { .. } | Intent::Sell { .. } => GAS_SWAP,
        Intent::Add { .. } | Intent::Remove { .. } | Intent::Rebalance { .. } => GAS_LIQUIDITY,
        Intent::Collect => GAS_COLLECT,
    };
    // Nobody signs a transaction whose gas is absurd; the cap keeps a broken feed from eating the purse.
    let gwei = gas_gwei.map_or(DEFAULT_GAS_GWEI, Positive::get).min(1_000.0);
    micro(units * gwei * 1e-9 * price.get() * 1e6)
}

impl Hands for PaperHands {
    fn is_external(&self) -> bool {
        false
    }

    fn act(&mut self, intent: &Intent, holdings: &Holdings, seen: &Observation) -> Receipt {
        let refuse = |why| Receipt { intent: *intent, outcome: Outcome::Refused { why }, gas: Usdc::ZERO };
        let Some(price) = seen.price else { return refuse(Refusal::NoMarket) };
        let gas = gas_cost(intent, price, seen.gas_gwei);
        // A refusal by the market still costs gas; one that never left the house does not.
        let slipped = Receipt { intent: *intent, outcome: Outcome::Refused { why: Refusal::Slippage }, gas };
        let outcome = match *intent {
            Intent::Hold => Outcome::Held,
            Intent::Buy { pay, .. } if pay > holdings.capital => return refuse(Refusal::Funds),
            Intent::Buy { pay, min_out } => {
                let got = Asset((pay.as_f64() * kept(pay, seen.volume) / price.get() * NANO).clamp(0.0, 9e18) as u64);
                if got < min_out {
                    return slipped;
                }
                Outcome::Bought { paid: pay, got }
            }
            Intent::Sell { give, .. } if give > holdings.asset => return refuse(Refusal::Funds),
            Intent::Sell { give, min_out } => {
                let got = sale(give, price, seen.volume);
                if got < min_out {
                    return slipped;
                }
                Outcome::Sold { gave: give, got }
            }
            Intent::Add { pay, .. } if pay > holdings.capital => return refuse(Refusal::Funds),
            Intent::Add { pay, .. } => {
                // Half of it is swapped on the way in.
                let net = pay.as_f64() * (1.0 + kept(pay, seen.volume)) / 2.0;
                Outcome::Added { paid: pay, units: (net / libm::sqrt(price.get()) * NANO).clamp(0.0, 9e18) as u64 }
            }
            Intent::Remove { .. } | Intent::Rebalance { .. } if holdings.units == 0 => {
                return refuse(Refusal::NoPosition);
            }
            Intent::Remove { share_bps, min_out } => {
                let units = Usdc(holdings.units).share_bps(share_bps.min(10_000)).0;
                let got = withdrawal(units, price, seen.volume).plus(holdings.fees);
                if got < min_out {
                    return slipped;
                }
                Outcome::Removed { units, got }
            }
            // A full range has nowhere to move to: the fees are taken, as any rebalance would.
            Intent::Rebalance { .. } | Intent::Collect => Outcome::Collected { got: holdings.fees },
        };
        Receipt { intent: *intent, outcome, gas }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::RawObservation;

    fn market() -> Observation {
        RawObservation { price: Some(2_000.0), gas_gwei: Some(0.05), volume: Some(1e6), ..Default::default() }.admit()
    }

    #[test]
    fn a_round_trip_costs_fees_and_gas() {
        let holdings = Holdings { capital: Usdc::whole(20), ..Default::default() };
        let buy = Intent::Buy { pay: Usdc::whole(20), min_out: Asset(9_990_000) };
        let receipt = PaperHands.act(&buy, &holdings, &market());
        let Outcome::Bought { got, .. } = receipt.outcome else { panic!("{receipt:?}") };
        let sell = Intent::Sell { give: got, min_out: Usdc::ZERO };
        let back = PaperHands.act(&sell, &Holdings { asset: got, ..Default::default() }, &market());
        let Outcome::Sold { got, .. } = back.outcome else { panic!("{back:?}") };
        assert!(got < Usdc::whole(20) && got > Usdc(19_970_000), "{got}");
        assert_eq!(receipt.gas, Usdc(13_000));
    }

    #[test]
    fn the_world_can_say_no() {
        let holdings = Holdings::default();
        for (intent, why) in [
            (Intent::Buy { pay: Usdc(1), min_out: Asset(0) }, Refusal::Funds),
            (Intent::Sell { give: Asset(1), min_out: Usdc(0) }, Refusal::Funds),
            (Intent::Remove { share_bps: 10_000, min_out: Usdc(0) }, Refusal::NoPosition),
        ] {
            let receipt = PaperHands.act(&intent, &holdings, &market());
            assert_eq!(receipt.outcome, Outcome::Refused { why });
            assert_eq!(receipt.gas, Usdc::ZERO);
        }
        let rich = Holdings { capital: Usdc::whole(9), ..holdings };
        let greedy = Intent::Buy { pay: Usdc::whole(9), min_out: Asset(u64::MAX) };
        let receipt = PaperHands.act(&greedy, &rich, &market());
        assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Slippage });
        assert!(receipt.gas > Usdc::ZERO);
    }
}
