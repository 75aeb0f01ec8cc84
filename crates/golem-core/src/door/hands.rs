//! The door a life acts through: hands, and hands that can be asked afterwards, so that no effect happens twice.

use super::{Amended, ClaimReply, ClaimRequest, EffectKey, ForkFailure, ForkReply, ForkRequest, Reconciled};
use crate::intent::{Holdings, Refusal};
use crate::{Hash, Intent, Preview, Receipt, Tick};

/// Hands that carry intents out, each under a permit `P` that is used up by it.
pub trait Hands<P>: Send {
    /// True when acting changes something outside this process: then the intent is committed first.
    fn is_external(&self) -> bool;
    /// What these intents would do now, one after another, on a copy of the world that is thrown away. One preview each.
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview>;
    /// Carry one out in this turn: a permit that has expired by then is no longer one. The world may say no; that is a
    /// receipt too.
    fn act(&mut self, now: Tick, preview: &Preview, permit: P) -> Receipt;
    /// Do again what a committed turn did, after a restart: only for hands whose world lives in this process and was
    /// brought back to where it stood before. `Err` says how it came out differently.
    ///
    /// # Errors
    /// When the world does not do the same again.
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String>;
    /// What would come of things that are tried on copies of the chain. A pure look: nothing outside a copy changes, and
    /// the same question gets the same answer as long as nothing has happened.
    fn try_on_fork(&mut self, request: &ForkRequest, _holdings: &Holdings) -> ForkReply {
        request.unanswered(ForkFailure::NoChain)
    }
    /// Whether what is said of the chain is so. A pure look, like the one before.
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        request.unanswered()
    }
}

impl<P, H: Hands<P> + ?Sized> Hands<P> for Box<H> {
    fn is_external(&self) -> bool {
        (**self).is_external()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        (**self).preview(wishes, holdings)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: P) -> Receipt {
        (**self).act(now, preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        (**self).redo(preview, receipt, holdings)
    }
    fn try_on_fork(&mut self, request: &ForkRequest, holdings: &Holdings) -> ForkReply {
        (**self).try_on_fork(request, holdings)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        (**self).bear_out(request)
    }
}

/// Hands that know an effect by its key.
pub trait KeyedHands<P>: Hands<P> {
    /// Carry out what was committed under this key (if the hands are external), now: in its own turn, or as many turns
    /// later as a crash took. The same key is never passed again once it has been settled.
    fn act_keyed(&mut self, key: EffectKey, now: Tick, preview: &Preview, permit: P) -> Reconciled;
    /// What came of the effect with this key. Asked after a crash between commit and receipt.
    fn reconcile(&mut self, key: EffectKey, preview: &Preview) -> Reconciled;
    /// A turn is about to carry out its effects: it is on disk, on top of the turn with this head, and this is what the
    /// golem had then. Said once before the first effect, also by whoever finishes the turn after a crash.
    fn opening(&mut self, _head: &Hash, _holdings: &Holdings) {}
    /// Where that stands on which its effects rest, as text to be kept in the golem's file; nothing when they rest on
    /// nothing that could be lost by itself.
    fn anchor(&mut self) -> Option<String> {
        None
    }
    /// The golem's turns up to now are on disk: what they rest on may be written too.
    fn written(&mut self) {}
    /// Do again what was recorded under this key, on a chain that is made anew.
    ///
    /// # Errors
    /// In what it ends otherwise than recorded.
    fn redo_keyed(
        &mut self,
        _key: EffectKey,
        preview: &Preview,
        receipt: &Receipt,
        holdings: &Holdings,
    ) -> Result<(), String> {
        self.redo(preview, receipt, holdings)
    }
    /// What the chain says differently now about effects that were settled. Asked once a turn; each is told once.
    fn amended(&mut self) -> Vec<Amended> {
        Vec::new()
    }
}

impl<P, H: KeyedHands<P> + ?Sized> KeyedHands<P> for Box<H> {
    fn act_keyed(&mut self, key: EffectKey, now: Tick, preview: &Preview, permit: P) -> Reconciled {
        (**self).act_keyed(key, now, preview, permit)
    }
    fn reconcile(&mut self, key: EffectKey, preview: &Preview) -> Reconciled {
        (**self).reconcile(key, preview)
    }
    fn opening(&mut self, head: &Hash, holdings: &Holdings) {
        (**self).opening(head, holdings);
    }
    fn anchor(&mut self) -> Option<String> {
        (**self).anchor()
    }
    fn written(&mut self) {
        (**self).written();
    }
    fn redo_keyed(
        &mut self,
        key: EffectKey,
        preview: &Preview,
        receipt: &Receipt,
        holdings: &Holdings,
    ) -> Result<(), String> {
        (**self).redo_keyed(key, preview, receipt, holdings)
    }
    fn amended(&mut self) -> Vec<Amended> {
        (**self).amended()
    }
}

/// Hands that stay inside this process: an effect that was not committed did not happen.
#[derive(Debug, Clone)]
pub struct InProcess<H>(pub H);

impl<P, H: Hands<P>> Hands<P> for InProcess<H> {
    fn is_external(&self) -> bool {
        self.0.is_external()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        self.0.preview(wishes, holdings)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: P) -> Receipt {
        self.0.act(now, preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        self.0.redo(preview, receipt, holdings)
    }
    fn try_on_fork(&mut self, request: &ForkRequest, holdings: &Holdings) -> ForkReply {
        self.0.try_on_fork(request, holdings)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        self.0.bear_out(request)
    }
}

impl<P, H: Hands<P>> KeyedHands<P> for InProcess<H> {
    fn act_keyed(&mut self, _key: EffectKey, now: Tick, preview: &Preview, permit: P) -> Reconciled {
        Reconciled::Settled(Box::new(self.0.act(now, preview, permit)))
    }
    /// Hands that say they are external and cannot be asked leave the question open rather than act twice.
    fn reconcile(&mut self, _key: EffectKey, _preview: &Preview) -> Reconciled {
        if self.0.is_external() { Reconciled::Unknown } else { Reconciled::NeverSent }
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
    fn act(&mut self, _now: Tick, preview: &Preview, _: P) -> Receipt {
        Receipt::kept_back(preview.intent, Refusal::NoMarket)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Ok(())
    }
}
