//! What the tests of suffering share: a golem with counters, a clock and a memory of what happened.

#![allow(dead_code, reason = "each test file uses its own part")]

use golem_core::observed::{Field, Snapshot, Value};
use golem_core::{Elapsed, VirtualTime};
use golem_daimon::suffering::*;
use golem_mortality::BehavioralPhase;
use proptest::prelude::*;

/// One turn of 40 s.
pub const TURN: Elapsed = Elapsed::secs(40);
/// One virtual day.
pub const DAY: Elapsed = Elapsed::secs(86_400);

/// Days of virtual time, rounded to a millisecond.
pub fn days(d: f64) -> Elapsed {
    Elapsed((d * 86_400_000.0).round() as u64)
}

/// A golem in the world of the tests.
#[derive(Clone)]
pub struct Golem {
    pub suffering: Suffering,
    pub recorded: RecordedCounters,
    pub snapshot: Snapshot,
    pub now: VirtualTime,
    pub facts: Vec<SufferingFact>,
}

impl Golem {
    pub fn new(recorded: RecordedCounters) -> Self {
        let (suffering, snapshot) = (Suffering::default(), Snapshot::new());
        Self { suffering, recorded, snapshot, now: VirtualTime(0), facts: Vec::new() }
    }
    pub fn seen(&self) -> SufferingSeen<'_> {
        SufferingSeen { now: self.now, recorded: &self.recorded, snapshot: &self.snapshot }
    }
    /// A turn at the present moment.
    pub fn turn(&mut self) -> &mut Self {
        let seen = SufferingSeen { now: self.now, recorded: &self.recorded, snapshot: &self.snapshot };
        self.facts.extend(self.suffering.turn(seen));
        self
    }
    /// One turn after a stretch of time.
    pub fn after(&mut self, by: Elapsed) -> &mut Self {
        self.now = self.now.after(by);
        self.turn()
    }
    /// Hand over what an agent says.
    pub fn say(&mut self, text: &str) -> Assessed {
        let (said, _) = parse_assessment(text);
        let seen = SufferingSeen { now: self.now, recorded: &self.recorded, snapshot: &self.snapshot };
        let assessed = self.suffering.assess(&said, seen);
        self.facts.extend(assessed.facts.clone());
        assessed
    }
    /// Report one stressor.
    pub fn report(&mut self, name: &str, condition: &str) -> ItemAnswer {
        let item = serde_json::json!({ "type": name, "description": "as it says", "condition": condition });
        self.say(&serde_json::json!({ "new_stressors": [item] }).to_string()).new[0]
    }
    /// Say that one is over.
    pub fn claim(&mut self, name: &str) -> ItemAnswer {
        let item = serde_json::json!({ "type": name, "reason": "I feel fine" });
        self.say(&serde_json::json!({ "resolved": [item] }).to_string()).resolved[0]
    }
    pub fn set(&mut self, field: Field, x: f64) {
        self.snapshot.set(field, Value::number(x).expect("finite")).expect("a number field");
    }
    pub fn fragment(&self) -> String {
        self.suffering.fragment(self.seen()).unwrap_or_default()
    }
}

/// Counters of a golem that does well and has nobody to speak to.
pub fn healthy() -> RecordedCounters {
    RecordedCounters {
        completed: 30,
        failed: 8,
        abandoned: 2,
        completed_with_rule: 12,
        idle_rules: 4,
        phase: BehavioralPhase::Stable,
        projected_life_h: Some(900.0),
        doing: Some(ActivityDomain::Swap),
        ..RecordedCounters::default()
    }
}

/// Counters under which repeated_failure fires, and nothing else.
pub fn failing() -> RecordedCounters {
    RecordedCounters { completed: 4, failed: 34, ..healthy() }
}

/// Counters under which all six fire, at a clock of `now`.
pub fn ruined(now: VirtualTime) -> RecordedCounters {
    RecordedCounters {
        completed: 0,
        failed: 30,
        abandoned: 10,
        completed_with_rule: 0,
        idle_rules: 5,
        contact: Some(VirtualTime(0)),
        violations: 3,
        last_violation: Some(now),
        violated_confidence: Some(0.9),
        phase: BehavioralPhase::Terminal,
        projected_life_h: Some(1.0),
        senescent: true,
        fitness: 0.3,
        recovers_above: 0.45,
        lead: None,
        episodes_since_completed: 600,
        doing: Some(ActivityDomain::Liquidity),
    }
}

fn moment() -> impl Strategy<Value = Option<VirtualTime>> {
    prop_oneof![
        Just(None),
        (0..60_u64 * 86_400_000).prop_map(|t| Some(VirtualTime(t))),
        any::<u64>().prop_map(|t| Some(VirtualTime(t)))
    ]
}

fn number() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![Just(None), (0.0..200.0).prop_map(Some), (0.0..1.0).prop_map(Some), any::<f64>().prop_map(Some)]
}

/// Counters near every bound of the rules, and far from them.
pub fn any_recorded() -> impl Strategy<Value = RecordedCounters> {
    let goals = (0..8_u32, 0..8_u32, 0..8_u32, 0..6_u32, 0..6_u32);
    let body = (prop::sample::select(BehavioralPhase::ALL.to_vec()), number(), any::<bool>(), 490..510_u64);
    let doing = prop::option::of(prop::sample::select(ActivityDomain::ALL.to_vec()));
    (goals, moment(), (0..4_u32, moment(), number()), body, doing).prop_map(|(g, contact, v, b, doing)| {
        RecordedCounters {
            completed: g.0,
            failed: g.1,
            abandoned: g.2,
            completed_with_rule: g.3,
            idle_rules: g.4,
            contact,
            violations: v.0,
            last_violation: v.1,
            violated_confidence: v.2,
            phase: b.0,
            projected_life_h: b.1,
            senescent: b.2,
            fitness: 0.5,
            recovers_above: 0.45,
            lead: None,
            episodes_since_completed: b.3,
            doing,
        }
    })
}
