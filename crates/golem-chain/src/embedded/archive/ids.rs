//! The numbers by which the archive calls its keys, found without hashing a whole key twice.

use crate::embedded::world::{Field, Key};
use alloy_primitives::map::{AddressMap, U256Map};

/// Numbers of keys.
#[derive(Debug, Default)]
pub(super) struct Ids(AddressMap<OfAccount>);

#[derive(Debug, Default)]
struct OfAccount {
    nonce: Option<i64>,
    balance: Option<i64>,
    code: Option<i64>,
    slots: U256Map<i64>,
}

impl Ids {
    /// The number of a key, if it has one.
    pub fn get(&self, key: &Key) -> Option<i64> {
        let known = self.0.get(&key.address)?;
        match &key.field {
            Field::Nonce => known.nonce,
            Field::Balance => known.balance,
            Field::Code => known.code,
            Field::Slot(slot) => known.slots.get(slot).copied(),
        }
    }
    /// Give a key its number, or take it away.
    pub fn set(&mut self, key: Key, id: Option<i64>) {
        let known = self.0.entry(key.address).or_default();
        match key.field {
            Field::Nonce => known.nonce = id,
            Field::Balance => known.balance = id,
            Field::Code => known.code = id,
            Field::Slot(slot) => match id {
                Some(id) => drop(known.slots.insert(slot, id)),
                None => drop(known.slots.remove(&slot)),
            },
        }
    }
}
