//! The clocks of a life, and how long it may yet live.

use crate::cards;
use crate::fail::Fail;
use crate::home::Place;
use crate::origins::settings_of;
use crate::stored::series;
use golem_core::{Tick, Usdc, VirtualTime};
use golem_life::{LifePoint, Status};
use golem_mortality::BehavioralPhase;
use golem_mortality::forecast::{ForecastPoint, LifeForecast, Present, forecast};
use golem_mortality::stochastic;
use golem_runtime::Reader;
use serde::Serialize;
use std::collections::BTreeMap;

/// The forecast looks this far ahead.
pub const HORIZON_DAYS: u32 = 120;
/// Nominal ticks of a day.
const DAY: f64 = 2_160.0;

/// What `golem vitals --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct VitalSigns {
    pub tick: Tick,
    pub phase: BehavioralPhase,
    pub vitality: VitalParts,
    pub domains: BTreeMap<String, f64>,
    pub hazard_rate: f64,
    pub survival_24h: f64,
    pub expected_remaining_days: f64,
    pub median_remaining_days: f64,
    #[serde(rename = "balance_micro_usdc")]
    pub balance: Usdc,
    pub projected_life_h: Option<f64>,
}

/// The composite and its parts, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct VitalParts {
    pub economic: f64,
    pub epistemic: f64,
    /// Nominal age over the reference lifespan.
    pub age_factor: f64,
    /// What drives the phases.
    pub composite: f64,
}

impl VitalParts {
    /// As a status says them.
    pub fn of(s: &Status) -> Self {
        let v = &s.vitality;
        Self { economic: v.economic, epistemic: v.epistemic, age_factor: v.age_factor, composite: v.composite }
    }
}

/// A life's clocks, read once.
pub struct Clocks {
    pub now: Status,
    pub history: Vec<LifePoint>,
    pub signs: VitalSigns,
}

/// Read them.
pub fn read(place: &Place) -> Result<Clocks, Fail> {
    let reader = Reader::open(&place.dir)?;
    let config = settings_of(&reader.origin()?)?.mortality.stochastic;
    let now = cards::status(place)?;
    let history = series(&reader)?;
    let (age, fitness) = (now.age_ticks as f64, now.vitality.epistemic);
    let signs = VitalSigns {
        tick: now.tick,
        phase: now.phase,
        vitality: VitalParts::of(&now),
        domains: now.domains.clone(),
        hazard_rate: now.hazard_rate,
        survival_24h: now.survival_24h,
        expected_remaining_days: stochastic::expected_remaining(age, fitness, &config) / DAY,
        median_remaining_days: stochastic::median_remaining(age, fitness, &config) / DAY,
        balance: now.balance,
        projected_life_h: now.projected_life_h,
    };
    Ok(Clocks { now, history, signs })
}

/// How long it may yet live; the dead are refused.
pub fn ahead(place: &Place) -> Result<(Status, LifeForecast), Fail> {
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let config = settings_of(&origin)?.mortality;
    let now = cards::status(place)?;
    let history = series(&reader)?;
    if now.death.is_some() {
        let standing = now.standing.name();
        return Err(Fail::owner(format!("{} is {standing}: there is nothing to forecast", place.name)));
    }
    let points: Vec<ForecastPoint> = history.iter().map(point).collect();
    let told = forecast(&present(&now, origin.birth.funding), &points, HORIZON_DAYS, &config);
    Ok((now, told))
}

/// A remembered point of the series.
fn point(s: &LifePoint) -> ForecastPoint {
    ForecastPoint { day: s.age_days, fitness: s.vitality.epistemic, lead: s.lead, balance: s.balance }
}

/// What the forecast starts from.
pub fn present(s: &Status, initial: Usdc) -> Present {
    Present {
        age: VirtualTime((s.age_days * 86_400_000.0) as u64),
        fitness: s.vitality.epistemic,
        lead: s.lead,
        senescence: s.senescence,
        balance: s.balance,
        reserve: s.reserve,
        initial,
        burn_rate: s.burn_rate_micro_usdc_per_tick,
    }
}
