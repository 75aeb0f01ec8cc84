//! What the owner's library hands to this golem, with its passport: each parcel is examined in four layers before anything of it is taken in, and
//! nothing of it is worth more than where it comes from until it has come true here.

use crate::life::{Genesis, Life};
use golem_clade::as_of::told_beside;
use golem_clade::ingest::{IngestMoment, IngestVerdict, KnowledgeCloud, NoChain};
use golem_clade::library::EquipParcel;
use golem_clade::provenance::HandedPassport;
use golem_clade::world_time::LifeClock;
use golem_grimoire::change::NamedTable;
use golem_grimoire::{Grimoire, Remembered};

/// Passports of what was handed over earlier, as the file keeps them: known again at every start.
pub(crate) fn know_handed(genesis: &Genesis, grimoire: &mut Grimoire, memory: &Remembered) {
    let clock = LifeClock { zero: genesis.birth.born_at };
    for (_, _, body) in memory.rows.iter().filter(|(table, ..)| *table == NamedTable::Passport) {
        if let Ok(handed) = HandedPassport::read(body) {
            grimoire.tell_beside(handed.entry, told_beside(&handed.passport, clock, None));
        }
    }
}

impl Life {
    /// Take in what the library hands over; says what came of it.
    pub(crate) fn equip_with(&mut self, parcels: &[String]) -> String {
        let (heir, now) = (self.genesis.birth.id, self.state.core.age);
        let clock = LifeClock { zero: self.genesis.birth.born_at };
        let world = clock.at(now);
        let Some(grimoire) = &mut self.grimoire else { return "not equipped: it lives without memory".to_owned() };
        let embedder = grimoire.embedder().clone();
        let cloud = KnowledgeCloud::of(grimoire.shelf(), &embedder);
        let (mut on_trial, mut known, mut aside, mut refused) = (0, 0, 0, 0);
        let mut why = None;
        for text in parcels {
            let Ok(parcel) = EquipParcel::read(text) else {
                refused += 1;
                continue;
            };
            let (shelf, near) = grimoire.known();
            let (cloud, embedder, chain) = (&cloud, &embedder, &NoChain);
            let moment = IngestMoment { heir, now, world, shelf, near: &near, cloud, embedder, chain };
            let (verdict, arrival) = parcel.examine(&moment);
            match verdict {
                IngestVerdict::OnTrial { .. } => on_trial += 1,
                IngestVerdict::KeptAside { .. } => aside += 1,
                IngestVerdict::Known { .. } => known += 1,
                IngestVerdict::Refused { why: reason } => {
                    refused += 1;
                    why.get_or_insert_with(|| reason.to_string());
                }
            }
            let Some(arrival) = arrival else { continue };
            if let (_, Some(entry)) = grimoire.take_in_vouched(arrival.entry, &arrival.vouched, now) {
                grimoire.tell_beside(entry, told_beside(&arrival.passport, clock, None));
                let handed = HandedPassport { entry, passport: arrival.passport, validations: parcel.validations };
                grimoire.keep(NamedTable::Passport, entry.to_string(), &handed);
            }
        }
        let why = why.map_or_else(String::new, |why| format!(" (the first: {why})"));
        format!("took {on_trial} on trial, knew {known}, put {aside} aside, refused {refused}{why}")
    }
}
