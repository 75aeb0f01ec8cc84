//! What an entry says of the chain, held against the chain: hashes and addresses in its words, prices and balances in its tags.

use golem_core::hash::parse_hex;
use golem_grimoire::EntryBody;
use std::fmt;

/// The tag that names a price: `chain:price=<block>:<micro-USDC>`.
pub const PRICE_TAG: &str = "chain:price=";
/// The tag that names a balance: `chain:balance=<address>:<least units>`.
pub const BALANCE_TAG: &str = "chain:balance=";
/// How far a price may be off, in basis points: a block has more than one.
pub const PRICE_TOLERANCE_BPS: u64 = 100;

/// Something that an entry says of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The pool's price at a block.
    Price {
        /// Which block.
        block: u64,
        /// What one unit of the asset cost.
        micro_usdc: u64,
    },
    /// Somebody holds at least so much.
    Balance {
        /// Who.
        address: [u8; 20],
        /// How much.
        least: u128,
    },
}

/// What the chain knows, whoever reads it. `None` is that it cannot say.
pub trait ChainTruth {
    /// Whether there was such a transaction.
    fn has_transaction(&self, hash: &[u8; 32]) -> Option<bool>;
    /// Whether there is anything at an address.
    fn has_account(&self, address: &[u8; 20]) -> Option<bool>;
    /// The pool's price at the end of a block, in micro-USDC.
    fn price_micro_usdc(&self, block: u64) -> Option<u64>;
    /// What an address holds.
    fn balance(&self, address: &[u8; 20]) -> Option<u128>;
}

/// Nobody can say anything about the chain.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoChain;

impl ChainTruth for NoChain {
    fn has_transaction(&self, _: &[u8; 32]) -> Option<bool> {
        None
    }
    fn has_account(&self, _: &[u8; 20]) -> Option<bool> {
        None
    }
    fn price_micro_usdc(&self, _: u64) -> Option<u64> {
        None
    }
    fn balance(&self, _: &[u8; 20]) -> Option<u128> {
        None
    }
}

impl ChainClaim {
    /// Whether it is so; `None` when the chain cannot say.
    #[must_use]
    pub fn holds(&self, chain: &dyn ChainTruth) -> Option<bool> {
        match self {
            Self::Transaction { hash } => chain.has_transaction(hash),
            Self::Address { address } => chain.has_account(address),
            Self::Price { block, micro_usdc } => {
                let real = u128::from(chain.price_micro_usdc(*block)?);
                let off = real.abs_diff(u128::from(*micro_usdc));
                Some(off * 10_000 <= real * u128::from(PRICE_TOLERANCE_BPS))
            }
            Self::Balance { address, least } => chain.balance(address).map(|units| units >= *least),
        }
    }
}

impl fmt::Display for ChainClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>, bytes: &[u8]| golem_core::hash::write_hex(f, bytes);
        match self {
            Self::Transaction { hash } => write!(f, "transaction 0x").and_then(|()| hex(f, hash)),
            Self::Address { address } => write!(f, "address 0x").and_then(|()| hex(f, address)),
            Self::Price { block, micro_usdc } => write!(f, "{micro_usdc} micro-USDC at block {block}"),
            Self::Balance { address, least } => write!(f, "at least {least} at 0x").and_then(|()| hex(f, address)),
        }
    }
}

/// A claim about the chain that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no claim about the chain")]
pub struct UnreadableChainClaim(pub String);

/// Everything that an entry says of the chain, in its words and its tags.
///
/// # Errors
/// When something looks like a claim and cannot be read: what cannot be checked is not passed by.
pub fn chain_claims(body: &EntryBody) -> Result<Vec<ChainClaim>, UnreadableChainClaim> {
    let mut all = Vec::new();
    for word in body.text.split(|c: char| !c.is_ascii_alphanumeric()) {
        if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            all.push(hex_claim(digits).ok_or_else(|| unreadable(word))?);
        }
    }
    for tag in &body.tags {
        if let Some(said) = tag.strip_prefix(PRICE_TAG) {
            all.push(price(said).ok_or_else(|| unreadable(tag))?);
        } else if let Some(said) = tag.strip_prefix(BALANCE_TAG) {
            all.push(held(said).ok_or_else(|| unreadable(tag))?);
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn unreadable(word: &str) -> UnreadableChainClaim {
    UnreadableChainClaim(word.chars().take(80).collect())
}

fn hex_claim(digits: &str) -> Option<ChainClaim> {
    match digits.len() {
        64 => parse_hex(digits).ok().map(|hash| ChainClaim::Transaction { hash }),
        40 => parse_hex(digits).ok().map(|address| ChainClaim::Address { address }),
        _ => None,
    }
}

fn price(said: &str) -> Option<ChainClaim> {
    let (block, micro_usdc) = said.split_once(':')?;
    Some(ChainClaim::Price { block: block.parse().ok()?, micro_usdc: micro_usdc.parse().ok()? })
}

fn held(said: &str) -> Option<ChainClaim> {
    let (address, least) = said.split_once(':')?;
    Some(ChainClaim::Balance { address: parse_hex(address).ok()?, least: least.parse().ok()? })
}
