//! Hands that can be asked afterwards: what the loop needs of a door so that no effect happens twice.

use golem_core::intent::Holdings;
use golem_core::{Intent, Preview, Receipt};
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
