//! A golem's action on a fork: the very transactions that would be sent.

use super::Fork;
use super::evm::Ran;
use crate::calls::{Call, log_kind, refusal};
use alloy_primitives::Address;
use golem_core::Action;
use golem_venue::checks::{Held, unsendable};
use golem_venue::{Done, VenueError};
use golem_wallet::abi::UniswapV3Pool as Pool;

/// Seconds that a transaction may wait; on a fork none waits at all.
const PATIENCE: u64 = 300;

impl Fork {
    pub(super) fn carry_out(&mut self, who: Address, action: &Action) -> Result<Done, VenueError> {
        let before = self.held(who)?;
        let mut done = nothing(self.point());
        done.refused = unsendable(action, &before);
        if done.refused.is_some() {
            return Ok(done);
        }
        let places = self.places;
        for call in places.approvals(action) {
            self.approve(who, call, &mut done)?;
        }
        let tick = self.pool(&Pool::slot0Call {})?.tick.as_i32();
        let call = places.act(who, action, self.open.timestamp.saturating_add(PATIENCE));
        let ran = self.as_account(who, call, &mut done)?;
        if ran.success {
            done.crossed = self.crossed_since(tick)?;
        } else {
            done.refused = Some(refusal(&ran.output));
        }
        let after = self.held(who)?;
        changes(&mut done, action, &before, &after);
        for call in places.revocations(action, taken(&done)) {
            self.approve(who, call, &mut done)?;
        }
        done.gas_charged = done.gas_used;
        Ok(done)
    }

    fn approve(&mut self, who: Address, call: Call, done: &mut Done) -> Result<(), VenueError> {
        let ran = self.as_account(who, call, done)?;
        if ran.success { Ok(()) } else { Err(VenueError::Changed("a token refuses an approval".into())) }
    }

    fn as_account(&mut self, from: Address, call: Call, done: &mut Done) -> Result<Ran, VenueError> {
        let ran = self.send(self.call(from, call.to, call.data))?;
        done.gas_used = done.gas_used.saturating_add(ran.gas_used);
        done.logs.extend(ran.logs.iter().map(|log| log_kind(log.data.topics())));
        Ok(ran)
    }
}

/// What an action has done that has done nothing yet.
pub(crate) fn nothing(point: golem_core::Point) -> Done {
    Done {
        refused: None,
        usdc: 0,
        asset: 0,
        liquidity: 0,
        position: None,
        crossed: 0,
        gas_charged: 0,
        gas_used: 0,
        logs: Vec::new(),
        point,
    }
}

/// Note how what is held has changed.
fn changes(done: &mut Done, action: &Action, before: &Held, after: &Held) {
    done.usdc = i128::from(after.usdc.0) - i128::from(before.usdc.0);
    done.asset = difference(after.asset.0, before.asset.0);
    if done.refused.is_none() && !matches!(action, Action::Buy { .. } | Action::Sell { .. }) {
        let liquidity = |held: &Held| held.position.map_or(0, |(_, _, liquidity)| liquidity);
        done.liquidity = difference(liquidity(after), liquidity(before));
        done.position = after.position.or(before.position).map(|(id, ..)| id);
    }
}

/// USDC and asset that an action took.
pub(crate) fn taken(done: &Done) -> [u128; 2] {
    [done.usdc, done.asset].map(|x| u128::try_from(x.saturating_neg()).unwrap_or_default())
}

fn difference(after: u128, before: u128) -> i128 {
    let apart = i128::try_from(after.abs_diff(before)).unwrap_or(i128::MAX);
    if after < before { -apart } else { apart }
}
