//! Something that a library holds: an entry with where it came from, who has seen it come true, and who was given it.

use super::inflow::LibraryInflow;
use crate::barrier::Crossings;
use crate::provenance::{Lineage, TravellingEntry, ValidationWord};
use golem_core::{Elapsed, GolemId, Timestamp, VirtualTime, hex_id};
use golem_grimoire::decay::effective;
use golem_grimoire::retrieval::Weighing;
use golem_grimoire::subject::statement;
use golem_grimoire::{Entry, EntryBody, Provenance, Standing};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Distinct golems from whose word on an entry is battle-tested.
pub const BATTLE_TESTED_BY: u32 = 5;
/// The tag of what is.
pub const BATTLE_TESTED: &str = "battle-tested";
/// What it is worth more, in percent.
const BOOST_PERCENT: u32 = 10;
/// The most that the boost can lift it to, in basis points.
const BOOSTED_TO_BP: u16 = 9_500;
/// Golems that were given an entry and saw it come true, from which on it belongs to every bundle of their archetype.
pub const DEFAULT_FROM: usize = 5;

hex_id!(
    /// What an entry says, whoever learnt it and when: the same belief of two golems is one in a library.
    HoldingId, 16
);

impl HoldingId {
    /// The id of what says this.
    #[must_use]
    pub fn of(body: &EntryBody) -> Self {
        Self(statement(body).0)
    }
}

/// What kind of golem somebody is: the name of its template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Archetype(String);

impl Archetype {
    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(name.chars().take(64).collect())
    }
    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// By which days something is dated. Days of worlds that were made up mean nothing in another world; recordings and living
/// chains share the days of the world outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorldCalendar {
    /// The world outside.
    Outside,
    /// A world that was made up: which.
    MadeUp(String),
}

/// The line of whoever handed something over, and when: what its passport is held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldingLine {
    /// Who, in which line.
    pub lineage: Lineage,
    /// When, in its world's time.
    pub closed: Timestamp,
    /// True when that golem was dead by then.
    pub dead: bool,
}

/// Something that a library holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryHolding {
    /// As its golem had it, with its passport.
    pub entry: TravellingEntry,
    /// By which way it came first.
    pub inflow: LibraryInflow,
    /// From whose hands; none for what a stranger sold.
    pub from: Option<HoldingLine>,
    /// By which days it is dated.
    pub calendar: WorldCalendar,
    /// When it came, or was last confirmed, by the wall.
    pub fresh: Timestamp,
    /// Who learnt it themselves, and when in their world's time.
    pub learners: BTreeMap<GolemId, Timestamp>,
    /// What each golem's reality said of it: one word each.
    pub words: BTreeMap<GolemId, ValidationWord>,
    /// Who was given it, and what kind of golem that is.
    pub equipped: BTreeMap<GolemId, Archetype>,
    /// Kinds of golems that have had it.
    pub archetypes: BTreeSet<Archetype>,
}

impl LibraryHolding {
    /// What it says.
    #[must_use]
    pub fn id(&self) -> HoldingId {
        HoldingId::of(&self.entry.entry.body)
    }
    /// Its body.
    #[must_use]
    pub fn body(&self) -> &EntryBody {
        &self.entry.entry.body
    }
    /// How many distinct golems say this of it.
    #[must_use]
    pub fn count(&self, word: ValidationWord) -> u32 {
        u32::try_from(self.words.values().filter(|w| **w == word).count()).unwrap_or(u32::MAX)
    }
    /// True when enough golems have seen it come true.
    #[must_use]
    pub fn is_battle_tested(&self) -> bool {
        self.count(ValidationWord::Confirmed) >= BATTLE_TESTED_BY
    }
    /// True when more golems have seen it fail than come true: it is kept, and offered to nobody unasked.
    #[must_use]
    pub fn is_disputed(&self) -> bool {
        self.count(ValidationWord::Contradicted) > self.count(ValidationWord::Confirmed)
    }
    /// True when it is offered unasked: an answer, and not disputed. Questions are held and take no place from answers.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        !self.body().is_question && !self.is_disputed()
    }
    /// What it is worth here, in basis points: what its golem stored, and a tenth more once it is battle-tested. The boost lifts
    /// nothing above its cap, and lowers nothing.
    #[must_use]
    pub fn confidence_bp(&self) -> u16 {
        let stored = self.entry.entry.standing.confidence_bp;
        if !self.is_battle_tested() {
            return stored;
        }
        let boosted = u32::from(stored) * (100 + BOOST_PERCENT) / 100;
        stored.max(u16::try_from(boosted).unwrap_or(u16::MAX).min(BOOSTED_TO_BP))
    }
    /// What it is worth after it has stood for a while. A death behind it makes it fade more slowly, by the one flag.
    #[must_use]
    pub fn effective(&self, now: Timestamp) -> f64 {
        let idle = now.0.saturating_sub(self.fresh.0);
        let idle = VirtualTime(Elapsed::secs(u64::try_from(idle).unwrap_or(0)).0);
        let trusted = self.from.is_some() || self.count(ValidationWord::Confirmed) > 0;
        let provenance = if trusted { Provenance::SelfGenerated } else { Provenance::Marketplace };
        let body = EntryBody { provenance, ..self.body().clone() };
        let standing = Standing {
            confidence_bp: self.confidence_bp(),
            last_validated: VirtualTime(0),
            own_validation: trusted,
            ..self.entry.entry.standing.clone()
        };
        effective(&body, &standing, idle)
    }
    /// How it is ranked among others: what it is worth, and more for what a life was paid for.
    #[must_use]
    pub fn rank(&self, now: Timestamp) -> f64 {
        let boost = if self.body().is_bloodstain { Weighing::default().bloodstain } else { 1.0 };
        self.effective(now) * boost
    }
    /// Words to find it by.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        let own = self.body().tags.iter().map(String::as_str).filter(|tag| *tag != BATTLE_TESTED);
        own.chain(self.is_battle_tested().then_some(BATTLE_TESTED))
    }
    /// True when enough golems of this kind were given it and saw it come true.
    #[must_use]
    pub fn is_default_of(&self, archetype: &Archetype) -> bool {
        let proven = |golem: &GolemId| self.words.get(golem) == Some(&ValidationWord::Confirmed);
        let given = self.equipped.iter().filter(|(golem, kind)| *kind == archetype && proven(golem));
        given.count() >= DEFAULT_FROM
    }
}

/// What a golem's own reality has said of an entry, if anything yet: what failed more often than not has failed, and otherwise
/// it is validated by the rule that passports go by.
#[must_use]
pub fn word_on(entry: &Entry, golem: GolemId) -> Option<ValidationWord> {
    let standing = &entry.standing;
    if standing.contradicted > standing.validated {
        return Some(ValidationWord::Contradicted);
    }
    let judged = Crossings::learnt_by(golem, standing.confidence_bp).judged(entry);
    judged.validated_here.then_some(ValidationWord::Confirmed)
}
