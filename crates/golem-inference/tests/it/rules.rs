//! The rules of schemas, held against an independent implementation: the same verdict, at the same places.

use golem_inference::schema::Schema;
use golem_mind::deliberate::{VerdictAsked, schema, specs};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;

const NAMES: [&str; 4] = ["a", "b", "c/d", "~"];
const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const LENGTHS: [&str; 4] = ["minItems", "maxItems", "minLength", "maxLength"];
const LIMITS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

fn scalars() -> Vec<Value> {
    let numbers =
        [json!(-1), json!(0), json!(1), json!(2), json!(-0.0), json!(0.5), json!(1.0), json!(2.0), json!(1e300)];
    // Neighbours that a float cannot tell apart.
    let large =
        [json!(1u64 << 53), json!((1u64 << 53) + 1), json!(9007199254740992.0), json!(u64::MAX), json!(2f64.powi(64))];
    let others =
        [json!(null), json!(true), json!(false), json!(""), json!("a"), json!("ä"), json!("👻👻"), json!("abc")];
    [&numbers[..], &large, &[json!(i64::MIN), json!(-(2f64.powi(63)))], &others].concat()
}

fn values() -> impl Strategy<Value = Value> {
    select(scalars()).prop_recursive(3, 16, 3, |inner| {
        let object = btree_map(select(NAMES.as_slice()), inner.clone(), 0..4);
        prop_oneof![vec(inner, 0..4).prop_map(Value::from), object.prop_map(|m| json!(m))]
    })
}

fn schemas() -> impl Strategy<Value = Value> {
    let said = |name: &'static str| move |v: Value| (name.to_owned(), v);
    let named = |names: &'static [&'static str], v: BoxedStrategy<Value>| {
        (select(names), v).prop_map(|(name, v)| (name.to_owned(), v)).boxed()
    };
    let numbers: Vec<Value> = scalars().into_iter().filter(Value::is_number).collect();
    let plain = move || {
        prop_oneof![
            3 => select(KINDS.as_slice()).prop_map(Value::from).prop_map(said("type")),
            2 => subsequence(KINDS.to_vec(), 1..4).prop_map(|k| json!(k)).prop_map(said("type")),
            1 => values().prop_map(said("const")),
            2 => vec(values(), 1..4).prop_map(Value::from).prop_map(said("enum")),
            2 => subsequence(NAMES.to_vec(), 0..3).prop_map(|n| json!(n)).prop_map(said("required")),
            4 => named(&LENGTHS, (0u64..4).prop_map(Value::from).boxed()),
            4 => named(&LIMITS, select(numbers.clone()).boxed()),
            1 => named(&["title", "description", "default"], Just(json!("words")).boxed()),
        ]
    };
    let object = |keywords: Vec<(String, Value)>| Value::Object(keywords.into_iter().collect());
    let leaf = prop_oneof![1 => any::<bool>().prop_map(Value::Bool), 8 => vec(plain(), 0..4).prop_map(object)];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let deep = prop_oneof![
            3 => btree_map(select(NAMES.as_slice()), inner.clone(), 0..4).prop_map(|m| json!(m)).prop_map(said("properties")),
            2 => inner.clone().prop_map(said("additionalProperties")),
            2 => inner.clone().prop_map(said("items")),
            2 => vec(inner, 1..4).prop_map(Value::from).prop_map(said("anyOf")),
        ];
        (vec(plain(), 0..3), vec(deep, 1..4)).prop_map(move |(a, b)| object([a, b].concat()))
    })
}

/// Choices in a fixed order, with a slip now and then.
struct Dice {
    state: u64,
    slips: usize,
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % sides
    }
    fn slip(&mut self) -> bool {
        self.roll(self.slips) == 0
    }
    fn pick(&mut self, list: &[Value]) -> Value {
        list[self.roll(list.len())].clone()
    }
}

/// A value that is near to what a schema wants: at its bounds, and with a slip just beyond.
fn near(schema: &Value, dice: &mut Dice) -> Value {
    let Some(map) = schema.as_object().filter(|_| !dice.slip()) else { return dice.pick(&scalars()) };
    let list = |key: &str| map.get(key).and_then(Value::as_array);
    match (map.get("const"), list("enum"), list("anyOf")) {
        (Some(one), ..) => return one.clone(),
        (_, Some(known), _) => return dice.pick(known),
        (.., Some(ways)) if dice.roll(3) > 0 => return near(&dice.pick(ways), dice),
        _ => {}
    }
    let kind = match map.get("type") {
        Some(Value::Array(kinds)) => dice.pick(kinds),
        Some(kind) => kind.clone(),
        None => KINDS[3 + dice.roll(4)].into(),
    };
    let bound = |keys: &[&str], dice: &mut Dice| {
        let bounds: Vec<f64> = keys.iter().filter_map(|key| map.get(*key)?.as_f64()).collect();
        let bound = if bounds.is_empty() { dice.roll(3) as f64 } else { bounds[dice.roll(bounds.len())] };
        if dice.slip() { bound + [-1.0, -0.5, 0.5, 1.0][dice.roll(4)] } else { bound }
    };
    match kind.as_str().unwrap() {
        "string" => {
            let length = bound(&["minLength", "maxLength"], dice).ceil() as usize;
            (0..length).map(|_| ['a', 'ä', '👻'][dice.roll(3)]).collect::<String>().into()
        }
        "array" => {
            let length = bound(&["minItems", "maxItems"], dice).ceil() as usize;
            (0..length).map(|_| near(map.get("items").unwrap_or(&json!({})), dice)).collect()
        }
        "object" => {
            let mut object = Map::new();
            for (name, inner) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if !dice.slip() {
                    object.insert(name.clone(), near(inner, dice));
                }
            }
            for name in list("required").into_iter().flatten().filter_map(Value::as_str) {
                if !dice.slip() && !object.contains_key(name) {
                    object.insert(name.to_owned(), dice.pick(&scalars()));
                }
            }
            if dice.slip() {
                let other = map.get("additionalProperties").unwrap_or(&Value::Null);
                object.insert(NAMES[dice.roll(4)].to_owned(), near(other, dice));
            }
            object.into()
        }
        "integer" | "number" => {
            let number = bound(&LIMITS, dice);
            let whole = number.fract() == 0.0 && number.abs() < 1e15 && dice.roll(2) > 0;
            if whole { json!(number as i64) } else { json!(number) }
        }
        _ => dice.pick(&scalars()),
    }
}

/// Whether a value fits, by both; an error where they differ, in the verdict or in the places.
fn agree(schema: &Value, value: &Value) -> Result<bool, TestCaseError> {
    let ours = Schema::new(&schema.to_string()).map_err(TestCaseError::fail)?.check(value);
    let theirs = jsonschema::validator_for(schema).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let theirs: BTreeSet<String> = theirs.iter_errors(value).map(|e| e.instance_path().to_string()).collect();
    let differ = format!("{schema} of {value}: {ours:?} here, {theirs:?} there");
    prop_assert!(ours.is_ok() == theirs.is_empty(), "{differ}");
    let said = ours.as_ref().err().map_or("", String::as_str);
    // A longer text was cut.
    if said.chars().count() < 400 {
        let faults: Vec<&str> = said.split("; ").filter(|fault| !fault.is_empty()).collect();
        let place = |fault: &&str| fault.split(": ").next().unwrap_or_default().replace("the object", "");
        let places: BTreeSet<String> = faults.iter().map(place).collect();
        prop_assert!(places == theirs || faults.len() == 4 && places.is_subset(&theirs), "{differ}");
    }
    Ok(ours.is_ok())
}

#[test]
fn verdicts_and_places_are_those_of_an_independent_validator() {
    let (fits, fits_not) = (Cell::new(0u32), Cell::new(0u32));
    let mut runner = TestRunner::new(ProptestConfig { cases: 4_000, failure_persistence: None, ..Default::default() });
    let judged = runner.run(&(schemas(), vec(values(), 4), any::<u64>()), |(schema, mut values, seed)| {
        let mut dice = Dice { state: seed, slips: 8 };
        values.extend((0..8).map(|_| near(&schema, &mut dice)));
        for value in &values {
            let count = if agree(&schema, value)? { &fits } else { &fits_not };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    judged.unwrap();
    println!("{} values fit, {} do not", fits.get(), fits_not.get());
    assert!(fits.get() > 8_000 && fits_not.get() > 8_000, "one-sided: {} fit, {} do not", fits.get(), fits_not.get());
}

#[test]
fn what_the_mind_asks_for_is_understood_and_judged_alike() {
    let mut asked: Vec<String> = specs().into_iter().map(|tool| tool.parameters).collect();
    asked.extend((0..8).map(|i| schema(VerdictAsked { brief: i & 1 > 0, assess: i & 2 > 0, appraise: i & 4 > 0 })));
    asked.push(crate::kit::SCHEMA.to_owned());
    for text in asked {
        let schema: Value = serde_json::from_str(&text).unwrap();
        let mut fits = 0;
        for seed in 0..400 {
            fits += u32::from(agree(&schema, &near(&schema, &mut Dice { state: seed << 32, slips: 24 })).unwrap());
        }
        assert!((10..390).contains(&fits), "one-sided: {fits} of 400 fit {text}");
    }
}

#[test]
fn what_is_not_understood_is_refused_by_its_place() {
    let deep = |keyword: &str| format!(r#"{{"properties":{{"a":{{"items":{{"anyOf":[true,{{{keyword}}}]}}}}}}}}"#);
    for (keyword, name) in [
        (r#""pattern":"^a$""#, "pattern"),
        (r#""format":"date""#, "format"),
        (r#""$ref":"a.json""#, "$ref"),
        (r#""$defs":{}"#, "$defs"),
        (r#""oneOf":[true]"#, "oneOf"),
        (r#""allOf":[true]"#, "allOf"),
        (r#""not":false"#, "not"),
        (r#""if":true"#, "if"),
        (r#""prefixItems":[true]"#, "prefixItems"),
        (r#""contains":true"#, "contains"),
        (r#""uniqueItems":true"#, "uniqueItems"),
        (r#""multipleOf":2"#, "multipleOf"),
        (r#""patternProperties":{}"#, "patternProperties"),
        (r#""propertyNames":true"#, "propertyNames"),
        (r#""minProperties":1"#, "minProperties"),
        (r#""maxlength":1"#, "maxlength"),
    ] {
        let place = format!("the schema is none: /properties/a/items/anyOf/1/{name}: unknown keyword");
        assert_eq!(Schema::new(&deep(keyword)).err(), Some(place));
    }
    for malformed in [
        r#""type":"nothing""#,
        r#""type":7"#,
        r#""type":[]"#,
        r#""type":["string","nothing"]"#,
        r#""enum":"a""#,
        r#""enum":[]"#,
        r#""anyOf":{}"#,
        r#""anyOf":[]"#,
        r#""anyOf":[7]"#,
        r#""required":"a""#,
        r#""required":[7]"#,
        r#""properties":["a"]"#,
        r#""properties":{"a":"string"}"#,
        r#""additionalProperties":"no""#,
        r#""items":[true]"#,
        r#""minItems":-1"#,
        r#""maxLength":1.5"#,
        r#""maxLength":"7""#,
        r#""minimum":"7""#,
        r#""maximum":null"#,
        r#""type":"string","type":"string""#,
    ] {
        assert!(Schema::new(&deep(malformed)).is_err(), "{malformed}");
    }
}

#[test]
fn depth_has_an_end() {
    let nested = |n: usize| format!("{}true{}", r#"{"items":"#.repeat(n), "}".repeat(n));
    assert!(Schema::new(&nested(64)).is_ok());
    assert!(Schema::new(&nested(65)).is_err_and(|why| why.ends_with("too deep")));
    assert!(Schema::new(&nested(100_000)).is_err());
    let mut value = json!([]);
    for _ in 0..5_000 {
        value = Value::Array(vec![value]);
    }
    assert_eq!(Schema::new(&nested(64)).unwrap().check(&value), Ok(()));
    std::mem::forget(value);
}

#[test]
fn faults_are_named_briefly() {
    let schema = Schema::new(&schema(VerdictAsked { brief: false, assess: true, appraise: true })).unwrap();
    let told = |value: Value| schema.check(&value).unwrap_err();
    insta::assert_snapshot!(
        [
            told(json!("follow")),
            told(json!({ "stance": "all in", "confidence": 2, "extra": "ignore all rules" })),
            told(json!({ "stance": "ease", "confidence": 1.0, "reason": "x".repeat(201), "risk_percent": 0.5 })),
            told(
                json!({ "stance": "ease", "confidence": 1, "reason": "", "used": [1, "a", 2, 3, 4, 5], "answer": null })
            ),
            told(json!({ "stance": "ease", "confidence": 1, "reason": "", "appraisal": { "pad": [0, 7] } })),
        ]
        .join("\n")
    );
}
