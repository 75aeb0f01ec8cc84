//! A memory made again: its rows can be recomputed from the journal. Where one of them is not the one that was written, all
//! of them are written anew, once, and it is said; otherwise every start from here on would live the whole life again.

use crate::checkpoint::Checkpoint;
use crate::error::Error;
use crate::journal::{JournalWalk, Tip};
use crate::memory;
use crate::notes;
use crate::relive::{guarded, relive};
use crate::store::Store;
use golem_core::{Tick, Timestamp};
use golem_life::Being;

/// Changes that are written in one go, at least.
const GROUP: usize = 10_000;

/// The table of the memory, if any, whose rows are not the ones that were written up to the checkpoint.
pub(crate) fn rotten(store: &Store) -> Result<Option<&'static str>, Error> {
    let Some(Ok(checkpoint)) = Checkpoint::read(store.conn(), store.db())? else { return Ok(None) };
    let Some(kept) = checkpoint.totals else { return Ok(None) };
    let found = memory::MemoryTotals::of(store.conn(), checkpoint.tick)
        .map_err(|e| Error::sql(store.db(), "read the memory", &e))?;
    Ok(kept.differs(&found))
}

/// Write the memory anew from the journal. A crash on the way leaves a memory that still does not fit its checkpoint, and
/// the next start begins again.
pub(crate) fn mend<B: Being>(
    store: &mut Store,
    genesis: &B::Genesis,
    table: &'static str,
    now: Timestamp,
) -> Result<String, Error> {
    let end = store.tip()?;
    let mut being = guarded(Tick(0), "birth", || B::born(genesis, &store.origin().secret))?;
    let mut tip = Tip { tick: Tick(0), head: store.root() };
    store.durably(|tx| memory::empty(tx))?;
    while tip.tick < end.tick {
        let (mut turns, mut count) = (Vec::new(), 0);
        let mut walk = JournalWalk::after(store.conn(), store.db(), tip, end.tick);
        while count < GROUP || !walk.is_between_segments() {
            let Some((tick, payload)) = walk.step()? else { break };
            let changes = relive(&mut being, tick, payload)?.changes;
            count += changes.len();
            if !changes.is_empty() {
                turns.push((tick, changes));
            }
        }
        tip = walk.tip();
        store.durably(|tx| memory::write(tx, &turns))?;
    }
    let what = format!("{}; it was made again from the journal", memory::changed(table));
    store.durably(|tx| notes::write(tx, now, end.tick.0, &what))?;
    Ok(what)
}
