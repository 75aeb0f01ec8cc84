//! Causes of death in a sentence.

use crate::money;
use golem_mortality::DeathCause;

/// A cause of death in a sentence.
#[must_use]
pub fn cause(cause: &DeathCause) -> String {
    match cause {
        DeathCause::Economic { balance, .. } => format!("economic: {} USDC were left", money::usdc(*balance)),
        other => other.name().to_owned(),
    }
}
