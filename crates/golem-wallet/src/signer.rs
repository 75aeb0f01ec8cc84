//! The signer: holds one key, and signs only what an admitted permit covers, each part of it under one nonce only.

use crate::cover::{Caps, CoverPart, Covered, VenueAddresses, harmless};
use crate::key::Key;
use crate::not_covered::TxNotCovered;
use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, B256, Bytes};
use golem_cage::{Spent, is_part};
use golem_core::{Action, Homeward};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(test)]
mod tests;

/// Signs for one golem's account on one venue of one chain.
pub struct Signer {
    key: Key,
    me: Address,
    /// Where money goes home to. Without it none does.
    home: Option<Homeward>,
    at: VenueAddresses,
    admitted: Mutex<Admitted>,
}

/// The newest permit, as far as signing needs it.
#[derive(Debug, Default)]
struct Admitted {
    id: Option<u64>,
    actions: Vec<Action>,
    /// The nonce that each part of each action was signed under. One only: otherwise the same thing could happen twice.
    nonces: BTreeMap<(usize, CoverPart), u64>,
}

/// A transaction that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What it is to its action.
    pub part: CoverPart,
    /// Its nonce.
    pub nonce: u64,
    /// Its hash.
    pub hash: B256,
    /// What goes over the wire.
    pub raw: Bytes,
}

impl Signer {
    /// A signer for the venue that stands at these addresses.
    #[must_use]
    pub fn new(key: Key, at: VenueAddresses) -> Self {
        Self { me: key.address(), key, home: None, at, admitted: Mutex::default() }
    }

    /// The same with a way home: nothing is ever sent to anybody else.
    #[must_use]
    pub fn homeward(self, way: Homeward) -> Self {
        Self { home: Some(way), ..self }
    }

    /// Where money goes home to.
    #[must_use]
    pub fn home(&self) -> Option<Homeward> {
        self.home
    }

    /// The account it signs for.
    #[must_use]
    pub fn address(&self) -> Address {
        self.me
    }

    /// Where it signs for.
    #[must_use]
    pub fn addresses(&self) -> &VenueAddresses {
        &self.at
    }

    /// Sign what this permit covers from now on, and nothing that an earlier one did. Admitting the same again changes
    /// nothing; one that is older than the newest is refused, since what was signed for it is no longer known.
    ///
    /// # Errors
    /// When it is for another venue, or too old.
    pub fn admit(&self, spent: &Spent) -> Result<(), TxNotCovered> {
        let permit = spent.permit();
        if permit.venue() != self.at.venue || permit.code() != self.at.code {
            return Err(TxNotCovered::Venue);
        }
        self.admitted().take(permit.id(), permit.actions())
    }

    /// Sign a part of an action of the admitted permit. The same part may be signed again under the same nonce, to offer
    /// more for gas, but not under another.
    ///
    /// # Errors
    /// With the first thing in it that is not covered.
    pub fn sign(&self, action: &Action, tx: TxEip1559, caps: &Caps) -> Result<Signed, TxNotCovered> {
        if let Ok(part) = harmless(self.me, &self.at, caps, &tx) {
            return self.put_signature(part, tx);
        }
        let part = Covered {
            me: self.me,
            home: self.home.map(|way| way.address().bytes().into()),
            at: &self.at,
            action,
            caps,
        }
        .part(&tx)?;
        self.admitted().bind(action, part, tx.nonce)?;
        self.put_signature(part, tx)
    }

    /// Sign what needs no permit since it moves nothing: an allowance taken back, or a transaction to oneself that uses
    /// up a stuck nonce.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn sign_harmless(&self, tx: TxEip1559, caps: &Caps) -> Result<Signed, TxNotCovered> {
        let part = harmless(self.me, &self.at, caps, &tx)?;
        self.put_signature(part, tx)
    }

    fn admitted(&self) -> MutexGuard<'_, Admitted> {
        // Nothing is left half done by a panic: every change is one insertion or one replacement.
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_signature(&self, part: CoverPart, tx: TxEip1559) -> Result<Signed, TxNotCovered> {
        let signature = self.key.sign(&tx.signature_hash()).ok_or(TxNotCovered::Signature)?;
        let nonce = tx.nonce;
        let signed = tx.into_signed(signature);
        let mut raw = Vec::new();
        signed.eip2718_encode(&mut raw);
        Ok(Signed { part, nonce, hash: *signed.hash(), raw: raw.into() })
    }
}

impl Admitted {
    fn take(&mut self, id: u64, actions: &[Action]) -> Result<(), TxNotCovered> {
        match self.id {
            Some(newest) if newest == id && self.actions == actions => Ok(()),
            Some(newest) if newest >= id => Err(TxNotCovered::Forgotten),
            _ => {
                *self = Self { id: Some(id), actions: actions.to_vec(), nonces: BTreeMap::new() };
                Ok(())
            }
        }
    }

    /// Bind a part of an action to a nonce: of a permitted action that covers it and is signed under this nonce already,
    /// or was not signed at all.
    fn bind(&mut self, action: &Action, part: CoverPart, nonce: u64) -> Result<(), TxNotCovered> {
        let covers = |permitted: &Action| permitted == action || is_part(action, permitted);
        let covering = || (0..self.actions.len()).filter(|n| covers(&self.actions[*n]));
        let of = |n: &usize| self.nonces.get(&(*n, part)).copied();
        let same = covering().find(|n| of(n) == Some(nonce));
        let Some(n) = same.or_else(|| covering().find(|n| of(n).is_none())) else {
            return Err(if covering().next().is_some() { TxNotCovered::Twice } else { TxNotCovered::Action });
        };
        self.nonces.insert((n, part), nonce);
        Ok(())
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("address", &self.me).field("at", &self.at).finish_non_exhaustive()
    }
}
