//! What is refused and in which words; hostile texts; and the registry itself.

use golem_core::observed::{
    Expression, ExpressionError, Field, Kind, MAX_BYTES, PROTOCOL_STATES, REGIMES, Snapshot, Value, Verdict,
};
use golem_core::{ProtocolState, RawObservation, Regime, Tick, Unit, Usdc};
use std::collections::BTreeSet;
use std::fmt::Write as _;

#[test]
fn refusals_say_what_to_write() {
    let sources = [
        "",
        "   ",
        "market.price >",
        "market.price > 1 2",
        "market.price = 1",
        "market.price > 1 and golem.tick > 2",
        "market.price > 1 & golem.tick > 2",
        "(market.price > 1",
        "market.price > 99999999999999999999",
        "if > 1",
        "market.prize > 1",
        "price > 1",
        "market > 1",
        "vitals.mood > 1",
        "has(market.prices)",
        "has(market)",
        "market.price.high > 1",
        "double(market.price).high > 1",
        "market.regime == 'Volatile'",
        "market.regime == 'sunny'",
        "vitality.phase in ['stable', 'volatile']",
        "vitality.phase == market.regime",
        "vitality.phase >= 'declining'",
        "golem.senescent > false",
        "'a' == 'a'",
        "market.price == 'high'",
        "golem.senescent == 1",
        "market.price && true",
        "!market.price",
        "market.price ? true : false",
        "golem.senescent ? 1 : true",
        "market.regime + 'x' == 'y'",
        "goals.failed / goals.completed > 0.5",
        "1 / 2 > 0.5",
        "market.price % 2 == 0",
        "-golem.senescent",
        "math.abs(market.regime) > 1",
        "market.price in []",
        "market.price in market.volume",
        "market.price in [market.volume]",
        "market.price in ['stable']",
        "[1, 2] == [1, 2]",
        "[1, 2][0] == 1",
        "[1, 2].all(x, x > 0)",
        "market.regime.matches('vol.*')",
        "size(market.regime) > 1",
        "timestamp('2026-01-01') > 1",
        "math.sqrt(market.price) > 1",
        "math.abs(1, 2) > 1",
        "market.price > 5u",
        "market.price == null",
        "b'ab' == b'ab'",
        "market.price + 1",
        "market.regime",
        "{'a': 1} == {}",
        "market.price > 1 && \u{1F480}",
        "market.`price` > 1",
    ];
    let mut page = String::new();
    for source in sources {
        let error = Expression::compile(source).expect_err(source);
        writeln!(page, "{source}\n    {error}").unwrap();
    }
    insta::assert_snapshot!(page);
}

/// On a stack an eighth of a thread's usual one: what is refused is refused before anything recurses.
#[test]
fn hostile_texts_are_refused_without_a_stack() {
    let hostile = || {
        let nest = |open: &str, n: usize, close: &str| format!("{}true{}", open.repeat(n), close.repeat(n));
        let chain = |part: &str, n: usize| format!("{}true", part.repeat(n));
        for text in [nest("(", 100_000, ")"), chain("true && ", 100_000), "!".repeat(5_000_000)] {
            assert_eq!(Expression::compile(&text), Err(ExpressionError::TooLong { bytes: text.len() }));
        }
        for text in [
            nest("(", 400, ")"),
            "(".repeat(MAX_BYTES),
            ")".repeat(MAX_BYTES),
            "[".repeat(MAX_BYTES),
            chain("!", 900),
            chain("!-", 400),
            chain("! ", 400),
            chain("!(", 300),
            chain("true?true:", 90),
            chain("true?", 90),
            chain("has(", 200),
            chain("int(", 200),
            chain("true == ", 110),
            format!("golem.tick{} > 1", " + 1".repeat(200)),
            format!("golem.tick{} > 1", ".a".repeat(400)),
            format!("golem.tick{} > 1", ".a()".repeat(200)),
            chain("true&&", 160),
            chain("true||", 160),
            chain("[1].map(x,", 90),
            "!!(!!!!!!(!!!!(((((!!(!!(!!!!((".repeat(4),
        ] {
            let error = Expression::compile(&text).expect_err(&text);
            assert!(error.to_string().len() < 400, "{error}");
        }
        let deep = format!("market.price{} > 1", " + golem.tick".repeat(20));
        for text in [nest("(", 24, ")"), chain("true && ", 100), chain("true || ", 100), nest("!(", 12, ")"), deep] {
            assert!(Expression::compile(&text).unwrap().evaluate(&Snapshot::new()) != Verdict::DoesNot, "{text}");
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(hostile).unwrap().join().unwrap();
}

#[test]
fn the_canonical_text_is_bounded_too() {
    let grows = format!("golem.tick>1{}", "&&golem.tick>1".repeat(59));
    assert!(grows.len() <= MAX_BYTES);
    assert!(matches!(Expression::compile(&grows), Err(ExpressionError::TooLong { bytes }) if bytes > MAX_BYTES));
}

#[test]
fn expressions_travel_as_their_text() {
    let expression = Expression::compile("market.price>2000&&market.regime=='volatile'").unwrap();
    let json = serde_json::to_string(&expression).unwrap();
    assert_eq!(json, r#""market.price > 2000 && market.regime == \"volatile\"""#);
    assert_eq!(serde_json::from_str::<Expression>(&json).unwrap(), expression);
    let refused = serde_json::from_str::<Expression>(r#""market.prize > 1""#).unwrap_err().to_string();
    assert!(refused.starts_with("there is no observed field market.prize; did you mean market.price?"), "{refused}");
    fn travels<T: Send + Sync + Clone>(_: &T) {}
    travels(&expression);
}

#[test]
fn verdicts_and_distances_have_a_json_form() {
    let mut seen = Snapshot::new();
    seen.set(Field::GoalsCompleted, 3_i64).unwrap();
    let expression = Expression::compile("goals.completed > 5").unwrap();
    fn json<T: serde::Serialize>(x: &T) -> String {
        serde_json::to_string(x).unwrap()
    }
    assert_eq!(json(&expression.evaluate(&seen)), r#"{"verdict":"does_not"}"#);
    assert_eq!(json(&expression.evaluate(&Snapshot::new())), r#"{"verdict":"unknown","missing":"goals.completed"}"#);
    let far = r#"{"field":"goals.completed","now":3.0,"side":"above","bound":5.0,"gap":2.0,"holds":false}"#;
    assert_eq!(json(&expression.distance(&seen).unwrap()), far);
}

#[test]
fn the_registry_is_in_order() {
    let names: BTreeSet<_> = Field::ALL.iter().map(|f| f.name()).collect();
    assert_eq!(names.len(), Field::COUNT, "two fields of one name");
    for (i, field) in Field::ALL.iter().enumerate() {
        let name = field.name();
        assert_eq!((field.index(), Field::named(name), name.parse()), (i, Some(*field), Ok(*field)));
        let plain = |part: &str| part.starts_with(|c: char| c.is_ascii_lowercase());
        assert!(name.split('.').count() == 2 && name.split('.').all(plain), "{name}");
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b)), "{name}");
        assert!(!field.unit().is_empty() && field.about().ends_with('.'), "{name}");
        if let Kind::Text(words) = field.kind() {
            assert!(words.iter().all(|w| w.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')), "{name}");
        }
        // Every name can be written, in a question that depends on it alone.
        let question = Expression::compile(&format!("has({name})")).unwrap();
        assert_eq!((question.fields(), question.evaluate(&Snapshot::new())), (&[*field][..], Verdict::DoesNot));
    }
    assert_eq!(Regime::ALL.map(Regime::name), REGIMES);
    assert_eq!(ProtocolState::ALL.map(ProtocolState::name), PROTOCOL_STATES);
    assert_eq!("\u{1F480}".repeat(100).parse::<Field>().unwrap_err().name.chars().count(), 60);
}

#[test]
fn a_snapshot_takes_only_what_its_fields_hold() {
    let mut seen = Snapshot::new();
    seen.set(Field::GolemBalanceUsdc, Usdc(12_500_000)).unwrap();
    seen.set(Field::VitalityEconomic, Unit::new(0.5).unwrap()).unwrap().set(Field::GolemTick, Tick(u64::MAX)).unwrap();
    seen.set_number(Field::MarketVolatility, 0.25).unwrap().set(Field::GolemSenescent, true).unwrap();
    for (field, value, error) in [
        (Field::MarketPrice, Value::Integer(2), "market.price takes a number, not 2"),
        (Field::GolemTick, Value::number(2.5).unwrap(), "golem.tick takes a whole number, not 2.5"),
        (Field::GolemSenescent, Value::Text("no"), "golem.senescent takes true or false, not no"),
        (Field::MarketProtocol, Value::Text("odd"), "market.protocol takes one of normal, degraded, upgraded, not odd"),
    ] {
        let before = seen.clone();
        assert_eq!(seen.set(field, value).unwrap_err().to_string(), error);
        assert_eq!(seen, before);
    }
    let json = concat!(
        r#"{"market.volatility":0.25,"vitality.economic":0.5,"golem.tick":9223372036854775807,"#,
        r#""golem.balance_usdc":12.5,"golem.senescent":true}"#
    );
    assert_eq!(serde_json::to_string(&seen).unwrap(), json);
    seen.set_number(Field::MarketVolatility, f64::NAN).unwrap();
    assert_eq!(seen.get(Field::MarketVolatility), None);

    let raw = RawObservation { price: Some(2_000.0), protocol: Some(ProtocolState::Degraded), ..Default::default() };
    seen.see(&raw.admit());
    assert_eq!(seen.get(Field::MarketPrice), Value::number(2_000.0));
    assert_eq!(seen.get(Field::MarketProtocol), Some(Value::Text("degraded")));
    seen.see(&RawObservation::default().admit());
    assert_eq!(seen.get(Field::MarketPrice), None);
    assert_eq!(seen.observed().count(), 4);
}
