//! The hands on somebody's chain: what sends, what signs, and under which key.

use super::pen::{Inked, Pen};
use super::sender::Sender;
use super::step::ChainStep;
use alloy_consensus::TxEip1559;
use alloy_primitives::Address;
use golem_core::door::EffectKey;
use golem_core::{Action, Homeward};
use golem_venue::VenueError;
use golem_wallet::{Caps, Signer};

/// The most gas that anything here is sent with.
pub const MOST_GAS: u64 = 3_000_000;

/// What sends and signs for one account.
pub struct AccountHands {
    pub(super) sender: Sender,
    pub(super) signer: Signer,
    pub(super) under: Option<Under>,
    /// Where money goes home to: the signer's own word.
    pub(super) home: Option<Homeward>,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Under {
    /// The intent's key.
    pub(super) key: EffectKey,
    /// The next of its steps.
    pub(super) next: u32,
    /// True when nothing new may be begun.
    pub(super) only_follow: bool,
}

impl AccountHands {
    /// Hands that send and sign.
    #[must_use]
    pub fn new(sender: Sender, signer: Signer) -> Self {
        let home = signer.home();
        Self { sender, signer, under: None, home }
    }
    /// What sends.
    pub fn sender(&mut self) -> &mut Sender {
        &mut self.sender
    }
    /// The account.
    #[must_use]
    pub fn account(&self) -> Address {
        self.signer.address()
    }
    /// The next step of the key, if it was signed before.
    pub(super) fn recorded(&mut self) -> Result<Option<ChainStep>, VenueError> {
        let Some(under) = &self.under else { return Ok(None) };
        self.sender.record.step(under.key, under.next)
    }
    /// The sender, and the pen for the parts of an action; without one, for what moves nothing.
    pub(super) fn both(&mut self, action: Option<Action>, caps: Caps) -> (&mut Sender, PermitPen<'_>) {
        (&mut self.sender, PermitPen { signer: &self.signer, action, caps })
    }
}

/// A pen that signs what an admitted permit covers.
pub(super) struct PermitPen<'a> {
    signer: &'a Signer,
    action: Option<Action>,
    caps: Caps,
}

impl Pen for PermitPen<'_> {
    fn account(&self) -> Address {
        self.signer.address()
    }
    fn sign(&mut self, tx: TxEip1559) -> Result<Inked, String> {
        let signed = match &self.action {
            Some(action) => self.signer.sign(action, tx, &self.caps),
            None => self.signer.sign_harmless(tx, &self.caps),
        };
        signed.map(|s| Inked { hash: s.hash, raw: s.raw }).map_err(|e| e.to_string())
    }
    fn sign_cancel(&mut self, tx: TxEip1559) -> Result<Inked, String> {
        let signed = self.signer.sign_harmless(tx, &self.caps);
        signed.map(|s| Inked { hash: s.hash, raw: s.raw }).map_err(|e| e.to_string())
    }
}
