//! One golem at its socket: challenge, hello, and then whatever it says and whatever its siblings told.

use crate::counts::RelayCounts;
use crate::desk::{AdmittedGolem, DeskFault, RelayDesk};
use crate::hub::{self, GolemArrival, HubNews, HubSeat};
use crate::relay::Relay;
use crate::store::CursorMove;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use golem_core::{Hash, OwnerId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use styx_wire::frame::{decode, encode};
use styx_wire::limits::BATCH;
use styx_wire::{Challenge, GolemFrame, OriginKey, RateBucket, RefuseReason, RelayFrame};
use tokio::time::{Instant, sleep_until, timeout};
use tungstenite::error::ProtocolError;

mod ask;
mod push;

/// What a question that is answered from many rows costs, in frames.
const QUESTION: u64 = 8;

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// The other side went, or cannot be reached.
    Gone,
    /// It did not take what was sent.
    Slow,
    /// It was told to go.
    Refused(RefuseReason),
}

/// The socket with its patience.
struct GolemLine {
    socket: WebSocket,
    patience: Duration,
}

impl GolemLine {
    async fn send(&mut self, frame: &RelayFrame) -> Result<(), Over> {
        self.pass(encode(frame).into()).await
    }

    async fn pass(&mut self, bytes: Bytes) -> Result<(), Over> {
        match timeout(self.patience, self.socket.send(Message::Binary(bytes))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Over::Gone),
            Err(_) => Err(Over::Slow),
        }
    }

    /// The next whole frame of data.
    async fn next(&mut self) -> Result<Vec<u8>, Over> {
        loop {
            match self.socket.recv().await {
                Some(Ok(Message::Binary(bytes))) => return Ok(bytes.into()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Text(_))) => return Err(Over::Refused(RefuseReason::Malformed)),
                Some(Ok(Message::Close(_))) | None => return Err(Over::Gone),
                Some(Err(fault)) => return Err(broken(fault)),
            }
        }
    }
}

/// Too long, or not of this protocol, is the other side's fault; a line that breaks is nobody's.
fn broken(fault: axum::Error) -> Over {
    match fault.into_inner().downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => Over::Refused(RefuseReason::TooLarge),
        Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Over::Gone,
        Some(tungstenite::Error::Protocol(_) | tungstenite::Error::Utf8(_)) => Over::Refused(RefuseReason::Malformed),
        Some(_) | None => Over::Gone,
    }
}

/// How long what is in the log waits for more of it: many things are one frame and one cursor. What is urgent has gone ahead.
const GATHER: Duration = Duration::from_millis(25);

/// How far a golem is being told.
struct Following {
    sent: u64,
    took: u64,
    /// Until when it is not told more; who is behind is told at once.
    until: Option<Instant>,
    flowing: bool,
}

/// What a session waits for before it sends more of the log. It follows from one look at how far that goes: by a second one it might go further,
/// and nobody would wait for anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoreOfLog {
    /// Nobody follows.
    Never,
    /// For nothing.
    Now,
    /// For more of it until then.
    At(Instant),
    /// For the other side to take what was sent.
    Taken,
    /// For the log to grow.
    Grown,
}

/// What an urgent delta is to whoever follows the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// The log has brought it.
    Known,
    /// The next of the log.
    Next,
    /// Further on: the log will bring it again.
    Ahead,
}

impl Following {
    fn after(position: u64) -> Self {
        Self { sent: position, took: position, until: None, flowing: true }
    }

    /// When more of the log is due, which ends at this position.
    fn more(&mut self, head: u64, window: u64) -> MoreOfLog {
        if self.sent >= head {
            (self.flowing, self.until) = (false, None);
            MoreOfLog::Grown
        } else if !self.flowing {
            MoreOfLog::At(*self.until.get_or_insert_with(|| Instant::now() + GATHER))
        } else if self.sent.saturating_sub(self.took) < window {
            MoreOfLog::Now
        } else {
            MoreOfLog::Taken
        }
    }

    /// What an urgent delta is to it; from then on the next one was sent.
    fn goes_on_with(&mut self, position: u64, window: u64) -> NextStep {
        if position <= self.sent {
            NextStep::Known
        } else if self.sent + 1 == position && self.sent.saturating_sub(self.took) < window {
            self.sent = position;
            NextStep::Next
        } else {
            NextStep::Ahead
        }
    }

    /// Time has passed: true when it had waited, and is told more now.
    fn flows(&mut self) -> bool {
        let waited = self.until.is_some_and(|until| until <= Instant::now());
        if waited {
            (self.flowing, self.until) = (true, None);
        }
        waited
    }
}

/// Somebody who was let in.
struct Session {
    relay: Arc<Relay>,
    owner: OwnerId,
    origin: OriginKey,
    epoch: u64,
    expires_s: u64,
    seat: HubSeat,
    following: Option<Following>,
    frames: RateBucket,
    bytes: RateBucket,
    /// How far its own chain goes: what was kept before is not paid again.
    chain_seq: u64,
    /// The last pulse that was news.
    pulse_count: u64,
    /// What was asked for of an offer.
    wanted: BTreeSet<Hash>,
}

/// Serve a socket until it is over. Whether it came to nothing by its own fault.
pub(crate) async fn run(socket: WebSocket, relay: Arc<Relay>) -> bool {
    let patience = Duration::from_millis(relay.desk.limits.send_ms);
    let mut line = GolemLine { socket, patience };
    let over = match Box::pin(entered(&mut line, &relay)).await {
        Ok(session) => {
            RelayCounts::one(&relay.counts.connections);
            let over = session.go_on(&mut line).await;
            RelayCounts::less(&relay.counts.connections);
            over
        }
        Err(over) => {
            RelayCounts::one(&relay.counts.turned_away);
            over
        }
    };
    match over {
        Over::Slow => RelayCounts::one(&relay.counts.slow),
        Over::Refused(reason) => {
            let _not_heard = Box::pin(line.send(&RelayFrame::Refuse(reason))).await;
            let _not_heard = timeout(Duration::from_secs(1), line.socket.send(Message::Close(None))).await;
        }
        Over::Gone => {}
    }
    match over {
        Over::Refused(reason) => matches!(
            reason,
            RefuseReason::NotAdmitted
                | RefuseReason::Malformed
                | RefuseReason::TooLarge
                | RefuseReason::Version
                | RefuseReason::OverQuota { .. }
        ),
        Over::Gone | Over::Slow => false,
    }
}

async fn entered(line: &mut GolemLine, relay: &Arc<Relay>) -> Result<Session, Over> {
    let limits = relay.desk.limits;
    let Ok(stranger) = relay.strangers.try_acquire() else {
        return Err(Over::Refused(RefuseReason::Full));
    };
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(|_| Over::Refused(RefuseReason::Unavailable))?;
    let challenge = Challenge { log: relay.desk.store.identity().log, nonce: Hash(nonce) };
    line.send(&RelayFrame::Challenge(challenge)).await?;
    let said = timeout(Duration::from_millis(limits.hello_ms), line.next()).await;
    let said = said.map_err(|_| Over::Refused(RefuseReason::NotAdmitted))??;
    RelayCounts::one(&relay.counts.frames);
    let hello = match decode::<GolemFrame>(&said) {
        Ok(GolemFrame::Hello(hello)) => hello,
        Ok(_) => return Err(Over::Refused(RefuseReason::Malformed)),
        Err(fault) => {
            RelayCounts::one(&relay.counts.malformed);
            return Err(Over::Refused(fault.reason()));
        }
    };
    if !relay.is_named(&hello.dialled) {
        return Err(Over::Refused(RefuseReason::NotAdmitted));
    }
    let now_ms = relay.desk.now_ms();
    // Those who are here already do not wait for all who would like to be.
    let _door = relay.entering.acquire().await.map_err(|_| Over::Refused(RefuseReason::Stopping))?;
    let admitting = relay.at_desk(move |desk| {
        let (AdmittedGolem { certificate, welcome, .. }, certified) = desk.examine(&hello, &challenge)?;
        let (owner, origin) = (certificate.words.owner, certificate.words.origin);
        let recent = desk.store.recent(owner, origin, now_ms.saturating_sub(3_600_000))?;
        let bytes = desk.bounds(owner)?.bytes;
        let (epoch, least_epoch) = (certificate.words.epoch, welcome.least_epoch);
        let arrival = GolemArrival { owner, origin, epoch, least_epoch, head: welcome.head, bytes, recent, now_ms };
        Ok((welcome, arrival, certificate.words.expires_s, desk.last_pulse(owner, origin)?, certified))
    });
    let (welcome, arrival, expires_s, pulse_count, certified) =
        admitting.await.map_err(|fault| Over::Refused(fault.reason()))?;
    drop(stranger);
    let seat = relay.hubs.enter(arrival, &limits).ok_or(Over::Refused(RefuseReason::Full))?;
    // Kept with the next that is written, and so before anything that it tells.
    if let Some(row) = certified {
        relay.writer.put(row).await;
    }
    RelayCounts::one(&relay.counts.admitted);
    line.send(&RelayFrame::Welcome(welcome)).await?;
    Ok(Session {
        relay: Arc::clone(relay),
        owner: arrival.owner,
        origin: arrival.origin,
        epoch: arrival.epoch,
        expires_s,
        seat,
        following: None,
        frames: RateBucket::full(limits.frames, now_ms),
        bytes: RateBucket::full(limits.bytes, now_ms),
        chain_seq: welcome.chain.map_or(0, |chain| chain.seq),
        pulse_count,
        wanted: BTreeSet::new(),
    })
}

impl Session {
    async fn go_on(mut self, line: &mut GolemLine) -> Over {
        match self.serve(line).await {
            Ok(never) => never,
            Err(over) => over,
        }
    }

    async fn serve(&mut self, line: &mut GolemLine) -> Result<Over, Over> {
        let silence = Duration::from_millis(self.relay.desk.limits.silence_ms);
        let mut heard = Instant::now();
        let leave = Arc::clone(&self.seat.leave);
        // One of each for the whole of it: what is made anew in each round takes a place in lists that all sessions share.
        let (mut left, mut alarm) = (std::pin::pin!(leave.notified()), std::pin::pin!(sleep_until(heard + silence)));
        loop {
            // More of the log, while there is more and the other side has taken enough of it.
            let more = self.more_of_log();
            if let MoreOfLog::At(until) = more
                && until < alarm.deadline()
            {
                alarm.as_mut().reset(until);
            }
            tokio::select! {
                biased;
                () = left.as_mut() => {
                    return Err(Over::Refused(match self.relay.is_stopping() {
                        true => RefuseReason::Stopping,
                        false if !self.seat.hub.is_open(self.epoch) => RefuseReason::NotAdmitted,
                        false => RefuseReason::Replaced,
                    }));
                }
                Some(news) = self.seat.news.recv() => {
                    Box::pin(self.bring(line, &news)).await?;
                    // First everybody hears what is urgent: whatever else is to be done is for later.
                    tokio::task::yield_now().await;
                }
                () = alarm.as_mut() => {
                    let flows = self.following.as_mut().is_some_and(Following::flows);
                    if !flows && heard + silence <= Instant::now() {
                        RelayCounts::one(&self.relay.counts.silent);
                        return Err(Over::Gone);
                    }
                    alarm.as_mut().reset(heard + silence);
                }
                said = line.next() => {
                    heard = Instant::now();
                    // What is rare is kept beside: thousands of golems are idle, and each has room for this in hand.
                    Box::pin(self.hear(line, &said?)).await?;
                }
                () = std::future::ready(()), if more == MoreOfLog::Now => Box::pin(self.send_more(line)).await?,
                changed = self.seat.head.changed(), if more == MoreOfLog::Grown => {
                    if changed.is_err() {
                        return Err(Over::Gone);
                    }
                }
            }
        }
    }

    fn more_of_log(&mut self) -> MoreOfLog {
        // It has looked: what it knows of the log's end does not wake it again, and what it does not know does.
        let (window, head) = (self.relay.desk.limits.window as u64, self.seat.looks());
        self.following.as_mut().map_or(MoreOfLog::Never, |following| following.more(head, window))
    }

    /// What does not wait. Whoever has been told everything before it hears it as the next part of the log, and not again.
    async fn bring(&mut self, line: &mut GolemLine, news: &HubNews) -> Result<(), Over> {
        let window = self.relay.desk.limits.window as u64;
        if let Some(next) = &news.next {
            let step = self.following.as_mut().map(|following| following.goes_on_with(next.position, window));
            if step == Some(NextStep::Known) {
                return Ok(());
            }
            RelayCounts::one(&self.relay.counts.urgent);
            if step == Some(NextStep::Next) {
                return line.pass(next.frame.clone()).await;
            }
        }
        line.pass(news.frame.clone()).await
    }

    /// The next part of the log, without what this golem told itself.
    async fn send_more(&mut self, line: &mut GolemLine) -> Result<(), Over> {
        let Some(following) = &mut self.following else { return Ok(()) };
        let (owner, after) = (self.owner, following.sent);
        if let Some(page) = self.seat.hub.recent(after, self.origin) {
            following.sent = page.upto;
            RelayCounts::add(&self.relay.counts.sent, page.deltas);
            return line.pass(page.frame).await;
        }
        let found = self.relay.at_desk(move |desk| Ok(desk.page(owner, after, BATCH)?)).await;
        let found = found.map_err(|_| Over::Refused(RefuseReason::Unavailable))?;
        let oldest = found.first().map(|first| first.position);
        let Some((oldest, page)) = oldest.zip(hub::page(found, after, 0, self.origin)) else {
            // What is missing has expired, up to its end.
            following.sent = *self.seat.head.borrow();
            return line.send(&RelayFrame::Expired { oldest: following.sent + 1 }).await;
        };
        following.sent = page.upto;
        RelayCounts::add(&self.relay.counts.sent, page.deltas);
        if oldest > after + 1 {
            line.send(&RelayFrame::Expired { oldest }).await?;
        }
        line.pass(page.frame).await
    }

    async fn hear(&mut self, line: &mut GolemLine, said: &[u8]) -> Result<(), Over> {
        let limits = self.relay.desk.limits;
        let now_ms = self.relay.desk.now_ms();
        RelayCounts::one(&self.relay.counts.frames);
        // Who was let in once is not let in for ever.
        if self.expires_s <= now_ms / 1_000 || !self.seat.hub.is_open(self.epoch) {
            return Err(Over::Refused(RefuseReason::NotAdmitted));
        }
        let paid = self
            .frames
            .take(limits.frames, 1, now_ms)
            .and_then(|()| self.bytes.take(limits.bytes, said.len() as u64, now_ms));
        if let Err(wait_ms) = paid {
            RelayCounts::one(&self.relay.counts.over_quota);
            return Err(Over::Refused(over_quota(wait_ms)));
        }
        let frame = decode::<GolemFrame>(said).map_err(|fault| {
            RelayCounts::one(&self.relay.counts.malformed);
            Over::Refused(fault.reason())
        })?;
        let more = match &frame {
            GolemFrame::Push(deltas) => (deltas.len() as u64).saturating_sub(1),
            GolemFrame::Follow { .. }
            | GolemFrame::Took { .. }
            | GolemFrame::Pulse(_)
            | GolemFrame::Deposit(_)
            | GolemFrame::Chunk(_)
            | GolemFrame::Fetch { .. } => 0,
            _ => QUESTION - 1,
        };
        if let Err(wait_ms) = self.frames.take(limits.frames, more, now_ms) {
            RelayCounts::one(&self.relay.counts.over_quota);
            return Err(Over::Refused(over_quota(wait_ms)));
        }
        match frame {
            GolemFrame::Push(deltas) => {
                let answer = self.push(deltas).await;
                line.send(&answer).await
            }
            GolemFrame::Follow { after } => self.follow(line, after).await,
            GolemFrame::Took { upto } => {
                if let Some(following) = &mut self.following {
                    // Nobody takes what was not sent.
                    let upto = upto.min(following.sent);
                    following.took = following.took.max(upto);
                    let moved = CursorMove { owner: self.owner, origin: self.origin, upto };
                    self.relay.writer.took(moved).await;
                }
                Ok(())
            }
            other => {
                let answer = self.ask(line, other).await?;
                line.send(&answer).await
            }
        }
    }

    async fn follow(&mut self, line: &mut GolemLine, after: u64) -> Result<(), Over> {
        let owner = self.owner;
        let bounds = self.relay.at_desk(move |desk| Ok(desk.bounds(owner)?)).await;
        let bounds = bounds.map_err(|_| Over::Refused(RefuseReason::Unavailable))?;
        self.seat.hub.reach(bounds.head);
        let after = after.min(bounds.head);
        self.following = Some(Following::after(after));
        if after + 1 < bounds.oldest {
            self.following = Some(Following::after(bounds.oldest - 1));
            return line.send(&RelayFrame::Expired { oldest: bounds.oldest }).await;
        }
        Ok(())
    }

    async fn at_desk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&RelayDesk) -> Result<T, DeskFault> + Send + 'static,
    ) -> Result<T, RefuseReason> {
        let hub = &self.seat.hub;
        let _of_its_owner = hub.desks.acquire().await.map_err(|_| RefuseReason::Unavailable)?;
        hub.desk_is_free().await;
        let timed = move |desk: &RelayDesk| {
            let begun = Instant::now();
            let done = work(desk);
            Ok((done, begun.elapsed()))
        };
        let (done, took) = self.relay.at_desk(timed).await.map_err(|fault| fault.reason())?;
        hub.desk_was_busy(took);
        done.map_err(|fault| fault.reason())
    }
}

fn over_quota(wait_ms: u64) -> RefuseReason {
    RefuseReason::OverQuota { after_s: u32::try_from(wait_ms.div_ceil(1_000)).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever was not told everything waits for a moment, for the other side or for nothing, and never for what has come already.
    #[test]
    fn who_is_behind_does_not_wait_for_the_log_to_grow() {
        let cases = (0..4_u64).flat_map(|ahead| (0..3_u64).map(move |behind| (ahead, behind)));
        for ((ahead, behind), flowing) in cases.flat_map(|case| [(case, true), (case, false)]) {
            let (took, sent, head) = (7, 7 + ahead, 7 + ahead + behind);
            let mut following = Following { took, flowing, ..Following::after(sent) };
            let more = following.more(head, 2);
            let as_it_should = match (behind, flowing, ahead < 2) {
                (0, ..) => more == MoreOfLog::Grown && following.until.is_none() && !following.flowing,
                (_, false, _) => matches!(more, MoreOfLog::At(until) if following.until == Some(until)),
                (_, true, true) => more == MoreOfLog::Now,
                (_, true, false) => more == MoreOfLog::Taken,
            };
            assert!(as_it_should, "took {took}, was sent {sent} of {head}, flowing {flowing}: {more:?}");
            assert_eq!(following.more(head, 2), more, "the same until something happens");
        }
    }
}
