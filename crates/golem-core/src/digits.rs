//! Serde form of a `u128`: decimal text wherever people read it, since most readers of JSON cannot hold it as a number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Write it.
///
/// # Errors
/// The serializer's own.
pub fn serialize<S: Serializer>(x: &u128, s: S) -> Result<S::Ok, S::Error> {
    if s.is_human_readable() { s.collect_str(x) } else { x.serialize(s) }
}

/// Read it.
///
/// # Errors
/// When it is not a number that fits.
pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u128, D::Error> {
    if d.is_human_readable() {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    } else {
        u128::deserialize(d)
    }
}
