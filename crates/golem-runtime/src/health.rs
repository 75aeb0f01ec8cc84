//! A golem's file under the doctor's eye: everything that can be told without changing anything.

use crate::ballast::BALLAST_BYTES;
use crate::dir::GolemDir;
use crate::error::Error;
use crate::lock::Lock;
use crate::reader::Reader;
use crate::schema;
use crate::snapshot::{list, verify_snapshots};
use crate::verify::{ChainReport, verify_chain};
use serde::Serialize;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the doctor found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// True when nothing is wrong.
    pub ok: bool,
    pub problems: Vec<String>,
    /// Schema version of the file.
    pub schema: i64,
    /// Times it was started.
    pub starts: u64,
    /// Bytes of the file and its log.
    pub bytes: u64,
    pub chain: ChainReport,
    /// Snapshots that can be read.
    pub snapshots: usize,
    /// Whether room is kept for dying.
    pub ballast: bool,
    /// Whether a process runs it right now.
    pub running: bool,
    /// That process, if it told.
    pub pid: Option<u32>,
}

/// Look at the golem in `dir`.
///
/// # Errors
/// When the file cannot be opened at all.
pub fn health(dir: &Path) -> Result<Health, Error> {
    let reader = Reader::open(dir)?;
    let home = GolemDir::of_golem(dir)?;
    let mut problems: Vec<String> = quick_check(&reader)?;
    let chain = verify_chain(dir)?;
    problems.extend(chain.damage.iter().map(|d| format!("journal: tick {}: {}", d.tick, d.what)));
    problems.extend(verify_snapshots(dir)?);
    let size = |path: &Path| fs::metadata(path).map_or(0, |m| m.len());
    if fs::metadata(home.db()).is_ok_and(|m| m.permissions().mode() & 0o077 != 0) {
        problems.push(format!("{}: others can read the sealed secret; hint: chmod 600", home.db().display()));
    }
    let ballast = size(&home.ballast()) == BALLAST_BYTES;
    let holder = Lock::holder(&home);
    Ok(Health {
        ok: problems.is_empty(),
        problems,
        schema: schema::version(reader.conn()).map_err(|e| Error::sql(reader.db(), "read", &e))?,
        starts: reader.epoch()?,
        bytes: size(&home.db()) + size(&home.beside_db("-wal")),
        chain,
        snapshots: list(dir).map_or(0, |l| l.len()),
        ballast,
        running: holder.is_some(),
        pid: holder.flatten(),
    })
}

/// SQLite's own check; damage it stumbles over is a finding too.
fn quick_check(reader: &Reader) -> Result<Vec<String>, Error> {
    match reader.rows("PRAGMA quick_check(20)", (), |row| row.get::<_, String>(0)) {
        Ok(lines) => Ok(lines.into_iter().filter(|l| l != "ok").collect()),
        Err(Error::Damaged { what, .. }) => Ok(vec![what]),
        Err(other) => Err(other),
    }
}
