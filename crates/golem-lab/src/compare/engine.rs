//! All lives of a comparison on all cores: a queue that the threads take from, and rows as they come. Which thread lives
//! which life changes nothing in its row.

use super::best;
use super::error::CompareError;
use super::folder::CompareFolder;
use super::life::{LifeTerms, LifeWatch};
use super::plan::{ArmSettings, ComparePlan, LifeOf, Shard};
use super::row::LifeRow;
use super::source::WorldSource;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A comparison, ready to be lived.
pub struct PairedLives {
    pub plan: ComparePlan,
    /// By template, then by arm.
    pub settings: Vec<Vec<ArmSettings>>,
    /// In the order of the plan.
    pub sources: Vec<WorldSource>,
}

/// Whoever wants to know how it goes; asked from all threads.
pub trait Watching: Sync {
    /// So many turns were lived.
    fn turned(&self, turns: u64);
    /// A life is over.
    ///
    /// # Errors
    /// What could not be kept; it ends the comparison.
    fn lived(&self, of: LifeOf, row: &LifeRow) -> Result<(), CompareError>;
}

/// Nobody.
pub struct Unwatched;

impl Watching for Unwatched {
    fn turned(&self, _turns: u64) {}
    fn lived(&self, _of: LifeOf, _row: &LifeRow) -> Result<(), CompareError> {
        Ok(())
    }
}

impl PairedLives {
    /// One life.
    ///
    /// # Errors
    /// When its market cannot begin or go on.
    pub fn life(&self, of: LifeOf, turned: &dyn Fn(u64)) -> Result<LifeRow, CompareError> {
        self.terms(of).live(turned, None)
    }

    /// The same life, under the eyes of somebody.
    ///
    /// # Errors
    /// When its market cannot begin or go on.
    pub fn watched(&self, of: LifeOf, watch: &mut dyn LifeWatch) -> Result<LifeRow, CompareError> {
        self.terms(of).live(&|_| {}, Some(watch))
    }

    fn terms(&self, of: LifeOf) -> LifeTerms<'_> {
        let (source, arm) = (&self.sources[of.world], &self.settings[of.template][of.arm]);
        LifeTerms { plan: &self.plan, source, arm, of }
    }

    /// All lives of a shard; those that a folder has already are not lived again, and new ones are kept there at once.
    ///
    /// # Errors
    /// When a life cannot be lived or kept.
    pub fn rows(
        &self,
        shard: Shard,
        folder: Option<&CompareFolder>,
        threads: usize,
        watching: &dyn Watching,
    ) -> Result<Vec<LifeRow>, CompareError> {
        let done = |life: &LifeOf| folder.and_then(|folder| folder.done.get(life));
        let lives = self.plan.lives(shard);
        let to_do: Vec<LifeOf> = lives.iter().copied().filter(|life| done(life).is_none()).collect();
        let mut new = self.run(&to_do, threads, &Keeping { folder, watching })?.into_iter();
        let mut rows: Vec<LifeRow> =
            lives.iter().filter_map(|life| done(life).cloned().or_else(|| new.next())).collect();
        if let Some(grid) = self.plan.grid() {
            best::hold_against(&grid, &mut rows);
        }
        // While widths may yet ask for more it is not over.
        if let Some(folder) = folder.filter(|_| self.plan.until.is_none()) {
            folder.finish(&rows)?;
        }
        Ok(rows)
    }

    /// These lives on so many threads; their rows in the order of the lives.
    ///
    /// # Errors
    /// The first that occurred; lives that had begun are finished and told.
    pub fn run(&self, lives: &[LifeOf], threads: usize, watching: &dyn Watching) -> Result<Vec<LifeRow>, CompareError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (rows, failed) = (Mutex::new(vec![None; lives.len()]), Mutex::new(None));
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, lives.len().max(1)) {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let Some(of) = lives.get(n) else { break };
                        let told = self.life(*of, &|turns| watching.turned(turns));
                        match told.and_then(|row| watching.lived(*of, &row).map(|()| row)) {
                            Ok(row) => rows.lock().unwrap_or_else(PoisonError::into_inner)[n] = Some(row),
                            Err(why) => {
                                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(why),
            None => Ok(rows.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()),
        }
    }
}

/// Rows go into the folder before anybody hears of them.
struct Keeping<'a> {
    folder: Option<&'a CompareFolder>,
    watching: &'a dyn Watching,
}

impl Watching for Keeping<'_> {
    fn turned(&self, turns: u64) {
        self.watching.turned(turns);
    }
    fn lived(&self, of: LifeOf, row: &LifeRow) -> Result<(), CompareError> {
        self.folder.map_or(Ok(()), |folder| folder.keep(row))?;
        self.watching.lived(of, row)
    }
}

/// As many threads as there are cores.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Do all of it on so many threads (0 for all cores); answers come in the order of the questions.
///
/// # Errors
/// The first that comes.
pub fn on_threads<Q: Sync, A: Send>(
    threads: usize,
    all: &[Q],
    each: impl Fn(&Q) -> Result<A, CompareError> + Sync,
) -> Result<Vec<A>, CompareError> {
    let threads = if threads == 0 { cores() } else { threads };
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, all.len().max(1)) {
            scope.spawn(|| {
                while let Some((n, q)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, all.get(n)?)))
                {
                    let answer = each(q);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((n, answer));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, answer)| answer).collect()
}
