//! `bardo contracts fetch|status`: the Uniswap contracts of the embedded chain, kept under `contracts/`.

use crate::chain;
use crate::cli::ContractsCommand;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_chain::contracts::{self as packages, CacheStatus, PACKAGES};
use serde_json::json;
use std::path::Path;

/// One contracts command.
pub fn run(command: ContractsCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    let dir = home.path().join("contracts");
    match command {
        ContractsCommand::Fetch => fetch(&dir, out),
        ContractsCommand::Status => status(&dir, out),
    }
}

fn fetch(dir: &Path, out: &Out) -> Result<(), Fail> {
    out.say("fetching the Uniswap contracts with npm (1.2 MB)");
    packages::fetch(dir).map_err(|e| chain::missing(&e))?;
    status(dir, out)
}

/// What is there, and where it came from. Contracts that are not there are a result here, not a failure.
fn status(dir: &Path, out: &Out) -> Result<(), Fail> {
    let status = packages::status(dir);
    out.result(&json!({ "cache": status, "packages": PACKAGES }), || {
        let mut lines = vec![match &status {
            CacheStatus::Ready { path, bytes } => format!("ready: {} ({} kB)", path.display(), bytes / 1000),
            CacheStatus::Absent { path } => format!("not fetched: {} (bardo contracts fetch)", path.display()),
            CacheStatus::Damaged { path } => format!("damaged: {} (bardo contracts fetch)", path.display()),
        }];
        lines.extend(PACKAGES.iter().map(|p| format!("  {:<38} {}", p.spec(), p.license)));
        lines.join("\n")
    })
}
