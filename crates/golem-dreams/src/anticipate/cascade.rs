//! What follows when a variable moves: the causal graph walked forward, the surest edge first, as steps in words and as
//! weather for a copy of the present.

use super::AnticipationScene;
use super::manner::swing;
use crate::journal::TrajectoryStep;
use golem_core::ProtocolState;
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::observed::Field;
use golem_grimoire::causal::{CausalWalk, Edge, Hop, MAX_HOPS};

/// The ticks over which volatility is measured.
const MEASURED_TICKS: f64 = 90.0;
/// No deviation is taken to be larger than this, whatever the weights of a walk say.
const MOST_DEVIATIONS: f64 = 10.0;

/// A move that is passed on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cascade {
    pub walk: CausalWalk,
    /// Where it begins, and by how many usual deviations.
    pub from: Field,
    pub moved: f64,
}

impl Cascade {
    /// From a variable along the surest edges.
    pub(super) fn from_field(scene: &AnticipationScene<'_>, from: Field, moved: f64) -> Self {
        Self { walk: scene.graph.walk(from, MAX_HOPS), from, moved }
    }
    /// From an edge, whichever else its source drives, and on from where it leads.
    pub(super) fn from_edge(scene: &AnticipationScene<'_>, edge: &Edge) -> Self {
        let first = Hop {
            edge: edge.id.clone(),
            from: edge.from,
            to: edge.to,
            lag: edge.lag,
            weight: edge.weight,
            confidence_bp: edge.confidence_bp,
        };
        let then = scene.graph.walk(edge.to, MAX_HOPS - 1).hops;
        let on = then.into_iter().take_while(|hop| hop.to != edge.from);
        let hops = std::iter::once(first).chain(on).collect();
        // A price fires the way that hurts; anything else by there being more of it.
        let moved = if edge.from == Field::MarketPrice { -scene.rules.fires } else { scene.rules.fires };
        Self { walk: CausalWalk { hops }, from: edge.from, moved }
    }
    /// Every variable that moves: which, by how much, and after how many ticks.
    fn moves(&self) -> impl Iterator<Item = (Field, f64, u32)> {
        let (mut moved, mut tick) = (self.moved, 0u32);
        let hops = self.walk.hops.iter().map(move |hop| {
            let passed = moved * hop.weight;
            moved = if passed.is_finite() { passed.clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS) } else { 0.0 };
            tick = tick.saturating_add(hop.lag);
            (hop.to, moved, tick)
        });
        std::iter::once((self.from, self.moved, 0)).chain(hops)
    }
    /// Its hops in words.
    pub(super) fn steps(&self) -> Vec<TrajectoryStep> {
        let said = self.walk.hops.iter().zip(self.moves().skip(1));
        said.map(|(hop, (field, moved, tick))| TrajectoryStep {
            causal_edge_id: hop.edge.to_string(),
            predicted_state_delta: format!("{field} {moved:+.2} usual deviations after {tick} ticks"),
            hop_confidence: f64::from(hop.confidence_bp) / 10_000.0,
        })
        .collect()
    }
    /// What of it can happen to a copy, until its end. Nobody can make volume or fees on one.
    pub(super) fn weather(&self, scene: &AnticipationScene<'_>, steps: u32) -> Vec<ScenarioEvent> {
        let moves = self.moves().filter(|(_, _, tick)| *tick < steps);
        let events = moves.filter_map(|(field, moved, tick)| {
            let left = steps - tick;
            let what = happening(scene, field, moved, left)?;
            Some(ScenarioEvent { at_tick: u64::from(tick), for_ticks: u64::from(left), what })
        });
        events.collect()
    }
}

/// A variable's move as weather.
fn happening(scene: &AnticipationScene<'_>, field: Field, moved: f64, ticks: u32) -> Option<Happening> {
    match field {
        Field::MarketPrice => {
            let a_tick = scene.volatility() / libm::sqrt(MEASURED_TICKS);
            let bps = (libm::expm1((moved * a_tick).clamp(-2.0, 2.0)) * 1e4) as i32;
            (bps != 0).then_some(Happening::Shock { bps, over_ticks: 1, reverts: false })
        }
        Field::MarketGasGwei => {
            let factor = libm::exp(moved * scene.rules.gas_deviation).clamp(0.01, 100.0);
            Some(Happening::Gas { factor })
        }
        Field::MarketVolatility => {
            let factor = libm::exp(moved * scene.rules.volatility_deviation).clamp(0.01, 100.0);
            swing(scene.volatility() * factor, ticks)
        }
        Field::MarketProtocol if moved > 0.0 => Some(Happening::Protocol { state: ProtocolState::Degraded }),
        _ => None,
    }
}
