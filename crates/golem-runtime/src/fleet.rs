//! Many golems in one process on a few threads. Each lives as if it were alone: same turns, same chain, own errors, and
//! what it has lived goes to disk as often. Each gets a slice of time that is short enough for all to have theirs within
//! the time of a group of turns; what it lived in it is written when it is over.

use crate::clock::{Clock, StopFlag};
use crate::commit::GROUP_MS;
use crate::error::Error;
use crate::runner::Runner;
use crate::terms::{Progress, WhyBack};
use golem_core::door::{KeyedHands, World};
use golem_life::Being;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Turns that a golem takes before the next one gets its chance, at most.
const SLICE: u64 = 4_096;
/// How often a paused golem looks into its inbox.
const PAUSED_MS: u64 = 200;
/// How long an idle thread waits before it looks whether another golem has become due.
const IDLE: Duration = Duration::from_millis(20);

/// A golem as the fleet sees it.
pub trait Member: Send {
    /// Take the turns that are due, at most so many and until a moment of the monotonic clock, at which all of them go to
    /// disk.
    ///
    /// # Errors
    /// Its own, which end it and no other.
    fn advance(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error>;
    /// A clean stop.
    ///
    /// # Errors
    /// When it cannot be written.
    fn close(self: Box<Self>) -> Result<(), Error>;
}

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Member for Runner<B, W, H> {
    fn advance(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        self.advance_until(at_most, until_ms)
    }
    fn close(self: Box<Self>) -> Result<(), Error> {
        Runner::close(*self)
    }
}

type MemberSlot<'a> = Mutex<Option<Box<dyn Member + 'a>>>;

struct Fleet<'a> {
    members: Vec<MemberSlot<'a>>,
    slice_ms: u64,
    ends: Mutex<Vec<Option<Result<WhyBack, Error>>>>,
    queue: Mutex<Queue>,
    clock: Arc<dyn Clock>,
    stop: StopFlag,
}

#[derive(Default)]
struct Queue {
    due: BinaryHeap<Reverse<(u64, usize)>>,
    left: usize,
}

/// Run all of them on so many threads until each has ended or the flag is raised; every one that can be is closed
/// cleanly. They must share `clock` and `stop`. How each ended comes back in the order given.
pub fn run_fleet<'a>(
    members: Vec<Box<dyn Member + 'a>>,
    threads: usize,
    clock: Arc<dyn Clock>,
    stop: StopFlag,
) -> Vec<Result<WhyBack, Error>> {
    let now = clock.monotonic_ms();
    let queue = Queue { due: (0..members.len()).map(|n| Reverse((now, n))).collect(), left: members.len() };
    let fleet = Fleet {
        slice_ms: slice_ms(threads, members.len()),
        ends: Mutex::new(members.iter().map(|_| None).collect()),
        members: members.into_iter().map(|m| Mutex::new(Some(m))).collect(),
        queue: Mutex::new(queue),
        clock,
        stop,
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| fleet.work());
        }
    });
    let ends = fleet.ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    ends.into_iter().map(|end| end.unwrap_or(Err(Error::Broken))).collect()
}

impl Fleet<'_> {
    fn work(&self) {
        while let Some(next) = self.next() {
            let Some(n) = next else {
                self.stop.wait_for(IDLE);
                continue;
            };
            let mut slot = hold(&self.members[n]);
            let Some(member) = slot.as_mut() else { continue };
            let until = self.clock.monotonic_ms().saturating_add(self.slice_ms);
            let end = match step(member.as_mut(), until) {
                Ok(Progress::Due(at)) => {
                    drop(slot);
                    hold(&self.queue).due.push(Reverse((at, n)));
                    continue;
                }
                Ok(Progress::Ended(WhyBack::Paused)) if !self.stop.is_raised() => {
                    drop(slot);
                    let at = self.clock.monotonic_ms().saturating_add(PAUSED_MS);
                    hold(&self.queue).due.push(Reverse((at, n)));
                    continue;
                }
                Ok(Progress::Ended(why)) => slot.take().map_or(Err(Error::Broken), Member::close).map(|()| why),
                Err(e) => {
                    *slot = None;
                    Err(e)
                }
            };
            hold(&self.ends)[n] = Some(end);
            hold(&self.queue).left -= 1;
        }
    }

    /// The next golem that is due: `None` when all have ended, `Some(None)` when none is due yet.
    fn next(&self) -> Option<Option<usize>> {
        let mut queue = hold(&self.queue);
        let earliest = match queue.due.peek() {
            None if queue.left == 0 => return None,
            None => return Some(None),
            Some(Reverse((at, _))) => *at,
        };
        if earliest > self.clock.monotonic_ms() && !self.stop.is_raised() {
            drop(queue);
            let soon = self.clock.monotonic_ms().saturating_add(IDLE.as_millis() as u64);
            self.clock.wait_until(earliest.min(soon), &self.stop);
            return self.again();
        }
        Some(queue.due.pop().map(|Reverse((_, n))| n))
    }

    /// After a wait on the clock the next look is due at once, whoever was waited for.
    fn again(&self) -> Option<Option<usize>> {
        let mut queue = hold(&self.queue);
        let due = queue.due.peek().is_some_and(|Reverse((at, _))| *at <= self.clock.monotonic_ms());
        if due { Some(queue.due.pop().map(|Reverse((_, n))| n)) } else { Some(None) }
    }
}

/// How long each may live before the next one, so that each comes round in time: half of it is for living, the other half
/// for writing down what was lived.
fn slice_ms(threads: usize, members: usize) -> u64 {
    (GROUP_MS * threads.max(1) as u64 / members.max(1) as u64 / 2).clamp(1, GROUP_MS)
}

/// A panic that got past the runner's own guards ends this golem and no other.
fn step(member: &mut (dyn Member + '_), until_ms: u64) -> Result<Progress, Error> {
    catch_unwind(AssertUnwindSafe(|| member.advance(SLICE, until_ms)))
        .unwrap_or_else(|_| Err(Error::Bug("a panic outside of any turn".into())))
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allow as many open files as the system lets us: a golem needs about five. Returns how many that are, if it is bounded.
#[must_use]
pub fn raise_open_files() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    let before = limit.current;
    limit.current = limit.maximum;
    if setrlimit(Resource::Nofile, limit).is_ok() { limit.maximum } else { before }
}
