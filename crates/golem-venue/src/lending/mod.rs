//! A market that lends USDC, by the arithmetic of Aave v3 to the unit: indices that grow with time, balances scaled by them, and
//! rates that follow from how much is lent out.
//!
//! One reserve stands for the whole market; accounts are numbers of scaled units that their holders keep. Every act first brings the
//! reserve to the present, and leaves nothing changed where the contracts would revert.

mod curve;
pub mod ray;

pub use curve::{MarketRates, RateCurve};

use golem_core::Usdc;
use golem_core::intent::Refusal;
use ray::{compounded, linear, percent_mul, ray_div, ray_mul};
use serde::{Deserialize, Serialize};

/// What a market of this kind is born with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LendingTerms {
    pub curve: RateCurve,
    /// What of the interest goes to whoever runs the market, in basis points.
    pub reserve_bps: u32,
    /// The most that may be supplied, in whole dollars; 0 is no limit.
    pub supply_cap: u64,
}

/// Who may still do what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LendingGate {
    /// Everything.
    #[default]
    Open,
    /// Nothing new: supplying and borrowing are refused, taking out and paying back are not.
    Frozen,
    /// Nothing at all.
    Paused,
}

/// How much is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LentPart {
    /// So much.
    Some(Usdc),
    /// All that there is, to the last unit.
    All,
}

/// Dollars that moved, and the scaled units that stand for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LendingMove {
    pub amount: Usdc,
    pub scaled: u128,
}

/// The whole market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LendingReserve {
    pub terms: LendingTerms,
    pub gate: LendingGate,
    /// What a scaled unit of a supplier is worth, with 27 decimals.
    pub supply_index: u128,
    /// What a scaled unit of debt has grown to.
    pub borrow_index: u128,
    pub rates: MarketRates,
    /// When it was last brought to the present, in seconds since 1970.
    pub updated: u64,
    /// All that suppliers have, scaled.
    pub supplied: u128,
    /// All that borrowers owe, scaled.
    pub borrowed: u128,
    /// What the market's keeper is owed, scaled.
    pub treasury: u128,
    /// Dollars in the till.
    pub cash: u128,
}

impl LendingReserve {
    /// A market that nobody has used.
    #[must_use]
    pub fn new(terms: LendingTerms) -> Self {
        Self {
            terms,
            gate: LendingGate::Open,
            supply_index: ray::RAY,
            borrow_index: ray::RAY,
            rates: MarketRates::default(),
            updated: 0,
            supplied: 0,
            borrowed: 0,
            treasury: 0,
            cash: 0,
        }
    }

    /// What scaled units of a supplier are worth now.
    #[must_use]
    pub fn balance(&self, scaled: u128, now: u64) -> Usdc {
        usdc(self.supply_index_at(now).and_then(|index| ray_mul(scaled, index)))
    }

    /// What scaled units of debt come to now.
    #[must_use]
    pub fn debt(&self, scaled: u128, now: u64) -> Usdc {
        usdc(self.borrow_index_at(now).and_then(|index| ray_mul(scaled, index)))
    }

    /// Of all that was supplied or earned, the share that is lent out, in basis points.
    #[must_use]
    pub fn usage_bps(&self, now: u64) -> u32 {
        let debt = u128::from(self.debt(self.borrowed, now).0);
        let all = debt.saturating_add(self.cash);
        debt.saturating_mul(10_000).checked_div(all).map_or(0, |bps| u32::try_from(bps).unwrap_or(u32::MAX))
    }

    /// Put dollars in; they become scaled units of whoever did.
    ///
    /// # Errors
    /// Where the contracts would revert.
    pub fn supply(&mut self, amount: Usdc, now: u64) -> Result<LendingMove, Refusal> {
        self.change(now, |next| {
            if amount == Usdc::ZERO || next.gate != LendingGate::Open {
                return None;
            }
            let dollars = u128::from(amount.0);
            if next.terms.supply_cap > 0 {
                let there = ray_mul(next.supplied.checked_add(next.treasury)?, next.supply_index)?;
                if there.checked_add(dollars)? > u128::from(next.terms.supply_cap) * 1_000_000 {
                    return None;
                }
            }
            next.cash = next.cash.checked_add(dollars)?;
            next.set_rates()?;
            let scaled = ray_div(dollars, next.supply_index).filter(|scaled| *scaled > 0)?;
            next.supplied = next.supplied.checked_add(scaled)?;
            Some(LendingMove { amount, scaled })
        })
    }

    /// Take dollars out, for scaled units that somebody holds.
    ///
    /// # Errors
    /// [`Refusal::Funds`] for more than is held, [`Refusal::NoMarket`] for more than the till has; otherwise where the contracts would revert.
    pub fn withdraw(&mut self, held: u128, part: LentPart, now: u64) -> Result<LendingMove, Refusal> {
        let all = self.balance(held, now);
        let amount = if let LentPart::Some(amount) = part { amount } else { all };
        if amount > all {
            return Err(Refusal::Funds);
        }
        if u128::from(amount.0) > self.cash {
            return Err(Refusal::NoMarket);
        }
        self.change(now, |next| {
            if amount == Usdc::ZERO || next.gate == LendingGate::Paused {
                return None;
            }
            let dollars = u128::from(amount.0);
            next.cash = next.cash.checked_sub(dollars)?;
            next.set_rates()?;
            let scaled = ray_div(dollars, next.supply_index).filter(|scaled| *scaled > 0 && *scaled <= held)?;
            next.supplied = next.supplied.checked_sub(scaled)?;
            Some(LendingMove { amount, scaled })
        })
    }

    /// Borrow dollars; whoever may is not asked here.
    ///
    /// # Errors
    /// Where the contracts would revert.
    pub fn borrow(&mut self, amount: Usdc, now: u64) -> Result<LendingMove, Refusal> {
        self.change(now, |next| {
            if amount == Usdc::ZERO || next.gate != LendingGate::Open {
                return None;
            }
            let dollars = u128::from(amount.0);
            let scaled = ray_div(dollars, next.borrow_index).filter(|scaled| *scaled > 0)?;
            next.borrowed = next.borrowed.checked_add(scaled)?;
            next.cash = next.cash.checked_sub(dollars)?;
            next.set_rates()?;
            Some(LendingMove { amount, scaled })
        })
    }

    /// Pay a debt of so many scaled units back, in part or whole.
    ///
    /// # Errors
    /// Where the contracts would revert.
    pub fn repay(&mut self, owed: u128, part: LentPart, now: u64) -> Result<LendingMove, Refusal> {
        let all = self.debt(owed, now);
        let amount = if let LentPart::Some(amount) = part { amount.min(all) } else { all };
        self.change(now, |next| {
            if amount == Usdc::ZERO || next.gate == LendingGate::Paused {
                return None;
            }
            let dollars = u128::from(amount.0);
            let scaled = ray_div(dollars, next.borrow_index).filter(|scaled| *scaled > 0 && *scaled <= owed)?;
            next.borrowed = next.borrowed.checked_sub(scaled)?;
            next.cash = next.cash.checked_add(dollars)?;
            next.set_rates()?;
            Some(LendingMove { amount, scaled })
        })
    }

    /// Bring it to the present and act; all of it, or nothing.
    fn change(&mut self, now: u64, act: impl FnOnce(&mut Self) -> Option<LendingMove>) -> Result<LendingMove, Refusal> {
        let mut next = self.at(now).ok_or(Refusal::Reverted)?;
        let moved = act(&mut next).ok_or(Refusal::Reverted)?;
        *self = next;
        Ok(moved)
    }

    /// The same at a later time: indices have grown, and the keeper has its share of the interest.
    fn at(&self, now: u64) -> Option<Self> {
        let mut next = *self;
        if now == self.updated {
            return Some(next);
        }
        next.supply_index = self.supply_index_at(now)?;
        if self.borrowed > 0 {
            next.borrow_index = self.borrow_index_at(now)?;
        }
        let debt = |index| ray_mul(self.borrowed, index);
        let interest = debt(next.borrow_index)?.checked_sub(debt(self.borrow_index)?)?;
        let share = percent_mul(interest, self.terms.reserve_bps)?;
        next.treasury = self.treasury.checked_add(ray_div(share, next.supply_index)?)?;
        next.updated = now;
        Some(next)
    }

    fn set_rates(&mut self) -> Option<()> {
        let debt = ray_mul(self.borrowed, self.borrow_index)?;
        self.rates = self.terms.curve.rates(self.cash, debt, self.terms.reserve_bps)?;
        Some(())
    }

    fn supply_index_at(&self, now: u64) -> Option<u128> {
        if now == self.updated || self.rates.supply == 0 {
            return Some(self.supply_index);
        }
        ray_mul(linear(self.rates.supply, now.checked_sub(self.updated)?)?, self.supply_index)
    }

    fn borrow_index_at(&self, now: u64) -> Option<u128> {
        if now == self.updated {
            return Some(self.borrow_index);
        }
        ray_mul(compounded(self.rates.borrow, now.checked_sub(self.updated)?)?, self.borrow_index)
    }
}

/// Dollars, at most as many as there can be; nothing where there is no answer.
fn usdc(amount: Option<u128>) -> Usdc {
    Usdc(amount.map_or(0, |amount| u64::try_from(amount).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms() -> LendingTerms {
        LendingTerms { curve: RateCurve::of_bps(9_000, 0, 400, 6_000), reserve_bps: 1_000, supply_cap: 0 }
    }

    /// A market with a million in it, of which so many hundredths are lent out.
    fn market(lent_out: u64) -> (LendingReserve, u128, u128) {
        let mut reserve = LendingReserve::new(terms());
        let supplied = reserve.supply(Usdc::whole(1_000_000), 1_000).expect("supplied");
        let owed = match lent_out {
            0 => 0,
            share => reserve.borrow(Usdc::whole(share * 10_000), 1_000).expect("borrowed").scaled,
        };
        (reserve, supplied.scaled, owed)
    }

    #[test]
    fn a_year_earns_what_the_rate_says() {
        let (reserve, held, owed) = market(90);
        let year = 1_000 + 365 * 24 * 3600;
        // Borrowers pay 4 % with interest on interest, suppliers get 3.24 % without.
        assert_eq!(reserve.balance(held, year), Usdc::whole(1_032_400));
        let debt = reserve.debt(owed, year).0 as f64 / 1e6;
        assert!((debt - 900_000.0 * 0.04_f64.exp()).abs() < 1.0, "{debt}");
        assert_eq!(reserve.usage_bps(1_000), 9_000);
    }

    #[test]
    fn what_is_lent_out_cannot_be_taken_out() {
        let (mut reserve, held, _) = market(90);
        let later = 1_000 + 24 * 3600;
        let before = reserve;
        assert_eq!(reserve.withdraw(held, LentPart::All, later), Err(Refusal::NoMarket));
        assert_eq!(reserve.withdraw(held, LentPart::Some(Usdc::whole(2_000_000)), later), Err(Refusal::Funds));
        assert_eq!(reserve, before, "who is refused changes nothing");
        let got = reserve.withdraw(held, LentPart::Some(Usdc::whole(100_000)), later).expect("what is in the till");
        assert_eq!((got.amount, reserve.cash), (Usdc::whole(100_000), 0));
        assert!(reserve.rates.borrow > before.rates.borrow * 15, "an empty till is dear: {:?}", reserve.rates);
    }

    /// Who may do what: supply, withdraw, borrow, repay.
    #[test]
    fn the_table_of_gates() {
        for (gate, may) in [
            (LendingGate::Open, [true, true, true, true]),
            (LendingGate::Frozen, [false, true, false, true]),
            (LendingGate::Paused, [false, false, false, false]),
        ] {
            let (mut reserve, held, owed) = market(50);
            reserve.gate = gate;
            let (sum, now) = (Usdc::whole(10), 2_000);
            let done = [
                reserve.supply(sum, now).is_ok(),
                reserve.withdraw(held, LentPart::Some(sum), now).is_ok(),
                reserve.borrow(sum, now).is_ok(),
                reserve.repay(owed, LentPart::Some(sum), now).is_ok(),
            ];
            assert_eq!(done, may, "{gate:?}");
        }
        let mut full = market(0).0;
        full.terms.supply_cap = 1_000_001;
        assert_eq!(full.supply(Usdc(1_000_001), 1_000), Err(Refusal::Reverted));
        assert!(full.supply(Usdc(1_000_000), 1_000).is_ok(), "up to the cap and no further");
    }

    #[derive(Debug, Clone, Copy)]
    enum LendingAct {
        Supply(u64),
        Withdraw(u64),
        Borrow(u64),
        Repay(u64),
        Wait(u64),
    }

    fn act() -> impl Strategy<Value = LendingAct> {
        let sum = || (0..14u32).prop_flat_map(|digits| 0..10_u64.pow(digits + 1));
        prop_oneof![
            sum().prop_map(LendingAct::Supply),
            sum().prop_map(LendingAct::Withdraw),
            sum().prop_map(LendingAct::Borrow),
            sum().prop_map(LendingAct::Repay),
            (0..5_000_000u64).prop_map(LendingAct::Wait),
        ]
    }

    proptest! {
        /// Nobody is promised more than there is: what suppliers and keeper have never exceeds till and debts, but for a unit an act.
        #[test]
        fn promises_are_covered(acts in prop::collection::vec(act(), 1..60)) {
            let (mut reserve, mut held, mut owed) = market(40);
            let (mut now, mut done) = (1_000, 2_u128);
            for act in acts {
                let moved = match act {
                    LendingAct::Supply(sum) => reserve.supply(Usdc(sum), now).map(|m| held += m.scaled),
                    LendingAct::Withdraw(sum) => {
                        reserve.withdraw(held, LentPart::Some(Usdc(sum)), now).map(|m| held -= m.scaled)
                    }
                    LendingAct::Borrow(sum) => reserve.borrow(Usdc(sum), now).map(|m| owed += m.scaled),
                    LendingAct::Repay(sum) => {
                        reserve.repay(owed, LentPart::Some(Usdc(sum)), now).map(|m| owed -= m.scaled)
                    }
                    LendingAct::Wait(seconds) => {
                        now += seconds;
                        Ok(())
                    }
                };
                done += u128::from(moved.is_ok());
                prop_assert_eq!((reserve.supplied, reserve.borrowed), (held, owed));
                let promised = u128::from(reserve.balance(held + reserve.treasury, now).0);
                let there = reserve.cash + u128::from(reserve.debt(owed, now).0);
                prop_assert!(promised <= there + 2 * done, "{promised} of {there} after {done}");
            }
        }
    }
}
