//! What dreams tell: the seed's events, as facts.

use crate::journal::{DreamProvenance, ThreatCoverage, WakeInterruptSource};
use crate::state::{DreamPhase, DreamTier, HoriStage, OnsetAlarm};
use golem_core::fact::FactBody;
use golem_core::model::ModelTier;
use golem_core::{Tick, Usdc};
use golem_grimoire::EntryId;
use serde::{Deserialize, Serialize};

golem_core::facts! {
/// A fact of a dream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum DreamFact {
    /// A cycle begins.
    #[serde(rename = "dream.start")]
    Start {
        cycle_id: String,
        tier: DreamTier,
        /// Why: `time`, `emotional_load`, `novelty_streak`, and what an owner or a clock asked for.
        trigger: String,
        urgency: f64,
    },
    /// It could have begun, and something keeps it from beginning: told once until that changes.
    #[serde(rename = "dream.blocked")]
    Blocked { why: String, until: String },
    /// A stage begins.
    #[serde(rename = "dream.phase")]
    Phase { cycle_id: String, phase: DreamPhase, budget_tokens: u64 },
    /// What the edge of sleep brought.
    #[serde(rename = "dream.onset")]
    Onset {
        cycle_id: String,
        theme: Option<String>,
        fragments: u32,
        kept: u32,
        /// How deep it came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        depth: Option<HoriStage>,
        /// What rang before it was over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aborted: Option<OnsetAlarm>,
    },
    /// Something was imagined.
    #[serde(rename = "dream.hypothesis")]
    Hypothesis {
        cycle_id: String,
        hypothesis: String,
        provenance: DreamProvenance,
        seed_episode_tick: Option<Tick>,
        /// The question to a model that it answers; none where rules made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<String>,
    },
    /// A model was asked: what that cost, and what came of it.
    #[serde(rename = "dream.asked")]
    Asked {
        cycle_id: String,
        phase: DreamPhase,
        /// The name and version of its prompt.
        question: String,
        tier: ModelTier,
        /// Tokens in and out.
        tokens: u64,
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// In words.
        came: String,
    },
    /// It was tried on a copy of the chain.
    #[serde(rename = "dream.counterfactual")]
    Counterfactual {
        cycle_id: String,
        hypothesis: String,
        /// What it brought more than what was done, in basis points of wealth.
        outcome: f64,
        lesson: String,
        confidence: f64,
    },
    /// A threat was lived through on a copy of the chain.
    #[serde(rename = "dream.threat")]
    Threat {
        cycle_id: String,
        threat: String,
        tier: u8,
        loss_bps: f64,
        best_response: String,
        best_loss_bps: f64,
        coverage: ThreatCoverage,
    },
    /// Awake, a threat that was rehearsed seems to begin: less risk is taken while it does.
    #[serde(rename = "dream.alarm")]
    Alarm { threat: String, risk: f64 },
    /// A finding speaks against something that is believed.
    #[serde(rename = "dream.contradiction")]
    Contradiction { cycle_id: String, entry: EntryId, finding: String },
    /// A parameter of the strategy moved a step, as dreams advised and life bore out.
    #[serde(rename = "dream.tuned")]
    Tuned { cycle_id: String, parameter: String, value: f64, because: String },
    /// What a model is shown was changed, as dreams proposed and life bore out.
    #[serde(rename = "dream.context")]
    Context { revision: u32, because: String },
    /// A cycle ends.
    #[serde(rename = "dream.complete")]
    Complete {
        cycle_id: String,
        episodes_replayed: u32,
        counterfactuals_generated: u32,
        insights_crystallized: u32,
        heuristics_proposed: u32,
        episodes_depotentiated: u32,
        playbook_edits: u32,
        runs: u32,
        quality: f64,
        #[serde(rename = "cost_micro_usdc")]
        cost: Usdc,
        /// Why nothing came of it, where nothing did.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nothing_because: Vec<String>,
    },
    /// A cycle ends before its time; what it had come to is in its journal.
    #[serde(rename = "dream.interrupted")]
    Interrupted {
        cycle_id: String,
        phase: DreamPhase,
        /// Who woke it; nobody when it died.
        source: Option<WakeInterruptSource>,
        reason: String,
    },
    /// Dreams have been worth little for two weeks: told once until they are better.
    #[serde(rename = "dream.poor")]
    Poor {
        /// The mean of what they were worth, from 0 to 1.
        quality: f64,
        days: u64,
    },
    /// The waking world has judged what a dream proposed.
    #[serde(rename = "dream.judged")]
    Judged {
        cycle_id: String,
        proposal: u64,
        came_true: bool,
        text: String,
    },
}
}

impl FactBody for DreamFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}
