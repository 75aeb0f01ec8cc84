//! trend-following: in while the price rises or breaks out, out when it falls or has lost too much since its peak. The
//! size aims at a constant volatility and leans on the forecast return.

use super::desk::{Desk, SWAP};
use crate::math::{DAY, HOUR, clip, unit};
use golem_core::Intent;
use serde::{Deserialize, Serialize};

/// What the rule remembers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct TrendStance {
    /// Whether it is in.
    long: bool,
    /// The highest log price since the asset is held.
    peak: Option<f64>,
    /// Stopped out: only a breakout, or a new trend, gets it in again.
    stopped: bool,
}

impl TrendStance {
    pub(super) fn is_long(&self) -> bool {
        self.long
    }
    pub(super) fn was_stopped(&self) -> bool {
        self.stopped && !self.long
    }
    /// Look at the price in every turn, also in those in which nothing may be done. Returns whether it has to get out
    /// now: the stop does not wait.
    pub(super) fn watch(&mut self, desk: &Desk<'_>) -> bool {
        let at = desk.stand.log_price;
        let held = desk.is_trade(desk.micro(desk.stand.asset));
        self.peak = held.then(|| self.peak.map_or(at, |p| p.max(at)));
        let Some((peak, variance)) = self.peak.zip(desk.outlook.daily_variance()) else { return false };
        if peak - at > desk.config.trend_following.stop_sigmas * libm::sqrt(variance) {
            (self.long, self.stopped) = (false, true);
        }
        self.stopped && !self.long && held
    }

    /// In or out, by the two means and the channel of closes. Between the two it stays as it is.
    fn follow(&mut self, desk: &Desk<'_>, variance: f64) {
        let Some(trend) = desk.outlook.trend else { return };
        let at = desk.stand.log_price;
        let entry = trend.slow + desk.config.trend_following.entry_sigmas * libm::sqrt(variance);
        let falling = trend.fast < trend.slow && at < trend.slow;
        if falling || at < trend.low {
            (self.long, self.stopped) = (false, false);
        } else if at > trend.high || (trend.fast > trend.slow && at > entry && !self.stopped) {
            (self.long, self.stopped) = (true, false);
        }
    }
}

/// What is wanted.
pub(super) fn wishes(desk: &Desk<'_>, stance: &mut TrendStance) -> Vec<Intent> {
    let p = &desk.config.trend_following;
    if desk.holdings.liquidity > 0 {
        return vec![desk.remove(1.0)];
    }
    let Some(variance) = desk.outlook.daily_variance() else { return Vec::new() };
    stance.follow(desk, variance);
    let held = desk.stand.asset;
    if !stance.long {
        return leave(desk, held);
    }
    let mean = desk.outlook.mean_return.unwrap_or(0.0);
    let lean = 1.0 + clip(mean / (p.risk_aversion * variance * HOUR / DAY), 1.0);
    let size = p.target_volatility / libm::sqrt(variance);
    let target = unit(size * lean).min(unit(p.max_exposure)) * unit(desk.may.risk);
    let gap = target - held;
    if gap.abs() <= p.band || !desk.is_cheap(desk.micro(gap.abs())) {
        return Vec::new();
    }
    if gap < 0.0 {
        return desk.sell(desk.asset_share(-gap / held)).into_iter().collect();
    }
    if !desk.may_open() {
        return Vec::new();
    }
    desk.buy(desk.micro(gap), &mut desk.purse()).into_iter().collect()
}

/// Out altogether, as long as gas leaves most of it.
fn leave(desk: &Desk<'_>, held: f64) -> Vec<Intent> {
    let micro = desk.micro(held);
    if !desk.is_trade(micro) || desk.gas * SWAP * 10.0 > micro {
        return Vec::new();
    }
    desk.sell(desk.holdings.asset).into_iter().collect()
}
