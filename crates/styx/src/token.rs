//! Tokens for reads over HTTP: an owner's name, and a keyed hash of it that only the relay can make. Closing an epoch makes all older
//! ones worth nothing.

use crate::desk::RelayDesk;
use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};

fn mac(desk: &RelayDesk, owner: OwnerId) -> Result<Hash, StoreFault> {
    let least = desk.least_epoch(owner)?;
    let mut hasher = blake3::Hasher::new_keyed(&desk.store.identity().secret);
    hasher.update(b"token").update(&owner.0).update(&least.to_le_bytes());
    Ok(Hash(*hasher.finalize().as_bytes()))
}

/// The token of an owner.
///
/// # Errors
/// When the store cannot be read.
pub fn token_of(desk: &RelayDesk, owner: OwnerId) -> Result<String, StoreFault> {
    Ok(format!("{owner}.{}", mac(desk, owner)?))
}

/// Whose token it is; none where it is nobody's.
///
/// # Errors
/// When the store cannot be read.
pub fn owner_of(desk: &RelayDesk, token: &str) -> Result<Option<OwnerId>, StoreFault> {
    let Some((owner, shown)) = token.split_once('.') else { return Ok(None) };
    let (Ok(owner), Ok(shown)) = (owner.parse::<OwnerId>(), shown.parse::<Hash>()) else { return Ok(None) };
    let right = blake3::Hash::from_bytes(mac(desk, owner)?.0);
    // Compared in constant time.
    Ok((right == blake3::Hash::from_bytes(shown.0)).then_some(owner))
}
