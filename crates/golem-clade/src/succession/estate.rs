//! What an owner keeps of deaths and money, as rows: read whole, changed by rules, written back as the rows that changed.

use super::case::SuccessionCase;
use super::event::SuccessionNotice;
use super::identity::IdentityClaim;
use super::treasury::OwnerTreasury;
use golem_core::{GolemId, Timestamp, plain};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row that has changed; without a body it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EstateRow {
    /// Of which table.
    pub table: &'static str,
    /// Which.
    pub key: String,
    /// What it says, as JSON.
    pub body: Option<String>,
}

/// Rows that are no estate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {key}: {what}")]
pub struct EstateDamage {
    /// Of which table.
    pub table: String,
    /// Which row.
    pub key: String,
    /// What does not fit.
    pub what: String,
}

/// Something the owner was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptNotice {
    /// About whose death.
    pub dead: GolemId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: SuccessionNotice,
    /// More of it, line by line.
    pub lines: Vec<String>,
}

/// Credit, cases, notices, and the identities of an owner's own book.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnerEstate {
    /// The credit.
    pub treasury: OwnerTreasury,
    cases: BTreeMap<GolemId, SuccessionCase>,
    notices: BTreeMap<String, KeptNotice>,
    identities: BTreeMap<u64, IdentityClaim>,
    before: BTreeMap<(&'static str, String), String>,
}

impl OwnerEstate {
    /// Read it: table, key and body of every row.
    ///
    /// # Errors
    /// With the first row that is none of an estate's.
    pub fn read<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Result<Self, EstateDamage> {
        let mut all = Self::default();
        for (table, key, body) in rows {
            let wrong =
                |what: String| EstateDamage { table: table.to_owned(), key: key.chars().take(80).collect(), what };
            let treasury = &mut all.treasury;
            match table {
                "credit" => drop(keyed(key, body).map(|(k, v)| treasury.credits.insert(k, v)).map_err(wrong)?),
                "hold" => {
                    let (dead, held) = keyed(key, body).map_err(wrong)?;
                    treasury.holds.insert(dead, held);
                }
                "move" => drop(keyed(key, body).map(|(k, v)| treasury.moves.insert(k, v)).map_err(wrong)?),
                "authorization" => {
                    drop(keyed(key, body).map(|(k, v)| treasury.authorizations.insert(k, v)).map_err(wrong)?);
                }
                "identity" => drop(keyed(key, body).map(|(k, v)| all.identities.insert(k, v)).map_err(wrong)?),
                "notice" => drop(keyed(key, body).map(|(k, v)| all.notices.insert(k, v)).map_err(wrong)?),
                "case" => {
                    let (dead, case): (GolemId, SuccessionCase) = keyed(key, body).map_err(wrong)?;
                    if case.dead != dead {
                        return Err(wrong("it is about another death than its key".to_owned()));
                    }
                    all.cases.insert(dead, case);
                }
                _ => return Err(wrong("there is no such table".to_owned())),
            }
        }
        let (free, owed) = (all.treasury.credited(), all.treasury.held().plus(all.treasury.moved()));
        if owed > free {
            let what = format!("{owed} USDC went out, and {free} USDC ever came in");
            return Err(EstateDamage { table: "move".to_owned(), key: String::new(), what });
        }
        all.before = all.rows();
        Ok(all)
    }

    /// The rows that have changed since it was read, or since they were last taken.
    #[must_use]
    pub fn take_changes(&mut self) -> Vec<EstateRow> {
        let now = self.rows();
        let before = std::mem::replace(&mut self.before, now.clone());
        let gone = before.keys().filter(|at| !now.contains_key(*at));
        let gone = gone.map(|(table, key)| EstateRow { table, key: key.clone(), body: None }).collect::<Vec<_>>();
        let new = now.iter().filter(|(at, body)| before.get(*at) != Some(body));
        new.map(|((table, key), body)| EstateRow { table, key: key.clone(), body: Some(body.clone()) })
            .chain(gone)
            .collect()
    }

    fn rows(&self) -> BTreeMap<(&'static str, String), String> {
        let mut all = BTreeMap::new();
        let t = &self.treasury;
        all.extend(t.credits.iter().map(|(k, v)| (("credit", k.clone()), plain::json(v))));
        all.extend(t.holds.iter().map(|(k, v)| (("hold", k.to_string()), plain::json(v))));
        all.extend(t.moves.iter().map(|(k, v)| (("move", k.to_string()), plain::json(v))));
        all.extend(t.authorizations.iter().map(|(k, v)| (("authorization", k.clone()), plain::json(v))));
        all.extend(self.cases.iter().map(|(k, v)| (("case", k.to_string()), plain::json(v))));
        all.extend(self.identities.iter().map(|(k, v)| (("identity", k.to_string()), plain::json(v))));
        all.extend(self.notices.iter().map(|(k, v)| (("notice", k.clone()), plain::json(v))));
        all
    }

    /// The case of a death.
    #[must_use]
    pub fn case(&self, dead: GolemId) -> Option<&SuccessionCase> {
        self.cases.get(&dead)
    }
    /// All of them.
    pub fn cases(&self) -> impl Iterator<Item = &SuccessionCase> {
        self.cases.values()
    }
    /// Put a case where it now stands.
    pub fn put(&mut self, case: SuccessionCase) {
        self.cases.insert(case.dead, case);
    }
    /// Enter somebody into the owner's own book of identities, and say under which number. Whoever stands there already keeps it.
    pub fn register(&mut self, claim: &IdentityClaim) -> u64 {
        let known = self.identities.iter().find(|(_, kept)| kept.uri() == claim.uri()).map(|(number, _)| *number);
        known.unwrap_or_else(|| {
            let number = self.identities.keys().next_back().map_or(1, |last| last.saturating_add(1));
            self.identities.insert(number, claim.clone());
            number
        })
    }
    /// The owner's own book of identities.
    pub fn identities(&self) -> impl Iterator<Item = (u64, &IdentityClaim)> {
        self.identities.iter().map(|(number, claim)| (*number, claim))
    }
    /// Keep what the owner is told.
    pub fn tell(&mut self, notice: KeptNotice) {
        let nth = self.notices.values().filter(|n| n.dead == notice.dead).count();
        self.notices.insert(format!("{}/{nth:06}", notice.dead), notice);
    }
    /// What the owner was told, in the order of time.
    #[must_use]
    pub fn notices(&self) -> Vec<&KeptNotice> {
        let mut all: Vec<&KeptNotice> = self.notices.values().collect();
        all.sort_by_key(|notice| notice.at);
        all
    }
}

fn keyed<K: std::str::FromStr, T: DeserializeOwned>(key: &str, body: &str) -> Result<(K, T), String> {
    let id = key.parse().map_err(|_| "its key is none".to_owned())?;
    let value = serde_json::from_str(body).map_err(|e| e.to_string().chars().take(200).collect::<String>())?;
    Ok((id, value))
}
