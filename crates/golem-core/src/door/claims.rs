//! What somebody says of the chain, and whether the chain bears it out. To ask is a pure look: nothing is sent, and nothing moves.

use crate::{Hash, plain};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a price may be off, in basis points: a block has more than one.
pub const PRICE_TOLERANCE_BPS: u64 = 100;
/// No question has more claims than this: what a stranger sends must not become thousands of calls to a node.
pub const MOST_CHAIN_CLAIMS: usize = 64;

/// Something that is said of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainClaim {
    /// There was such a transaction.
    Transaction {
        /// Its hash.
        hash: [u8; 32],
    },
    /// There is a contract or an account in use.
    Address {
        /// Where.
        address: [u8; 20],
    },
    /// The pool's price at the end of a block.
    Price {
        /// Which block.
        block: u64,
        /// What one unit of the asset cost.
        micro_usdc: u64,
    },
    /// Somebody holds at least so much of the chain's coin.
    Balance {
        /// Who.
        address: [u8; 20],
        /// How much, in the coin's smallest unit.
        least: u128,
    },
}

impl ChainClaim {
    /// Whether a price that was said of a block is the one that the chain has there.
    #[must_use]
    pub fn is_price(said: u64, real: u64) -> bool {
        let off = u128::from(real.abs_diff(said));
        off * 10_000 <= u128::from(real) * u128::from(PRICE_TOLERANCE_BPS)
    }
}

impl fmt::Display for ChainClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>, bytes: &[u8]| crate::hash::write_hex(f, bytes);
        match self {
            Self::Transaction { hash } => write!(f, "transaction 0x").and_then(|()| hex(f, hash)),
            Self::Address { address } => write!(f, "address 0x").and_then(|()| hex(f, address)),
            Self::Price { block, micro_usdc } => write!(f, "{micro_usdc} micro-USDC at block {block}"),
            Self::Balance { address, least } => write!(f, "at least {least} at 0x").and_then(|()| hex(f, address)),
        }
    }
}

/// What a golem asks of its chain: whether these are so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaimRequest {
    /// In ascending order, none of them twice, at most [`MOST_CHAIN_CLAIMS`].
    pub claims: Vec<ChainClaim>,
}

/// What the chain said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReply {
    /// The hash of the request that it answers.
    pub request: Hash,
    /// One for each claim; none where the chain cannot say.
    pub holds: Vec<Option<bool>>,
}

impl ClaimRequest {
    /// The hash by which a recorded reply is matched.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(plain::json(&self.claims).as_bytes())
    }
    /// The reply of whoever says of each claim whether it is so.
    #[must_use]
    pub fn said(&self, mut holds: impl FnMut(&ChainClaim) -> Option<bool>) -> ClaimReply {
        ClaimReply { request: self.hash(), holds: self.claims.iter().map(&mut holds).collect() }
    }
    /// The reply where nobody can say anything.
    #[must_use]
    pub fn unanswered(&self) -> ClaimReply {
        self.said(|_| None)
    }
}

impl ClaimReply {
    /// True when it answers this request, claim by claim.
    #[must_use]
    pub fn is_for(&self, request: &ClaimRequest) -> bool {
        self.request == request.hash() && self.holds.len() == request.claims.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_may_be_a_hundredth_off_and_no_more() {
        for (said, real, is) in [
            (3_000, 3_000, true),
            (3_030, 3_000, true),
            (3_031, 3_000, false),
            (2_970, 3_000, true),
            (2_969, 3_000, false),
            (1, 0, false),
            (u64::MAX, 1, false),
        ] {
            assert_eq!(ChainClaim::is_price(said, real), is, "{said} {real}");
        }
    }

    #[test]
    fn a_reply_comes_back_and_names_its_request() {
        let claims = vec![
            ChainClaim::Transaction { hash: [7; 32] },
            ChainClaim::Price { block: 9, micro_usdc: 3 },
            ChainClaim::Balance { address: [2; 20], least: u128::MAX },
        ];
        let request = ClaimRequest { claims };
        let reply = request.said(|claim| match claim {
            ChainClaim::Transaction { .. } => Some(true),
            ChainClaim::Price { .. } => Some(false),
            _ => None,
        });
        assert_eq!(reply.holds, [Some(true), Some(false), None]);
        assert_eq!(serde_json::from_str::<ClaimReply>(&plain::json(&reply)).unwrap(), reply);
        assert!(reply.is_for(&request) && !reply.is_for(&ClaimRequest::default()));
        let other = ClaimRequest { claims: vec![ChainClaim::Price { block: 9, micro_usdc: 4 }; 3] };
        assert!(!reply.is_for(&other), "as many, and others");
    }
}
