//! A golem's action on a fork: the very transactions that would be sent.

use super::super::deed::read_deed;
use super::super::fees::GasRule;
use super::super::owned::ReceiptOwned;
use super::Fork;
use super::evm::{Ran, Tx};
use crate::calls::{Call, log_kind, refusal};
use alloy_primitives::{Address, U256};
use golem_core::intent::Refusal;
use golem_core::{Action, HomeSum, Homeward};
use golem_venue::checks::{unsendable, unsendable_home};
use golem_venue::{Account, Done, VenueError};
use golem_wallet::abi::UniswapV3Pool as Pool;

/// Seconds that a transaction may wait; on a fork none waits at all.
const PATIENCE: u64 = 300;

impl Fork {
    pub(super) fn carry_out(&mut self, who: Address, action: &Action) -> Result<Done, VenueError> {
        let mut done = nothing(self.point());
        done.refused = unsendable(action, &self.held(who)?);
        if done.refused.is_some() {
            return Ok(done);
        }
        let (places, before) = (self.places, self.balances(who)?);
        for call in places.approvals(action) {
            self.approve(who, call, &mut done)?;
        }
        let tick = self.pool(&Pool::slot0Call {})?.tick.as_i32();
        let sent = self.as_it_stands(action)?;
        let call = places.act(who, &sent, self.open.timestamp.saturating_add(PATIENCE));
        let ran = self.as_account(who, call, &mut done)?;
        if ran.success {
            done.crossed = self.crossed_since(tick)?;
            for log in ran.logs.iter().filter(|log| log.address == places.positions) {
                read_deed(log.data.topics(), &log.data.data, &mut done);
            }
        } else {
            done.refused = Some(refusal(&ran.output));
        }
        let after = self.balances(who)?;
        done.usdc = i128::from(after.0.0) - i128::from(before.0.0);
        done.asset = difference(after.1.0, before.1.0);
        for call in places.revocations(action, taken(&done)) {
            self.approve(who, call, &mut done)?;
        }
        done.gas_charged = done.gas_used;
        if self.owned(who).is_some() {
            self.book_as_own(ReceiptOwned::of(action, &done));
        }
        Ok(done)
    }

    /// Send tokens home, by the very transaction that would be sent.
    pub(super) fn carry_home(&mut self, who: Address, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        let mut done = nothing(self.point());
        done.refused = unsendable_home(sum, Account(who.into()), way, &self.held(who)?);
        if done.refused.is_some() {
            return Ok(done);
        }
        let before = self.balances(who)?;
        let (call, value) = self.places.send_home(way, sum);
        if value > U256::from(self.coin(who)?.0) {
            return Ok(Done { refused: Some(Refusal::Funds), ..done });
        }
        let ran = self.as_account_with(who, call, value, &mut done)?;
        if !ran.success {
            done.refused = Some(refusal(&ran.output));
        }
        let after = self.balances(who)?;
        done.usdc = i128::from(after.0.0) - i128::from(before.0.0);
        done.asset = difference(after.1.0, before.1.0);
        done.gas_charged = done.gas_used;
        if self.owned(who).is_some() {
            self.book_as_own(ReceiptOwned::of(&Action::Home { sum }, &done));
        }
        Ok(done)
    }

    fn approve(&mut self, who: Address, call: Call, done: &mut Done) -> Result<(), VenueError> {
        let ran = self.as_account(who, call, done)?;
        if ran.success { Ok(()) } else { Err(VenueError::Changed("a token refuses an approval".into())) }
    }

    fn as_account(&mut self, from: Address, call: Call, done: &mut Done) -> Result<Ran, VenueError> {
        self.as_account_with(from, call, U256::ZERO, done)
    }

    fn as_account_with(&mut self, from: Address, call: Call, value: U256, done: &mut Done) -> Result<Ran, VenueError> {
        let below = self.data_fee(call.to, &call.data, value)?;
        let ran = self.send(Tx { value, ..self.call(from, call.to, call.data) })?;
        done.gas_used = done.gas_used.saturating_add(ran.gas_used);
        if self.rule != GasRule::Ethereum {
            let gas = u128::from(ran.gas_used).saturating_mul(u128::from(self.open.base_fee));
            done.wei = Some(done.wei.unwrap_or_default().saturating_add(gas).saturating_add(below));
        }
        done.logs.extend(ran.logs.iter().map(|log| log_kind(log.data.topics())));
        Ok(ran)
    }
}

/// What an action has done that has done nothing yet.
pub(crate) fn nothing(point: golem_core::Point) -> Done {
    Done::nothing(point, None)
}

/// USDC and asset that an action took.
pub(crate) fn taken(done: &Done) -> [u128; 2] {
    [done.usdc, done.asset].map(|x| u128::try_from(x.saturating_neg()).unwrap_or_default())
}

fn difference(after: u128, before: u128) -> i128 {
    let apart = i128::try_from(after.abs_diff(before)).unwrap_or(i128::MAX);
    if after < before { -apart } else { apart }
}
