//! Fetching the Uniswap contracts with the npm client. Runs no script of any package.

use super::packages::{PACKAGES, Package};
use super::{Contracts, ContractsError, cache, extract};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The contracts from the cache, or else fetched into it; `say` hears of it before the network is used.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_or_load(cache_dir: &Path, say: impl FnOnce(&str)) -> Result<Contracts, ContractsError> {
    match cache::load(cache_dir) {
        Ok(contracts) => Ok(contracts),
        Err(ContractsError::Absent(_) | ContractsError::Damaged(_)) => {
            say("fetching the Uniswap contracts (1.2 MB, once, with npm)");
            fetch(cache_dir)
        }
        Err(e) => Err(e),
    }
}

/// Fetch the pinned packages with npm, check them, and cache what is needed of them.
///
/// # Errors
/// When npm is missing, cannot reach its registry, or brings something else than was pinned.
pub fn fetch(cache_dir: &Path) -> Result<Contracts, ContractsError> {
    std::fs::create_dir_all(cache_dir).map_err(ContractsError::io(cache_dir))?;
    let archives = download(cache_dir, &PACKAGES)?;
    let contracts = extract::contracts(&archives)?;
    cache::keep(cache_dir, &contracts)?;
    Ok(contracts)
}

/// The archives of pinned packages, in their order, by way of a folder that goes again.
pub(super) fn download(cache_dir: &Path, packages: &[Package]) -> Result<Vec<Vec<u8>>, ContractsError> {
    let desk = DownloadFolder::new(cache_dir)?;
    pack(&desk.0, packages)?;
    let read = |p: &Package| {
        let path = desk.0.join(p.archive());
        std::fs::read(&path).map_err(ContractsError::io(path))
    };
    packages.iter().map(read).collect()
}

fn pack(dir: &Path, packages: &[Package]) -> Result<(), ContractsError> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(npm);
    command.args(["pack", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"]);
    let output = command.args(packages.iter().map(Package::spec)).current_dir(dir).output();
    let output = output.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => ContractsError::NpmMissing,
        _ => ContractsError::io(npm)(e),
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(refusal(&String::from_utf8_lossy(&output.stderr)))
}

/// What npm's complaint means.
fn refusal(complaint: &str) -> ContractsError {
    const NO_NETWORK: [&str; 7] =
        ["ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ERR_SOCKET_TIMEOUT"];
    let told = |line: &&str| line.contains("npm") && line.to_lowercase().contains("err");
    let mut lines: Vec<&str> = complaint.lines().filter(told).take(3).map(str::trim).collect();
    if lines.is_empty() {
        lines = complaint.lines().take(3).map(str::trim).collect();
    }
    let brief: String = lines.join("; ").chars().take(400).collect();
    if NO_NETWORK.iter().any(|code| complaint.contains(code)) {
        ContractsError::Offline(brief)
    } else {
        ContractsError::Npm(brief)
    }
}

/// A folder of our own that goes when we do.
struct DownloadFolder(PathBuf);

impl DownloadFolder {
    fn new(cache_dir: &Path) -> Result<Self, ContractsError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = cache_dir.join(format!(".fetch.{}.{next}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(ContractsError::io(&path))?;
        Ok(Self(path))
    }
}

impl Drop for DownloadFolder {
    fn drop(&mut self) {
        let _left_behind = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_network_is_told_from_a_missing_package() {
        let offline = "npm error code ENOTFOUND\nnpm error errno ENOTFOUND\nnpm error network request failed";
        assert!(matches!(refusal(offline), ContractsError::Offline(_)));
        let missing = "npm error code E404\nnpm error 404 Not Found";
        assert!(matches!(refusal(missing), ContractsError::Npm(text) if text.contains("E404")));
    }
}
