//! The paper venue's state as bytes and back. What is read is checked: bytes that no venue could have written are refused.

use super::state::{PaperHolder, PaperState};
use crate::deed::Deed;
use crate::observations::{Observations, Stood};
use crate::pool::{Owner, Pool, PoolError, PoolParts, PoolTick, Stake};
use crate::spot::{number, wide};
use crate::venue::Account;
use golem_core::intent::Asset;
use golem_core::venue::{Range, Wide};
use golem_core::{Point, Usdc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Raised whenever the form below changes.
const FORM: u32 = 2;

/// Why bytes are not a saved venue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// Not the bytes of a saved venue.
    #[error("not a saved venue: {0}")]
    Bytes(#[from] postcard::Error),
    /// Of another form.
    #[error("a saved venue of form {0}, and this program reads form {FORM}")]
    Form(u32),
    /// Numbers that no pool can have.
    #[error("a saved venue whose pool cannot be: {0}")]
    Pool(#[from] PoolError),
    /// Observations that no pool can have.
    #[error("a saved venue whose observations cannot be")]
    Observations,
}

#[derive(Serialize, Deserialize)]
struct SavedPaper {
    form: u32,
    point: Point,
    timestamp: u64,
    base_fee: u128,
    usdc_is_token0: bool,
    next_deed: u64,
    sqrt_price: Wide,
    tick: i32,
    liquidity: u128,
    fee_growth: [Wide; 2],
    held: [u128; 2],
    ticks: Vec<(i32, u128, i128, [Wide; 2])>,
    stakes: Vec<(bool, Range, SavedStake)>,
    accounts: Vec<(Account, SavedHolder)>,
    stood: Vec<(u64, i32)>,
}

/// Liquidity, fee growth inside, owed.
type SavedStake = (u128, [Wide; 2], [u128; 2]);

/// Deposits, USDC, asset, and the deed: its number, range and the rest.
type SavedHolder = (Usdc, Usdc, Asset, Option<(u64, Range, SavedStake)>);

pub(super) fn to_bytes(state: &PaperState) -> Result<Vec<u8>, postcard::Error> {
    let pool = state.pool.parts();
    let stakes = pool.stakes.into_iter();
    let accounts = state.accounts.iter().map(|(who, h)| {
        let deed = h.deed.map(|d| (d.id, d.range, (d.liquidity, d.inside.map(wide), d.owed)));
        (*who, (h.deposits, h.usdc, h.asset, deed))
    });
    postcard::to_stdvec(&SavedPaper {
        form: FORM,
        point: state.point,
        timestamp: state.timestamp,
        base_fee: state.base_fee,
        usdc_is_token0: state.usdc_is_token0,
        next_deed: state.next_deed,
        sqrt_price: wide(pool.sqrt_price),
        tick: pool.tick,
        liquidity: pool.liquidity,
        fee_growth: pool.fee_growth.map(wide),
        held: pool.held,
        ticks: pool.ticks.iter().map(|t| (t.at, t.gross, t.net, t.outside.map(wide))).collect(),
        stakes: stakes.map(|(o, r, s)| (o == Owner::Market, r, (s.liquidity, s.inside.map(wide), s.owed))).collect(),
        accounts: accounts.collect(),
        stood: state.observations.iter().map(|stood| (stood.since, stood.tick)).collect(),
    })
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<PaperState, RestoreError> {
    // The form comes first, so that bytes of another one can be named.
    let (form, _) = postcard::take_from_bytes::<u32>(bytes)?;
    if form != FORM {
        return Err(RestoreError::Form(form));
    }
    let saved: SavedPaper = postcard::from_bytes(bytes)?;
    let tick = |(at, gross, net, outside): (i32, u128, i128, [Wide; 2])| PoolTick {
        at,
        gross,
        net,
        outside: outside.map(number),
    };
    let stake = |(market, range, (liquidity, inside, owed)): (bool, Range, SavedStake)| {
        let owner = if market { Owner::Market } else { Owner::Positions };
        (owner, range, Stake { liquidity, inside: inside.map(number), owed })
    };
    let pool = Pool::from_parts(PoolParts {
        sqrt_price: number(saved.sqrt_price),
        tick: saved.tick,
        liquidity: saved.liquidity,
        fee_growth: saved.fee_growth.map(number),
        held: saved.held,
        ticks: saved.ticks.into_iter().map(tick).collect(),
        stakes: saved.stakes.into_iter().map(stake).collect(),
    })?;
    let accounts = saved.accounts.into_iter().map(|(who, (deposits, usdc, asset, deed))| {
        let deed = deed.map(|(id, range, (liquidity, inside, owed))| Deed {
            id,
            range,
            liquidity,
            inside: inside.map(number),
            owed,
        });
        (who, PaperHolder { deposits, usdc, asset, deed })
    });
    let stood = saved.stood.into_iter().map(|(since, tick)| Stood { since, tick });
    Ok(PaperState {
        observations: Observations::of(stood).ok_or(RestoreError::Observations)?,
        pool,
        accounts: Arc::new(accounts.collect()),
        next_deed: saved.next_deed,
        point: saved.point,
        timestamp: saved.timestamp,
        base_fee: saved.base_fee,
        usdc_is_token0: saved.usdc_is_token0,
    })
}
