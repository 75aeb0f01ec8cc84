//! The birth record: what is fixed about a golem before its first turn and never changes.

use crate::address::HomeAddress;
use crate::{GolemId, Hash, Name, OwnerId, Timestamp, Usdc};
use serde::{Deserialize, Serialize};

/// The certificate a golem is born with. Its hash is the root of the golem's hash chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Birth {
    /// Who it is.
    pub id: GolemId,
    /// What people call it.
    pub name: Name,
    /// Whose it is.
    pub owner: OwnerId,
    /// 0 for a first ancestor.
    pub generation: u32,
    /// The first ancestor's id; its own for a first ancestor.
    pub lineage: GolemId,
    /// The golem it descends from.
    pub parent: Option<GolemId>,
    /// Its ed25519 verifying key.
    pub public_key: Hash,
    /// Hash of the sealed secret behind its death rolls.
    pub commitment: Hash,
    /// True when the secret came from a seed: its rolls can be computed by whoever knows the seed.
    pub open: bool,
    /// When it was born, for people.
    pub born_at: Timestamp,
    /// What it was given at birth.
    pub funding: Usdc,
    /// Hash of its settings: only keys that differ from the defaults, so that a new default key moves nothing.
    pub settings: Hash,
    /// Hash of what it inherits, byte for byte; none for whoever begins with nothing, whose record is as if there were no such line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inheritance: Option<Hash>,
    /// Its owner's address, where its money goes when it leaves. Required on a node's chain; none for who was born without one,
    /// whose record is as if there were no such line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<HomeAddress>,
}

/// The place of a newborn in a line of golems: who died before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descent {
    /// The golem it descends from.
    pub parent: GolemId,
    /// The first ancestor's id.
    pub lineage: GolemId,
    /// The parent's generation and one.
    pub generation: u32,
    /// Hash of what it inherits.
    pub inheritance: Hash,
}

impl Birth {
    /// The same golem as somebody's successor.
    #[must_use]
    pub fn descending(self, from: Descent) -> Self {
        Self {
            generation: from.generation,
            lineage: from.lineage,
            parent: Some(from.parent),
            inheritance: Some(from.inheritance),
            ..self
        }
    }
}

/// What identifies a newborn, before it has an id.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// What people call it.
    pub name: &'a Name,
    /// Its ed25519 verifying key.
    pub public_key: Hash,
    /// Hash of the sealed secret.
    pub commitment: Hash,
}

impl Identity<'_> {
    /// The id that follows from it.
    #[must_use]
    pub fn id(&self) -> GolemId {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 golem id");
        hasher.update(self.name.as_str().as_bytes());
        hasher.update(&[0]);
        hasher.update(&self.public_key.0);
        hasher.update(&self.commitment.0);
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        GolemId(id)
    }

    /// The birth record of a first ancestor, which nobody but its owner made.
    #[must_use]
    pub fn first_ancestor(&self, open: bool, born_at: Timestamp, funding: Usdc, settings: Hash) -> Birth {
        let id = self.id();
        Birth {
            id,
            name: self.name.clone(),
            owner: OwnerId::LOCAL,
            generation: 0,
            lineage: id,
            parent: None,
            public_key: self.public_key,
            commitment: self.commitment,
            open,
            born_at,
            funding,
            settings,
            inheritance: None,
            home: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_heir_s_record_says_that_it_inherits() {
        let name: Name = "ada".parse().expect("a name");
        let identity = Identity { name: &name, public_key: Hash::of(b"key"), commitment: Hash::of(b"secret") };
        let first = identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), Hash::of(b"{}"));
        let words = serde_json::to_string(&first).expect("plain data");
        assert!(words.ends_with(&format!("\"settings\":\"{}\"}}", Hash::of(b"{}"))), "{words}");
        assert_eq!(serde_json::from_str::<Birth>(&words).expect("the same"), first);
        let (parent, lineage) = (GolemId([1; 16]), GolemId([2; 16]));
        let heir = first.clone().descending(Descent { parent, lineage, generation: 3, inheritance: Hash::of(b"will") });
        assert_eq!((heir.id, heir.generation, heir.lineage, heir.parent), (first.id, 3, lineage, Some(parent)));
        let words = serde_json::to_string(&heir).expect("plain data");
        assert_eq!(serde_json::from_str::<Birth>(&words).expect("the same"), heir);
    }
}
