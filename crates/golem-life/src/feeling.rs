//! The inner life in a turn: what happened is felt, what is recorded is suffered, and both are told. The mind has no way to
//! write here: what a model says of itself comes in as words, and is checked.

use crate::fact::{DaimonFact, Fact, LifeFact};
use crate::life::{Facts, Life};
use crate::settings::Settings;
use golem_core::observed::Snapshot;
use golem_core::{Elapsed, Intent, UsdcDelta, VirtualTime};
use golem_daimon::affect::{Affect, AffectConfig, Channels, Event, ModelAppraisal, Sample};
use golem_daimon::gate::Denials;
use golem_daimon::suffering::{Anticipation, Band, Domain, Recorded, Seen, Suffering, SufferingFact, read_assessment};
use golem_grimoire::entry::RuleAction;
use golem_grimoire::playbook::RuleId;
use golem_mind::Severity;
use golem_mind::Template;
use golem_mind::goals::{GoalEnd, GoalFact};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Actions against rules are remembered for so long, and so many of them.
const VIOLATIONS_WITHIN: Elapsed = Elapsed::secs(7 * 86_400);
const MOST_VIOLATIONS: usize = 16;
/// A rule that is believed this much is a value of the golem's own.
const VALUED_BP: u16 = 7_000;

/// What a golem feels and suffers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Inner {
    pub affect: Option<Affect>,
    pub suffering: Option<Suffering>,
    pub denials: Denials,
    /// When the owner last spoke to it, or a sibling did; none while nobody ever has.
    pub contact: Option<VirtualTime>,
    /// What it did against a rule that it believed.
    violations: VecDeque<(VirtualTime, RuleId)>,
    /// What it did last.
    doing: Option<Domain>,
    /// When its fleet was last told of a crisis.
    cried: Option<VirtualTime>,
}

/// Problems of an assessment that are told.
const MOST_FLAWS: usize = 8;
/// The fleet is told of a crisis at most this often.
const CRIES_APART: Elapsed = Elapsed::secs(6 * 3_600);

impl Inner {
    pub fn new(settings: &Settings) -> Self {
        let affect = &settings.mortality.affect;
        Self {
            affect: affect.is_on().then(|| Affect::new(affect)),
            suffering: settings.suffering.enabled.then(Suffering::default),
            ..Self::default()
        }
    }
}

/// What a turn hands to the inner life.
#[derive(Debug, Default)]
pub(crate) struct Felt {
    /// What happened.
    pub events: Vec<Event>,
    /// What a model says it feels.
    pub appraisal: Option<ModelAppraisal>,
    /// What a model says of its suffering.
    pub assessment: Option<serde_json::Value>,
}

impl Life {
    pub(crate) fn affect_config(&self) -> &AffectConfig {
        &self.genesis.settings.mortality.affect
    }

    /// What affect colours in this turn.
    pub(crate) fn channels(&self) -> Channels {
        self.state.inner.affect.as_ref().map_or(Channels::NEUTRAL, |a| a.channels(self.affect_config()))
    }

    /// How it feels, for what is written down.
    pub(crate) fn felt(&self) -> Option<[f32; 3]> {
        self.state.inner.affect.as_ref().and_then(|a| a.snapshot(self.affect_config()))
    }

    /// The suffering band; the lightest where suffering is off.
    pub(crate) fn band(&self) -> Band {
        self.state.inner.suffering.as_ref().map_or(Band::Background, Suffering::band)
    }

    /// What the past says of acting as this golem does.
    pub(crate) fn anticipated(&self, domain: Domain) -> Option<Anticipation> {
        self.state.inner.suffering.as_ref().and_then(|s| s.anticipate(domain))
    }

    /// The domain in which its strategy opens.
    pub(crate) fn trade(&self) -> Domain {
        match self.genesis.settings.policy.template {
            Template::LpManagement | Template::StableYield => Domain::Liquidity,
            Template::TrendFollowing | Template::EthDca => Domain::Swap,
        }
    }

    /// The counters that the six rules read.
    pub(crate) fn recorded(&self) -> Recorded {
        let (state, inner, aware) = (&self.state, &self.state.inner, self.awareness());
        let goals = state.mind.goals().record();
        let sure = |id: &RuleId| {
            let entry = id.entry().and_then(|id| self.grimoire.as_ref()?.shelf().entry(id));
            entry.map_or(0.0, |e| f64::from(e.standing.confidence_bp) / 1e4)
        };
        Recorded {
            completed: goals.count(GoalEnd::Completed),
            failed: goals.count(GoalEnd::Failed),
            abandoned: goals.count(GoalEnd::Abandoned),
            completed_with_rule: goals.completed_with_rules(),
            idle_rules: self.grimoire.as_ref().map_or(0, |g| u32::try_from(g.never_fired()).unwrap_or(u32::MAX)),
            contact: inner.contact,
            violations: u32::try_from(inner.violations.len()).unwrap_or(u32::MAX),
            last_violation: inner.violations.back().map(|(at, _)| *at),
            violated_confidence: inner.violations.iter().map(|(_, id)| sure(id)).max_by(f64::total_cmp),
            phase: aware.phase,
            projected_life_h: aware.projected_life_h,
            senescent: state.mortality.epistemic.senescence.is_senescent(),
            episodes_since_completed: goals.since_completed(),
            doing: inner.doing,
        }
    }

    /// The prompt's fragment and the anticipatory signal, line by line.
    pub(crate) fn suffering_lines(&self) -> Vec<String> {
        let Some(suffering) = &self.state.inner.suffering else { return Vec::new() };
        let (recorded, now) = (self.recorded(), self.state.core.age);
        let seen = Seen { now, recorded: &recorded, snapshot: &self.half.known.snapshot };
        let fragment = suffering.fragment(seen).unwrap_or_default();
        let before = suffering.anticipate(self.trade()).map(|a| a.to_string()).unwrap_or_default();
        fragment.lines().chain(before.lines()).map(str::to_owned).collect()
    }

    /// Something was done: was it against a rule that held and is believed?
    pub(crate) fn note_deed(&mut self, intent: &Intent, realised: UsdcDelta, worth: u64) {
        let now = self.state.core.age;
        self.state.inner.doing = Domain::of_intent(intent).or(self.state.inner.doing);
        if realised.0 != 0 && worth > 0 {
            let pct = realised.0.unsigned_abs() as f64 / worth as f64 * 100.0;
            let event = if realised.0 > 0 { Event::TradeProfit { pct } } else { Event::TradeLoss { pct } };
            self.half.felt.events.push(event);
        }
        if intent.only_reduces() {
            return;
        }
        let Some(grimoire) = &self.grimoire else { return };
        let against = |id: &&RuleId| {
            let rule = grimoire.playbook().rule(id).map(|r| r.words());
            rule.is_some_and(|r| r.confidence_bp >= VALUED_BP && matches!(r.action, RuleAction::StandAside))
        };
        let found = grimoire.fired().ids.iter().find(against).cloned();
        if let Some(rule) = found {
            let violations = &mut self.state.inner.violations;
            if violations.len() == MOST_VIOLATIONS {
                violations.pop_front();
            }
            violations.push_back((now, rule));
        }
    }

    /// A goal ended: that is felt.
    pub(crate) fn feel_goal(&mut self, goal: &GoalFact) {
        if let GoalFact::Ended { end, .. } = goal {
            let event = if *end == GoalEnd::Completed { Event::GoalCompleted } else { Event::GoalFailed };
            self.half.felt.events.push(event);
        }
    }

    /// The end of the turn, inwards: what happened is felt, what is recorded is suffered.
    pub(crate) fn feel(&mut self, snapshot: &Snapshot, facts: &mut Facts) {
        self.be_affected(facts);
        self.suffer(snapshot, facts);
    }

    fn be_affected(&mut self, facts: &mut Facts) {
        let Some(mut affect) = self.state.inner.affect.take() else { return };
        let (now, aware, mortality) = (self.state.core.age, self.awareness(), &self.state.mortality);
        let probes = self.state.mind.senses().probes();
        let sample = Sample {
            vitality: aware.vitality,
            phase: aware.phase,
            balance_ratio: mortality.vitality.economic,
            runway_days: aware.projected_life_h.map(|h| h / 24.0),
            fitness: mortality.vitality.epistemic,
            fitness_trend: mortality.epistemic.trend,
            hazard: mortality.stochastic.current_hazard,
            prediction_error: probes.prediction_error,
            anomalies: probes.all().iter().map(|s| u32::from(*s != Severity::None)).sum(),
        };
        let (events, said) = (std::mem::take(&mut self.half.felt.events), self.half.felt.appraisal.take());
        let told = affect.feel(now, &events, said.as_ref(), &sample, self.affect_config());
        self.state.inner.affect = Some(affect);
        for fact in told {
            self.tell_inner(DaimonFact::Affect(fact), facts);
        }
    }

    fn suffer(&mut self, snapshot: &Snapshot, facts: &mut Facts) {
        let Some(mut suffering) = self.state.inner.suffering.take() else { return };
        let now = self.state.core.age;
        let violations = &mut self.state.inner.violations;
        while violations.front().is_some_and(|(at, _)| now.since(*at) >= VIOLATIONS_WITHIN) {
            violations.pop_front();
        }
        let recorded = self.recorded();
        let seen = Seen { now, recorded: &recorded, snapshot };
        let (mut told, mut heard) = (suffering.turn(seen), None);
        if let Some(said) = self.half.felt.assessment.take() {
            let (assessment, flaws) = read_assessment(&said);
            let assessed = suffering.assess(&assessment, seen);
            told.extend(assessed.facts);
            heard = Some((assessed.new, assessed.resolved, flaws));
        }
        self.state.inner.suffering = Some(suffering);
        if let Some((new, resolved, flaws)) = heard.filter(|(n, r, f)| !(n.is_empty() && r.is_empty() && f.is_empty()))
        {
            let flaws = flaws.iter().take(MOST_FLAWS).map(ToString::to_string).collect();
            self.emit(facts, None, Fact::Life(LifeFact::Assessed { new, resolved, flaws }));
        }
        for fact in told {
            if let SufferingFact::Crisis { message, .. } = &fact {
                self.cry_out(message);
                self.state.diary.event(format!("a crisis: {message}"));
            }
            self.tell_inner(DaimonFact::Suffering(fact), facts);
        }
    }

    /// Once per crisis, and not more often than the others can bear: whoever falls from one crisis into the next has
    /// said it already.
    fn cry_out(&mut self, message: &str) {
        let (now, told) = (self.state.core.age, &mut self.state.inner.cried);
        if told.is_none_or(|at| now.since(at) >= CRIES_APART) {
            *told = Some(now);
            let word = self.word(message.to_owned(), false);
            self.half.peers.push(word);
        }
    }

    pub(crate) fn tell_inner(&mut self, fact: DaimonFact, facts: &mut Facts) {
        self.emit(facts, None, Fact::Daimon(Box::new(fact)));
    }
}
