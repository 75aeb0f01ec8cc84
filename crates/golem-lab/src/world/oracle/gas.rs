//! Parcels: eight small trades a day, bought and sold in turn. Without the truth each is made when it is due; with it, a
//! parcel that is due in the dear hours waits for their end.

use super::account::OracleAccount;
use super::sight::OracleSight;
use super::{ORACLE_USDC, OraclePolicy};
use crate::world::path::PoolPath;
use crate::world::synthetic::Law;
use golem_core::intent::Asset;
use golem_core::{Intent, Usdc};
use golem_venue::VenueError;

/// Nominal ticks between two parcels: three hours.
const EVERY: u64 = 270;
/// A parcel is this share of what there was at the beginning.
const PARCEL: u64 = 50;

pub(super) struct Parcels {
    truth: Option<Law>,
    due: u32,
    buys: bool,
}

impl Parcels {
    pub fn new(truth: Option<Law>) -> Self {
        Self { truth, due: 0, buys: true }
    }
    fn waits(&self, time_s: u64) -> bool {
        let Some(Law::GasHours { from_hour, hours, .. }) = self.truth else { return false };
        (time_s / 3_600 % 24 + 24 - from_hour) % 24 < hours
    }
}

impl OraclePolicy for Parcels {
    fn act(&mut self, sight: &OracleSight, account: &mut OracleAccount, path: &mut PoolPath) -> Result<(), VenueError> {
        self.due += u32::from(sight.tick.is_multiple_of(EVERY));
        if self.due == 0 || self.waits(sight.time_s) {
            return Ok(());
        }
        self.due -= 1;
        let pay = Usdc::whole(ORACLE_USDC / PARCEL);
        let wish = match self.buys {
            true => Intent::Buy { pay, min_out: Asset::ZERO },
            false => Intent::Sell { give: account.book(path)?.asset, min_out: Usdc::ZERO },
        };
        self.buys = !self.buys;
        account.wish(path, wish)
    }
}
