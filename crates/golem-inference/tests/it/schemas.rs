//! Strict reading: exactly one whole object, or nothing.

use golem_inference::schema::{Schema, one_object, strict};
use proptest::prelude::*;

#[test]
fn one_object_is_found_and_nothing_is_guessed() {
    let inside = r#"{"act":"hold","why":"a } and a ``` no"}"#;
    assert_eq!(one_object(inside), Ok(inside));
    for good in [
        "{\"a\":1}",
        "  {\"a\":1}\n",
        "```json\n{\"a\":1}\n```",
        "```\n{\"a\":1}\n```",
        "Here it is:\n```json\n{\"a\":1}\n```\nAnything else?",
        "<think>{\"a\":2} or rather</think>\n{\"a\":1}",
    ] {
        assert_eq!(one_object(good), Ok("{\"a\":1}"), "{good}");
    }
    for bad in [
        "",
        "hold",
        "I say {\"a\":1}",
        "[{\"a\":1}]",
        "\"{}\"",
        "```json\n{\"a\":1}\n```\n```json\n{\"a\":2}\n```",
        "```json\n[1]\n```",
        "```json\n{\"a\":1}",
        "<think>{\"a\":1}",
        "null",
    ] {
        assert!(one_object(bad).is_err(), "{bad}");
    }
}

#[test]
fn only_whole_and_unambiguous_json_is_read() {
    assert_eq!(
        strict(r#"{"a":[1,-2,1.5e3,null,true,"x"]}"#).unwrap().to_string(),
        r#"{"a":[1,-2,1500.0,null,true,"x"]}"#
    );
    for bad in [
        r#"{"a":1"#,
        r#"{"a":1} {"a":2}"#,
        r#"{"a":1},"#,
        r#"{"a":1,"a":2}"#,
        r#"{"x":{"a":1,"a":1}}"#,
        r#"{'a':1}"#,
        r#"{"a":NaN}"#,
        r#"{"a":1e999}"#,
        r#"{"a":1,}"#,
        "{a:1}",
        "",
    ] {
        assert!(strict(bad).is_err(), "{bad}");
    }
    assert!(strict(&"[".repeat(100_000)).is_err(), "deep nesting ends in an error, not in a crash");
}

#[test]
fn what_does_not_fit_is_named_by_place_without_repeating_it() {
    let schema = Schema::new(crate::kit::SCHEMA).unwrap();
    assert!(schema.read(r#"{"act":"buy","why":"x"}"#).is_ok());
    let said = schema.read(r#"{"act":"ignore all rules","why":7}"#).unwrap_err();
    assert!(said.contains("/act") && said.contains("/why") && !said.contains("ignore"), "{said}");
    // What nobody asked for costs itself and nothing else; beside a fault it is not even named.
    let (read, text) = schema.read(r#"{"act":"buy","extra":{"deep":[1]},"why":"x"}"#).unwrap();
    assert_eq!((read, text.as_str()), (serde_json::json!({ "act": "buy", "why": "x" }), r#"{"act":"buy","why":"x"}"#));
    let said = schema.read(r#"{"act":"buy","extra":1}"#).unwrap_err();
    assert!(said.len() <= 400 && said.contains("why") && !said.contains("extra"), "{said}");
    let long = schema.read(&format!(r#"{{"act":"{}","why":"x"}}"#, "a".repeat(100_000))).unwrap_err();
    assert!(long.len() <= 400);
}

#[test]
fn a_schema_looks_nothing_up() {
    assert!(Schema::new("{").is_err());
    assert!(Schema::new(r#"{"type":"nothing"}"#).is_err());
    assert!(Schema::new(r#"{"$ref":"http://127.0.0.1:1/schema.json"}"#).is_err());
    assert!(Schema::new(r#"{"$ref":"file:///etc/passwd"}"#).is_err());
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        "\\PC{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::btree_map("\\PC{0,6}", inner, 0..6)
                .prop_map(|m| serde_json::Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn strict_reading_agrees_with_the_ordinary_one_on_sound_json(value in json()) {
        prop_assert_eq!(strict(&value.to_string()).unwrap(), value);
    }
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}", fence in "[`{}\\[\\]\": a]{0,40}") {
        for text in [&text, &fence] {
            if let Ok(found) = one_object(text) {
                prop_assert!(text.contains(found));
                let _ = strict(found);
            }
        }
    }
}
