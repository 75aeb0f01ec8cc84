//! eth-dca: one purchase of the same amount in every stretch of nominal ticks, whatever the forecast says. It never
//! sells; that is left to unwinding.

use super::desk::Desk;
use crate::math::unit;
use golem_core::{Elapsed, Intent, VirtualTime};
use serde::{Deserialize, Serialize};

/// What the rule remembers: the stretch it last bought in, and the one before, should that come to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Calendar {
    bought: Option<u64>,
    before: Option<u64>,
}

impl Calendar {
    /// The last purchase came to nothing: its stretch is open again.
    pub(super) fn undo(&mut self) {
        self.bought = self.before;
    }
}

/// How many times the amount is bought at most to make the gas worth it.
const MOST_TIMES: f64 = 4.0;

/// Nominal ticks between two attempts: a purchase that was refused is tried again within its stretch.
pub(super) fn spacing(desk: &Desk<'_>) -> Elapsed {
    Elapsed::nominal(desk.config.cooldown_ticks.min(desk.config.eth_dca.every_ticks))
}

/// Whether the price is clearly below its day's mean.
pub(super) fn is_down(desk: &Desk<'_>) -> bool {
    let share = desk.config.eth_dca.dip_share;
    desk.outlook.day_mean.is_some_and(|mean| desk.stand.log_price < mean + libm::log1p(-share))
}

/// What is wanted.
pub(super) fn wishes(desk: &Desk<'_>, calendar: &mut Calendar, now: VirtualTime) -> Vec<Intent> {
    let p = &desk.config.eth_dca;
    let stretch = now.age().nominal_floor() / p.every_ticks.max(1);
    if calendar.bought == Some(stretch) || !desk.may_open() {
        return Vec::new();
    }
    let times = if is_down(desk) { p.dip_multiplier } else { 1.0 };
    // Less risk buys less, but never less than a trade: a phase that is careful still saves.
    // Where gas would eat too much of it, more is bought at once, within reason.
    let amount = (p.amount_usdc.0 as f64).max(desk.cheapest().min(MOST_TIMES * p.amount_usdc.0 as f64));
    let micro = amount * times * unit(desk.may.risk);
    let micro = if micro > 0.0 { micro.max(desk.config.min_trade_usdc.0 as f64) } else { 0.0 };
    let micro = micro.min(desk.holdings.capital.0 as f64);
    if !desk.is_cheap(micro) {
        return Vec::new();
    }
    let wish = desk.buy(micro, &mut desk.purse());
    if wish.is_some() {
        *calendar = Calendar { bought: Some(stretch), before: calendar.bought };
    }
    wish.into_iter().collect()
}
