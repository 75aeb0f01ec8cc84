//! What an account's holdings are worth, by exact arithmetic over the pool's state: what unwinding them would really bring,
//! with the account's own liquidity gone and every tick crossed, and what they are at the spot price.

use crate::deed::Deed;
use crate::gas;
use crate::pool::{Pool, Round};
use crate::spot::{asset_to_usdc, gas_cost, ordered};
use alloy_primitives::U256;
use golem_core::intent::Asset;
use golem_core::venue::{Appraisal, PositionSeen};
use golem_core::{Action, Usdc};

/// The surroundings that a worth depends on.
#[derive(Debug, Clone, Copy)]
pub struct WorthAt<'a> {
    pub pool: &'a Pool,
    /// Which token USDC is.
    pub usdc_is_token0: bool,
    /// The base fee, in wei.
    pub base_fee: u128,
}

/// What unwinding brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unwound {
    /// USDC that comes in.
    pub usdc: u128,
    /// Of the asset, what nobody would buy at any price.
    pub asset: u128,
    /// Gas units for it, by the table.
    pub gas: u64,
}

/// A position as others see it.
#[must_use]
pub fn seen(at: WorthAt<'_>, deed: &Deed) -> PositionSeen {
    seen_earning(at, deed, deed.fees(at.pool))
}

fn seen_earning(at: WorthAt<'_>, deed: &Deed, fees: [u128; 2]) -> PositionSeen {
    let [fees, fees_asset] = sides(at, fees);
    let Deed { id, range, liquidity, .. } = *deed;
    PositionSeen { id, range, liquidity, fees: usdc(fees), fees_asset: Asset(fees_asset) }
}

/// What removing a position and then selling all of the asset brings, in that order, before gas.
#[must_use]
pub fn unwind(at: WorthAt<'_>, deed: Option<&Deed>, asset: Asset) -> Unwound {
    unwind_bringing(at, deed.map(|deed| (deed, made_of(at, deed))), asset)
}

/// What a position's liquidity is made of now.
fn made_of(at: WorthAt<'_>, deed: &Deed) -> Option<[u128; 2]> {
    at.pool.amounts(deed.range, deed.liquidity, Round::Down)
}

/// The same with what the position's liquidity is made of.
fn unwind_bringing(at: WorthAt<'_>, deed: Option<(&Deed, Option<[u128; 2]>)>, asset: Asset) -> Unwound {
    let mut brought = [0; 2];
    let mut left_pool = None;
    let mut gas = 0u64;
    if let Some((deed, brings)) = deed {
        let Deed { id: position, liquidity, .. } = *deed;
        let action = Action::Burn { position, liquidity, min_out: Usdc(0), min_asset: Asset(0), close: true };
        gas = gas::charged(&action, 0, 0, false);
        let (collected, without) = deed.leave_bringing(at.pool, brings);
        (brought, left_pool) = (collected, Some(without));
    }
    let [mut money, more] = sides(at, brought);
    let mut left = asset.0.saturating_add(more);
    let quote = |amount: U256| match &left_pool {
        Some(pool) => pool.quote(!at.usdc_is_token0, amount, None),
        None => at.pool.quote(!at.usdc_is_token0, amount, None),
    };
    if left > 0
        && let Ok(sale) = quote(U256::from(left))
    {
        money = money.saturating_add(sale.got);
        left = left.saturating_sub(sale.paid);
        let revoked = u32::from(gas::worth_revoking(sale.paid.saturating_add(left), sale.paid));
        let sell = Action::Sell { give: Asset(sale.paid), min_out: Usdc(0) };
        gas = gas.saturating_add(gas::charged(&sell, sale.crossed(), revoked, false));
    }
    Unwound { usdc: money, asset: left, gas }
}

/// The worth of a position and of an amount of the asset.
#[must_use]
pub fn appraise(at: WorthAt<'_>, deed: Option<&Deed>, asset: Asset) -> Appraisal {
    held(at, deed, asset).1
}

/// A position as others see it, and the worth of it and of an amount of the asset: what both need is reckoned once.
#[must_use]
pub fn held(at: WorthAt<'_>, deed: Option<&Deed>, asset: Asset) -> (Option<PositionSeen>, Appraisal) {
    let deed = deed.map(|deed| (deed, deed.fees(at.pool)));
    (deed.map(|(deed, fees)| seen_earning(at, deed, fees)), appraise_earning(at, deed, asset))
}

/// The worth of a position that has earned so much, and of an amount of the asset.
fn appraise_earning(at: WorthAt<'_>, deed: Option<(&Deed, [u128; 2])>, asset: Asset) -> Appraisal {
    if deed.is_none() && asset == Asset::ZERO {
        return Appraisal::default();
    }
    let price = at.pool.seen().sqrt_price_x96;
    let spot = |x: u128| asset_to_usdc(Asset(x), price, at.usdc_is_token0, Round::Down);
    let (mut position, mut fees, mut all) = (Usdc::ZERO, Usdc::ZERO, asset.0);
    let deed = deed.map(|(deed, fees)| (deed, fees, made_of(at, deed)));
    if let Some((_, earned, brings)) = deed {
        let ([money, inside], [earned, earned_asset]) = (sides(at, brings.unwrap_or_default()), sides(at, earned));
        position = usdc(money).plus(spot(inside));
        fees = usdc(earned).plus(spot(earned_asset));
        all = all.saturating_add(inside).saturating_add(earned_asset);
    }
    let unwound = unwind_bringing(at, deed.map(|(deed, _, brings)| (deed, brings)), asset);
    let gas = gas_cost(unwound.gas, at.base_fee, price, at.usdc_is_token0);
    Appraisal { unwound: usdc(unwound.usdc), gas, position, fees, exposure: spot(all) }
}

/// USDC and asset of amounts in the pool's order.
fn sides(at: WorthAt<'_>, [amount0, amount1]: [u128; 2]) -> [u128; 2] {
    ordered(at.usdc_is_token0, amount0, amount1)
}

fn usdc(micro: u128) -> Usdc {
    Usdc(u64::try_from(micro).unwrap_or(u64::MAX))
}
