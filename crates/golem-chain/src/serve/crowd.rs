//! Everybody who is connected. Seats are few, since each may hold a request in memory; whoever has not finished asking gives
//! up the seat when somebody else needs one, so that no number of slow ones keeps a good client out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long to wait for a seat before the next one is asked to leave.
const PATIENCE: Duration = Duration::from_millis(20);

/// One connection, as the crowd sees it.
#[derive(Debug, Default)]
pub(super) struct Guest {
    /// Requests of it that are being answered.
    heard: AtomicU32,
    /// Requests of it that were read whole.
    asked: AtomicU64,
    leave: Notify,
}

impl Guest {
    /// Its request was read whole: it stays until it is answered.
    pub fn is_heard(self: &Arc<Self>) -> HeardRequest {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.heard.fetch_add(1, Ordering::Relaxed);
        HeardRequest(Arc::clone(self))
    }
    /// Until somebody else needs the seat.
    pub async fn asked_to_leave(&self) {
        self.leave.notified().await;
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct HeardRequest(Arc<Guest>);

impl Drop for HeardRequest {
    fn drop(&mut self) {
        self.0.heard.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The number of the next one, and those who are here by theirs.
type Guests = (u64, BTreeMap<u64, Arc<Guest>>);

/// All of them, by the order in which they came.
#[derive(Debug, Clone)]
pub(super) struct Crowd {
    seats: Arc<Semaphore>,
    most: u32,
    guests: Arc<Mutex<Guests>>,
}

impl Crowd {
    /// With so many seats.
    pub fn new(most: usize) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self { seats: Arc::new(Semaphore::new(most as usize)), most, guests: Arc::default() }
    }

    /// A seat: a free one, or that of whoever has been asking for longest.
    pub async fn seat(&self) -> CrowdSeat {
        loop {
            if let Ok(permit) = Arc::clone(&self.seats).try_acquire_owned() {
                return self.sit(permit);
            }
            self.make_room();
            let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.seats).acquire_owned()).await;
            if let Ok(Ok(permit)) = waited {
                return self.sit(permit);
            }
        }
    }

    /// Ask one to leave who is not being answered: first those who never asked anything, then the oldest.
    pub fn make_room(&self) {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = guests.1.iter().filter(|(_, guest)| guest.heard.load(Ordering::Relaxed) == 0);
        let last = idle.min_by_key(|(came, guest)| (guest.asked.load(Ordering::Relaxed) > 0, **came));
        let Some(came) = last.map(|(came, _)| *came) else { return };
        if let Some(guest) = guests.1.remove(&came) {
            guest.leave.notify_one();
        }
    }

    /// Until everybody has left.
    pub async fn empty(&self) {
        let _closed = self.seats.acquire_many(self.most).await;
    }

    fn sit(&self, permit: OwnedSemaphorePermit) -> CrowdSeat {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, all) = &mut *guests;
        *next += 1;
        let guest = Arc::new(Guest::default());
        all.insert(*next, Arc::clone(&guest));
        CrowdSeat { came: *next, guest, crowd: self.clone(), _permit: permit }
    }
}

/// A place in the crowd, given back when it is dropped.
#[derive(Debug)]
pub(super) struct CrowdSeat {
    came: u64,
    guest: Arc<Guest>,
    crowd: Crowd,
    _permit: OwnedSemaphorePermit,
}

impl CrowdSeat {
    /// Who sits there.
    pub fn guest(&self) -> &Arc<Guest> {
        &self.guest
    }
}

impl Drop for CrowdSeat {
    fn drop(&mut self) {
        self.crowd.guests.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.came);
    }
}
