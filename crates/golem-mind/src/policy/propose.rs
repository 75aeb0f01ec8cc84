//! What a deliberation wishes for, as intents: shares become amounts on the policy's desk, and pass the same gate as the
//! policy's own wishes.

use super::act::Act;
use super::desk::Desk;
use super::earn::width_bps;
use super::gate;
use crate::math::unit;
use golem_core::Intent;

/// The intents of one wish: an action with a share of what there is. Nothing when it comes to nothing here.
pub(super) fn intents(desk: &Desk<'_>, act: Act, share: f64) -> Vec<Intent> {
    let share = unit(share);
    // What grows is scaled by the risk that is allowed; what shrinks is not.
    let free = desk.holdings.capital.0 as f64 * share * unit(desk.may.risk);
    let width = width_bps(desk.config.lp_management.range_sigmas, desk.outlook);
    let wishes = match act {
        Act::Hold => Vec::new(),
        Act::Buy => desk.buy(free, &mut desk.purse()).into_iter().collect(),
        Act::Sell => desk.sell(desk.asset_share(share)).into_iter().collect(),
        Act::Add => desk.enter(free, 0.0, width),
        Act::Remove => vec![desk.remove(share)],
        Act::Collect => vec![Intent::Collect],
        Act::Rebalance => vec![Intent::Rebalance { width_bps: width, tolerance_bps: desk.config.slippage_bps }],
    };
    gate::pass(wishes, desk)
}
