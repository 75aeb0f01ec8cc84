//! The doors a life looks through: a world to see and hands to act with. Implementations live in other rooms.

use crate::step::{EmbedReply, EmbedRequest};
use golem_core::intent::{Holdings, Refusal};
use golem_core::model::{ModelAnswer, ModelFailure, ModelReply, ModelRequest};
use golem_core::{Intent, Preview, RawObservation, Receipt, Timestamp, Usdc, VirtualTime};

/// A stretch of a world's past that is over, as bytes from which the world makes it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRow {
    /// The number under which it is kept: later stretches have larger ones.
    pub place: u64,
    /// What the world needs of it.
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

/// Hands that carry intents out, each under a permit `P` that is used up by it.
pub trait Hands<P>: Send {
    /// True when acting changes something outside this process: then the intent is committed first.
    fn is_external(&self) -> bool;
    /// What these intents would do now, one after another, on a copy of the world that is thrown away. One preview each.
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview>;
    /// Carry one out. The world may say no; that is a receipt too.
    fn act(&mut self, preview: &Preview, permit: P) -> Receipt;
    /// Do again what a committed turn did, after a restart: only for hands whose world lives in this process and was
    /// brought back to where it stood before. `Err` says how it came out differently.
    ///
    /// # Errors
    /// When the world does not do the same again.
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String>;
}

impl<P, H: Hands<P> + ?Sized> Hands<P> for Box<H> {
    fn is_external(&self) -> bool {
        (**self).is_external()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        (**self).preview(wishes, holdings)
    }
    fn act(&mut self, preview: &Preview, permit: P) -> Receipt {
        (**self).act(preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        (**self).redo(preview, receipt, holdings)
    }
}

/// Language models and embedders that are not part of the golem.
pub trait Models: Send {
    /// Ask. Whatever goes wrong is an answer too.
    fn ask(&mut self, request: &ModelRequest) -> ModelReply;
    /// Texts as vectors, where they can be made.
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply;
    /// What vectors can cost at most, for when nobody lives to see the bill.
    fn worst(&self, request: &EmbedRequest) -> Usdc {
        request.max_cost
    }
}

/// No models: nothing is ever answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModels;

impl Models for NoModels {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let answer = ModelAnswer::Nothing { why: ModelFailure::NoProvider };
        ModelReply { request: request.hash(), answer, attempts: Vec::new() }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}

/// Hands of a golem that has no venue: every wish is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Idle;

impl<P> Hands<P> for Idle {
    fn is_external(&self) -> bool {
        false
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        wishes.iter().map(|wish| Preview::refused(*wish, Refusal::NoMarket)).collect()
    }
    fn act(&mut self, preview: &Preview, _: P) -> Receipt {
        Receipt::kept_back(preview.intent, Refusal::NoMarket)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Ok(())
    }
}
