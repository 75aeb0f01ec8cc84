//! Nothing comes from the future: what an heir may know at a moment is what somebody had learnt by then, in world time,
//! whenever the heir was told.
//!
//! The grimoire cuts by the heir's own age. Inherited entries arrive at that age, but may have been learnt later in the world,
//! as when an heir of 2023 relives 2022; this cut goes by their passports.

use crate::provenance::{PassportBook, TravellingEntry};
use crate::world_time::LifeClock;
use golem_core::{Timestamp, VirtualTime};
use golem_grimoire::retrieval::{KnownEntry, Library};

/// Split what travels into what had been learnt by a time, and what has to wait until then.
#[must_use]
pub fn known_by(entries: &[TravellingEntry], world: Timestamp) -> (Vec<&TravellingEntry>, Vec<&TravellingEntry>) {
    entries.iter().partition(|e| e.passport.times.learnt <= world)
}

/// A library that gives nothing from the future: of what is inherited, only what its first learner had learnt by the time asked
/// about, and what still held then.
#[derive(Clone, Copy)]
pub struct InheritedLibrary<'a, L> {
    /// What is known.
    pub library: &'a L,
    /// Where it came from.
    pub book: &'a PassportBook,
    /// When the heir's life began.
    pub clock: LifeClock,
}

impl<L: Library> Library for InheritedLibrary<'_, L> {
    fn as_of<'b>(&'b self, t: VirtualTime, give: &mut dyn FnMut(KnownEntry<'b>)) {
        let world = self.clock.at(t);
        self.library.as_of(t, &mut |known| {
            if self.book.arrived(known.id).is_none_or(|passport| passport.times.known_at(world)) {
                give(known);
            }
        });
    }
}
