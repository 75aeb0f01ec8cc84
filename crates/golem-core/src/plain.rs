//! Plain data as bytes and as JSON, in memory. That cannot fail for the types of this house, and if it did, silence would be
//! the worst answer: a hash of nothing, a row without a body, a state that cannot be read. So it fails loudly, here alone;
//! the loop catches it, keeps the turns before it and says what happened.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use std::fmt::Display;

/// Bytes of a piece; the last one of several may be shorter.
const PIECE: usize = 64 << 10;

/// Bytes one after another, none of them in a room larger than 64 KiB. What is made again and again and is a megabyte at once leaves
/// an allocator with holes of a megabyte, and a process that grows by them for as long as it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Piece by piece.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
    /// All of it in one.
    #[must_use]
    pub fn join(&self) -> Vec<u8> {
        self.0.concat()
    }
    /// Room for another byte.
    fn last(&mut self) -> &mut Vec<u8> {
        if self.0.last().is_none_or(|piece| piece.len() >= PIECE) {
            self.0.push(Vec::with_capacity(PIECE));
        }
        let at = self.0.len() - 1;
        &mut self.0[at]
    }
}

/// Pieces that were kept somewhere, in their order.
impl FromIterator<Vec<u8>> for Pieces {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(pieces: I) -> Self {
        Self(pieces.into_iter().collect())
    }
}

impl Flavor for Pieces {
    type Output = Self;
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.last().push(byte);
        Ok(())
    }
    fn try_extend(&mut self, mut bytes: &[u8]) -> postcard::Result<()> {
        while !bytes.is_empty() {
            let piece = self.last();
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - piece.len()));
            piece.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }
    fn finalize(self) -> postcard::Result<Self> {
        Ok(self)
    }
}

/// The compact form: what is hashed and saved.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn bytes<T: Serialize + ?Sized>(what: &T) -> Vec<u8> {
    postcard::to_stdvec(what).unwrap_or_else(|why| failed::<T>(&why))
}

/// The compact form, written after what a buffer holds already.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn bytes_onto<T: Serialize + ?Sized>(what: &T, buffer: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(what, buffer).unwrap_or_else(|why| failed::<T>(&why))
}

/// The compact form in pieces, of what is large.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn pieces<T: Serialize + ?Sized>(what: &T) -> Pieces {
    postcard::serialize_with_flavor(what, Pieces::default()).unwrap_or_else(|why| failed::<T>(&why))
}

/// The form that people and other programs read.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn json<T: Serialize + ?Sized>(what: &T) -> String {
    serde_json::to_string(what).unwrap_or_else(|why| failed::<T>(&why))
}

/// The same as [`json`], spelled by a formatter.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn json_by<T: Serialize + ?Sized>(what: &T, formatter: impl serde_json::ser::Formatter) -> String {
    let mut text = Vec::with_capacity(256);
    let written = what.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter));
    written.unwrap_or_else(|why| failed::<T>(&why));
    String::from_utf8(text).unwrap_or_else(|why| failed::<T>(&why))
}

/// The same as [`json`], as a value that can be looked into.
///
/// # Panics
/// When a type has no such form.
#[must_use]
pub fn value<T: Serialize + ?Sized>(what: &T) -> serde_json::Value {
    serde_json::to_value(what).unwrap_or_else(|why| failed::<T>(&why))
}

/// The word for something, as JSON spells it.
///
/// # Panics
/// When it is not spelled as one word.
#[must_use]
pub fn word<T: Serialize + ?Sized>(what: &T) -> String {
    match value(what) {
        serde_json::Value::String(word) => word,
        other => failed::<T>(&format_args!("{other} is not a word")),
    }
}

fn failed<T: ?Sized>(why: &dyn Display) -> ! {
    panic!("{} has no plain form: {why}", std::any::type_name::<T>())
}

/// A value inside of a compact form as JSON text: for what has forms of its own that the compact one cannot read back.
pub mod as_text {
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Write it.
    ///
    /// # Errors
    /// When the text cannot be written.
    pub fn serialize<T: Serialize, S: Serializer>(what: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::json(what))
    }
    /// Read it.
    ///
    /// # Errors
    /// When the text does not say it.
    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_has_no_plain_form_is_never_taken_for_nothing() {
        // JSON has no keys that are lists; a compact sequence says its length first.
        let odd = BTreeMap::from([(vec![1], 2)]);
        assert!(std::panic::catch_unwind(|| json(&odd)).is_err());
        struct Endless;
        impl Serialize for Endless {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                serde::ser::SerializeSeq::end(to.serialize_seq(None)?)
            }
        }
        assert!(std::panic::catch_unwind(|| bytes(&Endless)).is_err());
        assert!(std::panic::catch_unwind(|| word(&7)).is_err());
        assert_eq!((bytes(&7u8), json(&7), word("seven")), (vec![7], "7".to_owned(), "seven".to_owned()));
    }

    #[test]
    fn pieces_are_the_same_bytes_and_none_is_large() {
        for len in [0, 1, PIECE - 3, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 7] {
            let what: (Vec<u8>, f64, String) = (vec![7; len], 0.5, "x".repeat(len / 3));
            let found = pieces(&what);
            assert_eq!(found.join(), bytes(&what), "{len}");
            assert_eq!(found.len(), bytes(&what).len(), "{len}");
            assert!(found.0.iter().rev().skip(1).all(|piece| piece.len() == PIECE), "{len}");
            assert!(found.iter().all(|piece| !piece.is_empty() && piece.len() <= PIECE), "{len}");
        }
        assert!(pieces(&()).is_empty());
    }
}
