//! What else stands in `sent.db`: the state that previews touched, blocks that were believed, and pins.

use super::record::{ChainRecord, int, store};
use super::step::hash;
use super::touched::TouchedState;
use alloy_primitives::{B256, Bytes};
use golem_core::door::EffectKey;
use golem_core::{Action, Point};
use golem_venue::VenueError;
use rusqlite::{OptionalExtension, Row};

impl ChainRecord {
    /// Keep what a preview touched beside its intent. Code is kept once, whoever touched it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_touched(&mut self, key: EffectKey, state: &TouchedState) -> Result<(), VenueError> {
        let mut rest = state.clone();
        let code = std::mem::take(&mut rest.code);
        let bytes = rest.to_bytes().map_err(VenueError::Bug)?;
        let tx = self.db.transaction().map_err(store)?;
        for (hash, code) in &code {
            tx.execute("INSERT OR IGNORE INTO code VALUES (?1, ?2)", (hash.as_slice(), code.as_ref()))
                .map_err(store)?;
        }
        tx.execute("INSERT OR REPLACE INTO touched VALUES (?1, ?2)", (key.to_string(), bytes)).map_err(store)?;
        tx.commit().map_err(store)
    }

    /// What a preview touched, if it was kept.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn touched(&self, key: EffectKey) -> Result<Option<TouchedState>, VenueError> {
        let bytes: Option<Vec<u8>> = self
            .db
            .query_row("SELECT state FROM touched WHERE key = ?1", [key.to_string()], |r| r.get(0))
            .optional()
            .map_err(store)?;
        let Some(bytes) = bytes else { return Ok(None) };
        let mut state = TouchedState::from_bytes(&bytes).map_err(VenueError::Store)?;
        for account in state.accounts.values() {
            let code: Option<Vec<u8>> = self
                .db
                .query_row("SELECT code FROM code WHERE hash = ?1", [account.code_hash.as_slice()], |r| r.get(0))
                .optional()
                .map_err(store)?;
            state.code.extend(code.map(|code| (account.code_hash, Bytes::from(code))));
        }
        state.sound().map_err(VenueError::Store)?;
        Ok(Some(state))
    }

    /// Note where an effect has landed, and what it was made of: what its preview touched is found by the place again.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_landed(&mut self, point: Point, key: EffectKey, actions: &[Action]) -> Result<(), VenueError> {
        let actions = postcard::to_stdvec(actions).map_err(|e| VenueError::Bug(e.to_string()))?;
        let row = (int(point.block), point.index, key.to_string(), actions);
        self.db.execute("INSERT OR REPLACE INTO landed VALUES (?1, ?2, ?3, ?4)", row).map_err(store).map(drop)
    }

    /// The effect that has landed at a place, and its actions.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn landed(&self, point: Point) -> Result<Option<(EffectKey, Vec<Action>)>, VenueError> {
        let query = "SELECT key, actions FROM landed WHERE block = ?1 AND place = ?2";
        let found: Option<(String, Vec<u8>)> = self
            .db
            .query_row(query, (int(point.block), point.index), |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()
            .map_err(store)?;
        let Some((key, actions)) = found else { return Ok(None) };
        let key = key.parse().map_err(|_| VenueError::Store(format!("the key of {point} is damaged")))?;
        let actions = postcard::from_bytes(&actions).map_err(|e| VenueError::Store(e.to_string()))?;
        Ok(Some((key, actions)))
    }

    /// The hashes of blocks that were believed, the newest first.
    pub(super) fn blocks(&self) -> Result<Vec<(u64, B256)>, VenueError> {
        let mut query =
            self.db.prepare_cached("SELECT number, hash FROM blocks ORDER BY number DESC").map_err(store)?;
        let read = |r: &Row<'_>| Ok((r.get::<_, i64>(0)?.unsigned_abs(), hash(r, 1)?));
        query.query_map([], read).and_then(Iterator::collect).map_err(store)
    }
    /// Forget the blocks above one, write these, and keep the newest so many.
    pub(super) fn see_blocks(&mut self, above: u64, new: &[(u64, B256)], keep: u64) -> Result<(), VenueError> {
        let tx = self.db.transaction().map_err(store)?;
        tx.execute("DELETE FROM blocks WHERE number > ?1", [int(above)]).map_err(store)?;
        for (number, hash) in new {
            tx.execute("INSERT OR REPLACE INTO blocks VALUES (?1, ?2)", (int(*number), hash.as_slice()))
                .map_err(store)?;
        }
        tx.execute("DELETE FROM blocks WHERE number <= (SELECT max(number) FROM blocks) - ?1", [int(keep)])
            .map_err(store)?;
        tx.commit().map_err(store)
    }

    /// Pin a hash under a name, unless one is pinned; returns what is pinned.
    pub(super) fn pin(&mut self, name: &str, value: B256) -> Result<B256, VenueError> {
        self.db.execute("INSERT OR IGNORE INTO pins VALUES (?1, ?2)", (name, value.as_slice())).map_err(store)?;
        self.db.query_row("SELECT hash FROM pins WHERE name = ?1", [name], |r| hash(r, 0)).map_err(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::Address;

    #[test]
    fn blocks_are_kept_up_to_a_number_and_pins_for_good() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = ChainRecord::open(&dir.path().join("sent.db"), Address::ZERO, 7).unwrap();
        let block = |n: u64| (n, B256::with_last_byte(u8::try_from(n).unwrap()));
        record.see_blocks(0, &(1..=9).map(block).collect::<Vec<_>>(), 5).unwrap();
        assert_eq!(record.blocks().unwrap().iter().map(|b| b.0).collect::<Vec<_>>(), [9, 8, 7, 6, 5]);
        record.see_blocks(6, &[block(7)], 5).unwrap();
        assert_eq!(record.blocks().unwrap(), [block(7), block(6), block(5)]);
        assert_eq!(record.pin("pool", block(1).1).unwrap(), block(1).1);
        assert_eq!(record.pin("pool", block(2).1).unwrap(), block(1).1);
    }

    #[test]
    fn where_an_effect_has_landed_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = ChainRecord::open(&dir.path().join("sent.db"), Address::ZERO, 7).unwrap();
        let (point, key) = (Point { block: 9, index: 2 }, EffectKey::new(golem_core::Tick(5), 1));
        let actions = [Action::Collect { position: 3 }];
        record.keep_landed(point, key, &actions).unwrap();
        assert_eq!(record.landed(point).unwrap(), Some((key, actions.to_vec())));
        assert_eq!(record.landed(Point { index: 3, ..point }).unwrap(), None);
    }
}
