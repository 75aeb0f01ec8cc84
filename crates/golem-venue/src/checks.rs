//! What no account would send: actions that its own books show to be impossible. They cost no gas and leave no trace, and
//! every venue that is ours judges them by this one rule.

use crate::pool::{MAX_TICK, MIN_TICK, SPACING};
use crate::venue::Account;
use golem_core::intent::{Asset, Refusal};
use golem_core::venue::Range;
use golem_core::{Action, Book, HomeSum, Homeward, Usdc};

/// What an account holds, as far as sending is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountHeld {
    pub usdc: Usdc,
    pub asset: Asset,
    /// The open position: its number, range and liquidity.
    pub position: Option<(u64, Range, u128)>,
}

impl From<&Book> for AccountHeld {
    fn from(book: &Book) -> Self {
        let position = book.position.map(|p| (p.id, p.range, p.liquidity));
        Self { usdc: book.usdc, asset: book.asset, position }
    }
}

/// Why an action would not even be sent, if so.
#[must_use]
pub fn unsendable(action: &Action, held: &AccountHeld) -> Option<Refusal> {
    let short = |pay: Usdc, give: Asset| (pay > held.usdc || give > held.asset).then_some(Refusal::Funds);
    match *action {
        Action::Buy { pay: Usdc(0), .. } | Action::Sell { give: Asset(0), .. } => Some(Refusal::Funds),
        Action::Buy { pay, .. } => short(pay, Asset::ZERO),
        Action::Sell { give, .. } => short(Usdc::ZERO, give),
        Action::Mint { pay: Usdc(0), give: Asset(0), .. } => Some(Refusal::Funds),
        Action::Mint { position, range, pay, give, .. } => mint(position, range, held).or_else(|| short(pay, give)),
        Action::Burn { position, liquidity, close, .. } => match held.position {
            Some((id, _, all)) if id == position => {
                let sound = liquidity > 0 && liquidity <= all && (!close || liquidity == all);
                (!sound).then_some(Refusal::Reverted)
            }
            _ => Some(Refusal::NoPosition),
        },
        // Where home is nobody said here: that is not executed, it is sent.
        Action::Home { .. } => Some(Refusal::Denied),
        Action::Unwrap { give: Asset(0) } => Some(Refusal::Funds),
        Action::Unwrap { give } => short(Usdc::ZERO, give),
        Action::Collect { position } => {
            let open = held.position.is_some_and(|(id, ..)| id == position);
            (!open).then_some(Refusal::NoPosition)
        }
    }
}

/// Why something would not even be sent home, if so.
#[must_use]
pub fn unsendable_home(sum: HomeSum, who: Account, way: Homeward, held: &AccountHeld) -> Option<Refusal> {
    let (usdc, asset) = sum.booked();
    if Account::from(way) == who {
        return Some(Refusal::Denied);
    }
    (sum.is_nothing() || usdc > held.usdc || asset > held.asset).then_some(Refusal::Funds)
}

fn mint(position: Option<u64>, range: Range, held: &AccountHeld) -> Option<Refusal> {
    match (position, held.position) {
        (Some(id), Some((open, at, _))) if id == open => (range != at).then_some(Refusal::Reverted),
        (Some(_), _) => Some(Refusal::NoPosition),
        (None, Some(_)) => Some(Refusal::Reverted),
        (None, None) => (!is_range(range)).then_some(Refusal::Reverted),
    }
}

/// True when liquidity can lie in this range.
#[must_use]
pub fn is_range(range: Range) -> bool {
    let spaced = range.lower % SPACING == 0 && range.upper % SPACING == 0;
    spaced && range.lower < range.upper && range.lower >= MIN_TICK && range.upper <= MAX_TICK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_impossible_is_not_sent() {
        let range = Range { lower: -10, upper: 10 };
        let rich = AccountHeld { usdc: Usdc(100), asset: Asset(100), position: Some((7, range, 50)) };
        let new = AccountHeld { position: None, ..rich };
        let buy = |pay| Action::Buy { pay: Usdc(pay), min_out: Asset(0) };
        let sell = |give| Action::Sell { give: Asset(give), min_out: Usdc(0) };
        let mint = |position, lower, pay| {
            let range = Range { lower, upper: 10 };
            Action::Mint { position, range, pay: Usdc(pay), give: Asset(0), min_pay: Usdc(0), min_give: Asset(0) }
        };
        let burn = |position, liquidity, close| Action::Burn {
            position,
            liquidity,
            min_out: Usdc(0),
            min_asset: Asset(0),
            close,
        };
        for (action, held, expected) in [
            (buy(100), rich, None),
            (buy(101), rich, Some(Refusal::Funds)),
            (buy(0), rich, Some(Refusal::Funds)),
            (sell(100), rich, None),
            (sell(101), rich, Some(Refusal::Funds)),
            (mint(None, -10, 1), new, None),
            (mint(None, -10, 0), new, Some(Refusal::Funds)),
            (mint(None, -10, 101), new, Some(Refusal::Funds)),
            (mint(None, -11, 1), new, Some(Refusal::Reverted)),
            (mint(None, 10, 1), new, Some(Refusal::Reverted)),
            (mint(None, -887_280, 1), new, Some(Refusal::Reverted)),
            (mint(None, -10, 1), rich, Some(Refusal::Reverted)),
            (mint(Some(7), -10, 1), rich, None),
            (mint(Some(7), -20, 1), rich, Some(Refusal::Reverted)),
            (mint(Some(8), -10, 1), rich, Some(Refusal::NoPosition)),
            (mint(Some(7), -10, 1), new, Some(Refusal::NoPosition)),
            (burn(7, 50, true), rich, None),
            (burn(7, 49, false), rich, None),
            (burn(7, 49, true), rich, Some(Refusal::Reverted)),
            (burn(7, 51, false), rich, Some(Refusal::Reverted)),
            (burn(7, 0, false), rich, Some(Refusal::Reverted)),
            (burn(8, 50, true), rich, Some(Refusal::NoPosition)),
            (Action::Collect { position: 7 }, rich, None),
            (Action::Collect { position: 7 }, new, Some(Refusal::NoPosition)),
            (Action::Home { sum: HomeSum::Usdc(Usdc(1)) }, rich, Some(Refusal::Denied)),
            (Action::Unwrap { give: Asset(100) }, rich, None),
            (Action::Unwrap { give: Asset(101) }, rich, Some(Refusal::Funds)),
            (Action::Unwrap { give: Asset(0) }, rich, Some(Refusal::Funds)),
        ] {
            assert_eq!(unsendable(&action, &held), expected, "{action:?}");
        }
    }
}
