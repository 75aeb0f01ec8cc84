//! How far a comparison is, and how long it may yet take: a bar on a terminal, a line now and then elsewhere.

use crate::out::Out;
use golem_lab::compare::{CompareError, LifeOf, LifeRow, Watching};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Seconds between two lines.
const SPEAK_EVERY_S: u64 = 30;

/// Whoever watches for the owner.
pub struct LabProgress<'a> {
    out: &'a Out,
    bar: ProgressBar,
    /// Turns that are to be lived, about.
    all: u64,
    turns: AtomicU64,
    lives: AtomicU64,
    begun: Instant,
    spoken_s: AtomicU64,
}

impl<'a> LabProgress<'a> {
    /// Before about so many turns.
    pub fn over(turns: u64, out: &'a Out) -> Self {
        let bar = if out.live { ProgressBar::new(turns) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left  {per_sec}");
        let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
        let zero = || AtomicU64::new(0);
        Self { out, bar, all: turns, turns: zero(), lives: zero(), begun: Instant::now(), spoken_s: zero() }
    }

    /// It is over: how much was lived, and how fast.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        let (turns, lives) = (self.turns.load(Ordering::Relaxed), self.lives.load(Ordering::Relaxed));
        let seconds = self.begun.elapsed().as_secs_f64();
        if lives > 0 {
            let rate = turns as f64 / seconds.max(1e-9);
            self.out.say(&format!("{lives} lives, {turns} turns in {seconds:.1} s: {rate:.0} turns a second"));
        }
    }

    fn speak(&self, turns: u64) {
        let seconds = self.begun.elapsed().as_secs();
        let spoken = self.spoken_s.load(Ordering::Relaxed);
        let due = !self.out.live && seconds >= spoken + SPEAK_EVERY_S;
        let first = || self.spoken_s.compare_exchange(spoken, seconds, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if due && first() {
            let share = turns as f64 / self.all.max(1) as f64;
            let left = seconds as f64 * (1.0 / share.max(1e-9) - 1.0).max(0.0);
            self.out.say(&format!("{:.0} %, about {:.0} min left", share * 100.0, (left / 60.0).ceil()));
        }
    }
}

impl Watching for LabProgress<'_> {
    fn turned(&self, turns: u64) {
        self.bar.inc(turns);
        self.speak(self.turns.fetch_add(turns, Ordering::Relaxed) + turns);
    }
    fn lived(&self, _of: LifeOf, _row: &LifeRow) -> Result<(), CompareError> {
        self.lives.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
