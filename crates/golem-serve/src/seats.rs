//! Places for connections. Whoever has shown the token keeps its place; of all others the one that has sat longest gives way when
//! none is left, however busy it is. So strangers keep each other out, and never the owner.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// All places.
#[derive(Debug)]
pub(crate) struct Seats {
    most: usize,
    next: AtomicU64,
    taken: Mutex<BTreeMap<u64, Taken>>,
    /// Somebody left.
    left: Notify,
}

#[derive(Debug)]
struct Taken {
    is_owner: bool,
    gives_way: Arc<Notify>,
}

/// One of them, for as long as it is held.
#[derive(Debug)]
pub(crate) struct VisitorSeat {
    seats: Arc<Seats>,
    /// Whoever came later has a higher one.
    number: u64,
    gives_way: Arc<Notify>,
}

impl Seats {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, next: AtomicU64::new(0), taken: Mutex::default(), left: Notify::new() })
    }

    /// A place for somebody new; none where owners have all of them.
    pub fn take(self: &Arc<Self>) -> Option<VisitorSeat> {
        let mut taken = self.taken();
        if taken.len() >= self.most {
            let longest = taken.iter().find(|(_, of)| !of.is_owner).map(|(number, _)| *number)?;
            let leaves = taken.remove(&longest)?;
            leaves.gives_way.notify_one();
        }
        let (number, gives_way) = (self.next.fetch_add(1, Ordering::Relaxed), Arc::new(Notify::new()));
        taken.insert(number, Taken { is_owner: false, gives_way: Arc::clone(&gives_way) });
        Some(VisitorSeat { seats: Arc::clone(self), number, gives_way })
    }

    /// Whether there is none left without somebody's giving way.
    pub fn is_full(&self) -> bool {
        self.taken().len() >= self.most
    }

    /// Until everybody has left.
    pub async fn empty(&self) {
        loop {
            let left = self.left.notified();
            if self.taken().is_empty() {
                return;
            }
            left.await;
        }
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<u64, Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisitorSeat {
    /// Whoever sits here has shown the token.
    pub fn is_owners(&self) {
        if let Some(of) = self.seats.taken().get_mut(&self.number) {
            of.is_owner = true;
        }
    }

    /// Until somebody else has this place.
    pub async fn given_away(&self) {
        self.gives_way.notified().await;
    }
}

impl Drop for VisitorSeat {
    fn drop(&mut self) {
        self.seats.taken().remove(&self.number);
        self.seats.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gave_way(seat: &VisitorSeat) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = seat.given_away() => true,
                () = std::future::ready(()) => false,
            }
        })
    }

    #[test]
    fn the_stranger_who_sat_longest_gives_way_and_owners_never_do() {
        let seats = Seats::new(3);
        let [first, second, third] = [(); 3].map(|()| seats.take().unwrap());
        first.is_owners();
        let fourth = seats.take().unwrap();
        assert_eq!([&first, &second, &third, &fourth].map(gave_way), [false, true, false, false]);
        // That it leaves now frees nobody else's place.
        drop(second);
        third.is_owners();
        fourth.is_owners();
        assert!(seats.take().is_none(), "owners have all of them");
        drop(third);
        assert!(seats.take().is_some());
    }
}
