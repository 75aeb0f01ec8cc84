//! What expressions say of snapshots, and how far they are from holding, as tables.

use golem_core::observed::{Expression, Fault, Field, Snapshot, Value, Verdict};
use golem_core::{RawObservation, Regime};

/// A quiet afternoon. `golem.hazard`, `market.volume`, `goals.abandoned` and `golem.exposure` were not observed.
fn afternoon() -> Snapshot {
    let mut seen = Snapshot::new();
    seen.see(&RawObservation { price: Some(2_000.0), gas_gwei: Some(12.5), ..RawObservation::default() }.admit());
    let number = |x| Value::number(x).unwrap();
    for (field, value) in [
        (Field::MarketRegime, Value::from(Regime::RangeBound)),
        (Field::MarketReturn90, number(-0.05)),
        (Field::VitalityComposite, number(0.62)),
        (Field::VitalityPhase, Value::Text("stable")),
        (Field::VitalityEconomic, number(0.0)),
        (Field::GolemTick, Value::Integer(1_200)),
        (Field::GolemSenescent, Value::Bool(false)),
        (Field::GolemBalanceUsdc, number(1e200)),
        (Field::GoalsCompleted, Value::Integer(3)),
        (Field::GoalsFailed, Value::Integer(4)),
        (Field::GoalsSinceCompleted, Value::Integer(0)),
        (Field::GoalsFailureRate, number(0.46)),
    ] {
        seen.set(field, value).unwrap();
    }
    seen
}

const HOLDS: Verdict = Verdict::Holds;
const NOT: Verdict = Verdict::DoesNot;
const ZERO: Verdict = Verdict::Failed { why: Fault::DivisionByZero };
const OVER: Verdict = Verdict::Failed { why: Fault::Overflow };
const HAZARD: Verdict = Verdict::Unknown { missing: Field::GolemHazard };
const VOLUME: Verdict = Verdict::Unknown { missing: Field::MarketVolume };

#[test]
fn verdicts() {
    let seen = afternoon();
    for (source, verdict) in [
        // Comparisons, whole numbers and doubles in any mix.
        ("market.price > 1999", HOLDS),
        ("market.price > 2000", NOT),
        ("market.price >= 2000", HOLDS),
        ("market.price == 2000", HOLDS),
        ("market.price == 2000.0", HOLDS),
        ("market.price != 2000", NOT),
        ("1999 < market.price", HOLDS),
        ("goals.completed > 2.5", HOLDS),
        ("goals.completed <= 3.0", HOLDS),
        ("golem.tick == 1200", HOLDS),
        ("golem.tick < market.price", HOLDS),
        ("market.return_90 < -0.04", HOLDS),
        ("market.return_90 > -1", HOLDS),
        ("market.price > 1.5e3", HOLDS),
        ("golem.tick > 0x4af", HOLDS),
        ("golem.tick < 9223372036854775807", HOLDS),
        ("golem.tick > -9223372036854775808", HOLDS),
        // Arithmetic.
        ("market.price * 2 > 100", HOLDS),
        ("2 * market.price == 4000", HOLDS),
        ("market.price - 1 < 2000", HOLDS),
        ("market.price / 3 > 666.6 && market.price / 3 < 666.7", HOLDS),
        ("goals.failed * 0.5 == 2", HOLDS),
        ("goals.failed + goals.completed == 7", HOLDS),
        ("double(goals.failed) / goals.completed > 1.3", HOLDS),
        ("goals.failed / 8.0 == 0.5", HOLDS),
        ("golem.tick % 100 == 0", HOLDS),
        ("int(market.gas_gwei) == 12", HOLDS),
        ("int(market.gas_gwei) % 5 == 2", HOLDS),
        ("-market.return_90 > 0.04", HOLDS),
        ("math.abs(market.return_90) > 0.04", HOLDS),
        ("math.abs(-3) == goals.completed", HOLDS),
        ("math.least(goals.failed, 10) == 4", HOLDS),
        ("math.greatest(goals.failed, 4.5) == 4.5", HOLDS),
        ("1 + 2 * 3 == 7", HOLDS),
        ("(1 + 2) * 3 == 9", HOLDS),
        ("10 - 3 - 2 == 5", HOLDS),
        ("10 - (3 - 2) == 9", HOLDS),
        // Words and answers.
        ("market.regime == \"range_bound\"", HOLDS),
        ("'range_bound' == market.regime", HOLDS),
        ("market.regime != 'volatile'", HOLDS),
        ("vitality.phase in ['declining', 'terminal']", NOT),
        ("vitality.phase in [\"stable\"]", HOLDS),
        ("goals.completed in [1, 2, 3]", HOLDS),
        ("market.price in [1999, 2000]", HOLDS),
        ("goals.completed in [2.5, 3.0]", HOLDS),
        ("golem.senescent", NOT),
        ("!golem.senescent", HOLDS),
        ("golem.senescent == false", HOLDS),
        ("(market.price > 1.0) == (goals.failed > 1)", HOLDS),
        ("true", HOLDS),
        // Joined.
        ("market.price > 1.0 && goals.failure_rate < 0.3", NOT),
        ("market.price > 1.0 || goals.failure_rate < 0.3", HOLDS),
        ("!(market.price > 1.0 && goals.failure_rate < 0.3)", HOLDS),
        ("golem.senescent ? market.price > 1 : market.price > 2000", NOT),
        ("(golem.senescent ? 1 : 2.5) == 2.5", HOLDS),
        ("market.price > 1 // dear\n && true", HOLDS),
        // What was not observed.
        ("golem.hazard > 0.1", HAZARD),
        ("golem.hazard == golem.hazard", HAZARD),
        ("!(golem.hazard > 0.1)", HAZARD),
        ("golem.hazard + 1 > 0", HAZARD),
        ("math.abs(golem.hazard) > 0", HAZARD),
        ("golem.hazard > 0.1 && market.price > 1", HAZARD),
        ("market.price > 1 && golem.hazard > 0.1", HAZARD),
        ("golem.hazard > 0.1 && market.price > 9000", NOT),
        ("market.price > 9000 && golem.hazard > 0.1", NOT),
        ("golem.hazard > 0.1 || market.price > 1", HOLDS),
        ("market.price > 1 || golem.hazard > 0.1", HOLDS),
        ("golem.hazard > 0.1 || market.price > 9000", HAZARD),
        ("golem.hazard > 0.1 && market.volume > 1", VOLUME),
        ("golem.hazard > 0.1 ? true : true", HAZARD),
        ("true ? market.price > 1 : golem.hazard > 0.1", HOLDS),
        ("has(golem.hazard)", NOT),
        ("has(market.price)", HOLDS),
        ("has(golem.hazard) && golem.hazard > 0.1", NOT),
        ("!has(golem.hazard) || golem.hazard > 0.1", HOLDS),
        // What has no answer.
        ("market.price / vitality.economic > 1", ZERO),
        ("0 / vitality.economic > 1", ZERO),
        ("1.0 / goals.since_completed > 1", ZERO),
        ("golem.tick % goals.since_completed == 0", ZERO),
        ("golem.balance_usdc * golem.balance_usdc > 1", OVER),
        ("golem.balance_usdc * -golem.balance_usdc < 1", OVER),
        ("golem.tick * 9223372036854775807 > 1", OVER),
        ("golem.tick + 9223372036854775807 > 1", OVER),
        ("-(-9223372036854775808) > golem.tick", OVER),
        ("math.abs(-9223372036854775808) > golem.tick", OVER),
        ("int(golem.balance_usdc) > 1", OVER),
        ("market.price / vitality.economic > 1 && false", NOT),
        ("market.price / vitality.economic > 1 || true", HOLDS),
    ] {
        let expression = Expression::compile(source).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(expression.evaluate(&seen), verdict, "{source} (as {expression})");
        assert_eq!(expression.evaluate(&seen), expression.evaluate(&seen), "{source} twice");
    }
}

#[test]
fn canonical_texts() {
    for (source, canonical) in [
        ("market.price>2000", "market.price > 2000"),
        ("  market.price\n > 2e3 ", "market.price > 2000.0"),
        ("market.price > 1e20", "market.price > 1e20"),
        ("market.price > .5", "market.price > 0.5"),
        ("golem.tick > 0x10", "golem.tick > 16"),
        ("((market.price)) > (2000)", "market.price > 2000"),
        ("market.regime=='volatile'", "market.regime == \"volatile\""),
        ("market.regime in['volatile','unknown',]", "market.regime in [\"volatile\", \"unknown\"]"),
        ("true&&(true&&(true&&false))", "true && true && true && false"),
        ("(true&&false)||true", "true && false || true"),
        ("true&&(false||true)", "true && (false || true)"),
        ("!(true)", "!true"),
        ("!!true", "true"),
        ("!(!true)", "!(!true)"),
        ("!(true&&false)", "!(true && false)"),
        ("-(5)<golem.tick", "-(5) < golem.tick"),
        ("--5<golem.tick", "5 < golem.tick"),
        ("-(-golem.tick)<2--1", "-(-golem.tick) < 2 - -1"),
        ("golem.tick-(1-2)+(3*4)>0", "golem.tick - (1 - 2) + 3 * 4 > 0"),
        ("(golem.tick+1)*2>0", "(golem.tick + 1) * 2 > 0"),
        ("(golem.tick>1)==true", "(golem.tick > 1) == true"),
        ("golem.tick>1==true", "(golem.tick > 1) == true"),
        ("has( market.price )", "has(market.price)"),
        ("math.least(golem.tick,2)<1", "math.least(golem.tick, 2) < 1"),
        ("true?false:true?false:true", "true ? false : (true ? false : true)"),
        ("golem.tick > 1 // since when", "golem.tick > 1"),
    ] {
        let expression = Expression::compile(source).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(expression.source(), canonical, "{source}");
        assert_eq!(Expression::compile(canonical).unwrap().source(), canonical);
    }
}

#[test]
fn fields_are_listed_once_in_the_order_of_mention() {
    let source = "golem.tick > 1 && has(market.volume) && market.price > 2 || golem.tick < 1";
    let expression = Expression::compile(source).unwrap();
    assert_eq!(expression.fields(), [Field::GolemTick, Field::MarketVolume, Field::MarketPrice]);
}

#[test]
fn distances() {
    let seen = afternoon();
    for (source, said) in [
        ("goals.failure_rate < 0.3", Some("goals.failure_rate 0.46, eases below 0.30")),
        ("0.3 > goals.failure_rate", Some("goals.failure_rate 0.46, eases below 0.30")),
        ("goals.failure_rate < 0.457", Some("goals.failure_rate 0.460, eases below 0.457")),
        ("goals.failure_rate <= 0.5", Some("goals.failure_rate 0.46, at or below 0.50")),
        ("market.price > 2000", Some("market.price 2000.00, eases above 2000.00")),
        ("market.price >= 2500", Some("market.price 2000.00, eases at or above 2500.00")),
        ("market.return_90 > -0.0004", Some("market.return_90 -0.0500, eases above -0.0004")),
        ("goals.completed > 5", Some("goals.completed 3, eases above 5")),
        ("golem.balance_usdc < 3e-12", Some("golem.balance_usdc 1e200, eases below 3e-12")),
        ("goals.completed == 5", Some("goals.completed 3, eases at 5")),
        ("goals.completed > 4.5", Some("goals.completed 3.00, eases above 4.50")),
        // The farthest in proportion: 2 of 5 is more than 0.16 of 0.46, and both are more than nothing.
        ("goals.failure_rate < 0.3 && goals.completed >= 5", Some("goals.completed 3, eases at or above 5")),
        ("goals.completed >= 1 && goals.failure_rate < 0.3", Some("goals.failure_rate 0.46, eases below 0.30")),
        ("goals.completed >= 1 && goals.failed > 2", Some("goals.completed 3, at or above 1")),
        ("market.price > 2000 && goals.completed > 1", Some("market.price 2000.00, eases above 2000.00")),
        // Nothing that one line could say.
        ("goals.completed != 5", None),
        ("goals.completed > goals.failed", None),
        ("goals.completed + 1 > 5", None),
        ("golem.hazard < 0.1", None),
        ("goals.completed > 5 && golem.hazard < 0.1", None),
        ("goals.completed > 5 || goals.failed > 5", None),
        ("!(goals.completed > 5)", None),
        ("vitality.phase == 'stable'", None),
        ("goals.completed > 5 && vitality.phase == 'stable'", None),
        ("golem.senescent == false", None),
        ("true", None),
    ] {
        let distance = Expression::compile(source).unwrap().distance(&seen);
        assert_eq!(distance.map(|d| d.say("eases")).as_deref(), said, "{source}");
    }
    let distance = Expression::compile("goals.failure_rate < 0.3").unwrap().distance(&seen).unwrap();
    assert_eq!(distance.to_string(), "goals.failure_rate 0.46, holds below 0.30");
    assert!((distance.gap - 0.16).abs() < 1e-12 && !distance.holds);
}
