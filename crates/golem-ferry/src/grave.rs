//! A golem's grave: dug once, when everything that it had to say is kept by the relay; kept here before it is told, so that it is the same
//! grave however often it is told. And the graves of its siblings, each heard once: what their deaths taught them.

use crate::crossing::Crossing;
use crate::dial::DialFault;
use crate::file::FerryFault;
use golem_clade::kin::{GraveLetter, KinArrival, KinLimits};
use golem_core::Hash;
use golem_life::Ask;
use styx_wire::limits::{GRAVE_BYTES, MARKS};
use styx_wire::reader::HeadsReport;
use styx_wire::seal::SEAL_BYTES;
use styx_wire::{FieldWord, GolemFrame, GraveWords, RefuseReason, RelayFrame, SignedGrave};

/// Graves that are looked at on one line: a relay that never comes to an end has as many as that.
const MOST_GRAVES: usize = 512;

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
        let Ok(cause) = said.letter.cause.parse::<FieldWord>() else { return Ok(None) };
        said.marks.truncate(MARKS);
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|e| DialFault::File(e.to_string()))?;
        let clear = said.letter.bytes(GRAVE_BYTES - SEAL_BYTES);
        let private = self.passenger.group.public().seal(&clear, &entropy);
        let words = GraveWords {
            certificate: self.passenger.certificate,
            generation: said.generation,
            cause,
            tick: said.tick.0,
            at: said.at,
            last: self.state.head,
            testament: said.testament,
            marks: said.marks,
            public: self.passenger.publishes,
            private: Hash::of(&private),
        };
        let grave = SignedGrave::of(&self.passenger.key, words, private);
        self.file.dig(&grave).map_err(|e| DialFault::File(e.to_string()))?;
        Ok(Some(grave))
    }

    /// Hear the graves that were not heard yet: at the beginning of a line, and while a sibling is mourned whose grave was not seen.
    pub(crate) async fn visit_graves(&mut self) -> Result<(), DialFault> {
        let failed = |e: FerryFault| DialFault::File(e.to_string());
        let (mut after, mut seen) = (None, 0);
        loop {
            let (graves, more) = match self.ask(&GolemFrame::Graves { after }).await? {
                RelayFrame::Graves { graves, more } => (graves, more),
                // Somebody else asks too much just now; the next line asks again.
                RelayFrame::Refuse(_) => return Ok(()),
                _ => return Err(DialFault::Confused),
            };
            let last = graves.is_empty() || !more;
            for grave in graves {
                let of = grave.words.certificate.words.origin;
                if after.is_some_and(|before| of <= before) {
                    return Err(DialFault::Confused);
                }
                after = Some(of);
                seen += 1;
                self.mourned.remove(&of);
                if !self.file.has_heard_grave(of).map_err(failed)? {
                    self.hear_grave(&grave)?;
                    self.file.grave_is_heard(of).map_err(failed)?;
                }
            }
            if last || seen >= MOST_GRAVES {
                return Ok(());
            }
        }
    }

    /// What a grave says is worth something where the dead one signed it, with a certificate of the same owner.
    fn hear_grave(&mut self, grave: &SignedGrave) -> Result<(), DialFault> {
        let (words, own) = (grave.words.certificate.words, self.passenger.certificate.words);
        if words.origin == own.origin {
            return Ok(());
        }
        if words.owner != own.owner || grave.check(self.state.reader.least_epoch()).is_err() {
            return self.notice("the relay shows a grave that nobody of this owner left");
        }
        // What it said before its death is there, or is not shown.
        let split = self.state.reader.compared(&HeadsReport(vec![(words.origin, grave.words.last)]));
        self.noticed(&split)?;
        let Some(clear) = self.passenger.group.open(&grave.private.0) else { return Ok(()) };
        let Ok(letter) = GraveLetter::read(&clear) else { return Ok(()) };
        for (n, letter) in letter.for_reader(words.golem, &self.passenger.reader).into_iter().enumerate() {
            let (confidence_bp, field) = (letter.word.confidence_bp(), letter.word.field());
            let ask = Ask::Kin { from: words.golem, at: letter.at, letter: letter.text() };
            let Ok(body) = serde_json::to_string(&ask) else { continue };
            let key = format!("grave/{}/{n}", words.origin);
            let arrival = KinArrival { key, source: words.golem, urgent: true, confidence_bp, field, body };
            self.state.queue.came(arrival, &KinLimits::default());
        }
        self.land()
    }
}
