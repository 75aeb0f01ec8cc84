//! The tables, and the days of the log.

use super::{bytes, int, nat};
use crate::store::{StoreFault, StoreIdentity};
use styx_wire::LogId;
use tokio_postgres::{Client, Transaction};

pub(super) const DAY_MS: u64 = 86_400_000;
/// Relays that begin at the same time make the tables one after the other.
const MAKING: i64 = 0x7374_7978;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS styx_identity(one INTEGER PRIMARY KEY CHECK (one = 1), log BYTEA NOT NULL, secret BYTEA NOT NULL);
CREATE TABLE IF NOT EXISTS styx_owners(owner BYTEA PRIMARY KEY, head BIGINT NOT NULL, bytes BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS styx_log(owner BYTEA NOT NULL, position BIGINT NOT NULL, received BIGINT NOT NULL, origin BYTEA NOT NULL,
  seq BIGINT NOT NULL, id BYTEA NOT NULL, urgent BOOLEAN NOT NULL, bytes BIGINT NOT NULL, delta BYTEA NOT NULL,
  PRIMARY KEY (owner, position, received)) PARTITION BY RANGE (received);
CREATE INDEX IF NOT EXISTS styx_log_place ON styx_log(owner, origin, seq);
CREATE TABLE IF NOT EXISTS styx_chains(owner BYTEA NOT NULL, origin BYTEA NOT NULL, seq BIGINT NOT NULL, id BYTEA NOT NULL,
  first BIGINT NOT NULL, last BIGINT, PRIMARY KEY (owner, origin));
CREATE TABLE IF NOT EXISTS styx_cursors(owner BYTEA NOT NULL, origin BYTEA NOT NULL, upto BIGINT NOT NULL, PRIMARY KEY (owner, origin));
CREATE TABLE IF NOT EXISTS styx_kept(room SMALLINT NOT NULL, owner BYTEA NOT NULL, key BYTEA NOT NULL, bytes BYTEA NOT NULL,
  PRIMARY KEY (room, owner, key));
";

/// Make what is missing.
pub(super) async fn make(client: &Client, schema: &str, fresh: StoreIdentity) -> Result<StoreIdentity, StoreFault> {
    let make = format!("CREATE SCHEMA IF NOT EXISTS {schema}; {TABLES}");
    client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({MAKING}); {make} COMMIT;")).await?;
    client
        .execute(
            "INSERT INTO styx_identity VALUES (1, $1, $2) ON CONFLICT DO NOTHING",
            &[&&fresh.log.0[..], &&fresh.secret[..]],
        )
        .await?;
    let row = client.query_one("SELECT log, secret FROM styx_identity", &[]).await?;
    Ok(StoreIdentity { log: LogId(bytes(&row, 0)?), secret: bytes(&row, 1)? })
}

/// Make a day of the log.
pub(super) async fn make_day(tx: &Transaction<'_>, day: u64) -> Result<(), StoreFault> {
    let (from, to) = (int(day * DAY_MS), int((day + 1) * DAY_MS));
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&MAKING]).await?;
    let make =
        format!("CREATE TABLE IF NOT EXISTS styx_log_d{day} PARTITION OF styx_log FOR VALUES FROM ({from}) TO ({to})");
    tx.batch_execute(&make).await?;
    Ok(())
}

/// The days that are there.
pub(super) async fn days(client: &Client) -> Result<Vec<u64>, StoreFault> {
    let found = "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'styx_log'::regclass ORDER BY 1";
    let mut days = Vec::new();
    for row in client.query(found, &[]).await? {
        let name: String = row.try_get(0)?;
        days.extend(name.strip_prefix("styx_log_d").and_then(|day| day.parse::<u64>().ok()));
    }
    Ok(days)
}

/// Drop a day with everything in it: how many deltas those were.
pub(super) async fn drop_day(tx: &Transaction<'_>, day: u64) -> Result<u64, StoreFault> {
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&MAKING]).await?;
    let there = format!("SELECT to_regclass('styx_log_d{day}') IS NOT NULL");
    // Another relay has done it.
    if !tx.query_one(&there, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let count = format!("SELECT count(*) FROM styx_log_d{day}");
    let gone: i64 = tx.query_one(&count, &[]).await?.try_get(0)?;
    let drop = format!(
        "UPDATE styx_owners o SET bytes = o.bytes - g.n FROM
         (SELECT owner, sum(bytes)::bigint AS n FROM styx_log_d{day} GROUP BY owner) g WHERE g.owner = o.owner;
         DROP TABLE styx_log_d{day};"
    );
    tx.batch_execute(&drop).await?;
    Ok(nat(gone))
}
