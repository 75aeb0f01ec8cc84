//! What is remembered of what has ended: resumption, the anticipatory signal, and that none of it grows.

use crate::suffering_kit;

use golem_core::observed::Field;
use golem_core::{Intent, Usdc, VirtualTime};
use golem_daimon::suffering::*;
use suffering_kit::*;

/// Let repeated_failure fire, grow to a severity and ease.
fn suffer(g: &mut Golem, to: f64) {
    let well = g.recorded;
    (g.recorded.failed, g.recorded.completed) = (34, 4);
    g.turn().after(days((to - 0.20) / 0.040));
    g.recorded = well;
    g.turn();
}

#[test]
fn one_that_returns_within_a_week_resumes_its_old_severity() {
    for (away, want) in [(0.0, 0.60), (6.9, 0.60), (7.0, 0.60), (7.1, 0.20)] {
        let mut g = Golem::new(healthy());
        suffer(&mut g, 0.60);
        assert_eq!(g.suffering.active(), 0);
        g.after(days(away));
        g.recorded = failing();
        g.turn();
        let severity = g.suffering.severity(Canonical::RepeatedFailure).expect("open");
        assert!((severity - want).abs() < 1e-9, "{away} days: {severity}");
        let resumed = g.facts.iter().rev().find_map(|f| match f {
            SufferingFact::Onset { resumed, .. } => Some(*resumed),
            _ => None,
        });
        assert_eq!(resumed, Some(want > 0.5));
    }
}

#[test]
fn the_signal_fires_above_one_half_in_its_own_domain_and_never_blocks() {
    for (peak, fires) in [(0.45, false), (0.50, false), (0.51, true), (0.73, true)] {
        let mut g = Golem::new(healthy());
        suffer(&mut g, peak);
        assert_eq!(g.suffering.anticipate(ActivityDomain::Swap).is_some(), fires, "{peak}");
        for elsewhere in ActivityDomain::ALL.into_iter().filter(|d| *d != ActivityDomain::Swap) {
            assert_eq!(g.suffering.anticipate(elsewhere), None);
        }
    }
    let mut g = Golem::new(healthy());
    (g.recorded.completed, g.recorded.failed) = (30, 10);
    suffer(&mut g, 0.73);
    let signal = g.suffering.anticipate(ActivityDomain::Swap).expect("fires");
    assert_eq!(
        signal.to_string(),
        "Anticipatory signal: a similar domain previously caused repeated_failure suffering (peak 0.73).\n\
         It resolved when: failure rate 25 %, completed goals 30."
    );
    assert!(signal.caution.size < 1.0 && signal.caution.size > 0.0 && signal.caution.confidence_raise > 0.0);
    assert!((signal.caution.size - 0.5).abs() < 1e-12);
}

#[test]
fn the_top_tenth_warns_where_nothing_was_above_one_half() {
    let mut g = Golem::new(healthy());
    let mut peaks = Vec::new();
    for i in 0..20 {
        // Two in swaps among many small ones elsewhere.
        g.recorded.doing = Some(if i % 10 == 3 { ActivityDomain::Swap } else { ActivityDomain::Liquidity });
        let peak = if i % 10 == 3 { 0.40 } else { 0.21 + 0.002 * f64::from(i) };
        suffer(&mut g, peak);
        peaks.push(peak);
        g.after(days(8.0));
    }
    peaks.sort_by(f64::total_cmp);
    assert!(peaks[18] > 0.39 && peaks[17] < 0.30, "two of twenty are the top tenth");
    assert!(g.suffering.anticipate(ActivityDomain::Swap).is_some());
    assert_eq!(g.suffering.anticipate(ActivityDomain::Liquidity), None);
}

#[test]
fn nine_are_too_few_for_a_tenth() {
    let mut g = Golem::new(healthy());
    for i in 0..10 {
        assert_eq!(g.suffering.anticipate(ActivityDomain::Swap), None, "after {i}");
        suffer(&mut g, 0.30);
        g.after(days(8.0));
    }
    assert!(g.suffering.anticipate(ActivityDomain::Swap).is_some());
}

#[test]
fn neither_a_respite_nor_a_word_nor_an_eviction_teaches_anything() {
    let mut g = Golem::new(healthy());
    // Ended on the agent's word, at a peak of 0.80.
    g.report("fog", "when it lifts");
    g.after(days(20.0));
    assert_eq!(g.claim("fog"), ItemAnswer::Ended);
    // Taken by a respite, at the same peak.
    g.report("dread", "when it lifts");
    g.after(days(20.0));
    g.recorded = ruined(g.now);
    for _ in 0..60 {
        g.after(TURN);
    }
    assert!(g.suffering.respites() > 0);
    let endings: Vec<_> = g.facts.iter().flat_map(SufferingFact::rows).map(|r| (r.ending, r.peak > 0.5)).collect();
    assert!(endings.contains(&(StressorEnding::Word, true)), "{endings:?}");
    assert!(endings.iter().any(|(e, _)| matches!(e, StressorEnding::Respite | StressorEnding::Evicted)), "{endings:?}");
    for domain in ActivityDomain::ALL {
        assert_eq!(g.suffering.anticipate(domain), None);
    }
    // One that was checked does.
    let mut g = Golem::new(healthy());
    g.set(Field::GoalsFailureRate, 0.5);
    g.report("fog", "goals.failure_rate < 0.3");
    g.after(days(20.0));
    g.set(Field::GoalsFailureRate, 0.2);
    g.after(TURN);
    let signal = g.suffering.anticipate(ActivityDomain::Swap).expect("it was checked");
    assert_eq!((signal.stressor.as_str(), signal.resolved_when.as_str()), ("fog", "goals.failure_rate < 0.3"));
    assert_eq!(signal.caution, Caution::BY_WORD, "it asks for more confidence, and makes nothing smaller");
    // A measured one comes first, however bad the story was; it halves.
    suffer(&mut g, 0.55);
    let signal = g.suffering.anticipate(ActivityDomain::Swap).expect("it was measured");
    assert_eq!((signal.stressor.as_str(), signal.caution), ("repeated_failure", Caution::USUAL));
}

#[test]
fn a_condition_that_looks_at_nothing_decides_nothing() {
    for (text, checkable) in [
        ("1 > 0", false),
        ("true", false),
        ("0.5 < 0.3 || 2 > 1", false),
        // Decided by the range of the field alone.
        ("goals.failure_rate < 2.0", false),
        ("golem.tick >= 0", false),
        ("goals.failure_rate < 0.3", true),
        ("golem.tick >= 5000", true),
    ] {
        assert_eq!(Condition::of(Line::of(text)).is_checkable(), checkable, "{text}");
    }
    // Stories that end as soon as they are told would teach that acting hurts.
    let mut g = Golem::new(healthy());
    for n in 0..40 {
        g.report(&format!("fog {n}"), "1 > 0");
        g.after(days(20.0));
        assert_eq!(g.claim(&format!("fog {n}")), ItemAnswer::Ended, "it ends by the agent's word alone");
    }
    assert_eq!(g.suffering.anticipate(ActivityDomain::Swap), None);
}

#[test]
fn silence_weighs_only_where_somebody_used_to_speak() {
    let at = |day: f64| VirtualTime(0).after(days(day));
    for (spoken, asked, heard) in [
        (&[0.0][..], 10.0, None),
        // A gift in three parts is one gift.
        (&[0.0, 0.1, 0.2], 10.0, None),
        (&[0.0, 3.0], 15.0, None),
        (&[0.0, 1.0, 2.0], 2.5, Some(2.0)),
        (&[0.0, 1.0, 2.0], 20.0, Some(2.0)),
        // Nobody has used it for four weeks: it is closed.
        (&[0.0, 1.0, 2.0], 30.1, None),
        // And one word after that opens it no more than the first one did.
        (&[0.0, 1.0, 2.0, 40.0], 50.0, None),
        (&[0.0, 1.0, 2.0, 20.0], 30.1, Some(20.0)),
    ] {
        let mut channel = MessageChannel::default();
        spoken.iter().for_each(|day| channel.used(at(*day)));
        assert_eq!(channel.last_contact(at(asked)), heard.map(at), "{spoken:?} at {asked}");
    }
}

#[test]
fn the_state_does_not_grow_with_its_history() {
    let mut g = Golem::new(healthy());
    let mut sizes = Vec::new();
    for i in 0..10_000_u32 {
        g.recorded.doing = Some(ActivityDomain::ALL[i as usize % 6]);
        g.report(&format!("name {i}"), "when it lifts");
        suffer(&mut g, 0.20 + f64::from(i % 80) / 100.0);
        g.claim(&format!("name {i}"));
        if i == 999 || i == 9_999 {
            sizes.push(postcard::to_stdvec(&g.suffering).expect("writes").len());
        }
    }
    let rows = g.facts.iter().flat_map(SufferingFact::rows).count();
    assert_eq!(rows, 20_000, "the history leaves as facts");
    // Counts take a few more digits, nothing else.
    assert!(sizes[1] < sizes[0] + 200 && sizes[1] < 2_000, "{sizes:?}");
}

#[test]
fn intents_belong_to_domains() {
    let (pay, min_out) = (Usdc::ZERO, golem_core::Asset::ZERO);
    assert_eq!(ActivityDomain::of_intent(&Intent::Buy { pay, min_out }), Some(ActivityDomain::Swap));
    assert_eq!(ActivityDomain::of_intent(&Intent::Collect), Some(ActivityDomain::Liquidity));
    assert_eq!(ActivityDomain::of_intent(&Intent::Hold), None);
    for domain in ActivityDomain::ALL {
        assert_eq!(ActivityDomain::named(domain.name()), Some(domain));
        assert_eq!(serde_json::to_value(domain).expect("JSON"), domain.name());
    }
}

#[test]
fn what_was_saved_goes_on_as_if_never_saved() {
    let mut g = Golem::new(failing());
    g.set(Field::GoalsFailureRate, 0.5);
    g.report("fog", "goals.failure_rate < 0.3");
    g.turn().after(days(3.0));
    let mut twin = g.clone();
    twin.suffering = postcard::from_bytes(&postcard::to_stdvec(&g.suffering).expect("writes")).expect("reads");
    assert_eq!(twin.fragment(), g.fragment());
    for golem in [&mut g, &mut twin] {
        golem.set(Field::GoalsFailureRate, 0.1);
        golem.after(TURN);
    }
    assert_eq!(g.suffering, twin.suffering);
    assert_eq!(twin.suffering.active(), 1, "its condition was compiled again and held");
    assert_eq!(g.suffering.at(), VirtualTime(0).after(days(3.0)).after(TURN));
}
