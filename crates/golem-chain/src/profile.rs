//! Chains that people use: what is published of each, in a file per chain, for whoever names one in its settings.
//!
//! A profile is a word for settings and nothing more: each of its values can be said otherwise, and all of them are held
//! against the chain at first contact, like those that an owner wrote.

use crate::contracts::V3_POOL_INIT_HASH;
use crate::rpc::{Addresses, GasRule, Pinned, RpcConfig};
use alloy_primitives::aliases::U24;
use alloy_primitives::{Address, keccak256};
use alloy_sol_types::SolValue;
use golem_venue::pool::FEE;
use golem_wallet::RouterKind;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::sync::OnceLock;

/// What is published of a chain. There is none without a chain id, a router and all other contracts, each with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProfile {
    /// What it is called in settings.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The chain's id.
    pub chain_id: NonZeroU64,
    /// Fees that pools may have, in millionths.
    pub fee_tiers: Vec<u32>,
    /// The v3 factory.
    pub factory: PublishedContract,
    /// The position manager.
    pub positions: PublishedContract,
    /// The second quoter.
    pub quoter: PublishedContract,
    /// The router that is taken.
    pub router: PublishedRouter,
    /// The first router, where there is one beside it.
    pub old_router: Option<PublishedContract>,
    /// USDC.
    pub usdc: PublishedContract,
    /// The asset, wrapped.
    pub asset: PublishedContract,
    /// The pool of both.
    pub pool: PublishedPool,
    /// How fast it is, and what it takes.
    pub pace: ChainPace,
}

/// A contract, and where its address was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenContract")]
pub struct PublishedContract {
    /// Where it stands.
    pub at: Address,
    /// At least two documents that say so.
    pub sources: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenContract {
    at: Address,
    sources: Vec<String>,
}

impl TryFrom<WrittenContract> for PublishedContract {
    type Error = &'static str;
    fn try_from(w: WrittenContract) -> Result<Self, Self::Error> {
        if w.at.is_zero() {
            return Err("nothing stands at the zero address");
        }
        if w.sources.len() < 2 || w.sources[0] == w.sources[1] || w.sources.iter().any(String::is_empty) {
            return Err("an address needs two sources that are not the same");
        }
        Ok(Self { at: w.at, sources: w.sources })
    }
}

/// A router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedRouter {
    /// Which of the two.
    pub kind: RouterKind,
    /// Where.
    #[serde(flatten)]
    pub contract: PublishedContract,
}

/// A pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedPool {
    /// Its fee, in millionths.
    pub fee: u32,
    /// Where.
    #[serde(flatten)]
    pub contract: PublishedContract,
}

/// How fast a chain is, how much of it is believed, and what it takes for a transaction: settings of the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the settings of the same names say what each is")]
pub struct ChainPace {
    pub gas: GasRule,
    /// Time between two blocks, for people.
    pub block_ms: u64,
    pub confirmations: u64,
    pub max_age_s: u64,
    pub max_lag: u64,
    pub watch_blocks: u64,
    pub bump_after_ms: u64,
    pub stale_after_s: u64,
    pub max_fee_gwei: u64,
    pub max_tip_gwei: u64,
    pub tip_wei: u64,
}

/// The files, one per chain.
const FILES: [&str; 5] = [
    include_str!("../../../chains/ethereum.toml"),
    include_str!("../../../chains/base.toml"),
    include_str!("../../../chains/arbitrum.toml"),
    include_str!("../../../chains/optimism.toml"),
    include_str!("../../../chains/base-sepolia.toml"),
];

impl ChainProfile {
    /// Read one.
    ///
    /// # Errors
    /// What is missing, or does not fit together, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|e| e.message().to_owned())?;
        read.hold().map(|()| read)
    }

    /// All that there are.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<ChainProfile>> = OnceLock::new();
        // The files are part of the source: one that cannot be read is left out, and a test fails.
        ALL.get_or_init(|| FILES.iter().filter_map(|text| Self::parse(text).ok()).collect())
    }

    /// The one of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|profile| profile.name == name)
    }

    /// Where a router of a kind stands.
    #[must_use]
    pub fn router_of(&self, kind: RouterKind) -> Option<Address> {
        if self.router.kind == kind {
            return Some(self.router.contract.at);
        }
        self.old_router.as_ref().filter(|_| kind == RouterKind::V1).map(|old| old.at)
    }

    /// Settings with what is published, and a router of a kind; none where it has no such router.
    #[must_use]
    pub fn over(&self, settings: &RpcConfig, kind: RouterKind) -> Option<RpcConfig> {
        let at = |contract: &PublishedContract| Pinned::at(contract.at);
        let addresses = Addresses {
            usdc: at(&self.usdc),
            asset: at(&self.asset),
            pool: at(&self.pool.contract),
            factory: at(&self.factory),
            router: Pinned::at(self.router_of(kind)?),
            positions: at(&self.positions),
        };
        let ChainPace { gas, block_ms: _, confirmations, max_age_s, max_lag, watch_blocks, .. } = self.pace;
        let ChainPace { bump_after_ms, stale_after_s, max_fee_gwei, max_tip_gwei, tip_wei, .. } = self.pace;
        Some(RpcConfig {
            chain_id: self.chain_id.get(),
            addresses,
            router: kind,
            gas,
            confirmations,
            max_age_s,
            max_lag,
            watch_blocks,
            bump_after_ms,
            stale_after_s,
            max_fee_gwei,
            max_tip_gwei,
            tip_wei,
            ..settings.clone()
        })
    }

    /// Whether its own words fit together: a factory names its pools by their tokens and fee, so that a wrong digit anywhere
    /// among them shows without asking anybody.
    fn hold(&self) -> Result<(), String> {
        let (usdc, asset) = (self.usdc.at, self.asset.at);
        let (token0, token1) = if usdc < asset { (usdc, asset) } else { (asset, usdc) };
        let salt = keccak256((token0, token1, U24::from(self.pool.fee)).abi_encode());
        let named = self.factory.at.create2(salt, V3_POOL_INIT_HASH);
        if named != self.pool.contract.at {
            return Err(format!("the factory's pool of these tokens would be {named}, not {}", self.pool.contract.at));
        }
        if self.pool.fee != FEE || !self.fee_tiers.contains(&self.pool.fee) {
            return Err(format!("the pool's fee is {}, and only pools with {FEE} are traded here", self.pool.fee));
        }
        let nowhere = ["urls"];
        let settings = self.over(&RpcConfig::default(), self.router.kind).ok_or("it has no router")?;
        let wrong = settings.problems().into_iter().find(|p| !nowhere.contains(&p.key.as_str()));
        wrong.map_or(Ok(()), |problem| Err(problem.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_profile_and_says_where_its_addresses_come_from() {
        for text in FILES {
            let profile = ChainProfile::parse(text).unwrap_or_else(|why| panic!("{why}: {text}"));
            assert_eq!(ChainProfile::named(&profile.name), Some(&profile));
        }
        let names: Vec<&str> = ChainProfile::all().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["ethereum", "base", "arbitrum", "optimism", "base-sepolia"]);
        let ids: Vec<u64> = ChainProfile::all().iter().map(|p| p.chain_id.get()).collect();
        assert_eq!(ids, [1, 8_453, 42_161, 10, 84_532]);
        let rules: Vec<GasRule> = ChainProfile::all().iter().map(|p| p.pace.gas).collect();
        use GasRule::*;
        assert_eq!(rules, [Ethereum, OpStack, Arbitrum, OpStack, OpStack]);
    }

    /// A line left out, or a digit changed, is no profile.
    #[test]
    fn a_profile_that_lacks_something_or_does_not_fit_together_cannot_be_made() {
        let base = FILES[1];
        let without = |from: &str, to: &str| {
            let start = base.find(from).expect("it is there");
            let end = base[start..].find(to).map_or(base.len(), |n| start + n);
            format!("{}{}", &base[..start], &base[end..])
        };
        let changed = |old: &str, new: &str| {
            assert!(base.contains(old), "{old}");
            base.replacen(old, new, 1)
        };
        let cases = [
            (without("chain_id", "fee_tiers"), "chain_id"),
            (without("[router]", "[usdc]"), "router"),
            (without("[usdc]", "[asset]"), "usdc"),
            (without("[pace]", "\0"), "pace"),
            (changed("chain_id = 8453", "chain_id = 0"), "nonzero"),
            (changed("kind = \"v2\"", "kind = \"v3\""), "variant"),
            (changed("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "833589fCD6eDb6E08f4c7C32D4f71b54bdA02914"), "pool"),
            (changed("d0b53D9277642d899DF5C87A3966A349A798F224", "d0b53D9277642d899DF5C87A3966A349A798F225"), "pool"),
            (changed("fee = 500", "fee = 3000"), "pool"),
            (changed("\"Uniswap docs, Base Deployments\", ", ""), "two sources"),
            (
                changed("0x2626664c2603336E57B271c5C0b26F421741e481", "0x0000000000000000000000000000000000000000"),
                "zero",
            ),
            (
                changed("0x2626664c2603336E57B271c5C0b26F421741e481", "0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1"),
                "router",
            ),
            (changed("watch_blocks = 300", "watch_blocks = 0"), "watch_blocks"),
            (changed("block_ms", "blok_ms"), "blok_ms"),
        ];
        for (n, (text, word)) in cases.into_iter().enumerate() {
            let why = ChainProfile::parse(&text).expect_err(&format!("case {n} was taken"));
            assert!(why.contains(word), "case {n}: {why}");
        }
    }

    #[test]
    fn settings_take_what_is_published_and_keep_what_was_said() {
        let said = RpcConfig { urls: vec!["http://127.0.0.1:1".into()], poll_ms: 7, ..RpcConfig::default() };
        for profile in ChainProfile::all() {
            let settings = profile.over(&said, profile.router.kind).expect("its own router");
            assert_eq!(settings.problems(), [], "{}", profile.name);
            assert_eq!((settings.poll_ms, &settings.urls), (7, &said.urls));
            assert_eq!(settings.chain_id, profile.chain_id.get());
            let first = profile.over(&said, RouterKind::V1);
            assert_eq!(first.is_some(), profile.old_router.is_some(), "{}", profile.name);
            assert!(
                first.is_none_or(|s| s.router == RouterKind::V1 && s.addresses.router != settings.addresses.router)
            );
        }
    }
}
