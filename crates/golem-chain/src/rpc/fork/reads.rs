//! What the contracts say of themselves: every read is a call, so that tokens of any layout, also behind a proxy, are
//! read right.

use super::super::proxied::{Beacon, beacon_slot, implementation_slots};
use super::Fork;
use super::evm::{self, Tx};
use alloy_primitives::aliases::I24;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use golem_core::intent::Asset;
use golem_core::venue::{Gifts, PoolSeen, Range};
use golem_core::{Action, Hash, Usdc};
use golem_venue::checks::AccountHeld;
use golem_venue::pool::{FEE, SPACING};
use golem_venue::spot::{ordered, wide};
use golem_venue::{VenueError, View};
use golem_wallet::abi::{Erc20, NonfungiblePositionManager as Positions, UniswapV3Pool as Pool};

/// How many positions of an account are looked through for one in the pool.
const LOOKED_THROUGH: u64 = 16;

/// An open position, as the position manager tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeedSeen {
    pub(super) id: u64,
    pub(super) range: Range,
    pub(super) liquidity: u128,
    /// Liquidity in it that its owner never booked: anybody can add to anybody's position.
    pub(super) beyond: u128,
}

impl Fork {
    /// What a contract answers to somebody; nothing of it is kept.
    pub(super) fn ask<C: SolCall>(&mut self, from: Address, to: Address, call: &C) -> Result<C::Return, VenueError> {
        let answer = self.answer(from, to, call)?;
        answer.ok_or_else(|| VenueError::Changed(format!("{to} does not answer {}: it reverted", C::SIGNATURE)))
    }

    /// The same, of a contract that may refuse to answer.
    pub(in super::super) fn try_ask<C: SolCall>(
        &mut self,
        to: Address,
        call: &C,
    ) -> Result<Option<C::Return>, VenueError> {
        self.answer(Address::ZERO, to, call)
    }

    fn answer<C: SolCall>(&mut self, from: Address, to: Address, call: &C) -> Result<Option<C::Return>, VenueError> {
        let tx: Tx = self.call(from, to, call.abi_encode().into());
        let (ran, _) = evm::run(&mut self.state, self.stage.chain_id, &self.open, &tx)?;
        if !ran.success {
            return Ok(None);
        }
        let wrong = |_| VenueError::Changed(format!("{to} does not answer {}: something else came", C::SIGNATURE));
        C::abi_decode_returns(&ran.output).map(Some).map_err(wrong)
    }

    pub(super) fn pool<C: SolCall>(&mut self, call: &C) -> Result<C::Return, VenueError> {
        self.ask(Address::ZERO, self.places.pool, call)
    }

    pub(in super::super) fn pool_seen(&mut self) -> Result<PoolSeen, VenueError> {
        let slot0 = self.pool(&Pool::slot0Call {})?;
        let liquidity = self.pool(&Pool::liquidityCall {})?;
        let sqrt_price_x96 = wide(U256::from(slot0.sqrtPriceX96));
        Ok(PoolSeen { sqrt_price_x96, tick: slot0.tick.as_i32(), liquidity })
    }

    pub(super) fn see(&mut self) -> Result<View, VenueError> {
        let growth = [self.pool(&Pool::feeGrowthGlobal0X128Call {})?, self.pool(&Pool::feeGrowthGlobal1X128Call {})?];
        Ok(View {
            point: self.point(),
            timestamp: self.open.timestamp,
            base_fee: u128::from(self.open.base_fee),
            pool: self.pool_seen()?,
            fee_growth: growth.map(wide),
            usdc_is_token0: self.places.usdc_is_token0(),
            code: self.code()?,
        })
    }

    /// Hash over the code of the contracts that golems use, as found; the same formula as on a chain of our own.
    fn code(&mut self) -> Result<Hash, VenueError> {
        let p = self.places;
        let mut hasher = blake3::Hasher::new();
        for address in [p.usdc, p.weth, p.pool, p.factory, p.router, p.positions] {
            hasher.update(self.code_hash(address)?.as_slice());
            // What a proxy runs is part of what it is.
            let mut pointers = Vec::new();
            for slot in implementation_slots() {
                pointers.extend(self.pointer(address, slot)?);
            }
            if let Some(beacon) = self.pointer(address, beacon_slot())? {
                pointers.extend([beacon, self.ask(address, beacon, &Beacon::implementationCall {})?]);
            }
            for at in pointers {
                hasher.update(self.code_hash(at)?.as_slice());
            }
        }
        Ok(Hash(*hasher.finalize().as_bytes()))
    }

    fn code_hash(&mut self, at: Address) -> Result<B256, VenueError> {
        use revm::Database;
        let info = self.state.basic(at).map_err(|e| VenueError::Unreachable(e.to_string()))?;
        Ok(info.map(|i| i.code_hash).unwrap_or_default())
    }

    /// The address that a slot holds.
    fn pointer(&mut self, of: Address, slot: U256) -> Result<Option<Address>, VenueError> {
        use revm::Database;
        let word = self.state.storage(of, slot).map_err(|e| VenueError::Unreachable(e.to_string()))?;
        Ok((!word.is_zero()).then(|| Address::from_word(word.into())))
    }

    pub(super) fn balance(&mut self, token: Address, who: Address) -> Result<U256, VenueError> {
        self.ask(Address::ZERO, token, &Erc20::balanceOfCall { account: who })
    }

    /// USDC and asset of an account.
    pub(in super::super) fn balances(&mut self, who: Address) -> Result<(Usdc, Asset), VenueError> {
        let (usdc, weth) = (self.places.usdc, self.places.weth);
        let (usdc, asset) = (self.balance(usdc, who)?, self.balance(weth, who)?);
        Ok((Usdc(usdc.saturating_to()), Asset(asset.saturating_to())))
    }

    /// USDC and asset of an account, without what was never booked of the asset.
    pub(super) fn holds(&mut self, who: Address) -> Result<(Usdc, Asset), VenueError> {
        let (usdc, asset) = self.balances(who)?;
        Ok((usdc, self.owned(who).map_or(asset, |owned| asset.min(owned.asset()))))
    }

    /// The position of an account in the pool: the one that its own receipts opened. Where they are not known, the first.
    pub(super) fn deed(&mut self, who: Address) -> Result<Option<DeedSeen>, VenueError> {
        let Some(owned) = self.owned(who) else { return self.first_deed(who) };
        let Some((id, booked)) = owned.position() else { return Ok(None) };
        // After a reorganisation the number may be somebody else's, or nobody's.
        let (positions, number) = (self.places.positions, U256::from(id));
        let owner = self.try_ask(positions, &Positions::ownerOfCall { tokenId: number })?;
        if owner != Some(who) {
            return Ok(None);
        }
        let deed = self.ask(Address::ZERO, positions, &Positions::positionsCall { tokenId: number })?;
        let range = Range { lower: deed.tickLower.as_i32(), upper: deed.tickUpper.as_i32() };
        let liquidity = deed.liquidity.min(booked);
        let found = DeedSeen { id, range, liquidity, beyond: deed.liquidity - liquidity };
        Ok(self.is_ours(deed.token0, deed.token1, deed.fee.to()).then_some(found))
    }

    /// Whether a position with these tokens and this fee lies in the pool.
    fn is_ours(&self, token0: Address, token1: Address, fee: u32) -> bool {
        let p = self.places;
        [token0, token1] == ordered(p.usdc_is_token0(), p.usdc, p.weth) && fee == FEE
    }

    /// An action as it can be sent to a position: one that holds more than its owner booked is emptied of what was booked,
    /// and its deed stays, since the manager only takes back an empty one.
    pub(in super::super) fn as_it_stands(&mut self, action: &Action) -> Result<Action, VenueError> {
        let mut sent = *action;
        if let Action::Burn { position, liquidity, close, .. } = &mut sent
            && *close
        {
            let read = Positions::positionsCall { tokenId: U256::from(*position) };
            let deed = self.try_ask(self.places.positions, &read)?;
            *close = deed.is_none_or(|deed| deed.liquidity <= *liquidity);
        }
        Ok(sent)
    }

    /// What stands in an account that it never booked.
    pub(in super::super) fn gifts(&mut self, who: Address) -> Result<Gifts, VenueError> {
        let (_, asset) = self.balances(who)?;
        let deed = self.deed(who)?;
        let count = self.ask(Address::ZERO, self.places.positions, &Positions::balanceOfCall { owner: who })?;
        Ok(Gifts {
            asset: self.owned(who).map_or(Asset::ZERO, |owned| asset.minus(owned.asset())),
            liquidity: deed.map_or(0, |deed| deed.beyond),
            positions: count.saturating_to::<u64>().saturating_sub(u64::from(deed.is_some())),
            coin: self.coin(who)?,
        })
    }

    /// The chain's own coin in an account.
    pub(super) fn coin(&mut self, who: Address) -> Result<Asset, VenueError> {
        use revm::Database;
        let found = self.state.basic(who).map_err(|e| VenueError::Unreachable(e.to_string()))?;
        Ok(Asset(found.map_or(0, |account| account.balance.saturating_to())))
    }

    /// The first position of an account that lies in the pool.
    fn first_deed(&mut self, who: Address) -> Result<Option<DeedSeen>, VenueError> {
        let p = self.places;
        let count = self.ask(Address::ZERO, p.positions, &Positions::balanceOfCall { owner: who })?;
        for i in 0..count.saturating_to::<u64>().min(LOOKED_THROUGH) {
            let index = U256::from(i);
            let id = self.ask(Address::ZERO, p.positions, &Positions::tokenOfOwnerByIndexCall { owner: who, index })?;
            let deed = self.ask(Address::ZERO, p.positions, &Positions::positionsCall { tokenId: id })?;
            if self.is_ours(deed.token0, deed.token1, deed.fee.to()) {
                let range = Range { lower: deed.tickLower.as_i32(), upper: deed.tickUpper.as_i32() };
                return Ok(Some(DeedSeen { id: id.saturating_to(), range, liquidity: deed.liquidity, beyond: 0 }));
            }
        }
        Ok(None)
    }

    pub(in super::super) fn held(&mut self, who: Address) -> Result<AccountHeld, VenueError> {
        let (usdc, asset) = self.holds(who)?;
        let position = self.deed(who)?.map(|d| (d.id, d.range, d.liquidity));
        Ok(AccountHeld { usdc, asset, position })
    }

    /// Initialised ticks between where the pool was and where it is: those that were crossed.
    pub(super) fn crossed_since(&mut self, before: i32) -> Result<u32, VenueError> {
        let now = self.pool(&Pool::slot0Call {})?.tick.as_i32();
        self.crossed_between(before, now)
    }

    /// Initialised ticks between two.
    pub(in super::super) fn crossed_between(&mut self, before: i32, now: i32) -> Result<u32, VenueError> {
        let (first, last) = (before.min(now).div_euclid(SPACING) + 1, before.max(now).div_euclid(SPACING));
        let mut crossed = 0u32;
        if now == before {
            return Ok(0);
        }
        for word in first >> 8..=last >> 8 {
            let position = i16::try_from(word).map_err(|_| VenueError::Bug(format!("{word} is no word of ticks")))?;
            let bits = self.pool(&Pool::tickBitmapCall { wordPosition: position })?;
            let inside = |bit: i32| (first..=last).contains(&(word * 256 + bit));
            let set = (0..256).filter(|bit| inside(*bit) && bits.bit(*bit as usize)).count();
            crossed = crossed.saturating_add(u32::try_from(set).unwrap_or(u32::MAX));
        }
        Ok(crossed)
    }
}

/// A tick as the contracts take it.
pub(super) fn tick24(at: i32) -> Result<I24, VenueError> {
    I24::try_from(at).map_err(|_| VenueError::Bug(format!("{at} is no tick")))
}
