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
use golem_home::shelf::read;
pub use golem_home::shelf::{MEND, find, path, public_key};
use golem_runtime::{Error, LibraryFile, ShelfChange};

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
