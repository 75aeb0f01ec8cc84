//! Whether a preview is of the intent it names: what would be sent is what was asked and no more, and the books before
//! and after differ by exactly the outcome that is predicted.

use crate::denial::Contradiction;
use golem_core::intent::{Asset, Outcome};
use golem_core::venue::{Book, PositionSeen};
use golem_core::verification::flows;
use golem_core::{Action, Intent, Preview};

/// Hold a preview against its intent and against itself.
pub(crate) fn fits(preview: &Preview) -> Result<(), Contradiction> {
    if !actions_fit(preview) {
        return Err(Contradiction::Actions);
    }
    if !outcome_fits(preview) {
        return Err(Contradiction::Outcome);
    }
    if !books_fit(preview) {
        return Err(Contradiction::Books);
    }
    Ok(())
}

fn actions_fit(preview: &Preview) -> bool {
    let open = preview.before.position;
    match (preview.intent, preview.actions.as_slice()) {
        (Intent::Buy { pay, min_out }, [action]) => *action == Action::Buy { pay, min_out },
        (Intent::Sell { give, min_out }, [action]) => *action == Action::Sell { give, min_out },
        (Intent::Add { pay, give, .. }, [Action::Mint { position, range, pay: most, give: most_asset, .. }]) => {
            let place = match open {
                Some(open) => *position == Some(open.id) && *range == open.range,
                None => position.is_none(),
            };
            place && *most <= pay && *most_asset <= give
        }
        (Intent::Remove { share_bps, .. }, [burn]) => share_bps <= 10_000 && burns(burn, open, false),
        (Intent::Collect, [Action::Collect { position }]) => open.is_some_and(|open| open.id == *position),
        (Intent::Rebalance { .. }, [burn, Action::Mint { position: None, .. }]) => burns(burn, open, true),
        (Intent::Home { sum }, [action]) => *action == Action::Home { sum } && !sum.is_nothing(),
        (Intent::Unwrap { give }, [action]) => *action == Action::Unwrap { give } && give > Asset::ZERO,
        _ => false,
    }
}

/// An action that takes liquidity out of the open position: at most what is there, and closing only when it is all.
fn burns(action: &Action, open: Option<PositionSeen>, all: bool) -> bool {
    let (Action::Burn { position, liquidity, close, .. }, Some(open)) = (action, open) else { return false };
    let whole = *liquidity == open.liquidity;
    *position == open.id && *liquidity <= open.liquidity && (whole || !close) && (*close || !all)
}

/// The outcome is of the kind, and within the amounts, that the actions allow.
fn outcome_fits(preview: &Preview) -> bool {
    match (preview.outcome, preview.actions.as_slice()) {
        (Outcome::Bought { paid, .. }, [Action::Buy { pay, .. }]) => paid == *pay,
        (Outcome::Sold { gave, .. }, [Action::Sell { give, .. }]) => gave == *give,
        (Outcome::Added { paid, gave, .. }, [Action::Mint { pay, give, .. }])
        | (Outcome::Moved { paid, gave, .. }, [_, Action::Mint { pay, give, .. }]) => paid <= *pay && gave <= *give,
        (Outcome::Removed { liquidity: out, .. }, [Action::Burn { liquidity, .. }]) => out == *liquidity,
        (Outcome::Collected { .. }, [Action::Collect { .. }]) => true,
        (Outcome::SentHome { sum: sent }, [Action::Home { sum }]) => sent == *sum,
        (Outcome::Unwrapped { gave }, [Action::Unwrap { give }]) => gave == *give,
        _ => false,
    }
}

fn books_fit(preview: &Preview) -> bool {
    let (Book { usdc, asset, .. }, after) = (preview.before, preview.after);
    let [usdc_flow, asset_flow, _] = flows(&preview.outcome);
    i128::from(usdc.0).checked_add(usdc_flow) == Some(i128::from(after.usdc.0))
        && signed(asset)
            .and_then(|held| held.checked_add(asset_flow))
            .is_some_and(|then| signed(after.asset) == Some(then))
}

fn signed(asset: Asset) -> Option<i128> {
    i128::try_from(asset.0).ok()
}
