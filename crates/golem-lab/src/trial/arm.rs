//! The ten arms of the trial. Each differs in one thing from the one that it is held against; budget, path and dice are the same.

use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_life::Settings;
use golem_mortality::config::Deaths;
use serde::{Deserialize, Serialize};

/// Who lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialArm {
    Frozen,
    KeepsAll,
    MatchedForgetting,
    TunedForgetting,
    NoInheritance,
    Inherits,
    FlatInheritance,
    ShamDeath,
    RandomParent,
    PermutedDeaths,
}

impl TrialArm {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 10] = [
        Self::Frozen,
        Self::KeepsAll,
        Self::MatchedForgetting,
        Self::TunedForgetting,
        Self::NoInheritance,
        Self::Inherits,
        Self::FlatInheritance,
        Self::ShamDeath,
        Self::RandomParent,
        Self::PermutedDeaths,
    ];

    /// The word in plans, files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frozen => "frozen",
            Self::KeepsAll => "keeps-all",
            Self::MatchedForgetting => "matched-forgetting",
            Self::TunedForgetting => "tuned-forgetting",
            Self::NoInheritance => "no-inheritance",
            Self::Inherits => "inherits",
            Self::FlatInheritance => "flat-inheritance",
            Self::ShamDeath => "sham-death",
            Self::RandomParent => "random-parent",
            Self::PermutedDeaths => "permuted-deaths",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Frozen => "immortal; stops learning after its first weeks",
            Self::KeepsAll => "immortal; keeps all that it learns",
            Self::MatchedForgetting => {
                "immortal; as often as the line died, at even distances, it loses what a death takes: the learner begins anew, and \
                 what it knows goes through the bottleneck and is left 0.85 of its confidence"
            }
            Self::TunedForgetting => "immortal; its learner's memory is as long as did best on paths of tuning",
            Self::NoInheritance => "dies by its clocks; the next one inherits money alone",
            Self::Inherits => "dies by its clocks; the next one inherits what it knew, at 0.85 of its confidence",
            Self::FlatInheritance => "the same, but all that is inherited is believed at 0.4",
            Self::ShamDeath => {
                "immortal; at the line's deaths it is closed down and begun again with age, learner and memory: it pays for dying \
                 and loses nothing else"
            }
            Self::RandomParent => "dies by its clocks; the next one inherits from a stranger of the same kind of world",
            Self::PermutedDeaths => {
                "dies after the spans of the line's lives in another order, whatever its clocks say"
            }
        }
    }

    /// Whether it has the life of an immortal: clocks are measured and enforce nothing.
    #[must_use]
    pub fn is_immortal(self) -> bool {
        matches!(
            self,
            Self::Frozen | Self::KeepsAll | Self::MatchedForgetting | Self::TunedForgetting | Self::ShamDeath
        )
    }

    /// The settings of its lives.
    #[must_use]
    pub fn settings(self, base: &Settings, frozen_after_days: u64, tuned_memory_days: u32) -> Settings {
        let mut settings = base.clone();
        // Deaths are carried out by the trial itself, by the same order in every arm.
        settings.mortality.deaths = Deaths::Recorded;
        settings.mortality.immortal = self.is_immortal();
        settings.diagnostics.enabled = false;
        match self {
            Self::Frozen => settings.mind.freeze_at_tick = frozen_after_days * NOMINAL_TICKS_PER_DAY,
            Self::TunedForgetting => settings.mind.memory_days = tuned_memory_days,
            _ => {}
        }
        settings
    }
}

/// One question: an arm held against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Contrast {
    pub arm: TrialArm,
    pub against: TrialArm,
}

impl Contrast {
    /// What the page asks. The first two decide.
    pub const ALL: [Self; 11] = [
        Self { arm: TrialArm::Inherits, against: TrialArm::KeepsAll },
        Self { arm: TrialArm::Inherits, against: TrialArm::MatchedForgetting },
        Self { arm: TrialArm::Frozen, against: TrialArm::KeepsAll },
        Self { arm: TrialArm::MatchedForgetting, against: TrialArm::KeepsAll },
        Self { arm: TrialArm::TunedForgetting, against: TrialArm::KeepsAll },
        Self { arm: TrialArm::ShamDeath, against: TrialArm::KeepsAll },
        Self { arm: TrialArm::Inherits, against: TrialArm::TunedForgetting },
        Self { arm: TrialArm::NoInheritance, against: TrialArm::Inherits },
        Self { arm: TrialArm::FlatInheritance, against: TrialArm::Inherits },
        Self { arm: TrialArm::RandomParent, against: TrialArm::Inherits },
        Self { arm: TrialArm::PermutedDeaths, against: TrialArm::Inherits },
    ];
    /// Does the line do better than an immortal that keeps all?
    pub const BENEFIT: Self = Self::ALL[0];
    /// And better than one that forgets as much?
    pub const BEYOND_FORGETTING: Self = Self::ALL[1];
    /// Who stopped learning must do worse: what the positive control looks at.
    pub const LEARNING: Self = Self::ALL[2];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_words_of_files_and_contrasts_hold_every_arm() {
        for arm in TrialArm::ALL {
            assert_eq!(golem_core::plain::word(&arm), arm.name());
            assert!(Contrast::ALL.iter().any(|c| c.arm == arm || c.against == arm), "{arm:?}");
        }
        assert!(Contrast::ALL.iter().all(|c| c.arm != c.against));
    }

    /// One factor: what an arm's settings change is its own thing and whether it is mortal, and nothing else.
    #[test]
    fn settings_differ_in_one_thing() {
        let base = Settings::default();
        let of = |arm: TrialArm| arm.settings(&base, 30, 20);
        let keeps_all = of(TrialArm::KeepsAll);
        for arm in TrialArm::ALL {
            let mut settings = of(arm);
            settings.mortality.immortal = true;
            match arm {
                TrialArm::Frozen => settings.mind.freeze_at_tick = 0,
                TrialArm::TunedForgetting => settings.mind.memory_days = base.mind.memory_days,
                _ => {}
            }
            assert_eq!(settings, keeps_all, "{arm:?}");
        }
        assert_ne!(of(TrialArm::Frozen), keeps_all);
        assert_ne!(of(TrialArm::TunedForgetting), keeps_all);
    }
}
