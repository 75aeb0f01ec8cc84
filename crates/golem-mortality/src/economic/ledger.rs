//! The ledger: every micro-USDC that came in is liquid, spent, in positions or gone home. Always.

use super::burn::BurnRate;
use super::purpose::{Partition, Purpose};
use super::trailing::Trailing;
use crate::config::PartitionShares;
use crate::economic::prices::bps;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// The most that a golem may be given in its life: sums of it stay far from the end of 64 bits.
pub const MOST: Usdc = Usdc::whole(1_000_000_000);

/// A golem's money.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Given at birth.
    pub funded: Usdc,
    /// Given later.
    pub fed: Usdc,
    /// Came back from positions, earnings included.
    pub received: Usdc,
    /// Paid for living.
    pub spent: Usdc,
    /// Went into positions.
    pub put: Usdc,
    /// Gone home to its owner.
    pub bequeathed: Usdc,
    /// Rent that could not be paid yet; counts against the balance.
    pub arrears: Usdc,
    /// Liquid money that may be put to work.
    pub capital: Usdc,
    /// Operating credit by purse.
    pub purses: [Usdc; 4],
    /// Lifetime spending by purpose.
    pub by_purpose: [Usdc; 7],
    /// Spent on wishes today, by purse.
    pub wished_today: [Usdc; 4],
    /// What each purse held when the day began: the daily caps are shares of it.
    pub day_opening: [Usdc; 4],
    /// The virtual day these belong to.
    pub day: u64,
    /// What living costs.
    pub burn: BurnRate,
    /// What the last turns took from each working purse.
    pub trailing: Trailing,
    /// Spent since the turn began.
    pub this_turn: Usdc,
    /// Of it, on anything but rent.
    pub wished_this_turn: Usdc,
}

/// A paid line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// What for.
    pub purpose: Purpose,
    /// How much.
    pub amount: Usdc,
}

/// Why a wish was not paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "denied")]
pub enum PurseDenied {
    /// The purse holds less.
    #[error("the {} purse holds {left}, {asked} was asked", .partition.name())]
    Purse {
        /// Which.
        partition: Partition,
        /// What it holds.
        left: Usdc,
        /// What was asked.
        asked: Usdc,
    },
    /// Today's cap is reached; a new virtual day lifts it.
    #[error("the {} purse may spend {cap} a day", .partition.name())]
    DailyCap {
        /// Which.
        partition: Partition,
        /// Its cap.
        cap: Usdc,
    },
    /// Only the reserve is left, and that is not spendable.
    #[error("only the reserve is left")]
    Reserve,
}

impl Ledger {
    /// A newborn's ledger: funding split into operating credit and capital.
    #[must_use]
    pub fn funded(funding: Usdc, operating_bps: u32, shares: &PartitionShares) -> Self {
        let mut ledger = Self { funded: funding, ..Self::default() };
        ledger.split_in(funding, operating_bps, shares);
        ledger.day_opening = ledger.purses;
        ledger
    }

    /// More money from outside. `false` (and nothing happens) when it would be more than this ledger will handle.
    pub fn feed(&mut self, amount: Usdc, operating_bps: u32, shares: &PartitionShares) -> bool {
        let fed = self.fed.plus(amount);
        if self.funded.plus(fed) > MOST {
            return false;
        }
        self.fed = fed;
        self.split_in(amount, operating_bps, shares);
        true
    }

    fn split_in(&mut self, amount: Usdc, operating_bps: u32, shares: &PartitionShares) {
        let operating = amount.share_bps(operating_bps);
        self.capital = self.capital.plus(amount.minus(operating));
        self.refill(operating, shares);
    }

    /// Add to the purses by share; what rounding leaves goes to the llm purse, what shares leave goes to legacy.
    fn refill(&mut self, amount: Usdc, shares: &PartitionShares) {
        let (gas, data) = (amount.share_bps(bps(shares.gas)), amount.share_bps(bps(shares.data)));
        let legacy_bps = 10_000u32.saturating_sub(bps(shares.llm) + bps(shares.gas) + bps(shares.data));
        let legacy = amount.share_bps(legacy_bps);
        let llm = amount.minus(gas).minus(data).minus(legacy);
        // With nothing meant for the llm purse, the rounding belongs to legacy.
        let (llm, legacy) = if bps(shares.llm) == 0 { (Usdc::ZERO, legacy.plus(llm)) } else { (llm, legacy) };
        for (purse, part) in self.purses.iter_mut().zip([llm, gas, data, legacy]) {
            *purse = purse.plus(part);
        }
    }

    /// Divide all operating credit anew: the plan by which it is divided has changed.
    pub fn repartition(&mut self, shares: &PartitionShares) {
        let total = self.operating();
        self.purses = [Usdc::ZERO; 4];
        self.refill(total, shares);
    }

    /// Operating credit.
    #[must_use]
    pub fn operating(&self) -> Usdc {
        self.purses.iter().fold(Usdc::ZERO, |sum, p| sum.plus(*p))
    }
    /// All liquid money.
    #[must_use]
    pub fn liquid(&self) -> Usdc {
        self.operating().plus(self.capital)
    }
    /// Net asset value: liquid money and what the positions would fetch, less what is owed.
    #[must_use]
    pub fn balance(&self, positions: Usdc) -> Usdc {
        self.liquid().plus(positions).minus(self.arrears)
    }
    /// The identity that holds at every turn.
    #[must_use]
    pub fn balances(&self) -> bool {
        let sum = |parts: &[Usdc]| parts.iter().map(|u| u128::from(u.0)).sum::<u128>();
        sum(&[self.funded, self.fed, self.received]) == sum(&[self.liquid(), self.spent, self.put, self.bequeathed])
    }

    /// A new turn begins: a new virtual day lifts the caps.
    pub fn open_turn(&mut self, day: u64) {
        (self.this_turn, self.wished_this_turn) = (Usdc::ZERO, Usdc::ZERO);
        if day > self.day {
            self.day = day;
            self.wished_today = [Usdc::ZERO; 4];
            self.day_opening = self.purses;
        }
    }

    /// Rent falls due: its own purse pays, then the fullest others, then capital; never the reserve. What cannot be
    /// paid is owed, and owed rent is the first thing paid later.
    pub fn rent(&mut self, purpose: Purpose, amount: Usdc, reserve: Usdc) -> Paid {
        let due = amount.plus(self.arrears);
        let payable = due.min(self.liquid().minus(reserve));
        self.arrears = due.minus(payable);
        let own = purpose.partition();
        let mut left = self.take(own, payable);
        for _ in 0..3 {
            if left == Usdc::ZERO {
                break;
            }
            let fullest = Partition::ALL.into_iter().max_by_key(|p| (self.purses[p.index()], std::cmp::Reverse(*p)));
            left = self.take(fullest.unwrap_or(own), left);
        }
        self.capital = self.capital.minus(left);
        self.book(purpose, payable)
    }

    /// Take up to `amount` from a purse; returns what was not there.
    fn take(&mut self, partition: Partition, amount: Usdc) -> Usdc {
        let purse = &mut self.purses[partition.index()];
        let taken = amount.min(*purse);
        *purse = purse.minus(taken);
        self.trailing.took(partition, taken);
        amount.minus(taken)
    }

    fn book(&mut self, purpose: Purpose, amount: Usdc) -> Paid {
        self.spent = self.spent.plus(amount);
        self.this_turn = self.this_turn.plus(amount);
        if !purpose.is_rent() {
            self.wished_this_turn = self.wished_this_turn.plus(amount);
        }
        let line = &mut self.by_purpose[purpose.index()];
        *line = line.plus(amount);
        Paid { purpose, amount }
    }

    /// Whether a wish could be paid: from its purse, within today's cap, above the reserve.
    pub fn afford(
        &self,
        purpose: Purpose,
        amount: Usdc,
        reserve: Usdc,
        caps: &PartitionShares,
    ) -> Result<(), PurseDenied> {
        let partition = self.payer(purpose);
        let left = self.purses[partition.index()];
        if left < amount {
            return Err(PurseDenied::Purse { partition, left, asked: amount });
        }
        if let Some(cap) = self.cap(partition, caps)
            && self.wished_today[partition.index()].plus(amount) > cap
        {
            return Err(PurseDenied::DailyCap { partition, cap });
        }
        let settles = matches!(purpose, Purpose::Reflection | Purpose::Settlement);
        if !settles && self.liquid().minus(amount) < reserve {
            return Err(PurseDenied::Reserve);
        }
        Ok(())
    }

    /// The most that a wish may cost now: what is in its purse, within today's cap, above the reserve.
    #[must_use]
    pub fn room(&self, purpose: Purpose, reserve: Usdc, caps: &PartitionShares) -> Usdc {
        let partition = self.payer(purpose);
        let left = self.purses[partition.index()];
        let today = self.cap(partition, caps).map_or(left, |cap| cap.minus(self.wished_today[partition.index()]));
        left.min(today).min(self.liquid().minus(reserve))
    }

    /// Book what the world has already taken (gas of a sent transaction): purse first, then whatever there is.
    pub fn spend(&mut self, purpose: Purpose, amount: Usdc) -> Paid {
        let partition = self.payer(purpose);
        let today = &mut self.wished_today[partition.index()];
        *today = today.plus(amount);
        let payable = amount.min(self.liquid());
        let mut left = self.take(partition, payable);
        for p in Partition::ALL {
            left = self.take(p, left);
        }
        self.capital = self.capital.minus(left);
        self.arrears = self.arrears.plus(amount.minus(payable));
        self.book(purpose, payable)
    }

    /// In Terminal all credit is legacy, and legacy pays gas too.
    fn payer(&self, purpose: Purpose) -> Partition {
        let own = purpose.partition();
        let only_legacy = Partition::WORKING.iter().all(|p| self.purses[p.index()] == Usdc::ZERO);
        if only_legacy && self.purses[Partition::Legacy.index()] > Usdc::ZERO { Partition::Legacy } else { own }
    }

    fn cap(&self, partition: Partition, caps: &PartitionShares) -> Option<Usdc> {
        let share = match partition {
            Partition::Llm => caps.llm,
            Partition::Gas => caps.gas,
            Partition::Data => caps.data,
            Partition::Legacy => return None,
        };
        Some(self.day_opening[partition.index()].max(self.purses[partition.index()]).share_bps(bps(share)))
    }

    /// Everything the owner ever gave.
    #[must_use]
    pub fn deposits(&self) -> Usdc {
        self.funded.plus(self.fed)
    }
    /// USDC that must stand in the golem's account on its chain: what was given and came back, less what went into
    /// positions and home. Rent is settled off the chain, and gas in the chain's own coin.
    #[must_use]
    pub fn on_chain(&self) -> Usdc {
        self.deposits().plus(self.received).minus(self.put).minus(self.bequeathed)
    }

    /// Money went home: capital first, then operating credit, but for `kept` of it, which is still to be spent. Returns what did
    /// not count as gone: it had been spent, or is kept for it, and as that is settled off the chain it stood there.
    pub fn send_home(&mut self, amount: Usdc, kept: Usdc) -> Usdc {
        let gone = amount.min(self.liquid()).minus(kept);
        let from_capital = gone.min(self.capital);
        self.capital = self.capital.minus(from_capital);
        let mut left = gone.minus(from_capital);
        for p in Partition::ALL {
            let taken = left.min(self.purses[p.index()]);
            self.purses[p.index()] = self.purses[p.index()].minus(taken);
            left = left.minus(taken);
        }
        self.bequeathed = self.bequeathed.plus(gone);
        amount.minus(gone)
    }

    /// The chain took back that money went home.
    pub fn unsend(&mut self, amount: Usdc) {
        let back = amount.min(self.bequeathed);
        self.bequeathed = self.bequeathed.minus(back);
        self.capital = self.capital.plus(back);
    }

    /// Money went into a position: capital pays, then operating credit. Returns what could not be covered by either;
    /// that is owed.
    pub fn put_into_positions(&mut self, amount: Usdc) -> Usdc {
        let payable = amount.min(self.liquid());
        let from_capital = payable.min(self.capital);
        self.capital = self.capital.minus(from_capital);
        let mut left = payable.minus(from_capital);
        for p in Partition::ALL {
            left = self.take(p, left);
        }
        self.put = self.put.plus(payable);
        self.arrears = self.arrears.plus(amount.minus(payable));
        amount.minus(from_capital)
    }

    /// The chain took an effect back: `usdc` is what it had brought (negative: taken), `gas` what it had cost.
    pub fn unbook(&mut self, usdc: i128, purpose: Purpose, gas: Usdc) {
        let amount = Usdc(u64::try_from(usdc.unsigned_abs()).unwrap_or(u64::MAX));
        if usdc < 0 {
            let back = amount.min(self.put);
            self.put = self.put.minus(back);
            self.capital = self.capital.plus(back);
        } else {
            let gone = amount.min(self.liquid()).min(self.received);
            let from_capital = gone.min(self.capital);
            self.capital = self.capital.minus(from_capital);
            let mut left = gone.minus(from_capital);
            for p in Partition::ALL {
                left = self.take(p, left);
            }
            self.received = self.received.minus(gone);
            self.arrears = self.arrears.plus(amount.minus(gone));
        }
        let line = &mut self.by_purpose[purpose.index()];
        let back = gas.min(*line).min(self.spent);
        *line = line.minus(back);
        self.spent = self.spent.minus(back);
        let purse = &mut self.purses[purpose.partition().index()];
        *purse = purse.plus(back);
    }

    /// Money comes back from positions; a share of the profit refills operating credit.
    pub fn receive(&mut self, amount: Usdc, profit: Usdc, refill_bps: u32, shares: &PartitionShares) {
        let Some(received) = self.received.checked_add(amount) else { return };
        self.received = received;
        let refill = profit.min(amount).share_bps(refill_bps);
        self.capital = self.capital.plus(amount.minus(refill));
        self.refill(refill, shares);
    }
}
