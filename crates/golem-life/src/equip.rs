//! What the owner's library hands to this golem, with its passport: each parcel is examined in four layers before anything of it is taken in, and
//! nothing of it is worth more than where it comes from until it has come true here.

use crate::life::{Genesis, Life};
use golem_clade::as_of::told_beside;
use golem_clade::ingest::{IngestMoment, IngestVerdict, KnowledgeCloud};
use golem_clade::library::EquipParcel;
use golem_clade::provenance::HandedPassport;
use golem_clade::world_time::LifeClock;
use golem_core::{Timestamp, VirtualTime};
use golem_grimoire::change::NamedTable;
use golem_grimoire::{EntryId, Grimoire, Remembered};

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
        if self.grimoire.is_none() {
            return "not equipped: it lives without memory".to_owned();
        }
        let (mut on_trial, mut known, mut aside, mut refused) = (0, 0, 0, 0);
        let (mut why, cloud) = (None, self.own_cloud());
        let world = self.world_at(self.state.core.age);
        for text in parcels {
            let Ok(parcel) = EquipParcel::read(text) else {
                refused += 1;
                continue;
            };
            match self.take_parcel_in(parcel, false, cloud.as_ref(), world) {
                Some((IngestVerdict::OnTrial { .. }, _)) => on_trial += 1,
                Some((IngestVerdict::KeptAside { .. }, _)) => aside += 1,
                Some((IngestVerdict::Known { .. }, _)) => known += 1,
                Some((IngestVerdict::Refused { why: reason }, _)) => {
                    refused += 1;
                    why.get_or_insert_with(|| reason.to_string());
                }
                None => refused += 1,
            }
        }
        let why = why.map_or_else(String::new, |why| format!(" (the first: {why})"));
        format!("took {on_trial} on trial, knew {known}, put {aside} aside, refused {refused}{why}")
    }

    /// Examine one parcel, and take it in where it may come in; none without a memory. Letters are heard in the turn that reaches their
    /// date, and mail is read before time passes: what was learnt by the end of this turn could be known. The blood on what was read from a
    /// grave is believed.
    pub(crate) fn take_parcel(&mut self, parcel: EquipParcel, grave: bool) -> Option<(IngestVerdict, Option<EntryId>)> {
        let (cloud, world) = (self.own_cloud(), self.world_at(self.state.core.age.after(self.state.core.interval)));
        self.take_parcel_in(parcel, grave, cloud.as_ref(), world)
    }

    fn world_at(&self, age: VirtualTime) -> Timestamp {
        LifeClock { zero: self.genesis.birth.born_at }.at(age)
    }

    /// How near its own knowledge is to itself, before anything else comes in.
    fn own_cloud(&self) -> Option<KnowledgeCloud> {
        self.grimoire.as_ref().map(|grimoire| KnowledgeCloud::of(grimoire.shelf(), grimoire.embedder()))
    }

    fn take_parcel_in(
        &mut self,
        parcel: EquipParcel,
        grave: bool,
        cloud: Option<&KnowledgeCloud>,
        world: Timestamp,
    ) -> Option<(IngestVerdict, Option<EntryId>)> {
        let (heir, line, now) = (self.genesis.birth.id, self.genesis.birth.lineage, self.state.core.age);
        let clock = LifeClock { zero: self.genesis.birth.born_at };
        let grimoire = self.grimoire.as_mut()?;
        let embedder = grimoire.embedder().clone();
        let (shelf, near) = grimoire.known();
        let (embedder, chain) = (&embedder, &self.turn.chain_said);
        let moment = IngestMoment { heir, line, now, world, shelf, near: &near, cloud: cloud?, embedder, chain };
        let (verdict, arrival) = if grave { parcel.examine_from_grave(&moment) } else { parcel.examine(&moment) };
        let entry = arrival.and_then(|arrival| {
            let (_, entry) = grimoire.take_in_vouched(arrival.entry, &arrival.vouched, now);
            let entry = entry?;
            grimoire.tell_beside(entry, told_beside(&arrival.passport, clock, None));
            let handed = HandedPassport { entry, passport: arrival.passport, validations: parcel.validations };
            grimoire.keep(NamedTable::Passport, entry.to_string(), &handed);
            Some(entry)
        });
        Some((verdict, entry))
    }
}
