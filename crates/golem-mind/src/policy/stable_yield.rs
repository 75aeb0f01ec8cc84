//! stable-yield: USDC, and one wide liquidity position while it clearly pays and the market is calm. Any of the asset
//! that is left over is sold.

use super::desk::{ADD, Desk, REMOVE, SWAP};
use super::earn::best_width;
use crate::math::unit;
use golem_core::{Elapsed, Intent, VirtualTime};
use serde::{Deserialize, Serialize};

/// How the market stands to an open or closed position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarketCall {
    Enter,
    Leave,
    Neither,
}

/// Entering takes more than staying does, in yield and in calm: between the two nothing changes.
fn call(desk: &Desk<'_>) -> (MarketCall, f64) {
    let p = &desk.config.stable_yield;
    let outlook = desk.outlook;
    let Some(log_vol) = outlook.log_vol else { return (MarketCall::Neither, 0.0) };
    let heat = libm::exp((log_vol - outlook.usual_log_vol.unwrap_or(log_vol)).min(9.0));
    let works = outlook.p_normal().unwrap_or(1.0);
    if heat > p.heat || works < 0.5 {
        return (MarketCall::Leave, 0.0);
    }
    let Some(net) = best_width(desk, p.range_sigmas).1 else { return (MarketCall::Neither, 0.0) };
    if net < p.enter_yield * unit(p.leave_share) {
        (MarketCall::Leave, net)
    } else if net >= p.enter_yield && heat <= 1.0 + 0.5 * (p.heat - 1.0) && works >= 0.8 {
        (MarketCall::Enter, net)
    } else {
        (MarketCall::Neither, net)
    }
}

/// What the rule remembers: when it last wanted to get out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Rest {
    left_at: Option<VirtualTime>,
}

/// Whether it has to get out now: a market that heats up does not wait.
pub(super) fn must_leave(desk: &Desk<'_>) -> bool {
    desk.holdings.liquidity > 0 && call(desk).0 == MarketCall::Leave
}

/// What is wanted, and whether a second step must follow in the next turn.
pub(super) fn wishes(desk: &Desk<'_>, rest: &mut Rest, now: VirtualTime) -> (Vec<Intent>, bool) {
    let p = &desk.config.stable_yield;
    let (stand, (call, net)) = (&desk.stand, call(desk));
    if desk.holdings.liquidity > 0 {
        let over = stand.liquidity > 1.25 * unit(p.max_liquidity);
        // Out of its range it earns nothing and is all asset or none: out, and in again by the usual rule.
        if call == MarketCall::Leave || desk.lost_range() {
            let micro = desk.micro(stand.liquidity);
            if !desk.is_trade(micro) || micro < 10.0 * desk.gas * (REMOVE + SWAP) {
                return (Vec::new(), false);
            }
            rest.left_at = if call == MarketCall::Leave { Some(now) } else { None };
            return (vec![desk.remove(1.0)], true);
        }
        let mut wishes = tidy(desk);
        if over {
            wishes.push(desk.remove(1.0 - unit(p.max_liquidity) / stand.liquidity));
        }
        let collect = if over { None } else { desk.collect() };
        wishes.extend(collect);
        return (wishes, over);
    }
    let rested = rest.left_at.is_none_or(|at| now.since(at) >= Elapsed::nominal(p.rest_ticks));
    let share = unit(p.max_liquidity) * unit(desk.may.risk);
    let micro = desk.micro(share);
    // In and out again: the whole of the round trip must be earned.
    let toll = micro * desk.cost + desk.gas * (ADD + REMOVE + 2.0 * SWAP);
    if call == MarketCall::Enter
        && rested
        && desk.may_open()
        && desk.is_trade(micro)
        && micro * net * p.hold_days > toll
    {
        let wishes = desk.enter(micro, 0.0, best_width(desk, p.range_sigmas).0);
        if !wishes.is_empty() {
            return (wishes, false);
        }
    }
    (tidy(desk), false)
}

/// Sell what lies about of the asset.
fn tidy(desk: &Desk<'_>) -> Vec<Intent> {
    let micro = desk.micro(desk.stand.asset);
    let pays = desk.is_trade(micro) && micro > 10.0 * desk.gas * SWAP;
    if pays { desk.sell(desk.holdings.asset).into_iter().collect() } else { Vec::new() }
}
