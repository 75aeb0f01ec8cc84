//! From an archive to checked creation code. Reads only the files it was told to, and no more of them than is sane.

use super::packages::{ContractPiece, PACKAGES, V2_PAIR_INIT_HASH, V3_POOL_INIT_HASH};
use super::{Contracts, ContractsError};
use alloy_primitives::{B256, Bytes, hex, keccak256};
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::io::Read;

/// The largest of the files is 1.2 MB.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The contracts from the five archives, in the order of [`PACKAGES`]. Nothing in an archive is read before its hash was
/// checked.
pub(super) fn contracts(archives: &[Vec<u8>]) -> Result<Contracts, ContractsError> {
    let mut code = BTreeMap::new();
    for (at, (package, archive)) in PACKAGES.iter().zip(archives).enumerate() {
        let found = base64(&Sha512::digest(archive));
        if found != package.sha512 {
            let expected = package.sha512.to_owned();
            return Err(ContractsError::WrongHash { package: package.spec(), found, expected });
        }
        read_archive(at, archive, &mut code)?;
    }
    let take = |p: ContractPiece| code.get(p.name()).cloned().ok_or_else(|| wrong(p, "it is not in its package"));
    let contracts = Contracts { code: ContractPiece::ALL.into_iter().map(take).collect::<Result<_, _>>()? };
    check(&contracts)?;
    Ok(contracts)
}

fn read_archive(at: usize, archive: &[u8], code: &mut BTreeMap<&'static str, Bytes>) -> Result<(), ContractsError> {
    let unreadable = |why: std::io::Error| ContractsError::WrongCode {
        piece: PACKAGES[at].spec(),
        why: format!("the archive cannot be read: {why}"),
    };
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    for entry in archive.entries().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.to_string_lossy().into_owned();
        let Some(piece) = ContractPiece::ALL.into_iter().find(|p| p.source() == (at, path.as_str())) else { continue };
        let mut text = String::new();
        entry.take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
        code.insert(piece.name(), creation_code(piece, &text)?);
    }
    Ok(())
}

fn creation_code(piece: ContractPiece, artifact: &str) -> Result<Bytes, ContractsError> {
    #[derive(serde::Deserialize)]
    struct Artifact {
        bytecode: String,
    }
    let artifact: Artifact = serde_json::from_str(artifact).map_err(|e| wrong(piece, &e.to_string()))?;
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

/// Base64 with padding, as package registries write hashes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { digit as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_written_as_everybody_writes_it() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn an_archive_that_was_not_pinned_is_not_read() {
        let archives = vec![b"something else".to_vec(); 5];
        assert!(
            matches!(contracts(&archives), Err(ContractsError::WrongHash { package, .. }) if package.contains("v3-core"))
        );
    }
}
