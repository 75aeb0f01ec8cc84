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
        Field::MarketGasGwei | Field::MarketGasRatio => Kinship::Gas,
        // The pool takes its fees of what is traded: one counter.
        Field::MarketFeeYield | Field::MarketFeeYieldRatio | Field::MarketVolume | Field::MarketVolumeRatio => {
            Kinship::Fees
        }
        Field::MarketProtocol => Kinship::Protocol,
        Field::MarketHour => Kinship::Hour,
        Field::MarketLeadReturn => Kinship::Elsewhere,
        _ => Kinship::Other,
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
        let (from, to) = (kinship(cause), kinship(effect));
        let known = |link: &&TrueLink| kinship(link.cause) == from && kinship(link.effect) == to;
        let mut linked = false;
        for link in self.links.iter().filter(known) {
            linked = true;
            let until = link.lag_ticks + link.length_ticks + SLACK;
            if (link.lag_ticks.saturating_sub(SLACK)..=until).contains(&lag_ticks) && link.is_plain() {
                return if link.sign == sign.signum() { Agreement::True } else { Agreement::False };
            }
        }
        let says = self.complete && !linked && !tied(from, to) && from != Kinship::Other && to != Kinship::Other;
        if says { Agreement::False } else { Agreement::Unknown }
    }
}
