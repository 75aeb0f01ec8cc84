//! How much this turn is worth thinking about: what is seen is held against what is known, and the tier gate says whether
//! rules decide alone or a model is asked.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::Usdc;
use golem_core::observed::Snapshot;
use golem_daimon::affect::{Event, TierBias};
use golem_grimoire::grimoire::Observed;
use golem_mind::Severity;
use golem_mind::cache::{CachePlace, DecisionCache, Stance, Versions};
use golem_mind::tier::{Bias, Ceiling, Forced, Gating, ThresholdMood, TierMoment, TierReason, gate};
use golem_mortality::BehavioralPhase;
use golem_mortality::info::bits_budget;

/// The next phase down is in sight when the composite is at most this far above its threshold.
const NEAR: f64 = 0.02;
/// A situation is new when no episode is more like it than this cosine.
const NOVEL: f32 = 0.5;

impl Life {
    /// Hold what was seen against what is known, and say how much this turn is worth thinking about.
    pub(crate) fn weigh(&mut self) -> Gating {
        let snapshot = self.observed();
        let (tick, now, regime) = (self.state.core.tick, self.state.core.age, self.state.mind.regime());
        let seen = self.grimoire.as_mut().map(|g| g.observe(tick, now, regime, &snapshot)).unwrap_or_default();
        let gating = self.select_tier(&snapshot);
        self.turn.known.escalated = gating.reason != TierReason::AllClear;
        if gating.reason == TierReason::Surprise || gating.reason == TierReason::Shock {
            self.turn.felt.events.push(Event::PredictionMiss { error: gating.pe });
        }
        self.recognise_threats(&snapshot);
        self.turn.known.snapshot = snapshot;
        self.heed_swept(seen);
        gating
    }

    /// What staging and watched beliefs came to in this turn, awake or asleep.
    pub(crate) fn heed_swept(&mut self, seen: Observed) {
        if seen.promoted + seen.refuted + seen.expired > 0 {
            let (promoted, refuted, expired) = (seen.promoted, seen.refuted, seen.expired);
            let felt = &mut self.turn.felt.events;
            felt.extend((promoted > 0).then_some(Event::KnowledgeValidated));
            felt.extend((refuted > 0).then_some(Event::KnowledgeContradicted));
            self.tell(LifeFact::StagingSwept { promoted, refuted, expired });
        }
        self.tell_revised(seen.revised);
        self.make_room(&seen.context);
        self.dreams_judged(seen.dreamt, &seen.blocks);
    }

    /// The tier of the turn. A model is only considered where there is one; its cost, its phase and the cache may keep it out.
    fn select_tier(&mut self, snapshot: &Snapshot) -> Gating {
        // Whoever lives cheaply asks no model for itself; an owner who speaks is answered all the same.
        let spares = self.lives_cheaply() && self.turn.told.is_empty();
        let models = self.genesis.settings.thinking.any() && !spares;
        let forced = self.forced();
        let mut config = self.genesis.settings.mind.gate.clone();
        let budget = self.genesis.settings.thinking.daily_usdc;
        if budget > Usdc::ZERO {
            // The lower of the two budgets binds.
            config.max_daily_cost_usdc = config.max_daily_cost_usdc.min(budget);
        }
        let inference = self.phase().behaviour().inference;
        let info = &self.genesis.settings.diagnostics.information;
        let diagnostics = self.state.info.as_ref().filter(|_| models).map(|d| d.information.diagnostics());
        let bits = diagnostics.and_then(|d| bits_budget(d, info));
        let spent = self.state.thought.today(self.state.core.age).cost;
        let mood = self.mood();
        let high = self.state.mind.senses().probes().loudest() == Severity::High;
        let TierBias { t0, t1, at_most_t1 } = self.channels().tier.with_probe(high);
        let bias = Bias { t1: t0, t2: t1, at_most_t1 };
        let moment = |cached: bool, novel: bool, life: &Self| {
            let probes = life.state.mind.senses().probes();
            let moment =
                TierMoment { probes, mood, inference, novel, forced, spent, bits: bits.as_ref(), cached, models, bias };
            gate(&moment, &config)
        };
        let first = moment(false, false, self);
        if first.reason == TierReason::AllClear || !models {
            return first;
        }
        let (cached, novel) = (self.remembered_stance(snapshot), self.is_novel(snapshot));
        self.turn.stance = cached;
        let gating = moment(cached.is_some(), novel, self);
        if gating.ceiling == Some(Ceiling::Cached) {
            self.tell(LifeFact::CacheHit { pe: gating.pe });
        } else {
            // What was remembered is not used where it is thought through again.
            self.turn.stance = None;
        }
        self.tell(LifeFact::TierSelected { gating });
        gating
    }

    /// What the threshold adapts to.
    fn mood(&self) -> ThresholdMood {
        let known = |g: &golem_grimoire::Grimoire| {
            let entries = g.fired().ids.iter().filter_map(|id| g.shelf().entry(id.entry()?));
            let (n, sum) = entries.fold((0u32, 0.0), |(n, sum), e| (n + 1, sum + f64::from(e.standing.confidence_bp)));
            if n == 0 { 0.0 } else { sum / f64::from(n) / 1e4 }
        };
        let confidence = self.grimoire.as_ref().map_or(0.0, known);
        // Arousal comes in by the channels, which an owner can switch off; here it would count twice.
        ThresholdMood { confidence, vitality: self.state.mortality.vitality.composite, arousal: 0.0 }
    }

    /// What asks for the highest tier: the owner's words, or the first sight of the next phase down.
    fn forced(&mut self) -> Option<Forced> {
        let (phase, composite) = (self.phase(), self.state.mortality.vitality.composite);
        let near = phase > BehavioralPhase::Terminal && composite - phase.threshold() < NEAR;
        let first = near && !self.state.diary.near_fall;
        self.state.diary.near_fall = near;
        if !self.turn.told.is_empty() { Some(Forced::OwnerSteer) } else { first.then_some(Forced::PhaseTransition) }
    }

    fn is_novel(&self, snapshot: &Snapshot) -> bool {
        let Some(grimoire) = &self.grimoire else { return true };
        let here = grimoire.situation(snapshot, None);
        grimoire.episodes().like(&here, self.state.core.age, 1).first().is_none_or(|f| f.cosine < NOVEL)
    }

    /// The stance that a deliberation of this situation came to three times in a row, while that still holds.
    fn remembered_stance(&mut self, snapshot: &Snapshot) -> Option<Stance> {
        self.with_place(snapshot, |cache, place| cache.find(place).map(|c| c.stance))
    }

    /// Call `f` with the decision cache and this turn's place in it.
    pub(crate) fn with_place<T>(
        &mut self,
        snapshot: &Snapshot,
        f: impl FnOnce(&mut DecisionCache, &CachePlace<'_>) -> T,
    ) -> T {
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.spendable_capital());
        let template = self.genesis.settings.policy.template;
        let scene = self.state.mind.scene(&holdings, self.state.core.exposure, template);
        let playbook = self.grimoire.as_ref().map_or(0, |g| u64::from(g.playbook().revision()));
        let versions = Versions { playbook, context: self.state.context.revision };
        let (now, life) = (self.state.core.age, self.phase().behaviour().cache_life);
        let place = CachePlace { scene: &scene, seen: snapshot, now, versions, life };
        f(self.state.mind.cache(), &place)
    }
}
