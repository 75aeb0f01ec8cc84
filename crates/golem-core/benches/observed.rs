//! What an expression costs: to compile, to evaluate, to measure the distance of.

use divan::{Bencher, black_box};
use golem_core::observed::{Expression, Field, Snapshot, Value};

fn main() {
    divan::main();
}

/// From the cheapest question to a long one.
const SOURCES: &[&str] = &[
    "market.price > 1.0",
    "market.price > 1.0 && vitality.composite < 2.0",
    "vitality.phase in [\"declining\", \"terminal\"] || golem.projected_life_h < 72",
    "market.price * 1.01 > 2000 && math.abs(market.return_90) < 0.1",
    "market.price > 1 && market.gas_gwei > 1 && market.volume > 1 && vitality.economic > 0.1 && vitality.epistemic > 0.1 \
     && golem.tick > 1 && golem.exposure < 0.9 && golem.hazard < 0.1 && goals.completed > 1 && goals.failure_rate < 0.6",
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

#[divan::bench(args = SOURCES)]
fn evaluate(bencher: Bencher<'_, '_>, source: &str) {
    let (expression, seen) = (Expression::compile(source).expect("it compiles"), seen());
    bencher.bench(|| black_box(&expression).evaluate(black_box(&seen)));
}

#[divan::bench(args = SOURCES)]
fn compile(bencher: Bencher<'_, '_>, source: &str) {
    bencher.bench(|| Expression::compile(black_box(source)));
}

#[divan::bench]
fn distance(bencher: Bencher<'_, '_>) {
    let (expression, seen) = (Expression::compile(SOURCES[1]).expect("it compiles"), seen());
    bencher.bench(|| black_box(&expression).distance(black_box(&seen)));
}
