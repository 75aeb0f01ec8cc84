//! The graveyard: one grave for each golem, and the marks that its blood leaves.

use super::field::EVERYBODY;
use super::{DeskFault, RelayDesk, kept};
use crate::store::{KeptRowKey, RowChange, RowRoom};
use golem_core::OwnerId;
use golem_core::plain::bytes;
use styx_wire::{
    FieldScope, OriginKey, PheromoneDeposit, PheromoneLayer, PublicNotice, RefuseReason, ScentKey, SignedGrave,
};

/// Graves in one answer: each may be as long as a frame holds.
const AT_A_TIME: usize = 2;

impl RelayDesk {
    /// Bury a golem of an owner. Whether it is news: the same grave again is none.
    ///
    /// # Errors
    /// When the dead did not sign it, its owner did not vouch for it, or another grave is there.
    pub fn bury(&self, owner: OwnerId, grave: &SignedGrave) -> Result<bool, DeskFault> {
        let words = &grave.words;
        let dead = &words.certificate.words;
        if dead.owner != owner || grave.check(self.least_epoch(owner)?).is_err() {
            return Err(RefuseReason::NotAccepted.into());
        }
        let key = KeptRowKey { room: RowRoom::Grave, owner, key: dead.origin.0.to_vec() };
        let (mut news, mut other) = (false, false);
        self.store.change(&key, &mut |now| {
            let there = now.and_then(styx_wire::frame::read_kept::<SignedGrave>);
            news = there.is_none();
            other = there.is_some_and(|there| there.id() != grave.id());
            if news { RowChange::Put(bytes(grave)) } else { RowChange::Leave }
        })?;
        if other {
            return Err(RefuseReason::Forked.into());
        }
        // Again after a crash in between: each of these is the same when it is done twice.
        self.store.end_chain(owner, dead.origin, words.last.seq)?;
        let now_ms = self.now_ms();
        for (i, mark) in words.marks.iter().enumerate() {
            for layer in [PheromoneLayer::Threat, PheromoneLayer::Wisdom] {
                let about =
                    ScentKey { layer, class: mark.class.clone(), domain: mark.domain.clone(), regime: mark.regime };
                let left =
                    PheromoneDeposit { scope: FieldScope::Clade, key: about, intensity: mark.severity.clamp(1, 1_000) };
                let source = self.source(&[&owner.0, &dead.origin.0]);
                match self.leave(owner, &left, source, true, now_ms) {
                    Ok(()) | Err(DeskFault::Refused(_)) => {}
                    Err(fault) => return Err(fault),
                }
            }
            if self.public
                && words.public
                && let Some(notice) = PublicNotice::of_grave(grave, now_ms).get(i)
            {
                // Named by the relay's secret: nobody else can tell whose it is, and twice is once.
                let name = self.source(&[&grave.id().0, &(i as u64).to_le_bytes()]);
                let key = KeptRowKey { room: RowRoom::Notice, owner: EVERYBODY, key: name.to_vec() };
                self.store.change(&key, &mut |now| match now {
                    Some(_) => RowChange::Leave,
                    None => RowChange::Put(bytes(notice)),
                })?;
            }
        }
        Ok(news)
    }

    /// Graves of an owner's golems in the order of their keys, after one, and whether there are more. No more than that is read.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn graves(&self, owner: OwnerId, after: Option<OriginKey>) -> Result<(Vec<SignedGrave>, bool), DeskFault> {
        let key = after.map_or_else(Vec::new, |origin| origin.0.to_vec());
        let rows = self.store.rows(&KeptRowKey { room: RowRoom::Grave, owner, key }, AT_A_TIME + 1)?;
        let found: Result<Vec<SignedGrave>, _> = rows.iter().take(AT_A_TIME).map(|(_, row)| kept(row)).collect();
        Ok((found?, rows.len() > AT_A_TIME))
    }
}
