//! A chain made anew from a golem's own record: the life is lived again from birth, and what it did on the chain is done
//! again on a new one, held against the recorded receipts.

use crate::dir::GolemDir;
use crate::error::Error;
use crate::journal::{JournalWalk, Tip};
use crate::lock::Lock;
use crate::reader::Reader;
use crate::relive::{Relived, guarded, relive};
use golem_core::door::{EffectKey, KeyedHands, World};
use golem_core::{Hash, Tick};
use golem_life::Being;
use std::path::Path;

/// What was done again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Turns that were lived again.
    pub turns: u64,
    /// Effects that were carried out again.
    pub effects: u64,
}

/// Live the life in `dir` again beside a world and hands that are at their beginning, so that what is under them comes to
/// where the life left it. It must not be running.
///
/// # Errors
/// When the file is damaged, or something ends otherwise than recorded: then the chain is not the one it lived on.
pub fn rebuild<B: Being, W: World, H: KeyedHands<B::Permit>>(
    dir: &Path,
    genesis: &B::Genesis,
    world: &mut W,
    hands: &mut H,
) -> Result<Rebuilt, Error> {
    let _lock = Lock::take(&GolemDir::existing(dir)?)?;
    let reader = Reader::open(dir)?;
    let (origin, root) = reader.origin_and_root()?;
    let (end, _) = reader.tip()?;
    let mut being = guarded(Tick(0), "birth", || B::born(genesis, &origin.secret))?;
    let mut walk = JournalWalk::after(reader.conn(), reader.db(), Tip { tick: Tick(0), head: root }, end);
    let mut done = Rebuilt::default();
    loop {
        let head = walk.tip().head;
        let Some((tick, payload)) = walk.step()? else { return Ok(done) };
        let asked = being.next_age();
        guarded(tick, "the world", || world.observe(asked))?;
        let relived = relive(&mut being, tick, payload)?;
        done.effects += effects(hands, tick, &head, &relived)?;
        hands.written();
        done.turns += 1;
    }
}

/// What a turn did, again.
fn effects<P, H: KeyedHands<P>>(hands: &mut H, tick: Tick, head: &Hash, turn: &Relived) -> Result<u64, Error> {
    let Relived { record, holdings, .. } = turn;
    let all = record.previews.iter().zip(&record.granted).zip(&record.receipts).enumerate();
    let mut count = 0;
    for (n, ((preview, _), receipt)) in all.filter(|(_, ((_, granted), receipt))| **granted && receipt.after.is_some())
    {
        if count == 0 {
            guarded(tick, "the hands", || hands.opening(head, holdings))?;
        }
        guarded(tick, "the hands", || hands.redo_keyed(EffectKey::new(tick, n), preview, receipt, holdings))?
            .map_err(|what| Error::Diverged { tick, what })?;
        count += 1;
    }
    Ok(count)
}
