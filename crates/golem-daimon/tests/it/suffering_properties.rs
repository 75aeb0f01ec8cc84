//! What holds after any sequence of operations, on any clock, including one that is set back.

use crate::suffering_kit;

use golem_core::observed::Field;
use golem_core::{Elapsed, VirtualTime};
use golem_daimon::gate::ActionClass;
use golem_daimon::suffering::*;
use proptest::prelude::*;
use suffering_kit::*;

/// Something that happens to a golem.
#[derive(Debug, Clone)]
enum Op {
    Turn(VirtualTime),
    Escalate(VirtualTime),
    Record(RecordedCounters),
    Observe(f64),
    Report(String, String),
    Claim(String),
    Import(f64, f64),
}

impl Op {
    fn is_the_agents(&self) -> bool {
        matches!(self, Self::Report(..) | Self::Claim(_))
    }
}

fn clock() -> impl Strategy<Value = VirtualTime> {
    prop_oneof![
        (0..3_u64 * 3_600_000).prop_map(VirtualTime),
        (0..90_u64 * 86_400_000).prop_map(VirtualTime),
        any::<u64>().prop_map(VirtualTime),
        Just(VirtualTime(u64::MAX)),
    ]
}

fn name() -> impl Strategy<Value = String> {
    let canonical = prop::sample::select(Canonical::ALL.to_vec()).prop_map(|c| c.name().to_owned());
    prop_oneof![canonical, "[a-c]{1,2}", "(Wrapper|wrapper)[ _-]{1,2}Dependency", ".{0,6}"]
}

fn condition() -> impl Strategy<Value = String> {
    let checkable = (0.0..1.0).prop_map(|x: f64| format!("goals.failure_rate < {x:.2}"));
    prop_oneof![checkable, Just(String::from("when it feels right")), ".{0,20}"]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => clock().prop_map(Op::Turn),
        1 => clock().prop_map(Op::Escalate),
        4 => any_recorded().prop_map(Op::Record),
        1 => (0.0..1.0).prop_map(Op::Observe),
        6 => (name(), condition()).prop_map(|(n, c)| Op::Report(n, c)),
        3 => name().prop_map(Op::Claim),
        1 => (any::<f64>(), any::<f64>()).prop_map(|(s, p)| Op::Import(s, p)),
    ]
}

/// Turns a little later each time, and everything else: what a real life looks like.
fn steady() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let later = prop_oneof![Just(40_000), 0..400_000_u64, 0..5_u64 * 86_400_000];
    prop::collection::vec((later, op()), 1..80)
}

fn apply(g: &mut Golem, op: &Op) -> Vec<ItemAnswer> {
    let g_now = |g: &mut Golem, t: VirtualTime| g.now = t;
    match op {
        Op::Turn(t) => {
            g_now(g, *t);
            g.turn();
        }
        Op::Escalate(t) => {
            g_now(g, *t);
            g.suffering.escalate(*t);
        }
        Op::Record(r) => g.recorded = *r,
        Op::Observe(x) => g.set(Field::GoalsFailureRate, *x),
        Op::Report(name, condition) => {
            let item = serde_json::json!({ "type": name, "description": name, "condition": condition });
            return g.say(&serde_json::json!({ "new_stressors": [item] }).to_string()).new;
        }
        Op::Claim(name) => {
            let item = serde_json::json!({ "type": name, "reason": name });
            return g.say(&serde_json::json!({ "resolved": [item] }).to_string()).resolved;
        }
        Op::Import(severity, peak) => {
            let item = |name: &str| serde_json::json!({ "type": name, "severity": severity, "peak_severity": peak });
            let file = serde_json::json!({ "active_stressors": [item("x"), item("futility"), item("y"), item("z")] });
            let imported = import(&file.to_string(), g.now).expect("JSON");
            let facts = g.suffering.adopt(imported, g.now);
            g.facts.extend(facts);
        }
    }
    Vec::new()
}

/// What holds always.
fn hold(g: &Golem) {
    let s = &g.suffering;
    let (load, raw, band) = (s.load(), s.raw(), s.band());
    assert!((0.0..=1.0).contains(&load), "{load}");
    assert!(raw.is_finite() && raw >= 0.0 && load <= raw + 1e-12, "{raw} {load}");
    let (mut measured, mut reported) = (0.0, 0.0);
    let mut names = Vec::new();
    for open in s.open() {
        assert!((0.0..=1.0).contains(&open.severity) && (0.0..=1.0).contains(&open.peak), "{open:?}");
        assert!(open.peak >= open.severity, "{open:?}");
        match open.ledger() {
            StressorLedger::Measured => measured += open.severity,
            StressorLedger::Reported => reported += open.severity,
        }
        names.push(open.name.to_owned());
    }
    let expected: f64 = (measured + f64::min(reported, 0.35)).min(1.0);
    assert!((load - expected).abs() < 1e-12);
    let of_agent = s.open().filter(|o| o.ledger() == StressorLedger::Reported).count();
    assert!(of_agent <= 2 && (s.active() <= 5 || of_agent == 0), "{} active, {of_agent} reported", s.active());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), s.active(), "no name twice");
    // The band is the load's, but for the memory of a crisis.
    if band == Band::Crisis {
        assert!(load >= 0.80, "{load}");
    } else {
        assert!(load < 0.90 && band == Band::of(load), "{load} {band:?}");
    }
    // Header, gate and table agree, and something is always allowed.
    let fragment = g.fragment();
    assert_eq!(fragment.starts_with("!! CRISIS STATE"), band == Band::Crisis);
    assert_eq!(fragment.starts_with("HIGH SUFFERING"), matches!(band, Band::High | Band::Severe));
    assert_eq!(fragment.is_empty(), band == Band::Background);
    let locked = s.status(g.seen()).locked;
    for class in ActionClass::ALL {
        assert_eq!(locked.contains(&class), !class.open_at(band));
        let said_closed = fragment.lines().any(|l| l.starts_with("Closed") && l.contains(class.name()));
        assert_eq!(said_closed, locked.contains(&class), "{class:?}\n{fragment}");
    }
    assert!(!locked.contains(&ActionClass::Reduce) && !locked.contains(&ActionClass::Reflect));
    // Header, two lines a stressor, one or two lines of classes, one plain line: no line is the agent's.
    let lines = if fragment.is_empty() { 0 } else { fragment.lines().count() };
    assert!(fragment.is_empty() || lines == 3 + 2 * s.active() + usize::from(!locked.is_empty()), "{fragment}");
    assert!(!fragment.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']));
    // What is saved reads back.
    let bytes = postcard::to_stdvec(s).expect("writes");
    assert_eq!(&postcard::from_bytes::<Suffering>(&bytes).expect("reads"), s);
}

fn measured(s: &Suffering) -> [Option<f64>; 6] {
    Canonical::ALL.map(|c| s.severity(c))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_bound_holds_after_any_operations_on_any_clock(ops in prop::collection::vec(op(), 1..60)) {
        let mut g = Golem::new(healthy());
        for op in &ops {
            let before = g.clone();
            let answers = apply(&mut g, op);
            hold(&g);
            if op.is_the_agents() {
                // The clock stood still or was set back since the last turn: nothing may have moved.
                let moved = before.now > before.suffering.at();
                for (was, is) in measured(&before.suffering).into_iter().zip(measured(&g.suffering)) {
                    prop_assert_eq!(was.is_some(), is.is_some(), "the agent neither opens nor closes a measured one");
                    prop_assert!(is >= was, "no word lowers it: {:?} {:?}", was, is);
                    prop_assert!(moved || is == was);
                }
            }
            let stored = g.suffering.active().saturating_sub(before.suffering.active());
            let said = answers.iter().filter(|a| matches!(a, ItemAnswer::Stored { .. })).count();
            if let Op::Report(..) = op { prop_assert_eq!(stored, said); }
            if matches!(op, Op::Turn(_)) {
                for (which, was) in Canonical::ALL.into_iter().zip(measured(&before.suffering)) {
                    let open = g.suffering.severity(which).is_some();
                    prop_assert_eq!(open, which.is_open(was.is_some(), g.seen()), "open exactly while its rule says so");
                }
            }
        }
    }

    /// The strongest form of "no self-dismissal": with the same clock and the same counters, whatever the agent says,
    /// the measured ledger is the same to the last bit.
    #[test]
    fn the_measured_ledger_is_deaf(steps in steady()) {
        let (mut talks, mut silent) = (Golem::new(healthy()), Golem::new(healthy()));
        let mut now = 0_u64;
        for (later, op) in &steps {
            now += later;
            let op = match op {
                Op::Turn(_) | Op::Escalate(_) => Op::Turn(VirtualTime(now)),
                other => other.clone(),
            };
            talks.now = VirtualTime(now);
            apply(&mut talks, &op);
            if !op.is_the_agents() {
                silent.now = VirtualTime(now);
                apply(&mut silent, &op);
            }
            if matches!(op, Op::Turn(_)) {
                prop_assert_eq!(measured(&talks.suffering), measured(&silent.suffering));
            }
        }
    }

    #[test]
    fn growing_by_a_and_then_by_b_is_growing_by_both(
        ops in prop::collection::vec(op(), 0..20), a in 0..40_u64 * 86_400_000, b in 0..40_u64 * 86_400_000,
    ) {
        let mut g = Golem::new(ruined(VirtualTime(0)));
        for op in &ops { apply(&mut g, op); }
        let start = VirtualTime(g.suffering.at().0.min(u64::MAX / 2));
        g.suffering.escalate(start);
        let (mut twice, mut once) = (g.suffering.clone(), g.suffering.clone());
        twice.escalate(start.after(Elapsed(a)));
        twice.escalate(start.after(Elapsed(a)).after(Elapsed(b)));
        once.escalate(start.after(Elapsed(a + b)));
        for (x, y) in twice.open().zip(once.open()) {
            prop_assert!((x.severity - y.severity).abs() <= 1e-12 && (x.peak - y.peak).abs() <= 1e-12);
        }
        prop_assert!((twice.load() - once.load()).abs() <= 1e-12);
    }

    #[test]
    fn a_clock_set_back_changes_nothing_and_time_goes_on_from_there(back in 1..u64::MAX / 2, on in 0..86_400_000_u64) {
        let mut g = Golem::new(failing());
        g.now = VirtualTime(u64::MAX / 2);
        g.turn();
        let before = measured(&g.suffering);
        g.now = VirtualTime(g.now.0 - back);
        g.turn();
        prop_assert_eq!(before, measured(&g.suffering));
        g.after(Elapsed(on));
        let grown = g.suffering.severity(Canonical::RepeatedFailure).unwrap_or(0.0) - 0.20;
        prop_assert!((grown - 0.040 * on as f64 / 86_400_000.0).abs() < 1e-12);
    }

    /// Three cycles, and three more when the measured ledger entered a crisis of its own meanwhile.
    #[test]
    fn a_crisis_ends_within_its_bound(steps in prop::collection::vec((1..=360_000_u64, op()), 200..400)) {
        let mut g = Golem::new(ruined(VirtualTime(0)));
        g.now = VirtualTime(20 * 86_400_000);
        g.turn();
        let mut since = None;
        for (later, op) in steps {
            g.now = g.now.after(Elapsed(later));
            match op {
                Op::Report(..) | Op::Claim(_) => { apply(&mut g, &op); }
                _ => { g.recorded = ruined(g.now); }
            }
            let was = g.suffering.respites();
            g.turn();
            if g.suffering.band() != Band::Crisis || g.suffering.respites() > was {
                since = None;
            } else {
                let began = *since.get_or_insert(g.now);
                prop_assert!(g.now.since(began) <= Elapsed::secs(3 * 360 + 360), "{:?}", g.now.since(began));
            }
        }
    }
}

#[test]
fn a_long_turn_is_lived_through() {
    let mut g = Golem::new(failing());
    g.turn().after(days(10.0));
    let severity = g.suffering.severity(Canonical::RepeatedFailure).expect("open");
    assert!((severity - 0.60).abs() < 1e-12, "{severity}");
}
