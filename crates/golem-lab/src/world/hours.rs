//! A path that has been played out hour by hour before anybody lives on it: every arm of an experiment finds the same hours, and
//! nobody pays for making them twice. The pool takes one step an hour.

use super::saved;
use golem_core::door::World;
use golem_core::{Elapsed, Hash, RawObservation, Timestamp, VirtualTime, plain};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Seconds of an hour.
pub const HOUR_S: u64 = 3_600;

/// Hours that were played, and which of them was looked at last.
#[derive(Debug, Clone)]
pub struct PlayedHours {
    epoch: Timestamp,
    hours: Arc<Vec<RawObservation>>,
    fingerprint: Hash,
    place: HourPlace,
}

/// Where it was looked at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct HourPlace {
    hour: u64,
}

impl PlayedHours {
    /// Play so many hours of a world; fewer where it ends before.
    #[must_use]
    pub fn of(mut world: impl World, hours: u64) -> Self {
        let at = |hour: u64| VirtualTime::default().after(Elapsed::secs(hour * HOUR_S));
        let seen: Vec<RawObservation> = (0..=hours).map_while(|hour| world.observe(at(hour))).collect();
        Self::new(world.epoch(), seen)
    }

    /// These hours.
    #[must_use]
    pub fn new(epoch: Timestamp, hours: Vec<RawObservation>) -> Self {
        let numbers = |o: &RawObservation| [o.price, o.gas_gwei, o.fee_yield, o.volume, o.lead_price];
        let all: Vec<_> = hours.iter().map(|o| (numbers(o), o.protocol)).collect();
        let fingerprint = Hash::of(&plain::bytes(&("hours 1", epoch, all)));
        Self { epoch, hours: Arc::new(hours), fingerprint, place: HourPlace { hour: 0 } }
    }

    /// The same hours under another calendar.
    #[must_use]
    pub fn dated(self, epoch: Timestamp) -> Self {
        Self::new(epoch, self.hours.to_vec())
    }

    /// What there was to see, hour by hour.
    #[must_use]
    pub fn hours(&self) -> &[RawObservation] {
        &self.hours
    }

    /// What tells these hours from any other.
    #[must_use]
    pub fn fingerprint(&self) -> Hash {
        self.fingerprint
    }
}

impl World for PlayedHours {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        let hour = age.0 / Elapsed::secs(HOUR_S).0;
        let seen = self.hours.get(usize::try_from(hour).ok()?)?;
        self.place.hour = hour;
        Some(*seen)
    }
    fn epoch(&self) -> Timestamp {
        self.epoch
    }
    fn natural_interval_s(&self) -> Option<u64> {
        Some(HOUR_S)
    }
    fn ends_at(&self) -> Option<VirtualTime> {
        let last = (self.hours.len() as u64).saturating_sub(1);
        Some(VirtualTime::default().after(Elapsed::secs(last * HOUR_S)))
    }
    fn save(&self) -> Vec<u8> {
        saved::seal(self.fingerprint, &self.place)
    }
    fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let place: HourPlace = saved::open(self.fingerprint, bytes)?;
        if place.hour >= self.hours.len() as u64 {
            return Err("the saved world is damaged: it points behind its last hour".into());
        }
        self.place = place;
        Ok(())
    }
}
