//! What time takes away: deltas after seven days, faded marks, thinned archives, and pieces that no backup names any more.

use super::archive::{ChunkRow, UNNAMED_MS};
use super::{DeskFault, RelayDesk, kept};
use crate::store::{KeptRowKey, RowChange, RowRoom};
use golem_core::{Hash, OwnerId};
use std::collections::{BTreeMap, BTreeSet};
use styx_wire::archive::kept as worth_keeping;
use styx_wire::{OriginKey, OwnerCertificate, Pheromone, PublicNotice};

const HOUR_MS: u64 = 3_600_000;

/// What was taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweptAway {
    pub deltas: u64,
    pub marks: u64,
    pub manifests: u64,
    pub chunks: u64,
}

impl RelayDesk {
    /// Take away what time has taken. Doing it twice, or at two relays at once, is doing it once.
    ///
    /// # Errors
    /// When the store fails; the rest is for the next time.
    pub fn sweep(&self) -> Result<SweptAway, DeskFault> {
        let now_ms = self.now_ms();
        let mut swept = SweptAway { deltas: self.store.expire(self.kept_since())?, ..SweptAway::default() };
        let remove = |room, owner, key: &[u8], is_over: &dyn Fn(&[u8]) -> bool| {
            let mut gone = 0;
            let key = KeptRowKey { room, owner, key: key.to_vec() };
            self.store.change(&key, &mut |now| match now {
                Some(row) if is_over(row) => {
                    gone = 1;
                    RowChange::Remove
                }
                _ => RowChange::Leave,
            })?;
            Ok::<u64, DeskFault>(gone)
        };
        for owner in self.store.owners_of(RowRoom::Mark)? {
            for (key, row) in self.all(RowRoom::Mark, owner)? {
                let faded = |row: &[u8]| kept::<Pheromone>(row).is_ok_and(|mark| mark.is_gone(now_ms));
                if faded(&row) {
                    swept.marks += remove(RowRoom::Mark, owner, &key, &faded)?;
                }
            }
        }
        for owner in self.store.owners_of(RowRoom::Notice)? {
            for (key, row) in self.all(RowRoom::Notice, owner)? {
                let old = |row: &[u8]| {
                    kept::<PublicNotice>(row).is_ok_and(|n| {
                        n.hour.saturating_mul(HOUR_MS).saturating_add(self.limits.keep_archives_ms) < now_ms
                    })
                };
                if old(&row) {
                    remove(RowRoom::Notice, owner, &key, &old)?;
                }
            }
        }
        for owner in self.store.owners_of(RowRoom::Member)? {
            for (key, row) in self.all(RowRoom::Member, owner)? {
                let long_over = |row: &[u8]| {
                    kept::<OwnerCertificate>(row).is_ok_and(|c| {
                        let over_ms = c.words.expires_s.saturating_mul(1_000);
                        over_ms.saturating_add(self.limits.keep_archives_ms) < now_ms
                    })
                };
                if long_over(&row) && remove(RowRoom::Member, owner, &key, &long_over)? == 1 {
                    remove(RowRoom::Pulse, owner, &key, &|_| true)?;
                }
            }
        }
        for owner in self.store.owners_of(RowRoom::Chunk)? {
            let (manifests, chunks) = self.sweep_archive(owner, now_ms, &remove)?;
            swept.manifests += manifests;
            swept.chunks += chunks;
        }
        Ok(swept)
    }

    #[allow(clippy::type_complexity)]
    fn sweep_archive(
        &self,
        owner: OwnerId,
        now_ms: u64,
        remove: &dyn Fn(RowRoom, OwnerId, &[u8], &dyn Fn(&[u8]) -> bool) -> Result<u64, DeskFault>,
    ) -> Result<(u64, u64), DeskFault> {
        let (mut manifests, mut chunks) = (0, 0);
        let mut by_golem: BTreeMap<OriginKey, Vec<(u64, Hash)>> = BTreeMap::new();
        let mut named: BTreeMap<Hash, Vec<Hash>> = BTreeMap::new();
        for (at, manifest) in self.manifests(owner)? {
            let id = manifest.id();
            by_golem.entry(manifest.words.origin).or_default().push((at, id));
            named.insert(id, manifest.words.chunks);
        }
        for all in by_golem.values() {
            let times: Vec<u64> = all.iter().map(|(at, _)| *at).collect();
            for ((at, id), keep) in all.iter().zip(worth_keeping(&times, now_ms, self.limits.keep_archives_ms)) {
                if !keep {
                    let key = [&at.to_be_bytes()[..], &id.0].concat();
                    manifests += remove(RowRoom::Manifest, owner, &key, &|_| true)?;
                    named.remove(id);
                }
            }
        }
        let needed: BTreeSet<&Hash> = named.values().flatten().collect();
        for (key, row) in self.all(RowRoom::Chunk, owner)? {
            let Ok(name) = <[u8; 32]>::try_from(&key[..]).map(Hash) else { continue };
            let old =
                |row: &[u8]| kept::<ChunkRow>(row).is_ok_and(|chunk| chunk.at_ms.saturating_add(UNNAMED_MS) < now_ms);
            // The row first: whoever offers a backup now asks for the piece again.
            if !needed.contains(&name) && old(&row) && remove(RowRoom::Chunk, owner, &key, &old)? == 1 {
                self.shelf.remove(owner, name)?;
                chunks += 1;
            }
        }
        Ok((manifests, chunks))
    }
}
