//! Backups of a grimoire: pieces named by their content, and a signed manifest that says which of them are whose backup of when.

use crate::blob::few;
use crate::certificate::OwnerCertificate;
use crate::cut;
use crate::keys::{OriginKey, WireSignature, digest};
use crate::limits::{CHUNK_BYTES, MANIFEST_CHUNKS};
use crate::seal::GroupSecret;
use ed25519_dalek::SigningKey;
use golem_core::{GolemId, Hash, OwnerId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const PURPOSE: &str = "bardo 2026 styx archive";
const DAY_MS: u64 = 86_400_000;

/// What is signed: a manifest of one golem is of no use to another, and of one tick to no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestWords {
    pub owner: OwnerId,
    pub origin: OriginKey,
    pub golem: GolemId,
    pub tick: u64,
    pub at: VirtualTime,
    /// Length of the whole in clear.
    pub bytes: u64,
    /// Of the whole in clear, under a key of the group: the relay cannot try what it might be.
    pub whole: Hash,
    /// Of each piece as it is sealed.
    #[serde(deserialize_with = "few::<_, _, MANIFEST_CHUNKS>")]
    pub chunks: Vec<Hash>,
}

/// A manifest as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveManifest {
    pub words: ManifestWords,
    pub signature: WireSignature,
}

/// Why a manifest is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ManifestFault {
    #[error("it is of another golem or owner")]
    Stranger,
    #[error("its golem did not sign it")]
    Forged,
    #[error("it has no pieces, or too many")]
    Size,
}

/// Why a backup does not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RestoreFault {
    #[error("its manifest: {0}")]
    Manifest(#[from] ManifestFault),
    #[error("the certificate that vouches for it is worth nothing")]
    Certificate,
    #[error("piece {0} is missing")]
    Missing(usize),
    #[error("piece {0} is not what was kept")]
    Damaged(usize),
    #[error("the whole is not what was backed up")]
    Whole,
}

/// What is backed up: a golem at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupOf {
    pub owner: OwnerId,
    pub golem: GolemId,
    pub tick: u64,
    pub at: VirtualTime,
}

/// Cut, seal and sign a backup: the manifest, and each piece by its name. None where it is longer than a manifest holds.
#[must_use]
pub fn back_up(
    key: &SigningKey,
    group: &GroupSecret,
    of: BackupOf,
    clear: &[u8],
) -> Option<(ArchiveManifest, BTreeMap<Hash, Vec<u8>>)> {
    let mut sealed = BTreeMap::new();
    let mut chunks = Vec::new();
    for piece in cut::pieces(clear) {
        let piece = group.seal_piece(piece);
        let name = Hash::of(&piece);
        chunks.push(name);
        sealed.insert(name, piece);
    }
    let BackupOf { owner, golem, tick, at } = of;
    let (bytes, whole) = (clear.len() as u64, whole(group, clear));
    let words = ManifestWords { owner, origin: OriginKey::of(key), golem, tick, at, bytes, whole, chunks };
    let fits = !words.chunks.is_empty() && words.chunks.len() <= MANIFEST_CHUNKS;
    fits.then(|| (ArchiveManifest { signature: WireSignature::of(key, &digest(PURPOSE, &words)), words }, sealed))
}

/// Put a backup together again, with every proof there is: the owner's certificate, the golem's signature, each piece, the whole.
///
/// # Errors
/// With the first thing that does not hold; nothing is handed out then.
pub fn restore(
    manifest: &ArchiveManifest,
    certificate: &OwnerCertificate,
    of: (OwnerId, GolemId),
    group: &GroupSecret,
    pieces: &BTreeMap<Hash, Vec<u8>>,
) -> Result<Vec<u8>, RestoreFault> {
    let words = &manifest.words;
    let vouched = &certificate.words;
    if certificate.check_signature().is_err() || (vouched.owner, vouched.golem) != of {
        return Err(RestoreFault::Certificate);
    }
    manifest.check(of.0, vouched.origin)?;
    if words.golem != of.1 {
        return Err(ManifestFault::Stranger.into());
    }
    let mut clear = Vec::new();
    for (i, name) in words.chunks.iter().enumerate() {
        let sealed = pieces.get(name).ok_or(RestoreFault::Missing(i))?;
        let opened = (Hash::of(sealed) == *name).then(|| group.open_piece(sealed)).flatten();
        clear.extend(opened.ok_or(RestoreFault::Damaged(i))?);
    }
    let same = clear.len() as u64 == words.bytes && whole(group, &clear) == words.whole;
    if same { Ok(clear) } else { Err(RestoreFault::Whole) }
}

fn whole(group: &GroupSecret, clear: &[u8]) -> Hash {
    // The name of a piece is a keyed hash of its content: the same for the whole.
    let sealed = group.seal_piece(Hash::of(clear).0.as_slice());
    Hash::of(&sealed)
}

impl ArchiveManifest {
    /// What names it.
    #[must_use]
    pub fn id(&self) -> Hash {
        digest(PURPOSE, &self.words)
    }

    /// Whether this golem of this owner signed it, and it can be kept.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check(&self, owner: OwnerId, origin: OriginKey) -> Result<(), ManifestFault> {
        let words = &self.words;
        if words.owner != owner || words.origin != origin {
            return Err(ManifestFault::Stranger);
        }
        let most = (words.chunks.len() * CHUNK_BYTES) as u64;
        if words.chunks.is_empty() || words.chunks.len() > MANIFEST_CHUNKS || words.bytes > most {
            return Err(ManifestFault::Size);
        }
        if self.signature.is_of(&origin, &self.id()) { Ok(()) } else { Err(ManifestFault::Forged) }
    }
}

/// Which of one golem's manifests are kept, by when they came: all of the last day, the last of each day of the last week, the last of each
/// week after, and none for longer than archives are kept.
#[must_use]
pub fn kept(received_ms: &[u64], now_ms: u64, keep_ms: u64) -> Vec<bool> {
    let mut newest: BTreeMap<(u8, u64), usize> = BTreeMap::new();
    let mut keep = vec![false; received_ms.len()];
    for (i, at) in received_ms.iter().enumerate() {
        let age = now_ms.saturating_sub(*at);
        let slot = match age {
            age if age > keep_ms => continue,
            age if age < DAY_MS => {
                keep[i] = true;
                continue;
            }
            age if age < 7 * DAY_MS => (0, at / DAY_MS),
            _ => (1, at / (7 * DAY_MS)),
        };
        let best = newest.entry(slot).or_insert(i);
        if received_ms[*best] < *at {
            *best = i;
        }
    }
    for i in newest.into_values() {
        keep[i] = true;
    }
    keep
}
