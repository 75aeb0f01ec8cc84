//! Provider: holds a quarter of its worth in the asset, and provides liquidity around the price whenever the fees that it
//! expects are above what arbitrage is expected to take (an eighth of the variance, for a full range). Without the truth it
//! expects the fees of the last hour to go on; with it, what follows from gas spikes or from volatility.

use super::account::OracleAccount;
use super::sight::OracleSight;
use super::{ORACLE_USDC, OraclePolicy};
use crate::world::path::PoolPath;
use crate::world::synthetic::Law;
use golem_core::{Intent, Usdc};
use golem_venue::VenueError;
use std::collections::VecDeque;

/// The share that is held in the asset.
const SHARE: f64 = 0.25;
/// Half-width of its range, in basis points.
const WIDTH_BPS: u32 = 300;
/// Fees must be so many times what arbitrage takes to go in, and less than so many to go out.
const IN_AND_OUT: (f64, f64) = (1.3, 1.0);
/// A rise of the log gas price in one tick that is a spike.
const SPIKE: f64 = 0.4;

pub(super) struct Provider {
    truth: Option<Law>,
    spikes: VecDeque<u64>,
    /// Log of the fees outside of bursts, over a day.
    quiet: f64,
    inside: bool,
}

impl Provider {
    pub fn new(truth: Option<Law>) -> Self {
        Self { truth, spikes: VecDeque::new(), quiet: 0.0, inside: false }
    }

    /// Fees per day that are expected for the next ticks.
    fn expected(&mut self, sight: &OracleSight) -> f64 {
        match self.truth {
            Some(Law::FeeBursts { lag, length, log_factor, .. }) => {
                let now = sight.tick;
                if sight.gas_rise > SPIKE {
                    self.spikes.push_back(now);
                }
                self.spikes.retain(|at| at + lag + length + 180 > now);
                let due = self.spikes.iter().any(|at| (at + lag..at + lag + length).contains(&(now + 1)));
                let soon = self.spikes.iter().any(|at| (at + lag..at + lag + length + 180).contains(&now));
                if !soon && sight.fee_yield > 0.0 {
                    let memory = 2_160.0_f64.min(now as f64 + 1.0);
                    self.quiet += (libm::log(sight.fee_yield) - self.quiet) / memory;
                }
                // What arbitrage pays does not grow with the strangers' trade: about half of the fees.
                let times = if due { 0.5 + 0.5 * libm::exp(log_factor) } else { 1.0 };
                // Apart from bursts it goes by what it sees, as without the truth.
                if soon || due { libm::exp(self.quiet) * times } else { sight.fee_yield }
            }
            Some(Law::VolFees { lag, gain }) => {
                let ago = sight.vols.len().saturating_sub(lag as usize);
                let before = sight.vols.get(ago).map_or(0.0, |vol| vol - sight.usual_vol);
                let heat = libm::log(sight.variance.max(1e-10)) * 0.5 - sight.usual_vol;
                // Half by strangers, who follow what was; half by arbitrage, which follows what is.
                libm::exp(sight.usual_yield) * 0.5 * (libm::exp(gain * before) + libm::exp(heat))
            }
            _ => sight.fee_yield,
        }
    }
}

impl OraclePolicy for Provider {
    fn act(&mut self, sight: &OracleSight, account: &mut OracleAccount, path: &mut PoolPath) -> Result<(), VenueError> {
        if sight.tick == 1 {
            return account.hold_share(path, SHARE, sight.price);
        }
        let fees = self.expected(sight);
        // The first two days only look.
        if sight.tick < 2 * 2_160 {
            return Ok(());
        }
        let taken = sight.variance * 2_160.0 / 8.0;
        let (go_in, go_out) = IN_AND_OUT;
        if self.inside {
            let book = account.book(path)?;
            let out_of_range = book.position.is_some_and(|p| !(p.range.lower..p.range.upper).contains(&book.pool.tick));
            if fees < go_out * taken || out_of_range {
                account.wish(path, Intent::Remove { share_bps: 10_000, tolerance_bps: 500 })?;
                self.inside = false;
            }
        } else if fees > go_in * taken {
            let book = account.book(path)?;
            let pay = Usdc(book.usdc.0.min(Usdc::whole(ORACLE_USDC).0 * 3 / 10));
            account.wish(path, Intent::Add { pay, give: book.asset, width_bps: WIDTH_BPS, tolerance_bps: 500 })?;
            self.inside = true;
        }
        Ok(())
    }
}
