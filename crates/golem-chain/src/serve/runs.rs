//! Receipts of blocks that were lately asked for. Logs are not stored on the chain: a block's transactions are run again
//! where they stood, all in one go, and what came of it is kept for a while.

use super::fault::ServeFault;
use crate::embedded::{EmbeddedChain, PastTx, SignedOutside, Tx};
use alloy_primitives::{B256, Bloom, Log};
use golem_core::Point;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of logs that are kept, counted roughly.
const ROOM: usize = 32 << 20;

/// A transaction that happened, with its logs.
#[derive(Debug)]
pub(super) struct TxRun {
    pub sent: PastTx,
    pub hash: B256,
    pub logs: Vec<Log>,
    /// Gas used by the block up to and with this one.
    pub gas_so_far: u64,
    /// Logs of the block before this one's.
    pub first_log: usize,
}

impl TxRun {
    pub fn bloom(&self) -> Bloom {
        self.logs.iter().collect()
    }
    fn size(&self) -> usize {
        self.logs.iter().map(|log| 200 + log.data.data.len()).sum::<usize>() + 500 + self.sent.data.len()
    }
}

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Runs {
    kept: BTreeMap<u64, Arc<Vec<TxRun>>>,
    order: VecDeque<(u64, usize)>,
    size: usize,
}

impl Runs {
    pub fn has(&self, number: u64) -> bool {
        self.kept.contains_key(&number)
    }

    /// The transactions of a closed block with their logs.
    pub fn of(&mut self, chain: &mut EmbeddedChain, number: u64) -> Result<Arc<Vec<TxRun>>, ServeFault> {
        if let Some(runs) = self.kept.get(&number) {
            return Ok(Arc::clone(runs));
        }
        let runs = Arc::new(run_again(chain, number)?);
        let size = runs.iter().map(TxRun::size).sum::<usize>() + 100;
        self.size += size;
        self.order.push_back((number, size));
        self.kept.insert(number, Arc::clone(&runs));
        while self.size > ROOM {
            let Some((oldest, size)) = self.order.pop_front() else { break };
            self.kept.remove(&oldest);
            self.size = self.size.saturating_sub(size);
        }
        Ok(runs)
    }
}

fn run_again(chain: &mut EmbeddedChain, number: u64) -> Result<Vec<TxRun>, ServeFault> {
    let count = chain.block(number)?.map_or(0, |seen| seen.transactions);
    let mut runs = Vec::new();
    if count == 0 {
        return Ok(runs);
    }
    let (mut gas_so_far, mut first_log) = (0u64, 0);
    let mut there = chain.fork(Point { block: number, index: 0 })?;
    for index in 0..count {
        let lost = || ServeFault::bug(format!("transaction {index} of block {number} is not in its history"));
        let sent = chain.transaction(Point { block: number, index })?.ok_or_else(lost)?;
        let hash = chain.name_of(&sent);
        let signed = sent.signed.clone().unwrap_or(SignedOutside { hash, envelope: Default::default() });
        let ran = there.submit(&again(&sent), signed)?;
        if (ran.success, ran.gas_used, ran.created) != (sent.success, sent.gas_used, sent.created) {
            return Err(ServeFault::bug(format!("the transaction at {} ends otherwise than it did", sent.point)));
        }
        gas_so_far = gas_so_far.saturating_add(sent.gas_used);
        let logs = ran.logs.len();
        runs.push(TxRun { sent, hash, logs: ran.logs, gas_so_far, first_log });
        first_log += logs;
    }
    Ok(runs)
}

/// A transaction that happened, to be run again.
fn again(sent: &PastTx) -> Tx {
    Tx {
        from: sent.from,
        to: sent.to,
        value: sent.value,
        data: sent.data.clone(),
        gas_limit: sent.gas_limit,
        nonce: Some(sent.nonce),
        max_fee: sent.max_fee,
        tip: sent.tip,
        access: sent.access.clone(),
    }
}
