//! Bytes as hex digits without a prefix, as keystores write them.

use alloy_primitives::hex;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(bytes: &Vec<u8>, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(&hex::encode(bytes))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
    hex::decode(String::deserialize(d)?).map_err(serde::de::Error::custom)
}
