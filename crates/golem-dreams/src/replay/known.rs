//! What the grimoire says about single episodes, looked up once a cycle: which ones stand behind something that proved
//! true, which are distilled, which spoke for something that did not hold, and what somebody died of.

use golem_core::Regime;
use golem_grimoire::entry::Provenance;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryStatus, Episode, EpisodeId, Marks, Situation};
use std::collections::{BTreeMap, BTreeSet};

/// Regimes in which the same act must have ended alike before an heir could use it anywhere.
const SEVERAL_REGIMES: usize = 2;

/// What is known about the latest episodes besides their marks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayKnown {
    /// Where somebody died: the situations of bloodstained entries.
    pub bloodstains: Vec<Situation>,
    /// Evidence of something that reality confirmed.
    pub validated: BTreeSet<EpisodeId>,
    /// Those among them that hold in several regimes.
    pub transferable: BTreeSet<EpisodeId>,
    /// Evidence of anything that is in use: a rule was made of them.
    pub distilled: BTreeSet<EpisodeId>,
    /// Evidence of what did not hold, and of nothing that did.
    pub contradicted: BTreeSet<EpisodeId>,
}

/// An act and whether it ended well.
type ActEnded = (&'static str, bool);

impl ReplayKnown {
    /// Look it up.
    #[must_use]
    pub fn of(shelf: &Shelf) -> Self {
        let mut known = Self::default();
        let mut anywhere = BTreeSet::new();
        for entry in shelf.entries() {
            if entry.body.is_bloodstain && entry.is_in_use() {
                known.bloodstains.extend(entry.body.prototype);
            }
            // Episodes are numbered within a life: what was heard from others names theirs.
            if !is_of_this_life(entry) || entry.body.is_question {
                continue;
            }
            let named = entry.body.episodes.iter().copied();
            if !holds(entry) {
                known.contradicted.extend(named);
                continue;
            }
            known.distilled.extend(named.clone());
            if entry.standing.validated > 0 || entry.standing.own_validation {
                known.validated.extend(named.clone());
                if entry.body.regime.is_none() {
                    anywhere.extend(named);
                }
            }
        }
        known.contradicted.retain(|id| !known.distilled.contains(id));
        known.transferable = known.in_several_regimes(shelf);
        known.transferable.extend(anywhere);
        known
    }

    /// The validated episodes of an act that ended alike in several regimes.
    fn in_several_regimes(&self, shelf: &Shelf) -> BTreeSet<EpisodeId> {
        let validated = self.validated.iter().filter_map(|id| shelf.episode(*id).zip(shelf.marks(*id)));
        let ended: Vec<(EpisodeId, Regime, ActEnded)> =
            validated.filter_map(|(e, m)| Some((e.id, e.regime, ended(e, m)?))).collect();
        let mut regimes: BTreeMap<ActEnded, BTreeSet<Regime>> = BTreeMap::new();
        for (_, regime, how) in &ended {
            regimes.entry(*how).or_default().insert(*regime);
        }
        let many = |how: &ActEnded| regimes.get(how).is_some_and(|r| r.len() >= SEVERAL_REGIMES);
        ended.into_iter().filter(|(_, _, how)| many(how)).map(|(id, ..)| id).collect()
    }
}

fn is_of_this_life(entry: &Entry) -> bool {
    matches!(entry.body.provenance, Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream)
}

/// True while it is in use and reality has not spoken against it more often than for it.
fn holds(entry: &Entry) -> bool {
    let spoken_against = entry.standing.contradicted > entry.standing.validated;
    !spoken_against && matches!(entry.standing.status, EntryStatus::Active | EntryStatus::Candidate)
}

/// What was done in an episode and whether it ended well, where both are known.
#[must_use]
pub(super) fn ended(episode: &Episode, marks: &Marks) -> Option<ActEnded> {
    let bps = marks.outcome_bps.filter(|bps| bps.is_finite() && *bps != 0.0)?;
    Some((episode.deed.as_ref()?.intent.name(), bps > 0.0))
}
