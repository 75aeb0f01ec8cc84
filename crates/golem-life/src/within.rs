//! What the inner life says to the rest of a golem: how it feels, how it suffers, and what its counters are.

use crate::life::Life;
use golem_daimon::affect::{AffectConfig, Channels};
use golem_daimon::suffering::{ActivityDomain, Anticipation, Band, RecordedCounters, Suffering, SufferingSeen};
use golem_grimoire::playbook::RuleId;
use golem_mind::Template;
use golem_mind::goals::GoalEnd;
use golem_mortality::config::Measure;

impl Life {
    pub(crate) fn affect_config(&self) -> &AffectConfig {
        &self.affect
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
    pub(crate) fn anticipated(&self, domain: ActivityDomain) -> Option<Anticipation> {
        self.state.inner.suffering.as_ref().and_then(|s| s.anticipate(domain))
    }

    /// The domain in which its strategy opens.
    pub(crate) fn trade(&self) -> ActivityDomain {
        match self.genesis.settings.policy.template {
            Template::LpManagement | Template::StableYield => ActivityDomain::Liquidity,
            Template::TrendFollowing | Template::EthDca => ActivityDomain::Swap,
        }
    }

    /// The counters that the six rules read.
    pub(crate) fn recorded(&self) -> RecordedCounters {
        let (state, inner, aware) = (&self.state, &self.state.inner, self.awareness());
        let goals = state.mind.goals().record();
        let sure = |id: &RuleId| {
            let entry = id.entry().and_then(|id| self.grimoire.as_ref()?.shelf().entry(id));
            entry.map_or(0.0, |e| f64::from(e.standing.confidence_bp) / 1e4)
        };
        RecordedCounters {
            completed: goals.count(GoalEnd::Completed),
            failed: goals.count(GoalEnd::Failed),
            abandoned: goals.count(GoalEnd::Abandoned),
            completed_with_rule: goals.completed_with_rules(),
            idle_rules: self.grimoire.as_ref().map_or(0, |g| u32::try_from(g.never_fired()).unwrap_or(u32::MAX)),
            contact: inner.channel.last_contact(state.core.age),
            violations: u32::try_from(inner.violations.len()).unwrap_or(u32::MAX),
            last_violation: inner.violations.back().map(|(at, _)| *at),
            violated_confidence: inner.violations.iter().map(|(_, id)| sure(id)).max_by(f64::total_cmp),
            phase: aware.phase,
            projected_life_h: aware.projected_life_h,
            senescent: state.mortality.epistemic.senescence.is_senescent(),
            fitness: state.mortality.vitality.epistemic,
            recovers_above: self.genesis.settings.mortality.epistemic.recovery_threshold,
            // By R2 nobody else is asked.
            lead: (self.genesis.settings.mortality.epistemic.measure == Measure::Skill)
                .then_some(state.mortality.epistemic.lead),
            episodes_since_completed: goals.since_completed(),
            doing: inner.doing,
        }
    }

    /// The prompt's fragment and the anticipatory signal, line by line.
    pub(crate) fn suffering_lines(&self) -> Vec<String> {
        let Some(suffering) = &self.state.inner.suffering else { return Vec::new() };
        let (recorded, now) = (self.recorded(), self.state.core.age);
        let seen = SufferingSeen { now, recorded: &recorded, snapshot: &self.turn.known.snapshot };
        let fragment = suffering.fragment(seen).unwrap_or_default();
        let before = suffering.anticipate(self.trade()).map(|a| a.to_string()).unwrap_or_default();
        fragment.lines().chain(before.lines()).map(str::to_owned).collect()
    }
}
