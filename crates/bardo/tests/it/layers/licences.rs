//! What may enter the house: licences, sources and bans as `deny.toml` has them, of every package that any feature brings along.

use super::root;
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};

#[test]
fn whatever_is_built_may_enter_the_house() {
    let asked = ["metadata", "--format-version", "1", "--locked", "--all-features"];
    let told = std::process::Command::new(env!("CARGO")).args(asked).current_dir(root()).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let all: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert!(all["packages"].as_array().unwrap().len() > 400, "the packages were not found");
    assert_eq!(faults(&all, &rules()), [""; 0]);
}

fn rules() -> toml::Table {
    std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap()
}

fn texts(list: &toml::Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// Whatever is not allowed.
fn faults(all: &Value, rules: &toml::Table) -> Vec<String> {
    let allowed: Vec<Licensee> =
        texts(&rules["licenses"]["allow"]).into_iter().map(|word| Licensee::parse(word).unwrap()).collect();
    let may = |licence: &str| {
        Expression::parse_mode(licence, ParseMode::LAX)
            .is_ok_and(|licence| licence.evaluate(|asked| allowed.iter().any(|one| one.satisfies(asked))))
    };
    let packages = all["packages"].as_array().unwrap();
    let mut faults = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let needs = || package["dependencies"].as_array().unwrap().iter();
        match package["source"].as_str() {
            None => faults.extend(
                needs()
                    .filter(|need| need["req"] == "*" && need["path"].is_null())
                    .map(|need| format!("{name} takes any version of {}", need["name"])),
            ),
            Some(source) if !source.starts_with("registry+") => faults.push(format!("{name} comes from {source}")),
            Some(_) => {}
        }
        if !package["license"].as_str().is_some_and(may) {
            faults.push(format!("{name} has the licence {}", package["license"]));
        }
        for banned in rules["bans"]["deny"].as_array().unwrap() {
            let (banned, wrappers) = (banned["name"].as_str().unwrap(), banned.get("wrappers").map(texts));
            if name == banned && wrappers.is_none() {
                faults.push(format!("{name} is banned"));
            }
            // Whoever is built with it: what it could ask for under a feature that nobody wants is not there.
            let Some(wrappers) = wrappers.filter(|wrappers| !wrappers.contains(&name)) else { continue };
            let nodes = all["resolve"]["nodes"].as_array().unwrap();
            let node = nodes.iter().find(|node| node["id"] == package["id"]).unwrap();
            if node["deps"].as_array().unwrap().iter().any(|with| with["name"] == banned) {
                faults.push(format!("{name} takes {banned}, which {} alone may", wrappers.join(", ")));
            }
        }
    }
    faults
}

/// It can say no, to each of them.
#[test]
fn what_may_not_enter_is_named() {
    let package = |name: &str, licence: Value, source: Value| serde_json::json!({"id": name, "name": name, "license": licence, "source": source, "dependencies": []});
    let (registry, mit) = (Value::from("registry+over there"), Value::from("MIT"));
    let mut own = package("own", mit.clone(), Value::Null);
    own["dependencies"] = serde_json::json!([{"name": "any", "req": "*", "path": null}, {"name": "sibling", "req": "*", "path": "/there"}]);
    let packages = [
        own,
        package("both", "MIT/Apache-2.0".into(), registry.clone()),
        package("one-is-enough", "GPL-3.0-only OR MIT".into(), registry.clone()),
        package("both-are-asked", "GPL-3.0-only AND MIT".into(), registry.clone()),
        package("says-nothing", Value::Null, registry.clone()),
        package("from-elsewhere", mit.clone(), "git+over there".into()),
        package("openssl-sys", mit.clone(), registry.clone()),
        package("chrono", mit.clone(), registry.clone()),
        package("arrow-cast", mit.clone(), registry.clone()),
        package("stranger", mit, registry),
    ];
    let nodes = packages.iter().map(|package| {
        let takes = matches!(package["name"].as_str(), Some("arrow-cast" | "stranger"))
            .then(|| serde_json::json!({"name": "chrono"}));
        serde_json::json!({"id": package["id"], "deps": takes.into_iter().collect::<Vec<_>>()})
    });
    let all = serde_json::json!({"resolve": {"nodes": nodes.collect::<Vec<_>>()}, "packages": packages});
    let found = faults(&all, &rules());
    let begins = [
        "own takes any version of \"any\"",
        "both-are-asked has the licence",
        "says-nothing has the licence",
        "from-elsewhere comes from git",
        "openssl-sys is banned",
        "stranger takes chrono",
    ];
    assert_eq!(found.len(), begins.len(), "{found:#?}");
    found.iter().zip(begins).for_each(|(found, begin)| assert!(found.starts_with(begin), "{found}"));
}
