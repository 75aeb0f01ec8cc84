//! What an heir would inherit, before anybody decides: how much, how sure before and after, in which fields, and how much of it
//! from the dead.

use super::Heirloom;
use crate::barrier::Boundary;
use crate::knowledge_domain::KnowledgeDomain;
use golem_core::GolemId;
use golem_grimoire::{Provenance, decay};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bands of a histogram of confidence, from 0 to 1.
pub const CONFIDENCE_BANDS: usize = 10;

/// What would be inherited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InheritancePreview {
    /// Entries after the bottleneck.
    pub entries: usize,
    /// Open questions beside them.
    pub questions: usize,
    /// Entries by stored confidence, as they stand with the dead.
    pub before: [u32; CONFIDENCE_BANDS],
    /// The same as they would stand with the heir.
    pub after: [u32; CONFIDENCE_BANDS],
    /// The same by what the heir may trust before it has validated anything itself.
    pub trusted: [u32; CONFIDENCE_BANDS],
    /// Entries in each field of knowledge, the largest first.
    pub domains: Vec<(KnowledgeDomain, usize)>,
    /// Entries that are tied to a death.
    pub bloodstains: usize,
    /// Entries whose first learner is dead.
    pub from_the_dead: usize,
    /// Entries that at least three generations of this line validated.
    pub thrice_survived: usize,
}

impl InheritancePreview {
    /// Of an heirloom, for an heir that is yet to be born.
    #[must_use]
    pub fn of(heirloom: &Heirloom) -> Self {
        let dead = heirloom.lineage.golem;
        // Nobody's id: only the crossing counts.
        let heir = GolemId(dead.0.map(|byte| !byte));
        let (mut before, mut after, mut trusted) =
            ([0; CONFIDENCE_BANDS], [0; CONFIDENCE_BANDS], [0; CONFIDENCE_BANDS]);
        let mut domains: BTreeMap<KnowledgeDomain, usize> = BTreeMap::new();
        let cap = (decay::ceiling(Provenance::Testament) * 10_000.0) as u16;
        for one in &heirloom.entries {
            let here = one.passport.crossings;
            let there = here.cross(Boundary::Death, dead, heir).map_or(0, |c| c.confidence_bp());
            before[band(one.entry.standing.confidence_bp)] += 1;
            after[band(there)] += 1;
            trusted[band(there.min(cap))] += 1;
            *domains.entry(KnowledgeDomain::of(&one.entry.body)).or_default() += 1;
        }
        let mut domains: Vec<_> = domains.into_iter().collect();
        domains.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let count = |is: &dyn Fn(&crate::provenance::TravellingEntry) -> bool| {
            heirloom.entries.iter().filter(|e| is(e)).count()
        };
        Self {
            entries: heirloom.entries.len(),
            questions: heirloom.questions.len(),
            before,
            after,
            trusted,
            domains,
            bloodstains: count(&|e| e.entry.body.is_bloodstain),
            from_the_dead: count(&|e| heirloom.lineage.has(e.passport.learnt_by.golem)),
            thrice_survived: count(&|e| {
                let times = e.passport.crossings.survived_by_now();
                e.passport.lineage == heirloom.lineage.id && times >= crate::survived::SURVIVED_GENERATIONS
            }),
        }
    }
}

fn band(bp: u16) -> usize {
    (usize::from(bp) * CONFIDENCE_BANDS / 10_000).min(CONFIDENCE_BANDS - 1)
}
