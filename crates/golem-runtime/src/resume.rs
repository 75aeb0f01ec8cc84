//! Coming back: the checkpoint if it fits, the tail of the journal lived again, the world brought to the same age.

use crate::checkpoint::Checkpoint;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::journal::{self, JournalWalk, Tip};
use crate::memory::{self, Detail, load};
use crate::mend::{mend, rotten};
use crate::relive::{Relived, guarded, relive};
use crate::store::Store;
use golem_core::door::{Hands, World};
use golem_core::intent::{Holdings, Outcome, Refusal};
use golem_core::{Tick, Timestamp, VirtualTime};
use golem_life::{Being, Record};

/// Episodes that come back with their words; of older ones only what similarity needs.
const BODIES: u64 = 2_000;

/// A being as it was after its last committed turn.
pub(crate) struct Resumed<B> {
    pub(crate) being: B,
    pub(crate) tip: Tip,
    /// Age and time of the last turn.
    pub(crate) age: VirtualTime,
    pub(crate) at: Timestamp,
    /// Turn of the checkpoint that was used; 0 when the life was replayed from birth.
    pub(crate) checkpoint: Tick,
    /// Why the checkpoint was left aside, if it was.
    pub(crate) unfit: Option<String>,
    /// The turn that was open when the process ended.
    pub(crate) half: Option<OpenTurn>,
    /// What was wrong with the memory and was made again.
    pub(crate) mended: Option<String>,
}

pub(crate) fn resume<B: Being, W: World, H: Hands<B::Permit>>(
    store: &mut Store,
    genesis: &B::Genesis,
    (world, hands): (&mut W, &mut H),
    now: Timestamp,
) -> Result<Resumed<B>, Error> {
    let (wrong, mended) = believe_memory::<B>(store, genesis, now)?;
    let store = &*store;
    let (conn, path) = (store.conn(), store.db());
    let end = store.tip()?;
    let fit = wrong.map_or_else(|| saved(store, genesis, world), |why| Ok(CheckpointFit::No(why)))?;
    let (found, unfit) = match fit {
        CheckpointFit::Yes(found) => (Some(*found), None),
        CheckpointFit::None => (None, None),
        CheckpointFit::No(why) => (None, Some(why)),
    };
    let from_birth = found.is_none();
    let (mut being, from, mut age) = match found {
        Some((being, c)) => (being, Tip { tick: c.tick, head: c.head }, c.age),
        None => {
            let being = guarded(Tick(0), "birth", || B::born(genesis, &store.origin().secret))?;
            (being, Tip { tick: Tick(0), head: store.root() }, VirtualTime(0))
        }
    };
    let mut at = store.origin().birth.born_at;
    let mut walk = JournalWalk::after(conn, path, from, end.tick);
    while let Some((tick, payload)) = walk.step()? {
        let asked = being.next_age();
        // Asked again for the same age, so that it stands where it stood; what it said is in the record.
        if !world.is_live() {
            guarded(tick, "the world", || world.observe(asked))?;
        }
        let Relived { record, holdings, .. } = relive(&mut being, tick, payload)?;
        at = record.input.at;
        if !hands.is_external() {
            redo(hands, tick, &record, &holdings)?;
        }
        if being.next_age() > asked {
            age = asked;
        }
    }
    if walk.tip() != end {
        return Err(Error::damaged_at(path, end.tick, "the tip does not fit the chain"));
    }
    let half = OpenTurn::read(conn, path)?;
    if half.as_ref().is_some_and(|h| h.tick != end.tick.next()) {
        return Err(Error::damaged_at(path, end.tick, "the open turn is not the next one"));
    }
    let checkpoint = if from_birth { Tick(0) } else { from.tick };
    Ok(Resumed { being, tip: end, age, at, checkpoint, unfit, half, mended })
}

/// Do again in the world what the turn did: it lives in this process and knows nothing of it yet.
fn redo<P, H: Hands<P>>(hands: &mut H, tick: Tick, record: &Record, holdings: &Holdings) -> Result<(), Error> {
    for ((preview, granted), receipt) in record.previews.iter().zip(&record.granted).zip(&record.receipts) {
        let kept = matches!(receipt.outcome, Outcome::Refused { why: Refusal::Withheld | Refusal::Cancelled });
        let went = *granted && !kept;
        if went {
            guarded(tick, "the hands", || hands.redo(preview, receipt, holdings))?
                .map_err(|what| Error::Diverged { tick, what })?;
        }
    }
    Ok(())
}

/// Hold the memory against its checkpoint, and mend it where it does not fit: why it cannot be believed all the same, and
/// what was mended.
fn believe_memory<B: Being>(
    store: &mut Store,
    genesis: &B::Genesis,
    now: Timestamp,
) -> Result<(Option<String>, Option<String>), Error> {
    let mut look = || {
        let Some(table) = rotten(store)? else { return Ok((None, None)) };
        let mended = mend::<B>(store, genesis, table, now)?;
        Ok((rotten(store)?.map(memory::changed), Some(mended)))
    };
    match look() {
        // Its tables cannot even be read or emptied: the life is lived again without them. A journal that is damaged says
        // so on the way.
        Err(Error::Damaged { what, .. }) => Ok((Some(what), None)),
        looked => looked,
    }
}

enum CheckpointFit<B> {
    Yes(Box<(B, Checkpoint)>),
    None,
    No(String),
}

/// The being of the checkpoint, held against the journal, with the world restored beside it.
fn saved<B: Being, W: World>(store: &Store, genesis: &B::Genesis, world: &mut W) -> Result<CheckpointFit<B>, Error> {
    let checkpoint = match Checkpoint::read(store.conn(), store.db())? {
        None => return Ok(CheckpointFit::None),
        Some(Err(why)) => return Ok(CheckpointFit::No(why)),
        Some(Ok(checkpoint)) => checkpoint,
    };
    if journal::head_at(store.conn(), store.db(), checkpoint.tick)? != Some(checkpoint.head) {
        return Ok(CheckpointFit::No("it does not fit the journal".into()));
    }
    let restored = guarded(checkpoint.tick, "restoring", || {
        let memory =
            load(store.conn(), store.db(), checkpoint.tick, Detail::Newest(BODIES)).map_err(|e| e.to_string())?;
        let being = B::restore(genesis, &store.origin().secret, &checkpoint.state.join(), memory)?;
        if being.digest() != checkpoint.digest || being.tick() != checkpoint.tick {
            return Err("the restored state is not the saved one".to_owned());
        }
        // Last, so that a being that does not fit leaves the world at its beginning.
        world.restore(&checkpoint.world).map_err(|e| format!("world: {e}"))?;
        Ok(being)
    })?;
    Ok(match restored {
        Ok(being) => CheckpointFit::Yes(Box::new((being, checkpoint))),
        Err(why) => CheckpointFit::No(why),
    })
}
