//! The T0 policy: compares where the portfolio is with where the forecasts say it should be, and moves it when that is
//! worth the cost. It wants; it never carries out.

mod config;
mod target;
mod unwind;
mod vector;

pub use config::PolicyConfig;
pub use vector::action_vector;

use crate::math::{ratio, unit};
use crate::outlook::Outlook;
use golem_core::intent::{Asset, Holdings};
use golem_core::{Elapsed, Intent, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};
use target::Target;

/// The most that is wanted in one turn.
pub const MOST_INTENTS: usize = 2;

/// What the golem may do in its phase, its suffering and its safety: decided elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Permissions {
    /// Scales every target, from 0 to 1.
    pub risk: f64,
    /// Whether exposure may grow.
    pub may_open: bool,
    /// Whether a liquidity range that has lost the price may be moved.
    pub may_rebalance: bool,
    /// Whether everything is to be given up, piece by piece.
    pub unwind: bool,
}

impl Permissions {
    /// Everything, at full risk.
    pub const ALL: Self = Self { risk: 1.0, may_open: true, may_rebalance: true, unwind: false };
    /// Reduce only.
    pub const REDUCE: Self = Self { risk: 1.0, may_open: false, may_rebalance: false, unwind: false };
}

/// What things are worth, by the exact arithmetic of another room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Valuation {
    /// Net asset value of the golem.
    pub nav: Usdc,
    /// What the liquidity position would fetch at the spot price, uncollected fees not included.
    pub liquidity: Usdc,
}

/// What the policy remembers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Policy {
    acted_at: Option<VirtualTime>,
    /// Log price at the centre of the liquidity range and its half-width, where it has one.
    range: Option<(f64, f64)>,
    unwinding: u32,
}

/// The position as shares of working capital.
#[derive(Debug, Clone, Copy)]
struct Stand {
    price: f64,
    /// Working capital in micro-USDC.
    capital: f64,
    asset: f64,
    liquidity: f64,
}

impl Stand {
    fn of(price: f64, holdings: &Holdings, value: &Valuation) -> Self {
        // Micro-USDC per 1e-9 of the asset is the price over a thousand.
        let (asset, liquidity) = (holdings.asset.0 as f64 * price / 1e3, value.liquidity.0 as f64);
        let capital = holdings.capital.0 as f64 + asset + liquidity;
        Self { price, capital, asset: ratio(asset, capital), liquidity: ratio(liquidity, capital) }
    }
}

impl Policy {
    /// What is wanted now; nothing means hold.
    pub fn decide(
        &mut self,
        outlook: &Outlook,
        holdings: &Holdings,
        value: &Valuation,
        may: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> Vec<Intent> {
        let Some(price) = outlook.price.filter(|p| p.is_finite() && *p > 0.0) else { return Vec::new() };
        let stand = Stand::of(price, holdings, value);
        if may.unwind {
            return unwind::step(&mut self.unwinding, &stand, holdings, value, config);
        }
        self.unwinding = 0;
        if self.acted_at.is_some_and(|at| now.since(at) < Elapsed::nominal(config.cooldown_ticks)) {
            return Vec::new();
        }
        let intents = self.wishes(outlook, &stand, holdings, value, may, config);
        if !intents.is_empty() {
            self.acted_at = Some(now);
        }
        intents
    }

    fn wishes(
        &mut self,
        outlook: &Outlook,
        stand: &Stand,
        holdings: &Holdings,
        value: &Valuation,
        may: &Permissions,
        config: &PolicyConfig,
    ) -> Vec<Intent> {
        let mut wishes = Vec::new();
        let Some(target) = Target::from(outlook, stand.liquidity, may.risk, config) else { return wishes };
        let gas = gas_cost(outlook, stand.price, config);
        let cost = outlook.cost_bps.unwrap_or(config.assumed_cost_bps) / 1e4;
        let worth = |gap: f64, benefit: f64, fee: f64| {
            let amount = gap.abs() * stand.capital;
            gap.abs() > config.band
                && amount >= config.min_trade_usdc.0 as f64
                && benefit * stand.capital > amount * fee + gas
        };
        let asset_gap = target.asset - stand.asset;
        let liquidity_gap = target.liquidity.map_or(0.0, |t| t - stand.liquidity);
        let move_asset = worth(asset_gap, target.asset_benefit(stand.asset, config), cost);
        // Half of what goes into or out of the pool is traded on the way.
        let move_liquidity = worth(liquidity_gap, target.liquidity_benefit(stand.liquidity, config), 0.5 * cost);
        if move_liquidity && liquidity_gap < 0.0 && holdings.units > 0 {
            wishes.push(remove(bps_up(-liquidity_gap / stand.liquidity), value, config));
        }
        if move_asset && asset_gap < 0.0 {
            wishes.extend(sell(scaled(holdings.asset.0, -asset_gap / stand.asset), stand.price, config));
        }
        let gas_is_dear = outlook.gas_excess.is_some_and(|x| x > std::f64::consts::LN_2);
        if may.may_open && !gas_is_dear {
            let mut left = holdings.capital;
            if move_liquidity && liquidity_gap > 0.0 {
                let width_bps = width(&target, config);
                let pay = Usdc(scaled(stand.capital as u64, liquidity_gap)).min(left);
                if pay >= config.min_trade_usdc {
                    left = left.minus(pay);
                    self.range = (width_bps > 0).then(|| centre(stand.price, width_bps));
                    wishes.push(Intent::Add { pay, width_bps });
                }
            }
            if move_asset && asset_gap > 0.0 {
                let pay = Usdc(scaled(stand.capital as u64, asset_gap)).min(left);
                if pay >= config.min_trade_usdc {
                    wishes.push(Intent::Buy { pay, min_out: bought(pay, stand.price, config) });
                }
            }
        }
        if may.may_rebalance && !gas_is_dear {
            wishes.extend(self.follow(stand, &target, config, gas));
        }
        // A removal brings the fees along; asking for them twice in one turn would count them twice.
        let removes = wishes.iter().any(|w| matches!(w, Intent::Remove { .. }));
        if !removes && holdings.fees >= config.min_trade_usdc && holdings.fees.0 as f64 > 10.0 * gas {
            wishes.push(Intent::Collect);
        }
        wishes.truncate(MOST_INTENTS);
        wishes
    }

    /// Move the range once the price has left it: out of range it earns nothing.
    fn follow(&mut self, stand: &Stand, target: &Target, config: &PolicyConfig, gas: f64) -> Option<Intent> {
        let (middle, half) = self.range?;
        let wanted = stand.liquidity > 0.0 && (libm::log(stand.price) - middle).abs() > half;
        let gain = stand.liquidity * stand.capital * target.net_yield * config.hold_days;
        let width_bps = width(target, config);
        if !wanted || gain <= gas || width_bps == 0 {
            return None;
        }
        self.range = Some(centre(stand.price, width_bps));
        Some(Intent::Rebalance { width_bps })
    }
}

/// What one action costs in gas, in micro-USDC: gwei are 1e-9 of the asset, and the price is USDC for one of it.
fn gas_cost(outlook: &Outlook, price: f64, config: &PolicyConfig) -> f64 {
    outlook.gas_gwei().map_or(0.0, |gwei| gwei * config.gas_units as f64 * price / 1e3)
}

fn width(target: &Target, config: &PolicyConfig) -> u32 {
    (config.range_sigmas * libm::sqrt(target.variance) * 1e4).min(20_000.0) as u32
}

fn centre(price: f64, width_bps: u32) -> (f64, f64) {
    (libm::log(price), libm::log1p(f64::from(width_bps) / 1e4))
}

/// A share of an amount, never more than all of it.
fn scaled(amount: u64, share: f64) -> u64 {
    ((amount as f64 * unit(share)) as u64).min(amount)
}

/// A share in basis points, rounded up.
fn bps_up(share: f64) -> u32 {
    libm::ceil(unit(share) * 1e4) as u32
}

fn kept(config: &PolicyConfig) -> f64 {
    1.0 - f64::from(config.slippage_bps.min(10_000)) / 1e4
}

fn bought(pay: Usdc, price: f64, config: &PolicyConfig) -> Asset {
    Asset((pay.0 as f64 / (price / 1e3) * kept(config)) as u64)
}

/// Sell, unless what comes back would not be a micro-USDC.
fn sell(give: u64, price: f64, config: &PolicyConfig) -> Option<Intent> {
    let quote = give as f64 * (price / 1e3);
    (give > 0 && quote >= 1.0).then(|| Intent::Sell { give: Asset(give), min_out: Usdc((quote * kept(config)) as u64) })
}

fn remove(share_bps: u32, value: &Valuation, config: &PolicyConfig) -> Intent {
    let min_out = value.liquidity.share_bps(share_bps).share_bps(10_000 - config.slippage_bps.min(10_000));
    Intent::Remove { share_bps, min_out }
}
