//! Rows as they are read and written: blocks and transactions, each with the sum that covers it.

use super::{runs, seal};
use crate::embedded::trail::{Block, PastTx, SignedOutside};
use alloy_primitives::{Address, B256, Bytes, U256};
use golem_core::Point;
use rusqlite::Row;
use rusqlite::types::Type;

/// What a transaction is read with.
pub(super) const SENT: &str = "SELECT t.seq, t.block, t.sender, t.recipient, t.value, t.nonce, t.gas_limit, t.max_fee, t.tip, t.data, \
     t.access, t.success, t.gas_used, t.created, t.sum, s.hash, s.envelope \
     FROM transactions t LEFT JOIN signed s ON s.seq = t.seq";

/// A row whose sum does not fit: the database takes it for one that cannot be read.
pub(super) fn unfit(column: usize) -> rusqlite::Error {
    let why = std::io::Error::new(std::io::ErrorKind::InvalidData, "the row does not fit its sum");
    rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(why))
}

/// The sum of a block's row.
pub(super) fn block_sum(block: &Block) -> i64 {
    let numbers = super::head::numbers(block).map(u64::to_le_bytes);
    seal::column("block", &[&numbers[0], &numbers[1], &numbers[2], &numbers[3]])
}

/// A block.
pub(super) fn block(row: &Row<'_>) -> rusqlite::Result<Block> {
    let block = Block {
        number: unsigned(row, 0)?,
        timestamp: unsigned(row, 1)?,
        base_fee: unsigned(row, 2)?,
        first: unsigned(row, 3)?,
    };
    if row.get::<_, i64>(4)? == block_sum(&block) { Ok(block) } else { Err(unfit(4)) }
}

/// The sum of a transaction's row, its envelope included.
pub(super) fn sent_sum(s: &PastTx) -> i64 {
    let numbers = [s.seq, s.point.block, s.nonce, s.gas_limit, s.gas_used, u64::from(s.success)].map(u64::to_le_bytes);
    let fees = [s.max_fee, s.tip].map(u128::to_le_bytes);
    let mut access = Vec::new();
    for (address, slots) in &s.access {
        access.extend_from_slice(address.as_slice());
        access.extend_from_slice(&(slots.len() as u64).to_le_bytes());
        slots.iter().for_each(|slot| access.extend_from_slice(slot.as_slice()));
    }
    let maybe = |address: &Option<Address>| address.map(|a| a.to_vec()).unwrap_or_default();
    let signed = s.signed.as_ref().map(|s| [s.hash.as_slice(), &s.envelope].concat()).unwrap_or_default();
    let parts: [&[u8]; 8] = [
        numbers.as_flattened(),
        fees.as_flattened(),
        s.from.as_slice(),
        &[maybe(&s.to), maybe(&s.created)].map(|a| [&[a.len() as u8][..], &a].concat()).concat(),
        &s.value.to_be_bytes::<32>(),
        &s.data,
        &access,
        &signed,
    ];
    seal::column("transaction", &parts)
}

/// A transaction; its place within the block is known when the block is.
pub(super) fn sent(row: &Row<'_>) -> rusqlite::Result<PastTx> {
    let bytes = |i: usize| row.get_ref(i).and_then(|v| Ok(v.as_blob()?));
    let number = |i: usize| bytes(i).map(|b| U256::try_from_be_slice(b).unwrap_or_default());
    let address = |i: usize| match row.get_ref(i)?.as_blob_or_null()? {
        Some(blob) => Ok::<_, rusqlite::Error>((blob.len() == 20).then(|| Address::from_slice(blob))),
        None => Ok(None),
    };
    let signed = match row.get_ref(15)?.as_blob_or_null()? {
        Some(_) => Some(SignedOutside { hash: hash(row, 15)?, envelope: Bytes::from(bytes(16)?.to_vec()) }),
        None => None,
    };
    let data = runs::lengthen(bytes(9)?).ok_or(rusqlite::Error::InvalidQuery)?;
    let sent = PastTx {
        seq: unsigned(row, 0)?,
        point: Point { block: unsigned(row, 1)?, index: u32::MAX },
        from: address(2)?.unwrap_or_default(),
        to: address(3)?,
        value: number(4)?,
        nonce: unsigned(row, 5)?,
        gas_limit: unsigned(row, 6)?,
        max_fee: number(7)?.saturating_to(),
        tip: number(8)?.saturating_to(),
        data: data.into(),
        signed,
        access: access(bytes(10)?)?,
        success: row.get(11)?,
        gas_used: unsigned(row, 12)?,
        created: address(13)?,
    };
    if row.get::<_, i64>(14)? == sent_sum(&sent) { Ok(sent) } else { Err(unfit(14)) }
}

fn access(bytes: &[u8]) -> rusqlite::Result<Vec<(Address, Vec<B256>)>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    postcard::from_bytes(bytes).map_err(|_| rusqlite::Error::InvalidQuery)
}

/// A hash in a column.
pub(super) fn hash(row: &Row<'_>, i: usize) -> rusqlite::Result<B256> {
    let blob = row.get_ref(i)?.as_blob()?;
    B256::try_from(blob).map_err(|_| rusqlite::Error::InvalidQuery)
}

/// The database counts with signed numbers; the bits are the same.
pub(super) fn unsigned(row: &Row<'_>, i: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(i).map(i64::cast_unsigned)
}
