//! What was found is sorted into six classes and goes where each belongs: a belief met again is firmer, what is new is staged,
//! a rehearsed threat becomes a warning, what speaks against a belief is flagged and left to whoever judges it.

use super::{DreamCycle, DreamMemory, DreamRoom};
use crate::fact::DreamFact;
use crate::imagine::ImaginedHypothesis;
use crate::journal::{DreamOutputClass, FlaggedContradiction, GrimoireUpdate};
use crate::liminal::LiminalFragment;
use golem_core::Elapsed;
use golem_grimoire::curator::rule_for;
use golem_grimoire::experts::LevelShare;
use golem_grimoire::grimoire::REPLAY_STRENGTH;
use golem_grimoire::staging::{ContextChange, ProposalDraft, Proposed, ProposedRevision, Staged};
use golem_grimoire::{Claim, EntryBody, EntryId, EntryKind, Provenance, RuleAction};
use golem_mortality::Domain;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What a confirmed pattern would add to a belief once life confirms it too, in basis points.
const FIRMER_BP: i16 = 500;
/// So often something must have been left out before a model, and so much more room its source may get.
const OFTEN_LEFT_OUT: u32 = 3;
const MORE_ROOM_BPS: u16 = 500;
/// Contradictions that are told of one cycle.
const MOST_CONTRADICTIONS: usize = 8;

/// Something that is to be staged.
struct DreamOutput {
    class: DreamOutputClass,
    body: EntryBody,
    claim: Claim,
    /// From 0 to 1.
    confidence: f64,
    utility: f64,
    /// Whether it would change the playbook once it is confirmed.
    revises: bool,
    liminal: bool,
    among: LevelShare,
    /// How often it comes true anyway, where a longer record says so.
    base_rate: Option<f64>,
}

impl DreamCycle {
    pub(super) fn integrate(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) {
        self.stage_inherited(memory, room);
        let mut outputs = Vec::new();
        self.sort_mined(room, &mut outputs);
        self.sort_patterns(room, &mut outputs);
        self.sort_hypotheses(room, &mut outputs);
        for output in outputs {
            self.put(memory, room, output);
        }
        self.warn_of_threats(room);
        self.ask_for_room(memory, room);
    }

    /// What a model was not shown again and again, since its source had all the room that it may take: if what that says comes
    /// true, its source gets more. One change for each source.
    fn ask_for_room(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) {
        let shelf = room.desk.shelf();
        let known = |id: &EntryId| {
            let body = &shelf.entry(*id).filter(|e| e.is_in_use())?.body;
            body.claim.clone().zip(ContextChange::more_for(body.provenance, MORE_ROOM_BPS))
        };
        memory.crowded_out.retain(|id, _| known(id).is_some());
        let mut often: Vec<_> =
            memory.crowded_out.iter().filter_map(|(id, times)| Some((*times, *id, known(id)?))).collect();
        often.retain(|(times, ..)| *times >= OFTEN_LEFT_OUT);
        often.sort_by_key(|(times, id, _)| (Reverse(*times), *id));
        let mut asked = BTreeSet::new();
        for (times, id, (claim, change)) in often {
            if !asked.insert(change.source()) {
                continue;
            }
            memory.crowded_out.remove(&id);
            let draft = ProposalDraft {
                change: Proposed::Context(change),
                base_rate: room.desk.base_rate(&claim),
                claim,
                confidence_bp: libm::round(room.config.consolidation.hypothesis_confidence.clamp(0.0, 1.0) * 1e4)
                    as u16,
                utility: (f64::from(times) / 100.0).min(1.0),
                liminal: false,
                source: Provenance::Dream,
                among: LevelShare::Imagined,
            };
            let summary = &mut self.journal.phase3_summary;
            match staged_number(room, draft) {
                Ok(number) => {
                    memory.proposed(self.number, number);
                    self.findings.proposed += 1;
                    summary.context_revisions_staged.push(change.in_words());
                }
                Err(why) => summary.turned_away.push(format!("{} ({why})", change.in_words())),
            }
        }
    }

    /// What the series supports: a belief met again, or something new with what to do about it.
    fn sort_mined(&mut self, room: &mut DreamRoom<'_, '_>, outputs: &mut Vec<DreamOutput>) {
        let mut found = self.findings.mined.clone();
        // Whoever comes first in a life is proven by least: that is for what there is something to do about.
        found.sort_by_key(|(mined, _)| rule_for(&mined.claim, room.desk.parameters()).is_none());
        for (mined, domain) in found {
            let minutes = Elapsed::nominal(u64::from(mined.claim.after_ticks)).0 / 60_000;
            let text = format!("When {}, then {} about {minutes} minutes later.", mined.claim.when, mined.claim.then);
            let rule = rule_for(&mined.claim, room.desk.parameters());
            if let Some(entry) = room.desk.believed(&mined.claim) {
                self.met_again(room, entry, text.clone());
                // What is believed and not lived by, and what there is something to do about, may be proven as a rule.
                let lives_by = |(action, _): &(RuleAction, String)| room.desk.lives_by(&mined.claim.when, action);
                if rule.as_ref().is_none_or(lives_by) {
                    continue;
                }
            }
            if room.desk.is_spoken_for(&mined.claim) {
                continue;
            }
            let lift = f64::from(mined.hits) / f64::from(mined.n.max(1)) - mined.base_rate;
            let confidence = room.config.consolidation.insight_confidence;
            let insight = insight(room, text, &mined.claim, Some(domain));
            let rule = rule.map(|(action, words)| {
                let mut body = room.desk.body(EntryKind::Heuristic, format!("{words}. {}", insight.text));
                (body.action, body.claim, body.domain) = (Some(action), Some(mined.claim.clone()), Some(domain));
                body
            });
            // One proposal for one claim: reality would judge both by the same moments.
            let (class, body, revises) = match rule {
                Some(rule) => (DreamOutputClass::PlaybookRevision, rule, true),
                None => (DreamOutputClass::NovelInsight, insight, false),
            };
            let (claim, among, base_rate) = (mined.claim.clone(), LevelShare::Dreamt, Some(mined.base_rate));
            let utility = lift;
            outputs.push(DreamOutput {
                class,
                body,
                claim,
                base_rate,
                confidence,
                utility,
                revises,
                liminal: false,
                among,
            });
        }
    }

    fn sort_patterns(&mut self, room: &mut DreamRoom<'_, '_>, outputs: &mut Vec<DreamOutput>) {
        for pattern in self.findings.patterns.clone() {
            let Some(claim) = pattern.claim.clone() else { continue };
            if let Some(entry) = room.desk.believed(&claim) {
                self.met_again(room, entry, pattern.text);
                continue;
            }
            let mut body = insight(room, pattern.text, &claim, None);
            body.episodes = pattern.episodes;
            outputs.push(DreamOutput {
                class: DreamOutputClass::NovelInsight,
                body,
                claim,
                confidence: room.config.consolidation.insight_confidence,
                utility: (pattern.mean_bps.abs() / 100.0).min(1.0),
                revises: false,
                liminal: false,
                among: LevelShare::Imagined,
                base_rate: None,
            });
        }
    }

    fn sort_hypotheses(&mut self, room: &mut DreamRoom<'_, '_>, outputs: &mut Vec<DreamOutput>) {
        for made in self.findings.hypotheses.clone() {
            let ImaginedHypothesis { said, claim, action, regime, runs } = made;
            let revises = action.is_some();
            let kind = if revises { EntryKind::Heuristic } else { EntryKind::StrategyFragment };
            let mut body = room.desk.body(kind, said.text.clone());
            (body.action, body.claim, body.regime) = (action, Some(claim.clone()), regime);
            body.tags.extend(self.tags_of_answer(&said));
            body.episodes = said.seed_episodes;
            let class = if revises { DreamOutputClass::PlaybookRevision } else { DreamOutputClass::StrategyHypothesis };
            let executed = said.executed_bps.unwrap_or(0.0).max(0.0) / 100.0;
            let utility = (0.1 + executed + f64::from(runs.min(10)) / 100.0).min(1.0);
            outputs.push(DreamOutput {
                class,
                body,
                claim,
                confidence: said.confidence,
                utility,
                revises,
                liminal: false,
                among: LevelShare::Imagined,
                base_rate: None,
            });
        }
    }

    /// A fragment from the edge of sleep, in a pool of its own.
    pub(super) fn stage_fragment(
        &mut self,
        memory: &mut DreamMemory,
        room: &mut DreamRoom<'_, '_>,
        fragment: LiminalFragment,
    ) {
        let Some(claim) = fragment.claim else { return };
        let mut body = room.desk.body(EntryKind::StrategyFragment, fragment.content);
        (body.claim, body.episodes) = (Some(claim.clone()), fragment.source_episodes);
        let output = DreamOutput {
            class: DreamOutputClass::StrategyHypothesis,
            body,
            claim,
            confidence: fragment.confidence,
            utility: fragment.novelty_score,
            revises: false,
            liminal: true,
            among: LevelShare::Imagined,
            base_rate: None,
        };
        self.put(memory, room, output);
    }

    /// What rehearsals warn of enters on their evidence: it can only take risk away.
    fn warn_of_threats(&mut self, room: &mut DreamRoom<'_, '_>) {
        for warning in std::mem::take(&mut self.findings.warnings) {
            let mut body = room.desk.body(EntryKind::Warning, warning.text.clone());
            // A warning says something of the world, or the gate does not let it in: life goes on asking whether it is so.
            let then = "market.return_90 < 0.0".to_owned();
            body.claim = Some(Claim { when: warning.when, then, unless: None, after_ticks: 90 });
            body.severity = Some(warning.severity);
            body.tags.push(self.id());
            let entry = room.desk.warn(body, warning.runs);
            if entry.is_some() {
                let (class, text) = (DreamOutputClass::ThreatScenario, warning.text);
                self.journal.phase3_summary.grimoire_updates.push(GrimoireUpdate {
                    class,
                    text,
                    proposal: None,
                    entry,
                });
            }
        }
    }

    /// A belief was met again: it is firmer at once, and surer once life confirms it again.
    fn met_again(&mut self, room: &mut DreamRoom<'_, '_>, entry: EntryId, text: String) {
        room.desk.strengthen(entry, REPLAY_STRENGTH);
        let claim = room.desk.shelf().entry(entry).and_then(|e| e.body.claim.clone());
        let proposal = claim.and_then(|claim| {
            let draft = ProposalDraft {
                change: Proposed::Confidence { entry, by_bp: FIRMER_BP },
                base_rate: room.desk.base_rate(&claim),
                claim,
                confidence_bp: 3_000,
                utility: 0.1,
                liminal: false,
                source: Provenance::Dream,
                among: LevelShare::Imagined,
            };
            staged_number(room, draft).ok()
        });
        let class = DreamOutputClass::ConfirmedPattern;
        self.journal.phase3_summary.grimoire_updates.push(GrimoireUpdate { class, text, proposal, entry: Some(entry) });
    }

    fn put(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>, output: DreamOutput) {
        let DreamOutput { class, mut body, claim, confidence, utility, revises, liminal, among, base_rate } = output;
        let text = body.text.clone();
        body.tags.push(self.id());
        if let Some(entry) = room.desk.against(&body) {
            let flagged = &mut self.journal.phase3_summary.contradictions_flagged;
            if flagged.len() < MOST_CONTRADICTIONS {
                flagged.push(FlaggedContradiction { entry, text: text.clone() });
                room.told.push(DreamFact::Contradiction { cycle_id: self.id(), entry, finding: text });
            }
            return;
        }
        let change = match revises {
            true => Proposed::Revision(ProposedRevision::Add(Box::new(body))),
            false => Proposed::Entry(Box::new(body)),
        };
        let draft = ProposalDraft {
            change,
            base_rate: base_rate.unwrap_or_else(|| room.desk.base_rate(&claim)),
            claim,
            confidence_bp: libm::round(confidence.clamp(0.0, 1.0) * 1e4) as u16,
            utility,
            liminal,
            source: Provenance::Dream,
            among,
        };
        match staged_number(room, draft) {
            Ok(number) => {
                memory.proposed(self.number, number);
                self.findings.proposed += 1;
                self.findings.staged_insights += u32::from(class == DreamOutputClass::NovelInsight);
                let summary = &mut self.journal.phase3_summary;
                if revises {
                    summary.playbook_revisions_staged.push(text.clone());
                }
                summary.grimoire_updates.push(GrimoireUpdate { class, text, proposal: Some(number), entry: None });
            }
            Err(why) => self.journal.phase3_summary.turned_away.push(format!("{text} ({why})")),
        }
    }
}

fn insight(room: &DreamRoom<'_, '_>, text: String, claim: &Claim, domain: Option<Domain>) -> EntryBody {
    let mut body = room.desk.body(EntryKind::Insight, text);
    (body.claim, body.domain) = (Some(claim.clone()), domain);
    body
}

/// Stage it: its number, or why it is not staged.
fn staged_number(room: &mut DreamRoom<'_, '_>, draft: ProposalDraft) -> Result<u64, String> {
    match room.desk.stage(draft, room.config.consolidation.max_staged_revisions as usize) {
        Staged::Added(key) => {
            let number = room.desk.proposals().find(|p| p.key() == key).map(|p| p.number);
            number.ok_or_else(|| "it had to go at once".to_owned())
        }
        Staged::AlreadyStaged(_) => Err("it is staged already".to_owned()),
        Staged::Believed(_) => Err("it is believed already".to_owned()),
        Staged::FailedLately(_) => Err("it failed lately".to_owned()),
        Staged::NoRoom => Err("what is staged is worth more".to_owned()),
        Staged::BadClaim(why) => Err(format!("its claim cannot be asked: {why}")),
        Staged::Unfit => Err("its text is out of bounds".to_owned()),
    }
}

#[cfg(test)]
mod tests;
