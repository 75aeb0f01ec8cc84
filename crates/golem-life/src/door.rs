//! The doors a life looks through: a world to see and hands to act with. Implementations live in other rooms.

use golem_core::intent::Holdings;
use golem_core::{Intent, Observation, RawObservation, Receipt, Timestamp, VirtualTime};

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
    /// What [`World::restore`] needs to go on from here.
    fn save(&self) -> Vec<u8>;
    /// Go on from a saved state. `Err` says why the bytes do not fit this world.
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
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
    fn save(&self) -> Vec<u8> {
        (**self).save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        (**self).restore(saved)
    }
}

/// Hands that carry intents out.
pub trait Hands: Send {
    /// True when acting changes something outside this process: then the intent is committed first.
    fn is_external(&self) -> bool;
    /// Carry it out. The world may say no; that is a receipt too.
    fn act(&mut self, intent: &Intent, holdings: &Holdings, seen: &Observation) -> Receipt;
}
