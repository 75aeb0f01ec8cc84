//! What to do about a claim that has proved true: a table from what will happen to a change of the strategy, in parameters of
//! the golem's own template. Where that has none to change, risk is taken back or nothing is done.
//!
//! No rule here raises risk above the usual.

use crate::claim::Claim;
use crate::entry::RuleAction;
use golem_core::observed::Field;
use golem_mortality::Domain;

/// What a field is expected to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedWay {
    Up,
    Down,
}

/// The rule that follows from a claim, where one does: what to do, and in words. `parameters` are the keys that the golem's
/// template has.
#[must_use]
pub fn rule_for(claim: &Claim, parameters: &[&str]) -> Option<(RuleAction, String)> {
    let (field, way) = expects(&claim.then)?;
    let own = |name: &str| parameters.iter().find(|key| key.rsplit('.').next() == Some(name));
    let range = |factor: f64| own("range_sigmas").map(|key| RuleAction::Scale { parameter: (*key).to_owned(), factor });
    let (action, words) = match (field, way) {
        (Field::MarketReturn15 | Field::MarketReturn90, ExpectedWay::Down) => {
            (RuleAction::Risk { factor: 0.5 }, "Risk half ahead of a fall")
        }
        (Field::MarketVolatility | Field::MarketVolatilityRatio, ExpectedWay::Up) => match range(1.3) {
            Some(wider) => (wider, "Widen the range ahead of wider swings"),
            None => (RuleAction::Risk { factor: 0.8 }, "Risk less ahead of wider swings"),
        },
        (Field::MarketVolatility | Field::MarketVolatilityRatio, ExpectedWay::Down) => {
            (range(0.9)?, "Narrow the range ahead of calm")
        }
        // Fees are earned where the price is: while they are high, stay closer to it.
        (Field::MarketFeeYield | Field::MarketFeeYieldRatio | Field::MarketFeeYieldMove, ExpectedWay::Up) => {
            (range(0.8)?, "Narrow the range ahead of higher fees")
        }
        (Field::MarketGasGwei | Field::MarketGasRatio, ExpectedWay::Up) => {
            (RuleAction::Risk { factor: 0.8 }, "Risk less ahead of dear gas")
        }
        (Field::MarketProtocol, ExpectedWay::Down) => (RuleAction::StandAside, "Stand aside ahead of trouble"),
        _ => return None,
    };
    Some((action, format!("{words}, by {}", sign(&claim.when))))
}

/// The first field of a condition, in plain words.
fn sign(when: &str) -> String {
    let first =
        when.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_')).find(|w| Field::named(w).is_some());
    first.and_then(|name| name.split_once('.')).map_or("other signs".to_owned(), |(_, part)| part.replace('_', " "))
}

/// The field of forecasting that an expression is about, by its first field.
#[must_use]
pub fn domain_of(expression: &str) -> Option<Domain> {
    let field = Field::named(expression.split_whitespace().next()?)?;
    match field {
        Field::MarketPrice | Field::MarketReturn15 | Field::MarketReturn90 | Field::ForecastReturnError => {
            Some(Domain::PriceDirection)
        }
        Field::MarketVolatility | Field::MarketVolatilityRatio | Field::ForecastVolatilityError => {
            Some(Domain::VolatilityRegime)
        }
        Field::MarketFeeYield | Field::MarketFeeYieldRatio | Field::MarketFeeYieldMove | Field::ForecastYieldError => {
            Some(Domain::YieldTrend)
        }
        Field::MarketGasGwei | Field::MarketGasRatio | Field::ForecastGasError => Some(Domain::GasCondition),
        Field::MarketProtocol => Some(Domain::ProtocolState),
        _ => None,
    }
}

/// Reads plain comparisons only: what is more involved needs somebody to say what to do about it.
fn expects(then: &str) -> Option<(Field, ExpectedWay)> {
    let mut parts = then.split(' ');
    let (field, operator, value) = (Field::named(parts.next()?)?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    match operator {
        ">" | ">=" => Some((field, ExpectedWay::Up)),
        "<" | "<=" => Some((field, ExpectedWay::Down)),
        "==" if value.trim_matches('"') == "degraded" => Some((field, ExpectedWay::Down)),
        _ => None,
    }
}
