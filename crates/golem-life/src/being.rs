//! A life as the loop that drives it sees it.

use crate::fact::Fact;
use crate::input::TickInput;
use crate::life::{Genesis, Life};
use crate::status::Status;
use crate::step::{Answer, Page, Step};
use crate::turn_end::{LifeStanding, TurnEnd};
use golem_cage::Permit;
use golem_core::fact::{Envelope, FactBody};
use golem_core::intent::Holdings;
use golem_core::plain::Pieces;
use golem_core::{Hash, Preview, Receipt, Secret, Tick, VirtualTime};
use golem_grimoire::{Change, Grimoire, Remembered};
use serde::Serialize;

/// A life as the loop sees it: the steps of a turn, a digest, a saved form. [`Life`] is the real one; the loop is generic so
/// that its own tests can drive a tiny one.
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
    fn born(genesis: &Self::Genesis, secret: &Secret) -> Self;
    /// Sense and decide. Asks what it must know, and says in the end what it wants; each wish is previewed next.
    fn begin(&mut self, input: &TickInput) -> Step;
    /// Deciding goes on with the answer to what it asked.
    fn answered(&mut self, _answer: &Answer) -> Step {
        Step::Wishes(Vec::new())
    }
    /// The verdict on its wishes, once it is known what each would do: a permit, or nothing. Only called when something is
    /// wanted, with one preview per wish.
    fn consider(&mut self, previews: &[Preview]) -> Vec<Option<Self::Permit>>;
    /// Take receipts, one per wish; reflect, and age.
    fn finish(&mut self, receipts: &[Receipt]) -> TurnEnd;
    /// The facts of the turn that is being lived, or was lived last, in their order. Whoever drives it takes them out; the
    /// next turn begins without any.
    fn facts(&mut self) -> &mut Vec<Envelope<Self::Fact>>;
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
    fn standing(&self) -> LifeStanding;
    /// Hash over the state, room by room; a room that is off adds nothing.
    fn digest(&self) -> Hash;
    /// What readers see.
    fn status(&self) -> Self::Status;
    /// The whole state as bytes.
    fn save(&self) -> Pieces;
    /// The state from bytes and from what the file remembers of the same turn; `Err` says why they do not fit.
    fn restore(genesis: &Self::Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String>;
}

impl Being for Life {
    type Fact = Fact;
    type Status = Status;
    type Point = crate::status::LifePoint;
    type Genesis = Genesis;
    type Permit = Permit;

    fn born(genesis: &Genesis, secret: &Secret) -> Self {
        Self::new(genesis, secret)
    }
    fn begin(&mut self, input: &TickInput) -> Step {
        self.begin_turn(input)
    }
    fn answered(&mut self, answer: &Answer) -> Step {
        self.go_on(answer)
    }
    fn consider(&mut self, previews: &[Preview]) -> Vec<Option<Permit>> {
        self.judge(previews)
    }
    fn finish(&mut self, receipts: &[Receipt]) -> TurnEnd {
        self.finish_turn(receipts)
    }
    fn facts(&mut self) -> &mut Vec<Envelope<Fact>> {
        &mut self.turn.facts
    }
    fn changes(&mut self) -> Vec<Change> {
        let mut changes = self.grimoire.as_mut().map(Grimoire::take_changes).unwrap_or_default();
        changes.append(&mut self.turn.rows);
        changes
    }
    fn page(&self, newer_than: u64) -> Option<Page> {
        let grimoire = self.grimoire.as_ref()?;
        let revision = u64::from(grimoire.playbook().revision());
        (revision > newer_than).then(|| Page { revision, text: grimoire.page() })
    }
    fn wrote(&self, text: &str) -> bool {
        self.grimoire.as_ref().is_none_or(|grimoire| grimoire.wrote(text))
    }
    fn holdings(&self) -> Holdings {
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.state.ledger.capital);
        Holdings { on_chain: self.on_chain(), ..holdings }
    }
    fn tick(&self) -> Tick {
        self.state.core.tick
    }
    fn next_age(&self) -> VirtualTime {
        self.state.core.age.after(self.state.core.interval)
    }
    fn standing(&self) -> LifeStanding {
        Life::standing(self)
    }
    fn digest(&self) -> Hash {
        crate::keep::digest(self)
    }
    fn status(&self) -> Status {
        Status::of(self)
    }
    fn save(&self) -> Pieces {
        crate::keep::save(self)
    }
    fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String> {
        crate::keep::restore(genesis, secret, saved, memory)
    }
}
