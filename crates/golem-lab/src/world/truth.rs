//! The truth of a world: what really follows from what, written down as data that claims can be held against.
//!
//! It belongs to whoever runs an experiment. No door of a life leads here.

use golem_core::observed::Field;
use golem_mortality::Domain;
use serde::Serialize;

/// What is true of one world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Truth {
    /// The world's name.
    pub world: String,
    /// How strong its rule is; 1 is the strength that was fixed beforehand, 0 is no rule at all.
    pub strength: f64,
    /// What follows from what. Empty where nothing can be known.
    pub links: Vec<TrueLink>,
    /// True when these links are all there is between the series of this world: then what contradicts them is untrue.
    pub complete: bool,
    /// The same for people.
    pub sentence: String,
}

/// One thing that really follows from another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrueLink {
    /// The field that tells.
    pub cause: Field,
    /// Where a bound of the cause matters more than its direction (an hour of the day): the cause holds from here to there.
    pub between: Option<(f64, f64)>,
    /// Where the sign turns: it is as written while this field is above its usual level, and the opposite below it.
    pub told_by: Option<Field>,
    /// The field that is told of.
    pub effect: Field,
    /// The forecasts that gain by knowing.
    pub domain: Domain,
    /// 1 when more of the cause is followed by more of the effect, -1 when by less.
    pub sign: i8,
    /// Nominal ticks from the cause to the beginning of its effect.
    pub lag_ticks: u64,
    /// Nominal ticks that the effect lasts.
    pub length_ticks: u64,
    /// What the effect is multiplied by at its height; for returns, the share of the cause that is seen again.
    pub factor: f64,
}

impl TrueLink {
    /// True when its sign is the whole story.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.between.is_none() && self.told_by.is_none()
    }
}

/// What the truth says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The world has this rule.
    True,
    /// The world has the opposite, or nothing of the kind.
    False,
    /// The truth does not say: a series that goes on as it was, or things that are measured by the same counters.
    Unknown,
}

/// Fields that tell of the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kinship {
    Price,
    Size,
    Gas,
    Fees,
    Protocol,
    Hour,
    Elsewhere,
    Other,
}

fn kinship(field: Field) -> Kinship {
    match field {
        Field::MarketPrice
        | Field::MarketReturn15
        | Field::MarketReturn90
        | Field::MarketShock
        | Field::ForecastReturn => Kinship::Price,
        Field::MarketVolatility | Field::MarketVolatilityRatio | Field::ForecastVolatilityRatio => Kinship::Size,
        Field::MarketGasGwei | Field::MarketGasRatio | Field::MarketGasSpikeTicks => Kinship::Gas,
        // The pool takes its fees of what is traded: one counter.
        Field::MarketFeeYield
        | Field::MarketFeeYieldRatio
        | Field::MarketFeeYieldMove
        | Field::MarketVolume
        | Field::MarketVolumeRatio => Kinship::Fees,
        Field::MarketProtocol => Kinship::Protocol,
        Field::MarketHour => Kinship::Hour,
        Field::MarketLeadReturn => Kinship::Elsewhere,
        _ => Kinship::Other,
    }
}

/// The series that a domain forecasts.
#[must_use]
pub fn forecast_by(domain: Domain) -> Option<Field> {
    match domain {
        Domain::PriceDirection => Some(Field::MarketReturn90),
        Domain::VolatilityRegime => Some(Field::MarketVolatilityRatio),
        Domain::YieldTrend => Some(Field::MarketFeeYieldRatio),
        Domain::GasCondition => Some(Field::MarketGasRatio),
        Domain::ProtocolState | Domain::ActionOutcome => None,
    }
}

/// Pairs that the pool itself ties together: a wide move is traded by arbitrage, which pays fees; and both last a while.
fn tied(a: Kinship, b: Kinship) -> bool {
    let of_moves = |k| matches!(k, Kinship::Size | Kinship::Fees | Kinship::Price);
    // The direction of the price is tied to nothing.
    a == b || (of_moves(a) && of_moves(b) && b != Kinship::Price)
}

/// Ticks around a lag at which a claim still speaks of it: fees are seen as a mean over an hour.
const SLACK: u64 = 90;
/// Nominal ticks of an hour.
const TICKS_AN_HOUR: f64 = 90.0;

impl Truth {
    /// A world of which nothing is written down.
    #[must_use]
    pub fn unwritten(world: &str, sentence: &str) -> Self {
        let (world, sentence) = (world.to_owned(), sentence.to_owned());
        Self { world, strength: 1.0, links: Vec::new(), complete: false, sentence }
    }

    /// Hold a claim against it: when `cause` is high, is `effect` high (`sign` above 0) or low, `lag_ticks` later?
    #[must_use]
    pub fn agrees(&self, cause: Field, effect: Field, sign: i8, lag_ticks: u64) -> Agreement {
        // How long ago something was is no more or less of it.
        let timed = cause == Field::MarketGasSpikeTicks;
        for link in self.between(cause, effect).filter(|link| link.is_plain() && !timed) {
            let until = link.lag_ticks + link.length_ticks + SLACK;
            if (link.lag_ticks.saturating_sub(SLACK)..=until).contains(&lag_ticks) {
                return if link.sign == sign.signum() { Agreement::True } else { Agreement::False };
            }
        }
        self.otherwise(self.between(cause, effect).next().is_some(), kinship(cause), kinship(effect))
    }

    /// Hold a claim about what follows so long after an event against it: while `cause` (how long ago that was) lies from one
    /// value to another, is `effect` high or low `lag_ticks` later?
    #[must_use]
    pub fn agrees_since(&self, cause: Field, told: (f64, f64), effect: Field, sign: i8, lag_ticks: u64) -> Agreement {
        let (from, to) = (told.0 + lag_ticks as f64, told.1 + lag_ticks as f64);
        let is_so = |link: &TrueLink| {
            let (begins, ends) = (link.lag_ticks as f64, (link.lag_ticks + link.length_ticks + SLACK) as f64);
            link.is_plain() && from < ends && to > begins && link.sign == sign.signum()
        };
        if self.between(cause, effect).any(is_so) {
            return Agreement::True;
        }
        self.otherwise(self.between(cause, effect).next().is_some(), kinship(cause), kinship(effect))
    }

    /// Hold a claim about a link in two moods against it: `effect` goes with `cause`, or against it while `mood` is below what is
    /// usual.
    #[must_use]
    pub fn agrees_in_moods(&self, cause: Field, mood: Field, effect: Field, sign: i8) -> Agreement {
        let mut links = self.between(cause, effect);
        match links.find(|link| link.told_by.is_some_and(|told| kinship(told) == kinship(mood))) {
            Some(link) if link.sign == sign.signum() => Agreement::True,
            Some(_) => Agreement::False,
            None => self.otherwise(self.between(cause, effect).next().is_some(), kinship(cause), kinship(effect)),
        }
    }

    /// What the truth says of a claim about how far the panel of a domain will be off, when this is what it says of the claim that
    /// the series itself will be so. What tells nothing of a series tells nothing of how far a forecast of it is off. A level is
    /// heard of by its panel as soon as it moves, which is then off the other way: where there is a link, nothing is called untrue.
    #[must_use]
    pub fn of_panel(&self, said: Agreement, cause: Field, domain: Domain) -> Agreement {
        let level = domain != Domain::PriceDirection;
        let linked = forecast_by(domain).is_some_and(|effect| self.between(cause, effect).next().is_some());
        if said == Agreement::False && level && linked { Agreement::Unknown } else { said }
    }

    /// Links from what tells of the same as one field to what tells of the same as another.
    fn between(&self, cause: Field, effect: Field) -> impl Iterator<Item = &TrueLink> {
        let (from, to) = (kinship(cause), kinship(effect));
        self.links.iter().filter(move |link| kinship(link.cause) == from && kinship(link.effect) == to)
    }

    /// Hold a claim about a stretch of a field against it: while `cause` lies from one value to another (an hour of the day), is
    /// `effect` high or low `lag_ticks` later? An effect of the hours of a day is told of as many hours later as the lag has.
    #[must_use]
    pub fn agrees_within(&self, cause: Field, told: (f64, f64), effect: Field, sign: i8, lag_ticks: u64) -> Agreement {
        let later = lag_ticks as f64 / TICKS_AN_HOUR;
        let (from, to) = (told.0 + later, told.1 + later);
        let same = |link: &&TrueLink| link.cause == cause && kinship(link.effect) == kinship(effect);
        let stretches = self.links.iter().filter(same).filter_map(|link| Some((link, link.between?)));
        let mut linked = false;
        for (link, (begin, end)) in stretches {
            linked = true;
            let around = |x: f64| x.rem_euclid(24.0);
            let (length, shared) = (around(to - from), overlap((from, to), (begin, end)));
            // Most of the stretch must lie within, and then what it says must have the sign, or most of it without.
            let agrees = (shared >= 0.5 * length) == (link.sign == sign.signum());
            if agrees && length > 0.0 && !(0.25..0.5).contains(&(shared / length)) {
                return Agreement::True;
            }
        }
        if linked { Agreement::False } else { self.otherwise(false, kinship(cause), kinship(effect)) }
    }

    fn otherwise(&self, linked: bool, from: Kinship, to: Kinship) -> Agreement {
        let says = self.complete && !linked && !tied(from, to) && from != Kinship::Other && to != Kinship::Other;
        if says { Agreement::False } else { Agreement::Unknown }
    }
}

/// Hours that two stretches of the day share.
fn overlap(a: (f64, f64), b: (f64, f64)) -> f64 {
    let length = |(from, to): (f64, f64)| (to - from).rem_euclid(24.0);
    // From where the first begins, the second begins so much later, today or yesterday.
    let after = (b.0 - a.0).rem_euclid(24.0);
    let today = (length(a) - after).clamp(0.0, length(b));
    let since_yesterday = (after + length(b) - 24.0).clamp(0.0, length(a));
    today + since_yesterday
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gas is dear from 8 to 14: a claim about four hours later is true of the hours from 4 to 10 and of no others.
    #[test]
    fn hours_are_told_of_with_their_lag() {
        let link = TrueLink {
            cause: Field::MarketHour,
            between: Some((8.0, 14.0)),
            told_by: None,
            effect: Field::MarketGasGwei,
            domain: Domain::GasCondition,
            sign: 1,
            lag_ticks: 0,
            length_ticks: 540,
            factor: 2.0,
        };
        let truth = Truth { links: vec![link], complete: true, ..Truth::unwritten("gas-hours", "") };
        for (hours, lag, expected) in [
            ((8.0, 14.0), 0, Agreement::True),
            ((8.0, 14.0), 360, Agreement::False),
            ((4.0, 10.0), 360, Agreement::True),
            ((4.0, 10.0), 0, Agreement::False),
            ((22.0, 4.0), 900, Agreement::True),
        ] {
            let found = truth.agrees_within(Field::MarketHour, hours, Field::MarketGasRatio, 1, lag);
            assert_eq!(found, expected, "{hours:?} and {lag} ticks");
        }
    }

    #[test]
    fn stretches_of_the_day_share_what_lies_in_both() {
        for (a, b, shared) in [
            ((4.0, 8.0), (6.0, 12.0), 2.0),
            ((22.0, 4.0), (0.0, 7.0), 4.0),
            ((0.0, 7.0), (22.0, 4.0), 4.0),
            ((8.0, 12.0), (12.0, 20.0), 0.0),
            ((20.0, 2.0), (1.0, 21.0), 2.0),
        ] {
            assert!((overlap(a, b) - shared).abs() < 1e-9, "{a:?} {b:?}: {}", overlap(a, b));
        }
    }
}
