//! What a deliberation comes to: a stance that narrows what the policy may do, or a wish that the policy's own desk makes.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::{DecisionGrounds, Thinking};
use crate::step::Step;
use golem_daimon::affect::ModelAppraisal;
use golem_daimon::suffering::ActivityDomain;
use golem_grimoire::EntryId;
use golem_mind::cache::Stance;
use golem_mind::deliberate::ModelVerdict;
use golem_mind::policy::{Act, Because};

/// A wish for an action that opens needs at least this confidence.
const SURE: f64 = 0.5;

/// What a deliberation came to.
enum Conclusion {
    Stance(Stance),
    Wish(Act, f64),
}

impl Life {
    pub(super) fn by_verdict(&mut self, thinking: Thinking, verdict: ModelVerdict) -> Step {
        let ModelVerdict { stance, confidence, reason, used, answer, assessment, appraisal } = verdict;
        self.turn.felt.assessment = assessment;
        self.turn.felt.appraisal = appraisal.and_then(|said| ModelAppraisal::read(&said).ok());
        let used = self.credit(&thinking, &used);
        let snapshot = self.turn.known.snapshot.clone();
        let rules: Vec<_> =
            thinking.grounds.guidance.rules.iter().cloned().chain(used.iter().map(|id| (*id).into())).collect();
        self.with_place(&snapshot, |cache, place| cache.note(place, stance, &rules));
        self.answer_owner(answer);
        self.deliberated(&thinking, Conclusion::Stance(stance), confidence, reason);
        Step::Wishes(self.wishes(thinking.grounds, stance))
    }

    pub(super) fn by_wish(&mut self, thinking: Thinking) -> Step {
        let Some(wish) = thinking.committed.clone() else { return self.by_rules(thinking.grounds) };
        let now = self.state.core.age;
        let DecisionGrounds { guidance, may, holdings, value } = &thinking.grounds;
        let policy = self.policy();
        let opens = match wish.act {
            Act::Buy => Some(ActivityDomain::Swap),
            Act::Add => Some(ActivityDomain::Liquidity),
            _ => None,
        };
        // Where it was hurt before, it must be surer.
        let wary = opens.and_then(|domain| self.anticipated(domain)).map_or(0.0, |a| a.caution.confidence_raise);
        let sure = opens.is_none() || wish.confidence >= SURE + wary;
        let intents = if sure {
            self.state.mind.propose((holdings, value), may, &policy, guidance, (wish.act, wish.share))
        } else {
            Vec::new()
        };
        self.turn.valued = *value;
        self.state.mind.commit(now, &intents, value);
        self.turn.because = vec![Because::Wished; intents.len()];
        self.turn.rules.clone_from(&guidance.rules);
        self.deliberated(&thinking, Conclusion::Wish(wish.act, wish.share), wish.confidence, wish.reason);
        Step::Wishes(intents)
    }

    /// Credit flows to what the model says decided it, as far as it was shown to it.
    fn credit(&mut self, thinking: &Thinking, named: &[String]) -> Vec<EntryId> {
        let is_named = |id: &EntryId| {
            let id = id.to_string();
            named.iter().any(|n| n.len() >= 6 && id.starts_with(n.as_str()))
        };
        let used: Vec<EntryId> = thinking.shown.iter().copied().filter(is_named).collect();
        let entries = &mut self.turn.known.used.entries;
        entries.extend(used.iter().copied().filter(|id| !entries.contains(id)).collect::<Vec<_>>());
        used
    }

    /// The model's words to the owner go out with the condition of the golem.
    fn answer_owner(&mut self, answer: Option<String>) {
        if !self.turn.told.is_empty() {
            self.turn.spoken = answer;
        }
    }

    fn deliberated(&mut self, thinking: &Thinking, came: Conclusion, confidence: f64, reason: String) {
        self.turn.tier = thinking.tier as u8 + 1;
        let (stance, wish) = match came {
            Conclusion::Stance(stance) => (Some(stance), None),
            Conclusion::Wish(act, share) => (None, Some((act, share))),
        };
        let context = self.state.context.hash();
        let (tier, rounds, tokens, cost) = (thinking.tier, thinking.rounds, thinking.tokens, thinking.cost);
        self.tell(LifeFact::Deliberated { tier, rounds, tokens, cost, stance, wish, confidence, reason, context });
    }
}
