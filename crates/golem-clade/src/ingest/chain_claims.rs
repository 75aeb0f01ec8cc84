//! What an entry says of the chain, held against the chain: hashes and addresses in its words, prices and balances in its tags.

use golem_core::door::{ChainClaim, ClaimReply, ClaimRequest, MOST_CHAIN_CLAIMS};
use golem_core::hash::parse_hex;
use golem_grimoire::EntryBody;
use std::collections::{BTreeMap, BTreeSet};

/// The tag that names a price: `chain:price=<block>:<micro-USDC>`.
pub const PRICE_TAG: &str = "chain:price=";
/// The tag that names a balance of the chain's coin: `chain:balance=<address>:<least units>`.
pub const BALANCE_TAG: &str = "chain:balance=";
/// What the chain has said of claims that were put to it: nothing of all others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainSaid(BTreeMap<ChainClaim, bool>);

impl ChainSaid {
    /// What a reply says of the claims of its request.
    #[must_use]
    pub fn of(request: &ClaimRequest, reply: &ClaimReply) -> Self {
        let each = request.claims.iter().zip(&reply.holds);
        Self(each.filter_map(|(claim, holds)| Some((*claim, (*holds)?))).collect())
    }
    /// Whether a claim is so; none when the chain cannot say, or was not asked.
    #[must_use]
    pub fn of_claim(&self, claim: &ChainClaim) -> Option<bool> {
        self.0.get(claim).copied()
    }
}

/// What is to be asked of the chain before these are examined; none when they say nothing of it. What is beyond the most that may be
/// asked at once is not asked: it waits as what the chain cannot say.
pub fn asked_of_chain<'a>(bodies: impl Iterator<Item = &'a EntryBody>) -> Option<ClaimRequest> {
    // What cannot be read is refused whatever the chain says.
    let all: BTreeSet<ChainClaim> = bodies.filter_map(|body| chain_claims(body).ok()).flatten().collect();
    let claims: Vec<ChainClaim> = all.into_iter().take(MOST_CHAIN_CLAIMS).collect();
    (!claims.is_empty()).then_some(ClaimRequest { claims })
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
