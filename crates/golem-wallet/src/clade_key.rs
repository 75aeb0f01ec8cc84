//! An owner's key for its clade: it certifies golems and closes epochs, and signs nothing else. It holds no money. What the golems of
//! the clade seal to each other with follows from it, and so does the key that each of them speaks with.

use crate::error::Error;
use crate::key::Key;
use crate::private_file;
use alloy_primitives::{B256, hex};
use ed25519_dalek::SigningKey;
use golem_core::{GolemId, OwnerId};
use std::path::Path;
use styx_wire::{CertificateWords, ClosedEpochs, GroupSecret, OriginKey, OwnerCertificate, OwnerSignature};
use zeroize::Zeroizing;

/// The longest file of one.
const LARGEST: usize = 128;
const GROUP: &str = "bardo 2026 clade group";
const LINE: &str = "bardo 2026 clade line of a golem";

/// An owner's key for its clade.
pub struct CladeKey(Key);

/// For whom and until when a golem is certified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertifiedGolem {
    pub golem: GolemId,
    pub origin: OriginKey,
    pub epoch: u64,
    /// Unix seconds.
    pub issued_s: u64,
    pub expires_s: u64,
}

impl CladeKey {
    /// From a private file, which is made where there is none: whoever has it is the owner of this clade.
    ///
    /// # Errors
    /// When others can reach the file, or it is no key.
    pub fn at(path: &Path) -> Result<Self, Error> {
        if path.symlink_metadata().is_err() {
            let key = Key::random()?;
            let text = Zeroizing::new(hex::encode(key.secret().as_ref()));
            match private_file::place(path, text.as_bytes()) {
                // Somebody else was quicker: that one is the clade's.
                Err(Error::Exists(_)) => {}
                placed => return placed.map(|()| Self(key)),
            }
        }
        Key::from_hex(&private_file::read(path, LARGEST)?).map(Self)
    }

    /// Whose golems it certifies.
    #[must_use]
    pub fn owner(&self) -> OwnerId {
        OwnerId(self.0.address().0.0)
    }

    /// What the golems of an epoch open with: who was certified before it was opened does not have it.
    #[must_use]
    pub fn group(&self, epoch: u64) -> GroupSecret {
        let mut hasher = blake3::Hasher::new_derive_key(GROUP);
        hasher.update(self.0.secret().as_ref()).update(&epoch.to_le_bytes());
        GroupSecret::of(&Zeroizing::new(*hasher.finalize().as_bytes()))
    }

    /// The key that one golem speaks with. It follows from this key, the golem's own and its id: two golems of one open seed have two, and
    /// whoever knows a seed cannot speak for its golem.
    #[must_use]
    pub fn line_key(&self, golem: GolemId, own: &[u8; 32]) -> SigningKey {
        let mut hasher = blake3::Hasher::new_derive_key(LINE);
        hasher.update(self.0.secret().as_ref()).update(own).update(&golem.0);
        SigningKey::from_bytes(&Zeroizing::new(*hasher.finalize().as_bytes()))
    }

    /// Certify a golem.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn certify(&self, of: &CertifiedGolem) -> Result<OwnerCertificate, Error> {
        let CertifiedGolem { golem, origin, epoch, issued_s, expires_s } = *of;
        let (owner, group) = (self.owner(), self.group(epoch).public().name());
        let words = CertificateWords { owner, origin, golem, group, epoch, issued_s, expires_s };
        Ok(OwnerCertificate { signature: self.sign(words.signing_hash().0)?, words })
    }

    /// Close all epochs before one.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn close(&self, least_epoch: u64, issued_s: u64) -> Result<ClosedEpochs, Error> {
        let owner = self.owner();
        let signature = self.sign(ClosedEpochs::signing_hash(owner, least_epoch, issued_s).0)?;
        Ok(ClosedEpochs { owner, least_epoch, issued_s, signature })
    }

    /// Put a key aside that somebody else may have: the file is kept beside, named by its owner, and the next key is another one.
    ///
    /// # Errors
    /// When the file is not this key's, or cannot be moved.
    pub fn retire(self, path: &Path) -> Result<std::path::PathBuf, Error> {
        let there = Key::from_hex(&private_file::read(path, LARGEST)?)?;
        if there.address() != self.0.address() {
            return Err(Error::NotAKey);
        }
        let aside = path.with_extension(format!("retired-{}", self.owner()));
        std::fs::rename(path, &aside).map_err(|e| Error::io("move", path, e))?;
        Ok(aside)
    }

    fn sign(&self, hash: [u8; 32]) -> Result<OwnerSignature, Error> {
        let signed = self.0.sign(&B256::from(hash)).ok_or(Error::NotAKey)?;
        Ok(OwnerSignature::from_bytes(&signed.as_bytes()))
    }
}

impl std::fmt::Debug for CladeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CladeKey of {}", self.owner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn of(n: u8) -> CertifiedGolem {
        let key = ed25519_dalek::SigningKey::from_bytes(&[n; 32]);
        let (golem, origin) = (GolemId([n; 16]), OriginKey::of(&key));
        CertifiedGolem { golem, origin, epoch: 1, issued_s: 1_000, expires_s: 2_000 }
    }

    #[test]
    fn what_it_certifies_stands_and_the_file_is_private_and_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("clade").join("owner.key");
        let (key, again) = (CladeKey::at(&path).unwrap(), CladeKey::at(&path).unwrap());
        assert_eq!(key.owner(), again.owner());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let certificate = key.certify(&of(1)).unwrap();
        assert_eq!(certificate.check(1_500, 1), Ok(()));
        assert_eq!(certificate.words.owner, key.owner());
        assert_eq!(certificate.words.group, again.group(1).public().name());
        assert!(certificate.check(2_500, 1).is_err() && certificate.check(1_500, 2).is_err());
        assert_eq!(key.close(2, 1_500).unwrap().check(), Ok(()));
        assert_ne!(key.group(1).public().name(), key.group(2).public().name());
    }

    #[test]
    fn each_golem_of_each_owner_speaks_with_a_key_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| CladeKey::at(&dir.path().join(name)).unwrap());
        let line = |key: &CladeKey, golem: u8, own: u8| key.line_key(GolemId([golem; 16]), &[own; 32]).to_bytes();
        assert_eq!(line(&one, 1, 1), line(&one, 1, 1));
        let all = [line(&one, 1, 1), line(&one, 2, 1), line(&one, 1, 2), line(&two, 1, 1), [1; 32]];
        assert_eq!(std::collections::BTreeSet::from(all).len(), all.len());
    }

    #[test]
    fn a_retired_key_is_kept_and_the_next_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("owner.key");
        let old = CladeKey::at(&path).unwrap();
        let (owner, other) = (old.owner(), CladeKey::at(&dir.path().join("other.key")).unwrap());
        assert!(other.retire(&path).is_err(), "it is another's file");
        let aside = old.retire(&path).unwrap();
        assert_eq!(CladeKey::at(&aside).unwrap().owner(), owner);
        assert_ne!(CladeKey::at(&path).unwrap().owner(), owner);
    }

    #[test]
    fn others_may_not_reach_it_and_it_does_not_show_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("owner.key");
        let key = CladeKey::at(&path).unwrap();
        let secret = std::fs::read_to_string(&path).unwrap();
        assert!(!format!("{key:?}").contains(&secret));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(CladeKey::at(&path).is_err());
    }
}
