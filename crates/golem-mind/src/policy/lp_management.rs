//! lp-management: liquidity where fees pay for what arbitrage takes, in a range as wide as the volatility asks for, and
//! as much of the asset beside it as the forecast return is worth.

use super::desk::{ADD, Desk, REBALANCE, REMOVE, SWAP};
use super::earn::net_yield_within;
use super::tables::LpManagement;
use super::target::Target;
use crate::math::clip;
use golem_core::Intent;

/// A range this many times too narrow is moved, and one this many times too wide.
const TOO_NARROW: f64 = 1.75;
const TOO_WIDE: f64 = 2.5;
/// A position this close to half and half can be moved as it is: out of its middle it brings mostly one token.
const MIDDLE: f64 = 0.15;
/// Where a trade towards a target ends, as a part of the band around it: what overshoots comes back.
const EDGE: f64 = 0.5;
/// An open position that should stay open is resized for a gap of this part of the largest position.
const RESIZE: f64 = 0.5;
/// Times the way in that must be earned: what is bought on a forecast is sold again.
const ROUND_TRIP: f64 = 2.0;

/// Where it is, where it should be, and which of the two gaps is worth closing.
struct LpPlan<'a> {
    desk: &'a Desk<'a>,
    p: &'a LpManagement,
    target: Target,
    asset_gap: f64,
    move_asset: bool,
    gap: f64,
    move_liquidity: bool,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LpWishes {
    pub intents: Vec<Intent>,
    /// A second step must follow in the next turn: what a removal brings in can only be traded once it is there.
    pub unfinished: bool,
    /// The asset is moved for what is forecast.
    pub on_forecast: bool,
}

/// What is wanted, by somebody who stays for so many days where a trade leads to.
pub(super) fn wishes(desk: &Desk<'_>, stay_days: f64) -> LpWishes {
    let Some(plan) = LpPlan::of(desk, stay_days) else { return LpWishes::default() };
    let on_forecast = plan.on_forecast();
    if let Some(remove) = plan.leave() {
        let intents = [remove].into_iter().chain(plan.sell()).collect();
        return LpWishes { intents, unfinished: true, on_forecast };
    }
    let mut intents: Vec<Intent> = plan.sell().into_iter().collect();
    intents.extend(plan.grow());
    intents.extend(plan.widen());
    intents.extend(desk.collect());
    LpWishes { intents, unfinished: false, on_forecast }
}

impl<'a> LpPlan<'a> {
    fn of(desk: &'a Desk<'a>, stay_days: f64) -> Option<Self> {
        let (p, stand) = (&desk.config.lp_management, &desk.stand);
        let target = Target::from(desk, p)?;
        let asset_gap = near_edge(target.asset - stand.asset, p.band, target.asset);
        let benefit = target.asset_benefit(stand.asset, p, stay_days);
        let move_asset =
            (target.asset - stand.asset).abs() > p.band && worth(desk, asset_gap, benefit, desk.cost, SWAP);
        let gap = target.liquidity.map_or(0.0, |t| t - stand.liquidity);
        // A rest that should not be there at all is no small gap.
        let stays = stand.liquidity > 0.0 && !desk.lost_range();
        let least = if stays { p.band.max(RESIZE * p.max_liquidity) } else { p.band };
        let large = gap.abs() > least || target.liquidity.is_some_and(|t| t <= 0.0);
        let gas = SWAP + if gap > 0.0 { ADD } else { REMOVE };
        // Half of what goes into or out of the pool is traded on the way.
        let benefit = target.liquidity_benefit(stand.liquidity, p);
        let move_liquidity = large && worth(desk, gap, benefit, 0.5 * desk.cost, gas);
        let plan = Self { desk, p, target, asset_gap, move_asset, gap, move_liquidity };
        Some(if desk.may.urgent { plan.at_once() } else { plan })
    }

    /// What is too much goes, all of it, whatever is expected of it.
    fn at_once(self) -> Self {
        let asset_gap = (self.target.asset - self.desk.stand.asset).min(0.0);
        let gap = if self.desk.may.risk > 0.0 { self.gap.min(0.0) } else { -self.desk.stand.liquidity };
        // What is not ten times its gas stays, and so does a part that lies within the band.
        let least = if self.desk.may.risk > 0.0 { self.p.band } else { 0.0 };
        let is_much = |gap: f64, gas: f64| -gap > least && worth(self.desk, gap, -gap, 0.0, 10.0 * gas);
        let (move_asset, move_liquidity) = (is_much(asset_gap, SWAP), is_much(gap, REMOVE + SWAP));
        Self { asset_gap, move_asset, gap, move_liquidity, ..self }
    }

    /// Whether the asset is moved for what is forecast, and would not be for the usual share alone.
    fn on_forecast(&self) -> bool {
        let (desk, target) = (self.desk, &self.target);
        let brings = (target.asset - desk.stand.asset) * target.asset_edge;
        self.move_asset && worth(desk, self.asset_gap, brings, desk.cost, SWAP)
    }

    /// Take out what does not pay, and all of what the price has left behind: there it earns nothing, and only one token
    /// of it is left, so that it takes a trade to put it around the price again.
    fn leave(&self) -> Option<Intent> {
        let (desk, held) = (self.desk, self.desk.stand.liquidity);
        if self.move_liquidity && self.gap < 0.0 && desk.holdings.liquidity > 0 {
            let all = self.target.liquidity.is_some_and(|t| t <= 0.0);
            return Some(desk.remove(if all { 1.0 } else { -self.gap / held }));
        }
        if !desk.lost_range() || desk.gas_is_dear() {
            return None;
        }
        let pays = if desk.may.may_open && desk.may.may_rebalance {
            let again = held * self.target.net_yield * self.p.hold_days;
            worth(desk, held, again, 0.5 * desk.cost, REMOVE + SWAP + ADD)
        } else {
            // It cannot go in again; but one that has turned into the asset is more exposure than was meant.
            desk.stand.inside > 0.5 && worth(desk, held, held, 0.0, 10.0 * (REMOVE + SWAP))
        };
        pays.then(|| desk.remove(1.0))
    }

    /// What goes into the position in this turn, as a share of capital.
    fn adding(&self) -> f64 {
        let adds = self.move_liquidity && self.gap > 0.0 && self.desk.may_open() && !self.desk.lost_range();
        if adds { self.gap } else { 0.0 }
    }

    /// Sell what is too much of the asset, except what goes into the position.
    fn sell(&self) -> Option<Intent> {
        let desk = self.desk;
        let much = -self.asset_gap - self.adding() * desk.mixture();
        let wanted = self.move_asset && desk.is_trade(desk.micro(much));
        wanted.then(|| desk.sell(desk.asset_share(much / desk.stand.asset))).flatten()
    }

    fn grow(&self) -> Vec<Intent> {
        let (desk, held) = (self.desk, self.desk.stand.asset);
        if !desk.may_open() {
            return Vec::new();
        }
        if self.adding() > 0.0 {
            let stays = if self.move_asset && self.asset_gap > 0.0 {
                held + self.asset_gap
            } else {
                self.target.asset.min(held)
            };
            return desk.enter(desk.micro(self.adding()), desk.micro(stays), self.target.width_bps);
        }
        let buys = self.move_asset && self.asset_gap > 0.0;
        buys.then(|| desk.buy(desk.micro(self.asset_gap), &mut desk.purse())).flatten().into_iter().collect()
    }

    /// Give a position that is still around the price another width, when volatility is not what it was. A golem that
    /// may not open anything only widens: that takes risk away.
    fn widen(&self) -> Option<Intent> {
        let (desk, width_bps) = (self.desk, self.target.width_bps);
        let range =
            desk.outlook.range.filter(|_| width_bps > 0 && desk.holdings.liquidity > 0 && !desk.lost_range())?;
        let times = libm::log1p(f64::from(width_bps) / 1e4) / range.half();
        let centred = (desk.stand.inside - 0.5).abs() <= MIDDLE;
        let wanted = times > TOO_NARROW || (times < 1.0 / TOO_WIDE && desk.may.may_open);
        let held = desk.stand.liquidity;
        // A wider range takes risk away, and must be worth its price out of what the position earns; a narrower one must
        // earn it by being narrower.
        let now = if times > 1.0 { 0.0 } else { net_yield_within(desk, Some(range)).unwrap_or(0.0) };
        let pays = worth(desk, held, held * (self.target.net_yield - now) * self.p.hold_days, 0.0, REBALANCE);
        let tolerance_bps = desk.config.slippage_bps;
        (centred && wanted && pays).then_some(Intent::Rebalance { width_bps, tolerance_bps })
    }
}

/// Whether closing a gap brings more than it costs.
fn worth(desk: &Desk<'_>, gap: f64, benefit: f64, fee: f64, gas: f64) -> bool {
    let micro = desk.micro(gap.abs());
    desk.is_trade(micro) && desk.micro(benefit) > ROUND_TRIP * (micro * fee + desk.gas * gas)
}

/// The part of a gap that is closed: to the near edge of what is left alone, and all of it where nothing is to be held.
fn near_edge(gap: f64, band: f64, target: f64) -> f64 {
    if target <= 0.0 { gap } else { gap - clip(gap, EDGE * band) }
}
