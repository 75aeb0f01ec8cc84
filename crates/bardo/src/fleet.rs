//! Several golems side by side: each is opened when its first turn comes, so that the first ones live while the others are
//! still being opened, and whoever was opened longest ago comes first, so that a fleet that is restarted again and again
//! brings everyone forward.

use crate::fail::Fail;
use crate::home::Place;
use crate::out::Out;
use crate::stored::parse;
use golem_core::Usdc;
use golem_life::{LifeStanding, Status};
use golem_runtime::{Clock, Error, LifeRunner, Member, Progress, Reader, StopFlag, WhyBack};
use golem_view::money;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Threads for each core: most of a short slice is waiting for the disk.
const THREADS_PER_CORE: usize = 4;
/// How often a fleet is told of.
const TIDINGS: Duration = Duration::from_secs(30);

/// How a golem is opened.
pub type Opening<'a> = Box<dyn FnOnce() -> Result<LifeRunner, Fail> + Send + 'a>;
/// What is asked once a golem is dead, again and again while it says to wait.
pub type Afterlife<'a> = Box<dyn FnMut() -> Afterwards<'a> + Send + 'a>;

/// What comes after a golem.
pub enum Afterwards<'a> {
    /// Ask again in so many seconds.
    Wait(u64),
    /// Nobody.
    Over,
    /// Somebody, in its place.
    Heir(Opening<'a>, Afterlife<'a>),
}

/// A golem that is opened when its first turn comes.
struct Sleeper<'a> {
    opening: Option<Opening<'a>>,
    runner: Option<Box<LifeRunner>>,
    after: Option<Afterlife<'a>>,
    mourned: bool,
    stop: StopFlag,
    failed: Arc<Mutex<Option<Fail>>>,
}

impl Member for Sleeper<'_> {
    fn advance(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        if self.stop.is_raised() && self.runner.is_none() {
            return Ok(Progress::Ended(WhyBack::Stopped));
        }
        if self.mourned {
            return self.mourn(until_ms);
        }
        if let Some(open) = self.opening.take() {
            match open() {
                Ok(runner) => self.runner = Some(Box::new(runner)),
                Err(e) => return Err(self.fail(e)),
            }
        }
        let progress = self.runner.as_mut().map_or(Err(Error::Broken), |runner| runner.advance(at_most, until_ms))?;
        if progress == Progress::Ended(WhyBack::Died) && self.after.is_some() {
            // Its file is closed before anybody comes to the grave.
            if let Some(runner) = self.runner.take() {
                (*runner).close()?;
            }
            self.mourned = true;
            return self.mourn(until_ms);
        }
        Ok(progress)
    }
    fn close(self: Box<Self>) -> Result<(), Error> {
        self.runner.map_or(Ok(()), |runner| (*runner).close())
    }
}

impl Sleeper<'_> {
    /// Whoever comes after it lives in its place.
    fn mourn(&mut self, until_ms: u64) -> Result<Progress, Error> {
        let over = Ok(Progress::Ended(WhyBack::Died));
        let Some(after) = self.after.as_mut().filter(|_| !self.stop.is_raised()) else { return over };
        match after() {
            Afterwards::Wait(s) => Ok(Progress::Due(until_ms.saturating_add(s.saturating_mul(1_000)))),
            Afterwards::Over => {
                self.after = None;
                over
            }
            Afterwards::Heir(opening, after) => {
                (self.opening, self.after, self.mourned) = (Some(opening), Some(after), false);
                Ok(Progress::Due(until_ms))
            }
        }
    }

    fn fail(&self, why: Fail) -> Error {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        Error::Broken
    }
}

/// Run them until each has ended or the flag is raised. How each ended comes back in the order given.
pub fn run<'a>(
    openings: Vec<(Opening<'a>, Afterlife<'a>)>,
    clock: Arc<dyn Clock>,
    stop: StopFlag,
) -> Vec<Result<WhyBack, Fail>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (cores * THREADS_PER_CORE).min(openings.len());
    let mut members: Vec<Box<dyn Member + 'a>> = Vec::with_capacity(openings.len());
    let mut failures = Vec::with_capacity(openings.len());
    for (opening, after) in openings {
        let failed = Arc::new(Mutex::new(None));
        failures.push(failed.clone());
        members.push(Box::new(Sleeper {
            opening: Some(opening),
            runner: None,
            after: Some(after),
            mourned: false,
            stop: stop.clone(),
            failed,
        }));
    }
    let ends = golem_runtime::run_fleet(members, threads, clock, stop);
    let told = |(end, failed): (Result<WhyBack, Error>, Arc<Mutex<Option<Fail>>>)| {
        let why = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        end.map_err(|e| why.unwrap_or_else(|| e.into()))
    };
    ends.into_iter().zip(failures).map(told).collect()
}

/// A line about the whole fleet now and then, so that a long run does not look like a frozen one.
pub struct Tidings {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Tidings {
    /// Begin to tell of these golems.
    pub fn begin(of: &[Place], out: Out) -> Self {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (until, of) = (over.clone(), of.to_vec());
        let thread = (!out.quiet).then(|| {
            std::thread::spawn(move || {
                let (gate, wake) = &*until;
                let mut ends = gate.lock().unwrap_or_else(PoisonError::into_inner);
                while !*ends {
                    let (now, waited) = wake.wait_timeout(ends, TIDINGS).unwrap_or_else(PoisonError::into_inner);
                    ends = now;
                    if waited.timed_out() && !*ends {
                        out.say(&tidings(&of));
                    }
                }
            })
        });
        Self { over, thread }
    }
}

impl Drop for Tidings {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// How many live, what they are worth together, and who is the furthest.
fn tidings(of: &[Place]) -> String {
    let status = |place: &Place| {
        let row = Reader::open(&place.dir).and_then(|r| r.status()).ok()??;
        parse(&row.body).ok()
    };
    let known: Vec<Status> = of.iter().filter_map(status).collect();
    let count = |standing: LifeStanding| known.iter().filter(|s| s.standing == standing).count();
    let parts: Vec<String> = [LifeStanding::Alive, LifeStanding::Paused, LifeStanding::Dying, LifeStanding::Dead]
        .into_iter()
        .map(|standing| (standing, count(standing)))
        .filter(|(_, n)| *n > 0)
        .map(|(standing, n)| format!("{n} {}", standing.name()))
        .collect();
    let worth = known.iter().fold(Usdc::ZERO, |sum, s| sum.plus(s.worth()));
    let first = known.iter().max_by_key(|s| s.tick);
    let furthest = first.map_or(String::new(), |s| format!("; {} is at turn {}", s.name, s.tick));
    format!("{} golems: {}; together worth {} USDC{furthest}", of.len(), parts.join(", "), money::usdc(worth))
}

/// Those that were opened longest ago first.
pub fn longest_asleep_first(places: &mut [Place]) {
    places.sort_by_cached_key(|place| {
        let noted = std::fs::metadata(place.dir.join("epoch")).and_then(|m| m.modified());
        noted.unwrap_or(SystemTime::UNIX_EPOCH)
    });
}
