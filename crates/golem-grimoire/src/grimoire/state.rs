//! What of the grimoire is no row in the file: small, and kept in the checkpoint.

use super::{Awaited, Grimoire, Twins};
use crate::causal::Graph;
use crate::credit::Credits;
use crate::curator::Curator;
use crate::experts::ExpertsState;
use crate::micro::Micro;
use crate::playbook::{Firing, RuleId};
use crate::relevance::WeatherWeights;
use crate::series::Series;
use crate::situation::Normaliser;
use crate::staging::StagingState;
use golem_core::{Hash, Regime, Tick};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The part of a grimoire that the checkpoint keeps. It ends with a hash over all rows that were ever handed over, so that
/// equal states have equal memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GrimoireState {
    pub(super) staging: StagingState,
    pub(super) curator: Curator,
    pub(super) credits: Credits,
    pub(super) micro: Micro,
    pub(super) normaliser: Normaliser,
    pub(super) series: Series,
    pub(super) graph: Graph,
    pub(super) firings: BTreeMap<RuleId, Firing>,
    pub(super) awaited: Vec<Awaited>,
    pub(super) experts: ExpertsState,
    pub(super) twins: Twins,
    pub(super) weather: WeatherWeights,
    pub(super) before: Regime,
    pub(super) pruned: Option<f64>,
    pub(super) contrary: Tick,
    pub(super) head: Hash,
}

impl Grimoire {
    /// What the checkpoint has to keep. To be asked after the turn's changes were taken.
    #[must_use]
    pub fn state(&self) -> GrimoireState {
        GrimoireState {
            staging: self.staging.state(),
            curator: self.curator.clone(),
            credits: self.credits.clone(),
            micro: self.micro.clone(),
            normaliser: self.normaliser.clone(),
            series: self.series.clone(),
            graph: self.graph.clone(),
            firings: self.rules.firings(),
            awaited: self.awaited.clone(),
            experts: self.experts.state(),
            twins: self.twins.clone(),
            weather: self.weather,
            before: self.before,
            pruned: self.pruned,
            contrary: self.contrary,
            head: self.head,
        }
    }
}
