//! A sibling that does not trust the relay: every delta is taken once, in any order, and what was withheld, rewound or shown
//! differently to others is noticed.

use crate::certificate::{CertificateFault, OwnerCertificate};
use crate::delta::{ChainHead, DeltaFault, SignedDelta};
use crate::keys::{LogId, OriginKey};
use crate::pulse::SignedPulse;
use golem_core::{Hash, OwnerId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Links of one chain that are remembered one by one; older ones are known by their number.
const REMEMBERED: usize = 4_096;

/// How far somebody has read whom: the body of a delta of that kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeadsReport(pub Vec<(OriginKey, ChainHead)>);

/// What a reader noticed about its relay, or about a sibling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReaderNotice {
    /// The relay came back with another store: positions begin anew, nothing else does.
    NewLog,
    /// The same store ends earlier than it did.
    Rewound { was: u64, now: u64 },
    /// Links of a sibling's chain are there and were not shown.
    Withheld { origin: OriginKey, from: u64, upto: u64 },
    /// Two links have the same place: the sibling signed both, or the relay shows each to somebody else.
    Split { origin: OriginKey, seq: u64 },
}

/// What became of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenDelta {
    /// For the first time: it takes effect.
    New,
    /// It has had its effect already.
    Known,
}

/// Why a delta was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadFault {
    #[error("{0}")]
    Delta(#[from] DeltaFault),
    /// Nobody has vouched for its origin.
    #[error("its origin is not certified")]
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Link {
    id: Hash,
    previous: Hash,
    anew: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct ReadChain {
    /// Everything up to here was taken or given up, and is only known by its number.
    floor: u64,
    links: BTreeMap<u64, Link>,
    /// How far others say that it goes.
    claimed: Option<ChainHead>,
}

/// Everything that one golem has read of its siblings. Plain data: it is kept with the golem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainReader {
    owner: OwnerId,
    own: OriginKey,
    least_epoch: u64,
    certificates: BTreeMap<OriginKey, OwnerCertificate>,
    chains: BTreeMap<OriginKey, ReadChain>,
    log: Option<(LogId, u64)>,
    /// Whether something expired before it was read: then beginnings may be missing.
    expired: bool,
}

impl ChainReader {
    #[must_use]
    pub fn new(owner: OwnerId, own: OriginKey) -> Self {
        let (certificates, chains) = (BTreeMap::new(), BTreeMap::new());
        Self { owner, own, least_epoch: 0, certificates, chains, log: None, expired: false }
    }

    /// Whether it reads for this golem of this owner.
    #[must_use]
    pub fn is_of(&self, owner: OwnerId, own: OriginKey) -> bool {
        (self.owner, self.own) == (owner, own)
    }
    /// Certificates below are worth nothing, as far as it was told.
    #[must_use]
    pub fn least_epoch(&self) -> u64 {
        self.least_epoch
    }
    /// For whom it reads.
    #[must_use]
    pub fn owner(&self) -> OwnerId {
        self.owner
    }

    /// The relay says where its log stands.
    pub fn welcomed(&mut self, log: LogId, head: u64) -> Option<ReaderNotice> {
        let before = self.log.replace((log, head));
        match before {
            Some((same, was)) if same == log && was > head => {
                self.log = Some((log, was));
                Some(ReaderNotice::Rewound { was, now: head })
            }
            Some((same, _)) if same != log => Some(ReaderNotice::NewLog),
            _ => None,
        }
    }

    /// Everything up to a position was shown.
    pub fn shown(&mut self, upto: u64) {
        if let Some((_, head)) = &mut self.log {
            *head = (*head).max(upto);
        }
    }

    /// The relay says that the beginning has expired.
    pub fn beginning_expired(&mut self) {
        self.expired = true;
    }

    /// Certificates below are worth nothing; it never goes back.
    pub fn close(&mut self, least_epoch: u64) {
        self.least_epoch = self.least_epoch.max(least_epoch);
        let least = self.least_epoch;
        self.certificates.retain(|_, certificate| certificate.words.epoch >= least);
    }

    /// A sibling's certificate, as the relay shows it.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn certified(
        &mut self,
        certificate: &OwnerCertificate,
        now_s: u64,
        kept_s: u64,
    ) -> Result<(), CertificateFault> {
        certificate.check_as_sibling(self.owner, now_s, self.least_epoch, kept_s)?;
        self.certificates.insert(certificate.words.origin, *certificate);
        Ok(())
    }

    /// Take a delta, whenever it comes.
    ///
    /// # Errors
    /// When it is none, of nobody, or contradicts what the same sibling signed.
    pub fn take(&mut self, delta: &SignedDelta) -> Result<TakenDelta, ReadFault> {
        let head = &delta.head;
        if head.origin != self.own && !self.certificates.contains_key(&head.origin) {
            return Err(ReadFault::Unknown);
        }
        delta.check(self.owner)?;
        let chain = self.chains.entry(head.origin).or_default();
        let link = Link { id: head.id(), previous: head.previous, anew: head.anew };
        if let Some(known) = chain.links.get(&head.seq) {
            return if known.id == link.id { Ok(TakenDelta::Known) } else { Err(DeltaFault::Forked.into()) };
        }
        if head.seq <= chain.floor {
            return Ok(TakenDelta::Known);
        }
        let before = chain.links.get(&(head.seq - 1));
        let after = chain.links.get(&head.seq.saturating_add(1));
        let forked = before.is_some_and(|b| b.id != link.previous && !link.anew)
            || after.is_some_and(|a| a.previous != link.id && !a.anew);
        if forked {
            return Err(DeltaFault::Forked.into());
        }
        chain.links.insert(head.seq, link);
        chain.forget();
        Ok(TakenDelta::New)
    }

    /// A sibling's pulse says how far its own chain goes.
    pub fn pulsed(&mut self, pulse: &SignedPulse) -> Vec<ReaderNotice> {
        let origin = pulse.words.origin;
        if !pulse.stands() || pulse.words.owner != self.owner || !self.certificates.contains_key(&origin) {
            return Vec::new();
        }
        self.compared(&HeadsReport(vec![(origin, pulse.words.chain)]))
    }

    /// Hold what a sibling has read against what was shown here.
    pub fn compared(&mut self, report: &HeadsReport) -> Vec<ReaderNotice> {
        let mut notices = Vec::new();
        for (origin, head) in &report.0 {
            if *origin == self.own || head.seq == 0 || !self.certificates.contains_key(origin) {
                continue;
            }
            let chain = self.chains.entry(*origin).or_default();
            if chain.links.get(&head.seq).is_some_and(|link| link.id != head.id) {
                notices.push(ReaderNotice::Split { origin: *origin, seq: head.seq });
            }
            if chain.claimed.is_none_or(|claimed| claimed.seq < head.seq) {
                chain.claimed = Some(*head);
            }
        }
        notices
    }

    /// What is missing at the moment. Whoever asks decides how long it may be on its way.
    #[must_use]
    pub fn missing(&self) -> Vec<ReaderNotice> {
        let mut notices = Vec::new();
        for (origin, chain) in self.chains.iter().filter(|(origin, _)| **origin != self.own) {
            let mut next = chain.floor + 1;
            let first = chain.links.keys().next().copied();
            if self.expired && chain.floor == 0 {
                next = first.unwrap_or(next);
            }
            for (seq, link) in &chain.links {
                if *seq > next && !link.anew {
                    notices.push(ReaderNotice::Withheld { origin: *origin, from: next, upto: seq - 1 });
                }
                next = seq + 1;
            }
            if let Some(claimed) = chain.claimed.filter(|claimed| claimed.seq >= next) {
                notices.push(ReaderNotice::Withheld { origin: *origin, from: next, upto: claimed.seq });
            }
        }
        notices
    }

    /// How far it has read whom without a hole, for its siblings.
    #[must_use]
    pub fn heads(&self) -> HeadsReport {
        let reached = |(origin, chain): (&OriginKey, &ReadChain)| {
            let (seq, link) = chain.links.last_key_value()?;
            Some((*origin, ChainHead { seq: *seq, id: link.id }))
        };
        HeadsReport(self.chains.iter().filter_map(reached).collect())
    }
}

impl ReadChain {
    /// Keep what can still be contradicted: the floor rises over what has no hole.
    fn forget(&mut self) {
        while self.links.len() > REMEMBERED {
            if let Some((seq, _)) = self.links.pop_first() {
                self.floor = self.floor.max(seq);
            }
        }
    }
}
