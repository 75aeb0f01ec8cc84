//! The oracle's account: money on the chain, and what its gas has cost.

use super::ORACLE_USDC;
use crate::world::path::PoolPath;
use golem_core::intent::Asset;
use golem_core::{Book, Intent, Usdc};
use golem_venue::{Account, Venue, VenueError, act};

const WHO: Account = Account([7; 20]);

/// Who it is on the chain, and what does not stand there.
pub(super) struct OracleAccount {
    /// Gas is paid from outside of the account, and counts.
    gas: Usdc,
    pub acts: u32,
    funded: bool,
}

impl OracleAccount {
    pub fn new() -> Self {
        Self { gas: Usdc::ZERO, acts: 0, funded: false }
    }

    /// What it holds now.
    pub fn book(&mut self, path: &mut PoolPath) -> Result<Book, VenueError> {
        if !self.funded {
            path.venue.fund_to(WHO, Usdc::whole(ORACLE_USDC))?;
            self.funded = true;
        }
        path.venue.book(WHO)
    }

    /// What all of it would bring now, gas paid.
    pub fn worth(&mut self, path: &mut PoolPath) -> Result<f64, VenueError> {
        let book = self.book(path)?;
        Ok(book.usdc.as_f64() + book.worth.unwound.as_f64() - self.gas.as_f64())
    }

    /// Do something, if the chain lets it.
    pub fn wish(&mut self, path: &mut PoolPath, wish: Intent) -> Result<(), VenueError> {
        self.book(path)?;
        for preview in act::preview(&mut path.venue, WHO, &[wish], None) {
            let receipt = act::carry_out(&mut path.venue, WHO, &preview)?;
            self.gas = self.gas.plus(receipt.gas.cost);
            self.acts += u32::from(preview.refusal().is_none());
        }
        Ok(())
    }

    /// Bring the share of its worth that is in the asset to this.
    pub fn hold_share(&mut self, path: &mut PoolPath, share: f64, price: f64) -> Result<(), VenueError> {
        let book = self.book(path)?;
        let (usdc, asset) = (book.usdc.as_f64(), book.asset.as_f64() * price);
        let more = share * (usdc + asset) - asset;
        if more > 1.0 {
            let pay = Usdc((more.min(usdc) * 1e6) as u64);
            self.wish(path, Intent::Buy { pay, min_out: Asset::ZERO })?;
        } else if more < -1.0 {
            let give = Asset(Asset::of_whole(-more / price).0.min(book.asset.0));
            self.wish(path, Intent::Sell { give, min_out: Usdc::ZERO })?;
        }
        Ok(())
    }
}
