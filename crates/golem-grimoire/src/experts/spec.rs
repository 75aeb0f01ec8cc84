//! Which entries can speak about a forecast, about which, and when: what is not about a domain that is forecast is no expert.

use super::gauges::{FieldGauges, LEVELS};
use super::learner::Way;
use crate::entry::{EntryBody, EntryKind};
use crate::subject::{SIGN_TAG, TURN_TAG};
use golem_core::observed::{Expression, Field, Snapshot};
use golem_mortality::Domain;

/// Domains that forecast a number: those that experts can speak about, in table order.
pub const DOMAINS: [Domain; 4] =
    [Domain::PriceDirection, Domain::VolatilityRegime, Domain::YieldTrend, Domain::GasCondition];

/// The field that says how far a domain's panel was off.
#[must_use]
pub fn error_field(domain: Domain) -> Option<Field> {
    match domain {
        Domain::PriceDirection => Some(Field::ForecastReturnError),
        Domain::VolatilityRegime => Some(Field::ForecastVolatilityError),
        Domain::YieldTrend => Some(Field::ForecastYieldError),
        Domain::GasCondition => Some(Field::ForecastGasError),
        Domain::ProtocolState | Domain::ActionOutcome => None,
    }
}

/// The domain that a field's future is forecast in, and whether it is the panel's own error.
#[must_use]
pub fn told_by(field: Field) -> Option<(Domain, bool)> {
    if let Some(domain) = DOMAINS.into_iter().find(|d| error_field(*d) == Some(field)) {
        return Some((domain, true));
    }
    let domain = match field {
        Field::MarketPrice | Field::MarketReturn15 | Field::MarketReturn90 => Domain::PriceDirection,
        Field::MarketVolatility | Field::MarketVolatilityRatio => Domain::VolatilityRegime,
        Field::MarketFeeYield | Field::MarketFeeYieldRatio => Domain::YieldTrend,
        Field::MarketGasGwei | Field::MarketGasRatio => Domain::GasCondition,
        _ => return None,
    };
    Some((domain, false))
}

/// What an expert speaks about, while what holds, and by what.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpertSpec {
    /// The domain.
    pub domain: Domain,
    /// It sleeps until this holds; without a condition it is awake while its input is seen.
    pub when: Option<Expression>,
    /// What it goes by, where it is not the condition alone: how unusual this field is.
    pub input: Option<Field>,
    /// It goes the other way while this field is below what is usual.
    pub turned_by: Option<Field>,
    /// Which way reality lies from the panel, or goes with the input.
    pub way: Way,
}

impl ExpertSpec {
    /// What an entry speaks about; none when it is no expert.
    #[must_use]
    pub fn of(body: &EntryBody) -> Option<Self> {
        // A rule says what to do, and the belief behind it is an entry of its own; a question says nothing.
        if body.is_question || body.kind == EntryKind::Heuristic {
            return None;
        }
        let when = body.claim.as_ref().map(|c| Expression::compile(&c.when)).transpose().ok()?;
        if let Some((from, to, _)) = body.edge.as_deref().and_then(ends) {
            let (domain, of_error) = told_by(to)?;
            let rises = body.tags.iter().find_map(|t| t.strip_prefix(SIGN_TAG)).map(|sign| sign == "rises");
            let way = match rises.filter(|_| of_error) {
                Some(true) => Way::Up,
                Some(false) => Way::Down,
                None => Way::Either,
            };
            let turned_by = match body.tags.iter().find_map(|t| t.strip_prefix(TURN_TAG)) {
                // What is no level has no mood.
                Some(name) => Some(Field::named(name).filter(|f| LEVELS.contains(f))?),
                None => None,
            };
            return (from != to).then_some(Self { domain, when, input: Some(from), turned_by, way });
        }
        let claim = body.claim.as_ref()?;
        let (field, up) = comparison(&claim.then)?;
        let (domain, of_error) = told_by(field)?;
        // What holds after a minute says nothing of what holds after three hours, and a bound of a level says nothing of
        // what the panel expects already: then the way is learnt.
        let way = match (of_error, up) {
            (true, true) => Way::Up,
            (true, false) => Way::Down,
            (false, _) => Way::Either,
        };
        Some(Self { domain, when, input: None, turned_by: None, way })
    }

    /// True when the other is awake at the same times, goes by the same and claims the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let when = |spec: &Self| spec.when.as_ref().map(|when| when.source().to_owned());
        (self.domain, self.input, self.turned_by, self.way) == (other.domain, other.input, other.turned_by, other.way)
            && when(self) == when(other)
    }
    /// Its input where it is awake: 1, or how unusual its field is.
    pub(super) fn input(&self, seen: &Snapshot, gauges: &FieldGauges) -> Option<f64> {
        if self.when.as_ref().is_some_and(|when| !when.evaluate(seen).holds()) {
            return None;
        }
        match self.input {
            Some(field) => gauges.turned(field, self.turned_by, seen),
            None => self.when.is_some().then_some(1.0),
        }
    }
}

/// The ends of an edge and its lag: `from>to@lag`.
fn ends(edge: &str) -> Option<(Field, Field, u32)> {
    let (from, rest) = edge.split_once('>')?;
    let (to, lag) = rest.split_once('@')?;
    Some((Field::named(from)?, Field::named(to)?, lag.parse().ok()?))
}

/// The field of a plain comparison, and whether it is claimed to be above.
fn comparison(then: &str) -> Option<(Field, bool)> {
    let mut parts = then.split_whitespace();
    let (field, operator, _) = (Field::named(parts.next()?)?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    match operator {
        ">" | ">=" => Some((field, true)),
        "<" | "<=" => Some((field, false)),
        _ => None,
    }
}
