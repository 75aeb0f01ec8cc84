//! Who is who: golem ids, owner ids and the names people give.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An id of so many bytes: hex where people read it, bytes where they do not.
#[macro_export]
macro_rules! hex_id {
    ($(#[$doc:meta])* $name:ident, $n:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $n]);

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::hash::write_hex(f, &self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
        impl ::std::str::FromStr for $name {
            type Err = $crate::hash::HexError;
            fn from_str(s: &str) -> Result<Self, $crate::hash::HexError> {
                $crate::hash::parse_hex(s).map(Self)
            }
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                if s.is_human_readable() { s.collect_str(self) } else { ::serde::Serialize::serialize(&self.0, s) }
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                if d.is_human_readable() {
                    <String as ::serde::Deserialize>::deserialize(d)?.parse().map_err(::serde::de::Error::custom)
                } else {
                    <[u8; $n] as ::serde::Deserialize>::deserialize(d).map(Self)
                }
            }
        }
    };
}

hex_id!(
    /// A golem: the first 16 bytes of the hash of its birth certificate's identifying part.
    GolemId, 16
);
hex_id!(
    /// An owner: 20 bytes, so that an EVM address fits.
    OwnerId, 20
);

impl OwnerId {
    /// The owner of a home in which no wallet has been set up yet.
    pub const LOCAL: Self = Self([0; 20]);
}

/// A name that is safe as a folder, a label and a word on a command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a name: use 1 to 40 of a-z, 0-9, '-' and '_', starting with a letter")]
pub struct BadName(String);

impl Name {
    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = BadName;
    fn from_str(s: &str) -> Result<Self, BadName> {
        let ok = (1..=40).contains(&s.len())
            && s.starts_with(|c: char| c.is_ascii_lowercase())
            && s.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_');
        if ok { Ok(Self(s.to_owned())) } else { Err(BadName(s.chars().take(60).collect())) }
    }
}

impl TryFrom<String> for Name {
    type Error = BadName;
    fn try_from(s: String) -> Result<Self, BadName> {
        s.parse()
    }
}

impl From<Name> for String {
    fn from(n: Name) -> Self {
        n.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
