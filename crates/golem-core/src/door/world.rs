//! The door a life looks through.

use crate::{RawObservation, Timestamp, VirtualTime};

/// A stretch of a world's past that is over, as bytes from which the world makes it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRow {
    /// The number under which it is kept: later stretches have larger ones.
    pub place: u64,
    pub body: Vec<u8>,
}

/// A world that can be observed. It must answer the same for the same question, also after `restore`.
pub trait World: Send {
    /// What there is to see at this age of the golem, or `None` when the world has ended (recorded history ran out).
    /// Ages are asked for in ascending order.
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation>;
    /// Calendar time at which the golem was born into it.
    fn epoch(&self) -> Timestamp;
    /// Seconds of virtual time between two turns that suit this world, if it has an opinion (one turn per bar).
    fn natural_interval_s(&self) -> Option<u64> {
        None
    }
    /// How far it goes, if it ends.
    fn ends_at(&self) -> Option<VirtualTime> {
        None
    }
    /// True when it is the present of somebody else's world: then it is not asked again for what is past.
    fn is_live(&self) -> bool {
        false
    }
    /// What [`World::restore`] needs to go on from here.
    fn save(&self) -> Vec<u8>;
    /// Go on from a saved state. `Err` says why the bytes do not fit this world.
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
    /// Stretches of its past that are over since it was last asked: whoever keeps its state keeps them for good.
    fn hand_over(&mut self) -> Vec<PastRow> {
        Vec::new()
    }
}

impl<W: World + ?Sized> World for Box<W> {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        (**self).observe(age)
    }
    fn epoch(&self) -> Timestamp {
        (**self).epoch()
    }
    fn natural_interval_s(&self) -> Option<u64> {
        (**self).natural_interval_s()
    }
    fn ends_at(&self) -> Option<VirtualTime> {
        (**self).ends_at()
    }
    fn is_live(&self) -> bool {
        (**self).is_live()
    }
    fn save(&self) -> Vec<u8> {
        (**self).save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        (**self).restore(saved)
    }
    fn hand_over(&mut self) -> Vec<PastRow> {
        (**self).hand_over()
    }
}
