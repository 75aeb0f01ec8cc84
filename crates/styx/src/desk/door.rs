//! Who is let in: certificates, epochs, siblings and their pulses.

use super::{DeskFault, RelayDesk, kept};
use crate::store::{KeptRowKey, RowChange, RowRoom, StoreFault};
use golem_core::OwnerId;
use golem_core::plain::bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use styx_wire::frame::LISTED;
use styx_wire::{
    CertificateFault, Challenge, ClosedEpochs, Hello, OriginKey, OwnerCertificate, RateBucket, RefuseReason,
    SignedPulse, Welcome,
};

/// Somebody who was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmittedGolem {
    pub certificate: OwnerCertificate,
    pub welcome: Welcome,
    /// Since when the relay knows its owner.
    pub owner_since_ms: u64,
}

/// What is known of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OwnerRow {
    pub least_epoch: u64,
    pub since_ms: u64,
}

fn owner_key(owner: OwnerId) -> KeptRowKey {
    KeptRowKey { room: RowRoom::Owner, owner, key: vec![0] }
}

/// A row with its whole name.
type KeptRowDraft = (KeptRowKey, Vec<u8>);

/// Where a golem's last pulse is kept.
pub(crate) fn pulse_row(owner: OwnerId, origin: OriginKey, pulse: &SignedPulse) -> KeptRowDraft {
    (KeptRowKey { room: RowRoom::Pulse, owner, key: origin.0.to_vec() }, bytes(pulse))
}

impl RelayDesk {
    pub(super) fn owner_row(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreFault> {
        self.store.row(&owner_key(owner))?.map(|row| kept(&row)).transpose()
    }

    /// From which epoch on certificates of an owner are worth something.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn least_epoch(&self, owner: OwnerId) -> Result<u64, StoreFault> {
        Ok(self.owner_row(owner)?.map_or(0, |row| row.least_epoch))
    }

    /// Let a golem in that answers the challenge with its owner's certificate.
    ///
    /// # Errors
    /// One word for whatever is wrong with it.
    pub fn admit(&self, hello: &Hello, challenge: &Challenge) -> Result<AdmittedGolem, DeskFault> {
        let (admitted, certified) = self.examine(hello, challenge)?;
        if let Some((member, row)) = certified {
            self.store.change(&member, &mut |_| RowChange::Put(row.clone()))?;
        }
        Ok(admitted)
    }

    /// The same, and the row by which the golem is remembered, where it is new: nobody who comes has a transaction of its own.
    pub(crate) fn examine(
        &self,
        hello: &Hello,
        challenge: &Challenge,
    ) -> Result<(AdmittedGolem, Option<KeptRowDraft>), DeskFault> {
        let words = &hello.certificate.words;
        let owner = words.owner;
        if self.owners.as_ref().is_some_and(|owners| !owners.contains(&owner)) {
            return Err(DeskFault::Certificate(CertificateFault::WrongOwner));
        }
        // What costs least first: a golem's own signature is a third of an owner's.
        if !hello.answers(challenge) {
            return Err(DeskFault::Certificate(CertificateFault::Forged));
        }
        let row = self.owner_row(owner)?;
        let least = row.map_or(0, |row| row.least_epoch);
        let now_ms = self.now_ms();
        let member = KeptRowKey { room: RowRoom::Member, owner, key: words.origin.0.to_vec() };
        let known = self.store.row(&member)?.map(|row| kept::<OwnerCertificate>(&row)).transpose()?;
        // What is remembered was signed by its owner, and had begun: that is looked at once. It may be over since.
        let still = match (words.epoch < least, words.expires_s <= now_ms / 1_000) {
            (true, _) => Err(CertificateFault::Revoked),
            (false, true) => Err(CertificateFault::Expired),
            (false, false) if known == Some(hello.certificate) => Ok(()),
            (false, false) => hello.certificate.check(now_ms / 1_000, least),
        };
        still.map_err(DeskFault::Certificate)?;
        if row.is_none() {
            self.newcomer(now_ms)?;
        }
        if known.is_none() && self.all(RowRoom::Member, owner)?.len() >= self.limits.golems_per_owner {
            return Err(RefuseReason::Full.into());
        }
        // One key is one golem: its chain, its cursor and its budgets are. Who was revoked holds no key any more.
        if known.is_some_and(|k| k.words.golem != words.golem && k.words.epoch >= least) {
            return Err(RefuseReason::OtherGolem.into());
        }
        // The newer certificate stays: an old one must not push out what replaced it.
        let newer = known.is_none_or(|k| (k.words.epoch, k.words.expires_s) < (words.epoch, words.expires_s));
        let certified = newer.then(|| (member, bytes(&hello.certificate)));
        if row.is_none() {
            let fresh = OwnerRow { least_epoch: 0, since_ms: now_ms };
            self.store.change(&owner_key(owner), &mut |now| match now {
                Some(_) => RowChange::Leave,
                None => RowChange::Put(bytes(&fresh)),
            })?;
        }
        let bounds = self.bounds(owner)?;
        let welcome = Welcome {
            log: self.store.identity().log,
            head: bounds.head,
            oldest: bounds.oldest,
            cursor: self.store.cursor(owner, words.origin)?,
            chain: self.store.chain(owner, words.origin)?,
            least_epoch: least,
        };
        let owner_since_ms = row.map_or(now_ms, |row| row.since_ms);
        Ok((AdmittedGolem { certificate: hello.certificate, welcome, owner_since_ms }, certified))
    }

    /// An owner comes for the first time: so many do in an hour, and no more.
    fn newcomer(&self, now_ms: u64) -> Result<(), DeskFault> {
        let rate = self.limits.newcomers;
        let mut bucket = self.newcomers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let bucket = bucket.get_or_insert_with(|| RateBucket::full(rate, now_ms));
        bucket.take(rate, 1, now_ms).map_err(|_| DeskFault::Refused(RefuseReason::Full))
    }

    /// Close epochs. They never open again.
    ///
    /// # Errors
    /// When the owner did not sign it.
    pub fn close(&self, closed: &ClosedEpochs) -> Result<u64, DeskFault> {
        closed.check().map_err(DeskFault::Certificate)?;
        let mut least = closed.least_epoch;
        let since_ms = self.now_ms();
        self.store.change(&owner_key(closed.owner), &mut |now| {
            let row = now.and_then(styx_wire::frame::read_kept).unwrap_or(OwnerRow { least_epoch: 0, since_ms });
            least = least.max(row.least_epoch);
            RowChange::Put(bytes(&OwnerRow { least_epoch: least, ..row }))
        })?;
        Ok(least)
    }

    /// Keep a pulse, unless a later one is there. Whether it is news.
    ///
    /// # Errors
    /// When it is not the golem's own.
    pub fn pulse(&self, owner: OwnerId, origin: OriginKey, pulse: &SignedPulse) -> Result<bool, DeskFault> {
        if !pulse.is_from(owner, origin) {
            return Err(RefuseReason::NotAccepted.into());
        }
        let (key, row) = pulse_row(owner, origin, pulse);
        let mut news = false;
        self.store.change(&key, &mut |now| {
            let before = now.and_then(styx_wire::frame::read_kept::<SignedPulse>);
            news = before.is_none_or(|before| before.words.count < pulse.words.count);
            if news { RowChange::Put(row.clone()) } else { RowChange::Leave }
        })?;
        Ok(news)
    }

    /// The number of a golem's last pulse; 0 before the first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn last_pulse(&self, owner: OwnerId, origin: OriginKey) -> Result<u64, StoreFault> {
        let row = self.store.row(&KeptRowKey { room: RowRoom::Pulse, owner, key: origin.0.to_vec() })?;
        Ok(row.and_then(|row| styx_wire::frame::read_kept::<SignedPulse>(&row)).map_or(0, |pulse| pulse.words.count))
    }

    /// Certificates and last pulses of an owner's golems; those of closed epochs are not told.
    ///
    /// # Errors
    /// When they cannot be read.
    #[allow(clippy::type_complexity)]
    pub fn siblings(
        &self,
        owner: OwnerId,
        from: u32,
    ) -> Result<(Vec<(OwnerCertificate, Option<SignedPulse>)>, bool), DeskFault> {
        let least = self.least_epoch(owner)?;
        let mut found = Vec::new();
        let mut all = Vec::new();
        let from = from as usize;
        let enough = from.saturating_add(LISTED);
        let mut after = KeptRowKey { room: RowRoom::Member, owner, key: Vec::new() };
        // No more than is asked for: whoever asks often must not read a thousand rows each time.
        while all.len() <= enough {
            let rows = self.store.rows(&after, 2 * LISTED)?;
            let Some((last, _)) = rows.last() else { break };
            after.key = last.clone();
            for (key, row) in rows {
                let certificate: OwnerCertificate = kept(&row)?;
                if certificate.words.epoch >= least {
                    all.push((key, certificate));
                }
            }
        }
        let more = all.len() > enough;
        // Pulses lie in the same order: a few reads instead of one for each.
        let before = from.checked_sub(1).and_then(|i| all.get(i)).map_or_else(Vec::new, |(key, _)| key.clone());
        let page: Vec<_> = all.into_iter().skip(from).take(LISTED).collect();
        let (mut after, mut pulses) = (KeptRowKey { room: RowRoom::Pulse, owner, key: before }, BTreeMap::new());
        while page.last().is_some_and(|(last, _)| after.key < *last) {
            let rows = self.store.rows(&after, LISTED)?;
            let Some((last, _)) = rows.last() else { break };
            after.key = last.clone();
            pulses.extend(rows);
        }
        for (key, certificate) in page {
            let pulse = pulses.remove(&key).map(|row| kept(&row)).transpose()?;
            found.push((certificate, pulse));
        }
        Ok((found, more))
    }
}
