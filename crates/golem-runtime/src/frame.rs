//! A frame of the journal: length, head byte, digest at some turns, record, and the short chain hash that names damage.
//!
//! ```text
//! varint length of the payload | payload: head byte, [32 bytes of digest], record | first 8 bytes of the chain head
//! ```
//! A length is checked against what is there before anything is done with it.

use crate::error::Error;
use crate::{chain, wire};
use golem_core::{Hash, Tick};
use golem_life::Record;

/// No turn's record may be larger: 64 orders of 4 KiB and as much again for the rest.
pub(crate) const MAX_PAYLOAD: usize = 512 << 10;
const HAS_DIGEST: u8 = 1;

/// Appends frames and carries the chain's head along.
#[derive(Debug)]
pub(crate) struct FrameWriter {
    pub(crate) head: Hash,
    scratch: Vec<u8>,
}

impl FrameWriter {
    pub(crate) fn after(head: Hash) -> Self {
        Self { head, scratch: Vec::new() }
    }

    /// Append the frame of one turn.
    pub(crate) fn append(
        &mut self,
        frames: &mut Vec<u8>,
        tick: Tick,
        record: &Record,
        digest: Option<Hash>,
    ) -> Result<(), Error> {
        let mut payload = std::mem::take(&mut self.scratch);
        payload.clear();
        payload.push(wire::FORMAT << 1 | if digest.is_some() { HAS_DIGEST } else { 0 });
        if let Some(digest) = digest {
            payload.extend_from_slice(&digest.0);
        }
        let payload = wire::write(record, payload).map_err(|e| Error::Bug(format!("record of tick {tick}: {e}")))?;
        if payload.len() > MAX_PAYLOAD {
            return Err(Error::Bug(format!("record of tick {tick} has {} bytes", payload.len())));
        }
        let mut length = payload.len();
        while length >= 0x80 {
            frames.push(length as u8 | 0x80);
            length >>= 7;
        }
        frames.push(length as u8);
        frames.extend_from_slice(&payload);
        self.head = chain::next(&self.head, tick, &payload);
        frames.extend_from_slice(&self.head.short());
        self.scratch = payload;
        Ok(())
    }
}

/// The payload of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Payload<'a>(pub(crate) &'a [u8]);

impl Payload<'_> {
    /// Record and digest. Only called once the chain has vouched for the bytes.
    pub(crate) fn open(self) -> Result<(Record, Option<Hash>), String> {
        let (&head, rest) = self.0.split_first().ok_or("an empty frame")?;
        let (digest, rest) = if head & HAS_DIGEST == 0 {
            (None, rest)
        } else {
            let (digest, rest) = rest.split_first_chunk::<32>().ok_or("no room for its digest")?;
            (Some(Hash(*digest)), rest)
        };
        Ok((wire::read(head >> 1, rest)?, digest))
    }
}

/// Cut the next frame off: its payload, its short hash and the bytes after it.
pub(crate) fn cut(bytes: &[u8]) -> Result<(Payload<'_>, [u8; 8], &[u8]), &'static str> {
    let (mut length, mut shift, mut rest) = (0usize, 0, bytes);
    loop {
        let (&byte, after) = rest.split_first().ok_or("ends inside a length")?;
        rest = after;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
        shift += 7;
        if shift > 21 {
            return Err("its length is no length");
        }
    }
    if length > MAX_PAYLOAD {
        return Err("its length is beyond any frame's");
    }
    let (payload, rest) = rest.split_at_checked(length).ok_or("is longer than its segment")?;
    let (short, rest) = rest.split_first_chunk::<8>().ok_or("has no short hash")?;
    Ok((Payload(payload), *short, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_life::TickInput;

    fn record(n: usize) -> Record {
        let order = golem_life::Order { id: 1, ask: golem_life::Ask::Tell { text: "x".repeat(n) } };
        let input = TickInput { orders: vec![order], ..TickInput::default() };
        Record { input, answers: vec![], intents: vec![], previews: vec![], granted: vec![], receipts: vec![] }
    }

    #[test]
    fn frames_come_back() {
        let mut writer = FrameWriter::after(Hash::of(b"root"));
        let mut frames = Vec::new();
        let sizes = [0, 1, 100, 128, 5_000, 100_000];
        for (n, size) in sizes.into_iter().enumerate() {
            let digest = (n % 2 == 0).then(|| Hash::of(&[1]));
            writer.append(&mut frames, Tick(n as u64 + 1), &record(size), digest).unwrap();
        }
        let mut rest = &frames[..];
        for (n, size) in sizes.into_iter().enumerate() {
            let (payload, _, after) = cut(rest).unwrap();
            assert_eq!(payload.open().unwrap(), (record(size), (n % 2 == 0).then(|| Hash::of(&[1]))));
            rest = after;
        }
        assert!(rest.is_empty());
        assert!(writer.append(&mut frames, Tick(9), &record(MAX_PAYLOAD), None).is_err());
    }

    #[test]
    fn a_wild_length_is_refused_before_anything_is_made_of_it() {
        for wild in [&[0xff, 0xff, 0xff, 0xff, 0xff][..], &[0xff, 0xff, 0xff, 0x7f], &[0x80], &[], &[5, 1, 2]] {
            assert!(cut(wild).is_err(), "{wild:?}");
        }
    }
}
