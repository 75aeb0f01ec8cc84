//! A world for market tests: an outside price that wanders, and a paper venue with its market.
#![allow(dead_code, reason = "each test file uses its part")]

use golem_core::dice::Dice;
use golem_core::{Strand, Timestamp};
use golem_venue::market::{Market, MarketConfig, OutsideTick};
use golem_venue::{Account, PaperVenue};

pub const EPOCH: u64 = 1_767_225_600;
pub const GOLEM: Account = Account([7; 20]);
/// Seventy per cent a year, in a tick of 40 seconds.
pub const SIGMA: f64 = 0.000_79;
pub const VOLUME_PER_DAY: f64 = 50e6;

/// A geometric random walk from 3,000.
pub fn path(seed: u64, sigma: f64) -> impl Iterator<Item = OutsideTick> + Clone {
    let dice = Dice::open(seed, Strand::World);
    let mut log = libm::log(3_000.0);
    (0_u64..).map(move |tick| {
        if tick > 0 {
            log += sigma * dice.draws(tick).normals().0 - sigma * sigma / 2.0;
        }
        OutsideTick {
            price: libm::exp(log),
            gas_gwei: Some(0.05),
            volume: Some(VOLUME_PER_DAY / 2_160.0),
            ..OutsideTick::default()
        }
    })
}

/// A price that stands still.
pub fn still(price: f64) -> impl Iterator<Item = OutsideTick> + Clone {
    std::iter::repeat(OutsideTick { gas_gwei: Some(0.05), ..OutsideTick::priced(price) })
}

/// A chain at 3,000 and the market upon it.
pub fn begin(config: &MarketConfig, seed: u64, usdc_is_token0: bool) -> (PaperVenue, Market) {
    let genesis = config.genesis(usdc_is_token0, 3_000.0, EPOCH - 40, None);
    let venue = PaperVenue::genesis(&genesis).unwrap();
    let dice = Dice::open(seed, Strand::Market);
    (venue, Market::new(config.clone(), dice, Timestamp(EPOCH as i64), genesis.liquidity))
}
