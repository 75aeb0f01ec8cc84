//! What the stages of one cycle have found so far, for the stage that sorts it.

use crate::imagine::ImaginedHypothesis;
use crate::journal::{DreamJournalEntry, DreamProvenance, StrategyHypothesis, TunedAdvice};
use crate::liminal::LiminalFragment;
use golem_grimoire::series::MinedClaim;
use golem_grimoire::{Claim, EpisodeId, WarningSeverity};
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};

/// Weights of what a dream thinks of itself: something new, something that could be tried, something rehearsed; the rest is
/// how often its dreams came true.
const NEW: f64 = 0.35;
const TRIED: f64 = 0.2;
const REHEARSED: f64 = 0.15;
const CAME_TRUE: f64 = 0.3;

/// A pattern of replay with what reality can check of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayPattern {
    pub text: String,
    pub episodes: Vec<EpisodeId>,
    pub claim: Option<Claim>,
    pub mean_bps: f64,
}

/// A warning on the evidence of rehearsals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RehearsedWarning {
    pub text: String,
    /// The condition.
    pub when: String,
    pub severity: WarningSeverity,
    pub runs: u32,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DreamFindings {
    pub patterns: Vec<ReplayPattern>,
    pub mined: Vec<(MinedClaim, Domain)>,
    pub hypotheses: Vec<ImaginedHypothesis>,
    /// What rehearsals warn of.
    pub warnings: Vec<RehearsedWarning>,
    /// Parameters that would have served better, by clear evidence.
    pub advice: Vec<TunedAdvice>,
    /// Fragments from the edge of sleep that were new enough.
    pub fragments: Vec<LiminalFragment>,
    pub forgotten: Vec<EpisodeId>,
    /// The open trade, where one of the ways on would hurt it.
    pub attention: Option<u64>,
    /// What stood in the way of finding more.
    pub because: Vec<String>,
    pub proposed: u32,
    pub staged_insights: u32,
    /// Runs that came to an end.
    pub ran: u32,
}

impl DreamFindings {
    /// What the dream thinks of itself, from 0 to 1: half of it by what it brought, and by how its dreams have come true.
    #[must_use]
    pub fn quality(&self, journal: &DreamJournalEntry, came_true: Option<f64>) -> f64 {
        let share = |n: usize, whole: f64| (n as f64 / whole).min(1.0);
        let rehearsed = journal.phase2_summary.threats_simulated.len();
        NEW * share(self.proposed as usize, 2.0)
            + TRIED * share(self.ran as usize, 8.0)
            + REHEARSED * share(rehearsed, 1.0)
            + CAME_TRUE * came_true.unwrap_or(0.5)
    }

    /// No dream is silent: one that proposed nothing says why.
    pub fn say_why_nothing(&self, journal: &mut DreamJournalEntry) {
        let mut why = self.because.clone();
        if journal.phase1_summary.episodes_replayed == 0 {
            why.push("no episode was worth replaying".to_owned());
        } else if self.patterns.is_empty() && self.mined.is_empty() && self.hypotheses.is_empty() {
            why.push("nothing new was found in what was replayed and tried".to_owned());
        }
        why.extend(journal.phase3_summary.turned_away.iter().cloned());
        why.truncate(8);
        journal.nothing_because = why;
    }

    /// What replay brought, as the report tells it.
    #[must_use]
    pub fn insights(&self) -> Vec<StrategyHypothesis> {
        let mined = self.mined.iter().map(|(m, _)| StrategyHypothesis {
            text: format!("When {}, then {}.", m.claim.when, m.claim.then),
            provenance: DreamProvenance::Replay,
            seed_episodes: Vec::new(),
            executed_bps: None,
            confidence: f64::from(m.hits) / f64::from(m.n.max(1)),
            asked: None,
            receipt: None,
        });
        mined.collect()
    }
}
