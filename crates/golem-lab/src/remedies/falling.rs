//! A market that falls day by day, whatever else it does: whoever goes on as ever loses again and again.

use crate::world::Synthetic;
use golem_core::door::World;
use golem_core::{RawObservation, Timestamp, VirtualTime};

/// A synthetic market with a steady fall beneath it.
pub(super) struct FallingMarket {
    pub(super) market: Synthetic,
    /// By how much the log price falls in a day.
    pub(super) per_day: f64,
}

impl World for FallingMarket {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        let seen = self.market.observe(age)?;
        let left = libm::exp(-self.per_day * age.age().as_days());
        Some(RawObservation { price: seen.price.map(|p| p * left), ..seen })
    }
    fn epoch(&self) -> Timestamp {
        self.market.epoch()
    }
    fn natural_interval_s(&self) -> Option<u64> {
        self.market.natural_interval_s()
    }
    fn save(&self) -> Vec<u8> {
        self.market.save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.market.restore(saved)
    }
}
