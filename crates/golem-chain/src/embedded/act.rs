//! Sending: a transaction into the open block; and a golem's action, as the transactions it stands for.

use super::machine::{self, Mode, NotRun};
use super::trail::{PastTx, SignedOutside};
use super::{ChainError, EmbeddedChain, layout};
use crate::calls::{Call, log_kind, refusal};
use crate::evm::{Ran, Tx};
use alloy_primitives::{Address, Log, U256};
use alloy_sol_types::SolEvent;
use golem_core::intent::Refusal;
use golem_core::venue::LogKind;
use golem_core::{Action, HomeSum, Homeward, Point};
use golem_venue::checks::{unsendable, unsendable_home};
use golem_venue::{Account, Done, gas};
use golem_wallet::abi::UniswapV3Pool;
use std::sync::Arc;

/// Gas for whatever a golem does: hundreds of ticks may be crossed.
const GAS: u64 = 15_000_000;
/// Seconds that a golem's transaction may wait. Here none waits at all.
const PATIENCE: u64 = 300;

impl EmbeddedChain {
    /// Where the next transaction will stand.
    pub(super) fn point(&self) -> Point {
        let index = u32::try_from(self.seq - self.open.first).unwrap_or(u32::MAX);
        Point { block: self.open.number, index }
    }

    /// Run a transaction in the open block, and keep what it did.
    pub(super) fn send(&mut self, tx: &Tx, signed: Option<SignedOutside>) -> Result<Ran, NotRun> {
        let unread = |e: super::stored::StateError| NotRun::State(e.0);
        let nonce = match tx.nonce {
            Some(nonce) => nonce,
            None => self.state.info(tx.from).map_err(unread)?.nonce,
        };
        let (ran, done) = machine::run(&mut self.state, self.chain_id, &self.open, tx, Mode::Real)?;
        let point = self.point();
        let trail = Arc::make_mut(&mut self.trail);
        self.state.apply(done, self.seq, &mut trail.changes).map_err(unread)?;
        trail.sent.push(PastTx {
            seq: self.seq,
            point,
            from: tx.from,
            to: tx.to,
            value: tx.value,
            nonce,
            gas_limit: tx.gas_limit,
            max_fee: tx.max_fee,
            tip: tx.tip,
            data: tx.data.clone(),
            access: tx.access.clone(),
            signed,
            success: ran.success,
            gas_used: ran.gas_used,
            created: ran.created,
        });
        self.seq += 1;
        ran.logs.iter().for_each(|log| self.heed(log));
        Ok(ran)
    }

    /// Take the last transaction back, as if it had not been sent. Only one that reverted, and was not written yet.
    pub(super) fn take_back(&mut self) -> Result<(), ChainError> {
        let trail = Arc::make_mut(&mut self.trail);
        if trail.sent.pop().is_none() {
            return Err(ChainError::Bug("there is nothing to take back".to_owned()));
        }
        self.seq -= 1;
        let kept = trail.changes.partition_point(|change| change.seq < self.seq);
        let undone = trail.changes.split_off(kept);
        Ok(self.state.undo(undone.iter().rev())?)
    }

    /// Remember ticks at which liquidity begins or ends, whoever put it there.
    fn heed(&mut self, log: &Log) {
        let topics = log.data.topics();
        if log.address != self.site.places.pool || topics.first() != Some(&UniswapV3Pool::Mint::SIGNATURE_HASH) {
            return;
        }
        for topic in topics.iter().skip(2) {
            let low = [topic[28], topic[29], topic[30], topic[31]];
            let tick = i32::from_be_bytes(low);
            if !self.ticks.contains_key(&tick) {
                Arc::make_mut(&mut self.ticks).insert(tick, layout::tick_slot(tick));
                self.new_ticks = true;
            }
        }
    }

    /// Initialised ticks between where the pool was and where it is: those that were crossed.
    pub(super) fn crossed_since(&mut self, before: i32) -> Result<u32, ChainError> {
        let pool = self.site.places.pool;
        let now = layout::slot0(&mut self.state, pool)?.tick;
        if now == before {
            return Ok(0);
        }
        let (above, until) = (before.min(now), before.max(now));
        Ok(layout::initialised(&mut self.state, pool, above, until)?)
    }

    pub(super) fn carry_out(&mut self, who: Account, action: &Action) -> Result<Done, ChainError> {
        let address = Address::from(who.0);
        let before = self.held(address)?;
        let mut done = Done::nothing(self.point(), unsendable(action, &before));
        if done.refused.is_some() {
            return Ok(done);
        }
        let places = self.site.places;
        for call in places.approvals(action) {
            self.approve(address, call, &mut done)?;
        }
        let tick = layout::slot0(&mut self.state, places.pool)?.tick;
        let call = places.act(address, action, self.open.timestamp.saturating_add(PATIENCE));
        let ran = self.as_account(address, call, &mut done)?;
        if ran.success {
            done.crossed = self.crossed_since(tick)?;
        } else {
            done.refused = Some(refusal(&ran.output));
        }
        let after = self.held(address)?;
        done.usdc = i128::from(after.usdc.0) - i128::from(before.usdc.0);
        done.asset = difference(after.asset.0, before.asset.0);
        if ran.success && matches!(action, Action::Mint { .. } | Action::Burn { .. } | Action::Collect { .. }) {
            let liquidity =
                |held: &golem_venue::checks::AccountHeld| held.position.map_or(0, |(_, _, liquidity)| liquidity);
            done.liquidity = difference(liquidity(&after), liquidity(&before));
            done.position = after.position.or(before.position).map(|(id, ..)| id);
        }
        let taken = [done.usdc, done.asset].map(|x| u128::try_from(-x).unwrap_or_default());
        let revocations = places.revocations(action, taken);
        let revoked = u32::try_from(revocations.len()).unwrap_or(u32::MAX);
        for call in revocations {
            self.approve(address, call, &mut done)?;
        }
        done.gas_charged = gas::charged(action, done.crossed, revoked, done.refused.is_some());
        Ok(done)
    }

    /// Send tokens home. The coin of this chain is its own making and stays in it.
    pub(super) fn carry_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, ChainError> {
        let address = Address::from(who.0);
        let before = self.held(address)?;
        let mut done = Done::nothing(self.point(), unsendable_home(sum, who, way, &before));
        if let HomeSum::Coin(_) = sum {
            done.refused = Some(Refusal::Denied);
        }
        if done.refused.is_some() {
            return Ok(done);
        }
        let (call, _) = self.site.places.send_home(way, sum);
        let ran = self.as_account(address, call, &mut done)?;
        if !ran.success {
            done.refused = Some(refusal(&ran.output));
        }
        let after = self.held(address)?;
        done.usdc = i128::from(after.usdc.0) - i128::from(before.usdc.0);
        done.asset = difference(after.asset.0, before.asset.0);
        done.gas_charged = gas::charged(&Action::Home { sum }, 0, 0, done.refused.is_some());
        Ok(done)
    }

    fn approve(&mut self, who: Address, call: Call, done: &mut Done) -> Result<(), ChainError> {
        let ran = self.as_account(who, call, done)?;
        if ran.success { Ok(()) } else { Err(ChainError::Bug("an approval reverted".to_owned())) }
    }

    fn as_account(&mut self, from: Address, call: Call, done: &mut Done) -> Result<Ran, ChainError> {
        let (to, max_fee) = (Some(call.to), u128::from(self.open.base_fee));
        let tx = Tx { from, to, data: call.data, gas_limit: GAS, max_fee, value: U256::ZERO, ..Tx::default() };
        let ran = self.send(&tx, None)?;
        done.gas_used = done.gas_used.saturating_add(ran.gas_used);
        done.logs.extend(kinds(&ran.logs));
        Ok(ran)
    }
}

fn kinds(logs: &[Log]) -> impl Iterator<Item = LogKind> {
    logs.iter().map(|log| log_kind(log.data.topics()))
}

fn difference(after: u128, before: u128) -> i128 {
    let apart = i128::try_from(after.abs_diff(before)).unwrap_or(i128::MAX);
    if after < before { -apart } else { apart }
}
