//! What went home at the end, what stayed behind, and why.

use golem_core::{HomeAddress, HomeSum, Tick, Usdc};
use serde::{Deserialize, Serialize};

/// One transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeTransfer {
    pub tick: Tick,
    pub sum: HomeSum,
    /// What it was worth when it went.
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
}

/// What could not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftBehind {
    pub sum: HomeSum,
    #[serde(rename = "worth_micro_usdc")]
    pub worth: Usdc,
    /// Why, in words.
    pub why: String,
    pub attempts: u32,
}

/// How a golem's money went home.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HomeReport {
    /// The address that was fixed at birth; none for its owner's account on a chain of our own.
    pub to: Option<HomeAddress>,
    pub sent: Vec<HomeTransfer>,
    pub failed: Vec<LeftBehind>,
    /// Of the USDC that went, what it had spent on living and on gas: that is settled off the chain, so that it still stood in
    /// the account.
    #[serde(rename = "spent_before_micro_usdc")]
    pub spent_before: Usdc,
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// Turns that it took, and could take at most.
    pub turns: u32,
    pub most_turns: u32,
}

impl HomeReport {
    /// What went, at what it was worth.
    #[must_use]
    pub fn worth(&self) -> Usdc {
        self.sent.iter().fold(Usdc::ZERO, |sum, went| sum.plus(went.worth))
    }
    /// In a line.
    #[must_use]
    pub fn say(&self) -> String {
        let left = self.failed.iter().fold(Usdc::ZERO, |sum, left| sum.plus(left.worth));
        match (self.sent.len(), self.failed.first()) {
            (0, None) => "there was nothing to send home".to_owned(),
            (_, None) => format!("{} USDC went home for {} of gas", self.worth(), self.gas),
            (0, Some(first)) => format!("nothing went home, {left} USDC stay behind: {}", first.why),
            (_, Some(first)) => {
                format!("{} USDC went home; {left} USDC stay behind: {}", self.worth(), first.why)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Asset;

    #[test]
    fn what_went_and_what_stayed_is_said_in_a_line_and_read_back() {
        let went = |sum, worth| HomeTransfer { tick: Tick(7), sum, worth: Usdc(worth), gas: Usdc(1_000) };
        let sent = vec![went(HomeSum::Asset(Asset(5)), 2_000_000), went(HomeSum::Usdc(Usdc::whole(1)), 1_000_000)];
        let whole = HomeReport { sent, gas: Usdc(2_000), ..HomeReport::default() };
        assert_eq!(HomeReport::default().say(), "there was nothing to send home");
        assert_eq!(whole.say(), "3.00 USDC went home for 0.002000 of gas");
        let (sum, worth, why) = (HomeSum::Usdc(Usdc(9)), Usdc(9), "no way".to_owned());
        let half = HomeReport { failed: vec![LeftBehind { sum, worth, why, attempts: 2 }], ..whole };
        assert_eq!(half.say(), "3.00 USDC went home; 0.000009 USDC stay behind: no way");
        assert!(HomeReport { sent: vec![], ..half.clone() }.say().starts_with("nothing went home"));
        let text = serde_json::to_string(&half).unwrap();
        assert_eq!(serde_json::from_str::<HomeReport>(&text).unwrap(), half);
    }
}
