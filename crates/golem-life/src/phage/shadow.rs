//! Shadow execution: what a child would decide where its parent decides. Where the two differ they part, and what was really
//! done and what would have been are both kept, to be run on copies when the child's time is over.

use crate::life::Life;
use crate::scratch::{ShadowWish, Wished};
use golem_core::intent::Holdings;
use golem_core::observed::Expression;
use golem_core::{Intent, Receipt};
use golem_dreams::phage::{LivePhage, PhageHypothesis};
use golem_grimoire::playbook::RuleId;
use golem_grimoire::{EntryId, RuleAction};
use golem_mind::{Guidance, Permissions, Valuation};

impl Life {
    /// What each child that still waits would want here. To be asked before the decision is made.
    pub(crate) fn shadow_wishes(
        &self,
        guidance: &Guidance,
        of: (&Holdings, &Valuation),
        may: &Permissions,
    ) -> Vec<ShadowWish> {
        let Some(nest) = &self.state.phages else { return Vec::new() };
        let (now, policy) = (self.state.core.age, self.policy());
        let wish = |phage: &LivePhage| {
            let by = match &phage.hypothesis {
                PhageHypothesis::Parameter { .. } | PhageHypothesis::Contrary { .. } => return None,
                PhageHypothesis::WithoutRule { entry, .. } => {
                    let rule = RuleId::from(*entry);
                    guidance.rules.contains(&rule).then(|| self.guidance_without(guidance, &rule))?
                }
                PhageHypothesis::StagedRule { when, action, .. } => {
                    let when = Expression::compile(when).ok()?;
                    when.evaluate(&self.turn.known.snapshot).holds().then(|| guidance_with(guidance, action))?
                }
            };
            let rule = match &phage.hypothesis {
                PhageHypothesis::WithoutRule { entry, .. } => Some(*entry),
                _ => None,
            };
            let wanted = self.state.mind.would_want(now, of, may, &policy, &by);
            Some(ShadowWish { phage: phage.id, rule, wanted: acts(&wanted) })
        };
        nest.colony.alive().iter().filter(|p| p.waits()).filter_map(wish).collect()
    }

    /// The decision was made: whoever wanted something else is remembered until it is known what was really done.
    pub(crate) fn shadows_differ(&mut self, mut wishes: Vec<ShadowWish>, decided: &[Intent]) {
        let decided = acts(decided);
        wishes.retain(|wish| wish.wanted != decided);
        self.turn.shadows = wishes;
    }

    /// True while a child tries to do without the rule: it is held against its parent exactly, and the rule's twin would speak of
    /// the same stretch again.
    pub(crate) fn is_shadowed(&self, rule: EntryId) -> bool {
        let parted = self.state.phages.iter().flat_map(|nest| nest.colony.alive()).any(|p| p.does_without(rule));
        parted || self.turn.shadows.iter().any(|wish| wish.rule == Some(rule))
    }

    /// What was done is known: children part from their parent, or go on as it does.
    pub(crate) fn shadow_deeds(&mut self, wished: &[Wished], receipts: &[Receipt]) {
        let Some(nest) = &mut self.state.phages else { return };
        let done = wished.iter().zip(receipts).filter(|(w, r)| w.permit.is_some() && r.was_done());
        let done = acts(&done.map(|(_, receipt)| receipt.intent).collect::<Vec<_>>());
        let now = self.state.core.age;
        if !done.is_empty() {
            nest.colony.follow(now, &done);
        }
        let Some(point) = self.turn.point else { return };
        for wish in std::mem::take(&mut self.turn.shadows) {
            if wish.wanted != done {
                nest.colony.part(wish.phage, (point, now), &wish.wanted, &done);
            }
        }
        self.turn.done = done;
    }
}

/// What is done of what is wanted: holding is nothing.
fn acts(intents: &[Intent]) -> Vec<Intent> {
    intents.iter().copied().filter(|intent| *intent != Intent::Hold).collect()
}

/// The guidance as it would be with one more rule.
fn guidance_with(guidance: &Guidance, action: &RuleAction) -> Guidance {
    let mut with = guidance.clone();
    match action {
        RuleAction::Scale { parameter, factor } => *with.scale.entry(parameter.clone()).or_insert(1.0) *= factor,
        RuleAction::Risk { factor } => with.risk *= factor.clamp(0.0, 1.0),
        RuleAction::StandAside => with.stand_aside = true,
    }
    with
}
