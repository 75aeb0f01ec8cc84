//! The loop: one golem, one turn after the other, until it dies, is stopped, or has nothing to look at any more.
//!
//! Turns never overlap. After any error the runner is broken and must be opened again: what is in memory is never trusted
//! over what is on disk.

use crate::asked::{self, LostCall};
use crate::ballast::Ballast;
use crate::batch::Batch;
use crate::error::Error;
use crate::frame;
use crate::half::OpenTurn;
use crate::listener::Notice;
use crate::pace::Schedule;
use crate::page;
use crate::resume::resume;
use crate::snapshot::Snapshots;
use crate::starts::{CRASH_WINDOW_S, SAFE_TURNS};
use crate::store::Store;
use crate::terms::{Around, Progress, Until, WhyBack};
use golem_core::door::{KeyedHands, World};
use golem_core::fact::Envelope;
use golem_core::{Hash, Tick, Timestamp, VirtualTime};
use golem_life::{Being, LifeStanding};
use std::time::Duration;

/// A golem in its loop.
pub struct Runner<B: Being, W, H> {
    pub(crate) store: Store,
    pub(crate) being: B,
    pub(crate) world: W,
    pub(crate) hands: H,
    pub(crate) around: Around<B::Fact>,
    pub(crate) batch: Batch,
    pub(crate) chain: frame::FrameWriter,
    pub(crate) schedule: Schedule,
    pub(crate) half: Option<OpenTurn>,
    /// The being has judged the wishes of the open turn already (an effect of one is not known yet).
    pub(crate) midway: bool,
    pub(crate) heard: Vec<Envelope<B::Fact>>,
    pub(crate) age: VirtualTime,
    pub(crate) at: Timestamp,
    /// When the next letter falls due that was written later than now.
    pub(crate) held_until: Option<Timestamp>,
    pub(crate) poll_again: bool,
    pub(crate) switch_seen: bool,
    pub(crate) checkpointed: Tick,
    pub(crate) checkpointed_ms: u64,
    pub(crate) snapshots: Snapshots,
    pub(crate) committed_ms: u64,
    pub(crate) marked_ms: u64,
    pub(crate) begun_ms: u64,
    pub(crate) told_full: bool,
    safe_mode: bool,
    opened_ms: u64,
    pub(crate) insure_now: bool,
    pub(crate) page: page::KeptPage,
    pub(crate) swallowed: Vec<LostCall>,
    pub(crate) broken: bool,
    turns: u64,
}

/// Before a wait of this length everything is written.
const BREATH_MS: u64 = 20;
/// How long a live world is left alone before it is asked again what became of an effect.
const ASK_AGAIN_MS: u64 = 5_000;
/// How often a paused golem looks into its inbox.
const PAUSED_POLL: Duration = Duration::from_millis(200);

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Runner<B, W, H> {
    /// Bring a golem back to where it was. `world` must be at its beginning.
    ///
    /// # Errors
    /// When the file is damaged or this program does not relive what is recorded in it.
    pub fn open(
        mut store: Store,
        genesis: &B::Genesis,
        mut world: W,
        mut hands: H,
        mut around: Around<B::Fact>,
    ) -> Result<Self, Error> {
        let back = resume::<B, W, H>(&mut store, genesis, (&mut world, &mut hands), around.clock.now())?;
        let open = back.half.as_ref().map(|half| half.tick);
        let swallowed: Vec<LostCall> =
            asked::lost(store.conn(), store.db())?.into_iter().filter(|lost| Some(lost.tick) != open).collect();
        let now = around.clock.monotonic_ms();
        let start = store.start();
        let replayed = back.tip.tick.0 - back.checkpoint.0;
        let mut tell = |notice: Notice| {
            if let Some(listener) = &mut around.listener {
                listener.notice(&notice);
            }
        };
        let (snapshots, later) = Snapshots::of(store.dir(), back.tip.tick, now)?;
        if !later.is_empty() {
            tell(Notice::SnapshotsAside { tick: back.tip.tick, ticks: later });
        }
        if let Some(what) = back.mended {
            tell(Notice::MemoryMended { tick: back.tip.tick, what });
        }
        tell(Notice::Resumed { tick: back.tip.tick, replayed, unfit: back.unfit });
        if start.safe_mode {
            tell(Notice::SafeMode { unclean: start.unclean, backoff_ms: start.backoff_ms });
        }
        Ok(Self {
            schedule: Schedule::starting(around.options.pace, now.saturating_add(start.backoff_ms)),
            snapshots,
            chain: frame::FrameWriter::after(back.tip.head),
            batch: Batch::default(),
            being: back.being,
            half: back.half,
            midway: false,
            age: back.age,
            at: back.at,
            checkpointed: back.checkpoint,
            checkpointed_ms: now,
            committed_ms: now,
            marked_ms: now,
            begun_ms: now,
            heard: Vec::new(),
            held_until: None,
            poll_again: false,
            switch_seen: false,
            told_full: false,
            safe_mode: start.safe_mode,
            opened_ms: now,
            insure_now: false,
            page: page::KeptPage::at(store.dir().playbook()),
            swallowed,
            broken: false,
            turns: 0,
            store,
            world,
            hands,
            around,
        })
    }

    /// Run until something ends it; everything is on disk when this returns.
    ///
    /// # Errors
    /// The first error of a turn or a commit; the runner is broken after it.
    pub fn run(&mut self, until: Until) -> Result<WhyBack, Error> {
        let last = until.turns.map(|n| self.turns.saturating_add(n));
        loop {
            let left = last.map_or(u64::MAX, |last| last.saturating_sub(self.turns));
            if left == 0 {
                return self.flush().map(|()| WhyBack::TurnsDone);
            }
            match self.advance(left)? {
                Progress::Due(at) if last.is_none_or(|last| self.turns < last) => {
                    self.around.clock.wait_until(at, &self.around.stop);
                }
                Progress::Due(_) => {}
                Progress::Ended(WhyBack::Paused) if !until.return_when_paused => {
                    self.around.stop.wait_for(PAUSED_POLL);
                }
                Progress::Ended(why) => return Ok(why),
            }
        }
    }

    /// Take the turns that are due, at most so many. Whoever calls this waits between calls.
    ///
    /// # Errors
    /// See [`Runner::run`].
    pub fn advance(&mut self, at_most: u64) -> Result<Progress, Error> {
        self.guarded_turns(|runner| runner.turns_due(at_most, u64::MAX))
    }

    /// The same, until a moment of the monotonic clock at which everything goes to disk: nobody knows when its next turn
    /// comes in a fleet.
    ///
    /// # Errors
    /// See [`Runner::run`].
    pub fn advance_until(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        self.guarded_turns(|runner| runner.turns_due(at_most, until_ms))
    }

    fn guarded_turns(&mut self, take: impl FnOnce(&mut Self) -> Result<Progress, Error>) -> Result<Progress, Error> {
        if self.broken {
            return Err(Error::Broken);
        }
        let progress = take(self);
        if let Err(error) = &progress {
            self.broken = true;
            if let Some(notice) = Notice::of_panic(error) {
                self.tell(&notice);
            }
        }
        progress
    }

    fn turns_due(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        for n in 0..at_most {
            // Who is dead has died, whoever asks it to stop meanwhile.
            if self.half.is_none() && self.being.standing() == LifeStanding::Dead {
                return self.flush().map(|()| Progress::Ended(WhyBack::Died));
            }
            if self.around.stop.is_raised() {
                return self.flush().map(|()| Progress::Ended(WhyBack::Stopped));
            }
            if self.half.is_none() {
                match self.being.standing() {
                    LifeStanding::Alive | LifeStanding::Dying | LifeStanding::Dead => {}
                    LifeStanding::Paused => {
                        self.flush()?;
                        if !self.has_mail()? {
                            return Ok(Progress::Ended(WhyBack::Paused));
                        }
                    }
                }
            }
            // A paused golem with mail answers at once: its schedule stood still anyway.
            let waits = !self.schedule.is_flat_out()
                && matches!(self.being.standing(), LifeStanding::Alive | LifeStanding::Dying);
            let (due, now) = (self.schedule.due_ms(), self.around.clock.monotonic_ms());
            if (waits || self.turns == 0) && due > now {
                // Short breaths between turns are not worth a commit each.
                if due - now >= BREATH_MS || self.commit_is_due() {
                    self.flush()?;
                }
                return Ok(Progress::Due(due));
            }
            if n > 0 && now >= until_ms {
                self.flush()?;
                break;
            }
            self.begun_ms = now;
            self.leave_safe_mode()?;
            let tick = self.half.as_ref().map_or_else(|| self.being.tick().next(), |half| half.tick);
            if let Some(listener) = &mut self.around.listener {
                listener.turn_begins(tick);
            }
            let ended = if self.half.is_some() { self.finish_half()? } else { self.turn()? };
            if let Some(listener) = &mut self.around.listener {
                listener.turn_ends(tick);
            }
            if let Some(why) = ended {
                self.flush()?;
                // Somebody else's chain takes the time it takes: it is asked again, and nothing else happens before.
                if matches!(why, WhyBack::Unreconciled { .. }) && self.world.is_live() {
                    return Ok(Progress::Due(self.around.clock.monotonic_ms().saturating_add(ASK_AGAIN_MS)));
                }
                return Ok(Progress::Ended(why));
            }
            self.turns += 1;
        }
        Ok(Progress::Due(self.schedule.due_ms()))
    }

    /// A clean stop: everything written, a checkpoint taken, the start marked as ended well.
    ///
    /// # Errors
    /// When it cannot be written; then the next start counts this one as a crash.
    pub fn close(mut self) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Broken);
        }
        self.flush()?;
        // Within an open turn the state is between two turns; the checkpoint before it stands.
        if self.half.is_none() && self.being.tick() > self.checkpointed {
            self.commit(true)?;
        }
        self.store.close()
    }

    /// The being, between turns.
    #[must_use]
    pub fn being(&self) -> &B {
        &self.being
    }
    /// The file.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }
    /// The head of the chain after the last turn, on disk or not yet.
    #[must_use]
    pub fn head(&self) -> Hash {
        self.chain.head
    }
    /// Turns taken since it was opened.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns
    }
    /// Observe and reduce risk only, after too many crashes.
    #[must_use]
    pub fn is_safe_mode(&self) -> bool {
        self.safe_mode
    }

    /// Safe mode ends by living: so many turns, or as long as crashes are counted.
    fn leave_safe_mode(&mut self) -> Result<(), Error> {
        let lived_ms = self.around.clock.monotonic_ms().saturating_sub(self.opened_ms);
        let long_enough = self.turns > 0 && lived_ms >= CRASH_WINDOW_S.unsigned_abs() * 1_000;
        if self.safe_mode && (long_enough || self.turns >= SAFE_TURNS) {
            let tick = self.being.tick();
            self.store.end_safe_mode(tick, self.around.clock.now())?;
            self.safe_mode = false;
            self.tell(&Notice::SafeModeOver { tick });
        }
        Ok(())
    }
    /// No new risk is taken, since the disk is full.
    #[must_use]
    pub fn refuses_new_risk(&self) -> bool {
        self.store.ballast() == Ballast::Gone
    }

    pub(crate) fn tell(&mut self, notice: &Notice) {
        if let Some(listener) = &mut self.around.listener {
            listener.notice(notice);
        }
    }
}
