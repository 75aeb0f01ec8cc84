//! Versions stand in one place, and every dependency is accounted for.

use super::{PLAN, root};

#[test]
fn versions_stand_in_one_place() {
    for (name, ..) in PLAN {
        let text = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let table: toml::Table = text.parse().unwrap();
        for section in ["dependencies", "dev-dependencies"] {
            let Some(entries) = table.get(section).and_then(toml::Value::as_table) else { continue };
            for (dependency, value) in entries {
                let workspace = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                assert!(workspace, "{name}: {dependency} does not take its version from the workspace");
            }
        }
    }
}

#[test]
fn every_dependency_is_accounted_for() {
    let page = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    for dependency in workspace["workspace"]["dependencies"].as_table().unwrap().keys() {
        let own = dependency.starts_with("golem-") || dependency.starts_with("styx");
        assert!(own || page.contains(&format!("`{dependency}`")), "docs/dependencies.md does not mention {dependency}");
    }
}
