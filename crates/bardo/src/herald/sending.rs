//! Sends what waits: several golems and channels at once, each golem's notices for a channel in their order.

use super::fault::SendFault;
use super::gate::HeraldGate;
use super::looked::Looked;
use super::send::deliver;
use crate::home::Place;
use golem_home::notify::{NotifyChannel, NotifySettings, OwnerNotice};
use golem_runtime::{Clock as _, RealClock};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Notices on their way at the same time, at most.
const AT_ONCE: usize = 8;
/// A channel rests for so long after its first failure, and no longer than this after many.
const FIRST_REST: Duration = Duration::from_secs(2);
const LONGEST_REST: Duration = Duration::from_secs(300);
/// A notice that was received and refused so often is given up.
const REFUSALS: u32 = 5;

/// Channels that failed: how often in a row, and until when they rest.
pub type ChannelRests = BTreeMap<String, (u32, Instant)>;

/// A golem of which something is to be told.
pub struct TidingsOf<'a> {
    place: &'a Place,
    looked: Mutex<&'a mut Looked>,
}

impl<'a> TidingsOf<'a> {
    pub fn new(place: &'a Place, looked: &'a mut Looked) -> Self {
        Self { place, looked: Mutex::new(looked) }
    }
}

/// What goes out in one round.
pub struct RoundPost<'a> {
    pub gate: &'a HeraldGate,
    pub settings: &'a NotifySettings,
    /// Who failed in the last round is not asked again.
    pub last: bool,
}

fn own<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RoundPost<'_> {
    /// Send all that can be. What comes back could not be written down.
    pub fn all(&self, golems: &[TidingsOf<'_>], rests: &mut ChannelRests) -> Vec<String> {
        let pairs = golems.iter().flat_map(|of| self.settings.channels.iter().map(move |channel| (of, channel)));
        let jobs: VecDeque<_> = pairs.filter(|(of, channel)| first(of, channel).is_some()).collect();
        let (hands, jobs) = (jobs.len().min(AT_ONCE), Mutex::new(jobs));
        let (rests, faults) = (Mutex::new(rests), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let next = own(&jobs).pop_front();
                let Some((of, channel)) = next else { return };
                if let Err(why) = self.queue(of, channel, &rests) {
                    own(&faults).push(format!("nobody can be told of {}: {why}", of.place.name));
                }
            }
        };
        std::thread::scope(|scope| (0..hands).for_each(|_| drop(scope.spawn(work))));
        faults.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// One golem's notices through one channel, until none is left or the channel fails.
    fn queue(
        &self,
        of: &TidingsOf<'_>,
        channel: &NotifyChannel,
        rests: &Mutex<&mut ChannelRests>,
    ) -> Result<(), crate::fail::Fail> {
        loop {
            let rested = own(rests).get(&channel.name).is_none_or(|(_, until)| Instant::now() >= *until);
            let Some(notice) = first(of, channel).filter(|_| rested && !self.gate.is_over()) else { return Ok(()) };
            let sent = self.gate.busy(&channel.name, || deliver(channel, &notice, false, self.gate));
            let mut looked = own(&of.looked);
            let Some(queue) = looked.ledger.channels.get_mut(&channel.name) else { return Ok(()) };
            match sent {
                Ok(()) => {
                    queue.delivered();
                    own(rests).remove(&channel.name);
                }
                Err(why) => {
                    queue.failed(why.words(), RealClock::default().now());
                    if matches!(why, SendFault::Refused(_)) && queue.failures >= REFUSALS {
                        queue.give_up();
                    }
                    self.rest(&mut own(rests), &channel.name);
                }
            }
            looked.keep(&of.place.dir)?;
        }
    }

    /// Each failure in a row makes the rest twice as long; those that were on their way together are one.
    fn rest(&self, rests: &mut ChannelRests, channel: &str) {
        let (row, until) = rests.get(channel).copied().unwrap_or((0, Instant::now()));
        if until > Instant::now() {
            return;
        }
        let rest = FIRST_REST.saturating_mul(2u32.saturating_pow(row)).min(LONGEST_REST);
        let rest = if self.last { LONGEST_REST } else { rest };
        rests.insert(channel.to_owned(), (row.saturating_add(1), Instant::now() + rest));
    }
}

fn first(of: &TidingsOf<'_>, channel: &NotifyChannel) -> Option<OwnerNotice> {
    own(&of.looked).ledger.channels.get(&channel.name)?.waiting.front().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Timestamp;
    use golem_home::notify::NotifyFile;

    fn looked(dir: &std::path::Path, channel: &str, notices: usize) -> Looked {
        let mut looked = Looked::of(dir).unwrap();
        let queue = looked.ledger.channels.entry(channel.to_owned()).or_default();
        queue.waiting.extend((0..notices).map(|n| OwnerNotice::trial(Timestamp(n as i64))));
        looked
    }

    /// Whatever hangs, everything is over when the time is, and waits.
    #[test]
    fn the_last_round_ends_in_time_and_what_is_left_waits() {
        let text = "[[notify.channels]]\nname = \"slow\"\ncommand = [\"/bin/sleep\", \"60\"]\ntimeout_s = 60\n";
        let settings = NotifyFile::read(text).unwrap().notify;
        let dir = tempfile::tempdir().unwrap();
        let place = |n: u8| {
            let own = dir.path().join(n.to_string());
            std::fs::create_dir(&own).unwrap();
            Place { dir: own, id: golem_core::GolemId([n; 16]), name: "ada".parse().unwrap() }
        };
        let places: Vec<Place> = (0..20).map(place).collect();
        let mut many: Vec<Looked> = places.iter().map(|place| looked(&place.dir, "slow", 2)).collect();
        let (gate, begun) = (HeraldGate::default(), Instant::now());
        gate.close(Duration::from_millis(300));
        let golems: Vec<TidingsOf<'_>> =
            places.iter().zip(&mut many).map(|(place, of)| TidingsOf::new(place, of)).collect();
        let faults = RoundPost { gate: &gate, settings: &settings, last: true }.all(&golems, &mut BTreeMap::new());
        drop(golems);
        assert!(faults.is_empty() && begun.elapsed() < Duration::from_secs(5), "{faults:?} {:?}", begun.elapsed());
        assert!(many.iter().all(|of| of.ledger.waiting(&settings) == 2), "nothing is lost");
        let said = many.iter().map(|of| &of.ledger.channels["slow"].said);
        assert_eq!(said.filter(|said| said.contains("no more time")).count(), AT_ONCE, "some were on their way");
        assert!(gate.waits_for().is_empty());
    }

    /// Those that fail together are one failure: a channel rests two seconds after it, and no more.
    #[test]
    fn failures_at_the_same_time_are_one() {
        let settings = NotifyFile::read("").unwrap().notify;
        let (gate, mut rests) = (HeraldGate::default(), BTreeMap::new());
        let sending = RoundPost { gate: &gate, settings: &settings, last: false };
        (0..8).for_each(|_| sending.rest(&mut rests, "hook"));
        let (row, until) = rests["hook"];
        assert!(row == 1 && until <= Instant::now() + FIRST_REST);
    }
}
