//! Why the gate said no: each denial has a number that never changes, a name, a reason and what would lift it.

use super::ActionClass;
use super::class::InPhase;
use super::situation::{GatePart, Permits, Safety, SafetyCause};
use crate::band::{Band, CRISIS_LEAVE};
use golem_mortality::{BehavioralPhase, GolemMode};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyDenied {
    /// A part of the golem's state could not be read.
    Unreadable(GatePart),
    /// It dreams, or dies.
    Mode(GolemMode),
    /// Safety holds it back.
    Safety(Safety),
    /// The world cannot be acted on.
    Permits(Permits),
    /// Its phase of life does not do this.
    Phase(BehavioralPhase),
    /// Its phase does this only to avert loss, and none is in sight.
    NoLossToAvert(BehavioralPhase),
    /// Suffering closes it.
    Suffering(Band),
    /// There is no such tool.
    UnknownTool,
    /// A tool was called that needs an intent, and none could be read.
    NoIntent,
    /// It is past the point of return.
    TooLate,
}

/// Where a golem stands, for whoever explains a denial to a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Composite vitality.
    pub vitality: f64,
    /// What climbing to a phase needs beyond its threshold.
    pub hysteresis: f64,
    /// The suffering load.
    pub load: f64,
}

/// Cut, not rounded: a figure must not show a threshold that was not reached.
fn cut(x: f64) -> f64 {
    libm::floor(x * 100.0 + 1e-9) / 100.0
}

/// A denial: what was denied, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Denied {
    /// The class of what was denied.
    pub class: ActionClass,
    /// What stands in the way.
    pub why: WhyDenied,
}

impl Denied {
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// The word used in tables and counters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().1
    }

    fn entry(&self) -> (u16, &'static str) {
        match self.why {
            WhyDenied::Unreadable(GatePart::Phase) => (100, "unreadable_phase"),
            WhyDenied::Unreadable(GatePart::Band) => (101, "unreadable_band"),
            WhyDenied::Unreadable(GatePart::Mode) => (102, "unreadable_mode"),
            WhyDenied::Unreadable(GatePart::Permits) => (103, "unreadable_permits"),
            WhyDenied::Unreadable(GatePart::Safety) => (104, "unreadable_safety"),
            WhyDenied::Mode(GolemMode::Dying) => (201, "dying"),
            WhyDenied::Mode(_) => (200, "dreaming"),
            WhyDenied::Safety(Safety::ReduceOnly { .. }) => (301, "reduce_only"),
            WhyDenied::Safety(_) => (300, "no_new_risk"),
            WhyDenied::Permits(_) => (400, "trading_off"),
            WhyDenied::Phase(_) => (500, "phase"),
            WhyDenied::NoLossToAvert(_) => (501, "no_loss_to_avert"),
            WhyDenied::Suffering(_) => (600, "suffering"),
            WhyDenied::UnknownTool => (700, "unknown_tool"),
            WhyDenied::NoIntent => (701, "no_intent"),
            WhyDenied::TooLate => (702, "too_late"),
        }
    }

    /// What would lift it, for the golem and for people.
    #[must_use]
    pub fn lifted_by(&self) -> String {
        let fixed = match self.why {
            WhyDenied::Unreadable(_) => {
                "a golem whose state can be read again; reducing, reflecting and peers stay possible"
            }
            WhyDenied::Mode(GolemMode::Dying) => "nothing: what is left is settlement and the testament",
            WhyDenied::Mode(_) => "waking",
            WhyDenied::Safety(Safety::NoNewRisk { why } | Safety::ReduceOnly { why }) => why.lifted_by(),
            WhyDenied::Safety(Safety::Open) => "nothing is held back",
            WhyDenied::Permits(_) => "the owner, by mind.trading",
            WhyDenied::Phase(_) => return self.recovery(),
            WhyDenied::NoLossToAvert(_) => {
                return format!("a position that has lost its range, or {}", self.recovery());
            }
            WhyDenied::Suffering(_) => return self.relief(),
            WhyDenied::UnknownTool => "a tool that exists",
            WhyDenied::NoIntent => "an intent that can be read",
            WhyDenied::TooLate => "nothing: it is dying",
        };
        fixed.to_owned()
    }

    /// What would lift it, with the figure that is compared and where it stands, for people.
    #[must_use]
    pub fn lifted_by_at(&self, now: Figures) -> String {
        let lifted = self.lifted_by();
        match self.why {
            WhyDenied::Phase(_) | WhyDenied::NoLossToAvert(_) => match self.opens() {
                Some(p) => {
                    let needed = p.threshold() + now.hysteresis;
                    format!("{lifted} (vitality from {needed:.2}, now {:.2})", cut(now.vitality))
                }
                None => lifted,
            },
            WhyDenied::Suffering(_) => format!("{lifted} (now {:.2})", cut(now.load)),
            _ => lifted,
        }
    }

    /// The worst phase that opens the class without conditions.
    fn opens(&self) -> Option<BehavioralPhase> {
        BehavioralPhase::ALL.into_iter().find(|p| self.class.in_phase(*p) == InPhase::Open)
    }

    fn recovery(&self) -> String {
        let opens = self.opens();
        opens.map_or_else(|| "nothing".to_owned(), |p| format!("recovery to {p}"))
    }

    /// The load below which the class is open, read from the one table of the bands.
    fn relief(&self) -> String {
        let closes = Band::ALL.into_iter().find(|b| !self.class.open_at(*b));
        let below = match closes {
            // Leaving the crisis is harder than entering it.
            Some(Band::Crisis) => CRISIS_LEAVE,
            Some(Band::Background) | None => return "nothing".to_owned(),
            Some(band) => band.from_load(),
        };
        format!("a suffering load below {below:.2}: see what eases each stressor")
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class.name();
        match self.why {
            WhyDenied::Unreadable(part) => write!(f, "{class} is closed: the golem's {} cannot be read", part.name()),
            WhyDenied::Mode(mode) => write!(f, "{class} is closed while {mode}"),
            WhyDenied::Safety(Safety::NoNewRisk { why }) => write!(f, "{class} takes on risk, and {}", why.words()),
            WhyDenied::Safety(Safety::ReduceOnly { why }) => write!(f, "only reducing is open: {}", why.words()),
            WhyDenied::Safety(Safety::Open) => write!(f, "{class} is closed"),
            WhyDenied::Permits(_) => write!(f, "{class} acts on the world, and trading is switched off"),
            WhyDenied::Phase(phase) => write!(f, "{class} is closed in {phase}"),
            WhyDenied::NoLossToAvert(phase) => write!(f, "in {phase} {class} is open only to avert loss"),
            WhyDenied::Suffering(band) => write!(f, "{class} is closed: suffering is {}", band.name()),
            WhyDenied::UnknownTool => write!(f, "there is no such tool"),
            WhyDenied::NoIntent => write!(f, "the intent cannot be read"),
            WhyDenied::TooLate => write!(f, "it is past the point of return"),
        }
    }
}

impl std::error::Error for Denied {}

impl WhyDenied {
    /// Everything that can stand in the way.
    fn all() -> impl Iterator<Item = Self> {
        let parts = [GatePart::Phase, GatePart::Band, GatePart::Mode, GatePart::Permits, GatePart::Safety]
            .map(Self::Unreadable);
        let modes = [GolemMode::Waking, GolemMode::Dreaming, GolemMode::Dying].map(Self::Mode);
        let safety = SafetyCause::ALL
            .into_iter()
            .flat_map(|why| [Safety::NoNewRisk { why }, Safety::ReduceOnly { why }, Safety::Open].map(Self::Safety));
        let phases =
            BehavioralPhase::ALL.into_iter().flat_map(|phase| [Self::Phase(phase), Self::NoLossToAvert(phase)]);
        let bands = Band::ALL.into_iter().map(Self::Suffering);
        let rest = [Self::Permits(Permits::TradingOff), Self::UnknownTool, Self::NoIntent, Self::TooLate];
        parts.into_iter().chain(modes).chain(safety).chain(phases).chain(bands).chain(rest)
    }
}

/// Read back by what is written: the one denial of that class with that number and that reason.
impl<'de> Deserialize<'de> for Denied {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct WrittenDenial {
            class: ActionClass,
            code: u16,
            reason: String,
        }
        let WrittenDenial { class, code, reason } = WrittenDenial::deserialize(deserializer)?;
        let found =
            WhyDenied::all().map(|why| Self { class, why }).find(|d| d.code() == code && d.to_string() == reason);
        found.ok_or_else(|| serde::de::Error::custom(format!("no denial {code} says {reason:?}")))
    }
}

impl Serialize for Denied {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Denied", 5)?;
        out.serialize_field("class", &self.class)?;
        out.serialize_field("code", &self.code())?;
        out.serialize_field("denial", self.name())?;
        out.serialize_field("reason", &self.to_string())?;
        out.serialize_field("lifted_by", &self.lifted_by())?;
        out.end()
    }
}
