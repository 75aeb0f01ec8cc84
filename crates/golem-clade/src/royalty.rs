//! Whose knowledge a profit is owed to: numbers that are tracked, and never moved. No settlement happens here.

use crate::provenance::PassportBook;
use golem_core::{GolemId, Usdc};
use golem_grimoire::EntryId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The share of an attributed profit that is owed to who learnt it, in basis points.
pub const ROYALTY_BPS: u32 = 500;

/// What is owed to whom, so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoyaltyBook {
    owed: BTreeMap<GolemId, Usdc>,
    attributed: Usdc,
}

impl RoyaltyBook {
    /// A decision that used these entries made a profit. Each has an equal part in it; of the part of an inherited one, its
    /// first learner is owed a royalty. What a golem learnt itself it owes to nobody.
    pub fn attribute(&mut self, profit: Usdc, used: &[EntryId], book: &PassportBook) {
        let parts = u64::try_from(used.len()).unwrap_or(u64::MAX);
        if parts == 0 {
            return;
        }
        let part = profit.ratio(1, parts);
        for passport in used.iter().filter_map(|id| book.arrived(*id)) {
            self.attributed = self.attributed.plus(part);
            let owed = self.owed.entry(passport.learnt_by.golem).or_default();
            *owed = owed.plus(part.share_bps(ROYALTY_BPS));
        }
    }
    /// What is owed to a golem.
    #[must_use]
    pub fn owed_to(&self, golem: GolemId) -> Usdc {
        self.owed.get(&golem).copied().unwrap_or_default()
    }
    /// Everybody who is owed something, by id.
    pub fn iter(&self) -> impl Iterator<Item = (GolemId, Usdc)> {
        self.owed.iter().map(|(golem, owed)| (*golem, *owed))
    }
    /// Profit that inherited knowledge had a part in.
    #[must_use]
    pub fn attributed(&self) -> Usdc {
        self.attributed
    }
}
