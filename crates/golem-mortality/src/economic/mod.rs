//! The economic clock: a ledger that balances to the micro-USDC, a smoothed burn rate, and what both mean for life.

pub mod budget;
pub mod burn;
pub mod ledger;
pub mod prices;
pub mod purpose;
pub mod rebalance;
pub mod surplus;
pub mod trailing;

pub use burn::{BurnRate, ticks_to_burn};
pub use ledger::{Ledger, MOST, Paid, PurseDenied};
pub use prices::Prices;
pub use purpose::{Partition, Purpose};

use golem_core::Usdc;

/// Health of the economic clock: what is above the reserve, relative to what was above it at birth. In [0, 1].
#[must_use]
pub fn economic_score(balance: Usdc, reserve: Usdc, initial: Usdc) -> f64 {
    let (have, had) = (balance.minus(reserve), initial.minus(reserve));
    if had == Usdc::ZERO {
        return if have > Usdc::ZERO { 1.0 } else { 0.0 };
    }
    (have.0 as f64 / had.0 as f64).clamp(0.0, 1.0)
}

/// The locked reserve: the floor, a share of funding, or what it costs to unwind, whichever is most.
#[doc(alias = "apoptotic_reserve")]
#[must_use]
pub fn reserve(floor: Usdc, funding_share: Usdc, unwinding: Usdc) -> Usdc {
    floor.max(funding_share).max(unwinding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_table() {
        for (balance, reserve, initial, want) in [
            (50_000_000, 1_000_000, 50_000_000, 1.0),
            (1_000_000, 1_000_000, 50_000_000, 0.0),
            (25_500_000, 1_000_000, 50_000_000, 0.5),
            (90_000_000, 1_000_000, 50_000_000, 1.0),
            (0, 1_000_000, 50_000_000, 0.0),
            (300_000, 300_000, 200_000, 0.0),
            (300_001, 300_000, 200_000, 1.0),
        ] {
            let got = economic_score(Usdc(balance), Usdc(reserve), Usdc(initial));
            assert!((got - want).abs() < 1e-12, "{balance} {reserve} {initial}: {got}");
        }
    }
}
