//! What an expression costs: to compile, to evaluate, to measure the distance of.

use divan::{Bencher, black_box};
use golem_core::observed::{Expression, Field, Snapshot, Value};
use std::fmt;

fn main() {
    divan::main();
}

/// A question, and what the report calls it.
struct Case(&'static str, &'static str);

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

const CASES: &[Case] = &[
    Case("one comparison", "market.price > 1.0"),
    Case("two comparisons", "market.price > 1.0 && vitality.composite < 2.0"),
    Case("words", "vitality.phase in [\"declining\", \"terminal\"] || golem.projected_life_h < 72"),
    Case("arithmetic", "market.price * 1.01 > 2000 && math.abs(market.return_90) < 0.1"),
    Case(
        "ten comparisons",
        "market.price > 1 && market.gas_gwei > 1 && market.volume > 1 && vitality.economic > 0.1 && golem.tick > 1 \
         && vitality.epistemic > 0.1 && golem.exposure < 0.9 && golem.hazard < 0.9 && goals.completed > 1 \
         && goals.failure_rate < 0.6",
    ),
];

fn seen() -> Snapshot {
    let mut seen = Snapshot::new();
    for &field in Field::ALL {
        let value = [Value::number(0.5), Some(Value::Integer(3)), Some(Value::Text("stable")), Some(Value::Bool(true))];
        let fits = value.into_iter().flatten().find(|v| v.fits(field.kind()));
        if let Some(value) = fits {
            seen.set(field, value).expect("it fits");
        }
    }
    for field in [Field::MarketPrice, Field::MarketGasGwei, Field::MarketVolume] {
        seen.set_number(field, 2_000.0).expect("it is a number");
    }
    seen
}

#[divan::bench(args = CASES)]
fn evaluate(bencher: Bencher<'_, '_>, case: &Case) {
    let (expression, seen) = (Expression::compile(case.1).expect("it compiles"), seen());
    bencher.bench(|| black_box(&expression).evaluate(black_box(&seen)));
}

#[divan::bench(args = CASES)]
fn compile(bencher: Bencher<'_, '_>, case: &Case) {
    bencher.bench(|| Expression::compile(black_box(case.1)));
}

#[divan::bench]
fn distance(bencher: Bencher<'_, '_>) {
    let (expression, seen) = (Expression::compile(CASES[1].1).expect("it compiles"), seen());
    bencher.bench(|| black_box(&expression).distance(black_box(&seen)));
}
