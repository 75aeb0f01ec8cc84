//! Where knowledge came from: who learnt it and when, in which line of golems, what it has crossed, whose death is tied to it,
//! and who has seen it come true.
//!
//! A passport is what a sender says and a signature can vouch for. What contradicts itself or the lineage is a forgery, and
//! [`Passport::forgery`] names it; nothing of a passport is believed before the bundle's signature has been checked.

use crate::barrier::Crossings;
use crate::world_time::{LifeClock, WorldTimes};
use golem_core::{Birth, GolemId, Hash, OwnerId, Timestamp};
use golem_grimoire::decay::MAX_CONFIDENCE_BP;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryBody, EntryId, EntryOrigin};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The line that a golem stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// The first ancestor's id.
    pub id: GolemId,
    /// Whose line it is.
    pub owner: OwnerId,
    /// Who stands in it.
    pub golem: GolemId,
    /// Its generation: 0 for a first ancestor.
    pub generation: u32,
    /// Those before it, the first ancestor first.
    pub ancestors: Vec<GolemId>,
}

impl Lineage {
    /// The line of a golem whose predecessor stood in `before`; a first ancestor has none.
    #[must_use]
    pub fn of(birth: &Birth, before: Option<&Self>) -> Self {
        let ancestors = before.map_or_else(Vec::new, |p| p.ancestors.iter().copied().chain([p.golem]).collect());
        Self { id: birth.lineage, owner: birth.owner, golem: birth.id, generation: birth.generation, ancestors }
    }
    /// True when its parts agree: one ancestor for each generation, none of them twice, the first of them the line's name.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let distinct: BTreeSet<_> = self.ancestors.iter().chain([&self.golem]).collect();
        u32::try_from(self.ancestors.len()) == Ok(self.generation)
            && distinct.len() == self.ancestors.len() + 1
            && self.ancestors.first().unwrap_or(&self.golem) == &self.id
    }
    /// True for the golem itself and those before it.
    #[must_use]
    pub fn has(&self, golem: GolemId) -> bool {
        self.golem == golem || self.ancestors.contains(&golem)
    }
}

/// What one golem's reality said of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationWord {
    /// It came true.
    Confirmed,
    /// It did not.
    Contradicted,
}

/// A validation that travels with what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TravelledValidation {
    /// What was validated: the root of its passport.
    pub entry: Hash,
    /// By whom.
    pub validator: GolemId,
    /// How it went.
    pub word: ValidationWord,
}

/// How many distinct golems said this of an entry. Many words of one golem are one word, and one that said both counts for
/// neither.
#[must_use]
pub fn distinct_validators(all: &[TravelledValidation], entry: Hash, word: ValidationWord) -> u32 {
    let said = |by: ValidationWord| -> BTreeSet<GolemId> {
        all.iter().filter(|v| v.entry == entry && v.word == by).map(|v| v.validator).collect()
    };
    let other = match word {
        ValidationWord::Confirmed => ValidationWord::Contradicted,
        ValidationWord::Contradicted => ValidationWord::Confirmed,
    };
    u32::try_from(said(word).difference(&said(other)).count()).unwrap_or(u32::MAX)
}

/// Where an entry came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passport {
    /// The hash of the body as its first learner had it: the same through all lives.
    pub root: Hash,
    /// Who learnt it first, and in which generation.
    pub learnt_by: EntryOrigin,
    /// In which line.
    pub lineage: GolemId,
    /// When it was true and when it was learnt, in world time.
    pub times: WorldTimes,
    /// What it has been through.
    pub crossings: Crossings,
    /// Whose death it is tied to; none for most.
    pub blood: Option<GolemId>,
    /// What a replicant was sent for, where one found it.
    pub errand: Option<ReplicantErrand>,
}

/// Which experiment something came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicantErrand {
    /// Who sent the replicant; the replicant itself is the first learner.
    pub parent: GolemId,
    /// The hash of the claim that it was sent to test.
    pub hypothesis: Hash,
}

/// How a passport contradicts itself, its entry or the line that it is said to come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Forgery {
    /// The line contradicts itself.
    #[error("the lineage contradicts itself")]
    Lineage,
    /// Somebody else has it.
    #[error("it is carried by somebody else than who sends it")]
    Carrier,
    /// Learnt in a generation that was not yet.
    #[error("it was learnt in a generation that has not been")]
    Generation,
    /// It survived, or crossed, more than there was.
    #[error("it has been through more generations than there were")]
    Crossings,
    /// Surer than anything can be.
    #[error("it is surer than anything can be")]
    Confidence,
    /// Blood without a death, a death without blood, or the blood of a stranger.
    #[error("its blood is nobody's of this line")]
    Blood,
    /// Learnt after it was handed over.
    #[error("it was learnt after it was handed over")]
    Time,
    /// The sender learnt something else under this name.
    #[error("its root is not what its learner wrote")]
    Root,
}

impl Passport {
    /// The passport of something that its carrier learnt itself.
    #[must_use]
    pub fn own(entry: &Entry, lineage: &Lineage, clock: LifeClock) -> Self {
        let times = WorldTimes {
            true_from: clock.at(entry.body.true_from),
            true_until: entry.standing.true_until.map(|until| clock.at(until)),
            learnt: clock.at(entry.body.learnt_at),
        };
        Self {
            root: entry.hash,
            learnt_by: EntryOrigin { golem: lineage.golem, generation: lineage.generation },
            lineage: lineage.id,
            times,
            crossings: Crossings::learnt_by(lineage.golem, entry.standing.confidence_bp).judged(entry),
            blood: entry.body.is_bloodstain.then_some(lineage.golem),
            errand: None,
        }
    }
    /// What is wrong with it, if it came with this body from this line when the bundle was closed.
    #[must_use]
    pub fn forgery(&self, body: &EntryBody, from: &Lineage, closed: Timestamp) -> Option<Forgery> {
        let (learnt, c) = (self.learnt_by, &self.crossings);
        // A replicant counts a generation after its parent, which is the one that lived on.
        let sent = self.errand.is_some_and(|errand| from.has(errand.parent));
        let lived = from.generation.checked_sub(learnt.generation.saturating_sub(u32::from(sent)));
        // Each generation can be crossed once, and validated in once, the sender's own included.
        let beyond = |lived: u32| c.generations > lived || c.survived_by_now() > lived.saturating_add(1);
        let own = learnt.golem == from.golem;
        let blood = self.blood.is_none_or(|of| from.has(of)) && self.blood.is_some() == body.is_bloodstain;
        let wrong = [
            (!from.is_sound(), Forgery::Lineage),
            (c.carrier != from.golem, Forgery::Carrier),
            (self.lineage == from.id && lived.is_none(), Forgery::Generation),
            (self.lineage == from.id && lived.is_some_and(beyond), Forgery::Crossings),
            (own && (c.generations > 0 || c.hops > 0 || c.survived > 0), Forgery::Crossings),
            (c.judged_bp > MAX_CONFIDENCE_BP, Forgery::Confidence),
            (!blood, Forgery::Blood),
            (self.times.learnt > closed || self.times.true_from > closed, Forgery::Time),
            (own && self.root != body.hash(), Forgery::Root),
        ];
        wrong.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
    }
}

/// An entry on its way, with where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TravellingEntry {
    /// What is believed, and how it stood there.
    pub entry: Foreign,
    /// Where it came from.
    pub passport: Passport,
}

/// The passport of something that a golem was handed in its life, as its file keeps it: by its own id, with what others have said
/// of it. What it was born with needs no such row, since that follows from the birth record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandedPassport {
    /// Which entry.
    pub entry: EntryId,
    /// Where it came from, as it stands on this side.
    pub passport: Passport,
    /// Who has seen it come true or fail.
    pub validations: Vec<TravelledValidation>,
}

impl HandedPassport {
    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }
}

/// The passports of what a golem has from others, by its own ids.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PassportBook {
    passports: BTreeMap<EntryId, Passport>,
}

impl PassportBook {
    /// An entry was taken in, with this passport. The first one stays: an entry arrives once.
    pub fn accept(&mut self, id: EntryId, passport: Passport) {
        self.passports.entry(id).or_insert(passport);
    }
    /// The passport that an entry came with.
    #[must_use]
    pub fn arrived(&self, id: EntryId) -> Option<&Passport> {
        self.passports.get(&id)
    }
    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = (EntryId, &Passport)> {
        self.passports.iter().map(|(id, passport)| (*id, passport))
    }
    /// Keep those that somebody still asks for.
    pub fn retain(&mut self, keep: impl Fn(EntryId) -> bool) {
        self.passports.retain(|id, _| keep(*id));
    }
    /// The passport that an entry has now: its own, or the one it came with, brought up to date by what this life made of it.
    /// What a golem found out by itself and had been told before is what it had been told, earned again.
    #[must_use]
    pub fn present(&self, entry: &Entry, shelf: &Shelf, lineage: &Lineage, clock: LifeClock) -> Passport {
        let told = || shelf.saying(&entry.body).find_map(|same| self.arrived(same.id));
        let Some(arrived) = self.arrived(entry.id).or_else(told) else { return Passport::own(entry, lineage, clock) };
        let until = entry.standing.true_until.map(|until| clock.at(until));
        let times = WorldTimes { true_until: until.or(arrived.times.true_until), ..arrived.times };
        Passport { crossings: arrived.crossings.judged(entry), times, ..arrived.clone() }
    }
}
