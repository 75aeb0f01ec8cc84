//! Claims that are true, or false, by their own form: `golem.tick >= 5`, a constant, a thing about itself. Reality has no
//! say in them, so nothing that reality does could ever refute them, and they would be believed for ever.

use crate::claim::Claim;
use crate::series::is_own_arithmetic;
use golem_core::observed::{Expression, Field, Kind, Snapshot, Value, Verdict};

/// Moments at which an expression is tried at most.
const MOST_TRIED: usize = 4_096;

/// Why a claim says nothing about the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HollowClaim {
    /// One of its sides names nothing that is observed.
    #[error("one side of the claim is a constant")]
    Constant,
    /// What it claims is about the golem and not about the world.
    #[error("it claims something about the golem itself, not about the world")]
    OfItself,
    /// It never comes true, or always, whatever is observed.
    #[error("it is the same whatever is observed")]
    Decided,
    /// What it claims is computed from what it begins with.
    #[error("what it claims is computed from its own condition")]
    OwnCondition,
}

/// Why a claim is decided by its own form; none when reality decides. What cannot be compiled is not its business.
#[must_use]
pub fn hollow(claim: &Claim) -> Option<HollowClaim> {
    let (when, then) = (Expression::compile(&claim.when).ok()?, Expression::compile(&claim.then).ok()?);
    if when.fields().is_empty() || then.fields().is_empty() {
        return Some(HollowClaim::Constant);
    }
    if !then.fields().iter().all(|f| is_of_the_world(*f)) || !when.fields().iter().any(|f| is_of_the_world(*f)) {
        return Some(HollowClaim::OfItself);
    }
    if is_decided(&when) || is_decided(&then) {
        return Some(HollowClaim::Decided);
    }
    let own = |effect: &Field| when.fields().iter().any(|cause| is_own_arithmetic(*cause, *effect, claim.after_ticks));
    then.fields().iter().any(own).then_some(HollowClaim::OwnCondition)
}

/// True for what the market does, whoever watches it, also where it is told against what was expected.
fn is_of_the_world(field: Field) -> bool {
    field.name().starts_with("market.") || field.unit() == "usual errors"
}

/// True when it is the same at every moment that is tried.
fn is_decided(expression: &Expression) -> bool {
    let fields: Vec<(Field, Vec<Option<Value>>)> = expression.fields().iter().map(|f| (*f, possible(*f))).collect();
    let all = fields.iter().fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
    // Where there are too many, evenly spread ones.
    let step = all.div_ceil(MOST_TRIED) | 1;
    let (mut held, mut failed) = (false, false);
    for number in (0..all).step_by(step) {
        let (mut moment, mut rest) = (Snapshot::new(), number);
        for (field, values) in &fields {
            if let Some(value) = values[rest % values.len()] {
                // By the field's own kind: it always fits.
                let _kept = moment.set(*field, value);
            }
            rest /= values.len();
        }
        match expression.evaluate(&moment) {
            Verdict::Holds => held = true,
            Verdict::DoesNot => failed = true,
            Verdict::Unknown { .. } | Verdict::Failed { .. } => {}
        }
        if held && failed {
            return false;
        }
    }
    true
}

/// Values that a field can have, over the whole range of what is ever seen.
fn possible(field: Field) -> Vec<Option<Value>> {
    let numbers = |all: &mut dyn Iterator<Item = f64>| all.map(Value::number).collect::<Vec<_>>();
    match (field.kind(), field) {
        (Kind::Text(words), _) => words.iter().map(|word| Some(Value::Text(word))).collect(),
        (Kind::Bool, _) => vec![Some(Value::Bool(true)), Some(Value::Bool(false))],
        (Kind::Integer, _) => (0..40).map(|n| Some(Value::Integer(n * n))).collect(),
        (
            Kind::Number,
            Field::MarketReturn15 | Field::MarketReturn90 | Field::MarketLeadReturn | Field::ForecastReturn,
        ) => {
            let sizes = [0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
            numbers(&mut sizes.iter().map(|x| -x).chain([0.0]).chain(sizes))
        }
        (Kind::Number, _) => match field.unit() {
            "times" => numbers(&mut (-24..=24).map(|n| libm::exp2(f64::from(n) / 4.0))),
            "usual moves" => numbers(&mut (-20..=20).map(f64::from)),
            "usual errors" => numbers(&mut (-20..=20).map(|n| f64::from(n) / 4.0)),
            "0 to 24" => numbers(&mut (0..96).map(|n| f64::from(n) / 4.0)),
            "0 to 1" => numbers(&mut (0..=20).map(|n| f64::from(n) / 20.0)),
            "nominal ticks" => numbers(&mut (0..=80).map(|n| f64::from(n) * 10.0)),
            "fraction" | "fraction per day" => numbers(&mut (-40..=0).map(|n| libm::exp2(f64::from(n) / 2.0))),
            // Money and gas have no usual size.
            _ => numbers(&mut (-20..=40).map(|n| libm::exp2(f64::from(n)))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(when: &str, then: &str, after_ticks: u32) -> Option<HollowClaim> {
        hollow(&Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks })
    }

    #[test]
    fn what_is_true_by_its_form_is_seen() {
        let gas = "market.gas_ratio > 2.0";
        let table = [
            ("true", "market.return_15 > 0.0", HollowClaim::Constant),
            (gas, "1.0 < 2.0", HollowClaim::Constant),
            ("golem.tick >= 5", "golem.tick >= 5", HollowClaim::OfItself),
            (gas, "golem.age_days > 0.0", HollowClaim::OfItself),
            ("golem.tick >= 5", "market.return_15 > 0.0", HollowClaim::OfItself),
            (gas, "market.price > 0.0", HollowClaim::Decided),
            (gas, "market.volume >= 0.0", HollowClaim::Decided),
            (gas, "market.fee_yield_ratio > 0.001", HollowClaim::Decided),
            (gas, "market.return_15 > -1.0", HollowClaim::Decided),
            (gas, "market.return_15 > 0.0 || market.return_15 <= 0.0", HollowClaim::Decided),
            (gas, "has(market.price)", HollowClaim::Decided),
            (
                "market.regime != \"volatile\" || market.regime == \"volatile\"",
                "market.return_15 > 0.0",
                HollowClaim::Decided,
            ),
            (gas, "market.gas_ratio > 1.5", HollowClaim::OwnCondition),
            (gas, "market.gas_gwei > 30.0", HollowClaim::OwnCondition),
            ("market.return_90 > 0.01", "market.return_90 > 0.01", HollowClaim::OwnCondition),
            ("market.return_15 < -0.01", "market.volatility_ratio > 2.0", HollowClaim::OwnCondition),
            ("market.volume_ratio > 3.0", "market.fee_yield_ratio > 1.5", HollowClaim::OwnCondition),
        ];
        for (when, then, why) in table {
            assert_eq!(said(when, then, 20), Some(why), "{when} -> {then}");
        }
        let real = [
            (gas, "market.fee_yield_ratio > 1.5", 20),
            (gas, "market.price > 3000.0", 20),
            ("market.return_15 < -0.01", "market.return_15 > 0.0", 20),
            ("market.regime == \"volatile\"", "market.fee_yield_ratio > 2.0", 5),
            ("market.volatility_ratio > 2.0 && golem.exposure > 0.1", "market.return_90 < 0.0", 90),
        ];
        for (when, then, after) in real {
            assert_eq!(said(when, then, after), None, "{when} -> {then}");
        }
        assert_eq!(said("market.return_15 < -0.01", "market.return_15 > 0.0", 10), Some(HollowClaim::OwnCondition));
    }
}
