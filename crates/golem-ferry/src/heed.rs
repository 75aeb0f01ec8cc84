//! From the relay to the golem's inbox: every delta is taken once, by a reader that does not trust the relay, opened, examined for its
//! form, and handed on within the limits. The inbox is written first: what is taken twice has the same key, and is one order.

use crate::crossing::Crossing;
use crate::dial::DialFault;
use crate::wall::now_ms;
use golem_clade::kin::{KinArrival, KinEnvelope, KinLetter, KinLimits, KinWord};
use golem_core::{GolemId, Timestamp};
use golem_life::Ask;
use golem_runtime::{Inbox, MAX_WAITING};
use styx_wire::limits::BATCH;
use styx_wire::reader::{ReadFault, TakenDelta};
use styx_wire::{DeltaFault, DeltaKind, GolemFrame, HeadsReport, ReaderNotice, RelayFrame, SignedDelta, SignedPulse};

/// Orders of others that always find room in an inbox.
const ROOM_FOR_OWNER: u64 = 256;
/// Siblings that are listened to.
const MOST_SIBLINGS: usize = 4_096;
/// Deltas of origins that nobody has certified yet which wait for a certificate.
const MOST_UNKNOWN: usize = 256;
/// Positions by which the relay is told at once how far it was read; it waits for that before it has sent four times as many.
const MANY: u64 = BATCH as u64;

impl Crossing {
    /// What comes by itself.
    pub(crate) async fn heed(&mut self, frame: RelayFrame) -> Result<(), DialFault> {
        match frame {
            RelayFrame::Deltas { deltas, upto } => {
                for logged in deltas {
                    self.take(logged.delta)?;
                }
                self.reached = self.reached.max(upto);
                self.state.reader.shown(upto);
                self.taken();
                self.land()?;
                self.say_took(MANY).await
            }
            RelayFrame::Urgent(logged) => {
                self.take(logged.delta)?;
                self.land()
            }
            RelayFrame::Pulse(pulse) => self.pulsed(&pulse),
            RelayFrame::Expired { .. } => {
                self.state.reader.beginning_expired();
                // What is gone from the log may be in an archive.
                self.state.bootstrapped = false;
                self.keep(&[])
            }
            RelayFrame::Refuse(why) => Err(DialFault::Refused(why)),
            _ => Err(DialFault::Confused),
        }
    }

    /// Everything that was shown is taken, unless something waits to be known by whom it is. The next that is kept keeps that too.
    fn taken(&mut self) {
        let before = self.state.cursor.filter(|(log, _)| *log == self.log).map_or(0, |(_, at)| at);
        if self.unknown.is_empty() {
            self.state.cursor = Some((self.log, before.max(self.reached)));
        }
    }

    /// Tell the relay how far everything was taken, once that is kept, where it is so much further than it was told: it needs to know now and
    /// then, and not of each thing.
    pub(crate) async fn say_took(&mut self, further: u64) -> Result<(), DialFault> {
        let upto = self.state.cursor.map_or(0, |(_, at)| at);
        if upto < self.said_took.saturating_add(further) {
            return Ok(());
        }
        self.said_took = upto;
        self.line.say(&GolemFrame::Took { upto }).await
    }

    fn take(&mut self, delta: SignedDelta) -> Result<(), DialFault> {
        match self.state.reader.take(&delta) {
            Ok(TakenDelta::New) => self.open(&delta),
            Ok(TakenDelta::Known) => Ok(()),
            Err(ReadFault::Unknown) => {
                if self.unknown.len() < MOST_UNKNOWN {
                    self.unknown.push(delta);
                }
                Ok(())
            }
            Err(ReadFault::Delta(DeltaFault::Forked)) => {
                let notice = ReaderNotice::Split { origin: delta.head.origin, seq: delta.head.seq };
                self.noticed(&[notice])
            }
            Err(ReadFault::Delta(why)) => self.notice(&format!("the relay shows something that cannot be: {why}")),
        }
    }

    fn open(&mut self, delta: &SignedDelta) -> Result<(), DialFault> {
        let head = &delta.head;
        if head.origin == self.passenger.certificate.words.origin {
            return Ok(());
        }
        let Some(speaker) = self.state.golem_of(head.origin) else { return Ok(()) };
        if head.kind == DeltaKind::Death {
            // Its grave is dug after its last word.
            self.mourned.insert(head.origin);
        }
        let Some(clear) = self.passenger.group.open(&delta.payload.0) else {
            return self.notice(&format!("what {speaker} said is sealed to others"));
        };
        if head.kind == DeltaKind::Heads {
            let Ok(report) = postcard::from_bytes::<HeadsReport>(&clear) else { return Ok(()) };
            let split = self.state.reader.compared(&report);
            return self.noticed(&split);
        }
        match KinEnvelope::read(&clear, head.kind, speaker) {
            Ok(envelope) => {
                let letter = envelope.for_reader(&self.passenger.reader);
                if let Some(arrival) = self.arrival(speaker, letter, &format!("kin/{}/{}", head.origin, head.seq)) {
                    self.state.queue.came(arrival, &KinLimits::default());
                }
                Ok(())
            }
            Err(why) => self.notice(&format!("what {speaker} said is not taken: {why}")),
        }
    }

    /// What the golem is asked. A cry is a letter between golems of one fleet, and has the name that the courier gives it.
    fn arrival(&self, source: GolemId, letter: KinLetter, key: &str) -> Option<KinArrival> {
        let (urgent, confidence_bp, field) =
            (letter.word.is_urgent(), letter.word.confidence_bp(), letter.word.field());
        let (key, ask) = match letter.word {
            KinWord::Cry { name, text, died, letter: own } => {
                if !self.passenger.hears {
                    return None;
                }
                (format!("{source}/{own}"), Ask::Peer { from: name, text, died, at: letter.at })
            }
            _ => (key.to_owned(), Ask::Kin { from: source, at: letter.at, letter: letter.text() }),
        };
        let body = serde_json::to_string(&ask).ok()?;
        Some(KinArrival { key, source, urgent, confidence_bp, field, body })
    }

    /// Hand to the golem what it may be handed now, and keep what was taken.
    pub(crate) fn land(&mut self) -> Result<(), DialFault> {
        if self.state.queue.waiting() > 0 && !self.passenger.signs.living().is_some_and(|signs| signs.dead) {
            let failed = |e: golem_runtime::Error| DialFault::File(e.to_string());
            let mut inbox = Inbox::open(&self.passenger.dir).map_err(failed)?;
            let room = MAX_WAITING.saturating_sub(inbox.waiting().map_err(failed)?).saturating_sub(ROOM_FOR_OWNER);
            let limits = KinLimits::default();
            let per_hour = limits.per_hour.min(usize::try_from(room).unwrap_or(usize::MAX));
            let now = Timestamp(i64::try_from(now_ms() / 1_000).unwrap_or(i64::MAX));
            for arrival in self.state.queue.take(now_ms(), &KinLimits { per_hour, ..limits }) {
                let Ok(ask) = serde_json::from_str::<Ask>(&arrival.body) else { continue };
                match inbox.put(&arrival.key, &ask, now) {
                    // Carried by another way in other words, or too long: nothing that a second try would help.
                    Ok(_) | Err(golem_runtime::Error::BadOrder { .. }) => {}
                    Err(e) => return Err(failed(e)),
                }
            }
        }
        self.keep(&[])
    }

    /// Ask who the siblings are, and take what waited for a certificate.
    pub(crate) async fn meet(&mut self) -> Result<(), DialFault> {
        let (mut from, now_s) = (0, now_ms() / 1_000);
        let mut found = Vec::new();
        loop {
            let RelayFrame::Siblings { siblings, more } = self.ask(&GolemFrame::Siblings { from }).await? else {
                return Err(DialFault::Confused);
            };
            from = from.saturating_add(u32::try_from(siblings.len()).unwrap_or(u32::MAX));
            let last = siblings.is_empty() || !more;
            found.extend(siblings);
            // A relay that never comes to an end has as many siblings as an owner may have.
            if last || found.len() >= MOST_SIBLINGS {
                break;
            }
        }
        for (certificate, pulse) in found {
            if self.state.reader.certified(&certificate, now_s, KEPT_S).is_err() {
                continue;
            }
            if certificate.words.origin == self.passenger.certificate.words.origin {
                continue;
            }
            self.met(crate::file::KnownSibling { certificate, pulse: None, heard_ms: 0 });
            if let Some(pulse) = pulse {
                self.pulsed(&pulse)?;
            }
        }
        for delta in std::mem::take(&mut self.unknown) {
            self.take(delta)?;
        }
        if !std::mem::take(&mut self.unknown).is_empty() {
            self.notice("the relay shows words of golems that this owner never certified")?;
        }
        self.taken();
        self.land()?;
        self.say_took(MANY).await
    }

    fn met(&mut self, sibling: crate::file::KnownSibling) {
        let origin = sibling.certificate.words.origin;
        match self.state.siblings.iter_mut().find(|s| s.certificate.words.origin == origin) {
            Some(known) => known.certificate = sibling.certificate,
            None => self.state.siblings.push(sibling),
        }
    }

    fn pulsed(&mut self, pulse: &SignedPulse) -> Result<(), DialFault> {
        let split = self.state.reader.pulsed(pulse);
        let origin = pulse.words.origin;
        if let Some(known) = self.state.siblings.iter_mut().find(|s| s.certificate.words.origin == origin) {
            let newer = known.pulse.as_ref().is_none_or(|last| last.words.count < pulse.words.count);
            if newer && pulse.stands() {
                known.pulse = Some(pulse.clone());
                known.heard_ms = now_ms();
            }
        }
        self.noticed(&split)
    }

    /// What is missing now and was missing at the last look is told to the owner, once.
    pub(crate) fn look_for_gaps(&mut self) -> Result<(), DialFault> {
        let missing = self.state.reader.missing();
        let still: Vec<ReaderNotice> =
            missing.iter().filter(|m| self.missing.contains(m) && !self.lamented.contains(m)).copied().collect();
        self.missing = missing;
        self.lamented.extend(still.iter().copied());
        self.noticed(&still)
    }

    pub(crate) fn noticed(&mut self, notices: &[ReaderNotice]) -> Result<(), DialFault> {
        for notice in notices {
            let whose = |origin| match self.state.golem_of(origin) {
                Some(golem) => golem.to_string(),
                None => format!("{origin}"),
            };
            let text = match *notice {
                ReaderNotice::NewLog => "the relay came back with another store: everything is told again".to_owned(),
                ReaderNotice::Rewound { was, now } => {
                    format!("the relay goes back: its log ended at {was}, and ends at {now} now")
                }
                ReaderNotice::Withheld { origin, from, upto } => {
                    format!("the relay does not show what {} said ({from} to {upto})", whose(origin))
                }
                ReaderNotice::Split { origin, seq } => {
                    format!("two different words of {} have the number {seq}: it or the relay lies", whose(origin))
                }
            };
            self.notice(&text)?;
        }
        Ok(())
    }
}

/// How long certificates vouch for what was signed before they were over, in seconds: as long as the relay keeps that.
const KEPT_S: u64 = 7 * 86_400;
