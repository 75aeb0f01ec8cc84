//! An action as numbers, for the information diagnostics: holding is a value, too.

use super::Valuation;
use crate::math::{clip, ratio};
use golem_core::Intent;
use golem_core::intent::Asset;

/// Signed size as a share of net asset value, half-width of the range as a fraction of the price, and the change of
/// exposure as a share of net asset value. Putting the asset into a position, or taking it out, changes no exposure.
#[must_use]
pub fn action_vector(intents: &[Intent], price: f64, value: &Valuation) -> [f64; 3] {
    let nav = value.nav.0 as f64;
    let worth = |asset: Asset| asset.as_f64() * price * 1e6;
    let (mut size, mut width, mut exposure) = (0.0, 0.0, 0.0);
    for intent in intents {
        let (amount, traded) = match *intent {
            Intent::Buy { pay, .. } => (pay.0 as f64, 1.0),
            Intent::Sell { give, .. } => (-worth(give), 1.0),
            Intent::Add { pay, give, .. } => (pay.0 as f64 + worth(give), 0.0),
            Intent::Remove { share_bps, .. } => (-(value.liquidity.share_bps(share_bps).0 as f64), 0.0),
            Intent::Hold | Intent::Collect | Intent::Rebalance { .. } => (0.0, 0.0),
            Intent::Home { .. } | Intent::Unwrap { .. } => (0.0, 0.0),
        };
        if let Intent::Add { width_bps, .. } | Intent::Rebalance { width_bps, .. } = *intent {
            width = f64::from(width_bps) / 1e4;
        }
        size += ratio(amount, nav);
        exposure += ratio(amount * traded, nav);
    }
    [clip(size, 10.0), clip(width, 10.0), clip(exposure, 10.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Usdc;

    #[test]
    fn actions_as_numbers() {
        let value = Valuation { nav: Usdc::whole(100), liquidity: Usdc::whole(20) };
        let check = |intents: &[Intent], expected: [f64; 3]| {
            let got = action_vector(intents, 2_000.0, &value);
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{intents:?}: {got:?}");
        };
        let give = Asset(5 * Asset::WHOLE / 1_000);
        let sell = Intent::Sell { give, min_out: Usdc::ZERO };
        let remove = Intent::Remove { share_bps: 5_000, tolerance_bps: 50 };
        check(&[], [0.0; 3]);
        check(&[Intent::Hold, Intent::Collect], [0.0; 3]);
        check(&[Intent::Buy { pay: Usdc::whole(10), min_out: Asset(0) }], [0.1, 0.0, 0.1]);
        check(&[sell], [-0.1, 0.0, -0.1]);
        check(&[Intent::Add { pay: Usdc::whole(10), give, width_bps: 500, tolerance_bps: 50 }], [0.2, 0.05, 0.0]);
        check(&[remove, sell], [-0.2, 0.0, -0.1]);
    }
}
