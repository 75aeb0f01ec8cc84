//! Whom it owes: what acting by rules that somebody else learnt was worth beyond acting without them, rule by rule, by their twins.

use super::sentence;
use crate::life::Life;
use golem_core::GolemId;
use golem_grimoire::Grimoire;
use golem_grimoire::grimoire::{AttributedProfit, STRANGER, WorthByTwin};
use golem_grimoire::testament::{TestamentSections, TestamentSentence, TestamentSource};

/// The most that are told one by one; the testament has the figures of all.
const MOST: usize = 5;

impl Life {
    /// By who learnt them first; nothing for who lived by what it learnt itself.
    pub(crate) fn owed(&self) -> Vec<AttributedProfit> {
        self.grimoire.as_ref().map(Grimoire::attributed).unwrap_or_default()
    }

    /// Those that mattered most, among what it learnt where they paid, and among what was wrong where they cost. A draft does not have
    /// them: what they come to is known in the end alone.
    pub(super) fn tell_owed(&self, owed: &[AttributedProfit], sections: &mut TestamentSections) {
        let mut all: Vec<(GolemId, &WorthByTwin)> = Vec::new();
        for from in owed {
            all.extend(from.by_rule.iter().map(|rule| (from.learnt_by, rule)));
        }
        all.sort_by(|(_, a), (_, b)| b.bps.abs().total_cmp(&a.bps.abs()).then(a.rule.cmp(&b.rule)));
        for (learnt_by, worth) in all.into_iter().take(MOST) {
            let Some(said) = self.owed_to(learnt_by, worth) else { continue };
            let section = if worth.bps < 0.0 { &mut sections.got_wrong } else { &mut sections.learned };
            section.push(said);
        }
    }

    fn owed_to(&self, learnt_by: GolemId, worth: &WorthByTwin) -> Option<TestamentSentence> {
        let entry = self.grimoire.as_ref()?.shelf().entry(worth.rule)?;
        let text = format!(
            "{} I had this from {}; over {} acting by it was worth {:+.1} basis points of what I had, against a twin that did \
             without.",
            sentence(&entry.body.text),
            self.who_learnt(learnt_by),
            if worth.trials == 1 { "one trial".to_owned() } else { format!("{} trials", worth.trials) },
            worth.bps
        );
        Some(TestamentSentence::of(TestamentSource::Entry(worth.rule), &text))
    }

    /// Who learnt something, as the heir of a line speaks of it.
    fn who_learnt(&self, golem: GolemId) -> String {
        let birth = &self.genesis.birth;
        let is_of_line = || self.genesis.inheritance.as_ref().is_some_and(|own| own.lineage(birth).has(golem));
        match () {
            () if birth.parent == Some(golem) => "my parent".to_owned(),
            () if golem == STRANGER.golem => "a stranger".to_owned(),
            () if is_of_line() => "an ancestor of mine".to_owned(),
            () => format!("golem {golem}"),
        }
    }
}
