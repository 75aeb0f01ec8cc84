//! Bulky bytes in less room: segments of the journal, stretches of the past. The chain and the sums cover what is packed, so
//! that packing moves no fingerprint, and segments of before, which were written as they are, are read as they are.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::borrow::Cow;
use std::io::{Read, Write};

/// Begins a packed segment. No frame has a length of nothing, so that no plain segment begins like this.
const MARK: u8 = 0;
/// The mark and the length before packing.
const HEADER: usize = 5;
/// Less than this is not worth it: a turn by itself has nothing to repeat.
const LEAST: usize = 1_024;
/// No segment is larger: a commit is due long before.
const MOST: usize = 256 << 20;

/// Frames as they are written to the file.
pub(crate) fn pack(frames: &[u8]) -> Cow<'_, [u8]> {
    packed(frames).filter(|packed| packed.len() < frames.len()).map_or(Cow::Borrowed(frames), Cow::Owned)
}

fn packed(frames: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(frames.len()).ok().filter(|_| frames.len() >= LEAST && frames.len() <= MOST)?;
    let mut out = Vec::with_capacity(HEADER + frames.len() / 2);
    out.push(MARK);
    out.extend_from_slice(&length.to_le_bytes());
    let mut encoder = DeflateEncoder::new(out, Compression::fast());
    encoder.write_all(frames).ok()?;
    encoder.finish().ok()
}

/// Frames as they were before they were written. `Err` says why the bytes are none.
pub(crate) fn unpack(stored: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    let Some((&[MARK, a, b, c, d], rest)) = stored.split_first_chunk::<HEADER>() else {
        return if stored.first() == Some(&MARK) { Err("is cut off") } else { Ok(stored) };
    };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    // What packs best is a thousand times smaller: a wild length is refused before anything is made of it.
    if length > MOST || length / 1_100 > rest.len() {
        return Err("has a length that is none");
    }
    let mut frames = Vec::with_capacity(length);
    let read = DeflateDecoder::new(rest).take(length as u64 + 1).read_to_end(&mut frames);
    match read {
        Ok(found) if found == length => Ok(frames),
        _ => Err("cannot be unpacked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Something like frames: a length, a few fields that repeat, a few that do not.
    fn frames(turns: u32) -> Vec<u8> {
        let one = |turn: u32| {
            let noise = turn.wrapping_mul(2_654_435_761).to_le_bytes();
            [&[40u8, 6][..], &turn.to_le_bytes(), &[1; 22], &noise, &[9; 8], &noise].concat()
        };
        (0..turns).flat_map(one).collect()
    }

    #[test]
    fn segments_come_back_and_are_smaller() {
        for turns in [1, 3, 40, 4_000] {
            let plain = frames(turns);
            let stored = pack(&plain).into_owned();
            assert_eq!(unpack(stored.clone()), Ok(plain.clone()));
            assert!(plain.len() < LEAST || stored.len() * 3 < plain.len() * 2, "{} of {}", stored.len(), plain.len());
        }
        assert_eq!(unpack(Vec::new()), Ok(Vec::new()));
    }

    #[test]
    fn what_is_damaged_is_refused_or_comes_out_as_something_else() {
        let plain = frames(100);
        let stored = pack(&plain).into_owned();
        for cut in 1..stored.len() {
            assert!(unpack(stored[..cut].to_vec()).is_err(), "cut at {cut}");
        }
        for at in 0..stored.len() * 8 {
            let mut bad = stored.clone();
            bad[at / 8] ^= 1 << (at % 8);
            // The chain finds what the packing does not; the last byte may have bits that say nothing.
            let same = unpack(bad).is_ok_and(|frames| frames == plain);
            assert!(!same || at / 8 + 1 == stored.len(), "bit {at}");
        }
        assert!(unpack(vec![MARK, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3]).is_err());
    }
}
