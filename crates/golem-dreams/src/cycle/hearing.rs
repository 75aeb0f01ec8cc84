//! What models say becomes findings only by how it is read: hypotheses that reality can check, lines of the journal, and
//! fewer episodes let go, fragments kept or thoughts surfaced than the rules alone would have it. What cannot be read leaves
//! everything as the rules left it.

use super::thinking::PlannedAsk;
use super::{DreamCycle, DreamRoom};
use crate::ask::{
    DreamQuestion, TriageSaid, read_counterfactual, read_creative, read_observer, read_onset, read_replay, read_return,
    read_threats,
};
use crate::config::DreamConfig;
use crate::fact::DreamFact;
use crate::imagine::creative::fresh;
use crate::imagine::{CreativeMode, ImaginedHypothesis};
use crate::journal::StrategyHypothesis;
use crate::liminal::{FragmentStatus, LiminalFragment, LucidVerdict, observe};
use crate::thoughts::AttestationReceipt;
use golem_core::model::{ModelAttempt, ModelTier};

/// What marks a question that searched the web: what it led to rests on strangers' words too.
const WITH_WEB: &str = "+web";
/// The tag of what strangers' words went into, and the one that leads to a receipt.
const WEB_TAG: &str = "web_search";
const RECEIPT_TAG: &str = "receipt/";
/// Characters of a hash in a tag.
const SHORT_HASH: usize = 16;

impl DreamCycle {
    /// What came of the question that was asked: words, or why there are none.
    pub fn heard(&mut self, room: &mut DreamRoom<'_, '_>, tier: ModelTier, said: Result<&str, &str>) {
        let (tokens, cost) = std::mem::take(&mut self.thinking.used);
        let Some(ask) = self.answered_ask() else { return };
        let (question, phase) = (ask.question.name().to_owned(), self.phase);
        let came = match said {
            Ok(text) => self.made_of(room, ask, text),
            Err(why) => Err(why.to_owned()),
        };
        self.thinking.receipt = None;
        self.journal.thoughts.asked += 1;
        let came = match came {
            Ok(came) => {
                self.journal.thoughts.answered += 1;
                came
            }
            Err(why) => {
                self.remark(&format!("{question} brought nothing: {why}"));
                format!("nothing: {why}")
            }
        };
        room.told.push(DreamFact::Asked { cycle_id: self.id(), phase, question, tier, tokens, cost, came });
    }

    /// What a provider attests, where the owner wants it kept.
    pub fn attested(&mut self, config: &DreamConfig, attempt: &ModelAttempt) {
        let Some(ask) = self.thinking.queue.front().filter(|_| config.provider.attestation) else { return };
        let ModelAttempt { provider, model, receipt, .. } = attempt;
        // Of several attempts the last one answered.
        self.thinking.receipt = None;
        if !receipt.is_empty() {
            let receipt = AttestationReceipt::new(ask.question.name(), provider, model, receipt);
            self.thinking.receipt = Some(receipt.hash);
            self.journal.thoughts.receipt(receipt);
        }
    }

    /// What was made of an answer, in words; why nothing was, where it cannot be read.
    fn made_of(&mut self, room: &mut DreamRoom<'_, '_>, ask: PlannedAsk, text: &str) -> Result<String, String> {
        let params = &room.rules.imagination;
        match ask.question {
            DreamQuestion::Replay => self.heard_replay(&ask, text),
            DreamQuestion::Counterfactual => {
                let lessons = read_counterfactual(text, &ask.episodes, params);
                lessons.iter().for_each(|l| self.journal.thoughts.lesson(&l.lesson));
                let made = lessons.iter().filter_map(|l| l.hypothesis.clone()).collect();
                some(lessons.len(), "lesson")?;
                Ok(format!("{}, {}", count(lessons.len(), "lesson"), self.keep_said(room, &ask, made)))
            }
            DreamQuestion::Creative => {
                let ideas = read_creative(text, ask.mode.unwrap_or(CreativeMode::Combinational), params);
                for idea in ideas.iter().filter(|i| !i.fails_when.is_empty()) {
                    self.journal.thoughts.lesson(&format!("{} Fails: {}", idea.hypothesis.said.text, idea.fails_when));
                }
                some(ideas.len(), "idea that reality can check")?;
                Ok(self.keep_said(room, &ask, ideas.into_iter().map(|i| i.hypothesis).collect()))
            }
            DreamQuestion::Threats => {
                let guards = read_threats(text, params);
                some(guards.len(), "guard that speaks early")?;
                Ok(self.keep_said(room, &ask, guards.into_iter().map(|g| g.hypothesis).collect()))
            }
            DreamQuestion::Onset => self.heard_thought(room, ask, text),
            DreamQuestion::Observer => {
                let Some(mut fragment) = ask.fragment else { return Err("there is no thought to it".to_owned()) };
                let said = read_observer(text).ok_or("it cannot be read")?;
                fragment.novelty_score = fragment.novelty_score.min(said.novelty);
                if !said.keep || fragment.novelty_score <= room.rules.onset.novelty_floor {
                    return Ok("a thought that is let go".to_owned());
                }
                self.keep_fragment(*fragment);
                Ok("a thought that is kept".to_owned())
            }
            DreamQuestion::Return => {
                let said = read_return(text, self.findings.fragments.len());
                if said.verdicts.is_empty() && said.line.is_empty() {
                    return Err("it cannot be read".to_owned());
                }
                let many = said.verdicts.len();
                self.thinking.verdicts = said.verdicts;
                self.journal.thoughts.line = Some(said.line).filter(|line| !line.is_empty());
                Ok(count(many, "verdict"))
            }
        }
    }

    /// Patterns are for the journal. Of what becomes of an episode a model may say only that more of it is kept than the
    /// rules would: what they keep stays.
    fn heard_replay(&mut self, ask: &PlannedAsk, text: &str) -> Result<String, String> {
        let said = read_replay(text, &ask.episodes);
        if said.patterns.is_empty() && said.triage.is_empty() {
            return Err("it cannot be read".to_owned());
        }
        said.patterns.iter().for_each(|p| self.journal.thoughts.pattern(p));
        let (counted, due) = (&mut self.journal.phase1_summary.triage_decisions, &mut self.thinking);
        let mut kept = 0;
        for (id, verdict) in said.triage {
            let gone = due.forgotten.iter().position(|e| *e == id);
            let in_words = due.abstracted.iter().position(|e| *e == id);
            match (verdict, gone, in_words) {
                (TriageSaid::Preserve, Some(at), _) => {
                    due.forgotten.remove(at);
                    (counted.forget, counted.preserve) = (counted.forget.saturating_sub(1), counted.preserve + 1);
                }
                (TriageSaid::Preserve, None, Some(at)) => {
                    due.abstracted.remove(at);
                    counted.r#abstract = counted.r#abstract.saturating_sub(1);
                    counted.preserve += 1;
                }
                (TriageSaid::Abstract, Some(at), _) => {
                    due.abstracted.push(due.forgotten.remove(at));
                    (counted.forget, counted.r#abstract) = (counted.forget.saturating_sub(1), counted.r#abstract + 1);
                }
                _ => continue,
            }
            kept += 1;
        }
        Ok(format!("{}, {} kept that would have gone", count(said.patterns.len(), "pattern"), count(kept, "episode")))
    }

    /// A half-finished thought in place of the one that the rules drew, if it is new; then somebody looks at it.
    fn heard_thought(&mut self, room: &DreamRoom<'_, '_>, ask: PlannedAsk, text: &str) -> Result<String, String> {
        let params = &room.rules.onset;
        let thought = read_onset(text, params.partial_tokens).ok_or("it said nothing")?;
        let Some(mut fragment) = ask.fragment else { return Err("there is no place for it".to_owned()) };
        fragment.content = thought;
        let nearest = room.desk.nearest(&fragment.content);
        observe(&mut fragment, params, nearest);
        if fragment.status != FragmentStatus::SelectedForRem {
            return Ok("a thought that it knows".to_owned());
        }
        let known = room.desk.shelf().in_use().take(6).map(|e| format!("it knows: {}", e.body.text));
        let shown = std::iter::once(format!("the thought: {}", fragment.content)).chain(known).collect();
        self.ask_next(PlannedAsk { fragment: Some(fragment), ..PlannedAsk::new(DreamQuestion::Observer, shown) });
        Ok("a thought".to_owned())
    }

    /// It takes the place of what the rules drew there.
    fn keep_fragment(&mut self, fragment: LiminalFragment) {
        let pool = &mut self.findings.fragments;
        match pool.iter_mut().find(|f| f.id == fragment.id) {
            Some(place) => *place = fragment,
            None => pool.push(fragment),
        }
        self.journal.onset.kept = u32::try_from(pool.len()).unwrap_or(u32::MAX);
    }

    /// Hypotheses of a model, without those that mean the same as something that is known, staged or found in this cycle.
    fn keep_said(&mut self, room: &mut DreamRoom<'_, '_>, ask: &PlannedAsk, made: Vec<ImaginedHypothesis>) -> String {
        let params = &room.rules.imagination;
        let (many, desk) = (made.len(), &*room.desk);
        let mut kept = fresh(made, params, |text| desk.nearest(text));
        let found = &self.findings.hypotheses;
        let is_known = |one: &ImaginedHypothesis| {
            let same = |k: &ImaginedHypothesis| k.claim == one.claim && k.action == one.action;
            found.iter().any(|k| same(k) || desk.alike(&k.said.text, &one.said.text) > params.same_above)
        };
        kept.retain(|one| !is_known(one));
        let web = if self.searches_the_web(room.config) { WITH_WEB } else { "" };
        // What was attested is of this answer: the receipt came with it.
        for one in &mut kept {
            one.said.asked = Some(format!("{}{web}", ask.question.name()));
            one.said.receipt = self.thinking.receipt;
        }
        let new = kept.len();
        self.keep_hypotheses(room, kept);
        format!("{new} of {}", count(many, "hypothesis"))
    }

    /// Tags of what an answer led to: strangers' words that went into it, and where its receipt is.
    pub(super) fn tags_of_answer(&self, said: &StrategyHypothesis) -> Vec<String> {
        let Some(asked) = &said.asked else { return Vec::new() };
        let searched = asked.ends_with(WITH_WEB);
        let receipt = said.receipt.map(|hash| format!("{RECEIPT_TAG}{:.SHORT_HASH$}", hash.to_string()));
        searched.then(|| WEB_TAG.to_owned()).into_iter().chain(receipt).collect()
    }

    /// The rules' verdicts with a model's: it may only say of a thought that it is worth less.
    pub(super) fn with_what_was_said(&mut self, mut verdicts: Vec<LucidVerdict>) -> Vec<LucidVerdict> {
        for (number, said) in std::mem::take(&mut self.thinking.verdicts) {
            if let Some(verdict) = verdicts.get_mut(number) {
                *verdict = (*verdict).max(said);
            }
        }
        verdicts
    }
}

fn some(many: usize, what: &str) -> Result<(), String> {
    if many > 0 { Ok(()) } else { Err(format!("there is no {what} in it")) }
}

fn count(many: usize, what: &str) -> String {
    match (many, what) {
        (1, _) => format!("1 {what}"),
        (_, "hypothesis") => format!("{many} hypotheses"),
        _ => format!("{many} {what}s"),
    }
}

#[cfg(test)]
mod tests;
