//! The folder of a comparison: its plan, and the rows of lives that are over. A run that was broken off goes on where it
//! stopped; a folder of another plan is left alone.

use super::error::CompareError;
use super::plan::{ComparePlan, LifeOf, Shard};
use super::row::LifeRow;
use super::table;
use golem_core::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const PLAN: &str = "plan.json";
/// Rows in their order, once all are there.
const ROWS: &str = "rows.csv";
/// Rows as they came, until then.
const PART: &str = "rows.part.csv";

/// What stands in the plan's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanFile {
    /// Of the plan, whatever the shard.
    pub hash: Hash,
    pub shard: Shard,
    pub plan: ComparePlan,
}

/// A comparison's folder, open.
#[derive(Debug)]
pub struct CompareFolder {
    dir: PathBuf,
    file: PlanFile,
    /// Rows of lives that are over.
    pub done: BTreeMap<LifeOf, LifeRow>,
    part: Mutex<Option<File>>,
}

impl CompareFolder {
    /// Make it, or go on in it.
    ///
    /// # Errors
    /// When it holds another plan, or cannot be read or written.
    pub fn open(dir: &Path, plan: &ComparePlan, shard: Shard) -> Result<Self, CompareError> {
        let file = PlanFile { hash: plan.hash(), shard, plan: plan.clone() };
        fs::create_dir_all(dir).map_err(CompareError::io(dir))?;
        if dir.join(PLAN).exists() {
            let other = read_plan(dir)?;
            if other.hash != file.hash || other.shard != shard {
                return Err(unlike(dir, &other, &file));
            }
        } else {
            write(&dir.join(PLAN), &pretty(&file))?;
        }
        let mut folder = Self { dir: dir.to_owned(), file, done: BTreeMap::new(), part: Mutex::new(None) };
        if dir.join(ROWS).exists() {
            folder.take(&text(&dir.join(ROWS))?)?;
        } else {
            folder.go_on()?;
        }
        Ok(folder)
    }

    /// Read a folder whose comparison, or shard of one, is over.
    ///
    /// # Errors
    /// When it is not over, or is no such folder.
    pub fn finished(dir: &Path) -> Result<(PlanFile, Vec<LifeRow>), CompareError> {
        let file = read_plan(dir)?;
        let other =
            |what: &str, hint: &str| CompareError::Other { path: dir.into(), what: what.into(), hint: hint.into() };
        if !dir.join(ROWS).exists() {
            return Err(other(
                "a comparison that is not finished",
                "run the same command again: it goes on where it stopped",
            ));
        }
        let mut folder = Self { dir: dir.to_owned(), file, done: BTreeMap::new(), part: Mutex::new(None) };
        folder.take(&text(&dir.join(ROWS))?)?;
        if folder.file.plan.until.is_some() {
            folder.file.plan.widened = folder.done.keys().map(|life| life.path + 1).max();
        }
        let wanted = folder.file.plan.lives(folder.file.shard);
        if wanted.len() != folder.done.len() {
            return Err(other(
                "rows of other lives than its plan has",
                "remove its rows.csv and run the same command again",
            ));
        }
        Ok((folder.file, folder.done.into_values().collect()))
    }

    /// Rows that a run left behind. A last line that was cut off in the middle is cut away.
    fn go_on(&mut self) -> Result<(), CompareError> {
        let path = self.dir.join(PART);
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(CompareError::io(&path))?;
        let kept = text(&path)?;
        let whole = kept.rfind('\n').map_or(0, |at| at + 1);
        if whole == 0 {
            let head = table::head(&self.file.plan.outcomes());
            file.set_len(0).and_then(|()| file.write_all(head.as_bytes())).map_err(CompareError::io(&path))?;
        } else {
            file.set_len(whole as u64).map_err(CompareError::io(&path))?;
            self.take(&kept[..whole])?;
        }
        self.part = Mutex::new(Some(file));
        Ok(())
    }

    fn take(&mut self, text: &str) -> Result<(), CompareError> {
        let other = |what: String| CompareError::Other {
            path: self.dir.clone(),
            what,
            hint: "move this folder away, or choose another: --out DIR".into(),
        };
        let rows = table::from_csv(text).map_err(|why| other(format!("rows that cannot be read: {why}")))?;
        for row in rows {
            let life = table::life_of(&self.file.plan, &row).filter(|life| self.file.shard.has(life.path));
            let life = life.ok_or_else(|| other("rows of lives that are not in its plan".into()))?;
            self.done.insert(life, row);
        }
        Ok(())
    }

    /// Keep a row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, row: &LifeRow) -> Result<(), CompareError> {
        let mut part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = part.as_mut() else { return Ok(()) };
        file.write_all(table::row_line(row).as_bytes()).map_err(CompareError::io(self.dir.join(PART)))
    }

    /// All lives are over: their rows in order, and nothing else.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(&self, rows: &[LifeRow]) -> Result<(), CompareError> {
        write(&self.dir.join(ROWS), &table::to_csv(rows))?;
        let part = self.dir.join(PART);
        if part.exists() { fs::remove_file(&part).map_err(CompareError::io(&part)) } else { Ok(()) }
    }
}

/// Write a file as a whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), CompareError> {
    let half = path.with_extension("half");
    fs::write(&half, text).and_then(|()| fs::rename(&half, path)).map_err(CompareError::io(path))
}

fn text(path: &Path) -> Result<String, CompareError> {
    fs::read_to_string(path).map_err(CompareError::io(path))
}

fn pretty(file: &PlanFile) -> String {
    serde_json::to_string_pretty(file).unwrap_or_else(|why| unreachable!("a plan is plain data: {why}")) + "\n"
}

fn read_plan(dir: &Path) -> Result<PlanFile, CompareError> {
    let path = dir.join(PLAN);
    let other = |what: String| CompareError::Other {
        path: dir.into(),
        what,
        hint: "give the folder of a comparison, as --out made it".into(),
    };
    if !path.exists() {
        return Err(other(format!("no {PLAN}")));
    }
    let file: PlanFile =
        serde_json::from_str(&text(&path)?).map_err(|e| other(format!("a {PLAN} that cannot be read: {e}")))?;
    if file.plan.hash() != file.hash {
        return Err(other(format!("a {PLAN} that was changed: its hash is another")));
    }
    Ok(file)
}

/// What differs first between the plan in a folder and the one that was asked for.
fn unlike(dir: &Path, there: &PlanFile, asked: &PlanFile) -> CompareError {
    let (a, b) = (&there.plan, &asked.plan);
    let what = [
        ("shard", there.shard != asked.shard),
        ("program", a.binary != b.binary),
        ("worlds", a.worlds != b.worlds),
        ("arms", a.arms != b.arms),
        ("templates", a.templates != b.templates),
        ("seeds", (a.seeds, a.first_seed) != (b.seeds, b.first_seed)),
        ("days", a.days != b.days),
        ("budget", a.budget != b.budget),
        ("margins", a.margins != b.margins),
        ("data", a.data != b.data),
        ("model", a.model != b.model),
        ("best value", a.best != b.best),
        ("outcomes", a.judged != b.judged),
        ("widths", a.until != b.until),
    ];
    let what = what.iter().find(|(_, differs)| *differs).map_or("settings", |(what, _)| what);
    CompareError::Other {
        path: dir.into(),
        what: format!("another comparison (other {what})"),
        hint: "choose another folder: --out DIR, or move this one away".into(),
    }
}
