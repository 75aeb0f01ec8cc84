//! Where the contracts keep things: reads by storage slot, without running any code. A test holds each of them against
//! what the contracts say themselves.

use super::state::ChainState;
use super::stored::StateError;
use alloy_primitives::{Address, U256, keccak256};
use golem_core::venue::Range;
use golem_venue::deed::Deed;
use golem_venue::pool::{PoolTick, SPACING, Stake};

/// Slots of the pool.
mod pool {
    pub const SLOT0: u64 = 0;
    pub const FEE_GROWTH: [u64; 2] = [1, 2];
    pub const LIQUIDITY: u64 = 4;
    pub const TICKS: u64 = 5;
    pub const BITMAP: u64 = 6;
    pub const POSITIONS: u64 = 7;
    pub const OBSERVATIONS: u64 = 8;
}

/// Slots of the position manager.
mod positions {
    pub const HOLDERS: u64 = 1;
    pub const POOLS: u64 = 10;
    pub const POSITIONS: u64 = 12;
}

/// How many positions of an account are looked at: it opens one at most.
const MOST_POSITIONS: u64 = 8;

/// The slot of a mapping's value.
pub(super) fn mapped(key: U256, slot: u64) -> U256 {
    let mut seed = [0; 64];
    seed[..32].copy_from_slice(&key.to_be_bytes::<32>());
    seed[56..].copy_from_slice(&slot.to_be_bytes());
    keccak256(seed).into()
}

/// The slot of a mapping's value, by address.
pub(super) fn mapped_address(key: Address, slot: u64) -> U256 {
    mapped(key.into_word().into(), slot)
}

/// A number of so many bits, out of a packed slot.
fn bits(value: U256, from: usize, count: usize) -> U256 {
    (value >> from) & ((U256::from(1) << count) - U256::from(1))
}

fn low(value: U256) -> u128 {
    bits(value, 0, 128).saturating_to()
}

fn high(value: U256) -> u128 {
    (value >> 128usize).saturating_to()
}

/// A signed tick of 24 bits.
fn tick24(value: U256, from: usize) -> i32 {
    let raw: u32 = bits(value, from, 24).saturating_to();
    (raw << 8).cast_signed() >> 8
}

fn signed_key(tick: i32) -> U256 {
    let wide = U256::from(tick.unsigned_abs());
    if tick < 0 { wide.wrapping_neg() } else { wide }
}

/// What everybody can see of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot0 {
    pub sqrt_price: U256,
    pub tick: i32,
    pub observation: u16,
    pub cardinality: u16,
}

pub(super) fn slot0(state: &mut ChainState, pool: Address) -> Result<Slot0, StateError> {
    let value = state.slot(pool, U256::from(pool::SLOT0))?;
    Ok(Slot0 {
        sqrt_price: bits(value, 0, 160),
        tick: tick24(value, 160),
        observation: bits(value, 184, 16).saturating_to(),
        cardinality: bits(value, 200, 16).saturating_to(),
    })
}

pub(super) fn liquidity(state: &mut ChainState, pool: Address) -> Result<u128, StateError> {
    state.slot(pool, U256::from(pool::LIQUIDITY)).map(low)
}

pub(super) fn fee_growth(state: &mut ChainState, pool: Address) -> Result<[U256; 2], StateError> {
    let [a, b] = pool::FEE_GROWTH.map(|slot| state.slot(pool, U256::from(slot)));
    Ok([a?, b?])
}

/// An observation of the pool: its time, and the sum of ticks over seconds. The time is 0 where none was written yet: the
/// pool marks places that it has only made room for.
pub(super) fn observation(state: &mut ChainState, pool: Address, index: u16) -> Result<(u32, i64), StateError> {
    let value = state.slot(pool, U256::from(pool::OBSERVATIONS + u64::from(index)))?;
    if !value.bit(248) {
        return Ok((0, 0));
    }
    let raw: u64 = bits(value, 32, 56).saturating_to();
    Ok((bits(value, 0, 32).saturating_to(), (raw << 8).cast_signed() >> 8))
}

/// The slot at which a tick's numbers begin.
pub(super) fn tick_slot(tick: i32) -> U256 {
    mapped(signed_key(tick), pool::TICKS)
}

/// A tick with its liquidity; with its fees too, where they are wanted. None when it is not initialised.
pub(super) fn tick(
    state: &mut ChainState,
    pool: Address,
    at: i32,
    slot: U256,
    with_fees: bool,
) -> Result<Option<PoolTick>, StateError> {
    let value = state.slot(pool, slot)?;
    let (gross, net) = (low(value), high(value).cast_signed());
    if gross == 0 {
        return Ok(None);
    }
    let mut outside = [U256::ZERO; 2];
    if with_fees {
        for (i, growth) in outside.iter_mut().enumerate() {
            *growth = state.slot(pool, slot + U256::from(i + 1))?;
        }
    }
    Ok(Some(PoolTick { at, gross, net, outside }))
}

/// One word of the pool's bitmap of initialised ticks.
pub(super) fn bitmap(state: &mut ChainState, pool: Address, word: i32) -> Result<U256, StateError> {
    state.slot(pool, mapped(signed_key(word), pool::BITMAP))
}

/// How many ticks above one tick, up to another, are initialised.
pub(super) fn initialised(state: &mut ChainState, pool: Address, above: i32, until: i32) -> Result<u32, StateError> {
    let (first, last) = (above.div_euclid(SPACING) + 1, until.div_euclid(SPACING));
    let mut count = 0;
    for word in first >> 8..=last >> 8 {
        let mut bits = bitmap(state, pool, word)?;
        // Bits of the first and the last word that lie outside.
        let below = usize::try_from(first - word * 256).unwrap_or_default();
        let beyond = usize::try_from(255 - (last - word * 256)).unwrap_or_default();
        bits = (bits >> below) << below;
        bits = (bits << beyond) >> beyond;
        count += bits.count_ones();
    }
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// What an owner has in a range, as the pool keeps it.
pub(super) fn stake(state: &mut ChainState, pool: Address, owner: Address, range: Range) -> Result<Stake, StateError> {
    let mut seed = [0; 26];
    seed[..20].copy_from_slice(owner.as_slice());
    seed[20..23].copy_from_slice(&range.lower.to_be_bytes()[1..]);
    seed[23..].copy_from_slice(&range.upper.to_be_bytes()[1..]);
    let slot = mapped(keccak256(seed).into(), pool::POSITIONS);
    let mut read = |i: u64| state.slot(pool, slot + U256::from(i));
    let (liquidity, inside, owed) = (low(read(0)?), [read(1)?, read(2)?], read(3)?);
    Ok(Stake { liquidity, inside, owed: [low(owed), high(owed)] })
}

/// The first position in a pool that an account holds with the position manager. Others may send it positions of their
/// own making; those in another pool are not looked at.
pub(super) fn deed(
    state: &mut ChainState,
    manager: Address,
    pool: Address,
    who: Address,
) -> Result<Option<Deed>, StateError> {
    let held = mapped_address(who, positions::HOLDERS);
    let count = state.slot(manager, held)?.min(U256::from(MOST_POSITIONS));
    if count.is_zero() {
        return Ok(None);
    }
    let ours = bits(state.slot(manager, mapped_address(pool, positions::POOLS))?, 0, 80);
    let list: U256 = keccak256(held.to_be_bytes::<32>()).into();
    for i in 0..count.saturating_to() {
        let id = state.slot(manager, list + U256::from::<u64>(i))?;
        let slot = mapped(id, positions::POSITIONS);
        let mut read = |i: u64| state.slot(manager, slot + U256::from(i));
        let packed = read(1)?;
        if bits(packed, 0, 80) == ours {
            let (inside, owed) = ([read(2)?, read(3)?], read(4)?);
            let range = Range { lower: tick24(packed, 80), upper: tick24(packed, 104) };
            let (liquidity, owed) = (high(packed), [low(owed), high(owed)]);
            return Ok(Some(Deed { id: id.saturating_to(), range, liquidity, inside, owed }));
        }
    }
    Ok(None)
}

/// Dollars of an account.
pub(super) fn usdc(state: &mut ChainState, token: Address, who: Address) -> Result<U256, StateError> {
    state.slot(token, mapped_address(who, 1))
}

/// Wrapped ether of an account.
pub(super) fn weth(state: &mut ChainState, token: Address, who: Address) -> Result<U256, StateError> {
    state.slot(token, mapped_address(who, 0))
}

/// Everything that the market's hands ever gave an account.
pub(super) fn given(state: &mut ChainState, maker: Address, who: Address) -> Result<U256, StateError> {
    state.slot(maker, mapped_address(who, 0))
}

/// What a v2 pair holds of token0 and token1, by its own books.
pub(super) fn reserves(state: &mut ChainState, pair: Address) -> Result<[U256; 2], StateError> {
    let value = state.slot(pair, U256::from(8))?;
    Ok([bits(value, 0, 112), bits(value, 112, 112)])
}
