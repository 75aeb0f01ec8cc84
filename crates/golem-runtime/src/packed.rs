//! Bulky bytes in less room: segments of the journal, stretches of the past. The chain and the sums cover what is packed, so
//! that packing moves no fingerprint, and segments of before, which were written as they are, are read as they are.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Decompress, FlushDecompress, Status};
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

/// Whether bytes of the file are a packed segment.
pub(crate) fn is_packed(stored: &[u8]) -> bool {
    stored.first() == Some(&MARK)
}

/// Frames as they were before they were written. `Err` says why the bytes are none.
pub(crate) fn unpack(stored: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if is_packed(&stored) { inflated(&stored) } else { Ok(stored) }
}

/// The same; of what is damaged, those that come before the damage, and why there are no more: whoever looks for the turn
/// that was changed finds it among them, and not the whole segment in its place.
pub(crate) fn unpack_what_is_whole(stored: Vec<u8>) -> (Vec<u8>, Option<&'static str>) {
    if !is_packed(&stored) {
        return (stored, None);
    }
    match inflated(&stored) {
        Ok(frames) => (frames, None),
        Err(why) => (inflated_piecemeal(&stored), Some(why)),
    }
}

fn inflated(stored: &[u8]) -> Result<Vec<u8>, &'static str> {
    let Some((&[_, a, b, c, d], rest)) = stored.split_first_chunk::<HEADER>() else { return Err("is cut off") };
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

/// A byte at a time, so that nothing is lost of what comes before a damage.
fn inflated_piecemeal(stored: &[u8]) -> Vec<u8> {
    let rest = stored.get(HEADER..).unwrap_or_default();
    let (mut inflate, mut frames) = (Decompress::new(false), Vec::new());
    for piece in rest.chunks(1) {
        // What packs best is a thousand times smaller.
        frames.reserve(1_100);
        let read = inflate.decompress_vec(piece, &mut frames, FlushDecompress::None);
        if !matches!(read, Ok(Status::Ok | Status::BufError)) || frames.len() > MOST {
            break;
        }
    }
    frames
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
    fn what_is_damaged_is_refused_or_has_its_length_and_is_left_to_the_chain() {
        let plain = frames(100);
        let stored = pack(&plain).into_owned();
        for cut in 1..stored.len() {
            assert!(unpack(stored[..cut].to_vec()).is_err(), "cut at {cut}");
        }
        // Packing has a few bits that say nothing (codes that nothing uses, the end of the last byte): with another one
        // the same frames come out, which harms nobody. What comes out otherwise is for the chain, which covers the
        // frames, and is never longer than it said.
        let (bits, mut refused, mut same) = (stored.len() * 8, 0, 0);
        for at in 0..bits {
            let mut bad = stored.clone();
            bad[at / 8] ^= 1 << (at % 8);
            match unpack(bad.clone()) {
                Err(_) => refused += 1,
                Ok(frames) if frames == plain => same += 1,
                Ok(frames) if at < 8 => assert_eq!(frames, bad, "without its mark it is taken as it is"),
                Ok(frames) => assert_eq!(frames.len(), plain.len(), "bit {at}"),
            }
        }
        assert!(refused > bits / 10 && same < bits / 100, "{refused} refused and {same} the same of {bits}");
        assert!(unpack(vec![MARK, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3]).is_err());
    }

    #[test]
    fn what_comes_before_a_damage_is_still_there() {
        let plain = frames(2_000);
        let stored = pack(&plain).into_owned();
        let whole = |stored: &[u8]| {
            let (frames, why) = unpack_what_is_whole(stored.to_vec());
            (frames.iter().zip(&plain).take_while(|(a, b)| a == b).count(), why)
        };
        assert_eq!(whole(&stored), (plain.len(), None));
        for at in (HEADER..stored.len()).step_by(7) {
            // What a cut leaves is a bound from below: the bytes before the damage say at least that much.
            let (least, why) = whole(&stored[..at.max(HEADER)]);
            assert!(why.is_some(), "byte {at}");
            let mut bad = stored.clone();
            bad[at] ^= 0x10;
            let (found, _) = whole(&bad);
            assert!(found >= least, "byte {at}: {found} of {least}");
        }
        assert!(whole(&stored[..stored.len() / 2]).0 > plain.len() / 4, "half of it says half of it");
        assert_eq!(unpack_what_is_whole(vec![MARK, 1]), (vec![], Some("is cut off")));
    }
}
