//! What an ask would put at risk, at worst: the most that its actions can take out of the account, and at least what the
//! preview says that it adds to the position.

use crate::spot::{RoundTo, value};
use golem_core::intent::Asset;
use golem_core::{Action, Intent, Preview, Usdc};

/// What an ask puts at risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AtRisk {
    /// All of it, at the spot price; nothing for what only reduces.
    pub total: Usdc,
    /// The most USDC that can leave the account.
    pub max_usdc: Usdc,
    /// The most of the asset that can leave the account.
    pub max_asset: Asset,
    /// That asset at the spot price.
    pub asset_value: Usdc,
}

/// What an ask puts at risk; `None` when the pool has no price.
pub(crate) fn at_risk(preview: &Preview) -> Option<AtRisk> {
    let (mut max_usdc, mut max_asset) = (Usdc::ZERO, Asset::ZERO);
    for action in &preview.actions {
        let (pay, give) = match *action {
            Action::Buy { pay, .. } => (pay, Asset::ZERO),
            Action::Sell { give, .. } => (Usdc::ZERO, give),
            Action::Mint { pay, give, .. } => (pay, give),
            Action::Home { sum } => sum.booked(),
            Action::Unwrap { give } => (Usdc::ZERO, give),
            Action::Burn { .. } | Action::Collect { .. } => (Usdc::ZERO, Asset::ZERO),
        };
        (max_usdc, max_asset) = (max_usdc.plus(pay), max_asset.plus(give));
    }
    let asset_value = Usdc(u64::try_from(value(max_asset, &preview.before.pool, RoundTo::Up)?).unwrap_or(u64::MAX));
    let (before, after) = (preview.before.worth.position, preview.after.worth.position);
    let growth = match preview.intent {
        Intent::Add { .. } => after.minus(before),
        // All of the new range is a new risk, wherever its money came from.
        Intent::Rebalance { .. } => after,
        _ => Usdc::ZERO,
    };
    let worst = max_usdc.plus(asset_value).max(growth);
    let total = if preview.intent.only_reduces() { Usdc::ZERO } else { worst };
    Some(AtRisk { total, max_usdc, max_asset, asset_value })
}
