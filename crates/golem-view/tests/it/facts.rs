//! Every fact reads back as it was told, and says one thing to a person.

use crate::kit::{TEMPLATES, busy, eventful, live};
use crate::samples::samples;
use golem_core::Tick;
use golem_core::fact::FactBody;
use golem_life::Fact;
use golem_view::fact::{LONGEST, is_event, words};
use std::collections::BTreeSet;

/// What looks like code and not like a sentence.
fn looks_like_code(text: &str) -> bool {
    let shapes = ["Usdc(", "Asset(", "Tick(", "Some(", "None", " { ", "{ ", "[\"", "::", "micro_usdc", "0x", "\n"];
    // A number that nobody wrote for a person: eleven digits or more in a row.
    let digits = text.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() > 10);
    // A power of ten.
    let power = text
        .as_bytes()
        .windows(3)
        .any(|w| w[0].is_ascii_digit() && w[1] == b'e' && (w[2] == b'-' || w[2].is_ascii_digit()));
    digits || power || shapes.iter().any(|shape| text.contains(shape))
}

fn is_readable(fact: &Fact) {
    let Some(said) = words(fact) else {
        return assert!(fact.is_series(), "{} says nothing", fact.name());
    };
    assert!(said.chars().count() <= LONGEST, "{}: {said}", fact.name());
    assert!(!looks_like_code(&said), "{}: {said}", fact.name());
    assert!(said.chars().count() > 8, "{}: {said}", fact.name());
}

/// As it stands in a file, and back.
fn reads_back(tick: Tick, fact: &Fact) {
    let body = serde_json::to_string(fact).unwrap();
    let back =
        golem_view::fact::read(fact.name(), tick, &body).unwrap_or_else(|e| panic!("{}: {e}: {body}", fact.name()));
    assert_eq!(serde_json::to_string(&back).unwrap(), body, "{}", fact.name());
    assert_eq!(words(&back), words(fact), "{}", fact.name());
}

#[test]
fn facts_of_real_lives_read_back_and_can_be_told() {
    let mut seen = BTreeSet::new();
    let mut all = eventful();
    for (seed, template) in (1..).zip(TEMPLATES) {
        all.extend(live(&mut busy(template, seed), 2_500).0);
    }
    for fact in &all {
        is_readable(&fact.body);
        reads_back(fact.tick, &fact.body);
        seen.insert(fact.body.name());
    }
    assert!(seen.len() > 20, "only {seen:?}");
    let lines = all.iter().filter(|f| is_event(&f.body)).count();
    assert!(lines > 10 && lines < all.len() / 10, "{lines} events of {}", all.len());
}

#[test]
fn there_is_a_sentence_for_every_kind_of_fact() {
    let samples = samples();
    let told: BTreeSet<&str> = samples.iter().map(FactBody::name).collect();
    let missing: Vec<_> = Fact::names().filter(|name| !told.contains(name)).collect();
    assert_eq!(missing, [""; 0], "kinds without a sample");
    for fact in &samples {
        is_readable(fact);
        reads_back(Tick(0), fact);
    }
}

/// Codes that clear a screen, name a window or turn the direction of what follows are in nobody's sentence.
#[test]
fn nobodys_words_reach_a_terminal_as_codes() {
    let text = r"hi \u001b[2J\u001b]0;x\u0007 there\u009b31m \u202eyou";
    let body = format!(r#"{{"type":"owner.order","id":7,"ask":"tell","text":"{text}"}}"#);
    let fact = golem_view::fact::read("owner.order", Tick(1), &body).unwrap();
    let said = words(&fact).unwrap();
    assert!(said.contains("there") && !said.chars().any(golem_core::words::is_hidden), "{said:?}");
    let cause = golem_mortality::DeathCause::OwnerKill { reason: "en\u{1b}[2Jough\u{7}".into() };
    assert_eq!(golem_view::cause::cause(&cause), "the owner's will: en [2Jough");
}

#[test]
fn code_is_recognised_as_such() {
    for bad in ["order: Learn { entries: [\"", "fed Usdc(5000000)", "gave 1234567890123456789", "rolled 8.6e-3"] {
        assert!(looks_like_code(bad), "{bad}");
    }
    assert!(!looks_like_code("bought 0.0051 ETH for 12.35 USDC at 2,410.22"));
}

#[test]
fn what_is_not_a_fact_is_not_read_as_one() {
    assert!(golem_view::fact::read("no.such", Tick(1), "{\"type\":\"no.such\"}").is_err());
    assert!(
        golem_view::fact::read("economy.fed", Tick(1), "{\"type\":\"economy.fed\",\"amount_micro_usdc\":\"x\"}")
            .is_err()
    );
    assert!(golem_view::fact::read("economy.fed", Tick(1), "").is_err());
}
