//! The numbers by which the archive calls its keys, found without hashing a whole key twice. They are read once, when the
//! file is opened, and held against its sums: no index of the file is trusted to know all of them.

use crate::embedded::world::{StateField, StateKey};
use alloy_primitives::map::{AddressMap, U256Map};

/// Numbers of keys.
#[derive(Debug, Default)]
pub(super) struct Ids(AddressMap<OfAccount>);

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownKey {
    /// Its number.
    pub id: i64,
    /// The last transaction of its last run; none before it has one.
    pub last: Option<u64>,
}

#[derive(Debug, Default)]
struct OfAccount {
    nonce: Option<KnownKey>,
    balance: Option<KnownKey>,
    code: Option<KnownKey>,
    slots: U256Map<KnownKey>,
}

impl Ids {
    /// What is known of a key.
    pub fn get(&self, key: &StateKey) -> Option<KnownKey> {
        let known = self.0.get(&key.address)?;
        match &key.field {
            StateField::Nonce => known.nonce,
            StateField::Balance => known.balance,
            StateField::Code => known.code,
            StateField::Slot(slot) => known.slots.get(slot).copied(),
        }
    }
    /// Give a key its number, or take it away.
    pub fn set(&mut self, key: StateKey, id: Option<KnownKey>) {
        let known = self.0.entry(key.address).or_default();
        match key.field {
            StateField::Nonce => known.nonce = id,
            StateField::Balance => known.balance = id,
            StateField::Code => known.code = id,
            StateField::Slot(slot) => match id {
                Some(id) => drop(known.slots.insert(slot, id)),
                None => drop(known.slots.remove(&slot)),
            },
        }
    }
    /// Every key.
    pub fn keys(&self) -> Vec<StateKey> {
        let of = |(address, known): (&alloy_primitives::Address, &OfAccount)| {
            let plain = [
                (StateField::Nonce, known.nonce),
                (StateField::Balance, known.balance),
                (StateField::Code, known.code),
            ];
            let plain = plain.into_iter().filter(|(_, id)| id.is_some()).map(|(field, _)| field);
            let slots = known.slots.keys().map(|slot| StateField::Slot(*slot));
            let address = *address;
            plain.chain(slots).map(move |field| StateKey { address, field }).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}
