//! The folder of a trial: its plan, its rows under letters, and what they say. A run that was broken off goes on where it
//! stopped; rows of other folders of the same plan are taken over, which is how shards are put together.

use super::error::TrialError;
use super::files::{lines_of, pretty, write_whole};
use super::path::{PathLived, TrialRow, TrialRun, head, line_of, row_of};
use super::plan::{TrialPlan, TrialPlanFile};
use crate::compare::Shard;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

const PLAN: &str = "plan.json";
/// Rows in their order, once all of the shard are there.
const ROWS: &str = "rows.csv";
/// Rows as they came, until then.
const PART: &str = "rows.part.csv";
/// When the line that inherits had its deaths.
const DEATHS: &str = "deaths.csv";
const DEATHS_PART: &str = "deaths.part.csv";

/// A trial's folder, open.
#[derive(Debug)]
pub struct TrialFolder {
    dir: PathBuf,
    shard: Shard,
    cells: Vec<String>,
    paths: u64,
    arms: usize,
    /// Paths that are over, by cell and number.
    done: BTreeMap<(usize, u64), Vec<TrialRow>>,
    deaths: BTreeMap<(usize, u64), Vec<u64>>,
    parts: Mutex<Option<(File, File)>>,
}

impl TrialFolder {
    /// Make it, or go on in it; with the rows of these others.
    ///
    /// # Errors
    /// When it holds another plan, or cannot be read or written.
    pub fn open(dir: &Path, plan: &TrialPlan, shard: Shard, others: &[PathBuf]) -> Result<Self, TrialError> {
        fs::create_dir_all(dir).map_err(TrialError::io(dir))?;
        let mut folder = Self {
            dir: dir.to_owned(),
            shard,
            cells: plan.cell_names(),
            paths: plan.paths,
            arms: plan.arms.len(),
            done: BTreeMap::new(),
            deaths: BTreeMap::new(),
            parts: Mutex::new(None),
        };
        if dir.join(PLAN).exists() {
            same_plan(dir, plan)?;
        } else {
            write_whole(&dir.join(PLAN), &pretty(&TrialPlanFile { hash: plan.hash(), plan: plan.clone() }))?;
        }
        for other in others {
            same_plan(other, plan)?;
            folder.take_all(other)?;
        }
        folder.take_all(dir)?;
        folder.go_on()?;
        Ok(folder)
    }

    /// How many paths of the shard are over, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let all = self.wanted();
        (all.iter().filter(|at| self.done.contains_key(at)).count(), all.len())
    }

    /// Live what is not there yet, on so many threads, and keep each path at once. `lived` hears of each that is over.
    ///
    /// # Errors
    /// The first that occurred; paths that had begun are finished and kept.
    pub fn live(
        &mut self,
        run: &TrialRun<'_>,
        threads: usize,
        lived: &(dyn Fn(&PathLived) + Sync),
    ) -> Result<(), TrialError> {
        let to_do: Vec<(usize, u64)> = self.wanted().into_iter().filter(|at| !self.done.contains_key(at)).collect();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (new, failed) = (Mutex::new(Vec::new()), Mutex::new(None));
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, to_do.len().max(1)) {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(at) = to_do.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        match run.path(at.0, at.1).and_then(|path| self.keep(*at, &path).map(|()| path)) {
                            Ok(path) => {
                                lived(&path);
                                new.lock().unwrap_or_else(PoisonError::into_inner).push((*at, path));
                            }
                            Err(why) => {
                                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
        });
        for (at, path) in new.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.deaths.insert(at, path.deaths);
            self.done.insert(at, path.rows);
        }
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(why),
            None => self.finish(),
        }
    }

    /// All rows of the shard, in their order.
    #[must_use]
    pub fn rows(&self) -> Vec<TrialRow> {
        self.wanted().iter().filter_map(|at| self.done.get(at)).flatten().cloned().collect()
    }

    /// When the line that inherits had its deaths, path by path.
    #[must_use]
    pub fn deaths(&self) -> Vec<Vec<u64>> {
        self.wanted().iter().filter_map(|at| self.deaths.get(at)).cloned().collect()
    }

    fn wanted(&self) -> Vec<(usize, u64)> {
        // Path by path over all cells: whatever there is when it is broken off says something of every cell.
        let paths = (0..self.paths).filter(|path| self.shard.has(*path));
        paths.flat_map(|path| (0..self.cells.len()).map(move |cell| (cell, path))).collect()
    }

    fn take_all(&mut self, dir: &Path) -> Result<(), TrialError> {
        for (rows, deaths) in [(ROWS, DEATHS), (PART, DEATHS_PART)] {
            self.take(&whole_lines(&dir.join(rows))?, &whole_lines(&dir.join(deaths))?, dir)?;
        }
        Ok(())
    }

    /// Rows that a run left behind. A path whose rows are not all there is lived again.
    fn take(&mut self, rows: &[String], deaths: &[String], dir: &Path) -> Result<(), TrialError> {
        let hint = "move this folder away, or choose another: --out DIR";
        let other = |what: &str| TrialError::Other { path: dir.into(), what: what.into(), hint: hint.into() };
        let mut found: BTreeMap<(usize, u64), BTreeMap<String, TrialRow>> = BTreeMap::new();
        for line in rows.iter().filter(|line| **line != *head().trim_end()) {
            let row = row_of(line).ok_or_else(|| other("rows that cannot be read"))?;
            let cell = self.cells.iter().position(|cell| *cell == row.cell);
            let at = cell.filter(|_| row.path < self.paths).ok_or_else(|| other("rows that are not in its plan"))?;
            found.entry((at, row.path)).or_default().insert(row.letter.clone(), row);
        }
        let mut died = BTreeMap::new();
        for line in deaths.iter().filter(|line| **line != DEATHS_HEAD) {
            let mut cells = line.split(',');
            let cell = cells.next().and_then(|name| self.cells.iter().position(|cell| cell == name));
            let path = cells.next().and_then(|n| n.parse().ok());
            let hours = cells.next().map(|all| all.split(' ').filter_map(|h| h.parse().ok()).collect::<Vec<u64>>());
            let (Some(cell), Some(path), Some(hours)) = (cell, path, hours) else {
                return Err(other("deaths that cannot be read"));
            };
            died.insert((cell, path), hours);
        }
        for (at, rows) in found {
            if let Some(hours) = died.remove(&at).filter(|_| rows.len() == self.arms) {
                self.deaths.insert(at, hours);
                self.done.insert(at, rows.into_values().collect());
            }
        }
        Ok(())
    }

    /// Begin the parts anew with what is known.
    fn go_on(&mut self) -> Result<(), TrialError> {
        let (rows, deaths) = (self.dir.join(PART), self.dir.join(DEATHS_PART));
        write_whole(&rows, &self.rows_text())?;
        write_whole(&deaths, &self.deaths_text())?;
        let open = |path: &Path| OpenOptions::new().append(true).open(path).map_err(TrialError::io(path));
        self.parts = Mutex::new(Some((open(&rows)?, open(&deaths)?)));
        Ok(())
    }

    fn keep(&self, (cell, path): (usize, u64), lived: &PathLived) -> Result<(), TrialError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((rows, deaths)) = parts.as_mut() else { return Ok(()) };
        let death = death_line(&self.cells[cell], path, &lived.deaths);
        let all: String = lived.rows.iter().map(line_of).collect();
        // Deaths first: a path counts as over when its rows are there.
        deaths.write_all(death.as_bytes()).map_err(TrialError::io(self.dir.join(DEATHS_PART)))?;
        rows.write_all(all.as_bytes()).map_err(TrialError::io(self.dir.join(PART)))
    }

    fn finish(&self) -> Result<(), TrialError> {
        write_whole(&self.dir.join(DEATHS), &self.deaths_text())?;
        write_whole(&self.dir.join(ROWS), &self.rows_text())?;
        for part in [PART, DEATHS_PART] {
            let path = self.dir.join(part);
            if path.exists() {
                fs::remove_file(&path).map_err(TrialError::io(&path))?;
            }
        }
        Ok(())
    }

    fn rows_text(&self) -> String {
        self.rows().iter().map(line_of).fold(head(), |all, line| all + &line)
    }

    fn deaths_text(&self) -> String {
        let of = |at: &(usize, u64)| Some(death_line(&self.cells[at.0], at.1, self.deaths.get(at)?));
        self.wanted().iter().filter_map(of).fold(format!("{DEATHS_HEAD}\n"), |all, line| all + &line)
    }
}

const DEATHS_HEAD: &str = "cell,path,hours";

fn death_line(cell: &str, path: u64, hours: &[u64]) -> String {
    let hours: Vec<String> = hours.iter().map(ToString::to_string).collect();
    format!("{cell},{path},{}\n", hours.join(" "))
}

fn same_plan(dir: &Path, plan: &TrialPlan) -> Result<(), TrialError> {
    let there = TrialPlan::read(&dir.join(PLAN))?;
    if there.hash() == plan.hash() {
        return Ok(());
    }
    let (what, hint) = ("another trial".to_owned(), "choose another folder, or give the plan of this one".to_owned());
    Err(TrialError::Other { path: dir.into(), what, hint })
}

/// The lines of a file that were written to their end; none where there is no file.
fn whole_lines(path: &Path) -> Result<Vec<String>, TrialError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    Ok(lines_of(&fs::read_to_string(path).map_err(TrialError::io(path))?))
}
