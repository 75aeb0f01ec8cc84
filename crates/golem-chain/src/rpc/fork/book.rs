//! What an account holds and what it is worth: unwinding it is really tried, on a copy of the fork.

use super::Fork;
use super::reads::DeedSeen;
use alloy_primitives::{Address, U256};
use golem_core::intent::Asset;
use golem_core::venue::{Appraisal, PositionSeen};
use golem_core::{Action, Book, Usdc};
use golem_venue::pool::{Round, amounts_at};
use golem_venue::spot::{asset_to_usdc, number, ordered};
use golem_venue::{Done, Venue, VenueError};
use golem_wallet::abi::NonfungiblePositionManager as Positions;

impl Fork {
    pub(super) fn keep_book(&mut self, who: Address) -> Result<Book, VenueError> {
        let (usdc, asset) = self.holds(who)?;
        let deed = self.deed(who)?;
        let mut book = Book { point: self.point(), usdc, asset, pool: self.pool_seen()?, ..Book::default() };
        if deed.is_none() && asset == Asset::ZERO {
            return Ok(book);
        }
        if let Some(deed) = deed {
            let (fees, fees_asset) = self.fees(who, &deed)?;
            let DeedSeen { id, range, liquidity, .. } = deed;
            book.position = Some(PositionSeen { id, range, liquidity, fees, fees_asset });
        }
        book.worth = self.appraise(who, &book)?;
        Ok(book)
    }

    /// What collecting would bring now, in USDC and asset.
    fn fees(&mut self, who: Address, deed: &DeedSeen) -> Result<(Usdc, Asset), VenueError> {
        let params = Positions::CollectParams {
            tokenId: U256::from(deed.id),
            recipient: who,
            amount0Max: u128::MAX,
            amount1Max: u128::MAX,
        };
        let due = self.ask(who, self.places.positions, &Positions::collectCall { params })?;
        let [usdc, asset] = ordered(self.places.usdc_is_token0(), due.amount0, due.amount1);
        Ok((Usdc(usdc.saturating_to()), Asset(asset.saturating_to())))
    }

    fn appraise(&mut self, who: Address, book: &Book) -> Result<Appraisal, VenueError> {
        let (price, usdc_is_token0) = (book.pool.sqrt_price_x96, self.places.usdc_is_token0());
        let spot = |x: Asset| asset_to_usdc(x, price, usdc_is_token0, Round::Down);
        let (mut position, mut fees, mut all) = (Usdc::ZERO, Usdc::ZERO, book.asset);
        if let Some(p) = &book.position {
            let amounts = amounts_at(number(price), book.pool.tick, p.range, p.liquidity, Round::Down);
            let [a, b] = amounts.unwrap_or_default();
            let [money, inside] = ordered(usdc_is_token0, a, b);
            position = Usdc(u64::try_from(money).unwrap_or(u64::MAX)).plus(spot(Asset(inside)));
            fees = p.fees.plus(spot(p.fees_asset));
            all = all.plus(Asset(inside)).plus(p.fees_asset);
        }
        let (unwound, wei) = self.clone().unwind(who, book)?;
        let gas = asset_to_usdc(Asset(wei), price, usdc_is_token0, Round::Up);
        Ok(Appraisal { unwound, gas, position, fees, exposure: spot(all) })
    }

    /// Remove the position and sell all of the asset, in that order; what came in, and the coin that it cost.
    fn unwind(mut self, who: Address, book: &Book) -> Result<(Usdc, u128), VenueError> {
        let base_fee = u128::from(self.open.base_fee);
        let cost = |done: Done| done.wei.unwrap_or(u128::from(done.gas_used).saturating_mul(base_fee));
        let mut wei = 0u128;
        if let Some(p) = &book.position {
            let close = Action::Burn {
                position: p.id,
                liquidity: p.liquidity,
                min_out: Usdc::ZERO,
                min_asset: Asset::ZERO,
                close: true,
            };
            let action = if p.liquidity > 0 { close } else { Action::Collect { position: p.id } };
            wei = wei.saturating_add(cost(self.execute(golem_venue::Account(who.into()), &action)?));
        }
        let (_, give) = self.holds(who)?;
        if give > Asset::ZERO {
            let sell = Action::Sell { give, min_out: Usdc::ZERO };
            wei = wei.saturating_add(cost(self.execute(golem_venue::Account(who.into()), &sell)?));
        }
        Ok((self.balances(who)?.0.minus(book.usdc), wei))
    }
}
