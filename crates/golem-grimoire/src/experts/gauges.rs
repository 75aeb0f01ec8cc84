//! What is usual of every observed number of the market, so that an expert can go by how unusual it is.

use golem_core::VirtualTime;
use golem_core::observed::{Field, Kind, Snapshot};
use serde::{Deserialize, Serialize};

/// Memory of mean and spread, in nominal ticks: two weeks, so that a mood of some days is unusual.
const MEMORY: f64 = 14.0 * 2_160.0;
/// Gas at so many times its usual level is a spike.
const SPIKE: f64 = 2.0;
/// Nominal ticks before anything is called unusual.
const WARM: f64 = 180.0;
/// So many usual deviations are one unit of input; no input is larger.
const UNIT: f64 = 2.0;

/// Mean and square of one field, as it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct FieldGauge {
    mean: f64,
    variance: f64,
    age: f64,
}

/// The gauges of all fields that an expert may go by, in the order of [`inputs`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct FieldGauges {
    each: Vec<FieldGauge>,
    /// When gas last spiked.
    spike: Option<VirtualTime>,
}

/// Numbers of the market.
pub(super) fn inputs() -> impl Iterator<Item = Field> {
    Field::ALL
        .iter()
        .copied()
        .filter(|f| f.name().starts_with("market.") && f.kind() == Kind::Number && *f != Field::MarketGasSpikeTicks)
}

/// A field as it is looked at: levels and ratios as logarithms, what can be below nothing as it is.
fn viewed(field: Field, seen: &Snapshot) -> Option<f64> {
    let x = seen.get(field)?.as_f64()?;
    if is_signed(field) {
        return Some(x);
    }
    (x > 0.0).then(|| libm::log(x))
}

/// True for what can be below nothing, or goes round like the hours of a day.
fn is_signed(field: Field) -> bool {
    field.name().contains("return") || field.name().contains("hour")
}

impl FieldGauges {
    /// See a turn of so many nominal ticks.
    pub(super) fn see(&mut self, seen: &Snapshot, now: VirtualTime, ticks: f64) {
        if seen.get(Field::MarketGasRatio).and_then(|v| v.as_f64()).is_some_and(|x| x >= SPIKE) {
            self.spike = Some(now);
        }
        let count = inputs().count();
        self.each.resize(count, FieldGauge::default());
        for (gauge, field) in self.each.iter_mut().zip(inputs()) {
            let Some(x) = viewed(field, seen) else { continue };
            gauge.age = (gauge.age + ticks).min(MEMORY);
            let gain = (ticks / gauge.age.max(1e-9)).min(1.0);
            let away = x - gauge.mean;
            // A broken quote must not make everything else look usual.
            let most = if gauge.age > WARM { 25.0 * gauge.variance + 1e-12 } else { f64::INFINITY };
            gauge.mean += gain * away.signum() * away.abs().min(libm::sqrt(most));
            gauge.variance += gain * ((away * away).min(most) - gauge.variance);
        }
    }
    fn gauge(&self, field: Field) -> Option<&FieldGauge> {
        inputs().position(|f| f == field).and_then(|at| self.each.get(at)).filter(|g| g.age >= WARM)
    }
    /// Nominal ticks since gas last spiked.
    pub(super) fn since_spike(&self, now: VirtualTime) -> Option<f64> {
        self.spike.map(|at| now.since(at).as_nominal())
    }
    /// The usual value of a field.
    pub(super) fn usual(&self, field: Field) -> Option<f64> {
        self.gauge(field).map(|g| if is_signed(field) { g.mean } else { libm::exp(g.mean) })
    }
    /// How unusual a field is, from -1 to 1; nothing while that is not known.
    pub(super) fn input(&self, field: Field, seen: &Snapshot) -> Option<f64> {
        let gauge = self.gauge(field)?;
        let x = viewed(field, seen)?;
        (gauge.variance > 0.0).then(|| ((x - gauge.mean) / libm::sqrt(gauge.variance) / UNIT).clamp(-1.0, 1.0))
    }
}
