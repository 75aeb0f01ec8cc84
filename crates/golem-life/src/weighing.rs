//! How much this turn is worth thinking about: what the rest of the golem feels goes to the probes, and the tier gate says
//! whether rules decide alone or a model is asked.

use crate::fact::LifeFact;
use crate::life::{Facts, Life};
use golem_cage::BreakerLevel;
use golem_core::Usdc;
use golem_core::allowance::Allowance;
use golem_core::model::ModelPurpose;
use golem_core::observed::Snapshot;
use golem_daimon::affect::TierBias;
use golem_mind::cache::{Place, Versions};
use golem_mind::tier::{Bias, Ceiling, Forced, Gating, Moment, Mood, Reason, Tier, gate};
use golem_mind::{Body, Severity};
use golem_mortality::BehavioralPhase;
use golem_mortality::info::bits_budget;

/// So near to the next phase down is worth a thought, once.
const NEAR: f64 = 0.02;
/// A situation less like any other than this is new.
const NOVEL: f32 = 0.5;

impl Life {
    /// The probes see the market; tell them about the body.
    pub(crate) fn feel_body(&mut self) {
        let state = &self.state;
        let meant = self.genesis.birth.funding.share_bps(self.prices.operating_bps);
        let credit = (meant.0 > 0).then(|| state.ledger.operating().0 as f64 / meant.0 as f64);
        let breaker = match state.cage.breaker() {
            BreakerLevel::Calm => Severity::None,
            BreakerLevel::Half => Severity::Low,
            BreakerLevel::ReduceOnly | BreakerLevel::Hold => Severity::High,
        };
        let body = Body {
            credit,
            breaker,
            vitality: Some(state.mortality.vitality.composite),
            followups: u8::try_from(self.half.told.len()).unwrap_or(u8::MAX),
            dullness: self.channels().probes - 1.0,
            ..Body::default()
        };
        self.state.mind.feel(&body);
    }

    /// Weigh the turn. A model is only considered where there is one; its cost, its phase and the cache may keep it out.
    pub(crate) fn weigh(&mut self, snapshot: &Snapshot, facts: &mut Facts) -> Gating {
        let models = self.genesis.settings.thinking.any();
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
                Moment { probes, mood, inference, novel, forced, spent, bits: bits.as_ref(), cached, models, bias };
            gate(&moment, &config)
        };
        let first = moment(false, false, self);
        if first.reason == Reason::AllClear || !models {
            return first;
        }
        let (cached, novel) = (self.remembered_stance(snapshot), self.is_novel(snapshot));
        self.half.stance = cached;
        let gating = moment(cached.is_some(), novel, self);
        if gating.ceiling == Some(Ceiling::Cached) {
            self.tell(facts, LifeFact::CacheHit { pe: gating.pe });
        } else {
            // What was remembered is not used where it is thought through again.
            self.half.stance = None;
        }
        self.tell(facts, LifeFact::TierSelected { gating });
        gating
    }

    /// What the threshold adapts to.
    fn mood(&self) -> Mood {
        let known = |g: &golem_grimoire::Grimoire| {
            let entries = g.fired().ids.iter().filter_map(|id| g.shelf().entry(id.entry()?));
            let (n, sum) = entries.fold((0u32, 0.0), |(n, sum), e| (n + 1, sum + f64::from(e.standing.confidence_bp)));
            if n == 0 { 0.0 } else { sum / f64::from(n) / 1e4 }
        };
        let confidence = self.grimoire.as_ref().map_or(0.0, known);
        // Arousal comes in by the channels, which an owner can switch off; here it would count twice.
        Mood { confidence, vitality: self.state.mortality.vitality.composite, arousal: 0.0 }
    }

    /// What asks for the highest tier: the owner's words, or the first sight of the next phase down.
    fn forced(&mut self) -> Option<Forced> {
        let (phase, composite) = (self.phase(), self.state.mortality.vitality.composite);
        let near = phase > BehavioralPhase::Terminal && composite - phase.threshold() < NEAR;
        let first = near && !self.state.diary.near_fall;
        self.state.diary.near_fall = near;
        if !self.half.told.is_empty() { Some(Forced::OwnerSteer) } else { first.then_some(Forced::PhaseTransition) }
    }

    fn is_novel(&self, snapshot: &Snapshot) -> bool {
        let Some(grimoire) = &self.grimoire else { return true };
        let here = grimoire.situation(snapshot, None);
        grimoire.episodes().like(&here, self.state.core.age, 1).first().is_none_or(|f| f.cosine < NOVEL)
    }

    /// The stance that a deliberation of this situation came to three times in a row, while that still holds.
    fn remembered_stance(&mut self, snapshot: &Snapshot) -> Option<golem_mind::cache::Stance> {
        self.with_place(snapshot, |cache, place| cache.find(place).map(|c| c.stance))
    }

    /// Do something at the place in the decision cache that this turn is.
    pub(crate) fn with_place<T>(
        &mut self,
        snapshot: &Snapshot,
        f: impl FnOnce(&mut golem_mind::cache::DecisionCache, &Place<'_>) -> T,
    ) -> T {
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.spendable_capital());
        let template = self.genesis.settings.policy.template;
        let scene = self.state.mind.scene(&holdings, self.state.core.exposure, template);
        let playbook = self.grimoire.as_ref().map_or(0, |g| u64::from(g.playbook().revision()));
        let versions = Versions { playbook, context: self.state.context.revision };
        let (now, life) = (self.state.core.age, self.phase().behaviour().cache_life);
        let place = Place { scene: &scene, seen: snapshot, now, versions, life };
        f(self.state.mind.cache(), &place)
    }

    /// The tier of this turn, and what a question may cost at most; none when nobody can be asked.
    pub(crate) fn may_ask(&self, gating: &Gating) -> Option<(golem_core::model::ModelTier, Usdc)> {
        let thinking = &self.genesis.settings.thinking;
        let wanted = match gating.tier {
            Tier::T0 => return None,
            // Whoever has only one model thinks with that one.
            Tier::T1 if !thinking.t1 => Tier::T2,
            Tier::T2 if !thinking.t2 => Tier::T1,
            tier => tier,
        };
        Some((wanted.model()?, self.may_pay(&thinking.allowance())?))
    }

    /// What anybody elsewhere may be paid for one answer now; none when the day's allowance is used up.
    pub(crate) fn may_pay(&self, allowance: &Allowance) -> Option<Usdc> {
        let settings = &self.genesis.settings;
        let (now, dreams) = (self.state.core.age, 0);
        if self.state.thought.is_over(allowance, now) {
            return None;
        }
        let today = self.state.thought.room(allowance, now, ModelPurpose::Waking, dreams);
        let caps = settings.mortality.economic.daily_caps;
        let purse = self.state.ledger.room(golem_mortality::economic::Purpose::Inference, self.reserve(), &caps);
        Some(today.min(purse).min(settings.thinking.request_usdc))
    }
}
