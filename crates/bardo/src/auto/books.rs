//! `treasury.db`: read and changed whole, in one transaction that nobody else comes between.

use crate::fail::Fail;
use crate::home::Home;
use golem_clade::succession::OwnerEstate;
use golem_runtime::{ShelfChange, ShelfRow, TreasuryFile};
use std::path::PathBuf;

/// Where it is.
fn path(home: &Home) -> PathBuf {
    home.path().join("treasury.db")
}

/// What it holds; nothing when there is none yet.
pub fn find(home: &Home) -> Result<OwnerEstate, Fail> {
    let Some(mut file) = TreasuryFile::find(&path(home))? else { return Ok(OwnerEstate::default()) };
    let rows = file.rows()?;
    read(&rows, home)
}

/// Change it; one that is missing is made.
pub fn change<T>(home: &Home, make: impl FnOnce(&mut OwnerEstate) -> Result<T, Fail>) -> Result<T, Fail> {
    TreasuryFile::open(&path(home))?.change(|rows| {
        let mut estate = read(rows, home)?;
        let made = make(&mut estate)?;
        let changes = estate.take_changes().into_iter();
        let changes = changes.map(|row| ShelfChange { table: row.table.to_owned(), key: row.key, body: row.body });
        Ok((changes.collect(), made))
    })
}

/// What is wrong with it, if anything is.
pub fn problem(home: &Home) -> Option<String> {
    find(home).err().map(|e| e.to_string())
}

fn read(rows: &[ShelfRow], home: &Home) -> Result<OwnerEstate, Fail> {
    let all = rows.iter().map(|row| (row.table.as_str(), row.key.as_str(), row.body.as_str()));
    let hint = "put a copy of it back: no other file knows what was paid";
    OwnerEstate::read(all).map_err(|e| Fail::world_hint(format!("{}: damaged: {e}", path(home).display()), hint))
}
