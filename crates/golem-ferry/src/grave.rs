//! A golem's grave: dug once, when everything that it had to say is kept by the relay; kept here before it is told, so that it is the same
//! grave however often it is told.

use crate::crossing::Crossing;
use crate::dial::DialFault;
use crate::file::FerryFault;
use golem_core::Hash;
use styx_wire::limits::{GRAVE_BYTES, MARKS};
use styx_wire::seal::SEAL_BYTES;
use styx_wire::{FieldWord, GolemFrame, GraveWords, RefuseReason, RelayFrame, SignedGrave};

impl Crossing {
    /// Bury who is dead and has said its last word.
    pub(crate) async fn bury_if_dead(&mut self) -> Result<(), DialFault> {
        let failed = |e: FerryFault| DialFault::File(e.to_string());
        let grave = match self.file.grave().map_err(failed)? {
            Some((_, true)) => return Ok(()),
            Some((grave, false)) => grave,
            // Nothing is taken from it after its grave.
            None if self.held_back || self.file.waiting().map_err(failed)? > 0 => return Ok(()),
            None => match self.dug()? {
                Some(grave) => grave,
                None => return Ok(()),
            },
        };
        self.buried = true;
        match self.ask(&GolemFrame::Bury(Box::new(grave))).await? {
            RelayFrame::Done => {}
            RelayFrame::Refuse(RefuseReason::Forked) => self.notice("another grave of it is there already")?,
            RelayFrame::Refuse(why) => return self.notice(&format!("the relay does not bury it: {why}")),
            _ => return Err(DialFault::Confused),
        }
        self.file.grave_is_told().map_err(failed)
    }

    fn dug(&mut self) -> Result<Option<SignedGrave>, DialFault> {
        if !self.passenger.signs.living().is_some_and(|signs| signs.dead) {
            return Ok(None);
        }
        let Some(mut said) = self.passenger.signs.grave() else { return Ok(None) };
        let Ok(cause) = said.cause.parse::<FieldWord>() else { return Ok(None) };
        said.clear.truncate(GRAVE_BYTES - SEAL_BYTES);
        said.marks.truncate(MARKS);
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|e| DialFault::File(e.to_string()))?;
        let private = self.passenger.group.public().seal(&said.clear, &entropy);
        let words = GraveWords {
            certificate: self.passenger.certificate,
            generation: said.generation,
            cause,
            tick: said.tick.0,
            at: said.at,
            last: self.state.head,
            testament: said.testament,
            marks: said.marks,
            public: false,
            private: Hash::of(&private),
        };
        let grave = SignedGrave::of(&self.passenger.key, words, private);
        self.file.dig(&grave).map_err(|e| DialFault::File(e.to_string()))?;
        Ok(Some(grave))
    }
}
