//! The pulse of a run that people look at: when the next turn comes, the price, what is held and what it is all worth. On a
//! terminal a line that counts down, elsewhere a plain line now and then.

use crate::live_line::LiveLine;
use crate::out::Out;
use crate::screen::{Screen, Watcher};
use crate::stored::parse;
use golem_core::Elapsed;
use golem_core::fact::{Envelope, FactBody as _};
use golem_life::{Fact, LifeFact, LifeStanding, Status};
use golem_runtime::{Clock, Notice, Pace, Reader};
use golem_view::wrap::{WIDTH, cut};
use golem_view::{money, time};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Plain lines are this far apart, at least.
const PLAIN_MS: u64 = 10_000;
/// Turns that are closer than this are too quick to count down to.
const COUNTED_US: u64 = 2_000_000;
/// Turns that are closer than this pass in a blur: the screen's own bar shows them.
const BLUR_US: u64 = 20_000;
/// How often the count goes down.
const REDRAW: Duration = Duration::from_millis(500);

/// The file is looked into this often at most for the live line.
const SHOWN_MS: u64 = 400;

/// How it stands, and when it goes on.
#[derive(Default)]
struct Glance {
    status: Option<Status>,
    due_ms: u64,
}

impl Glance {
    /// One line, without the golem's name.
    fn words(&self, now_ms: u64, counts: bool) -> String {
        let left = self.due_ms.saturating_sub(now_ms).div_ceil(1_000);
        let Some(s) = &self.status else { return "the first turn is under way".to_owned() };
        let next = match s.standing {
            LifeStanding::Paused => format!("paused: bardo golem resume {}", s.name),
            LifeStanding::Dead => "dead".to_owned(),
            _ if !counts => format!("turn {}", money::grouped(u128::from(s.tick.0))),
            _ if left == 0 => "a turn is under way".to_owned(),
            _ => format!("next turn {}", time::ahead(left)),
        };
        let price = s.price.map_or("no price yet".to_owned(), |p| format!("ETH {}", money::price(p)));
        let held = match s.positions.0 {
            0 => "no position".to_owned(),
            _ => format!("positions {}", money::usdc(s.positions)),
        };
        format!("{next} · {price} · {held} · worth {} USDC · {}", money::usdc(s.balance), s.phase)
    }
}

/// Whoever watches one golem run: its events as lines, and its pulse.
pub struct Pulse {
    // Dropped first: what the screen has left to say comes after the line is cleared.
    live: Option<Live>,
    screen: Screen,
    out: Out,
    dir: PathBuf,
    clock: Arc<dyn Clock>,
    /// Microseconds between turns; none when there is no waiting.
    period_us: Option<u64>,
    glance: Arc<Mutex<Glance>>,
    told_ms: Option<u64>,
}

/// The line on a terminal, and the thread that counts it down.
struct Live {
    line: Arc<LiveLine>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    /// Of the golem in a directory. `turns` is how many will be taken, where that is known.
    pub fn of(dir: &Path, pace: Pace, interval: Elapsed, turns: Option<u64>, clock: Arc<dyn Clock>, out: Out) -> Self {
        let period_us = pace.period_us(interval);
        let status = status(dir);
        let midway = status.is_some();
        let glance = Arc::new(Mutex::new(Glance { status, due_ms: clock.monotonic_ms() }));
        let counts = period_us.is_some_and(|period| period >= COUNTED_US);
        let live = out.live && period_us.is_some_and(|period| period >= BLUR_US);
        // Where there is a live line, the screen keeps to lines of its own.
        let quiet = Out { live: out.live && !live, ..out };
        let live = live.then(|| Live::begin(glance.clone(), clock.clone(), counts));
        Self {
            screen: Screen::new(quiet, turns, midway),
            out,
            dir: dir.to_owned(),
            clock,
            period_us,
            glance,
            live,
            told_ms: None,
        }
    }

    /// A turn is over and on disk.
    fn turned(&mut self) {
        let now = self.clock.monotonic_ms();
        let counts = self.period_us.is_some_and(|period| period >= COUNTED_US);
        let rests = self.period_us.is_some_and(|period| period >= PLAIN_MS * 1_000);
        let long_ago = self.told_ms.is_none_or(|told| now.saturating_sub(told) >= PLAIN_MS);
        let plain = !self.out.live && (rests || long_ago);
        let shown = self.live.is_some() && self.told_ms.is_none_or(|told| now.saturating_sub(told) >= SHOWN_MS);
        if !plain && !shown {
            return;
        }
        // Flat out, the first turn is no news yet.
        let is_first = self.told_ms.replace(now).is_none();
        if plain && !counts && is_first {
            return;
        }
        let mut glance = self.glance.lock().unwrap_or_else(PoisonError::into_inner);
        glance.status = status(&self.dir).or(glance.status.take());
        // Whoever is poor or weak takes its turns further apart.
        let slower = glance.status.as_ref().map_or(1, |s| s.phase.behaviour().interval);
        glance.due_ms = now.saturating_add(self.period_us.unwrap_or(0).saturating_mul(slower) / 1_000);
        if plain {
            self.out.say(&cut(&glance.words(now, counts), WIDTH));
        }
    }

    fn beside<T>(&mut self, show: impl FnOnce(&mut Screen) -> T) -> T {
        match &self.live {
            Some(live) => live.line.above(|| show(&mut self.screen)),
            None => show(&mut self.screen),
        }
    }
}

impl Watcher for Pulse {
    fn fact(&mut self, fact: &Envelope<Fact>) {
        // What recurs every turn is for the screen's bar alone.
        match (&self.live, fact.body.is_series()) {
            (Some(_), true) => {}
            _ => self.beside(|screen| screen.fact(fact)),
        }
        if matches!(fact.body, Fact::Life(LifeFact::Tick { .. })) {
            self.turned();
        }
    }
    fn notice(&mut self, notice: &Notice) {
        self.beside(|screen| screen.notice(notice));
    }
    fn news(&mut self, words: &str) {
        self.beside(|screen| screen.news(words));
    }
}

impl Live {
    fn begin(glance: Arc<Mutex<Glance>>, clock: Arc<dyn Clock>, counts: bool) -> Self {
        let (over, line) = (Arc::new(AtomicBool::new(false)), Arc::new(LiveLine::default()));
        let shown = line.clone();
        let until = over.clone();
        let thread = std::thread::spawn(move || {
            while !until.load(Ordering::Acquire) {
                let words = glance.lock().unwrap_or_else(PoisonError::into_inner).words(clock.monotonic_ms(), counts);
                shown.show(&words);
                std::thread::park_timeout(REDRAW);
            }
        });
        Self { line, over, thread: Some(thread) }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ended = thread.join();
        }
    }
}

/// The last committed status; one that cannot be read now is read after the next turn.
fn status(dir: &Path) -> Option<Status> {
    let row = Reader::open(dir).and_then(|r| r.status()).ok()??;
    parse(&row.body).ok()
}
