//! What an agent says of itself: read field by field, answered item by item, and never a panic.

use crate::suffering_kit;

use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_daimon::suffering::*;
use proptest::prelude::*;
use suffering_kit::*;

/// A reply, how many stressors and claims are read from it, and what is said about the rest.
type Read = (&'static str, usize, usize, &'static [&'static str]);

#[rustfmt::skip]
const REPLIES: &[Read] = &[
    (r#"{"suffering_assessment": {"new_stressors": [{"type": "fog", "description": "d", "condition": "c"}], "resolved": [{"type": "x", "reason": "r"}]}}"#, 1, 1, &[]),
    (r#"{"new_stressors": [{"type": "fog", "description": "d", "condition": "c"}]}"#, 1, 0, &[]),
    (r#"{"new_stressors": null, "resolved": []}"#, 0, 0, &[]),
    (r#"{"new_stressors": [{"type": "fog", "description": 7, "condition": ["c"]}]}"#, 1, 0, &["new_stressors[0].description is not a text", "new_stressors[0].condition is not a text"]),
    (r#"{"new_stressors": [{"type": "fog"}]}"#, 1, 0, &["new_stressors[0].description is missing", "new_stressors[0].condition is missing"]),
    (r#"{"new_stressors": [{"type": "!!", "description": "", "condition": ""}, {"type": 3}, {"description": ""}, "fog"]}"#, 0, 0,
        &["new_stressors[0].type needs a letter or a digit", "new_stressors[1].type is not a text", "new_stressors[2].type is missing", "new_stressors[3] is not an object"]),
    (r#"{"new_stressors": [{"type": "fog", "description": "", "condition": "", "domain": "trading.swap"}, {"type": "b", "description": "", "condition": "", "domain": "the moon"}]}"#, 2, 0, &["new_stressors[1].domain is not a domain"]),
    (r#"{"new_stressors": {"type": "fog"}, "resolved": [{"type": "fog", "reason": "r"}]}"#, 0, 1, &["new_stressors is not a list"]),
    (r#"{"suffering_assessment": 5}"#, 0, 0, &["suffering_assessment is not an object"]),
    (r#"{"thought": "hm"}"#, 0, 0, &["suffering_assessment is missing"]),
    ("[]", 0, 0, &["suffering_assessment is not an object"]),
    ("I feel fine", 0, 0, &["suffering_assessment is not JSON"]),
    ("", 0, 0, &["suffering_assessment is not JSON"]),
];

#[test]
fn a_bad_field_costs_that_field() {
    for (reply, new, resolved, flaws) in REPLIES {
        let (read, found) = parse_assessment(reply);
        assert_eq!((read.new.len(), read.resolved.len()), (*new, *resolved), "{reply}");
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, *flaws, "{reply}");
    }
}

#[test]
fn long_texts_and_lists_are_bounded() {
    let item =
        |i: usize| serde_json::json!({ "type": format!("t{i}"), "description": "y".repeat(300), "condition": "" });
    let reply = serde_json::json!({ "new_stressors": (0..1_000).map(item).collect::<Vec<_>>() });
    let (read, flaws) = read_assessment(&reply);
    assert_eq!(read.new.len(), MOST_ITEMS);
    assert!(read.new.iter().all(|r| r.description.as_str().len() == Line::MOST));
    assert!(flaws.iter().any(|f| f.fault == FieldFault::TooMany) && flaws.iter().any(|f| f.fault == FieldFault::Cut));
}

#[test]
fn every_item_has_its_answer() {
    let mut g = Golem::new(failing());
    g.set(Field::GoalsFailureRate, 0.5);
    g.turn();
    #[rustfmt::skip]
    let table: &[(&str, &str, ItemAnswer)] = &[
        ("Repeated Failure", "x", ItemAnswer::Asked { open: true }),
        ("futility", "x", ItemAnswer::Asked { open: false }),
        ("fog", "goals.failure_rate < 0.3", ItemAnswer::Stored { checkable: true }),
        ("FOG!", "anything", ItemAnswer::Duplicate),
        ("dread", "when it lifts", ItemAnswer::Stored { checkable: false }),
        ("third", "x", ItemAnswer::Dropped { why: Drop::Reported }),
    ];
    for (name, condition, want) in table {
        assert_eq!(g.report(name, condition), *want, "{name}");
    }
    let claims = [
        ("repeated-failure", ItemAnswer::Claimed),
        ("invisibility", ItemAnswer::NotOpen),
        ("Fog", ItemAnswer::Claimed),
        ("dread", ItemAnswer::Ended),
        ("dread", ItemAnswer::NotOpen),
    ];
    for (name, want) in claims {
        assert_eq!(g.claim(name), want, "{name}");
    }
    // There is room again, but two new ones were stored in this cycle.
    assert_eq!(g.report("fourth", "x"), ItemAnswer::Dropped { why: Drop::PerCycle });
    g.after(EXISTENCE_CYCLE);
    assert_eq!(g.report("fourth", "x"), ItemAnswer::Stored { checkable: false });
    // What can be checked ends when it holds, by itself or at the agent's word.
    g.set(Field::GoalsFailureRate, 0.2);
    assert_eq!(g.claim("fog"), ItemAnswer::Eased);
    let claimed: Vec<_> = g
        .facts
        .iter()
        .filter_map(|f| match f {
            SufferingFact::Claim { stressor, distance, .. } => Some((stressor.as_str(), distance.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        claimed,
        [
            ("repeated_failure", "failure rate 89 %, eases below 30 %"),
            ("fog", "goals.failure_rate 0.50, eases below 0.30"),
        ]
    );
}

#[test]
fn the_limit_of_five_binds_what_is_reported() {
    let mut g = Golem::new(ruined(VirtualTime(0)));
    g.recorded.contact = None;
    g.turn();
    assert_eq!(g.suffering.active(), 5);
    assert_eq!(g.report("fog", "x"), ItemAnswer::Dropped { why: Drop::Active });
    let dropped = g.facts.iter().any(|f| matches!(f, SufferingFact::Dropped { why: Drop::Active, .. }));
    assert!(dropped, "and it is on record");
    assert_eq!(Drop::Active.to_string(), "no more than 5 are active at a time");
}

#[test]
fn the_weakest_reported_one_gives_way() {
    let mut g = Golem::new(failing());
    g.turn();
    g.report("old", "x");
    g.after(days(1.0));
    g.report("young", "x");
    g.recorded = RecordedCounters { phase: golem_mortality::BehavioralPhase::Declining, violations: 2, ..failing() };
    (g.recorded.last_violation, g.recorded.violated_confidence) = (Some(g.now), Some(0.9));
    g.turn();
    assert_eq!(g.suffering.active(), 5);
    g.recorded.contact = Some(g.now);
    g.now = g.now.after(days(7.0));
    g.recorded.last_violation = Some(g.now);
    g.turn();
    let names: Vec<_> = g.suffering.open().map(|o| o.name.to_owned()).collect();
    assert_eq!(names, ["invisibility", "identity_violation", "existential_threat", "repeated_failure", "old"]);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let name = prop_oneof![
        Just("type".to_owned()),
        Just("description".to_owned()),
        Just("condition".to_owned()),
        Just("reason".to_owned()),
        Just("domain".to_owned()),
        Just("new_stressors".to_owned()),
        Just("resolved".to_owned()),
        Just(ASSESSMENT_KEY.to_owned()),
        ".{0,4}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|x| json!(x)),
        ".{0,30}".prop_map(Value::from),
        Just(json!("futility")),
        Just(json!("goals.failure_rate < 0.3")),
        "[a-z.<>=&|0-9 ()]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_reply_is_read_and_answered(replies in prop::collection::vec(json(), 1..6)) {
        let mut g = Golem::new(failing());
        for reply in replies {
            g.after(TURN);
            let (said, _) = read_assessment(&reply);
            let answered = g.say(&reply.to_string());
            prop_assert_eq!((answered.new.len(), answered.resolved.len()), (said.new.len(), said.resolved.len()));
            prop_assert!(g.suffering.load() <= 1.0);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _read = parse_assessment(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_reply_with_a_few_bytes_changed_is_read(at in prop::collection::vec((0..400_usize, any::<u8>()), 0..6)) {
        let mut bytes = REPLIES[0].0.as_bytes().to_vec();
        for (i, b) in at { let n = bytes.len(); bytes[i % n] = b; }
        let mut g = Golem::new(failing());
        g.say(&String::from_utf8_lossy(&bytes));
        prop_assert!(g.suffering.active() <= 1);
    }
}
