//! The rules at work: which hold now, and what they do to the strategy together.
//!
//! A condition costs about a microsecond, so each rule is asked every ten turns, staggered, and holds as it was last
//! asked. A rule can only scale, lessen risk or stand aside: nothing here knows an amount, an address or a limit.

use super::rule::{MOST_FACTOR, MOST_OWNERS_RISK};
use super::{Playbook, Rule, RuleId};
use crate::entry::RuleAction;
use crate::family::ClaimFamily;
use golem_core::Tick;
use golem_core::observed::Snapshot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Turns between two askings of a rule, unless there are very many.
const EVERY: u64 = 10;
/// Rules that are asked in one turn at most.
const MOST_ASKED: u64 = 8;

/// What the rules that hold do together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fired {
    /// The rules, in the order of the playbook.
    pub ids: Vec<RuleId>,
    /// What to multiply parameters by, each within [0.5, 2].
    pub scale: BTreeMap<String, f64>,
    /// What to multiply risk by: at most 1 unless an owner's rule says otherwise.
    pub risk: f64,
    /// True when nothing is to be opened.
    pub stand_aside: bool,
}

impl Default for Fired {
    fn default() -> Self {
        Self { ids: Vec::new(), scale: BTreeMap::new(), risk: 1.0, stand_aside: false }
    }
}

/// How often a rule fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Firing {
    /// How often it began to hold.
    pub times: u32,
    /// The turn in which it was last found to hold.
    pub last: Option<Tick>,
    /// True while it holds.
    pub holds: bool,
    /// How often it was asked, and how often it held then.
    pub asked: u32,
    /// See `asked`.
    pub held: u32,
}

/// Askings without which nobody can say how often a rule holds: a day of turns.
const SURE_AFTER: u32 = 216;

impl Firing {
    /// True when it holds nine turns in ten: that is no rule but a setting.
    #[must_use]
    pub fn is_a_setting(&self) -> bool {
        self.asked >= SURE_AFTER && u64::from(self.held) * 10 >= u64::from(self.asked) * 9
    }
}

/// The compiled rules of a playbook and what is known of their firing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RuleSet {
    rules: Vec<(Rule, Firing)>,
    fired: Fired,
}

impl RuleSet {
    /// The rules of a playbook; `firings` are what [`Self::firings`] gave before, and count for rules that still say the
    /// same.
    #[must_use]
    pub fn new(playbook: &Playbook, firings: &BTreeMap<RuleId, Firing>) -> Self {
        let known = |rule: &Rule| firings.get(rule.id()).copied().unwrap_or_default();
        let mut set =
            Self { rules: playbook.rules().map(|r| (r.clone(), known(r))).collect(), fired: Fired::default() };
        set.fired = set.combined();
        set
    }
    /// Take over a new revision: a rule that says something else now has not fired yet.
    pub fn revise(&mut self, playbook: &Playbook) {
        let same = |a: &Rule, b: &Rule| a.words().when == b.words().when && a.words().action == b.words().action;
        let old = std::mem::take(&mut self.rules);
        let firing = |rule: &Rule| {
            let before = old.iter().find(|(o, _)| o.id() == rule.id() && same(o, rule));
            before.map_or_else(Firing::default, |(_, firing)| *firing)
        };
        self.rules = playbook.rules().map(|r| (r.clone(), firing(r))).collect();
        self.fired = self.combined();
    }
    /// What is known of the firing of every rule: goes into the checkpoint.
    #[must_use]
    pub fn firings(&self) -> BTreeMap<RuleId, Firing> {
        self.rules.iter().map(|(rule, firing)| (rule.id().clone(), *firing)).collect()
    }
    /// What is known of the firing of one rule.
    #[must_use]
    pub fn firing(&self, id: &RuleId) -> Option<Firing> {
        self.rules.iter().find(|(rule, _)| rule.id() == id).map(|(_, firing)| *firing)
    }
    /// Rules that the golem promoted and that never fired since.
    #[must_use]
    pub fn never_fired(&self) -> usize {
        self.rules.iter().filter(|(rule, firing)| !rule.is_owners() && firing.times == 0).count()
    }
    /// Ask the rules whose turn it is, and say what all that hold do together.
    pub fn fire(&mut self, seen: &Snapshot, turn: Tick) -> &Fired {
        let count = self.rules.len() as u64;
        let every = EVERY.max(count.div_ceil(MOST_ASKED));
        let mut moved = false;
        // Rule i is asked in turns that leave i on division by `every`: no more than MOST_ASKED in any turn.
        for i in (turn.0 % every..count).step_by(every as usize) {
            let Some((rule, firing)) = usize::try_from(i).ok().and_then(|i| self.rules.get_mut(i)) else { break };
            let holds = rule.words().when.evaluate(seen).holds();
            firing.asked = firing.asked.saturating_add(1);
            firing.held = firing.held.saturating_add(u32::from(holds));
            if holds {
                firing.times = firing.times.saturating_add(u32::from(!firing.holds));
                firing.last = Some(turn);
            }
            moved |= firing.holds != holds;
            firing.holds = holds;
        }
        if moved {
            self.fired = self.combined();
        }
        &self.fired
    }
    /// What the rules that hold do together, as of the last asking.
    #[must_use]
    pub fn now(&self) -> &Fired {
        &self.fired
    }
    /// Rules of the golem's own that hold nine turns in ten.
    pub fn settings(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|(rule, firing)| !rule.is_owners() && firing.is_a_setting()).map(|(rule, _)| rule)
    }
    /// What the others that hold would do together without this one.
    #[must_use]
    pub fn without(&self, out: &RuleId) -> Fired {
        self.combined_but(Some(out))
    }
    fn combined(&self) -> Fired {
        self.combined_but(None)
    }
    fn combined_but(&self, out: Option<&RuleId>) -> Fired {
        let mut all = Fired::default();
        let mut owners_risk = 1.0f64;
        // Of each family of the golem's own rules the strongest counts: they say one thing, with other bounds.
        let mut families: BTreeMap<ClaimFamily, &RuleAction> = BTreeMap::new();
        let counts = |(rule, firing): &&(Rule, Firing)| firing.holds && Some(rule.id()) != out;
        for (rule, _) in self.rules.iter().filter(counts) {
            all.ids.push(rule.id().clone());
            let action = &rule.words().action;
            match action {
                _ if !rule.is_owners() => {
                    let strongest = families.entry(ClaimFamily::of_rule(rule.words().when.source(), action));
                    strongest.and_modify(|so_far| *so_far = stronger(so_far, action)).or_insert(action);
                }
                RuleAction::Scale { parameter, factor } => *all.scale.entry(parameter.clone()).or_insert(1.0) *= factor,
                RuleAction::Risk { factor } => owners_risk *= factor,
                RuleAction::StandAside => all.stand_aside = true,
            }
        }
        for action in families.into_values() {
            match action {
                RuleAction::Scale { parameter, factor } => *all.scale.entry(parameter.clone()).or_insert(1.0) *= factor,
                RuleAction::Risk { factor } => all.risk *= factor.clamp(0.0, 1.0),
                RuleAction::StandAside => all.stand_aside = true,
            }
        }
        all.scale.values_mut().for_each(|x| *x = x.clamp(1.0 / MOST_FACTOR, MOST_FACTOR));
        all.risk = (all.risk * owners_risk).clamp(0.0, MOST_OWNERS_RISK);
        all
    }
}

/// Of two actions of one family the one that does more.
fn stronger<'a>(a: &'a RuleAction, b: &'a RuleAction) -> &'a RuleAction {
    let size = |action: &RuleAction| match action {
        RuleAction::Scale { factor, .. } | RuleAction::Risk { factor } => libm::log(factor.max(1e-9)).abs(),
        RuleAction::StandAside => f64::INFINITY,
    };
    if size(b) > size(a) { b } else { a }
}
