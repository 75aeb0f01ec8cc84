//! The state that transactions run on: what is known in memory, on top of a shared world or of the archive as it was.

use super::archive::Past;
use super::names::Names;
use super::stored::{StateError, code_hash, code_value};
use super::trail::ValueChange;
use super::world::{ChainAccounts, StateField, StateKey, digest};
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256};
use revm::state::{AccountId, AccountInfo, Bytecode, EvmState};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What lies beneath.
#[derive(Debug, Clone, Default)]
pub(super) enum Base {
    /// Nothing: whatever is not known is not there.
    #[default]
    Empty,
    /// The world that a fork was taken from.
    Whole(Arc<ChainAccounts>),
    /// The archive, as it was at a point.
    Past(Past),
}

/// The state.
#[derive(Debug, Clone, Default)]
pub(super) struct ChainState {
    base: Base,
    top: Arc<ChainAccounts>,
    names: Names,
}

impl ChainState {
    /// A state on top of something.
    pub fn on(base: Base, names: Names) -> Self {
        Self { base, top: Arc::default(), names }
    }
    /// A state of which everything is known.
    pub fn whole(world: ChainAccounts, names: Names) -> Self {
        Self { base: Base::Empty, top: Arc::new(world), names }
    }
    /// A copy that costs nothing until one of the two changes.
    pub fn fork(&self) -> Self {
        match self.base {
            Base::Empty => Self::on(Base::Whole(Arc::clone(&self.top)), self.names),
            Base::Whole(_) | Base::Past(_) => self.clone(),
        }
    }
    /// Everything that is known on top of the base.
    pub fn top(&self) -> &ChainAccounts {
        &self.top
    }

    /// An account; one that was never heard of is empty.
    pub fn info(&mut self, address: Address) -> Result<AccountInfo, StateError> {
        if let Some(info) = self.top.info(address) {
            return Ok(info);
        }
        let info = match &mut self.base {
            Base::Empty => None,
            Base::Whole(world) => world.info(address),
            Base::Past(past) => past.info(address)?,
        };
        let Some(mut info) = info else { return Ok(AccountInfo::default()) };
        info.account_id = None;
        Arc::make_mut(&mut self.top).set_info(address, info);
        Ok(self.top.info(address).unwrap_or_default())
    }
    /// A slot; one that was never written is zero.
    pub fn slot(&mut self, address: Address, key: U256) -> Result<U256, StateError> {
        match self.top.slot(address, key) {
            Some(value) => Ok(value),
            None => self.base_slot(address, key),
        }
    }
    fn base_slot(&mut self, address: Address, key: U256) -> Result<U256, StateError> {
        match &mut self.base {
            Base::Empty => Ok(U256::ZERO),
            Base::Whole(world) => Ok(world.slot(address, key).unwrap_or_default()),
            Base::Past(past) => {
                let value = past.slot(address, key)?;
                Arc::make_mut(&mut self.top).set_slot(address, key, value);
                Ok(value)
            }
        }
    }

    /// Whatever a key stands for.
    fn value(&mut self, key: StateKey) -> Result<U256, StateError> {
        let StateKey { address, field } = key;
        Ok(match field {
            StateField::Nonce => U256::from(self.info(address)?.nonce),
            StateField::Balance => self.info(address)?.balance,
            StateField::Code => code_value(self.info(address)?.code_hash),
            StateField::Slot(slot) => self.slot(address, slot)?,
        })
    }
    /// A hash over every value there is. It reads all of them.
    pub fn digest(&mut self) -> Result<B256, StateError> {
        let mut keys: BTreeSet<StateKey> = self.top.keys().collect();
        match &self.base {
            Base::Empty => {}
            Base::Whole(world) => keys.extend(world.keys()),
            Base::Past(past) => keys.extend(past.keys()?),
        }
        let values = keys.into_iter().map(|key| Ok((key, self.value(key)?)));
        let values: Vec<_> = values.collect::<Result<_, StateError>>()?;
        Ok(digest(values.into_iter()))
    }

    /// Put an account in its place: for the first block only, since no history is kept of it.
    pub fn grant(&mut self, address: Address, balance: U256) {
        let info = AccountInfo { balance, ..AccountInfo::default() };
        Arc::make_mut(&mut self.top).set_info(address, info);
    }

    /// Make what a transaction did so, and note what it changed.
    pub fn apply(&mut self, done: EvmState, seq: u64, changes: &mut Vec<ValueChange>) -> Result<(), StateError> {
        for (address, account) in done {
            if !account.is_touched() {
                continue;
            }
            // Since Cancun only what was made by the same transaction can be unmade: it was never here.
            let gone = account.is_selfdestructed();
            let mut after = if gone { AccountInfo::default() } else { account.info };
            let before = self.info(address)?;
            let mut note = |field, before: U256, after: U256| {
                if before != after {
                    changes.push(ValueChange { seq, key: StateKey { address, field }, before, after });
                }
            };
            note(StateField::Nonce, U256::from(before.nonce), U256::from(after.nonce));
            note(StateField::Balance, before.balance, after.balance);
            note(StateField::Code, code_value(before.code_hash), code_value(after.code_hash));
            let top = Arc::make_mut(&mut self.top);
            if before != after || before.code_hash != after.code_hash {
                after.code = after.code.or(before.code);
                after.account_id = None;
                top.set_info(address, after);
            }
            for (key, slot) in account.storage.into_iter().filter(|(_, s)| !gone && s.is_changed()) {
                note(StateField::Slot(key), slot.original_value, slot.present_value);
                top.set_slot(address, key, slot.present_value);
            }
        }
        Ok(())
    }

    /// Take changes back, newest first.
    pub fn undo<'a>(&mut self, newest_first: impl Iterator<Item = &'a ValueChange>) -> Result<(), StateError> {
        for ValueChange { key: StateKey { address, field }, before, .. } in newest_first {
            let address = *address;
            if let StateField::Slot(key) = field {
                Arc::make_mut(&mut self.top).set_slot(address, *key, *before);
                continue;
            }
            let mut info = self.info(address)?;
            match field {
                StateField::Nonce => info.nonce = before.saturating_to(),
                StateField::Balance => info.balance = *before,
                StateField::Code | StateField::Slot(_) => {
                    info.code_hash = code_hash(*before);
                    info.code = Some(self.code(info.code_hash)?);
                }
            }
            info.account_id = None;
            Arc::make_mut(&mut self.top).set_info(address, info);
        }
        Ok(())
    }

    fn code(&mut self, hash: B256) -> Result<Bytecode, StateError> {
        if hash == KECCAK256_EMPTY {
            return Ok(Bytecode::default());
        }
        if let Some(code) = self.top.code(hash) {
            return Ok(code);
        }
        match &mut self.base {
            Base::Empty => None,
            Base::Whole(world) => world.code(hash),
            Base::Past(past) => past.code(hash)?,
        }
        .ok_or_else(|| StateError(format!("the code {hash} is missing")))
    }
}

impl revm::Database for ChainState {
    type Error = StateError;
    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, StateError> {
        self.info(address).map(Some)
    }
    fn code_by_hash(&mut self, hash: B256) -> Result<Bytecode, StateError> {
        self.code(hash)
    }
    fn storage(&mut self, address: Address, key: U256) -> Result<U256, StateError> {
        self.slot(address, key)
    }
    fn storage_by_account_id(&mut self, address: Address, id: AccountId, key: U256) -> Result<U256, StateError> {
        match self.top.slot_at(id.get(), address, key) {
            Some(value) => Ok(value),
            None => self.base_slot(address, key),
        }
    }
    fn block_hash(&mut self, number: u64) -> Result<B256, StateError> {
        Ok(self.names.block(number))
    }
}
