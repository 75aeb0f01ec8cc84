//! What a golem's journal says of its effects on somebody's chain, held against the record of what was sent: the journal
//! cannot have receipts of what was never signed.

use super::owned::ReceiptOwned;
use super::record::ChainRecord;
use golem_core::door::{Amended, EffectKey};
use golem_core::{Receipt, Tick};
use golem_venue::VenueError;
use std::collections::{BTreeMap, BTreeSet};

/// A journal's effects, as they were booked last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalEffects {
    brought: BTreeMap<EffectKey, ReceiptOwned>,
    /// Those that paid for gas: something was sent for them.
    sent: BTreeSet<EffectKey>,
}

impl JournalEffects {
    /// Take in a turn of the journal: what it amended of what was booked before, and what it booked.
    pub fn replay(&mut self, tick: Tick, amended: &[Amended], receipts: &[Receipt]) {
        for Amended { key, now, .. } in amended {
            self.brought.insert(*key, now.as_ref().map_or_else(ReceiptOwned::default, ReceiptOwned::by));
        }
        for (n, receipt) in receipts.iter().enumerate() {
            let key = EffectKey::new(tick, n);
            self.brought.insert(key, ReceiptOwned::by(receipt));
            if receipt.gas.used > 0 {
                self.sent.insert(key);
            }
        }
    }

    /// Whether anything was ever sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// Hold a record against it. One that is missing, was emptied or is an older copy knows nothing of what the journal has
    /// receipts of: with it positions would be nobody's and an effect could happen twice.
    ///
    /// # Errors
    /// When the record lacks something that was sent, or cannot be read.
    pub fn hold(&self, record: &ChainRecord) -> Result<(), VenueError> {
        let mut lacking = Vec::new();
        for key in &self.sent {
            if record.steps(*key)?.is_empty() {
                lacking.push(key);
            }
        }
        let Some(first) = lacking.first() else { return Ok(()) };
        Err(VenueError::Changed(format!(
            "the journal has receipts of {} effects, and the record of what was sent (sent.db) knows nothing of {} of them, \
             the first {first}: it is missing, was emptied or is an older one; put back the newest there is",
            self.sent.len(),
            lacking.len(),
        )))
    }

    /// Write down what is owned by it, in a record that was begun before records knew.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn own(&self, record: &mut ChainRecord) -> Result<(), VenueError> {
        let nothing = ReceiptOwned::default();
        self.brought.iter().filter(|(_, owned)| **owned != nothing).try_for_each(|(key, owned)| record.own(*key, owned))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fees::Fees;
    use super::super::step::{ChainStep, StepCall, Try};
    use super::*;
    use alloy_primitives::{Address, B256, Bytes, U256};
    use golem_core::intent::{Asset, Outcome, Refusal};
    use golem_core::venue::Gas;
    use golem_core::{Intent, Usdc};

    fn bought(used: u64, got: u128) -> Receipt {
        let (intent, gas) = (Intent::Hold, Gas { used, charged: used, cost: Usdc(1) });
        let outcome = Outcome::Bought { paid: Usdc(5), got: Asset(got) };
        Receipt { outcome, gas, ..Receipt::kept_back(intent, Refusal::Withheld) }
    }

    #[test]
    fn what_the_journal_has_receipts_of_was_sent() {
        let dir = tempfile::tempdir().unwrap();
        let open = |name: &str| ChainRecord::open(&dir.path().join(name), Address::ZERO, 7).unwrap();
        let (mut record, mut journal) = (open("sent.db"), JournalEffects::default());
        journal.replay(Tick(1), &[], &[Receipt::kept_back(Intent::Hold, Refusal::Denied)]);
        assert!(journal.is_empty(), "what was kept back was not sent");
        assert_eq!(journal.hold(&record), Ok(()));
        for tick in 2..=4u64 {
            let key = EffectKey::new(Tick(tick), 0);
            let call = StepCall { to: Address::ZERO, data: Bytes::new(), gas_limit: 1, value: U256::ZERO };
            let step = ChainStep { key, step: 0, nonce: tick, call, at_ms: 0, end: None };
            let (hash, fees) = (B256::with_last_byte(tick as u8), Fees { max_fee: 1, tip: 1 });
            record.begin(&step, &Try { hash, raw: Bytes::new(), fees, cancel: false, at_ms: 0 }).unwrap();
            journal.replay(Tick(tick), &[], &[bought(21_000, 7)]);
            assert_eq!(journal.hold(&record), Ok(()));
        }
        let told = journal.hold(&open("new.db")).unwrap_err().to_string();
        assert!(told.contains("receipts of 3 effects") && told.contains("nothing of 3 of them"), "{told}");
        // What was amended is owned as it was booked last.
        let taken_back = Amended { key: EffectKey::new(Tick(3), 0), was: None, now: None };
        journal.replay(Tick(5), &[taken_back], &[]);
        journal.own(&mut record).unwrap();
        assert_eq!(record.owned(None).unwrap().asset(), Asset(14));
    }
}
