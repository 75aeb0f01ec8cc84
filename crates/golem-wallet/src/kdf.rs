//! From passphrase to sealing key: scrypt, and PBKDF2 for keystores of other makers. Parameters are judged before any
//! work is done for them.

use crate::error::Error;
use crate::hex_text;
use crate::passphrase::Passphrase;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// What we seal with: 2^17 blocks of 1 KiB. 2^18 peaks above a quarter of a GiB and ends a small machine.
const LOG_N: u8 = 17;
const N: u64 = 1 << LOG_N;
const R: u32 = 8;
const P: u32 = 1;
/// Guessing through PBKDF2 is cheap on graphics cards: less than the format's own example is not enough.
const ROUNDS: u32 = 262_144;
const MOST_ROUNDS: u32 = 20_000_000;
/// n r p of 2^23 is a GiB of memory or some ten seconds; beyond that a file is an attack, not a keystore.
const MOST_WORK: u128 = 1 << 23;

/// How well a keystore must be sealed to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealStrength {
    /// As we would seal it, or better.
    Full,
    /// Anyhow, as long as it can be computed: it is about to be sealed anew.
    Any,
}

/// The key derivation as the format writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kdf", content = "kdfparams", rename_all = "lowercase")]
pub(crate) enum Kdf {
    Scrypt {
        dklen: u32,
        n: u64,
        r: u32,
        p: u32,
        #[serde(with = "hex_text")]
        salt: Vec<u8>,
    },
    Pbkdf2 {
        c: u32,
        dklen: u32,
        prf: String,
        #[serde(with = "hex_text")]
        salt: Vec<u8>,
    },
}

impl Kdf {
    /// The one we seal with.
    pub(crate) fn ours(salt: [u8; 32]) -> Self {
        Self::Scrypt { dklen: 32, n: N, r: R, p: P, salt: salt.to_vec() }
    }

    /// Refuse what is too cheap to keep anyone out, or too dear to be honest.
    pub(crate) fn judge(&self, strength: SealStrength) -> Result<(), Error> {
        let full = strength == SealStrength::Full;
        match self {
            Self::Scrypt { dklen, n, r, p, salt } => {
                plain(*dklen, salt)?;
                if !n.is_power_of_two() || *n < 2 || *r == 0 || *p == 0 {
                    return Err(Error::Malformed(format!("scrypt with n={n} r={r} p={p}")));
                }
                if u128::from(*n) * u128::from(*r) * u128::from(*p) > MOST_WORK {
                    return Err(Error::Absurd(format!("scrypt with n={n} r={r} p={p}")));
                }
                if full && (*n < N || *r != R) {
                    return Err(Error::Weak(format!("scrypt with n={n} r={r}, where n={N} r={R} is the least")));
                }
                if full { salted(salt) } else { Ok(()) }
            }
            Self::Pbkdf2 { c, dklen, prf, salt } => {
                plain(*dklen, salt)?;
                if prf != "hmac-sha256" || *c == 0 {
                    return Err(Error::Malformed("pbkdf2 without hmac-sha256 or rounds".to_owned()));
                }
                if *c > MOST_ROUNDS {
                    return Err(Error::Absurd(format!("pbkdf2 with {c} rounds")));
                }
                if full && *c < ROUNDS {
                    return Err(Error::Weak(format!("pbkdf2 with {c} rounds, where {ROUNDS} is the least")));
                }
                if full { salted(salt) } else { Ok(()) }
            }
        }
    }

    /// The sealing key. Only after [`Kdf::judge`].
    pub(crate) fn derive(&self, passphrase: &Passphrase) -> Result<Zeroizing<[u8; 32]>, Error> {
        let mut key = Zeroizing::new([0; 32]);
        match self {
            Self::Scrypt { n, r, p, salt, .. } => {
                let bad = || Error::Malformed(format!("scrypt with n={n} r={r} p={p}"));
                let log_n = u8::try_from(n.trailing_zeros()).map_err(|_| bad())?;
                let params = scrypt::Params::new(log_n, *r, *p).map_err(|_| bad())?;
                scrypt::scrypt(passphrase.bytes(), salt, &params, key.as_mut()).map_err(|_| bad())?;
            }
            Self::Pbkdf2 { c, salt, .. } => {
                pbkdf2::pbkdf2_hmac::<pbkdf2::sha2::Sha256>(passphrase.bytes(), salt, *c, key.as_mut());
            }
        }
        Ok(key)
    }
}

fn plain(dklen: u32, salt: &[u8]) -> Result<(), Error> {
    if dklen != 32 {
        return Err(Error::Malformed(format!("a sealing key of {dklen} bytes")));
    }
    if salt.len() > 1_024 { Err(Error::Absurd(format!("a salt of {} bytes", salt.len()))) } else { Ok(()) }
}

fn salted(salt: &[u8]) -> Result<(), Error> {
    if salt.len() < 16 { Err(Error::Weak(format!("a salt of {} bytes", salt.len()))) } else { Ok(()) }
}
