//! Micro-consolidation: between the curator's cycles, new episodes are held against the insights most often asked for.
//!
//! It moves strengths and marks for dreams. It never touches a confidence, an entry's words or the playbook.

use crate::entry::{Entry, EntryId, EntryKind};
use crate::episode::{Episode, EpisodeId, Went};
use crate::shelf::Shelf;
use crate::subject::{action_of, speaks_well};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// How many of the latest episodes are looked at.
pub const EPISODES: usize = 5;
/// How many insights they are held against.
pub const INSIGHTS: usize = 10;
/// More alike than this: the insight holds again.
pub const MATCH_ABOVE: f32 = 0.8;
/// More alike than this with another outcome: a contradiction.
pub const ANOMALY_ABOVE: f32 = 0.7;
/// Strength gained by a match.
pub const STRENGTH_STEP: f32 = 0.1;
/// Effective confidence from which an insight can be contradicted in a way worth dreaming about.
pub const SURE_FROM: f64 = 0.6;

/// What is kept between passes, in the checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Micro {
    /// The last episode that was looked at.
    seen: EpisodeId,
    /// The insights most often retrieved, as of the last curator cycle.
    top: Vec<EntryId>,
}

/// What a pass found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MicroReport {
    /// Insights that hold again.
    pub matched: u32,
    /// Episodes marked for the next dream.
    pub flagged: u32,
    /// True when something among the latest episodes waits to be dreamt about.
    pub unresolved: bool,
}

impl Micro {
    /// Choose the insights to hold episodes against. The curator calls this, so that a turn does not count all entries.
    pub fn choose(&mut self, shelf: &Shelf) {
        let mut insights: Vec<&Entry> = shelf
            .active()
            .filter(|e| e.body.kind == EntryKind::Insight && e.body.prototype.is_some() && !e.body.is_question)
            .collect();
        insights.sort_by_key(|e| (std::cmp::Reverse(e.standing.retrievals), e.id));
        self.top = insights.into_iter().take(INSIGHTS).map(|e| e.id).collect();
    }
    /// One pass over what is new among the latest episodes.
    pub fn pass(&mut self, shelf: &mut Shelf, now: VirtualTime) -> MicroReport {
        let mut report = MicroReport::default();
        let latest = shelf.episodes().rev().take(EPISODES);
        let fresh: Vec<EpisodeId> = latest.map(|(e, _)| e.id).filter(|id| *id > self.seen).collect();
        for id in fresh.into_iter().rev() {
            self.compare(shelf, id, now, &mut report);
            self.seen = id;
        }
        report.unresolved = shelf.episodes().rev().take(EPISODES).any(|(_, m)| m.dream_priority && m.replays == 0);
        report
    }
    fn compare(&self, shelf: &mut Shelf, id: EpisodeId, now: VirtualTime, report: &mut MicroReport) {
        let Some(episode) = shelf.episode(id) else { return };
        let (mut stronger, mut anomaly) = (Vec::new(), false);
        for insight in self.top.iter().filter_map(|id| shelf.entry(*id)).filter(|e| e.is_in_use()) {
            let Some(alike) = insight.body.prototype.map(|p| p.cosine(&episode.situation)) else { continue };
            let diverges = diverges(insight, episode);
            if diverges && alike > ANOMALY_ABOVE && insight.effective(now) >= SURE_FROM {
                anomaly = true;
            } else if !diverges && alike > MATCH_ABOVE {
                stronger.push(insight.id);
            }
        }
        report.matched = report.matched.saturating_add(stronger.len() as u32);
        for id in stronger {
            shelf.stand(id, |s| s.strength += STRENGTH_STEP);
        }
        if anomaly {
            report.flagged = report.flagged.saturating_add(1);
            shelf.mark(id, |m| m.dream_priority = true);
        }
    }
}

/// True when an insight speaks well of what went badly, or ill of what went well. One about a certain action says
/// nothing about another.
fn diverges(insight: &Entry, episode: &Episode) -> bool {
    let done = episode.deed.as_ref().map(|d| d.intent.name());
    if action_of(&insight.body).is_some_and(|action| done != Some(action)) {
        return false;
    }
    matches!((speaks_well(&insight.body), episode.went), (Some(true), Went::Negative) | (Some(false), Went::Positive))
}
