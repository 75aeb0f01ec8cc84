//! What a golem is born with: the birth record, its settings, the sealed secret and the signing key.
//!
//! The sealed part is never printed; it leaves this type only by name.

use crate::chain;
use crate::error::Error;
use golem_core::{Birth, Hash, Secret};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// What is written once, at birth.
#[derive(Clone)]
pub struct Origin {
    pub birth: Birth,
    /// The settings as the owner wrote them (TOML).
    pub settings_given: String,
    /// The settings with every default filled in (TOML).
    pub settings_resolved: String,
    /// Behind the dice.
    pub secret: Secret,
    /// The golem's ed25519 signing key.
    pub signing_key: [u8; 32],
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Origin").field("birth", &self.birth).finish_non_exhaustive()
    }
}

impl Origin {
    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        let birth =
            serde_json::to_string(&self.birth).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        let root = chain::root(&birth);
        let mut put = conn.prepare("INSERT INTO meta(key, value) VALUES (?1, ?2)")?;
        put.execute(("birth", &birth))?;
        put.execute(("root", &root.0[..]))?;
        put.execute(("settings_given", &self.settings_given))?;
        put.execute(("settings_resolved", &self.settings_resolved))?;
        put.execute(("epoch", 0))?;
        put.execute(("made_with", env!("CARGO_PKG_VERSION")))?;
        let mut seal = conn.prepare("INSERT INTO sealed(name, value) VALUES (?1, ?2)")?;
        seal.execute(("secret", &self.secret.reveal()[..]))?;
        seal.execute(("signing_key", &self.signing_key[..]))?;
        conn.execute("INSERT INTO tip(one, tick, head) VALUES (1, 0, ?1)", [&root.0[..]])?;
        Ok(())
    }

    /// Write birth record and settings anew, for a golem that has not lived yet. What is sealed stays.
    pub(crate) fn rewrite(&self, conn: &Connection) -> rusqlite::Result<()> {
        let birth =
            serde_json::to_string(&self.birth).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        let root = chain::root(&birth);
        let mut put = conn.prepare("UPDATE meta SET value = ?2 WHERE key = ?1")?;
        put.execute(("birth", &birth))?;
        put.execute(("root", &root.0[..]))?;
        put.execute(("settings_given", &self.settings_given))?;
        put.execute(("settings_resolved", &self.settings_resolved))?;
        conn.execute("UPDATE tip SET head = ?1 WHERE tick = 0", [&root.0[..]])?;
        conn.execute("DELETE FROM checkpoint", [])?;
        Ok(())
    }

    /// Read it back with the root of its chain, holding the parts against each other.
    pub(crate) fn read(conn: &Connection, path: &Path) -> Result<(Self, Hash), Error> {
        let birth_text = text(conn, path, "birth")?;
        let birth: Birth = serde_json::from_str(&birth_text)
            .map_err(|e| Error::damaged_at(path, golem_core::Tick(0), format!("birth record: {e}")))?;
        let root = chain::root(&birth_text);
        if blob32(conn, path, "SELECT value FROM meta WHERE key = 'root'")? != root.0 {
            return Err(Error::damaged_at(
                path,
                golem_core::Tick(0),
                "the birth record is not the one it was born with",
            ));
        }
        let secret = Secret::from_entropy(blob32(conn, path, "SELECT value FROM sealed WHERE name = 'secret'")?);
        if secret.commitment() != birth.commitment {
            return Err(Error::damaged_at(path, golem_core::Tick(0), "the sealed secret is not the committed one"));
        }
        let origin = Self {
            birth,
            settings_given: text(conn, path, "settings_given")?,
            settings_resolved: text(conn, path, "settings_resolved")?,
            secret,
            signing_key: blob32(conn, path, "SELECT value FROM sealed WHERE name = 'signing_key'")?,
        };
        Ok((origin, root))
    }
}

fn text(conn: &Connection, path: &Path, key: &str) -> Result<String, Error> {
    conn.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
        .optional()
        .map_err(|e| Error::sql(path, "read", &e))?
        .ok_or_else(|| Error::damaged(path, format!("{key} is missing")))
}

fn blob32(conn: &Connection, path: &Path, sql: &str) -> Result<[u8; 32], Error> {
    conn.query_row(sql, [], |row| row.get(0))
        .optional()
        .map_err(|e| Error::sql(path, "read", &e))?
        .ok_or_else(|| Error::damaged(path, "a part of its origin is missing"))
}
