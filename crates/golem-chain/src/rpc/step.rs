//! What is kept of a transaction: its meaning under one nonce, each of its signatures, and how it ended.

use super::fees::Fees;
use super::receipt::Landed;
use alloy_primitives::{Address, B256, Bytes, U256};
use golem_core::door::EffectKey;
use golem_venue::VenueError;
use rusqlite::Row;
use serde::{Deserialize, Serialize};

/// What a transaction is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepCall {
    /// Whom it calls.
    pub to: Address,
    /// With what.
    pub data: Bytes,
    /// Gas units that it may use; 0 asks the nodes.
    pub gas_limit: u64,
    /// The coin that goes with it, in wei: nothing, but for what goes home.
    pub value: U256,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepEnd {
    /// It is in a block.
    Landed(Landed),
    /// What took it back is in a block: it can no longer happen.
    Cancelled(Landed),
    /// Something that is not in this record used its nonce: it can no longer happen.
    Displaced,
}

/// One transaction's meaning, under one nonce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainStep {
    /// The intent's key.
    pub key: EffectKey,
    /// Which of the intent's transactions.
    pub step: u32,
    /// Its nonce.
    pub nonce: u64,
    /// What it is to do.
    pub call: StepCall,
    /// When it was first signed, in milliseconds since 1970.
    pub at_ms: u64,
    /// How it ended, if it has.
    pub end: Option<StepEnd>,
}

/// One signature of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Try {
    /// The transaction's hash.
    pub hash: B256,
    /// What goes over the wire.
    pub raw: Bytes,
    /// What it offers.
    pub fees: Fees,
    /// True when it takes the step back.
    pub cancel: bool,
    /// When it was signed, in milliseconds since 1970.
    pub at_ms: u64,
}

/// The columns that [`read_step`] reads.
pub(super) const STEPS: &str = "SELECT key, step, nonce, callee, data, gas_limit, at_ms, end,
    (SELECT wei FROM coin WHERE coin.key = steps.key AND coin.step = steps.step) FROM steps";

pub(super) fn read_step(r: &Row<'_>) -> rusqlite::Result<ChainStep> {
    let end: Option<String> = r.get(7)?;
    Ok(ChainStep {
        key: r.get::<_, String>(0)?.parse::<EffectKey>().map_err(|e| damaged(0, e))?,
        step: r.get(1)?,
        nonce: r.get::<_, i64>(2)?.unsigned_abs(),
        call: StepCall {
            to: Address::try_from(r.get::<_, Vec<u8>>(3)?.as_slice()).map_err(|e| damaged(3, e))?,
            data: r.get::<_, Vec<u8>>(4)?.into(),
            gas_limit: r.get::<_, i64>(5)?.unsigned_abs(),
            value: match r.get::<_, Option<String>>(8)? {
                Some(wei) => wei.parse().map_err(|e| damaged(8, e))?,
                None => U256::ZERO,
            },
        },
        at_ms: r.get::<_, i64>(6)?.unsigned_abs(),
        end: end.map(|text| serde_json::from_str(&text)).transpose().map_err(|e| damaged(7, e))?,
    })
}

pub(super) fn read_try(r: &Row<'_>) -> rusqlite::Result<Try> {
    let wei = |i: usize| -> rusqlite::Result<u128> { r.get::<_, String>(i)?.parse().map_err(|e| damaged(i, e)) };
    Ok(Try {
        hash: hash(r, 0)?,
        raw: r.get::<_, Vec<u8>>(1)?.into(),
        fees: Fees { max_fee: wei(2)?, tip: wei(3)? },
        cancel: r.get(4)?,
        at_ms: r.get::<_, i64>(5)?.unsigned_abs(),
    })
}

pub(super) fn hash(r: &Row<'_>, i: usize) -> rusqlite::Result<B256> {
    B256::try_from(r.get::<_, Vec<u8>>(i)?.as_slice()).map_err(|e| damaged(i, e))
}

fn damaged(column: usize, e: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(e))
}

/// What the file said, as a failure.
pub(super) fn store(e: rusqlite::Error) -> VenueError {
    VenueError::Store(format!("the record of what was sent: {e}"))
}
