//! One that writes for everybody: whatever waits is committed together, and then everybody is told.

use crate::counts::RelayCounts;
use crate::desk::RelayDesk;
use crate::hub::RelayHubs;
use crate::store::{AppendOutcome, CursorMove, KeptRowKey, StoreFault, WriteBatch};
use golem_core::OwnerId;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use styx_wire::{LoggedDelta, OriginKey, SignedDelta};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

/// The most deltas of one transaction: nobody waits long for what others told at once.
const TOGETHER: usize = 128;
/// So many deltas at once are little.
const LITTLE: usize = 8;
/// Jobs that may wait; whoever comes later waits for a place.
const WAITING: usize = 1_024;
/// How long what nobody waits for may wait.
const SOON: Duration = Duration::from_millis(250);

type KeepAnswer = oneshot::Sender<Result<Vec<AppendOutcome>, StoreFault>>;

#[derive(Debug)]
enum WriteJob {
    Deltas(Vec<SignedDelta>, KeepAnswer),
    /// There are cursors again.
    Cursors,
    Row(KeptRowKey, Vec<u8>),
}

/// How far golems have read, until that is written: one place for each, however often it says so.
type CursorsMoved = Arc<Mutex<BTreeMap<(OwnerId, OriginKey), u64>>>;

fn lock(cursors: &CursorsMoved) -> MutexGuard<'_, BTreeMap<(OwnerId, OriginKey), u64>> {
    cursors.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line to the writer. When the last one is gone, it writes what waits and ends.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter {
    line: mpsc::Sender<WriteJob>,
    cursors: CursorsMoved,
}

/// Where it tells others how far a log goes.
pub(crate) type Hinting = Box<dyn Fn(OwnerId, u64) + Send>;

impl LogWriter {
    /// A line, and who sits at its end.
    pub fn new(desk: RelayDesk, hubs: Arc<RelayHubs>, counts: Arc<RelayCounts>, hint: Hinting) -> (Self, LogScribe) {
        let (line, jobs) = mpsc::channel(WAITING);
        let (deltas, rows, cursors) = (VecDeque::new(), BTreeMap::new(), CursorsMoved::default());
        let own = Self { line, cursors: Arc::clone(&cursors) };
        (own, LogScribe { jobs, desk, hubs, counts, hint, deltas, cursors, rows, due: None })
    }

    /// Keep deltas; back when they are durable.
    ///
    /// # Errors
    /// When nothing was kept, or nobody can tell.
    pub async fn keep(&self, deltas: Vec<SignedDelta>) -> Result<Vec<AppendOutcome>, StoreFault> {
        let (answer, answered) = oneshot::channel();
        let gone = |_| StoreFault("the writer has ended".to_owned());
        self.line.send(WriteJob::Deltas(deltas, answer)).await.map_err(|_| gone(()))?;
        answered.await.map_err(|_| gone(()))?
    }

    /// Whether there is somebody at its end.
    pub fn is_open(&self) -> bool {
        !self.line.is_closed()
    }

    /// Remember how far a golem has read, soon. Only the first of many wakes who writes.
    pub async fn took(&self, CursorMove { owner, origin, upto }: CursorMove) {
        let first = {
            let mut cursors = lock(&self.cursors);
            let first = cursors.is_empty();
            let cursor = cursors.entry((owner, origin)).or_default();
            *cursor = (*cursor).max(upto);
            first
        };
        if first {
            let _ended = self.line.send(WriteJob::Cursors).await;
        }
    }

    /// Put a row, soon.
    pub async fn put(&self, (key, bytes): (KeptRowKey, Vec<u8>)) {
        let _ended = self.line.send(WriteJob::Row(key, bytes)).await;
    }
}

/// Who writes.
pub(crate) struct LogScribe {
    jobs: mpsc::Receiver<WriteJob>,
    desk: RelayDesk,
    hubs: Arc<RelayHubs>,
    counts: Arc<RelayCounts>,
    hint: Hinting,
    /// What came and was not written yet.
    deltas: VecDeque<(Vec<SignedDelta>, KeepAnswer)>,
    /// What nobody waits for is written with the next deltas, or when it is due: a thousand golems that have read something are one
    /// transaction.
    cursors: CursorsMoved,
    rows: BTreeMap<KeptRowKey, Vec<u8>>,
    due: Option<Instant>,
}

/// A transaction, and who waits for which part of it.
type Gathered = (WriteBatch, Vec<(usize, KeepAnswer)>);

impl LogScribe {
    /// In a thread of its own, until the last line is gone.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn in_a_thread(mut self) -> std::io::Result<std::thread::JoinHandle<()>> {
        let waiting = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let work = move || {
            while let Some(gathered) = waiting.block_on(self.gather()) {
                self.write(gathered);
            }
        };
        std::thread::Builder::new().name("styx writer".to_owned()).spawn(work)
    }

    /// Among the tasks of whoever calls, until the last line is gone.
    pub async fn here(mut self) {
        while let Some(gathered) = self.gather().await {
            self.write(gathered);
        }
    }

    /// Whatever waits, once there is something to be written now; none when nothing will come any more.
    async fn gather(&mut self) -> Option<Gathered> {
        loop {
            let (gathered, over) = self.gather_some().await;
            // What was announced may have been written with something else.
            if gathered.is_some() || over {
                return gathered;
            }
        }
    }

    /// The same, where there may be nothing; and whether nothing will come any more.
    async fn gather_some(&mut self) -> (Option<Gathered>, bool) {
        let mut over = false;
        while self.deltas.is_empty() {
            let job = match self.due {
                None => self.jobs.recv().await,
                Some(due) => match timeout_at(due, self.jobs.recv()).await {
                    Ok(job) => job,
                    Err(_) => break,
                },
            };
            // The last line is gone.
            let Some(job) = job else {
                over = true;
                break;
            };
            self.sort_in(job);
        }
        while self.deltas.len() < WAITING
            && let Ok(job) = self.jobs.try_recv()
        {
            self.sort_in(job);
        }
        self.due = None;
        let (mut batch, mut asked) = (WriteBatch::default(), Vec::new());
        // The one that has waited longest; then those who tell little, whatever others tell at once.
        let mut waiting: Vec<_> = self.deltas.drain(..).collect();
        if let Some((_, others)) = waiting.split_first_mut() {
            others.sort_by_key(|(deltas, _)| deltas.len() > LITTLE);
        }
        for (deltas, answer) in waiting {
            if batch.deltas.is_empty() || batch.deltas.len() + deltas.len() <= TOGETHER {
                asked.push((deltas.len(), answer));
                batch.deltas.extend(deltas);
            } else {
                self.deltas.push_back((deltas, answer));
            }
        }
        let moved = |((owner, origin), upto)| CursorMove { owner, origin, upto };
        batch.cursors = std::mem::take(&mut *lock(&self.cursors)).into_iter().map(moved).collect();
        batch.rows = std::mem::take(&mut self.rows).into_iter().collect();
        let nothing = asked.is_empty() && batch.cursors.is_empty() && batch.rows.is_empty();
        ((!nothing).then_some((batch, asked)), over)
    }

    fn sort_in(&mut self, job: WriteJob) {
        match job {
            WriteJob::Deltas(deltas, answer) => return self.deltas.push_back((deltas, answer)),
            WriteJob::Cursors => {}
            WriteJob::Row(key, bytes) => drop(self.rows.insert(key, bytes)),
        }
        let many = self.rows.len() >= WAITING;
        let soon = Instant::now() + if many { Duration::ZERO } else { SOON };
        self.due = Some(self.due.map_or(soon, |due| due.min(soon)));
    }

    fn write(&self, (batch, asked): Gathered) {
        let counts = &self.counts;
        match self.desk.store.commit(self.desk.now_ms(), &batch) {
            Ok(outcomes) => {
                RelayCounts::one(&counts.commits);
                tell(&batch.deltas, &outcomes, &self.hubs, counts, &self.hint);
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
    // Once for all that was written together, and after what is urgent: each time wakes every golem of the owner.
    for (owner, head) in reached {
        hubs.reaches(owner, head);
        hint(owner, head);
    }
}
