//! The floor as a golem sees it: the pool's price, what it pays, what gas costs, and what the golem's own things are worth.

use super::SharedFloor;
use super::chapter::Chapter;
use crate::venue::{Account, VenueError};
use golem_core::door::{PastRow, World};
use golem_core::plain;
use golem_core::{Book, Elapsed, RawObservation, Timestamp, VirtualTime};
use serde::{Deserialize, Serialize};

/// One golem's view of a floor.
pub struct FloorWorld {
    floor: SharedFloor,
    who: Account,
    /// The floor's tick at which the golem was born.
    joined: u64,
    /// Seconds between two turns, and the end, where the outside world has an opinion.
    interval_s: Option<u64>,
    ends_at: Option<VirtualTime>,
    /// USDC that had been traded on the floor at the last look.
    traded: Option<f64>,
}

/// What a golem's checkpoint keeps of a floor that does not keep itself.
#[derive(Serialize, Deserialize)]
struct SavedFloorWorld {
    traded: Option<f64>,
    floor: Option<SavedFloor>,
}

/// A floor, and the chapter that was being lived on it.
#[derive(Serialize, Deserialize)]
struct SavedFloor {
    ground: Vec<u8>,
    state: Vec<u8>,
    chapter: Option<Chapter>,
}

impl FloorWorld {
    /// The view of an account that joined at a tick.
    #[must_use]
    pub fn new(floor: SharedFloor, who: Account, joined: u64) -> Self {
        Self { floor, who, joined, interval_s: None, ends_at: None, traded: None }
    }
    /// What the outside world would have said about turns and its end.
    #[must_use]
    pub fn like(mut self, interval_s: Option<u64>, ends_at: Option<VirtualTime>) -> Self {
        (self.interval_s, self.ends_at) = (interval_s, ends_at);
        self
    }

    fn look(&mut self, tick: u64) -> Result<Option<RawObservation>, VenueError> {
        let mut floor = self.floor.hold();
        if let Some(trouble) = &floor.trouble {
            return Err(trouble.clone());
        }
        if !floor.advance(tick)? {
            return Ok(None);
        }
        let Some(kept) = floor.seen(tick)? else {
            return Err(VenueError::Store(format!("nothing is known of step {tick}: a part of the chain is missing")));
        };
        // A golem that looks less often than the market steps has missed steps, but not their volume.
        let mut seen = kept.seen(self.traded.unwrap_or(kept.traded));
        let is_now = floor.last.as_ref().is_some_and(|last| last.tick == kept.tick);
        let book = if is_now { floor.ground.book(self.who)? } else { floor.fork_at(kept.point)?.book(self.who)? };
        seen.book = holds(&book).then_some(book);
        self.traded = Some(kept.traded);
        Ok(Some(seen))
    }
}

fn holds(book: &Book) -> bool {
    book.asset.0 > 0 || book.position.is_some()
}

impl World for FloorWorld {
    /// A chain that cannot go on has ended; the floor says what is wrong. Nobody lives on beside a chain that stands still.
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        let tick = self.joined.saturating_add(age.age().nominal_floor());
        match self.look(tick) {
            Ok(seen) => seen,
            Err(trouble) => {
                self.floor.hold().trouble = Some(trouble);
                None
            }
        }
    }
    fn epoch(&self) -> Timestamp {
        self.floor.hold().epoch.after(Elapsed::nominal(self.joined))
    }
    fn natural_interval_s(&self) -> Option<u64> {
        self.interval_s
    }
    fn ends_at(&self) -> Option<VirtualTime> {
        self.ends_at
    }
    fn save(&self) -> Vec<u8> {
        let floor = self.floor.hold();
        let ground = if floor.ground.keeps_itself() { None } else { floor.ground.save().ok() };
        let kept = |ground| SavedFloor { ground, state: floor.save(), chapter: floor.chapter.clone() };
        let saved = SavedFloorWorld { traded: self.traded, floor: ground.map(kept) };
        plain::bytes(&saved)
    }
    fn hand_over(&mut self) -> Vec<PastRow> {
        self.floor.hold().hand_over()
    }
    fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved: SavedFloorWorld =
            postcard::from_bytes(bytes).map_err(|e| format!("the saved world is damaged: {e}"))?;
        let mut floor = self.floor.hold();
        if let Some(SavedFloor { ground, state, chapter }) = saved.floor {
            if floor.ground.keeps_itself() {
                return Err("the saved world is of another kind of chain".into());
            }
            floor.restore(&state)?;
            floor.ground.restore(&ground)?;
            floor.chapter = chapter;
            floor.closed.clear();
            floor.waypoints.clear();
        }
        self.traded = saved.traded;
        Ok(())
    }
}
