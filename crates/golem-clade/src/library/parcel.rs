//! An entry of the library on its way to a golem: what the owner's word vouches for, and the examination on the other side.
//! It comes in like everything from elsewhere, through the four layers and below the ceiling of where it is from.

use super::holding::{Archetype, HoldingId, LibraryHolding, WorldCalendar};
use super::inflow::LibraryInflow;
use super::owner::{LibraryTable, OwnerLibrary};
use crate::ingest::{Arrival, IngestMoment, IngestVerdict, KnowledgeSource, ingest};
use crate::provenance::{Lineage, Passport, TravelledValidation, TravellingEntry};
use crate::world_time::WorldTimes;
use golem_core::{GolemId, Timestamp};
use golem_grimoire::Provenance;
use golem_grimoire::decay::MAX_CONFIDENCE_BP;
use serde::{Deserialize, Serialize};

/// Validations that travel with one entry: the gate counts no more.
const MOST_CARRIED: usize = 5;

/// Who is equipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquipTarget {
    /// Who.
    pub golem: GolemId,
    /// What kind of golem.
    pub archetype: Archetype,
    /// By which days its world goes.
    pub calendar: WorldCalendar,
    /// When it was born, by them.
    pub born: Timestamp,
}

/// An entry on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EquipParcel {
    /// What is believed, with its passport.
    pub entry: TravellingEntry,
    /// By which way it comes.
    pub channel: Provenance,
    /// Whose line vouches for it, and when it was handed over.
    pub from: Option<(Lineage, Timestamp)>,
    /// Who has seen it come true or fail.
    pub validations: Vec<TravelledValidation>,
}

impl EquipParcel {
    /// As it stands in a file.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }
    /// Pack a holding for a golem.
    #[must_use]
    pub fn of(held: &LibraryHolding, to: &EquipTarget) -> Self {
        let mut entry = held.entry.clone();
        let sure = held.confidence_bp().min(MAX_CONFIDENCE_BP);
        entry.entry.standing.confidence_bp = sure;
        let passport = &mut entry.passport;
        passport.crossings.judged_bp = passport.crossings.judged_bp.max(sure);
        // Days of another world date nothing in this one: it was known before this golem was born.
        if held.calendar != to.calendar {
            passport.times = WorldTimes {
                true_from: passport.times.true_from.min(to.born),
                learnt: passport.times.learnt.min(to.born),
                true_until: None,
            };
        }
        let word = |(golem, word): (&GolemId, _)| TravelledValidation { entry: passport.root, validator: *golem, word };
        let validations = held.words.iter().take(MOST_CARRIED).map(|(golem, said)| word((golem, *said))).collect();
        let channel = match &held.from {
            Some(from) if from.dead => Provenance::Testament,
            None if held.inflow == LibraryInflow::MarketplacePurchase => Provenance::Marketplace,
            _ => Provenance::Clade,
        };
        let from = held.from.as_ref().map(|from| (from.lineage.clone(), from.closed));
        Self { entry, channel, from, validations }
    }

    /// Examine it as the golem that receives it.
    #[must_use]
    pub fn examine(&self, heir: &IngestMoment<'_>) -> (IngestVerdict, Option<Arrival>) {
        self.examined(heir, false)
    }

    /// The same, out of the grave of whoever vouches for it.
    #[must_use]
    pub fn examine_from_grave(&self, heir: &IngestMoment<'_>) -> (IngestVerdict, Option<Arrival>) {
        self.examined(heir, true)
    }

    fn examined(&self, heir: &IngestMoment<'_>, grave: bool) -> (IngestVerdict, Option<Arrival>) {
        let signed = self.from.as_ref().map(|(lineage, closed)| (lineage, *closed));
        let source = KnowledgeSource { channel: self.channel, signed, validations: &self.validations, grave };
        ingest(&self.entry, &source, heir)
    }

    /// Where it came from.
    #[must_use]
    pub fn passport(&self) -> &Passport {
        &self.entry.passport
    }
}

impl OwnerLibrary {
    /// A golem was given this: from here on its word on it counts for its archetype.
    pub fn equip(&mut self, id: HoldingId, to: &EquipTarget) {
        let Some(held) = self.holdings.get_mut(&id) else { return };
        let known = held.equipped.insert(to.golem, to.archetype.clone());
        if known.as_ref() != Some(&to.archetype) {
            self.touch(LibraryTable::Holding, id);
        }
    }
}
