//! Every kind of fact: what it says, its fields, and the sentence that people read.

use super::{cell, code, keep};
use golem_cage::CageFact;
use golem_core::Tick;
use golem_core::fact::FactBody;
use golem_daimon::affect::AffectFact;
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::SufferingFact;
use golem_dreams::DreamFact;
use golem_dreams::phage::PhageFact;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;
use golem_view::fact::{is_event, read, words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ABOUT: &str = "# Events

Every kind of fact that a life tells. `bardo golem logs` shows them as sentences, `bardo golem logs --json`, `bardo golem run --events -` and the API
as JSON: `golem`, `seq` (its place in the golem's history), `tick`, `at` (for people; nothing is ordered by it), `cause` (the `seq` of what led to it, if
something did), `type`, and the fields below. Money is whole micro-USDC.

**Told at once** is what whoever watches a life hears as it happens. **Every turn** is what recurs: it is kept as one row in ninety turns. The sentences are those
of made-up examples.
";

/// Facts as they stand in files, at least one of each kind.
const SAMPLES: &str = include_str!("../../../golem-view/tests/it/samples.jsonl");

#[test]
fn the_reference_of_events_has_every_kind_of_fact() {
    let rooms: [(&str, &[&str], &[&str]); 8] = [
        ("The life", LifeFact::NAMES, LifeFact::ABOUT),
        ("Mortality", MortalityFact::NAMES, MortalityFact::ABOUT),
        ("The cage", CageFact::NAMES, CageFact::ABOUT),
        ("Affect", AffectFact::NAMES, AffectFact::ABOUT),
        ("Suffering", SufferingFact::NAMES, SufferingFact::ABOUT),
        ("The gate", GateFact::NAMES, GateFact::ABOUT),
        ("Dreams", DreamFact::NAMES, DreamFact::ABOUT),
        ("Phages", PhageFact::NAMES, PhageFact::ABOUT),
    ];
    let mut samples: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in SAMPLES.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        samples.entry(sample["type"].as_str().unwrap().to_owned()).or_default().push(line);
    }
    let (mut page, mut told) = (String::new(), BTreeSet::new());
    for (room, names, abouts) in rooms {
        page.push_str(&format!("\n## {room}\n"));
        for (name, about) in names.iter().zip(abouts) {
            let of_it = samples.get(*name).unwrap_or_else(|| panic!("{name} has no sample"));
            page.push_str(&kind(name, about, of_it));
            told.insert(*name);
        }
    }
    assert_eq!(told, Fact::names().collect::<BTreeSet<_>>());
    keep("events.md", ABOUT, &page);
}

fn kind(name: &str, about: &str, samples: &[&str]) -> String {
    // The shortest says it most plainly: the others are there to be ugly.
    let plainest = samples.iter().min_by_key(|line| line.len()).unwrap();
    let fact = read(name, Tick(0), plainest).unwrap();
    let mut notes = Vec::new();
    notes.extend(is_event(&fact).then_some("**Told at once.**"));
    notes.extend(fact.is_series().then_some("**Every turn.**"));
    let said = words(&fact).map(|said| format!("*{}*", cell(&said).replace('*', "\\*")));
    let about = format!("{}.", cell(about).trim_end_matches('.'));
    let told: Vec<String> = [about].into_iter().chain(notes.iter().map(ToString::to_string)).chain(said).collect();
    let mut fields: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for line in samples {
        let Ok(Value::Object(sample)) = serde_json::from_str(line) else { panic!("{name}: a sample is an object") };
        for (key, value) in sample.into_iter().filter(|(key, _)| key != "type") {
            fields.entry(key).or_default().insert(holds(&value));
        }
    }
    let fields: Vec<String> = fields
        .iter()
        .map(|(key, holds)| format!("{} {}", code(key), holds.iter().copied().collect::<Vec<_>>().join(" or ")))
        .collect();
    let fields = if fields.is_empty() { String::new() } else { format!("\n\n{}", fields.join(" · ")) };
    format!("\n### `{name}`\n\n{}{fields}\n", told.join(" "))
}

fn holds(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}
