//! Hands that can be asked afterwards: what the loop needs of a door so that no effect happens twice.

use golem_core::intent::Holdings;
use golem_core::{Hash, Intent, Preview, Receipt};
use golem_life::Amended;
use golem_life::door::Hands;

/// What the world says about an effect that was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciled {
    /// It happened, or was refused for good.
    Settled(Box<Receipt>),
    /// It never left this machine, and nothing that was sent can still land: it may be carried out now.
    NeverSent,
    /// It may still land. The golem takes no turn until this is known.
    Unknown,
}

/// Hands that know an effect by its key.
pub trait KeyedHands<P>: Hands<P> {
    /// Carry out what was committed under this key (if the hands are external). The same key is never passed again once
    /// it has been settled.
    fn act_keyed(&mut self, key: &str, preview: &Preview, permit: P) -> Reconciled;
    /// What came of the effect with this key. Asked after a crash between commit and receipt.
    fn reconcile(&mut self, key: &str, preview: &Preview) -> Reconciled;
    /// A turn is about to carry out its effects: it is on disk, on top of the turn with this head, and this is what the
    /// golem had then. Said once before the first effect, also by whoever finishes the turn after a crash.
    fn opening(&mut self, _head: &Hash, _holdings: &Holdings) {}
    /// Where that stands on which its effects rest, as text to be kept in the golem's file; nothing when they rest on
    /// nothing that could be lost by itself.
    fn footing(&mut self) -> Option<String> {
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
        _key: &str,
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
    fn act_keyed(&mut self, key: &str, preview: &Preview, permit: P) -> Reconciled {
        (**self).act_keyed(key, preview, permit)
    }
    fn reconcile(&mut self, key: &str, preview: &Preview) -> Reconciled {
        (**self).reconcile(key, preview)
    }
    fn opening(&mut self, head: &Hash, holdings: &Holdings) {
        (**self).opening(head, holdings);
    }
    fn footing(&mut self) -> Option<String> {
        (**self).footing()
    }
    fn written(&mut self) {
        (**self).written();
    }
    fn redo_keyed(
        &mut self,
        key: &str,
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
    fn act(&mut self, preview: &Preview, permit: P) -> Receipt {
        self.0.act(preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        self.0.redo(preview, receipt, holdings)
    }
}

impl<P, H: Hands<P>> KeyedHands<P> for InProcess<H> {
    fn act_keyed(&mut self, _key: &str, preview: &Preview, permit: P) -> Reconciled {
        Reconciled::Settled(Box::new(self.0.act(preview, permit)))
    }
    /// Hands that say they are external and cannot be asked leave the question open rather than act twice.
    fn reconcile(&mut self, _key: &str, _preview: &Preview) -> Reconciled {
        if self.0.is_external() { Reconciled::Unknown } else { Reconciled::NeverSent }
    }
}
