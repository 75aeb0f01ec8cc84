//! From an archive to checked creation code. Reads only the files it was told to, and no more of them than is sane.

use super::archive::files;
use super::packages::{ContractPiece, PACKAGES, V2_PAIR_INIT_HASH, V3_POOL_INIT_HASH};
use super::{Contracts, ContractsError};
use alloy_primitives::{B256, Bytes, hex, keccak256};
use std::collections::BTreeMap;

/// The contracts from the five archives, in the order of [`PACKAGES`]. Nothing in an archive is read before its hash was
/// checked.
pub(super) fn contracts(archives: &[Vec<u8>]) -> Result<Contracts, ContractsError> {
    let mut code = BTreeMap::new();
    for (at, archive) in archives.iter().enumerate().take(PACKAGES.len()) {
        read_archive(at, archive, &mut code)?;
    }
    let take = |p: ContractPiece| code.get(p.name()).cloned().ok_or_else(|| wrong(p, "it is not in its package"));
    let contracts = Contracts { code: ContractPiece::ALL.into_iter().map(take).collect::<Result<_, _>>()? };
    check(&contracts)?;
    Ok(contracts)
}

fn read_archive(at: usize, archive: &[u8], code: &mut BTreeMap<&'static str, Bytes>) -> Result<(), ContractsError> {
    let piece = |path: &str| ContractPiece::ALL.into_iter().find(|p| p.source() == (at, path));
    for (path, text) in files(&PACKAGES[at], archive, |path| piece(path).is_some())? {
        if let Some(piece) = piece(&path) {
            code.insert(piece.name(), creation_code(piece, &text)?);
        }
    }
    Ok(())
}

fn creation_code(piece: ContractPiece, artifact: &str) -> Result<Bytes, ContractsError> {
    #[derive(serde::Deserialize)]
    struct PackedArtifact {
        bytecode: String,
    }
    let artifact: PackedArtifact = serde_json::from_str(artifact).map_err(|e| wrong(piece, &e.to_string()))?;
    hex::decode(artifact.bytecode).map(Bytes::from).map_err(|e| wrong(piece, &e.to_string()))
}

/// The code must be what the rest of the world calls Uniswap: pools and pairs by their hash, factories by holding them,
/// routers by looking for them.
fn check(contracts: &Contracts) -> Result<(), ContractsError> {
    for (piece, expected, factory) in [
        (ContractPiece::V3Pool, V3_POOL_INIT_HASH, ContractPiece::V3Factory),
        (ContractPiece::V2Pair, V2_PAIR_INIT_HASH, ContractPiece::V2Factory),
    ] {
        let code = contracts.creation(piece);
        let found = keccak256(code);
        if found != expected {
            return Err(wrong(piece, &format!("the hash of its creation code is {found}, expected {expected}")));
        }
        if !holds(contracts.creation(factory), code) {
            return Err(wrong(factory, "it would deploy something else than the checked pool"));
        }
    }
    let looks_for = |piece: ContractPiece, hash: &B256| {
        if holds(contracts.creation(piece), hash.as_slice()) {
            Ok(())
        } else {
            Err(wrong(piece, "it would look for pools that are not the checked ones"))
        }
    };
    for piece in [
        ContractPiece::SwapRouter,
        ContractPiece::SwapRouter02,
        ContractPiece::PositionManager,
        ContractPiece::Quoter,
        ContractPiece::QuoterV2,
    ] {
        looks_for(piece, &V3_POOL_INIT_HASH)?;
    }
    looks_for(ContractPiece::V2Router, &V2_PAIR_INIT_HASH)
}

fn holds(hay: &[u8], needle: &[u8]) -> bool {
    hay.windows(needle.len()).any(|w| w == needle)
}

fn wrong(piece: ContractPiece, why: &str) -> ContractsError {
    ContractsError::WrongCode { piece: piece.name().to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_was_not_pinned_is_not_read() {
        let archives = vec![b"something else".to_vec(); 5];
        assert!(
            matches!(contracts(&archives), Err(ContractsError::WrongHash { package, .. }) if package.contains("v3-core"))
        );
    }
}
