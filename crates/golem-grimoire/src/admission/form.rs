//! Claims that are true, or false, by their own form: `golem.tick >= 5`, a constant, a thing about itself. Reality has no
//! say in them, so nothing that reality does could ever refute them, and they would be believed for ever.

use crate::claim::Claim;
use crate::series::is_own_arithmetic;
use golem_core::observed::{Expression, Field};

/// Why a claim says nothing about the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HollowClaim {
    /// One of its sides names nothing that is observed.
    #[error("one side of the claim is a constant")]
    Constant,
    /// What it claims is about the golem and not about the world.
    #[error("it claims something about the golem itself, not about the world")]
    OfItself,
    /// It never comes true, or always, whatever is observed.
    #[error("it is the same whatever is observed")]
    Decided,
    /// What it claims is computed from what it begins with.
    #[error("what it claims is computed from its own condition")]
    OwnCondition,
}

/// Why a claim is decided by its own form; none when reality decides. What cannot be compiled is not its business.
#[must_use]
pub fn hollow(claim: &Claim) -> Option<HollowClaim> {
    let (when, then) = (Expression::compile(&claim.when).ok()?, Expression::compile(&claim.then).ok()?);
    if when.fields().is_empty() || then.fields().is_empty() {
        return Some(HollowClaim::Constant);
    }
    if !then.fields().iter().all(|f| is_of_the_world(*f)) || !when.fields().iter().any(|f| is_of_the_world(*f)) {
        return Some(HollowClaim::OfItself);
    }
    if when.is_decided() || then.is_decided() {
        return Some(HollowClaim::Decided);
    }
    let own = |effect: &Field| when.fields().iter().any(|cause| is_own_arithmetic(*cause, *effect, claim.after_ticks));
    then.fields().iter().any(own).then_some(HollowClaim::OwnCondition)
}

/// True for what the market does, whoever watches it, also where it is told against what was expected.
fn is_of_the_world(field: Field) -> bool {
    field.name().starts_with("market.") || field.unit() == "usual errors"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(when: &str, then: &str, after_ticks: u32) -> Option<HollowClaim> {
        hollow(&Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks })
    }

    #[test]
    fn what_is_true_by_its_form_is_seen() {
        let gas = "market.gas_ratio > 2.0";
        let table = [
            ("true", "market.return_15 > 0.0", HollowClaim::Constant),
            (gas, "1.0 < 2.0", HollowClaim::Constant),
            ("golem.tick >= 5", "golem.tick >= 5", HollowClaim::OfItself),
            (gas, "golem.age_days > 0.0", HollowClaim::OfItself),
            ("golem.tick >= 5", "market.return_15 > 0.0", HollowClaim::OfItself),
            (gas, "market.price > 0.0", HollowClaim::Decided),
            (gas, "market.volume >= 0.0", HollowClaim::Decided),
            (gas, "market.fee_yield_ratio > 0.001", HollowClaim::Decided),
            (gas, "market.return_15 > -1.0", HollowClaim::Decided),
            (gas, "market.return_15 > 0.0 || market.return_15 <= 0.0", HollowClaim::Decided),
            (gas, "has(market.price)", HollowClaim::Decided),
            (
                "market.regime != \"volatile\" || market.regime == \"volatile\"",
                "market.return_15 > 0.0",
                HollowClaim::Decided,
            ),
            (gas, "market.gas_ratio > 1.5", HollowClaim::OwnCondition),
            (gas, "market.gas_gwei > 30.0", HollowClaim::OwnCondition),
            ("market.return_90 > 0.01", "market.return_90 > 0.01", HollowClaim::OwnCondition),
            ("market.return_15 < -0.01", "market.volatility_ratio > 2.0", HollowClaim::OwnCondition),
            ("market.volume_ratio > 3.0", "market.fee_yield_ratio > 1.5", HollowClaim::OwnCondition),
        ];
        for (when, then, why) in table {
            assert_eq!(said(when, then, 20), Some(why), "{when} -> {then}");
        }
        let real = [
            (gas, "market.fee_yield_ratio > 1.5", 20),
            (gas, "market.price > 3000.0", 20),
            ("market.return_15 < -0.01", "market.return_15 > 0.0", 20),
            ("market.regime == \"volatile\"", "market.fee_yield_ratio > 2.0", 5),
            ("market.volatility_ratio > 2.0 && golem.exposure > 0.1", "market.return_90 < 0.0", 90),
        ];
        for (when, then, after) in real {
            assert_eq!(said(when, then, after), None, "{when} -> {then}");
        }
        assert_eq!(said("market.return_15 < -0.01", "market.return_15 > 0.0", 10), Some(HollowClaim::OwnCondition));
    }
}
