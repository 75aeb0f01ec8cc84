//! Rows that a long run leaves behind one by one, so that the same command goes on where it was stopped.

use crate::compare::{CompareError, on_threads};
use golem_core::plain;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const PLAN: &str = "plan.json";

/// A world, and which of its paths.
type RowAt = (String, u64);

/// A run whose rows are kept, if there is a folder for them.
pub(crate) struct KeptRows<'a, R> {
    pub dir: Option<&'a Path>,
    /// The file of rows.
    pub file: &'static str,
    /// The plan as text: rows of another are refused.
    pub plan: String,
    /// Where a row belongs.
    pub at: fn(&R) -> RowAt,
}

impl<R: Serialize + DeserializeOwned + Send> KeptRows<'_, R> {
    /// All rows, in the order of worlds and paths; those that the folder has already are not lived again.
    pub fn lived(
        &self,
        worlds: &[String],
        paths: u64,
        threads: usize,
        live: impl Fn(&str, u64) -> Result<R, CompareError> + Sync,
        told: &(dyn Fn(&R) + Sync),
    ) -> Result<Vec<R>, CompareError> {
        let mut done = match self.dir {
            Some(dir) => self.kept(dir)?,
            None => BTreeMap::new(),
        };
        let all: Vec<RowAt> =
            worlds.iter().flat_map(|world| (0..paths).map(move |path| (world.clone(), path))).collect();
        let to_do: Vec<&RowAt> = all.iter().filter(|at| !done.contains_key(at)).collect();
        let path = self.dir.map(|dir| dir.join(self.file)).unwrap_or_default();
        let file = Mutex::new(self.dir.map(|_| appended(&path)).transpose()?);
        let new = on_threads(threads, &to_do, |(world, n)| {
            let row = live(world, *n)?;
            if let Some(file) = file.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                let line = plain::json(&row) + "\n";
                file.write_all(line.as_bytes()).map_err(failed(&path))?;
            }
            told(&row);
            Ok(row)
        })?;
        done.extend(new.into_iter().map(|row| ((self.at)(&row), row)));
        Ok(all.iter().filter_map(|at| done.remove(at)).collect())
    }

    /// Rows that a run left behind; one that was cut off in the middle is lived again.
    fn kept(&self, dir: &Path) -> Result<BTreeMap<RowAt, R>, CompareError> {
        fs::create_dir_all(dir).map_err(failed(dir))?;
        let other =
            |what: &str, hint: &str| CompareError::Other { path: dir.into(), what: what.into(), hint: hint.into() };
        let (mine, at) = (format!("{}\n", self.plan), dir.join(PLAN));
        if !at.exists() {
            fs::write(&at, &mine).map_err(failed(&at))?;
        } else if fs::read_to_string(&at).map_err(failed(&at))? != mine {
            return Err(other("rows of another plan or program", "choose another folder: --out DIR"));
        }
        let path = dir.join(self.file);
        if !path.exists() {
            return Ok(BTreeMap::new());
        }
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
        if whole.len() < text.len() {
            fs::write(&path, whole).map_err(failed(&path))?;
        }
        let rows = whole.lines().map(serde_json::from_str::<R>).collect::<Result<Vec<_>, _>>();
        let rows = rows.map_err(|_| other("rows that cannot be read", "move this folder away"))?;
        Ok(rows.into_iter().map(|row| ((self.at)(&row), row)).collect())
    }
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> CompareError + use<> {
    let path: PathBuf = path.into();
    move |source| CompareError::Io { path, source }
}

fn appended(path: &Path) -> Result<fs::File, CompareError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(failed(path))
}
