//! How need builds up.

use super::*;
use crate::schedule::testing::{config, seen};
use BehavioralPhase::*;
use golem_core::VirtualTime;
use proptest::prelude::*;

const AWAKE: [BehavioralPhase; 4] = [Thriving, Stable, Conservation, Declining];

fn pure(since: u64, change: impl FnOnce(&mut DreamSeen)) -> DreamUrgency {
    let mut s = seen();
    s.fitness = 1.0;
    change(&mut s);
    dream_urgency(&s, since, &config().urgency)
}

#[test]
fn the_table_of_weights() {
    for (phase, weights, period, opens) in [
        (Thriving, [0.25, 0.30, 0.10, 0.10, 0.05, 0.20], 400.0, 0.80),
        (Stable, [0.22, 0.30, 0.10, 0.10, 0.08, 0.20], 300.0, 0.70),
        (Conservation, [0.18, 0.25, 0.12, 0.13, 0.12, 0.20], 250.0, 0.60),
        (Declining, [0.20, 0.15, 0.10, 0.10, 0.15, 0.30], 150.0, 0.60),
    ] {
        let row = UrgencyRow::of(phase).unwrap();
        assert_eq!(*row, UrgencyRow { weights, natural_period: period, opens_at: opens }, "{phase}");
        assert!((row.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{phase}");
    }
    assert_eq!(UrgencyRow::of(Terminal), None);
    assert!(pure(1_000_000, |s| (s.phase, s.surprise) = (Terminal, 9.0)).value.abs() < 1e-12);
}

/// Each input alone, in Stable: half-way, in full, beyond it and as nonsense.
#[test]
fn inputs_saturate_where_the_owner_says() {
    type Put = fn(&mut DreamSeen, f64);
    let inputs: [(Put, f64, f64, UrgencyInput); 5] = [
        (|s, x| s.surprise = x, 3.0, 0.22, UrgencyInput::Novelty),
        (|s, x| s.unreplayed = x as u32, 50.0, 0.30, UrgencyInput::Consolidation),
        (|s, x| s.unresolved_arousal = x, 0.8, 0.10, UrgencyInput::Emotional),
        (|s, x| s.recent_loss = x, 0.05, 0.10, UrgencyInput::Threat),
        (|s, x| s.fitness = 1.0 - x, 1.0, 0.08, UrgencyInput::Epistemic),
    ];
    for (put, full, weight, input) in inputs {
        for (x, share) in
            [(0.0, 0.0), (full / 2.0, 0.5), (full, 1.0), (full * 3.0, 1.0), (f64::NAN, 0.0), (f64::INFINITY, 1.0)]
        {
            let found = pure(0, |s| put(s, x));
            assert!((found.value - weight * share).abs() < 1e-9, "{input:?} at {x}: {found:?}");
            assert!(share <= 0.0 || found.largest() == input, "{input:?}");
        }
    }
}

#[test]
fn the_wish_to_sleep_grows_with_time() {
    for (turns, share) in [(0, 0.0), (300, 1.0 - 1.0 / std::f64::consts::E), (3_000, 0.999_954_6), (u64::MAX, 1.0)] {
        let found = pure(turns, |_| ());
        assert!((found.value - 0.20 * share).abs() < 1e-6, "{turns}: {found:?}");
    }
    let at_period = |phase: BehavioralPhase, turns| pure(turns, |s| s.phase = phase).value;
    for (phase, period, weight) in [(Thriving, 400, 0.2), (Conservation, 250, 0.2), (Declining, 150, 0.3)] {
        assert!((at_period(phase, period) - weight * (1.0 - libm::exp(-1.0))).abs() < 1e-9, "{phase}");
    }
}

#[test]
fn what_calls_for_the_dream_has_the_seeds_word() {
    for (input, word) in UrgencyInput::ALL.into_iter().zip([
        "novelty_streak",
        "time",
        "emotional_load",
        "emotional_load",
        "novelty_streak",
        "time",
        "novelty_streak",
        "emotional_load",
    ]) {
        assert_eq!(input.word(), word, "{input:?}");
    }
    let tie = DreamUrgency { parts: [0.0, 0.1, 0.1, 0.0, 0.0, 0.1, 0.0, 0.0], value: 0.3 };
    assert_eq!(tie.largest(), UrgencyInput::Consolidation);
}

#[test]
fn thresholds_are_the_smaller_of_two_and_rise_while_the_market_is_active() {
    for (owner, phase, active, expected) in [
        (0.8, Thriving, false, 0.80),
        (0.8, Thriving, true, 0.85),
        (0.8, Stable, false, 0.70),
        (0.8, Conservation, false, 0.60),
        (0.8, Declining, true, 0.65),
        (0.65, Thriving, false, 0.65),
        (0.65, Conservation, false, 0.60),
    ] {
        let mut c = config();
        c.schedule.autonomous_threshold = owner;
        let found = opens_at(phase, active, &c).unwrap();
        assert!((found - expected).abs() < 1e-12, "{owner} {phase} {active}: {found}");
    }
    assert_eq!(opens_at(Terminal, false, &config()), None);
}

/// With no loss at all, a fitness that fits the phase and a mood that is only somewhat stirred.
#[test]
fn every_threshold_can_be_reached_without_losses() {
    for (phase, fitness) in [(Thriving, 0.75), (Stable, 0.60), (Conservation, 0.45), (Declining, 0.40)] {
        let row = UrgencyRow::of(phase).unwrap();
        let found = pure(row.natural_period as u64 * 4, |s| {
            (s.phase, s.fitness, s.recent_loss) = (phase, fitness, 0.0);
            (s.surprise, s.unreplayed, s.unresolved_arousal) = (3.0, 50, 0.5);
        });
        let threshold = opens_at(phase, false, &config()).unwrap();
        assert!(found.value >= threshold, "{phase}: {} of {threshold}", found.value);
        // While the market is active, what builds up makes up for what is missing.
        let mut build_up = UrgencyBuildUp::default();
        let mut s = seen();
        s.unresolved_patterns = true;
        for minute in 1..=5 {
            s.now = VirtualTime(minute * 60_000);
            build_up.turn(&s, found.value, false, &config().urgency);
        }
        assert!(build_up.on_top_of(found).value >= opens_at(phase, true, &config()).unwrap(), "{phase}");
    }
}

fn turns(build_up: &mut UrgencyBuildUp, s: &mut DreamSeen, n: u64, blocked: bool, pure: DreamUrgency) -> f64 {
    for _ in 0..n {
        s.now = VirtualTime(s.now.0 + 60_000);
        build_up.turn(s, pure.value, blocked, &config().urgency);
    }
    build_up.on_top_of(pure).value
}

#[test]
fn it_builds_up_while_unresolved_decays_while_blocked_and_is_gone_after_a_dream() {
    let base = pure(300, |_| ());
    let (mut build_up, mut s) = (UrgencyBuildUp::default(), seen());
    assert!((turns(&mut build_up, &mut s, 5, false, base) - base.value).abs() < 1e-12, "nothing was unresolved");
    s.unresolved_patterns = true;
    let high = turns(&mut build_up, &mut s, 10, false, base);
    assert!((high - base.value - 0.20).abs() < 1e-9, "0.02 a look");
    assert_eq!(build_up.on_top_of(base).largest(), UrgencyInput::Patterns);
    s.unresolved_patterns = false;
    assert!((turns(&mut build_up, &mut s, 10, false, base) - high).abs() < 1e-9, "it stays while nothing blocks");
    assert!((turns(&mut build_up, &mut s, 1, true, base) - high + 0.1).abs() < 1e-9, "0.1 a turn");
    assert!((turns(&mut build_up, &mut s, 9, true, base) - base.value).abs() < 1e-9, "never below the pure value");
    s.suffering = 0.5;
    assert!((turns(&mut build_up, &mut s, 10, false, base) - base.value - 0.05).abs() < 1e-9, "0.01 at full suffering");
    build_up.slept();
    assert!((build_up.on_top_of(base).value - base.value).abs() < 1e-12);
}

#[test]
fn looks_come_once_a_minute_and_at_most_once_a_turn() {
    for (step_ms, n, looks) in [(40_000, 30, 20.0), (60_000, 20, 20.0), (3_600_000, 20, 20.0), (1_000, 600, 10.0)] {
        let (mut build_up, mut s) = (UrgencyBuildUp::default(), seen());
        (s.unresolved_patterns, s.now) = (true, VirtualTime(0));
        for _ in 0..n {
            s.now = VirtualTime(s.now.0 + step_ms);
            build_up.turn(&s, 0.0, false, &config().urgency);
        }
        assert!((build_up.height() - 0.02 * looks).abs() < 1e-9, "{step_ms}: {}", build_up.height());
    }
}

/// Each number of `[dream.urgency]` that says how it builds up, changed alone.
#[test]
fn how_it_builds_up_is_the_owners_to_say() {
    type Set = fn(&mut UrgencyConfig);
    let after = |set: Set, turns: u64, blocked: bool| {
        let mut config = config().urgency;
        set(&mut config);
        let (mut build_up, mut s) = (UrgencyBuildUp::default(), seen());
        (s.now, s.unresolved_patterns, s.suffering) = (VirtualTime(0), true, 0.5);
        for turn in 1..=10 + turns {
            s.now = VirtualTime(turn * 60_000);
            build_up.turn(&s, 0.0, blocked && turn > 10, &config);
        }
        build_up.height()
    };
    // Ten looks a minute apart add 0.02 and half of 0.01 each.
    let table: [(&str, Set, u64, bool, f64); 6] = [
        ("as it is", |_| (), 0, false, 0.25),
        ("a look in five minutes", |c| c.micro_consolidation_s = 300, 0, false, 0.05),
        ("what is unresolved", |c| c.pattern_step = 0.03, 0, false, 0.35),
        ("what is suffered", |c| c.suffering_step = 0.02, 0, false, 0.30),
        ("while something blocks", |_| (), 1, true, 0.15),
        ("while it blocks less", |c| c.blocked_decay = 0.05, 1, true, 0.20),
    ];
    for (what, set, turns, blocked, height) in table {
        let found = after(set, turns, blocked);
        assert!((found - height).abs() < 1e-9, "{what}: {found}");
    }
    let mut config = config().urgency;
    let mut s = seen();
    (s.fitness, s.recent_loss) = (1.0, 0.05);
    for (full, part) in [(0.05, 0.10), (0.10, 0.05), (0.20, 0.025)] {
        config.loss_full = full;
        let found = dream_urgency(&s, 0, &config).value;
        assert!((found - part).abs() < 1e-9, "a loss of a twentieth where {full} counts in full: {found}");
    }
}

#[test]
fn nothing_is_kept_above_one() {
    let (mut build_up, mut s) = (UrgencyBuildUp::default(), seen());
    s.unresolved_patterns = true;
    let base = pure(300, |_| ());
    assert!((turns(&mut build_up, &mut s, 1_000, false, base) - 1.0).abs() < 1e-9);
    assert!((turns(&mut build_up, &mut s, 1, true, base) - 0.9).abs() < 1e-9, "the decay is seen at once");
}

proptest! {
    #[test]
    fn urgency_is_always_a_share(
        phase in 0usize..4, since: u64, x: [f64; 5], n: u32, looks in 0u64..100, blocked: bool
    ) {
        let base = pure(since, |s| {
            s.phase = AWAKE[phase];
            (s.surprise, s.unreplayed, s.unresolved_arousal, s.recent_loss, s.fitness) = (x[0], n, x[1], x[2], x[3]);
        });
        prop_assert!((0.0..=1.0).contains(&base.value));
        let (mut build_up, mut s) = (UrgencyBuildUp::default(), seen());
        (s.unresolved_patterns, s.suffering) = (true, x[4]);
        turns(&mut build_up, &mut s, looks, false, base);
        let value = turns(&mut build_up, &mut s, 3, blocked, base);
        prop_assert!((0.0..=1.0).contains(&value) && value >= base.value - 1e-9);
    }

    #[test]
    fn more_of_anything_is_never_less_urgent(phase in 0usize..4, a in 0.0..1.0f64, b in 0.0..1.0f64) {
        let at = |x: f64| pure((x * 1_000.0) as u64, |s| {
            s.phase = AWAKE[phase];
            (s.surprise, s.unreplayed, s.unresolved_arousal) = (x * 4.0, (x * 60.0) as u32, x);
            (s.recent_loss, s.fitness) = (x / 10.0, 1.0 - x);
        }).value;
        prop_assert!(at(a.min(b)) <= at(a.max(b)) + 1e-12);
    }
}
