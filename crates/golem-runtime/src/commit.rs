//! When turns go to disk: each by itself at real speed, in groups when time is accelerated, always before an effect and
//! before any longer wait. What follows a commit: facts are told, a snapshot is taken when one is due.

use crate::batch::{LARGE_TURNS, StatusDraft};
use crate::chain::DIGEST_EVERY;
use crate::checkpoint::Checkpoint;
use crate::error::Error;
use crate::json;
use crate::listener::Notice;
use crate::runner::Runner;
use crate::snapshot::SnapshotMoment;
use crate::tombstone;
use golem_core::Tick;
use golem_core::door::{KeyedHands, World};
use golem_life::Being;

/// A group of turns is committed after this much time on the clock, at most.
pub(crate) const GROUP_MS: u64 = 100;
/// Or after so many turns.
const GROUP_TURNS: u64 = 4_096;
/// Or when so much waits in memory.
const GROUP_BYTES: usize = 2 << 20;
/// Flat out, the state is saved this often at the most: it is half a megabyte, and whoever comes back after a crash lives
/// again what he had lived since in about the same time.
const CHECKPOINT_MS: u64 = 1_000;
/// Or after so many turns.
const CHECKPOINT_TURNS: u64 = 32_768;
/// How far the life has come is noted beside the file this often, at least; always before anyone outside is told.
const MARK_MS: u64 = 2_000;
/// Facts kept for a listener until they are on disk.
const GROUP_FACTS: usize = 16_384;

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Runner<B, W, H> {
    pub(crate) fn commit_is_due(&self) -> bool {
        self.schedule.is_real()
            || self.batch.turns() >= GROUP_TURNS
            || self.batch.weight() >= GROUP_BYTES
            || self.heard.len() >= GROUP_FACTS
            || self.around.clock.monotonic_ms().saturating_sub(self.committed_ms) >= GROUP_MS
    }

    /// Write what waits, if anything does.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        if self.batch.turns() == 0 { Ok(()) } else { self.commit(false) }
    }

    /// A thousandth turn has passed since the last checkpoint, and that was not just now. The first is never put off: without
    /// one the life is lived again from birth.
    fn checkpoint_is_due(&self, tick: Tick) -> bool {
        tick.0 / DIGEST_EVERY > self.checkpointed.0 / DIGEST_EVERY
            && (self.checkpointed == Tick(0)
                || tick.0 - self.checkpointed.0 >= CHECKPOINT_TURNS
                || self.around.clock.monotonic_ms().saturating_sub(self.checkpointed_ms) >= CHECKPOINT_MS)
    }

    /// Write whole turns: journal, status, and a checkpoint when one is due or asked for.
    pub(crate) fn commit(&mut self, checkpoint: bool) -> Result<(), Error> {
        let tick = self.being.tick();
        let (body, standing) = (json::text(&self.being.status())?, self.being.standing());
        self.batch.status = Some(StatusDraft { tick, at: self.at, standing, body });
        if checkpoint || self.checkpoint_is_due(tick) {
            // Many turns and the whole state are megabytes each: the turns go first, and their room with them. Who is killed in between
            // comes back by an older state and the same turns.
            if self.batch.turns() >= LARGE_TURNS {
                self.commit_turns()?;
            }
            // Before the state: each of them makes all of its bytes, and lets them go.
            let digest = self.being.digest();
            self.batch.checkpoint = Some(Checkpoint {
                tick,
                age: self.age,
                state: self.being.save(),
                world: self.world.save(),
                head: self.chain.head,
                digest,
                totals: None,
            });
            self.batch.past = self.world.hand_over();
            (self.checkpointed, self.checkpointed_ms) = (tick, self.around.clock.monotonic_ms());
        }
        self.commit_turns()?;
        if standing.is_final() {
            // Without room for a stone it dies all the same; the next commit or start tries again. A disk that fails is
            // not passed over.
            match tombstone::set(self.store.dir(), tick) {
                Err(e @ Error::DiskFull { .. }) => {
                    self.batch.note(self.around.clock.now(), tick, format!("no tombstone: {e}"));
                }
                set => set?,
            }
        }
        if let Some(page) = self.being.page(self.page.revision) {
            // It can be written again at any time: a golem lives on without it.
            if let Err(e) = self.page.write(&page) {
                self.tell(&Notice::PageNotWritten { tick, why: e.to_string() });
            }
        }
        self.insure(tick);
        Ok(())
    }

    /// Write what waits without looking at the being, which may be between its halves.
    pub(crate) fn commit_turns(&mut self) -> Result<(), Error> {
        let (tick, told) = (self.batch.last(), self.batch.tells_outside());
        self.batch.anchor = self.hands.anchor();
        self.store.commit(&mut self.batch, &self.chain.head)?;
        self.hands.written();
        self.committed_ms = self.around.clock.monotonic_ms();
        if told || self.committed_ms.saturating_sub(self.marked_ms) >= MARK_MS {
            self.store.mark()?;
            self.marked_ms = self.committed_ms;
        }
        if let Some(listener) = &mut self.around.listener {
            self.heard.iter().for_each(|fact| listener.fact(fact));
        }
        self.heard.clear();
        if self.refuses_new_risk() && !self.told_full {
            self.told_full = true;
            let tick = tick.unwrap_or_default();
            self.batch.note(self.around.clock.now(), tick, "disk full: no ballast left, no new risk is taken".into());
            self.tell(&Notice::DiskFull { tick });
        }
        Ok(())
    }

    /// After a panic: keep the whole turns before it, and mark the one that failed.
    pub(crate) fn rescue(&mut self, panicked: Tick, what: &str) -> Result<(), Error> {
        self.batch.give_back(panicked);
        if self.batch.turns() > 0 {
            self.commit_turns()?;
        }
        self.store.panicked(panicked, what, self.around.clock.now())
    }

    /// Take a snapshot when one is due. A golem lives on without insurance, so a failure is told and no more.
    fn insure(&mut self, tick: Tick) {
        let now = self.around.clock.monotonic_ms();
        let asked = std::mem::take(&mut self.insure_now);
        if asked || self.snapshots.is_due(self.age, now, self.schedule.is_real()) {
            self.take_snapshot(tick);
        }
    }

    /// Take a snapshot of the life before a turn that is not written yet.
    pub(crate) fn insure_before(&mut self, tick: Tick) -> Result<(), Error> {
        // What this turn took is still to be taken if it is never written.
        let taken = self.batch.hold_back(tick);
        if self.batch.turns() > 0 {
            self.commit_turns()?;
        }
        taken.into_iter().for_each(|order| self.batch.took(order, tick));
        self.take_snapshot(Tick(tick.0.saturating_sub(1)));
        Ok(())
    }

    fn take_snapshot(&mut self, tick: Tick) {
        // On a full disk a copy would take the last room from the golem itself.
        if !self.around.options.snapshots || self.refuses_new_risk() {
            return;
        }
        let moment = SnapshotMoment {
            golem: self.store.origin().birth.id,
            tick,
            age: self.age,
            at: self.at,
            head: self.chain.head,
        };
        let notice = match self.snapshots.take(self.store.conn(), &moment) {
            Ok(taken) => Notice::SnapshotTaken { tick, new_chunks: taken.new_chunks, chunks: taken.chunks },
            Err(e) => Notice::SnapshotSkipped { tick, why: e.to_string() },
        };
        // Also after a failure: the next one is tried when the next one is due.
        self.snapshots.done(self.age, self.around.clock.monotonic_ms());
        self.tell(&notice);
    }
}
