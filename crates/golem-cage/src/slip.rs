//! Slippage: what is expected against the spot price, and the least that must come back against what is expected.
//! Every rounding is against the golem.

use crate::config::CageConfig;
use crate::denial::{Contradiction, Denial};
use crate::minima::{LiquidityWay, Tolerated};
use crate::spot::{RoundTo, is_usdc_first, value};
use golem_core::intent::{Asset, Outcome};
use golem_core::venue::{Book, Range};
use golem_core::{Action, Intent, Preview, Usdc};

/// Liquidity moves at the spot price: what may get lost there is the rounding of a few amounts, in micro-USDC.
const ROUNDING: u128 = 10;

/// Hold a preview's prices and minima against the limit.
pub(crate) fn check(preview: &Preview, config: &CageConfig) -> Result<(), Denial> {
    // Nothing is exchanged: what goes home, or becomes coin, is worth there what it is worth here.
    if preview.intent.needs_leave() {
        return Ok(());
    }
    let cap = config.max_slippage_bps;
    if let Intent::Add { tolerance_bps: asked, .. }
    | Intent::Remove { tolerance_bps: asked, .. }
    | Intent::Rebalance { tolerance_bps: asked, .. } = preview.intent
        && asked > cap
    {
        return Err(Denial::Tolerance { asked, cap });
    }
    let at_spot = |asset: Asset, round| {
        value(asset, &preview.before.pool, round).ok_or(Denial::Contradiction { how: Contradiction::NoPrice })
    };
    // What is given and what is expected for it, both at the spot price before.
    let (fair, expected) = match preview.outcome {
        Outcome::Bought { paid, got } => (u128::from(paid.0), at_spot(got, RoundTo::Down)?),
        Outcome::Sold { gave, got } => (at_spot(gave, RoundTo::Up)?, u128::from(got.0)),
        _ => {
            let (had, has) = (holdings(&preview.before, at_spot)?, holdings(&preview.after, at_spot)?);
            let moved = moved(preview, at_spot)?;
            (moved, moved.saturating_add(has).saturating_add(ROUNDING).saturating_sub(had))
        }
    };
    if !keeps(expected, fair, cap) {
        return Err(Denial::Slippage { expected: micro(expected), fair: micro(fair), cap });
    }
    if preview.actions.iter().all(|action| minimum_holds(action, preview, cap)) {
        Ok(())
    } else {
        Err(Denial::Minimum { cap })
    }
}

/// Everything in a book at one spot price, rounded down.
fn holdings(book: &Book, at_spot: impl Fn(Asset, RoundTo) -> Result<u128, Denial>) -> Result<u128, Denial> {
    let plain = [book.usdc, book.worth.position, book.worth.fees].map(|part| u128::from(part.0)).iter().sum::<u128>();
    Ok(plain.saturating_add(at_spot(book.asset, RoundTo::Down)?))
}

/// How much of it a liquidity action moves.
fn moved(preview: &Preview, at_spot: impl Fn(Asset, RoundTo) -> Result<u128, Denial>) -> Result<u128, Denial> {
    let (usdc, asset) = match preview.outcome {
        Outcome::Added { paid, gave, .. } => (paid, gave),
        Outcome::Removed { got, got_asset, .. }
        | Outcome::Collected { got, got_asset }
        | Outcome::Moved { got, got_asset, .. } => (got, got_asset),
        _ => (Usdc::ZERO, Asset::ZERO),
    };
    Ok(u128::from(usdc.0).saturating_add(at_spot(asset, RoundTo::Down)?))
}

/// A swap's own minimum is there and near what is expected; the two minima of a liquidity action are what its tolerance
/// leaves of both tokens.
fn minimum_holds(action: &Action, preview: &Preview, cap: u32) -> bool {
    match (action, &preview.outcome) {
        (Action::Buy { min_out, .. }, Outcome::Bought { got, .. }) => min_out.0 > 0 && keeps(min_out.0, got.0, cap),
        (Action::Sell { min_out, .. }, Outcome::Sold { got, .. }) => {
            min_out.0 > 0 && keeps(u128::from(min_out.0), u128::from(got.0), cap)
        }
        (
            Action::Mint { range, min_pay, min_give, .. },
            Outcome::Added { paid, gave, .. } | Outcome::Moved { paid, gave, .. },
        ) => is_dust(preview) || bounds(preview, *range, LiquidityWay::In, (*paid, *gave), (*min_pay, *min_give)),
        (
            Action::Burn { min_out, min_asset, .. },
            Outcome::Removed { got, got_asset, .. } | Outcome::Moved { got, got_asset, .. },
        ) => {
            let Some(open) = preview.before.position else { return false };
            // Fees come along with it, and are not what the minima are about.
            let out = (got.minus(open.fees), got_asset.minus(open.fees_asset));
            is_dust(preview) || bounds(preview, open.range, LiquidityWay::Out, out, (*min_out, *min_asset))
        }
        (Action::Collect { .. }, _) => true,
        _ => false,
    }
}

/// Whether the minima of both tokens bound the price to the intent's tolerance.
fn bounds(preview: &Preview, range: Range, way: LiquidityWay, now: (Usdc, Asset), least: (Usdc, Asset)) -> bool {
    let (Intent::Add { tolerance_bps: bps, .. }
    | Intent::Remove { tolerance_bps: bps, .. }
    | Intent::Rebalance { tolerance_bps: bps, .. }) = preview.intent
    else {
        return false;
    };
    let usdc_first = is_usdc_first(&preview.before.pool);
    let ordered = |(usdc, asset): (Usdc, Asset)| {
        if usdc_first { [u128::from(usdc.0), asset.0] } else { [asset.0, u128::from(usdc.0)] }
    };
    let tolerated = Tolerated { tick: preview.before.pool.tick, range, bps };
    tolerated.holds(way, ordered(now), ordered(least))
}

/// So little that its minima round to nothing.
fn is_dust(preview: &Preview) -> bool {
    let (before, after) = (preview.before.worth.position.0, preview.after.worth.position.0);
    let moves = match preview.intent {
        Intent::Rebalance { .. } => before.max(after),
        _ => before.abs_diff(after),
    };
    u128::from(moves) <= ROUNDING
}

/// True when `part` is at most `cap` basis points less than `whole`.
pub(crate) fn keeps(part: u128, whole: u128, cap: u32) -> bool {
    let left = u128::from(10_000_u32.saturating_sub(cap));
    let ((low, high), (need_low, need_high)) = (part.carrying_mul(10_000, 0), whole.carrying_mul(left, 0));
    (high, low) >= (need_high, need_low)
}

fn micro(x: u128) -> Usdc {
    Usdc(u64::try_from(x).unwrap_or(u64::MAX))
}
