//! Accounts and their storage in memory: a whole chain's, or only what a fork has changed of it.

use alloy_primitives::map::{AddressMap, U256Map};
use alloy_primitives::{Address, B256, U256};
use revm::state::{AccountId, AccountInfo, Bytecode};

/// One thing of the state that has a value and a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateKey {
    /// Whose.
    pub address: Address,
    /// What of it.
    pub field: StateField,
}

/// What an account has that can change. All of them are 256 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum StateField {
    /// How many transactions it sent.
    Nonce,
    /// Its ether.
    Balance,
    /// The hash of its code.
    Code,
    /// A slot of its storage.
    Slot(U256),
}

/// An account, as far as it is known here.
#[derive(Debug, Clone)]
struct KnownAccount {
    address: Address,
    info: Option<AccountInfo>,
    slots: U256Map<U256>,
}

/// Accounts and slots.
#[derive(Debug, Clone, Default)]
pub(super) struct ChainAccounts {
    places: AddressMap<usize>,
    accounts: Vec<KnownAccount>,
}

impl ChainAccounts {
    /// The account, if it is known here. It carries its place, so that its slots are found without looking for it again.
    pub fn info(&self, address: Address) -> Option<AccountInfo> {
        let place = *self.places.get(&address)?;
        let mut info = self.accounts[place].info.clone()?;
        info.account_id = AccountId::new(place);
        Some(info)
    }
    /// A slot, if it is known here.
    pub fn slot(&self, address: Address, key: U256) -> Option<U256> {
        let place = *self.places.get(&address)?;
        self.accounts[place].slots.get(&key).copied()
    }
    /// A slot of the account that is said to stand at a place.
    pub fn slot_at(&self, place: usize, address: Address, key: U256) -> Option<U256> {
        match self.accounts.get(place) {
            Some(known) if known.address == address => known.slots.get(&key).copied(),
            _ => self.slot(address, key),
        }
    }
    /// Know an account.
    pub fn set_info(&mut self, address: Address, info: AccountInfo) {
        self.known(address).info = Some(info);
    }
    /// Know a slot.
    pub fn set_slot(&mut self, address: Address, key: U256, value: U256) {
        self.known(address).slots.insert(key, value);
    }
    /// The code with a hash, if some account here has it.
    pub fn code(&self, hash: B256) -> Option<Bytecode> {
        let infos = self.accounts.iter().filter_map(|a| a.info.as_ref());
        infos.filter(|i| i.code_hash == hash).find_map(|i| i.code.clone())
    }

    fn known(&mut self, address: Address) -> &mut KnownAccount {
        let next = self.accounts.len();
        let place = *self.places.entry(address).or_insert(next);
        if place == next {
            self.accounts.push(KnownAccount { address, info: None, slots: U256Map::default() });
        }
        &mut self.accounts[place]
    }

    /// Everything that is known here.
    pub fn keys(&self) -> impl Iterator<Item = StateKey> {
        self.accounts.iter().flat_map(|known| {
            let fields =
                [StateField::Nonce, StateField::Balance, StateField::Code].into_iter().filter(|_| known.info.is_some());
            let slots = known.slots.keys().map(|key| StateField::Slot(*key));
            fields.chain(slots).map(|field| StateKey { address: known.address, field })
        })
    }
}

/// A hash over values, the same in whatever order they come; nothing counts for nothing.
pub(super) fn digest(values: impl Iterator<Item = (StateKey, U256)>) -> B256 {
    let sorted: std::collections::BTreeMap<StateKey, U256> = values.filter(|(_, value)| !value.is_zero()).collect();
    let mut hasher = blake3::Hasher::new();
    for (key, value) in sorted {
        hasher.update(&key.to_bytes());
        hasher.update(&value.to_be_bytes::<32>());
    }
    B256::from(*hasher.finalize().as_bytes())
}

impl StateKey {
    /// As it is written: the address, what of it, and which slot.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = self.address.to_vec();
        match self.field {
            StateField::Nonce => bytes.push(0),
            StateField::Balance => bytes.push(1),
            StateField::Code => bytes.push(2),
            StateField::Slot(key) => {
                bytes.push(3);
                bytes.extend_from_slice(&key.to_be_bytes_trimmed_vec());
            }
        }
        bytes
    }
    /// As it was read.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (address, rest) = bytes.split_at_checked(20)?;
        let (kind, key) = rest.split_first()?;
        let field = match (kind, key.len()) {
            (0, 0) => StateField::Nonce,
            (1, 0) => StateField::Balance,
            (2, 0) => StateField::Code,
            (3, 0..=32) => StateField::Slot(U256::from_be_slice(key)),
            _ => return None,
        };
        Some(Self { address: Address::from_slice(address), field })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let address = Address::repeat_byte(7);
        for field in [
            StateField::Nonce,
            StateField::Balance,
            StateField::Code,
            StateField::Slot(U256::ZERO),
            StateField::Slot(U256::MAX),
        ] {
            let key = StateKey { address, field };
            assert_eq!(StateKey::from_bytes(&key.to_bytes()), Some(key));
        }
        for bad in [&[0u8; 20][..], &[0; 22], &[9; 21], &[3; 60]] {
            assert_eq!(StateKey::from_bytes(bad), None);
        }
    }

    #[test]
    fn equal_states_have_equal_digests() {
        let key = |n: u8| StateKey { address: Address::repeat_byte(n), field: StateField::Slot(U256::from(n)) };
        let (one, two, none) = ((key(1), U256::from(10)), (key(2), U256::from(20)), (key(3), U256::ZERO));
        assert_eq!(digest([one, two].into_iter()), digest([two, none, one].into_iter()));
        assert_ne!(digest([one].into_iter()), digest([one, two].into_iter()));
    }
}
