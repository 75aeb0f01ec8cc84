//! Prediction held against reality: what a preview said of an action, and what the receipt and the state after it say.
//!
//! Everything here is computed from recorded inputs; nobody's opinion enters.

use crate::intent::Outcome;
use crate::time::Tick;
use crate::venue::{Book, Gas, LogKind, Preview, Receipt};
use serde::{Deserialize, Serialize};

/// One action, before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeVerification {
    /// The turn.
    pub tick_number: Tick,
    /// Which action of the turn.
    pub action_id: u32,
    /// What was held and how the pool stood when the prediction was made.
    pub pre_state: Book,
    /// What was predicted.
    pub prediction: ExpectedOutcome,
    /// What was held and how the pool stood afterwards, where the venue could tell.
    pub post_state: Option<Book>,
    /// What the receipt said.
    pub tx_receipt: TxReceipt,
    /// How far apart they are.
    pub deviations: Deviations,
}

/// What a preview said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedOutcome {
    /// How it was expected to end.
    pub expected_return: Outcome,
    /// What it was expected to cost.
    pub expected_gas: Gas,
    /// True when it was expected to fail.
    pub would_revert: bool,
}

/// What a receipt said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TxReceipt {
    /// True when it was carried out.
    pub status: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// What it cost.
    pub gas_used: Gas,
    /// What was logged.
    pub logs: Vec<LogKind>,
}

/// Prediction against reality, in basis points of the prediction. `None` where the prediction was nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Deviations {
    /// Of the change of each balance.
    pub balance_change_bps: BalanceDeviations,
    /// Of the gas charged.
    pub gas_deviation_bps: Option<i64>,
    /// Logged and not predicted.
    pub unexpected_logs: Vec<LogKind>,
    /// Predicted and not logged.
    pub missing_expected_logs: Vec<LogKind>,
}

/// Deviations of the change of each balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BalanceDeviations {
    /// USDC in the account.
    pub usdc: Option<i64>,
    /// The asset in the account.
    pub asset: Option<i64>,
    /// Liquidity of the position.
    pub liquidity: Option<i64>,
}

impl OutcomeVerification {
    /// Hold a receipt against its preview.
    #[must_use]
    pub fn of(tick_number: Tick, action_id: u32, preview: &Preview, receipt: &Receipt) -> Self {
        let (expected, actual) = (flows(&preview.outcome), flows(&receipt.outcome));
        let of = |i: usize| bps(expected[i], actual[i]);
        let (unexpected_logs, missing_expected_logs) = differing(&preview.logs, &receipt.logs);
        Self {
            tick_number,
            action_id,
            pre_state: preview.before,
            prediction: ExpectedOutcome {
                expected_return: preview.outcome,
                expected_gas: preview.gas,
                would_revert: preview.refusal().is_some(),
            },
            post_state: receipt.after,
            tx_receipt: TxReceipt {
                status: !matches!(receipt.outcome, Outcome::Refused { .. }),
                outcome: receipt.outcome,
                gas_used: receipt.gas,
                logs: receipt.logs.clone(),
            },
            deviations: Deviations {
                balance_change_bps: BalanceDeviations { usdc: of(0), asset: of(1), liquidity: of(2) },
                gas_deviation_bps: bps(i128::from(preview.gas.charged), i128::from(receipt.gas.charged)),
                unexpected_logs,
                missing_expected_logs,
            },
        }
    }

    /// True when everything came as it was predicted, to the unit.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.prediction.expected_return == self.tx_receipt.outcome
            && self.prediction.expected_gas == self.tx_receipt.gas_used
            && self.deviations.unexpected_logs.is_empty()
            && self.deviations.missing_expected_logs.is_empty()
    }
}

/// Signed changes of USDC, asset and liquidity that an outcome stands for.
#[must_use]
pub fn flows(outcome: &Outcome) -> [i128; 3] {
    let int = |x: u128| i128::try_from(x).unwrap_or(i128::MAX);
    let usd = |x: crate::money::Usdc| i128::from(x.0);
    match *outcome {
        Outcome::Held | Outcome::Refused { .. } => [0; 3],
        Outcome::Bought { paid, got } => [-usd(paid), int(got.0), 0],
        Outcome::Sold { gave, got } => [usd(got), -int(gave.0), 0],
        Outcome::Added { paid, gave, liquidity } => [-usd(paid), -int(gave.0), int(liquidity)],
        Outcome::Removed { liquidity, got, got_asset } => [usd(got), int(got_asset.0), -int(liquidity)],
        Outcome::Collected { got, got_asset } => [usd(got), int(got_asset.0), 0],
        Outcome::Moved { got, got_asset, paid, gave, had, liquidity } => {
            let liquidity = int(liquidity).saturating_sub(int(had));
            [usd(got) - usd(paid), int(got_asset.0).saturating_sub(int(gave.0)), liquidity]
        }
        Outcome::SentHome { sum } => {
            let (usdc, asset) = sum.booked();
            [-usd(usdc), -int(asset.0), 0]
        }
        Outcome::Unwrapped { gave } => [0, -int(gave.0), 0],
    }
}

/// How far `actual` is from `expected`, in basis points of it.
fn bps(expected: i128, actual: i128) -> Option<i64> {
    if expected == 0 {
        return (actual == 0).then_some(0);
    }
    let apart = actual.saturating_sub(expected).saturating_mul(10_000) / expected.saturating_abs();
    Some(i64::try_from(apart).unwrap_or(if apart < 0 { i64::MIN } else { i64::MAX }))
}

/// What is only in the second list, and what is only in the first, counted.
fn differing(expected: &[LogKind], actual: &[LogKind]) -> (Vec<LogKind>, Vec<LogKind>) {
    let mut missing = expected.to_vec();
    let mut unexpected = Vec::new();
    for log in actual {
        match missing.iter().position(|m| m == log) {
            Some(at) => drop(missing.swap_remove(at)),
            None => unexpected.push(*log),
        }
    }
    missing.sort_unstable();
    unexpected.sort_unstable();
    (unexpected, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::{Asset, Intent};
    use crate::money::Usdc;

    fn preview(got: u128) -> Preview {
        let intent = Intent::Buy { pay: Usdc(1_000), min_out: Asset(1) };
        let mut preview = Preview::refused(intent, crate::intent::Refusal::Funds);
        preview.outcome = Outcome::Bought { paid: Usdc(1_000), got: Asset(got) };
        preview.logs = vec![LogKind::Transfer, LogKind::Transfer, LogKind::Swap];
        preview.gas = Gas { charged: 100, used: 100, cost: Usdc(5) };
        preview
    }

    #[test]
    fn what_came_as_predicted_is_exact_and_the_rest_is_measured() {
        let said = preview(10_000);
        let mut receipt = Receipt::kept_back(said.intent, crate::intent::Refusal::Funds);
        receipt.outcome = said.outcome;
        receipt.gas = said.gas;
        receipt.logs = said.logs.clone();
        let same = OutcomeVerification::of(Tick(3), 0, &said, &receipt);
        assert!(same.is_exact());
        assert_eq!(same.deviations.balance_change_bps.asset, Some(0));

        receipt.outcome = Outcome::Bought { paid: Usdc(1_000), got: Asset(9_900) };
        receipt.logs = vec![LogKind::Swap, LogKind::Transfer, LogKind::Other];
        receipt.gas.charged = 110;
        let off = OutcomeVerification::of(Tick(3), 0, &said, &receipt);
        assert!(!off.is_exact());
        assert_eq!(off.deviations.balance_change_bps.asset, Some(-100));
        assert_eq!(off.deviations.gas_deviation_bps, Some(1_000));
        assert_eq!(off.deviations.unexpected_logs, [LogKind::Other]);
        assert_eq!(off.deviations.missing_expected_logs, [LogKind::Transfer]);
    }

    #[test]
    fn a_refusal_loses_the_whole_of_what_was_expected() {
        let said = preview(10_000);
        let receipt = Receipt::kept_back(said.intent, crate::intent::Refusal::Slippage);
        let off = OutcomeVerification::of(Tick(1), 1, &said, &receipt);
        assert_eq!(off.deviations.balance_change_bps.usdc, Some(10_000));
        assert_eq!(off.deviations.balance_change_bps.asset, Some(-10_000));
        assert!(!off.tx_receipt.status);
    }
}
