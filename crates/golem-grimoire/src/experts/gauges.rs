//! What is usual of every observed number of the market, so that an expert can go by how unusual it is.

use golem_core::VirtualTime;
use golem_core::observed::{Field, Kind, Snapshot};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Memory of mean and spread, in nominal ticks: two weeks, so that a mood of some days is unusual.
const MEMORY: f64 = 14.0 * 2_160.0;
/// The same for levels, which are held against their day.
const LEVEL_MEMORY: f64 = 2_160.0;
/// Levels: they have no usual value that lasts, but moods of some days.
pub(super) const LEVELS: &[Field] =
    &[Field::MarketPrice, Field::MarketGasGwei, Field::MarketFeeYield, Field::MarketVolume, Field::MarketVolatility];
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

impl FieldGauge {
    fn see(&mut self, seen: Option<f64>, ticks: f64, memory: f64) {
        let Some(x) = seen else { return };
        self.age = (self.age + ticks).min(memory);
        let gain = (ticks / self.age.max(1e-9)).min(1.0);
        let away = x - self.mean;
        // A broken quote must not make everything else look usual.
        let most = if self.age > WARM { 25.0 * self.variance + 1e-12 } else { f64::INFINITY };
        self.mean += gain * away.signum() * away.abs().min(libm::sqrt(most));
        self.variance += gain * ((away * away).min(most) - self.variance);
    }
}

/// The gauges of all fields that an expert may go by, in the order of [`inputs`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct FieldGauges {
    each: Vec<FieldGauge>,
    /// The same with a long memory, for levels.
    moods: Vec<FieldGauge>,
    /// When gas last spiked.
    spike: Option<VirtualTime>,
}

/// Numbers that are made of others: a time, and a change.
const APART: [Field; 2] = [Field::MarketGasSpikeTicks, Field::MarketFeeYieldMove];

/// What follows from the table of fields and is asked in every turn, worked out once.
struct InputTable {
    /// Numbers of the market, in the order of the table.
    fields: Vec<Field>,
    /// The place of each field among them.
    places: [Option<usize>; Field::COUNT],
    signed: [bool; Field::COUNT],
}

static INPUTS: LazyLock<InputTable> = LazyLock::new(|| {
    let is_input = |f: &Field| f.name().starts_with("market.") && f.kind() == Kind::Number && !APART.contains(f);
    let fields: Vec<Field> = Field::ALL.iter().copied().filter(is_input).collect();
    let mut table = InputTable { fields, places: [None; Field::COUNT], signed: [false; Field::COUNT] };
    for (at, field) in table.fields.iter().enumerate() {
        table.places[field.index()] = Some(at);
    }
    for field in Field::ALL {
        let goes_round = matches!(field, Field::MarketShock | Field::MarketHour);
        table.signed[field.index()] = goes_round || field.name().contains("return");
    }
    table
});

/// Numbers of the market.
pub(super) fn inputs() -> impl Iterator<Item = Field> {
    INPUTS.fields.iter().copied()
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
pub(super) fn is_signed(field: Field) -> bool {
    INPUTS.signed[field.index()]
}

impl FieldGauges {
    /// See a turn of so many nominal ticks.
    pub(super) fn see(&mut self, seen: &Snapshot, now: VirtualTime, ticks: f64) {
        if seen.get(Field::MarketGasRatio).and_then(|v| v.as_f64()).is_some_and(|x| x >= SPIKE) {
            self.spike = Some(now);
        }
        self.each.resize(INPUTS.fields.len(), FieldGauge::default());
        self.moods.resize(LEVELS.len(), FieldGauge::default());
        for (gauge, field) in self.each.iter_mut().zip(inputs()) {
            let (level, view) = (LEVELS.iter().position(|level| *level == field), viewed(field, seen));
            gauge.see(view, ticks, if level.is_some() { LEVEL_MEMORY } else { MEMORY });
            // Every level is an input, and is seen by both in the same way.
            if let Some(mood) = level.and_then(|at| self.moods.get_mut(at)) {
                mood.see(view, ticks, MEMORY);
            }
        }
    }
    fn gauge(&self, field: Field) -> Option<&FieldGauge> {
        INPUTS.places[field.index()].and_then(|at| self.each.get(at)).filter(|g| g.age >= WARM)
    }
    /// Nominal ticks since gas last spiked.
    pub(super) fn since_spike(&self, now: VirtualTime) -> Option<f64> {
        self.spike.map(|at| now.since(at).as_nominal())
    }
    /// How unusual a field is, turned round while another is below what is usual.
    pub(super) fn turned(&self, field: Field, by: Option<Field>, seen: &Snapshot) -> Option<f64> {
        let x = self.input(field, seen)?;
        match by {
            Some(by) => Some(if self.mood(by, seen)? < 0.0 { -x } else { x }),
            None => Some(x),
        }
    }
    /// How a level stands to what it was over weeks; what is no level, to what is usual.
    fn mood(&self, field: Field, seen: &Snapshot) -> Option<f64> {
        let Some(at) = LEVELS.iter().position(|f| *f == field) else { return self.input(field, seen) };
        let gauge = self.moods.get(at).filter(|g| g.age >= WARM)?;
        Some(viewed(field, seen)? - gauge.mean)
    }
    /// How unusual a field is, from -1 to 1; nothing while that is not known.
    pub(super) fn input(&self, field: Field, seen: &Snapshot) -> Option<f64> {
        let gauge = self.gauge(field)?;
        let x = viewed(field, seen)?;
        (gauge.variance > 0.0).then(|| ((x - gauge.mean) / libm::sqrt(gauge.variance) / UNIT).clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Elapsed;

    /// Days at a level of volume each, and how a return of one to either side is seen at their end.
    fn turned(days: &[(u64, f64)]) -> Option<f64> {
        let (mut gauges, mut seen, mut turn) = (FieldGauges::default(), Snapshot::new(), 0);
        for (long, volume) in days {
            for _ in 0..long * 432 {
                turn += 1;
                let wobble = 1.0 + 0.01 * (turn % 3) as f64;
                seen.set_number(Field::MarketVolume, volume * wobble).expect("a number");
                seen.set_number(Field::MarketReturn90, if turn % 2 == 0 { 0.01 } else { -0.01 }).expect("a number");
                gauges.see(&seen, VirtualTime(Elapsed::nominal(5 * turn).0), 5.0);
            }
        }
        gauges.turned(Field::MarketReturn90, Some(Field::MarketVolume), &seen)
    }

    /// Each input has a place of its own, in the order of the table, and nothing else has one.
    #[test]
    fn places_are_those_of_the_table() {
        for (at, field) in inputs().enumerate() {
            assert_eq!(INPUTS.places[field.index()], Some(at), "{field}");
        }
        assert!(LEVELS.iter().all(|level| inputs().any(|field| field == *level)), "every level is an input");
        let placed = Field::ALL.iter().filter(|f| INPUTS.places[f.index()].is_some());
        assert!(placed.copied().eq(inputs()) && inputs().count() > LEVELS.len());
        for (field, signed) in [
            (Field::MarketReturn15, true),
            (Field::MarketLeadReturn, true),
            (Field::MarketShock, true),
            (Field::MarketHour, true),
            (Field::MarketPrice, false),
            (Field::MarketGasRatio, false),
        ] {
            assert_eq!(is_signed(field), signed, "{field}");
        }
    }

    #[test]
    fn a_mood_is_held_against_weeks_and_not_against_its_day() {
        for (days, goes_on) in [
            (&[(6, 1e4), (1, 2e4)][..], true),
            (&[(6, 1e4), (4, 2e4)], true),
            (&[(6, 2e4), (1, 1e4)], false),
            (&[(6, 2e4), (4, 1e4)], false),
            (&[(3, 1e4), (3, 2e4), (3, 1e4)], false),
            // Below what the days before were like, and above what the weeks were; and the other way round.
            (&[(6, 1e4), (4, 2e4), (1, 1.5e4)], true),
            (&[(6, 2e4), (4, 1e4), (1, 1.33e4)], false),
        ] {
            let x = turned(days).expect("it has been seen for long enough");
            assert!((x.abs() - 0.5).abs() < 0.05 && (x > 0.0) == goes_on, "{days:?}: {x}");
        }
        assert_eq!(turned(&[]), None, "nothing is known of a first turn");
    }
}
