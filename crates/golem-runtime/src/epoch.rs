//! The note beside the file: how far a life is known to have come. Whatever a person or a chain was told of is noted here,
//! outside of the file that can be damaged or put back, so that a file that ends before it is refused.
//!
//! Two slots of the same length, written in turn and each with a sum: a power cut while one is written leaves the other,
//! and writing needs no room, so that a full disk keeps nobody from being told.

use crate::dir::GolemDir;
use crate::durable;
use crate::error::Error;
use golem_core::Hash;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of a slot.
const SLOT: usize = 256;

/// How far a life is known to have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EpochMark {
    /// Number of the start.
    pub(crate) epoch: u64,
    /// Last committed turn at the time of the note.
    pub(crate) tick: u64,
    /// The head of the chain after it; notes of older versions have none.
    pub(crate) head: Option<Hash>,
    /// The turn that was open then, its effects perhaps out in the world; 0 when none was.
    pub(crate) open: u64,
    /// The last order that was put.
    pub(crate) orders: u64,
}

impl EpochMark {
    /// The note; `None` when there is none, as in a directory that was copied without it.
    pub(crate) fn read(dir: &GolemDir) -> Result<Option<Self>, Error> {
        let path = dir.epoch();
        match fs::read(&path) {
            Ok(bytes) => newest(&bytes, &path).map(|(mark, _)| Some(mark)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io(&path, "read", &e)),
        }
    }

    /// Note this, and keep what others have noted of the same start meanwhile. A later start's note is left alone.
    pub(crate) fn raise(self, dir: &GolemDir) -> Result<(), Error> {
        let path = dir.epoch();
        let _turn = one_at_a_time(dir)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == ErrorKind::NotFound => return durable::replace(&path, &whole(&self)),
            Err(e) => return Err(Error::io(&path, "read", &e)),
        };
        let (known, slot) = newest(&bytes, &path)?;
        let Some(new) = self.over(&known) else { return Ok(()) };
        if bytes.len() != 2 * SLOT {
            return durable::replace(&path, &whole(&new));
        }
        let write = || {
            let file = OpenOptions::new().write(true).open(&path)?;
            file.write_all_at(&new.to_slot(), ((1 - slot) * SLOT) as u64)?;
            file.sync_data()
        };
        write().map_err(|e| Error::io(&path, "write", &e))
    }

    /// What is to be noted in place of what is known, if anything is.
    fn over(self, known: &Self) -> Option<Self> {
        let new = match self.epoch.cmp(&known.epoch) {
            std::cmp::Ordering::Less => return None,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => {
                let later = if (self.tick, self.open) >= (known.tick, known.open) { self } else { *known };
                Self { orders: self.orders.max(known.orders), ..later }
            }
        };
        (new != *known).then_some(new)
    }

    /// Notes are written in this order and no other.
    fn order(&self) -> (u64, u64, u64, u64) {
        (self.epoch, self.tick, self.open, self.orders)
    }

    fn to_slot(self) -> [u8; SLOT] {
        let words = self.words();
        let mut slot = [b' '; SLOT];
        let line = format!("{words} sum {}", sum(&words));
        slot[..line.len()].copy_from_slice(line.as_bytes());
        slot[SLOT - 1] = b'\n';
        slot
    }

    fn words(&self) -> String {
        let head = self.head.map_or_else(|| "-".to_owned(), |head| head.to_string());
        format!("start {} turn {} head {head} open {} orders {}", self.epoch, self.tick, self.open, self.orders)
    }

    fn from_slot(slot: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(slot).ok()?.trim_ascii_end();
        let words: Vec<&str> = text.split(' ').collect();
        let ["start", epoch, "turn", tick, "head", head, "open", open, "orders", orders, "sum", _] = words[..] else {
            return None;
        };
        let head = if head == "-" { None } else { Some(head.parse().ok()?) };
        let (epoch, tick) = (epoch.parse().ok()?, tick.parse().ok()?);
        let mark = Self { epoch, tick, head, open: open.parse().ok()?, orders: orders.parse().ok()? };
        // The whole slot, so that nothing in it can rot unnoticed.
        (mark.to_slot()[..] == *slot).then_some(mark)
    }
}

/// The newest of the notes in a file, and its slot.
fn newest(bytes: &[u8], path: &Path) -> Result<(EpochMark, usize), Error> {
    if bytes.len() == 2 * SLOT {
        let slots = bytes.chunks_exact(SLOT).enumerate();
        let found = slots.filter_map(|(n, slot)| Some((EpochMark::from_slot(slot)?, n)));
        return found
            .max_by_key(|(mark, _)| mark.order())
            .ok_or_else(|| Error::damaged(path, "neither of its two notes can be read"));
    }
    // Earlier versions noted a start and a turn.
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut words = text.split_ascii_whitespace().map(str::parse);
    match (words.next(), words.next(), words.next()) {
        (Some(Ok(epoch)), Some(Ok(tick)), None) => Ok((EpochMark { epoch, tick, ..EpochMark::default() }, 0)),
        _ => Err(Error::damaged(path, "expected how far the life has come")),
    }
}

/// A new file: the note, and a slot that waits.
fn whole(mark: &EpochMark) -> Vec<u8> {
    let mut bytes = mark.to_slot().to_vec();
    bytes.resize(2 * SLOT - 1, b' ');
    bytes.push(b'\n');
    bytes
}

fn sum(words: &str) -> String {
    let hash = blake3::Hasher::new_derive_key("bardo 2026 how far a life has come").update(words.as_bytes()).finalize();
    hash.to_hex()[..16].to_owned()
}

/// The runner and whoever puts orders write the same note: the directory itself is what they lock, for as long as the
/// file is held.
fn one_at_a_time(dir: &GolemDir) -> Result<File, Error> {
    File::open(dir.path())
        .and_then(|d| d.lock().map(|()| d))
        .map_err(|e| Error::io(dir.path(), "lock the directory", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(epoch: u64, tick: u64, orders: u64) -> EpochMark {
        EpochMark { epoch, tick, head: Some(Hash::of(&tick.to_le_bytes())), open: 0, orders }
    }

    #[test]
    fn notes_only_rise_and_a_torn_one_leaves_the_one_before() {
        let tmp = tempfile::tempdir().unwrap();
        let dir = GolemDir::existing(tmp.path()).unwrap();
        let known = || EpochMark::read(&dir).unwrap();
        assert_eq!(known(), None);
        for (told, expected) in [
            (mark(1, 0, 0), mark(1, 0, 0)),
            (mark(1, 9, 2), mark(1, 9, 2)),
            (mark(1, 7, 5), mark(1, 9, 5)),
            (EpochMark { open: 10, ..mark(1, 9, 5) }, EpochMark { open: 10, ..mark(1, 9, 5) }),
            (mark(1, 10, 5), mark(1, 10, 5)),
            // Restored: a later start may stand before an earlier one.
            (mark(3, 4, 1), mark(3, 4, 1)),
            (mark(2, 99, 9), mark(3, 4, 1)),
            (mark(3, 5, 1), mark(3, 5, 1)),
        ] {
            told.raise(&dir).unwrap();
            assert_eq!(known(), Some(expected), "{told:?}");
        }
        let whole = fs::read(dir.epoch()).unwrap();
        for byte in 0..whole.len() {
            let mut torn = whole.clone();
            torn[byte] ^= 1;
            fs::write(dir.epoch(), &torn).unwrap();
            let found = known().unwrap();
            assert!(found == mark(3, 5, 1) || found == mark(3, 4, 1), "byte {byte}: {found:?}");
        }
        for bad in [&b""[..], b"what", &whole[..300], &[b' '; 2 * SLOT]] {
            fs::write(dir.epoch(), bad).unwrap();
            assert!(matches!(EpochMark::read(&dir), Err(Error::Damaged { .. })));
        }
        // A note of an earlier version is read, and written anew.
        fs::write(dir.epoch(), "7 100\n").unwrap();
        assert_eq!(known(), Some(EpochMark { epoch: 7, tick: 100, ..EpochMark::default() }));
        mark(7, 101, 0).raise(&dir).unwrap();
        assert_eq!(known(), Some(mark(7, 101, 0)));
    }
}
