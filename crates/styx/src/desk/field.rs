//! The fields: one for each owner, and one for everybody where that is allowed. Who left a mark is a keyed hash, and never told.

use super::{DeskFault, RelayDesk, kept};
use crate::store::{KeptRowKey, RowChange, RowRoom};
use golem_core::OwnerId;
use golem_core::plain::bytes;
use styx_wire::field::{Pheromone, ScentSource};
use styx_wire::limits::SCENTS;
use styx_wire::{
    FieldScope, OriginKey, PheromoneDeposit, PheromoneLayer, PublicNotice, RefuseReason, Scent, SenseQuery, public,
};

/// An owner whom the relay has known for less than this confirms nothing to everybody: new owners cost nothing.
const KNOWN_FOR_MS: u64 = 86_400_000;
/// Whose field everybody's is: an owner that nobody can sign for.
pub(super) const EVERYBODY: OwnerId = OwnerId([0; 20]);

impl RelayDesk {
    /// Leave a mark.
    ///
    /// # Errors
    /// When there is no such field, its source has left too many, or it is nothing.
    pub fn deposit(&self, owner: OwnerId, origin: OriginKey, mark: &PheromoneDeposit) -> Result<(), DeskFault> {
        if mark.intensity == 0 || mark.intensity > 1_000 {
            return Err(RefuseReason::NotAccepted.into());
        }
        let now_ms = self.now_ms();
        // Among siblings each golem is a source; to everybody an owner is one, however many golems it has.
        let (field, source, counts) = match mark.scope {
            FieldScope::Clade => (owner, self.source(&[&owner.0, &origin.0]), true),
            FieldScope::Public => {
                if !self.public || mark.key.layer != PheromoneLayer::Threat {
                    return Err(RefuseReason::Absent.into());
                }
                let since = self.owner_row(owner)?.map_or(now_ms, |row| row.since_ms);
                (EVERYBODY, self.source(&[&owner.0]), now_ms.saturating_sub(since) >= KNOWN_FOR_MS)
            }
        };
        self.leave(field, mark, source, counts, now_ms)
    }

    pub(super) fn leave(
        &self,
        field: OwnerId,
        mark: &PheromoneDeposit,
        source: ScentSource,
        counts: bool,
        now_ms: u64,
    ) -> Result<(), DeskFault> {
        let name = golem_core::Hash::of(&bytes(&mark.key));
        let key = KeptRowKey { room: RowRoom::Mark, owner: field, key: name.0.to_vec() };
        if self.store.row(&key)?.is_none() {
            let mut own = 0;
            let all = self.all(RowRoom::Mark, field)?;
            if all.len() >= self.limits.marks_per_field {
                return Err(RefuseReason::Full.into());
            }
            for (_, row) in all {
                let there: Pheromone = kept(&row)?;
                own += usize::from(there.sources.first() == Some(&source) && !there.is_gone(now_ms));
            }
            if own >= self.limits.marks_per_source {
                return Err(RefuseReason::Full.into());
            }
        }
        self.store.change(&key, &mut |now| {
            let there = now.and_then(styx_wire::frame::read_kept::<Pheromone>).filter(|p| !p.is_gone(now_ms));
            let next = match there {
                None => Pheromone::left(mark, source, now_ms),
                Some(mut there) => {
                    there.again(mark, source, counts, now_ms);
                    there
                }
            };
            RowChange::Put(bytes(&next))
        })?;
        Ok(())
    }

    /// Smell a field: the strongest first.
    ///
    /// # Errors
    /// When there is no such field.
    pub fn sense(&self, owner: OwnerId, query: &SenseQuery) -> Result<Vec<Scent>, DeskFault> {
        let everybody = query.scope == FieldScope::Public;
        if everybody && !self.public {
            return Err(RefuseReason::Absent.into());
        }
        let now_ms = self.now_ms();
        let mut found = Vec::new();
        for (_, row) in self.all(RowRoom::Mark, if everybody { EVERYBODY } else { owner })? {
            let there: Pheromone = kept(&row)?;
            if !there.is_gone(now_ms) && query.wants(&there.key) {
                let scent = there.scent(now_ms);
                found.extend(if everybody { public::blurred(&scent) } else { Some(scent) });
            }
        }
        found.sort_by(|a, b| b.intensity.cmp(&a.intensity).then_with(|| a.key.cmp(&b.key)));
        found.truncate(SCENTS);
        Ok(found)
    }

    /// What everybody may know of deaths, newest first.
    ///
    /// # Errors
    /// When there is no such layer.
    pub fn notices(&self) -> Result<Vec<PublicNotice>, DeskFault> {
        if !self.public {
            return Err(RefuseReason::Absent.into());
        }
        let mut found = Vec::new();
        for (_, row) in self.all(RowRoom::Notice, EVERYBODY)? {
            found.push(kept::<PublicNotice>(&row)?);
        }
        // Within an hour they have no order that would tell who came first.
        found.sort_by(|a, b| b.hour.cmp(&a.hour).then_with(|| a.cmp(b)));
        found.truncate(SCENTS);
        Ok(found)
    }

    /// The name of a source that only this relay can make.
    pub(super) fn source(&self, parts: &[&[u8]]) -> ScentSource {
        let mut hasher = blake3::Hasher::new_keyed(&self.store.identity().secret);
        hasher.update(b"source");
        for part in parts {
            hasher.update(part);
        }
        let mut source = [0; 12];
        hasher.finalize_xof().fill(&mut source);
        source
    }
}
