//! What was closed at the end, what could not be, and why.

use golem_core::{Asset, Tick, Usdc, UsdcDelta};
use serde::{Deserialize, Serialize};

/// One act of a settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettlementAct {
    pub tick: Tick,
    /// What was done with what.
    pub what: OpenHolding,
    /// USDC that came in.
    #[serde(rename = "got_micro_usdc")]
    pub got: Usdc,
    /// The asset that came in or went.
    pub asset: Asset,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// Profit or loss against what it had cost.
    #[serde(rename = "realised_micro_usdc")]
    pub realised: UsdcDelta,
}

/// What can be open at a death, in the order in which it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenHolding {
    /// Fees of the liquidity position.
    Fees,
    /// The liquidity position itself.
    Liquidity,
    /// The volatile asset.
    Asset,
}

impl OpenHolding {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fees => "fees",
            Self::Liquidity => "liquidity",
            Self::Asset => "asset",
        }
    }
}

/// What could not be closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOpen {
    pub what: OpenHolding,
    /// How much of it, in its own smallest unit.
    #[serde(with = "golem_core::digits")]
    pub amount: u128,
    /// What it was last said to be worth.
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// Why, in words.
    pub why: String,
    /// How often it was tried.
    pub attempts: u32,
}

/// The settlement of a death.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SettlementReport {
    pub actions: Vec<SettlementAct>,
    /// USDC that came in.
    #[serde(rename = "settled_micro_usdc")]
    pub settled: Usdc,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// What gas could cost at most.
    #[serde(rename = "gas_limit_micro_usdc")]
    pub gas_limit: Usdc,
    pub failed: Vec<LeftOpen>,
    /// Turns that it took, and could take at most.
    pub turns: u32,
    pub most_turns: u32,
}

impl SettlementReport {
    /// In a line.
    #[must_use]
    pub fn say(&self) -> String {
        let left: u64 = self.failed.iter().map(|left| left.worth.0).fold(0, u64::saturating_add);
        match (self.actions.len(), self.failed.len()) {
            (0, 0) => "nothing was open".to_owned(),
            (n, 0) => format!("{} brought {} USDC for {} of gas", acts(n), self.settled, self.gas),
            (0, _) => format!("nothing could be closed: {} USDC stay where they are", Usdc(left)),
            (n, _) => format!("{} brought {} USDC; {} USDC stay where they are", acts(n), self.settled, Usdc(left)),
        }
    }
}

fn acts(n: usize) -> String {
    if n == 1 { "1 act".to_owned() } else { format!("{n} acts") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settlement_says_what_it_came_to() {
        let act = SettlementAct {
            tick: Tick(9),
            what: OpenHolding::Asset,
            got: Usdc(5_000_000),
            asset: Asset(7),
            gas: Usdc(20_000),
            realised: UsdcDelta(-3),
        };
        let left = LeftOpen {
            what: OpenHolding::Liquidity,
            amount: u128::MAX,
            worth: Usdc(1_000_000),
            why: "no reference".into(),
            attempts: 3,
        };
        let whole = SettlementReport { settled: act.got, gas: act.gas, ..SettlementReport::default() };
        let done = SettlementReport { actions: vec![act], ..whole.clone() };
        assert_eq!(SettlementReport::default().say(), "nothing was open");
        assert_eq!(done.say(), "1 act brought 5.00 USDC for 0.02 of gas");
        let half = SettlementReport { failed: vec![left], ..done };
        assert_eq!(half.say(), "1 act brought 5.00 USDC; 1.00 USDC stay where they are");
        assert!(SettlementReport { actions: vec![], ..half.clone() }.say().starts_with("nothing could be closed"));
        let text = golem_core::plain::json(&half);
        assert_eq!(serde_json::from_str::<SettlementReport>(&text).unwrap(), half);
    }
}
