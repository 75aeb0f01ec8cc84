//! How a regime behaves, and how often one follows another, as far as the golem has lived through them.

use super::AnticipationScene;
use crate::replay::LivedEpisode;
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::observed::Field;
use golem_core::{Elapsed, Regime};
use golem_grimoire::situation::{AXES, Reads};
use std::collections::{BTreeMap, BTreeSet};

/// The ticks over which volatility and returns are measured.
const MEASURED_TICKS: f64 = 90.0;
/// A regime is never taken to be so many times wilder, or calmer, than the present.
const MOST_WILDER: f64 = 4.0;

/// A regime, by the episodes lived in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RegimeManner {
    /// The usual spread of a return over 90 ticks.
    pub volatility: f64,
    /// The mean return over 90 ticks, as a logarithm.
    pub drift: f64,
}

impl RegimeManner {
    /// How a regime would behave now. Situations tell returns and volatility in usual deviations; the present's
    /// volatility says how much that is.
    pub(super) fn of(scene: &AnticipationScene<'_>, regime: Regime) -> Self {
        let mean = |of: Regime, field: Field| mean_axis(scene.episodes, of, field);
        let wilder = mean(regime, Field::MarketVolatility) - mean(scene.regime, Field::MarketVolatility);
        let factor = libm::exp(scene.rules.volatility_deviation * wilder).clamp(1.0 / MOST_WILDER, MOST_WILDER);
        let volatility = scene.volatility() * factor;
        Self { volatility, drift: (mean(regime, Field::MarketReturn90) * volatility).clamp(-0.5, 0.5) }
    }
    /// The same as weather: a drift, and a swing as wide as the volatility.
    pub(super) fn weather(&self, ticks: u32) -> Vec<ScenarioEvent> {
        let a_day = self.drift * golem_core::time::NOMINAL_TICKS_PER_DAY as f64 / MEASURED_TICKS;
        let bps_per_day = (libm::expm1(a_day.clamp(-2.0, 2.0)) * 1e4) as i32;
        let drifts = (bps_per_day != 0).then_some(Happening::Drift { bps_per_day });
        let event = |what| ScenarioEvent { at_tick: 0, for_ticks: u64::from(ticks), what };
        drifts.into_iter().chain(swing(self.volatility, ticks)).map(event).collect()
    }
}

/// One whole swing whose returns are spread as widely as this volatility says.
pub(super) fn swing(volatility: f64, ticks: u32) -> Option<Happening> {
    let a_tick = volatility / libm::sqrt(MEASURED_TICKS);
    let amplitude = a_tick * f64::from(ticks) * std::f64::consts::SQRT_2 / std::f64::consts::TAU;
    let amplitude_bps = (amplitude * 1e4).clamp(0.0, 5_000.0) as u32;
    (amplitude_bps > 0).then_some(Happening::Chop { amplitude_bps, period_ticks: u64::from(ticks.max(2)) })
}

/// What a field usually was in a regime, in usual deviations; 0 where nothing is known.
fn mean_axis(episodes: &[LivedEpisode<'_>], regime: Regime, field: Field) -> f64 {
    let reads = |of: &Reads| matches!(of, Reads::Learnt(f, _) | Reads::LearntLog(f, _) if *f == field);
    let Some(at) = AXES.iter().position(|axis| reads(&axis.reads)) else { return 0.0 };
    let there = episodes.iter().filter(|(e, _)| e.regime == regime).map(|(e, _)| f64::from(e.situation.0[at]));
    let (n, sum) = there.filter(|x| x.is_finite()).fold((0u32, 0.0), |(n, sum), x| (n + 1, sum + x.clamp(-4.0, 4.0)));
    if n > 0 { sum / f64::from(n) } else { 0.0 }
}

/// How likely each regime is a horizon from now: by how often it followed the present one, each that was ever lived
/// counted once more than it was seen to. They add up to 1.
pub(super) fn followers(scene: &AnticipationScene<'_>) -> Vec<(Regime, f64)> {
    let horizon = Elapsed::nominal(u64::from(scene.rules.horizon_ticks));
    let lived = scene.episodes.iter().map(|(e, _)| e.regime).filter(|r| *r != Regime::Unknown);
    let known: BTreeSet<Regime> = lived.chain([scene.regime]).collect();
    let (mut seen, mut all) = (BTreeMap::<Regime, u32>::new(), 0u32);
    let mut later = 0;
    for (from, _) in scene.episodes {
        while scene.episodes.get(later).is_some_and(|(to, _)| to.age.since(from.age) < horizon) {
            later += 1;
        }
        let Some((to, _)) = scene.episodes.get(later) else { break };
        if from.regime == scene.regime && known.contains(&to.regime) {
            *seen.entry(to.regime).or_default() += 1;
            all += 1;
        }
    }
    let whole = f64::from(all) + known.len() as f64;
    let chance = |regime: &Regime| (f64::from(seen.get(regime).copied().unwrap_or(0)) + 1.0) / whole;
    let mut out: Vec<(Regime, f64)> = known.iter().map(|r| (*r, chance(r))).collect();
    out.sort_by(|(a, p), (b, q)| (*b == scene.regime).cmp(&(*a == scene.regime)).then(q.total_cmp(p)).then(a.cmp(b)));
    out
}
