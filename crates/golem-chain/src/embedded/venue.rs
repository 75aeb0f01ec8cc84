//! The embedded chain as a venue.

use super::EmbeddedChain;
use super::keep::base_fee;
use golem_core::door::{ClaimReply, ClaimRequest};
use golem_core::{Action, Book, HomeSum, Homeward, Point, Usdc};
use golem_venue::{Account, ChainKind, Done, Header, MarketTrade, MeanTick, Traded, Venue, VenueError, View, spot};

impl Venue for EmbeddedChain {
    fn kind(&self) -> ChainKind {
        ChainKind::Embedded
    }
    fn chain_id(&self) -> u64 {
        self.chain_id
    }
    fn view(&mut self) -> Result<View, VenueError> {
        Ok(self.see()?)
    }
    fn book(&mut self, who: Account) -> Result<Book, VenueError> {
        Ok(self.keep_books(who)?)
    }
    fn execute(&mut self, who: Account, action: &Action) -> Result<Done, VenueError> {
        Ok(self.carry_out(who, action)?)
    }
    fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Result<Done, VenueError> {
        Ok(self.carry_home(who, way, sum)?)
    }
    fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        Ok(Box::new(self.fork(point)?))
    }
    fn gas_cost(&mut self, units: u64) -> Result<Usdc, VenueError> {
        let price = self.pool_seen()?.sqrt_price_x96;
        let usdc_is_token0 = self.site().places.usdc_is_token0();
        Ok(spot::gas_cost(units, u128::from(self.open.base_fee), price, usdc_is_token0))
    }
    fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        Ok(EmbeddedChain::mean_tick(self, seconds)?)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        request.said(|claim| self.bears_out(claim))
    }
    fn fund_to(&mut self, who: Account, deposits: Usdc) -> Result<(), VenueError> {
        Ok(self.give_up_to(who, deposits)?)
    }
    /// Writes what has happened now and then; see [`EmbeddedChain::commit`] for doing so at once.
    fn begin_block(&mut self, header: Header) -> Result<u64, VenueError> {
        let wrong = || VenueError::Bug(format!("a base fee of {} wei does not fit", header.base_fee));
        let base_fee = base_fee(header.base_fee).ok_or_else(wrong)?;
        if self.trail.blocks.len() as u64 >= self.write_every {
            self.commit()?;
        }
        self.next_block(header.timestamp, base_fee);
        Ok(self.open.number)
    }
    fn trade(&mut self, trade: &MarketTrade) -> Result<Traded, VenueError> {
        Ok(self.let_trade(trade)?)
    }
}
