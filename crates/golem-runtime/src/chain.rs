//! The hash chain: one head per turn, each keyed by the one before. It covers what came in, what was decided, what came
//! of it and, at fixed turns, a digest of the state; never how turns were grouped into commits.

use golem_core::{Hash, Tick};

/// Turns between two digests of the state in the chain.
pub const DIGEST_EVERY: u64 = 1_000;

/// The head before the first turn: a hash over the birth record as it is stored.
#[must_use]
pub fn root(birth: &str) -> Hash {
    Hash(blake3::derive_key("bardo 2026 journal root", birth.as_bytes()))
}

/// The head after a turn whose frame carries this payload.
#[must_use]
pub fn next(before: &Hash, tick: Tick, payload: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_keyed(&before.0);
    hasher.update(&tick.0.to_le_bytes());
    hasher.update(payload);
    Hash(*hasher.finalize().as_bytes())
}
