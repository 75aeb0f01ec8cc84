//! Shards put together: the rows of all of them, in the order in which one machine would have written them.

use super::error::CompareError;
use super::folder::CompareFolder;
use super::plan::{ComparePlan, LifeOf, Shard};
use super::row::LifeRow;
use super::table;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All rows of a comparison whose shards lie in these folders.
///
/// # Errors
/// When they are of different plans or programs, or a shard is missing or there twice.
pub fn merged(dirs: &[PathBuf]) -> Result<(ComparePlan, Vec<LifeRow>), CompareError> {
    let mut found: BTreeMap<Shard, PathBuf> = BTreeMap::new();
    let mut first: Option<(ComparePlan, u64)> = None;
    let mut all: BTreeMap<LifeOf, LifeRow> = BTreeMap::new();
    for dir in dirs {
        let (file, rows) = CompareFolder::finished(dir)?;
        let (plan, of) = first.get_or_insert_with(|| (file.plan.clone(), file.shard.of));
        if *plan != file.plan {
            let what = if plan.binary == file.plan.binary { "another plan" } else { "rows of another program" };
            return Err(wrong(dir, format!("{what} than the first folder"), "merge shards of one comparison only"));
        }
        if *of != file.shard.of {
            let what = format!("shard {}, where the first folder is one of {of}", file.shard);
            return Err(wrong(dir, what, "merge shards that were cut the same way"));
        }
        if let Some(before) = found.insert(file.shard, dir.clone()) {
            let what = format!("shard {}, which {} holds already", file.shard, before.display());
            return Err(wrong(dir, what, "give each shard once"));
        }
        all.extend(rows.into_iter().filter_map(|row| Some((table::life_of(plan, &row)?, row))));
    }
    let Some((plan, of)) = first else {
        let hint = "give the folders of all shards: bardo lab merge DIR DIR --out DIR".to_owned();
        return Err(CompareError::Unsound { what: "there is nothing to merge".into(), hint });
    };
    let missing: Vec<String> = (1..=of)
        .map(|number| Shard { number, of })
        .filter(|shard| !found.contains_key(shard))
        .map(|shard| shard.to_string())
        .collect();
    if !missing.is_empty() {
        let what = format!("shards are missing: {}", missing.join(", "));
        return Err(CompareError::Unsound { what, hint: "run them, or give their folders too".into() });
    }
    Ok((plan, all.into_values().collect()))
}

fn wrong(dir: &Path, what: String, hint: &str) -> CompareError {
    CompareError::Other { path: dir.into(), what, hint: hint.into() }
}
