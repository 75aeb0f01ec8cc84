//! The six canonical stressors: how fast each grows, where it starts, what it is about.

use super::domain::ActivityDomain;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A measured stressor. Only its rule opens and closes it (see `rules.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Canonical {
    /// What is built has no effect.
    Futility,
    /// Nobody answers.
    Invisibility,
    /// Acting against what it holds true.
    IdentityViolation,
    /// Going on is in danger.
    ExistentialThreat,
    /// The same pattern fails.
    RepeatedFailure,
    /// Nothing is reached any more.
    Purposelessness,
}

struct CanonicalEntry {
    name: &'static str,
    rate_per_day: f64,
    initial: f64,
    about: &'static str,
    /// None: what the golem was doing when it began.
    domain: Option<ActivityDomain>,
}

const fn entry(
    name: &'static str,
    rate_per_day: f64,
    initial: f64,
    about: &'static str,
    domain: Option<ActivityDomain>,
) -> CanonicalEntry {
    CanonicalEntry { name, rate_per_day, initial, about, domain }
}

static TABLE: [CanonicalEntry; Canonical::COUNT] = [
    entry("futility", 0.025, 0.20, "Building things with no observable effect", None),
    entry("invisibility", 0.030, 0.20, "Receiving no feedback, building into silence", Some(ActivityDomain::Peer)),
    entry("identity_violation", 0.060, 0.20, "Acting against developed values", None),
    entry(
        "existential_threat",
        0.070,
        0.20,
        "Conditions threatening continued existence",
        Some(ActivityDomain::Survival),
    ),
    entry("repeated_failure", 0.040, 0.20, "Failing the same pattern without understanding why", None),
    entry("purposelessness", 0.035, 0.12, "No sense of why anything is being done", None),
];

impl Canonical {
    /// How many there are.
    pub const COUNT: usize = 6;
    /// All of them, in the order of the seed.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Futility,
        Self::Invisibility,
        Self::IdentityViolation,
        Self::ExistentialThreat,
        Self::RepeatedFailure,
        Self::Purposelessness,
    ];

    fn entry(self) -> &'static CanonicalEntry {
        &TABLE[self as usize]
    }
    /// The name used in facts, prompts and files; reserved, whoever writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }
    /// How much its severity grows in a virtual day.
    #[must_use]
    pub fn rate_per_day(self) -> f64 {
        self.entry().rate_per_day
    }
    /// The severity it begins with.
    #[must_use]
    pub fn initial(self) -> f64 {
        self.entry().initial
    }
    /// What it is about, in the seed's words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.entry().about
    }
    /// What a person can do about it.
    #[must_use]
    pub fn remedy(self, golem: &str) -> String {
        match self {
            Self::Futility => format!("drop rules that never fire from its page (bardo playbook show {golem})"),
            Self::Invisibility => format!("speak to it: bardo golem tell {golem} \"...\""),
            Self::IdentityViolation => {
                format!("leave it alone for three days, or edit the rule (bardo playbook show {golem})")
            }
            Self::ExistentialThreat => format!(
                "where money is short, feed it: bardo golem feed {golem} --usdc 10; stale forecasts only time can mend"
            ),
            Self::RepeatedFailure => {
                format!("halt it until the market turns (bardo golem halt {golem} --reason ...), or wait")
            }
            Self::Purposelessness => "wait for a goal within its reach; a larger budget widens that reach".to_owned(),
        }
    }
    /// The domain it always belongs to; none when it belongs to what the golem was doing.
    #[must_use]
    pub fn domain(self) -> Option<ActivityDomain> {
        self.entry().domain
    }
    /// The one with this folded name.
    #[must_use]
    pub fn named(folded: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == folded)
    }
}

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
