//! Why a wish was made: the clause of its template that asked for it, in a word. It is read off the desk after the
//! decision and takes no part in it.

use super::desk::Desk;
use super::trend_following::TrendStance;
use super::{Policy, Template, stable_yield};
use golem_core::Intent;
use serde::{Deserialize, Serialize};

/// The clause that asked for a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// A deliberation wished for it.
    Wished,
    /// It declines: everything goes, piece by piece.
    Declining,
    /// The price broke out of its channel.
    Breakout,
    /// The price rises.
    Rising,
    /// The price falls.
    Falling,
    /// The price has fallen too far from its peak.
    Stopped,
    /// The forecast is worth more of the asset.
    MoreAsset,
    /// The forecast is worth less of the asset.
    LessAsset,
    /// A purchase was due.
    Due,
    /// A purchase was due, and the price is below its day's mean.
    DueAndDown,
    /// The pool pays more than it costs.
    PoolPays,
    /// The pool no longer pays enough, or the market is too hot for it.
    PoolPaysNot,
    /// The price has left the position's range.
    LeftRange,
    /// The position has outgrown its share.
    Outgrown,
    /// The range no longer fits the volatility.
    Width,
    /// The fees are worth fetching.
    Fees,
    /// It does not hold such things.
    LeftOver,
    /// It is dying: everything is closed.
    Dying,
    /// Its owner withdraws money.
    Withdrawing,
    /// Gas runs short.
    Gas,
    /// Too much was lost slowly: everything goes, piece by piece.
    Bled,
}

impl Policy {
    /// The clause behind each wish of the decision that was just taken.
    pub(super) fn because(&self, wishes: &[Intent], desk: &Desk<'_>) -> Vec<Because> {
        let adds = wishes.iter().any(|w| matches!(w, Intent::Add { .. }));
        wishes.iter().map(|wish| clause(wish, adds, desk, &self.stance)).collect()
    }
}

fn clause(wish: &Intent, adds: bool, desk: &Desk<'_>, stance: &TrendStance) -> Because {
    match (desk.config.template, wish) {
        _ if desk.may.unwind => Because::Declining,
        (_, Intent::Collect) => Because::Fees,
        (_, Intent::Rebalance { .. }) => Because::Width,
        (_, Intent::Add { .. }) => Because::PoolPays,
        (Template::TrendFollowing, Intent::Buy { .. } | Intent::Sell { .. }) => stance.clause(wish, desk),
        (Template::TrendFollowing, _) => Because::LeftOver,
        (Template::EthDca, Intent::Buy { .. }) if super::eth_dca::is_down(desk) => Because::DueAndDown,
        (Template::EthDca, Intent::Buy { .. }) => Because::Due,
        (Template::EthDca, _) => Because::LeftOver,
        (_, Intent::Buy { .. }) if adds => Because::PoolPays,
        (Template::StableYield, Intent::Remove { .. }) if stable_yield::must_leave(desk) => Because::PoolPaysNot,
        (_, Intent::Remove { .. }) if desk.lost_range() => Because::LeftRange,
        (Template::StableYield, Intent::Remove { .. }) => Because::Outgrown,
        (_, Intent::Remove { .. }) => Because::PoolPaysNot,
        (Template::StableYield, _) => Because::LeftOver,
        (_, Intent::Buy { .. }) => Because::MoreAsset,
        (..) => Because::LessAsset,
    }
}

impl TrendStance {
    fn clause(&self, wish: &Intent, desk: &Desk<'_>) -> Because {
        let held = desk.is_trade(desk.micro(desk.stand.asset));
        let broke_out = desk.outlook.trend.is_some_and(|t| desk.stand.log_price > t.high);
        match wish {
            Intent::Sell { .. } if self.was_stopped() => Because::Stopped,
            Intent::Sell { .. } if !self.is_long() => Because::Falling,
            Intent::Sell { .. } => Because::LessAsset,
            _ if held => Because::MoreAsset,
            _ if broke_out => Because::Breakout,
            _ => Because::Rising,
        }
    }
}
