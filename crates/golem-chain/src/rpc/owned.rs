//! What a golem owns on somebody's chain: what its own receipts brought, and nothing that a stranger put there.
//!
//! An account can be given tokens and positions without being asked. What was booked is what is owned; the rest is a gift,
//! which is told and never counted.

use super::record::{ChainRecord, store};
use golem_core::door::EffectKey;
use golem_core::intent::{Asset, Outcome};
use golem_core::verification::flows;
use golem_core::{Action, Receipt};
use golem_venue::{Done, VenueError};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What receipts brought in all, or what one of them brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptOwned {
    /// USDC that came in (positive) or went out.
    pub usdc: i128,
    /// The asset that came in or went out.
    pub asset: i128,
    /// Liquidity that was added or taken out.
    pub liquidity: i128,
    /// The position that was opened or added to last.
    pub position: Option<u64>,
}

impl ReceiptOwned {
    /// What a receipt brought.
    #[must_use]
    pub fn by(receipt: &Receipt) -> Self {
        let [usdc, asset, liquidity] = flows(&receipt.outcome);
        let opened = matches!(receipt.outcome, Outcome::Added { .. } | Outcome::Moved { .. });
        let position = receipt.after.and_then(|book| book.position).filter(|_| opened).map(|p| p.id);
        Self { usdc, asset, liquidity, position }
    }

    /// What an action brought.
    #[must_use]
    pub(super) fn of(action: &Action, done: &Done) -> Self {
        let opened = matches!(action, Action::Mint { .. }) && done.liquidity > 0;
        let position = done.position.filter(|_| opened);
        Self { usdc: done.usdc, asset: done.asset, liquidity: done.liquidity, position }
    }

    /// This, and then that.
    #[must_use]
    pub fn plus(self, then: Self) -> Self {
        Self {
            usdc: self.usdc.saturating_add(then.usdc),
            asset: self.asset.saturating_add(then.asset),
            liquidity: self.liquidity.saturating_add(then.liquidity),
            position: then.position.or(self.position),
        }
    }

    /// The asset that is owned.
    #[must_use]
    pub fn asset(&self) -> Asset {
        Asset(u128::try_from(self.asset).unwrap_or_default())
    }

    /// The position that is owned, and how much of its liquidity.
    #[must_use]
    pub fn position(&self) -> Option<(u64, u128)> {
        let liquidity = u128::try_from(self.liquidity).ok().filter(|l| *l > 0)?;
        Some((self.position?, liquidity))
    }
}

/// Bookings that are kept one by one before those that can no longer change are added up.
const KEPT: u32 = 256;
/// The key of those that were added up. They come first.
const BEFORE: &str = "";

const ROWS: &str = "SELECT usdc, asset, liquidity, position FROM owned";

impl ChainRecord {
    /// Write what was booked under a key, in the place of what was booked under it before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn own(&mut self, key: EffectKey, booked: &ReceiptOwned) -> Result<(), VenueError> {
        write(&self.db, &key.to_string(), booked)
    }

    /// What was booked in all, a key perhaps left out.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn owned(&self, without: Option<EffectKey>) -> Result<ReceiptOwned, VenueError> {
        sum(&self.db, &format!("{ROWS} WHERE key IS NOT ?1 ORDER BY n"), [without.map(|key| key.to_string())])
    }

    /// Whether nothing was ever booked.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn owns_nothing_yet(&self) -> Result<bool, VenueError> {
        self.db.query_row("SELECT count(*) = 0 FROM owned", [], |r| r.get(0)).map_err(store)
    }

    /// Add up the oldest bookings, once there are many: all but those that may still change.
    pub(super) fn add_up(&mut self, watched: &BTreeSet<EffectKey>) -> Result<(), VenueError> {
        let (count, newest): (u32, i64) = self
            .db
            .query_row("SELECT count(*), coalesce(max(n), 0) FROM owned", [], |r| Ok((r.get(0)?, r.get(1)?)))
            .map_err(store)?;
        if count <= KEPT {
            return Ok(());
        }
        // Only what lies before every one that is watched: the order says which position was opened last.
        let first = |key: &EffectKey| -> Result<Option<i64>, VenueError> {
            self.db.query_row("SELECT min(n) FROM owned WHERE key = ?1", [key.to_string()], |r| r.get(0)).map_err(store)
        };
        let mut until = newest - i64::from(KEPT / 2);
        for key in watched {
            until = until.min(first(key)?.map_or(until, |n| n - 1));
        }
        let tx = self.db.transaction().map_err(store)?;
        let old = sum(&tx, &format!("{ROWS} WHERE n <= ?1 ORDER BY n"), [until])?;
        tx.execute("DELETE FROM owned WHERE n <= ?1", [until]).map_err(store)?;
        tx.execute("INSERT INTO owned(n, key, usdc, asset, liquidity) VALUES (0, ?1, '0', '0', '0')", [BEFORE])
            .map_err(store)?;
        write(&tx, BEFORE, &old)?;
        tx.commit().map_err(store)
    }
}

fn write(db: &Connection, key: &str, booked: &ReceiptOwned) -> Result<(), VenueError> {
    let sql = "INSERT INTO owned(key, usdc, asset, liquidity, position) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT(key) DO UPDATE SET usdc = ?2, asset = ?3, liquidity = ?4, position = ?5";
    let ReceiptOwned { usdc, asset, liquidity, position } = booked;
    let position = position.map(|id| id.to_string());
    db.execute(sql, (key, usdc.to_string(), asset.to_string(), liquidity.to_string(), position))
        .map(drop)
        .map_err(store)
}

fn sum(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<ReceiptOwned, VenueError> {
    let mut query = db.prepare_cached(sql).map_err(store)?;
    let rows = query.query_map(params, read).map_err(store)?;
    rows.map(|row| row.map_err(store)).try_fold(ReceiptOwned::default(), |sum, row| Ok(sum.plus(row?)))
}

fn read(row: &Row<'_>) -> rusqlite::Result<ReceiptOwned> {
    let number = |i: usize| -> rusqlite::Result<i128> { parsed(i, &row.get::<_, String>(i)?) };
    let position = row.get::<_, Option<String>>(3)?.map(|text| parsed(3, &text)).transpose()?;
    Ok(ReceiptOwned { usdc: number(0)?, asset: number(1)?, liquidity: number(2)?, position })
}

fn parsed<T: std::str::FromStr<Err = std::num::ParseIntError>>(column: usize, text: &str) -> rusqlite::Result<T> {
    let wrong = |e| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e));
    text.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::Address;
    use golem_core::intent::Refusal;
    use golem_core::venue::{PositionSeen, Range};
    use golem_core::{Book, Intent, Tick, Usdc};

    fn record(dir: &tempfile::TempDir) -> ChainRecord {
        ChainRecord::open(&dir.path().join("sent.db"), Address::ZERO, 7).unwrap()
    }
    fn key(tick: u64) -> EffectKey {
        EffectKey::new(Tick(tick), 0)
    }
    fn booked(asset: i128, liquidity: i128, position: Option<u64>) -> ReceiptOwned {
        ReceiptOwned { usdc: -asset, asset, liquidity, position }
    }

    #[test]
    fn what_is_owned_is_the_sum_of_what_was_booked_last_under_each_key() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = record(&dir);
        assert!(file.owns_nothing_yet().unwrap());
        file.own(key(1), &booked(5, 0, None)).unwrap();
        file.own(key(2), &booked(-2, 7, Some(41))).unwrap();
        file.own(key(9), &booked(0, -7, None)).unwrap();
        assert_eq!(record(&dir).owned(None).unwrap().position(), None, "all of it was taken out");
        // The chain took the removal back, and made the purchase another one.
        file.own(key(9), &ReceiptOwned::default()).unwrap();
        file.own(key(1), &booked(6, 0, None)).unwrap();
        let all = record(&dir).owned(None).unwrap();
        assert_eq!((all.asset(), all.position()), (Asset(4), Some((41, 7))));
        assert_eq!(file.owned(Some(key(1))).unwrap().asset(), Asset(0));
        // A position that was moved has another number.
        file.own(key(10), &booked(0, -1, Some(44))).unwrap();
        assert_eq!(file.owned(None).unwrap().position(), Some((44, 6)));
        assert_eq!(file.owned(Some(key(10))).unwrap().position(), Some((41, 7)));
    }

    #[test]
    fn old_bookings_are_added_up_and_watched_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = record(&dir);
        for n in 0..1_000u64 {
            file.own(key(n), &booked(1, 1, Some(n))).unwrap();
            file.add_up(&BTreeSet::from([key(n.saturating_sub(3))])).unwrap();
        }
        let all = file.owned(None).unwrap();
        assert_eq!((all.asset(), all.position()), (Asset(1_000), Some((999, 1_000))));
        file.own(key(998), &ReceiptOwned::default()).unwrap();
        assert_eq!(file.owned(None).unwrap().asset(), Asset(999));
        let rows: u32 = file.db.query_row("SELECT count(*) FROM owned", [], |r| r.get(0)).unwrap();
        assert!(rows <= KEPT + 1, "{rows} rows");
    }

    #[test]
    fn a_receipt_says_what_it_brought() {
        let range = Range { lower: -10, upper: 10 };
        let seen = PositionSeen { id: 5, range, liquidity: 9, fees: Usdc::ZERO, fees_asset: Asset::ZERO };
        let after = Some(Book { position: Some(seen), ..Book::default() });
        let of = |outcome| {
            ReceiptOwned::by(&Receipt { outcome, after, ..Receipt::kept_back(Intent::Hold, Refusal::Denied) })
        };
        let added = Outcome::Added { paid: Usdc(3), gave: Asset(2), liquidity: 9 };
        assert_eq!(of(added), ReceiptOwned { usdc: -3, asset: -2, liquidity: 9, position: Some(5) });
        let bought = Outcome::Bought { paid: Usdc(3), got: Asset(2) };
        assert_eq!(of(bought), ReceiptOwned { usdc: -3, asset: 2, liquidity: 0, position: None });
        assert_eq!(of(Outcome::Refused { why: Refusal::Funds }), ReceiptOwned::default());
    }
}
