//! The archive: a backup is offered by its manifest, the pieces that are missing are asked for, and once all are there it is kept.

use super::{DeskFault, RelayDesk, kept};
use crate::store::{KeptRowKey, RowChange, RowRoom, StoreFault};
use golem_core::plain::bytes;
use golem_core::{Hash, OwnerId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use styx_wire::limits::CHUNK_BYTES;
use styx_wire::{ArchiveManifest, OriginKey, RefuseReason};

/// A piece on the shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChunkRow {
    pub bytes: u64,
    pub at_ms: u64,
}

/// How long a piece may lie there without a backup: one that is being sent.
pub(super) const UNNAMED_MS: u64 = 3_600_000;

fn chunk_key(owner: OwnerId, name: &Hash) -> KeptRowKey {
    KeptRowKey { room: RowRoom::Chunk, owner, key: name.0.to_vec() }
}

impl RelayDesk {
    /// Offer a backup: the pieces that are missing, once each; none when it is kept.
    ///
    /// # Errors
    /// When its golem did not sign it, or the owner's room is full.
    pub fn offer(&self, owner: OwnerId, origin: OriginKey, manifest: &ArchiveManifest) -> Result<Vec<Hash>, DeskFault> {
        manifest.check(owner, origin).map_err(|_| RefuseReason::NotAccepted)?;
        let names: BTreeSet<Hash> = manifest.words.chunks.iter().copied().collect();
        let now_ms = self.now_ms();
        let mut missing = Vec::new();
        for name in names {
            let key = chunk_key(owner, &name);
            let row = self.store.row(&key)?.map(|row| kept::<ChunkRow>(&row)).transpose()?;
            let mut there = row.is_some();
            // A piece that an offer names is not thrown away while the rest is on its way. One that came lately is not anyway: a change
            // is a transaction, and whoever offers again and again must not have a thousand of them each time.
            if row.is_some_and(|row| now_ms.saturating_sub(row.at_ms) >= UNNAMED_MS / 2) {
                self.store.change(&key, &mut |now| {
                    let row = now.and_then(styx_wire::frame::read_kept::<ChunkRow>);
                    there = row.is_some();
                    row.map_or(RowChange::Leave, |row| RowChange::Put(bytes(&ChunkRow { at_ms: now_ms, ..row })))
                })?;
            }
            if !there {
                missing.push(name);
            }
        }
        let more = (missing.len() * CHUNK_BYTES) as u64;
        if more > 0 && self.archive_bytes(owner)?.saturating_add(more) > self.limits.owner_archive_bytes {
            return Err(RefuseReason::Full.into());
        }
        if missing.is_empty() {
            let id = manifest.id();
            let already = self.manifests(owner)?.iter().any(|(_, kept)| kept.id() == id);
            if !already {
                let key = [&now_ms.to_be_bytes()[..], &id.0].concat();
                let key = KeptRowKey { room: RowRoom::Manifest, owner, key };
                self.store.change(&key, &mut |_| RowChange::Put(bytes(manifest)))?;
            }
        }
        Ok(missing)
    }

    /// A piece. Its name is its content, so nothing else has to be said of it.
    ///
    /// # Errors
    /// When it is too long.
    pub fn keep_chunk(&self, owner: OwnerId, piece: &[u8]) -> Result<Hash, DeskFault> {
        if piece.is_empty() || piece.len() > CHUNK_BYTES {
            return Err(RefuseReason::TooLarge.into());
        }
        let name = Hash::of(piece);
        if self.store.row(&chunk_key(owner, &name))?.is_some() && self.shelf.get(owner, name)?.is_some() {
            return Ok(name);
        }
        // First the piece, then its row: a row without its piece would be a lie.
        self.shelf.put(owner, name, piece)?;
        let row = ChunkRow { bytes: piece.len() as u64, at_ms: self.now_ms() };
        self.store.change(&chunk_key(owner, &name), &mut |_| RowChange::Put(bytes(&row)))?;
        Ok(name)
    }

    /// A piece of an owner's own archive.
    ///
    /// # Errors
    /// When it is not there: then its row goes too, and the next offer asks for it again.
    pub fn fetch(&self, owner: OwnerId, name: Hash) -> Result<Vec<u8>, DeskFault> {
        if self.store.row(&chunk_key(owner, &name))?.is_none() {
            return Err(RefuseReason::Absent.into());
        }
        if let Some(piece) = self.shelf.get(owner, name)? {
            return Ok(piece);
        }
        self.store.change(&chunk_key(owner, &name), &mut |_| RowChange::Remove)?;
        Err(RefuseReason::Absent.into())
    }

    /// An owner's backups with when they came, newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn manifests(&self, owner: OwnerId) -> Result<Vec<(u64, ArchiveManifest)>, StoreFault> {
        let mut found = Vec::new();
        for (key, row) in self.all(RowRoom::Manifest, owner)?.into_iter().rev() {
            let at = key.first_chunk::<8>().map_or(0, |at| u64::from_be_bytes(*at));
            found.push((at, kept(&row)?));
        }
        Ok(found)
    }

    fn archive_bytes(&self, owner: OwnerId) -> Result<u64, StoreFault> {
        let mut sum = 0_u64;
        for (_, row) in self.all(RowRoom::Chunk, owner)? {
            sum = sum.saturating_add(kept::<ChunkRow>(&row)?.bytes);
        }
        Ok(sum)
    }
}
