//! Hands that can be asked afterwards: what the loop needs of a door so that no effect happens twice.

use golem_core::intent::{Holdings, Outcome, Refusal};
use golem_core::{Intent, Observation, Receipt, Usdc};
use golem_life::door::Hands;

/// What the world says about an effect that was committed before a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconciled {
    /// It happened, or was refused for good.
    Settled(Receipt),
    /// It never left this machine, and nothing that was sent can still land: it may be carried out now.
    NeverSent,
    /// It may still land. The golem takes no turn until this is known.
    Unknown,
}

/// Hands that know an effect by its key.
pub trait KeyedHands: Hands {
    /// Carry out an intent that was committed under this key (if the hands are external). The same key is never passed
    /// again once [`KeyedHands::reconcile`] has settled it.
    fn act_keyed(&mut self, key: &str, intent: &Intent, holdings: &Holdings, seen: &Observation) -> Receipt;
    /// What came of the effect with this key. Asked after a crash between commit and receipt.
    fn reconcile(&mut self, key: &str, intent: &Intent) -> Reconciled;
}

/// Hands that stay inside this process: an effect that was not committed did not happen.
#[derive(Debug, Clone)]
pub struct InProcess<H>(pub H);

impl<H: Hands> Hands for InProcess<H> {
    fn is_external(&self) -> bool {
        self.0.is_external()
    }
    fn act(&mut self, intent: &Intent, holdings: &Holdings, seen: &Observation) -> Receipt {
        self.0.act(intent, holdings, seen)
    }
}

impl<H: Hands> KeyedHands for InProcess<H> {
    fn act_keyed(&mut self, _key: &str, intent: &Intent, holdings: &Holdings, seen: &Observation) -> Receipt {
        self.0.act(intent, holdings, seen)
    }
    /// Hands that say they are external and cannot be asked leave the question open rather than act twice.
    fn reconcile(&mut self, _key: &str, _intent: &Intent) -> Reconciled {
        if self.0.is_external() { Reconciled::Unknown } else { Reconciled::NeverSent }
    }
}

/// The receipt of an intent that the loop itself kept from the world.
pub(crate) fn withheld(intent: Intent) -> Receipt {
    Receipt { intent, outcome: Outcome::Refused { why: Refusal::Withheld }, gas: Usdc::ZERO }
}
