//! What each stage has to ask, and what its questions show: episodes, what runs on copies brought, pieces for something new,
//! threats that were lived through, thoughts that may surface.

use super::thinking::PlannedAsk;
use super::{DreamCycle, DreamRoom};
use crate::ask::DreamQuestion;
use crate::imagine::regret::RegretFinding;
use crate::imagine::{CreativeElement, CreativeMode};
use crate::journal::ThreatSimulated;
use crate::liminal::LiminalFragment;
use crate::liminal::hori::temperature;
use crate::replay::select::batches;
use golem_grimoire::playbook::Rule;
use golem_grimoire::{Episode, EpisodeId, Importance, Marks, Went};

/// Lines of the playbook, and of what else is known, that a question shows at most.
const MOST_KNOWN: usize = 6;

impl DreamCycle {
    /// Onset: each thought is begun from the scraps that the rules drew, as warm as the way down is there.
    pub(super) fn plan_partials(&mut self, room: &DreamRoom<'_, '_>, drafts: Vec<LiminalFragment>) {
        let shelf = room.desk.shelf();
        let params = &room.rules.onset;
        for (n, draft) in (0u32..).zip(drafts) {
            let episodes = draft.source_episodes.iter().filter_map(|id| shelf.episode(*id));
            let mut shown: Vec<String> = episodes.map(|e| e.text.clone()).collect();
            shown.extend(self.journal.onset.theme.iter().map(|theme| format!("on its mind: {theme}")));
            let depth = temperature(n % params.partials.max(1), draft.dali_cycle, params);
            let fragment = Some(Box::new(draft));
            self.plan(room, PlannedAsk { depth, fragment, ..PlannedAsk::new(DreamQuestion::Onset, shown) });
        }
    }

    pub(super) fn plan_replay(&mut self, room: &DreamRoom<'_, '_>) {
        let shelf = room.desk.shelf();
        let rule = |r: &Rule| format!("of its playbook: {} ({})", r.words().title, r.words().when.source());
        let rules: Vec<String> = room.desk.rules().take(MOST_KNOWN).map(rule).collect();
        let chosen = self.chosen.clone();
        for batch in batches(&chosen, self.bounds.batch as usize) {
            let of = |id: &EpisodeId| Some((shelf.episode(*id)?, shelf.marks(*id)?));
            let episodes: Vec<(&Episode, &Marks)> = batch.iter().filter_map(of).collect();
            let mut shown: Vec<String> = episodes.iter().map(|(e, _)| told(e)).collect();
            shown.extend(rules.iter().cloned());
            let flagged = episodes.iter().any(|(e, m)| m.dream_priority || e.importance >= Importance::Critical);
            let episodes = episodes.iter().map(|(e, _)| e.id).collect();
            self.plan(room, PlannedAsk { episodes, flagged, ..PlannedAsk::new(DreamQuestion::Replay, shown) });
        }
    }

    /// What other ways would have brought, by runs on copies.
    pub(super) fn plan_lessons(&mut self, room: &DreamRoom<'_, '_>, findings: &[RegretFinding]) {
        if findings.is_empty() {
            return;
        }
        let shelf = room.desk.shelf();
        let mut episodes: Vec<EpisodeId> = findings.iter().map(|f| f.episode).collect();
        episodes.dedup();
        let mut shown: Vec<String> = episodes.iter().filter_map(|id| shelf.episode(*id)).map(told).collect();
        shown.extend(findings.iter().map(|f| {
            let (n, RegretFinding { action, regime, alternative, better_bps, .. }) = (f.episode.0, f);
            format!(
                "episode {n}: instead of {action} in {regime} weather, {alternative}: {better_bps:+.1} basis points"
            )
        }));
        self.plan(room, PlannedAsk { episodes, ..PlannedAsk::new(DreamQuestion::Counterfactual, shown) });
    }

    /// One question for each creative session, with what was drawn for it.
    pub(super) fn plan_creation(&mut self, room: &DreamRoom<'_, '_>, sessions: Vec<(CreativeMode, Vec<String>)>) {
        for (mode, pieces) in sessions.into_iter().filter(|(_, pieces)| !pieces.is_empty()) {
            let way = match mode {
                CreativeMode::Combinational => "combinational",
                CreativeMode::Exploratory => "exploratory",
                CreativeMode::Transformational => "transformational",
            };
            let mut shown = vec![format!("the way to think this time: {way}")];
            shown.extend(pieces);
            let kept = self.findings.fragments.iter().map(|f| format!("from the edge of sleep: {}", f.content));
            shown.extend(kept.take(2));
            self.plan(room, PlannedAsk { mode: Some(mode), ..PlannedAsk::new(DreamQuestion::Creative, shown) });
        }
    }

    /// Threats that were lived through in this cycle.
    pub(super) fn plan_guards(&mut self, room: &DreamRoom<'_, '_>) {
        let lived = &self.journal.phase2_summary.threats_simulated;
        if lived.is_empty() {
            return;
        }
        let line = |t: &ThreatSimulated| {
            format!(
                "threat {}: {:.0} basis points lost by doing nothing, {:.0} with {}",
                t.threat_id, t.loss_bps, t.best_loss_bps, t.best_response
            )
        };
        let shown = lived.iter().map(line).collect();
        self.plan(room, PlannedAsk::new(DreamQuestion::Threats, shown));
    }

    /// Whether there is a question to be asked about what may surface; then it surfaces when the stage ends.
    pub(super) fn asks_before_it_surfaces(&mut self, room: &DreamRoom<'_, '_>) -> bool {
        if self.findings.fragments.is_empty() {
            return false;
        }
        let thoughts = self.findings.fragments.iter().enumerate().map(|(n, f)| format!("thought {n}: {}", f.content));
        let found = self.journal.phase2_summary.creative_hypotheses.iter().map(|h| h.text.as_str());
        let found = self.journal.phase1_summary.patterns_found.iter().map(String::as_str).chain(found);
        let found = found.take(MOST_KNOWN).map(|text| format!("the night has found: {text}"));
        let shown = thoughts.chain(found).collect();
        self.plan(room, PlannedAsk::new(DreamQuestion::Return, shown));
        self.thinking.surfaces_late = !self.thinking.queue.is_empty();
        self.thinking.surfaces_late
    }
}

/// The pieces of one creative session: what was drawn for it, and something else that is known, by dice.
pub(super) fn shown_pieces(
    elements: &[CreativeElement],
    known: usize,
    room: &DreamRoom<'_, '_>,
    draw: u32,
) -> Vec<String> {
    let (old, drawn) = elements.split_at(known.min(elements.len()));
    let at = (room.dice.uniform(room.seen.tick.0, draw) * old.len() as f64) as usize;
    let by_chance = old.get(at.min(old.len().saturating_sub(1)));
    drawn.iter().chain(by_chance).map(|piece| piece.text.clone()).collect()
}

fn told(episode: &Episode) -> String {
    let went = match episode.went {
        Went::Positive => ", went well",
        Went::Negative => ", went badly",
        Went::Neutral | Went::Descriptive => "",
    };
    format!("episode {}, {} weather{went}: {}", episode.id.0, episode.regime, episode.text)
}
