//! Bytes on the wire: copied in one piece, and never more than is there.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Some bytes.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Blob(pub Vec<u8>);

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(BlobReading)
    }
}

struct BlobReading;

impl<'de> Visitor<'de> for BlobReading {
    type Value = Blob;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Blob, E> {
        Ok(Blob(bytes.to_vec()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Blob, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = from.next_element()? {
            bytes.push(byte);
        }
        Ok(Blob(bytes))
    }
}

/// Read at most so many of something: whoever claims more is refused before there is room made for them.
///
/// # Errors
/// When there are more.
pub fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(from: D) -> Result<Vec<T>, D::Error> {
    from.deserialize_seq(Few::<T, MOST>(std::marker::PhantomData))
}

struct Few<T, const MOST: usize>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Few<T, MOST> {
    type Value = Vec<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MOST}")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<T>, A::Error> {
        let claimed = from.size_hint().unwrap_or(0);
        if claimed > MOST {
            return Err(A::Error::invalid_length(claimed, &self));
        }
        let mut all = Vec::new();
        while let Some(one) = from.next_element()? {
            if all.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            all.push(one);
        }
        Ok(all)
    }
}
