//! Families of claims and rules: the same cause, the same effect, the same sign. Members of one family differ in bounds and
//! lags only; they say one thing, and it counts once.

use crate::claim::Claim;
use crate::entry::{EntryBody, RuleAction};
use golem_core::observed::{Expression, Field};
use std::collections::BTreeSet;

/// What the members of a family have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimFamily(String);

impl ClaimFamily {
    /// The family of a claim about the market itself; none where cause or effect is no plain comparison.
    #[must_use]
    pub fn of(claim: &Claim) -> Option<Self> {
        let effect = end_of(&claim.then).filter(|(field, _)| field.name().starts_with("market."))?;
        let causes = ends_of(&claim.when)?;
        Some(Self(format!("{causes} -> {}{}", effect.0, effect.1)))
    }
    /// The family of a claim about the market, whatever its condition: which fields it names, where it is not plain.
    #[must_use]
    pub fn roughly(claim: &Claim) -> Option<Self> {
        Self::of(claim).or_else(|| {
            let effect = end_of(&claim.then).filter(|(field, _)| field.name().starts_with("market."))?;
            let when = Expression::compile(&claim.when).ok()?;
            let causes: BTreeSet<&str> = when.fields().iter().map(|f| f.name()).collect();
            Some(Self(format!("{} ~> {}{}", Vec::from_iter(causes).join(" "), effect.0, effect.1)))
        })
    }
    /// The family of what an entry claims, or of the rule that it is.
    #[must_use]
    pub fn of_body(body: &EntryBody) -> Option<Self> {
        let claim = body.claim.as_ref()?;
        match &body.action {
            Some(action) => Some(Self::of_rule(&claim.when, action)),
            None => Self::of(claim),
        }
    }
    /// The family of a rule: when it applies, and what it does, without how much of either. A condition that is not plain is
    /// a family of its own.
    #[must_use]
    pub fn of_rule(when: &str, action: &RuleAction) -> Self {
        let does = match action {
            RuleAction::Scale { parameter, factor } => {
                format!("scale {parameter} {}", if *factor >= 1.0 { "up" } else { "down" })
            }
            RuleAction::Risk { .. } => "risk".to_owned(),
            RuleAction::StandAside => "aside".to_owned(),
        };
        Self(format!("{} : {does}", ends_of(when).unwrap_or_else(|| when.to_owned())))
    }
}

/// The fields of plain comparisons joined by `&&`, each with its end, in order.
fn ends_of(expression: &str) -> Option<String> {
    let ends: Option<Vec<(Field, String)>> = expression.split(" && ").map(end_of).collect();
    let mut ends = ends?;
    ends.sort();
    ends.dedup();
    // Both ends of one field are a stretch of it, and another stretch is another cause.
    let stretch = ends.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!stretch).then(|| ends.iter().map(|(field, end)| format!("{field}{end}")).collect::<Vec<_>>().join(" && "))
}

/// The field of a plain comparison, and which of its ends, or which word.
fn end_of(comparison: &str) -> Option<(Field, String)> {
    let mut parts = comparison.split(' ');
    let (field, operator, value) = (Field::named(parts.next()?)?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let end = match operator {
        ">" | ">=" => "+".to_owned(),
        "<" | "<=" => "-".to_owned(),
        "==" | "!=" => format!("{operator}{value}"),
        _ => return None,
    };
    Some((field, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_lags_make_no_other_family() {
        let family = |when: &str, then: &str, after_ticks| {
            ClaimFamily::of(&Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks })
        };
        let one = family("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5", 20);
        assert!(one.is_some());
        assert_eq!(one, family("market.gas_ratio >= 3.1", "market.fee_yield_ratio > 1.2", 90));
        for (when, then) in [
            ("market.gas_ratio < 2.0", "market.fee_yield_ratio > 1.5"),
            ("market.gas_ratio > 2.0", "market.fee_yield_ratio < 1.5"),
            ("market.volatility_ratio > 2.0", "market.fee_yield_ratio > 1.5"),
            ("market.gas_ratio > 2.0", "market.gas_ratio > 1.5"),
            ("market.regime == \"volatile\"", "market.fee_yield_ratio > 1.5"),
        ] {
            assert_ne!(one, family(when, then, 20), "{when} -> {then}");
        }
        assert_eq!(family("market.hour >= 4.0 && market.hour < 8.0", "market.gas_ratio > 1.2", 15), None);
        assert_eq!(family("market.gas_ratio > 2.0", "forecast.gas_error > 0.0", 15), None);
    }

    #[test]
    fn roughly_all_hours_of_the_day_are_one_cause() {
        let family = |when: &str, then: &str| {
            let claim = Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks: 15 };
            (ClaimFamily::roughly(&claim), ClaimFamily::of(&claim))
        };
        let (rough, of) = family("market.hour >= 4.0 && market.hour < 8.0", "market.gas_ratio > 1.5");
        assert!(rough.is_some() && of.is_none());
        assert_eq!(rough, family("market.hour >= 22.0 || market.hour < 4.0", "market.gas_ratio > 1.3").0);
        assert_ne!(rough, family("market.hour >= 4.0 && market.hour < 8.0", "market.gas_ratio < 0.67").0);
        let (rough, of) = family("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5");
        assert_eq!(rough, of);
    }
}
