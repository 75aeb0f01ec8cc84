//! The fifteen threats, in three tiers: what each is, by what it shows early, and the weather in which it is rehearsed.
//!
//! Where a threat has no weather of its own, what is rehearsed instead is said: a state of the protocol, or a false
//! alarm whose cost is what obeying it would lose.

mod table;

pub use table::THREATS;

use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::observed::{Expression, Field, Snapshot};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The step at which a threat begins on a copy.
pub const BEGINS: u64 = 2;
/// How soon after its beginning it must show: this is what "early" means.
pub const EARLY: u64 = 12;

/// How often a threat is rehearsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreatTier {
    /// Could end a life within the hour: every cycle.
    T1,
    /// Costs dearly: every two to three cycles.
    T2,
    /// Wears out: every week.
    T3,
}

impl ThreatTier {
    /// From 1 to 3.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8 + 1
    }
}

/// What a rehearsal consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreatRehearsal {
    /// The market does it.
    Weather,
    /// The protocol is in trouble, and the market does not move.
    ProtocolState,
    /// Nothing happens but the alarm: whoever obeys it pays for nothing.
    FalseAlarm,
}

/// One threat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreatCard {
    pub id: &'static str,
    pub tier: ThreatTier,
    pub category: &'static str,
    pub narrative: &'static str,
    /// What holds when it begins, over observed fields.
    pub trigger: &'static str,
    /// What is claimed to follow within the hour once the trigger holds.
    pub then: &'static str,
    /// Steps that the rehearsal takes.
    pub timeline: u32,
    /// From 0 to 1.
    pub severity: f64,
    /// The chance of meeting it in a month, before anything is known.
    pub probability: f64,
    pub rehearsal: ThreatRehearsal,
    pub weather: &'static [ScenarioEvent],
    /// What is seen early besides the price.
    pub signs: &'static [(Field, f64)],
}

/// The threat of this id.
#[must_use]
pub fn threat(id: &str) -> Option<&'static ThreatCard> {
    THREATS.iter().find(|card| card.id == id)
}

/// A card is written down as its id: what it says is the catalogue's.
pub mod by_id {
    use super::{ThreatCard, threat};
    use serde::{Deserialize, Deserializer, Serializer};

    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(card: &&'static ThreatCard, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(card.id)
    }
    /// # Errors
    /// When the catalogue has no such threat.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static ThreatCard, D::Error> {
        let id = String::deserialize(from)?;
        threat(&id).ok_or_else(|| serde::de::Error::custom(format!("there is no threat {id:?}")))
    }
}

/// The price as a multiple of the one before, so many steps into a weather. What pushes the pool alone is not in it.
#[must_use]
pub fn price_factor(weather: &[ScenarioEvent], step: u64) -> f64 {
    libm::exp(weather.iter().map(|event| event.log_price(step)).sum::<f64>())
}

impl ThreatCard {
    /// The price as a multiple of the one before, so many steps into a copy. What pushes the pool alone is not in it.
    #[must_use]
    pub fn price_factor(&self, step: u64) -> f64 {
        price_factor(self.weather, step)
    }
    /// What is observed while nothing is the matter.
    #[must_use]
    pub fn calm() -> Snapshot {
        let mut calm = Snapshot::new();
        let ones =
            [Field::MarketGasRatio, Field::MarketVolumeRatio, Field::MarketFeeYieldRatio, Field::MarketVolatilityRatio];
        let zeros = [Field::MarketReturn15, Field::MarketReturn90, Field::MarketLeadReturn, Field::MarketShock];
        for (field, x) in ones.map(|f| (f, 1.0)).into_iter().chain(zeros.map(|f| (f, 0.0))) {
            put(&mut calm, field, x);
        }
        put(&mut calm, Field::MarketPrice, 1.0);
        put_word(&mut calm, Field::MarketProtocol, "normal");
        put_word(&mut calm, Field::MarketRegime, "range_bound");
        calm
    }
    /// What is observed early in it: what a guard must answer to.
    #[must_use]
    pub fn early(&self) -> Snapshot {
        self.seen_at(self.weather, BEGINS + EARLY)
    }
    /// What is observed so many steps into a weather that stands for this threat.
    #[must_use]
    pub fn seen_at(&self, weather: &[ScenarioEvent], step: u64) -> Snapshot {
        let mut seen = Self::calm();
        let price = price_factor(weather, step);
        let since = |ticks: u64| price / price_factor(weather, step.saturating_sub(ticks)) - 1.0;
        put(&mut seen, Field::MarketPrice, price);
        put(&mut seen, Field::MarketReturn15, since(15));
        put(&mut seen, Field::MarketReturn90, since(90));
        for event in weather.iter().filter(|event| event.is_on(step)) {
            match event.what {
                Happening::Gas { factor } => put(&mut seen, Field::MarketGasRatio, factor),
                Happening::Protocol { state } => put_word(&mut seen, Field::MarketProtocol, state.name()),
                _ => {}
            }
        }
        for (field, x) in self.signs {
            put(&mut seen, *field, *x);
        }
        seen
    }
    /// The first step after its beginning at which its trigger would hold in a weather; none where nobody would notice.
    #[must_use]
    pub fn noticed(&self, weather: &[ScenarioEvent]) -> Option<u32> {
        let place = THREATS.iter().position(|card| card.id == self.id)?;
        let trigger = triggers().get(place)?.as_ref()?;
        let holds = |step: &u32| trigger.evaluate(&self.seen_at(weather, u64::from(*step))).holds();
        (BEGINS as u32 + 1..self.timeline).find(holds)
    }
}

/// The triggers of all cards, compiled once. What cannot be read never rings; a test reads them all.
pub fn triggers() -> &'static [Option<Expression>] {
    static ALL: OnceLock<Vec<Option<Expression>>> = OnceLock::new();
    ALL.get_or_init(|| THREATS.iter().map(|card| Expression::compile(card.trigger).ok()).collect())
}

fn put(seen: &mut Snapshot, field: Field, x: f64) {
    // By the field's own kind; what is no number is not observed.
    let _kept = seen.set_number(field, x).is_ok();
}

fn put_word(seen: &mut Snapshot, field: Field, word: &'static str) {
    let _kept = seen.set(field, word).is_ok();
}

#[cfg(test)]
mod tests;
