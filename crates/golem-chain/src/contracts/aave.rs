//! Aave v3's contracts, fetched, checked and cached like Uniswap's. Some are built from libraries that stand at addresses of their own,
//! which are filled in when they are deployed.

use super::archive::files;
use super::fetch::download;
use super::packages::Package;
use super::{ContractsError, cache};
use alloy_primitives::{Address, Bytes, hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Hash over the contracts as they are kept. The package is pinned, so this is too.
const CONTENT: &str = "a9f57c83c6c7a06c634b6c9eaf701076e0f90e0930d9d1f4e43596c5aeb603dc";
/// The cached file.
const FILE: &str = "aave.bin";

/// The package.
const AAVE: Package = Package {
    name: "@aave/core-v3",
    version: "1.19.3",
    sha512: "Xr7+VcoU5b4mPwM4IUCnskw3lciwrnL4Xloyad8GOddYeixnri2lZYobNmErm1LwE50vqjI0O+9QGNKY2TDkeQ==",
    license: "BUSL-1.1 (MIT since 2023-01-27)",
};

/// One contract of Aave's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AavePiece {
    AddressesProvider,
    AclManager,
    SupplyLogic,
    BorrowLogic,
    LiquidationLogic,
    EModeLogic,
    BridgeLogic,
    FlashLoanLogic,
    PoolLogic,
    ConfiguratorLogic,
    Pool,
    PoolConfigurator,
    /// Prices that whoever deployed it says.
    PriceOracle,
    AToken,
    StableDebtToken,
    VariableDebtToken,
    RateStrategy,
}

impl AavePiece {
    /// All of them; whatever is built from a library comes after it.
    pub const ALL: [Self; 17] = [
        Self::AddressesProvider,
        Self::AclManager,
        Self::SupplyLogic,
        Self::BorrowLogic,
        Self::LiquidationLogic,
        Self::EModeLogic,
        Self::BridgeLogic,
        Self::FlashLoanLogic,
        Self::PoolLogic,
        Self::ConfiguratorLogic,
        Self::Pool,
        Self::PoolConfigurator,
        Self::PriceOracle,
        Self::AToken,
        Self::StableDebtToken,
        Self::VariableDebtToken,
        Self::RateStrategy,
    ];

    /// Its folder in the package, and its name.
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::AddressesProvider => ("protocol/configuration", "PoolAddressesProvider"),
            Self::AclManager => ("protocol/configuration", "ACLManager"),
            Self::SupplyLogic => ("protocol/libraries/logic", "SupplyLogic"),
            Self::BorrowLogic => ("protocol/libraries/logic", "BorrowLogic"),
            Self::LiquidationLogic => ("protocol/libraries/logic", "LiquidationLogic"),
            Self::EModeLogic => ("protocol/libraries/logic", "EModeLogic"),
            Self::BridgeLogic => ("protocol/libraries/logic", "BridgeLogic"),
            Self::FlashLoanLogic => ("protocol/libraries/logic", "FlashLoanLogic"),
            Self::PoolLogic => ("protocol/libraries/logic", "PoolLogic"),
            Self::ConfiguratorLogic => ("protocol/libraries/logic", "ConfiguratorLogic"),
            Self::Pool => ("protocol/pool", "Pool"),
            Self::PoolConfigurator => ("protocol/pool", "PoolConfigurator"),
            Self::PriceOracle => ("mocks/oracle", "PriceOracle"),
            Self::AToken => ("protocol/tokenization", "AToken"),
            Self::StableDebtToken => ("protocol/tokenization", "StableDebtToken"),
            Self::VariableDebtToken => ("protocol/tokenization", "VariableDebtToken"),
            Self::RateStrategy => ("protocol/pool", "DefaultReserveInterestRateStrategy"),
        }
    }

    fn path(self) -> String {
        let (folder, name) = self.source();
        format!("package/artifacts/contracts/{folder}/{name}.sol/{name}.json")
    }
}

/// Creation code with gaps for the addresses of libraries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GappedCode {
    code: Vec<u8>,
    /// Which library, as its place in [`AavePiece::ALL`], and where in the code its address goes.
    gaps: Vec<(u8, u32)>,
}

/// Creation code of Aave's contracts, as published and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AaveContracts {
    code: Vec<GappedCode>,
}

impl AaveContracts {
    /// The creation code of one of them, without constructor arguments, built from libraries that stand where `at` says.
    #[must_use]
    pub fn creation(&self, piece: AavePiece, at: impl Fn(AavePiece) -> Address) -> Bytes {
        let GappedCode { mut code, gaps } = self.code[piece as usize].clone();
        for (library, gap) in gaps {
            let library = AavePiece::ALL[usize::from(library)];
            let gap = gap as usize;
            code[gap..gap + Address::len_bytes()].copy_from_slice(at(library).as_slice());
        }
        code.into()
    }
}

/// Aave's contracts from the cache, or else fetched into it; `say` hears of it before the network is used.
///
/// # Errors
/// When npm is missing, cannot reach its registry, or brings something else than was pinned.
pub fn fetch_or_load_aave(cache_dir: &Path, say: impl FnOnce(&str)) -> Result<AaveContracts, ContractsError> {
    match cache::read(cache_dir, FILE, CONTENT) {
        Ok(code) => Ok(AaveContracts { code }),
        Err(ContractsError::Absent(_) | ContractsError::Damaged(_)) => {
            say("fetching the Aave contracts (2.5 MB, once, with npm)");
            std::fs::create_dir_all(cache_dir).map_err(ContractsError::io(cache_dir))?;
            let code = extract(&download(cache_dir, &[AAVE])?[0])?;
            cache::write(cache_dir, FILE, CONTENT, &code)?;
            Ok(AaveContracts { code })
        }
        Err(e) => Err(e),
    }
}

fn extract(archive: &[u8]) -> Result<Vec<GappedCode>, ContractsError> {
    let paths: BTreeMap<String, AavePiece> = AavePiece::ALL.into_iter().map(|piece| (piece.path(), piece)).collect();
    let mut found: BTreeMap<AavePiece, GappedCode> = BTreeMap::new();
    for (path, text) in files(&AAVE, archive, |path| paths.contains_key(path))? {
        if let Some(piece) = paths.get(&path) {
            found.insert(*piece, gapped(*piece, &text)?);
        }
    }
    let take = |piece: AavePiece| found.remove(&piece).ok_or_else(|| wrong(piece, "it is not in its package"));
    AavePiece::ALL.into_iter().map(take).collect()
}

fn gapped(piece: AavePiece, artifact: &str) -> Result<GappedCode, ContractsError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct LinkedArtifact {
        bytecode: String,
        link_references: BTreeMap<String, BTreeMap<String, Vec<LinkGap>>>,
    }
    #[derive(Deserialize)]
    struct LinkGap {
        start: u32,
        length: u32,
    }
    let artifact: LinkedArtifact = serde_json::from_str(artifact).map_err(|e| wrong(piece, &e.to_string()))?;
    let mut digits = artifact.bytecode.trim_start_matches("0x").to_owned();
    let mut gaps = Vec::new();
    for (name, places) in artifact.link_references.values().flatten() {
        let library = AavePiece::ALL.iter().position(|p| p.source().1 == name);
        let library = library.and_then(|at| u8::try_from(at).ok()).ok_or_else(|| wrong(piece, "an unknown library"))?;
        for place in places {
            let from = place.start as usize * 2;
            let until = from + place.length as usize * 2;
            if place.length as usize != Address::len_bytes() || digits.get(from..until).is_none() {
                return Err(wrong(piece, "a gap that no address fits in"));
            }
            digits.replace_range(from..until, &"0".repeat(until - from));
            gaps.push((library, place.start));
        }
    }
    let code = hex::decode(digits).map_err(|e| wrong(piece, &e.to_string()))?;
    Ok(GappedCode { code, gaps })
}

fn wrong(piece: AavePiece, why: &str) -> ContractsError {
    ContractsError::WrongCode { piece: piece.source().1.to_owned(), why: why.to_owned() }
}
