//! Anticipation: ways that the present may go on, each as weather over a copy of it, and what the open positions would
//! be worth at their end.
//!
//! Three kinds: the regime goes on; it turns into each other one that was lived; and the surest edge of the causal
//! graph that has been quiet fires. [`anticipate`] makes them, [`runs`] asks for their runs, [`score`] reads what came
//! of them; [`likeliest`] is what forward replay plans for.

mod cascade;
mod manner;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::AnticipationRules;

use crate::journal::{AnticipatorTrajectory, PredictedMarketState};
use crate::replay::LivedEpisode;
use cascade::Cascade;
use golem_core::door::{ForkFrom, ForkRan, ForkResult, ForkRun, MOST_FORK_STEPS};
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::observed::Field;
use golem_core::{Regime, VirtualTime};
use golem_grimoire::causal::Graph;
use manner::{RegimeManner, followers};

/// Volatility where none was measured, and the most that is believed: of returns over 90 ticks.
const UNMEASURED_VOLATILITY: f64 = 0.01;
const MOST_VOLATILITY: f64 = 0.5;

/// What the present is known by.
#[derive(Clone, Copy)]
pub struct AnticipationScene<'a> {
    pub rules: &'a AnticipationRules,
    /// The oldest first.
    pub episodes: &'a [LivedEpisode<'a>],
    pub graph: &'a Graph,
    pub regime: Regime,
    pub now: VirtualTime,
    /// `market.volatility` as it was last observed.
    pub market_volatility: Option<f64>,
    /// True while anything is held: who holds nothing has nothing to lose by any of it.
    pub holds: bool,
}

impl AnticipationScene<'_> {
    /// The usual spread of a return over 90 ticks.
    fn volatility(&self) -> f64 {
        let measured = self.market_volatility.filter(|v| v.is_finite() && *v >= 0.0);
        measured.unwrap_or(UNMEASURED_VOLATILITY).min(MOST_VOLATILITY)
    }
    /// From now on, a whole horizon of weather and nothing done about it.
    fn run(&self, weather: Vec<ScenarioEvent>, steps: u32) -> ForkRun {
        ForkRun { from: ForkFrom::Present, acts: Vec::new(), weather, steps: steps.min(MOST_FORK_STEPS) }
    }
}

/// A way on that has not been run yet.
#[derive(Debug, Clone, PartialEq)]
pub struct AnticipatedPath {
    /// As far as it can be told without running it: fitness 1, and the price as the weather has it.
    pub trajectory: AnticipatorTrajectory,
    pub run: ForkRun,
}

/// The ways on: that nothing changes, each other regime, the likeliest first, and a quiet edge.
#[must_use]
pub fn anticipate(scene: &AnticipationScene<'_>) -> Vec<AnticipatedPath> {
    if !scene.holds {
        return Vec::new();
    }
    let mut paths: Vec<AnticipatedPath> =
        followers(scene).into_iter().map(|(regime, chance)| into_regime(scene, regime, chance)).collect();
    let quiet = (scene.rules.quiet_h.clamp(0.0, 1e6) * 3_600_000.0) as u64;
    let edge = scene.graph.dormant(VirtualTime(scene.now.0.saturating_sub(quiet)));
    paths.extend(edge.map(|edge| {
        let cascade = Cascade::from_edge(scene, edge);
        let steps = cascade.walk.ticks().saturating_add(scene.rules.horizon_ticks).min(MOST_FORK_STEPS);
        let weather = cascade.weather(scene, steps);
        let hypothesis = format!("{} moves by {:+.1} usual deviations: {}", edge.from, cascade.moved, edge.say());
        path(scene, hypothesis, &cascade, cascade.walk.confidence(), weather, steps)
    }));
    paths
}

/// The weather that is most likely to come: what is planned is tried in it. The first of equals, which is that nothing changes.
#[must_use]
pub fn likeliest(scene: &AnticipationScene<'_>) -> Vec<ScenarioEvent> {
    let most = followers(scene).into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map(|(regime, chance)| into_regime(scene, regime, chance).run.weather).unwrap_or_default()
}

/// What to run, one for each path.
#[must_use]
pub fn runs(paths: &[AnticipatedPath]) -> Vec<ForkRun> {
    paths.iter().map(|p| p.run.clone()).collect()
}

/// The paths that were run, with what the open positions were worth at their end. What could not be run is left out.
#[must_use]
pub fn score(paths: &[AnticipatedPath], results: &[ForkResult]) -> Vec<AnticipatorTrajectory> {
    let ran = paths.iter().zip(results).filter_map(|(path, result)| Some((path, result.as_ref().ok()?)));
    ran.map(|(path, ran)| executed(&path.trajectory, ran)).collect()
}

/// The way on that would hurt most, by what it would take and how likely it is, among those that need attention.
#[must_use]
pub fn worst<'a>(ways: &'a [AnticipatorTrajectory], rules: &AnticipationRules) -> Option<&'a AnticipatorTrajectory> {
    let hurts = |way: &AnticipatorTrajectory| (1.0 - way.strategy_fitness) * way.confidence;
    let needing = ways.iter().filter(|way| way.needs_attention(rules));
    // The first of equals.
    needing.reduce(|worst, way| if hurts(way) > hurts(worst) { way } else { worst })
}

impl AnticipatorTrajectory {
    /// True when it would hurt what is held.
    #[must_use]
    pub fn needs_attention(&self, rules: &AnticipationRules) -> bool {
        self.strategy_fitness < rules.attention_below
    }
}

fn executed(predicted: &AnticipatorTrajectory, ran: &ForkRan) -> AnticipatorTrajectory {
    let mut out = predicted.clone();
    out.strategy_fitness = if ran.before.0 > 0 { ran.after.0 as f64 / ran.before.0 as f64 } else { 1.0 };
    let factor = ran.prices[1] / ran.prices[0];
    if factor.is_finite() && factor > 0.0 {
        out.terminal_state.price_factor = factor;
    }
    out.terminal_state.ticks = ran.steps;
    out
}

/// The present regime for another while, or another one from now on.
fn into_regime(scene: &AnticipationScene<'_>, regime: Regime, chance: f64) -> AnticipatedPath {
    let ticks = scene.rules.horizon_ticks;
    let manner = RegimeManner::of(scene, regime);
    let (source, moved) = match regime {
        Regime::TrendingUp => (Field::MarketPrice, 1.0),
        Regime::TrendingDown => (Field::MarketPrice, -1.0),
        Regime::Volatile => (Field::MarketVolatility, 1.0),
        Regime::RangeBound | Regime::Unknown => (Field::MarketVolatility, -1.0),
    };
    let cascade = Cascade::from_field(scene, source, moved);
    // The price is the regime's own; what it drives comes on top.
    let driven = cascade.weather(scene, ticks).into_iter();
    let driven = driven.filter(|e| matches!(e.what, Happening::Gas { .. } | Happening::Protocol { .. }));
    let weather = manner.weather(ticks).into_iter().chain(driven).collect();
    let hypothesis = if regime == scene.regime {
        format!("{regime} weather goes on for {ticks} ticks")
    } else {
        format!("{} weather turns into {regime} weather for {ticks} ticks", scene.regime)
    };
    path(scene, hypothesis, &cascade, chance, weather, ticks)
}

fn path(
    scene: &AnticipationScene<'_>,
    hypothesis: String,
    cascade: &Cascade,
    confidence: f64,
    weather: Vec<ScenarioEvent>,
    steps: u32,
) -> AnticipatedPath {
    let last = u64::from(steps.saturating_sub(1));
    let log_price: f64 = weather.iter().map(|e| e.log_price(last)).sum();
    let terminal_state =
        PredictedMarketState { state: hypothesis.clone(), price_factor: libm::exp(log_price), ticks: steps };
    let trajectory =
        AnticipatorTrajectory { hypothesis, steps: cascade.steps(), terminal_state, strategy_fitness: 1.0, confidence };
    AnticipatedPath { trajectory, run: scene.run(weather, steps) }
}
