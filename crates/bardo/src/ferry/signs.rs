//! How a golem is, read from its file: short reads, so that nobody who looks keeps it from living.

use crate::home::{Home, Place};
use crate::library::visit;
use crate::stored;
use golem_clade::library::EquipParcel;
use golem_clade::provenance::TravellingEntry;
use golem_core::VirtualTime;
use golem_ferry::{BackupTaken, LivingSigns, PassengerSigns};
use golem_grimoire::Provenance;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::shelf::Shelf;
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
            let passport = seen.passports.present(entry, &shelf, &seen.lineage, seen.clock);
            let foreign = Foreign { body: entry.body.clone(), standing: entry.standing.clone() };
            let parcel = EquipParcel {
                entry: TravellingEntry { entry: foreign, passport },
                channel: Provenance::Clade,
                from: Some((seen.lineage.clone(), seen.now)),
                validations: Vec::new(),
            };
            lines.push(serde_json::to_string(&parcel).ok()?);
        }
        let at = seen.clock.age_at(seen.now);
        Some(BackupTaken { tick: seen.tick, at, clear: lines.join("\n").into_bytes() })
    }
}
