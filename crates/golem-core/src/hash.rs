//! A 32-byte BLAKE3 hash with a hex face: commitments, chain heads, digests.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// 32 bytes of BLAKE3, written as 64 hex digits wherever people read it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// Hash one piece of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first eight bytes, kept beside each journal frame so that a damaged one can be named.
    #[must_use]
    pub fn short(&self) -> [u8; 8] {
        let mut out = [0; 8];
        out.copy_from_slice(&self.0[..8]);
        out
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = HexError;
    fn from_str(s: &str) -> Result<Self, HexError> {
        parse_hex(s).map(Self)
    }
}

impl Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 32]>::deserialize(d).map(Self)
        }
    }
}

/// The text was not the expected number of hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} hex digits, got {found:?}")]
pub struct HexError {
    expected: usize,
    found: String,
}

/// Bytes as hex digits.
///
/// # Errors
/// When the formatter fails.
pub fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
}

/// Hex digits as bytes.
///
/// # Errors
/// When it is not just so many digits.
pub fn parse_hex<const N: usize>(s: &str) -> Result<[u8; N], HexError> {
    let wrong = || HexError { expected: 2 * N, found: s.chars().take(80).collect() };
    if s.len() != 2 * N || !s.is_ascii() {
        return Err(wrong());
    }
    let mut out = [0; N];
    for (i, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&s[2 * i..2 * i + 2], 16).map_err(|_| wrong())?;
    }
    Ok(out)
}
