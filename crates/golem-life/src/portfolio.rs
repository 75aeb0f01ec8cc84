//! What a golem holds besides USDC, what it paid for it, and what the venue says it would fetch now.
//!
//! Amounts are the golem's own books, moved by receipts alone; the worth is the venue's word, by exact arithmetic.

use golem_core::intent::{Asset, Holdings, Outcome};
use golem_core::unit::Positive;
use golem_core::venue::{Appraisal, Range};
use golem_core::{Book, HomeSum, Observation, Usdc};
use golem_mortality::economic::Ledger;
use serde::{Deserialize, Serialize};

/// Positions and their cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Portfolio {
    pub asset: Asset,
    /// What it cost.
    pub asset_cost: Usdc,
    pub liquidity: u128,
    /// What it cost.
    pub liquidity_cost: Usdc,
    /// The position's range, as last seen.
    pub range: Option<Range>,
    /// True while the pool's price is inside it.
    pub in_range: bool,
    /// What the venue last said it is all worth.
    pub worth: Appraisal,
    /// True while the venue's book and this one say the same; until one is seen there is nothing to differ from.
    pub agrees: bool,
    /// The last price seen: new wishes are reckoned by it while none is seen.
    pub price: Option<Positive>,
    /// The last gas price seen, in gwei.
    pub gas_gwei: Option<Positive>,
}

impl Default for Portfolio {
    fn default() -> Self {
        Self {
            asset: Asset::ZERO,
            asset_cost: Usdc::ZERO,
            liquidity: 0,
            liquidity_cost: Usdc::ZERO,
            range: None,
            in_range: false,
            worth: Appraisal::default(),
            agrees: true,
            price: None,
            gas_gwei: None,
        }
    }
}

/// Money that came back, and the profit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Realised {
    /// USDC that went in.
    pub put: Usdc,
    /// USDC that came in.
    pub got: Usdc,
    /// How much of it is profit.
    pub profit: Usdc,
    /// How much is missing to what it cost.
    pub loss: Usdc,
}

impl Portfolio {
    /// See a turn's market, where at least so many dollars must be in the account.
    pub fn see(&mut self, seen: &Observation, dollars: Usdc) {
        self.price = seen.price.or(self.price);
        self.gas_gwei = seen.gas_gwei.or(self.gas_gwei);
        // Not seen is not the same as nothing there: what was last seen stands.
        if let Some(book) = &seen.book {
            self.believe(book, dollars);
        }
    }

    /// Take the venue's word for what things are worth; amounts are only compared. More dollars than these are a gift.
    pub fn believe(&mut self, book: &Book, dollars: Usdc) {
        let liquidity = book.position.map_or(0, |p| p.liquidity);
        self.agrees = book.usdc >= dollars && book.asset == self.asset && liquidity == self.liquidity;
        self.worth = book.worth;
        self.range = book.position.map(|p| p.range);
        self.in_range = self.range.is_some_and(|r| (r.lower..r.upper).contains(&book.pool.tick));
    }

    /// What all positions would fetch if they were unwound now, after gas.
    #[must_use]
    pub fn value(&self) -> Usdc {
        self.worth.unwound.minus(self.worth.gas)
    }

    /// Share of a net asset value that follows the price.
    #[must_use]
    pub fn exposure(&self, nav: Usdc) -> f64 {
        if nav == Usdc::ZERO { 0.0 } else { (self.worth.exposure.0 as f64 / nav.0 as f64).clamp(0.0, 1.0) }
    }

    /// How many positions are open.
    #[must_use]
    pub fn open(&self) -> u32 {
        u32::from(self.asset.0 > 0) + u32::from(self.liquidity > 0)
    }

    /// What hands and policies need to know.
    #[must_use]
    pub fn holdings(&self, ledger: &Ledger, capital: Usdc) -> Holdings {
        let (asset, liquidity, fees, in_range) = (self.asset, self.liquidity, self.worth.fees, self.in_range);
        let (deposits, on_chain) = (ledger.deposits(), ledger.on_chain());
        Holdings { deposits, on_chain, capital, asset, liquidity, fees, in_range }
    }

    /// Book an outcome. USDC that went in or came back is the caller's to move in the ledger.
    pub fn book(&mut self, outcome: &Outcome) -> Realised {
        match *outcome {
            Outcome::Held | Outcome::Refused { .. } => Realised::default(),
            Outcome::Bought { paid, got } => {
                self.asset = self.asset.plus(got);
                self.asset_cost = self.asset_cost.plus(paid);
                Realised { put: paid, ..Realised::default() }
            }
            Outcome::Sold { gave, got } => {
                let cost = self.give_asset(gave);
                realised(got, cost)
            }
            Outcome::Added { paid, gave, liquidity } => {
                self.put_liquidity(paid, gave, liquidity);
                Realised { put: paid, ..Realised::default() }
            }
            Outcome::Removed { liquidity, got, got_asset } => self.take_liquidity(liquidity, got, got_asset),
            Outcome::Collected { got, got_asset } => {
                self.asset = self.asset.plus(got_asset);
                realised(got, Usdc::ZERO)
            }
            // It left, with its cost, and nothing came for it.
            Outcome::SentHome { sum: HomeSum::Asset(gave) } | Outcome::Unwrapped { gave } => {
                self.give_asset(gave);
                Realised::default()
            }
            Outcome::SentHome { .. } => Realised::default(),
            Outcome::Moved { got, got_asset, paid, gave, had: _, liquidity } => {
                let spare = got_asset.minus(gave);
                self.asset = self.asset.plus(spare);
                let carried = self.spot(spare).min(self.liquidity_cost);
                let added = self.give_asset(gave.minus(got_asset));
                self.asset_cost = self.asset_cost.plus(carried);
                // USDC that stayed outside is the position's cost coming home; only what exceeds it is profit.
                let (home, more) = (got.minus(paid), paid.minus(got));
                let cost = self.liquidity_cost.minus(carried).min(home);
                self.liquidity_cost = self.liquidity_cost.minus(carried).minus(cost).plus(added).plus(more);
                self.liquidity = liquidity;
                Realised { put: more, ..realised(home, cost) }
            }
        }
    }

    /// Undo a booking: the chain took it back. Costs are undone as far as they are known, and so is the worth, never
    /// upwards: until the venue shows the books again, what came back must not count twice.
    pub fn unbook(&mut self, outcome: &Outcome) {
        self.unvalue(outcome);
        match *outcome {
            Outcome::Held | Outcome::Refused { .. } => {}
            Outcome::Bought { paid, got } => {
                self.asset = self.asset.minus(got);
                self.asset_cost = self.asset_cost.minus(paid);
            }
            Outcome::Sold { gave, got } => {
                self.asset = self.asset.plus(gave);
                self.asset_cost = self.asset_cost.plus(got);
            }
            Outcome::Added { paid, gave, liquidity } => {
                self.liquidity = self.liquidity.saturating_sub(liquidity);
                self.liquidity_cost = self.liquidity_cost.minus(paid);
                self.asset = self.asset.plus(gave);
            }
            Outcome::Removed { liquidity, got, got_asset } => {
                self.liquidity = self.liquidity.saturating_add(liquidity);
                self.liquidity_cost = self.liquidity_cost.plus(got);
                self.asset = self.asset.minus(got_asset);
            }
            Outcome::Collected { got_asset, .. } => self.asset = self.asset.minus(got_asset),
            Outcome::SentHome { sum } => self.asset = self.asset.plus(sum.booked().1),
            Outcome::Unwrapped { gave } => self.asset = self.asset.plus(gave),
            Outcome::Moved { got, got_asset, paid, gave, had, .. } => {
                self.asset = self.asset.plus(gave).minus(got_asset);
                self.liquidity = had;
                self.liquidity_cost = self.liquidity_cost.plus(got.minus(paid)).minus(paid.minus(got));
            }
        }
        if self.asset == Asset::ZERO && self.liquidity == 0 {
            (self.worth, self.range, self.in_range) = (Appraisal::default(), None, false);
        }
    }

    fn unvalue(&mut self, outcome: &Outcome) {
        let (usdc, exposed) = match *outcome {
            Outcome::Bought { got, .. } => (self.spot(got), self.spot(got)),
            Outcome::Added { paid, .. } => (paid, Usdc::ZERO),
            Outcome::Moved { got, paid, .. } => (paid.minus(got), Usdc::ZERO),
            _ => (Usdc::ZERO, Usdc::ZERO),
        };
        self.worth.unwound = self.worth.unwound.minus(usdc);
        self.worth.exposure = self.worth.exposure.minus(exposed);
    }

    /// What all of the asset is worth at the price that was last seen.
    #[must_use]
    pub fn asset_worth(&self) -> Usdc {
        self.spot(self.asset)
    }

    pub(crate) fn spot(&self, asset: Asset) -> Usdc {
        self.price.map_or(Usdc::ZERO, |p| micro(asset.as_f64() * p.get() * 1e6))
    }

    /// Asset leaves; its share of the cost comes back.
    fn give_asset(&mut self, gave: Asset) -> Usdc {
        let cost = share(self.asset_cost, gave.0, self.asset.0);
        self.asset = self.asset.minus(gave);
        self.asset_cost = self.asset_cost.minus(cost);
        cost
    }

    fn put_liquidity(&mut self, paid: Usdc, gave: Asset, liquidity: u128) {
        let cost = self.give_asset(gave);
        self.liquidity = self.liquidity.saturating_add(liquidity);
        self.liquidity_cost = self.liquidity_cost.plus(paid).plus(cost);
    }

    /// Liquidity leaves: its cost first covers what came out as asset, at the price seen; the rest stands against the USDC.
    fn take_liquidity(&mut self, liquidity: u128, got: Usdc, got_asset: Asset) -> Realised {
        let cost = share(self.liquidity_cost, liquidity, self.liquidity);
        self.liquidity = self.liquidity.saturating_sub(liquidity);
        self.liquidity_cost = self.liquidity_cost.minus(cost);
        let carried = self.spot(got_asset).min(cost);
        self.asset = self.asset.plus(got_asset);
        self.asset_cost = self.asset_cost.plus(carried);
        realised(got, cost.minus(carried))
    }
}

/// Rounds to whole micro-USDC; what is not a number is nothing.
fn micro(x: f64) -> Usdc {
    if x > 0.0 { Usdc((x + 0.5).min(9e18) as u64) } else { Usdc::ZERO }
}

/// `amount * num / den`, rounded down; the whole when `den` is zero or `num` reaches it.
fn share(amount: Usdc, num: u128, den: u128) -> Usdc {
    if num >= den {
        return amount;
    }
    if num == 0 {
        return Usdc::ZERO;
    }
    // Both are scaled down together until the product fits; what is lost is far below a micro-USDC.
    let shift = (128 - den.leading_zeros()).saturating_sub(64);
    let (num, den) = ((num >> shift) as u64, ((den >> shift) as u64).max(1));
    amount.ratio(num, den)
}

fn realised(got: Usdc, cost: Usdc) -> Realised {
    Realised { put: Usdc::ZERO, got, profit: got.minus(cost), loss: cost.minus(got) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_share_of_a_cost_is_exact_for_small_and_sane_for_huge_amounts() {
        assert_eq!(share(Usdc(100), 1, 3), Usdc(33));
        assert_eq!(share(Usdc(100), u128::MAX / 2, u128::MAX), Usdc(49));
        assert_eq!(share(Usdc(100), 5, 5), Usdc(100));
        assert_eq!(share(Usdc(100), 0, 0), Usdc(100));
    }

    #[test]
    fn what_is_booked_and_unbooked_leaves_the_amounts_as_they_were() {
        let mut book = Portfolio { asset: Asset(1_000), liquidity: 500, ..Portfolio::default() };
        let before = book.clone();
        for outcome in [
            Outcome::Bought { paid: Usdc(5), got: Asset(7) },
            Outcome::Sold { gave: Asset(9), got: Usdc(4) },
            Outcome::Added { paid: Usdc(3), gave: Asset(10), liquidity: 4 },
            Outcome::Removed { liquidity: 100, got: Usdc(3), got_asset: Asset(11) },
            Outcome::Collected { got: Usdc(1), got_asset: Asset(2) },
            Outcome::SentHome { sum: HomeSum::Asset(Asset(12)) },
            Outcome::SentHome { sum: HomeSum::Usdc(Usdc(12)) },
            Outcome::Unwrapped { gave: Asset(13) },
            Outcome::Moved {
                got: Usdc(9),
                got_asset: Asset(5),
                paid: Usdc(8),
                gave: Asset(6),
                had: 500,
                liquidity: 77,
            },
        ] {
            book.book(&outcome);
            book.unbook(&outcome);
            assert_eq!((book.asset, book.liquidity), (before.asset, before.liquidity), "{outcome:?}");
        }
    }

    proptest! {
        #[test]
        fn profit_and_loss_never_exceed_what_moved(cost: u64, got: u64, asset: u128, gave: u128) {
            let mut book = Portfolio { asset: Asset(asset), asset_cost: Usdc(cost), ..Portfolio::default() };
            let end = book.book(&Outcome::Sold { gave: Asset(gave), got: Usdc(got) });
            prop_assert!(end.profit <= Usdc(got) && end.loss <= Usdc(cost));
            prop_assert!(book.asset_cost <= Usdc(cost));
        }
    }
}
