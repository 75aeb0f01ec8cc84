//! The state of somebody's chain at one agreed block, read as it is needed and remembered.
//!
//! Every value is one that enough nodes agree on; what they do not agree on is an error, never a guess.

use super::head::{ask_block, block};
use super::node::Node;
use super::touched::{AccountSeen, Backing, ForkStage, TouchedState};
use super::wire::{NodeAsk, decoded};
use alloy_primitives::{Address, B256, Bytes, U256};
use golem_venue::VenueError;
use serde_json::json;
use std::fmt;

/// How many values are asked for at once.
const AT_ONCE: usize = 50;

/// State at a block.
pub struct Remote {
    node: Node,
    seen: TouchedState,
    /// Fetched before anybody looked, because it was looked at last time. Not touched until it is.
    ahead: TouchedState,
    fault: Option<VenueError>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("stage", &self.seen.stage).finish_non_exhaustive()
    }
}

impl Remote {
    /// The state under a stage.
    #[must_use]
    pub fn at(node: Node, stage: ForkStage) -> Self {
        Self { node, seen: TouchedState::at(stage), ahead: TouchedState::at(stage), fault: None }
    }

    /// Fetch what was looked at on an earlier fork, in few requests instead of many. Only a help: what fails here is
    /// asked for again when it is needed.
    ///
    /// Contracts whose code is known to be what it was are asked for the rest only.
    pub fn fetch_ahead(&mut self, earlier: &TouchedState, same_code: &[(Address, B256)]) {
        let code_of = |a: &Address| {
            let (_, hash) = same_code.iter().find(|(same, _)| same == a)?;
            earlier.code.get(hash)
        };
        let (same, other): (Vec<Address>, Vec<Address>) =
            earlier.accounts.keys().copied().partition(|a| code_of(a).is_some());
        let slots: Vec<(Address, U256)> = earlier.slots.keys().copied().collect();
        if let Ok(found) = self.ask_numbers(&same) {
            for (address, (balance, nonce)) in same.iter().zip(found) {
                self.ahead.see(*address, balance, nonce, code_of(address).unwrap_or(&Bytes::new()));
            }
        }
        for some in other.chunks(8) {
            // Answers that carry code are long.
            let Ok(found) = self.ask_accounts(some) else { return };
            for (address, (balance, nonce, code)) in some.iter().zip(found) {
                self.ahead.see(*address, balance, nonce, &code);
            }
        }
        for some in slots.chunks(AT_ONCE) {
            let Ok(found) = self.ask_slots(some) else { return };
            self.ahead.slots.extend(some.iter().copied().zip(found));
        }
    }

    fn here(&self) -> serde_json::Value {
        json!({ "blockHash": self.seen.stage.below.hash })
    }

    fn ask_accounts(&self, addresses: &[Address]) -> Result<Vec<(U256, u64, Bytes)>, VenueError> {
        let here = self.here();
        let ask = |method, a: &Address| NodeAsk::new(method, json!([a, here]));
        let asks: Vec<NodeAsk> = addresses
            .iter()
            .flat_map(|a| ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"].map(|m| ask(m, a)))
            .collect();
        let said = self.node.agreed(&asks, &|i, answer| match i % 3 {
            2 => decoded::<Bytes>(answer).map(|code| (U256::ZERO, code)),
            _ => decoded::<U256>(answer).map(|n| (n, Bytes::new())),
        })?;
        let read = |three: &[(U256, Bytes)]| (three[0].0, three[1].0.saturating_to(), three[2].1.clone());
        Ok(said.chunks_exact(3).map(read).collect())
    }

    fn ask_numbers(&self, addresses: &[Address]) -> Result<Vec<(U256, u64)>, VenueError> {
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let here = self.here();
        let ask = |method, a: &Address| NodeAsk::new(method, json!([a, here]));
        let asks: Vec<NodeAsk> =
            addresses.iter().flat_map(|a| ["eth_getBalance", "eth_getTransactionCount"].map(|m| ask(m, a))).collect();
        let said = self.node.agreed(&asks, &|_, answer| decoded::<U256>(answer))?;
        Ok(said.chunks_exact(2).map(|two| (two[0], two[1].saturating_to())).collect())
    }

    fn ask_slots(&self, slots: &[(Address, U256)]) -> Result<Vec<U256>, VenueError> {
        let here = self.here();
        let ask = |(a, key): &(Address, U256)| NodeAsk::new("eth_getStorageAt", json!([a, B256::from(*key), here]));
        let asks: Vec<NodeAsk> = slots.iter().map(ask).collect();
        self.node.agreed(&asks, &|_, answer| decoded::<B256>(answer).map(|word| U256::from_be_bytes(word.0)))
    }

    fn failed<T>(&mut self, error: VenueError) -> Result<T, String> {
        let text = error.to_string();
        self.fault = Some(error);
        Err(text)
    }
}

impl Backing for Remote {
    fn stage(&self) -> &ForkStage {
        &self.seen.stage
    }

    fn account(&mut self, address: Address) -> Result<AccountSeen, String> {
        if let Some(known) = self.seen.accounts.get(&address) {
            return Ok(*known);
        }
        if let Some(known) = self.ahead.accounts.get(&address).copied() {
            self.seen.accounts.insert(address, known);
            if let Some(code) = self.ahead.code.get(&known.code_hash) {
                self.seen.code.insert(known.code_hash, code.clone());
            }
            return Ok(known);
        }
        match self.ask_accounts(&[address]).map(|found| found.into_iter().next()) {
            Ok(Some((balance, nonce, code))) => {
                self.seen.see(address, balance, nonce, &code);
                Ok(self.seen.accounts[&address])
            }
            Ok(None) => self.failed(VenueError::Bug("a question without an answer".into())),
            Err(e) => self.failed(e),
        }
    }

    fn slot(&mut self, address: Address, key: U256) -> Result<U256, String> {
        if let Some(known) = self.seen.slots.get(&(address, key)) {
            return Ok(*known);
        }
        let found = match self.ahead.slots.get(&(address, key)) {
            Some(known) => Ok(*known),
            None => self.ask_slots(&[(address, key)]).map(|found| found.into_iter().next().unwrap_or_default()),
        };
        match found {
            Ok(value) => {
                self.seen.slots.insert((address, key), value);
                Ok(value)
            }
            Err(e) => self.failed(e),
        }
    }

    fn code(&mut self, hash: B256) -> Result<Bytes, String> {
        self.seen.code.get(&hash).cloned().ok_or_else(|| format!("no account with the code {hash} was looked at"))
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, String> {
        if let Some(known) = self.seen.hashes.get(&number) {
            return Ok(*known);
        }
        match self.node.agreed(&[ask_block(number)], &|_, answer| block(answer).map(|b| b.hash)) {
            Ok(hashes) => {
                let hash = hashes.first().copied().unwrap_or_default();
                self.seen.hashes.insert(number, hash);
                Ok(hash)
            }
            Err(e) => self.failed(e),
        }
    }

    fn ask_node(&mut self, to: Address, data: &Bytes) -> Result<Option<Bytes>, String> {
        let ask = NodeAsk::new("eth_call", json!([{ "to": to, "data": data }, self.here()]));
        match self.node.agreed_one::<Bytes>(ask) {
            Ok(said) => Ok(Some(said)),
            Err(e) => self.failed(e),
        }
    }

    fn touched(&self) -> &TouchedState {
        &self.seen
    }

    fn take_fault(&mut self) -> Option<VenueError> {
        self.fault.take()
    }
}
