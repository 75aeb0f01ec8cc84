//! Tilt: holds a quarter of its worth in the asset. With the truth it holds half while it expects a rise that is worth the
//! fee, nothing while it expects such a fall, and goes back to a quarter when little of the move is left.

use super::OraclePolicy;
use super::account::OracleAccount;
use super::sight::OracleSight;
use crate::world::path::PoolPath;
use crate::world::synthetic::{Law, Teller};
use golem_venue::VenueError;
use std::collections::VecDeque;

/// The usual share in the asset, and how far it is tilted.
const SHARE: f64 = 0.25;
/// A move that is worth two fees and a little, and one that is over.
const WORTH_IT: f64 = 0.0016;
const OVER: f64 = 0.0003;
/// A return of one tick that is a jump: so many deviations of the hour before, and at least so much.
const JUMP: (f64, f64) = (5.0, 0.0045);

pub(super) struct Tilt {
    truth: Option<Law>,
    jumps: VecDeque<(u64, f64)>,
    /// The last looks at the teller, as signs.
    told: VecDeque<f64>,
    tilt: i8,
}

impl Tilt {
    pub fn new(truth: Option<Law>) -> Self {
        Self { truth, jumps: VecDeque::new(), told: VecDeque::new(), tilt: 0 }
    }

    /// The log return that is expected from here on.
    fn expected(&mut self, sight: &OracleSight) -> f64 {
        match self.truth {
            Some(Law::Reversal { lag, length, share }) => {
                let last = sight.returns.back().copied().unwrap_or(0.0);
                let usual = libm::sqrt(sight.variance);
                // A jump is in the variance already: hold it against what it would be without.
                let quiet = libm::sqrt((sight.variance - last * last / 90.0).max(0.0));
                if last.abs() > JUMP.1 && last.abs() > JUMP.0 * quiet.min(usual) {
                    self.jumps.push_back((sight.tick, last));
                }
                self.jumps.retain(|(at, _)| at + lag + length > sight.tick);
                let left = |at: u64| part_left(sight.tick.saturating_sub(at), lag, length);
                -share * self.jumps.iter().map(|(at, jump)| jump * left(*at)).sum::<f64>()
            }
            Some(Law::Contagion { lag, length, share, .. }) => {
                let moves = sight.others.iter().rev().take((lag + length) as usize).enumerate();
                share * moves.map(|(ago, moved)| moved * part_left(ago as u64, lag, length)).sum::<f64>()
            }
            Some(Law::Turning { lead, feedback, teller, .. }) => {
                let (fast, slow) = match teller {
                    Teller::Gas => sight.gas,
                    Teller::Volume => (libm::log(sight.volume.0.max(1.0)), libm::log(sight.volume.1.max(1.0))),
                };
                self.told.push_back(if fast > slow { 1.0 } else { -1.0 });
                if self.told.len() as u64 > lead {
                    self.told.pop_front();
                }
                let sign = self.told.front().copied().unwrap_or(0.0);
                // The lean fades by 1 - feedback of itself in sixty ticks: this is what it adds up to until then.
                let f = feedback * sign;
                60.0 * f / (1.0 - f) * sight.lean
            }
            _ => 0.0,
        }
    }
}

/// The part of an effect that is still to come, so many ticks after its cause.
fn part_left(ago: u64, lag: u64, length: u64) -> f64 {
    let over = ago.saturating_sub(lag.saturating_sub(1)).min(length);
    1.0 - over as f64 / length as f64
}

impl OraclePolicy for Tilt {
    fn act(&mut self, sight: &OracleSight, account: &mut OracleAccount, path: &mut PoolPath) -> Result<(), VenueError> {
        if sight.tick == 1 {
            return account.hold_share(path, SHARE, sight.price);
        }
        let expected = self.expected(sight);
        if sight.tick < 2 * 2_160 {
            return Ok(());
        }
        let wanted = match self.tilt {
            _ if expected > WORTH_IT => 1,
            _ if expected < -WORTH_IT => -1,
            1 if expected > OVER => 1,
            -1 if expected < -OVER => -1,
            _ => 0,
        };
        if wanted != self.tilt {
            self.tilt = wanted;
            account.hold_share(path, SHARE * f64::from(1 + wanted), sight.price)?;
        }
        Ok(())
    }
}
