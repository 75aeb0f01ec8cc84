//! What a successor is advised: by rules over what is on record, and only where a record asks for it.

use super::beliefs::{is_idle, of_entry};
use crate::life::Life;
use golem_core::Elapsed;
use golem_core::plain;
use golem_grimoire::testament::{
    ConfigAdvice, HeirPriority, PlaybookAdvice, PriorityWeight, RuleFate, StaleHeuristic, SuccessorRecommendations,
    TestamentSentence, TestamentSource,
};
use golem_grimoire::{Entry, EntryKind};
use golem_mortality::economic::Purpose;
use golem_mortality::{Death, DeathCause};

/// A rule is advised to be kept from so many confirmations on.
const PROVEN: u32 = 3;
/// Advice of a kind, at most.
const MOST: usize = 8;
/// Less trust than this, and nothing borne out for so long, is stale.
const FAINT: f64 = 0.2;
const LONG: Elapsed = Elapsed::secs(7 * 86_400);
/// Fewer trades than this say nothing about their costs.
const ENOUGH_TRADES: u64 = 10;

impl Life {
    pub(super) fn recommendations(&self, death: &Death) -> SuccessorRecommendations {
        SuccessorRecommendations {
            config: self.settings_advice(death),
            playbook: self.rules_advice(),
            stale_heuristics: self.stale(),
            priorities: self.priorities(death),
        }
    }

    fn settings_advice(&self, death: &Death) -> Vec<ConfigAdvice> {
        let (core, ledger, settings) = (&self.state.core, &self.state.ledger, &self.genesis.settings);
        let mut all = self.tuned_advice();
        let mut advise = |key: &str, was: String, to: String, text: String, source: TestamentSource| {
            if was != to {
                let because = TestamentSentence::of(source, &text);
                all.push(ConfigAdvice { key: key.to_owned(), was, to, because });
            }
        };
        if core.loss > core.profit && matches!(death.cause, DeathCause::Economic { .. }) {
            let was = settings.cage.max_exposure_bps;
            let text = format!("Losses of {} USDC against profits of {} helped to kill me.", core.loss, core.profit);
            advise("cage.max_exposure_bps", was.to_string(), (was * 3 / 4).max(1).to_string(), text, self.whole_life());
        }
        let gas = ledger.by_purpose[Purpose::Gas.index()];
        if core.trades >= ENOUGH_TRADES && gas > core.profit {
            let was = settings.policy.cooldown_ticks;
            let text =
                format!("Gas of {gas} USDC for {} acts was more than all profits of {}.", core.trades, core.profit);
            advise(
                "policy.cooldown_ticks",
                was.to_string(),
                (was.max(1) * 2).min(10_000).to_string(),
                text,
                self.whole_life(),
            );
        }
        if let DeathCause::EpistemicSenescence { ticks_in_senescence, final_fitness, .. } = &death.cause {
            let was = settings.mind.memory_days;
            let text = format!(
                "With {was} days of memory I was senescent for {ticks_in_senescence} ticks and ended at a fitness of \
                 {final_fitness:.3}; I never tried another."
            );
            advise(
                "mind.memory_days",
                was.to_string(),
                (was / 2).max(1).to_string(),
                text,
                TestamentSource::Turn(death.tick),
            );
        }
        all
    }

    /// Parameters that dreams have moved, and that stayed moved: an heir begins where they ended.
    fn tuned_advice(&self) -> Vec<ConfigAdvice> {
        let (was, is) = (plain::value(&self.genesis.settings.policy), plain::value(self.policy.as_ref()));
        let mut all = Vec::new();
        let mut moved = |key: String, was: &serde_json::Value, is: &serde_json::Value| {
            if was != is && !was.is_object() {
                let (was, is) = (spelled(was), spelled(is));
                let text = format!(
                    "Dreams moved {key} from {was} to {is}, by what their runs on copies of the chain brought."
                );
                let because = TestamentSentence::of(self.whole_life(), &text);
                all.push(ConfigAdvice { key, was, to: is, because });
            }
        };
        for (key, was) in was.as_object().into_iter().flatten() {
            let Some(is) = is.get(key) else { continue };
            moved(format!("policy.{key}"), was, is);
            for (inner, was) in was.as_object().into_iter().flatten() {
                if let Some(is) = is.get(inner) {
                    moved(format!("policy.{key}.{inner}"), was, is);
                }
            }
        }
        all
    }

    fn rules_advice(&self) -> Vec<PlaybookAdvice> {
        let Some(grimoire) = &self.grimoire else { return Vec::new() };
        let mut all = Vec::new();
        for rule in grimoire.playbook().rules() {
            let words = rule.words();
            let change = match (words.validated, words.contradicted) {
                (yes, no) if no > yes => RuleFate::Retire,
                (yes, no) if yes >= PROVEN && yes > no => RuleFate::Keep,
                _ if is_idle(grimoire, rule.id()) => RuleFate::Test,
                _ => continue,
            };
            let text = format!(
                "\"{}\" came true {} times and failed {} in my life.",
                words.title, words.validated, words.contradicted
            );
            let because = TestamentSentence::of(TestamentSource::Rule(rule.id().clone()), &text);
            all.push(PlaybookAdvice { rule: rule.id().clone(), change, because });
        }
        all.truncate(4 * MOST);
        all
    }

    fn stale(&self) -> Vec<StaleHeuristic> {
        let now = self.state.core.age;
        let Some(grimoire) = &self.grimoire else { return Vec::new() };
        let is_stale = |e: &&Entry| {
            let standing = &e.standing;
            let faded = e.effective(now) < FAINT && now.since(standing.last_validated) >= LONG;
            let rule = matches!(e.body.kind, EntryKind::Heuristic | EntryKind::Insight) && !e.body.is_question;
            rule && (standing.contradicted > standing.validated || faded)
        };
        let stale = grimoire.shelf().active().filter(is_stale).take(MOST);
        stale.map(|e| StaleHeuristic { entry: e.id, because: of_entry(e, "No longer: ", now) }).collect()
    }

    fn priorities(&self, death: &Death) -> Vec<HeirPriority> {
        let mut all = Vec::new();
        let mut first = |weight, what| all.push(HeirPriority { weight, what });
        match &death.cause {
            DeathCause::Economic { .. } => first(PriorityWeight::Critical, self.where_money_went()),
            DeathCause::EpistemicSenescence { failing_domains, .. } if !failing_domains.is_empty() => {
                let text = format!("Find out what changed in: {}.", failing_domains.join(", "));
                first(PriorityWeight::Critical, TestamentSentence::of(TestamentSource::Turn(death.tick), &text));
            }
            _ => {}
        }
        if let Some(bed) = &self.state.deathbed {
            for left in &bed.settlement.failed {
                let text = format!("{} worth {} USDC stayed open: {}.", left.what.name(), left.worth, left.why);
                first(
                    PriorityWeight::Critical,
                    TestamentSentence::of(TestamentSource::Turn(self.state.core.tick), &text),
                );
            }
        }
        for question in self.open_questions().into_iter().take(3) {
            first(PriorityWeight::Important, question);
        }
        for guess in self.what_is_suspected().into_iter().take(2) {
            first(PriorityWeight::NiceToHave, guess);
        }
        all
    }
}

/// A setting as an owner would write it: what arithmetic leaves in the last digits is nobody's wish.
fn spelled(value: &serde_json::Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(x) => format!("{:?}", libm::round(x * 1e6) / 1e6),
        None => value.to_string(),
    }
}

/// The changes as sentences of their own.
pub(super) fn as_changes(advice: &SuccessorRecommendations) -> Vec<TestamentSentence> {
    let say = |a: &ConfigAdvice| {
        let text = format!("I would set {} to {} in place of {}. {}", a.key, a.to, a.was, a.because.text());
        let mut sources = a.because.rests_on().iter().cloned();
        let first = sources.next().map(|source| TestamentSentence::of(source, &text))?;
        Some(sources.fold(first, TestamentSentence::and))
    };
    advice.config.iter().filter_map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_spelled_as_an_owner_would() {
        let all = [0.329_999_999_999_999_96, 2.0, 1.5e-3].map(|x| spelled(&serde_json::json!(x)));
        assert_eq!(all, ["0.33", "2.0", "0.0015"]);
        assert_eq!([spelled(&serde_json::json!(90)), spelled(&serde_json::json!("0.50"))], ["90", "\"0.50\""]);
    }
}
