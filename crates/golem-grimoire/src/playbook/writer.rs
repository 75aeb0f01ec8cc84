//! The one writer: every revision of a playbook is made here, whoever asked for it.
//!
//! It is not `Clone` and gives no mutable access: whoever wants a rule changed hands it an [`Amendment`] or an [`Edit`]
//! and gets a [`Revision`], which is what is stored and written to PLAYBOOK.md.

use super::{
    Diff, Edit, MAX_RULES, MAX_STRUCK, OwnerChange, Playbook, PlaybookSection, Rule, RuleId, RuleWords, diff, render,
};
use crate::change::{Change, NamedTable};
use crate::entry::RuleAction;
use crate::family::ClaimFamily;
use golem_core::plain;
use golem_core::{GolemId, Name};
use serde::{Deserialize, Serialize};

/// Who made a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The curator, with what it promoted.
    Curator,
    /// A dream, with what waking life confirmed.
    Dream,
    /// The owner, with an edit of the file.
    Owner,
}

/// One change that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Amendment {
    /// Put a rule in, or in the place of the one with its id.
    Put(Box<Rule>),
    /// Take a rule out.
    Remove(RuleId),
    /// Bring a rule's evidence up to date.
    Evidence {
        /// Which.
        id: RuleId,
        /// How sure, in basis points.
        confidence_bp: u16,
        /// How often reality confirmed it.
        validated: u32,
        /// How often reality contradicted it.
        contradicted: u32,
    },
}

/// Why a change was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteRefusal {
    /// The owner wrote it; only the owner changes it.
    #[error("the rule is the owner's")]
    Owners,
    /// The owner struck it out.
    #[error("the owner struck the rule out")]
    Struck,
    /// There is no such rule.
    #[error("there is no such rule")]
    Unknown,
    /// It says what another rule says.
    #[error("another rule says the same")]
    Duplicate,
    /// There are too many rules, all of them surer.
    #[error("the playbook is full of surer rules")]
    Full,
    /// Only an owner's rule can raise risk.
    #[error("only an owner's rule can raise risk")]
    RaisesRisk,
}

/// A revision that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// Its number.
    pub number: u32,
    /// Who made it.
    pub by: Author,
    /// The whole file.
    pub text: String,
    /// What it changed.
    pub diff: Diff,
    /// The row for the golem's file.
    pub change: Change,
}

/// The one writer of a golem's playbook.
#[derive(Debug, PartialEq)]
pub struct PlaybookWriter {
    playbook: Playbook,
    /// Who made the newest revision since this process began.
    revised_by: Option<Author>,
}

impl PlaybookWriter {
    /// The key under which revisions are stored: the newest holds.
    pub const KEY: &'static str = "playbook";

    /// The writer of a golem that has no playbook yet.
    #[must_use]
    pub fn new(name: Name, golem: GolemId) -> Self {
        Self { playbook: Playbook::empty(name, golem), revised_by: None }
    }
    /// The writer of a golem whose last revision is stored, from the body of its row.
    ///
    /// # Errors
    /// When the body is damaged.
    pub fn restore(body: &str) -> Result<Self, serde_json::Error> {
        Ok(Self { playbook: serde_json::from_str(body)?, revised_by: None })
    }
    /// The newest revision.
    #[must_use]
    pub fn playbook(&self) -> &Playbook {
        &self.playbook
    }
    /// Who made the newest revision, if it was made since this process began.
    #[must_use]
    pub fn revised_by(&self) -> Option<Author> {
        self.revised_by
    }
    /// The file as it should be.
    #[must_use]
    pub fn text(&self) -> String {
        render(&self.playbook)
    }
    /// The curator's changes: the next revision of all that can be made, none when nothing changes; what was refused
    /// comes back with the reason.
    pub fn curate(&mut self, wanted: Vec<Amendment>) -> (Option<Revision>, Vec<(Amendment, WriteRefusal)>) {
        self.revise(Author::Curator, wanted)
    }
    /// A dream's changes, once waking life has confirmed them; as for the curator.
    pub fn consolidate(&mut self, wanted: Vec<Amendment>) -> (Option<Revision>, Vec<(Amendment, WriteRefusal)>) {
        self.revise(Author::Dream, wanted)
    }
    fn revise(&mut self, by: Author, wanted: Vec<Amendment>) -> (Option<Revision>, Vec<(Amendment, WriteRefusal)>) {
        let (mut next, mut refused) = (self.playbook.clone(), Vec::new());
        for amendment in wanted {
            if let Err(why) = apply(&mut next, &amendment) {
                refused.push((amendment, why));
            }
        }
        (self.publish(by, next), refused)
    }
    /// Take what an owner did to the file. Rules that came or went since that file was written stay as they are now.
    pub fn accept(&mut self, edit: Edit) -> Option<Revision> {
        let Edit { changes, base, wanted, .. } = edit;
        let now = self.playbook.clone();
        let mut next = Playbook { preamble: wanted.preamble, sections: Vec::new(), ..now.clone() };
        let by_owner = |id: &RuleId| {
            changes.iter().any(|c| match c {
                OwnerChange::Added(rule) => rule.id() == id,
                OwnerChange::Changed { to, .. } => to.id() == id,
                OwnerChange::Removed(_) => false,
            })
        };
        for section in wanted.sections {
            match section {
                PlaybookSection::Rule(rule) if !by_owner(rule.id()) => {
                    let noted = |r: &Rule| RuleWords { note: rule.words().note.clone(), ..r.words().clone() };
                    let current = now.rule(rule.id()).and_then(|r| Rule::new(noted(r)).ok());
                    next.sections.extend(current.map(|r| PlaybookSection::Rule(Box::new(r))));
                }
                section => next.sections.push(section),
            }
        }
        let newer = now.rules().filter(|r| base.rule(r.id()).is_none() && next.rule(r.id()).is_none());
        let newer: Vec<_> = newer.map(|r| PlaybookSection::Rule(Box::new(r.clone()))).collect();
        next.sections.extend(newer);
        for change in &changes {
            match change {
                OwnerChange::Added(rule) => next.struck.retain(|id| id != rule.id()),
                OwnerChange::Changed { .. } => (),
                OwnerChange::Removed(rule) => {
                    next.struck.retain(|id| id != rule.id());
                    next.struck.push(rule.id().clone());
                }
            }
        }
        let excess = next.struck.len().saturating_sub(MAX_STRUCK);
        next.struck.drain(..excess);
        self.publish(Author::Owner, next)
    }
    fn publish(&mut self, by: Author, mut next: Playbook) -> Option<Revision> {
        if next == self.playbook {
            return None;
        }
        next.revision = next.revision.saturating_add(1);
        let (diff, text) = (diff(&self.playbook, &next), render(&next));
        let body = plain::json(&next);
        let change = Change::Row { table: NamedTable::Playbook, key: Self::KEY.to_owned(), text: text.clone(), body };
        self.playbook = next;
        self.revised_by = Some(by);
        Some(Revision { number: self.playbook.revision, by, text, diff, change })
    }
}

fn apply(next: &mut Playbook, amendment: &Amendment) -> Result<(), WriteRefusal> {
    let at = |playbook: &Playbook, id: &RuleId| position(playbook, id);
    match amendment {
        Amendment::Put(rule) => put(next, rule, at(next, rule.id())),
        Amendment::Remove(id) => {
            let at = at(next, id).ok_or(WriteRefusal::Unknown)?;
            if next.sections[at].rule().is_some_and(Rule::is_owners) {
                return Err(WriteRefusal::Owners);
            }
            next.sections.remove(at);
            Ok(())
        }
        Amendment::Evidence { id, confidence_bp, validated, contradicted } => {
            let at = at(next, id).ok_or(WriteRefusal::Unknown)?;
            let Some(rule) = next.sections[at].rule() else { return Err(WriteRefusal::Unknown) };
            let mut words = rule.words().clone();
            // How sure an owner is of a rule is the owner's to say; what reality said of it is not.
            words.confidence_bp = if rule.is_owners() { words.confidence_bp } else { *confidence_bp };
            (words.validated, words.contradicted) = (*validated, *contradicted);
            if let Ok(rule) = Rule::new(words) {
                next.sections[at] = PlaybookSection::Rule(Box::new(rule));
            }
            Ok(())
        }
    }
}

fn position(playbook: &Playbook, id: &RuleId) -> Option<usize> {
    playbook.sections.iter().position(|s| s.rule().is_some_and(|r| r.id() == id))
}

fn put(next: &mut Playbook, rule: &Rule, at: Option<usize>) -> Result<(), WriteRefusal> {
    if rule.is_owners() {
        // Nobody else speaks for the owner.
        return Err(WriteRefusal::Owners);
    }
    if matches!(rule.words().action, RuleAction::Risk { factor } if factor > 1.0) {
        return Err(WriteRefusal::RaisesRisk);
    }
    if next.struck.contains(rule.id()) {
        return Err(WriteRefusal::Struck);
    }
    let same = |r: &Rule| r.words().when == rule.words().when && r.words().action == rule.words().action;
    if next.rules().any(|r| r.id() != rule.id() && same(r)) {
        return Err(WriteRefusal::Duplicate);
    }
    // One of a family: a surer one takes the place, a less sure one finds it taken. An owner may have as many as wanted.
    let family = |r: &Rule| ClaimFamily::of_rule(r.words().when.source(), &r.words().action);
    let kin = next.rules().find(|r| !r.is_owners() && r.id() != rule.id() && family(r) == family(rule));
    if let Some((id, sure)) = kin.map(|r| (r.id().clone(), r.words().confidence_bp)) {
        if sure >= rule.words().confidence_bp {
            return Err(WriteRefusal::Duplicate);
        }
        next.sections.retain(|s| s.rule().is_none_or(|r| *r.id() != id));
    }
    let at = at.and_then(|_| position(next, rule.id()));
    if let Some(at) = at {
        let old = next.sections[at].rule();
        if old.is_some_and(Rule::is_owners) {
            return Err(WriteRefusal::Owners);
        }
        // Words that somebody wrote below the rule stay below it.
        let note = old.map_or_else(String::new, |r| r.words().note.clone());
        let mut words = rule.words().clone();
        words.note = if words.note.is_empty() { note } else { words.note };
        next.sections[at] = PlaybookSection::Rule(Box::new(Rule::new(words).unwrap_or_else(|_| rule.clone())));
        return Ok(());
    }
    if next.rules().count() >= MAX_RULES {
        let weakest = next.rules().filter(|r| !r.is_owners()).map(|r| (r.words().confidence_bp, r.id().clone())).min();
        let (least, id) = weakest.ok_or(WriteRefusal::Full)?;
        if least >= rule.words().confidence_bp {
            return Err(WriteRefusal::Full);
        }
        next.sections.retain(|s| s.rule().is_none_or(|r| *r.id() != id));
    }
    next.sections.push(PlaybookSection::Rule(Box::new(rule.clone())));
    Ok(())
}
