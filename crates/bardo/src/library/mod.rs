//! The owner's library in this home: `library.db`, read and changed whole, and what golems bring to it. The rules are
//! `golem_clade::library`'s; here they meet the file, the golems' files and signatures.

mod deposit;
mod sealed;
mod visit;

pub use deposit::{bury_dead, catch_up};
pub use sealed::{SealedBundle, open_sealed, write_sealed};
pub use visit::{equip_target, visit};

use crate::fail::Fail;
use crate::home::Home;
use ed25519_dalek::SigningKey;
use golem_clade::library::OwnerLibrary;
use golem_core::Hash;
use golem_runtime::{Error, LibraryFile, ShelfChange, ShelfRow};
use std::path::PathBuf;

/// What helps where it cannot be read.
pub const MEND: &str = "put a copy of it back, or move it away: bardo library import brings bundles back";

/// Where it is.
pub fn path(home: &Home) -> PathBuf {
    home.path().join("library.db")
}

/// What it holds; nothing when there is none yet.
pub fn find(home: &Home) -> Result<Option<OwnerLibrary>, Fail> {
    let Some(mut file) = LibraryFile::find(&path(home))? else { return Ok(None) };
    let rows = file.rows()?;
    read(&rows, home).map(Some)
}

/// Change it, in one transaction that nobody else comes between; a library that is missing is made.
pub fn change<T>(home: &Home, make: impl FnOnce(&mut OwnerLibrary) -> Result<T, Fail>) -> Result<T, Fail> {
    open(home)?.change(|rows| {
        let mut library = read(rows, home)?;
        let made = make(&mut library)?;
        let changes = library.take_changes().into_iter();
        let changes =
            changes.map(|row| ShelfChange { table: row.table.name().to_owned(), key: row.key, body: row.body });
        Ok((changes.collect(), made))
    })
}

/// The key that it signs with.
pub fn signing_key(home: &Home) -> Result<SigningKey, Fail> {
    Ok(SigningKey::from_bytes(&open(home)?.signing_key()?))
}

/// The public half of it; none while there is no library.
pub fn public_key(home: &Home) -> Result<Option<Hash>, Fail> {
    let Some(file) = LibraryFile::find(&path(home))? else { return Ok(None) };
    Ok(Some(Hash(SigningKey::from_bytes(&file.signing_key()?).verifying_key().to_bytes())))
}

/// What is wrong with it, if anything is.
pub fn problem(home: &Home) -> Option<String> {
    find(home).and_then(|_| public_key(home)).err().map(|e| e.to_string())
}

fn open(home: &Home) -> Result<LibraryFile, Fail> {
    let at = path(home);
    let fresh = || {
        let mut key = [0; 32];
        let why = |e: getrandom::Error| Error::Io { path: at.clone(), doing: "make a key", why: e.to_string() };
        getrandom::fill(&mut key).map(|()| key).map_err(why)
    };
    Ok(LibraryFile::open(&at, fresh)?)
}

fn read(rows: &[ShelfRow], home: &Home) -> Result<OwnerLibrary, Fail> {
    let all = rows.iter().map(|row| (row.table.as_str(), row.key.as_str(), row.body.as_str()));
    OwnerLibrary::read(all).map_err(|e| Fail::world_hint(format!("{}: damaged: {e}", path(home).display()), MEND))
}
