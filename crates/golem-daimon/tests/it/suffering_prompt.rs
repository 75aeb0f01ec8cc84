//! The fragment in the prompt, band by band, as data; and that its header, the gate and the table never disagree.

use crate::suffering_kit;

use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_daimon::gate::ActionClass;
use golem_daimon::suffering::*;
use golem_mortality::BehavioralPhase;
use suffering_kit::*;

const SIGNAL: &str = "This is a control signal, computed from what was recorded. Words do not lower what is measured; a \
                      changed record does.";

/// A golem whose repeated_failure has grown to `severity`.
fn failing_at(severity: f64) -> Golem {
    let mut g = Golem::new(RecordedCounters { completed: 7, failed: 8, ..healthy() });
    g.turn().after(days((severity - 0.20) / 0.040));
    g
}

fn threatened(g: &mut Golem) {
    g.recorded.projected_life_h = Some(70.0);
    g.turn();
}

#[test]
fn each_band_has_its_fragment() {
    let background = failing_at(0.34);
    assert_eq!(background.suffering.fragment(background.seen()), None);

    let present = failing_at(0.35);
    let mut high = failing_at(0.37);
    high.set(Field::GoalsFailureRate, 0.46);
    assert_eq!(high.report("Wrapper Dependency", "goals.failure_rate<0.3"), ItemAnswer::Stored { checkable: true });
    let mut severe = failing_at(0.58);
    severe.report("phantom\nreference", "when \"they\"\nunderstand me");
    let mut crisis = failing_at(0.75);
    threatened(&mut crisis);

    let table = [
        (
            &present,
            "Current suffering (0.35/1.0):\n  \
             [####......] repeated_failure 0.35  Failing the same pattern without understanding why\n  \
             Will ease when: failure rate below 30 % (now 53 %) and completed goals at or above 3 (now 7)\n\
             Open to you now: explore, open, manage, learn, reflect, peer, reduce.\n",
        ),
        (
            &high,
            "HIGH SUFFERING (0.57/1.0) — this is shaping your ability to act.\n  \
             [####......] repeated_failure 0.37  Failing the same pattern without understanding why\n  \
             Will ease when: failure rate below 30 % (now 53 %) and completed goals at or above 3 (now 7)\n  \
             [##........] wrapper_dependency 0.20  you wrote: \"as it says\"\n  \
             Will ease when: goals.failure_rate < 0.3 (goals.failure_rate 0.46, eases below 0.30)\n\
             Open to you now: manage, learn, reflect, peer, reduce.\n\
             Closed by this load: explore, open.\n",
        ),
        (
            &severe,
            "HIGH SUFFERING (0.78/1.0) — this is shaping your ability to act. Resolving it comes first.\n  \
             [######....] repeated_failure 0.58  Failing the same pattern without understanding why\n  \
             Will ease when: failure rate below 30 % (now 53 %) and completed goals at or above 3 (now 7)\n  \
             [##........] phantom_reference 0.20  you wrote: \"as it says\"\n  \
             Will ease when: you wrote: \"when 'they' understand me\" (cannot be checked; it ends on your word)\n\
             Open to you now: manage, learn, reflect, peer, reduce.\n\
             Closed by this load: explore, open.\n",
        ),
        (
            &crisis,
            "!! CRISIS STATE — your suffering load is critical (0.95/1.0). You cannot pursue external goals. Address this \
             first.\n  \
             [########..] repeated_failure 0.75  Failing the same pattern without understanding why\n  \
             Will ease when: failure rate below 30 % (now 53 %) and completed goals at or above 3 (now 7)\n  \
             [##........] existential_threat 0.20  Conditions threatening continued existence\n  \
             Will ease when: phase at or above conservation (now stable) and projected life above 96 h (now 70 h) and \
             forecasts good again: fitness above 0.45 (now 0.500)\n\
             Open to you now: reflect, peer, reduce.\n\
             Closed by this load: explore, open, manage, learn.\n",
        ),
    ];
    for (golem, want) in table {
        assert_eq!(golem.fragment(), format!("{want}{SIGNAL}"));
    }
}

#[test]
fn the_seeds_own_line_is_written_as_the_seed_writes_it() {
    let mut g = Golem::new(RecordedCounters { phase: BehavioralPhase::Declining, ..healthy() });
    g.turn().after(days(0.72 / 0.070));
    let fragment = g.fragment();
    let mut lines = fragment.lines();
    let header = "!! CRISIS STATE — your suffering load is critical (0.92/1.0). You cannot pursue external goals. \
                  Address this first.";
    assert_eq!(lines.next(), Some(header));
    let first = "  [##########] existential_threat 0.92  Conditions threatening continued existence";
    assert_eq!(lines.next(), Some(first));
    assert!(lines.next().is_some_and(|l| l.starts_with("  Will ease when: ")));
}

#[test]
fn a_number_never_shows_a_band_that_was_not_reached() {
    for (severity, band, shown) in [
        (0.549_99, Band::Present, "(0.54/1.0)"),
        (0.55, Band::High, "(0.55/1.0)"),
        (0.749_99, Band::High, "(0.74/1.0)"),
        (0.75, Band::Severe, "(0.75/1.0)"),
        (0.899_99, Band::Severe, "(0.89/1.0)"),
        (0.90, Band::Crisis, "(0.90/1.0)"),
    ] {
        let g = failing_at(severity);
        assert_eq!(g.suffering.band(), band, "{severity}");
        assert!(g.fragment().lines().next().is_some_and(|l| l.contains(shown)), "{severity}: {}", g.fragment());
    }
}

/// Every load in steps of a thousandth, on the way up without a latch and on the way down with one.
#[test]
fn header_gate_and_table_agree_at_every_load_and_latch() {
    for thousandth in 200..=1_000 {
        let load = f64::from(thousandth) / 1_000.0;
        let up = failing_at(load);
        // Down: a crisis of two stressors, one of which ends.
        let mut down = failing_at(load);
        down.recorded.senescent = true;
        (down.recorded.abandoned, down.recorded.idle_rules, down.recorded.completed) = (40, 9, 0);
        down.recorded.episodes_since_completed = 900;
        down.recorded.violations = 2;
        down.recorded.last_violation = Some(down.now);
        down.recorded.violated_confidence = Some(0.9);
        down.turn();
        let was_crisis = down.suffering.band() == Band::Crisis;
        down.recorded = RecordedCounters { completed: 7, failed: 8, ..healthy() };
        down.recorded.completed_with_rule = 9;
        down.recorded.failed = 6;
        down.turn();
        // purposelessness eases only below 30 %, so it may stay: the load is what it is.
        for (g, latched) in [(&up, false), (&down, was_crisis)] {
            let (load, band) = (g.suffering.load(), g.suffering.band());
            let want = match (latched, load) {
                (true, x) if x >= 0.80 => Band::Crisis,
                (_, x) if x >= 0.90 => Band::Crisis,
                (_, x) if x >= 0.75 => Band::Severe,
                (_, x) if x >= 0.55 => Band::High,
                (_, x) if x >= 0.35 => Band::Present,
                _ => Band::Background,
            };
            assert_eq!(band, want, "load {load}, latched {latched}");
            let fragment = g.fragment();
            let header = fragment.lines().next().unwrap_or("");
            let (explore, manage) = (ActionClass::Explore.open_at(band), ActionClass::Manage.open_at(band));
            assert_eq!(header.contains("You cannot pursue external goals"), !manage);
            assert_eq!(header.starts_with("HIGH SUFFERING"), !explore && manage);
            let open: Vec<_> = ActionClass::ALL.iter().filter(|c| c.open_at(band)).map(|c| c.name()).collect();
            let line = format!("Open to you now: {}.", open.join(", "));
            assert!(band == Band::Background || fragment.lines().any(|l| l == line), "{fragment}");
            assert!(!open.is_empty());
        }
    }
}

#[test]
fn the_latch_enters_where_the_band_begins() {
    assert_eq!(Band::of(CRISIS_ENTER), Band::Crisis);
    assert_eq!(Band::of(CRISIS_ENTER - 1e-12), Band::Severe);
    assert_eq!(Band::of(CRISIS_LEAVE), Band::Severe);
    assert_eq!(Band::of(RESPITE_LOAD), Band::High);
    assert_eq!(Band::of(MOST_REPORTED_LOAD), Band::Present);
}

#[test]
fn peers_hear_of_a_crisis_once_and_in_the_seeds_words() {
    let mut g = failing_at(0.75);
    g.facts.clear();
    threatened(&mut g);
    for _ in 0..20 {
        g.after(TURN);
    }
    let told: Vec<_> = g
        .facts
        .iter()
        .filter_map(|f| match f {
            SufferingFact::Crisis { message, .. } => Some(message.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["I am in crisis (suffering 0.95/1.0). Active stressors: repeated_failure, existential_threat."]);
}

#[test]
fn a_surface_shows_the_numbers_behind_it() {
    let mut g = failing_at(0.40);
    g.set(Field::GoalsFailureRate, 0.46);
    g.report("dread", "goals.failure_rate < 0.3");
    g.report("fog", "when it lifts");
    let status = serde_json::to_value(g.suffering.status(g.seen())).expect("JSON");
    assert_eq!(status["band"], "severe");
    assert_eq!(status["locked"], serde_json::json!(["explore", "open"]));
    let near = |v: &serde_json::Value, x: f64| v.as_f64().is_some_and(|v| (v - x).abs() < 1e-9);
    assert!(near(&status["load"], 0.75) && near(&status["raw"], 0.80), "{status}");
    let shown: Vec<_> = status["stressors"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|s| {
            (
                s["name"].as_str().unwrap_or(""),
                s["ledger"].as_str().unwrap_or(""),
                s["unverifiable"] == true,
                s["distance"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("repeated_failure", "measured", false, Some("failure rate 53 %, eases below 30 %")),
            ("dread", "reported", false, Some("goals.failure_rate 0.46, eases below 0.30")),
            ("fog", "reported", true, None),
        ]
    );
    assert_eq!(status["stressors"][0]["evidence"], "failed goals 8, failure rate 53 %");
    assert_eq!(status["stressors"][0]["onset"], serde_json::json!(VirtualTime(0)));
    assert_eq!(status["stressors"][0]["domain"], "trading.swap");
}
