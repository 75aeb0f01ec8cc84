//! Following what was sent: is it in a block, deep enough; is it stuck and must be raised; must it be taken back.

use super::fees::cap_with_room;
use super::head::Head;
use super::pen::Pen;
use super::receipt::{self, Landed};
use super::sender::{Sender, SentStep, attempt};
use super::step::{ChainStep, StepCall, StepEnd, Try};
use super::wire::{NodeAsk, decoded};
use alloy_primitives::{Address, B256, Bytes, U64, U256};
use golem_venue::VenueError;
use serde::Deserialize;
use serde_json::json;

/// Gas of a transaction that does nothing.
const NOTHING: u64 = 21_000;

/// How far back the user of a nonce is looked for. Nodes keep the state of so many blocks, and no receipt comes later.
const LOOK_BACK: u64 = 100;

/// Who used a nonce.
enum User {
    Transaction(B256),
    /// Somebody, more than [`LOOK_BACK`] blocks ago.
    LongAgo,
    /// The chain moved while it was asked.
    Unclear,
}

#[derive(Deserialize, PartialEq)]
struct Users {
    transactions: Vec<UsedNonce>,
}

#[derive(Deserialize, PartialEq)]
struct UsedNonce {
    hash: B256,
    from: Address,
    nonce: U64,
}

/// What the chain says of a step.
pub(super) enum Fate {
    /// It ended, deep enough.
    Ended(StepEnd),
    /// Something is in a block that is not deep enough yet.
    Shallow,
    /// It may still land.
    Open,
}

/// What nodes say to one of several questions.
#[derive(PartialEq)]
enum FollowSaid {
    Receipt(Option<Landed>),
    Count(u64),
}

impl Sender {
    /// Follow a step until it ends or the turn's time does.
    pub(super) fn follow(&mut self, step: &ChainStep, pen: &mut dyn Pen) -> Result<SentStep, VenueError> {
        loop {
            match self.advance(step, pen) {
                Ok(Some(end)) => return Ok(SentStep::Settled(end)),
                // What nodes do not say now they may say later; it is out there all the same.
                Ok(None) | Err(VenueError::Unreachable(_)) => {}
                Err(other) => return Err(other),
            }
            if !self.node.wait() {
                return Ok(SentStep::Unknown);
            }
        }
    }

    /// Look once: settle what has ended, push what is stuck.
    pub(super) fn advance(&mut self, step: &ChainStep, pen: &mut dyn Pen) -> Result<Option<StepEnd>, VenueError> {
        let head = self.node.look_again()?;
        let tries = self.record.tries(step.key, step.step)?;
        match self.fate(step, &tries, &head)? {
            Fate::Ended(end) => {
                self.record.end(step, &end)?;
                Ok(Some(end))
            }
            Fate::Shallow => Ok(None),
            Fate::Open => self.push(step, &tries, &head, pen).map(|()| None),
        }
    }

    /// What the chain says of a step, by the hashes of all its signatures and by its nonce.
    pub(super) fn fate(&self, step: &ChainStep, tries: &[Try], head: &Head) -> Result<Fate, VenueError> {
        let deep = head.number.saturating_sub(self.config.confirmations);
        let mut asks: Vec<NodeAsk> = tries.iter().map(|t| receipt::ask(&t.hash)).collect();
        asks.push(NodeAsk::new("eth_getTransactionCount", json!([self.account, { "blockHash": head.hash }])));
        asks.push(NodeAsk::new("eth_getTransactionCount", json!([self.account, format!("{deep:#x}")])));
        let said = self.node.agreed(&asks, &|i, answer| match tries.get(i) {
            Some(t) => receipt::read(answer, &t.hash, head.number).map(FollowSaid::Receipt),
            None => decoded::<U64>(answer).map(|n| FollowSaid::Count(n.to())),
        })?;
        let mut counts = Vec::new();
        let mut found = None;
        for (i, answer) in said.into_iter().enumerate() {
            match answer {
                FollowSaid::Receipt(Some(landed)) => found = tries.get(i).map(|t| (t.cancel, landed)),
                FollowSaid::Receipt(None) => {}
                FollowSaid::Count(n) => counts.push(n),
            }
        }
        let used = counts.iter().filter(|n| **n > step.nonce).count();
        Ok(match found {
            Some((_, landed)) if landed.block > deep => Fate::Shallow,
            Some((true, landed)) => Fate::Ended(StepEnd::Cancelled(landed)),
            Some((false, landed)) => Fate::Ended(StepEnd::Landed(landed)),
            None if used == 0 => Fate::Open,
            None if used < counts.len() => Fate::Shallow,
            // Receipts may come later than blocks: that there is none does not tell that it was somebody else.
            None => match self.user_of(step.nonce, head)? {
                User::Transaction(hash) if tries.iter().all(|t| t.hash != hash) => Fate::Ended(StepEnd::Displaced),
                User::LongAgo => Fate::Ended(StepEnd::Displaced),
                User::Transaction(_) | User::Unclear => Fate::Shallow,
            },
        })
    }

    /// Who used a nonce that is used up at the head: the block in which it was is found by halves, and read.
    fn user_of(&self, nonce: u64, head: &Head) -> Result<User, VenueError> {
        let is_used = |number: u64| {
            let ask = NodeAsk::new("eth_getTransactionCount", json!([self.account, format!("{number:#x}")]));
            self.node.agreed_one::<U64>(ask).map(|count| count.to::<u64>() > nonce)
        };
        let (mut before, mut after) = (head.number.saturating_sub(LOOK_BACK), head.number);
        if is_used(before)? {
            return Ok(User::LongAgo);
        }
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if is_used(middle)? {
                after = middle;
            } else {
                before = middle;
            }
        }
        let ask = NodeAsk::new("eth_getBlockByNumber", json!([format!("{after:#x}"), true]));
        let block = self.node.agreed(&[ask], &|_, answer| decoded::<Users>(answer))?.pop();
        let mine = |tx: &UsedNonce| tx.from == self.account && tx.nonce.to::<u64>() == nonce;
        let found = block.and_then(|block| block.transactions.into_iter().find(mine));
        Ok(found.map_or(User::Unclear, |tx| User::Transaction(tx.hash)))
    }

    /// It is not in a block. Raise it when it has waited; take it back when it may not be raised any more, or when what
    /// it was meant for is over; until then, tell the nodes again what they may have forgotten.
    fn push(&mut self, step: &ChainStep, tries: &[Try], head: &Head, pen: &mut dyn Pen) -> Result<(), VenueError> {
        let Some(last) = tries.last() else { return Err(VenueError::Bug("a step without a signature".into())) };
        let now = self.node.now_ms();
        let waited = |since: u64| now.saturating_sub(since);
        let over = waited(step.at_ms) > self.config.stale_after_s.saturating_mul(1_000);
        match self.told.get(&last.hash).copied() {
            // What an earlier process signed, or nobody took, is told again before anything else; unless it is over.
            None if !over || last.cancel => {
                if self.tell(last) || waited(last.at_ms) < self.config.bump_after_ms {
                    return Ok(());
                }
            }
            Some(told) if waited(told) < self.config.bump_after_ms => return Ok(()),
            None | Some(_) => {}
        }
        if last.cancel {
            self.tell(last);
            return Ok(());
        }
        let cap = cap_with_room(self.cap());
        let raised = last.fees.raised(self.fees(head, cap), cap);
        match raised.filter(|_| !over && tries.len() <= self.config.max_bumps as usize) {
            None => self.take_back(step, last, head, pen),
            Some(fees) => match pen.sign(self.transaction(step.nonce, fees, &step.call)) {
                Ok(inked) => self.put(step, &attempt(inked, fees, false, now)),
                // A permit does not outlive its turns. What was signed under it may still land.
                Err(_) => {
                    self.tell(last);
                    Ok(())
                }
            },
        }
    }

    /// Use up the nonce with a transaction that does nothing. One that cannot be signed, or would cost too much, is left
    /// for later: the step stays open.
    fn take_back(&mut self, step: &ChainStep, last: &Try, head: &Head, pen: &mut dyn Pen) -> Result<(), VenueError> {
        let Some(fees) = last.fees.raised(self.fees(head, self.cap()), self.cap()) else { return Ok(()) };
        let call = StepCall { to: self.account, data: Bytes::new(), gas_limit: NOTHING, value: U256::ZERO };
        match pen.sign_cancel(self.transaction(step.nonce, fees, &call)) {
            Ok(inked) => self.put(step, &attempt(inked, fees, true, self.node.now_ms())),
            Err(_) => Ok(()),
        }
    }

    fn put(&mut self, step: &ChainStep, new: &Try) -> Result<(), VenueError> {
        self.record.again(step, new)?;
        self.tell(new);
        Ok(())
    }
}
