//! What a golem is born with: the birth record, its settings, the sealed secret and the signing key.
//!
//! The sealed part is never printed; it leaves this type only by name.

use crate::chain;
use crate::error::Error;
use ed25519_dalek::SigningKey;
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
    /// What an heir inherits, byte for byte as its birth record has the hash of it.
    pub inheritance: Option<Vec<u8>>,
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
        put.execute((SETTINGS_SUM, &self.settings_sum().0[..]))?;
        put.execute(("epoch", 0))?;
        put.execute(("made_with", env!("CARGO_PKG_VERSION")))?;
        if let Some(inheritance) = &self.inheritance {
            put.execute((INHERITANCE, inheritance))?;
        }
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
        put.execute((SETTINGS_SUM, &self.settings_sum().0[..]))?;
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
        let signing_key = blob32(conn, path, "SELECT value FROM sealed WHERE name = 'signing_key'")?;
        // What it owns on a chain belongs to this key: with another one it would be somebody else.
        if SigningKey::from_bytes(&signing_key).verifying_key().to_bytes() != birth.public_key.0 {
            return Err(Error::damaged_at(
                path,
                golem_core::Tick(0),
                "the sealed signing key is not the one of its birth record",
            ));
        }
        let origin = Self {
            birth,
            settings_given: text(conn, path, "settings_given")?,
            settings_resolved: text(conn, path, "settings_resolved")?,
            secret,
            signing_key,
            inheritance: inheritance(conn, path)?,
        };
        if origin.birth.inheritance != origin.inheritance.as_deref().map(Hash::of) {
            let what = "what it inherits is not what its birth record says";
            return Err(Error::damaged_at(path, golem_core::Tick(0), what));
        }
        let sum: Option<[u8; 32]> = conn
            .query_row("SELECT value FROM meta WHERE key = ?1", [SETTINGS_SUM], |row| row.get(0))
            .optional()
            .map_err(|e| Error::sql(path, "read", &e))?;
        // Files of earlier versions have none; the birth record knows the settings of the life, but not of its world.
        if sum.is_some_and(|sum| sum != origin.settings_sum().0) {
            return Err(Error::damaged_at(path, golem_core::Tick(0), "the settings are not the ones it was born with"));
        }
        Ok((origin, root))
    }

    /// Over both texts, so that it is not born into another world by a rotten bit.
    fn settings_sum(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 settings of a golem");
        hasher.update(&(self.settings_given.len() as u64).to_le_bytes()).update(self.settings_given.as_bytes());
        Hash(*hasher.update(self.settings_resolved.as_bytes()).finalize().as_bytes())
    }
}

const SETTINGS_SUM: &str = "settings_sum";
const INHERITANCE: &str = "inheritance";

fn inheritance(conn: &Connection, path: &Path) -> Result<Option<Vec<u8>>, Error> {
    conn.query_row("SELECT value FROM meta WHERE key = ?1", [INHERITANCE], |row| row.get(0))
        .optional()
        .map_err(|e| Error::sql(path, "read", &e))
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
