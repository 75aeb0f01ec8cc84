//! Which of our errors a failure of the file system or of SQLite is. A failed write or sync is never "try again": after it
//! nobody knows what is on disk.

use crate::error::Error;
use golem_core::Tick;
use std::path::Path;

impl Error {
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), tick: None, what: what.into() }
    }
    pub(crate) fn damaged_at(path: &Path, tick: Tick, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), tick: Some(tick), what: what.into() }
    }

    /// An error of the file system, sorted.
    pub(crate) fn io(path: &Path, doing: &'static str, e: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        match e.kind() {
            K::StorageFull | K::QuotaExceeded => Self::DiskFull { path: path.to_owned() },
            K::ReadOnlyFilesystem | K::PermissionDenied => {
                Self::NotWritable { path: path.to_owned(), why: e.to_string() }
            }
            _ => Self::Io { path: path.to_owned(), doing, why: e.to_string() },
        }
    }

    /// An error of SQLite, sorted.
    pub(crate) fn sql(path: &Path, doing: &'static str, e: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as C;
        let path = path.to_owned();
        let why = e.to_string();
        let rusqlite::Error::SqliteFailure(code, _) = e else {
            return match e {
                // A column that does not hold what we once put there.
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::QueryReturnedNoRows => Self::Damaged { path, tick: None, what: why },
                _ => Self::Bug(format!("{doing}: {why}")),
            };
        };
        match code.code {
            C::DiskFull => Self::DiskFull { path },
            // The wal-index could not grow: a full disk by another name, and nothing of the database was written. SQLite
            // says the same when it could not even look at it, which is a failing disk.
            _ if code.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE && is_full(&path) => Self::DiskFull { path },
            C::DatabaseBusy | C::DatabaseLocked => Self::Busy { path },
            // A row where none of ours can be: what is in its place was not written by us.
            C::DatabaseCorrupt | C::NotADatabase | C::ConstraintViolation => {
                Self::Damaged { path, tick: None, what: why }
            }
            C::ReadOnly => Self::NotWritable { path, why },
            C::SystemIoFailure | C::CannotOpen | C::PermissionDenied => Self::Io { path, doing, why },
            _ => Self::Bug(format!("{doing}: {why}")),
        }
    }
}

/// Whether there is no room where a file lies: less than an index of a log takes. Whoever cannot tell does not say so.
fn is_full(path: &Path) -> bool {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    rustix::fs::statvfs(dir).is_ok_and(|v| v.f_bavail.saturating_mul(v.f_frsize) < 64 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use rusqlite::ffi;

    fn of(code: i32) -> Error {
        Error::sql(Path::new("g"), "commit", &rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn a_full_disk_is_not_a_failing_disk() {
        assert!(matches!(of(ffi::SQLITE_FULL), Error::DiskFull { .. }));
        // There is room here: an index of a log that cannot be looked at is a failing disk.
        for code in [
            ffi::SQLITE_IOERR_SHMSIZE,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_READ,
            ffi::SQLITE_CANTOPEN,
        ] {
            assert!(matches!(of(code), Error::Io { .. }), "{code}");
        }
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_CONSTRAINT_UNIQUE] {
            assert!(matches!(of(code), Error::Damaged { .. }), "{code}");
        }
        assert!(matches!(of(ffi::SQLITE_BUSY), Error::Busy { .. }));
        assert_eq!(of(ffi::SQLITE_MISUSE).kind(), ErrorKind::Bug);
    }
}
