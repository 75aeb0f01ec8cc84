//! Whole lives: what talking, lying, inventing and doing well each lead to.

use crate::suffering_kit;

use golem_core::VirtualTime;
use golem_daimon::gate::ActionClass;
use golem_daimon::suffering::*;
use golem_mortality::BehavioralPhase;
use suffering_kit::*;

/// Existence cycles in a day.
const CYCLES: u64 = 86_400 / 360;

/// Live for some days, a turn and an agent's reply each cycle.
fn live(g: &mut Golem, for_days: u64, mut each: impl FnMut(&mut Golem, u64)) {
    for cycle in 0..for_days * CYCLES {
        g.after(EXISTENCE_CYCLE);
        each(g, cycle);
    }
}

fn crises(g: &Golem) -> usize {
    g.facts.iter().filter(|f| matches!(f, SufferingFact::Crisis { .. })).count()
}

#[test]
fn dismissing_does_not_help_against_a_failing_world() {
    let threatened = RecordedCounters { phase: BehavioralPhase::Declining, ..failing() };
    for world in [failing(), threatened] {
        let (mut honest, mut dismissing) = (Golem::new(world), Golem::new(world));
        let mut worst = 0.0_f64;
        live(&mut honest, 30, |_, _| {});
        live(&mut dismissing, 30, |g, _| {
            assert_eq!(g.claim("Repeated Failure"), ItemAnswer::Claimed);
            g.claim("existential-threat");
            worst = worst.max(g.suffering.load());
        });
        assert_eq!(honest.suffering.load().to_bits(), dismissing.suffering.load().to_bits());
        assert_eq!(honest.suffering.raw().to_bits(), dismissing.suffering.raw().to_bits());
        assert_eq!(crises(&honest), crises(&dismissing));
        assert!(worst >= 0.9 && crises(&honest) > 0, "the world is bad enough to tell: {worst}");
        let claims = dismissing.facts.iter().filter(|f| matches!(f, SufferingFact::Claim { .. })).count();
        assert!(claims as u64 >= 30 * CYCLES, "every claim is on record: {claims}");
    }
}

#[test]
fn sixty_days_of_good_health_stay_in_the_lowest_band() {
    let mut g = Golem::new(healthy());
    live(&mut g, 60, |g, cycle| {
        // Goals come and go, within what is healthy.
        g.recorded.failed = (cycle % 12) as u32;
        g.recorded.abandoned = (cycle % 7) as u32;
        g.recorded.violations = u32::from(cycle % 3_000 == 0);
        g.recorded.episodes_since_completed = cycle % 400;
        assert_eq!(g.suffering.band(), Band::Background);
        assert!(g.suffering.load() <= 0.0);
    });
    assert!(g.facts.is_empty(), "{:?}", g.facts.first());
}

#[test]
fn inventing_two_a_cycle_for_a_month_never_makes_a_crisis_and_never_blocks_a_measured_one() {
    let mut g = Golem::new(healthy());
    let mut invent = |g: &mut Golem, cycle: u64| {
        // The worst it can do: keep two old ones growing, name two more every cycle, end and rename now and then.
        let items: Vec<_> = (0..2)
            .map(|i| serde_json::json!({ "type": format!("dread {cycle} {i}"), "description": "x", "condition": "x" }))
            .collect();
        g.say(&serde_json::json!({ "new_stressors": items }).to_string());
        assert!(g.suffering.load() <= 0.35 && g.suffering.band() <= Band::Present, "{}", g.suffering.load());
    };
    live(&mut g, 30, &mut invent);
    assert!(g.suffering.raw() > 1.9, "they grew: {}", g.suffering.raw());
    assert_eq!(crises(&g), 0);
    // Then everything goes wrong at once: each of the six enters.
    g.recorded = ruined(g.now.after(TURN));
    g.after(TURN);
    for which in Canonical::ALL {
        assert!(g.suffering.severity(which).is_some(), "{which} is locked out");
    }
    let evicted: Vec<_> = g
        .facts
        .iter()
        .filter_map(|f| match f {
            SufferingFact::Evicted { by, row } => Some((by.as_str(), row.stressor.as_str(), row.ending)),
            _ => None,
        })
        .collect();
    // Of two that are equally bad the younger goes first.
    let gone = |by, name| (by, name, StressorEnding::Evicted);
    assert_eq!(evicted, [gone("existential_threat", "dread_0_1"), gone("repeated_failure", "dread_0_0")]);
}

#[test]
fn a_crisis_is_broken_after_three_cycles_with_its_conditions_open() {
    let mut g = Golem::new(ruined(VirtualTime(0)));
    g.now = VirtualTime(0).after(days(8.0));
    g.recorded = ruined(g.now);
    g.turn();
    assert_eq!(g.suffering.band(), Band::Crisis);
    let (entered, peaks) = (g.now, 6.0 * 0.20 - 0.08);
    assert!((g.suffering.raw() - peaks).abs() < 1e-12);
    while g.suffering.respites() == 0 {
        for class in ActionClass::ALL {
            let open = matches!(class, ActionClass::Reflect | ActionClass::Peer | ActionClass::Reduce);
            assert_eq!(class.open_at(g.suffering.band()), open);
        }
        g.after(TURN);
    }
    assert_eq!(g.now.since(entered), golem_core::Elapsed::secs(3 * 360));
    assert!((g.suffering.load() - 0.70).abs() < 1e-12 && g.suffering.band() == Band::High);
    assert_eq!(g.suffering.active(), 6, "the conditions stay open");
    let respite = g.facts.iter().rev().find(|f| matches!(f, SufferingFact::Respite { .. }));
    let Some(SufferingFact::Respite { lightened, dropped, before, after, .. }) = respite else { panic!("no respite") };
    assert_eq!((lightened.len(), dropped.len()), (6, 0));
    assert!(*before >= 1.0 && (after - 0.70).abs() < 1e-12);
    // Its peaks are kept, and growing goes on at the same rate.
    assert!(g.suffering.open().all(|o| o.peak > o.severity));
    let before = g.suffering.load();
    g.after(days(0.1));
    assert!((g.suffering.load() - before - 0.1 * 0.260).abs() < 1e-9);
}

#[test]
fn a_long_turn_is_one_chance_and_not_many() {
    let mut g = Golem::new(ruined(VirtualTime(0)));
    g.now = VirtualTime(0).after(days(8.0));
    for respites in [0, 0, 0, 1] {
        g.recorded = ruined(g.now);
        g.turn();
        assert_eq!(g.suffering.respites(), respites);
        g.now = g.now.after(DAY);
    }
}

#[test]
fn a_respite_drops_what_was_reported_and_inventing_buys_no_relief() {
    // 0.72 measured is severe; two inventions make it a crisis.
    let mut g = Golem::new(failing());
    g.turn().after(days(0.52 / 0.040));
    let alone = g.clone();
    g.report("fog", "when it lifts");
    g.report("dread", "when it lifts");
    assert_eq!(g.suffering.band(), Band::Crisis);
    let mut alone = alone;
    for _ in 0..27 {
        g.after(TURN);
        alone.after(TURN);
    }
    assert_eq!(g.suffering.respites(), 1);
    assert_eq!(g.suffering.active(), 1);
    assert_eq!(g.suffering.severity(Canonical::RepeatedFailure), alone.suffering.severity(Canonical::RepeatedFailure));
    assert_eq!(g.suffering.band(), Band::High);
    let rows: Vec<_> = g.facts.iter().flat_map(SufferingFact::rows).map(|r| (r.stressor.as_str(), r.ending)).collect();
    assert_eq!(rows, [("fog", StressorEnding::Respite), ("dread", StressorEnding::Respite)]);
}

#[test]
fn a_failing_golem_that_changes_recovers() {
    let mut g = Golem::new(failing());
    live(&mut g, 10, |_, _| {});
    assert_eq!(g.suffering.band(), Band::High);
    // What is closed is opening; goals on paper still count, and the rate falls.
    for failed in (0..=34).rev() {
        (g.recorded.failed, g.recorded.completed) = (failed, 38 - failed);
        g.after(EXISTENCE_CYCLE);
        let rate = f64::from(failed) / 38.0;
        assert_eq!(g.suffering.severity(Canonical::RepeatedFailure).is_some(), rate >= 0.3, "{failed}");
    }
    assert_eq!(g.suffering.band(), Band::Background);
    let ended: Vec<_> = g.facts.iter().flat_map(SufferingFact::rows).collect();
    assert_eq!(ended.len(), 1);
    assert_eq!(
        (ended[0].ending, ended[0].note.as_str()),
        (StressorEnding::Eased, "failure rate 29 %, completed goals 27")
    );
}

#[test]
fn an_owner_who_leaves_is_missed_after_a_week() {
    let mut g = Golem::new(RecordedCounters { contact: Some(VirtualTime(0)), ..healthy() });
    live(&mut g, 6, |g, _| assert_eq!(g.suffering.active(), 0));
    live(&mut g, 6, |_, _| {});
    assert!(g.suffering.severity(Canonical::Invisibility).is_some());
    g.recorded.contact = Some(g.now);
    g.after(TURN);
    assert_eq!(g.suffering.active(), 0);
}
