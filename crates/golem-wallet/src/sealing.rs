//! Sealing something to its owner: whoever has the public key can seal, only the key in the owner's file opens.
//!
//! How is [`styx_wire::seal::SealCipher`]'s business; the purpose is its own, so that nothing of one purpose opens as another.

use crate::error::Error;
use crate::{hex_text, private_file};
use alloy_primitives::hex;
use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use std::path::Path;
use styx_wire::seal::{SealCipher, sealing_key};
use zeroize::Zeroizing;

const PURPOSE: &str = "bardo 2026 sealed to its owner";
/// More than the hex digits of a key and a line end.
const LONGEST: usize = 128;

/// The public key that something is sealed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealPublic(VerifyingKey);

/// The key that opens what was sealed, wiped from memory when dropped.
pub struct SealKey(SigningKey);

/// Something sealed, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedBytes {
    /// The public key that it is sealed to.
    #[serde(with = "hex_text")]
    sealed_to: Vec<u8>,
    /// The public key that was made for this seal alone.
    #[serde(with = "hex_text")]
    made_for_it: Vec<u8>,
    #[serde(with = "hex_text")]
    check: Vec<u8>,
    #[serde(with = "hex_text")]
    bytes: Vec<u8>,
}

impl SealPublic {
    /// From 64 hex digits; none for what is no key, or one that anybody could open.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Self::of(&hex::decode(text).ok()?)
    }
    fn of(bytes: &[u8]) -> Option<Self> {
        sealing_key(bytes).map(Self)
    }
    /// As 64 hex digits.
    #[must_use]
    pub fn text(&self) -> String {
        hex::encode(self.0.as_bytes())
    }
    /// Seal something to it.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn seal(&self, clear: &[u8]) -> Result<SealedBytes, Error> {
        let fresh = SealKey::made()?;
        let (to, from) = (self.0.as_bytes(), fresh.0.verifying_key());
        let mut cipher = SealCipher::agreed(PURPOSE, &fresh.0, &self.0, from.as_bytes(), to);
        let mut bytes = clear.to_vec();
        cipher.apply(&mut bytes);
        let check = cipher.check(&bytes).as_bytes().to_vec();
        Ok(SealedBytes { sealed_to: to.to_vec(), made_for_it: from.as_bytes().to_vec(), check, bytes })
    }
}

impl SealKey {
    fn made() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut()).map_err(|e| Error::Randomness(e.to_string()))?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }
    /// Make one, and keep it in a private file that does not exist yet.
    ///
    /// # Errors
    /// When it cannot be kept there.
    pub fn make(path: &Path) -> Result<SealPublic, Error> {
        let made = Self::made()?;
        let text = Zeroizing::new(format!("{}\n", hex::encode(made.0.as_bytes())));
        private_file::place(path, text.as_bytes())?;
        Ok(made.public())
    }
    /// From its file, which must be its owner's alone.
    ///
    /// # Errors
    /// When it cannot be read, lies open to others, or is no key.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = private_file::read(path, LONGEST)?;
        let mut seed = Zeroizing::new([0; 32]);
        hex::decode_to_slice(bytes.trim_ascii(), seed.as_mut()).map_err(|_| Error::NotAKey)?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }
    /// What is sealed to.
    #[must_use]
    pub fn public(&self) -> SealPublic {
        SealPublic(self.0.verifying_key())
    }
    /// Open what was sealed to it; none where it was sealed to another, or is not what was sealed.
    #[must_use]
    pub fn open(&self, sealed: &SealedBytes) -> Option<Zeroizing<Vec<u8>>> {
        let (from, own) = (SealPublic::of(&sealed.made_for_it)?, self.0.verifying_key());
        if sealed.sealed_to != own.as_bytes() {
            return None;
        }
        let mut cipher = SealCipher::agreed(PURPOSE, &self.0, &from.0, from.0.as_bytes(), own.as_bytes());
        let theirs = <[u8; 32]>::try_from(&sealed.check[..]).ok()?;
        if cipher.check(&sealed.bytes) != blake3::Hash::from_bytes(theirs) {
            return None;
        }
        let mut bytes = Zeroizing::new(sealed.bytes.clone());
        cipher.apply(&mut bytes);
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(n: u8) -> SealKey {
        SealKey(SigningKey::from_bytes(&[n; 32]))
    }

    #[test]
    fn only_its_key_opens_it_and_only_as_it_was_sealed() {
        let clear = b"I was born with 500 USDC.".repeat(40);
        let sealed = key(1).public().seal(&clear).unwrap();
        assert_eq!(key(1).open(&sealed).map(|c| c.to_vec()), Some(clear.clone()));
        assert_eq!(key(2).open(&sealed), None);
        let text = serde_json::to_string(&sealed).unwrap();
        assert!(!text.contains("born") && !text.contains(&hex::encode(b"born")), "nothing of it is in clear");
        assert_ne!(sealed, key(1).public().seal(&clear).unwrap(), "each seal has a key of its own");
        // Sealed to another, and said to be to this one.
        let mut lying = key(2).public().seal(&clear).unwrap();
        lying.sealed_to = sealed.sealed_to.clone();
        assert_eq!(key(1).open(&lying), None);
    }

    #[test]
    fn keys_that_are_none_or_open_to_anybody_are_refused() {
        assert_eq!(SealPublic::read(&key(1).public().text()), Some(key(1).public()));
        let one = format!("01{}", "00".repeat(31));
        for bad in ["", "ab", "zz", &"ff".repeat(32), &"00".repeat(32), &one, &"00".repeat(33)] {
            assert_eq!(SealPublic::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_key_lives_in_a_private_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("owner.key");
        let public = SealKey::make(&path).unwrap();
        assert_eq!(SealKey::read(&path).unwrap().public(), public);
        assert!(matches!(SealKey::make(&path), Err(Error::Exists(_))), "a key is never overwritten");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert!(matches!(SealKey::read(&path), Err(Error::Unsafe { .. })));
    }

    proptest! {
        #[test]
        fn no_flipped_bit_passes(at in any::<prop::sample::Index>(), bit in 0u8..8, part in 0usize..4) {
            let mut sealed = key(3).public().seal(b"what it left").unwrap();
            let SealedBytes { sealed_to, made_for_it, check, bytes } = &mut sealed;
            let part = [sealed_to, made_for_it, check, bytes].into_iter().nth(part).unwrap();
            let n = at.index(part.len());
            part[n] ^= 1 << bit;
            prop_assert!(key(3).open(&sealed).is_none());
        }
    }
}
