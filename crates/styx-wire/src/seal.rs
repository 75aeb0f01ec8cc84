//! Sealing to an owner's group: whoever has the group's public key can seal, and its golems open. The relay has neither.
//!
//! [`SealCipher`] is the house's one way to seal, also for testaments: a fresh key for each seal agrees on a secret with the reader's (X25519
//! by the Montgomery form of ed25519 keys), BLAKE3 derives two keys from it for a purpose, for AES-256 in counter mode and for a keyed
//! BLAKE3 over everything, which is checked before anything is opened. Pieces of archives are sealed by their content, so that the same piece is the same bytes and travels once.

use aes::Aes256;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use ed25519_dalek::{SigningKey, VerifyingKey};
use golem_core::Hash;
use zeroize::Zeroizing;

const PURPOSE: &str = "bardo 2026 sealed to a clade";
const PIECE: &str = "bardo 2026 a clade's archive, content";
const PIECE_CIPHER: &str = "bardo 2026 a clade's archive, cipher";
/// What a seal adds: the key that was made for it, and its check.
pub const SEAL_BYTES: usize = 64;
/// What the seal of a piece adds.
pub const PIECE_BYTES: usize = 32;

/// The two keys of one seal. The cipher begins at nothing each time: no two seals have the same.
pub struct SealCipher {
    cipher: Ctr128BE<Aes256>,
    checking: Zeroizing<[u8; 32]>,
}

/// A key that can be sealed to; none for what is no key, has a second spelling, or is open to anybody.
#[must_use]
pub fn sealing_key(bytes: &[u8]) -> Option<VerifyingKey> {
    let bytes: &[u8; 32] = bytes.try_into().ok()?;
    let key = VerifyingKey::from_bytes(bytes).ok()?;
    // A coordinate beyond the field's prime would be a second spelling.
    let beyond = bytes[0] >= 0xed && bytes[1..31].iter().all(|b| *b == 0xff) && bytes[31] & 0x7f == 0x7f;
    (!key.is_weak() && !beyond).then_some(key)
}

impl SealCipher {
    /// Of a seal from one key to another, for a purpose: the same for who has either of the two secrets.
    #[must_use]
    pub fn agreed(purpose: &str, own: &SigningKey, other: &VerifyingKey, from: &[u8; 32], to: &[u8; 32]) -> Self {
        let shared = Zeroizing::new(other.to_montgomery().mul_clamped(own.to_scalar_bytes()).to_bytes());
        let mut both = Zeroizing::new([0; 64]);
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        hasher.update(shared.as_ref()).update(from).update(to).finalize_xof().fill(both.as_mut());
        let mut halves = [Zeroizing::new([0; 32]), Zeroizing::new([0; 32])];
        for (half, part) in halves.iter_mut().zip(both.chunks_exact(32)) {
            half.copy_from_slice(part);
        }
        let [sealing, checking] = halves;
        Self { cipher: Ctr128BE::<Aes256>::new((&*sealing).into(), &[0; 16].into()), checking }
    }
    /// Seal what is clear, or open what was checked.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        self.cipher.apply_keystream(bytes);
    }
    /// Over what is sealed. Comparing two takes the same time wherever they differ.
    #[must_use]
    pub fn check(&self, sealed: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.checking, sealed)
    }
}

/// What an owner's golems open with, wiped from memory when dropped.
pub struct GroupSecret(SigningKey);

/// What is sealed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupPublic(VerifyingKey);

impl GroupPublic {
    /// From a certificate; none for what is no key, or one that anybody could open.
    #[must_use]
    pub fn read(bytes: &Hash) -> Option<Self> {
        sealing_key(&bytes.0).map(Self)
    }
    /// As a certificate names it.
    #[must_use]
    pub fn name(&self) -> Hash {
        Hash(self.0.to_bytes())
    }

    /// Seal something, with fresh entropy that is never used again.
    #[must_use]
    pub fn seal(&self, clear: &[u8], entropy: &[u8; 32]) -> Vec<u8> {
        let fresh = SigningKey::from_bytes(entropy);
        let from = fresh.verifying_key().to_bytes();
        let mut cipher = SealCipher::agreed(PURPOSE, &fresh, &self.0, &from, self.0.as_bytes());
        let mut bytes = Vec::with_capacity(SEAL_BYTES + clear.len());
        bytes.extend_from_slice(&from);
        bytes.extend_from_slice(&[0; 32]);
        bytes.extend_from_slice(clear);
        cipher.apply(&mut bytes[SEAL_BYTES..]);
        let check = cipher.check(&bytes[SEAL_BYTES..]);
        bytes[32..SEAL_BYTES].copy_from_slice(check.as_bytes());
        bytes
    }
}

impl GroupSecret {
    /// From its 32 bytes.
    #[must_use]
    pub fn of(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }
    /// What is sealed to.
    #[must_use]
    pub fn public(&self) -> GroupPublic {
        GroupPublic(self.0.verifying_key())
    }

    /// Open what was sealed; none where it was sealed to another, or is not what was sealed.
    #[must_use]
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (from, rest) = sealed.split_first_chunk::<32>()?;
        let (check, body) = rest.split_first_chunk::<32>()?;
        let other = GroupPublic::read(&Hash(*from))?;
        let own = self.0.verifying_key();
        let mut cipher = SealCipher::agreed(PURPOSE, &self.0, &other.0, from, own.as_bytes());
        if cipher.check(body) != blake3::Hash::from_bytes(*check) {
            return None;
        }
        let mut clear = body.to_vec();
        cipher.apply(&mut clear);
        Some(clear)
    }

    /// Seal a piece of an archive by its content.
    #[must_use]
    pub fn seal_piece(&self, clear: &[u8]) -> Vec<u8> {
        let name = blake3::keyed_hash(&self.piece_key(), clear);
        let mut bytes = Vec::with_capacity(PIECE_BYTES + clear.len());
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(clear);
        self.piece_cipher(name.as_bytes()).apply_keystream(&mut bytes[PIECE_BYTES..]);
        bytes
    }

    /// Open a piece; none where it is not what was sealed.
    #[must_use]
    pub fn open_piece(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (name, body) = sealed.split_first_chunk::<32>()?;
        let mut clear = body.to_vec();
        self.piece_cipher(name).apply_keystream(&mut clear);
        (blake3::keyed_hash(&self.piece_key(), &clear) == blake3::Hash::from_bytes(*name)).then_some(clear)
    }

    fn piece_key(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key(PIECE, self.0.as_bytes()))
    }
    fn piece_cipher(&self, name: &[u8; 32]) -> Ctr128BE<Aes256> {
        let mut hasher = blake3::Hasher::new_derive_key(PIECE_CIPHER);
        let key = Zeroizing::new(*hasher.update(self.0.as_bytes()).update(name).finalize().as_bytes());
        Ctr128BE::<Aes256>::new((&*key).into(), &[0; 16].into())
    }
}
