//! The audit: every permit, denial, breaker, halt, resume and settlement is a link of a hash chain. The facts carry the
//! links, so that whoever has the recorded facts can check that none is missing, changed or out of order.

use crate::fact::{CageFact, Stamp};
use golem_core::plain;
use golem_core::{Hash, Tick};
use serde::{Deserialize, Serialize};

/// The end of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FactChain {
    pub len: u64,
    pub head: Hash,
}

impl FactChain {
    /// Make a fact the next link.
    pub(crate) fn link(&mut self, tick: Tick, mut fact: CageFact) -> CageFact {
        let stamp = fact.audit_mut();
        *stamp = Stamp { seq: self.len, tick, hash: Hash::default() };
        let hash = hash(self.len, &self.head, tick, &fact);
        fact.audit_mut().hash = hash;
        *self = Self { len: self.len.saturating_add(1), head: hash };
        fact
    }
}

fn hash(seq: u64, previous: &Hash, tick: Tick, fact: &CageFact) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 cage audit");
    hasher.update(&seq.to_le_bytes()).update(&previous.0).update(&tick.0.to_le_bytes());
    let mut bare = fact.clone();
    *bare.audit_mut() = Stamp::default();
    hasher.update(&plain::bytes(&bare));
    Hash(*hasher.finalize().as_bytes())
}

/// A chain that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Links.
    pub len: u64,
    /// The last link's hash.
    pub head: Hash,
}

/// A chain that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BrokenAudit {
    /// A link is missing, doubled or out of order.
    #[error("link {found} stands where link {expected} belongs")]
    Order {
        /// What belongs there.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// A link does not follow from the one before it and from what it tells.
    #[error("link {seq} does not follow from what came before it and what it tells")]
    Hash {
        /// Which.
        seq: u64,
    },
}

/// Recompute the chain of a whole life from its recorded facts, the first link included.
///
/// # Errors
/// At the first link that does not hold.
pub fn verify_audit<'a>(facts: impl IntoIterator<Item = &'a CageFact>) -> Result<Verified, BrokenAudit> {
    let mut chain = FactChain::default();
    for fact in facts {
        let told = fact.audit();
        if told.seq != chain.len {
            return Err(BrokenAudit::Order { expected: chain.len, found: told.seq });
        }
        if chain.link(told.tick, fact.clone()).audit() != told {
            return Err(BrokenAudit::Hash { seq: told.seq });
        }
    }
    Ok(Verified { len: chain.len, head: chain.head })
}
