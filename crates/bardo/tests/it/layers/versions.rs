//! Versions stand in one place, and every dependency is accounted for.

use super::{PLAN, root, sources};

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

/// What people build is quick to build and what ships is small, each by a profile of its own.
#[test]
fn what_people_build_is_not_what_ships() {
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let profile = |name: &str, key: &str| workspace["profile"][name].get(key).cloned();
    assert_eq!(profile("release", "lto"), Some("off".into()));
    assert!(profile("release", "codegen-units").and_then(|n| n.as_integer()) >= Some(16));
    assert_eq!(profile("release", "overflow-checks"), Some(true.into()));
    assert_eq!(profile("dist", "lto"), Some("fat".into()));
    assert_eq!(profile("dist", "codegen-units"), Some(1.into()));
    let lock: toml::Table = std::fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let packages: Vec<&str> = lock["package"].as_array().unwrap().iter().filter_map(|p| p["name"].as_str()).collect();
    assert!(packages.len() > 200 && packages.contains(&"alloy-primitives"), "the packages were not found");
    assert!(!packages.contains(&"alloy"), "parts of it are taken, and not all that is in it");
}

/// To look for examples in docs takes a quarter of a minute for each room that has none.
#[test]
fn examples_in_docs_are_run_where_there_are_any() {
    let has_example = |text: &str| {
        let mut fences =
            text.lines().map(str::trim_start).filter(|line| line.starts_with("//") && line.contains(" ```"));
        // The first of two opens, and says what it is that stands there.
        std::iter::from_fn(|| fences.next().zip(fences.next())).any(|(open, _)| !open.ends_with("```text"))
    };
    assert!(has_example("/// ```text\n/// ```\n/// ```compile_fail\n/// ```") && !has_example("//! ```text\n//! ```"));
    for (name, ..) in PLAN {
        let dir = root().join("crates").join(name);
        if !dir.join("src/lib.rs").exists() {
            continue;
        }
        let has = sources(&dir.join("src")).iter().any(|(_, text)| has_example(text));
        let table: toml::Table = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap().parse().unwrap();
        let run = table.get("lib").and_then(|lib| lib.get("doctest")).and_then(toml::Value::as_bool) != Some(false);
        assert_eq!(run, has, "{name}: doctest = false belongs where there is no example, and nowhere else");
    }
}
