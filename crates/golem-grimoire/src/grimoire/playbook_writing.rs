//! What becomes of wishes for the playbook: the one writer gets them with the evidence of the day, and rules that always hold
//! leave as proposals to the owner.

use super::Grimoire;
use crate::change::Change;
use crate::entry::{EntryId, Provenance};
use crate::playbook::{Amendment, Author, Revision, Rule, RuleId};
use crate::staging::PlaybookWish;
use crate::standing::EntryStatus;
use golem_core::VirtualTime;

impl Grimoire {
    /// Hand wishes to the one writer; the number of the revision that came of them.
    pub(super) fn amend(&mut self, wishes: &[PlaybookWish], now: VirtualTime) -> Option<u32> {
        let wanted: Vec<Amendment> = wishes
            .iter()
            .filter_map(|wish| match wish {
                PlaybookWish::Add(id) => {
                    let rule = self.shelf.entry(*id).and_then(|e| Rule::from_entry(e, now))?;
                    Some(Amendment::Put(Box::new(rule)))
                }
                PlaybookWish::Remove(id) => Some(Amendment::Remove(RuleId::from(*id))),
            })
            .chain(self.evidence())
            .collect();
        let is_dreamt = |wish: &PlaybookWish| match wish {
            PlaybookWish::Add(id) => self.shelf.entry(*id).is_some_and(|e| e.body.provenance == Provenance::Dream),
            PlaybookWish::Remove(_) => false,
        };
        let (revision, _) = match !wishes.is_empty() && wishes.iter().all(is_dreamt) {
            true => self.writer.consolidate(wanted),
            false => self.writer.curate(wanted),
        };
        self.publish(revision)
    }

    /// Rules that hold nine turns in ten leave the playbook: each is told in words, and wished out.
    pub(super) fn propose_settings(
        &mut self,
        mut wishes: Vec<PlaybookWish>,
        now: VirtualTime,
    ) -> (Vec<String>, Vec<PlaybookWish>) {
        let found: Vec<(Option<EntryId>, String)> =
            self.rules.settings().map(|rule| (rule.id().entry(), rule.in_words())).collect();
        let mut told = Vec::new();
        for (id, words) in found {
            let Some(id) = id else { continue };
            self.shelf.stand(id, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)));
            wishes.push(PlaybookWish::Remove(id));
            told.push(words);
        }
        (told, wishes)
    }

    /// What is known of the rules in the playbook by now.
    fn evidence(&self) -> Vec<Amendment> {
        let rules = self.writer.playbook().rules().filter(|rule| !rule.is_owners());
        let entries = rules.filter_map(|rule| Some((rule.id().clone(), self.shelf.entry(rule.id().entry()?)?)));
        let moved = entries.filter(|(id, e)| {
            self.writer.playbook().rule(id).is_some_and(|r| r.words().validated != e.standing.validated)
        });
        moved
            .map(|(id, e)| Amendment::Evidence {
                id,
                confidence_bp: e.standing.confidence_bp,
                validated: e.standing.validated,
                contradicted: e.standing.contradicted,
            })
            .collect()
    }

    /// Whether a dream brought the newest revision.
    #[must_use]
    pub fn is_revision_dreamt(&self) -> bool {
        self.writer.revised_by() == Some(Author::Dream)
    }

    pub(super) fn publish(&mut self, revision: Option<Revision>) -> Option<u32> {
        let revision = revision?;
        if let Change::Row { table, key, text, body } = revision.change {
            self.shelf.put_row(table, key, text, body);
        }
        self.rules.revise(self.writer.playbook());
        Some(revision.number)
    }
}
