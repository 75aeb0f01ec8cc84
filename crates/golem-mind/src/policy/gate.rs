//! The one gate that every wish passes, whatever template it came from: only what is permitted, only what there is.

use super::MOST_INTENTS;
use super::desk::{Desk, Purse};
use golem_core::intent::{Asset, Holdings};
use golem_core::{Intent, Usdc};

/// What of these wishes is allowed, in their order. A wish that counts on one before it that was not let through is not
/// let through either.
pub(super) fn pass(mut wishes: Vec<Intent>, desk: &Desk<'_>) -> Vec<Intent> {
    if wishes.is_empty() {
        return wishes;
    }
    let may_open = desk.may_open() && !desk.may.unwind;
    let may_rebalance = desk.may.may_rebalance && !desk.may.unwind && desk.gas_serves();
    let mut purse = desk.purse();
    let mut removed = false;
    wishes.retain(|wish| {
        let open = desk.holdings.liquidity > 0;
        let allowed = match *wish {
            // What leaves the books is nobody's wish.
            Intent::Hold | Intent::Home { .. } | Intent::Unwrap { .. } => false,
            Intent::Buy { .. } | Intent::Add { .. } if !may_open => false,
            Intent::Buy { min_out, .. } => min_out > Asset::ZERO && purse.pays(wish),
            Intent::Sell { min_out, .. } => min_out > Usdc::ZERO && purse.pays(wish),
            Intent::Add { .. } => purse.pays(wish),
            Intent::Remove { share_bps, .. } => open && (1..=10_000).contains(&share_bps) && !removed,
            // A removal brings the fees along; asking for them twice in one turn would count them twice.
            Intent::Collect => open && !removed && desk.holdings.fees > Usdc::ZERO,
            Intent::Rebalance { .. } => open && may_rebalance && !removed,
        };
        removed |= allowed && matches!(wish, Intent::Remove { .. } | Intent::Rebalance { .. });
        allowed
    });
    wishes.truncate(MOST_INTENTS);
    wishes
}

impl Purse {
    pub(super) fn of(holdings: &Holdings) -> Self {
        Self { usdc: holdings.capital, asset: holdings.asset }
    }
    /// Pay for a wish, if there is enough. What a sale brings is not counted on: it may be less than hoped for.
    fn pays(&mut self, wish: &Intent) -> bool {
        let (pay, give, get) = match *wish {
            Intent::Buy { pay, min_out } => (pay, Asset::ZERO, min_out),
            Intent::Sell { give, .. } => (Usdc::ZERO, give, Asset::ZERO),
            Intent::Add { pay, give, .. } => (pay, give, Asset::ZERO),
            _ => return true,
        };
        let something = pay > Usdc::ZERO || give > Asset::ZERO;
        let enough = something && pay <= self.usdc && give <= self.asset;
        if enough {
            *self = Self { usdc: self.usdc.minus(pay), asset: self.asset.minus(give).plus(get) };
        }
        enough
    }
}
