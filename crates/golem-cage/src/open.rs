//! Permits that are not settled yet. What is reserved for them counts as spent until it is known what really moved.

use crate::fact::Amiss;
use crate::granted::{Granted, Grows};
use crate::loops::print;
use crate::risk::AtRisk;
use crate::spot::{RoundTo, value};
use golem_core::intent::{Asset, Outcome};
use golem_core::{Receipt, Tick, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// A permit that is not settled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenPermit {
    pub id: u64,
    pub print: u64,
    pub at: VirtualTime,
    pub expires: Tick,
    /// Prints of the books that its preview began and ended with.
    pub books: [u64; 2],
    /// Which of the two size limits it goes against.
    pub grows: Grows,
    /// What is reserved for it.
    pub reserved: Usdc,
    pub max_usdc: Usdc,
    pub max_asset: Asset,
    pub asset_value: Usdc,
}

impl OpenPermit {
    pub(crate) fn new(id: u64, at: VirtualTime, expires: Tick, granted: &Granted) -> Self {
        let Granted { risk, print, books, grows, looping: _, max_gas: _ } = *granted;
        let AtRisk { total: reserved, max_usdc, max_asset, asset_value } = risk;
        Self { id, print, at, expires, books, grows, reserved, max_usdc, max_asset, asset_value }
    }
    /// What is to be booked now that its receipt is there, and what is wrong with that receipt.
    pub(crate) fn booked(&self, receipt: &Receipt) -> (Usdc, Option<Amiss>) {
        let (paid, gave) = put_in(&receipt.outcome);
        let (gone, gone_asset) = went(&receipt.outcome);
        let moved = paid.plus(self.value(gave));
        if print(&receipt.intent) != self.print {
            (moved.max(self.reserved), Some(Amiss::Other))
        } else if paid.plus(gone) > self.max_usdc || gave.plus(gone_asset) > self.max_asset {
            (moved.max(self.reserved), Some(Amiss::Beyond))
        } else {
            (moved, None)
        }
    }
    /// The asset at the price at which it was permitted, rounded up.
    fn value(&self, gave: Asset) -> Usdc {
        let part = gave.0.checked_mul(u128::from(self.asset_value.0)).map(|all| all.div_ceil(self.max_asset.0.max(1)));
        // Too large to be reckoned with: all of it, or more than there is.
        let else_all = if gave <= self.max_asset { self.asset_value } else { Usdc(u64::MAX) };
        part.and_then(|part| u64::try_from(part).ok()).map_or(else_all, Usdc)
    }
}

/// The permits whose effects a preview's books do not show yet. Previews of one turn stand on each other: what one ends
/// with, the next begins with.
pub(crate) fn unseen(open: &[OpenPermit], before: u64) -> Vec<&OpenPermit> {
    let (mut unseen, mut stands_on): (Vec<&OpenPermit>, u64) = (open.iter().collect(), before);
    while let Some(under) = unseen.iter().rposition(|open| open.books[1] == stands_on) {
        stands_on = unseen.remove(under).books[0];
    }
    unseen
}

/// What is to be booked for a receipt that belongs to no open permit: what it says was put at risk, the asset at the
/// price after it where the venue could tell.
pub(crate) fn unknown(receipt: &Receipt) -> Usdc {
    let (paid, gave) = put_in(&receipt.outcome);
    let at_spot = receipt.after.and_then(|book| value(gave, &book.pool, RoundTo::Up)).unwrap_or(0);
    paid.plus(Usdc(u64::try_from(at_spot).unwrap_or(u64::MAX)))
}

/// What an outcome says was put at risk.
fn put_in(outcome: &Outcome) -> (Usdc, Asset) {
    match *outcome {
        Outcome::Bought { paid, .. } => (paid, Asset::ZERO),
        Outcome::Added { paid, gave, .. } | Outcome::Moved { paid, gave, .. } => (paid, gave),
        Outcome::Held
        | Outcome::Sold { .. }
        | Outcome::Removed { .. }
        | Outcome::Collected { .. }
        | Outcome::Refused { .. }
        | Outcome::SentHome { .. }
        | Outcome::Unwrapped { .. } => (Usdc::ZERO, Asset::ZERO),
    }
}

/// What an outcome says left the books: nothing of it is at risk, and more than was permitted must not go either.
fn went(outcome: &Outcome) -> (Usdc, Asset) {
    match *outcome {
        Outcome::SentHome { sum } => sum.booked(),
        Outcome::Unwrapped { gave } => (Usdc::ZERO, gave),
        _ => (Usdc::ZERO, Asset::ZERO),
    }
}
