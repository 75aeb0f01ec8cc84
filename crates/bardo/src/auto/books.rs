//! `treasury.db`: changed whole, in one transaction that nobody else comes between.

use crate::fail::Fail;
use crate::home::Home;
use golem_clade::succession::OwnerEstate;
pub use golem_home::estate::find;
use golem_home::estate::{path, read};
use golem_runtime::{ShelfChange, TreasuryFile};

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

/// Whether there is one.
pub fn is_there(home: &Home) -> bool {
    path(home).exists()
}

/// What is wrong with it, if anything is.
pub fn problem(home: &Home) -> Option<String> {
    find(home).err().map(|e| e.to_string())
}
