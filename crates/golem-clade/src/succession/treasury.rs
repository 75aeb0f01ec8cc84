//! An owner's credit in exact integers: what came in, what is set aside for a death, what was moved to its heir. Every movement has a
//! key that is used once, so that saying it twice changes nothing.

use golem_core::{GolemId, Timestamp, Usdc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Money that came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreditEntry {
    /// How much.
    pub amount: Usdc,
    /// When.
    pub at: Timestamp,
    /// What the owner says about it.
    pub note: String,
}

/// Credit that is set aside for the heir of a death.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldCredit {
    /// How much.
    pub amount: Usdc,
    /// When.
    pub at: Timestamp,
}

/// Credit that an heir was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovedCredit {
    /// How much.
    pub amount: Usdc,
    /// When.
    pub at: Timestamp,
    /// Its line, for the limit of a day.
    pub lineage: GolemId,
    /// Whom; none for one that is born elsewhere.
    pub heir: Option<GolemId>,
    /// Where it lives.
    pub berth: String,
}

/// A payment that the owner has signed beforehand (x402, EIP-3009), checked by whoever took it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentAuthorization {
    /// Whose money: an address in its one spelling.
    pub from: String,
    /// To whom.
    pub to: String,
    /// How much: an authorisation moves exactly that.
    pub amount: Usdc,
    /// Good after this time.
    pub valid_after: Timestamp,
    /// And before this one.
    pub valid_before: Timestamp,
    /// Used once.
    pub nonce: String,
    /// The chain, and the token's contract on it.
    pub asset: String,
    /// The signature.
    pub signature: String,
    /// The death whose heir it pays for; none while it waits.
    pub used_for: Option<GolemId>,
}

impl PaymentAuthorization {
    /// Payer and nonce: what makes it one.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}/{}", self.asset, self.from, self.nonce)
    }
    fn is_good(&self, now: Timestamp) -> bool {
        self.used_for.is_none() && now > self.valid_after && now < self.valid_before
    }
}

/// Why money did not move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreasuryRefusal {
    /// The key stands for something else.
    #[error("{key} was used before, for something else")]
    Used {
        /// Which.
        key: String,
    },
    /// Nothing.
    #[error("nothing is no amount")]
    Nothing,
    /// More than can be counted.
    #[error("the treasury cannot hold so much")]
    TooMuch,
    /// Not enough.
    #[error("{needed} USDC are needed, and {there} USDC are free")]
    Short {
        /// What is needed.
        needed: Usdc,
        /// What is free.
        there: Usdc,
    },
    /// Nothing is set aside for this death.
    #[error("nothing is set aside for the heir of {dead}")]
    NotHeld {
        /// Whose.
        dead: GolemId,
    },
}

/// The owner's credit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnerTreasury {
    pub(super) credits: BTreeMap<String, CreditEntry>,
    pub(super) holds: BTreeMap<GolemId, HeldCredit>,
    pub(super) moves: BTreeMap<GolemId, MovedCredit>,
    pub(super) authorizations: BTreeMap<String, PaymentAuthorization>,
}

impl OwnerTreasury {
    /// All that ever came in.
    #[must_use]
    pub fn credited(&self) -> Usdc {
        sum(self.credits.values().map(|entry| entry.amount))
    }
    /// What is set aside.
    #[must_use]
    pub fn held(&self) -> Usdc {
        sum(self.holds.values().map(|held| held.amount))
    }
    /// What heirs were given.
    #[must_use]
    pub fn moved(&self) -> Usdc {
        sum(self.moves.values().map(|moved| moved.amount))
    }
    /// What can be set aside.
    #[must_use]
    pub fn free(&self) -> Usdc {
        self.credited().minus(self.held()).minus(self.moved())
    }
    /// What the heir of a death was given.
    #[must_use]
    pub fn move_of(&self, dead: GolemId) -> Option<&MovedCredit> {
        self.moves.get(&dead)
    }
    /// Every movement, by death.
    pub fn moves(&self) -> impl Iterator<Item = (GolemId, &MovedCredit)> {
        self.moves.iter().map(|(dead, moved)| (*dead, moved))
    }
    /// Everything that came in, by key.
    pub fn credits(&self) -> impl Iterator<Item = (&str, &CreditEntry)> {
        self.credits.iter().map(|(key, entry)| (key.as_str(), entry))
    }
    /// Every authorisation, used or not.
    pub fn authorizations(&self) -> impl Iterator<Item = &PaymentAuthorization> {
        self.authorizations.values()
    }

    /// Money comes in. Said again with the same key it changes nothing.
    ///
    /// # Errors
    /// When the key stands for another amount, or nothing is credited.
    pub fn credit(&mut self, key: &str, entry: CreditEntry) -> Result<bool, TreasuryRefusal> {
        if entry.amount == Usdc::ZERO {
            return Err(TreasuryRefusal::Nothing);
        }
        if let Some(before) = self.credits.get(key) {
            let same = before.amount == entry.amount;
            return if same { Ok(false) } else { Err(TreasuryRefusal::Used { key: key.to_owned() }) };
        }
        let wide: u128 = self.credits.values().map(|e| u128::from(e.amount.0)).sum();
        if wide + u128::from(entry.amount.0) > u128::from(u64::MAX) {
            return Err(TreasuryRefusal::TooMuch);
        }
        self.credits.insert(key.to_owned(), entry);
        Ok(true)
    }

    /// Keep a signed payment for later. One that is known changes nothing.
    ///
    /// # Errors
    /// When the same nonce of the same payer stands for something else.
    pub fn authorize(&mut self, payment: PaymentAuthorization) -> Result<bool, TreasuryRefusal> {
        if payment.amount == Usdc::ZERO {
            return Err(TreasuryRefusal::Nothing);
        }
        let (key, payment) = (payment.key(), PaymentAuthorization { used_for: None, ..payment });
        if let Some(before) = self.authorizations.get(&key) {
            let same = *before == PaymentAuthorization { used_for: before.used_for, ..payment };
            return if same { Ok(false) } else { Err(TreasuryRefusal::Used { key }) };
        }
        self.authorizations.insert(key, payment);
        Ok(true)
    }

    /// Set credit aside for the heir of a death. Where it is short, the smallest signed payment that covers it and is good now is
    /// taken in first.
    ///
    /// # Errors
    /// When neither does.
    pub fn hold(&mut self, dead: GolemId, amount: Usdc, now: Timestamp) -> Result<(), TreasuryRefusal> {
        if self.moves.contains_key(&dead) {
            return Err(TreasuryRefusal::Used { key: dead.to_string() });
        }
        match self.holds.get(&dead) {
            Some(held) if held.amount == amount => return Ok(()),
            Some(_) => return Err(TreasuryRefusal::Used { key: dead.to_string() }),
            None => {}
        }
        if self.free() < amount {
            let there = self.free();
            let good = |p: &&mut PaymentAuthorization| p.is_good(now) && there.plus(p.amount) >= amount;
            let found = self.authorizations.values_mut().filter(good).min_by_key(|p| (p.amount, p.valid_before));
            let Some(payment) = found else { return Err(TreasuryRefusal::Short { needed: amount, there }) };
            payment.used_for = Some(dead);
            let (key, from) = (format!("x402/{}", payment.key()), payment.from.clone());
            let entry = CreditEntry { amount: payment.amount, at: now, note: format!("signed by {from}") };
            self.credit(&key, entry)?;
        }
        self.holds.insert(dead, HeldCredit { amount, at: now });
        Ok(())
    }

    /// What was set aside is free again.
    pub fn release(&mut self, dead: GolemId) {
        self.holds.remove(&dead);
    }

    /// What was set aside is the heir's. Once for each death.
    ///
    /// # Errors
    /// When nothing is set aside, or another heir has it already.
    pub fn hand_over(&mut self, dead: GolemId, moved: MovedCredit) -> Result<(), TreasuryRefusal> {
        if let Some(before) = self.moves.get(&dead) {
            let same = before.heir == moved.heir && before.amount == moved.amount;
            return if same { Ok(()) } else { Err(TreasuryRefusal::Used { key: dead.to_string() }) };
        }
        match self.holds.remove(&dead) {
            Some(held) if held.amount == moved.amount => {
                self.moves.insert(dead, moved);
                Ok(())
            }
            Some(held) => {
                self.holds.insert(dead, held);
                Err(TreasuryRefusal::Used { key: dead.to_string() })
            }
            None => Err(TreasuryRefusal::NotHeld { dead }),
        }
    }

    /// Not before this time may a line have its next heir: a cool-down after the last one, and so many a day.
    #[must_use]
    pub fn not_before(&self, lineage: GolemId, max_per_day: u32, cool_down_s: u64, now: Timestamp) -> Timestamp {
        const DAY_S: i64 = 86_400;
        let mut times: Vec<i64> = self.moves.values().filter(|m| m.lineage == lineage).map(|m| m.at.0).collect();
        // What lies ahead of the clock was moved before it went back.
        times.retain(|at| *at <= now.0);
        times.sort_unstable();
        let cool =
            times.last().map_or(i64::MIN, |at| at.saturating_add(i64::try_from(cool_down_s).unwrap_or(i64::MAX)));
        let most = usize::try_from(max_per_day.max(1)).unwrap_or(usize::MAX);
        let today: Vec<i64> = times.into_iter().filter(|at| now.0.saturating_sub(*at) < DAY_S).collect();
        let full = today.len().checked_sub(most).and_then(|n| today.get(n)).map_or(i64::MIN, |at| at + DAY_S);
        Timestamp(cool.max(full))
    }
}

fn sum(amounts: impl Iterator<Item = Usdc>) -> Usdc {
    amounts.fold(Usdc::ZERO, Usdc::plus)
}
