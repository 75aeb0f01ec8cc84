//! The turn: calls the rooms in order, and nothing else.

mod being;
mod consider;
pub mod door;
mod drift;
mod dying;
pub mod fact;
mod feeling;
mod first_half;
mod gating;
pub mod heartbeat;
pub mod input;
mod knowing;
mod lending;
pub mod life;
mod observed;
mod orders;
pub mod portfolio;
mod second_half;
pub mod settings;
pub mod status;
pub mod step;
mod thinking;
pub mod turn;
mod weighing;

pub use fact::{Fact, LifeFact};
pub use input::{Amended, Ask, Order, Record, TickInput};
pub use life::{Genesis, Life};
pub use settings::Settings;
pub use status::{Point, Status};
pub use step::{Answer, EmbedReply, EmbedRequest, Page, Question, Step};
pub use turn::{Reply, Standing, TurnEnd, Word};

use golem_core::Hash;
use golem_core::fact::{Envelope, FactBody};
use golem_core::intent::Holdings;
use golem_core::{Preview, Receipt, Tick, VirtualTime};
use golem_grimoire::{Change, Remembered};
use serde::Serialize;

/// A life as the loop sees it: the halves of a turn with a verdict between them, a digest, a saved form. `golem-life`'s own `Life` is the real
/// one; the loop is generic so that its own tests can drive a tiny one.
pub trait Being: Sized + Send {
    /// The facts it emits.
    type Fact: FactBody + Send;
    /// What readers in other processes see of it between turns.
    type Status: Serialize;
    /// A point of the downsampled series.
    type Point: Serialize + From<Self::Status>;
    /// What it is born with besides the sealed secret: birth record and settings.
    type Genesis: Clone + Send;
    /// What lets hands act once.
    type Permit: Send;

    /// A newborn.
    fn born(genesis: &Self::Genesis, secret: &golem_core::Secret) -> Self;
    /// First half: sense, settle, predict, decide. Asks what it must know, and says in the end what it wants; each wish is
    /// previewed next.
    fn begin(&mut self, input: &TickInput, facts: &mut Vec<Envelope<Self::Fact>>) -> Step;
    /// The first half goes on with the answer to what it asked.
    fn answered(&mut self, _answer: &Answer, _facts: &mut Vec<Envelope<Self::Fact>>) -> Step {
        Step::Wishes(Vec::new())
    }
    /// The verdict on its wishes, once it is known what each would do: a permit, or nothing. Only called after a first
    /// half that wanted something, with one preview per wish.
    fn consider(&mut self, previews: &[Preview], facts: &mut Vec<Envelope<Self::Fact>>) -> Vec<Option<Self::Permit>>;
    /// Second half: take receipts, one per wish, reflect, run the lifespan.
    fn finish(&mut self, receipts: &[Receipt], facts: &mut Vec<Envelope<Self::Fact>>) -> TurnEnd;
    /// What the turn that ended has changed in memory: rows for the file, handed over once.
    fn changes(&mut self) -> Vec<Change> {
        Vec::new()
    }
    /// The page it keeps for people, when it is newer than a revision.
    fn page(&self, _newer_than: u64) -> Option<Page> {
        None
    }
    /// Whether a text is a page that it wrote itself, now or earlier, and that nobody has changed since.
    fn wrote(&self, _text: &str) -> bool {
        false
    }
    /// What hands need to know before an intent is carried out.
    fn holdings(&self) -> Holdings;
    /// The last finished turn.
    fn tick(&self) -> Tick;
    /// Virtual age at the next turn: what the world is asked for.
    fn next_age(&self) -> VirtualTime;
    /// Whether there will be another turn.
    fn standing(&self) -> Standing;
    /// Hash over the state, room by room; a room that is off adds nothing.
    fn digest(&self) -> Hash;
    /// What readers see.
    fn status(&self) -> Self::Status;
    /// The whole state as bytes.
    fn save(&self) -> Vec<u8>;
    /// The state from bytes and from what the file remembers of the same turn; `Err` says why they do not fit.
    fn restore(
        genesis: &Self::Genesis,
        secret: &golem_core::Secret,
        saved: &[u8],
        memory: Remembered,
    ) -> Result<Self, String>;
}
