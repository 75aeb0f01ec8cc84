//! What a template has on its desk when it decides, and the only place where shares become amounts: integers, rounded
//! down, never above what is held.

use super::{Permissions, PolicyConfig, Valuation};
use crate::math::{ratio, unit};
use crate::outlook::Outlook;
use crate::pool::Span;
use golem_core::intent::{Asset, Holdings};
use golem_core::{Intent, Usdc};

/// Gas of each kind of intent, in swaps.
pub(super) const SWAP: f64 = 1.0;
pub(super) const ADD: f64 = 3.0;
pub(super) const REMOVE: f64 = 2.0;
pub(super) const REBALANCE: f64 = 5.0;
/// Fees below this share of capital are left where they are.
const CRUMBS: f64 = 0.005;

/// The holdings as shares of working capital.
#[derive(Debug, Clone, Copy)]
pub(super) struct HoldingShares {
    /// USDC for one of the asset, and its logarithm.
    pub price: f64,
    pub log_price: f64,
    /// Working capital in micro-USDC.
    pub capital: f64,
    /// Shares of it: the asset in the account, and the liquidity position.
    pub asset: f64,
    pub liquidity: f64,
    /// Share of the liquidity position that is the asset.
    pub inside: f64,
}

impl HoldingShares {
    fn of(price: f64, holdings: &Holdings, value: &Valuation, range: Option<Span>) -> Self {
        let log_price = libm::log(price);
        let asset = holdings.asset.as_f64() * price * 1e6;
        let liquidity = if holdings.liquidity > 0 { value.liquidity.0 as f64 } else { 0.0 };
        let capital = holdings.capital.0 as f64 + asset + liquidity;
        // Half of a position is the asset, where its range is not known.
        let inside = range.map_or(0.5, |r| r.asset_share(log_price));
        Self { price, log_price, capital, asset: ratio(asset, capital), liquidity: ratio(liquidity, capital), inside }
    }
}

/// Everything that a template goes by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Desk<'a> {
    pub outlook: &'a Outlook,
    pub holdings: &'a Holdings,
    pub may: &'a Permissions,
    pub config: &'a PolicyConfig,
    pub stand: HoldingShares,
    /// Gas of one swap in micro-USDC; nothing where its price is not known, and then only less may be held.
    pub gas: f64,
    /// What a trade costs, as a share of it.
    pub cost: f64,
}

impl<'a> Desk<'a> {
    /// Lay everything out.
    pub(super) fn of(
        outlook: &'a Outlook,
        (holdings, value): (&'a Holdings, &Valuation),
        may: &'a Permissions,
        config: &'a PolicyConfig,
        price: f64,
    ) -> Self {
        // Gwei are 1e-9 of the asset, and the price is USDC for one of it.
        let gas = outlook.gas_gwei().map_or(0.0, |gwei| gwei * config.gas_units as f64 * price / 1e3);
        let cost = outlook.cost_bps.unwrap_or(config.assumed_cost_bps) / 1e4;
        let stand = HoldingShares::of(price, holdings, value, outlook.range);
        Self { outlook, holdings, may, config, stand, gas, cost }
    }

    /// Whether gas is more than twice what it was in the last hour: what can wait does.
    pub(super) fn gas_is_dear(&self) -> bool {
        self.outlook.gas_excess.is_some_and(|x| x > std::f64::consts::LN_2)
    }
    /// Whether gas is known, and nothing that can wait: what is not known is not free.
    pub(super) fn gas_serves(&self) -> bool {
        self.outlook.log_gas.is_some() && !self.gas_is_dear()
    }
    /// Whether anything may grow in this turn.
    pub(super) fn may_open(&self) -> bool {
        self.may.may_open && self.gas_serves()
    }
    /// True while a position is open that the price has left.
    pub(super) fn lost_range(&self) -> bool {
        self.holdings.liquidity > 0 && !self.holdings.in_range
    }
    /// Whether so many micro-USDC are a trade at all.
    pub(super) fn is_trade(&self, micro: f64) -> bool {
        micro >= self.config.min_trade_usdc.0 as f64
    }
    /// The smallest trade whose gas and fees are within what may be spent on them, in micro-USDC.
    pub(super) fn cheapest(&self) -> f64 {
        let left = self.config.most_cost_bps / 1e4 - self.cost;
        if left > 0.0 { libm::ceil(self.gas / left) + 1.0 } else { f64::INFINITY }
    }
    /// Whether a trade costs little enough for a rule that does not say what it brings.
    pub(super) fn is_cheap(&self, micro: f64) -> bool {
        self.is_trade(micro) && micro * self.cost + self.gas <= micro * self.config.most_cost_bps / 1e4
    }
    /// What the golem has in its account.
    pub(super) fn purse(&self) -> Purse {
        Purse::of(self.holdings)
    }
    /// The asset's share of what goes into the position: an open one keeps its range, a new one is around the price.
    pub(super) fn mixture(&self) -> f64 {
        if self.holdings.liquidity > 0 && self.holdings.in_range { self.stand.inside } else { 0.5 }
    }
    /// A share of working capital in micro-USDC.
    pub(super) fn micro(&self, share: f64) -> f64 {
        share * self.stand.capital
    }

    /// Buy for so many micro-USDC, out of the purse. Nothing when that is no trade.
    pub(super) fn buy(&self, micro: f64, purse: &mut Purse) -> Option<Intent> {
        let pay = usdc(micro).min(purse.usdc);
        let min_out = Asset::of_whole(pay.as_f64() / self.stand.price * self.kept());
        if pay < self.config.min_trade_usdc || min_out == Asset::ZERO {
            return None;
        }
        *purse = Purse { usdc: purse.usdc.minus(pay), asset: purse.asset.plus(min_out) };
        Some(Intent::Buy { pay, min_out })
    }
    /// Sell so much, at most what is held. Nothing when not a micro-USDC would come back.
    pub(super) fn sell(&self, give: Asset) -> Option<Intent> {
        let give = give.min(self.holdings.asset);
        let min_out = usdc(give.as_f64() * self.stand.price * 1e6 * self.kept());
        (min_out > Usdc::ZERO).then_some(Intent::Sell { give, min_out })
    }
    /// A share of the asset that is held.
    pub(super) fn asset_share(&self, share: f64) -> Asset {
        let held = self.holdings.asset.0;
        if share >= 1.0 { Asset(held) } else { Asset(((held as f64 * unit(share)) as u128).min(held)) }
    }
    /// Take a share of the position out, rounded up to a basis point.
    pub(super) fn remove(&self, share: f64) -> Intent {
        let share_bps = (libm::ceil(unit(share) * 1e4) as u32).max(1);
        Intent::Remove { share_bps, tolerance_bps: self.config.slippage_bps }
    }
    /// Take at most so much of the liquidity out, rounded down to a basis point of it.
    pub(super) fn remove_at_most(&self, liquidity: u128) -> Intent {
        let held = self.holdings.liquidity.max(1);
        // Large numbers lose their last digits, of both alike.
        let (part, whole) = if held < 1 << 100 { (liquidity, held) } else { (liquidity >> 20, held >> 20) };
        let share_bps = u32::try_from((part.min(whole) * 10_000) / whole).unwrap_or(10_000).max(1);
        Intent::Remove { share_bps, tolerance_bps: self.config.slippage_bps }
    }
    /// Take the fees, once they are a trade, ten times what it costs to have them, and not just crumbs.
    pub(super) fn collect(&self) -> Option<Intent> {
        let fees = self.holdings.fees.0 as f64;
        let pays = self.is_trade(fees) && fees > 10.0 * self.gas && fees > self.micro(CRUMBS);
        (self.holdings.liquidity > 0 && pays).then_some(Intent::Collect)
    }

    /// Put so many micro-USDC of both tokens into the position: buy what is missing of the asset, then add both. So much
    /// of the asset is to stay in the account. What a purchase too small to make would bring is done without.
    pub(super) fn enter(&self, micro: f64, stays: f64, width_bps: u32) -> Vec<Intent> {
        let mut wishes = Vec::new();
        let mut purse = self.purse();
        let inside = self.mixture();
        if !(0.02..=0.98).contains(&inside) {
            return wishes;
        }
        // Whatever is short, both halves shrink alike.
        let missing = (micro * inside + stays - self.micro(self.stand.asset)).max(0.0);
        let fits = ratio(purse.usdc.0 as f64, missing + micro * (1.0 - inside));
        let micro = micro * fits.min(1.0);
        wishes.extend(self.buy(missing * fits.min(1.0), &mut purse));
        let give = Asset::of_whole(micro * inside / 1e6 / self.stand.price).min(purse.asset);
        let pay = usdc(give.as_f64() * self.stand.price * 1e6 * (1.0 - inside) / inside).min(purse.usdc);
        let (worth, tolerance_bps) = (give.as_f64() * self.stand.price * 1e6 + pay.0 as f64, self.config.slippage_bps);
        if !self.is_trade(worth) || pay == Usdc::ZERO || give == Asset::ZERO {
            return Vec::new();
        }
        wishes.push(Intent::Add { pay, give, width_bps, tolerance_bps });
        wishes
    }

    fn kept(&self) -> f64 {
        1.0 - f64::from(self.config.slippage_bps.min(9_999)) / 1e4
    }
}

/// What is left to spend in this turn; of a purchase only the least that it brings is counted on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purse {
    pub usdc: Usdc,
    pub asset: Asset,
}

/// Micro-USDC of a float, rounded down; what is not a positive number is nothing.
fn usdc(micro: f64) -> Usdc {
    Usdc(if micro > 0.0 { micro as u64 } else { 0 })
}
