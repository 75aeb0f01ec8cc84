//! The file of an owner's treasury: the same rows and sums as a library's, and another file, since what is known can be given away
//! or made anew from bundles, and money cannot.

use super::{LibraryFile, ShelfChange, ShelfRow, draft, is_there};
use crate::error::Error;
use std::path::Path;

/// "bart" in the header of the file.
const TREASURY_ID: i64 = 0x6261_7274;

/// An owner's treasury, open.
#[derive(Debug)]
pub struct TreasuryFile(LibraryFile);

impl TreasuryFile {
    /// Open it for reading; nothing when there is none.
    ///
    /// # Errors
    /// When it is a symbolic link, none of ours, made by a newer version, or damaged.
    pub fn find(path: &Path) -> Result<Option<Self>, Error> {
        Ok(LibraryFile::find_as(path, TREASURY_ID)?.map(Self))
    }

    /// Open it for writing; one that is missing is made.
    ///
    /// # Errors
    /// As [`TreasuryFile::find`], or what the disk said.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !is_there(path)? {
            draft::create(path, TREASURY_ID, None)?;
        }
        LibraryFile::open_as(path, TREASURY_ID).map(Self)
    }

    /// Every row, by table and key, as one moment saw them.
    ///
    /// # Errors
    /// What the file said, or that it does not say what was once written to it.
    pub fn rows(&mut self) -> Result<Vec<ShelfRow>, Error> {
        self.0.rows()
    }

    /// Change it in one transaction that nobody else comes between.
    ///
    /// # Errors
    /// As [`TreasuryFile::rows`], or what `make` said; then nothing has changed.
    pub fn change<T, E: From<Error>>(
        &mut self,
        make: impl FnOnce(&[ShelfRow]) -> Result<(Vec<ShelfChange>, T), E>,
    ) -> Result<T, E> {
        self.0.change(make)
    }
}
