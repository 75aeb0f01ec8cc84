//! Facts of every kind as they stand in files, at their ugliest: long words of strangers, braces, large numbers, and every
//! reason, cause and denial there is.

use golem_core::Tick;
use golem_life::Fact;
use serde_json::Value;

/// All of them.
pub fn samples() -> Vec<Fact> {
    include_str!("samples.jsonl").lines().map(read).collect()
}

fn read(line: &str) -> Fact {
    let kind = serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned();
    golem_view::fact::read(&kind, Tick(0), line).unwrap_or_else(|e| panic!("{kind}: {e}"))
}
