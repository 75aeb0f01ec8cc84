//! The sealed form of a world's position: a fingerprint of the world it belongs to, then the position itself.
//!
//! The fingerprint comes first so that bytes from another world are refused before they are believed.

use golem_core::Hash;
use golem_core::plain;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The hash of everything that makes a world the one it is.
pub(super) fn fingerprint(what: &impl Serialize) -> Hash {
    Hash::of(&plain::bytes(what))
}

/// A position and the world it belongs to, as bytes.
pub(super) fn seal(world: Hash, position: &impl Serialize) -> Vec<u8> {
    plain::bytes(&(world, position))
}

/// The position, if the bytes are whole and belong to this world.
pub(super) fn open<T: DeserializeOwned>(world: Hash, bytes: &[u8]) -> Result<T, String> {
    let damaged = |e| format!("the saved world is damaged: {e}");
    let (found, rest) = postcard::take_from_bytes::<Hash>(bytes).map_err(damaged)?;
    if found != world {
        return Err(format!("the saved state belongs to another world: it carries {found}, this world is {world}"));
    }
    let (position, rest) = postcard::take_from_bytes::<T>(rest).map_err(damaged)?;
    if rest.is_empty() { Ok(position) } else { Err(format!("the saved world has {} bytes too many", rest.len())) }
}
