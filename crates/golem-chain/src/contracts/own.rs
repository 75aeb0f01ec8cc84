//! Our own contracts: compiled from the `contracts` folder, whose artifacts are committed and held against the compiler
//! by a test.

use alloy_primitives::{Bytes, hex};
use std::sync::OnceLock;

/// Creation code of the dollar token.
#[must_use]
pub fn usdc() -> &'static Bytes {
    static CODE: OnceLock<Bytes> = OnceLock::new();
    CODE.get_or_init(|| creation(include_str!("../../../../contracts/artifacts/Usdc.json")))
}

/// Creation code of wrapped ether.
#[must_use]
pub fn weth9() -> &'static Bytes {
    static CODE: OnceLock<Bytes> = OnceLock::new();
    CODE.get_or_init(|| creation(include_str!("../../../../contracts/artifacts/Weth9.json")))
}

/// Creation code of the market's hands; its constructor takes the pool, the pair, token0 and token1.
#[must_use]
pub fn market_maker() -> &'static Bytes {
    static CODE: OnceLock<Bytes> = OnceLock::new();
    CODE.get_or_init(|| creation(include_str!("../../../../contracts/artifacts/MarketMaker.json")))
}

/// Creation code of the registry of agents.
#[must_use]
pub fn identity_registry() -> &'static Bytes {
    static CODE: OnceLock<Bytes> = OnceLock::new();
    CODE.get_or_init(|| creation(include_str!("../../../../contracts/artifacts/IdentityRegistry.json")))
}

/// Tokens that behave oddly, for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddToken {
    /// Any number of decimals; the constructor takes it.
    Decimals,
    /// Keeps a share of every transfer; the constructor takes it, in basis points.
    Fee,
    /// Balances change by themselves.
    Rebasing,
}

/// Creation code of an odd token.
#[must_use]
pub fn odd_token(which: OddToken) -> Bytes {
    creation(match which {
        OddToken::Decimals => include_str!("../../../../contracts/artifacts/DecimalsToken.json"),
        OddToken::Fee => include_str!("../../../../contracts/artifacts/FeeToken.json"),
        OddToken::Rebasing => include_str!("../../../../contracts/artifacts/RebasingToken.json"),
    })
}

/// What a rollup tells of its fees, for tests that set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeTeller {
    /// An OP-stack chain's oracle of gas prices.
    GasPriceOracle,
    /// An Arbitrum node's own interface.
    NodeInterface,
}

/// Creation code of one that tells what it was told.
#[must_use]
pub fn fee_teller(which: FeeTeller) -> Bytes {
    creation(match which {
        FeeTeller::GasPriceOracle => include_str!("../../../../contracts/artifacts/TestGasPriceOracle.json"),
        FeeTeller::NodeInterface => include_str!("../../../../contracts/artifacts/TestNodeInterface.json"),
    })
}

/// The artifacts are part of the source, so one that cannot be read would be a broken build: it gives no code, and the
/// first test that deploys it fails.
fn creation(artifact: &str) -> Bytes {
    #[derive(serde::Deserialize)]
    struct OwnArtifact {
        bytecode: String,
    }
    let read: Option<OwnArtifact> = serde_json::from_str(artifact).ok();
    read.and_then(|a| hex::decode(a.bytecode).ok()).map(Bytes::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_artifact_holds_code() {
        for code in [usdc(), weth9(), market_maker(), identity_registry()] {
            assert!(code.len() > 1000);
        }
        for which in [OddToken::Decimals, OddToken::Fee, OddToken::Rebasing] {
            assert!(odd_token(which).len() > 500);
        }
        for which in [FeeTeller::GasPriceOracle, FeeTeller::NodeInterface] {
            assert!(fee_teller(which).len() > 100);
        }
    }
}
