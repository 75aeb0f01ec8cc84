//! What a golem does about what it suffers from, by itself and without a model: the steps of the table are taken here. They
//! narrow what it does, tidy what it keeps, or ask; none of them touches a severity, a clock or a limit.

use crate::fact::DaimonFact;
use crate::life::Life;
use golem_core::Elapsed;
use golem_core::intent::Holdings;
use golem_daimon::suffering::{Canonical, Remedy, SufferingFact};
use golem_mind::Permissions;
use golem_mind::Valuation;
use golem_mind::explore::Exploration;
use golem_mind::policy::Guidance;
use golem_mind::ways::{OtherWay, WaysTrial};

/// So often within the days that are remembered is a habit, and suffered from.
const HABIT: usize = 2;
/// A way that was found is kept for so long before it is tried anew.
const WAY_LASTS: Elapsed = Elapsed::secs(5 * 86_400);

impl Life {
    /// Take the steps that are due.
    pub(crate) fn take_remedies(&mut self) {
        if !self.genesis.settings.suffering.remedies {
            return;
        }
        let now = self.state.core.age;
        let inner = &mut self.state.inner;
        let Some(suffering) = &inner.suffering else { return };
        for (against, remedy) in inner.remedies.due(suffering, now) {
            let note = self.take_remedy(remedy);
            self.state.diary.event(format!("against {against}: {}", remedy.words()));
            let stressor = against.name().to_owned();
            self.tell_inner(DaimonFact::Suffering(SufferingFact::Remedied { stressor, remedy, note }));
        }
        self.state.inner.end_trials();
    }

    /// Take one step, and say what came of it.
    fn take_remedy(&mut self, remedy: Remedy) -> String {
        let now = self.state.core.age;
        match remedy {
            Remedy::RetireIdleRules => {
                let retired = self.grimoire.as_mut().map_or((0, None), |g| g.retire_idle(now));
                self.tell_revised(retired.1);
                format!("{} rules retired", retired.0)
            }
            Remedy::YieldToRecord => self.yield_to_record(),
            Remedy::TryOtherWays => {
                self.state.inner.trials().ways = Some(WaysTrial::new(now));
                "its other ways on paper for two days".to_owned()
            }
            Remedy::SetNearGoal => {
                let own = self.genesis.settings.policy.template;
                self.state.inner.trials().others.get_or_insert_with(|| Exploration::new(own, now));
                "the nearest gain that is worth a day, and a strategy that would pay on paper".to_owned()
            }
            Remedy::LiveCheaply => "nothing is opened and no model is asked until the threat is over".to_owned(),
            Remedy::AskOwner => {
                let hours = self.awareness().projected_life_h;
                let left = hours.map_or("time without end".to_owned(), |h| format!("{h:.0} h"));
                format!(
                    "to the owner: {left} left; {}",
                    Canonical::ExistentialThreat.remedy(self.genesis.birth.name.as_str())
                )
            }
            Remedy::SendDigest => self.digest_for_owner(),
        }
    }

    /// What the owner is told after a long silence.
    fn digest_for_owner(&self) -> String {
        let (core, goals) = (&self.state.core, self.recorded());
        format!(
            "to the owner: day {:.0}, {} USDC, {} trades, {} of the last goals reached and {} missed; a word is enough",
            core.age.age().as_days(),
            self.balance(),
            core.trades,
            goals.completed,
            goals.failed,
        )
    }

    /// What it did against a rule speaks for one of the two: a rule that reality contradicted more often than it confirmed
    /// it is no longer believed; otherwise the habit goes, and nothing is opened while the rule holds.
    fn yield_to_record(&mut self) -> String {
        let Some((_, rule)) = self.state.inner.violations.back().cloned() else { return String::new() };
        let Some(entry) = rule.entry() else { return "the habit yields: the rule is the owner's".to_owned() };
        let now = self.state.core.age;
        let yielded = self.grimoire.as_mut().and_then(|g| g.yield_if_contradicted(entry, now));
        let Some(revised) = yielded else { return "the habit yields to the rule".to_owned() };
        self.tell_revised(revised);
        "the rule yields: the record speaks against it".to_owned()
    }

    /// Whether nothing is to be spent that need not be.
    pub(crate) fn lives_cheaply(&self) -> bool {
        self.state.inner.remedies.takes(Remedy::LiveCheaply)
    }

    /// Whether goals within reach are set.
    pub(crate) fn seeks_near_goals(&self) -> bool {
        self.state.inner.remedies.takes(Remedy::SetNearGoal)
    }

    /// Whether a rule that it acted against holds now, and is obeyed: while that weighs on it, and for as long as it is
    /// remembered, or the habit would be back on the day on which it is forgiven.
    fn obeys(&self) -> bool {
        let inner = &self.state.inner;
        let stands_aside = self.grimoire.as_ref().is_some_and(|g| g.fired().stand_aside);
        let cares = self.genesis.settings.suffering.remedies && inner.suffering.is_some();
        cares && inner.violations.len() >= HABIT && stands_aside
    }

    /// What is permitted while remedies are taken: less, never more.
    pub(crate) fn remedied(&self, may: Permissions) -> Permissions {
        let obeys = self.obeys();
        let may_open = may.may_open && !self.lives_cheaply() && !obeys;
        Permissions { may_open, may_rebalance: may.may_rebalance && !obeys, ..may }
    }

    /// A turn of trying strategies that are not its own on paper, where a goal within reach is sought.
    pub(crate) fn explore(&mut self, of: (&Holdings, &Valuation), may: &Permissions) {
        let (now, policy) = (self.state.core.age, self.policy());
        let Some(others) = self.state.inner.trial.as_mut().and_then(|t| t.others.as_mut()) else { return };
        let would = Permissions { may_open: true, may_rebalance: true, unwind: false, ..*may };
        for found in others.turn(&self.state.mind, of, &would, &policy, now) {
            self.state.mind.explored();
            self.state.diary.event(format!("found on paper that {found} would have paid"));
        }
    }

    /// The guidance and what may be done, by the way that was found best, if one was looked for; and a turn of looking, where
    /// that goes on.
    pub(crate) fn on_its_way(
        &mut self,
        guidance: Guidance,
        of: (&Holdings, &Valuation),
        may: &Permissions,
    ) -> (Guidance, Permissions) {
        let (now, policy) = (self.state.core.age, self.policy());
        let (mind, inner) = (&self.state.mind, &mut self.state.inner);
        if let Some(ways) = inner.trial.as_mut().and_then(|t| t.ways.as_mut()) {
            let would = Permissions { may_open: true, may_rebalance: true, unwind: false, ..*may };
            if let Some(best) = ways.turn(mind, of, &would, &policy, now) {
                (inner.trials().ways, inner.way) = (None, Some((best, now)));
            }
        } else if inner.way.is_some_and(|(_, since)| now.since(since) >= WAY_LASTS) {
            // Until something better is found it goes on as it does.
            inner.trials().ways = Some(WaysTrial::new(now));
        }
        let way = inner.way.map_or(OtherWay::Usual, |(way, _)| way);
        let guidance = if way == OtherWay::Usual { guidance } else { way.on(&guidance, policy.template) };
        (guidance, way.narrow(may))
    }
}
