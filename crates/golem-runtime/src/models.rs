//! Asking models so that nothing is paid twice and nothing that was paid is forgotten: what is asked is on disk before it
//! is sent, and the reply before it is used. After a crash the same question is answered from there.

use crate::db::{int, uint};
use crate::error::Error;
use crate::hands::KeyedHands;
use crate::relive::fits;
use crate::runner::Runner;
use golem_core::model::{ModelReply, ModelRequest};
use golem_core::{Hash, Tick, Usdc};
use golem_life::door::World;
use golem_life::{Answer, Being, Question};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// Questions that one turn may ask. A turn that asks more is a bug, and would cost without bound.
pub(crate) const MOST_QUESTIONS: usize = 32;

impl<B: Being, W: World, H: KeyedHands<B::Permit>> Runner<B, W, H> {
    /// Answer a question of the turn.
    pub(crate) fn answer(&mut self, tick: Tick, n: usize, question: &Question) -> Result<Answer, Error> {
        if n >= MOST_QUESTIONS {
            return Err(Error::Bug(format!("turn {tick} asks more than {MOST_QUESTIONS} questions")));
        }
        let answer = match question {
            Question::Model(request) => Answer::Model(Box::new(self.ask_model(tick, n, request)?)),
            Question::Embed(texts) => {
                Answer::Embedded(self.foreign(tick, "the embedder", |r| r.around.models.embed(texts))?)
            }
            Question::Preview(wishes) => {
                let holdings = self.being.holdings();
                Answer::Previews(self.foreign(tick, "the hands", |r| r.hands.preview(wishes, &holdings))?)
            }
        };
        fits(question, &answer).map_err(Error::Bug)?;
        Ok(answer)
    }

    fn ask_model(&mut self, tick: Tick, n: usize, request: &ModelRequest) -> Result<ModelReply, Error> {
        let hash = request.hash();
        if let Some(reply) = known(self.store.conn(), self.store.db(), tick, n, hash)? {
            self.swallowed.retain(|lost| (lost.tick, lost.n) != (tick, n));
            return Ok(reply);
        }
        self.store.durably(|tx| begin(tx, tick, n, hash, request.max_cost))?;
        let reply = self.foreign(tick, "the model", |r| r.around.models.ask(request))?;
        let body = crate::batch::json(&reply)?;
        self.store.durably(|tx| {
            tx.prepare_cached("UPDATE asked SET reply = ?3 WHERE tick = ?1 AND n = ?2")?
                .execute(params![int(tick.0), int(n as u64), body])
                .map(drop)
        })?;
        Ok(reply)
    }

    /// What calls of turns that were never finished have cost, once those turns have been taken without them.
    pub(crate) fn swallowed(&mut self, tick: Tick) -> Vec<Usdc> {
        let (due, later) = std::mem::take(&mut self.swallowed).into_iter().partition(|lost: &Lost| lost.tick < tick);
        self.swallowed = later;
        due.into_iter().map(|lost| lost.cost).collect()
    }
}

/// A call whose turn a crash has swallowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) tick: Tick,
    pub(crate) n: usize,
    pub(crate) cost: Usdc,
}

/// Calls that were asked in turns after the last that is written down.
pub(crate) fn lost(conn: &Connection, path: &Path) -> Result<Vec<Lost>, Error> {
    let read = || {
        let mut found = conn.prepare("SELECT tick, n, most, reply FROM asked ORDER BY tick, n")?;
        let rows = found.query_map([], |row| {
            let (tick, n, most) = (uint(row.get(0)?)?, uint(row.get(1)?)?, uint(row.get(2)?)?);
            let reply: Option<ModelReply> =
                row.get::<_, Option<String>>(3)?.and_then(|text| serde_json::from_str(&text).ok());
            // Nobody knows what became of a call without a reply: the worst is assumed.
            let cost = reply.map_or(Usdc(most), |reply| reply.cost());
            Ok(Lost { tick: Tick(tick), n: n as usize, cost })
        })?;
        rows.collect::<Result<_, _>>()
    };
    read().map_err(|e| Error::sql(path, "read what was asked", &e))
}

fn known(conn: &Connection, path: &Path, tick: Tick, n: usize, hash: Hash) -> Result<Option<ModelReply>, Error> {
    let reply: Option<String> = conn
        .prepare_cached("SELECT reply FROM asked WHERE tick = ?1 AND n = ?2 AND request = ?3 AND reply IS NOT NULL")
        .and_then(|mut s| s.query_row(params![int(tick.0), int(n as u64), &hash.0[..]], |row| row.get(0)).optional())
        .map_err(|e| Error::sql(path, "look for a reply", &e))?;
    Ok(reply.and_then(|text| serde_json::from_str(&text).ok()))
}

fn begin(conn: &Connection, tick: Tick, n: usize, hash: Hash, most: Usdc) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO asked(tick, n, request, most, reply) VALUES (?1, ?2, ?3, ?4, NULL)")?
        .execute(params![int(tick.0), int(n as u64), &hash.0[..], int(most.0)])
        .map(drop)
}

/// Turns up to this one are written down, with all that they were answered.
pub(crate) fn forget(conn: &Connection, last: Tick) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM asked WHERE tick <= ?1")?.execute([int(last.0)]).map(drop)
}
