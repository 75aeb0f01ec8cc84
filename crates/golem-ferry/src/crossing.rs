//! One line to a relay, from hello to farewell.

use crate::dial::{DialFault, PATIENCE, RelayLine};
use crate::file::{FerryFault, FerryFile, FerryState};
use crate::passenger::FerryPassenger;
use crate::purses::Purses;
use crate::wall::now_ms;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};
use styx_wire::{
    ChainHead, Challenge, DeltaKind, FieldWord, GolemFrame, Hello, LogId, OriginKey, OwnerCertificate,
    PheromoneDeposit, PulseWords, ReaderNotice, RelayFrame, ScentKey, SignedDelta, SignedPulse, Welcome,
};
use tokio::sync::watch;

/// How often the golem's outbox is looked into.
const LOOK: Duration = Duration::from_millis(250);
/// Pulses between two reports of how far it has read whom.
const HEADS_EVERY: u64 = 10;
/// Deltas by which a relay may know more of a golem than its own file does.
const MOST_AHEAD: u64 = 1_000_000;
/// Different notices of one line that are told: a relay that lies all the time is one piece of news.
const MOST_NOTICES: usize = 64;
/// Siblings in one report.
const MOST_HEADS: usize = 96;

/// Scents that a golem knows, with how often each was confirmed then. What has faded is news when it comes back.
type KnownScents = BTreeMap<ScentKey, u8>;

/// Two that were one speak with one key.
pub(crate) const COPIED: &str =
    "a copy of this golem speaks with its key: run one of them, and remove the other's folder";

/// Say who it is; what the relay says then.
pub(crate) async fn enter(
    line: &mut RelayLine,
    passenger: &FerryPassenger,
    certificate: OwnerCertificate,
) -> Result<Welcome, DialFault> {
    let challenge: Challenge = match line.hear_soon().await? {
        RelayFrame::Challenge(challenge) => challenge,
        RelayFrame::Refuse(why) => return Err(DialFault::Refused(why)),
        _ => return Err(DialFault::Confused),
    };
    let hello = Hello::answer(&passenger.key, certificate, &challenge, passenger.relay.host());
    line.say(&GolemFrame::Hello(Box::new(hello))).await?;
    match line.hear_soon().await? {
        RelayFrame::Welcome(welcome) => Ok(welcome),
        RelayFrame::Refuse(why) => Err(DialFault::Refused(why)),
        _ => Err(DialFault::Confused),
    }
}

/// Until somebody says stop, or is gone.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _said_or_gone = stop.wait_for(|stop| *stop).await;
}

/// A golem on its way.
pub(crate) struct Crossing {
    pub(crate) line: RelayLine,
    pub(crate) passenger: FerryPassenger,
    pub(crate) file: FerryFile,
    pub(crate) state: FerryState,
    pub(crate) log: LogId,
    /// Everything up to here was shown.
    pub(crate) reached: u64,
    /// Everything up to here was told to be taken.
    pub(crate) said_took: u64,
    /// How far the relay knows the golem's own chain.
    pub(crate) known: ChainHead,
    /// What waited was signed again on this line.
    pub(crate) signed_again: bool,
    /// Deltas of who is not certified yet.
    pub(crate) unknown: Vec<SignedDelta>,
    /// Before this nothing is pushed: the relay said so.
    pub(crate) pushing_from_ms: u64,
    pub(crate) purses: Purses,
    /// The relay did not take something, which is told again.
    pub(crate) refused_once: bool,
    /// Marks that go with what was told; who leaves them is known to nobody, and who loses some loses little.
    pub(crate) scents: Vec<PheromoneDeposit>,
    /// Its grave is dug: nothing more is said.
    pub(crate) buried: bool,
    /// Siblings whose death was told on this line and whose graves were not seen yet.
    pub(crate) mourned: BTreeSet<OriginKey>,
    /// What it has smelt.
    pub(crate) smelt: KnownScents,
    /// Something in the outbox waits for a budget.
    pub(crate) held_back: bool,
    /// The golem has written in the middle of an exchange.
    stirred: bool,
    /// The golem's file as it was at the last look.
    looked_at: Option<(SystemTime, u64)>,
    pub(crate) missing: Vec<ReaderNotice>,
    pub(crate) lamented: BTreeSet<ReaderNotice>,
    said_before: BTreeSet<String>,
    pub(crate) told: Box<dyn Fn(&str) + Send>,
}

/// What outlives a line.
pub(crate) struct Ashore {
    pub(crate) passenger: FerryPassenger,
    pub(crate) file: FerryFile,
    pub(crate) state: FerryState,
    pub(crate) told: Box<dyn Fn(&str) + Send>,
}

impl Crossing {
    /// Dial, say hello, meet the siblings, and follow the log.
    pub(crate) async fn begin(ashore: Ashore) -> Result<Self, Box<(Ashore, DialFault)>> {
        let mut line = match RelayLine::dial(&ashore.passenger.relay).await {
            Ok(line) => line,
            Err(why) => return Err(Box::new((ashore, why))),
        };
        let welcome = match enter(&mut line, &ashore.passenger, ashore.passenger.certificate).await {
            Ok(welcome) => welcome,
            Err(why) => return Err(Box::new((ashore, why))),
        };
        let kept = Purses::of(&ashore.file).and_then(|purses| Ok((purses, ashore.file.grave()?.is_some())));
        let (purses, buried) = match kept {
            Ok(kept) => kept,
            Err(why) => return Err(Box::new((ashore, DialFault::File(why.to_string())))),
        };
        let Ashore { passenger, file, state, told } = ashore;
        let passenger_words = passenger.certificate.words;
        let mut crossing = Self {
            line,
            passenger,
            file,
            state,
            log: welcome.log,
            reached: 0,
            said_took: 0,
            known: ChainHead::root(passenger_words.owner, passenger_words.origin),
            signed_again: false,
            unknown: Vec::new(),
            pushing_from_ms: 0,
            purses,
            refused_once: false,
            scents: Vec::new(),
            buried,
            mourned: BTreeSet::new(),
            smelt: KnownScents::new(),
            held_back: false,
            stirred: false,
            looked_at: None,
            missing: Vec::new(),
            lamented: BTreeSet::new(),
            said_before: BTreeSet::new(),
            told,
        };
        match crossing.welcomed(&welcome).await {
            Ok(()) => Ok(crossing),
            Err(why) => Err(Box::new((crossing.ashore(), why))),
        }
    }

    pub(crate) fn ashore(self) -> Ashore {
        Ashore { passenger: self.passenger, file: self.file, state: self.state, told: self.told }
    }

    async fn welcomed(&mut self, welcome: &Welcome) -> Result<(), DialFault> {
        let notice = self.state.reader.welcomed(welcome.log, welcome.head);
        self.noticed(notice.as_slice())?;
        self.state.reader.close(welcome.least_epoch);
        self.chain_is_known(welcome.chain.unwrap_or(self.known))?;
        self.state.met_ms = Some(now_ms());
        let after = self.state.cursor.filter(|(log, _)| *log == welcome.log).map_or(0, |(_, at)| at);
        self.state.cursor = Some((welcome.log, after));
        (self.reached, self.said_took) = (after, after);
        self.keep(&[])?;
        self.meet().await?;
        self.line.say(&GolemFrame::Follow { after }).await?;
        self.said_took = welcome.cursor.min(after);
        Ok(())
    }

    /// Hold what the relay knows of the golem's own chain against its file.
    fn chain_is_known(&mut self, known: ChainHead) -> Result<(), DialFault> {
        let (head, file) = (self.state.head, |e: FerryFault| DialFault::File(e.to_string()));
        // Numbers that a life cannot come to are a lie that would end the chain.
        if known.seq > head.seq.saturating_add(MOST_AHEAD) {
            self.notice("the relay says of this golem what cannot be: it is not spoken to")?;
            return Err(DialFault::Confused);
        }
        self.known = known;
        // The relay knows more of this golem than its own file does: that file is an older copy, and says so.
        if known.seq > head.seq {
            self.state.head = known;
            self.state.anew = true;
            return self.notice(
                "its file is older than what the relay knows of it, or a copy of it speaks elsewhere: siblings see a gap",
            );
        }
        let own = if known.seq == head.seq { Some(head.id) } else { self.file.id_at(known.seq).map_err(file)? };
        if known.seq > 0 && own.is_some_and(|own| own != known.id) {
            return self.notice(COPIED);
        }
        self.file.known_upto(known.seq).map_err(file)
    }

    /// Carry until the line breaks, or until it is told to stop and everything that was said by then is kept.
    pub(crate) async fn carry(&mut self, stop: &mut watch::Receiver<bool>) -> Result<(), DialFault> {
        self.pulse().await?;
        if !self.state.bootstrapped {
            self.bootstrap().await?;
        }
        self.look_around(true).await?;
        let (mut look, mut pulse) = (tokio::time::interval(LOOK), tokio::time::interval(self.passenger.pulse_every));
        pulse.reset();
        loop {
            tokio::select! {
                frame = self.line.hear() => self.heed(frame?).await?,
                _ = look.tick() => self.exchange().await?,
                _ = pulse.tick() => {
                    self.pulse().await?;
                    self.look_around(false).await?;
                }
                () = stopped(stop) => return self.farewell().await,
            }
            if !self.unknown.is_empty() {
                self.meet().await?;
            }
        }
    }

    /// What of its siblings is not in the log: their graves, and the marks that they left.
    pub(crate) async fn look_around(&mut self, first: bool) -> Result<(), DialFault> {
        if first || !self.mourned.is_empty() {
            self.visit_graves().await?;
        }
        self.smell().await
    }

    /// What the golem has said goes out, what waits for it is handed on, and what it knows is backed up when that is due.
    async fn exchange(&mut self) -> Result<(), DialFault> {
        let moved = self.has_moved() | std::mem::take(&mut self.stirred);
        let says = moved || self.held_back || self.refused_once;
        let dead = says && self.is_dead();
        if says {
            self.tell_all().await?;
        }
        if self.state.queue.waiting() > 0 {
            self.land()?;
        }
        if !self.state.bootstrapped {
            self.bootstrap().await?;
        }
        if moved {
            self.back_up_if_due().await?;
        }
        if dead {
            self.bury_if_dead().await?;
        }
        Ok(())
    }

    /// Whether its death is on record. Asked before its outbox is looked at: then its last word is in there, and comes before its grave.
    fn is_dead(&self) -> bool {
        self.buried || self.passenger.signs.living().is_some_and(|signs| signs.dead)
    }

    /// Between questions of which there are many: what the golem says meanwhile does not wait for the last of them.
    pub(crate) async fn meanwhile(&mut self) -> Result<(), DialFault> {
        if self.has_moved() {
            self.stirred = true;
            while self.push().await? || self.embark()? > 0 {}
        }
        Ok(())
    }

    /// Whether the golem has written since the last look: who rests costs nothing.
    fn has_moved(&mut self) -> bool {
        let log = std::fs::metadata(self.passenger.dir.join("golem.db-wal"));
        let now = log.and_then(|log| Ok((log.modified()?, log.len()))).ok();
        now.is_none() || std::mem::replace(&mut self.looked_at, now) != now
    }

    async fn tell_all(&mut self) -> Result<(), DialFault> {
        while self.push().await? || self.embark()? > 0 {}
        self.leave_scents().await
    }

    /// The last exchange: everything that was said, and everything that is there already.
    pub(crate) async fn farewell(&mut self) -> Result<(), DialFault> {
        let dead = self.is_dead();
        self.tell_all().await?;
        self.back_up_if_due().await?;
        if std::mem::take(&mut self.stirred) {
            self.tell_all().await?;
        }
        if dead {
            self.bury_if_dead().await?;
        }
        self.pulse().await
    }

    /// Hear everything that the relay has for the golem; over once nothing has come for so long.
    pub(crate) async fn drain(&mut self, quiet: Duration) -> Result<(), DialFault> {
        loop {
            if !self.unknown.is_empty() {
                self.meet().await?;
            }
            match tokio::time::timeout(quiet, self.line.hear()).await {
                Ok(frame) => self.heed(frame?).await?,
                Err(_) => return self.say_took(1).await,
            }
        }
    }

    async fn pulse(&mut self) -> Result<(), DialFault> {
        // Where the golem goes on is in its own file: the relay needs this for its window alone, and a word for each thing that is read
        // costs as much as telling it.
        self.say_took(1).await?;
        let Some(signs) = self.passenger.signs.living() else { return Ok(()) };
        let Ok(phase) = signs.phase.parse::<FieldWord>() else { return Ok(()) };
        self.state.pulses = self.state.pulses.saturating_add(1);
        if !self.buried && self.state.pulses.is_multiple_of(HEADS_EVERY) && self.purses.may(false) {
            let mut heads = self.state.reader.heads();
            heads.0.truncate(MOST_HEADS);
            let clear = golem_core::plain::bytes(&heads);
            let made: Vec<SignedDelta> = self.seal(DeltaKind::Heads, signs.at, &clear)?.into_iter().collect();
            self.keep(&made)?;
        }
        let words = PulseWords {
            owner: self.passenger.certificate.words.owner,
            origin: self.passenger.certificate.words.origin,
            count: self.state.pulses,
            tick: signs.tick.0,
            at: signs.at,
            phase,
            vitality: signs.vitality.min(1_000),
            terms: signs.terms,
            dreaming: signs.dreaming,
            chain: self.state.head,
        };
        self.keep(&[])?;
        let pulse = SignedPulse::of(&self.passenger.key, words);
        match self.ask(&GolemFrame::Pulse(pulse)).await? {
            RelayFrame::Done | RelayFrame::Refuse(_) => {}
            _ => return Err(DialFault::Confused),
        }
        self.look_for_gaps()
    }

    /// Ask something; what comes by itself meanwhile is heeded.
    pub(crate) async fn ask(&mut self, frame: &GolemFrame) -> Result<RelayFrame, DialFault> {
        self.line.say(frame).await?;
        self.answer().await
    }

    pub(crate) async fn answer(&mut self) -> Result<RelayFrame, DialFault> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let heard = tokio::time::timeout_at(deadline, self.line.hear()).await.map_err(|_| DialFault::Silent)??;
            match heard {
                frame @ (RelayFrame::Deltas { .. }
                | RelayFrame::Urgent(_)
                | RelayFrame::Pulse(_)
                | RelayFrame::Expired { .. }) => self.heed(frame).await?,
                other => return Ok(other),
            }
        }
    }

    pub(crate) fn keep(&mut self, made: &[SignedDelta]) -> Result<(), DialFault> {
        self.file.keep(&self.state, made, now_ms()).map_err(|e| DialFault::File(e.to_string()))
    }

    pub(crate) fn notice(&mut self, text: &str) -> Result<(), DialFault> {
        if self.said_before.len() >= MOST_NOTICES || !self.said_before.insert(text.to_owned()) {
            return Ok(());
        }
        (self.told)(text);
        self.file.notice(text, now_ms()).map_err(|e| DialFault::File(e.to_string()))
    }
}
