//! A library as a whole: read from its rows, changed by rules, written back as the rows that changed.

use super::bundle::NamedBundle;
use super::deposit::DepositedDeath;
use super::holding::{HoldingId, LibraryHolding};
use crate::provenance::ValidationWord;
use golem_core::{GolemId, Hash, Tick, plain};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Entries that a library holds at most.
pub const MOST_HOLDINGS: usize = 50_000;
/// Statements that it does not hold, and on which it keeps the words of golems.
pub const MOST_HEARD: usize = 50_000;

/// The tables of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LibraryTable {
    /// What is held.
    Holding,
    /// What golems have seen of what is not held.
    Heard,
    /// Deaths whose deposit was made.
    Deposit,
    /// Collections.
    Bundle,
    /// How far each golem was looked at.
    Look,
    /// Keys whose bundles are the owner's own.
    Key,
    /// Who succeeded whom.
    Heir,
}

impl LibraryTable {
    const ALL: [Self; 7] = [Self::Holding, Self::Heard, Self::Deposit, Self::Bundle, Self::Look, Self::Key, Self::Heir];

    /// The word in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holding => "holding",
            Self::Heard => "heard",
            Self::Deposit => "deposit",
            Self::Bundle => "bundle",
            Self::Look => "look",
            Self::Key => "key",
            Self::Heir => "heir",
        }
    }
    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == word)
    }
}

/// A row that has changed; without a body it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryRow {
    /// Of which table.
    pub table: LibraryTable,
    /// Which.
    pub key: String,
    /// What it says, as JSON.
    pub body: Option<String>,
}

/// Rows that are no library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {key}: {what}")]
pub struct LibraryDamage {
    /// Of which table.
    pub table: String,
    /// Which row.
    pub key: String,
    /// What does not fit.
    pub what: String,
}

/// An owner's library.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnerLibrary {
    pub(super) holdings: BTreeMap<HoldingId, LibraryHolding>,
    pub(super) heard: BTreeMap<HoldingId, BTreeMap<GolemId, ValidationWord>>,
    pub(super) deposits: BTreeMap<GolemId, DepositedDeath>,
    pub(super) bundles: BTreeMap<String, NamedBundle>,
    pub(super) looks: BTreeMap<GolemId, GolemLook>,
    keys: BTreeSet<Hash>,
    heirs: BTreeMap<GolemId, LibraryHeir>,
    changed: BTreeSet<(LibraryTable, String)>,
}

/// Who succeeded a dead golem of this owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryHeir {
    /// Who.
    pub heir: GolemId,
    /// What it is called.
    pub name: String,
}

/// How far a golem was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GolemLook {
    pub(super) tick: Tick,
}

impl OwnerLibrary {
    /// Read it: table, key and body of every row.
    ///
    /// # Errors
    /// With the first row that is none of a library's.
    pub fn read<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Result<Self, LibraryDamage> {
        let mut all = Self::default();
        for (table, key, body) in rows {
            let wrong =
                |what: String| LibraryDamage { table: table.to_owned(), key: key.chars().take(80).collect(), what };
            match LibraryTable::named(table).ok_or_else(|| wrong("there is no such table".to_owned()))? {
                LibraryTable::Holding => {
                    let (id, holding): (HoldingId, LibraryHolding) = keyed(key, body).map_err(wrong)?;
                    if holding.id() != id {
                        return Err(wrong("it says something else than its key".to_owned()));
                    }
                    all.holdings.insert(id, holding);
                }
                LibraryTable::Heard => drop(keyed(key, body).map(|(k, v)| all.heard.insert(k, v)).map_err(wrong)?),
                LibraryTable::Deposit => drop(keyed(key, body).map(|(k, v)| all.deposits.insert(k, v)).map_err(wrong)?),
                LibraryTable::Look => drop(keyed(key, body).map(|(k, v)| all.looks.insert(k, v)).map_err(wrong)?),
                LibraryTable::Heir => drop(keyed(key, body).map(|(k, v)| all.heirs.insert(k, v)).map_err(wrong)?),
                LibraryTable::Bundle => {
                    let (name, bundle): (String, NamedBundle) = keyed(key, body).map_err(wrong)?;
                    all.bundles.insert(name, bundle);
                }
                LibraryTable::Key => {
                    let (trusted, ()): (Hash, ()) = keyed(key, body).map_err(wrong)?;
                    all.keys.insert(trusted);
                }
            }
        }
        Ok(all)
    }

    /// The rows that have changed since it was read, or since they were last taken.
    #[must_use]
    pub fn take_changes(&mut self) -> Vec<LibraryRow> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().map(|(table, key)| LibraryRow { body: self.body(table, &key), table, key }).collect()
    }

    fn body(&self, table: LibraryTable, key: &str) -> Option<String> {
        match table {
            LibraryTable::Holding => key.parse().ok().and_then(|k| self.holdings.get(&k)).map(plain::json),
            LibraryTable::Heard => key.parse().ok().and_then(|k| self.heard.get(&k)).map(plain::json),
            LibraryTable::Deposit => key.parse().ok().and_then(|k| self.deposits.get(&k)).map(plain::json),
            LibraryTable::Look => key.parse().ok().and_then(|k| self.looks.get(&k)).map(plain::json),
            LibraryTable::Bundle => self.bundles.get(key).map(plain::json),
            LibraryTable::Heir => key.parse().ok().and_then(|k| self.heirs.get(&k)).map(plain::json),
            LibraryTable::Key => key.parse().ok().filter(|k| self.keys.contains(k)).map(|_: Hash| plain::json(&())),
        }
    }

    pub(super) fn touch(&mut self, table: LibraryTable, key: impl ToString) {
        self.changed.insert((table, key.to_string()));
    }

    /// Everything that is held, by id.
    pub fn holdings(&self) -> impl Iterator<Item = (HoldingId, &LibraryHolding)> {
        self.holdings.iter().map(|(id, holding)| (*id, holding))
    }
    /// One of them.
    #[must_use]
    pub fn holding(&self, id: HoldingId) -> Option<&LibraryHolding> {
        self.holdings.get(&id)
    }
    /// The deaths whose deposit was made, by golem.
    pub fn deposits(&self) -> impl Iterator<Item = (GolemId, &DepositedDeath)> {
        self.deposits.iter().map(|(golem, death)| (*golem, death))
    }
    /// True when a golem's deposit was made: it dies once, and so does this.
    #[must_use]
    pub fn has_deposit_of(&self, golem: GolemId) -> bool {
        self.deposits.contains_key(&golem)
    }
    /// The turn up to which a golem was looked at.
    #[must_use]
    pub fn looked_at(&self, golem: GolemId) -> Option<Tick> {
        self.looks.get(&golem).map(|look| look.tick)
    }
    /// Who succeeded a golem, as far as this library was told.
    #[must_use]
    pub fn heir_of(&self, dead: GolemId) -> Option<&LibraryHeir> {
        self.heirs.get(&dead)
    }
    /// Somebody succeeds a golem.
    pub fn succeeds(&mut self, dead: GolemId, heir: &LibraryHeir) {
        if self.heirs.insert(dead, heir.clone()).as_ref() != Some(heir) {
            self.touch(LibraryTable::Heir, dead);
        }
    }
    /// The keys whose bundles are the owner's own.
    pub fn keys(&self) -> impl Iterator<Item = Hash> {
        self.keys.iter().copied()
    }
    /// From here on bundles that this key has signed are the owner's own.
    pub fn trust(&mut self, key: Hash) {
        if self.keys.insert(key) {
            self.touch(LibraryTable::Key, key);
        }
    }
}

fn keyed<K: std::str::FromStr, T: DeserializeOwned>(key: &str, body: &str) -> Result<(K, T), String> {
    let id = key.parse().map_err(|_| "its key is none".to_owned())?;
    let value = serde_json::from_str(body).map_err(|e| e.to_string().chars().take(200).collect::<String>())?;
    Ok((id, value))
}
