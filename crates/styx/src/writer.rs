//! One thread that writes for everybody: whatever waits is committed together, and then everybody is told.

use crate::counts::RelayCounts;
use crate::desk::RelayDesk;
use crate::hub::RelayHubs;
use crate::store::{AppendOutcome, CursorMove, StoreFault, WriteBatch};
use golem_core::OwnerId;
use std::collections::BTreeMap;
use std::sync::Arc;
use styx_wire::{LoggedDelta, SignedDelta};
use tokio::sync::{mpsc, oneshot};

/// The most deltas of one transaction.
const TOGETHER: usize = 512;
/// Jobs that may wait; whoever comes later waits for a place.
const WAITING: usize = 1_024;

type KeepAnswer = oneshot::Sender<Result<Vec<AppendOutcome>, StoreFault>>;

#[derive(Debug)]
enum WriteJob {
    Deltas(Vec<SignedDelta>, KeepAnswer),
    Cursor(CursorMove),
}

/// The line to the writer. When the last one is gone, it writes what waits and ends.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter(mpsc::Sender<WriteJob>);

/// Where it tells others how far a log goes.
pub(crate) type Hinting = Box<dyn Fn(OwnerId, u64) + Send>;

impl LogWriter {
    /// Begin.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        desk: RelayDesk,
        hubs: Arc<RelayHubs>,
        counts: Arc<RelayCounts>,
        hint: Hinting,
    ) -> std::io::Result<(Self, std::thread::JoinHandle<()>)> {
        let (line, jobs) = mpsc::channel(WAITING);
        let write = move || work(jobs, &desk, &hubs, &counts, &hint);
        let thread = std::thread::Builder::new().name("styx writer".to_owned()).spawn(write)?;
        Ok((Self(line), thread))
    }

    /// Keep deltas; back when they are durable.
    ///
    /// # Errors
    /// When nothing was kept, or nobody can tell.
    pub async fn keep(&self, deltas: Vec<SignedDelta>) -> Result<Vec<AppendOutcome>, StoreFault> {
        let (answer, answered) = oneshot::channel();
        let gone = |_| StoreFault("the writer has ended".to_owned());
        self.0.send(WriteJob::Deltas(deltas, answer)).await.map_err(|_| gone(()))?;
        answered.await.map_err(|_| gone(()))?
    }

    /// Remember how far a golem has read, with the next transaction.
    pub async fn took(&self, moved: CursorMove) {
        let _ended = self.0.send(WriteJob::Cursor(moved)).await;
    }
}

fn work(mut jobs: mpsc::Receiver<WriteJob>, desk: &RelayDesk, hubs: &RelayHubs, counts: &RelayCounts, hint: &Hinting) {
    while let Some(first) = jobs.blocking_recv() {
        let mut batch = WriteBatch::default();
        let mut asked: Vec<(usize, KeepAnswer)> = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                WriteJob::Deltas(deltas, answer) => {
                    asked.push((deltas.len(), answer));
                    batch.deltas.extend(deltas);
                }
                WriteJob::Cursor(moved) => batch.cursors.push(moved),
            }
            next = if batch.deltas.len() < TOGETHER { jobs.try_recv().ok() } else { None };
        }
        match desk.store.commit(desk.now_ms(), &batch) {
            Ok(outcomes) => {
                RelayCounts::one(&counts.commits);
                tell(&batch.deltas, &outcomes, hubs, counts, hint);
                let mut rest = &outcomes[..];
                for (n, answer) in asked {
                    let (own, others) = rest.split_at(n.min(rest.len()));
                    rest = others;
                    let _gone = answer.send(Ok(own.to_vec()));
                }
            }
            Err(fault) => {
                RelayCounts::one(&counts.store_faults);
                for (_, answer) in asked {
                    let _gone = answer.send(Err(fault.clone()));
                }
            }
        }
    }
}

fn tell(deltas: &[SignedDelta], outcomes: &[AppendOutcome], hubs: &RelayHubs, counts: &RelayCounts, hint: &Hinting) {
    let mut reached: BTreeMap<OwnerId, u64> = BTreeMap::new();
    for (delta, outcome) in deltas.iter().zip(outcomes) {
        match outcome {
            AppendOutcome::Kept { position } => {
                RelayCounts::one(&counts.kept);
                reached.insert(delta.head.owner, *position);
                hubs.kept(LoggedDelta { position: *position, delta: delta.clone() }, counts);
            }
            AppendOutcome::Known { .. } | AppendOutcome::Past => RelayCounts::one(&counts.known),
            AppendOutcome::Refused(_) => RelayCounts::one(&counts.refused),
        }
    }
    for (owner, head) in reached {
        hint(owner, head);
    }
}
