//! The facts: their names, and that what is written reads back.

use crate::suffering_kit;

use golem_core::fact::FactBody;
use golem_core::observed::Field;
use golem_daimon::suffering::*;
use std::collections::BTreeSet;
use suffering_kit::*;

#[test]
fn a_life_tells_every_kind_of_fact_and_each_reads_back() {
    let mut g = Golem::new(failing());
    g.set(Field::GoalsFailureRate, 0.5);
    g.turn();
    g.report("fog", "goals.failure_rate < 0.3");
    g.report("dread", "when it lifts");
    g.report("third", "when it lifts");
    g.claim("repeated_failure");
    g.claim("fog");
    g.after(days(8.0));
    g.recorded = ruined(g.now);
    for _ in 0..60 {
        g.after(TURN);
    }
    g.recorded = healthy();
    g.after(TURN);
    let mut names = BTreeSet::new();
    for fact in &g.facts {
        let json = serde_json::to_value(fact).expect("JSON");
        assert_eq!(json["type"], fact.name());
        assert_eq!(&serde_json::from_value::<SufferingFact>(json).expect("reads back"), fact);
        assert!(!fact.is_series());
        names.insert(fact.name());
    }
    let want = ["band", "claim", "crisis", "dropped", "evicted", "onset", "resolved", "respite"];
    let want: BTreeSet<_> = want.iter().map(|n| format!("daimon.suffering_{n}")).collect();
    assert_eq!(names.into_iter().map(String::from).collect::<BTreeSet<_>>(), want);
}

#[test]
fn bands_are_told_once_and_in_a_chain() {
    let mut g = Golem::new(failing());
    for _ in 0..40 {
        g.after(days(1.0));
    }
    g.recorded = healthy();
    g.after(TURN).after(TURN);
    let mut at = Band::Background;
    let mut changes = 0;
    for fact in &g.facts {
        if let SufferingFact::Band { from, to, .. } = fact {
            assert_eq!(*from, at);
            assert_ne!(from, to);
            (at, changes) = (*to, changes + 1);
        }
    }
    assert_eq!(at, Band::Background);
    assert!(changes >= 5, "{changes}");
}

#[test]
fn rows_are_fit_for_a_file_that_does_not_describe_itself() {
    let mut g = Golem::new(failing());
    g.turn().after(days(1.0));
    g.recorded = healthy();
    g.turn();
    let rows: Vec<Resolved> = g.facts.iter().flat_map(SufferingFact::rows).cloned().collect();
    assert_eq!(rows.len(), 1);
    let bytes = postcard::to_stdvec(&rows).expect("writes");
    assert_eq!(postcard::from_bytes::<Vec<Resolved>>(&bytes).expect("reads"), rows);
}
