//! What became of the money: a sum that adds up to the micro-USDC, and what else could have been done with it.

use super::Story;
use crate::money;
use golem_core::{Usdc, UsdcDelta};
use golem_life::Status;
use golem_mortality::economic::Purpose;
use serde::Serialize;

/// Where every micro-USDC came from and went: `given + trading - gas - models - dying - rent - owed = left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reckoning {
    /// By its owner, at birth and later.
    #[serde(rename = "given_micro_usdc")]
    pub given: Usdc,
    /// What trading brought, before gas: what came back less what went in, and what is still held.
    #[serde(rename = "trading_micro_usdc")]
    pub trading: UsdcDelta,
    /// Of that, what is closed.
    #[serde(rename = "closed_micro_usdc")]
    pub closed: UsdcDelta,
    /// Transactions.
    #[serde(rename = "gas_micro_usdc")]
    pub gas: Usdc,
    /// Answers of models.
    #[serde(rename = "models_micro_usdc")]
    pub models: Usdc,
    /// Reflection and settlement while dying.
    #[serde(rename = "dying_micro_usdc")]
    pub dying: Usdc,
    /// Machine, data and snapshots.
    #[serde(rename = "rent_micro_usdc")]
    pub rent: Usdc,
    /// Rent that could not be paid.
    #[serde(rename = "owed_micro_usdc")]
    pub owed: UsdcDelta,
    /// Net asset value at the end.
    #[serde(rename = "left_micro_usdc")]
    pub left: Usdc,
    /// Of that, gone home to its owner.
    #[serde(rename = "home_micro_usdc")]
    pub home: Usdc,
    /// Of that, in USDC.
    #[serde(rename = "cash_micro_usdc")]
    pub cash: Usdc,
    /// Of that, in positions.
    #[serde(rename = "positions_micro_usdc")]
    pub positions: Usdc,
    /// Acts carried out.
    pub trades: u64,
}

/// What it takes to say what else could have been done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instead {
    /// What of its birth money could be put to work.
    pub capital: Usdc,
    /// USDC for one ETH in its first turn.
    pub price_then: f64,
    /// And in its last.
    pub price_now: f64,
    /// What a swap takes, as a fraction.
    pub fee: f64,
    /// The gas of a swap in its first turn.
    pub gas_then: Usdc,
    /// And in its last.
    pub gas_now: Usdc,
}

impl Instead {
    /// What the capital would be worth, bought into at birth, held, and sold at the end: two swaps, two fees, two gas bills.
    #[must_use]
    pub fn held(&self) -> Usdc {
        let bought = self.capital.minus(self.gas_then).as_f64() * (1.0 - self.fee) / self.price_then;
        let sold = bought * self.price_now * (1.0 - self.fee);
        if sold.is_finite() { Usdc((sold * 1e6).clamp(0.0, 9e18) as u64).minus(self.gas_now) } else { Usdc::ZERO }
    }
    /// What holding leaves where doing nothing leaves so much.
    #[must_use]
    pub fn beside(&self, nothing: Usdc) -> Usdc {
        // Whoever lives longer than the rest of the money lasts has to sell some of it for the rent.
        nothing.plus(self.held()).minus(self.capital)
    }
}

impl Reckoning {
    /// From what happened and how it ended.
    pub(super) fn of(story: &Story, status: &Status) -> Self {
        let paid = |purpose: Purpose| story.paid[purpose.index()];
        let (gas, models) = (paid(Purpose::Gas), paid(Purpose::Inference));
        let dying = paid(Purpose::Reflection).plus(paid(Purpose::Settlement));
        let rent = status.spent.minus(gas).minus(models).minus(dying);
        let moved: i64 = story.trades.all().iter().filter(|t| t.is_done()).map(|t| t.usdc.0).sum();
        let whole = |amount: Usdc| i64::try_from(amount.0).unwrap_or(i64::MAX);
        let home = status.home.map_or(Usdc::ZERO, |home| home.worth);
        // Asset that went home was never sold: it counts as what it was worth then.
        let unsold = status.home.map_or(Usdc::ZERO, |home| home.worth.minus(home.usdc.minus(home.spent_before)));
        let trading = moved.saturating_add(whole(status.positions.plus(unsold)));
        let before_debt = i128::from(whole(status.funded)) + i128::from(trading) - i128::from(whole(status.spent));
        let owed = i64::try_from(before_debt - i128::from(whole(status.worth()))).unwrap_or(i64::MAX);
        Self {
            given: status.funded,
            trading: UsdcDelta(trading),
            closed: status.earned,
            gas,
            models,
            dying,
            rent,
            owed: UsdcDelta(owed),
            left: status.worth(),
            home,
            cash: status.operating.plus(status.capital),
            positions: status.positions,
            trades: status.trades,
        }
    }

    /// The sum, line by line: what, how much, and a word about it. The last line is what the others add up to.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, UsdcDelta, String)> {
        let cost = |amount: Usdc| UsdcDelta(-i64::try_from(amount.0).unwrap_or(i64::MAX));
        let sum = |amount: Usdc| UsdcDelta(i64::try_from(amount.0).unwrap_or(i64::MAX));
        let open = UsdcDelta(self.trading.0.saturating_sub(self.closed.0));
        let acts = match (self.trades, open.0) {
            (0, _) => "it never traded".to_owned(),
            (n, 0) => format!("{n} acts, all closed"),
            (n, _) => format!("{n} acts: {} closed, {} open", money::signed(self.closed), money::signed(open)),
        };
        let mut lines = vec![
            ("given", sum(self.given), String::new()),
            ("trading", self.trading, acts),
            ("gas", cost(self.gas), String::new()),
            ("rent", cost(self.rent), "machine, data, snapshots".to_owned()),
            ("models", cost(self.models), String::new()),
            ("dying", cost(self.dying), "settlement and last thoughts".to_owned()),
            ("owed", UsdcDelta(self.owed.0.saturating_neg()), "rent that it could not pay".to_owned()),
        ];
        lines.retain(|(what, amount, _)| amount.0 != 0 || matches!(*what, "given" | "trading" | "rent"));
        let held = match self.positions {
            _ if self.home > Usdc::ZERO && self.home == self.left => "all of it went home".to_owned(),
            _ if self.home > Usdc::ZERO => format!("{} of it went home", money::usdc(self.home)),
            Usdc::ZERO => "all in USDC".to_owned(),
            positions => format!("{} in USDC, {} in positions", money::usdc(self.cash), money::usdc(positions)),
        };
        lines.push(("left", sum(self.left), held));
        lines
    }

    /// What would be left, had it done nothing but live.
    #[must_use]
    pub fn nothing(&self) -> Usdc {
        let owed = Usdc(u64::try_from(self.owed.0).unwrap_or(0));
        self.given.minus(self.rent).minus(owed)
    }

    /// What would be left, had it bought at birth, held, and sold at the end: the same rent, the costs of two swaps.
    #[must_use]
    pub fn holding(&self, instead: &Instead) -> Usdc {
        instead.beside(self.nothing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reckoning() -> Reckoning {
        Reckoning {
            given: Usdc(50_000_000),
            trading: UsdcDelta(10_123_456),
            closed: UsdcDelta(10_000_000),
            gas: Usdc(3_000_001),
            models: Usdc(20),
            dying: Usdc::ZERO,
            rent: Usdc(15_000_000),
            owed: UsdcDelta(100_000),
            left: Usdc(42_023_435),
            home: Usdc::ZERO,
            cash: Usdc(30_000_000),
            positions: Usdc(12_023_435),
            trades: 7,
        }
    }

    #[test]
    fn the_lines_add_up_to_the_last_one() {
        let lines = reckoning().lines();
        let (last, others) = lines.split_last().unwrap();
        assert_eq!(others.iter().map(|(_, amount, _)| amount.0).sum::<i64>(), last.1.0, "{lines:?}");
        assert!(!lines.iter().any(|(what, ..)| *what == "dying"), "nothing is not told");
    }

    #[test]
    fn holding_pays_for_two_swaps_and_the_same_rent() {
        let told = reckoning();
        assert_eq!(told.nothing(), Usdc(50_000_000 - 15_000_000 - 100_000));
        let (capital, gas) = (Usdc(30_000_000), Usdc(10_000));
        let flat =
            Instead { capital, price_then: 2_000.0, price_now: 2_000.0, fee: 0.0005, gas_then: gas, gas_now: gas };
        // (30 - 0.01) * 0.9995^2 - 0.01 = 29.950017... of the capital is left when the price stands still.
        let held = told.holding(&flat);
        assert_eq!(held, Usdc(told.nothing().0 - 30_000_000 + 29_950_017));
        let doubled = told.holding(&Instead { price_now: 4_000.0, ..flat });
        assert_eq!(
            doubled.0 - held.0,
            29_960_017,
            "what was bought is worth twice as much: it pays no more for selling it"
        );
    }
}
