//! What one commit writes: the turns since the last one and everything they left behind, in one transaction.

use crate::checkpoint::Checkpoint;
use crate::db::int;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::outbox::{self, OutboxDraft};
use crate::store::Store;
use crate::{anchor, asked, inbox, journal, json, memory, notes, past};
use golem_core::door::{EffectKey, PastRow};
use golem_core::fact::{Envelope, FactBody};
use golem_core::{Hash, Tick, Timestamp};
use golem_grimoire::Change;
use golem_life::LifeStanding;
use rusqlite::{Connection, Transaction};

/// From so many turns on a commit is a large one.
pub(crate) const LARGE_TURNS: u64 = 64;

/// Turns in memory that are not on disk yet. A crash loses exactly these.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    first: Option<Tick>,
    last: Tick,
    pub(crate) frames: Vec<u8>,
    facts: Vec<FactDraft>,
    series: Vec<(Tick, Timestamp, String)>,
    taken: Vec<(u64, Tick)>,
    letters: Vec<OutboxDraft>,
    settled: Vec<EffectKey>,
    notes: Vec<(Timestamp, Tick, String)>,
    memory: Vec<(Tick, Vec<Change>)>,
    changes: usize,
    pub(crate) opens: Option<(Tick, Vec<u8>)>,
    pub(crate) closes_half: bool,
    pub(crate) status: Option<StatusDraft>,
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Where that stands on which the golem's effects rest.
    pub(crate) anchor: Option<String>,
    pub(crate) past: Vec<PastRow>,
}

#[derive(Debug)]
struct FactDraft {
    seq: i64,
    tick: i64,
    at: i64,
    name: &'static str,
    cause: Option<i64>,
    body: String,
}

/// The status row.
#[derive(Debug)]
pub(crate) struct StatusDraft {
    pub(crate) tick: Tick,
    pub(crate) at: Timestamp,
    pub(crate) standing: LifeStanding,
    pub(crate) body: String,
}

impl Batch {
    /// Turns that wait to be written.
    pub(crate) fn turns(&self) -> u64 {
        self.first.map_or(0, |first| self.last.0 - first.0 + 1)
    }
    /// The last of them.
    pub(crate) fn last(&self) -> Option<Tick> {
        self.first.map(|_| self.last)
    }
    /// Whether a person or a chain comes to know of it: an answer, or an effect that is about to leave.
    pub(crate) fn tells_outside(&self) -> bool {
        self.opens.is_some() || self.letters.iter().any(|letter| letter.kind == "reply")
    }
    /// Rows and bytes, as a bound on memory.
    pub(crate) fn weight(&self) -> usize {
        self.frames.len() + 256 * (self.facts.len() + self.letters.len()) + 1_024 * self.changes
    }
    /// A turn's frame was appended to `frames`.
    pub(crate) fn turned(&mut self, tick: Tick) {
        self.first.get_or_insert(tick);
        self.last = tick;
    }
    pub(crate) fn fact<B: FactBody>(&mut self, fact: &Envelope<B>) -> Result<(), Error> {
        self.facts.push(FactDraft {
            seq: int(fact.seq.0),
            tick: int(fact.tick.0),
            at: fact.at.0,
            name: fact.body.name(),
            cause: fact.cause.map(|s| int(s.0)),
            body: json::text(&fact.body)?,
        });
        Ok(())
    }
    pub(crate) fn point(&mut self, tick: Tick, at: Timestamp, body: String) {
        self.series.push((tick, at, body));
    }
    /// Whether an order was taken by a turn that waits to be written.
    pub(crate) fn has_taken(&self, order: u64) -> bool {
        self.taken.iter().any(|(id, _)| *id == order)
    }
    pub(crate) fn took(&mut self, order: u64, tick: Tick) {
        self.taken.push((order, tick));
    }
    /// A turn came to nothing: what it took is still to be taken.
    pub(crate) fn give_back(&mut self, tick: Tick) {
        self.taken.retain(|(_, taken)| *taken != tick);
    }
    /// What a turn took, out of the batch.
    pub(crate) fn hold_back(&mut self, tick: Tick) -> Vec<u64> {
        self.taken.extract_if(.., |(_, taken)| *taken == tick).map(|(order, _)| order).collect()
    }
    pub(crate) fn send(&mut self, letter: OutboxDraft) {
        self.letters.push(letter);
    }
    pub(crate) fn settle(&mut self, key: EffectKey) {
        self.settled.push(key);
    }
    pub(crate) fn note(&mut self, at: Timestamp, tick: Tick, what: String) {
        self.notes.push((at, tick, what));
    }

    /// What a turn changed in memory.
    pub(crate) fn remember(&mut self, tick: Tick, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.changes += changes.len();
            self.memory.push((tick, changes));
        }
    }

    fn write(&self, tx: &Transaction<'_>, epoch: u64, head: &Hash) -> rusqlite::Result<()> {
        if let Some(first) = self.first {
            journal::append(tx, epoch, first, self.last, &self.frames, head)?;
            asked::forget(tx, self.last)?;
        }
        self.facts.iter().try_for_each(|fact| fact.write(tx))?;
        memory::write(tx, &self.memory)?;
        for (tick, at, body) in &self.series {
            tx.prepare_cached("INSERT INTO series(tick, at, body) VALUES (?1, ?2, ?3)")?.execute((
                int(tick.0),
                at.0,
                body,
            ))?;
        }
        inbox::take(tx, &self.taken)?;
        self.letters.iter().try_for_each(|letter| letter.write(tx))?;
        self.settled.iter().try_for_each(|key| outbox::settle(tx, *key))?;
        self.notes.iter().try_for_each(|(at, tick, what)| notes::write(tx, *at, tick.0, what))?;
        if self.closes_half {
            OpenTurn::clear(tx)?;
        }
        if let Some((tick, body)) = &self.opens {
            OpenTurn::write(tx, *tick, body)?;
        }
        if let Some(s) = &self.status {
            tx.prepare_cached(
                "INSERT OR REPLACE INTO status(one, tick, at, standing, body) VALUES (1, ?1, ?2, ?3, ?4)",
            )?
            .execute((int(s.tick.0), s.at.0, s.standing.name(), &s.body))?;
        }
        if let Some(anchor) = &self.anchor {
            anchor::write(tx, anchor)?;
        }
        self.past.iter().try_for_each(|row| past::write(tx, row))?;
        self.checkpoint.as_ref().map_or(Ok(()), |c| c.write(tx))
    }

    /// Empty it, keeping its room.
    fn clear(&mut self) {
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        *self = Self { frames, ..Self::default() };
    }
}

impl FactDraft {
    fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("INSERT INTO facts(seq, tick, at, name, cause, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute((self.seq, self.tick, self.at, self.name, self.cause, &self.body))
            .map(drop)
    }
}

impl Store {
    /// Write a batch; it is empty afterwards. On an error nothing of it is on disk.
    pub(crate) fn commit(&mut self, batch: &mut Batch, head: &Hash) -> Result<(), Error> {
        let epoch = self.start().epoch;
        // Flat out, a transaction is larger than the small cache that each of a thousand golems has: it gets room for the
        // moment, instead of writing its pages early and reading them again.
        let large = batch.turns() >= LARGE_TURNS;
        if large {
            self.lend_cache(true)?;
        }
        let written = self.durably(|tx| batch.write(tx, epoch, head));
        if large {
            self.lend_cache(false)?;
        }
        written?;
        batch.clear();
        self.tidy()
    }
}
