//! An owner's address, as a birth record has it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An owner's address as it stands in a birth record: never nothing. Whether it is spelled as its owner meant it was checked
/// before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HomeAddress([u8; 20]);

impl HomeAddress {
    /// An address; `None` for the one that is nobody's.
    #[must_use]
    pub fn new(bytes: [u8; 20]) -> Option<Self> {
        (bytes != [0; 20]).then_some(Self(bytes))
    }
    /// An address made of a hash: twenty zeros do not come out of one.
    pub(crate) fn of_hash(hash: [u8; 32]) -> Self {
        let mut bytes = [0; 20];
        bytes.copy_from_slice(&hash[..20]);
        Self(bytes)
    }
    /// Its bytes.
    #[must_use]
    pub fn bytes(self) -> [u8; 20] {
        self.0
    }
}

impl fmt::Display for HomeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for HomeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for HomeAddress {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for HomeAddress {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let wrong = || serde::de::Error::custom("an address has 40 hex digits after 0x, and is not nothing");
        if !d.is_human_readable() {
            return <[u8; 20]>::deserialize(d).and_then(|bytes| Self::new(bytes).ok_or_else(wrong));
        }
        let text = String::deserialize(d)?;
        let digits = text.strip_prefix("0x").filter(|s| s.len() == 40 && s.is_ascii()).ok_or_else(wrong)?;
        let mut bytes = [0; 20];
        for (byte, at) in bytes.iter_mut().zip((0..40).step_by(2)) {
            *byte = u8::from_str_radix(&digits[at..at + 2], 16).map_err(serde::de::Error::custom)?;
        }
        Self::new(bytes).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_s_address_is_none_and_others_are_read_as_they_are_written() {
        assert_eq!(HomeAddress::new([0; 20]), None);
        let home = HomeAddress::new([0xab; 20]).expect("an address");
        let text = serde_json::to_string(&home).expect("plain");
        assert_eq!(text, format!("\"0x{}\"", "ab".repeat(20)));
        assert_eq!(serde_json::from_str::<HomeAddress>(&text).expect("the same"), home);
        for wrong in ["0x", "ab", &format!("0x{}", "00".repeat(20)), &format!("0x{}é", "a".repeat(38))] {
            assert!(serde_json::from_str::<HomeAddress>(&format!("\"{wrong}\"")).is_err(), "{wrong}");
        }
        assert!(postcard::from_bytes::<HomeAddress>(&[0; 20]).is_err());
    }
}
