//! From the golem's outbox to the relay: letters become deltas, sealed and signed once and kept before they are sent, and each is
//! told until the relay has said that it keeps it.

use crate::crossing::{COPIED, Crossing};
use crate::dial::DialFault;
use crate::file::FerryFault;
use crate::wall::now_ms;
use golem_clade::kin::scent::scent_of;
use golem_clade::kin::{KinEnvelope, KinLetter, KinWord};
use golem_core::{Hash, VirtualTime};
use golem_life::Word;
use golem_runtime::{Letter, Outbox};
use styx_wire::limits::BATCH;
use styx_wire::seal::SEAL_BYTES;
use styx_wire::{
    Blob, ChainHead, DeltaHead, DeltaKind, DeltaReceipt, FieldScope, GolemFrame, PheromoneDeposit, PheromoneLayer,
    RefuseReason, RelayFrame, SignedDelta, WireSignature,
};

/// Letters that become deltas in one go.
const MOST: u32 = 64;
/// Bytes of bodies in one push: with all around them they fit a frame.
const PUSH_BYTES: usize = 40 * 1024;
/// The longest that a quota is waited for before it is tried again.
const LONGEST_WAIT_MS: u64 = 60_000;

impl Crossing {
    /// Make deltas of what the golem has to say since the last look, as far as its budgets go: what was signed and is not kept would hold
    /// up a warning behind it. What travels at once goes first. Says how many.
    pub(crate) fn embark(&mut self) -> Result<usize, DialFault> {
        if self.buried || self.file.waiting().map_err(|e| DialFault::File(e.to_string()))? > 0 {
            return Ok(0);
        }
        let outbox = Outbox::open(&self.passenger.dir).map_err(|e| DialFault::File(e.to_string()))?;
        let failed = |e: golem_runtime::Error| DialFault::File(e.to_string());
        let (mut made, mut looked) = (Vec::new(), false);
        self.held_back = false;
        for row in outbox.letters_after(self.state.urgent, ["peer", "alert"], MOST).map_err(failed)? {
            if !self.purses.may(true) {
                self.held_back = true;
                break;
            }
            (self.state.urgent, looked) = (row.id, true);
            // What cannot be read is nobody's to tell.
            if let Some(said) = self.letter(&row) {
                made.extend(self.told(&said)?);
                self.mark(&said.word);
            }
        }
        for row in outbox.letters_after(self.state.outbox, ["kin", "kin"], MOST).map_err(failed)? {
            if !self.purses.may(false) {
                self.held_back = true;
                break;
            }
            (self.state.outbox, looked) = (row.id, true);
            if let Some(said) = self.letter(&row) {
                made.extend(self.told(&said)?);
                self.mark(&said.word);
            }
        }
        if looked {
            self.keep(&made)?;
        }
        Ok(made.len())
    }

    /// The marks that go with a word: for its siblings, and for everybody where it is a threat and its owner wants that.
    fn mark(&mut self, word: &KinWord) {
        let Some(mark) = scent_of(word) else { return };
        if self.passenger.publishes && mark.key.layer == PheromoneLayer::Threat {
            self.scents.push(PheromoneDeposit { scope: FieldScope::Public, ..mark.clone() });
        }
        self.scents.push(mark);
    }

    /// Leave the marks of what was told. What the relay has no room for fades before it would have.
    pub(crate) async fn leave_scents(&mut self) -> Result<(), DialFault> {
        while !self.scents.is_empty() {
            let mark = self.scents.remove(0);
            let field = mark.scope;
            match self.ask(&GolemFrame::Deposit(mark)).await? {
                RelayFrame::Done => self.meanwhile().await?,
                RelayFrame::Refuse(_) => self.scents.retain(|left| left.scope != field),
                _ => return Err(DialFault::Confused),
            }
        }
        Ok(())
    }

    fn letter(&self, row: &Letter) -> Option<KinLetter> {
        if row.kind != "peer" {
            return KinLetter::read(&row.body).ok();
        }
        let Word { text, died, at } = serde_json::from_str(&row.body).ok()?;
        let name = self.passenger.name.to_string();
        Some(KinLetter { at, word: KinWord::Cry { name, text, died, letter: row.key.clone() } })
    }

    /// A letter as the next delta of the chain; none where it is too long for its kind.
    fn told(&mut self, letter: &KinLetter) -> Result<Option<SignedDelta>, DialFault> {
        // What no golem says is not told.
        let Some(kind) = letter.word.kind() else { return Ok(None) };
        let calendar = self.passenger.reader.calendar.clone();
        let envelope = KinEnvelope { calendar, letter: letter.clone() };
        self.seal(kind, self.passenger.clock().age_at(letter.at), &envelope.bytes())
    }

    pub(crate) fn seal(
        &mut self,
        kind: DeltaKind,
        at: VirtualTime,
        clear: &[u8],
    ) -> Result<Option<SignedDelta>, DialFault> {
        if clear.len() + SEAL_BYTES > kind.most_bytes() {
            return Ok(None);
        }
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|e| DialFault::File(e.to_string()))?;
        let sealed = self.passenger.group.public().seal(clear, &entropy);
        Ok(Some(self.sign(kind, at, sealed)))
    }

    /// The next link of the chain.
    fn sign(&mut self, kind: DeltaKind, at: VirtualTime, sealed: Vec<u8>) -> SignedDelta {
        let (key, owner) = (&self.passenger.key, self.passenger.certificate.words.owner);
        let mut delta = SignedDelta::next(key, owner, self.state.head, kind, at, sealed);
        if std::mem::take(&mut self.state.anew) {
            let head = DeltaHead { anew: true, ..delta.head };
            delta = SignedDelta { head, signature: WireSignature::of(key, &head.id()), payload: Blob(delta.payload.0) };
        }
        self.state.head = delta.reached();
        delta
    }

    /// What waits was signed for a place that it cannot have: it is signed again, behind what the relay knows of this golem.
    fn sign_again(&mut self) -> Result<(), DialFault> {
        let failed = |e: FerryFault| DialFault::File(e.to_string());
        self.signed_again = true;
        self.state.head = self.known;
        let waiting = self.file.unkept(u32::MAX).map_err(failed)?;
        let made: Vec<SignedDelta> =
            waiting.into_iter().map(|old| self.sign(old.head.kind, old.head.at, old.payload.0)).collect();
        self.file.signed_again(&self.state, &made, now_ms()).map_err(failed)
    }

    /// Tell the relay what it does not keep yet. Says whether there may be more at once.
    pub(crate) async fn push(&mut self) -> Result<bool, DialFault> {
        if now_ms() < self.pushing_from_ms {
            return Ok(false);
        }
        let (mut some, mut bytes) = (Vec::new(), 0);
        let own = self.passenger.certificate.words.origin;
        if self.file.unkept(1).map_err(|e| DialFault::File(e.to_string()))?.iter().any(|d| d.head.origin != own) {
            self.sign_again()?;
        }
        for delta in self.file.unkept(BATCH as u32).map_err(|e| DialFault::File(e.to_string()))? {
            bytes += delta.payload.0.len() + 320;
            if bytes > PUSH_BYTES && !some.is_empty() {
                break;
            }
            some.push(delta);
        }
        self.refused_once = false;
        if some.is_empty() {
            return Ok(false);
        }
        let ids: Vec<(Hash, u64)> = some.iter().map(|d| (d.head.id(), d.head.seq)).collect();
        let receipts = match self.ask(&GolemFrame::Push(some)).await? {
            RelayFrame::Ack(receipts) => receipts,
            RelayFrame::Refuse(why) => return self.refused(why).map(|()| false),
            _ => return Err(DialFault::Confused),
        };
        let mut all_kept = !receipts.is_empty();
        for receipt in receipts {
            match receipt {
                DeltaReceipt::Kept { id, .. } | DeltaReceipt::Past { id } => {
                    if let Some((_, seq)) = ids.iter().find(|(known, _)| *known == id) {
                        self.file.is_kept(*seq).map_err(|e| DialFault::File(e.to_string()))?;
                        self.known = self.known.max(ChainHead { seq: *seq, id });
                    }
                }
                DeltaReceipt::Refused { reason, .. } => {
                    all_kept = false;
                    self.refused(reason)?;
                    break;
                }
            }
        }
        Ok(all_kept)
    }

    /// What was not kept is told again: later where the relay says when, and its owner hears of what will not help itself.
    fn refused(&mut self, why: RefuseReason) -> Result<(), DialFault> {
        self.refused_once = true;
        let wait = match why {
            RefuseReason::OverQuota { after_s } => u64::from(after_s).saturating_mul(1_000),
            RefuseReason::Unavailable => 2_000,
            RefuseReason::Gap { expected } => {
                let before = expected.saturating_sub(1);
                self.file.known_upto(before).map_err(|e| DialFault::File(e.to_string()))?;
                1_000
            }
            // Once on a line: a relay that says so for ever is not worth the writing.
            RefuseReason::Forked if !self.signed_again => {
                self.notice(COPIED)?;
                self.sign_again()?;
                0
            }
            other => {
                self.notice(&format!("the relay does not take what it is told: {other}"))?;
                LONGEST_WAIT_MS
            }
        };
        self.pushing_from_ms = now_ms().saturating_add(wait.min(LONGEST_WAIT_MS));
        Ok(())
    }
}
