//! What these tests share: the contracts, and a chain with a usual beginning.

use golem_chain::contracts::{self, Contracts, ContractsError};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::Usdc;
use golem_venue::{Account, GenesisConfig, spot};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Folder for what tests download.
pub fn tools() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| manifest.join("../../target"), PathBuf::from);
    target.join("tools")
}

/// True when a test may be left out for want of npm or a network: never in continuous integration.
#[allow(clippy::print_stderr)] // whoever runs the tests should see what was left out
pub fn may_skip(why: &str) -> bool {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
    true
}

/// The contracts, fetched once for all tests.
pub fn contracts() -> Option<&'static Contracts> {
    static FETCHED: OnceLock<Option<Contracts>> = OnceLock::new();
    FETCHED
        .get_or_init(|| match contracts::fetch_or_load(&tools().join("contracts"), |_| ()) {
            Ok(contracts) => Some(contracts),
            Err(e @ (ContractsError::NpmMissing | ContractsError::Offline(_))) => {
                may_skip(&e.to_string());
                None
            }
            Err(e) => panic!("{e}"),
        })
        .as_ref()
}

/// A beginning: ether at two thousand dollars, and a million moves it by one per cent.
pub fn genesis(usdc_is_token0: bool) -> GenesisConfig {
    let price = spot::sqrt_price_of(2_000.0, usdc_is_token0);
    GenesisConfig::deep(usdc_is_token0, price, Usdc::whole(1_000_000), 1_700_000_000, 20_000_000_000)
}

/// A chain in memory.
pub fn chain(usdc_is_token0: bool) -> Option<EmbeddedChain> {
    let config = EmbeddedConfig::new(genesis(usdc_is_token0));
    Some(EmbeddedChain::open_in_memory(contracts()?, &config).expect("a chain begins"))
}

/// An account.
pub fn account(n: u8) -> Account {
    Account([n; 20])
}

/// Accounts that scripts use.
pub const ACCOUNT_RANGE: std::ops::RangeInclusive<u8> = 1..=super::script::ACCOUNTS;
