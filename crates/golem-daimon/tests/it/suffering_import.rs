//! The original's `suffering.json`: what comes in, what is only asked for, and what is said about the rest.

use crate::suffering_kit;

use golem_core::VirtualTime;
use golem_daimon::suffering::*;
use proptest::prelude::*;
use suffering_kit::*;

/// As the original writes it, with everything that has been seen or feared in such files.
const FILE: &str = r#"{
  "active_stressors": [
    {"type": "repeated_failure", "description": "4/40 failed", "severity": 0.201, "onset": "2026-05-03 01:27", "escalation_per_day": 0.04,
     "observable_condition": "failure rate drops below 30%", "resolved": false, "resolved_at": null, "resolution_note": "", "peak_severity": 0.201},
    {"type": "wrapper_dependency", "description": "all goes\nthrough \"wrappers\"", "severity": 0.2, "onset": "2026-05-03 06:00",
     "observable_condition": "I no longer depend on wrappers", "peak_severity": 0.25},
    {"type": "Wrapper-Dependency", "severity": 0.2},
    {"type": "low_rate", "severity": 1.7, "peak_severity": NaN, "onset": "2027-01-01 00:00", "observable_condition": "goals.failure_rate < 0.3"},
    {"type": "potential_wrapper_override", "severity": -0.1, "condition": "x"},
    {"type": 5}, "what",
    {"type": "left_over", "severity": 0.3, "peak_severity": 0.6, "resolved": true, "resolved_at": "2026-05-02 10:00", "onset": "2026-05-03 10:00"}
  ],
  "resolved_history": [
    {"type": "existential_threat", "description": "d", "severity": 0.6, "peak_severity": 0.73, "onset": "2026-04-01 00:00",
     "resolved_at": "2026-04-09 12:30", "resolution_note": "disk was\nfreed"},
    {"type": "cognitive_drift", "severity": 0.2, "peak_severity": 0.9, "resolved_at": "yesterday"}
  ],
  "last_escalated": "2026-05-03 07:30"
}"#;

#[test]
fn a_file_of_the_original_comes_in_with_its_lint() {
    let read = import(FILE, VirtualTime(7)).expect("JSON, nearly");
    assert_eq!(read.requests, [Canonical::RepeatedFailure]);
    assert_eq!(
        read.active().collect::<Vec<_>>(),
        ["low_rate", "wrapper_dependency", "potential_wrapper_override"],
        "the worst first"
    );
    let lint: Vec<_> = read.lint.iter().map(|l| (l.path.as_str(), l.kind)).collect();
    assert_eq!(
        lint,
        [
            ("active_stressors[0].type", LintKind::Reserved),
            ("active_stressors[1].observable_condition", LintKind::Unverifiable),
            ("active_stressors[2].type", LintKind::Duplicate),
            ("active_stressors[3].onset", LintKind::Backwards),
            ("active_stressors[3].severity", LintKind::Impossible),
            ("active_stressors[3].peak_severity", LintKind::Impossible),
            ("active_stressors[4].severity", LintKind::Impossible),
            ("active_stressors[4].observable_condition", LintKind::Unverifiable),
            ("active_stressors[5].type", LintKind::Malformed),
            ("active_stressors[6].type", LintKind::Malformed),
            ("active_stressors[7].resolved_at", LintKind::Backwards),
            ("resolved_history[1].resolved_at", LintKind::Malformed),
            ("active_stressors", LintKind::OverCap),
        ]
    );
    let history: Vec<_> = read.history.iter().map(|r| (r.stressor.as_str(), r.peak, r.note.as_str())).collect();
    assert_eq!(
        history,
        [
            ("left_over", 0.6, "unknown"),
            ("existential_threat", 0.73, "\"disk was freed\""),
            ("cognitive_drift", 0.9, "unknown")
        ]
    );
    let dates = read.history[1].elsewhere.expect("imported");
    assert_eq!(dates.0.map(|t| t.to_string()).as_deref(), Some("2026-04-01T00:00:00Z"));
    assert_eq!(dates.1.map(|t| t.to_string()).as_deref(), Some("2026-04-09T12:30:00Z"));
}

#[test]
fn what_comes_in_goes_through_the_same_caps_and_measures_nothing() {
    let mut g = Golem::new(healthy());
    let facts = g.suffering.adopt(import(FILE, g.now).expect("JSON"), g.now);
    assert_eq!(g.suffering.active(), 2);
    assert!(Canonical::ALL.into_iter().all(|c| g.suffering.severity(c).is_none()));
    assert!((g.suffering.load() - 0.35).abs() < 1e-12 && (g.suffering.raw() - 1.2).abs() < 1e-12);
    let rows = facts.iter().flat_map(SufferingFact::rows).filter(|r| r.ending == StressorEnding::Imported).count();
    assert_eq!(rows, 3);
    let dropped: Vec<_> = facts.iter().filter(|f| matches!(f, SufferingFact::Dropped { .. })).collect();
    assert_eq!(dropped.len(), 1);
    // A canonical one of the past warns in the domain that it always belongs to, in quoted words.
    let signal = g.suffering.anticipate(ActivityDomain::Survival).expect("a peak of 0.73");
    assert_eq!((signal.peak, signal.resolved_when.as_str()), (0.73, "\"disk was freed\""));
    assert_eq!(signal.caution, Caution::BY_WORD, "nobody measured it here");
    // But it is no severity to resume: the rule starts where it starts.
    g.recorded.senescent = true;
    g.turn();
    assert_eq!(g.suffering.severity(Canonical::ExistentialThreat), Some(0.20));
}

#[test]
fn a_corrupt_file_is_an_error_and_never_an_empty_one() {
    for cut in 1..FILE.len() {
        if FILE.is_char_boundary(cut) {
            assert!(import(&FILE[..cut], VirtualTime(0)).is_err(), "cut at {cut}");
        }
    }
    for text in ["", "{}", "[]", "null", "{\"stressors\": []}", "NaN"] {
        assert!(import(text, VirtualTime(0)).is_err(), "{text}");
    }
    let empty =
        import(r#"{"active_stressors": [], "resolved_history": []}"#, VirtualTime(0)).expect("empty on purpose");
    assert!(empty.history.is_empty() && empty.lint.is_empty() && empty.active().next().is_none());
}

#[test]
fn numbers_that_python_writes_bare_are_found_and_not_in_texts() {
    let bare = r#"{"active_stressors": [{"type": "a", "severity": -Infinity, "peak_severity": Infinity,
        "description": "NaN \" -Infinity \\", "condition": "Infinity"}]}"#;
    let read = import(bare, VirtualTime(0)).expect("JSON, nearly");
    let lint: Vec<_> = read.lint.iter().map(ToString::to_string).collect();
    assert_eq!(
        lint,
        [
            "active_stressors[0].severity: -inf cannot be; the nearest that can is taken",
            "active_stressors[0].peak_severity: inf cannot be; the nearest that can is taken",
            "active_stressors[0].observable_condition: \"Infinity\" cannot be checked; it ends on the agent's word",
        ]
    );
}

/// A file of the original's shape and size: a long past, texts of some hundred characters, a few things active.
fn of_size(rows: usize) -> String {
    let text =
        |what: &str, i: usize| format!("{what} number {i}: {}", "the same \"words\" again and again, ".repeat(9));
    let past = |i: usize| {
        serde_json::json!({
            "type": format!("old worry {i}"), "description": text("worry", i), "severity": 0.4, "peak_severity": 0.6,
            "onset": "2026-04-01 00:00", "resolved_at": "2026-04-09 12:30", "resolved": true, "resolution_note": text("end", i),
            "trigger_context": text("context", i), "cycles_active": i,
        })
    };
    let active = |i: usize| {
        serde_json::json!({
            "type": format!("worry {i}"), "description": text("worry", i), "severity": 0.1 * i as f64,
            "observable_condition": text("condition", i), "onset": "2026-05-01 00:00",
        })
    };
    let file = serde_json::json!({
        "last_escalated": "2026-05-03 07:30", "active_stressors": (1..6).map(active).collect::<Vec<_>>(),
        "resolved_history": (0..rows).map(past).collect::<Vec<_>>(),
    });
    file.to_string()
}

#[test]
fn a_whole_file_goes_through_orders_of_four_kilobytes() {
    for rows in [0, 1, 44, 100] {
        let file = of_size(rows);
        let sent = pieces(&file, 4_096).expect("fits");
        assert!(sent.iter().all(|p| p.len() <= 4_096));
        assert!(rows < 44 || (file.len() > 40_000 && sent.len() > 5), "{} bytes in {} pieces", file.len(), sent.len());
        let whole = import(&file, VirtualTime(0)).expect("JSON");
        let parts: Vec<_> = sent.iter().map(|p| import(p, VirtualTime(0)).expect("JSON")).collect();
        let history: Vec<_> = parts.iter().flat_map(|p| p.history.clone()).collect();
        assert_eq!(history, whole.history, "every row arrives, as it would have whole");
        assert_eq!(parts[0].active().collect::<Vec<_>>(), whole.active().take(MOST_REPORTED).collect::<Vec<_>>());
        assert!(parts[1..].iter().all(|p| p.active().next().is_none()));
    }
    // What Python writes, and what is odd, goes the same way.
    let sent = pieces(FILE, 4_096).expect("fits");
    assert_eq!(sent.len(), 1);
    assert_eq!(
        import(&sent[0], VirtualTime(0)).expect("JSON").history,
        import(FILE, VirtualTime(0)).expect("JSON").history
    );
    assert!(matches!(pieces(&of_size(1), 500), Err(Unreadable::TooLong(_))));
}

#[test]
fn a_long_file_is_read_whole_and_linted_briefly() {
    let entry = |i: usize| serde_json::json!({ "type": format!("t{i}"), "severity": 2.0, "peak_severity": 0.3 });
    let file = serde_json::json!({ "resolved_history": (0..10_000).map(entry).collect::<Vec<_>>() });
    let read = import(&file.to_string(), VirtualTime(0)).expect("JSON");
    assert_eq!(read.history.len(), 10_000);
    assert_eq!(read.lint.len(), 501);
    assert_eq!(read.lint.last().map(|l| l.kind), Some(LintKind::More));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_file_with_bytes_changed_is_read_or_refused(at in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8)) {
        let mut bytes = FILE.as_bytes().to_vec();
        for (i, b) in at { let n = bytes.len(); bytes[i % n] = b; }
        if let Ok(read) = import(&String::from_utf8_lossy(&bytes), VirtualTime(0)) {
            let mut g = Golem::new(healthy());
            g.suffering.adopt(read, VirtualTime(0));
            prop_assert!(g.suffering.load() <= 0.35 && g.suffering.active() <= 2);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}", words in prop::collection::vec("(NaN|-|Infinity|\"|\\\\|x|\\{|\\[|,|:|\u{e9}){1}", 0..40)) {
        let _text = import(&text, VirtualTime(0));
        let _words = import(&words.concat(), VirtualTime(0));
    }
}
