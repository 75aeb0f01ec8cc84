//! An owner's edit: what was done to the file since it was written, what of it is taken, and what is not and why.
//!
//! Nothing here changes a playbook: what comes out goes to the [`super::PlaybookWriter`].

use super::parse::{PlaybookReading, read};
use super::rule::RuleWords;
use super::{KeptSection, Playbook, PlaybookProblem, PlaybookSection, Rule, RuleId};
use crate::entry::Provenance;
use golem_core::VirtualTime;

/// What an owner did to a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnerChange {
    /// Wrote a new one.
    Added(Rule),
    /// Rewrote one.
    Changed {
        /// As it was.
        from: Box<Rule>,
        /// As it is.
        to: Box<Rule>,
    },
    /// Deleted one.
    Removed(Rule),
}

/// An edit that was understood, as far as it could be.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// What the owner did, every rule of it now the owner's.
    pub changes: Vec<OwnerChange>,
    /// What could not be taken, with the line in the changed text.
    pub problems: Vec<PlaybookProblem>,
    /// What the file said before.
    pub(super) base: Playbook,
    /// What it says now: the owner's order and words, with every rule that is in force.
    pub(super) wanted: Playbook,
}

impl Edit {
    /// True when the owner changed nothing that says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.base == self.wanted
    }
}

/// Understand what became of a written text. `parameters` are the keys that rules may scale.
///
/// # Errors
/// When one of the texts is no playbook any more; then nothing of it is taken and nothing may be written over it.
pub fn edit(written: &str, found: &str, parameters: &[&str], now: VirtualTime) -> Result<Edit, Vec<PlaybookProblem>> {
    let base = read(written, &[])?.playbook;
    let mut reading = read(found, parameters)?;
    if reading.playbook.golem != base.golem {
        let what = format!("the playbook belongs to {}, not to {}", reading.playbook.golem, base.golem);
        return Err(vec![PlaybookProblem::new(1, what, "restore the line \"- golem\"")]);
    }
    take_repairs(&base, &mut reading);
    let (mut changes, mut problems) = (Vec::new(), std::mem::take(&mut reading.problems));
    let mut sections = Vec::with_capacity(reading.playbook.sections.len());
    for section in std::mem::take(&mut reading.playbook.sections) {
        match section {
            PlaybookSection::Rule(rule) => {
                let line = reading.lines.get(rule.id()).copied().unwrap_or(1);
                sections.push(PlaybookSection::Rule(Box::new(attributed(
                    &base,
                    *rule,
                    line,
                    now,
                    &mut changes,
                    &mut problems,
                ))));
            }
            PlaybookSection::Kept(kept) => {
                // A rule that was made unreadable stays in force as it was, above the owner's words.
                let broken = base.rules().find(|old| {
                    !reading.lines.contains_key(old.id()) && spells(&kept, old.id()) && !listed(&sections, old.id())
                });
                sections.extend(broken.map(|old| PlaybookSection::Rule(Box::new(old.clone()))));
                sections.push(PlaybookSection::Kept(kept));
            }
        }
    }
    let gone = base.rules().filter(|old| !listed(&sections, old.id()));
    changes.extend(gone.map(|old| OwnerChange::Removed(old.clone())));
    problems.sort();
    let wanted = Playbook { sections, preamble: reading.playbook.preamble, ..base.clone() };
    Ok(Edit { changes, problems, base, wanted })
}

fn listed(sections: &[PlaybookSection], id: &RuleId) -> bool {
    sections.iter().filter_map(PlaybookSection::rule).any(|r| r.id() == id)
}

/// True when a kept section says that it is this rule.
fn spells(kept: &KeptSection, id: &RuleId) -> bool {
    kept.problem.is_some()
        && kept.text.lines().any(|l| l.strip_prefix("- id:").is_some_and(|v| v.trim() == id.as_str()))
}

/// A section that was out of force and reads well now takes the place of the rule with its id, if that one was left
/// alone.
fn take_repairs(base: &Playbook, reading: &mut PlaybookReading) {
    for (line, section, rule) in std::mem::take(&mut reading.spare) {
        let id = rule.id().clone();
        let alone = base.rule(&id).is_some() && base.rule(&id) == reading.playbook.rule(&id);
        if !alone || base.rule(&id) == Some(&rule) {
            continue;
        }
        let sections = &mut reading.playbook.sections;
        let Some(old) = sections.iter().position(|s| s.rule().is_some_and(|r| *r.id() == id)) else { continue };
        sections[section] = PlaybookSection::Kept(KeptSection { text: String::new(), problem: None });
        sections[old] = PlaybookSection::Rule(Box::new(rule));
        reading.lines.insert(id, line);
        reading.problems.retain(|p| p.line != line);
    }
    reading.playbook.sections.retain(|s| !matches!(s, PlaybookSection::Kept(kept) if kept.text.is_empty()));
}

/// A rule as it may stand: what is measured comes from the golem, the rest from the owner.
fn attributed(
    base: &Playbook,
    rule: Rule,
    line: usize,
    now: VirtualTime,
    changes: &mut Vec<OwnerChange>,
    problems: &mut Vec<PlaybookProblem>,
) -> Rule {
    let old = base.rule(rule.id());
    let claimed = rule.words().clone();
    let (validated, contradicted, episodes) = old.map_or((0, 0, 0), |o| {
        let w = o.words();
        (w.validated, w.contradicted, w.episodes)
    });
    let (source, since) = old.map_or((Provenance::Owner, now), |o| (o.words().source, o.words().since));
    let measured = RuleWords { validated, contradicted, episodes, source, since, ..claimed.clone() };
    let stated = old.is_some() || claimed.since != VirtualTime(0) || claimed.source != Provenance::Owner;
    if (old.is_some() || claimed.validated + claimed.contradicted > 0) && measured != claimed && stated {
        problems.push(PlaybookProblem::new(line, "evidence, source and since are measured", "they stay as they were"));
    }
    if old.is_some_and(|o| RuleWords { note: measured.note.clone(), ..o.words().clone() } == measured) {
        // A note below a rule does not make the rule the owner's.
        return Rule::new(measured).unwrap_or(rule);
    }
    let mut owners = RuleWords { source: Provenance::Owner, ..measured };
    if old.is_some_and(|o| o.words().when != owners.when || o.words().action != owners.action) {
        // Another rule under the same heading: what spoke for the old one does not speak for it.
        (owners.validated, owners.contradicted, owners.episodes, owners.since) = (0, 0, 0, now);
    }
    let taken = Rule::new(owners).unwrap_or(rule);
    changes.push(match old {
        None => OwnerChange::Added(taken.clone()),
        Some(old) => OwnerChange::Changed { from: Box::new(old.clone()), to: Box::new(taken.clone()) },
    });
    taken
}
