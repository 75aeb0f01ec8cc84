//! Nothing comes from the future: what an heir may know at a moment is what somebody had learnt by then, in world time,
//! whenever the heir was told.
//!
//! The grimoire cuts by the heir's own age. Inherited entries arrive at that age, but may have been learnt later in the world,
//! as when an heir of 2023 relives 2022; so passports are put into the heir's own ages, and retrieval goes by those.

use crate::provenance::{Passport, TravellingEntry};
use crate::world_time::LifeClock;
use golem_core::Timestamp;
use golem_grimoire::retrieval::ToldBeside;

/// Split what travels into what had been learnt by a time, and what has to wait until then.
#[must_use]
pub fn known_by(entries: &[TravellingEntry], world: Timestamp) -> (Vec<&TravellingEntry>, Vec<&TravellingEntry>) {
    entries.iter().partition(|e| e.passport.times.learnt <= world)
}

/// When something could be known, in the ages of whoever was told, with what a testament says of it.
#[must_use]
pub fn told_beside(passport: &Passport, clock: LifeClock, passage: Option<&str>) -> ToldBeside {
    ToldBeside {
        known_from: clock.age_from(passport.times.learnt),
        known_until: passport.times.true_until.map(|until| clock.age_from(until)),
        passage: passage.map(ToOwned::to_owned),
    }
}
