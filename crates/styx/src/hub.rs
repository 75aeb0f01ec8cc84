//! Who is here, owner by owner: where news of an owner's log goes, and what each of its golems has used of its budgets.

use axum::body::Bytes;
use golem_core::OwnerId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use styx_wire::frame::encode;
use styx_wire::limits::{BATCH, FRAME_BYTES};
use styx_wire::{DeltaLane, LoggedDelta, OriginKey, RateBucket, RelayFrame, RelayLimits, SignedPulse};
use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::time::Instant;

use crate::counts::RelayCounts;
use crate::store::RecentUse;

mod budget;

pub(crate) use budget::RelayBudget;
use budget::SourceMeter;

/// The last deltas of an owner that is here: most golems read what came just now. So many, and no more bytes than this.
const RING: usize = 256;
const RING_BYTES: usize = 256 * 1024;
/// Bytes of deltas in one frame: with what is around them they fit.
const PAGE_BYTES: usize = FRAME_BYTES - 8 * 1024;
const DESKS_OF_ONE: usize = 1;
/// What waits for a disk holds up nobody, however long it takes.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// A frame that goes to golems past the log: made once, however many there are. A channel makes room for many of them: what stands in it is
/// an address, or an idle golem would take two kilobytes more.
#[derive(Debug)]
pub(crate) struct HubNews {
    pub frame: Bytes,
    /// The same as the next part of the log: whoever has been told everything before it hears it as that, once.
    pub next: Option<NextOfLog>,
}

/// One delta as a part of the log.
#[derive(Debug, Clone)]
pub(crate) struct NextOfLog {
    pub position: u64,
    pub frame: Bytes,
}

impl HubNews {
    fn of(frame: &RelayFrame) -> Arc<Self> {
        Arc::new(Self { frame: encode(frame).into(), next: None })
    }

    /// What does not wait for its turn.
    fn urgent(logged: &LoggedDelta) -> Arc<Self> {
        let (position, deltas) = (logged.position, vec![logged.clone()]);
        let frame = encode(&RelayFrame::Deltas { deltas, upto: position }).into();
        let next = Some(NextOfLog { position, frame });
        Arc::new(Self { frame: encode(&RelayFrame::Urgent(logged.clone())).into(), next })
    }
}

/// One owner with golems here.
#[derive(Debug)]
pub(crate) struct OwnerHub {
    head: watch::Sender<u64>,
    least_epoch: AtomicU64,
    inner: Mutex<HubInner>,
    /// How many of the relay's desks this owner's golems may sit at: there is always one for somebody else.
    pub desks: Semaphore,
    /// When its next question is looked at: questions of one owner have a share of the processor, whoever asks them.
    desk_from: Mutex<Option<Instant>>,
}

/// A part of the log as a frame: made once, however many golems have read up to the same place.
#[derive(Debug, Clone)]
pub(crate) struct HubPage {
    after: u64,
    pub upto: u64,
    pub deltas: usize,
    /// How far the log went then.
    last: u64,
    tellers: BTreeSet<OriginKey>,
    pub frame: Bytes,
}

#[derive(Debug)]
struct HubInner {
    page: Option<HubPage>,
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
    news: mpsc::Sender<Arc<HubNews>>,
    leave: Arc<Notify>,
    epoch: u64,
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
    pub news: mpsc::Receiver<Arc<HubNews>>,
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

impl RelayHubs {
    /// Take a place. The same golem's older place is given up; none where its owner has too many.
    pub fn enter(self: &Arc<Self>, who: GolemArrival, limits: &RelayLimits) -> Option<HubSeat> {
        // Held until the place is taken: an owner's hub goes with its last golem, and nobody may sit at one that is gone.
        let mut all = lock(&self.all);
        let fresh = || {
            let inner = HubInner {
                page: None,
                ring: VecDeque::new(),
                ring_bytes: 0,
                seats: BTreeMap::new(),
                meters: BTreeMap::new(),
                entries: RateBucket::full(limits.owner_entries, who.now_ms),
                bytes: who.bytes,
            };
            let least_epoch = AtomicU64::new(who.least_epoch);
            let (head, desks) = (watch::Sender::new(who.head), Semaphore::new(DESKS_OF_ONE));
            let (inner, desk_from) = (Mutex::new(inner), Mutex::default());
            Arc::new(OwnerHub { head, least_epoch, inner, desks, desk_from })
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
            let fresh = || SourceMeter::after(who.recent, limits, who.now_ms);
            inner.meters.entry(who.origin).or_insert_with(fresh);
        }
        drop(all);
        hub.reach(who.head);
        let head = hub.head.subscribe();
        Some(HubSeat { hub, news, leave, head, hubs: Arc::clone(self), owner: who.owner, origin: who.origin, number })
    }

    /// Something was kept: whoever is here hears what of it is urgent, and the rest when its log is said to go so far. Called in the order of
    /// the log.
    pub fn kept(&self, logged: LoggedDelta, counts: &RelayCounts) {
        let owner = logged.delta.head.owner;
        let Some(hub) = lock(&self.all).get(&owner).cloned() else { return };
        let logged = Arc::new(logged);
        let mut inner = lock(&hub.inner);
        inner.bytes = inner.bytes.saturating_add(logged.delta.payload.0.len() as u64);
        inner.remember(Arc::clone(&logged));
        if logged.delta.head.kind.lane() == DeltaLane::Urgent {
            inner.tell(logged.delta.head.origin, &HubNews::urgent(&logged), counts);
        }
    }

    /// An owner's log goes so far: said by who writes it, once for all that was written together, and by other relays.
    pub fn reaches(&self, owner: OwnerId, head: u64) {
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

    fn tell(&self, but: OriginKey, news: &Arc<HubNews>, counts: &RelayCounts) {
        for seat in self.seats.iter().filter(|(origin, _)| **origin != but).map(|(_, seat)| seat) {
            // The log brings it: nobody waits for who is slow.
            if seat.news.try_send(Arc::clone(news)).is_err() {
                RelayCounts::one(&counts.urgent_left);
            }
        }
    }
}

/// So much of what was found as fits a frame, without what its reader told itself.
pub(crate) fn page(found: Vec<LoggedDelta>, after: u64, last: u64, reader: OriginKey) -> Option<HubPage> {
    let (mut deltas, mut bytes, mut upto, mut tellers) = (Vec::new(), 0, None, BTreeSet::new());
    for logged in found {
        bytes += logged.delta.payload.0.len() + 256;
        if bytes > PAGE_BYTES {
            break;
        }
        upto = Some(logged.position);
        tellers.insert(logged.delta.head.origin);
        if logged.delta.head.origin != reader {
            deltas.push(logged);
        }
    }
    let (upto, n) = (upto?, deltas.len());
    let frame = encode(&RelayFrame::Deltas { deltas, upto }).into();
    Some(HubPage { after, upto, deltas: n, last, tellers, frame })
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

    /// Until its next question may be looked at.
    pub async fn desk_is_free(&self) {
        let from = *lock(&self.desk_from);
        if let Some(from) = from {
            tokio::time::sleep_until(from).await;
        }
    }

    /// A question took so long: the next of this owner waits three times as long, and others have the processor.
    pub fn desk_was_busy(&self, took: Duration) {
        *lock(&self.desk_from) = Some(Instant::now() + (took * 3).min(LONGEST_PAUSE));
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

    /// What comes after a position for one golem, where it came just now; none where the store must be asked. Golems that told nothing
    /// of it are all sent the same bytes.
    pub fn recent(&self, after: u64, reader: OriginKey) -> Option<HubPage> {
        let mut inner = lock(&self.inner);
        let (first, last) = (inner.ring.front()?.position, inner.ring.back()?.position);
        let same = |page: &&HubPage| page.after == after && page.last == last && !page.tellers.contains(&reader);
        if let Some(page) = inner.page.as_ref().filter(same) {
            return Some(page.clone());
        }
        let skip = usize::try_from(after.checked_add(1)?.checked_sub(first)?).ok()?;
        let found: Vec<_> = inner.ring.iter().skip(skip).take(BATCH).map(|logged| LoggedDelta::clone(logged)).collect();
        let page = page(found, after, last, reader)?;
        if !page.tellers.contains(&reader) {
            inner.page = Some(page.clone());
        }
        Some(page)
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
        let RelayBudget::Lane(_, bytes) = what else { return meter.pay(what, limits, now_ms) };
        if inner.bytes.saturating_add(bytes) > full {
            return Err(u64::MAX);
        }
        // Its own purse first: who has nothing left in it takes nothing from its siblings.
        meter.pay(what, limits, now_ms)?;
        inner.entries.take(limits.owner_entries, 1, now_ms)
    }
}

impl HubSeat {
    /// How far the log goes, as whoever sits here knows from now on.
    pub fn looks(&mut self) -> u64 {
        *self.head.borrow_and_update()
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
    use styx_wire::{Blob, BucketRate, DeltaHead, DeltaKind, SignedDelta, WireSignature};

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
    fn who_is_over_its_quota_takes_nothing_from_its_siblings() {
        let rate = |burst| BucketRate { per_hour: 1, burst };
        let limits = RelayLimits { knowledge: rate(2), owner_entries: rate(3), ..RelayLimits::default() };
        let hubs = Arc::new(RelayHubs::default());
        let [seat, _other] = [1, 2].map(|n| hubs.enter(arrival(n), &limits).unwrap());
        let [flooding, honest] = [1, 2].map(|n| OriginKey([n; 32]));
        let pay = |who| seat.hub.pay(who, RelayBudget::Lane(DeltaLane::Batch, 1), &limits, 0);
        assert_eq!((0..9).filter(|_| pay(flooding).is_ok()).count(), 2);
        assert_eq!(pay(honest), Ok(()), "the third of its owner's three");
        assert!(pay(honest).is_err());
    }

    #[test]
    fn an_owner_has_so_many_places_and_a_golem_one() {
        let limits = RelayLimits { connections_per_owner: 2, ..RelayLimits::default() };
        let hubs = Arc::new(RelayHubs::default());
        let first = hubs.enter(arrival(1), &limits).unwrap();
        let second = hubs.enter(arrival(2), &limits).unwrap();
        assert!(hubs.enter(arrival(3), &limits).is_none());
        let again = hubs.enter(arrival(2), &limits).unwrap();
        drop(first);
        assert!(hubs.enter(arrival(3), &limits).is_some(), "who goes makes room");
        drop((second, again));
    }

    #[test]
    fn a_page_is_made_once_for_all_but_those_who_told_of_it() {
        let (hubs, limits, counts) = (Arc::new(RelayHubs::default()), RelayLimits::default(), RelayCounts::default());
        let seat = hubs.enter(arrival(1), &limits).unwrap();
        (1..=3).for_each(|position| hubs.kept(logged(position, 1), &counts));
        let teller = logged(1, 1).delta.head.origin;
        let [one, two, own] =
            [OriginKey([1; 32]), OriginKey([2; 32]), teller].map(|reader| seat.hub.recent(1, reader).unwrap());
        assert_eq!((one.upto, one.deltas, own.upto, own.deltas), (3, 2, 3, 0));
        assert_eq!(one.frame.as_ptr(), two.frame.as_ptr(), "the same bytes");
        hubs.kept(logged(4, 1), &counts);
        let three = seat.hub.recent(1, OriginKey([1; 32])).unwrap();
        assert_eq!((three.upto, three.deltas), (4, 3), "what came since is in it");
    }

    #[test]
    fn what_waits_for_a_golem_is_an_address() {
        fn room<T>(_: &mpsc::Receiver<T>) -> usize {
            size_of::<T>()
        }
        let hubs = Arc::new(RelayHubs::default());
        let seat = hubs.enter(arrival(1), &RelayLimits::default()).unwrap();
        assert_eq!(room(&seat.news), size_of::<usize>(), "a channel has room for many from the beginning");
    }

    #[test]
    fn what_was_written_together_is_said_once_and_wakes_nobody_who_has_looked() {
        let (hubs, limits, counts) = (Arc::new(RelayHubs::default()), RelayLimits::default(), RelayCounts::default());
        let mut seat = hubs.enter(arrival(1), &limits).unwrap();
        (1..=3).for_each(|position| hubs.kept(logged(position, 1), &counts));
        assert!(!seat.head.has_changed().unwrap(), "there may be more of it");
        let urgent: Vec<_> = std::iter::from_fn(|| seat.news.try_recv().ok()).collect();
        assert_eq!(urgent.iter().filter_map(|news| Some(news.next.as_ref()?.position)).collect::<Vec<_>>(), [1, 2, 3]);
        hubs.reaches(OWNER, 3);
        assert!(seat.head.has_changed().unwrap());
        assert_eq!((seat.looks(), seat.head.has_changed().unwrap()), (3, false));
        for late in [2, 3] {
            hubs.reaches(OWNER, late);
            assert_eq!((seat.head.has_changed().unwrap(), seat.looks()), (false, 3), "a hint that came late");
        }
    }

    #[test]
    fn what_is_remembered_has_no_hole_and_a_bound() {
        let (hubs, limits, counts) = (Arc::new(RelayHubs::default()), RelayLimits::default(), RelayCounts::default());
        let seat = hubs.enter(arrival(1), &limits).unwrap();
        for position in 1..=300 {
            hubs.kept(logged(position, 1), &counts);
        }
        let reader = OriginKey([1; 32]);
        let at = |after| seat.hub.recent(after, reader).map(|page| page.upto - page.deltas as u64 + 1);
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
