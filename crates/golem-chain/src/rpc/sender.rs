//! Sending: recorded first, then told to every node, then followed until the chain says what became of it.
//!
//! Never signs the same key and step under a second nonce, and never begins another transaction while one may still land.

use super::below::fee_beside;
use super::config::RpcConfig;
use super::fees::{Fees, GWEI, cap_with_room};
use super::head::Head;
use super::node::Node;
use super::pen::{Inked, Pen};
use super::record::ChainRecord;
use super::step::{ChainStep, StepCall, StepEnd, Try};
use super::wire::{NodeAsk, NodeFault, decoded};
use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, B256, TxKind, U64, U256};
use golem_core::door::{EffectKey, Reconciled};
use golem_core::intent::Refusal;
use golem_venue::VenueError;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What became of sending a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentStep {
    /// The chain has said how it ended.
    Settled(StepEnd),
    /// Nothing left this machine, and nothing will.
    NotSent {
        /// Why.
        why: Refusal,
        /// More of why.
        hint: String,
    },
    /// It is recorded, perhaps sent, and may still land.
    Unknown,
}

/// Sends for one account.
pub struct Sender {
    pub(super) node: Node,
    pub(super) record: ChainRecord,
    pub(super) account: Address,
    pub(super) chain_id: u64,
    pub(super) config: RpcConfig,
    /// When this process last got each signature to a node that took it, in milliseconds since 1970.
    pub(super) told: BTreeMap<B256, u64>,
    /// The most that the permit in hand lets be offered per unit of gas, in wei.
    pub(super) budget: Option<u128>,
    /// What the permit in hand leaves for what a rollup takes beside the gas, in wei; nothing where that is not bounded here.
    pub(super) below: Option<u128>,
}

impl Sender {
    /// A sender with its record at a path.
    ///
    /// # Errors
    /// When the chain cannot be reached to learn its id, or the record cannot be used.
    pub fn open(node: Node, path: &Path, account: Address) -> Result<Self, VenueError> {
        let chain_id = node.chain_id()?;
        let record = ChainRecord::open(path, account, chain_id)?;
        Ok(Self {
            config: node.config(),
            node,
            record,
            account,
            chain_id,
            told: BTreeMap::new(),
            budget: None,
            below: None,
        })
    }

    /// The account.
    #[must_use]
    pub fn account(&self) -> Address {
        self.account
    }
    /// The record.
    pub fn record(&mut self) -> &mut ChainRecord {
        &mut self.record
    }

    /// Whether anything was ever signed at all.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn has_sent(&self) -> Result<bool, VenueError> {
        Ok(self.record.next_nonce()? > 0)
    }
    /// Whether anything was ever signed under a key.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn knows(&self, key: EffectKey) -> Result<bool, VenueError> {
        Ok(!self.record.steps(key)?.is_empty())
    }

    /// Send one step of a key, and wait for its end as long as the turn has time. A step that was signed before is not
    /// signed anew: it is followed.
    ///
    /// # Errors
    /// When the chain cannot be used before anything was signed, or the record cannot be written.
    pub fn send(
        &mut self,
        key: EffectKey,
        step: u32,
        call: &StepCall,
        pen: &mut dyn Pen,
    ) -> Result<SentStep, VenueError> {
        if pen.account() != self.account {
            return Err(VenueError::Bug("the pen is of another account".into()));
        }
        if let Some(known) = self.record.step(key, step)? {
            if (known.call.to, &known.call.data, known.call.value) != (call.to, &call.data, call.value) {
                return Err(VenueError::Bug(format!("step {step} of {key} was signed with another call")));
            }
            return known.end.clone().map_or_else(|| self.follow(&known, pen), |end| Ok(SentStep::Settled(end)));
        }
        for other in self.record.pending()? {
            if self.advance(&other, pen)?.is_none() {
                let what = format!("step {} of {} is not settled yet", other.step, other.key);
                return Err(VenueError::Unreachable(what));
            }
        }
        let (step, first) = match self.prepare(key, step, call, pen)? {
            Ok(ready) => ready,
            Err(not_sent) => return Ok(not_sent),
        };
        self.record.begin(&step, &first)?;
        self.tell(&first);
        self.follow(&step, pen)
    }

    /// What became of a key, after a crash or an unknown end: asked by hash and nonce. What was recorded may be sent
    /// again, byte for byte; what is too old for that is taken back under its own nonce. Nothing is signed under another.
    ///
    /// # Errors
    /// When the record cannot be read or written, or it is another chain.
    pub fn reconcile(&mut self, key: EffectKey, pen: &mut dyn Pen) -> Result<Reconciled<Vec<ChainStep>>, VenueError> {
        let steps = self.record.steps(key)?;
        if steps.is_empty() {
            return Ok(Reconciled::NeverSent);
        }
        for step in steps.iter().filter(|s| s.end.is_none()) {
            if self.follow(step, pen)? == SentStep::Unknown {
                return Ok(Reconciled::Unknown);
            }
        }
        self.record.steps(key).map(Reconciled::Settled)
    }

    /// Everything that can be known before signing. The inner error is a plain no.
    fn prepare(
        &mut self,
        key: EffectKey,
        step: u32,
        call: &StepCall,
        pen: &mut dyn Pen,
    ) -> Result<Result<(ChainStep, Try), SentStep>, VenueError> {
        let no = |why, hint: &str| Ok(Err(SentStep::NotSent { why, hint: hint.to_owned() }));
        let head = self.node.head()?;
        let (nonce, funds) = self.account_at(&head)?;
        let Some(fees) = self.fees(&head, cap_with_room(self.cap())) else {
            return no(Refusal::Cancelled, "gas costs more than max_fee_gwei or the permit's budget");
        };
        let gas_limit = match self.gas_limit(call)? {
            Ok(gas) => gas,
            Err(hint) => return no(Refusal::Reverted, &hint),
        };
        let call = StepCall { gas_limit, ..call.clone() };
        let transaction = self.transaction(nonce, fees, &call);
        let beside = fee_beside(&self.node, self.config.gas, &transaction)?;
        if self.below.is_some_and(|left| beside > left) {
            return no(Refusal::Cancelled, "the bytes cost more on the chain below than the permit's budget");
        }
        let gas = U256::from(gas_limit).saturating_mul(U256::from(fees.max_fee));
        if funds < gas.saturating_add(U256::from(beside)).saturating_add(call.value) {
            return no(Refusal::Funds, "not enough ether for gas");
        }
        self.below = self.below.map(|left| left - beside);
        let inked = match pen.sign(transaction) {
            Ok(inked) => inked,
            Err(hint) => return no(Refusal::Denied, &hint),
        };
        let at_ms = self.node.now_ms();
        let step = ChainStep { key, step, nonce, call, at_ms, end: None };
        Ok(Ok((step, attempt(inked, fees, false, at_ms))))
    }

    /// The next nonce, and the ether there is for gas.
    fn account_at(&mut self, head: &Head) -> Result<(u64, U256), VenueError> {
        let at = json!({ "blockHash": head.hash });
        let asks = [
            NodeAsk::new("eth_getTransactionCount", json!([self.account, at])),
            NodeAsk::new("eth_getBalance", json!([self.account, at])),
        ];
        let said = self.node.agreed(&asks, &|_, answer| decoded::<U256>(answer))?;
        let [count, funds] = said[..] else { return Err(VenueError::Bug("two questions, other answers".into())) };
        let count: u64 = count.saturating_to();
        let ours = self.record.next_nonce()?;
        if ours > count {
            // Settled by the record and gone from the chain: that has to be seen to first.
            return Err(VenueError::Unreachable(format!("the chain lost transactions: nonce {count}, not {ours}")));
        }
        // Somebody else's that waits: behind it, not in its place. Believed only as far as enough nodes say so.
        let waiting = NodeAsk::new("eth_getTransactionCount", json!([self.account, "pending"]));
        let waiting = self.node.agreed(&[waiting], &|_, answer| decoded::<U64>(answer));
        let waiting = waiting.ok().and_then(|w| w.first().copied()).map_or(0, |w| w.to());
        Ok((count.max(waiting), funds))
    }

    fn gas_limit(&self, call: &StepCall) -> Result<Result<u64, String>, VenueError> {
        if call.gas_limit != 0 {
            return Ok(Ok(call.gas_limit));
        }
        let ask = NodeAsk::new("eth_estimateGas", json!([{ "from": self.account, "to": call.to, "data": call.data }]));
        let said = self.node.first(&[ask], &|_, answer: Result<Value, NodeFault>| match answer {
            Err(NodeFault::Said { message, .. }) => Ok(Err(message)),
            other => decoded::<U64>(other).map(|gas| Ok(gas.to::<u64>())),
        })?;
        let estimate = said.into_iter().next().ok_or_else(|| VenueError::Bug("no estimate".into()))?;
        Ok(estimate.map(|gas| gas.saturating_add(gas / 4)))
    }

    pub(super) fn cap(&self) -> u128 {
        let most = u128::from(self.config.max_fee_gwei).saturating_mul(GWEI);
        self.budget.map_or(most, |budget| budget.min(most))
    }

    /// An offer for the next block. The base fee is agreed upon; tips are a hint, and bounded.
    pub(super) fn fees(&self, head: &Head, cap: u128) -> Option<Fees> {
        let ask = NodeAsk::new("eth_feeHistory", json!(["0xa", "latest", [50]]));
        let tips = self.node.first(&[ask], &|_, answer| Ok(tips(&answer?))).ok().into_iter().flatten().next();
        let max_tip = u128::from(self.config.max_tip_gwei).saturating_mul(GWEI);
        let tips = tips.filter(|told| !told.is_empty()).unwrap_or_else(|| vec![u128::from(self.config.tip_wei)]);
        Fees::quote(u128::from(head.next_base_fee(self.config.gas)), &tips, max_tip, cap)
    }

    pub(super) fn transaction(&self, nonce: u64, fees: Fees, call: &StepCall) -> TxEip1559 {
        TxEip1559 {
            chain_id: self.chain_id,
            nonce,
            gas_limit: call.gas_limit,
            max_fee_per_gas: fees.max_fee,
            max_priority_fee_per_gas: fees.tip,
            to: TxKind::Call(call.to),
            value: call.value,
            access_list: Default::default(),
            input: call.data.clone(),
        }
    }

    /// Tell every node; true when one of them says that it has it. That proves nothing: one that says no may have it too,
    /// and one that says yes may lose it.
    pub(super) fn tell(&mut self, what: &Try) -> bool {
        let ask = NodeAsk::new("eth_sendRawTransaction", json!([what.raw]));
        let has = |said: &Result<(), NodeFault>| match said {
            Ok(()) => true,
            Err(NodeFault::Said { message, .. }) => message.contains("already") || message.contains("known"),
            Err(_) => false,
        };
        let taken = self.node.everyone(ask, &|_, answer| answer.map(drop)).iter().any(|(_, said)| has(said));
        if taken {
            self.told.insert(what.hash, self.node.now_ms());
        } else {
            self.told.remove(&what.hash);
        }
        taken
    }
}

pub(super) fn attempt(inked: Inked, fees: Fees, cancel: bool, at_ms: u64) -> Try {
    Try { hash: inked.hash, raw: inked.raw, fees, cancel, at_ms }
}

fn tips(answer: &Value) -> Vec<u128> {
    let blocks = answer.get("reward").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let first = |block: &Value| serde_json::from_value::<U256>(block.get(0)?.clone()).ok();
    blocks.iter().filter_map(first).map(|tip| tip.saturating_to()).filter(|tip| *tip > 0).collect()
}
