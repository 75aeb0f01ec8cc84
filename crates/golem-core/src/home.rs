//! Home: the one address besides its own that a golem's money can go to. It is fixed at birth, and no intent, action or permit
//! names it: whoever carries a transfer out was told it once, by the birth record.

use crate::birth::Birth;
use crate::intent::Asset;
use crate::money::Usdc;
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

/// The way home. It leads where the birth record says, and cannot be made from anything else:
///
/// ```compile_fail,E0423
/// let _elsewhere = golem_core::Homeward([9; 20]);
/// ```
///
/// A venue keeps it in its own records, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Homeward(HomeAddress);

impl Homeward {
    /// The address that the owner fixed at birth; `None` for who was born without one.
    #[must_use]
    pub fn fixed(birth: &Birth) -> Option<Self> {
        birth.home.map(Self)
    }
    /// The same on a chain of our own, where whoever was born without one goes home to its owner's account there.
    #[must_use]
    pub fn on_our_chain(birth: &Birth) -> Self {
        Self::fixed(birth).unwrap_or_else(|| {
            let seed = blake3::derive_key("bardo 2026 owner account", &birth.owner.0);
            let mut bytes = [0; 20];
            bytes.copy_from_slice(&seed[..20]);
            // Twenty zeros do not come out of a hash; if they did, they would still be the owner's.
            Self(HomeAddress(bytes))
        })
    }
    /// Where it leads.
    #[must_use]
    pub fn address(&self) -> HomeAddress {
        self.0
    }
}

/// What is sent home at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeSum {
    /// USDC.
    Usdc(Usdc),
    /// The asset.
    Asset(Asset),
    /// The chain's own coin, in its smallest unit: what is left of that which pays for gas.
    Coin(Asset),
}

impl HomeSum {
    /// The word used in facts and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Usdc(_) => "usdc",
            Self::Asset(_) => "asset",
            Self::Coin(_) => "coin",
        }
    }
    /// What leaves the books with it: USDC and asset. The coin is in no book.
    #[must_use]
    pub fn booked(&self) -> (Usdc, Asset) {
        match *self {
            Self::Usdc(amount) => (amount, Asset::ZERO),
            Self::Asset(amount) => (Usdc::ZERO, amount),
            Self::Coin(_) => (Usdc::ZERO, Asset::ZERO),
        }
    }
    /// True when it is nothing at all.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Usdc(Usdc::ZERO) | Self::Asset(Asset::ZERO) | Self::Coin(Asset::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::birth::Identity;
    use crate::{Hash, Name, Timestamp};

    fn born() -> Birth {
        let name: Name = "ada".parse().expect("a name");
        let identity = Identity { name: &name, public_key: Hash::of(b"key"), commitment: Hash::of(b"secret") };
        identity.first_ancestor(true, Timestamp(0), Usdc::whole(50), Hash::of(b"{}"))
    }

    #[test]
    fn the_way_home_is_the_birth_record_s() {
        let birth = born();
        assert_eq!(Homeward::fixed(&birth), None);
        let ours = Homeward::on_our_chain(&birth);
        assert_eq!(ours, Homeward::on_our_chain(&Birth { funding: Usdc(1), ..birth.clone() }), "its owner's account");
        let home = HomeAddress::new([5; 20]);
        let fixed = Birth { home, ..birth };
        assert_eq!(Homeward::fixed(&fixed).map(|way| way.address()), home);
        assert_eq!(Some(Homeward::on_our_chain(&fixed)), Homeward::fixed(&fixed));
    }

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
