//! Questions that are answered by their own form: `golem.tick >= 0`, a share below two, a constant. No record could ever
//! decide them.

use super::evaluate::Verdict;
use super::expression::Expression;
use super::fields::Field;
use super::snapshot::Snapshot;
use super::value::{Kind, Value};

/// Moments at which an expression is tried at most.
const MOST_TRIED: usize = 4_096;

impl Expression {
    /// True when it looks at nothing, or is the same at every moment that is tried, over the whole range of what is ever seen.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        let fields: Vec<(Field, Vec<Option<Value>>)> = self.fields().iter().map(|f| (*f, possible(*f))).collect();
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
            match self.evaluate(&moment) {
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
}

/// Values that a field can have, over the whole range of what is ever seen.
fn possible(field: Field) -> Vec<Option<Value>> {
    let numbers = |all: &mut dyn Iterator<Item = f64>| all.map(Value::number).collect::<Vec<_>>();
    match (field.kind(), field) {
        (Kind::Text(words), _) => words.iter().map(|word| Some(Value::Text(word))).collect(),
        (Kind::Bool, _) => vec![Some(Value::Bool(true)), Some(Value::Bool(false))],
        // Small counts, and turns of a long life.
        (Kind::Integer, _) => {
            (0..40).map(|n| n * n).chain((11..40).step_by(4).map(|n| 1 << n)).map(|n| Some(Value::Integer(n))).collect()
        }
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

    #[test]
    fn what_no_record_could_decide_is_decided() {
        for (text, decided) in [
            ("1 > 0", true),
            ("goals.failure_rate < 2.0", true),
            ("golem.tick >= 0", true),
            ("market.price > 0.0", true),
            ("golem.tick >= 0 && goals.failure_rate < 0.3", false),
            ("goals.failure_rate < 0.3", false),
            ("golem.tick >= 5000", false),
            ("vitality.phase == \"declining\"", false),
        ] {
            assert_eq!(Expression::compile(text).unwrap().is_decided(), decided, "{text}");
        }
    }
}
