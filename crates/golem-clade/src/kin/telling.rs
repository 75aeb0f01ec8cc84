//! What a golem tells its siblings, and when: warnings and shifts of the weather at once, everything else in batches, each thing once,
//! and only what it found out itself. Who is near its end tells what it would have kept.

use super::heard::KinHearsay;
use super::word::{KinLetter, KinWord, delta_kind};
use crate::knowledge_domain::KnowledgeDomain;
use crate::library::EquipParcel;
use crate::provenance::{Lineage, Passport, TravellingEntry, ValidationWord};
use crate::world_time::LifeClock;
use golem_core::{Elapsed, Regime, Tick, VirtualTime};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryId, EntryKind, EntryStatus, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use styx_wire::criteria::{EntryStanding, may_push};

/// Entries of one batch at most: the surest first, the rest with the next.
pub const MOST_IN_BATCH: usize = 25;
/// The longest letter: a golem's inbox takes no longer one.
pub const MOST_LETTER_BYTES: usize = 4_000;
/// The longest that travels at once.
pub const MOST_URGENT_BYTES: usize = 2_048;

/// A golem at the end of a turn, as far as telling needs it.
#[derive(Clone, Copy)]
pub struct TellingMoment<'a> {
    pub tick: Tick,
    /// Its age.
    pub now: VirtualTime,
    pub clock: LifeClock,
    pub lineage: &'a Lineage,
    /// What it knows.
    pub shelf: &'a Shelf,
    pub regime: Regime,
    /// From which confidence on it shares: by phase, hazard and what it feels.
    pub threshold: f64,
    /// Ticks between two batches.
    pub batch_ticks: u64,
}

/// What was told already.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KinTelling {
    entries: BTreeSet<EntryId>,
    validations: BTreeMap<EntryId, ValidationWord>,
    /// The weather that siblings know of, and when they were told.
    weather: Option<(Regime, Tick)>,
    /// Fields of which was warned, and when.
    warned: BTreeMap<KnowledgeDomain, Tick>,
}

/// Whether a backup is due between two looks: some multiple of the interval lies between them.
#[must_use]
pub fn backup_is_due(last: Option<Tick>, now: Tick, every: u64) -> bool {
    let every = every.max(1);
    last.map_or(now.0 >= every, |last| now.0 / every > last.0 / every)
}

impl KinTelling {
    /// What is told now, the most urgent first.
    pub fn due(&mut self, moment: &TellingMoment<'_>, heard: &KinHearsay) -> Vec<KinLetter> {
        let mut words: Vec<KinWord> = self.shifted(moment).into_iter().collect();
        words.extend(self.entries(moment, true));
        if moment.tick.is_every(moment.batch_ticks.max(1)) {
            words.extend(self.entries(moment, false));
            words.extend(self.judged(moment, heard));
            self.forget(moment.shelf);
        }
        let at = moment.clock.at(moment.now);
        words.into_iter().map(|word| KinLetter { at, word }).collect()
    }

    /// The weather has changed, and siblings were not told of another change just now.
    fn shifted(&mut self, moment: &TellingMoment<'_>) -> Option<KinWord> {
        let (is, tick) = (moment.regime, moment.tick);
        if is == Regime::Unknown {
            return None;
        }
        let Some((was, told)) = self.weather else {
            self.weather = Some((is, tick));
            return None;
        };
        if was == is || tick.0 < told.0.saturating_add(moment.batch_ticks) {
            return None;
        }
        self.weather = Some((is, tick));
        Some(KinWord::Regime { was, is })
    }

    /// Entries that may be told and were not, the surest first.
    fn entries(&mut self, moment: &TellingMoment<'_>, warnings: bool) -> Vec<KinWord> {
        let of_lane = |e: &&Entry| (e.body.kind == EntryKind::Warning) == warnings;
        let untold = moment.shelf.in_use().filter(of_lane).filter(|e| !self.entries.contains(&e.id));
        let mut all: Vec<(&Entry, f64)> =
            untold.filter(|e| is_own(e)).filter_map(|e| Some((e, shareable(e, moment)?))).collect();
        all.sort_by(|(a, sure_a), (b, sure_b)| sure_b.total_cmp(sure_a).then(a.id.cmp(&b.id)));
        let mut words = Vec::new();
        for (entry, _) in all {
            if words.len() == MOST_IN_BATCH {
                break;
            }
            if warnings && self.has_warned(entry, moment) {
                continue;
            }
            let word = KinWord::Entry { parcel: Box::new(parcel(entry, moment)) };
            self.entries.insert(entry.id);
            let most = if warnings { MOST_URGENT_BYTES } else { MOST_LETTER_BYTES };
            // What is too long to travel is not asked again.
            if golem_core::plain::json(&word).len() <= most {
                words.push(word);
            }
        }
        words
    }

    /// Warnings of one field are one warning until the next batch: many of them are no more than one.
    fn has_warned(&mut self, entry: &Entry, moment: &TellingMoment<'_>) -> bool {
        let field = KnowledgeDomain::of(&entry.body);
        let recently = |told: &Tick| moment.tick.0 < told.0.saturating_add(moment.batch_ticks);
        if self.warned.get(&field).is_some_and(recently) {
            return true;
        }
        self.warned.retain(|_, told| recently(told));
        self.warned.insert(field, moment.tick);
        false
    }

    /// What siblings told and reality has judged here: each word once, and again when it has changed.
    fn judged(&mut self, moment: &TellingMoment<'_>, heard: &KinHearsay) -> Vec<KinWord> {
        let mut words = Vec::new();
        for (id, root) in heard.taken() {
            let Some(word) = moment.shelf.entry(id).and_then(judgement) else { continue };
            if words.len() < MOST_IN_BATCH && self.validations.insert(id, word) != Some(word) {
                words.push(KinWord::Validation { root, word });
            }
        }
        words
    }

    /// What is not on the shelf any more is not told again: its id follows from what it says, and the same again is news.
    fn forget(&mut self, shelf: &Shelf) {
        self.entries.retain(|id| shelf.entry(*id).is_some());
        self.validations.retain(|id, _| shelf.entry(*id).is_some());
    }
}

/// What this golem's own reality says of something.
fn judgement(entry: &Entry) -> Option<ValidationWord> {
    let standing = &entry.standing;
    match standing.own_validation {
        true => Some(ValidationWord::Confirmed),
        false => (standing.contradicted > standing.validated).then_some(ValidationWord::Contradicted),
    }
}

/// Nobody passes on what it heard: its own experience, and what it dreamt once the waking world has confirmed it.
fn is_own(entry: &Entry) -> bool {
    match entry.body.provenance {
        Provenance::SelfGenerated => true,
        Provenance::Dream => entry.standing.own_validation,
        Provenance::Owner
        | Provenance::Clade
        | Provenance::Replicant
        | Provenance::Marketplace
        | Provenance::Testament => false,
    }
}

/// How sure it is of something that it may tell; none for what it may not.
fn shareable(entry: &Entry, moment: &TellingMoment<'_>) -> Option<f64> {
    let (body, standing) = (&entry.body, &entry.standing);
    let confidence = entry.effective(moment.now);
    let known = moment.now.since(body.learnt_at).0 / Elapsed::nominal(1).0.max(1);
    let of = EntryStanding {
        confidence,
        active: standing.status == EntryStatus::Active,
        // When it was first validated is not kept: it was not before it was learnt.
        validated_ticks: (standing.validated > 0).then_some(known),
        episodes: body.episodes.len() as u64 + u64::from(standing.validated),
    };
    (!body.is_question && may_push(delta_kind(body.kind), &of, moment.threshold)).then_some(confidence)
}

/// As it travels: what it says and where it is from. Episodes and parents are numbers of this life, and of no use elsewhere.
fn parcel(entry: &Entry, moment: &TellingMoment<'_>) -> EquipParcel {
    let passport = Passport::own(entry, moment.lineage, moment.clock);
    let foreign = Foreign { body: entry.body.clone(), standing: entry.standing.clone() };
    EquipParcel {
        entry: TravellingEntry { entry: foreign, passport },
        channel: Provenance::Clade,
        from: Some((moment.lineage.clone(), moment.clock.at(moment.now))),
        validations: Vec::new(),
    }
}
