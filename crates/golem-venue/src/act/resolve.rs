//! What an intent means here and now: the exact actions, with every bound that keeps them to what was meant. Integers only.

use crate::pool::{MAX_RATIO, MIN_RATIO, Round, SPACING, amounts_at, full_range, liquidity_for, maths};
use crate::spot::{number, ordered};
use crate::venue::View;
use alloy_primitives::U256;
use golem_core::intent::{Asset, Refusal};
use golem_core::venue::{PositionSeen, Range};
use golem_core::{Action, Book, HomeSum, Intent, Usdc};

/// Hundred per cent in basis points.
const WHOLE_BPS: u32 = 10_000;
/// The unit of the square root of a ratio of prices.
const ROOT_UNIT: u128 = 10_000_000_000_000_000;

/// The actions that carry an intent out at this view of the venue, with these holdings.
///
/// # Errors
/// Why it cannot even be asked for.
pub fn resolve(intent: &Intent, view: &View, book: &Book) -> Result<Vec<Action>, Refusal> {
    match *intent {
        Intent::Hold => Ok(Vec::new()),
        Intent::Buy { pay, min_out } => {
            enough(pay, Asset::ZERO, book)?;
            Ok(vec![Action::Buy { pay, min_out }])
        }
        Intent::Sell { give, min_out } => {
            enough(Usdc::ZERO, give, book)?;
            Ok(vec![Action::Sell { give, min_out }])
        }
        Intent::Add { pay, give, width_bps, tolerance_bps } => {
            enough(pay, give, book)?;
            let range = book.position.map_or_else(|| range_around(view.pool.tick, width_bps), |p| p.range);
            let position = book.position.map(|p| p.id);
            Ok(vec![mint(view, position, range, pay, give, tolerance_bps)?])
        }
        Intent::Remove { share_bps, tolerance_bps } => {
            let position = open(book)?;
            Ok(vec![burn(view, &position, share_bps, tolerance_bps)?])
        }
        Intent::Collect => {
            let position = book.position.ok_or(Refusal::NoPosition)?.id;
            Ok(vec![Action::Collect { position }])
        }
        Intent::Home { sum } => {
            let (pay, give) = sum.booked();
            if !matches!(sum, HomeSum::Coin(_)) {
                enough(pay, give, book)?;
            }
            Ok(vec![Action::Home { sum }])
        }
        Intent::Unwrap { give } => {
            enough(Usdc::ZERO, give, book)?;
            Ok(vec![Action::Unwrap { give }])
        }
        Intent::Rebalance { width_bps, tolerance_bps } => {
            let position = open(book)?;
            let out = burn(view, &position, WHOLE_BPS, tolerance_bps)?;
            let (pay, give) = brought(view, &position).ok_or(Refusal::Reverted)?;
            let range = range_around(view.pool.tick, width_bps);
            Ok(vec![out, mint(view, None, range, pay, give, tolerance_bps)?])
        }
    }
}

fn enough(pay: Usdc, give: Asset, book: &Book) -> Result<(), Refusal> {
    let nothing = pay == Usdc::ZERO && give == Asset::ZERO;
    if nothing || pay > book.usdc || give > book.asset { Err(Refusal::Funds) } else { Ok(()) }
}

fn open(book: &Book) -> Result<PositionSeen, Refusal> {
    book.position.filter(|p| p.liquidity > 0).ok_or(Refusal::NoPosition)
}

/// What closing a position brings now, fees included.
fn brought(view: &View, position: &PositionSeen) -> Option<(Usdc, Asset)> {
    let price = number(view.pool.sqrt_price_x96);
    let [a, b] = amounts_at(price, view.pool.tick, position.range, position.liquidity, Round::Down)?;
    let [usdc, asset] = ordered(view.usdc_is_token0, a, b);
    let usdc = Usdc(u64::try_from(usdc).ok()?).checked_add(position.fees)?;
    Some((usdc, Asset(asset.checked_add(position.fees_asset.0)?)))
}

/// Which price a least amount is reckoned at.
#[derive(Clone, Copy)]
enum PriceAt {
    Now,
    Highest,
    Lowest,
}

/// The price and tick of the view, or after the tolerated move up or down.
fn price_at(view: &View, tolerance_bps: u32, at: PriceAt) -> Option<(U256, i32)> {
    let now = number(view.pool.sqrt_price_x96);
    let moved = match at {
        PriceAt::Now => return Some((now, view.pool.tick)),
        PriceAt::Highest => moved_price(now, tolerance_bps, true),
        PriceAt::Lowest => moved_price(now, tolerance_bps, false),
    };
    Some((moved, maths::tick_at(moved)?))
}

/// The least of token0 is due where the price is highest, the least of token1 where it is lowest: what is due at the two
/// ends of the tolerated move bounds that move. Where an end cannot even be reckoned there is no least.
fn least(view: &View, now: [u128; 2], due: impl Fn(PriceAt) -> Option<[u128; 2]>) -> (Usdc, Asset) {
    let [high0, _] = due(PriceAt::Highest).unwrap_or_default();
    let [_, low1] = due(PriceAt::Lowest).unwrap_or_default();
    sides(view, [high0.min(now[0]), low1.min(now[1])])
}

fn mint(
    view: &View,
    position: Option<u64>,
    range: Range,
    pay: Usdc,
    give: Asset,
    tolerance_bps: u32,
) -> Result<Action, Refusal> {
    let most = ordered(view.usdc_is_token0, u128::from(pay.0), give.0);
    let taken = |at: PriceAt| {
        let (price, tick) = price_at(view, tolerance_bps, at)?;
        let liquidity = liquidity_for(price, range, most)?;
        Some((liquidity, amounts_at(price, tick, range, liquidity, Round::Up)?))
    };
    let (liquidity, now) = taken(PriceAt::Now).ok_or(Refusal::Reverted)?;
    if liquidity == 0 {
        return Err(Refusal::Funds);
    }
    let (min_pay, min_give) = least(view, now, |at| taken(at).map(|(_, amounts)| amounts));
    Ok(Action::Mint { position, range, pay, give, min_pay, min_give })
}

fn burn(view: &View, position: &PositionSeen, share_bps: u32, tolerance_bps: u32) -> Result<Action, Refusal> {
    let close = share_bps >= WHOLE_BPS;
    let (whole, rest) = (position.liquidity / 10_000, position.liquidity % 10_000);
    let share = u128::from(share_bps.min(WHOLE_BPS));
    let liquidity = if close { position.liquidity } else { whole * share + rest * share / 10_000 };
    if liquidity == 0 {
        return Err(Refusal::NoPosition);
    }
    let brings = |at: PriceAt| {
        let (price, tick) = price_at(view, tolerance_bps, at)?;
        amounts_at(price, tick, position.range, liquidity, Round::Down)
    };
    let now = brings(PriceAt::Now).ok_or(Refusal::Reverted)?;
    let (min_out, min_asset) = least(view, now, brings);
    Ok(Action::Burn { position: position.id, liquidity, min_out, min_asset, close })
}

fn sides(view: &View, [amount0, amount1]: [u128; 2]) -> (Usdc, Asset) {
    let [usdc, asset] = ordered(view.usdc_is_token0, amount0, amount1);
    (Usdc(u64::try_from(usdc).unwrap_or(u64::MAX)), Asset(asset))
}

/// A square root price after the price has risen or fallen by so many basis points, kept where a pool can be.
#[must_use]
pub fn moved_price(sqrt_price: U256, bps: u32, up: bool) -> U256 {
    let whole = u128::from(WHOLE_BPS);
    let ratio = if up { whole + u128::from(bps) } else { whole.saturating_sub(u128::from(bps)) };
    // The root of ratio / 10,000 in sixteen digits.
    let root = (ratio * (ROOT_UNIT * ROOT_UNIT / whole)).isqrt();
    let moved = maths::mul_div(sqrt_price, U256::from(root), U256::from(ROOT_UNIT)).unwrap_or(MAX_RATIO);
    moved.clamp(MIN_RATIO, MAX_RATIO - U256::from(1))
}

/// The range around a tick from price / (1 + width) to price * (1 + width), widened to where liquidity can lie; a width of
/// nothing means the full range. Mirrored token orders get mirrored ranges.
#[must_use]
pub fn range_around(tick: i32, width_bps: u32) -> Range {
    let full = full_range();
    if width_bps == 0 {
        return full;
    }
    let tick = tick.clamp(full.lower, full.upper);
    let one = U256::from(1) << 96;
    let reach = maths::tick_at(moved_price(one, width_bps, true)).unwrap_or(full.upper);
    let lower = (tick - reach).div_euclid(SPACING) * SPACING;
    let upper = -((-(tick + 1 + reach)).div_euclid(SPACING) * SPACING);
    Range { lower: lower.clamp(full.lower, full.upper - SPACING), upper: upper.clamp(full.lower + SPACING, full.upper) }
}
