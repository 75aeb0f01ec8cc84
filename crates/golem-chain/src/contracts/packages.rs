//! Where the Uniswap contracts come from: pinned packages, the files wanted from them, and what these must hash to.

use alloy_primitives::{B256, b256};
use serde::Serialize;

/// Hash of the v3 pool's creation code: every v3 router reckons pool addresses with it.
pub const V3_POOL_INIT_HASH: B256 = b256!("e34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54");
/// Hash of the v2 pair's creation code: every v2 router reckons pair addresses with it.
pub const V2_PAIR_INIT_HASH: B256 = b256!("96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f");

/// A package of the npm registry, pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-512 of its archive in base64, as the registry publishes it.
    pub sha512: &'static str,
    /// The licence it declares.
    pub license: &'static str,
}

/// The five packages.
pub const PACKAGES: [Package; 5] = [
    Package {
        name: "@uniswap/v3-core",
        version: "1.0.1",
        sha512: "7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==",
        license: "BUSL-1.1 (GPL-2.0-or-later since 2023-04-01)",
    },
    Package {
        name: "@uniswap/v3-periphery",
        version: "1.4.4",
        sha512: "S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==",
        license: "GPL-2.0-or-later",
    },
    Package {
        name: "@uniswap/v2-core",
        version: "1.0.1",
        sha512: "MtybtkUPSyysqLY2U210NBDeCHX+ltHt3oADGdjqoThZaFRDKwM6k1Nb3F0A3hk5hwuQvytFWhrWHOEq6nVJ8Q==",
        license: "GPL-3.0-or-later",
    },
    Package {
        name: "@uniswap/v2-periphery",
        version: "1.1.0-beta.0",
        sha512: "6dkwAMKza8nzqYiXEr2D86dgW3TTavUvCR0w2Tu33bAbM8Ah43LKAzH7oKKPRT5VJQaMi1jtkGs1E8JPor1n5g==",
        license: "GPL-3.0-or-later",
    },
    Package {
        name: "@uniswap/swap-router-contracts",
        version: "1.3.1",
        sha512: "mh/YNbwKb7Mut96VuEtL+Z5bRe0xVIbjjiryn+iMMrK2sFKhR4duk/86mEz0UO5gSx4pQIw9G5276P5heY/7Rg==",
        license: "GPL-2.0-or-later",
    },
];

impl Package {
    /// As npm wants to be asked for it.
    #[must_use]
    pub fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
    /// What npm calls its archive.
    pub(super) fn archive(&self) -> String {
        format!("{}-{}.tgz", self.name.trim_start_matches('@').replace('/', "-"), self.version)
    }
}

/// One contract of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractPiece {
    /// Makes v3 pools.
    V3Factory,
    /// A v3 pool: deployed by the factory, kept to be checked.
    V3Pool,
    /// Swaps in v3 pools.
    SwapRouter,
    /// Liquidity positions as tokens.
    PositionManager,
    /// Quotes by swapping and taking it back.
    Quoter,
    /// The same, telling more.
    QuoterV2,
    /// Reads many ticks at once, for tools from outside.
    TickLens,
    /// Makes v2 pairs.
    V2Factory,
    /// A v2 pair: deployed by the factory, kept to be checked.
    V2Pair,
    /// Swaps in v2 pairs.
    V2Router,
    /// The second router: swaps in v3 pools, with a deadline around them.
    SwapRouter02,
}

impl ContractPiece {
    /// All of them, in the order they are kept.
    pub const ALL: [Self; 11] = [
        Self::V3Factory,
        Self::V3Pool,
        Self::SwapRouter,
        Self::PositionManager,
        Self::Quoter,
        Self::QuoterV2,
        Self::TickLens,
        Self::V2Factory,
        Self::V2Pair,
        Self::V2Router,
        Self::SwapRouter02,
    ];

    /// Which of [`PACKAGES`] it is in, and its file there.
    #[must_use]
    pub fn source(self) -> (usize, &'static str) {
        match self {
            Self::V3Factory => (0, "package/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
            Self::V3Pool => (0, "package/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
            Self::SwapRouter => (1, "package/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
            Self::PositionManager => {
                (1, "package/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json")
            }
            Self::Quoter => (1, "package/artifacts/contracts/lens/Quoter.sol/Quoter.json"),
            Self::QuoterV2 => (1, "package/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json"),
            Self::TickLens => (1, "package/artifacts/contracts/lens/TickLens.sol/TickLens.json"),
            Self::V2Factory => (2, "package/build/UniswapV2Factory.json"),
            Self::V2Pair => (2, "package/build/UniswapV2Pair.json"),
            Self::V2Router => (3, "package/build/UniswapV2Router02.json"),
            Self::SwapRouter02 => (4, "package/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json"),
        }
    }
    /// Its name as published.
    #[must_use]
    pub fn name(self) -> &'static str {
        let path = self.source().1;
        path.rsplit('/').next().and_then(|f| f.strip_suffix(".json")).unwrap_or(path)
    }
}
