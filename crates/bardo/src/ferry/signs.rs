//! How a golem is, read from its file: short reads, so that nobody who looks keeps it from living.

use crate::home::{Home, Place};
use crate::library::visit;
use crate::stored;
use golem_clade::kin::GraveLetter;
use golem_clade::kin::scent::stains;
use golem_clade::library::EquipParcel;
use golem_clade::library::LibraryVisitor;
use golem_clade::provenance::TravellingEntry;
use golem_core::{Hash, VirtualTime};
use golem_ferry::{BackupTaken, GraveSaid, LivingSigns, PassengerSigns};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, Provenance};
use golem_life::LifeStanding;
use golem_mortality::GolemMode;
use golem_runtime::Reader;
use styx_wire::PulseTerms;

const DAY_MS: f64 = 86_400_000.0;

pub struct FileSigns {
    pub home: Home,
    pub place: Place,
    pub terms: PulseTerms,
}

impl PassengerSigns for FileSigns {
    fn living(&self) -> Option<LivingSigns> {
        let row = Reader::open(&self.place.dir).ok()?.status().ok()??;
        let status = stored::parse(&row.body).ok()?;
        Some(LivingSigns {
            tick: row.tick,
            at: VirtualTime((status.age_days * DAY_MS) as u64),
            phase: status.phase.to_string(),
            vitality: (status.vitality.composite.clamp(0.0, 1.0) * 1_000.0) as u16,
            terms: self.terms,
            dreaming: status.mode == GolemMode::Dreaming,
            dead: row.standing.is_final(),
        })
    }

    /// Its cause, where it bled, and what its siblings may read of it; none before its last word.
    fn grave(&self) -> Option<GraveSaid> {
        let reader = Reader::open(&self.place.dir).ok()?;
        let row = reader.status().ok()?.filter(|row| row.standing == LifeStanding::Dead)?;
        let status = stored::parse(&row.body).ok()?;
        let death = status.death?;
        let testament = golem_home::testament::stored(&reader).ok()?;
        let seen = visit(&self.place, &self.home).ok()?;
        let mut own: Vec<&Entry> = seen.entries.iter().filter(|e| e.body.blood() == Some(self.place.id)).collect();
        own.sort_by_key(|e| (std::cmp::Reverse(e.standing.confidence_bp), e.id));
        let mut shelf = Shelf::default();
        for entry in &seen.entries {
            shelf.add(entry.clone());
        }
        let letter = GraveLetter {
            name: self.place.name.to_string(),
            cause: death.cause.name().to_owned(),
            vitality: (death.final_vitality.composite.clamp(0.0, 1.0) * 1_000.0) as u16,
            calendar: seen.calendar.clone(),
            at: seen.clock.at(death.age),
            blood: own.iter().map(|entry| parcel(entry, &shelf, &seen)).collect(),
        };
        Some(GraveSaid {
            generation: seen.lineage.generation,
            tick: death.tick,
            at: death.age,
            testament: testament.map(|left| Hash::of(golem_core::plain::json(&left).as_bytes())).unwrap_or_default(),
            marks: stains(&death.cause, own.into_iter()),
            letter,
        })
    }

    /// Everything that it believes, as it would hand it to a sibling: the surest first.
    fn backup(&self) -> Option<BackupTaken> {
        let seen = visit(&self.place, &self.home).ok()?;
        let mut shelf = Shelf::default();
        for entry in &seen.entries {
            shelf.add(entry.clone());
        }
        let mut known: Vec<_> = shelf.in_use().filter(|e| !e.body.is_question).collect();
        known.sort_by_key(|e| (std::cmp::Reverse(e.standing.confidence_bp), e.id));
        let mut lines = Vec::new();
        for entry in known {
            lines.push(serde_json::to_string(&parcel(entry, &shelf, &seen)).ok()?);
        }
        let at = seen.clock.age_at(seen.now);
        Some(BackupTaken { tick: seen.tick, at, clear: lines.join("\n").into_bytes() })
    }
}

/// An entry as its golem would hand it to a sibling.
fn parcel(entry: &Entry, shelf: &Shelf, seen: &LibraryVisitor) -> EquipParcel {
    let passport = seen.passports.present(entry, shelf, &seen.lineage, seen.clock);
    let foreign = Foreign { body: entry.body.clone(), standing: entry.standing.clone() };
    EquipParcel {
        entry: TravellingEntry { entry: foreign, passport },
        channel: Provenance::Clade,
        from: Some((seen.lineage.clone(), seen.now)),
        validations: Vec::new(),
    }
}
