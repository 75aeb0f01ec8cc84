//! What a golem brings to the library: everything that the table lets in when it dies, what the owner takes from it, and its
//! word on what is held already.

use super::holding::{Archetype, HoldingId, HoldingLine, LibraryHolding, WorldCalendar, word_on};
use super::inflow::{InflowRefusal, LibraryInflow, admits, deposits_edge};
use super::owner::{GolemLook, LibraryTable, MOST_HEARD, MOST_HOLDINGS, OwnerLibrary};
use crate::provenance::{Lineage, Passport, PassportBook, TravellingEntry, ValidationWord};
use crate::world_time::LifeClock;
use golem_core::{Tick, Timestamp};
use golem_grimoire::causal::Edge;
use golem_grimoire::decay::ceiling;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::{Entry, EntryBody};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A golem, as far as a library looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryVisitor {
    /// The line that it stands in.
    pub lineage: Lineage,
    /// What people call it.
    pub name: String,
    /// What kind of golem it is.
    pub archetype: Archetype,
    /// By which days its world goes.
    pub calendar: WorldCalendar,
    /// When its life began.
    pub clock: LifeClock,
    /// How far it has come, and when that is in its world.
    pub tick: Tick,
    pub now: Timestamp,
    /// True when its death is final.
    pub dead: bool,
    /// What it believes.
    pub entries: Vec<Entry>,
    /// What drives what, as far as it knows.
    pub edges: Vec<Edge>,
    /// What it lives by, as a page.
    pub playbook: String,
    /// Where it has what it was born with or handed.
    pub passports: PassportBook,
}

/// A deposit that was made: once for each death.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepositedDeath {
    /// Who died.
    pub name: String,
    /// What kind of golem it was.
    pub archetype: Archetype,
    /// Its last turn.
    pub tick: Tick,
    /// When, by the wall.
    pub at: Timestamp,
    /// What came in.
    pub kept: Vec<HoldingId>,
    /// How much of what it believed did not.
    pub left: u32,
    /// How much of that for want of room alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub no_room: u32,
    /// What drives what.
    pub edges: Vec<Edge>,
    /// Its final playbook.
    pub playbook: String,
}

impl OwnerLibrary {
    /// Make the deposit of a golem whose death is final; nothing when it was made before, or while it lives.
    pub fn bury(&mut self, of: &LibraryVisitor, at: Timestamp) -> Option<&DepositedDeath> {
        let golem = of.lineage.golem;
        if !of.dead || self.has_deposit_of(golem) {
            return None;
        }
        let (mut kept, mut left, mut no_room) = (Vec::new(), 0u32, 0u32);
        for entry in &of.entries {
            match self.take(of, entry, LibraryInflow::DeathDeposit, at) {
                Ok(id) => kept.push(id),
                Err(why) => {
                    left = left.saturating_add(1);
                    no_room = no_room.saturating_add(u32::from(why == InflowRefusal::Full));
                }
            }
        }
        kept.sort_unstable();
        kept.dedup();
        let edges = of.edges.iter().filter(|e| deposits_edge(e)).cloned().collect();
        let death = DepositedDeath {
            name: of.name.clone(),
            archetype: of.archetype.clone(),
            tick: of.tick,
            at,
            kept,
            left,
            no_room,
            edges,
            playbook: of.playbook.clone(),
        };
        self.touch(LibraryTable::Deposit, golem);
        self.deposits.insert(golem, death);
        self.deposits.get(&golem)
    }

    /// Take one entry of a golem by one of the ways.
    ///
    /// # Errors
    /// Why it does not come in.
    pub fn take(
        &mut self,
        of: &LibraryVisitor,
        entry: &Entry,
        inflow: LibraryInflow,
        at: Timestamp,
    ) -> Result<HoldingId, InflowRefusal> {
        let id = HoldingId::of(&entry.body);
        let edge = entry.body.edge.as_ref().and_then(|name| of.edges.iter().find(|e| e.id.as_str() == name));
        admits(inflow, entry, edge, self.confirmed(id))?;
        let held = self.holdings.contains_key(&id);
        if !held && self.holdings.len() >= MOST_HOLDINGS && !self.make_room() {
            return Err(InflowRefusal::Full);
        }
        let mut new = holding(of, entry, inflow, at);
        new.words = self.heard.remove(&id).unwrap_or_default();
        if !new.words.is_empty() {
            self.touch(LibraryTable::Heard, id);
        }
        new.words.extend(word_on(entry, of.lineage.golem).map(|word| (of.lineage.golem, word)));
        self.hold(id, new);
        Ok(id)
    }

    /// In a full library the least of what strangers sold, and no golem of one's own has seen come true, gives way to what one's
    /// own have learnt. What was said against it is remembered.
    fn make_room(&mut self) -> bool {
        let gives_way = |held: &LibraryHolding| {
            held.inflow == LibraryInflow::MarketplacePurchase && held.count(ValidationWord::Confirmed) == 0
        };
        let sold = self.holdings.iter().filter(|(_, held)| gives_way(held));
        let least = sold.min_by_key(|(id, held)| (held.confidence_bp(), held.fresh, **id)).map(|(id, _)| *id);
        let Some(held) = least.and_then(|id| self.holdings.remove(&id)) else { return false };
        let id = held.id();
        self.touch(LibraryTable::Holding, id);
        if !held.words.is_empty() && self.heard.len() < MOST_HEARD {
            self.heard.insert(id, held.words);
            self.touch(LibraryTable::Heard, id);
        }
        true
    }

    /// See what a golem's reality says of what is held or might be. What enough golems have seen come true comes in by itself;
    /// returns what did. A golem that has not moved since is not looked at again.
    pub fn look(&mut self, at: &LibraryVisitor, now: Timestamp) -> Vec<HoldingId> {
        let golem = at.lineage.golem;
        if self.looked_at(golem).is_some_and(|seen| seen >= at.tick) {
            return Vec::new();
        }
        let mut promoted = BTreeSet::new();
        for entry in &at.entries {
            let id = HoldingId::of(&entry.body);
            let word = word_on(entry, golem);
            if self.holdings.contains_key(&id) {
                self.hear(id, at, entry, word, now);
                continue;
            }
            let Some(word) = word else { continue };
            if self.heard.len() >= MOST_HEARD && !self.heard.contains_key(&id) {
                continue;
            }
            if self.heard.entry(id).or_default().insert(golem, word) != Some(word) {
                self.touch(LibraryTable::Heard, id);
            }
            promoted.extend(self.take(at, entry, LibraryInflow::SiblingOverflow, now));
        }
        self.looks.insert(golem, GolemLook { tick: at.tick });
        self.touch(LibraryTable::Look, golem);
        promoted.into_iter().collect()
    }

    fn hear(
        &mut self,
        id: HoldingId,
        at: &LibraryVisitor,
        entry: &Entry,
        word: Option<ValidationWord>,
        now: Timestamp,
    ) {
        let golem = at.lineage.golem;
        let Some(held) = self.holdings.get_mut(&id) else { return };
        let mut moved = false;
        if let Some(word) = word {
            let news = held.words.insert(golem, word) != Some(word);
            if news && word == ValidationWord::Confirmed {
                held.fresh = held.fresh.max(now);
            }
            moved |= news;
        }
        if is_own(&entry.body) {
            moved |= held.learners.insert(golem, at.clock.at(entry.body.learnt_at)).is_none();
            moved |= held.archetypes.insert(at.archetype.clone());
        }
        if moved {
            self.touch(LibraryTable::Holding, id);
        }
    }

    /// How many distinct golems have seen it come true.
    fn confirmed(&self, id: HoldingId) -> u32 {
        let words = self.holdings.get(&id).map(|held| &held.words).or_else(|| self.heard.get(&id));
        let all = words.into_iter().flatten().filter(|(_, word)| **word == ValidationWord::Confirmed);
        u32::try_from(all.count()).unwrap_or(u32::MAX)
    }

    /// Hold something, beside what is known of the same belief already. A stranger's word gives way to that of a golem of
    /// one's own, what is less sure to what was confirmed, and blood to nothing.
    pub(super) fn hold(&mut self, id: HoldingId, new: LibraryHolding) {
        self.touch(LibraryTable::Holding, id);
        let Some(old) = self.holdings.remove(&id) else {
            self.holdings.insert(id, new);
            return;
        };
        let confidence = |h: &LibraryHolding| h.entry.entry.standing.confidence_bp;
        let confirmed = new.words.values().any(|word| *word == ValidationWord::Confirmed);
        let surer = confirmed && confidence(&new) > confidence(&old) && is_own(new.body());
        let better = match (&old.from, &new.from) {
            (None, Some(_)) => true,
            (_, None) => false,
            (Some(_), Some(_)) => surer || (new.body().is_bloodstain && !old.body().is_bloodstain),
        };
        let keeps_blood = new.body().is_bloodstain || !old.body().is_bloodstain;
        // The newer word of a golem stands.
        let mut words = old.words.clone();
        words.extend(&new.words);
        let (mut kept, other) = if better && keeps_blood { (new, old) } else { (old, new) };
        kept.fresh = kept.fresh.max(other.fresh);
        kept.inflow = kept.inflow.min(other.inflow);
        for (golem, when) in other.learners {
            kept.learners.entry(golem).or_insert(when);
        }
        kept.words = words;
        kept.equipped.extend(other.equipped);
        kept.archetypes.extend(other.archetypes);
        self.holdings.insert(id, kept);
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_own(body: &EntryBody) -> bool {
    ceiling(body.provenance) >= 1.0
}

fn holding(of: &LibraryVisitor, entry: &Entry, inflow: LibraryInflow, at: Timestamp) -> LibraryHolding {
    let (lineage, own) = (&of.lineage, is_own(&entry.body));
    let passport = Passport::own(entry, lineage, of.clock);
    let known = of.passports.arrived(entry.id);
    let (body, passport) = if own {
        (entry.body.clone(), passport)
    } else if let Some(arrived) = known {
        // It goes on with the passport that it came with: its first learner stays its first learner.
        let crossings = arrived.crossings.judged(entry);
        let blood = arrived.blood.filter(|of| lineage.has(*of));
        let body = EntryBody { is_bloodstain: blood.is_some(), ..entry.body.clone() };
        (body, Passport { crossings, blood, ..arrived.clone() })
    } else {
        // Somebody else learnt it, in a line that is not known here; and only those of its line can vouch for blood.
        let origin = entry.body.origin;
        let body = EntryBody { is_bloodstain: false, ..entry.body.clone() };
        (body, Passport { learnt_by: origin, lineage: origin.golem, blood: None, ..passport })
    };
    let learnt = of.clock.at(entry.body.learnt_at);
    let closed = of.now.max(learnt);
    LibraryHolding {
        entry: TravellingEntry { entry: Foreign { body, standing: entry.standing.clone() }, passport },
        inflow,
        from: lineage.is_sound().then(|| HoldingLine { lineage: lineage.clone(), closed, dead: of.dead }),
        calendar: of.calendar.clone(),
        fresh: at,
        learners: own.then_some((lineage.golem, learnt)).into_iter().collect(),
        words: BTreeMap::new(),
        equipped: BTreeMap::new(),
        archetypes: BTreeSet::from([of.archetype.clone()]),
    }
}
