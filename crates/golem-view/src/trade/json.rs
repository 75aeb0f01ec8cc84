//! A trade as JSON: money in micro-USDC under names that say so, ETH as text with all its decimals.

use super::{Came, Trade, What};
use crate::money::exact_eth;
use golem_core::intent::Refusal;
use golem_core::{Tick, Timestamp, Usdc, UsdcDelta};
use golem_mind::policy::Because;
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Written<'a> {
    tick: Tick,
    number: u32,
    at: Timestamp,
    what: What,
    done: bool,
    refused: Option<Refusal>,
    taken_back: bool,
    amount: Amount,
    price: Option<f64>,
    fee: Fee,
    gas_micro_usdc: Usdc,
    realised_micro_usdc: UsdcDelta,
    pnl_micro_usdc: Option<UsdcDelta>,
    because: Option<Because>,
    why: &'a str,
    came: Came,
}

/// What moved, above zero where it came in.
#[derive(Serialize)]
struct Amount {
    micro_usdc: UsdcDelta,
    eth: String,
}

#[derive(Serialize)]
struct Fee {
    paid_micro_usdc: Usdc,
    earned_micro_usdc: Usdc,
}

impl Serialize for Trade {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = Written {
            tick: self.tick,
            number: self.number,
            at: self.at,
            what: self.what,
            done: self.is_done(),
            refused: self.refused,
            taken_back: self.taken_back,
            amount: Amount { micro_usdc: self.usdc, eth: exact_eth(self.asset) },
            price: self.price,
            fee: Fee { paid_micro_usdc: self.fee_paid, earned_micro_usdc: self.fee_earned },
            gas_micro_usdc: self.gas,
            realised_micro_usdc: self.realised,
            pnl_micro_usdc: self.profit,
            because: self.because,
            why: &self.why,
            came: self.came,
        };
        written.serialize(serializer)
    }
}
