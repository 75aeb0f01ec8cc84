//! The contracts can be fetched, are what they should be, and ours are what their sources compile to.

use super::common::{contracts, may_skip, tools};
use golem_chain::contracts::{self as door, CacheStatus, ContractsError};
use std::path::Path;
use std::process::Command;

#[test]
fn what_was_fetched_is_cached_and_damage_is_noticed() {
    let Some(fetched) = contracts() else { return };
    let cached = tools().join("contracts").join("contracts.bin");
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(door::status(dir.path()), CacheStatus::Absent { .. }));
    assert!(matches!(door::load(dir.path()), Err(ContractsError::Absent(_))));

    let copy = dir.path().join("contracts.bin");
    std::fs::copy(&cached, &copy).unwrap();
    assert!(matches!(door::status(dir.path()), CacheStatus::Ready { .. }));
    assert_eq!(&door::load(dir.path()).unwrap(), fetched);

    let mut bytes = std::fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    assert!(matches!(door::status(dir.path()), CacheStatus::Damaged { .. }));
    assert!(matches!(door::load(dir.path()), Err(ContractsError::Damaged(_))));
}

#[test]
fn our_artifacts_are_what_the_sources_compile_to() {
    let found = |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found("node") || !found("npm") {
        may_skip("node and npm are not installed");
        return;
    }
    let home = tools().join("npm");
    std::fs::create_dir_all(&home).unwrap();
    if !home.join("node_modules/solc/package.json").exists() {
        std::fs::write(home.join("package.json"), "{\"private\":true}").unwrap();
        let install = ["install", "solc@0.8.37", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        let done = Command::new("npm").args(install).current_dir(&home).output().unwrap();
        if !done.status.success() {
            may_skip(&String::from_utf8_lossy(&done.stderr));
            return;
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/build.mjs");
    let checked = Command::new("node").arg(script).arg("--check").current_dir(&home).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
