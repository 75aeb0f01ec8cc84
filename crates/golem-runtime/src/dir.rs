//! A golem's directory: where its files lie, and the refusals before any of them is touched.

use crate::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory of one golem. Nothing outside of it is ever written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GolemDir(PathBuf);

impl GolemDir {
    /// A directory in which a golem lives. Nothing is created.
    ///
    /// # Errors
    /// When it is missing, is a symbolic link or holds no golem.
    pub fn of_golem(path: &Path) -> Result<Self, Error> {
        let dir = Self::existing(path)?;
        real(&dir.db())?;
        Ok(dir)
    }

    /// A directory in which a golem may come to live.
    pub(crate) fn existing(path: &Path) -> Result<Self, Error> {
        let found = real(path)?;
        if !found.is_dir() {
            return Err(Error::NoGolem { path: path.to_owned() });
        }
        Ok(Self(path.to_owned()))
    }

    /// The directory itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
    /// The golem.
    #[must_use]
    pub fn db(&self) -> PathBuf {
        self.0.join("golem.db")
    }
    /// Held by whoever runs it.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
    /// The last start and turn known, so that an older file put back is noticed.
    #[must_use]
    pub fn epoch(&self) -> PathBuf {
        self.0.join("epoch")
    }
    /// Room kept for living on without new risk on a full disk.
    #[must_use]
    pub fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }
    /// Room kept for dying on a full disk.
    #[must_use]
    pub fn last_ballast(&self) -> PathBuf {
        self.0.join("ballast.last")
    }
    /// A file of this name ends the life.
    #[must_use]
    pub fn kill_switch(&self) -> PathBuf {
        self.0.join("kill-switch")
    }
    /// Stands here once its death is on record.
    #[must_use]
    pub fn tombstone(&self) -> PathBuf {
        self.0.join("dead")
    }
    /// What it lives by, for people to read and to edit.
    #[must_use]
    pub fn playbook(&self) -> PathBuf {
        self.0.join("PLAYBOOK.md")
    }
    /// Insurance.
    #[must_use]
    pub fn snapshots(&self) -> PathBuf {
        self.0.join("snapshots")
    }
    pub(crate) fn beside_db(&self, suffix: &str) -> PathBuf {
        self.0.join(format!("golem.db{suffix}"))
    }
}

/// What is there, refusing links: a link's target can be swapped under a held lock.
fn real(path: &Path) -> Result<fs::Metadata, Error> {
    let found = fs::symlink_metadata(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NoGolem { path: path.to_owned() },
        _ => Error::io(path, "look", &e),
    })?;
    if found.is_symlink() {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        return Err(Error::Symlink { path: path.to_owned(), target });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_home_is_refused() {
        let tmp = tempfile::tempdir().unwrap();
        let missing = tmp.path().join("nobody");
        assert!(matches!(GolemDir::of_golem(&missing), Err(Error::NoGolem { .. })));
        assert!(!missing.exists());
        assert!(matches!(GolemDir::of_golem(tmp.path()), Err(Error::NoGolem { path }) if path.ends_with("golem.db")));
        let link = tmp.path().join("link");
        std::os::unix::fs::symlink(tmp.path(), &link).unwrap();
        let said = GolemDir::of_golem(&link).unwrap_err().to_string();
        assert!(said.contains("symbolic link") && said.contains(&tmp.path().display().to_string()), "{said}");
        std::os::unix::fs::symlink("elsewhere.db", tmp.path().join("golem.db")).unwrap();
        assert!(matches!(GolemDir::of_golem(tmp.path()), Err(Error::Symlink { .. })));
    }
}
