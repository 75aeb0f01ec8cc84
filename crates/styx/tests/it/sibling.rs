//! A golem that goes on through everything: its outbox, its reader, its cursor, and a count of what took effect.

use crate::client::{hear, say};
use crate::kit::{Owner, Teller, golem};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;
use styx_wire::reader::TakenDelta;
use styx_wire::*;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;

pub const SIBLINGS: usize = 3;

/// Chance that can be run again.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A golem with what it keeps through everything: its outbox, its reader, its cursor, and what took effect.
pub struct Sibling {
    teller: Teller,
    outbox: VecDeque<SignedDelta>,
    acknowledged: BTreeSet<golem_core::Hash>,
    reader: ChainReader,
    cursor: u64,
    effects: BTreeMap<golem_core::Hash, usize>,
    pub dice: Dice,
    /// It tells something in one of so many rounds.
    pub rarely: u64,
    /// How long it waits for an answer before it takes the line for dead.
    pub patience: Duration,
    drained: bool,
    /// How often it came, and the last word that it was refused with.
    came: usize,
    refused: Option<RefuseReason>,
}

/// Whether telling is over, and how many have sent everything since.
#[derive(Default)]
pub struct Quiet {
    pub over: AtomicBool,
    drained: AtomicUsize,
    /// Somebody found a fault: the others need not wait.
    pub failed: AtomicBool,
}

pub struct Alarm(pub Arc<Quiet>);

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.failed.fetch_or(std::thread::panicking(), SeqCst);
    }
}

impl Sibling {
    pub fn new(owner: &Arc<Owner>, n: u8) -> Self {
        let teller = Teller::new(owner, golem(n));
        let mut reader = ChainReader::new(owner.id, teller.origin());
        for other in 0..SIBLINGS as u8 {
            reader.certified(&owner.certify(&golem(50 + other)), 2_000, 1 << 40).unwrap();
        }
        Self {
            teller,
            outbox: VecDeque::new(),
            acknowledged: BTreeSet::new(),
            reader,
            cursor: 0,
            effects: BTreeMap::new(),
            dice: Dice(u64::from(n)),
            rarely: 1,
            patience: Duration::from_secs(20),
            drained: false,
            came: 0,
            refused: None,
        }
    }

    fn take(&mut self, delta: &SignedDelta) {
        if self.reader.take(delta).unwrap() == TakenDelta::New {
            *self.effects.entry(delta.head.id()).or_default() += 1;
        }
    }

    async fn enter<S>(&mut self, socket: &mut WebSocketStream<S>, dialled: &str) -> Option<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let RelayFrame::Challenge(challenge) = hear(socket).await? else { return None };
        let certificate = self.teller.owner.certify(&self.teller.key);
        let hello = Hello::answer(&self.teller.key, certificate, &challenge, dialled);
        say(socket, &GolemFrame::Hello(Box::new(hello))).await;
        let RelayFrame::Welcome(welcome) = hear(socket).await? else { return None };
        assert_eq!(self.reader.welcomed(welcome.log, welcome.head), None, "an honest relay never goes back");
        assert!(welcome.cursor <= self.cursor, "nobody has read what it did not take");
        Some(())
    }

    /// How it stands, for whoever wonders why it does not come to rest.
    pub fn shown(&self) -> String {
        let (told, cursor, wait) = (self.teller.head.seq, self.cursor, self.outbox.len());
        let (came, refused) = (self.came, self.refused);
        let taken = self.effects.len();
        format!(
            "{told} told, {wait} wait, {taken} taken, read up to {cursor}, came {came} times, last refused with {refused:?}"
        )
    }

    /// One connection, until it is cut: by the relay's death, the network, or this side's whim.
    /// When telling is over, it sends the rest, and reads on until all have sent theirs and nothing comes any more.
    pub async fn live<S>(&mut self, mut socket: WebSocketStream<S>, dialled: &str, quiet: &Quiet) -> Option<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        // Only a line that was opened since shows that there is nothing more: an old one may be dead, and silent for that.
        let last = quiet.drained.load(SeqCst) == SIBLINGS;
        self.came += 1;
        let entered = timeout(self.patience, self.enter(&mut socket, dialled)).await;
        entered.ok()??;
        say(&mut socket, &GolemFrame::Follow { after: self.cursor }).await;
        let (mut waiting, mut asked) = (false, Instant::now());
        let mut rounds = 0;
        loop {
            assert!(!quiet.failed.load(SeqCst), "a sibling found a fault");
            let telling = !quiet.over.load(SeqCst);
            if !telling && self.outbox.is_empty() && !self.drained {
                self.drained = true;
                quiet.drained.fetch_add(1, SeqCst);
            }
            if !waiting {
                if telling && self.outbox.len() < 40 && self.dice.roll(self.rarely) == 0 {
                    for _ in 0..1 + self.dice.roll(4) {
                        let kind = if self.dice.roll(5) == 0 { DeltaKind::Warning } else { DeltaKind::Insight };
                        let body = self.dice.0.to_le_bytes();
                        let delta = self.teller.tell(kind, &body);
                        self.outbox.push_back(delta);
                    }
                }
                // Some of what was sent before again, and now and then in the wrong order: refused, and sent again.
                let n = 1 + self.dice.roll(12) as usize;
                let mut batch: Vec<SignedDelta> = self.outbox.iter().take(n).cloned().collect();
                // Never the very first: a chain of which the relay knows nothing begins wherever it is begun.
                if self.dice.roll(6) == 0 && !self.acknowledged.is_empty() {
                    batch.reverse();
                }
                if let Some(first) = batch.first().cloned().filter(|_| self.dice.roll(4) == 0) {
                    batch.push(first);
                }
                if !batch.is_empty() {
                    say(&mut socket, &GolemFrame::Push(batch)).await;
                    (waiting, asked) = (true, Instant::now());
                }
            }
            let all_sent = quiet.drained.load(SeqCst) == SIBLINGS;
            if all_sent && !last {
                return None;
            }
            let patience = if all_sent { 1_500 } else { 50 };
            let heard = timeout(Duration::from_millis(patience), hear(&mut socket)).await;
            match heard {
                Err(_) if all_sent => return Some(()),
                Err(_) if waiting && asked.elapsed() > self.patience => return None,
                Err(_) => {}
                Ok(None) => return None,
                Ok(Some(RelayFrame::Ack(receipts))) => {
                    waiting = false;
                    for receipt in receipts {
                        match receipt {
                            DeltaReceipt::Kept { id, .. } => {
                                self.acknowledged.insert(id);
                                self.outbox.retain(|delta| delta.head.id() != id);
                            }
                            DeltaReceipt::Refused { reason, .. } => self.refused = Some(reason),
                            DeltaReceipt::Past { .. } => {}
                        }
                    }
                }
                Ok(Some(RelayFrame::Urgent(logged))) => self.take(&logged.delta),
                Ok(Some(RelayFrame::Deltas { deltas, upto })) => {
                    deltas.iter().for_each(|logged| self.take(&logged.delta));
                    self.reader.shown(upto);
                    // The acknowledgement of what was read may be late, or never come.
                    if self.dice.roll(3) > 0 {
                        self.cursor = upto;
                        say(&mut socket, &GolemFrame::Took { upto }).await;
                    }
                }
                Ok(Some(RelayFrame::Refuse(reason))) => {
                    self.refused = Some(reason);
                    return None;
                }
                Ok(Some(other)) => panic!("{other:?}"),
            }
            rounds += 1;
            if telling && rounds > 20 && self.dice.roll(60) == 0 {
                let _cut = socket.close(None).await;
                return None;
            }
        }
    }
}

/// Every acknowledged delta took effect once at every sibling, and nothing else did. How many were told.
pub fn once_each(golems: &[Sibling]) -> usize {
    let told: usize = golems.iter().map(|g| g.acknowledged.len()).sum();
    for (i, teller) in golems.iter().enumerate() {
        assert_eq!(teller.acknowledged.len() as u64, teller.teller.head.seq, "everything was acknowledged in the end");
        for reader in golems.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, g)| g) {
            for id in &teller.acknowledged {
                assert_eq!(reader.effects.get(id), Some(&1), "acknowledged, and not once at a sibling");
            }
        }
    }
    for golem in golems {
        assert_eq!(golem.reader.missing(), [], "no hole in any chain");
        let others: usize = told - golem.acknowledged.len();
        assert_eq!(golem.effects.len(), others, "and nothing that was not told");
    }
    told
}
