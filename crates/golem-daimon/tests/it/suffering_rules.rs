//! The six rules, against the sentences they were written from and against a second, plain implementation.

use crate::suffering_kit;

use golem_core::VirtualTime;
use golem_core::observed::Snapshot;
use golem_daimon::suffering::{Canonical, RecordedCounters, SufferingSeen};
use golem_mortality::BehavioralPhase;
use proptest::prelude::*;
use suffering_kit::{any_recorded, days, healthy};

const NOW: VirtualTime = VirtualTime(40 * 86_400_000);

fn with_seen<T>(recorded: &RecordedCounters, now: VirtualTime, ask: impl Fn(SufferingSeen<'_>) -> T) -> T {
    ask(SufferingSeen { now, recorded, snapshot: &Snapshot::new() })
}

fn ago(d: f64) -> Option<VirtualTime> {
    Some(VirtualTime(NOW.0 - days(d).0))
}

/// What to change, whether the stressor was open, whether it is open then.
type Case = (Canonical, fn(&mut RecordedCounters), bool, bool);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // futility: abandoned > completed, at least 3 idle rules, fewer than 2 completed
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.idle_rules, r.completed_with_rule) = (2, 1, 3, 0) }, false, true),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.idle_rules, r.completed_with_rule) = (2, 1, 2, 0) }, false, false),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.idle_rules, r.completed_with_rule) = (1, 1, 3, 0) }, false, false),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.idle_rules, r.completed_with_rule) = (9, 2, 3, 0) }, false, false),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.idle_rules, r.completed_with_rule) = (9, 2, 0, 0) }, true, true),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (9, 4, 3) }, true, true),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (9, 4, 4) }, true, false),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (6, 5, 0) }, true, true),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (7, 6, 0) }, true, true),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (6, 6, 0) }, true, false),
    // invisibility: 7 days without contact, where there is a channel
    (Canonical::Invisibility, |r| r.contact = None, false, false),
    (Canonical::Invisibility, |r| r.contact = None, true, false),
    (Canonical::Invisibility, |r| r.contact = ago(6.99), false, false),
    (Canonical::Invisibility, |r| r.contact = ago(7.0), false, true),
    (Canonical::Invisibility, |r| r.contact = ago(8.0), true, true),
    (Canonical::Invisibility, |r| r.contact = ago(0.0), true, false),
    // identity_violation: 2 in 7 days; 3 days without one, or the rule fell below .5
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(0.1), Some(0.8)) }, false, true),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (1, ago(0.1), Some(0.8)) }, false, false),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (1, ago(2.9), Some(0.6)) }, true, true),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(3.0), Some(0.8)) }, true, false),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(3.5), Some(0.8)) }, false, false),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(0.1), Some(0.49)) }, true, false),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(0.1), Some(0.5)) }, true, true),
    // existential_threat: Declining or worse, less than 72 h, or senescent
    (Canonical::ExistentialThreat, |r| r.phase = BehavioralPhase::Declining, false, true),
    (Canonical::ExistentialThreat, |r| r.phase = BehavioralPhase::Terminal, false, true),
    (Canonical::ExistentialThreat, |r| r.phase = BehavioralPhase::Conservation, false, false),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = Some(71.9), false, true),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = Some(72.0), false, false),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = Some(96.0), true, true),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = Some(96.1), true, false),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = None, true, false),
    (Canonical::ExistentialThreat, |r| r.senescent = true, false, true),
    (Canonical::ExistentialThreat, |r| r.senescent = true, true, true),
    // repeated_failure: at least 4 failed and more than half; below .3 with at least 3 completed
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (4, 3) }, false, true),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (4, 4) }, false, false),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (3, 0) }, false, false),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (3, 7) }, true, true),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (2, 5) }, true, false),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (0, 2) }, true, true),
    // purposelessness: 500 episodes and none completed; at least 3 completed below .3
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (500, 0, 0) }, false, true),
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (499, 0, 0) }, false, false),
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (900, 1, 0) }, false, false),
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (0, 2, 0) }, true, true),
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (0, 3, 1) }, true, false),
    (Canonical::Purposelessness, |r| { (r.episodes_since_completed, r.completed, r.failed) = (0, 3, 2) }, true, true),
];

#[test]
fn each_rule_opens_and_closes_where_it_says() {
    for (i, (which, change, was, want)) in CASES.iter().enumerate() {
        let mut recorded = healthy();
        change(&mut recorded);
        let open = with_seen(&recorded, NOW, |seen| which.is_open(*was, seen));
        assert_eq!(open, *want, "case {i}: {which}, open before: {was}, {recorded:?}");
    }
}

/// The sentences of the table once more, as plain conditions: (fires, resolves).
fn as_written(which: Canonical, r: &RecordedCounters, now: VirtualTime) -> (bool, bool) {
    let days_since = |t: VirtualTime| now.0.saturating_sub(t.0) as f64 / 86_400_000.0;
    let rate = f64::from(r.failed) / f64::from(r.failed + r.completed);
    let life = r.projected_life_h.unwrap_or(f64::MAX);
    match which {
        Canonical::Futility => (
            r.abandoned > r.completed && r.idle_rules >= 3 && r.completed < 2,
            r.completed_with_rule > 3 || (r.completed > 5 && r.abandoned <= r.completed),
        ),
        Canonical::Invisibility => {
            let silent = r.contact.is_some_and(|t| days_since(t) >= 7.0);
            (silent, !silent)
        }
        Canonical::IdentityViolation => (
            r.violations >= 2,
            r.last_violation.is_none_or(|t| days_since(t) >= 3.0) || r.violated_confidence.is_some_and(|c| c < 0.5),
        ),
        Canonical::ExistentialThreat => (
            r.phase <= BehavioralPhase::Declining || life < 72.0 || r.senescent,
            r.phase >= BehavioralPhase::Conservation && life > 96.0 && !r.senescent,
        ),
        Canonical::RepeatedFailure => (r.failed >= 4 && rate > 0.5, rate < 0.3 && r.completed >= 3),
        Canonical::Purposelessness => {
            (r.episodes_since_completed >= 500 && r.completed == 0, r.completed >= 3 && rate < 0.3)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_table_says_what_the_sentences_say(r in any_recorded(), now in 0..80_u64 * 86_400_000, was: bool) {
        let now = VirtualTime(now);
        for which in Canonical::ALL {
            let (fires, eases) = as_written(which, &r, now);
            with_seen(&r, now, |seen| {
                assert_eq!((which.fires(seen), which.eases(seen)), (fires, eases), "{which} {r:?}");
                assert_eq!(which.is_open(was, seen), !eases && (was || fires));
            });
        }
    }

    #[test]
    fn every_text_is_one_line_and_says_something(r in any_recorded(), now in 0..80_u64 * 86_400_000) {
        for which in Canonical::ALL {
            with_seen(&r, VirtualTime(now), |seen| {
                assert_eq!(which.evidence(seen).is_empty(), !which.fires(seen), "{which}");
                assert_eq!(which.relief(seen).is_empty(), !which.eases(seen), "{which}");
                assert!(which.eases(seen) || which.distance(seen).contains("eases"));
                for text in [which.evidence(seen), which.relief(seen), which.distance(seen), which.eases_when(seen)] {
                    assert!(!text.chars().any(char::is_control), "{text}");
                }
            });
        }
    }
}

/// What to change, which text, what it says.
type Said = (Canonical, fn(&mut RecordedCounters), fn(Canonical, SufferingSeen<'_>) -> String, &'static str);

#[rustfmt::skip]
const SAID: &[Said] = &[
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (6, 7) }, Canonical::distance, "failure rate 46 %, eases below 30 %"),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (7, 16) }, Canonical::distance, "failure rate 30.4 %, eases below 30 %"),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (12, 2) }, Canonical::distance, "failure rate 86 %, eases below 30 %; completed goals 2, eases at or above 3"),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (6, 5) }, Canonical::evidence, "failed goals 6, failure rate 55 %"),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (10, 30) }, Canonical::relief, "failure rate 25 %, completed goals 30"),
    (Canonical::RepeatedFailure, |r| { (r.failed, r.completed) = (6, 7) }, Canonical::eases_when, "failure rate below 30 % (now 46 %) and completed goals at or above 3 (now 7)"),
    (Canonical::Invisibility, |r| r.contact = ago(9.5), Canonical::distance, "time without owner contact or sibling use 10 days, eases below 7 days"),
    (Canonical::Invisibility, |r| r.contact = ago(7.25), Canonical::evidence, "time without owner contact or sibling use 7.2 days"),
    (Canonical::IdentityViolation, |r| { (r.violations, r.last_violation, r.violated_confidence) = (2, ago(1.5), Some(0.82)) }, Canonical::distance,
        "time since the last action against an own rule 2 days, eases at or above 3 days, or confidence of the violated rule 0.8, eases below 0.5"),
    (Canonical::ExistentialThreat, |r| { (r.phase, r.projected_life_h, r.senescent) = (BehavioralPhase::Declining, Some(70.4), true) }, Canonical::distance,
        "phase declining, eases at or above conservation; projected life 70 h, eases above 96 h; forecasts have gone stale, fitness 0.500, eases above 0.45"),
    (Canonical::ExistentialThreat, |r| r.senescent = true, Canonical::eases_when,
        "phase at or above conservation (now stable) and projected life above 96 h (now 900 h) and forecasts good again: fitness above 0.45 (now 0.500)"),
    // Where a newborn is asked, fitness alone ends nothing, and nothing says that it does.
    (Canonical::ExistentialThreat, |r| (r.senescent, r.fitness, r.lead) = (true, 0.6, Some(-0.031)), Canonical::eases_when,
        "phase at or above conservation (now stable) and projected life above 96 h (now 900 h) and forecasts good again: fitness above 0.45 (now 0.600) and better than a newborn (now -0.031)"),
    (Canonical::ExistentialThreat, |r| (r.senescent, r.fitness, r.lead) = (true, 0.6, Some(-0.031)), Canonical::distance,
        "forecasts have gone stale, fitness 0.600 and -0.031 against a newborn, eases above 0.45 and better than a newborn"),
    (Canonical::ExistentialThreat, |r| r.projected_life_h = None, Canonical::relief, "phase stable, projected life without end, forecasts hold, fitness 0.500"),
    (Canonical::Futility, |r| { (r.abandoned, r.completed, r.completed_with_rule) = (5, 1, 0) }, Canonical::eases_when,
        "goals completed with a promoted rule above 3 (now 0), or completed goals above 5 (now 1) and abandoned less completed goals at or below 0 (now 4)"),
    (Canonical::Purposelessness, |r| { (r.completed, r.failed, r.episodes_since_completed) = (0, 0, 512) }, Canonical::distance,
        "completed goals 0, eases at or above 3; failure rate unknown, eases below 30 %"),
];

#[test]
fn each_rule_explains_itself_in_numbers() {
    for (which, change, text, want) in SAID {
        let mut recorded = healthy();
        change(&mut recorded);
        assert_eq!(with_seen(&recorded, NOW, |seen| text(*which, seen)), *want, "{which}");
    }
}
