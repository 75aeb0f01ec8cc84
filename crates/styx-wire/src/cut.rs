//! Cutting a backup into pieces by its content: where bytes were put in or taken out, only the pieces around them change.

/// No piece is shorter, but the last.
pub const LEAST: usize = 4 * 1024;
/// No piece is longer.
pub const MOST: usize = 32 * 1024;
/// So many low bits of the rolling hash are zero where a piece ends: 16 KiB on average beyond the least.
const MASK: u64 = (1 << 14) - 1;

/// The pieces of some bytes, in their order.
#[must_use]
pub fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let gear = gear();
    let mut all = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(end(rest, &gear));
        all.push(piece);
        rest = next;
    }
    all
}

fn end(bytes: &[u8], gear: &[u64; 256]) -> usize {
    let most = bytes.len().min(MOST);
    let mut rolling = 0_u64;
    for (i, byte) in bytes.iter().enumerate().take(most) {
        rolling = (rolling << 1).wrapping_add(gear[usize::from(*byte)]);
        if i >= LEAST && rolling & MASK == 0 {
            return i;
        }
    }
    most
}

/// A number for each byte, the same for everybody.
fn gear() -> [u64; 256] {
    let mut bytes = [0; 2_048];
    blake3::Hasher::new_derive_key("bardo 2026 where a backup is cut").finalize_xof().fill(&mut bytes);
    let mut gear = [0; 256];
    for (number, part) in gear.iter_mut().zip(bytes.chunks_exact(8)) {
        *number = part.iter().fold(0, |n, byte| (n << 8) | u64::from(*byte));
    }
    gear
}
