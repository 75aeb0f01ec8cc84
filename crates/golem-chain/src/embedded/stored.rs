//! How values of the state are stored, and what is said when one cannot be read.

use alloy_primitives::{B256, KECCAK256_EMPTY, U256};
use revm::context::DBErrorMarker;

/// The archive could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct StateError(pub String);

impl DBErrorMarker for StateError {}

/// No code counts as nothing, so that an account that was never there has no history.
pub(super) fn code_value(hash: B256) -> U256 {
    if hash == KECCAK256_EMPTY { U256::ZERO } else { hash.into() }
}

/// The hash behind a value.
pub(super) fn code_hash(value: U256) -> B256 {
    if value.is_zero() { KECCAK256_EMPTY } else { value.into() }
}
