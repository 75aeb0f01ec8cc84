//! What a cycle leaves behind: its journal entry, and the one typed report that crosses back into the waking life.

use crate::state::{DreamTier, HoriStage, OnsetAlarm};
use crate::thoughts::DreamThoughts;
use golem_core::{Hash, Tick, Timestamp, Usdc};
use golem_grimoire::{EntryId, EpisodeId};
use serde::{Deserialize, Serialize};

/// How a cycle ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamEnd {
    /// All five stages passed.
    Complete,
    /// It was woken.
    Woken { source: WakeInterruptSource, reason: String },
    /// It died.
    Died,
}

/// Who wakes a sleeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeInterruptSource {
    Owner,
    CladeAlert,
    MarketThreshold,
}

/// What woke a sleeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeInterrupt {
    pub source: WakeInterruptSource,
    pub reason: String,
    pub timestamp: Timestamp,
}

/// The journal entry of a cycle: the seed's struct, with how it began and ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DreamJournalEntry {
    /// `dream/N`.
    pub id: String,
    pub timestamp: Timestamp,
    pub tier: DreamTier,
    /// Why it began, in a word.
    pub trigger: String,
    pub end: DreamEnd,
    pub onset: OnsetSummary,
    pub phase1_summary: NremSummary,
    pub phase2_summary: RemSummary,
    pub phase3_summary: IntegrationSummary,
    pub total_cost_usdc: Usdc,
    pub dream_duration_ticks: u64,
    /// From 0 to 1: what it thinks of itself at first, and what came true later once that is known.
    pub dream_quality_score: f64,
    pub later: DreamLater,
    /// Why nothing came of it, where nothing did: no dream is silent.
    pub nothing_because: Vec<String>,
    /// What models were asked, and what they said.
    #[serde(default, skip_serializing_if = "DreamThoughts::is_empty")]
    pub thoughts: DreamThoughts,
    /// What a predecessor was still testing and this dream has taken up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherited: Vec<TakenUpHypothesis>,
}

/// A predecessor's unfinished hypothesis, held against what the heir has seen itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TakenUpHypothesis {
    /// Its place in what was left.
    pub place: u32,
    pub text: String,
    /// How often it came true there, and how often it did not.
    pub hits_there: u32,
    pub misses_there: u32,
    /// How often it held here where its condition did, of how many times, and how often it comes true anyway.
    pub held_here: u32,
    pub seen_here: u32,
    pub base_rate: f64,
    /// What came of it, in words; none where the dream ended before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came: Option<String>,
}

/// What the edge of sleep brought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OnsetSummary {
    /// What the dream was about.
    pub theme: Option<String>,
    /// Fragments that were looked at, and those that were new enough to keep.
    pub fragments: u32,
    pub kept: u32,
    /// Times the way down was gone, how deep it led, and what rang before it was over.
    #[serde(default)]
    pub rounds: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<HoriStage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<OnsetAlarm>,
    /// Fragments that imagination made something of.
    #[serde(default)]
    pub used: u32,
    /// What was on its mind when it woke, where anything was.
    pub surfaced: Option<String>,
}

/// What replay found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NremSummary {
    pub episodes_replayed: u32,
    pub patterns_found: Vec<String>,
    pub triage_decisions: TriageDecisions,
    pub credit_assignments: Vec<CreditAssignment>,
    /// The way on that would hurt what is held most, and what it would cost, laid to the acts that led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_attention: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credit_ahead: Vec<CreditAssignment>,
    /// Replays with something changed, and how many of them ended differently.
    pub perturbed: u32,
    pub fragile: u32,
    /// What has paid most where things stood as they do now, tried from here.
    pub response: Option<String>,
    /// Ways the present may go on that were walked.
    pub trajectories: Vec<AnticipatorTrajectory>,
}

/// How replayed episodes were sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TriageDecisions {
    pub preserve: u32,
    pub r#abstract: u32,
    pub forget: u32,
}

/// Whose doing an outcome was, along a closed trade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreditAssignment {
    pub trade: u64,
    pub episode: EpisodeId,
    /// Steps before the end of the trade.
    pub hops: u32,
    /// Its share of what the trade brought, in micro-USDC.
    pub micro_usdc: i64,
}

/// One way that things may go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnticipatorTrajectory {
    pub hypothesis: String,
    pub steps: Vec<TrajectoryStep>,
    pub terminal_state: PredictedMarketState,
    /// What the open positions would be worth at its end, as a share of what they are worth now: executed on a copy.
    pub strategy_fitness: f64,
    pub confidence: f64,
}

/// One hop of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryStep {
    pub causal_edge_id: String,
    pub predicted_state_delta: String,
    pub hop_confidence: f64,
}

/// Where it leads.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PredictedMarketState {
    /// In words.
    pub state: String,
    /// The price as a multiple of today's.
    pub price_factor: f64,
    /// Steps until then.
    pub ticks: u32,
}

/// What imagination brought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RemSummary {
    pub counterfactuals_generated: u32,
    pub creative_hypotheses: Vec<StrategyHypothesis>,
    pub threats_simulated: Vec<ThreatSimulated>,
    pub emotional_episodes_processed: u32,
}

/// Something that might work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyHypothesis {
    /// In words.
    pub text: String,
    /// How it came about.
    pub provenance: DreamProvenance,
    pub seed_episodes: Vec<EpisodeId>,
    /// What its run on a copy brought more than what was done, in basis points of wealth, where it was run.
    pub executed_bps: Option<f64>,
    pub confidence: f64,
    /// The question to a model that it is the answer to; none where rules made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// What attests that answer, where its provider does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Hash>,
}

/// How a dream came to something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamProvenance {
    Replay,
    Counterfactual,
    Creative,
    Threat,
    Hypnagogic,
    /// A predecessor was still testing it.
    Inherited,
}

/// A threat that was lived through on a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreatSimulated {
    pub threat_id: String,
    pub tier: u8,
    /// What it would cost to do nothing, in basis points of wealth.
    pub loss_bps: f64,
    /// The response that lost least, and what it lost.
    pub best_response: String,
    pub best_loss_bps: f64,
    /// Whether a guard of the playbook answers it, and what is missing where none does.
    pub coverage: ThreatCoverage,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// Whether a threat is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreatCoverage {
    #[default]
    Uncovered,
    Weak,
    Covered,
}

/// What was made of it all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IntegrationSummary {
    pub grimoire_updates: Vec<GrimoireUpdate>,
    pub playbook_revisions_staged: Vec<String>,
    /// Changes to what a model is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_revisions_staged: Vec<String>,
    pub contradictions_flagged: Vec<FlaggedContradiction>,
    /// Proposals that staging did not take, and why.
    pub turned_away: Vec<String>,
}

/// Something that was changed in the grimoire, or proposed to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GrimoireUpdate {
    pub class: DreamOutputClass,
    /// In words.
    pub text: String,
    /// The proposal or entry.
    pub proposal: Option<u64>,
    pub entry: Option<EntryId>,
}

/// The six classes of what a dream can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamOutputClass {
    ConfirmedPattern,
    NovelInsight,
    StrategyHypothesis,
    ThreatScenario,
    PlaybookRevision,
    Contradiction,
}

/// A finding against something that is believed. It is flagged, and never resolved by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlaggedContradiction {
    pub entry: EntryId,
    pub text: String,
}

/// What became of a cycle's proposals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DreamLater {
    pub proposed: u32,
    pub confirmed: u32,
    pub refuted: u32,
    pub expired: u32,
}

/// Which value did best, and how sure that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedAdvice {
    pub parameter: String,
    pub current: f64,
    pub best: f64,
    /// Over one stretch, in basis points of wealth, with its standard error.
    pub better_bps: f64,
    pub error_bps: f64,
    /// As many stretches as the weights come to.
    pub stretches: f64,
    /// True when it is worth proposing.
    pub is_clear: bool,
    /// True when what was lived after that was first so has said the same.
    pub borne_out: bool,
}

/// The only thing that crosses back from a dream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DreamReport {
    pub cycle_id: String,
    pub number: u32,
    pub journal: DreamJournalEntry,
    pub insights: Vec<StrategyHypothesis>,
    pub hypotheses: Vec<StrategyHypothesis>,
    pub threats: Vec<ThreatSimulated>,
    /// Episodes that may be forgotten.
    pub deletions: Vec<EpisodeId>,
    /// Parameters that would have served better, by clear evidence.
    pub advice: Vec<TunedAdvice>,
    /// Runs on copies of the chain.
    pub runs: u32,
    pub total_cost_usdc: Usdc,
    pub duration_ticks: u64,
    pub at: Tick,
}

impl DreamLater {
    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }
}

impl DreamJournalEntry {
    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }
    /// An entry with nothing in it yet.
    #[must_use]
    pub fn begun(id: String, timestamp: Timestamp, tier: DreamTier, trigger: &str) -> Self {
        Self {
            id,
            timestamp,
            tier,
            trigger: trigger.to_owned(),
            end: DreamEnd::Complete,
            onset: OnsetSummary::default(),
            phase1_summary: NremSummary::default(),
            phase2_summary: RemSummary::default(),
            phase3_summary: IntegrationSummary::default(),
            total_cost_usdc: Usdc::ZERO,
            dream_duration_ticks: 0,
            dream_quality_score: 0.0,
            later: DreamLater::default(),
            nothing_because: Vec::new(),
            thoughts: DreamThoughts::default(),
            inherited: Vec::new(),
        }
    }
}

impl DreamReport {
    /// Whether anything came of it that waking life can use.
    #[must_use]
    pub fn brought_something(&self) -> bool {
        self.journal.later.proposed > 0 || !self.journal.phase3_summary.grimoire_updates.is_empty()
    }
}
