//! Recorded gas: what each kind of action is charged on chains of our own, so that paper and contracts charge alike.
//!
//! The figures are constants. They were recorded on the embedded chain with the real contracts (Prague): medians over
//! 16,000 random wishes of three golems, in both token orders, in a deep and in a shallow pool; a test of the embedded chain
//! holds them against what contracts use. Single actions differ: opening a position costs more where no liquidity ended
//! before, collecting more where both tokens are owed. What a contract really used is reported beside the charge, never
//! charged, except on somebody else's chain.

use golem_core::{Action, HomeSum};

/// One kind of transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct GasEntry {
    /// When it is carried out, without crossing a tick.
    done: u64,
    /// When it reverts.
    reverted: u64,
}

/// Setting an allowance that was nothing.
const APPROVE: u64 = 46_200;
/// Setting one back to nothing.
const REVOKE: u64 = 24_200;
/// A swap, and each initialised tick it crosses. One that fails is not cheaper: it fails at the end, and gets no refund.
const SWAP: GasEntry = GasEntry { done: 101_500, reverted: 106_600 };
const CROSSING: u64 = 26_000;
/// Opening a position, and adding to an open one.
const MINT_NEW: GasEntry = GasEntry { done: 459_800, reverted: 274_500 };
const MINT_MORE: GasEntry = GasEntry { done: 178_600, reverted: 153_800 };
/// Taking liquidity out with its fees, and closing the position as well.
const BURN: GasEntry = GasEntry { done: 186_100, reverted: 122_300 };
const CLOSE: GasEntry = GasEntry { done: 219_500, reverted: 142_500 };
/// Taking the fees. No collecting that is sent can fail, so that its failure is a guess.
const COLLECT: GasEntry = GasEntry { done: 124_600, reverted: 60_000 };

/// Sending a token to an account that may hold none of it yet.
const HOME: GasEntry = GasEntry { done: 51_000, reverted: 30_000 };
/// Sending coin, which runs no code.
const COIN: GasEntry = GasEntry { done: 21_000, reverted: 21_000 };
/// Asset that becomes coin.
const UNWRAP: GasEntry = GasEntry { done: 31_000, reverted: 27_000 };

/// Gas units charged for an action that was sent, with its approvals before it and the allowances revoked after it.
#[must_use]
pub fn charged(action: &Action, crossed: u32, revoked: u32, reverted: bool) -> u64 {
    let entry = match action {
        Action::Buy { .. } | Action::Sell { .. } => SWAP,
        Action::Mint { position: None, .. } => MINT_NEW,
        Action::Mint { .. } => MINT_MORE,
        Action::Burn { close: true, .. } => CLOSE,
        Action::Burn { .. } => BURN,
        Action::Collect { .. } => COLLECT,
        Action::Home { sum: HomeSum::Coin(_) } => COIN,
        Action::Home { .. } => HOME,
        Action::Unwrap { .. } => UNWRAP,
    };
    let own = if reverted { entry.reverted } else { entry.done + CROSSING.saturating_mul(u64::from(crossed)) };
    let around = APPROVE * u64::from(approvals(action)) + REVOKE.saturating_mul(u64::from(revoked));
    own.saturating_add(around)
}

/// USDC and asset that an action may take: exactly what is approved for it, and nothing else.
#[must_use]
pub fn approved(action: &Action) -> [u128; 2] {
    match *action {
        Action::Buy { pay, .. } => [u128::from(pay.0), 0],
        Action::Sell { give, .. } => [0, give.0],
        Action::Mint { pay, give, .. } => [u128::from(pay.0), give.0],
        Action::Burn { .. } | Action::Collect { .. } => [0; 2],
        Action::Home { .. } | Action::Unwrap { .. } => [0; 2],
    }
}

/// How many approvals an action needs: one for each token that it may take.
#[must_use]
pub fn approvals(action: &Action) -> u32 {
    approved(action).iter().map(|amount| u32::from(*amount > 0)).sum()
}

/// True when what is left of an allowance is worth a transaction to take back: more than a thousandth of it.
#[must_use]
pub fn worth_revoking(approved: u128, taken: u128) -> bool {
    approved.saturating_sub(taken) > approved / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::intent::Asset;
    use golem_core::{Usdc, venue::Range};

    #[test]
    fn crossing_and_approving_cost_more_and_a_failed_position_costs_less() {
        let buy = Action::Buy { pay: Usdc(1), min_out: Asset(0) };
        assert_eq!(charged(&buy, 3, 0, false) - charged(&buy, 1, 0, false), 2 * CROSSING);
        assert_eq!(charged(&buy, 0, 1, false) - charged(&buy, 0, 0, false), REVOKE);
        let close = Action::Burn { position: 1, liquidity: 1, min_out: Usdc(0), min_asset: Asset(0), close: true };
        assert!(charged(&close, 0, 0, true) < charged(&close, 0, 0, false));
        let mint = |position, pay, give| {
            let range = Range { lower: 0, upper: 10 };
            let (pay, give) = (Usdc(pay), Asset(give));
            charged(&Action::Mint { position, range, pay, give, min_pay: Usdc(0), min_give: Asset(0) }, 0, 0, false)
        };
        assert!(mint(None, 1, 1) > mint(Some(1), 1, 1));
        assert_eq!(mint(None, 1, 1) - mint(None, 1, 0), APPROVE);
        assert_eq!(charged(&Action::Collect { position: 1 }, 0, 0, false), COLLECT.done);
        assert_eq!(charged(&buy, u32::MAX, u32::MAX, false), charged(&buy, u32::MAX, u32::MAX, false));
    }

    #[test]
    fn a_thousandth_of_an_allowance_may_stay() {
        assert!(!worth_revoking(100_000, 100_000));
        assert!(!worth_revoking(100_000, 99_900));
        assert!(worth_revoking(100_000, 99_899));
        assert!(worth_revoking(1, 0));
    }
}
