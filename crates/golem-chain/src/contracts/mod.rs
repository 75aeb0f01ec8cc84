//! The contracts under a chain of our own: Uniswap's and Aave's, which are fetched, checked and cached, and ours, which are compiled
//! into this crate.
//!
//! Others' bytecode is never committed to the repository nor built into a binary: it is not ours to hand on.

mod aave;
mod archive;
mod cache;
mod extract;
mod fetch;
mod own;
mod packages;

pub use aave::{AaveContracts, AavePiece, fetch_or_load_aave};
pub use cache::{CacheStatus, load, status};
pub use fetch::{fetch, fetch_or_load};
pub use own::{FeeTeller, OddToken, fee_teller, identity_registry, market_maker, odd_token, usdc, weth9};
pub use packages::{ContractPiece, PACKAGES, Package, V2_PAIR_INIT_HASH, V3_POOL_INIT_HASH};

use alloy_primitives::Bytes;
use std::path::PathBuf;

/// Creation code of the Uniswap contracts, as published and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contracts {
    /// Creation code, in the order of [`ContractPiece::ALL`].
    code: Vec<Bytes>,
}

impl Contracts {
    /// The creation code of one of them, without constructor arguments.
    #[must_use]
    pub fn creation(&self, piece: ContractPiece) -> &Bytes {
        &self.code[piece as usize]
    }
}

/// Why the contracts cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ContractsError {
    /// No npm client.
    #[error("the npm client is not installed; hint: install Node.js (it brings npm), or use the paper chain")]
    NpmMissing,
    /// The package registry cannot be reached.
    #[error("the package registry cannot be reached: {0}; hint: try again with a network, or use the paper chain")]
    Offline(String),
    /// npm said no for another reason.
    #[error("npm could not fetch the packages: {0}")]
    Npm(String),
    /// A package is not the one that was pinned.
    #[error("{package} is not the package that was pinned: its sha512 is {found}, expected {expected}")]
    WrongHash {
        /// Which package.
        package: String,
        /// Its hash.
        found: String,
        /// The pinned one.
        expected: String,
    },
    /// The package holds something else than it should.
    #[error("{piece} is not what it should be: {why}")]
    WrongCode {
        /// Which contract.
        piece: String,
        /// In which way.
        why: String,
    },
    /// Nothing is cached yet.
    #[error("the Uniswap contracts are not in {0}; hint: bardo contracts fetch")]
    Absent(PathBuf),
    /// What is cached is not what was written.
    #[error("{0} is damaged; hint: bardo contracts fetch")]
    Damaged(PathBuf),
    /// A file or folder said no.
    #[error("{path}: {why}")]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
}

impl ContractsError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        |why| Self::Io { path, why }
    }
}
