//! The door through which dreams reach what is known. They may strengthen and calm what was lived, look for patterns in what
//! was seen, and propose; what they propose is staged, and nothing is believed before the waking world has confirmed it.

use super::Grimoire;
use crate::causal::Graph;
use crate::curator::domain_of;
use crate::embed::{Embedder, similarity};
use crate::entry::{Entry, EntryBody, EntryId, EntryKind, Provenance, RuleAction};
use crate::episode::EpisodeId;
use crate::family::ClaimFamily;
use crate::playbook::Rule;
use crate::retrieval::Nearby;
use crate::series::{BaseRate, LongRecord, MinedClaim, Mining, mine_far};
use crate::shelf::Shelf;
use crate::staging::{Proposal, ProposalDraft, ProposalPool, Staged, UnfinishedHypothesis, enter_executed_warning};
use golem_core::dice::Dice;
use golem_core::door::Embedding;
use golem_core::observed::Expression;
use golem_core::{Tick, VirtualTime};
use golem_mortality::Domain;
use std::cell::OnceCell;

/// Strength that a replay adds: half of what being retrieved in life does, since nothing on a chain stands behind it.
pub const REPLAY_STRENGTH: f32 = 0.5;

/// A dream's hands on the grimoire, for one stage.
pub struct DreamDesk<'a> {
    grimoire: &'a mut Grimoire,
    now: VirtualTime,
    known: OnceCell<Vec<Embedding>>,
}

impl Grimoire {
    /// Open the door for a dream.
    pub fn dream_desk(&mut self, now: VirtualTime) -> DreamDesk<'_> {
        self.refresh();
        DreamDesk { grimoire: self, now, known: OnceCell::new() }
    }
}

impl DreamDesk<'_> {
    /// When.
    #[must_use]
    pub fn now(&self) -> VirtualTime {
        self.now
    }
    /// Entries and the latest episodes.
    #[must_use]
    pub fn shelf(&self) -> &Shelf {
        &self.grimoire.shelf
    }
    /// What drives what.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.grimoire.graph
    }
    /// The rules that it lives by.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.grimoire.writer.playbook().rules()
    }
    /// What is staged.
    pub fn proposals(&self) -> impl Iterator<Item = &Proposal> {
        self.grimoire.staging.proposals()
    }
    /// The keys of the template's parameters, which rules may scale.
    #[must_use]
    pub fn parameters(&self) -> &[&'static str] {
        &self.grimoire.parameters
    }

    /// How alike a text is to what is staged or believed: the nearest of them, from -1 to 1.
    #[must_use]
    pub fn nearest(&self, text: &str) -> f32 {
        let embedder = &self.grimoire.embedder;
        let here = embedder.embed(text);
        // Asked many times in a stage, and what is known does not change while it is asked.
        let known = self.known.get_or_init(|| {
            let believed = self.grimoire.shelf.in_use().map(|e| e.body.text.as_str());
            let staged = self.proposals().filter_map(|p| p.change.body()).map(|b| b.text.as_str());
            believed.chain(staged).map(|text| embedder.embed(text)).collect()
        });
        known.iter().filter_map(|other| similarity(&here, other)).fold(-1.0, f32::max)
    }
    /// How alike two texts are, from -1 to 1.
    #[must_use]
    pub fn alike(&self, a: &str, b: &str) -> f32 {
        let embedder = &self.grimoire.embedder;
        similarity(&embedder.embed(a), &embedder.embed(b)).unwrap_or(-1.0)
    }

    /// These episodes were lived through again.
    pub fn replayed(&mut self, episodes: &[EpisodeId], strength: f32) {
        for id in episodes {
            self.grimoire.shelf.mark(*id, |m| {
                m.strength += strength;
                m.replays = m.replays.saturating_add(1);
                m.replayed = Some(self.now);
                m.dream_priority = false;
            });
        }
    }
    /// What was regretted, once it was tried: the best of the other choices brought so much more.
    pub fn regretted(&mut self, episode: EpisodeId, more_bps: f32) {
        if more_bps.is_finite() {
            self.grimoire.shelf.mark(episode, |m| m.regret_bps = Some(m.regret_bps.unwrap_or(0.0).max(more_bps)));
        }
    }
    /// Of what was felt in these episodes a share is left from now on. What happened stays as it was.
    pub fn calmed(&mut self, episodes: &[EpisodeId], keep: f32) {
        let keep = if keep.is_finite() { keep.clamp(0.0, 1.0) } else { 1.0 };
        for id in episodes {
            self.grimoire.shelf.mark(*id, |m| m.stirs *= keep);
        }
    }
    /// These are distilled, or not worth it: no dream comes back to them. What waking hours make of them stays theirs.
    pub fn let_go(&mut self, episodes: &[EpisodeId]) {
        for id in episodes {
            self.grimoire.shelf.mark(*id, |m| (m.let_go, m.dream_priority) = (true, false));
        }
    }
    /// A belief was met again in what was replayed: it is firmer, and no surer.
    pub fn strengthen(&mut self, entry: EntryId, by: f32) {
        self.grimoire.shelf.stand(entry, |s| s.strength += by);
    }

    /// Propose something. Whoever proposes here is a dream. So many changes to the playbook may wait at one time.
    pub fn stage(&mut self, mut draft: ProposalDraft, revisions: usize) -> Staged {
        draft.source = Provenance::Dream;
        self.known.take();
        let places = if draft.pool() == ProposalPool::Revisions { revisions } else { draft.pool().places() };
        let staged = self.grimoire.staging.stage_among(&self.grimoire.shelf, draft, places, self.now);
        self.grimoire.staging.write_rows(&mut self.grimoire.shelf, false);
        staged
    }
    /// Take up what a predecessor was still testing: from the beginning, by the golem's own base rate, and below what whoever
    /// left it is worth here. None where its own record says nothing of it yet.
    pub fn take_up(&mut self, left: &UnfinishedHypothesis) -> Option<Staged> {
        let draft = left.draft(self.own_base_rate(&left.claim)?, self.grimoire.origin, self.now);
        self.known.take();
        Some(self.grimoire.stage_from_elsewhere(draft, self.now))
    }
    /// A warning on the evidence of so many runs on a copy of the chain. It passes the gate, and can only reduce risk.
    pub fn warn(&mut self, body: EntryBody, runs: u32) -> Option<EntryId> {
        let near = Nearby { finder: &self.grimoire.finder, embedder: &self.grimoire.embedder };
        let entered = enter_executed_warning(&mut self.grimoire.shelf, body, runs, &near, self.now);
        self.grimoire.stale |= entered.is_some();
        entered
    }
    /// A body of the golem's own, learnt now, by a dream.
    #[must_use]
    pub fn body(&self, kind: EntryKind, text: String) -> EntryBody {
        let mut body = EntryBody::own(kind, text, self.grimoire.origin, self.now);
        body.provenance = Provenance::Dream;
        body
    }

    /// What a record of days supports, with the field of forecasting it is about, the surest first: what follows hours later, and
    /// what belongs to an hour of the day.
    pub fn mine(&self, record: &LongRecord, how: &Mining, dice: &Dice, turn: Tick) -> Vec<(MinedClaim, Domain)> {
        let domain = |m: MinedClaim| domain_of(&m.claim.then).map(|d| (m, d));
        mine_far(record, how, dice, turn).into_iter().filter_map(domain).collect()
    }
    /// How often what is claimed comes true anyway, by the golem's own series; half where it cannot say.
    #[must_use]
    pub fn base_rate(&self, claim: &crate::Claim) -> f64 {
        self.own_base_rate(claim).unwrap_or(0.5)
    }
    /// The same; none where the golem's own series cannot say.
    #[must_use]
    pub fn own_base_rate(&self, claim: &crate::Claim) -> Option<f64> {
        self.grimoire.series.claim_base_rate(claim)
    }
    /// How often what is claimed came about where its condition held, by the golem's own series.
    #[must_use]
    pub fn seen_of(&self, claim: &crate::Claim) -> BaseRate {
        let read = |text: &str| Expression::compile(text).ok();
        let both = read(&claim.when).zip(read(&claim.then));
        both.map(|(when, then)| self.grimoire.series.rate_after(&when, &then, claim.after_ticks)).unwrap_or_default()
    }
    /// The entry in use whose claim is of the same family, if one is believed.
    #[must_use]
    pub fn believed(&self, claim: &crate::Claim) -> Option<EntryId> {
        let family = ClaimFamily::roughly(claim)?;
        let is_kin = |e: &&Entry| e.body.claim.as_ref().and_then(ClaimFamily::roughly).as_ref() == Some(&family);
        self.shelf().in_use().filter(|e| !e.is_hearsay()).find(is_kin).map(|e| e.id)
    }
    /// What the golem believes that speaks against this.
    #[must_use]
    pub fn against(&self, body: &EntryBody) -> Option<EntryId> {
        self.shelf().contradicting(body, self.now).map(|(e, _)| e.id)
    }
    /// True when a claim of the same family is believed or staged, and tested as sharply: what is held against something else that
    /// would refute it is another test than whether it comes about at all, and a better one.
    #[must_use]
    pub fn is_spoken_for(&self, claim: &crate::Claim) -> bool {
        let Some(family) = ClaimFamily::roughly(claim) else { return false };
        let is_kin = |other: &crate::Claim| {
            let as_sharp = other.unless.is_some() || claim.unless.is_none();
            as_sharp && ClaimFamily::roughly(other).as_ref() == Some(&family)
        };
        let mut believed = self.shelf().in_use().filter(|e| !e.is_hearsay()).filter_map(|e| e.body.claim.as_ref());
        believed.any(is_kin) || self.proposals().any(|p| is_kin(&p.claim))
    }
    /// True when a rule of the same family is in use: it says when, and what to do.
    #[must_use]
    pub fn lives_by(&self, when: &str, action: &RuleAction) -> bool {
        let family = ClaimFamily::of_rule(when, action);
        let rules = self.shelf().in_use().filter(|e| e.body.kind == EntryKind::Heuristic && !e.is_hearsay());
        rules.map(|e| &e.body).any(|body| ClaimFamily::of_body(body).as_ref() == Some(&family))
    }
}
