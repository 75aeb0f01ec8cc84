//! The oracle: a plain policy on the real pool, lived twice on the same path, once without the truth and once with it.
//!
//! It sees what a golem sees, and in addition knows the rule and its numbers. What it gains by that is what there is to be
//! gained by knowing, for a policy of this kind; the strength of each world was fixed by it.

mod account;
mod gas;
mod provide;
mod sight;
mod trade;

use super::path::PoolPath;
use super::synthetic::Law;
use super::{PlaceError, place};
use account::OracleAccount;
use golem_venue::VenueError;
use sight::OracleSight;

/// What the oracle begins with, in whole USDC.
pub const ORACLE_USDC: u64 = 10_000;

/// Why an oracle could not live.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// No such world.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The pool gave up.
    #[error(transparent)]
    Venue(#[from] VenueError),
    /// A world without a law.
    #[error("{0} has no law that an oracle could know")]
    Lawless(String),
}

/// A rule that acts once a tick.
trait OraclePolicy {
    fn act(&mut self, sight: &OracleSight, account: &mut OracleAccount, path: &mut PoolPath) -> Result<(), VenueError>;
}

/// What it was worth at the end, over what it began with; and how often it acted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OracleEnd {
    /// Worth at the end over worth at the beginning, gas paid.
    pub growth: f64,
    /// Actions that were carried out.
    pub acts: u32,
}

/// Live the path of a world with the policy that suits its law; with `knows`, helped by the truth.
///
/// # Errors
/// When there is no such world or the pool gives up.
pub fn oracle(name: &str, seed: u64, ticks: u64, knows: bool) -> Result<OracleEnd, OracleError> {
    let there = place(name, seed)?;
    let law = Law::drawn(name.split('@').next().unwrap_or(name), there.truth.strength, seed);
    let law = law.ok_or_else(|| OracleError::Lawless(name.into()))?;
    let truth = knows.then_some(law);
    let mut policy: Box<dyn OraclePolicy> = match law {
        Law::GasHours { .. } => Box::new(gas::Parcels::new(truth)),
        Law::FeeBursts { .. } | Law::VolFees { .. } => Box::new(provide::Provider::new(truth)),
        Law::Reversal { .. } | Law::Turning { .. } | Law::Contagion { .. } => Box::new(trade::Tilt::new(truth)),
    };
    let mut path = PoolPath::new(there, seed)?;
    let (mut account, mut sight) = (OracleAccount::new(), OracleSight::default());
    for _ in 0..ticks {
        let seen = path.tick()?;
        let time_s = path.last.map_or(0, |step| step.timestamp);
        sight.see(&seen, time_s);
        policy.act(&sight, &mut account, &mut path)?;
    }
    Ok(OracleEnd { growth: account.worth(&mut path)? / ORACLE_USDC as f64, acts: account.acts })
}
