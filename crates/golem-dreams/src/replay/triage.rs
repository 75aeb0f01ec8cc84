//! Triage: what becomes of a replayed episode (Stickgold and Walker 2013). Kept as it is, kept as a rule, or let go.
//!
//! In this order: what proved true and is still of use is preserved; what a rule was made of, or what is one of many of
//! its kind, is abstracted; what is of no use and spoke for something that did not hold, or was replayed often and
//! never brought anything, is forgotten. The rest waits for another night. Firmer memory of what was replayed is the
//! grimoire's doing.

use super::known::{ReplayKnown, ended};
use super::rules::ReplayRules;
use super::select::ChosenEpisode;
use super::utility::{LivedEpisode, WeighedEpisode};
use crate::journal::TriageDecisions;
use golem_grimoire::{EpisodeId, Importance};
use std::collections::BTreeSet;

/// What becomes of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TriageVerdict {
    Preserve,
    Abstract,
    Forget,
    /// Nobody can say yet.
    Wait,
}

/// What this cycle found, as far as triage must know it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriageFound {
    /// Episodes of patterns and proposals of this cycle.
    pub in_patterns: BTreeSet<EpisodeId>,
    /// Episodes of acts that turned out fragile, or that were credited: they brought something.
    pub brought_something: BTreeSet<EpisodeId>,
}

/// What becomes of each chosen episode, in their order. `episodes` is all that is remembered.
#[must_use]
pub fn sort(
    rules: &ReplayRules,
    known: &ReplayKnown,
    found: &TriageFound,
    chosen: &[ChosenEpisode<'_>],
    episodes: &[LivedEpisode<'_>],
) -> Vec<(EpisodeId, TriageVerdict)> {
    let verdict = |of: &WeighedEpisode<'_>| {
        let id = of.episode.id;
        let (validated, is_rule) = (known.validated.contains(&id), is_rule(rules, known, found, of, episodes));
        if validated && of.utility >= rules.preserve_from {
            TriageVerdict::Preserve
        } else if is_rule {
            TriageVerdict::Abstract
        } else if !validated && can_go(rules, known, found, of) {
            TriageVerdict::Forget
        } else {
            TriageVerdict::Wait
        }
    };
    chosen.iter().map(|c| (c.of.episode.id, verdict(&c.of))).collect()
}

/// How many of each.
#[must_use]
pub fn count(sorted: &[(EpisodeId, TriageVerdict)]) -> TriageDecisions {
    let many = |verdict| u32::try_from(sorted.iter().filter(|(_, v)| *v == verdict).count()).unwrap_or(u32::MAX);
    TriageDecisions {
        preserve: many(TriageVerdict::Preserve),
        r#abstract: many(TriageVerdict::Abstract),
        forget: many(TriageVerdict::Forget),
    }
}

/// True when the rule can stand for the episode: one was made of it, or it is one of many that ended alike.
fn is_rule(
    rules: &ReplayRules,
    known: &ReplayKnown,
    found: &TriageFound,
    of: &WeighedEpisode<'_>,
    episodes: &[LivedEpisode<'_>],
) -> bool {
    let id = of.episode.id;
    if known.distilled.contains(&id) || found.in_patterns.contains(&id) {
        return true;
    }
    let Some(how) = ended(of.episode, of.marks) else { return false };
    let is_alike = |(other, marks): &&LivedEpisode<'_>| {
        other.id != id
            && ended(other, marks) == Some(how)
            && f64::from(other.situation.cosine(&of.episode.situation)) > rules.alike_above
    };
    episodes.iter().filter(is_alike).take(rules.alike_least as usize).count() >= rules.alike_least as usize
}

/// True when nothing would be missed. What life hung on, and what the next dream is to take first, never goes.
fn can_go(rules: &ReplayRules, known: &ReplayKnown, found: &TriageFound, of: &WeighedEpisode<'_>) -> bool {
    let id = of.episode.id;
    let is_needed = of.marks.dream_priority || of.episode.importance >= Importance::Critical;
    // This replay is one more than the marks say.
    let in_vain = of.marks.replays.saturating_add(1) >= rules.forget_after && !found.brought_something.contains(&id);
    of.utility < rules.forget_below && !is_needed && (known.contradicted.contains(&id) || in_vain)
}
