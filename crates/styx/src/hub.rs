//! Who is here, owner by owner: where news of an owner's log goes, and what each of its golems has used of its budgets.

use axum::body::Bytes;
use golem_core::OwnerId;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use styx_wire::frame::encode;
use styx_wire::{BucketRate, DeltaLane, LoggedDelta, OriginKey, RateBucket, RelayFrame, RelayLimits, SignedPulse};
use tokio::sync::{Notify, mpsc, watch};

use crate::counts::RelayCounts;
use crate::store::RecentUse;

/// The last deltas of an owner that is here: most golems read what came just now. So many, and no more bytes than this.
const RING: usize = 256;
const RING_BYTES: usize = 256 * 1024;

/// A frame that goes to golems past the log: made once, however many there are.
#[derive(Debug, Clone)]
pub(crate) struct HubNews(pub Bytes);

impl HubNews {
    fn of(frame: &RelayFrame) -> Self {
        Self(encode(frame).into())
    }
}

/// One owner with golems here.
#[derive(Debug)]
pub(crate) struct OwnerHub {
    head: watch::Sender<u64>,
    least_epoch: AtomicU64,
    inner: Mutex<HubInner>,
}

#[derive(Debug)]
struct HubInner {
    ring: VecDeque<Arc<LoggedDelta>>,
    ring_bytes: usize,
    seats: BTreeMap<OriginKey, Seat>,
    meters: BTreeMap<OriginKey, SourceMeter>,
    entries: RateBucket,
    bytes: u64,
}

#[derive(Debug)]
struct Seat {
    number: u64,
    news: mpsc::Sender<HubNews>,
    leave: Arc<Notify>,
    epoch: u64,
}

/// What one golem has used.
#[derive(Debug, Clone, Copy)]
struct SourceMeter {
    knowledge: RateBucket,
    warnings: RateBucket,
    deposits: RateBucket,
    archive: RateBucket,
}

/// What is paid from which budget.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RelayBudget {
    Lane(DeltaLane, u64),
    Deposit,
    Archive(u64),
}

/// All owners that are here.
#[derive(Debug, Default)]
pub(crate) struct RelayHubs {
    all: Mutex<BTreeMap<OwnerId, Arc<OwnerHub>>>,
    numbers: AtomicU64,
}

/// A golem's place at its owner's hub; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct HubSeat {
    pub hub: Arc<OwnerHub>,
    pub news: mpsc::Receiver<HubNews>,
    pub leave: Arc<Notify>,
    pub head: watch::Receiver<u64>,
    hubs: Arc<RelayHubs>,
    owner: OwnerId,
    origin: OriginKey,
    number: u64,
}

/// What is known of a golem when it comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GolemArrival {
    pub owner: OwnerId,
    pub origin: OriginKey,
    pub epoch: u64,
    pub least_epoch: u64,
    pub head: u64,
    pub bytes: u64,
    pub recent: RecentUse,
    pub now_ms: u64,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn used(rate: BucketRate, n: u64, now_ms: u64) -> RateBucket {
    let mut bucket = RateBucket::full(rate, now_ms);
    let _all_of_it = bucket.take(rate, n.min(rate.burst), now_ms);
    bucket
}

impl RelayHubs {
    /// Take a place. The same golem's older place is given up; none where its owner has too many.
    pub fn enter(self: &Arc<Self>, who: GolemArrival, limits: &RelayLimits) -> Option<HubSeat> {
        // Held until the place is taken: an owner's hub goes with its last golem, and nobody may sit at one that is gone.
        let mut all = lock(&self.all);
        let fresh = || {
            let inner = HubInner {
                ring: VecDeque::new(),
                ring_bytes: 0,
                seats: BTreeMap::new(),
                meters: BTreeMap::new(),
                entries: RateBucket::full(limits.owner_entries, who.now_ms),
                bytes: who.bytes,
            };
            let least_epoch = AtomicU64::new(who.least_epoch);
            Arc::new(OwnerHub { head: watch::Sender::new(who.head), least_epoch, inner: Mutex::new(inner) })
        };
        let hub = Arc::clone(all.entry(who.owner).or_insert_with(fresh));
        let (tell, news) = mpsc::channel(limits.urgent_queue.max(1));
        let leave = Arc::new(Notify::new());
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        {
            let mut inner = lock(&hub.inner);
            if inner.seats.len() >= limits.connections_per_owner && !inner.seats.contains_key(&who.origin) {
                return None;
            }
            let seat = Seat { number, news: tell, leave: Arc::clone(&leave), epoch: who.epoch };
            if let Some(older) = inner.seats.insert(who.origin, seat) {
                older.leave.notify_one();
            }
            // What it used in the last hour is used, also where the relay was started again in between.
            inner.meters.entry(who.origin).or_insert_with(|| SourceMeter {
                knowledge: used(limits.knowledge, who.recent.batch, who.now_ms),
                warnings: used(limits.warnings, who.recent.urgent, who.now_ms),
                deposits: RateBucket::full(limits.deposits, who.now_ms),
                archive: RateBucket::full(limits.archive_bytes, who.now_ms),
            });
        }
        drop(all);
        hub.reach(who.head);
        let head = hub.head.subscribe();
        Some(HubSeat { hub, news, leave, head, hubs: Arc::clone(self), owner: who.owner, origin: who.origin, number })
    }

    /// Something was kept: whoever is here hears of it. Called in the order of the log.
    pub fn kept(&self, logged: LoggedDelta, counts: &RelayCounts) {
        let owner = logged.delta.head.owner;
        let Some(hub) = lock(&self.all).get(&owner).cloned() else { return };
        let logged = Arc::new(logged);
        {
            let mut inner = lock(&hub.inner);
            inner.bytes = inner.bytes.saturating_add(logged.delta.payload.0.len() as u64);
            inner.remember(Arc::clone(&logged));
            if logged.delta.head.kind.lane() == DeltaLane::Urgent {
                let news = HubNews::of(&RelayFrame::Urgent(LoggedDelta::clone(&logged)));
                inner.tell(logged.delta.head.origin, &news, counts);
            }
        }
        hub.reach(logged.position);
    }

    /// Another relay says how far an owner's log goes.
    pub fn hinted(&self, owner: OwnerId, head: u64) {
        if let Some(hub) = lock(&self.all).get(&owner).cloned() {
            hub.reach(head);
        }
    }

    /// An owner as its store has it: who is revoked leaves, and what has expired makes room.
    pub fn renewed(&self, owner: OwnerId, least_epoch: u64, bytes: u64) {
        if let Some(hub) = lock(&self.all).get(&owner).cloned() {
            lock(&hub.inner).bytes = bytes;
            hub.close(least_epoch);
        }
    }

    /// The owners that are here.
    pub fn owners(&self) -> Vec<OwnerId> {
        lock(&self.all).keys().copied().collect()
    }

    /// Everybody leaves.
    pub fn everybody_leaves(&self) {
        for hub in lock(&self.all).values() {
            lock(&hub.inner).seats.values().for_each(|seat| seat.leave.notify_one());
        }
    }
}

impl HubInner {
    fn remember(&mut self, logged: Arc<LoggedDelta>) {
        if self.ring.back().is_some_and(|last| last.position + 1 != logged.position) {
            self.ring.clear();
            self.ring_bytes = 0;
        }
        self.ring_bytes += logged.delta.payload.0.len();
        self.ring.push_back(logged);
        while self.ring.len() > RING || self.ring_bytes > RING_BYTES {
            let Some(oldest) = self.ring.pop_front() else { break };
            self.ring_bytes -= oldest.delta.payload.0.len();
        }
    }

    fn tell(&self, but: OriginKey, news: &HubNews, counts: &RelayCounts) {
        for seat in self.seats.iter().filter(|(origin, _)| **origin != but).map(|(_, seat)| seat) {
            match seat.news.try_send(news.clone()) {
                Ok(()) => RelayCounts::one(&counts.urgent),
                // The log brings it: nobody waits for who is slow.
                Err(_) => RelayCounts::one(&counts.urgent_left),
            }
        }
    }
}

impl OwnerHub {
    /// The log goes this far, at least.
    pub fn reach(&self, head: u64) {
        self.head.send_if_modified(|now| {
            let further = head > *now;
            *now = (*now).max(head);
            further
        });
    }

    /// Certificates below are worth nothing: whoever is here with one leaves.
    pub fn close(&self, least_epoch: u64) {
        let least = self.least_epoch.fetch_max(least_epoch, Ordering::SeqCst).max(least_epoch);
        let revoked = |seat: &&Seat| seat.epoch < least;
        lock(&self.inner).seats.values().filter(revoked).for_each(|seat| seat.leave.notify_one());
    }

    /// Whether certificates of an epoch are worth something.
    pub fn is_open(&self, epoch: u64) -> bool {
        epoch >= self.least_epoch.load(Ordering::SeqCst)
    }

    /// What comes after a position, where it came just now; none where the store must be asked.
    pub fn recent(&self, after: u64, most: usize) -> Option<Vec<Arc<LoggedDelta>>> {
        let inner = lock(&self.inner);
        let first = inner.ring.front()?.position;
        let skip = after.checked_add(1)?.checked_sub(first)?;
        let page: Vec<_> = inner.ring.iter().skip(usize::try_from(skip).ok()?).take(most).cloned().collect();
        (!page.is_empty()).then_some(page)
    }

    /// Tell all siblings.
    pub fn pulse(&self, from: OriginKey, pulse: SignedPulse, counts: &RelayCounts) {
        lock(&self.inner).tell(from, &HubNews::of(&RelayFrame::Pulse(pulse)), counts);
    }

    /// Pay for something.
    ///
    /// # Errors
    /// After how many milliseconds it can be paid.
    pub fn pay(&self, origin: OriginKey, what: RelayBudget, limits: &RelayLimits, now_ms: u64) -> Result<(), u64> {
        let mut inner = lock(&self.inner);
        let full = limits.owner_log_bytes;
        let inner = &mut *inner;
        let Some(meter) = inner.meters.get_mut(&origin) else { return Err(u64::MAX) };
        match what {
            RelayBudget::Lane(lane, bytes) => {
                if inner.bytes.saturating_add(bytes) > full {
                    return Err(u64::MAX);
                }
                inner.entries.take(limits.owner_entries, 1, now_ms)?;
                match lane {
                    DeltaLane::Batch => meter.knowledge.take(limits.knowledge, 1, now_ms),
                    DeltaLane::Urgent => meter.warnings.take(limits.warnings, 1, now_ms),
                }
            }
            RelayBudget::Deposit => meter.deposits.take(limits.deposits, 1, now_ms),
            RelayBudget::Archive(bytes) => meter.archive.take(limits.archive_bytes, bytes, now_ms),
        }
    }
}

impl Drop for HubSeat {
    fn drop(&mut self) {
        let mut all = lock(&self.hubs.all);
        let empty = {
            let mut inner = lock(&self.hub.inner);
            if inner.seats.get(&self.origin).is_some_and(|seat| seat.number == self.number) {
                inner.seats.remove(&self.origin);
            }
            inner.seats.is_empty()
        };
        if empty {
            all.remove(&self.owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Hash, VirtualTime};
    use styx_wire::{Blob, DeltaHead, DeltaKind, SignedDelta, WireSignature};

    const OWNER: OwnerId = OwnerId([1; 20]);

    fn arrival(n: u8) -> GolemArrival {
        let origin = OriginKey([n; 32]);
        let recent = RecentUse::default();
        GolemArrival { owner: OWNER, origin, epoch: 1, least_epoch: 0, head: 0, bytes: 0, recent, now_ms: 0 }
    }

    fn logged(position: u64, bytes: usize) -> LoggedDelta {
        let key = ed25519_dalek::SigningKey::from_bytes(&[9; 32]);
        let head = DeltaHead {
            owner: OWNER,
            origin: OriginKey::of(&key),
            seq: position,
            previous: Hash::default(),
            kind: DeltaKind::Warning,
            at: VirtualTime(0),
            content: Hash::default(),
            anew: false,
        };
        let signature = WireSignature::of(&key, &head.id());
        LoggedDelta { position, delta: SignedDelta { head, signature, payload: Blob(vec![0; bytes]) } }
    }

    #[test]
    fn nobody_sits_at_a_hub_that_is_gone() {
        let (hubs, limits, counts) = (Arc::new(RelayHubs::default()), RelayLimits::default(), RelayCounts::default());
        let news = logged(1, 10);
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    drop(hubs.enter(arrival(1), &limits));
                }
            });
            for _ in 0..3_000 {
                let mut seat = hubs.enter(arrival(2), &limits).unwrap();
                hubs.kept(news.clone(), &counts);
                let heard = seat.news.try_recv().is_ok();
                over.store(!heard, Ordering::SeqCst);
                assert!(heard);
            }
            over.store(true, Ordering::SeqCst);
        });
        assert_eq!(hubs.owners(), [], "and nothing is left of who has gone");
    }

    #[test]
    fn what_is_remembered_has_no_hole_and_a_bound() {
        let (hubs, limits, counts) = (Arc::new(RelayHubs::default()), RelayLimits::default(), RelayCounts::default());
        let seat = hubs.enter(arrival(1), &limits).unwrap();
        for position in 1..=300 {
            hubs.kept(logged(position, 1), &counts);
        }
        let at = |after| seat.hub.recent(after, 9).map(|page| page[0].position);
        assert_eq!((at(0), at(44), at(299), at(300)), (None, Some(45), Some(300), None));
        hubs.kept(logged(302, 1), &counts);
        assert_eq!((at(299), at(301)), (None, Some(302)), "another relay wrote in between: the store is asked");
        for position in 303..400 {
            hubs.kept(logged(position, 8_000), &counts);
        }
        assert!(lock(&seat.hub.inner).ring_bytes <= RING_BYTES);
        assert!(at(398).is_some());
    }
}
