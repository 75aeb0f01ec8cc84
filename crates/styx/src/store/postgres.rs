//! A store for fleets: PostgreSQL, in plain SQL. Everything is keyed by its owner, so that owners can be spread over machines; the log is
//! cut into days, and a day that is over is dropped whole.
//!
//! Several relays may share it: each transaction locks the owners that it writes for, in one order.

use super::{
    AppendOutcome, KeptChain, KeptRow, KeptRowKey, LogBounds, RecentUse, RelayStore, RowChange, RowRoom, StoreFault,
    StoreIdentity, WriteBatch,
};
use golem_core::{Hash, OwnerId};
use std::sync::{Mutex, PoisonError};
use styx_wire::{ChainHead, LoggedDelta, OriginKey};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, Row};

mod batch;
mod schema;

/// Connections that are kept for reads.
const READERS: usize = 4;

/// A database, and a schema in it.
#[derive(Debug)]
pub struct PostgresStore {
    identity: StoreIdentity,
    url: String,
    schema: String,
    writer: Mutex<Option<Client>>,
    readers: Mutex<Vec<Client>>,
    /// The days of the log that are known to be there.
    days: Mutex<std::collections::BTreeSet<u64>>,
    runtime: Option<Runtime>,
}

impl From<tokio_postgres::Error> for StoreFault {
    fn from(why: tokio_postgres::Error) -> Self {
        let told = why.as_db_error().map_or_else(|| why.to_string(), |e| e.message().to_owned());
        Self(told)
    }
}

fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
fn nat(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

fn bytes<const N: usize>(row: &Row, at: usize) -> Result<[u8; N], StoreFault> {
    let bytes: &[u8] = row.try_get(at)?;
    bytes.try_into().map_err(|_| StoreFault("a row is not as it was written".to_owned()))
}

impl PostgresStore {
    /// Open a schema of a database (`host=... user=... dbname=...`), and make what is missing in it.
    ///
    /// # Errors
    /// When it cannot be reached or made.
    pub fn open(url: &str, schema: &str, fresh: StoreIdentity) -> Result<Self, StoreFault> {
        if schema.is_empty() || !schema.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            return Err(StoreFault("the name of a schema is of a-z, 0-9 and _".to_owned()));
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .thread_name("styx postgres")
            .build()
            .map_err(|e| StoreFault(e.to_string()))?;
        let (identity, client) = runtime.block_on(async {
            let client = connect(url, schema).await?;
            let identity = schema::make(&client, schema, fresh).await?;
            Ok::<_, StoreFault>((identity, client))
        })?;
        Ok(Self {
            identity,
            url: url.to_owned(),
            schema: schema.to_owned(),
            writer: Mutex::new(Some(client)),
            readers: Mutex::default(),
            days: Mutex::default(),
            runtime: Some(runtime),
        })
    }

    fn runtime(&self) -> Result<&Runtime, StoreFault> {
        self.runtime.as_ref().ok_or_else(|| StoreFault("the store is closed".to_owned()))
    }

    fn read<T>(&self, ask: impl AsyncFnOnce(&Client) -> Result<T, StoreFault>) -> Result<T, StoreFault> {
        let spare = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop().filter(|c| !c.is_closed());
        let (client, answer) = self.runtime()?.block_on(async {
            let client = match spare {
                Some(client) => client,
                None => connect(&self.url, &self.schema).await?,
            };
            let answer = ask(&client).await;
            Ok::<_, StoreFault>((client, answer))
        })?;
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if answer.is_ok() && readers.len() < READERS {
            readers.push(client);
        }
        answer
    }

    /// One transaction. A connection that failed is not used again: nobody knows what it was in the middle of.
    fn write<T>(
        &self,
        work: impl AsyncFnOnce(&tokio_postgres::Transaction<'_>) -> Result<T, StoreFault>,
    ) -> Result<T, StoreFault> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = writer.take().filter(|client| !client.is_closed());
        let (client, done) = self.runtime()?.block_on(async {
            let mut client = match spare {
                Some(client) => client,
                None => connect(&self.url, &self.schema).await?,
            };
            let done = async {
                let tx = client.transaction().await?;
                let done = work(&tx).await?;
                tx.commit().await?;
                Ok::<_, StoreFault>(done)
            }
            .await;
            Ok::<_, StoreFault>((client, done))
        })?;
        if done.is_ok() {
            *writer = Some(client);
        }
        done
    }

    /// Make the day of a moment, once.
    fn day(&self, now_ms: u64) -> Result<(), StoreFault> {
        let day = now_ms / schema::DAY_MS;
        if self.days.lock().unwrap_or_else(PoisonError::into_inner).contains(&day) {
            return Ok(());
        }
        self.write(async |tx| schema::make_day(tx, day).await)?;
        self.days.lock().unwrap_or_else(PoisonError::into_inner).insert(day);
        Ok(())
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        // Wherever the last hold on the store is given up, nobody is kept waiting.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn connect(url: &str, schema: &str) -> Result<Client, StoreFault> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move {
        // Whoever uses the client next hears of it.
        let _over = connection.await;
    });
    let begin = format!(
        "SET client_min_messages TO warning; SET search_path TO {schema}; SET synchronous_commit TO on; SET lock_timeout TO '20s';"
    );
    client.batch_execute(&begin).await?;
    Ok(client)
}

fn chain_row(row: &Row, from: usize) -> Result<KeptChain, StoreFault> {
    let head = ChainHead { seq: nat(row.try_get(from)?), id: Hash(bytes(row, from + 1)?) };
    let last: Option<i64> = row.try_get(from + 3)?;
    Ok(KeptChain { head, first: nat(row.try_get(from + 2)?), last: last.map(nat) })
}

impl RelayStore for PostgresStore {
    fn identity(&self) -> StoreIdentity {
        self.identity
    }

    fn commit(&self, now_ms: u64, batch: &WriteBatch) -> Result<Vec<AppendOutcome>, StoreFault> {
        self.day(now_ms)?;
        self.write(async |tx| batch::commit(tx, now_ms, batch).await)
    }

    fn page(&self, owner: OwnerId, after: u64, since_ms: u64, most: usize) -> Result<Vec<LoggedDelta>, StoreFault> {
        self.read(async |client| {
            let rows = client
                .query(
                    "SELECT position, delta FROM styx_log WHERE owner = $1 AND position > $2 AND received >= $3
                     ORDER BY position LIMIT $4",
                    &[&&owner.0[..], &int(after), &int(since_ms), &int(most as u64)],
                )
                .await?;
            let each = |row: &Row| {
                let delta = super::sqlite::read_delta(row.try_get(1)?)?;
                Ok(LoggedDelta { position: nat(row.try_get(0)?), delta })
            };
            rows.iter().map(each).collect()
        })
    }

    fn bounds(&self, owner: OwnerId, since_ms: u64) -> Result<LogBounds, StoreFault> {
        self.read(async |client| {
            let row = client
                .query_opt(
                    "SELECT o.head, o.bytes, (SELECT min(position) FROM styx_log WHERE owner = $1 AND received >= $2)
                     FROM styx_owners o WHERE o.owner = $1",
                    &[&&owner.0[..], &int(since_ms)],
                )
                .await?;
            let Some(row) = row else { return Ok(LogBounds { head: 0, oldest: 1, bytes: 0 }) };
            let head: i64 = row.try_get(0)?;
            let oldest: Option<i64> = row.try_get(2)?;
            Ok(LogBounds { head: nat(head), oldest: nat(oldest.unwrap_or(head + 1)), bytes: nat(row.try_get(1)?) })
        })
    }

    fn chain(&self, owner: OwnerId, origin: OriginKey) -> Result<Option<ChainHead>, StoreFault> {
        self.read(async |client| {
            let row = client
                .query_opt(
                    "SELECT seq, id, first, last FROM styx_chains WHERE owner = $1 AND origin = $2",
                    &[&&owner.0[..], &&origin.0[..]],
                )
                .await?;
            let chain = row.map(|row| chain_row(&row, 0)).transpose()?;
            Ok(chain.map(|chain| chain.head).filter(|head| head.seq > 0))
        })
    }

    fn end_chain(&self, owner: OwnerId, origin: OriginKey, last: u64) -> Result<(), StoreFault> {
        let root = ChainHead::root(owner, origin);
        self.write(async |tx| {
            tx.execute(
                "INSERT INTO styx_chains(owner, origin, seq, id, first, last) VALUES ($1, $2, 0, $3, 1, $4)
                 ON CONFLICT (owner, origin) DO UPDATE SET last = excluded.last",
                &[&&owner.0[..], &&origin.0[..], &&root.id.0[..], &int(last)],
            )
            .await?;
            Ok(())
        })
    }

    fn cursor(&self, owner: OwnerId, origin: OriginKey) -> Result<u64, StoreFault> {
        self.read(async |client| {
            let row = client
                .query_opt(
                    "SELECT upto FROM styx_cursors WHERE owner = $1 AND origin = $2",
                    &[&&owner.0[..], &&origin.0[..]],
                )
                .await?;
            row.map_or(Ok(0), |row| Ok(nat(row.try_get(0)?)))
        })
    }

    fn recent(&self, owner: OwnerId, origin: OriginKey, since_ms: u64) -> Result<RecentUse, StoreFault> {
        self.read(async |client| {
            let row = client
                .query_one(
                    "SELECT count(*) FILTER (WHERE NOT urgent), count(*) FILTER (WHERE urgent) FROM styx_log
                     WHERE owner = $1 AND origin = $2 AND received >= $3",
                    &[&&owner.0[..], &&origin.0[..], &int(since_ms)],
                )
                .await?;
            Ok(RecentUse { batch: nat(row.try_get(0)?), urgent: nat(row.try_get(1)?) })
        })
    }

    fn expire(&self, before_ms: u64) -> Result<u64, StoreFault> {
        let days = self.read(async |client| schema::days(client).await)?;
        let mut gone = 0;
        for day in days.into_iter().filter(|day| (day + 1).saturating_mul(schema::DAY_MS) <= before_ms) {
            self.days.lock().unwrap_or_else(PoisonError::into_inner).remove(&day);
            gone += self.write(async |tx| schema::drop_day(tx, day).await)?;
        }
        Ok(gone)
    }

    fn row(&self, key: &KeptRowKey) -> Result<Option<Vec<u8>>, StoreFault> {
        self.read(async |client| {
            let row = client
                .query_opt(
                    "SELECT bytes FROM styx_kept WHERE room = $1 AND owner = $2 AND key = $3",
                    &[&i16::from(key.room as u8), &&key.owner.0[..], &key.key],
                )
                .await?;
            row.map(|row| Ok(row.try_get(0)?)).transpose()
        })
    }

    fn rows(&self, after: &KeptRowKey, most: usize) -> Result<Vec<KeptRow>, StoreFault> {
        self.read(async |client| {
            let rows = client
                .query(
                    "SELECT key, bytes FROM styx_kept WHERE room = $1 AND owner = $2 AND key > $3 ORDER BY key LIMIT $4",
                    &[&i16::from(after.room as u8), &&after.owner.0[..], &after.key, &int(most as u64)],
                )
                .await?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
        })
    }

    fn change(&self, key: &KeptRowKey, by: &mut dyn FnMut(Option<&[u8]>) -> RowChange) -> Result<(), StoreFault> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.schema.as_bytes()).update(&[key.room as u8]).update(&key.owner.0).update(&key.key);
        let mut name = [0; 8];
        hasher.finalize_xof().fill(&mut name);
        let room = i16::from(key.room as u8);
        self.write(async |tx| {
            // A row that is not there yet cannot be locked: its name can.
            tx.execute("SELECT pg_advisory_xact_lock($1)", &[&i64::from_le_bytes(name)]).await?;
            let now = tx
                .query_opt(
                    "SELECT bytes FROM styx_kept WHERE room = $1 AND owner = $2 AND key = $3",
                    &[&room, &&key.owner.0[..], &key.key],
                )
                .await?;
            let now: Option<Vec<u8>> = now.map(|row| row.try_get(0)).transpose()?;
            match by(now.as_deref()) {
                RowChange::Leave => {}
                RowChange::Put(bytes) => {
                    tx.execute(
                        "INSERT INTO styx_kept(room, owner, key, bytes) VALUES ($1, $2, $3, $4)
                         ON CONFLICT (room, owner, key) DO UPDATE SET bytes = excluded.bytes",
                        &[&room, &&key.owner.0[..], &key.key, &bytes],
                    )
                    .await?;
                }
                RowChange::Remove => {
                    tx.execute(
                        "DELETE FROM styx_kept WHERE room = $1 AND owner = $2 AND key = $3",
                        &[&room, &&key.owner.0[..], &key.key],
                    )
                    .await?;
                }
            }
            Ok(())
        })
    }

    fn owners_of(&self, room: RowRoom) -> Result<Vec<OwnerId>, StoreFault> {
        self.read(async |client| {
            let rows = client
                .query("SELECT DISTINCT owner FROM styx_kept WHERE room = $1 ORDER BY owner", &[&i16::from(room as u8)])
                .await?;
            rows.iter().map(|row| bytes(row, 0).map(OwnerId)).collect()
        })
    }
}
