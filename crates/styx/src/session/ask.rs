//! Everything else that a golem asks: siblings, fields, graves, archives, epochs, tokens. One answer each.

use super::{GolemLine, Over, Session, over_quota};
use crate::desk::pulse_row;
use crate::hub::RelayBudget;
use crate::token::token_of;
use styx_wire::limits::CHUNK_BYTES;
use styx_wire::{ArchiveManifest, Blob, GolemFrame, RefuseReason, RelayFrame};

/// Manifests in one answer.
const NEWEST: usize = 16;

impl Session {
    /// The answer. Only who says hello twice is sent away.
    pub(super) async fn ask(&mut self, line: &mut GolemLine, frame: GolemFrame) -> Result<RelayFrame, Over> {
        let answered = match frame {
            GolemFrame::Pulse(pulse) => self.pulse(pulse).await,
            GolemFrame::Deposit(mark) => {
                let (owner, origin) = (self.owner, self.origin);
                match self.pay(RelayBudget::Deposit) {
                    Ok(()) => self.at_desk(move |desk| desk.deposit(owner, origin, &mark)).await,
                    Err(reason) => Err(reason),
                }
                .map(|()| RelayFrame::Done)
            }
            GolemFrame::Sense(query) => {
                let owner = self.owner;
                self.at_desk(move |desk| desk.sense(owner, &query)).await.map(RelayFrame::Field)
            }
            GolemFrame::Bury(grave) => {
                let owner = self.owner;
                self.at_desk(move |desk| desk.bury(owner, &grave)).await.map(|_| RelayFrame::Done)
            }
            GolemFrame::Graves { after } => {
                let owner = self.owner;
                let found = self.at_desk(move |desk| desk.graves(owner, after)).await;
                found.map(|(graves, more)| RelayFrame::Graves { graves, more })
            }
            GolemFrame::Siblings { from } => {
                let owner = self.owner;
                let found = self.at_desk(move |desk| desk.siblings(owner, from)).await;
                found.map(|(siblings, more)| RelayFrame::Siblings { siblings, more })
            }
            GolemFrame::Offer(manifest) => self.offer(manifest).await,
            GolemFrame::Chunk(Blob(piece)) => self.chunk(piece).await,
            GolemFrame::Archives => return self.archives(line).await,
            GolemFrame::Fetch { chunk } => {
                let owner = self.owner;
                match self.pay(RelayBudget::Archive(CHUNK_BYTES as u64)) {
                    Ok(()) => self.at_desk(move |desk| desk.fetch(owner, chunk)).await,
                    Err(reason) => Err(reason),
                }
                .map(|piece| RelayFrame::Chunk(Blob(piece)))
            }
            GolemFrame::Close(closed) => {
                let owner = self.owner;
                let closing = self.at_desk(move |desk| {
                    if closed.owner == owner { desk.close(&closed) } else { Err(RefuseReason::NotAccepted.into()) }
                });
                closing.await.map(|least| {
                    self.seat.hub.close(least);
                    RelayFrame::Done
                })
            }
            GolemFrame::Token => {
                let owner = self.owner;
                self.at_desk(move |desk| Ok(token_of(desk, owner)?)).await.map(RelayFrame::Token)
            }
            GolemFrame::Hello(_) | GolemFrame::Push(_) | GolemFrame::Follow { .. } | GolemFrame::Took { .. } => {
                return Err(Over::Refused(RefuseReason::Malformed));
            }
        };
        Ok(answered.unwrap_or_else(RelayFrame::Refuse))
    }

    fn pay(&self, what: RelayBudget) -> Result<(), RefuseReason> {
        let desk = &self.relay.desk;
        self.seat.hub.pay(self.origin, what, &desk.limits, desk.now_ms()).map_err(over_quota)
    }

    async fn pulse(&mut self, pulse: styx_wire::SignedPulse) -> Result<RelayFrame, RefuseReason> {
        self.pay(RelayBudget::Pulse)?;
        let (owner, origin) = (self.owner, self.origin);
        if !pulse.is_from(owner, origin) {
            return Err(RefuseReason::NotAccepted);
        }
        // An older one does not come back. The last one is kept with whatever is written next: nobody was promised that it is.
        if self.pulse_count < pulse.words.count {
            self.pulse_count = pulse.words.count;
            self.relay.writer.put(pulse_row(owner, origin, &pulse)).await;
            self.seat.hub.pulse(origin, pulse, &self.relay.counts);
        }
        Ok(RelayFrame::Done)
    }

    async fn offer(&mut self, manifest: ArchiveManifest) -> Result<RelayFrame, RefuseReason> {
        let (owner, origin) = (self.owner, self.origin);
        let missing = self.at_desk(move |desk| desk.offer(owner, origin, &manifest)).await?;
        self.wanted = missing.iter().copied().collect();
        Ok(RelayFrame::Want(missing))
    }

    async fn chunk(&mut self, piece: Vec<u8>) -> Result<RelayFrame, RefuseReason> {
        let name = golem_core::Hash::of(&piece);
        // Nothing is kept that no offer named.
        if !self.wanted.contains(&name) {
            return Err(RefuseReason::Absent);
        }
        self.pay(RelayBudget::Archive(piece.len() as u64))?;
        let owner = self.owner;
        self.at_desk(move |desk| desk.keep_chunk(owner, &piece)).await?;
        self.wanted.remove(&name);
        Ok(RelayFrame::Done)
    }

    async fn archives(&mut self, line: &mut GolemLine) -> Result<RelayFrame, Over> {
        let owner = self.owner;
        let found = self.at_desk(move |desk| Ok(desk.manifests(owner)?)).await;
        let found = match found {
            Ok(found) => found,
            Err(reason) => return Ok(RelayFrame::Refuse(reason)),
        };
        let mut newest: Vec<ArchiveManifest> = found.into_iter().map(|(_, m)| m).take(NEWEST).collect();
        newest.reverse();
        while let Some(manifest) = newest.pop() {
            let more = u32::try_from(newest.len()).unwrap_or(u32::MAX);
            let frame = RelayFrame::Manifest { manifest: Box::new(manifest), more };
            if more == 0 {
                return Ok(frame);
            }
            line.send(&frame).await?;
        }
        Ok(RelayFrame::Done)
    }
}
