//! What has gone home in this life, the withdrawal that is open, and the coin that pays for the way. Part of the state from the first time on that anything
//! went or was asked for.

use crate::deathbed::Vain;
use golem_core::intent::Asset;
use golem_core::venue::Gifts;
use golem_core::{HomeSum, Usdc};
use golem_grimoire::testament::OpenHolding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What has gone home.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Homegoing {
    /// All USDC that went.
    pub usdc: Usdc,
    /// Of it, what had been spent before: living and gas are settled off the chain, so that it still stood there.
    pub spent_before: Usdc,
    pub asset: Asset,
    /// What that was worth when it went.
    pub asset_worth: Usdc,
    /// The chain's coin that went; it is in no book.
    pub coin: Asset,
    pub withdrawal: Option<OpenWithdrawal>,
}

impl Homegoing {
    /// Something went; `spent_before` of it was not liquid any more.
    pub(crate) fn went(&mut self, sum: HomeSum, worth: Usdc, spent_before: Usdc) {
        match sum {
            HomeSum::Usdc(amount) => {
                self.usdc = self.usdc.plus(amount);
                self.spent_before = self.spent_before.plus(spent_before);
            }
            HomeSum::Asset(amount) => {
                (self.asset, self.asset_worth) = (self.asset.plus(amount), self.asset_worth.plus(worth));
            }
            HomeSum::Coin(amount) => self.coin = self.coin.plus(amount),
        }
    }

    /// The chain took it back. Returns the USDC that are liquid again by that.
    pub(crate) fn came_back(&mut self, sum: HomeSum) -> Usdc {
        match sum {
            HomeSum::Usdc(amount) => {
                let spent = amount.min(self.spent_before);
                self.spent_before = self.spent_before.minus(spent);
                self.usdc = self.usdc.minus(amount);
                amount.minus(spent)
            }
            HomeSum::Asset(amount) => {
                let all = self.asset;
                self.asset = all.minus(amount);
                if self.asset == Asset::ZERO {
                    self.asset_worth = Usdc::ZERO;
                } else {
                    let part = (self.asset.as_f64() / all.as_f64() * 1e4) as u32;
                    self.asset_worth = self.asset_worth.share_bps(part);
                }
                Usdc::ZERO
            }
            HomeSum::Coin(amount) => {
                self.coin = self.coin.minus(amount);
                Usdc::ZERO
            }
        }
    }
}

/// The coin of an account, and what was told of gifts when it was last seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GasPurse {
    pub coin: Asset,
    pub told: (Gifts, Usdc),
}

/// A withdrawal that its owner has asked for and that is not over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenWithdrawal {
    /// The order's number in the inbox.
    pub order: u64,
    /// How much; none for all of its capital.
    pub asked: Option<Usdc>,
    /// Turns so far.
    pub turns: u32,
    /// What was tried in vain.
    pub tried: BTreeMap<OpenHolding, Vain>,
    /// Why it was not sent when that was last tried.
    pub held_up: Option<Vain>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_back_leaves_the_sums_as_they_were() {
        let mut all = Homegoing::default();
        all.went(HomeSum::Usdc(Usdc(10)), Usdc(10), Usdc(4));
        all.went(HomeSum::Asset(Asset(1_000)), Usdc(7), Usdc::ZERO);
        all.went(HomeSum::Coin(Asset(3)), Usdc(1), Usdc::ZERO);
        let before = all.clone();
        all.went(HomeSum::Usdc(Usdc(5)), Usdc(5), Usdc::ZERO);
        // Which of the two sums it was is not known any more; together they are.
        assert_eq!(all.came_back(HomeSum::Usdc(Usdc(5))), Usdc(1));
        assert_eq!((all.usdc, all.spent_before), (Usdc(10), Usdc::ZERO));
        assert_eq!(all.came_back(HomeSum::Asset(Asset(1_000))), Usdc::ZERO);
        assert_eq!(all.came_back(HomeSum::Coin(Asset(3))), Usdc::ZERO);
        assert_eq!((all.asset, all.asset_worth, all.coin), (Asset::ZERO, Usdc::ZERO, Asset::ZERO));
        assert_eq!(before.asset_worth, Usdc(7));
    }
}
